//! Keys as numbers of JavaScript: exact, and small as long as the world is.
//!
//! ```text
//!   object:  1 + slot + 2^22 · generation      plane:  the same, negative      nothing:  0
//! ```
//! A slot has 22 bits and a generation 31, together the 53 bits of an integer that a float holds exactly.

use crate::memory::Failure;
use cullide_world::{ObjectKey, PlaneKey, Target, World};

const SLOTS: u64 = 1 << 22;

/// The number of a key. Versions of slots are odd, so half of them is the generation.
fn number(bits: u64) -> f64 {
    (1 + (bits & 0xffff_ffff) + SLOTS * (bits >> 33)) as f64
}

pub(crate) fn of_object(key: ObjectKey) -> f64 {
    number(key.to_bits())
}

pub(crate) fn of_target(target: Target) -> f64 {
    match target {
        Target::Object(key) => of_object(key),
        Target::Plane(key) => -number(key.to_bits()),
    }
}

/// Whether another object would have a number.
pub(crate) fn have_room(world: &World, more: usize) -> Result<(), Failure> {
    if world.len() + more < SLOTS as usize { Ok(()) } else { Err("more than four million objects".into()) }
}

/// The bits of the key with a number, whatever its sign; `None` for nothing.
fn bits(number: f64) -> Option<u64> {
    let number = (number.abs() as u64).checked_sub(1)?;
    let (slot, version) = (number % SLOTS, 2 * (number / SLOTS) + 1);
    Some(slot | (version << 32))
}

/// The object with a number; `None` if it was removed.
pub(crate) fn object(world: &World, number: f64) -> Option<ObjectKey> {
    ObjectKey::from_bits(bits(number).filter(|_| number > 0.0)?, world)
}

/// The object or plane with a number; `None` if it was removed.
pub(crate) fn target(world: &World, number: f64) -> Option<Target> {
    if number > 0.0 {
        return object(world, number).map(Target::Object);
    }
    PlaneKey::from_bits(bits(number)?, world).map(Target::Plane)
}
