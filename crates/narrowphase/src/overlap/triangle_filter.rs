//! The separating-axis test of a triangle and a box in `f64`, with a margin: in most cases it is certain whether they
//! share a point.
//!
//! The axes are the triangle's normal, the normals of the box's faces, and the cross products of an edge of each. A gap
//! along any axis proves that the two are apart; it is certain that they meet where they reach past each other along
//! all axes.
//!
//! Source: Akenine-Möller, "Fast 3D Triangle-Box Overlap Testing", 2001.

use crate::{Obb, Triangle, arrays::Mapped};
use glam::DVec3;

/// The margin, relative to the sum of all coordinates and to the length of the axis: 2^-40, a thousand times what the
/// exact test counts as touching.
const MARGIN: f64 = 1.0 / (1u64 << 40) as f64;

/// A box whose volume is no larger than this share of the product of its edges' lengths, 2^-6, is flat or skewed:
/// rounding may decide.
const SKEWED: f64 = 1.0 / 64.0;

/// Whether they share a point, where that is certain.
pub(crate) fn meets(triangle: &Triangle, body: &Obb) -> Option<bool> {
    let center = body.center().as_dvec3();
    let edges = body.wide_edges();
    let faces = [edges[1].cross(edges[2]), edges[2].cross(edges[0]), edges[0].cross(edges[1])];
    let volume = edges[0].dot(faces[0]).abs();
    let corners @ [p, q, r] = triangle.vertices().mapped(|corner| corner - center);
    let sides = [q - p, r - q, p - r];
    // No shorter than the vector, and cheaper than its length.
    let length = |v: DVec3| v.abs().element_sum();
    let (lengths, side_lengths) = (edges.mapped(length), sides.mapped(length));
    if volume <= SKEWED * lengths[0] * lengths[1] * lengths[2] {
        return None;
    }
    let margin = MARGIN * (length(center) + lengths.iter().sum::<f64>() + corners.mapped(length).iter().sum::<f64>());

    let mut meets = true;
    // Records the gap along an axis that is no longer than `size`; returns whether the two are certainly apart.
    let mut is_apart = |gap: f64, size: f64| {
        meets &= gap < -margin * size;
        gap > margin * size
    };
    let normal = sides[0].cross(sides[1]);
    let reach: f64 = edges.iter().map(|edge| normal.dot(*edge).abs()).sum();
    if is_apart(normal.dot(p).abs() - reach, side_lengths[0] * side_lengths[1]) {
        return Some(false);
    }
    for i in 0..3 {
        let [a, b, c] = corners.mapped(|corner| faces[i].dot(corner));
        if is_apart(nearest([a, b, c]) - volume, lengths[(i + 1) % 3] * lengths[(i + 2) % 3]) {
            return Some(false);
        }
    }
    for (side, from, opposite) in [(0, p, r), (1, q, p), (2, r, q)] {
        for i in 0..3 {
            let axis = sides[side].cross(edges[i]);
            let (a, b) = (axis.dot(from), axis.dot(opposite));
            let reach = axis.dot(edges[(i + 1) % 3]).abs() + axis.dot(edges[(i + 2) % 3]).abs();
            if is_apart(nearest([a, b, b]) - reach, side_lengths[side] * lengths[i]) {
                return Some(false);
            }
        }
    }
    meets.then_some(true)
}

/// How far the interval around three numbers, none of which is NaN, is from zero; negative where it contains zero.
fn nearest([a, b, c]: [f64; 3]) -> f64 {
    // One instruction each, which `f64::min` and `f64::max` are not.
    let least = |a: f64, b: f64| if a < b { a } else { b };
    let most = |a: f64, b: f64| if a > b { a } else { b };
    most(least(least(a, b), c), -most(most(a, b), c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_scenes::{Rng, SEED};
    use glam::{Quat, Vec3};

    #[test]
    fn what_is_certain_is_what_the_gap_tells_and_most_is() {
        let mut rng = Rng::with_seed(SEED ^ 67);
        let mut told = [[0; 3]; 2];
        for case in 0..40_000 {
            let far = if case % 3 == 0 { Vec3::new(900.0, -1000.0, 10.0) } else { Vec3::ZERO };
            let on_grid = case % 2 == 0;
            let round = |v: Vec3| if on_grid { v.round() } else { v };
            let mut vector = |size: f32| round(Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0))));
            let ([a, b, c], center) = ([(); 3].map(|()| far + vector(3.0)), far + vector(3.0));
            let (edges, turn, half) = ([(); 3].map(|()| vector(2.0)), vector(3.0), vector(2.0).abs());
            let body = if case % 5 < 2 {
                Obb::from_half_edges(center, edges)
            } else {
                Obb::new(center, Quat::from_scaled_axis(turn), half)
            };
            let (Ok(triangle), Ok(body)) = (Triangle::new(a, b, c), body) else { continue };
            let expected = triangle.gap(&body).separation <= 0.0;
            let certain = meets(&triangle, &body);
            assert!(certain.is_none_or(|meets| meets == expected), "{triangle:?} {body:?}");
            told[usize::from(on_grid)][certain.map_or(2, usize::from)] += 1;
        }
        // On a grid many touch, and many boxes are flat, or edges parallel.
        let [[apart, met, open], on_grid] = told;
        assert!(apart > 4000 && met > 4000 && open * 5 < apart + met, "{told:?}");
        assert!(on_grid[0] > 3000 && on_grid[1] > 1000, "{told:?}");
    }
}
