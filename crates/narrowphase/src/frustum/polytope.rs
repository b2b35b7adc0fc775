//! Corners and edges of a convex region that is given by planes.
//!
//! Three planes meet in a point; it is a corner iff no other plane has it behind. Two planes that share a corner share an edge,
//! which runs to another corner or to infinity. With six planes there are twenty triples and fifteen pairs, so all are
//! tried. A corner within rounding of being behind a plane is kept: the region may come out too large by that, never too
//! small.

use super::exact::{Separator, is_parallel};
use crate::{Error, Plane};
use glam::DVec3;
use smallvec::SmallVec;

/// The rounding of a short sum of products, relative to the sum of their magnitudes.
pub(super) const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// A pointed convex polyhedron, bounded or not.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Polytope {
    /// Each corner once.
    pub(super) corners: Vec<DVec3>,
    /// By how much a coordinate of each corner may err: much for a corner far away where planes are nearly parallel.
    pub(super) errors: Vec<f64>,
    pub(super) edges: Vec<Edge>,
}

/// The points `start + t · direction` for `0 <= t <= length`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge {
    /// The corner that is known better.
    pub(super) start: DVec3,
    /// By how much a coordinate of the start may err.
    pub(super) error: f64,
    /// Of unit length.
    pub(super) direction: DVec3,
    /// Infinite for an edge that leaves to infinity.
    pub(super) length: f64,
}

/// Where three planes meet.
#[derive(Clone, Copy)]
struct Meeting {
    planes: [usize; 3],
    point: DVec3,
    error: f64,
}

impl Polytope {
    pub(super) fn new(planes: &[Plane], field: &'static str) -> Result<Self, Error> {
        let meetings: Vec<Meeting> =
            triples(planes.len()).into_iter().filter_map(|t| Meeting::new(planes, t)).collect();
        if meetings.is_empty() {
            return Err(Error::Unbounded { field });
        }
        let corners: Vec<Meeting> = meetings.into_iter().filter(|meeting| meeting.is_corner(planes)).collect();
        if corners.is_empty() {
            return Err(Error::Empty { field });
        }
        let mut polytope = Self { corners: Vec::new(), errors: Vec::new(), edges: Vec::new() };
        for corner in &corners {
            polytope.add(corner);
        }
        for i in 0..planes.len() {
            for j in i + 1..planes.len() {
                let on_both = |corner: &&Meeting| corner.planes.contains(&i) && corner.planes.contains(&j);
                let shared: SmallVec<[Meeting; 8]> = corners.iter().filter(on_both).copied().collect();
                polytope.edges.extend(Edge::all(planes, [i, j], &shared));
            }
        }
        if planes.iter().all(|plane| polytope.is_deep(plane)) { Ok(polytope) } else { Err(Error::Empty { field }) }
    }

    /// Adds a corner that is not known yet: one through which more than three planes pass is found for each triple of them.
    /// The one that is kept stands for the others, so its error grows.
    fn add(&mut self, corner: &Meeting) {
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

    /// Whether a point in the middle lies in front of `plane` by more than rounding: not so for a region without an interior.
    fn is_deep(&self, plane: &Plane) -> bool {
        let size = self.corners.iter().map(|corner| corner.abs().max_element()).fold(f64::MIN_POSITIVE, f64::max);
        let mean = self.corners.iter().sum::<DVec3>() / self.corners.len() as f64;
        let middle = mean + self.rays().sum::<DVec3>() * size;
        let magnitude = plane.normal().as_dvec3().abs().dot(middle.abs()) + f64::from(plane.d().abs());
        let error = self.errors.iter().copied().fold(0.0, f64::max);
        plane.distance(middle) > 2.0 * error + ROUNDING * magnitude
    }

    /// The directions in which the region is not bounded: those of its endless edges, and what lies between them.
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

impl Meeting {
    /// The common point by Cramer's rule, with a bound of its error; `None` when the determinant is rounding noise.
    ///
    /// A cross product of `f32` normals is exact but for one rounding a component, so the error is that of the two sums of
    /// products, divided by the determinant.
    fn new(all: &[Plane], planes: [usize; 3]) -> Option<Self> {
        let [(n0, d0), (n1, d1), (n2, d2)] = planes.map(|i| (all[i].normal().as_dvec3(), f64::from(all[i].d())));
        let (c0, c1, c2) = (n1.cross(n2), n2.cross(n0), n0.cross(n1));
        let determinant = n0.dot(c0);
        if determinant.abs() <= 2.0 * ROUNDING * n0.abs().dot(c0.abs()) {
            return None;
        }
        let point = -(c0 * d0 + c1 * d1 + c2 * d2) / determinant;
        let sum = (c0 * d0).abs() + (c1 * d1).abs() + (c2 * d2).abs() + point.abs() * n0.abs().dot(c0.abs());
        Some(Self { planes, point, error: ROUNDING * sum.max_element() / determinant.abs() })
    }

    /// Whether the point lies behind no other plane, up to rounding.
    fn is_corner(&self, all: &[Plane]) -> bool {
        let others = (0..all.len()).filter(|i| !self.planes.contains(i));
        others.map(|i| &all[i]).all(|plane| reaches(plane, self.point, self.error))
    }
}

impl Edge {
    /// The edge of planes `i` and `j` through the corners they share: none without one, two where it is open both ways (as
    /// far as rounding can tell).
    fn all(planes: &[Plane], [i, j]: [usize; 2], corners: &[Meeting]) -> SmallVec<[Self; 2]> {
        let direction = planes[i].normal().as_dvec3().cross(planes[j].normal().as_dvec3()).normalize_or_zero();
        let hindmost = |way: DVec3| {
            corners.iter().min_by(|a, b| way.dot(a.point).total_cmp(&way.dot(b.point))).map(|c| (c.point, c.error))
        };
        let is_open = |way: DVec3| {
            let others = (0..planes.len()).filter(|k| *k != i && *k != j);
            others.map(|k| planes[k].normal().as_dvec3()).all(|normal| normal.dot(way) >= -ROUNDING)
        };
        let mut edges = SmallVec::new();
        let (Some(first), Some(last)) = (hindmost(direction), hindmost(-direction)) else { return edges };
        for (way, (start, error)) in [(direction, first), (-direction, last)] {
            if is_open(way) {
                edges.push(Self { start, error, direction: way, length: f64::INFINITY });
            }
        }
        if edges.is_empty() {
            let ((start, error), end, direction) =
                if first.1 <= last.1 { (first, last.0, direction) } else { (last, first.0, -direction) };
            edges.push(Self { start, error, direction, length: (end - start).dot(direction).max(0.0) });
        }
        edges
    }
}

/// Whether `point`, which errs by up to `error`, may lie in front of or on the plane.
pub(super) fn reaches(plane: &Plane, point: DVec3, error: f64) -> bool {
    let magnitude = plane.normal().as_dvec3().abs().dot(point.abs()) + f64::from(plane.d().abs());
    plane.distance(point) >= -(2.0 * error + ROUNDING * magnitude)
}

/// All triples of `count` planes; first those of a box with opposite faces numbered in pairs, in the order of
/// [`super::Frustum::corners`].
fn triples(count: usize) -> Vec<[usize; 3]> {
    let is_of_box = |[i, j, k]: [usize; 3]| i < 2 && (2..4).contains(&j) && k >= 4;
    let mut triples = Vec::new();
    for k in 0..count {
        for j in 0..k {
            triples.extend((0..j).map(|i| [i, j, k]));
        }
    }
    triples.sort_by_key(|triple| !is_of_box(*triple));
    triples
}
