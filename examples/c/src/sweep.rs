//! Where moving shapes stop, and how they slide.
//!
//! Boxes, balls and capsules have sweeps of their own, which are faster and answer with a place instead of a translation.

use crate::{
    CullideFilter, CullidePose, CullideQuat, CullideShape, CullideVec3, CullideWorld,
    character::{Walker, each_kind},
    key::{self, CullideKey},
    memory::{each, fill, given, room, values},
    shape::placed,
    status::{CullideStatus, Failure, guard},
    values::{distance, filter},
};
use cullide_world::{
    BodyHit, BodyOverlap, Filter, Shape, ShapeHit, ShapeOverlap, ShapeSweep, Slide, SlideContact, SlideOptions,
    SweptBody, World,
    glam::Vec3,
    narrowphase::{BoxSweep, CapsuleSweep, Obb, SphereSweep},
};
use rayon::prelude::*;
use std::{borrow::Cow, mem::MaybeUninit};

/// A convex shape, or a compound of such, that moves without turning.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CullideMotion {
    /// The shape; no mesh and no terrain.
    pub shape: *const CullideShape,
    /// Where it starts.
    pub pose: CullidePose,
    /// How far it is to go.
    pub motion: CullideVec3,
}

/// What a moving shape touches.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CullideShapeHit {
    /// The object or the plane; `CULLIDE_NONE` if there is none, and then the rest is 0.
    pub target: CullideKey,
    /// The triangle of a mesh or a terrain, the child of a compound; otherwise 0.
    pub part: u32,
    /// The part of the moving shape that touches it: the child of a compound; otherwise 0.
    pub own_part: u32,
    /// The caller's number for that part of the target.
    pub surface: u16,
    /// When they touch, as a fraction of the motion, 0 to 1; 0 for an overlap.
    pub time: f32,
    /// For an overlap, how far to move along the normal until the two only touch; otherwise 0.
    pub depth: f32,
    /// The unit normal of the target, against the motion; for an overlap the direction of the shortest way out.
    pub normal: CullideVec3,
    /// A point where they touch; 0 for an overlap.
    pub point: CullideVec3,
}

/// Where a sweep ends.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CullideSwept {
    /// The position of the pose at the end. There, a box, a ball or a capsule penetrates nothing. Another shape penetrates
    /// nothing up to rounding, and may be found to overlap what it touches; `cullide_slide` pushes it out.
    pub position: CullideVec3,
    /// What stops the shape.
    pub hit: CullideShapeHit,
    /// What it overlaps at the start, the deepest of several: then it has not moved and there is no hit.
    pub overlap: CullideShapeHit,
}

/// A surface that a slide met.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CullideSlideContact {
    /// The object or the plane.
    pub target: CullideKey,
    /// Its part.
    pub part: u32,
    /// The caller's number for that part.
    pub surface: u16,
    /// The unit normal of the surface.
    pub normal: CullideVec3,
    /// The position of the shape when it met the surface.
    pub position: CullideVec3,
}

/// Where a slide ends.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CullideSlid {
    /// The position of the pose at the end.
    pub position: CullideVec3,
    /// What is left of the motion after all contacts: the one to continue with.
    pub motion: CullideVec3,
    /// What the shape overlapped at the start and could not be pushed out of: then it has not moved.
    pub overlap: CullideShapeHit,
}

impl From<BodyHit> for CullideShapeHit {
    fn from(hit: BodyHit) -> Self {
        Self {
            target: key::of_target(hit.target),
            part: hit.part,
            surface: hit.surface,
            time: hit.toi,
            normal: hit.normal.into(),
            point: hit.contacts.points().first().map(|&point| point.into()).unwrap_or_default(),
            ..Self::default()
        }
    }
}

impl From<BodyOverlap> for CullideShapeHit {
    fn from(overlap: BodyOverlap) -> Self {
        Self {
            target: key::of_target(overlap.target),
            part: overlap.part,
            surface: overlap.surface,
            depth: overlap.depth,
            normal: overlap.normal.into(),
            ..Self::default()
        }
    }
}

impl From<ShapeHit> for CullideShapeHit {
    fn from(hit: ShapeHit) -> Self {
        Self {
            target: key::of_target(hit.target),
            part: hit.part,
            own_part: hit.own_part,
            surface: hit.surface,
            time: hit.toi,
            depth: 0.0,
            normal: hit.normal.into(),
            point: hit.point.into(),
        }
    }
}

impl From<ShapeOverlap> for CullideShapeHit {
    fn from(overlap: ShapeOverlap) -> Self {
        Self {
            target: key::of_target(overlap.target),
            part: overlap.part,
            own_part: overlap.own_part,
            surface: overlap.surface,
            depth: overlap.depth,
            normal: overlap.normal.into(),
            ..Self::default()
        }
    }
}

impl From<SweptBody> for CullideSwept {
    fn from(swept: SweptBody) -> Self {
        Self {
            position: swept.position.into(),
            hit: swept.hit.map(Into::into).unwrap_or_default(),
            overlap: swept.overlap.map(Into::into).unwrap_or_default(),
        }
    }
}

