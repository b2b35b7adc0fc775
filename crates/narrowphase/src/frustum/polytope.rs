//! Corners and edges of a convex region given by planes.
//!
//! Three planes meet in a point; it is a corner iff no other plane has it behind. Two planes that share a corner share
//! an edge, which runs to another corner or to infinity. With six planes there are twenty triples and fifteen pairs, so
//! all are tried. Which corners and edges exist is decided exactly; their positions are rounded; see
//! `plane_intersection.rs`.

use super::{
    exact::{Separator, is_parallel},
    plane_intersection::{PlaneIntersection, PlaneSigns, slope},
};
use crate::{Error, Plane, arrays::Mapped, exact::vector};
use arrayvec::ArrayVec;
use glam::DVec3;
use std::cmp::Ordering;

/// The rounding of a short sum of products, relative to the sum of their magnitudes.
pub(super) const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// A pointed convex polyhedron, bounded or not.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Polytope {
    /// Each corner once.
    pub(super) corners: Vec<DVec3>,
    /// How much a coordinate of each corner may be off: a lot for a distant corner, where planes are nearly parallel.
    pub(super) errors: Vec<f64>,
    pub(super) edges: Vec<Edge>,
}

/// The points `start + t · direction` for `0 <= t <= length`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge {
    /// The end that is known more precisely.
    pub(super) start: DVec3,
    /// How much a coordinate of the start may be off.
    pub(super) error: f64,
    /// Of unit length.
    pub(super) direction: DVec3,
    /// Infinite for an edge that extends to infinity.
    pub(super) length: f64,
}

impl Polytope {
    pub(super) fn new(planes: &[Plane], field: &'static str) -> Result<Self, Error> {
        let points: Vec<PlaneIntersection> =
            triples(planes.len()).into_iter().filter_map(|t| PlaneIntersection::new(planes, t)).collect();
        if points.is_empty() {
            return Err(Error::Unbounded { field });
        }
        let corners: Vec<PlaneIntersection> = points.into_iter().filter(PlaneIntersection::is_corner).collect();
        let mut polytope = Self { corners: Vec::new(), errors: Vec::new(), edges: Vec::new() };
        for corner in &corners {
            polytope.add(corner);
        }
        // The corners and rays span the region: it is flat iff some plane has none of them in front.
        let mut rises: ArrayVec<bool, { super::Frustum::MAX_PLANES }> =
            (0..planes.len()).map(|k| corners.iter().any(|corner| corner.sides[k].is_gt())).collect();
        for i in 0..planes.len() {
            for j in i + 1..planes.len() {
                let on_both = |corner: &&PlaneIntersection| corner.planes.contains(&i) && corner.planes.contains(&j);
                let shared: ArrayVec<&PlaneIntersection, { super::Frustum::MAX_PLANES - 2 }> =
                    corners.iter().filter(on_both).collect();
                if shared.is_empty() {
                    continue;
                }
                let line = planes[i].normal().as_dvec3().cross(planes[j].normal().as_dvec3());
                let slope =
                    |k| if k == i || k == j { Ordering::Equal } else { slope(line, [i, j, k].mapped(|i| &planes[i])) };
                let slopes: PlaneSigns = (0..planes.len()).map(slope).collect();
                let edge = Edge::new(line, &slopes, &shared);
                if edge.length.is_infinite() {
                    rises.iter_mut().zip(&slopes).for_each(|(rises, slope)| *rises |= slope.is_ne());
                }
                polytope.edges.push(edge);
            }
        }
        if rises.into_iter().all(|rises| rises) { Ok(polytope) } else { Err(Error::Empty { field }) }
    }

    /// Adds a corner if it is not known yet: a corner through which more than three planes pass is found once for each
    /// triple of them. The one that is kept stands for the others, so its error grows.
    fn add(&mut self, corner: &PlaneIntersection) {
        for (known, error) in self.corners.iter().zip(&mut self.errors) {
            let apart = (*known - corner.point).abs().max_element();
            if apart <= *error + corner.error {
                *error = error.max(apart + corner.error);
                return;
            }
        }
        self.corners.push(corner.point);
        self.errors.push(corner.error);
    }

    /// The directions of its infinite edges: the region is unbounded in these and in the directions between them.
    pub(super) fn rays(&self) -> impl Iterator<Item = DVec3> {
        self.edges.iter().filter(|edge| edge.length.is_infinite()).map(|edge| edge.direction)
    }

    /// The axes, fixed for all axis-aligned boxes, that may separate one from this region; see [`super::exact`].
    pub(super) fn separators(&self) -> Vec<Separator> {
        let mut directions: Vec<DVec3> = Vec::new();
        for edge in &self.edges {
            if !directions.iter().any(|known| is_parallel(*known, edge.direction)) {
                directions.push(edge.direction);
            }
        }
        let faces = DVec3::AXES.into_iter().filter_map(|axis| Separator::of_face(self, axis));
        let crosses = directions.into_iter().flat_map(|direction| {
            DVec3::AXES.into_iter().filter_map(move |edge| Separator::of_edges(self, edge, direction))
        });
        faces.chain(crosses).collect()
    }
}

impl Edge {
    /// The edge along a `line` through the corners on it, of which there is at least one. The `slopes` say how the
    /// height over each plane changes along the line.
    fn new(line: DVec3, slopes: &PlaneSigns, corners: &[&PlaneIntersection]) -> Self {
        let line = vector::normalized_or_zero(line);
        let hindmost = |way: DVec3| {
            let first = corners.iter().min_by(|a, b| way.dot(a.point).total_cmp(&way.dot(b.point)));
            first.map_or((DVec3::ZERO, 0.0), |corner| (corner.point, corner.error))
        };
        let (first, last) = (hindmost(line), hindmost(-line));
        // The edge is not open at both ends: the plane that cuts out the corner is in the way.
        for (way, (start, error), against) in [(line, first, Ordering::Less), (-line, last, Ordering::Greater)] {
            if !slopes.contains(&against) {
                return Self { start, error, direction: way, length: f64::INFINITY };
            }
        }
        let ((start, error), end, direction) =
            if first.1 <= last.1 { (first, last.0, line) } else { (last, first.0, -line) };
        Self { start, error, direction, length: (end - start).dot(direction).max(0.0) }
    }
}

/// Whether `point`, which errs by up to `error`, may lie in front of or on the plane.
pub(super) fn reaches(plane: &Plane, point: DVec3, error: f64) -> bool {
    let magnitude = plane.normal().as_dvec3().abs().dot(point.abs()) + f64::from(plane.d().abs());
    plane.distance(point) >= -(2.0 * error + ROUNDING * magnitude)
}

/// All triples of `count` planes; first those of a box whose opposite faces are numbered in pairs, in the order of
/// [`super::Frustum::corners`].
fn triples(count: usize) -> Vec<[usize; 3]> {
    let is_of_box = |[i, j, k]: [usize; 3]| i < 2 && (2..4).contains(&j) && k >= 4;
    let mut triples = Vec::new();
    for k in 0..count {
        for j in 0..k {
            triples.extend((0..j).map(|i| [i, j, k]));
        }
    }
    let (of_box, others): (Vec<_>, Vec<_>) = triples.into_iter().partition(|triple| is_of_box(*triple));
    [of_box, others].concat()
}
