//! Pairs of objects whose boxes overlap.

use crate::{
    CullideWorld,
    key::{self, CullideKey},
    memory::{fill, given, room},
    status::{CullideStatus, Failure, guard},
};
use cullide_world::{ObjectPair, World};
use std::mem::MaybeUninit;

/// Two things.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CullidePair {
    /// The one with the smaller key; of a contact, a dynamic body; of triggers, the volume.
    pub first: CullideKey,
    /// The other one.
    pub second: CullideKey,
}

impl From<ObjectPair> for CullidePair {
    fn from(pair: ObjectPair) -> Self {
        Self { first: key::of_object(pair.first), second: key::of_object(pair.second) }
    }
}

/// All pairs.
pub const CULLIDE_PAIRS: u32 = 0;
/// Those that began in the last update.
pub const CULLIDE_PAIRS_BEGUN: u32 = 1;
/// Those that ended in the last update.
pub const CULLIDE_PAIRS_ENDED: u32 = 2;

/// Finds the pairs of objects whose boxes overlap, at least one of which is moving and each of which pairs with a layer of
/// the other. The box of an object with a velocity covers its way over the next `dt` seconds. Not needed where rigid
/// bodies are stepped, which does the same.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_update_pairs(world: Option<&mut CullideWorld>, dt: f32) -> CullideStatus {
    guard(|| {
        let world = &mut given(world, "world")?.world;
        if !(dt >= 0.0 && dt.is_finite()) {
            return Err(Failure::new(CullideStatus::BadValue, "`dt` is no time; give seconds, zero or more"));
        }
        world.update_pairs(dt);
        Ok(())
    })
}

/// Lists the pairs of the last update, in an order that depends only on the edits: `which` is `CULLIDE_PAIRS`, `CULLIDE_PAIRS_BEGUN` or
/// `CULLIDE_PAIRS_ENDED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_pairs(
    world: Option<&CullideWorld>,
    which: u32,
    pairs: *mut CullidePair,
    capacity: usize,
    total: Option<&mut MaybeUninit<usize>>,
) -> CullideStatus {
    guard(|| {
        let world: &World = &given(world, "world")?.world;
        // SAFETY: the caller's array, as the header demands.
        let room = unsafe { room(pairs, capacity, "pairs") }?;
        match which {
            CULLIDE_PAIRS => fill(room, total, world.pairs().map(Into::into)),
            CULLIDE_PAIRS_BEGUN => fill(room, total, world.pair_events().begun.iter().map(|&pair| pair.into())),
            CULLIDE_PAIRS_ENDED => fill(room, total, world.pair_events().ended.iter().map(|&pair| pair.into())),
            _ => {
                let choices = "CULLIDE_PAIRS, CULLIDE_PAIRS_BEGUN or CULLIDE_PAIRS_ENDED";
                Err(Failure::choice("which", which, choices))
            }
        }
    })
}
