//! The point of one to four points' hull that is nearest to another point.
//!
//! Its direction is always a cross product of edges, which is right to its own rounding however near the point is,
//! unlike a sum of points that cancel.
//!
//! Source: Ericson, "Real-Time Collision Detection", §5.1.5 and §5.1.6.

use super::pair::SupportPoint;
use crate::{arrays::Mapped, exact::ROUNDING};
use glam::DVec3;

/// One to four points of a difference, and the weights of their point that was found last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Simplex {
    pub(super) len: usize,
    points: [SupportPoint; 4],
    weights: [f64; 4],
}

/// The nearest point of a triangle, and the weights of its corners.
#[derive(Clone, Copy)]
struct Foot {
    v: DVec3,
    weights: [f64; 3],
}

impl Simplex {
    pub(super) fn new(points: &[SupportPoint]) -> Self {
        let mut all = [SupportPoint::default(); 4];
        all[..points.len()].copy_from_slice(points);
        Self { len: points.len(), points: all, weights: [1.0, 0.0, 0.0, 0.0] }
    }

    pub(super) fn points(&self) -> &[SupportPoint] {
        &self.points[..self.len]
    }

    pub(super) fn points_mut(&mut self) -> &mut [SupportPoint] {
        &mut self.points[..self.len]
    }

    pub(super) fn holds(&self, point: &SupportPoint) -> bool {
        self.points().iter().any(|own| own.w == point.w)
    }

    /// Adds a point, to at most three.
    pub(super) fn push(&mut self, point: SupportPoint) {
        self.points[self.len] = point;
        self.len += 1;
    }

    /// The points of both cores that the nearest point is the difference of.
    pub(super) fn witnesses(&self) -> [DVec3; 2] {
        self.points()
            .iter()
            .zip(self.weights)
            .fold([DVec3::ZERO; 2], |[a, b], (point, weight)| [a + point.a * weight, b + (point.a + point.w) * weight])
    }

    /// The vector from `x` to the nearest point, and only the points that this lies between are kept; `None` if `x` is
    /// inside a tetrahedron.
    ///
    /// With `is_new`, the last point was just added and the others were kept for the same `x`: then the nearest point
    /// lies on a feature of the new one, and only those are tested.
    #[inline]
    pub(super) fn nearest(&mut self, x: DVec3, is_new: bool) -> Option<DVec3> {
        let [a, b, c, d] = self.points.mapped(|point| point.w - x);
        match self.len {
            1 => {
                self.weights[0] = 1.0;
                Some(a)
            }
            2 => Some(self.nearest_of_edge(a, b, is_new)),
            3 => Some(self.keep([0, 1, 2], nearest_of_triangle([a, b, c], is_new))),
            _ => self.nearest_of_tetrahedron([a, b, c, d], is_new),
        }
    }

    /// The distance of the origin from a triangle, and that with its nearest point.
    pub(super) fn with_nearest(mut self) -> (f64, Self) {
        let v = self.nearest(DVec3::ZERO, false);
        (v.map_or(0.0, |v| v.length()), self)
    }

    fn nearest_of_edge(&mut self, a: DVec3, b: DVec3, is_new: bool) -> DVec3 {
        let edge = b - a;
        let (from_a, from_b) = (-a.dot(edge), b.dot(edge));
        if from_b <= 0.0 || from_a <= 0.0 && !is_new {
            if from_b <= 0.0 {
                self.points[0] = self.points[1];
            }
            (self.len, self.weights[0]) = (1, 1.0);
            return if from_b <= 0.0 { b } else { a };
        }
        let whole = from_a + from_b;
        (self.weights[0], self.weights[1]) = (from_b / whole, from_a / whole);
        across(a, b)
    }

    fn nearest_of_tetrahedron(&mut self, points: [DVec3; 4], is_new: bool) -> Option<DVec3> {
        let [a, b, c, d] = points;
        let edges = [a - d, b - d, c - d];
        let normals = [edges[0].cross(edges[1]), edges[1].cross(edges[2]), edges[2].cross(edges[0])];
        let volume = normals[0].dot(edges[2]);
        let out = if volume > 0.0 { -1.0 } else { 1.0 };
        let is_flat = volume.abs() <= 16.0 * ROUNDING * normals[0].abs().dot(edges[2].abs());
        let mut best: Option<(Foot, [usize; 3])> = None;
        let mut consider = |foot: Foot, face: [usize; 3]| {
            if best.is_none_or(|(other, _)| foot.v.length_squared() < other.v.length_squared()) {
                best = Some((foot, face));
            }
        };
        for (normal, face) in normals.into_iter().zip([[0, 1, 3], [1, 2, 3], [2, 0, 3]]) {
            // A face that has the other corner and x certainly on one side is not the nearest.
            let is_inside = out * normal.dot(d) > 8.0 * ROUNDING * normal.abs().dot(d.abs());
            if !is_inside || is_flat {
                consider(nearest_of_triangle(face.mapped(|i| points[i]), is_new), face);
            }
        }
        if !is_new || best.is_none() {
            let normal = (b - a).cross(c - a);
            let (height, other) = (normal.dot(a), normal.dot(d - a));
            if height * other >= 0.0 || is_flat {
                let foot = nearest_of_triangle([a, b, c], false);
                if best.is_none_or(|(other, _)| foot.v.length_squared() < other.v.length_squared()) {
                    best = Some((foot, [0, 1, 2]));
                }
            }
        }
        best.map(|(foot, face)| self.keep(face, foot))
    }