impl CullideSlideContact {
    pub(crate) fn new(contact: &SlideContact, from: Vec3) -> Self {
        Self {
            target: key::of_target(contact.target),
            part: contact.part,
            surface: contact.surface,
            normal: contact.normal.into(),
            position: (from + contact.position).into(),
        }
    }
}

/// A motion whose pointers and poses have been looked at.
struct Moving<'a> {
    shape: Cow<'a, Shape>,
    from: Vec3,
    motion: Vec3,
}

impl<'a> Moving<'a> {
    /// # Safety
    /// The handle is NULL or valid during `'a`.
    unsafe fn new(given: &CullideMotion) -> Result<Self, Failure> {
        // SAFETY: as the caller promises.
        let shape = self::given(unsafe { given.shape.as_ref() }, "shape")?;
        Ok(Self {
            shape: placed(&shape.shape, given.pose)?,
            from: given.pose.position.into(),
            motion: given.motion.into(),
        })
    }

    fn sweep(&self, world: &World, filter: &Filter) -> Result<CullideSwept, Failure> {
        let motion = self.motion;
        Ok(match &*self.shape {
            Shape::Aabb(shape) => world.sweep(&BoxSweep::new(Obb::from(shape), motion)?, filter).into(),
            Shape::Obb(shape) => world.sweep(&BoxSweep::new(*shape, motion)?, filter).into(),
            Shape::Sphere(shape) => world.sweep(&SphereSweep::new(*shape, motion)?, filter).into(),
            Shape::Capsule(shape) => world.sweep(&CapsuleSweep::new(*shape, motion)?, filter).into(),
            shape => {
                let swept = world.sweep(&ShapeSweep::new(shape, motion)?, filter);
                CullideSwept {
                    position: (self.from + swept.translation).into(),
                    hit: swept.hit.map(Into::into).unwrap_or_default(),
                    overlap: swept.overlap.map(Into::into).unwrap_or_default(),
                }
            }
        })
    }

    /// Returns the slide, and from where its positions are measured.
    fn slide(&self, world: &World, filter: &Filter) -> Result<(Slide, Vec3), Failure> {
        let (motion, options) = (self.motion, &SlideOptions::default());
        let slide = match &*self.shape {
            Shape::Aabb(shape) => world.slide(&BoxSweep::new(Obb::from(shape), motion)?, filter, options),
            Shape::Obb(shape) => world.slide(&BoxSweep::new(*shape, motion)?, filter, options),
            Shape::Sphere(shape) => world.slide(&SphereSweep::new(*shape, motion)?, filter, options),
            Shape::Capsule(shape) => world.slide(&CapsuleSweep::new(*shape, motion)?, filter, options),
            shape => {
                return Ok((world.slide(&ShapeSweep::new(shape, motion)?, filter, options), self.from));
            }
        };
        Ok((slide, Vec3::ZERO))
    }
}

/// Writes where a moving shape stops, and at what.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_sweep(
    world: Option<&CullideWorld>,
    motion: Option<&CullideMotion>,
    filter: Option<&CullideFilter>,
    swept: Option<&mut MaybeUninit<CullideSwept>>,
) -> CullideStatus {
    guard(|| {
        let (world, motion, swept) = (given(world, "world")?, given(motion, "motion")?, given(swept, "swept")?);
        // SAFETY: the caller's filter and handle, as the header demands.
        let (filter, moving) = unsafe { (self::filter(world, filter)?, Moving::new(motion)?) };
        swept.write(moving.sweep(&world.world, &filter)?);
        Ok(())
    })
}

/// Writes where each of `count` moving shapes stops, each as if it were alone, to `swept`; on several threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_sweep_batch(
    world: Option<&CullideWorld>,
    motions: *const CullideMotion,
    count: usize,
    filter: Option<&CullideFilter>,
    swept: *mut CullideSwept,
) -> CullideStatus {
    guard(|| {
        let world = given(world, "world")?;
        // SAFETY: the caller's filter and arrays, as the header demands.
        let (filter, motions, swept) =
            unsafe { (self::filter(world, filter)?, values(motions, count, "motions")?, room(swept, count, "swept")?) };
        let (mut moving, mut answers) = (Vec::new(), Vec::new());
        // SAFETY: handles of this library, as the header demands.
        each(motions, "motions", &mut moving, |motion| unsafe { Moving::new(motion) })?;
        moving.par_iter().map(|moving| moving.sweep(&world.world, &filter)).collect_into_vec(&mut answers);
        let answers = answers.into_iter().enumerate();
        let answers = answers.map(|(number, answer)| answer.map_err(|failure| failure.of("motions", number)));
        let answers = answers.collect::<Result<Vec<CullideSwept>, Failure>>()?;
        for (place, answer) in swept.iter_mut().zip(answers) {
            place.write(answer);
        }
        Ok(())
    })
}

