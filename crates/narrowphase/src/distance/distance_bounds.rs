//! Bounds on the distances of eight triangles from a point, in `f32` lanes, so that of many triangles only a few need
//! an exact answer.
//!
//! ```text
//!   a, b, c       corners from the point            normal = (b - a) × (c - a)
//!   on an edge    |a + t (b - a)|, t clamped        the least of three
//!   on the face   |normal · a| / |normal|           where the foot of the perpendicular may lie on the triangle
//! ```
//! The upper bound is the distance of a point that was found on the triangle. The lower bound is the distance of the
//! edges where the foot certainly lies beside the triangle, and of the plane elsewhere; so nothing depends on where the
//! foot lies when rounding leaves that open.
//!
//! Source: Ericson, "Real-Time Collision Detection", §5.1.5; Higham, "Accuracy and Stability of Numerical Algorithms",
//! §3.1, for the bounds. Sums and products of a few terms err by less than ten roundings of 2^-24; the bounds allow for
//! more.

use crate::{
    shape::triangle_columns::{TriangleRow, corners},
    simd::{Simd, Vec3x8},
};
use fearless_simd::{f32x8, mask32x8, prelude::*};
use glam::Vec3;

/// Bound on the error of a sum of a few products, as a share of the lengths multiplied: 2^-19.
const ROUNDING: f32 = 1.0 / (1u32 << 19) as f32;

/// More than rounding to `f32` moves a returned point, as a share of its coordinates: 2^-22.
const RETURNED: f32 = 1.0 / (1u32 << 22) as f32;

/// A triangle whose normal is a smaller share than this, 2^-13, of the square of its edges is skipped: where the foot
/// lies is then uncertain even in `f64`.
const SLIVER: f32 = 1.0 / (1u32 << 13) as f32;

/// Edges below the one, and distances above the other, are skipped as well: products would leave the range.
const SHORTEST: f32 = 1e-7;
const FARTHEST: f32 = 1e8;

/// Keeps a quotient finite.
const TINY: f32 = 1e-36;

/// Returns bounds on the distances of a row of triangles from a point: no triangle is nearer than the first, and none
/// with an area is farther than the second. They also hold for the distance, computed in `f64`, of
/// [`Solid::closest_point`], which is rounded. 0 and infinity where nothing is known; meaningless for a point that
/// is not finite.
///
/// [`Solid::closest_point`]: crate::Triangle::closest_point
#[inline(always)]
pub(crate) fn row_bounds<S: Simd>(simd: S, row: &TriangleRow, point: Vec3) -> [f32x8<S>; 2] {
    let [low, high] = bounds_from_origin(simd, corners(simd, row, point));
    let returned = f32x8::splat(simd, RETURNED * point.abs().element_sum());
    [(low - returned).max(f32x8::splat(simd, 0.0)), high + returned]
}

/// Whether triangles are no slivers, and have sizes and distances for which there are bounds.
#[inline(always)]
pub(crate) fn is_known<S: Simd>(simd: S, [a, b, c]: [Vec3x8<S>; 3]) -> mask32x8<S> {
    let (ab, ac) = (b - a, c - a);
    let normal = ab.cross(ac);
    is_in_range(simd, a.abs_sum() + b.abs_sum() + c.abs_sum(), ab.abs_sum() + ac.abs_sum(), normal.dot(normal).sqrt())
}

/// The same, given the summed lengths of the vectors from the point, those of two edges, and the length of the normal.
#[inline(always)]
fn is_in_range<S: Simd>(simd: S, size: f32x8<S>, edges: f32x8<S>, length: f32x8<S>) -> mask32x8<S> {
    edges.simd_ge(f32x8::splat(simd, SHORTEST))
        & size.simd_le(f32x8::splat(simd, FARTHEST))
        & length.simd_ge(f32x8::splat(simd, SLIVER) * edges * edges)
}

/// Bounds on the distances of triangles from the origin, not counting that a nearest point may be rounded.
#[inline(always)]
pub(crate) fn bounds_from_origin<S: Simd>(simd: S, [a, b, c]: [Vec3x8<S>; 3]) -> [f32x8<S>; 2] {
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let (rounding, tiny) = (f32x8::splat(simd, ROUNDING), f32x8::splat(simd, TINY));
    let (ab, ac, bc) = (b - a, c - a, c - b);
    // No vector from the point, and no edge, is longer.
    let (size, edges) = (a.abs_sum() + b.abs_sum() + c.abs_sum(), ab.abs_sum() + ac.abs_sum());
    let area = edges * edges;
    let normal = ab.cross(ac);
    let square = normal.dot(normal);
    let (length, height) = (square.sqrt(), normal.dot(a).abs());
    let face = (height - rounding * area * size).max(zero) / (length + rounding * area + tiny);

    // The nearest points of the edges.
    let (on_ab, on_ac, on_bc) = (a.dot(ab), a.dot(ac), b.dot(bc));
    let (ab_square, ac_square, across) = (ab.dot(ab), ac.dot(ac), ab.dot(ac));
    let edge_square = square_to_edge(simd, a, ab, on_ab, ab_square)
        .min(square_to_edge(simd, a, ac, on_ac, ac_square))
        .min(square_to_edge(simd, b, bc, on_bc, bc.dot(bc)));

    // Where the foot is: its shares of b and c, and that of a, in units of the squared length of the normal.
    let of_b = across * on_ac - ac_square * on_ab;
    let of_c = across * on_ab - ab_square * on_ac;
    let least_share = of_b.min(of_c).min(square - of_b - of_c);
    let is_beside = least_share.simd_lt(zero - rounding * f32x8::splat(simd, 2.0) * area * edges * size);
    let unit = one / (square + tiny);
    let t = (of_b * unit).max(zero).min(one);
    let u = (of_c * unit).max(zero).min(one - t);
    let on_face = a + ab * t + ac * u;

    let margin = rounding * size;
    let low = (is_beside.select(edge_square.sqrt(), face) - margin).max(zero);
    let high = edge_square.min(on_face.dot(on_face)).sqrt() + margin;
    let is_known = is_in_range(simd, size, edges, length);
    [is_known.select(low, zero), is_known.select(high, f32x8::splat(simd, f32::INFINITY))]
}

