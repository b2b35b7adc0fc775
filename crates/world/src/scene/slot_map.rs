//! Things under names that are never given out twice.
//!
//! The place of a removed thing is used again, the one freed last first, under its next version; one that has had all versions is not used
//! any more. So the names depend on the edits alone, and a world that was saved gives out those that it would have given: a
//! [`slotmap::SlotMap`] that was saved forgets in which order. Clones share what neither of them changes.

use cullide_bvh::CowVec;
use slotmap::{DefaultKey, Key, KeyData};
use std::fmt;

/// Where a thing is, and the how-manieth it is there. Ordered by place.
pub(crate) type Slot = DefaultKey;

/// The first version of a place; those after it are odd as well.
const FIRST: u32 = 1;

fn slot(index: u32, version: u32) -> Slot {
    KeyData::from_ffi(u64::from(version) << 32 | u64::from(index)).into()
}

/// The index of a slot's place.
pub(crate) fn index(slot: Slot) -> usize {
    slot.data().as_ffi() as u32 as usize
}

fn version(slot: Slot) -> u32 {
    (slot.data().as_ffi() >> 32) as u32
}

/// Things by slot.
#[derive(Clone, PartialEq)]
pub(crate) struct Slots<T> {
    places: CowVec<Place<T>>,
    /// To be given out again, the last one first.
    free: Vec<Slot>,
    len: usize,
}

/// A place, which may have a thing.
#[derive(Clone, PartialEq)]
struct Place<T> {
    /// That of the thing here; 0 without one.
    version: u32,
    thing: Option<T>,
}

impl<T> Default for Place<T> {
    fn default() -> Self {
        Self { version: 0, thing: None }
    }
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { places: CowVec::default(), free: Vec::new(), len: 0 }
    }
}

impl<T: fmt::Debug> fmt::Debug for Slots<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = self.places.len();
        f.debug_map().entries(self.iter()).entry(&"free", &self.free).entry(&"places", &places).finish()
    }
}

impl<T> Slots<T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    pub(crate) fn get(&self, slot: Slot) -> Option<&T> {
        let place = self.places.get(index(slot))?;
        if place.version == version(slot) { place.thing.as_ref() } else { None }
    }

    /// All things, in the order of their slots.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Slot, &T)> {
        let places = (0..).zip(self.places.iter());
        places.filter_map(|(i, Place { version, thing })| Some((slot(i, *version), thing.as_ref()?)))
    }
}

impl<T: Clone> Slots<T> {
    /// Adds a thing, made by one that is told where it will be.
    pub(crate) fn insert_with(&mut self, thing: impl FnOnce(Slot) -> T) -> Slot {
        let slot = self.free.pop().unwrap_or_else(|| {
            assert!(self.places.len() < u32::MAX as usize, "no place is left");
            self.places.push(Place::default());
            slot(self.places.len() as u32 - 1, FIRST)
        });
        self.places[index(slot)] = Place { version: version(slot), thing: Some(thing(slot)) };
        self.len += 1;
        slot
    }

    pub(crate) fn remove(&mut self, old: Slot) -> Option<T> {
        self.get(old)?;
        let thing = std::mem::take(&mut self.places[index(old)]).thing?;
        if let Some(next) = version(old).checked_add(2) {
            self.free.push(slot(index(old) as u32, next));
        }
        self.len -= 1;
        Some(thing)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, slot: Slot) -> Option<&mut T> {
        self.get(slot)?;
        self.places[index(slot)].thing.as_mut()
    }

    /// The slots that are given out again, the last one first, and how many places there are in all: what comes next.
    pub(crate) fn vacant(&self) -> (&[Slot], u32) {
        (&self.free, self.places.len() as u32)
    }

    /// Other things in the same slots.
    #[cfg(feature = "serde")]
    pub(crate) fn map<U: Clone>(&self, mut other: impl FnMut(Slot, &T) -> U) -> Slots<U> {
        let mut places = CowVec::default();
        for (i, Place { version, thing }) in (0..).zip(self.places.iter()) {
            let thing = thing.as_ref().map(|thing| other(slot(i, *version), thing));
            places.push(Place { version: *version, thing });
        }
        Slots { places, free: self.free.clone(), len: self.len }
    }
}

#[cfg(feature = "serde")]
mod saved;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_used_again_under_another_name_the_last_one_first() {
        let mut slots = Slots::default();
        let [a, b, c] = ["a", "b", "c"].map(|thing| slots.insert_with(|_| thing));
        assert!(a < b && b < c && slots.len() == 3);
        assert_eq!((slots.remove(a), slots.remove(c), slots.remove(a)), (Some("a"), Some("c"), None));
        let [d, e] = ["d", "e"].map(|thing| slots.insert_with(|_| thing));
        assert_eq!((index(d), index(e)), (index(c), index(a)));
        assert_eq!((slots.get(c), slots.get(d), slots.len()), (None, Some(&"d"), 3));
        assert_eq!(slots.get_mut(a), None);
        assert_eq!(slots.iter().collect::<Vec<_>>(), [(e, &"e"), (b, &"b"), (d, &"d")]);
        assert_eq!(slots.get(Slot::default()), None);
    }

    #[test]
    fn a_place_without_a_version_left_is_used_no_more() {
        let mut slots = Slots::default();
        let first = slots.insert_with(|_| 1);
        slots.remove(first);
        slots.free = vec![slot(0, u32::MAX)];
        let last = slots.insert_with(|_| 2);
        assert_eq!((index(last), slots.remove(last), slots.get(last)), (0, Some(2), None));
        assert_eq!(index(slots.insert_with(|_| 3)), 1);
    }
}
