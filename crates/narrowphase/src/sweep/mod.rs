//! Sweeps: where a moving box, ball or capsule first touches something, and with which of its features.
//!
//! A sweep covers one step of motion, half-open: times of impact lie in `[0, 1)`, and a touch exactly at 1 belongs to
//! the next step, which reports it at 0. A volume that moves away from a surface or along it never hits it, however
//! close it is.

mod against;
mod body_way;
pub(crate) mod capsule;
mod cylinder;
mod moving_pair;
pub(crate) mod passing;
pub(crate) mod plane;
pub(crate) mod rotating;
pub(crate) mod solid;
pub(crate) mod sphere;
mod straight;

pub use against::{Filtered, Limit};
pub use body_way::{BodyWay, Meets, Touches};
pub use capsule::CapsuleSweep;
pub use plane::{BoxColumns, PlaneColumns, PlaneTouch, Sides};
pub use rotating::{Budget, BudgetedSweep, PlaneMotion, RotationCache, TurningBoxSweep};
pub use sphere::SphereSweep;

use crate::{Contacts, Error, MAX_COORDINATE, Obb, exact::unit};
use glam::{Vec3, Vec4};
use std::fmt;

/// How a sweep ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sweep {
    /// Nothing is touched before the end of the step, or only while moving away from it or along it.
    Clear,
    /// The first touch.
    Hit(SweepHit),
    /// The interiors already overlap at the start.
    Overlap(Overlap),
}

impl Sweep {
    /// Returns the hit, if it is one.
    pub fn hit(self) -> Option<SweepHit> {
        if let Self::Hit(hit) = self { Some(hit) } else { None }
    }

    /// Returns the initial overlap, if it is one.
    pub fn overlap(self) -> Option<Overlap> {
        if let Self::Overlap(overlap) = self { Some(overlap) } else { None }
    }
}

/// The first touch of a moving volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepHit {
    /// Time of impact in `[0, 1)` of the step, rounded toward zero.
    pub toi: f32,
    /// Unit normal of the surface that is hit, against the motion.
    pub normal: Vec3,
    /// The volume's centre at the impact, rounded so that it does not penetrate what it hits.
    pub position: Vec3,
    /// Where the two touch.
    pub contacts: Contacts,
}

/// Interiors that overlap before anything has moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// How far to move along `normal` until the two only touch.
    pub depth: f32,
    /// Unit direction of the shortest way out.
    pub normal: Vec3,
    /// The deepest points of the moving volume.
    pub contacts: Contacts,
}

/// An oriented box and the translation of its centre over one step.
///
/// ```
/// use cullide_narrowphase::{BoxSweep, Obb, Plane, Sides, glam::{Quat, Vec3}};
/// let crate_ = Obb::new(Vec3::Y * 6.0, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
/// let floor = Plane::new(Vec3::Y, 0.0)?;
/// let hit = BoxSweep::new(crate_, Vec3::Y * -8.0)?.against_plane(&floor, Sides::Front).hit().unwrap();
/// assert_eq!((hit.toi, hit.position, hit.contacts.points().len()), (0.5, Vec3::Y * 2.0, 4));
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq)]
#[repr(C)]
pub struct BoxSweep {
    // First, where the error of a result lies: what shares that place is copied in pieces, and reading it whole right
    // afterwards stalls. It holds the motion and the sum of the sizes of all coordinates of the motion and the body,
    // which bounds the error of sums of their products with a normal. It is one vector, since it is read as one right
    // after being written.
    path: Vec4,
    body: Obb,
}

impl BoxSweep {
    /// Creates the sweep of `body` by `motion`.
    ///
    /// # Errors
    /// [`Error::NonFinite`]; [`Error::OutOfRange`] if the motion leaves the range of coordinates.
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Error, Obb, glam::{Quat, Vec3}};
    /// let body = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::ONE)?;
    /// assert_eq!(BoxSweep::new(body, Vec3::NAN), Err(Error::NonFinite { field: "motion" }));
    /// # Ok::<(), Error>(())
    /// ```
    #[inline]
    pub fn new(body: Obb, motion: Vec3) -> Result<Self, Error> {
        let path = checked_path(&body, motion)?;
        Ok(Self { path, body })
    }

    /// Returns the box at the start.
    pub fn body(&self) -> &Obb {
        &self.body
    }

    /// Returns the translation over the step.
    pub fn motion(&self) -> Vec3 {
        self.path.truncate()
    }

    /// The sweep of a box that does not move.
    fn at_rest(body: &Obb) -> Self {
        Self { path: Vec3::ZERO.extend(sizes(body, Vec3::ZERO).element_sum()), body: *body }
    }
}

impl fmt::Debug for BoxSweep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoxSweep").field("body", &self.body).field("motion", &self.motion()).finish()
    }
}

/// For each axis, the sum of the sizes of all coordinates of the box and its motion, or a rounding more.
#[inline(always)]
fn sizes(body: &Obb, motion: Vec3) -> Vec3 {
    body.aabb().min().abs().max(body.aabb().max().abs()) + motion.abs()
}

/// Returns the path of a motion that is finite and leaves the box within the range of coordinates.
#[inline(always)]
fn checked_path(body: &Obb, motion: Vec3) -> Result<Vec4, Error> {
    let motion = unit::coordinates(motion, "motion")? + Vec3::ZERO;
    // Nearly every box is far from the end of the range; the others are moved there to check.
    let sizes = sizes(body, motion);
    if !sizes.cmple(Vec3::splat(0.5 * MAX_COORDINATE)).all() {
        checked_far(*body, motion)?;
    }
    Ok(motion.extend(sizes.element_sum()))
}

/// The same for a box near the end of the range. It takes a copy, so that nearly every box stays in registers.
#[cold]
fn checked_far(body: Obb, motion: Vec3) -> Result<(), Error> {
    body.translated(motion).map(drop).map_err(|_| Error::OutOfRange { field: "motion" })
}

/// A time of the step; a time outside the step counts as its nearer end, NaN as the start.
pub(crate) fn time_of_step(time: f32) -> f64 {
    if time > 0.0 { f64::from(time.min(1.0)) } else { 0.0 }
}

/// The bits of an `f64` that an `f32` lacks.
const F64_ONLY_BITS: u64 = (1 << (f64::MANTISSA_DIGITS - f32::MANTISSA_DIGITS)) - 1;

/// The largest `f32` time of impact that is not after `toi`, below 1.
#[inline(always)]
pub(crate) fn round_toi(toi: f64) -> f32 {
    let toi = if toi > 0.0 { toi } else { 0.0 };
    let rounded = toi as f32;
    // If it is above a time of zero or more, it is positive, and the bits of the number before it are its own less one.
    let rounded = if f64::from(rounded) > toi { f32::from_bits(rounded.to_bits() - 1) } else { rounded };
    rounded.clamp(0.0, 1f32.next_down())
}
