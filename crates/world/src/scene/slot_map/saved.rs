//! Slots as they are written and read.

use super::{FIRST, SlotMap, SlotState, index, slot, version};
use cullide_narrowphase::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Stands for the version of a slot that has none left.
const USED_UP: u32 = 0;

#[derive(Serialize, Deserialize)]
struct Raw<T> {
    places: Vec<SavedSlot<T>>,
    /// The indices of places to reuse, the last one first.
    free: Vec<u32>,
}

#[derive(Clone, Serialize, Deserialize)]
struct SavedSlot<T> {
    /// The version of the thing here, or of the next one.
    version: u32,
    thing: Option<T>,
}

impl<T: Serialize> Serialize for SlotMap<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut places: Vec<SavedSlot<&T>> =
            (0..self.slots.len()).map(|_| SavedSlot { version: USED_UP, thing: None }).collect();
        for &slot in &self.free {
            places[index(slot)].version = version(slot);
        }
        for (slot, thing) in self.iter() {
            places[index(slot)] = SavedSlot { version: version(slot), thing: Some(thing) };
        }
        Raw { places, free: self.free.iter().map(|&slot| index(slot) as u32).collect() }.serialize(serializer)
    }
}

impl<'de, T: Clone + Deserialize<'de>> Deserialize<'de> for SlotMap<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Raw::deserialize(deserializer)?.try_into().map_err(serde::de::Error::custom)
    }
}

impl<T: Clone> TryFrom<Raw<T>> for SlotMap<T> {
    type Error = Error;

    /// Checks that every place without a thing is free exactly once, unless its versions are used up.
    fn try_from(Raw { places, free }: Raw<T>) -> Result<Self, Error> {
        let inconsistent = |field| Error::Inconsistent { field };
        if u32::try_from(places.len()).is_err() {
            return Err(inconsistent("places"));
        }
        let mut slots = Self::default();
        // The next version of each place that is not yet known to be free.
        let mut open: Vec<u32> = vec![USED_UP; places.len()];
        for (i, SavedSlot { version, thing }) in (0..).zip(places) {
            if version % 2 != FIRST && (version != USED_UP || thing.is_some()) {
                return Err(inconsistent("version"));
            }
            match &thing {
                Some(_) => slots.len += 1,
                None => open[i as usize] = version,
            }
            slots.slots.push(SlotState { version: if thing.is_some() { version } else { USED_UP }, value: thing });
        }
        for i in free {
            let version = open.get_mut(i as usize).map(std::mem::take).filter(|&version| version != USED_UP);
            slots.free.push(slot(i, version.ok_or(inconsistent("free"))?));
        }
        if open.iter().all(|&version| version == USED_UP) { Ok(slots) } else { Err(inconsistent("free")) }
    }
}
