//! Boxes that rotate while they move, against planes, solids and bodies that may do the same: the time of impact by
//! conservative advancement with a bound on the curvature.
//!
//! The time of impact has no closed form, so it is approached from before, in steps that certainly skip no touch.
//! Reading order, alongside Mirtich's thesis (§2.3) and Catto's "Continuous Collision":
//!
//! 1. this file: a box, its motion, rotation and acceleration over a step, and its pose at any time;
//! 2. [`rotation`]: sine, cosine and Rodrigues' formula, with the same bits on every target;
//! 3. [`toi`]: the first zero of a gap, given its value and rate at any time and a bound on its curvature;
//! 4. [`face_toi`]: that gap along a fixed normal in closed form, for a plane or for a facet of a solid; [`plane`] is
//!    its first use;
//! 5. [`separating_plane`]: the same along a normal that rotates, for when everything along fixed normals comes closer;
//! 6. [`solid`]: the loop over facets against a convex solid at rest;
//! 7. [`rotating_pair`], [`sphere`], [`moving_plane`]: the same loop where both rotate, and for round and flat shapes;
//! 8. [`budget`]: how much of this work a caller allows.

pub(crate) mod budget;
mod face_toi;
mod moving_plane;
mod plane;
mod rotating_pair;
pub(crate) mod rotation;
mod separating_plane;
mod solid;
mod sphere;
mod toi;

pub use budget::{Budget, BudgetedSweep};
pub use moving_plane::PlaneMotion;
pub use rotation::RotationCache;

use super::{BoxSweep, SweepHit, checked_path, time_of_step};
use crate::{Error, MAX_COORDINATE, Obb, arrays::Mapped, exact::unit};
use glam::{DVec3, DVec4, Vec3, Vec4};
use rotation::{AngularMotion, MAX_ANGLE};

/// An oriented box that moves and rotates about its centre over one step.
///
/// At the time `t`, a fraction of the step, the centre is at `center + motion t + ½ acceleration t²`, and the box has
/// rotated by `rotation t`, a rotation vector: its direction is the axis, its length the angle in radians, which may be
/// several full rotations. The stored `f32` numbers are taken as exact.
///
/// ```
/// use cullide_narrowphase::{BoxSweep, Obb, Plane, Sides, glam::{Quat, Vec3}};
/// // A bar that spins half a turn above the floor: clear of it at both ends of the step, and deep in it in between.
/// let bar = Obb::new(Vec3::Y * 0.5, Quat::IDENTITY, Vec3::new(1.0, 0.1, 0.2))?;
/// let sweep = BoxSweep::new(bar, Vec3::ZERO)?.rotating(Vec3::Z * std::f32::consts::PI)?;
/// let floor = Plane::new(Vec3::Y, 0.0)?;
/// let hit = sweep.against_plane(&floor, Sides::Front, 0.0).hit().unwrap();
/// assert!((hit.toi - 0.134).abs() < 1e-3);
/// assert!(floor.gap(&sweep.body_at(&hit), Sides::Front).separation >= 0.0);
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurningBoxSweep {
    sweep: BoxSweep,
    rotation: Vec3,
    acceleration: Vec3,
}

impl BoxSweep {
    /// Returns the same sweep of a box that rotates by `rotation`, a rotation vector in radians over the step.
    ///
    /// # Errors
    /// [`Error::NonFinite`], or [`Error::OutOfRange`] for more than 2^16 radians and for a box that would leave the
    /// range of coordinates.
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Error, Obb, glam::{Quat, Vec3}};
    /// let sweep = BoxSweep::new(Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::ONE)?, Vec3::X)?;
    /// assert_eq!(sweep.rotating(Vec3::Y * 9.0)?.rotation(), Vec3::Y * 9.0);
    /// assert_eq!(sweep.rotating(Vec3::Y * 7e4), Err(Error::OutOfRange { field: "rotation" }));
    /// # Ok::<(), Error>(())
    /// ```
    #[inline]
    pub fn rotating(self, rotation: Vec3) -> Result<TurningBoxSweep, Error> {
        TurningBoxSweep::checked(&self.body, self.path, rotation)
    }
}

/// A rotation vector that is finite and within [`MAX_ANGLE`].
#[inline(always)]
pub(crate) fn checked_rotation(rotation: Vec3) -> Result<Vec3, Error> {
    let rotation = unit::coordinates(rotation, "rotation")? + Vec3::ZERO;
    // Nearly every rotation is far smaller.
    if rotation.abs().element_sum() > 0.5 * MAX_ANGLE as f32 && rotation.as_dvec3().length() > MAX_ANGLE {
        return Err(Error::OutOfRange { field: "rotation" });
    }
    Ok(rotation)
}

