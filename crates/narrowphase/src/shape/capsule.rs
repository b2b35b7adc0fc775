//! The capsule.

use crate::{Aabb, Error, MAX_COORDINATE, Obb, Sphere, exact::unit};
use glam::{DVec3, Vec3};

/// The points at most `radius` from a segment. The segment may have zero length, which makes the capsule a ball, and
/// the radius may be zero.
///
/// The capsule stores the middle of the segment and the vector from there to one end, `center ± half_axis`, so that a
/// moving capsule keeps its shape bit for bit, as an [`Obb`] does.
///
/// Source: Ericson, "Real-Time Collision Detection", §4.5 (sphere-swept volumes).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Raw", into = "Raw"))]
pub struct Capsule {
    center: Vec3,
    half_axis: Vec3,
    radius: f32,
}

impl Capsule {
    /// Creates the capsule around the segment from `a` to `b`. The centre and the half axis are rounded to `f32` once
    /// each; for points on a grid they are exact. All tests answer for the stored numbers.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`], [`Error::Negative`] for the radius.
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, Error, glam::Vec3};
    /// let hero = Capsule::new(Vec3::Y * 0.5, Vec3::Y * 1.5, 0.5)?;
    /// assert_eq!((hero.center(), hero.half_axis()), (Vec3::Y, Vec3::Y * 0.5));
    /// assert_eq!(Capsule::new(Vec3::ZERO, Vec3::Y, -1.0), Err(Error::Negative { field: "radius" }));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(a: Vec3, b: Vec3, radius: f32) -> Result<Self, Error> {
        let [a, b] = [unit::coordinates(a, "a")?.as_dvec3(), unit::coordinates(b, "b")?.as_dvec3()];
        Self::from_half_axis((0.5 * (a + b)).as_vec3(), (0.5 * (b - a)).as_vec3(), radius)
    }

    /// Creates the capsule around the segment `center ± half_axis`.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`], [`Error::Negative`] for the radius.
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, glam::Vec3};
    /// let hero = Capsule::from_half_axis(Vec3::Y, Vec3::Y * 0.5, 0.5)?;
    /// assert_eq!(hero, Capsule::new(Vec3::Y * 0.5, Vec3::Y * 1.5, 0.5)?);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn from_half_axis(center: Vec3, half_axis: Vec3, radius: f32) -> Result<Self, Error> {
        let center = unit::coordinates(center, "center")? + Vec3::ZERO;
        let half_axis = unit::coordinates(half_axis, "half_axis")? + Vec3::ZERO;
        let radius = unit::length(radius, "radius")?;
        let capsule = Self { center, half_axis, radius };
        // Within half of the range, rounding cannot take the bounds out of it, so they need not be computed.
        let reach = center.abs() + half_axis.abs() + radius;
        if reach.max_element() > 0.5 * MAX_COORDINATE {
            capsule.bounds().ok_or(Error::OutOfRange { field: "radius" })?;
        }
        Ok(capsule)
    }

    /// Returns the middle of the segment.
    pub fn center(&self) -> Vec3 {
        self.center
    }

    /// Returns the vector from the middle of the segment to its second end.
    pub fn half_axis(&self) -> Vec3 {
        self.half_axis
    }

    /// Returns the ends of the segment, rounded.
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, glam::Vec3};
    /// assert_eq!(Capsule::new(Vec3::Y, Vec3::X * 3.0, 1.0)?.ends(), [Vec3::Y, Vec3::X * 3.0]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn ends(&self) -> [Vec3; 2] {
        [self.center - self.half_axis + Vec3::ZERO, self.center + self.half_axis + Vec3::ZERO]
    }

    /// Returns the radius.
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// Returns the smallest box of `f32` bounds around the capsule.
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, glam::Vec3};
    /// let aabb = Capsule::new(Vec3::ZERO, Vec3::X * 3.0, 1.0)?.aabb();
    /// assert_eq!((aabb.min(), aabb.max()), (Vec3::splat(-1.0), Vec3::new(4.0, 1.0, 1.0)));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn aabb(&self) -> Aabb {
        self.bounds().expect("the constructor has checked the bounds")
    }

    fn bounds(&self) -> Option<Aabb> {
        Aabb::around(self.center, [self.half_axis.abs(), Vec3::splat(self.radius)])
    }

    /// The segment as a box with a single edge.
    pub(crate) fn rod(&self) -> Obb {
        let edges = [self.half_axis, Vec3::ZERO, Vec3::ZERO];
        Obb::from_half_edges(self.center, edges).expect("the segment lies within the bounds, which have been checked")
    }

    /// The same capsule around another centre; `None` if that is out of range.
    pub(crate) fn placed(&self, center: Vec3) -> Option<Self> {
        Self::from_half_axis(center, self.half_axis, self.radius).ok()
    }

    /// The half axis in `f64`.
    pub(crate) fn wide_axis(&self) -> DVec3 {
        self.half_axis.as_dvec3()
    }
}

/// The ball as a capsule of zero length.
impl From<Sphere> for Capsule {
    fn from(sphere: Sphere) -> Self {
        Self { center: sphere.center(), half_axis: Vec3::ZERO, radius: sphere.radius() }
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Raw {
    center: Vec3,
    half_axis: Vec3,
    radius: f32,
}

#[cfg(feature = "serde")]
impl TryFrom<Raw> for Capsule {
    type Error = Error;
    fn try_from(raw: Raw) -> Result<Self, Error> {
        Self::from_half_axis(raw.center, raw.half_axis, raw.radius)
    }
}

#[cfg(feature = "serde")]
impl From<Capsule> for Raw {
    fn from(capsule: Capsule) -> Self {
        Self { center: capsule.center, half_axis: capsule.half_axis, radius: capsule.radius }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_ends_where_the_bounds_leave_it() {
        let out = Some(Error::OutOfRange { field: "radius" });
        for share in [0.25, 0.5, 0.75] {
            let (center, left) = (Vec3::NEG_Z * MAX_COORDINATE * share, MAX_COORDINATE * (1.0 - share));
            let of = |half_axis: Vec3, radius: f32| Capsule::from_half_axis(center, half_axis, radius).err();
            assert_eq!([of(Vec3::Z * left, 0.0), of(Vec3::ZERO, left), of(Vec3::Z * left, 1e-30)], [None, None, out]);
            assert_eq!([of(Vec3::ZERO, left.next_up()), of(Vec3::Z * left.next_up(), 0.0)], [out, out]);
        }
    }
}
