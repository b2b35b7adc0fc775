//! Whether, when and with which of its vertices a translating box meets a plane, in `f64` and with hardly a branch: how a sweep ends is as
//! good as random, and a branch that is guessed wrong costs as much as half of all this.
//!
//! The lanes hold the three half edges and the centre, as in the sieve. The box starts at the gap `g = s (Q·N + D) − e` on the side `s` of
//! the plane and ends at `g + c`, for `e = |h₀·N| + |h₁·N| + |h₂·N|` and `c = s M·N`. It is
//!
//! ```text
//!   g > 0, g + c > 0   clear          g < 0   an overlap, or, wholly behind a plane of one side, clear
//!   g > 0, g + c < 0   hit at g / −c, with the vertices below which no other lies
//! ```
//!
//! Where a sign is not certain, or an edge may be parallel to the plane, the answer is worked out apart. A product of two `f32` is exact in
//! `f64`: whether it is fused with a sum or not, every instruction set gives the same bits.

use super::vectorized::{Level, Simd, vectorized};
use crate::{BoxSweep, Plane, PlaneTouch, Sides, contact::contacts::FEATURE_ANGLE, sweep::ONLY_WIDE};
use fearless_simd::{f32x4, f64x2, f64x4, i64x2, i64x4, prelude::*};
use glam::Vec4;

/// More than what the sums err by, as a part of all coordinates together: as in the sieve, doubled for a normal that is a little long and
/// the rounding of the sum of all sizes.
const SUM_ERROR: f64 = 16.0 * f64::EPSILON;

/// Below any distance that matters, and above what is left where all numbers are zero.
const UNDERFLOW: f64 = SUM_ERROR * f32::MIN_POSITIVE as f64;

/// Where the end lies ahead of the plane (1), and the start (2).
pub(super) const CLEAR: usize = 0b11;
pub(super) const HIT: usize = 0b10;

/// By where they lie, which bits of a hit are kept, and which are added.
const ANSWERS: [[u64; 2]; 4] = {
    let (hit, overlap) = ((PlaneTouch::HIT as u64) << 32, (PlaneTouch::OVERLAP as u64) << 32);
    let mut answers = [[0, overlap]; 4];
    (answers[CLEAR], answers[HIT]) = ([0, 0], [!0, hit]);
    answers
};

impl BoxSweep {
    /// When the box first touches `plane`, and with which of its vertices: [`BoxSweep::against_plane`] in eight bytes, bit for bit, in less
    /// than half of its time. That one tells position, depth and points as well, for those that matter.
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Feature, Obb, Plane, Sides, glam::{Quat, Vec3}};
    /// let body = Obb::new(Vec3::Y * 6.0, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// let (sweep, floor) = (BoxSweep::new(body, Vec3::Y * -8.0)?, Plane::new(Vec3::Y, 0.0)?);
    /// let (toi, feature) = sweep.touch_plane(&floor, Sides::Front).hit().unwrap();
    /// assert_eq!((toi, feature.vertices().count()), (0.5, 4));
    /// let hit = sweep.against_plane(&floor, Sides::Front).hit().unwrap();
    /// assert_eq!((hit.toi, hit.contacts.id()), (toi, feature));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn touch_plane(&self, plane: &Plane, sides: Sides) -> PlaneTouch {
        self.touch_plane_at(Level::new(), plane, sides)
    }

    /// The same with the instructions of `level`.
    #[inline(always)]
    pub(super) fn touch_plane_at(&self, level: Level, plane: &Plane, sides: Sides) -> PlaneTouch {
        vectorized!(level, simd => self.touch(simd, plane, sides), else self.touch_closely(plane, sides))
    }

    #[inline(always)]
    fn touch<S: Simd>(&self, simd: S, plane: &Plane, sides: Sides) -> PlaneTouch {
        let glance = Glance::new(simd, self, plane, sides);
        let [kept, added] = ANSWERS[glance.ahead];
        if glance.is_open as u64 | (glance.leans as u64 ^ 0b111) & kept != 0 {
            return self.touch_closely(plane, sides);
        }
        let hit = u64::from(cut(glance.toi())) | (1 << 32) << glance.lowest_vertex();
        let word = hit & kept | added;
        PlaneTouch { words: [word as u32, (word >> 32) as u32] }
    }

    /// The answer where a sign is not certain, or an edge may be parallel.
    #[cold]
    fn touch_closely(&self, plane: &Plane, sides: Sides) -> PlaneTouch {
        self.against_plane(plane, sides).into()
    }
}

/// A box over a plane.
pub(super) struct Glance<S: Simd> {
    /// Half edges and centre by coordinate, and along the normal.
    pub(super) rows: [f64x4<S>; 3],
    pub(super) along: f64x4<S>,
    /// A bit for each edge that certainly leans against the plane.
    pub(super) leans: usize,
    pub(super) reach: f64,
    pub(super) height: f64,
    /// How deep the box starts on the side on which it is held, and by how much it rises there.
    pub(super) deep: f64,
    change: f64,
    pub(super) is_back: bool,
    /// [`CLEAR`], [`HIT`], or anything else for an overlap.
    pub(super) ahead: usize,
    /// Zero where that is certain.
    pub(super) is_open: usize,
    /// More than what any sum of these may be off.
    pub(super) error: f64,
}

