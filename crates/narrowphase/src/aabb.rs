//! The axis-aligned box.

use crate::{Error, Obb, unit};
use glam::{Vec3, Vec4};

/// An axis-aligned box, stored as its bounds; never empty, never inverted. A box of zero size is a point, and legal.
///
/// Only min and max are stored: going through a centre and half extents would shrink the box by a rounding (source 004).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Raw", into = "Raw"))]
pub struct Aabb {
    min: Vec3,
    max: Vec3,
}

impl Aabb {
    /// The box from `min` to `max`.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`], [`Error::Inverted`] when `min` exceeds `max` on an axis.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Error, glam::Vec3};
    /// assert!(Aabb::new(Vec3::ZERO, Vec3::ZERO).is_ok());
    /// assert_eq!(Aabb::new(Vec3::X, Vec3::Y), Err(Error::Inverted { field: "min" }));
    /// ```
    #[inline]
    pub fn new(min: Vec3, max: Vec3) -> Result<Self, Error> {
        let (min, max) = (unit::coordinates(min, "min")?, unit::coordinates(max, "max")?);
        // Adding zero turns −0.0 into 0.0.
        if min.cmple(max).all() {
            Ok(Self { min: min + Vec3::ZERO, max: max + Vec3::ZERO })
        } else {
            Err(Error::Inverted { field: "min" })
        }
    }

    /// The smallest box of `f32` bounds that contains `center ± half_extents`.
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

    /// The smallest box that contains all `points`.
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

    /// The lower bounds.
    pub fn min(&self) -> Vec3 {
        self.min
    }

    /// The upper bounds.
    pub fn max(&self) -> Vec3 {
        self.max
    }

    /// The middle, rounded.
    pub fn center(&self) -> Vec3 {
        0.5 * self.min + 0.5 * self.max
    }

    /// Half the size, rounded.
    pub fn half_extents(&self) -> Vec3 {
        0.5 * self.max - 0.5 * self.min
    }

    /// `max − min`, rounded.
    pub fn size(&self) -> Vec3 {
        self.max - self.min
    }

    /// The area of the six faces, in `f64` so that it cannot overflow.
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

    /// The smallest box that contains both.
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

    /// What both contain, or `None` when they do not touch.
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

    /// Whether both boxes share a point, exactly; touching counts.
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

    /// Whether `other` lies in this box entirely, exactly.
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

