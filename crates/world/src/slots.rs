//! Things under names that are never given out twice.
//!
//! The place of a removed thing is used again, the one freed last first, under its next version; one that has had all versions is not used
//! any more. So the names depend on the edits alone, and a world that was saved gives out those that it would have given: a
//! [`slotmap::SlotMap`] that was saved forgets in which order, hence the names are given out here and the things kept under them there.

use slotmap::{DefaultKey, Key, KeyData, SecondaryMap};
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
    things: SecondaryMap<Slot, T>,
    /// To be given out again, the last one first.
    free: Vec<Slot>,
    places: u32,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { things: SecondaryMap::new(), free: Vec::new(), places: 0 }
    }
}

impl<T: fmt::Debug> fmt::Debug for Slots<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).entry(&"free", &self.free).entry(&"places", &self.places).finish()
    }
}

impl<T> Slots<T> {
    pub(crate) fn len(&self) -> usize {
        self.things.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.things.is_empty()
    }

    /// Adds a thing, made by one that is told where it will be.
    pub(crate) fn insert_with(&mut self, thing: impl FnOnce(Slot) -> T) -> Slot {
        let slot = self.free.pop().unwrap_or_else(|| {
            assert!(self.places < u32::MAX, "no place is left");
            self.places += 1;
            slot(self.places - 1, FIRST)
        });
        self.things.insert(slot, thing(slot));
        slot
    }

    pub(crate) fn remove(&mut self, old: Slot) -> Option<T> {
        let thing = self.things.remove(old)?;
        if let Some(next) = version(old).checked_add(2) {
            self.free.push(slot(index(old) as u32, next));
        }
        Some(thing)
    }

    #[inline]
    pub(crate) fn get(&self, slot: Slot) -> Option<&T> {
        self.things.get(slot)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, slot: Slot) -> Option<&mut T> {
        self.things.get_mut(slot)
    }

    /// All things, in the order of their slots.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Slot, &T)> {
        self.things.iter()
    }

    /// The slots that are given out again, the last one first, and how many places there are in all: what comes next.
    pub(crate) fn vacant(&self) -> (&[Slot], u32) {
        (&self.free, self.places)
    }

    /// Other things in the same slots.
    #[cfg(feature = "serde")]
    pub(crate) fn map<U>(&self, mut other: impl FnMut(Slot, &T) -> U) -> Slots<U> {
        let things = self.things.iter().map(|(slot, thing)| (slot, other(slot, thing))).collect();
        Slots { things, free: self.free.clone(), places: self.places }
    }
}

impl<T> std::ops::Index<Slot> for Slots<T> {
    type Output = T;

    #[inline]
    fn index(&self, slot: Slot) -> &T {
        &self.things[slot]
    }
}

impl<T> std::ops::IndexMut<Slot> for Slots<T> {
    #[inline]
    fn index_mut(&mut self, slot: Slot) -> &mut T {
        &mut self.things[slot]
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