impl<S: Simd> Glance<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, sweep: &BoxSweep, plane: &Plane, sides: Sides) -> Self {
        let (normal_xy, normal_zd) = halves(simd, plane.normal().extend(plane.d()));
        let (motion_xy, motion_z) = halves(simd, sweep.path);
        let [x, y, z] = sweep.body.rows();
        let (x, y, z) = (wide(simd, x), wide(simd, y), wide(simd, z));

        // Half edges and centre along the normal, and which edges certainly lean against the plane.
        let along =
            z.mul_add(four(simd, normal_zd[0]), y.mul_add(four(simd, normal_xy[1]), x * four(simd, normal_xy[0])));
        let lengths_squared = z.mul_add(z, y.mul_add(y, x * x));
        let leans = signs(lengths_squared.mul_sub(four(simd, SINE_SQUARED), along * along)) & 0b111;

        // The change on the way and the reach, side by side.
        let (low, high) = along.split();
        let (moved_xy, moved_z) = (motion_xy * normal_xy, motion_z * normal_zd);
        let sums = moved_xy.zip_low(low.abs()) + moved_xy.zip_high(low.abs()) + moved_z.zip_low(high.abs());
        let reach = sums.zip_high(sums);
        let height = high + normal_zd;
        let height = height.zip_high(height);
        let error = (normal_zd.abs() + motion_z).mul_add(pair(simd, SUM_ERROR), pair(simd, UNDERFLOW));
        let error = error.zip_high(error);

        // How deep the end and the start are, seen from the side on which the box is held. What lies behind a plane of one side is as
        // good as before it.
        let (deep, change, is_back) = match sides {
            Sides::Front => (reach - height, sums[0], false),
            Sides::Both => (reach - height.abs(), sums[0] * 1f64.copysign(height[0]), height[0] < 0.0),
        };
        let ends = f64x2::simd_from(simd, [deep[0] - change, deep[1]]);
        let ends = if sides == Sides::Front { ends.min(height + reach) } else { ends };
        Self {
            rows: [x, y, z],
            along,
            leans,
            reach: reach[0],
            height: height[0],
            deep: deep[0],
            change,
            is_back,
            ahead: pair_signs(ends),
            is_open: pair_signs(ends.abs() - error),
            error: error[0],
        }
    }

    /// The time of impact, where there is one.
    #[inline(always)]
    pub(super) fn toi(&self) -> f64 {
        self.deep / self.change
    }

    /// The number of the vertex that lies lowest on the side on which the box is held, where all edges lean.
    #[inline(always)]
    pub(super) fn lowest_vertex(&self) -> usize {
        (signs(self.along) ^ if self.is_back { 0b111 } else { 0 }) & 0b111
    }
}

/// Less than the square of the sine of an angle by which an edge that is not parallel to the plane leans against it.
const SINE_SQUARED: f64 = FEATURE_ANGLE * FEATURE_ANGLE * 1.000_001;

/// Four numbers in `f64`, in halves.
#[inline(always)]
fn halves<S: Simd>(simd: S, row: Vec4) -> (f64x2<S>, f64x2<S>) {
    f32x4::simd_from(simd, row.to_array()).widen()
}

/// Four numbers in `f64`.
#[inline(always)]
fn wide<S: Simd>(simd: S, row: Vec4) -> f64x4<S> {
    let (low, high) = halves(simd, row);
    low.combine(high)
}

/// The same number in four lanes.
#[inline(always)]
fn four<S: Simd>(simd: S, x: f64) -> f64x4<S> {
    f64x4::splat(simd, x)
}

/// The same number in two lanes.
#[inline(always)]
fn pair<S: Simd>(simd: S, x: f64) -> f64x2<S> {
    f64x2::splat(simd, x)
}

/// A bit for each lane whose sign is set.
#[inline(always)]
fn signs<S: Simd>(x: f64x4<S>) -> usize {
    x.bitcast::<i64x4<S>>().simd_lt(i64x4::splat(x.simd, 0)).to_bitmask() as usize
}

/// The same of two lanes.
#[inline(always)]
fn pair_signs<S: Simd>(x: f64x2<S>) -> usize {
    x.bitcast::<i64x2<S>>().simd_lt(i64x2::splat(x.simd, 0)).to_bitmask() as usize
}

/// The bits of the largest `f32` that is not after a time between 2^-126 and 1: fewer of the fraction, and another zero of the exponent.
#[inline(always)]
pub(super) fn cut(time: f64) -> u32 {
    const EXPONENTS: u32 = (f64::MAX_EXP - f32::MAX_EXP) as u32;
    ((time.to_bits() >> ONLY_WIDE.count_ones()) as u32).wrapping_sub(EXPONENTS << (f32::MANTISSA_DIGITS - 1))
}

#[cfg(test)]
mod tests;
