//! A generational slot map whose keys depend only on the edits.
//!
//! The slot of a removed value is reused under its next version, the most recently freed one first; a slot that has no
//! version left is not reused. The free list is saved in order, so a restored world gives out the keys that the saved
//! one would have given out; a [`slotmap::SlotMap`] loses that order when it is saved. Clones share the pages that
//! neither of them changes.

use cullide_bvh::CowVec;
use slotmap::{DefaultKey, Key, KeyData};
#[cfg(feature = "serde")]
use std::convert::Infallible;
use std::fmt;

/// Slot index and generation, ordered by index.
pub(crate) type Slot = DefaultKey;

/// The first version of a slot; later ones are odd as well.
const FIRST: u32 = 1;

fn slot(index: u32, version: u32) -> Slot {
    KeyData::from_ffi(u64::from(version) << 32 | u64::from(index)).into()
}

/// The index of a slot.
pub(crate) fn index(slot: Slot) -> usize {
    slot.data().as_ffi() as u32 as usize
}

fn version(slot: Slot) -> u32 {
    (slot.data().as_ffi() >> 32) as u32
}

/// Values by slot.
#[derive(Clone, PartialEq)]
pub(crate) struct SlotMap<T> {
    slots: CowVec<SlotState<T>>,
    /// Slots to reuse, under their next version, the last one first.
    free: Vec<Slot>,
    len: usize,
}

/// The slot of an index, with or without a value.
#[derive(Clone, PartialEq)]
struct SlotState<T> {
    /// The version of the value; 0 without a value.
    version: u32,
    value: Option<T>,
}

impl<T> Default for SlotState<T> {
    fn default() -> Self {
        Self { version: 0, value: None }
    }
}

impl<T> Default for SlotMap<T> {
    fn default() -> Self {
        Self { slots: CowVec::default(), free: Vec::new(), len: 0 }
    }
}

impl<T: fmt::Debug> fmt::Debug for SlotMap<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slots = self.slots.len();
        f.debug_map().entries(self.iter()).entry(&"free", &self.free).entry(&"slots", &slots).finish()
    }
}

impl<T> SlotMap<T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    pub(crate) fn get(&self, slot: Slot) -> Option<&T> {
        let state = self.slots.get(index(slot))?;
        if state.version == version(slot) { state.value.as_ref() } else { None }
    }

    /// All values, in ascending order of their slots.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Slot, &T)> {
        (0..self.slots.len()).filter_map(|i| {
            let SlotState { version, value } = &self.slots[i];
            Some((slot(i as u32, *version), value.as_ref()?))
        })
    }
}

impl<T: Clone> SlotMap<T> {
    /// Adds a value, made by a function that is given its slot.
    pub(crate) fn insert_with(&mut self, value: impl FnOnce(Slot) -> T) -> Slot {
        let slot = self.free.pop().unwrap_or_else(|| {
            assert!(self.slots.len() < u32::MAX as usize, "no slot is left");
            self.slots.push(SlotState::default());
            slot(self.slots.len() as u32 - 1, FIRST)
        });
        self.slots[index(slot)] = SlotState { version: version(slot), value: Some(value(slot)) };
        self.len += 1;
        slot
    }

    pub(crate) fn remove(&mut self, old: Slot) -> Option<T> {
        self.get(old)?;
        let value = std::mem::take(&mut self.slots[index(old)]).value?;
        if let Some(next) = version(old).checked_add(2) {
            self.free.push(slot(index(old) as u32, next));
        }
        self.len -= 1;
        Some(value)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, slot: Slot) -> Option<&mut T> {
        self.get(slot)?;
        self.slots[index(slot)].value.as_mut()
    }

    /// The slots to reuse, the last one first, and the number of slots in all: together they determine the next keys.
    pub(crate) fn vacant(&self) -> (&[Slot], u32) {
        (&self.free, self.slots.len() as u32)
    }

    /// Maps the values to other ones in the same slots.
    #[cfg(feature = "serde")]
    pub(crate) fn map<U: Clone>(&self, mut other: impl FnMut(Slot, &T) -> U) -> SlotMap<U> {
        let Ok(others) = self.try_map(|slot, value| Ok::<_, Infallible>(other(slot, value)));
        others
    }

    /// The same, up to the first error.
    #[cfg(feature = "serde")]
    pub(crate) fn try_map<U: Clone, E>(
        &self,
        mut other: impl FnMut(Slot, &T) -> Result<U, E>,
    ) -> Result<SlotMap<U>, E> {
        let mut slots = CowVec::default();
        for (i, SlotState { version, value }) in (0..).zip(self.slots.iter()) {
            let value = value.as_ref().map(|value| other(slot(i, *version), value)).transpose()?;
            slots.push(SlotState { version: *version, value });
        }
        Ok(SlotMap { slots, free: self.free.clone(), len: self.len })
    }
}

#[cfg(feature = "serde")]
mod saved;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_used_again_under_another_name_the_last_one_first() {
        let mut slots = SlotMap::default();
        let [a, b, c] = ["a", "b", "c"].map(|value| slots.insert_with(|_| value));
        assert!(a < b && b < c && slots.len() == 3);
        assert_eq!((slots.remove(a), slots.remove(c), slots.remove(a)), (Some("a"), Some("c"), None));
        let [d, e] = ["d", "e"].map(|value| slots.insert_with(|_| value));
        assert_eq!((index(d), index(e)), (index(c), index(a)));
        assert_eq!((slots.get(c), slots.get(d), slots.len()), (None, Some(&"d"), 3));
        assert_eq!(slots.get_mut(a), None);
        assert_eq!(slots.iter().collect::<Vec<_>>(), [(e, &"e"), (b, &"b"), (d, &"d")]);
        assert_eq!(slots.get(Slot::default()), None);
    }

    #[test]
    fn a_place_without_a_version_left_is_used_no_more() {
        let mut slots = SlotMap::default();
        let first = slots.insert_with(|_| 1);
        slots.remove(first);
        slots.free = vec![slot(0, u32::MAX)];
        let last = slots.insert_with(|_| 2);
        assert_eq!((index(last), slots.remove(last), slots.get(last)), (0, Some(2), None));
        assert_eq!(index(slots.insert_with(|_| 3)), 1);
    }
}
