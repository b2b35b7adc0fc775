//! The axis-aligned box.

mod around;

use crate::{Error, MAX_COORDINATE, Obb, exact::unit};
use glam::{Vec3, Vec4};

/// An axis-aligned box, stored as its bounds; never empty, never inverted. A box of zero size is a point, which is
/// legal.
///
/// Only the minimum and the maximum are stored: converting to a centre and half extents and back would shrink the box
/// by a rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Raw", into = "Raw"))]
pub struct Aabb {
    min: Vec3,
    max: Vec3,
}

impl Aabb {
    /// Creates the box from `min` to `max`.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`], [`Error::Inverted`] when `min` exceeds `max` on an axis.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Error, glam::Vec3};
    /// assert!(Aabb::new(Vec3::ZERO, Vec3::ZERO).is_ok());
    /// assert_eq!(Aabb::new(Vec3::X, Vec3::Y), Err(Error::Inverted { field: "min" }));
    /// ```
    #[inline(always)]
    pub fn new(min: Vec3, max: Vec3) -> Result<Self, Error> {
        // Vectors of four, because vectors of three would be compared one component at a time. The added components are
        // in order whenever the others are.
        let (low, high) = (min.extend(max.x), max.extend(max.x));
        let limit = Vec4::splat(MAX_COORDINATE);
        if (low.cmpge(-limit) & low.cmple(high) & high.cmple(limit)).all() {
            // Adding zero turns −0.0 into 0.0.
            let plain = |v: Vec3| Vec3::new(v.x + 0.0, v.y + 0.0, v.z + 0.0);
            Ok(Self { min: plain(min), max: plain(max) })
        } else {
            Err(refusal(min.x, min.y, min.z, max.x, max.y, max.z))
        }
    }

