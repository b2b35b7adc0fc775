//! A translating capsule.
//!
//! Reading order: this file; [`plane`]; [`solid`], what the capsule meets; [`contact`], where they
//! touch; [`against_box`], boxes and balls that meet a capsule.

pub(crate) mod against_box;
pub(crate) mod contact;
mod plane;
pub(crate) mod solid;

use super::{straight::exactly_at, time_of_step};
use crate::{Capsule, Error, SphereSweep, exact::unit};
use glam::{DVec3, Vec3};

/// A capsule and the translation of its centre over one step. It does not rotate.
///
/// ```
/// use cullide_narrowphase::{Capsule, CapsuleSweep, Plane, Sides, glam::Vec3};
/// let hero = Capsule::new(Vec3::Y * 6.0, Vec3::Y * 8.0, 2.0)?;
/// let floor = Plane::new(Vec3::Y, 0.0)?;
/// let hit = CapsuleSweep::new(hero, Vec3::Y * -8.0)?.against_plane(&floor, Sides::Front).hit().unwrap();
/// assert_eq!((hit.toi, hit.position, hit.contacts.points()), (0.5, Vec3::Y * 3.0, &[Vec3::ZERO][..]));
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CapsuleSweep {
    pub(super) body: Capsule,
    pub(super) motion: Vec3,
}

impl CapsuleSweep {
    /// Creates the sweep of `body` by `motion`.
    ///
    /// # Errors
    /// [`Error::NonFinite`]; [`Error::OutOfRange`] if the motion leaves the range of coordinates.
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, CapsuleSweep, Error, glam::Vec3};
    /// let hero = Capsule::new(Vec3::ZERO, Vec3::Y, 1.0)?;
    /// assert_eq!(CapsuleSweep::new(hero, Vec3::NAN), Err(Error::NonFinite { field: "motion" }));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(body: Capsule, motion: Vec3) -> Result<Self, Error> {
        let motion = unit::coordinates(motion, "motion")? + Vec3::ZERO;
        body.placed(body.center() + motion).ok_or(Error::OutOfRange { field: "motion" })?;
        Ok(Self { body, motion })
    }

    /// Returns the capsule at the start.
    pub fn body(&self) -> &Capsule {
        &self.body
    }

    /// Returns the translation over the step.
    pub fn motion(&self) -> Vec3 {
        self.motion
    }

    /// Returns the capsule at a time of the step, rounded to `f32`; a time outside the step counts as its nearer end,
    /// NaN as the start.
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, CapsuleSweep, glam::Vec3};
    /// let sweep = CapsuleSweep::new(Capsule::new(Vec3::ZERO, Vec3::Y, 2.0)?, Vec3::X * 8.0)?;
    /// assert_eq!(sweep.pose(0.5), Capsule::new(Vec3::X * 4.0, Vec3::new(4.0, 1.0, 0.0), 2.0)?);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn pose(&self, time: f32) -> Capsule {
        let center = (self.body.center().as_dvec3() + self.motion.as_dvec3() * time_of_step(time)).as_vec3();
        self.body.placed(center).unwrap_or(self.body)
    }

    /// The centre at a time of the step, rounded once.
    pub(crate) fn exactly_at(&self, time: f64) -> DVec3 {
        exactly_at(self.body.center(), self.motion, time)
    }
}

/// A ball as a capsule of zero length.
impl From<SphereSweep> for CapsuleSweep {
    fn from(sweep: SphereSweep) -> Self {
        Self { body: (*sweep.body()).into(), motion: sweep.motion() }
    }
}

#[cfg(test)]
mod tests;
