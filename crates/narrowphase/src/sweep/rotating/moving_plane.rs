//! A rotating box against a plane that rotates as well: a flipper, a lid, a sea under a ship.
//!
//! With `Y` from the pivot to the box's centre, `N` the rotated normal and `e` the rotated half edges, all at `t`,
//!
//! ```text
//!   g = N·Y + h − Σ |e·N|,    N' = ω_p × N,    e' = ω_b × e,    (e·N)' = ((ω_b − ω_p) × e)·N
//! ```
//!
//! where `h`, the pivot's height over the plane, is constant. No vertex's height is curved by more than
//! `ω_p² |Y| + 2 ω_p |Y'| + |a| + |ω_b − ω_p| (ω_b + ω_p) R`, with the largest value of each over the step, `R` being
//! the box's radius.

use super::{
    TurningBoxSweep,
    budget::Budget,
    checked_rotation,
    face_toi::effective_skin,
    rotation::{AngularMotion, cross},
    toi::{GapSample, MAX_EVALUATIONS, StepBounds, first_touch},
};
use crate::{
    Error, FeatureId, Plane, Sides,
    arrays::Mapped,
    contact::contacts::LowestVertex,
    exact::{ROUNDING, unit},
    sweep::{
        Sweep, SweepHit,
        plane::{
            exact::{Ignored, depenetrate},
            projection::{BoxPlaneF64, BoxPlaneFilter},
        },
        round_toi,
    },
};
use glam::{DVec3, DVec4, Vec3};

/// How a plane moves over one step: it rotates by a rotation vector about a pivot, and the pivot translates.
///
/// ```
/// use cullide_narrowphase::{Plane, PlaneMotion, glam::Vec3};
/// let lid = Plane::new(Vec3::Y, 0.0)?;
/// let opening = PlaneMotion::new(Vec3::ZERO, Vec3::Z * std::f32::consts::PI, Vec3::X * 2.0)?;
/// let half_open = opening.at(&lid, 0.5).unwrap();
/// assert!(half_open.normal().distance(Vec3::NEG_X) < 1e-6 && (half_open.d() - 2.0).abs() < 1e-6);
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneMotion {
    translation: Vec3,
    rotation: Vec3,
    pivot: Vec3,
}

impl PlaneMotion {
    /// Creates a rotation by `rotation`, in radians over the step, about `pivot`, which itself moves by `translation`.
    ///
    /// # Errors
    /// [`Error::NonFinite`], or [`Error::OutOfRange`] for more than 2^16 radians and for coordinates
    /// beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE).
    ///
    /// ```
    /// # use cullide_narrowphase::{Error, PlaneMotion, glam::Vec3};
    /// assert_eq!(PlaneMotion::new(Vec3::X, Vec3::Y, Vec3::NAN), Err(Error::NonFinite { field: "pivot" }));
    /// ```
    pub fn new(translation: Vec3, rotation: Vec3, pivot: Vec3) -> Result<Self, Error> {
        let translation = unit::coordinates(translation, "translation")? + Vec3::ZERO;
        let pivot = unit::coordinates(pivot, "pivot")? + Vec3::ZERO;
        Ok(Self { translation, rotation: checked_rotation(rotation)?, pivot })
    }

    /// Returns `plane` at a time of the step, rounded to `f32`; `None` if it is out of range, or for a time that is
    /// NaN.
    pub fn at(&self, plane: &Plane, time: f32) -> Option<Plane> {
        let (normal, d) = MovingPlane::new(plane, self).at(f64::from(time).clamp(0.0, 1.0));
        Plane::from_wide(normal, d, "time").ok()
    }
}

/// A moving plane, in `f64`.
#[derive(Clone, Copy, Debug)]
struct MovingPlane {
    normal: DVec3,
    /// The height of the pivot over the plane, in units of the normal's length.
    height: f64,
    pivot: DVec3,
    translation: DVec3,
    angular: AngularMotion,
}

