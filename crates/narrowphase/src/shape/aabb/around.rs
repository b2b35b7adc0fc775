//! The axis-aligned box around a centre and the reaches from it, rounded outward.

use super::Aabb;
use crate::exact::unit;
use glam::{Vec3, Vec4};

impl Aabb {
    /// The smallest box of `f32` bounds around `center ± (r₀ + r₁ + …)` for a few non-negative `reaches`, or `None` if
    /// it is out of range.
    ///
    /// Each addition keeps its rounding error, so that the sum and the accumulated error nearly always settle between
    /// which two adjacent `f32` values the bound lies.
    #[inline(always)]
    pub(crate) fn around<const N: usize>(center: Vec3, reaches: [Vec3; N]) -> Option<Self> {
        let (mut reach, mut lost) = (reaches.first().map_or(Vec4::ZERO, |first| first.extend(0.0)), None);
        for r in reaches.iter().skip(1) {
            let (sum, error) = two_sum(reach, r.extend(0.0));
            (reach, lost) = (sum, Some(SumError::and(lost, error)));
        }
        let upper = |start: Vec4| rounded_up(start, reach, lost);
        let start = center.extend(0.0);
        let ((min, min_is_sure), (max, max_is_sure)) = (upper(-start), upper(start));
        let (min, max) = if min_is_sure & max_is_sure { (-min, max) } else { Self::bounds_around(center, &reaches) };
        Self::within_range(min, max)
    }

    /// Returns the union of this box and this box moved by `delta`, rounded outward, which contains all that a
    /// translating box passes through. Returns `None` when that leaves the range of coordinates, or `delta` holds a
    /// NaN.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, glam::Vec3};
    /// let swept = Aabb::new(Vec3::ZERO, Vec3::ONE)?.swept(Vec3::X * -2.0).unwrap();
    /// assert_eq!((swept.min(), swept.max()), (Vec3::X * -2.0, Vec3::ONE));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn swept(&self, delta: Vec3) -> Option<Self> {
        if !delta.is_finite() {
            return None;
        }
        let (min, max) = self.bounds_grown((-delta).max(Vec3::ZERO), delta.max(Vec3::ZERO));
        Self::within_range(min, max)
    }

    /// The bounds of this box moved outward by finite lengths, the lower ones by `back` and the upper ones by `forth`,
    /// and rounded outward.
    #[inline(always)]
    pub(super) fn bounds_grown(&self, back: Vec3, forth: Vec3) -> (Vec3, Vec3) {
        let upper = |start: Vec3, way: Vec3| rounded_up(start.extend(0.0), way.extend(0.0), None);
        let ((min, min_is_sure), (max, max_is_sure)) = (upper(-self.min, back), upper(self.max, forth));
        if min_is_sure & max_is_sure { (-min, max) } else { self.exact_bounds_grown(back, forth) }
    }

    #[inline(always)]
    fn within_range(min: Vec3, max: Vec3) -> Option<Self> {
        let limit = Vec3::splat(unit::MAX_COORDINATE);
        // Compared separately: the maximum of a NaN and a number may be the number.
        let is_in_range = (min.abs().cmple(limit) & max.abs().cmple(limit)).all();
        // Adding zero turns −0.0 into 0.0.
        is_in_range.then(|| Self { min: min + Vec3::ZERO, max: max + Vec3::ZERO })
    }

    /// The same bounds by exact sums.
    #[cold]
    fn exact_bounds_grown(&self, back: Vec3, forth: Vec3) -> (Vec3, Vec3) {
        let upper = |start: Vec3, way: Vec3| {
            let bound = |axis: usize| unit::round_up_from(start[axis], &[f64::from(way[axis])]);
            Vec3::new(bound(0), bound(1), bound(2))
        };
        (-upper(-self.min, back), upper(self.max, forth))
    }

    /// The same bounds by exact sums.
    #[cold]
    fn bounds_around<const N: usize>(center: Vec3, reaches: &[Vec3; N]) -> (Vec3, Vec3) {
        let upper = |start: Vec3| {
            let bound = |axis: usize| unit::round_up_from(start[axis], &reaches.map(|reach| f64::from(reach[axis])));
            Vec3::new(bound(0), bound(1), bound(2))
        };
        (-upper(-center), upper(center))
    }
}

/// The relative error of rounding to `f32`.
const U: f32 = 0.5 * f32::EPSILON;

/// The accumulated rounding error of a chain of sums.
#[derive(Clone, Copy)]
struct SumError {
    sum: Vec4,
    /// The sum of the magnitudes of its terms.
    size: Vec4,
    /// The rounding error of `sum` itself: zero where that is exact.
    rest: Vec4,
}

