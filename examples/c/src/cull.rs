//! What a camera sees.

use crate::{
    CullideFilter, CullidePlane, CullideWorld,
    key::{self, CullideKey},
    memory::{each, fill, given, room, values},
    status::{CullideStatus, Failure, guard},
    values::filter,
};
use cullide_world::{
    glam::Mat4,
    narrowphase::{ClipSpace, Frustum},
};
use std::mem::MaybeUninit;

/// Depths from 0 to 1: Direct3D, Metal, Vulkan, WebGPU, also with reversed z.
pub const CULLIDE_ZERO_TO_ONE: u32 = 0;
/// Depths from -1 to 1: OpenGL.
pub const CULLIDE_MINUS_ONE_TO_ONE: u32 = 1;

/// Lists the objects in the view of a camera, by its matrix from the world to clip space: 16 numbers, column by column, as
/// graphics libraries store them. `clip_space` is `CULLIDE_ZERO_TO_ONE` or `CULLIDE_MINUS_ONE_TO_ONE`. Boxes, balls and
/// capsules are decided exactly; another object close outside may be listed. Infinite planes never are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_cull_matrix(
    world: Option<&CullideWorld>,
    matrix: *const f32,
    clip_space: u32,
    filter: Option<&CullideFilter>,
    keys: *mut CullideKey,
    capacity: usize,
    total: Option<&mut MaybeUninit<usize>>,
) -> CullideStatus {
    let frustum = || {
        // SAFETY: 16 numbers of the caller's, as the header demands.
        let columns = unsafe { values::<[f32; 16]>(matrix.cast(), 1, "matrix") }?;
        let clip_space = match clip_space {
            CULLIDE_ZERO_TO_ONE => ClipSpace::ZeroToOne,
            CULLIDE_MINUS_ONE_TO_ONE => ClipSpace::MinusOneToOne,
            _ => {
                let choices = "CULLIDE_ZERO_TO_ONE or CULLIDE_MINUS_ONE_TO_ONE";
                return Err(Failure::choice("clip_space", clip_space, choices));
            }
        };
        Ok(Frustum::from_matrix(&Mat4::from_cols_array(&columns[0]), clip_space)?)
    };
    // SAFETY: as the caller promises.
    unsafe { cull(world, frustum, filter, (keys, capacity, total)) }
}

/// The same for the volume in front of three to six planes, which must have a corner; it may be open to infinity.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_cull_planes(
    world: Option<&CullideWorld>,
    planes: *const CullidePlane,
    count: usize,
    filter: Option<&CullideFilter>,
    keys: *mut CullideKey,
    capacity: usize,
    total: Option<&mut MaybeUninit<usize>>,
) -> CullideStatus {
    let frustum = || {
        // SAFETY: the caller's array, as the header demands.
        let given = unsafe { values(planes, count, "planes") }?;
        let mut planes = Vec::new();
        each(given, "planes", &mut planes, |plane| plane.plane())?;
        Ok(Frustum::from_planes(&planes)?)
    };
    // SAFETY: as the caller promises.
    unsafe { cull(world, frustum, filter, (keys, capacity, total)) }
}

/// # Safety
/// As for the filter of a query, and for an array of keys.
unsafe fn cull(
    world: Option<&CullideWorld>,
    frustum: impl FnOnce() -> Result<Frustum, Failure>,
    filter: Option<&CullideFilter>,
    (keys, capacity, total): (*mut CullideKey, usize, Option<&mut MaybeUninit<usize>>),
) -> CullideStatus {
    guard(|| {
        let (world, frustum) = (given(world, "world")?, frustum()?);
        // SAFETY: as the caller promises.
        let (filter, room) = unsafe { (self::filter(world, filter)?, room(keys, capacity, "keys")?) };
        let mut visible = Vec::new();
        world.world.cull(&frustum, &filter, &mut visible);
        fill(room, total, visible.into_iter().map(key::of_object))
    })
}
