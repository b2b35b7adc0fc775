//! The objects of a world: by key, and by the proxies that stand for them.

use crate::{
    slots::{Slot, Slots},
    world::Entry,
};
use cullide_bvh::{CowVec, Mobility, Proxy};

/// Objects, fixed and moving ones apart: clones share what neither of them changes, and steps change the moving ones alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Objects {
    names: Slots<Proxy>,
    fixed: CowVec<Place>,
    moving: CowVec<Place>,
}

/// What a proxy stands for, or stood for last.
#[derive(Clone, Debug, Default)]
struct Place {
    slot: Slot,
    entry: Option<Entry>,
}

impl Objects {
    /// Those under these keys, and the slots that other proxies stood for last.
    #[cfg(feature = "serde")]
    pub(crate) fn of(entries: &Slots<Entry>, others: &[(Proxy, Slot)]) -> Self {
        let names = entries.map(|_, entry| entry.proxy);
        let mut objects = Self { names, ..Self::default() };
        for &(proxy, slot) in others {
            objects.place(proxy).slot = slot;
        }
        for (slot, entry) in entries.iter() {
            *objects.place(entry.proxy) = Place { slot, entry: Some(entry.clone()) };
        }
        objects
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Adds an object, whose proxy stands for no other one.
    pub(crate) fn insert(&mut self, entry: Entry) -> Slot {
        let proxy = entry.proxy;
        let slot = self.names.insert_with(|_| proxy);
        *self.place(proxy) = Place { slot, entry: Some(entry) };
        slot
    }

    pub(crate) fn remove(&mut self, slot: Slot) -> Option<Entry> {
        let proxy = self.names.remove(slot)?;
        self.place(proxy).entry.take()
    }

    /// Has another proxy stand for an object, which stands for no other one.
    pub(crate) fn rename(&mut self, slot: Slot, proxy: Proxy) {
        let Some(name) = self.names.get_mut(slot) else { return };
        let old = std::mem::replace(name, proxy);
        let entry = self.place(old).entry.take().map(|entry| Entry { proxy, ..entry });
        *self.place(proxy) = Place { slot, entry };
    }

    pub(crate) fn get(&self, slot: Slot) -> Option<&Entry> {
        self.at(*self.names.get(slot)?).entry.as_ref()
    }

    pub(crate) fn get_mut(&mut self, slot: Slot) -> Option<&mut Entry> {
        let proxy = *self.names.get(slot)?;
        self.place(proxy).entry.as_mut()
    }

    /// As [`Slots::vacant`].
    pub(crate) fn vacant(&self) -> (&[Slot], u32) {
        self.names.vacant()
    }

    /// All objects, in the order of their slots.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Slot, &Entry)> {
        self.names.iter().filter_map(|(slot, proxy)| Some((slot, self.at(*proxy).entry.as_ref()?)))
    }

    /// Other things in the same slots.
    #[cfg(feature = "serde")]
    pub(crate) fn map<U: Clone>(&self, mut other: impl FnMut(Slot, &Entry) -> U) -> Slots<U> {
        self.names.map(|slot, _| other(slot, &self[slot]))
    }

    /// The object that a proxy stands for or stood for last.
    #[inline(always)]
    pub(crate) fn slot_of(&self, proxy: Proxy) -> Slot {
        self.at(proxy).slot
    }

    /// The object that a proxy stands for.
    ///
    /// # Panics
    /// When it stands for none.
    #[inline(always)]
    pub(crate) fn behind(&self, proxy: Proxy) -> (Slot, &Entry) {
        let Place { slot, entry } = self.at(proxy);
        (*slot, entry.as_ref().expect("a leaf has an object"))
    }

    #[inline(always)]
    fn at(&self, proxy: Proxy) -> &Place {
        let places = if proxy.mobility() == Mobility::Fixed { &self.fixed } else { &self.moving };
        &places[proxy.index()]
    }

    fn place(&mut self, proxy: Proxy) -> &mut Place {
        let places = if proxy.mobility() == Mobility::Fixed { &mut self.fixed } else { &mut self.moving };
        places.grow(proxy.index() + 1);
        &mut places[proxy.index()]
    }
}

impl std::ops::Index<Slot> for Objects {
    type Output = Entry;

    #[inline]
    fn index(&self, slot: Slot) -> &Entry {
        self.get(slot).expect("a valid slot")
    }
}

impl std::ops::IndexMut<Slot> for Objects {
    #[inline]
    fn index_mut(&mut self, slot: Slot) -> &mut Entry {
        self.get_mut(slot).expect("a valid slot")
    }
}
