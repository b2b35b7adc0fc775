//! The motion of a box toward a plane in `f64` lanes, almost without branches: how a sweep ends is as good as random,
//! and a mispredicted branch costs half as much as all of this.
//!
//! The lanes hold the three half edges and the centre, as in [`projection`](super::projection). The box starts at the
//! gap `g = s (Q·N + D) − e` on the side `s` of the plane and ends at `g + c`, for `e = |h₀·N| + |h₁·N| + |h₂·N|` and
//! `c = s M·N`. It is
//!
//! ```text
//!   g > 0, g + c > 0   clear          g < 0   an overlap, or, wholly behind a one-sided plane, clear
//!   g > 0, g + c < 0   hit at g / −c, with the vertices below which no other lies
//! ```
//!
//! If a sign is not certain, or an edge may be parallel to the plane, the caller falls back to exact arithmetic. The
//! product of two `f32` is exact in `f64`, so every instruction set gives the same bits, whether the product is fused
//! with a sum or not.

use super::{Sides, projection::along};
use crate::simd::Simd;
use crate::{Plane, arrays::Mapped, contact::contacts::FEATURE_ANGLE, sweep::BoxSweep};
use fearless_simd::{f32x4, f64x2, f64x4, i64x2, i64x4, prelude::*};
use glam::Vec4;

/// More than the error of the sums, as a share of the sum of all coordinates: as in the `f32` filter, but doubled for a
/// normal that is slightly too long and for the rounding of the sum of all sizes.
const SUM_ERROR: f64 = 16.0 * f64::EPSILON;

/// Below any distance that matters, and above what is left if all numbers are zero.
const UNDERFLOW: f64 = SUM_ERROR * f32::MIN_POSITIVE as f64;

/// Less than the square of the sine of an angle by which an edge that is not parallel to the plane leans against it.
const SINE_SQUARED: f64 = FEATURE_ANGLE * FEATURE_ANGLE * 1.000_001;

/// Values of [`BoxPlaneSimd::ends`]: bit 0 is set if the end lies in front of the plane, bit 1 if the start does.
pub(super) const CLEAR: usize = 0b11;
pub(super) const HIT: usize = 0b10;

/// The motion of a box toward a plane.
pub(super) struct BoxPlaneSimd<S: Simd> {
    /// Half edges and centre by coordinate, and along the normal.
    pub(super) rows: [f64x4<S>; 3],
    pub(super) along: f64x4<S>,
    /// A bit for each edge that certainly leans against the plane.
    pub(super) leaning: usize,
    pub(super) reach: f64,
    pub(super) height: f64,
    /// How deep the box starts, on the side on which it is held, and by how much it rises there.
    pub(super) depth: f64,
    change: f64,
    pub(super) is_back: bool,
    /// [`CLEAR`], [`HIT`], or anything else for an overlap.
    pub(super) ends: usize,
    /// Zero if that is certain.
    pub(super) uncertain: usize,
    /// More than the error of any sum of these.
    pub(super) error: f64,
}

impl<S: Simd> BoxPlaneSimd<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, sweep: &BoxSweep, plane: &Plane, sides: Sides) -> Self {
        let (normal_xy, normal_zd) = halves(simd, plane.normal().extend(plane.d()));
        let (motion_xy, motion_z) = halves(simd, sweep.path);
        let rows = sweep.body.rows().mapped(
            #[inline(always)]
            |row| f64_lanes(simd, row),
        );
        let [x, y, z] = rows;

        // Half edges and centre along the normal, and which edges certainly lean against the plane.
        let along = along(rows, [normal_xy[0], normal_xy[1], normal_zd[0]]);
        let lengths_squared = z.mul_add(z, y.mul_add(y, x * x));
        let leaning = signs(lengths_squared.mul_sub(f64x4::splat(simd, SINE_SQUARED), along * along)) & 0b111;

        // The change over the step and the reach, side by side.
        let (low, high) = along.split();
        let (moved_xy, moved_z) = (motion_xy * normal_xy, motion_z * normal_zd);
        let sums = moved_xy.zip_low(low.abs()) + moved_xy.zip_high(low.abs()) + moved_z.zip_low(high.abs());
        let reach = sums.zip_high(sums);
        let height = high + normal_zd;
        let height = height.zip_high(height);
        let error = (normal_zd.abs() + motion_z).mul_add(f64x2::splat(simd, SUM_ERROR), f64x2::splat(simd, UNDERFLOW));
        let error = error.zip_high(error);

        // How deep the end and the start are, seen from the side on which the box is held. Behind a one-sided plane
        // counts as in front of it.
        let (depth, change, is_back) = match sides {
            Sides::Front => (reach - height, sums[0], false),
            Sides::Both => (reach - height.abs(), sums[0] * 1f64.copysign(height[0]), height[0] < 0.0),
        };
        let depths = f64x2::simd_from(simd, [depth[0] - change, depth[1]]);
        let depths = if sides == Sides::Front { depths.min(height + reach) } else { depths };
        Self {
            rows,
            along,
            leaning,
            reach: reach[0],
            height: height[0],
            depth: depth[0],
            change,
            is_back,
            ends: pair_signs(depths),
            uncertain: pair_signs(depths.abs() - error),
            error: error[0],
        }
    }

    /// The time of impact, if there is one.
    #[inline(always)]
    pub(super) fn toi(&self) -> f64 {
        self.depth / self.change
    }

    /// The index of the vertex that lies lowest on the side on which the box is held, if all edges lean.
    #[inline(always)]
    pub(super) fn lowest_vertex(&self) -> usize {
        (signs(self.along) ^ if self.is_back { 0b111 } else { 0 }) & 0b111
    }
}

/// Four numbers in `f64`, in halves.
#[inline(always)]
fn halves<S: Simd>(simd: S, row: Vec4) -> (f64x2<S>, f64x2<S>) {
    f32x4::simd_from(simd, row.to_array()).widen()
}

/// Four numbers in `f64`.
#[inline(always)]
fn f64_lanes<S: Simd>(simd: S, row: Vec4) -> f64x4<S> {
    let (low, high) = halves(simd, row);
    low.combine(high)
}

/// A bit for each lane whose sign is set.
#[inline(always)]
fn signs<S: Simd>(x: f64x4<S>) -> usize {
    x.bitcast::<i64x4<S>>().simd_lt(i64x4::splat(x.simd, 0)).to_bitmask() as usize
}

/// The same for two lanes.
#[inline(always)]
fn pair_signs<S: Simd>(x: f64x2<S>) -> usize {
    x.bitcast::<i64x2<S>>().simd_lt(i64x2::splat(x.simd, 0)).to_bitmask() as usize
}
