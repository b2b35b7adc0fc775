//! A path in the plane of a triangle or of a patch, or a point there, clipped by the edges: exactly, projected along
//! the axis on which the normal is largest.
//!
//! ```text
//!   h + t r     how far the path at t lies beyond the edge from p to q, times its length as it is seen
//!   h           ((q − p) × (p − o)) · axis         turned round where the normal goes against the axis
//!   r           (d × (q − p)) · axis               likewise
//! ```
//! A path that meets the polygon first does so at the latest time `h / −r` among the edges that it starts beyond and
//! approaches. Whether it lies beyond no edge at that time is decided by the signs of polynomials of degree four in the
//! stored numbers.
//!
//! Source: Cyrus and Beck, "Generalized two- and three-dimensional clipping", 1978.

use super::{
    Crossing, Path,
    feature::{Entry, FaceWay},
};
use crate::{
    Aabb, Patch, Triangle,
    exact::{orientation::exact_normal, predicate::Exact},
};
use glam::DVec3;
use smallvec::SmallVec;
use std::cmp::Ordering::Greater;

/// A convex polygon whose corners lie exactly in a plane.
#[derive(Clone, Copy)]
pub(super) struct FlatPolygon<'a> {
    corners: &'a [DVec3],
    /// Its largest component is not zero, and has the sign of the exact one.
    normal: DVec3,
    aabb: Aabb,
}

impl Triangle {
    /// The crossing of a path in the plane.
    pub(super) fn coplanar_crossing(&self, path: &Path) -> Option<Crossing> {
        let flat = FlatPolygon { corners: &self.vertices(), normal: self.wide_normal(), aabb: self.aabb() };
        flat.coplanar_crossing(path)
    }

    /// How a path in the plane passes the edge that starts at a corner.
    pub(super) fn edge_way(&self, from: usize, path: &Path) -> FaceWay {
        let flat = FlatPolygon { corners: &self.vertices(), normal: self.wide_normal(), aabb: self.aabb() };
        flat.edge_way(from, path)
    }
}

impl Patch {
    /// The patch, if its corners are exactly flat and convex.
    pub(super) fn flat(&self) -> Option<FlatPolygon<'_>> {
        let polygon = self.polygon();
        let flat = FlatPolygon { corners: polygon.vertices, normal: polygon.plane[0].normal, aabb: polygon.aabb };
        self.base().map(|_| flat)
    }
}

impl FlatPolygon<'_> {
    /// The crossing of a path in the plane.
    pub(super) fn coplanar_crossing(&self, path: &Path) -> Option<Crossing> {
        let ways: SmallVec<[FaceWay; 4]> = (0..self.corners.len()).map(|from| self.edge_way(from, path)).collect();
        let entry = Entry::new(&ways);
        if ways.iter().any(|way| entry.side_of(way) == Greater) || !entry.is_by(path.max) {
            return None;
        }
        let leaving = ways.iter().filter(|way| way.rise.sign() == Greater);
        let exit = leaving.map(|way| way.height.value() / -way.rise.value()).fold(path.max, f64::min);
        let crossing = match entry.first {
            None => path.starting_inside(exit),
            Some(from) => {
                let normal = (self.corners[self.after(from)] - self.corners[from]).cross(self.normal);
                Crossing { enter: entry.time(), exit, normal, inside: false }
            }
        };
        crossing.within(&self.aabb, path)
    }

    /// Whether a path that starts in the plane starts on the polygon.
    pub(super) fn holds_start(&self, path: &Path) -> bool {
        (0..self.corners.len()).all(|from| self.edge_way(from, path).height.sign() != Greater)
    }

    /// How a path in the plane passes the edge that starts at a corner.
    pub(super) fn edge_way(&self, from: usize, path: &Path) -> FaceWay {
        let axis = self.normal.abs().max_position();
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let ends = [self.corners[from], self.corners[self.after(from)]];
        let [p, q] = if self.normal[axis] < 0.0 { [ends[1], ends[0]] } else { ends };
        let (o, d) = (path.origin, path.delta);
        FaceWay {
            height: exact_normal([q, p, o], axis).compact(),
            rise: Exact::sum(&[q[v] * d[u], -q[u] * d[v], -p[v] * d[u], p[u] * d[v]]).compact(),
        }
    }

    fn after(&self, from: usize) -> usize {
        (from + 1) % self.corners.len()
    }
}