impl MovingPlane {
    fn new(plane: &Plane, motion: &PlaneMotion) -> Self {
        let pivot = motion.pivot.as_dvec3();
        let angular = AngularMotion::new(motion.rotation.as_dvec3());
        let normal = plane.normal().as_dvec3();
        Self { normal, height: plane.distance(pivot), pivot, translation: motion.translation.as_dvec3(), angular }
    }

    fn normal_at(&self, time: f64) -> DVec3 {
        let only = |x: f64| DVec4::new(x, 0.0, 0.0, 0.0);
        let [x, y, z] = self.angular.rotated([only(self.normal.x), only(self.normal.y), only(self.normal.z)], time);
        DVec3::new(x.x, y.x, z.x)
    }

    fn pivot_at(&self, time: f64) -> DVec3 {
        self.pivot + self.translation * time
    }

    /// The normal and `d`.
    fn at(&self, time: f64) -> (DVec3, f64) {
        let normal = self.normal_at(time);
        (normal, self.height - normal.dot(self.pivot_at(time)))
    }
}

impl TurningBoxSweep {
    /// Returns the first touch of a plane that moves by `plane_motion` during the step: as
    /// [`TurningBoxSweep::against_plane`]. At the time of impact the plane is that of [`PlaneMotion::at`]; the hit's
    /// normal is the one there.
    ///
    /// Against a plane that rotates, [`TurningBoxSweep::body_at`] certainly does not penetrate, as decided in `f64`.
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Obb, Plane, PlaneMotion, Sides, glam::{Quat, Vec3}};
    /// // A flipper comes up under a box at rest, 3 units from its pivot.
    /// let body = Obb::new(Vec3::new(3.0, 1.5, 0.0), Quat::IDENTITY, Vec3::splat(0.5))?;
    /// let rest = BoxSweep::new(body, Vec3::ZERO)?.rotating(Vec3::ZERO)?;
    /// let flip = PlaneMotion::new(Vec3::ZERO, Vec3::Z * 0.8, Vec3::ZERO)?;
    /// let hit = rest.against_moving_plane(&Plane::new(Vec3::Y, 0.0)?, &flip, Sides::Front, 0.0).hit().unwrap();
    /// // Its lower right corner is at (3.5, 1).
    /// assert!((hit.toi - (1f32 / 3.5).atan() / 0.8).abs() < 1e-6 && hit.normal.x < 0.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_moving_plane(&self, plane: &Plane, plane_motion: &PlaneMotion, sides: Sides, skin: f32) -> Sweep {
        if plane_motion.rotation == Vec3::ZERO {
            return self.against_sliding_plane(plane, plane_motion.translation, sides, skin, &Budget::default());
        }
        let body = self.body();
        let filter = BoxPlaneFilter::new(body.rows(), plane);
        let projection = BoxPlaneF64::new(&filter, plane);
        let moved = MovingPlane::new(plane, plane_motion);
        let start = match projection.start(sides) {
            Some(Ok(start)) => start,
            Some(Err(Ignored)) => return Sweep::Clear,
            None => {
                let speed = self.speed_over(&moved);
                let Some(start) = plane.start_exactly(body, sides, &[speed]) else { return Sweep::Clear };
                start
            }
        };
        let (side, gap) = start;
        if gap < 0.0 {
            return projection.overlap(&filter, body, plane.normal(), side, -gap);
        }
        let (bounds, angular) = (self.bounds_over(&projection, plane, &moved, skin), self.angular_motion());
        match first_touch(|time| self.sample(&moved, &angular, side, time), &bounds, 0.0..1.0, &Budget::default()) {
            Some(toi) => self.hit_before(&moved, side, toi, bounds.error),
            None => Sweep::Clear,
        }
    }

    /// The speed at which the centre starts away from the plane.
    fn speed_over(&self, moved: &MovingPlane) -> f64 {
        let way = self.body().center().as_dvec3() - moved.pivot;
        let turning = cross(moved.angular.rate(), moved.normal);
        turning.dot(way) + moved.normal.dot(self.motion().as_dvec3() - moved.translation)
    }

    fn sample(&self, moved: &MovingPlane, angular: &AngularMotion, side: f64, time: f64) -> GapSample {
        let normal = side * moved.normal_at(time);
        let rows = angular.rotated(self.rows(), time);
        let along = |v: DVec3| (rows[0] * v.x + rows[1] * v.y + rows[2] * v.z).truncate();
        let way = self.center_at(time) - moved.pivot_at(time);
        let speed = self.motion().as_dvec3() + self.acceleration.as_dvec3() * time - moved.translation;
        let spin = moved.angular.rate();
        let relative = angular.rate() - spin;
        GapSample {
            height: normal.dot(way) + side * moved.height,
            rise: cross(spin, normal).dot(way) + normal.dot(speed),
            reaches: along(normal),
            rates: along(cross(normal, relative)),
        }
    }

    /// Bounds for the whole step: see the module head.
    fn bounds_over(&self, projection: &BoxPlaneF64, plane: &Plane, moved: &MovingPlane, skin: f32) -> StepBounds {
        let (spin, plane_spin) = (self.angular_motion().angle, moved.angular.angle);
        let relative = (self.rotation.as_dvec3() - moved.angular.rate()).length();
        let acceleration = self.acceleration.as_dvec3().length();
        let speed = (self.motion().as_dvec3() - moved.translation).length();
        let way = (self.body().center().as_dvec3() - moved.pivot).length() + speed + 0.5 * acceleration;
        let fastest = speed + acceleration;
        let (radius, sums) = projection.sizes(plane);
        let curvature =
            plane_spin * (plane_spin * way + 2.0 * fastest) + acceleration + relative * (spin + plane_spin) * radius;
        let lengths = self.body().center().as_dvec3().length() + 2.0 * moved.pivot.length();
        let moves = self.motion().as_dvec3().length() + moved.translation.length() + acceleration;
        let sizes = sums + (lengths + moves + 2.0 * radius) * (2.0 + spin + plane_spin);
        let error = 64.0 * ROUNDING * sizes;
        // The stored normal is a little longer than one.
        let curvature = curvature * (1.0 + 4.0 * f64::from(f32::EPSILON));
        StepBounds {
            curvature,
            upward: curvature,
            error,
            rate_error: error * (1.0 + spin + plane_spin),
            skin: effective_skin(skin, fastest + plane_spin * way + relative * radius, error),
            max_evaluations: MAX_EVALUATIONS,
            cost: 1,
        }
    }

    /// The hit at `toi`, pushed out by more than the error of all this.
    fn hit_before(&self, moved: &MovingPlane, side: f64, toi: f64, error: f64) -> Sweep {
        let toi = round_toi(toi);
        let time = f64::from(toi);
        let (normal, d) = moved.at(time);
        let (normal, d) = (side * normal, side * d);
        let edges = self.edges_at(time).mapped(Vec3::as_dvec3);
        let along = edges.mapped(|edge| normal.dot(edge));
        let reach = along[0].abs() + along[1].abs() + along[2].abs();
        let center = self.center_at(time);
        let margin = 4.0 * error;
        let (position, gap) = match depenetrate(center, (normal, d - margin), reach, f64::NEG_INFINITY) {
            Some((position, gap)) if toi > 0.0 => (position, gap + margin),
            _ => (self.body().center(), normal.dot(self.body().center().as_dvec3()) + d - reach),
        };
        let length = 1.0 / normal.length();
        let contacts = LowestVertex::new(edges, normal, along, FeatureId::NONE).contacts(
            position.as_dvec3(),
            (gap + reach) * length,
            length,
            0.0,
        );
        Sweep::Hit(SweepHit { toi, normal: unit::unit(normal) + Vec3::ZERO, position, contacts })
    }
}
