//! Boxes of any orientation as zonotopes: a centre and the sums `Σ s·g`, `|s| <= 1`, of some generators.
//!
//! The Minkowski sum of two zonotopes is the zonotope of both lists of generators, so "do two boxes meet" and "when
//! does one, moving, meet the other" are questions about one point and one zonotope. A zonotope is the intersection of
//! the slabs `|n·(p - center)| <= Σ|n·g|` over its facet normals, and every facet is spanned by two generators
//! (McMullen, "On zonotopes", 1971). Flat ones have slabs of zero thickness across the missing dimensions.

use crate::vector::{Aabb, Obb, Real, Vector};
use crate::{Exact, Ratio};

use crate::interval::Constraint;

/// A centre and generators.
#[derive(Clone, Debug)]
pub(crate) struct Zonotope {
    pub(crate) center: Vector,
    pub(crate) generators: Vec<Vector>,
}

impl Zonotope {
    pub(crate) fn from_obb<T: Real>(obb: Obb<T>) -> Self {
        Self { center: Vector::new(obb[0]), generators: obb[1..].iter().map(|&edge| Vector::new(edge)).collect() }
    }

    pub(crate) fn from_aabb<T: Real>([min, max]: Aabb<T>) -> Self {
        let (min, max) = (Vector::new(min), Vector::new(max));
        let half = max.minus(&min).times(&Exact::new(0.5));
        Self {
            center: min.plus(&max).times(&Exact::new(0.5)),
            generators: (0..3).map(|axis| Vector::axis(axis).times(&half.0[axis])).collect(),
        }
    }

    /// The Minkowski sum with the generators of another zonotope, about this one's centre.
    pub(crate) fn grown_by(&self, other: &Self) -> Self {
        Self { center: self.center.clone(), generators: [self.generators.clone(), other.generators.clone()].concat() }
    }

    /// Half the width along a direction, times the direction's length.
    pub(crate) fn radius(&self, direction: &Vector) -> Exact {
        self.generators.iter().map(|g| g.dot(direction).abs()).sum()
    }

    /// The slabs of the zonotope, for a point moving from `start` by `delta` per unit of `t`.
    pub(crate) fn slabs(&self, start: &Vector, delta: &Vector) -> Vec<Slab> {
        let offset = start.minus(&self.center);
        facet_axes(&self.generators)
            .iter()
            .map(|axis| {
                let radius = Ratio::from(self.radius(axis));
                let low = Ratio::new(-radius.numerator(), Exact::ONE);
                Slab::new(&offset.dot(axis), &delta.dot(axis), &low, &radius)
            })
            .collect()
    }
}

/// The two constraints on `t` that follow from `low <= position + velocity·t <= high`.
#[derive(Clone, Debug)]
pub(crate) struct Slab {
    pub(crate) sides: [Constraint; 2],
    /// Zero thickness: `low == high`.
    pub(crate) flat: bool,
}

impl Slab {
    pub(crate) fn new(position: &Exact, velocity: &Exact, low: &Ratio, high: &Ratio) -> Self {
        let above = position * low.denominator() - low.numerator();
        let below = high.numerator() - position * high.denominator();
        Self {
            sides: [
                Constraint::new(above, velocity * low.denominator()),
                Constraint::new(below, -(velocity * high.denominator())),
            ],
            flat: low == high,
        }
    }
}

/// Directions that together decide membership in any polytope whose edges all run along `edges`: its facet normals, and
/// for a flat one the directions across it as well.
pub(crate) fn facet_axes(edges: &[Vector]) -> Vec<Vector> {
    let mut crosses = Vec::new();
    for (i, a) in edges.iter().enumerate() {
        crosses.extend(edges[..i].iter().map(|b| b.cross(a)).filter(|axis| !axis.is_zero()));
    }
    let Some(normal) = crosses.first() else {
        return axes_along_a_line(edges.iter().find(|edge| !edge.is_zero()));
    };
    if edges.iter().all(|edge| edge.dot(normal).is_zero()) {
        let within = edges.iter().map(|edge| normal.cross(edge)).filter(|axis| !axis.is_zero());
        return std::iter::once(normal.clone()).chain(within).collect();
    }
    crosses
}

fn axes_along_a_line(edge: Option<&Vector>) -> Vec<Vector> {
    let across = (0..3).map(Vector::axis);
    match edge {
        None => across.collect(),
        Some(edge) => across
            .map(|axis| edge.cross(&axis))
            .filter(|axis| !axis.is_zero())
            .chain(std::iter::once(edge.clone()))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains(obb: Obb<f64>, point: [f64; 3]) -> bool {
        let still = Vector::new([0, 0, 0]);
        let slabs = Zonotope::from_obb(obb).slabs(&Vector::new(point), &still);
        slabs.iter().all(|slab| slab.sides.iter().all(|side| !side.value.is_negative()))
    }

    #[test]
    fn a_skewed_box_of_2_3_5_holds_its_corners_and_nothing_beyond() {
        let obb = [[1.0, 1.0, 1.0], [2.0, 0.0, 0.0], [1.0, 3.0, 0.0], [0.0, 1.0, 5.0]];
        assert!(contains(obb, [4.0, 5.0, 6.0]));
        assert!(contains(obb, [-2.0, -3.0, -4.0]));
        assert!(!contains(obb, [4.0, 5.0, 6.0 + 1e-12]));
        assert!(!contains(obb, [4.0 + 1e-12, 5.0, 6.0]));
    }

    #[test]
    fn flat_boxes_have_no_thickness() {
        let zero = [0.0; 3];
        let sheet = [zero, [2.0, 0.0, 0.0], [0.0, 3.0, 0.0], zero];
        assert!(contains(sheet, [2.0, -3.0, 0.0]) && !contains(sheet, [0.0, 0.0, 1e-300]));
        assert!(!contains(sheet, [2.1, 0.0, 0.0]));
        let rod = [zero, [2.0, 3.0, 5.0], zero, [-2.0, -3.0, -5.0]];
        assert!(contains(rod, [4.0, 6.0, 10.0]) && !contains(rod, [4.0, 6.0, 10.1]));
        let point = [[2.0, 3.0, 5.0], zero, zero, zero];
        assert!(contains(point, [2.0, 3.0, 5.0]) && !contains(point, [2.0, 3.0, 5.1]));
    }

    #[test]
    fn three_edges_in_one_plane_span_a_hexagon() {
        let obb = [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0], [1.0, 1.0, 0.0]];
        assert!(contains(obb, [3.0, 4.0, 0.0]) && !contains(obb, [3.0, -4.0, 0.0]));
        assert!(contains(obb, [3.0, -2.0, 0.0]) && !contains(obb, [3.0, 4.0, 0.1]));
    }
}