impl TurningBoxSweep {
    /// Creates the sweep of `body` by `motion` while it rotates by `rotation`: [`BoxSweep::new`] and
    /// [`BoxSweep::rotating`] in one.
    ///
    /// # Errors
    /// Those of [`BoxSweep::new`] and [`BoxSweep::rotating`].
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Obb, TurningBoxSweep, glam::{Quat, Vec3}};
    /// let body = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::ONE)?;
    /// assert_eq!(TurningBoxSweep::new(&body, Vec3::X, Vec3::Y), BoxSweep::new(body, Vec3::X)?.rotating(Vec3::Y));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[inline(always)]
    pub fn new(body: &Obb, motion: Vec3, rotation: Vec3) -> Result<Self, Error> {
        Self::checked(body, checked_path(body, motion)?, rotation)
    }

    /// Creates the sweep for a path that has been checked.
    #[inline(always)]
    fn checked(body: &Obb, path: Vec4, rotation: Vec3) -> Result<Self, Error> {
        let rotation = checked_rotation(rotation)?;
        if !is_in_range(body, path.truncate(), Vec3::ZERO) {
            return Err(Error::OutOfRange { field: "rotation" });
        }
        Ok(Self { sweep: BoxSweep { path, body: *body }, rotation, acceleration: Vec3::ZERO })
    }

    /// Returns the same sweep under a constant acceleration, in units of length per step squared: the centre ends at
    /// `center + motion + ½ acceleration`.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`].
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Obb, glam::{Quat, Vec3}};
    /// let body = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::ONE)?;
    /// let thrown = BoxSweep::new(body, Vec3::Y * 2.0)?.rotating(Vec3::Z)?.accelerated(Vec3::Y * -4.0)?;
    /// assert_eq!(thrown.pose(0.5).center(), Vec3::Y * 0.5);
    /// assert_eq!(thrown.pose(1.0).center(), Vec3::ZERO);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn accelerated(self, acceleration: Vec3) -> Result<Self, Error> {
        let acceleration = unit::coordinates(acceleration, "acceleration")? + Vec3::ZERO;
        if !is_in_range(self.body(), self.motion(), acceleration) {
            return Err(Error::OutOfRange { field: "acceleration" });
        }
        Ok(Self { acceleration, ..self })
    }

    /// Returns the sweep without its rotation and its acceleration.
    pub fn translating(&self) -> &BoxSweep {
        &self.sweep
    }

    /// Returns the box at the start.
    pub fn body(&self) -> &Obb {
        self.sweep.body()
    }

    /// Returns the translation over the step, without that by the acceleration.
    pub fn motion(&self) -> Vec3 {
        self.sweep.motion()
    }

    /// Returns the rotation vector of the step.
    pub fn rotation(&self) -> Vec3 {
        self.rotation
    }

    /// Returns the acceleration.
    pub fn acceleration(&self) -> Vec3 {
        self.acceleration
    }

    /// Returns the box at a time of the step, rounded to `f32`; a time outside the step counts as its nearer end, NaN
    /// as the start.
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Obb, glam::{Quat, Vec3}};
    /// let body = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// let sweep = BoxSweep::new(body, Vec3::X * 8.0)?.rotating(Vec3::Z * std::f32::consts::PI)?;
    /// assert_eq!(sweep.pose(0.0), body);
    /// let half_way = sweep.pose(0.5);
    /// assert!(half_way.center() == Vec3::X * 4.0 && half_way.half_edges()[0].distance(Vec3::Y) < 1e-6);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[inline]
    pub fn pose(&self, time: f32) -> Obb {
        let time = time_of_step(time);
        self.placed(self.center_at(time).as_vec3(), self.edges_at(time))
    }

    /// Returns the box at the end of the step: [`TurningBoxSweep::pose`] at 1, bit for bit. This takes half the time if
    /// the rotation is that of the previous step, whose matrix the `cache` holds.
    ///
    /// ```
    /// use cullide_narrowphase::{BoxSweep, Obb, RotationCache, glam::{Quat, Vec3}};
    /// let mut body = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// let mut cache = RotationCache::default();
    /// for _ in 0..5 {
    ///     let sweep = BoxSweep::new(body, Vec3::X)?.rotating(Vec3::Y * 0.5)?;
    ///     body = sweep.end(&mut cache);
    ///     assert_eq!(body, sweep.pose(1.0));
    /// }
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[inline]
    #[doc(hidden)]
    pub fn end(&self, cache: &mut RotationCache) -> Obb {
        let [x, y, z] = cache.rotated(self.rotation, self.rows());
        self.placed(self.center_at(1.0).as_vec3(), edges_of([x.as_vec4(), y.as_vec4(), z.as_vec4()]))
    }

    /// Returns the box at a hit of this sweep: rotated as it is at the time of impact, with its centre at the hit's
    /// position. As stored, in exact arithmetic, it does not penetrate a plane that does not rotate.
    #[inline]
    #[doc(hidden)]
    pub fn body_at(&self, hit: &SweepHit) -> Obb {
        self.placed(hit.position, self.edges_at(hit.toi.into()))
    }

    /// A box of the sweep; the constructors have checked that it is within the range of coordinates.
    #[inline]
    fn placed(&self, center: Vec3, half_edges: [Vec3; 3]) -> Obb {
        Obb::bounded(center, half_edges).unwrap_or(*self.body())
    }

    #[inline]
    fn angular_motion(&self) -> AngularMotion {
        AngularMotion::new(self.rotation.as_dvec3())
    }

    #[inline]
    pub(crate) fn center_at(&self, time: f64) -> DVec3 {
        let rate = self.motion().as_dvec3() + self.acceleration.as_dvec3() * (0.5 * time);
        self.body().center().as_dvec3() + rate * time
    }

    /// The half edges at a time, in `f64`.
    pub(crate) fn rotated_edges(&self, time: f64) -> [DVec3; 3] {
        self.edges_f64_at(&self.angular_motion(), time)
    }

    /// The same for an angular motion that is known.
    fn edges_f64_at(&self, angular: &AngularMotion, time: f64) -> [DVec3; 3] {
        let [x, y, z] = angular.rotated(self.rows(), time);
        [DVec3::new(x.x, y.x, z.x), DVec3::new(x.y, y.y, z.y), DVec3::new(x.z, y.z, z.z)]
    }

    /// The half edges at the start, by coordinate.
    #[inline(always)]
    fn rows(&self) -> [DVec4; 3] {
        let [x, y, z] = self.body().rows();
        [x.with_w(0.0).as_dvec4(), y.with_w(0.0).as_dvec4(), z.with_w(0.0).as_dvec4()]
    }

    /// The half edges at a time, by coordinate, each rounded once to `f32`.
    #[inline(always)]
    fn rows_at(&self, angular: &AngularMotion, time: f64) -> [Vec4; 3] {
        angular.rotated(self.rows(), time).mapped(|row| row.as_vec4())
    }

    /// The same, by edge.
    #[inline(always)]
    fn edges_at(&self, time: f64) -> [Vec3; 3] {
        edges_of(self.rows_at(&self.angular_motion(), time))
    }

    /// Whether the translating sweep has the answer.
    fn only_translates(&self) -> bool {
        self.rotation == Vec3::ZERO && self.acceleration == Vec3::ZERO
    }
}

