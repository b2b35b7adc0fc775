//! A translating sphere.
//!
//! Reading order: this file; [`conservative_advancement`], the time of impact along a straight line; [`against_box`],
//! [`aabb`], [`solid`] and [`sphere_sphere`], what the ball or the box meets.

pub(crate) mod aabb;
pub(crate) mod against_box;
pub(super) mod conservative_advancement;
pub(crate) mod solid;
pub(crate) mod sphere_sphere;

use super::{CapsuleSweep, Sweep};
use crate::{
    Error, Plane, Sides, Sphere,
    arrays::Mapped,
    exact::{
        predicate::{Exact, Sum, sign},
        unit,
    },
    lists::Listed,
};
use glam::Vec3;
use std::cmp::Ordering::{self, Equal, Greater, Less};

/// A sphere and the translation of its centre over one step.
///
/// ```
/// use cullide_narrowphase::{Plane, Sides, Sphere, SphereSweep, glam::Vec3};
/// let ball = Sphere::new(Vec3::Y * 6.0, 2.0)?;
/// let floor = Plane::new(Vec3::Y, 0.0)?;
/// let hit = SphereSweep::new(ball, Vec3::Y * -8.0)?.against_plane(&floor, Sides::Front).hit().unwrap();
/// assert_eq!((hit.toi, hit.position, hit.contacts.points()), (0.5, Vec3::Y * 2.0, &[Vec3::ZERO][..]));
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SphereSweep {
    pub(super) body: Sphere,
    pub(super) motion: Vec3,
}

impl SphereSweep {
    /// Creates the sweep of `body` by `motion`.
    ///
    /// # Errors
    /// [`Error::NonFinite`]; [`Error::OutOfRange`] if the motion leaves the range of coordinates.
    ///
    /// ```
    /// # use cullide_narrowphase::{Error, Sphere, SphereSweep, glam::Vec3};
    /// let ball = Sphere::new(Vec3::ZERO, 1.0)?;
    /// assert_eq!(SphereSweep::new(ball, Vec3::NAN), Err(Error::NonFinite { field: "motion" }));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(body: Sphere, motion: Vec3) -> Result<Self, Error> {
        let motion = unit::coordinates(motion, "motion")? + Vec3::ZERO;
        Sphere::new(body.center() + motion, body.radius()).map_err(|_| Error::OutOfRange { field: "motion" })?;
        Ok(Self { body, motion })
    }

    /// Returns the sphere at the start.
    pub fn body(&self) -> &Sphere {
        &self.body
    }

    /// Returns the translation over the step.
    pub fn motion(&self) -> Vec3 {
        self.motion
    }

    /// Returns the first touch of `plane`, with the rules of
    /// [`BoxSweep::against_plane`](crate::BoxSweep::against_plane) and one contact. The verdict is exact for the stored
    /// numbers.
    ///
    /// ```
    /// # use cullide_narrowphase::{Plane, Sides, Sphere, SphereSweep, Sweep, glam::Vec3};
    /// let floor = Plane::new(Vec3::Y, 0.0)?;
    /// let resting = Sphere::new(Vec3::Y * 2.0, 2.0)?;
    /// assert_eq!(SphereSweep::new(resting, Vec3::X)?.against_plane(&floor, Sides::Front), Sweep::Clear);
    /// assert_eq!(SphereSweep::new(resting, Vec3::NEG_Y)?.against_plane(&floor, Sides::Front).hit().unwrap().toi, 0.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_plane(&self, plane: &Plane, sides: Sides) -> Sweep {
        CapsuleSweep::from(*self).against_plane(plane, sides)
    }
}

/// Compares the exact sum of `distance` with `radius` times the length of the plane's normal.
pub(crate) fn order(radius: f32, plane: &Plane, distance: &[f64]) -> Ordering {
    order_beside(f64::from(radius) * plane.normal().as_dvec3().length(), radius, plane, distance)
}

/// The same, given that product as it rounds.
#[inline]
pub(crate) fn order_beside(reach: f64, radius: f32, plane: &Plane, distance: &[f64]) -> Ordering {
    let (sum, magnitude) = distance.iter().fold((0.0, reach), |(sum, size), x| (sum + x, size + x.abs()));
    if (sum - reach).abs() > 8.0 * f64::EPSILON * magnitude {
        return if sum > reach { Greater } else { Less };
    }
    order_exactly(radius.into(), plane, distance)
}

#[cold]
fn order_exactly(radius: f64, plane: &Plane, distance: &[f64]) -> Ordering {
    // Squares compare as the numbers do only if both are positive.
    match sign(distance) {
        Greater => {
            let squared = plane.normal().as_dvec3().to_array().mapped(|x| x * x);
            let reach_squared = Exact::sum(&squared).times(&Exact::sum(&[radius * radius]));
            // The axis of a ball is zero, and so are its terms: without them the product has room without an
            // allocation.
            let terms: Sum = distance.iter().copied().filter(|term| *term != 0.0).listed();
            let distance = Exact::sum(&terms);
            distance.times(&distance).minus(&reach_squared).sign()
        }
        Equal if radius == 0.0 => Equal,
        _ => Less,
    }
}

#[cfg(test)]
mod tests;
