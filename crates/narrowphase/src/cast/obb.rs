//! Path against oriented box: the path in the box's own coordinates, where the box is `[−1, 1]³`, against slabs.
//!
//! The half edges may be skewed (a parallelepiped), so the slabs run along the cross products of edges, which are exact
//! up to one rounding. Each time has a bound on its error; where that could change whether the path meets the box, or
//! starts in it, the answer is decided exactly.
//!
//! Where edges nearly lie in a plane or on a line, slabs nearly coincide: they do not bound the box across, and
//! contradict each other by their rounding. There the slabs are widened by their rounding, and the box's outline in
//! that plane, a hexagon, is tested as well.
//!
//! Source: Haines, "Real-Time Rendering", §22.7 (a ray against an oriented box by slabs), here without its epsilon.

use super::{Cast, Crossing, HitFeature, Path};
use crate::{
    Obb,
    arrays::Mapped,
    exact::vector,
    overlap::zonotope::{self, Vector},
    shape::obb::longest,
};
use arrayvec::ArrayVec;
use glam::DVec3;

/// A box with less than this share of the volume that its edges would span at right angles is also tested by its
/// outline. Above it, rounding moves a slab's corner by less than 1e-15 / 1e-3 of the box.
const THIN: f64 = 1e-3;

/// More than the combined error of a position, a reach and an approach along a cross product, as far along the path as
/// the box may be, relative to the sums of coordinates that are multiplied: no term is rounded more than six times.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// A time that is this many times its error is right to the last digit of `f32`, up to one rounding.
const EXACT_ENOUGH: f64 = (1u32 << 25) as f64;

impl Cast for Obb {
    fn crossing(&self, path: &Path) -> Option<Crossing> {
        let edges = self.wide_edges();
        let axes = [0, 1, 2].mapped(|i| edges[(i + 1) % 3].cross(edges[(i + 2) % 3]));
        let reaches = [0, 1, 2].mapped(|i| axes[i].dot(edges[i]).abs());
        // What the edges span, and what they would span at right angles.
        let [spanned, most] = [reaches[0].powi(2), edges.mapped(DVec3::length_squared).iter().product()];
        if spanned <= THIN * THIN * most {
            return self.crossing_of_thin(path);
        }

        let origin = path.origin - self.center().as_dvec3();
        // No point of the box is farther away along any axis than `size`, nor later on the path than `size / fastest`.
        let size = edges.iter().fold(origin.abs(), |sum, edge| sum + edge.abs()).element_sum();
        let fastest = path.delta.abs().max_element();
        // When the path is in all slabs, and by how much rounding may have changed that.
        let (mut enter, mut exit, mut first) = (f64::NEG_INFINITY, path.max, 0);
        let (mut error, mut is_certain) = (0.0, true);
        for i in 0..3 {
            // Times are quotients, so the axes need no length.
            let (axis, reach) = (axes[i], reaches[i]);
            let (position, approach) = (axis.dot(origin), axis.dot(path.delta));
            let unit = ROUNDING * axis.abs().element_sum();
            if approach.abs() <= unit * fastest {
                // Along the slab, or nearly so. The slack covers the errors of both, and the approach while the path is
                // near.
                let slack = 2.0 * unit * size;
                if position.abs() > reach + slack {
                    return None;
                }
                is_certain &= position.abs() < reach - slack;
                continue;
            }
            let per_approach = 1.0 / approach;
            let toward = reach.copysign(approach);
            let (near, far) = ((-toward - position) * per_approach, (toward - position) * per_approach);
            // Without a branch: which slab comes first is effectively random.
            first = if near > enter { i } else { first };
            (enter, exit) = (enter.max(near), exit.min(far));
            error = f64::max(error, 2.0 * unit * per_approach.abs());
        }
        let error = error * size;
        if enter - exit > 2.0 * error || exit < -error {
            return None;
        }
        is_certain &= exit - enter > 2.0 * error && exit > error && (enter < -error || enter > EXACT_ENOUGH * error);
        // The error bounds do not hold later than that.
        if !is_certain || enter * fastest > 2.0 * size {
            return self.crossing_exactly(path, enter > error, [enter, exit], axes[first]);
        }
        Some(if enter > 0.0 { path.entering([enter, exit], axes[first]) } else { path.starting_inside(exit) })
    }

    fn entry_feature(&self, path: &Path) -> Option<HitFeature> {
        self.is_crossed(path).then(|| self.feature_of(path)).flatten()
    }
}

impl Path {
    /// The crossing of a path that is in a box between these times and enters through a face whose normal is this axis,
    /// of either sign.
    fn entering(&self, [enter, exit]: [f64; 2], axis: DVec3) -> Crossing {
        Crossing { enter, exit: exit + 0.0, normal: axis * -1f64.copysign(axis.dot(self.delta)), inside: false }
    }
}

