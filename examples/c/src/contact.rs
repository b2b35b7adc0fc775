//! A step of rigid bodies, and what came of it.

use crate::{
    CullideDynamics, CullideDynamicsConfig, CullidePair, CullidePose, CullideVec3, CullideWorld,
    key::{self, CullideKey},
    memory::{fill, given, room},
    status::{CullideStatus, Failure, guard},
};
use cullide_world::{ObjectKey, Target};
use std::mem::MaybeUninit;

/// How many of each list a step has made.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CullideStepReport {
    /// The number of bodies whose pose has changed: `cullide_moved`.
    pub moved: usize,
    /// The number of pairs that began to touch: `cullide_contact_pairs`.
    pub begun: usize,
    /// The number of pairs that ceased to touch.
    pub ended: usize,
    /// The number of dynamic bodies that are awake.
    pub awake: usize,
}

/// A body that a step has moved.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CullideMoved {
    /// The body.
    pub key: CullideKey,
    /// The caller's number of its object.
    pub user: u64,
    /// Where it is now.
    pub pose: CullidePose,
}

/// Two that met in a step.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CullideImpact {
    /// A dynamic body.
    pub first: CullideKey,
    /// What it met.
    pub second: CullideKey,
    /// How hard, as mass times velocity.
    pub impulse: f32,
}

/// A point where two touch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CullideContactPoint {
    /// A dynamic body.
    pub first: CullideKey,
    /// What it touches.
    pub second: CullideKey,
    /// The part of the first: the child of a compound; otherwise 0.
    pub first_part: u32,
    /// The part of the second: the triangle of a mesh or a terrain, the child of a compound; otherwise 0.
    pub second_part: u32,
    /// The caller's number for the part of the second.
    pub surface: u16,
    /// Midway between the two surfaces.
    pub point: CullideVec3,
    /// The unit direction from the first to the second.
    pub normal: CullideVec3,
    /// How far apart the two are there; negative if they penetrate.
    pub separation: f32,
    /// How hard the step pushed them apart there, as mass times velocity.
    pub impulse: f32,
}

/// Moves all bodies by `dt` seconds, more than 0; give every step the same length. `report` may be NULL; the lists of the
/// step last until the next one.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_step(
    dynamics: Option<&mut CullideDynamics>,
    world: Option<&mut CullideWorld>,
    dt: f32,
    config: Option<&CullideDynamicsConfig>,
    report: Option<&mut MaybeUninit<CullideStepReport>>,
) -> CullideStatus {
    guard(|| {
        let (dynamics, world) = (given(dynamics, "dynamics")?, given(world, "world")?);
        let config = given(config, "config")?.config()?;
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(Failure::new(CullideStatus::BadValue, "`dt` is no time; give seconds, more than 0"));
        }
        let made = dynamics.dynamics.step(&mut world.world, dt, &config)?;
        if let Some(report) = report {
            report.write(CullideStepReport {
                moved: made.moved.len(),
                begun: made.begun.len(),
                ended: made.ended.len(),
                awake: made.awake,
            });
        }
        Ok(())
    })
}

/// Lists the bodies whose pose the last step has changed, with their poses: what a renderer has to move. Bodies that were
/// removed since are left out.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_moved(
    dynamics: Option<&CullideDynamics>,
    world: Option<&CullideWorld>,
    moved: *mut CullideMoved,
    capacity: usize,
    total: Option<&mut MaybeUninit<usize>>,
) -> CullideStatus {
    guard(|| {
        let (dynamics, world) = (&given(dynamics, "dynamics")?.dynamics, &given(world, "world")?.world);
        // SAFETY: the caller's array, as the header demands.
        let room = unsafe { room(moved, capacity, "moved") }?;
        let of_body = |key: &ObjectKey| {
            let (object, pose) = (world.object(*key)?, world.object(*key)?.transform());
            Some(CullideMoved { key: key::of_object(*key), user: object.user, pose: pose.into() })
        };
        fill(room, total, dynamics.report().moved.iter().filter_map(of_body))
    })
}

