//! Volumes that tell what enters and leaves them.

use crate::{
    CullideFilter, CullidePair, CullideWorld,
    key::{self, CullideKey},
    memory::{fill, given, room},
    status::{CullideStatus, Failure, guard},
    values::filter,
};
use cullide_world::Triggers;
use std::mem::MaybeUninit;

/// Volumes of one world, which are objects of it, and what is in them.
#[derive(Debug)]
pub struct CullideTriggers {
    triggers: Triggers,
}

/// Creates triggers without a volume, which `cullide_triggers_free` frees.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_triggers_new(
    triggers: Option<&mut MaybeUninit<Option<Box<CullideTriggers>>>>,
) -> CullideStatus {
    guard(|| {
        given(triggers, "triggers")?.write(Some(Box::new(CullideTriggers { triggers: Triggers::new() })));
        Ok(())
    })
}

/// Frees triggers; NULL does nothing. The objects stay in their world.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_triggers_free(triggers: Option<Box<CullideTriggers>>) {
    guard(|| {
        drop(triggers);
        Ok(())
    });
}

/// Makes an object a volume that watches objects in these layers, or with no layers an object like others. A volume that
/// is in no layer itself is in nobody's way.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_triggers_watch(
    triggers: Option<&mut CullideTriggers>,
    world: Option<&CullideWorld>,
    volume: CullideKey,
    layers: u32,
) -> CullideStatus {
    guard(|| {
        let triggers = &mut given(triggers, "triggers")?.triggers;
        let volume = key::object(&given(world, "world")?.world, volume)?;
        if layers == 0 {
            triggers.unwatch(volume);
        } else {
            triggers.watch(volume, layers);
        }
        Ok(())
    })
}

/// Finds out what of that which the filter accepts is in the volumes now: call it once a frame, after everything has moved.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_triggers_update(
    triggers: Option<&mut CullideTriggers>,
    world: Option<&CullideWorld>,
    filter: Option<&CullideFilter>,
) -> CullideStatus {
    guard(|| {
        let (triggers, world) = (given(triggers, "triggers")?, given(world, "world")?);
        // SAFETY: the caller's filter, as the header demands.
        let filter = unsafe { self::filter(world, filter) }?;
        triggers.triggers.update(&world.world, &filter);
        Ok(())
    })
}

/// What was in a volume at the last update, and not at the one before.
pub const CULLIDE_ENTERED: u32 = 0;
/// What was in a volume at the update before the last, and not at the last; it may have been removed.
pub const CULLIDE_LEFT: u32 = 1;

/// Lists volumes, each as the first of a pair with what has entered or left it: `which` is `CULLIDE_ENTERED` or
/// `CULLIDE_LEFT`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_triggers_events(
    triggers: Option<&CullideTriggers>,
    which: u32,
    pairs: *mut CullidePair,
    capacity: usize,
    total: Option<&mut MaybeUninit<usize>>,
) -> CullideStatus {
    guard(|| {
        let triggers = &given(triggers, "triggers")?.triggers;
        // SAFETY: the caller's array, as the header demands.
        let room = unsafe { room(pairs, capacity, "pairs") }?;
        let events = match which {
            CULLIDE_ENTERED => triggers.entered(),
            CULLIDE_LEFT => triggers.left(),
            _ => return Err(Failure::choice("which", which, "CULLIDE_ENTERED or CULLIDE_LEFT")),
        };
        fill(
            room,
            total,
            events
                .iter()
                .map(|&(volume, other)| CullidePair { first: key::of_object(volume), second: key::of_object(other) }),
        )
    })
}

/// Lists what was in a volume at the last update.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_triggers_inside(
    triggers: Option<&CullideTriggers>,
    world: Option<&CullideWorld>,
    volume: CullideKey,
    keys: *mut CullideKey,
    capacity: usize,
    total: Option<&mut MaybeUninit<usize>>,
) -> CullideStatus {
    guard(|| {
        let triggers = &given(triggers, "triggers")?.triggers;
        let volume = key::object(&given(world, "world")?.world, volume)?;
        // SAFETY: the caller's array, as the header demands.
        let room = unsafe { room(keys, capacity, "keys") }?;
        fill(room, total, triggers.inside(volume).map(key::of_object))
    })
}
