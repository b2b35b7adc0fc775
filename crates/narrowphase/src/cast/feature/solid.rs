//! The features of brushes and hulls: what the faces on which the first point lies have in common.

use super::{FaceWay, HitFeature, PathEntry, exact};
use crate::{
    Brush, Path,
    arrays::Mapped,
    exact::{lines::dot, orientation::exact_normal, predicate::Exact},
};

impl Brush {
    /// The feature that the first point of a path that crosses the brush lies on: exactly for its planes, or for the
    /// vertices of a hull. For a brush that is hit only by rounding, the nearest feature.
    pub(in crate::cast) fn feature_of(&self, path: &Path) -> Option<HitFeature> {
        let ways: Vec<FaceWay> = (0..self.planes().len()).map(|face| self.face_way(face, path)).collect();
        let entry = PathEntry::new(&ways);
        let (&face, others) = entry.faces.split_first()?;
        if others.is_empty() {
            return Some(HitFeature::Face(face));
        }
        let is_shared = |vertex: &usize| others.iter().all(|&other| self.face_vertices(other).contains(vertex));
        let mut shared = self.face_vertices(face).iter().copied().filter(is_shared);
        match [shared.next(), shared.next()] {
            [Some(a), Some(b)] => Some(HitFeature::edge(a, b)),
            [Some(vertex), None] => Some(HitFeature::Vertex(vertex)),
            // Planes that meet at the border of the brush, in a corner that was merged into one vertex with others.
            [None, _] => Some(HitFeature::Face(entry.first.unwrap_or(face))),
        }
    }

    fn face_way(&self, face: usize, path: &Path) -> FaceWay {
        if self.plane_error() > 0.0 {
            let points = self.face_points(face);
            let normal = [0, 1, 2].mapped(|axis| exact_normal(points, axis).compact());
            return FaceWay::through(&normal, points[0], path);
        }
        let plane = &self.planes()[face];
        let normal = exact(plane.normal);
        let height = dot(&normal, &exact(path.origin)).minus(&Exact::sum(&[plane.distance]));
        FaceWay { height: height.compact(), rise: dot(&normal, &exact(path.delta)) }
    }
}
