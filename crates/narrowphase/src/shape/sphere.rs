//! The sphere.

use crate::{Aabb, Error, MAX_COORDINATE, exact::unit};
use glam::Vec3;

/// The points at most `radius` from `center`. A sphere of radius zero is a point, which is legal.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Raw", into = "Raw"))]
pub struct Sphere {
    center: Vec3,
    radius: f32,
}

impl Sphere {
    /// Creates the sphere around `center`.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`], [`Error::Negative`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Error, Sphere, glam::Vec3};
    /// assert_eq!(Sphere::new(Vec3::ZERO, -1.0), Err(Error::Negative { field: "radius" }));
    /// ```
    pub fn new(center: Vec3, radius: f32) -> Result<Self, Error> {
        let center = unit::coordinates(center, "center")? + Vec3::ZERO;
        let radius = unit::length(radius, "radius")?;
        // As for a capsule, the bounds need not be computed far from the end of the range.
        if center.abs().max_element() + radius > 0.5 * MAX_COORDINATE {
            Aabb::around(center, [Vec3::splat(radius)]).ok_or(Error::OutOfRange { field: "radius" })?;
        }
        Ok(Self { center, radius })
    }

    /// Returns the centre.
    pub fn center(&self) -> Vec3 {
        self.center
    }

    /// Returns the radius.
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// Returns the smallest box of `f32` bounds around the sphere.
    ///
    /// ```
    /// # use cullide_narrowphase::{Sphere, glam::Vec3};
    /// assert_eq!(Sphere::new(Vec3::X, 2.0)?.aabb().min(), Vec3::new(-1.0, -2.0, -2.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn aabb(&self) -> Aabb {
        Aabb::around(self.center, [Vec3::splat(self.radius)]).expect("the constructor has checked the bounds")
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Raw {
    center: Vec3,
    radius: f32,
}

#[cfg(feature = "serde")]
impl TryFrom<Raw> for Sphere {
    type Error = Error;
    fn try_from(raw: Raw) -> Result<Self, Error> {
        Self::new(raw.center, raw.radius)
    }
}

#[cfg(feature = "serde")]
impl From<Sphere> for Raw {
    fn from(sphere: Sphere) -> Self {
        Self { center: sphere.center, radius: sphere.radius }
    }
}
