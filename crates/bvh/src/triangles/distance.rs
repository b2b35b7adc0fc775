//! Bounds on the squared distances of sixteen triangles from a point, in `f32`.
//!
//! ```text
//!   a, b, c            corners from the point         q = a + x (b - a) + y (c - a),  the nearest point up to rounding
//!   (x, y)             of the foot of the perpendicular if that lies on the triangle, else of the foot on an edge
//!   at most   |q|                                     as q lies on the triangle
//!   at least  min(a · q, b · q, c · q) / |q|          as the triangle lies beyond the plane there that is normal to q
//! ```
//! The bounds hold wherever rounding puts `q`, and are close together if `q` is near the nearest point.
//!
//! Let `u = 2^-24`, `e` and `f` the edges from `a`, and `R = |a| + |e| + |f|`. The computed corners are off by less
//! than `2 u R`, `q` by less than `8 u R`, and the products with `q` by less than `8 u R |q|`; so both bounds on the
//! distance are off by less than `η = 16 u R`, where 10 would suffice. As `R² ≤ 10 (q² + e² + f²)` and
//! `2 η |q| ≤ k q² + η² / k`, with `k = 2^-14`, their squares are off by at most `k q² + 2^-22 (q² + e² + f²)`. Another
//! fraction `k` covers roundings that are proportional to the distance.
//!
//! Source: Ericson, "Real-Time Collision Detection", §5.1.5, for the cases; Gilbert, Johnson and Keerthi, "A fast
//! procedure for computing the distance between complex objects" (1988), theorem 2, for the lower bound.

use crate::lanes::{
    Simd, at_most, f32x16,
    masks::{bits, is_at_most, is_less, select},
    max, min, splat,
};
use cullide_narrowphase::{
    glam::Vec3,
    simd::{Vec3x16, Vectors},
};

/// The relative error of the bounds on the square: 2^-13.
const SHARE: f32 = 1.0 / (1u32 << 13) as f32;

/// Their error relative to the sum of the squares of the distance and of two edges: 2^-22.
const ROUNDING: f32 = 1.0 / (1u32 << 22) as f32;

/// A triangle is a sliver if the square of its normal is less than this fraction, 2^-18, of the square of the sum of
/// the squares of two edges; the square of the normal is off by less than 2^-22 of that.
const SLIVER: f32 = 1.0 / (1u32 << 18) as f32;

/// If the squares of two edges add up to less, or those of the edges and the distance to more, products of them would
/// be out of range.
const SHORTEST: f32 = 1e-14;
const FARTHEST: f32 = 1e16;

/// Added to a divisor, keeps a quotient finite.
const TINY: f32 = 1e-36;

/// Bounds on the squares of distances.
pub(super) struct SquareBounds<S: Simd> {
    /// The upper bounds.
    pub(super) high: f32x16<S>,
    /// A bit for each triangle for which the bounds are valid: it is no sliver, and neither tiny nor huge.
    pub(super) known: u32,
    q_square: f32x16<S>,
    /// The least dot product of a corner and `q`, or 0 if that is negative.
    least: f32x16<S>,
    error: f32x16<S>,
}

impl<S: Simd> SquareBounds<S> {
    /// The bounds for a point and triangles. They are not valid for a triangle of which the squares of two edges add up
    /// to less than the square of `shortest`.
    #[inline(always)]
    pub(super) fn new(simd: S, [a, b, c]: &[[f32x16<S>; 3]; 3], point: Vec3, shortest: f32) -> Self {
        let (zero, one) = (splat(simd, 0.0), splat(simd, 1.0));
        let point = Vec3x16::splat(simd, point);
        let (a, b, c) = (Vectors::from(*a) - point, Vectors::from(*b) - point, Vectors::from(*c) - point);
        let (ab, ac) = (b - a, c - a);
        let (ab_square, across, ac_square) = (ab.dot(ab), ab.dot(ac), ac.dot(ac));
        let (on_ab, on_ac) = (zero - a.dot(ab), zero - a.dot(ac));

        // The barycentric coordinates of the foot on the plane, in units of the square of the normal.
        let square = ab_square * ac_square - across * across;
        let of_b = ac_square * on_ab - across * on_ac;
        let of_c = ab_square * on_ac - across * on_ab;
        let of_a = square - of_b - of_c;

        // Which edges the point lies beyond. If it lies beyond two, near their corner, one of them leads nearer, or
        // neither.
        let (beyond_ab, beyond_ac, beyond_bc) = (is_less(of_c, zero), is_less(of_b, zero), is_less(of_a, zero));
        let is_before_a = beyond_ac & is_at_most(on_ab, zero);
        let is_past_b = beyond_bc & is_at_most(ab_square, on_ab);
        let is_past_c = beyond_bc & is_at_most(ac_square, on_ac);
        let nearest_ab = beyond_ab & !(is_before_a | is_past_b);
        let nearest_ac = beyond_ac & !is_past_c;

        // The barycentric coordinates of b and c again, in different units on each edge.
        let bc_square = (ab_square - across) + (ac_square - across);
        let on_bc = (ab_square - on_ab) + (on_ac - across);
        let on_ab = min(max(on_ab, zero), ab_square);
        let on_ac = min(max(on_ac, zero), ac_square);
        let on_bc = min(max(on_bc, zero), bc_square);
        let pick = |ab, ac, bc, face| select(nearest_ab, ab, select(nearest_ac, ac, select(beyond_bc, bc, face)));
        let unit = one / pick(ab_square, ac_square, bc_square, square);
        let x = pick(on_ab, zero, bc_square - on_bc, of_b) * unit;
        let y = pick(zero, on_ac, on_bc, of_c) * unit;

        let q = a + ab * x + ac * y;
        let q_square = q.dot(q);
        let least = max(a.dot(q) + min(min(ab.dot(q), ac.dot(q)), zero), zero);

        let edges = ab_square + ac_square;
        let size = q_square + edges;
        let error = size * splat(simd, ROUNDING);
        let is_known = is_at_most(splat(simd, SHORTEST.max(shortest * shortest)), edges)
            & is_at_most(size, splat(simd, FARTHEST))
            & is_at_most(edges * edges * splat(simd, SLIVER), square);
        let (high, known) = (q_square * splat(simd, 1.0 + SHARE) + error, bits(is_known));
        Self { high, known, q_square: q_square + splat(simd, TINY), least, error }
    }

    /// The lower bounds; they may be negative.
    #[inline(always)]
    pub(super) fn low(&self, simd: S) -> f32x16<S> {
        self.least * self.least / self.q_square * splat(simd, 1.0 - SHARE) - self.error
    }

    /// A bit for each triangle whose lower bound is at most `square`, which is cheaper to test than to compute the
    /// bound.
    #[inline(always)]
    pub(super) fn within(&self, simd: S, square: f32) -> u32 {
        at_most(self.least * self.least * splat(simd, 1.0 - SHARE), (splat(simd, square) + self.error) * self.q_square)
    }
}
