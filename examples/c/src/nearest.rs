//! What is near a point or a shape.

use crate::{
    CullideFilter, CullidePose, CullideShape, CullideVec3, CullideWorld,
    key::{self, CullideKey},
    memory::{fill, given, room},
    shape::placed,
    status::{CullideStatus, guard},
    values::{distance, filter},
};
use cullide_world::{Near, NearShape};
use std::mem::MaybeUninit;

/// Something near a point.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CullideNear {
    /// The object or the plane.
    pub target: CullideKey,
    /// The triangle of a mesh or a terrain, the child of a compound; otherwise 0.
    pub part: u32,
    /// The caller's number for that part.
    pub surface: u16,
    /// How far it is; 0 if the point lies inside of it.
    pub distance: f32,
    /// The distance from its surface, negative inside.
    pub separation: f32,
    /// Its point that is nearest.
    pub point: CullideVec3,
    /// The unit direction away from it.
    pub normal: CullideVec3,
}

/// Something near a shape.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CullideNearShape {
    /// The object or the plane.
    pub target: CullideKey,
    /// How far apart the two are; if they overlap, minus the length of the shortest way out.
    pub separation: f64,
    /// The parts of the shape that was asked with and of the target between which this is.
    pub parts: [u32; 2],
    /// The caller's numbers for them.
    pub surfaces: [u16; 2],
    /// The unit direction in which to move the shape away from the target.
    pub normal: CullideVec3,
    /// The nearest points of the shape and of the target.
    pub points: [CullideVec3; 2],
}

impl From<Near> for CullideNear {
    fn from(near: Near) -> Self {
        Self {
            target: key::of_target(near.target),
            part: near.part,
            surface: near.surface,
            distance: near.distance,
            separation: near.separation,
            point: near.point.into(),
            normal: near.normal.into(),
        }
    }
}

impl From<NearShape> for CullideNearShape {
    fn from(near: NearShape) -> Self {
        let found = near.distance;
        Self {
            target: key::of_target(near.target),
            separation: found.separation,
            parts: found.parts,
            surfaces: found.surfaces,
            normal: found.normal.as_vec3().into(),
            points: found.points.map(|point| point.as_vec3().into()),
        }
    }
}

/// Lists what is nearest to a point within `max_distance`, nearest first, at most `capacity` things; `total` is their
/// number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_nearest(
    world: Option<&CullideWorld>,
    point: CullideVec3,
    max_distance: f32,
    filter: Option<&CullideFilter>,
    near: *mut CullideNear,
    capacity: usize,
    total: Option<&mut MaybeUninit<usize>>,
) -> CullideStatus {
    guard(|| {
        let (world, max_distance) = (given(world, "world")?, distance(max_distance, "max_distance")?);
        // SAFETY: the caller's filter and array, as the header demands.
        let (filter, room) = unsafe { (self::filter(world, filter)?, room(near, capacity, "near")?) };
        let mut list = Vec::new();
        world.world.nearest(cullide_world::glam::Vec3::from(point), max_distance, room.len(), &filter, &mut list);
        fill(room, total, list.into_iter().map(Into::into))
    })
}

/// Lists what is nearest to a shape at a pose within `max_distance`, as `cullide_nearest` does for a point. What overlaps
/// comes first, the deepest before the others.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_nearest_to_shape(
    world: Option<&CullideWorld>,
    shape: Option<&CullideShape>,
    pose: CullidePose,
    max_distance: f32,
    filter: Option<&CullideFilter>,
    near: *mut CullideNearShape,
    capacity: usize,
    total: Option<&mut MaybeUninit<usize>>,
) -> CullideStatus {
    guard(|| {
        let (world, max_distance) = (given(world, "world")?, distance(max_distance, "max_distance")?);
        let shape = placed(&given(shape, "shape")?.shape, pose)?;
        // SAFETY: the caller's filter and array, as the header demands.
        let (filter, room) = unsafe { (self::filter(world, filter)?, room(near, capacity, "near")?) };
        let mut list = Vec::new();
        world.world.nearest(&*shape, max_distance, room.len(), &filter, &mut list);
        fill(room, total, list.into_iter().map(Into::into))
    })
}
