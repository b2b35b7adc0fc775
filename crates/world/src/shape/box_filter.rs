//! Finds which triangles a box may touch: a filter for the many that are near, ahead of the exact tests.
//!
//! A triangle is rejected if the boxes of the two are apart, or if the box lies on one side of the triangle's plane. All
//! tests are in `f64`, with margins for rounding: a triangle that is touched is never rejected.
//!
//! Source: Akenine-Möller, "Fast 3D Triangle-Box Overlap Testing", 2001 (the axes of the box and the plane).

use cullide_narrowphase::{
    Aabb, Triangle,
    glam::{DVec3, Vec3},
};

/// An upper bound on what rounding adds to a length, as a fraction of the numbers that it is computed from.
const ROUNDING: f64 = 1.0 / (1u64 << 40) as f64;

/// An upper bound on what rounding adds to the product of a normal and a corner, as a fraction of that of two corners
/// and an edge.
const CROSS: f64 = 16.0 * f64::EPSILON;

/// A box, enlarged by a margin for rounding.
pub(super) struct BoxFilter {
    center: DVec3,
    half: DVec3,
}

impl BoxFilter {
    pub(super) fn new(bounds: &Aabb) -> Self {
        let (min, max) = (bounds.min().as_dvec3(), bounds.max().as_dvec3());
        let margin = ROUNDING * min.abs().max(max.abs()).max_element();
        Self { center: 0.5 * (min + max), half: 0.5 * (max - min) + margin }
    }

    /// Returns the triangle with these corners, or `None` if the box does not touch it, or if it has no area.
    #[inline]
    pub(super) fn triangle(&self, [a, b, c]: [Vec3; 3]) -> Option<Triangle> {
        let [p, q, r] = [a.as_dvec3() - self.center, b.as_dvec3() - self.center, c.as_dvec3() - self.center];
        // Rounding of the corners relative to the middle of the box is less than the margin, if they are not far beyond
        // it.
        let (low, high) = (p.min(q).min(r) - self.half, p.max(q).max(r) + self.half);
        let slack = ROUNDING * (low.abs().max_element() + high.abs().max_element());
        let (low, high) = (low - slack, high + slack);
        if (0..3).any(|axis| low[axis] > 0.0 || high[axis] < 0.0) {
            return None;
        }
        let normal = (q - p).cross(r - p);
        let reach = normal.abs().dot(self.half);
        // How far the plane is from the middle of the box.
        let distance = normal.dot(p);
        let size = low.abs().max(high.abs()).element_sum();
        let edges = ((q - p).abs() + (r - p).abs()).element_sum();
        let slack =
            slack * normal.abs().element_sum() + ROUNDING * (reach + distance.abs()) + CROSS * size * size * edges;
        if distance.abs() > reach + slack {
            return None;
        }
        Triangle::new(a, b, c).ok()
    }
}
