//! The features of triangles and patches. A path across the plane is on an edge where it does not pass on either side of
//! it, and at a vertex where that lies on its line; one in the plane is clipped by the edges.

use super::{Entry, FaceWay, HitFeature, exact};
use crate::{Patch, Path, Triangle, cast::triangle::side_of_edge, exact::predicate::sign};
use glam::DVec3;
use smallvec::SmallVec;
use std::cmp::Ordering::Equal;

impl Triangle {
    /// What the first point of a path that crosses the triangle lies on, where that point is known, rounded.
    pub(in crate::cast) fn feature_at(&self, path: &Path, point: DVec3) -> HitFeature {
        let points = self.vertices();
        feature(&points, path, point, |from| self.edge_way(from, path))
    }
}

impl Patch {
    /// The same; for a path in its plane by the stored half-spaces across its edges, if its corners are not quite flat.
    pub(in crate::cast) fn feature_at(&self, path: &Path, point: DVec3) -> HitFeature {
        let points = self.polygon().vertices;
        if let Some(flat) = self.flat() {
            return feature(points, path, point, |from| flat.edge_way(from, path));
        }
        let sides: SmallVec<[_; 8]> = self.bounds().skip(2).collect();
        feature(points, path, point, |from| FaceWay::through(&exact(sides[from].normal), points[from], path))
    }
}

/// What of a polygon the path touches first; `side` tells the half-space across the edge that starts at a corner.
fn feature(points: &[DVec3], path: &Path, point: DVec3, side: impl Fn(usize) -> FaceWay) -> HitFeature {
    let corners = 0..points.len();
    let next = |from: usize| (from + 1) % points.len();
    let is_along = |&from: &usize| side_of_edge(path, points[from], points[next(from)]) == Equal;
    let edges: SmallVec<[usize; 8]> = corners.clone().filter(is_along).collect();
    if edges.len() < points.len() {
        return match corners.clone().find(|&corner| is_on_line(points[corner], path)) {
            Some(corner) => HitFeature::Vertex(corner),
            None => nearest_edge(points, &edges, point),
        };
    }
    let ways: SmallVec<[FaceWay; 8]> = corners.clone().map(side).collect();
    let entry = Entry::new(&ways);
    match corners.clone().find(|&corner| entry.is_at(points[corner], path)) {
        Some(corner) => HitFeature::Vertex(corner),
        None => nearest_edge(points, &entry.faces, point),
    }
}

/// Whether a point of `f32` numbers lies on the path's line.
fn is_on_line(point: DVec3, path: &Path) -> bool {
    let (o, d) = (path.origin, path.delta);
    (0..3).all(|i| {
        let j = (i + 1) % 3;
        sign(&[point[i] * d[j], -o[i] * d[j], -point[j] * d[i], o[j] * d[i]]) == Equal
    })
}

/// The edge of these, which lie in a line, that the first point is on; the face where there is none.
fn nearest_edge(points: &[DVec3], edges: &[usize], point: DVec3) -> HitFeature {
    // Of a patch whose corners lie in a line with their neighbours: how far from its middle, as a share of its length.
    let distance = |from: &usize| {
        let (a, b) = (points[*from], points[(from + 1) % points.len()]);
        ((point - 0.5 * (a + b)).dot(b - a) / (b - a).length_squared()).abs()
    };
    let nearest = edges.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.map_or(HitFeature::Face(0), |from| HitFeature::edge(from, (from + 1) % points.len()))
}
