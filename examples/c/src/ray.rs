//! What rays and segments hit.

use crate::{
    CullideFilter, CullideVec3, CullideWorld,
    key::{self, CullideKey},
    memory::{each, fill, given, room, values, with_list},
    status::{CullideStatus, Failure, guard},
    values::{distance, filter},
};
use cullide_world::{
    RayHit, SegmentHit,
    narrowphase::{Ray, Segment},
};
use std::{cell::Cell, mem::MaybeUninit};

/// From where, and in which direction, whose length does not matter.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct CullideRay {
    /// The start.
    pub origin: CullideVec3,
    /// Not zero.
    pub direction: CullideVec3,
}

/// From one point to another.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct CullideSegment {
    /// The start.
    pub start: CullideVec3,
    /// The end.
    pub end: CullideVec3,
}

/// What a ray or a segment hits.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CullideRayHit {
    /// The object or the plane; `CULLIDE_NONE` if there is no hit, and then the rest is 0.
    pub target: CullideKey,
    /// The triangle of a mesh or a terrain, the child of a compound; otherwise 0.
    pub part: u32,
    /// The caller's number for that part.
    pub surface: u16,
    /// 1 if the start lies inside of it: then the distance is 0.
    pub inside: u16,
    /// For a ray the distance from its origin, for a segment the fraction of its length, 0 to 1.
    pub distance: f32,
    /// The same where it leaves the shape again.
    pub exit: f32,
    /// Where it enters.
    pub point: CullideVec3,
    /// The unit normal there.
    pub normal: CullideVec3,
}

impl From<RayHit> for CullideRayHit {
    fn from(hit: RayHit) -> Self {
        Self {
            target: key::of_target(hit.target),
            part: hit.part,
            surface: hit.surface,
            inside: hit.inside.into(),
            distance: hit.distance,
            exit: hit.exit,
            point: hit.point.into(),
            normal: hit.normal.into(),
        }
    }
}

impl From<SegmentHit> for CullideRayHit {
    fn from(hit: SegmentHit) -> Self {
        Self {
            target: key::of_target(hit.target),
            part: hit.part,
            surface: hit.surface,
            inside: hit.inside.into(),
            distance: hit.fraction,
            exit: hit.exit,
            point: hit.point.into(),
            normal: hit.normal.into(),
        }
    }
}

impl CullideRay {
    fn ray(&self) -> Result<Ray, Failure> {
        Ok(Ray::new(self.origin.into(), self.direction.into())?)
    }
}

impl CullideSegment {
    fn segment(&self) -> Result<Segment, Failure> {
        Ok(Segment::between(self.start.into(), self.end.into())?)
    }
}

thread_local! {
    static RAYS: Cell<Vec<Ray>> = const { Cell::new(Vec::new()) };
    static HITS: Cell<Vec<RayHit>> = const { Cell::new(Vec::new()) };
    static ANSWERS: Cell<Vec<Option<RayHit>>> = const { Cell::new(Vec::new()) };
}

/// Writes the first thing that a ray hits within `max_distance`, in units of the scene: INFINITY for no limit. Without a
/// hit its target is `CULLIDE_NONE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_cast_ray(
    world: Option<&CullideWorld>,
    ray: CullideRay,
    max_distance: f32,
    filter: Option<&CullideFilter>,
    hit: Option<&mut MaybeUninit<CullideRayHit>>,
) -> CullideStatus {
    guard(|| {
        let (world, hit) = (given(world, "world")?, given(hit, "hit")?);
        // SAFETY: the caller's filter, as the header demands.
        let filter = unsafe { self::filter(world, filter) }?;
        let first = world.world.cast_ray(&ray.ray()?, distance(max_distance, "max_distance")?, &filter);
        hit.write(first.map(Into::into).unwrap_or_default());
        Ok(())
    })
}

