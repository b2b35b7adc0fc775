//! A path in the plane of a triangle, or a point there, clipped by the edges: exactly, seen along the axis along which
//! the normal is longest.
//!
//! ```text
//!   h + t r     how far the path at t lies beyond the edge from p to q, times its length as it is seen
//!   h           ((q − p) × (p − o)) · axis         turned round where the normal goes against the axis
//!   r           (d × (q − p)) · axis               likewise
//! ```
//! A path that meets the triangle does so first at the latest time `h / −r` of the edges that it starts beyond and
//! approaches. Whether it lies beyond no edge there is the sign of polynomials of degree four of the stored numbers.
//!
//! Source: Cyrus and Beck, "Generalized two- and three-dimensional clipping", 1978.

use super::{
    Crossing, Path,
    feature::{Entry, FaceWay},
};
use crate::{
    Triangle,
    exact::{orientation::exact_normal, predicate::Exact},
};
use std::cmp::Ordering::Greater;

impl Triangle {
    /// The crossing of a path in the plane.
    pub(super) fn coplanar_crossing(&self, path: &Path) -> Option<Crossing> {
        let ways = [0, 1, 2].map(|from| self.edge_way(from, path));
        let entry = Entry::new(&ways);
        if ways.iter().any(|way| entry.side_of(way) == Greater) || !entry.is_by(path.max) {
            return None;
        }
        let leaving = ways.iter().filter(|way| way.rise.sign() == Greater);
        let exit = leaving.map(|way| way.height.value() / -way.rise.value()).fold(path.max, f64::min);
        let crossing = match entry.first {
            None => path.starting_inside(exit),
            Some(from) => {
                let points = self.vertices();
                let normal = (points[(from + 1) % 3] - points[from]).cross(self.wide_normal());
                Crossing { enter: entry.time(), exit, normal, inside: false }
            }
        };
        crossing.within(&self.aabb(), path)
    }

    /// How a path in the plane passes the edge that starts at a corner.
    pub(super) fn edge_way(&self, from: usize, path: &Path) -> FaceWay {
        let (points, normal) = (self.vertices(), self.wide_normal());
        // Its largest component is not zero, and has the sign of the exact one.
        let axis = normal.abs().max_position();
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let ends = [points[from], points[(from + 1) % 3]];
        let [p, q] = if normal[axis] < 0.0 { [ends[1], ends[0]] } else { ends };
        let (o, d) = (path.origin, path.delta);
        FaceWay {
            height: exact_normal([q, p, o], axis).compact(),
            rise: Exact::sum(&[q[v] * d[u], -q[u] * d[v], -p[v] * d[u], p[u] * d[v]]).compact(),
        }
    }
}