    /// Creates the smallest box of `f32` bounds that contains `center ± half_extents`.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`], [`Error::Negative`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, glam::Vec3};
    /// let aabb = Aabb::from_center_half_extents(Vec3::ONE, Vec3::new(1.0, 2.0, 3.0))?;
    /// assert_eq!(aabb.min(), Vec3::new(0.0, -1.0, -2.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn from_center_half_extents(center: Vec3, half_extents: Vec3) -> Result<Self, Error> {
        let center = unit::coordinates(center, "center")?;
        let half_extents = unit::coordinates(half_extents, "half_extents")?;
        if half_extents.min_element() < 0.0 {
            return Err(Error::Negative { field: "half_extents" });
        }
        Self::around(center, [half_extents]).ok_or(Error::OutOfRange { field: "half_extents" })
    }

    /// Creates the smallest box that contains all `points`.
    ///
    /// # Errors
    /// [`Error::TooFew`] without a point, [`Error::NonFinite`], [`Error::OutOfRange`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, glam::Vec3};
    /// assert_eq!(Aabb::from_points([Vec3::X, Vec3::Y])?.max(), Vec3::new(1.0, 1.0, 0.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn from_points(points: impl IntoIterator<Item = Vec3>) -> Result<Self, Error> {
        let mut bounds: Option<Self> = None;
        for point in points {
            let point = unit::coordinates(point, "points")? + Vec3::ZERO;
            let point = Self { min: point, max: point };
            bounds = Some(bounds.map_or(point, |b| b.union(&point)));
        }
        bounds.ok_or(Error::TooFew { field: "points" })
    }

    /// Creates a box from corners that are known to be in range and in order.
    pub(crate) fn of_corners(min: Vec3, max: Vec3) -> Self {
        Self { min: min + Vec3::ZERO, max: max + Vec3::ZERO }
    }

    /// Returns the lower bounds.
    pub fn min(&self) -> Vec3 {
        self.min
    }

    /// Returns the upper bounds.
    pub fn max(&self) -> Vec3 {
        self.max
    }

    /// Returns the middle, rounded.
    pub fn center(&self) -> Vec3 {
        0.5 * self.min + 0.5 * self.max
    }

    /// Returns half the size, rounded.
    pub fn half_extents(&self) -> Vec3 {
        0.5 * self.max - 0.5 * self.min
    }

    /// Returns `max − min`, rounded.
    pub fn size(&self) -> Vec3 {
        self.max - self.min
    }

    /// Returns the area of the six faces, in `f64` so that it cannot overflow.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, glam::Vec3};
    /// assert_eq!(Aabb::new(Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0))?.surface_area(), 22.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn surface_area(&self) -> f64 {
        let size = self.max.as_dvec3() - self.min.as_dvec3();
        2.0 * (size.x * size.y + size.y * size.z + size.z * size.x)
    }

    /// Returns the smallest box that contains both.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, glam::Vec3};
    /// let (a, b) = (Aabb::new(Vec3::ZERO, Vec3::ONE)?, Aabb::new(Vec3::ONE, Vec3::splat(3.0))?);
    /// assert_eq!(a.union(&b), Aabb::new(Vec3::ZERO, Vec3::splat(3.0))?);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Returns the box that both contain, or `None` when they do not touch.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, glam::Vec3};
    /// let (a, b) = (Aabb::new(Vec3::ZERO, Vec3::ONE)?, Aabb::new(Vec3::ONE, Vec3::splat(3.0))?);
    /// assert_eq!(a.intersection(&b), Some(Aabb::new(Vec3::ONE, Vec3::ONE)?));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        self.overlaps(other).then(|| Self { min: self.min.max(other.min), max: self.max.min(other.max) })
    }

    /// Returns whether the boxes share a point, exactly; touching counts.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, glam::Vec3};
    /// let (a, b) = (Aabb::new(Vec3::ZERO, Vec3::ONE)?, Aabb::new(Vec3::X, Vec3::new(2.0, 3.0, 5.0))?);
    /// assert!(a.overlaps(&b));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn overlaps(&self, other: &Self) -> bool {
        (self.min.cmple(other.max) & other.min.cmple(self.max)).all()
    }

    /// Returns whether `other` lies entirely in this box, exactly.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, glam::Vec3};
    /// let a = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
    /// assert!(a.contains(&a));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn contains(&self, other: &Self) -> bool {
        (self.min.cmple(other.min) & other.max.cmple(self.max)).all()
    }

    /// Returns whether `point` lies in this box or on its surface, exactly; `false` for a NaN.
    pub(crate) fn contains_point(&self, point: Vec3) -> bool {
        (self.min.cmple(point) & point.cmple(self.max)).all()
    }

    /// Returns the vertex farthest along `direction` (its p-vertex); on an axis along which `direction` is zero, the
    /// upper bound.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, glam::Vec3};
    /// let aabb = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?;
    /// assert_eq!(aabb.support(Vec3::new(-1.0, 1.0, 1.0)), Vec3::new(0.0, 3.0, 5.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn support(&self, direction: Vec3) -> Vec3 {
        Vec3::select(direction.cmpge(Vec3::ZERO), self.max, self.min)
    }

    /// Returns this box expanded by `margin` on every side. Bounds are rounded outward, so that a small margin is never
    /// lost, and stop at [`MAX_COORDINATE`](crate::MAX_COORDINATE). A margin that is zero, negative or NaN is a no-op.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, glam::Vec3};
    /// assert_eq!(Aabb::new(Vec3::ZERO, Vec3::ONE)?.expanded(2.0).max(), Vec3::splat(3.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[must_use]
    pub fn expanded(&self, margin: f32) -> Self {
        if margin.is_nan() || margin <= 0.0 {
            return *self;
        }
        let (margin, limit) = (Vec3::splat(margin.min(MAX_COORDINATE)), Vec3::splat(MAX_COORDINATE));
        let (min, max) = self.bounds_grown(margin, margin);
        Self { min: min.max(-limit), max: max.min(limit) }
    }
}

/// The smallest axis-aligned box around an oriented one, rounded outward.
impl From<&Obb> for Aabb {
    fn from(obb: &Obb) -> Self {
        obb.aabb()
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Raw {
    min: Vec3,
    max: Vec3,
}

#[cfg(feature = "serde")]
impl TryFrom<Raw> for Aabb {
    type Error = Error;
    fn try_from(raw: Raw) -> Result<Self, Error> {
        Self::new(raw.min, raw.max)
    }
}

#[cfg(feature = "serde")]
impl From<Aabb> for Raw {
    fn from(aabb: Aabb) -> Self {
        Self { min: aabb.min, max: aabb.max }
    }
}

/// The error for bounds that do not form a box. It takes scalars, which are passed in registers; vectors would be
/// stored to memory just in case of an error.
#[cold]
fn refusal(x: f32, y: f32, z: f32, top_x: f32, top_y: f32, top_z: f32) -> Error {
    let (min, max) = (Vec3::new(x, y, z), Vec3::new(top_x, top_y, top_z));
    let range = unit::coordinates(min, "min").and_then(|_| unit::coordinates(max, "max"));
    range.err().unwrap_or(Error::Inverted { field: "min" })
}
