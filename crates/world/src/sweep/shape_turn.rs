//! Where a shape of any kind stops that turns while it moves.
//!
//! Its parts are tested against all that is near their way, as balls about the pivot bound it. The skin leaves more room
//! where the shape stops than rounding takes; where it does not, the shape is raised, or goes back, as after a
//! [straight sweep](super::shape_rest).

use super::{
    candidates::Obstacle,
    moving_shape::{Carrier, ShapeAt},
    shape::{MovingPart, MovingParts, ShapeHit, ShapeOverlap, ShapeSweep, moving_parts},
    shape_first::{FirstMet, Overlapped},
    shape_rest::{Margin, raised},
};
use crate::{
    Filter, PlaneKey, World,
    scene::planes::{MotionBounds, NearPlane, NearPlanes},
    shape::{Convex, matrix},
    tuning,
};
use cullide_narrowphase::{
    Aabb, ConvexSweep, Error, Mapped, Solid, Turn,
    glam::{DVec3, Quat, Vec3},
};
use std::sync::Arc;

/// A convex shape, or a compound of convex shapes, that turns about a pivot while it moves.
///
/// ```
/// use cullide_world::{Filter, ShapeSweep, World, Shape, narrowphase::{Hull, Plane}, glam::Vec3};
/// let mut world = World::new();
/// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
/// // A signpost that stands on its point, and falls over by a right angle.
/// let corners = [Vec3::ZERO, Vec3::new(0.5, 4.0, 0.0), Vec3::new(-0.5, 4.0, 0.0), Vec3::new(0.0, 4.0, 0.5)];
/// let post = Shape::from(Hull::new(&corners)?);
/// let fall = ShapeSweep::new(&post, Vec3::ZERO)?.turning(Vec3::ZERO, Vec3::Z * std::f32::consts::FRAC_PI_2)?;
/// let fallen = world.sweep_turning(&fall, 1e-3, &Filter::ALL);
/// assert_eq!(fallen.hit.unwrap().target, floor.into());
/// let lies = post.transformed(fallen.rotation, fallen.translation)?.aabb();
/// assert!(lies.min().y >= 0.0 && lies.min().y < 1e-3 && lies.min().x < -3.9);
/// # Ok::<(), cullide_world::narrowphase::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TurningShapeSweep<'a> {
    sweep: ShapeSweep<'a>,
    turn: Turn,
    pivot: Vec3,
    rotation: Vec3,
}

impl<'a> ShapeSweep<'a> {
    /// Returns the same sweep of a shape that turns about a `pivot`, which moves along: the direction of `rotation` is
    /// the axis, and its length the angle in radians over the step.
    ///
    /// # Errors
    /// [`Error::NonFinite`], and [`Error::OutOfRange`] for more than 2^16 radians, and for a shape that would leave the
    /// range of coordinates if it turned as far out as it may.
    ///
    /// ```
    /// # use cullide_world::{Shape, ShapeSweep, narrowphase::{Error, Sphere}, glam::Vec3};
    /// let ball = Shape::from(Sphere::new(Vec3::X, 1.0)?);
    /// let sweep = ShapeSweep::new(&ball, Vec3::Y)?;
    /// assert_eq!(sweep.clone().turning(Vec3::ZERO, Vec3::Z)?.rotation(), Vec3::Z);
    /// assert_eq!(sweep.turning(Vec3::ZERO, Vec3::NAN).unwrap_err(), Error::NonFinite { field: "rotation" });
    /// # Ok::<(), Error>(())
    /// ```
    pub fn turning(self, pivot: Vec3, rotation: Vec3) -> Result<TurningShapeSweep<'a>, Error> {
        let turn = Turn::new(pivot, self.motion, rotation)?;
        let [pivot, rotation] = [pivot, rotation].mapped(|v| v + Vec3::ZERO);
        let around = around_pivot(&self.shape().aabb(), pivot).and_then(|around| around.swept(self.motion));
        around.ok_or(Error::OutOfRange { field: "pivot" })?;
        Ok(TurningShapeSweep { sweep: self, turn, pivot, rotation })
    }
}

