//! Keys as numbers.
//!
//! Bit 32 is the lowest of the generation of a slot, which is odd wherever there is something: the key of an object has
//! it. A plane has the complement of its own number, so it has not, and is not zero.

use crate::status::Failure;
use cullide_world::{ObjectKey, PlaneKey, Target, World};

/// Names an object or a plane of one world; 0 names nothing. A key is never given out again once what it names was
/// removed. It does not tell worlds apart: use it with the world that gave it.
pub type CullideKey = u64;

/// No object and no plane.
pub const CULLIDE_NONE: CullideKey = 0;

const OBJECT: u64 = 1 << 32;

/// Whether a key is that of a plane: 1 if so, 0 for an object or `CULLIDE_NONE`.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_key_is_plane(key: CullideKey) -> u8 {
    u8::from(key != CULLIDE_NONE && key & OBJECT == 0)
}

pub(crate) fn of_object(key: ObjectKey) -> CullideKey {
    key.to_bits()
}

pub(crate) fn of_plane(key: PlaneKey) -> CullideKey {
    !key.to_bits()
}

pub(crate) fn of_target(target: Target) -> CullideKey {
    match target {
        Target::Object(key) => of_object(key),
        Target::Plane(key) => of_plane(key),
    }
}

pub(crate) fn object(world: &World, key: CullideKey) -> Result<ObjectKey, Failure> {
    ObjectKey::from_bits(key, world).ok_or_else(|| Failure::stale(key))
}

pub(crate) fn plane(world: &World, key: CullideKey) -> Result<PlaneKey, Failure> {
    PlaneKey::from_bits(!key, world).ok_or_else(|| Failure::stale(key))
}

pub(crate) fn target(world: &World, key: CullideKey) -> Result<Target, Failure> {
    if cullide_key_is_plane(key) != 0 { plane(world, key).map(Into::into) } else { object(world, key).map(Into::into) }
}