    /// Whether `point` lies in this box or on its surface, exactly; a NaN does not.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, glam::Vec3};
    /// assert!(Aabb::new(Vec3::ZERO, Vec3::ONE)?.contains_point(Vec3::ONE));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn contains_point(&self, point: Vec3) -> bool {
        (self.min.cmple(point) & point.cmple(self.max)).all()
    }

    /// The vertex farthest along `direction` (its p-vertex); the upper one on an axis along which `direction` is zero.
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

    /// This box grown outward by `margin` on every side, rounded outward so that a small margin is never lost; bounds stop at
    /// [`MAX_COORDINATE`](crate::MAX_COORDINATE). A margin that is not positive changes nothing.
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
        let margin = f64::from(margin.min(unit::MAX_COORDINATE));
        let limit = Vec3::splat(unit::MAX_COORDINATE);
        let lower = |x: f32| unit::round_down([x.into(), -margin]);
        let upper = |x: f32| unit::round_up([x.into(), margin]);
        Self { min: self.min.map(lower).max(-limit), max: self.max.map(upper).min(limit) }
    }

    /// The union of this box with itself moved by `delta`, rounded outward: what a translating box passes through, or `None`
    /// when that leaves the range of coordinates.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, glam::Vec3};
    /// let swept = Aabb::new(Vec3::ZERO, Vec3::ONE)?.swept(Vec3::X * -2.0).unwrap();
    /// assert_eq!((swept.min(), swept.max()), (Vec3::X * -2.0, Vec3::ONE));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn swept(&self, delta: Vec3) -> Option<Self> {
        let lower = |x: f32, d: f32| unit::round_down([x.into(), d.min(0.0).into()]);
        let upper = |x: f32, d: f32| unit::round_up([x.into(), d.max(0.0).into()]);
        let pick = |f: &dyn Fn(f32, f32) -> f32, v: Vec3| Vec3::new(f(v.x, delta.x), f(v.y, delta.y), f(v.z, delta.z));
        Self::new(pick(&lower, self.min), pick(&upper, self.max)).ok()
    }

    /// The smallest box of `f32` bounds around `center ± (r₀ + r₁ + …)` for a few non-negative `reaches`, or `None` out of range.
    ///
    /// Each addition is done with its error, so that a sum and the little that it lacks nearly always leave no doubt between which two
    /// steps of `f32` the bound lies.
    #[inline(always)]
    pub(crate) fn around<const N: usize>(center: Vec3, reaches: [Vec3; N]) -> Option<Self> {
        let (mut reach, mut lost, mut inexact) = (Vec4::ZERO, Vec4::ZERO, Vec4::ZERO);
        for r in &reaches {
            let (sum, error) = two_sum(reach, r.extend(0.0));
            (reach, lost, inexact) = (sum, lost + error, inexact + error.abs());
        }
        let upper = |start: Vec4| {
            let (sum, error) = two_sum(start, reach);
            let (bound, rest) = two_sum(sum, lost + error);
            // Four roundings of errors, with some to spare; where steps of f32 are no longer than that, or denormal, nothing is sure.
            let doubt = (reach + start.abs()) * (64.0 * U * U) + Vec4::splat(f32::MIN_POSITIVE);
            let is_between = rest.abs().cmpgt(doubt) & bound.abs().cmpgt(doubt / (0.25 * U));
            let is_exact = (inexact + error.abs()).cmpeq(Vec4::ZERO);
            // Half a step, or more, rounds to the next one: away from zero and toward it.
            let step = bound.abs() * (U * (1.0 + 2.0 * U));
            let bound = bound + Vec4::select(rest.cmpgt(Vec4::ZERO), step, Vec4::ZERO);
            (bound.truncate(), (is_between | is_exact).all())
        };
        let start = center.extend(0.0);
        let ((min, min_is_sure), (max, max_is_sure)) = (upper(-start), upper(start));
        let (min, max) = if min_is_sure & max_is_sure { (-min, max) } else { Self::bounds_around(center, &reaches) };
        let is_in_range = min.abs().max(max.abs()).cmple(Vec3::splat(unit::MAX_COORDINATE)).all();
        // Adding zero turns −0.0 into 0.0.
        is_in_range.then(|| Self { min: min + Vec3::ZERO, max: max + Vec3::ZERO })
    }

    /// The same bounds by exact sums.
    #[cold]
    fn bounds_around<const N: usize>(center: Vec3, reaches: &[Vec3; N]) -> (Vec3, Vec3) {
        let upper = |start: Vec3| {
            let bound = |axis: usize| {
                unit::round_up_from(start[axis], std::array::from_fn::<f64, N, _>(|i| f64::from(reaches[i][axis])))
            };
            Vec3::new(bound(0), bound(1), bound(2))
        };
        (-upper(-center), upper(center))
    }
}

/// What rounding to `f32` may cost, as a share.
const U: f32 = 0.5 * f32::EPSILON;

/// `a + b` as rounded sums and their exact errors (Knuth).
#[inline(always)]
fn two_sum(a: Vec4, b: Vec4) -> (Vec4, Vec4) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
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

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_scenes::{Rng, SEED};

    #[test]
    fn bounds_around_a_center_are_those_of_exact_sums() {
        let mut rng = Rng::with_seed(SEED ^ 31);
        let number = |rng: &mut Rng| {
            let scale = [1.0, 1e-3, 64.0, 1e-30, 1e-44, 1e30, f32::MIN_POSITIVE][rng.usize(0..7)];
            let x = 2.0 * rng.f32() - 1.0;
            // On a grid, so that sums are exact; powers of two, whose steps differ on both sides; or any.
            scale * [x, (8.0 * x).round(), (8.0 * x).round().exp2(), 0.0, -1.0][rng.usize(0..5)]
        };
        for case in 0..200_000 {
            let mut vector = || Vec3::from([(); 3].map(|()| number(&mut rng)));
            let (center, reaches) = (vector(), [vector().abs(), vector().abs(), vector().abs()]);
            let (min, max) = Aabb::bounds_around(center, &reaches);
            let bounds = Aabb::around(center, reaches).unwrap();
            assert_eq!((bounds.min, bounds.max), (min, max), "case {case}: {center} {reaches:?}");
        }
    }
}
