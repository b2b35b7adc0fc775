//! Worlds.

use crate::{
    key::{self, CullideKey},
    memory::{fill, given, room},
    status::{CullideStatus, guard},
};
use cullide_world::World;
use std::mem::MaybeUninit;

/// A scene of objects and infinite planes.
#[derive(Debug)]
pub struct CullideWorld {
    pub(crate) world: World,
}

/// Creates an empty world, which `cullide_world_free` frees.
///
/// `tag` is a number of the caller's: worlds with the same tag give out the same keys and snapshots of the same bytes
/// after the same calls, on any machine; rigid bodies refuse a world of another tag. Give the worlds of one program
/// different ones.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_world_new(
    tag: u32,
    world: Option<&mut MaybeUninit<Option<Box<CullideWorld>>>>,
) -> CullideStatus {
    guard(|| {
        given(world, "world")?.write(Some(Box::new(CullideWorld { world: World::with_tag(tag) })));
        Ok(())
    })
}

/// Creates a copy of a world, which has the same keys and gives the same answers, to go back to or to compute ahead with;
/// `cullide_world_free` frees it. What is fixed is shared until one of the two changes it, so copies cost little.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_world_clone(
    world: Option<&CullideWorld>,
    copy: Option<&mut MaybeUninit<Option<Box<CullideWorld>>>>,
) -> CullideStatus {
    guard(|| {
        let world = given(world, "world")?.world.clone();
        given(copy, "copy")?.write(Some(Box::new(CullideWorld { world })));
        Ok(())
    })
}

/// Frees a world; NULL does nothing. What else was made with it stays valid, but only for other worlds of the same tag.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_world_free(world: Option<Box<CullideWorld>>) {
    guard(|| {
        drop(world);
        Ok(())
    });
}

/// Writes a hash of everything in the world that a query or a step may depend on, the same on every platform: two worlds
/// that have the same are the same.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_world_hash(
    world: Option<&CullideWorld>,
    hash: Option<&mut MaybeUninit<u64>>,
) -> CullideStatus {
    guard(|| {
        let world = given(world, "world")?;
        given(hash, "hash")?.write(world.world.hash());
        Ok(())
    })
}

/// Rebuilds the trees for the fastest queries, worth it once after a level was loaded. No answer changes.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_world_optimize(world: Option<&mut CullideWorld>) -> CullideStatus {
    guard(|| {
        given(world, "world")?.world.optimize();
        Ok(())
    })
}

/// Removes all objects and planes; their keys become stale.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_world_clear(world: Option<&mut CullideWorld>) -> CullideStatus {
    guard(|| {
        given(world, "world")?.world.clear();
        Ok(())
    })
}

/// Lists the keys of all objects, and after them those of all planes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_world_keys(
    world: Option<&CullideWorld>,
    keys: *mut CullideKey,
    capacity: usize,
    total: Option<&mut MaybeUninit<usize>>,
) -> CullideStatus {
    guard(|| {
        let world = &given(world, "world")?.world;
        // SAFETY: the caller's array, as the header demands.
        let room = unsafe { room(keys, capacity, "keys") }?;
        let objects = world.objects().map(|(key, _)| key::of_object(key));
        fill(room, total, objects.chain(world.planes().map(|(key, _)| key::of_plane(key))))
    })
}
