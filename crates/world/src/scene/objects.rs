//! The objects of a world, found by key and by proxy.

use crate::{
    scene::slot_map::{Slot, SlotMap},
    scene::world::Entry,
};
use cullide_bvh::{CowVec, Mobility, Proxy};

/// Objects, fixed and moving ones separately: clones share what neither of them changes, and steps change only the
/// moving ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Objects {
    names: SlotMap<Proxy>,
    fixed: CowVec<ObjectSlot>,
    moving: CowVec<ObjectSlot>,
}

/// The object of a proxy, or the slot of the last one it had.
#[derive(Clone, Debug, Default)]
struct ObjectSlot {
    slot: Slot,
    entry: Option<Entry>,
}

impl Objects {
    /// Makes them of the objects in these slots, and of the slots that other proxies last stood for.
    #[cfg(feature = "serde")]
    pub(crate) fn of(entries: &SlotMap<Entry>, others: &[(Proxy, Slot)]) -> Self {
        let names = entries.map(|_, entry| entry.proxy);
        let mut objects = Self { names, ..Self::default() };
        for &(proxy, slot) in others {
            objects.place(proxy).slot = slot;
        }
        for (slot, entry) in entries.iter() {
            *objects.place(entry.proxy) = ObjectSlot { slot, entry: Some(entry.clone()) };
        }
        objects
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Adds an object whose proxy stands for no other one.
    pub(crate) fn insert(&mut self, entry: Entry) -> Slot {
        let proxy = entry.proxy;
        let slot = self.names.insert_with(|_| proxy);
        *self.place(proxy) = ObjectSlot { slot, entry: Some(entry) };
        slot
    }

    pub(crate) fn remove(&mut self, slot: Slot) -> Option<Entry> {
        let proxy = self.names.remove(slot)?;
        self.place(proxy).entry.take()
    }

    /// Moves an object to another proxy, which must have no object.
    pub(crate) fn rebind(&mut self, slot: Slot, proxy: Proxy) {
        let Some(name) = self.names.get_mut(slot) else { return };
        let old = std::mem::replace(name, proxy);
        let entry = self.place(old).entry.take().map(|entry| Entry { proxy, ..entry });
        *self.place(proxy) = ObjectSlot { slot, entry };
    }

    #[inline(always)]
    pub(crate) fn get(&self, slot: Slot) -> Option<&Entry> {
        self.at(*self.names.get(slot)?).entry.as_ref()
    }

    /// Whether the object in a slot is fixed or moving, without a look at it; `None` for a stale slot.
    pub(crate) fn mobility(&self, slot: Slot) -> Option<Mobility> {
        Some(self.names.get(slot)?.mobility())
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, slot: Slot) -> Option<&mut Entry> {
        let proxy = *self.names.get(slot)?;
        self.places_mut(proxy)[proxy.index()].entry.as_mut()
    }

    /// Changes many moving objects, each with its own argument; stale slots are skipped.
    #[inline]
    pub(crate) fn edit_moving<U>(
        &mut self,
        edits: impl Iterator<Item = (Slot, U)>,
        mut edit: impl FnMut(&mut Entry, U),
    ) {
        let names = &self.names;
        let places = edits.filter_map(|(slot, with)| {
            let proxy = names.get(slot).filter(|proxy| proxy.mobility() == Mobility::Moving)?;
            Some((proxy.index(), with))
        });
        self.moving.edit_each(places, |place, with| {
            if let Some(entry) = &mut place.entry {
                edit(entry, with);
            }
        });
    }

    /// As [`SlotMap::vacant`].
    pub(crate) fn vacant(&self) -> (&[Slot], u32) {
        self.names.vacant()
    }

    /// All objects, in ascending order of their slots.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Slot, &Entry)> {
        self.names.iter().filter_map(|(slot, proxy)| Some((slot, self.at(*proxy).entry.as_ref()?)))
    }

    /// Maps the objects to other values in the same slots.
    #[cfg(feature = "serde")]
    pub(crate) fn map<U: Clone>(&self, mut other: impl FnMut(Slot, &Entry) -> U) -> SlotMap<U> {
        self.names.map(|slot, _| other(slot, &self[slot]))
    }

    /// The slot of a proxy's object, or of the last one it had.
    #[inline(always)]
    pub(crate) fn slot_of(&self, proxy: Proxy) -> Slot {
        self.at(proxy).slot
    }

    /// The object of a proxy.
    ///
    /// # Panics
    /// If it stands for none.
    #[inline(always)]
    pub(crate) fn entry_of(&self, proxy: Proxy) -> (Slot, &Entry) {
        let ObjectSlot { slot, entry } = self.at(proxy);
        (*slot, entry.as_ref().expect("a leaf has an object"))
    }

    #[inline(always)]
    fn at(&self, proxy: Proxy) -> &ObjectSlot {
        let places = if proxy.mobility() == Mobility::Fixed { &self.fixed } else { &self.moving };
        &places[proxy.index()]
    }

    #[inline(always)]
    fn places_mut(&mut self, proxy: Proxy) -> &mut CowVec<ObjectSlot> {
        if proxy.mobility() == Mobility::Fixed { &mut self.fixed } else { &mut self.moving }
    }

    /// Returns the place of a proxy, which need not have existed before.
    fn place(&mut self, proxy: Proxy) -> &mut ObjectSlot {
        let places = self.places_mut(proxy);
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