/// Three edges by coordinate, as vectors.
#[inline(always)]
fn edges_of([x, y, z]: [Vec4; 3]) -> [Vec3; 3] {
    [Vec3::new(x.x, y.x, z.x), Vec3::new(x.y, y.y, z.y), Vec3::new(x.z, y.z, z.z)]
}

/// Whether a box stays within the range of coordinates, however it rotates, with a little to spare for rounding.
#[inline(always)]
fn is_in_range(body: &Obb, motion: Vec3, acceleration: Vec3) -> bool {
    // Nearly every box is far from the end of the range; no edge is longer than the sum of its coordinates' sizes.
    let ([x, y, z], path) = (body.rows(), motion.abs() + acceleration.abs());
    let size = (x.abs() + y.abs() + z.abs()).truncate().element_sum();
    let farthest = (body.center().abs() + path).max_element() + size;
    farthest <= 0.25 * MAX_COORDINATE || is_just_in_range(body, motion, acceleration)
}

#[cold]
fn is_just_in_range(body: &Obb, motion: Vec3, acceleration: Vec3) -> bool {
    let path = motion.as_dvec3().abs() + 0.5 * acceleration.as_dvec3().abs();
    let size: f64 = body.wide_edges().iter().map(|edge| edge.length()).sum();
    let farthest = (body.center().as_dvec3().abs() + path).max_element() + size;
    farthest <= f64::from(MAX_COORDINATE) * (1.0 - f64::from(f32::EPSILON))
}

#[cfg(test)]
mod tests;