impl Obb {
    /// The crossing where the rounded times leave open whether there is one, or whether the path starts inside.
    #[cold]
    fn crossing_exactly(&self, path: &Path, is_outside: bool, times: [f64; 2], axis: DVec3) -> Option<Crossing> {
        if self.is_its_bounds() {
            return self.aabb().crossing(path);
        }
        if !self.meets_exactly(path) {
            return None;
        }
        let [enter, exit] = times;
        let crossing = if !is_outside && self.contains_exactly(path.origin) {
            path.starting_inside(exit)
        } else {
            let enter = enter.clamp(0.0, path.max) + 0.0;
            path.entering([enter, exit.clamp(enter, path.max)], axis)
        };
        crossing.within(&self.aabb(), path)
    }

    /// Whether the box fills its bounds exactly, as one that is not turned does.
    fn is_its_bounds(&self) -> bool {
        let (edges, center) = (self.wide_edges(), self.center().as_dvec3());
        let [a, b, c] = edges.mapped(|edge| DVec3::select(edge.cmpne(DVec3::ZERO), DVec3::ONE, DVec3::ZERO));
        let edges_an_axis = a + b + c;
        if edges_an_axis.max_element() > 1.0 || [a, b, c].iter().any(|edge| edge.element_sum() > 1.0) {
            return false;
        }
        let half = edges.iter().fold(DVec3::ZERO, |sum, edge| sum + edge.abs());
        let (min, max) = (self.aabb().min().as_dvec3(), self.aabb().max().as_dvec3());
        // A sum is exact iff taking either part away leaves the other.
        max - half == center && max - center == half && min + half == center && center - min == half
    }

    /// Whether the path has a point in the box, exactly: the path is one more edge of the zonotope.
    fn meets_exactly(&self, path: &Path) -> bool {
        let (center, edges) = (self.center().as_dvec3(), self.wide_edges());
        // No point of the box is farther away along the axis on which the path is fastest. Multiplying by a power of
        // two does not round.
        let sum = edges.iter().fold((path.origin - center).abs(), |sum, edge| sum + edge.abs());
        let farthest = sum.element_sum() / path.delta.abs().max_element();
        let until = if farthest.is_finite() { path.max.min(2f64.powi(farthest.log2().ceil() as i32 + 1)) } else { 0.0 };
        let half = path.delta * (0.5 * until);
        let [a, b, c] = edges;
        // The direction of an axis or a diagonal has few digits once it is divided by its largest coordinate.
        let scaled = path.delta / path.delta.abs().max_element();
        let is_diagonal = scaled.to_array().iter().all(|x| *x == 0.0 || x.abs() == 1.0);
        let along = if is_diagonal { scaled } else { path.delta };
        let along = if until > 0.0 { along } else { DVec3::ZERO };
        let offset = Vector::sum([center, -path.origin, -half]);
        zonotope::contains_along(&[a, b, c, half].mapped(Vector::new), &[a, b, c, along], &offset)
    }

    /// The crossing of a box that is, or may be, badly shaped.
    #[cold]
    fn crossing_of_thin(&self, path: &Path) -> Option<Crossing> {
        let origin = path.origin - self.center().as_dvec3();
        let size = self.wide_edges().iter().fold(origin.abs(), |sum, edge| sum + edge.abs()).element_sum();
        let slack = ROUNDING * size;
        let slabs: ArrayVec<_, 8> = self.slabs().into_iter().chain(self.outline()).collect();
        let (mut enter, mut exit, mut first) = (f64::NEG_INFINITY, path.max, 0);
        for (i, (axis, reach)) in slabs.iter().enumerate() {
            let (position, approach) = (axis.dot(origin), axis.dot(path.delta));
            let toward = (reach + slack).copysign(approach);
            if approach == 0.0 {
                if position.abs() > reach + slack {
                    return None;
                }
                continue;
            }
            let (near, far) = ((-toward - position) / approach, (toward - position) / approach);
            if near > enter {
                (enter, first) = (near, i);
            }
            exit = exit.min(far);
        }
        if exit < 0.0 || enter > exit {
            None
        } else {
            self.crossing_exactly(path, enter > 0.0, [enter, exit], slabs[first].0)
        }
    }

    /// Slabs around a box whose edges nearly lie in a plane or on a line: its thickness, its length, and the sides of
    /// the hexagon that is its outline when seen along its thickness. Empty for a well-shaped box, which its three
    /// slabs bound well.
    fn outline(&self) -> ArrayVec<(DVec3, f64), 5> {
        let edges = self.wide_edges();
        let normals = [0, 1, 2].mapped(|i| edges[(i + 1) % 3].cross(edges[(i + 2) % 3]));
        let normal = longest(normals);
        // What the edges span, and what they would span at right angles; squared. Edges of length zero do not count.
        let spanned = match edges.iter().filter(|edge| **edge == DVec3::ZERO).count() {
            0 => edges[0].dot(normals[0]).powi(2),
            1 => normal.length_squared(),
            _ => return ArrayVec::new(),
        };
        let lengths = edges.iter().filter(|edge| **edge != DVec3::ZERO).map(|edge| edge.length_squared());
        if spanned > THIN * THIN * lengths.product::<f64>() {
            return ArrayVec::new();
        }
        [normal, longest(edges)]
            .into_iter()
            .chain(edges.mapped(|edge| normal.cross(edge)))
            .filter_map(vector::try_normalized)
            .map(|axis| (axis, edges.iter().map(|edge| axis.dot(*edge).abs()).sum()))
            .collect()
    }
}