impl SumError {
    /// Adds the error of another sum.
    #[inline(always)]
    fn and(lost: Option<Self>, error: Vec4) -> Self {
        let Some(lost) = lost else { return Self { sum: error, size: error.abs(), rest: Vec4::ZERO } };
        let (sum, rest) = two_sum(lost.sum, error);
        Self { sum, size: lost.size + error.abs(), rest: lost.rest + rest.abs() }
    }
}

/// An upper bound on the exact `start + reach` plus what was lost, and whether it is certain to be the least such
/// `f32`.
#[inline(always)]
fn rounded_up(start: Vec4, reach: Vec4, lost: Option<SumError>) -> (Vec3, bool) {
    let (sum, error) = two_sum(start, reach);
    let lost = SumError::and(lost, error);
    let (bound, rest) = two_sum(sum, lost.sum);
    // Four roundings of errors, with some to spare; where a step of `f32` is no larger than that, or is denormal,
    // nothing is certain. The doubt is not relative to the numbers themselves, because a box turned by right angles has
    // a reach of nearly zero across.
    let doubt = lost.size * (16.0 * U) + Vec4::splat(f32::MIN_POSITIVE);
    let is_between = rest.abs().cmpgt(doubt) & bound.abs().cmpgt(doubt / (0.25 * U));
    // Numbers of nearly the same size leave a rest of zero now and then.
    let has_step = rest.cmpeq(Vec4::ZERO) | bound.abs().cmpgt(Vec4::splat(f32::MIN_POSITIVE / (0.25 * U)));
    let is_exact = lost.rest.cmpeq(Vec4::ZERO) & has_step;
    // Adding half a step, or more, rounds to the next value, both away from zero and toward it.
    let step = bound.abs() * (U * (1.0 + 2.0 * U));
    let bound = bound + Vec4::select(rest.cmpgt(Vec4::ZERO), step, Vec4::ZERO);
    (bound.truncate(), (is_between | is_exact).all())
}

/// `a + b` as rounded sums and their exact errors (Knuth).
#[inline(always)]
fn two_sum(a: Vec4, b: Vec4) -> (Vec4, Vec4) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_scenes::{Rng, SEED};

    #[test]
    fn a_box_turned_by_right_angles_needs_no_exact_sums() {
        // The remainder of the sine of a half turn, across.
        let nothing = Vec4::splat(2.2e-16);
        let (bound, is_sure) = rounded_up(Vec4::splat(41.0), Vec4::splat(2.0), Some(SumError::and(None, nothing)));
        assert_eq!((bound, is_sure), (Vec3::splat(43f32.next_up()), true));
    }

    #[test]
    fn what_numbers_of_nearly_one_size_lose_together_needs_no_exact_sums() {
        let (center, reaches) = (Vec4::splat(0.25 * U), [0.25, 0.25 * U].map(Vec4::splat));
        // Each sum loses a quarter of a step, and both together half a step.
        let (reach, error) = two_sum(reaches[0], reaches[1]);
        assert_eq!((reach, error), (reaches[0], reaches[1]));
        let found = rounded_up(center, reach, Some(SumError::and(None, error)));
        assert_eq!(found, (Vec3::splat(0.25 + 0.5 * U), true));
    }

    #[test]
    fn bounds_around_a_center_are_those_of_exact_sums() {
        let mut rng = Rng::with_seed(SEED ^ 31);
        let number = |rng: &mut Rng| {
            let scale = [1.0, 1e-3, 64.0, 1e-30, 1e-44, 5e5, f32::MIN_POSITIVE][rng.usize(0..7)];
            let x = 2.0 * rng.f32() - 1.0;
            // On a grid, so that sums are exact; powers of two, whose steps differ on both sides; or any number.
            scale * [x, (8.0 * x).round(), (8.0 * x).round().exp2(), 0.0, -1.0][rng.usize(0..5)]
        };
        for case in 0..200_000 {
            let mut vector = || Vec3::from([(); 3].map(|()| number(&mut rng)));
            let (center, reaches) = (vector(), [vector().abs(), vector().abs(), vector().abs()]);
            let (min, max) = Aabb::bounds_around(center, &reaches);
            let bounds = Aabb::around(center, reaches).unwrap();
            assert_eq!((bounds.min, bounds.max), (min, max), "case {case}: {center} {reaches:?}");
            let delta = vector();
            let (min, max) = bounds.exact_bounds_grown((-delta).max(Vec3::ZERO), delta.max(Vec3::ZERO));
            let swept = bounds.swept(delta).unwrap();
            assert_eq!((swept.min, swept.max), (min, max), "case {case}: {bounds:?} {delta}");
        }
    }
}
