//! Triangles of a difference whose corners are too close to each other, beside their coordinates, for rounded
//! differences: their sides come from the vertices of each core, of which what is common cancels without an error.

use super::pair::{Pair, Point};
use crate::exact::predicate::two_product;
use glam::DVec3;

/// A triangle of a difference.
pub(super) struct PreciseTriangle {
    /// The corner between the two shorter sides: two long ones beside a short one would lose most of the normal.
    base: usize,
    /// From there to the next corner, and to the one before.
    sides: [DVec3; 2],
    pub(super) normal: DVec3,
}

impl PreciseTriangle {
    #[cold]
    pub(super) fn new(pair: &Pair, corners: &[Point; 3]) -> Self {
        let ways = [0, 1, 2].map(|i| pair.precise_way(&corners[i], &corners[(i + 1) % 3]));
        let [x, y, z] = ways.map(DVec3::length_squared);
        let longest = if x >= y && x >= z { 0 } else { 1 + usize::from(z > y) };
        let base = (longest + 2) % 3;
        let sides = [ways[base], -ways[(base + 2) % 3]];
        Self { base, sides, normal: cross(sides[0], sides[1]) }
    }

    /// The vector from `x` to the nearest point of the plane, or of the triangle if that is not in it; how far from `x`
    /// a point of the triangle is, at most; and the weights of the corners for it.
    pub(super) fn nearest(&self, corners: &[Point; 3], x: DVec3) -> (DVec3, f64, [f64; 3]) {
        let (n, [e, f], start) = (self.normal, self.sides, corners[self.base].w - x);
        let whole = n.length_squared();
        let foot = n * (n.dot(start) / whole);
        let way = foot - start;
        let (s, t) = (way.cross(f).dot(n) / whole, e.cross(way).dot(n) / whole);
        let (inside_s, inside_t) = (s.clamp(0.0, 1.0), t.clamp(0.0, 1.0));
        let excess = (inside_s + inside_t).max(1.0);
        let (inside_s, inside_t) = (inside_s / excess, inside_t / excess);
        let point = start + e * inside_s + f * inside_t;
        let mut weights = [0.0; 3];
        weights[self.base] = 1.0 - inside_s - inside_t;
        weights[(self.base + 1) % 3] = inside_s;
        weights[(self.base + 2) % 3] = inside_t;
        (if s == inside_s && t == inside_t { foot } else { point }, point.length(), weights)
    }
}

/// The cross product, each component rounded once but for products that cancel beyond twice the digits.
fn cross(u: DVec3, v: DVec3) -> DVec3 {
    let minor = |a: f64, b: f64, c: f64, d: f64| {
        let ((p, p_low), (q, q_low)) = (two_product(a, b), two_product(c, d));
        let difference = p - q;
        let q_part = difference - p;
        let low = (p - (difference - q_part)) - (q + q_part);
        difference + (low + (p_low - q_low))
    };
    DVec3::new(minor(u.y, v.z, u.z, v.y), minor(u.z, v.x, u.x, v.z), minor(u.x, v.y, u.y, v.x))
}