/// Writes where a shape stops that turns about its own origin on its way, and at what: the direction of `turn` is the axis,
/// its length the angle in radians over the motion. What comes as near as `skin` counts as touched, a length such as a
/// thousandth of the shape's size. `rotation` becomes that of the pose at the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_sweep_turning(
    world: Option<&CullideWorld>,
    motion: Option<&CullideMotion>,
    turn: CullideVec3,
    skin: f32,
    filter: Option<&CullideFilter>,
    swept: Option<&mut MaybeUninit<CullideSwept>>,
    rotation: Option<&mut MaybeUninit<CullideQuat>>,
) -> CullideStatus {
    guard(|| {
        let (world, motion) = (given(world, "world")?, given(motion, "motion")?);
        let (swept, rotation) = (given(swept, "swept")?, given(rotation, "rotation")?);
        // SAFETY: the caller's filter and handle, as the header demands.
        let (filter, moving) = unsafe { (self::filter(world, filter)?, Moving::new(motion)?) };
        let sweep = ShapeSweep::new(&moving.shape, moving.motion)?.turning(moving.from, turn.into())?;
        let ended = world.world.sweep_turning(&sweep, distance(skin, "skin")?, &filter);
        let (turned, _) = motion.pose.parts();
        rotation.write((ended.rotation * turned.normalize()).into());
        swept.write(CullideSwept {
            position: (ended.rotation * moving.from + ended.translation).into(),
            hit: ended.hit.map(Into::into).unwrap_or_default(),
            overlap: ended.overlap.map(Into::into).unwrap_or_default(),
        });
        Ok(())
    })
}

/// Lists what a moving shape touches on its way as if nothing stopped it, each object once, in the order of time. What it
/// overlaps at the start is not among them: `cullide_overlap` lists that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_sweep_all(
    world: Option<&CullideWorld>,
    motion: Option<&CullideMotion>,
    filter: Option<&CullideFilter>,
    hits: *mut CullideShapeHit,
    capacity: usize,
    total: Option<&mut MaybeUninit<usize>>,
) -> CullideStatus {
    guard(|| {
        let (world, motion) = (given(world, "world")?, given(motion, "motion")?);
        // SAFETY: the caller's filter and handle, as the header demands.
        let (filter, moving) = unsafe { (self::filter(world, filter)?, Moving::new(motion)?) };
        // SAFETY: the caller's array, as the header demands.
        let room = unsafe { room(hits, capacity, "hits") }?;
        let mut list = Vec::new();
        world.world.sweep_all(&ShapeSweep::new(&moving.shape, moving.motion)?, &filter, &mut list);
        fill(room, total, list.into_iter().map(Into::into))
    })
}

/// Writes where a shape gets that slides along what it meets, and lists what that was, in order. A shape that overlaps
/// something at the start is pushed out first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_slide(
    world: Option<&CullideWorld>,
    motion: Option<&CullideMotion>,
    filter: Option<&CullideFilter>,
    slid: Option<&mut MaybeUninit<CullideSlid>>,
    contacts: *mut CullideSlideContact,
    capacity: usize,
    total: Option<&mut MaybeUninit<usize>>,
) -> CullideStatus {
    guard(|| {
        let (world, motion, slid) = (given(world, "world")?, given(motion, "motion")?, given(slid, "slid")?);
        // SAFETY: the caller's filter and handle, as the header demands.
        let (filter, moving) = unsafe { (self::filter(world, filter)?, Moving::new(motion)?) };
        // SAFETY: the caller's array, as the header demands.
        let room = unsafe { room(contacts, capacity, "contacts") }?;
        let (slide, from) = moving.slide(&world.world, &filter)?;
        fill(room, total, slide.contacts.iter().map(|contact| CullideSlideContact::new(contact, from)))?;
        slid.write(CullideSlid {
            position: (from + slide.position).into(),
            motion: slide.motion.into(),
            overlap: slide.overlap.map(Into::into).unwrap_or_default(),
        });
        Ok(())
    })
}

/// Looks for a place near by where a shape overlaps nothing. Writes 1 to `found` and the position of its pose there, that of
/// the pose itself if it is free; or 0, if there is none near by, and leaves the position alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_depenetrate(
    world: Option<&CullideWorld>,
    shape: Option<&CullideShape>,
    pose: CullidePose,
    filter: Option<&CullideFilter>,
    position: Option<&mut MaybeUninit<CullideVec3>>,
    found: Option<&mut MaybeUninit<u8>>,
) -> CullideStatus {
    guard(|| {
        let (world, position, found) = (given(world, "world")?, given(position, "position")?, given(found, "found")?);
        let body = Walker::new(&given(shape, "shape")?.shape, pose)?;
        // SAFETY: the caller's filter, as the header demands.
        let filter = unsafe { self::filter(world, filter) }?;
        let place = each_kind!(body, of => world.world.depenetrate(&of.body, &filter));
        found.write(place.is_some().into());
        if let Some(place) = place {
            position.write(place.into());
        }
        Ok(())
    })
}