impl<'a> TurningShapeSweep<'a> {
    /// Returns the same sweep of a shape that does not turn.
    pub fn translating(&self) -> &ShapeSweep<'a> {
        &self.sweep
    }

    /// Returns the point about which the shape turns, at the start.
    pub fn pivot(&self) -> Vec3 {
        self.pivot
    }

    /// Returns the rotation vector in radians over the step.
    pub fn rotation(&self) -> Vec3 {
        self.rotation
    }

    /// The pose of a time, rounded, raised by `lift`.
    fn pose(&self, time: f64, lift: DVec3) -> (Quat, Vec3) {
        let rotation = self.turn.rotation_at(time);
        let turned = matrix(rotation).map_or(DVec3::ZERO, |matrix| matrix * self.pivot.as_dvec3());
        (rotation, (self.turn.pivot_at(time) - turned + lift).as_vec3() + Vec3::ZERO)
    }
}

/// How the sweep of a shape that turns ends.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SweptTurningShape {
    /// How the shape has turned and moved where it stops: [`Shape::transformed`](crate::Shape::transformed) by both
    /// penetrates nothing, except what the shape overlaps at the start and half-spaces that it is wholly behind there.
    pub rotation: Quat,
    /// See `rotation`; about the origin of coordinates, as [`Shape::transformed`](crate::Shape::transformed) takes it.
    pub translation: Vec3,
    /// What stops the shape.
    pub hit: Option<ShapeHit>,
    /// What the shape overlaps at the start; the deepest of several. Then there is no hit.
    pub overlap: Option<ShapeOverlap>,
}

impl World {
    /// [`World::sweep_turning`] of a shape of any kind.
    pub(super) fn sweep_turning_shape(
        &self,
        sweep: &TurningShapeSweep,
        skin: f32,
        filter: &Filter,
    ) -> SweptTurningShape {
        if sweep.rotation == Vec3::ZERO {
            let swept = self.sweep_shape(&sweep.sweep, filter);
            let (rotation, translation) = (Quat::IDENTITY, swept.translation);
            return SweptTurningShape { rotation, translation, hit: swept.hit, overlap: swept.overlap };
        }
        let carrier = Carrier::new(&sweep.sweep.given);
        let start = ShapeAt::new(&carrier, Vec3::ZERO);
        let settling = Settling::new(self, sweep, &start, filter);
        let skin = f64::from(skin).max(8.0 * settling.step);
        let first = self.first_met_turning(&settling.starts, sweep, skin, filter);
        let (rotation, translation) = match &first {
            FirstMet::Overlap(_) => (Quat::IDENTITY, Vec3::ZERO),
            FirstMet::Nothing { is_near: false } => sweep.pose(1.0, DVec3::ZERO),
            FirstMet::Nothing { .. } => settling.resolve(1.0, None),
            FirstMet::Hit(touched) => settling.resolve(touched.time, Some(touched.normal)),
        };
        let (hit, overlap) = self.told_of_shape(first, sweep.sweep.motion, filter);
        SweptTurningShape { rotation, translation, hit, overlap }
    }

    fn first_met_turning(
        &self,
        parts: &[MovingPart],
        sweep: &TurningShapeSweep,
        skin: f64,
        filter: &Filter,
    ) -> FirstMet {
        let mut first = FirstMet::Nothing { is_near: false };
        for part in parts {
            let Some(around) = way_around(part, sweep, skin as f32) else { continue };
            self.planes_met_turning(part, sweep, (&around, skin), filter, &mut first);
            let center = part.aabb.center();
            self.objects_near(&around, filter, &mut |key, shape| {
                shape.parts_near(&around, &mut |number, convex| {
                    if convex.is_faced_by(center) && convex.aabb().overlaps(&around) {
                        meet_turning(part, sweep, skin, Obstacle::of(key, number), convex, &mut first);
                    }
                });
            });
        }
        first
    }

    fn planes_met_turning(
        &self,
        part: &MovingPart,
        sweep: &TurningShapeSweep,
        (around, skin): (&Aabb, f64),
        filter: &Filter,
        first: &mut FirstMet,
    ) {
        let mut near = NearPlanes::new();
        let ball = MotionBounds::of_ball(around.center(), around.half_extents().length(), Vec3::ZERO);
        self.planes.near(&ball, filter, &mut near);
        for NearPlane { slot, .. } in near {
            let Some(entry) = self.planes.get(slot) else { continue };
            let obstacle = PlaneKey::new(slot, self.id).into();
            first.note_near();
            match part.core.turn_plane(&sweep.turn, &entry.plane, entry.sides, first.limit(), skin) {
                ConvexSweep::Hit(hit) => first.note_hit(obstacle, part.number, &hit, None),
                ConvexSweep::Overlap => first.note_overlap(Overlapped::in_plane(part, obstacle, entry)),
                ConvexSweep::Clear => {}
            }
        }
    }
}

