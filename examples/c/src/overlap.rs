//! What touches a shape.

use crate::{
    CullideFilter, CullidePlacedShape, CullidePose, CullideShape, CullideVec3, CullideWorld,
    key::{self, CullideKey},
    memory::{each, fill, given, room, values, with_list},
    shape::placed,
    status::{CullideStatus, guard},
    values::filter,
};
use cullide_world::{Target, glam::Vec3};
use std::{cell::Cell, mem::MaybeUninit};

thread_local! {
    static TARGETS: Cell<Vec<Target>> = const { Cell::new(Vec::new()) };
}

/// Lists everything that a shape touches at a pose.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_overlap(
    world: Option<&CullideWorld>,
    shape: Option<&CullideShape>,
    pose: CullidePose,
    filter: Option<&CullideFilter>,
    keys: *mut CullideKey,
    capacity: usize,
    total: Option<&mut MaybeUninit<usize>>,
) -> CullideStatus {
    guard(|| {
        let (world, shape) = (given(world, "world")?, placed(&given(shape, "shape")?.shape, pose)?);
        // SAFETY: the caller's filter and array, as the header demands.
        let (filter, room) = unsafe { (self::filter(world, filter)?, room(keys, capacity, "keys")?) };
        with_list(&TARGETS, |list| {
            world.world.overlap(&*shape, &filter, list);
            fill(room, total, list.iter().map(|&target| key::of_target(target)))
        })
    })
}

/// Writes whether a shape touches anything at a pose, 1 or 0: whether there is no room for it. What lies on a floor
/// touches the floor.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_any_overlap(
    world: Option<&CullideWorld>,
    shape: Option<&CullideShape>,
    pose: CullidePose,
    filter: Option<&CullideFilter>,
    any: Option<&mut MaybeUninit<u8>>,
) -> CullideStatus {
    guard(|| {
        let (world, shape) = (given(world, "world")?, placed(&given(shape, "shape")?.shape, pose)?);
        // SAFETY: the caller's filter, as the header demands.
        let filter = unsafe { self::filter(world, filter) }?;
        given(any, "any")?.write(world.world.any_overlap(&*shape, &filter).into());
        Ok(())
    })
}

/// Lists what each of `count` shapes touches, on several threads. The keys of all follow each other in `keys`: those of
/// shape i are `keys[ends[i - 1]]` to before `keys[ends[i]]`, those of the first from `keys[0]` on. `ends` has room for
/// `count` numbers, and is right even where `keys` is too short.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_overlap_batch(
    world: Option<&CullideWorld>,
    shapes: *const CullidePlacedShape,
    count: usize,
    filter: Option<&CullideFilter>,
    ends: *mut usize,
    keys: *mut CullideKey,
    capacity: usize,
    total: Option<&mut MaybeUninit<usize>>,
) -> CullideStatus {
    guard(|| {
        let (world, total) = (given(world, "world")?, given(total, "total")?);
        // SAFETY: the caller's filter and arrays, as the header demands.
        let (filter, shapes) = unsafe { (self::filter(world, filter)?, values(shapes, count, "shapes")?) };
        // SAFETY: as above.
        let (ends, room) = unsafe { (room(ends, count, "ends")?, room(keys, capacity, "keys")?) };
        let (mut placed, mut answers) = (Vec::new(), Vec::new());
        // SAFETY: handles of this library, as the header demands.
        each(shapes, "shapes", &mut placed, |shape| Ok(unsafe { shape.placed() }?.into_owned()))?;
        world.world.overlap_batch(&placed, &filter, &mut answers);
        let mut end = 0;
        for (place, answer) in ends.iter_mut().zip(&answers) {
            end += answer.len();
            place.write(end);
        }
        fill(room, Some(total), answers.iter().flatten().map(|&target| key::of_target(target)))
    })
}

/// Lists everything that contains a point.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_overlap_point(
    world: Option<&CullideWorld>,
    point: CullideVec3,
    filter: Option<&CullideFilter>,
    keys: *mut CullideKey,
    capacity: usize,
    total: Option<&mut MaybeUninit<usize>>,
) -> CullideStatus {
    guard(|| {
        let world = given(world, "world")?;
        // SAFETY: the caller's filter and array, as the header demands.
        let (filter, room) = unsafe { (self::filter(world, filter)?, room(keys, capacity, "keys")?) };
        with_list(&TARGETS, |list| {
            world.world.overlap(&Vec3::from(point), &filter, list);
            fill(room, total, list.iter().map(|&target| key::of_target(target)))
        })
    })
}
