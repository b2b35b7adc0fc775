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
    /// No coordinate of a corner errs by more.
    pub(super) error: f64,
    pub(super) edges: Vec<Edge>,
}

/// The points `start + t · direction` for `0 <= t <= length`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge {
    pub(super) start: DVec3,
    /// Of unit length.
    pub(super) direction: DVec3,
    /// Infinite for an edge that leaves to infinity.
    pub(super) length: f64,
}

/// Where three planes meet.
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
        let mut polytope = Self { corners: Vec::new(), error: 0.0, edges: Vec::new() };
        for corner in &corners {
            // More than three planes may pass through one corner; it is found once for each triple of them, and the one
            // that is kept stands for the others.
            polytope.error = polytope.error.max(3.0 * corner.error);
            let is_known = |known: &DVec3| (*known - corner.point).abs().max_element() <= polytope.error * (2.0 / 3.0);
            if !polytope.corners.iter().any(is_known) {
                polytope.corners.push(corner.point);
            }
        }
        for i in 0..planes.len() {
            for j in i + 1..planes.len() {
                let on_both = |corner: &&Meeting| corner.planes.contains(&i) && corner.planes.contains(&j);
                let points: Vec<DVec3> = corners.iter().filter(on_both).map(|corner| corner.point).collect();
                polytope.edges.extend(Edge::all(planes, [i, j], &points));
            }
        }
        Ok(polytope)
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
    fn all(planes: &[Plane], [i, j]: [usize; 2], corners: &[DVec3]) -> SmallVec<[Self; 2]> {
        let direction = planes[i].normal().as_dvec3().cross(planes[j].normal().as_dvec3()).normalize_or_zero();
        let hindmost = |way: DVec3| {
            corners.iter().copied().min_by(|a, b| way.dot(*a).total_cmp(&way.dot(*b))).unwrap_or(DVec3::ZERO)
        };
        let is_open = |way: DVec3| {
            let others = (0..planes.len()).filter(|k| *k != i && *k != j);
            others.map(|k| planes[k].normal().as_dvec3()).all(|normal| normal.dot(way) >= -ROUNDING)
        };
        let mut edges = SmallVec::new();
        if corners.is_empty() {
            return edges;
        }
        for way in [direction, -direction] {
            if is_open(way) {
                edges.push(Self { start: hindmost(way), direction: way, length: f64::INFINITY });
            }
        }
        if edges.is_empty() {
            let (start, end) = (hindmost(direction), hindmost(-direction));
            edges.push(Self { start, direction, length: (end - start).dot(direction).max(0.0) });
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