fn meet_turning(
    part: &MovingPart,
    sweep: &TurningShapeSweep,
    skin: f64,
    obstacle: Obstacle,
    convex: Convex,
    first: &mut FirstMet,
) {
    first.note_near();
    let other = convex.core();
    match part.core.turn_within(&sweep.turn, &other, first.limit(), skin) {
        ConvexSweep::Hit(hit) => {
            let triangle = if let Convex::Triangle(triangle, _) = convex { Some(triangle) } else { None };
            first.note_hit(obstacle, part.number, &hit, triangle);
        }
        ConvexSweep::Overlap => first.note_overlap(Overlapped::in_convex(part, obstacle, &other)),
        ConvexSweep::Clear => {}
    }
}

/// A box around a box, however it turns about a pivot.
fn around_pivot(aabb: &Aabb, pivot: Vec3) -> Option<Aabb> {
    let farthest = (aabb.max() - pivot).abs().max((aabb.min() - pivot).abs());
    let reach = Vec3::splat(farthest.length() * (1.0 + 8.0 * f32::EPSILON));
    Aabb::new(pivot - reach, pivot + reach).ok()
}

/// A box around all that a part may touch on its way.
fn way_around(part: &MovingPart, sweep: &TurningShapeSweep, skin: f32) -> Option<Aabb> {
    let around = around_pivot(&part.aabb, sweep.pivot)?;
    // No point turns farther than along its circle.
    let reach = around.half_extents().x * sweep.rotation.length();
    let aabb = &part.aabb;
    let turned = Aabb::new(aabb.min() - reach, aabb.max() + reach).ok().and_then(|turned| turned.intersection(&around));
    let way = turned.unwrap_or(around).swept(sweep.sweep.motion)?;
    let size = way.min().abs().max(way.max().abs()).max_element();
    Some(way.expanded(skin + 16.0 * f32::EPSILON * size))
}

/// The search for a free pose of a shape that has turned.
struct Settling<'a> {
    world: &'a World,
    sweep: &'a TurningShapeSweep<'a>,
    starts: Arc<MovingParts>,
    filter: &'a Filter<'a>,
    /// What rounding a pose may move a vertex by.
    step: f64,
    is_thin: bool,
}

impl<'a> Settling<'a> {
    fn new(world: &'a World, sweep: &'a TurningShapeSweep<'a>, start: &ShapeAt, filter: &'a Filter<'a>) -> Self {
        let aabb = sweep.sweep.shape().aabb();
        let from_pivot = (aabb.max() - sweep.pivot).abs().max((aabb.min() - sweep.pivot).abs());
        let size = (2.0 * sweep.pivot.abs() + from_pivot + sweep.sweep.motion.abs()).element_sum();
        let step = f64::from(f32::EPSILON) * f64::from(size.max(f32::MIN_POSITIVE));
        let is_thin = start.is_thinner_than(2.0 * f64::from(tuning::THIN * size));
        Self { world, sweep, starts: start.parts(), filter, step, is_thin }
    }

    /// Returns the pose nearest to that of a time at which the shape is free. What is hit there has a `normal`.
    fn resolve(&self, time: f64, normal: Option<DVec3>) -> (Quat, Vec3) {
        let at_time = |time: f64, lift| self.check(time, lift);
        let mut back = tuning::RESOLVE_BACK.iter().map(|share| time * f64::from(1.0 - share));
        raised(DVec3::ZERO, normal, self.step, |lift| at_time(time, lift))
            .or_else(|| back.find_map(|time| at_time(time, DVec3::ZERO).ok()))
            .unwrap_or((Quat::IDENTITY, Vec3::ZERO))
    }

    /// Returns the pose of a time, if the shape is free there as rounded; the normal of something that it penetrates
    /// otherwise.
    fn check(&self, time: f64, lift: DVec3) -> Result<(Quat, Vec3), DVec3> {
        let back = -self.sweep.sweep.motion().as_dvec3();
        let pose = self.sweep.pose(time, lift);
        let placed = self.sweep.sweep.shape().transformed(pose.0, pose.1).ok();
        let parts = placed.as_ref().and_then(moving_parts).filter(|parts| parts.len() == self.starts.len());
        let unrounded = |start: &MovingPart| Some(start.core.turned(&self.sweep.turn, time));
        let margin = Margin { unrounded: &unrounded, step: self.step };
        self.world.check_place(&self.starts, &parts.ok_or(back)?, self.is_thin.then_some(margin), self.filter)?;
        Ok(pose)
    }
}