    /// Keeps the corners that have a weight.
    fn keep(&mut self, face: [usize; 3], foot: Foot) -> DVec3 {
        let corners = face.mapped(|i| self.points[i]);
        self.len = 0;
        for (corner, weight) in corners.into_iter().zip(foot.weights) {
            if weight > 0.0 {
                (self.points[self.len], self.weights[self.len]) = (corner, weight);
                self.len += 1;
            }
        }
        foot.v
    }
}

/// The vector from the origin to the line through two points, which differ.
fn across(p: DVec3, q: DVec3) -> DVec3 {
    let edge = q - p;
    edge.cross(p.cross(edge)) / edge.length_squared()
}

/// The point of a triangle nearest to the origin; with `is_new`, it is known to lie on a feature of the last corner.
#[inline]
fn nearest_of_triangle([a, b, c]: [DVec3; 3], is_new: bool) -> Foot {
    let (ca, cb) = (a - c, b - c);
    let (a_from_c, b_from_c) = (-ca.dot(c), -cb.dot(c));
    if a_from_c <= 0.0 && b_from_c <= 0.0 {
        return Foot { v: c, weights: [0.0, 0.0, 1.0] };
    }
    let (a_from_a, b_from_a) = (-ca.dot(a), -cb.dot(a));
    let (a_from_b, b_from_b) = (-ca.dot(b), -cb.dot(b));
    if !is_new {
        if a_from_a >= 0.0 && b_from_a <= a_from_a {
            return Foot { v: a, weights: [1.0, 0.0, 0.0] };
        }
        if b_from_b >= 0.0 && a_from_b <= b_from_b {
            return Foot { v: b, weights: [0.0, 1.0, 0.0] };
        }
    }
    let n = ca.cross(cb);
    let (weight_a, weight_b, weight_c) = (n.dot(b.cross(c)), n.dot(c.cross(a)), n.dot(a.cross(b)));
    if weight_b <= 0.0 && a_from_c >= 0.0 && a_from_a <= 0.0 {
        let t = a_from_c / (a_from_c - a_from_a);
        return Foot { v: across(c, a), weights: [t, 0.0, 1.0 - t] };
    }
    if weight_a <= 0.0 && b_from_c >= 0.0 && b_from_b <= 0.0 {
        let t = b_from_c / (b_from_c - b_from_b);
        return Foot { v: across(c, b), weights: [0.0, t, 1.0 - t] };
    }
    let (from_a, from_b) = (b_from_a - a_from_a, a_from_b - b_from_b);
    if !is_new && weight_c <= 0.0 && from_a >= 0.0 && from_b >= 0.0 {
        let t = from_a / (from_a + from_b);
        return Foot { v: across(a, b), weights: [1.0 - t, t, 0.0] };
    }
    let whole = weight_a + weight_b + weight_c;
    if weight_a >= 0.0 && weight_b >= 0.0 && weight_c >= 0.0 && whole > 0.0 {
        return Foot {
            v: n * (n.dot(a) / n.length_squared()),
            weights: [weight_a, weight_b, weight_c].mapped(|x| x / whole),
        };
    }
    // By rounding none of these, or the earlier corners matter after all.
    if is_new { nearest_of_triangle([a, b, c], false) } else { nearest_of_outline([a, b, c]) }
}

/// The nearest point of the three edges.
#[cold]
fn nearest_of_outline([a, b, c]: [DVec3; 3]) -> Foot {
    let along = |p: DVec3, q: DVec3| {
        let edge = q - p;
        let square = edge.length_squared();
        let t = if square > 0.0 { (-p.dot(edge) / square).clamp(0.0, 1.0) } else { 0.0 };
        (p + edge * t, t)
    };
    let ((ab, s), (bc, t), (ca, r)) = (along(a, b), along(b, c), along(c, a));
    let feet = [
        Foot { v: ab, weights: [1.0 - s, s, 0.0] },
        Foot { v: bc, weights: [0.0, 1.0 - t, t] },
        Foot { v: ca, weights: [r, 0.0, 1.0 - r] },
    ];
    let nearer = |a: Foot, b: Foot| if b.v.length_squared() < a.v.length_squared() { b } else { a };
    nearer(nearer(feet[0], feet[1]), feet[2])
}
