//! Things under names that are never given out twice.
//!
//! The place of a removed thing is used again, the one freed last first, under its next version; one that has had all versions is not used
//! any more. So the names depend on the edits alone, and a world that was saved gives out those that it would have given.

use std::num::NonZeroU32;

/// Where a thing is, and the how-manieth it is there. Ordered by place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Slot {
    index: u32,
    version: NonZeroU32,
}

impl Slot {
    /// To be written over: no thing is ever here.
    pub(crate) const NONE: Self = Self { index: u32::MAX, version: NonZeroU32::MAX };

    pub(crate) fn index(self) -> usize {
        self.index as usize
    }
}

/// Things by slot.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Raw<T>", bound(deserialize = "T: serde::Deserialize<'de>")))]
pub(crate) struct Slots<T> {
    places: Vec<Place<T>>,
    /// Places to be used again, the last one first.
    free: Vec<u32>,
    #[cfg_attr(feature = "serde", serde(skip))]
    len: usize,
}

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Place<T> {
    /// That of the thing here, or of the next one.
    version: NonZeroU32,
    thing: Option<T>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { places: Vec::new(), free: Vec::new(), len: 0 }
    }
}

impl<T> Slots<T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a thing, made by one that is told where it will be.
    pub(crate) fn insert_with(&mut self, thing: impl FnOnce(Slot) -> T) -> Slot {
        let index = self.free.pop().unwrap_or_else(|| {
            let index = u32::try_from(self.places.len()).unwrap_or(u32::MAX);
            assert!(index < u32::MAX, "no place is left");
            self.places.push(Place { version: NonZeroU32::MIN, thing: None });
            index
        });
        let place = &mut self.places[index as usize];
        let slot = Slot { index, version: place.version };
        place.thing = Some(thing(slot));
        self.len += 1;
        slot
    }

    pub(crate) fn remove(&mut self, slot: Slot) -> Option<T> {
        let place = self.places.get_mut(slot.index()).filter(|place| place.version == slot.version)?;
        let thing = place.thing.take()?;
        self.len -= 1;
        if let Some(next) = place.version.checked_add(1) {
            place.version = next;
            self.free.push(slot.index);
        }
        Some(thing)
    }

    #[inline]
    pub(crate) fn get(&self, slot: Slot) -> Option<&T> {
        let place = self.places.get(slot.index())?;
        if place.version == slot.version { place.thing.as_ref() } else { None }
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, slot: Slot) -> Option<&mut T> {
        let place = self.places.get_mut(slot.index())?;
        if place.version == slot.version { place.thing.as_mut() } else { None }
    }

    /// All things, in the order of their slots.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Slot, &T)> {
        (0..).zip(&self.places).filter_map(|(index, place)| {
            let slot = Slot { index, version: place.version };
            Some((slot, place.thing.as_ref()?))
        })
    }

    /// Other things in the same slots.
    #[cfg(feature = "serde")]
    pub(crate) fn map<U>(&self, mut other: impl FnMut(Slot, &T) -> U) -> Slots<U> {
        let places = (0..).zip(&self.places).map(|(index, &Place { version, ref thing })| {
            let slot = Slot { index, version };
            Place { version, thing: thing.as_ref().map(|thing| other(slot, thing)) }
        });
        Slots { places: places.collect(), free: self.free.clone(), len: self.len }
    }
}

impl<T> std::ops::Index<Slot> for Slots<T> {
    type Output = T;

    #[inline]
    fn index(&self, slot: Slot) -> &T {
        self.get(slot).expect("the slot of a thing that is there")
    }
}

impl<T> std::ops::IndexMut<Slot> for Slots<T> {
    #[inline]
    fn index_mut(&mut self, slot: Slot) -> &mut T {
        self.get_mut(slot).expect("the slot of a thing that is there")
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Raw<T> {
    places: Vec<Place<T>>,
    free: Vec<u32>,
}

#[cfg(feature = "serde")]
impl<T> TryFrom<Raw<T>> for Slots<T> {
    type Error = cullide_narrowphase::Error;

    /// Every place without a thing is free once, unless its versions are used up.
    fn try_from(Raw { places, free }: Raw<T>) -> Result<Self, Self::Error> {
        let mut is_open: Vec<bool> = places.iter().map(|place| place.thing.is_none()).collect();
        let len = is_open.iter().filter(|is_open| !*is_open).count();
        let is_new = |&index: &u32| is_open.get_mut(index as usize).is_some_and(std::mem::take);
        let is_each_new = free.iter().all(is_new);
        let is_used_up = |(place, is_open): (&Place<T>, &bool)| !is_open || place.version == NonZeroU32::MAX;
        if is_each_new && places.len() < u32::MAX as usize && places.iter().zip(&is_open).all(is_used_up) {
            Ok(Self { places, free, len })
        } else {
            Err(Self::Error::Inconsistent { field: "free" })
        }
    }
}

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
        assert_eq!((d.index(), e.index()), (c.index(), a.index()));
        assert_eq!((slots.get(c), slots.get(d), slots.len()), (None, Some(&"d"), 3));
        assert_eq!(slots.get_mut(a), None);
        assert_eq!(slots.iter().collect::<Vec<_>>(), [(e, &"e"), (b, &"b"), (d, &"d")]);
        assert_eq!(slots.get(Slot::NONE), None);
    }

    #[test]
    fn a_place_without_a_version_left_is_used_no_more() {
        let mut slots = Slots::default();
        let first = slots.insert_with(|_| 1);
        slots.remove(first);
        slots.places[0].version = NonZeroU32::MAX;
        let last = slots.insert_with(|_| 2);
        assert_eq!((last.index(), slots.remove(last), slots.get(last)), (0, Some(2), None));
        assert_eq!(slots.insert_with(|_| 3).index(), 1);
    }
}