/// Those that touch.
pub const CULLIDE_TOUCHING: u32 = 0;
/// Those that began to touch in the last step.
pub const CULLIDE_TOUCH_BEGUN: u32 = 1;
/// Those that ceased to touch in the last step.
pub const CULLIDE_TOUCH_ENDED: u32 = 2;

/// Lists pairs of a dynamic body and what it touches: `which` is `CULLIDE_TOUCHING`, `CULLIDE_TOUCH_BEGUN` or
/// `CULLIDE_TOUCH_ENDED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_contact_pairs(
    dynamics: Option<&CullideDynamics>,
    which: u32,
    pairs: *mut CullidePair,
    capacity: usize,
    total: Option<&mut MaybeUninit<usize>>,
) -> CullideStatus {
    guard(|| {
        let dynamics = &given(dynamics, "dynamics")?.dynamics;
        // SAFETY: the caller's array, as the header demands.
        let room = unsafe { room(pairs, capacity, "pairs") }?;
        let pair = |&(first, second): &(ObjectKey, Target)| of_pair(first, second);
        match which {
            CULLIDE_TOUCHING => {
                let touching = dynamics.contacts().filter(|pair| pair.is_touching());
                fill(room, total, touching.map(|pair| of_pair(pair.first, pair.second)))
            }
            CULLIDE_TOUCH_BEGUN => fill(room, total, dynamics.report().begun.iter().map(pair)),
            CULLIDE_TOUCH_ENDED => fill(room, total, dynamics.report().ended.iter().map(pair)),
            _ => {
                let choices = "CULLIDE_TOUCHING, CULLIDE_TOUCH_BEGUN or CULLIDE_TOUCH_ENDED";
                Err(Failure::choice("which", which, choices))
            }
        }
    })
}

fn of_pair(first: ObjectKey, second: Target) -> CullidePair {
    CullidePair { first: key::of_object(first), second: key::of_target(second) }
}

/// Lists those that met in the last step with an impulse of `least` or more: for sounds and damage. What rests presses
/// with its weight times the length of the step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_impacts(
    dynamics: Option<&CullideDynamics>,
    least: f32,
    impacts: *mut CullideImpact,
    capacity: usize,
    total: Option<&mut MaybeUninit<usize>>,
) -> CullideStatus {
    guard(|| {
        let dynamics = &given(dynamics, "dynamics")?.dynamics;
        // SAFETY: the caller's array, as the header demands.
        let room = unsafe { room(impacts, capacity, "impacts") }?;
        fill(
            room,
            total,
            dynamics.hits(least).map(|(pair, impulse)| {
                let CullidePair { first, second } = of_pair(pair.first, pair.second);
                CullideImpact { first, second, impulse }
            }),
        )
    })
}

/// Lists the points of all contacts of the last step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_contact_points(
    dynamics: Option<&CullideDynamics>,
    world: Option<&CullideWorld>,
    points: *mut CullideContactPoint,
    capacity: usize,
    total: Option<&mut MaybeUninit<usize>>,
) -> CullideStatus {
    guard(|| {
        let (dynamics, world) = (&given(dynamics, "dynamics")?.dynamics, &given(world, "world")?.world);
        // SAFETY: the caller's array, as the header demands.
        let room = unsafe { room(points, capacity, "points") }?;
        let of_pairs = dynamics.contacts().flat_map(|pair| {
            let CullidePair { first, second } = of_pair(pair.first, pair.second);
            pair.points(world).map(move |found| CullideContactPoint {
                first,
                second,
                first_part: found.first_part,
                second_part: found.part,
                surface: found.surface,
                point: found.point.into(),
                normal: found.normal.into(),
                separation: found.separation,
                impulse: found.impulse,
            })
        });
        fill(room, total, of_pairs)
    })
}

/// Writes a hash of all bodies of a world, the same on every platform; beside `cullide_world_hash`.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_dynamics_hash(
    dynamics: Option<&CullideDynamics>,
    world: Option<&CullideWorld>,
    hash: Option<&mut MaybeUninit<u64>>,
) -> CullideStatus {
    guard(|| {
        let (dynamics, world) = (given(dynamics, "dynamics")?, given(world, "world")?);
        given(hash, "hash")?.write(dynamics.dynamics.hash(&world.world));
        Ok(())
    })
}