/// Writes to `hits` what each of `count` rays hits first within `max_distance`, in their order: cheaper than as many calls,
/// and on several threads. If one of them has a direction of zero or a number that is not finite, there is no answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_cast_rays(
    world: Option<&CullideWorld>,
    rays: *const CullideRay,
    count: usize,
    max_distance: f32,
    filter: Option<&CullideFilter>,
    hits: *mut CullideRayHit,
) -> CullideStatus {
    guard(|| {
        let world = given(world, "world")?;
        let max_distance = distance(max_distance, "max_distance")?;
        // SAFETY: the caller's filter and arrays, as the header demands.
        let (filter, given, hits) =
            unsafe { (self::filter(world, filter)?, values(rays, count, "rays")?, room(hits, count, "hits")?) };
        with_list(&RAYS, |rays| {
            each(given, "rays", rays, |ray| ray.ray())?;
            with_list(&ANSWERS, |answers| {
                world.world.cast_ray_batch(rays, max_distance, &filter, answers);
                for (place, answer) in hits.iter_mut().zip(answers) {
                    place.write(answer.map(Into::into).unwrap_or_default());
                }
            });
            Ok(())
        })
    })
}

/// Writes whether a ray hits anything within `max_distance`, 1 or 0; cheaper than what it hits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_any_ray_hit(
    world: Option<&CullideWorld>,
    ray: CullideRay,
    max_distance: f32,
    filter: Option<&CullideFilter>,
    any: Option<&mut MaybeUninit<u8>>,
) -> CullideStatus {
    guard(|| {
        let (world, any) = (given(world, "world")?, given(any, "any")?);
        // SAFETY: the caller's filter, as the header demands.
        let filter = unsafe { self::filter(world, filter) }?;
        any.write(world.world.any_ray_hit(&ray.ray()?, distance(max_distance, "max_distance")?, &filter).into());
        Ok(())
    })
}

/// Lists everything that a ray hits within `max_distance`, each object once, nearest first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_cast_ray_all(
    world: Option<&CullideWorld>,
    ray: CullideRay,
    max_distance: f32,
    filter: Option<&CullideFilter>,
    hits: *mut CullideRayHit,
    capacity: usize,
    total: Option<&mut MaybeUninit<usize>>,
) -> CullideStatus {
    guard(|| {
        let world = given(world, "world")?;
        // SAFETY: the caller's filter and array, as the header demands.
        let (filter, room) = unsafe { (self::filter(world, filter)?, room(hits, capacity, "hits")?) };
        let (ray, max_distance) = (ray.ray()?, distance(max_distance, "max_distance")?);
        with_list(&HITS, |list| {
            world.world.cast_ray_all(&ray, max_distance, &filter, list);
            fill(room, total, list.iter().map(|&hit| hit.into()))
        })
    })
}

/// Writes the first thing that a segment hits; without a hit its target is `CULLIDE_NONE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_cast_segment(
    world: Option<&CullideWorld>,
    segment: CullideSegment,
    filter: Option<&CullideFilter>,
    hit: Option<&mut MaybeUninit<CullideRayHit>>,
) -> CullideStatus {
    guard(|| {
        let (world, hit) = (given(world, "world")?, given(hit, "hit")?);
        // SAFETY: the caller's filter, as the header demands.
        let filter = unsafe { self::filter(world, filter) }?;
        let first = world.world.cast_segment(&segment.segment()?, &filter);
        hit.write(first.map(Into::into).unwrap_or_default());
        Ok(())
    })
}

/// Writes to `any` for each of `count` segments whether something is in its way, 1 or 0: lines of sight, many at once and
/// on several threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_any_segment_hits(
    world: Option<&CullideWorld>,
    segments: *const CullideSegment,
    count: usize,
    filter: Option<&CullideFilter>,
    any: *mut u8,
) -> CullideStatus {
    guard(|| {
        let world = given(world, "world")?;
        // SAFETY: the caller's filter and arrays, as the header demands.
        let (filter, segments, any) =
            unsafe { (self::filter(world, filter)?, values(segments, count, "segments")?, room(any, count, "any")?) };
        let (mut checked, mut answers) = (Vec::new(), Vec::new());
        each(segments, "segments", &mut checked, |segment| segment.segment())?;
        world.world.any_segment_hit_batch(&checked, &filter, &mut answers);
        for (place, answer) in any.iter_mut().zip(answers) {
            place.write(answer.into());
        }
        Ok(())
    })
}
