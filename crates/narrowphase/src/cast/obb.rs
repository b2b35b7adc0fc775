//! Path against oriented box: the path in the box's own coordinates, where the box is `[−1, 1]³`, against slabs.
//!
//! The half edges may be skewed (a parallelepiped), so the slabs run along the cross products of edges, which are exact but for
//! one rounding. Where edges nearly lie in a plane or a line, slabs nearly coincide: they bound nothing across, and contradict
//! each other by their rounding. There they are widened by it, and the box's outline in that plane, a hexagon, is asked as well.
//!
//! Source: 004, "ray and OBB" (its epsilon, its end tests at `t0` and `t1` and its full/half size confusion put right).

use super::{Cast, Crossing, Path};
use crate::{Obb, obb::longest};
use glam::DVec3;
use smallvec::SmallVec;

/// A box with less than this share of the volume that its edges would span at right angles has its outline asked too. Above
/// it, rounding moves a slab's corner by less than 1e-15 / 1e-3 of the box.
const THIN: f64 = 1e-3;

impl Cast for Obb {
    fn crossing(&self, path: &Path) -> Option<Crossing> {
        let edges = self.wide_edges();
        let axes = [0, 1, 2].map(|i| edges[(i + 1) % 3].cross(edges[(i + 2) % 3]));
        // Times are quotients, so the axes need no length.
        let slabs = [0, 1, 2].map(|i| (axes[i], axes[i].dot(edges[i]).abs()));
        // What the edges span, and what they would span at right angles.
        let [spanned, most] = [slabs[0].1.powi(2), edges.map(DVec3::length_squared).iter().product()];
        if spanned > THIN * THIN * most { self.crossing_of(&slabs, path) } else { self.crossing_of_thin(path) }
    }
}

impl Obb {
    /// The crossing of a box that has, or may have, no good shape.
    #[cold]
    fn crossing_of_thin(&self, path: &Path) -> Option<Crossing> {
        let from_center = path.origin - self.center().as_dvec3();
        let outline = self.outline();
        let size = || self.wide_edges().iter().fold(from_center.abs(), |sum, edge| sum + edge.abs()).element_sum();
        let slack = if outline.is_empty() { 0.0 } else { 8.0 * f64::EPSILON * size() };
        let slabs = self.slabs().into_iter().chain(outline).map(|(axis, reach)| (axis, reach + slack));
        self.crossing_of(&slabs.collect::<SmallVec<[_; 8]>>(), path)
    }

    /// Where a path is in all of some slabs around the centre: axes of any length, and how far the box reaches along each.
    #[inline(always)]
    fn crossing_of(&self, slabs: &[(DVec3, f64)], path: &Path) -> Option<Crossing> {
        let origin = path.origin - self.center().as_dvec3();
        let (mut enter, mut exit, mut first) = (f64::NEG_INFINITY, path.max, 0);
        for (i, (axis, reach)) in slabs.iter().enumerate() {
            let (position, approach) = (axis.dot(origin), axis.dot(path.delta));
            let toward = reach.copysign(approach);
            let (mut near, mut far) = ((-toward - position) / approach, (toward - position) / approach);
            if approach == 0.0 {
                (near, far) = (if position.abs() > *reach { f64::INFINITY } else { f64::NEG_INFINITY }, f64::INFINITY);
            }
            // Without a branch: which slab comes first is as good as random.
            first = if near > enter { i } else { first };
            (enter, exit) = (enter.max(near), exit.min(far));
        }
        if exit < 0.0 || enter > exit || enter == f64::INFINITY {
            return None;
        }
        if enter <= 0.0 {
            return Some(path.starting_inside(exit));
        }
        let axis = slabs[first].0;
        Some(Crossing { enter, exit, normal: axis * -1f64.copysign(axis.dot(path.delta)), inside: false })
    }

    /// Slabs around a box whose edges nearly lie in a plane or a line: its thickness, its length, and the sides of the hexagon that
    /// it is when seen along its thickness. None for a box of good shape, which its three slabs bound well.
    fn outline(&self) -> SmallVec<[(DVec3, f64); 5]> {
        let edges = self.wide_edges();
        let normals = [0, 1, 2].map(|i| edges[(i + 1) % 3].cross(edges[(i + 2) % 3]));
        let normal = longest(normals);
        // What the edges span, and what they would span at right angles; squared. Edges of length zero do not count.
        let spanned = match edges.iter().filter(|edge| **edge == DVec3::ZERO).count() {
            0 => edges[0].dot(normals[0]).powi(2),
            1 => normal.length_squared(),
            _ => return SmallVec::new(),
        };
        let lengths = edges.iter().filter(|edge| **edge != DVec3::ZERO).map(|edge| edge.length_squared());
        if spanned > THIN * THIN * lengths.product::<f64>() {
            return SmallVec::new();
        }
        [normal, longest(edges)]
            .into_iter()
            .chain(edges.map(|edge| normal.cross(edge)))
            .filter_map(DVec3::try_normalize)
            .map(|axis| (axis, edges.iter().map(|edge| axis.dot(*edge).abs()).sum()))
            .collect()
    }
}
