//! Finds which triangles a moving box may touch: a filter for the many that are near, ahead of the exact tests.
//!
//! A triangle is rejected if the boxes of the two never meet, or not within the limit, or if the moving box stays on
//! one side of the triangle's plane. All tests are in `f64`, with margins for rounding: a triangle that is touched is
//! never rejected.
//!
//! Source: Akenine-Möller, "Fast 3D Triangle-Box Overlap Testing", 2001 (the axes of the box and the plane).

use cullide_narrowphase::{
    Aabb, Triangle,
    glam::{DVec3, Vec3},
};

/// An upper bound on what rounding adds to a length or to a time, as a fraction of the numbers that it is computed
/// from.
const ROUNDING: f64 = 1.0 / (1u64 << 40) as f64;

/// An upper bound on what rounding adds to the product of a normal and a corner, as a fraction of that of two corners
/// and an edge.
const CROSS: f64 = 16.0 * f64::EPSILON;

/// A box and the motion of its centre.
pub(super) struct BoxWay {
    center: DVec3,
    half: DVec3,
    motion: DVec3,
    /// Infinite along an axis without motion.
    inverse: DVec3,
}

impl BoxWay {
    pub(super) fn new(around: &Aabb, motion: Vec3) -> Self {
        let (min, max) = (around.min().as_dvec3(), around.max().as_dvec3());
        let motion = motion.as_dvec3();
        let margin = ROUNDING * (min.abs().max(max.abs()).max_element() + motion.abs().max_element());
        Self { center: 0.5 * (min + max), half: 0.5 * (max - min) + margin, motion, inverse: 1.0 / motion }
    }

    /// Returns the triangle with these corners, or `None` if the box does not touch it up to the fraction `limit` of
    /// its motion, or if the triangle has no area.
    #[inline]
    pub(super) fn triangle(&self, [a, b, c]: [Vec3; 3], limit: f64) -> Option<Triangle> {
        let [p, q, r] = [a.as_dvec3() - self.center, b.as_dvec3() - self.center, c.as_dvec3() - self.center];
        // Rounding of the corners relative to the middle of the box is less than the margin, if they are not far beyond
        // it.
        let (low, high) = (p.min(q).min(r) - self.half, p.max(q).max(r) + self.half);
        let slack = ROUNDING * (low.abs().max_element() + high.abs().max_element());
        let (low, high) = (low - slack, high + slack);
        let (mut enter, mut exit) = (0.0f64, limit);
        for axis in 0..3 {
            if self.motion[axis] == 0.0 {
                if low[axis] > 0.0 || high[axis] < 0.0 {
                    return None;
                }
                continue;
            }
            let (first, last) = (low[axis] * self.inverse[axis], high[axis] * self.inverse[axis]);
            let (first, last) = if first < last { (first, last) } else { (last, first) };
            enter = if first > enter { first } else { enter };
            exit = if last < exit { last } else { exit };
        }
        if enter > exit + ROUNDING * (1.0 + exit) {
            return None;
        }
        let normal = (q - p).cross(r - p);
        let reach = normal.abs().dot(self.half);
        // How far the plane is from the middle of the box, at the start and at the end.
        let (start, way) = (normal.dot(p), normal.dot(self.motion));
        let end = start - way;
        let size = low.abs().max(high.abs()).element_sum();
        let edges = ((q - p).abs() + (r - p).abs()).element_sum();
        let slack = slack * normal.abs().element_sum()
            + ROUNDING * (reach + start.abs() + way.abs())
            + CROSS * size * size * edges;
        if start.min(end) > reach + slack || start.max(end) < -reach - slack {
            return None;
        }
        Triangle::new(a, b, c).ok()
    }
}