/// The squared distance to an edge, given the product of the edge with its start, and its squared length.
#[inline(always)]
fn square_to_edge<S: Simd>(
    simd: S,
    start: Vec3x8<S>,
    edge: Vec3x8<S>,
    product: f32x8<S>,
    square: f32x8<S>,
) -> f32x8<S> {
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let t = (zero - product / (square + f32x8::splat(simd, TINY))).max(zero).min(one);
    let nearest = start + edge * t;
    nearest.dot(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Triangle, TriangleColumns,
        simd::{Level, levels, vectorized},
    };
    use cullide_scenes::{Rng, SEED};

    /// A point and some triangles: with small integers, many of them collinear or coplanar with the point, and others,
    /// at several scales.
    fn case(rng: &mut Rng, case: usize) -> (Vec3, Vec<[Vec3; 3]>) {
        let (far, scale) = match case % 9 {
            0 => (Vec3::new(1000.0, -1000.0, 30.0), 1.0),
            1 => (Vec3::ZERO, 1e-12),
            2 => (Vec3::ZERO, 1e7),
            3 => (Vec3::splat(1e5), 0.01),
            4 => (Vec3::ZERO, 1e-6),
            _ => (Vec3::ZERO, 1.0),
        };
        let round = |v: Vec3| if case.is_multiple_of(2) { v.round() } else { v };
        let mut vector = |size: f32| far + scale * round(Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0))));
        let point = vector(5.0);
        let mut triangles: Vec<[Vec3; 3]> = (0..1 + case % 18).map(|_| [(); 3].map(|()| vector(3.0))).collect();
        for (i, [a, b, c]) in triangles.iter_mut().enumerate() {
            match (case / 9 + i) % 7 {
                // Slivers, and points at a corner, above one, and in the plane.
                0 => *c = *a + (*b - *a) * 0.37,
                1 => *c = *b + (*c - *b) * 1e-4,
                2 => *a = point,
                3 => (a.x, a.y) = (point.x, point.y),
                4 => (a.z, b.z, c.z) = (point.z, point.z, point.z),
                _ => {}
            }
        }
        (point, triangles)
    }

    /// The bounds of up to sixteen triangles, with these instructions.
    fn bounds(level: Level, triangles: &[[Vec3; 3]], point: Vec3) -> [Vec<f32>; 2] {
        let columns = TriangleColumns::new(triangles.iter().copied());
        let (mut at_least, mut at_most) = (vec![], vec![]);
        for row in columns.rows() {
            let [low, high] = vectorized!(
                level,
                simd => row_bounds(simd, row, point).map(|bounds| bounds.to_array()),
                else [[0.0; 8], [f32::INFINITY; 8]]
            );
            at_least.extend(low);
            at_most.extend(high);
        }
        [at_least, at_most]
    }

    #[test]
    fn every_distance_lies_between_its_bounds_and_most_are_nearly_known() {
        let mut rng = Rng::with_seed(SEED ^ 79);
        let (mut narrow, mut count) = (0, 0);
        for number in 0..20_000 {
            let (point, triangles) = case(&mut rng, number);
            let [at_least, at_most] = bounds(Level::new(), &triangles, point);
            for (i, &[a, b, c]) in triangles.iter().enumerate().take(TriangleColumns::MAX) {
                let Ok(triangle) = Triangle::new(a, b, c) else { continue };
                let distance = triangle.closest_point(point).as_dvec3().distance(point.as_dvec3());
                let (low, high) = (f64::from(at_least[i]), f64::from(at_most[i]));
                assert!(low <= distance && distance <= high, "{low} {distance} {high} {point} {triangle:?}");
                narrow += usize::from(high - low <= 1e-4 * (high + f64::from(point.abs().element_sum())));
                count += 1;
            }
        }
        assert!(narrow * 10 > count * 6, "{narrow} of {count}");
    }

    #[test]
    fn a_triangle_without_an_area_bounds_nothing() {
        let line = [Vec3::ZERO, Vec3::ONE, Vec3::splat(2.0)];
        for corners in [line, [Vec3::Y; 3], line.map(|corner| corner * 1e-30)] {
            let [at_least, at_most] = bounds(Level::new(), &[corners], Vec3::X);
            assert_eq!((at_least[0], at_most[0]), (0.0, f32::INFINITY));
        }
    }

    #[test]
    fn every_instruction_set_knows_the_same() {
        let mut rng = Rng::with_seed(SEED ^ 83);
        for number in 0..3_000 {
            let (point, triangles) = case(&mut rng, number);
            let known = bounds(Level::new(), &triangles, point);
            for level in levels() {
                assert_eq!(bounds(level, &triangles, point), known);
            }
        }
    }
}
