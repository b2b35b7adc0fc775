//! The features of triangles and patches. A path across the plane hits an edge where it passes on neither side of it,
//! and a vertex where that lies on the path's line; a path in the plane is clipped by the edges.

use super::{FaceWay, HitFeature, PathEntry, exact};
use crate::{Patch, Path, Triangle, cast::triangle::side_of_edge, exact::predicate::sign, lists::Listed};
use glam::DVec3;
use smallvec::SmallVec;
use std::cmp::Ordering::Equal;

impl Triangle {
    /// The feature that the first point of a path that crosses the triangle lies on, given that point, rounded.
    pub(in crate::cast) fn feature_at(&self, path: &Path, point: DVec3) -> HitFeature {
        let points = self.vertices();
        feature(&points, path, point, |from| self.edge_way(from, path))
    }
}

impl Patch {
    /// The same; if its corners are not exactly flat, a path in its plane is decided by the stored half-spaces across
    /// its edges.
    pub(in crate::cast) fn feature_at(&self, path: &Path, point: DVec3) -> HitFeature {
        let points = self.polygon().vertices;
        if let Some(flat) = self.flat() {
            return feature(points, path, point, |from| flat.edge_way(from, path));
        }
        let sides: SmallVec<[_; 8]> = self.bounds().skip(2).listed();
        feature(points, path, point, |from| FaceWay::through(&exact(sides[from].normal), points[from], path))
    }
}

/// The feature of a polygon that the path touches first; `side` returns the half-space across the edge that starts at a
/// corner.
fn feature(points: &[DVec3], path: &Path, point: DVec3, side: impl Fn(usize) -> FaceWay) -> HitFeature {
    let corners = 0..points.len();
    let next = |from: usize| (from + 1) % points.len();
    let is_along = |&from: &usize| side_of_edge(path, points[from], points[next(from)]) == Equal;
    let edges: SmallVec<[usize; 16]> = corners.clone().filter(is_along).listed();
    if edges.len() < points.len() {
        return match corners.clone().find(|&corner| is_on_line(points[corner], path)) {
            Some(corner) => HitFeature::Vertex(corner),
            None => nearest_edge(points, &edges, point),
        };
    }
    let ways: SmallVec<[FaceWay; 8]> = corners.clone().map(side).listed();
    let entry = PathEntry::new(&ways);
    match corners.clone().find(|&corner| entry.is_at(points[corner], path)) {
        Some(corner) => HitFeature::Vertex(corner),
        None => nearest_edge(points, &entry.faces, point),
    }
}

/// Whether a point with `f32` coordinates lies on the path's line.
fn is_on_line(point: DVec3, path: &Path) -> bool {
    let (o, d) = (path.origin, path.delta);
    (0..3).all(|i| {
        let j = (i + 1) % 3;
        sign(&[point[i] * d[j], -o[i] * d[j], -point[j] * d[i], o[j] * d[i]]) == Equal
    })
}

/// The one of `edges`, which lie on a line, that the first point is on; the face if there are none.
fn nearest_edge(points: &[DVec3], edges: &[usize], point: DVec3) -> HitFeature {
    // For a patch with collinear corners: how far the point is from the middle of an edge, relative to the edge's
    // length.
    let distance = |from: &usize| {
        let (a, b) = (points[*from], points[(from + 1) % points.len()]);
        ((point - 0.5 * (a + b)).dot(b - a) / (b - a).length_squared()).abs()
    };
    let nearest = edges.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.map_or(HitFeature::Face(0), |from| HitFeature::edge(from, (from + 1) % points.len()))
}
