//! The nearest point of a placed mesh.
//!
//! ```text
//!   group near the point ──► bounds of all its distances, in lanes ──► triangles that may be nearest wait
//!                                                                 ──► the least upper bound narrows the search
//! ```
//! Which of those that wait is nearest is told in the end: on most surfaces one is left, or those that share the edge or
//! corner that is nearest.

use super::placed::MeshAt;
use cullide_bvh::Visit;
use cullide_narrowphase::{TriangleColumns, glam::Vec3};
use smallvec::SmallVec;

/// How many triangles wait before they are asked: those at a corner and a few more.
const WAITING: usize = 16;

impl MeshAt<'_> {
    /// The triangle nearest to `point` within a distance, of equals the one of the smallest number, and its point
    /// nearest to it.
    pub(crate) fn closest_point(&self, point: Vec3, max_distance: f32) -> Option<(u32, Vec3)> {
        // A way in the coordinates of the mesh is no longer than this many times the same way as it is placed.
        let (placement, wide) = (self.placement(), point.as_dvec3());
        let (local, stretch) = (placement.local_point(wide).as_vec3(), placement.stretch());
        let error = placement.local_error(wide, &self.aabb());
        let limit = |distance: f32| (f64::from(distance) * stretch * (1.0 + 1e-6) + error) as f32;
        let mut nearest = Nearest::new(*self, point, max_distance);
        self.data().tree.nearest(local, limit(nearest.at_most), |numbers, triangles| {
            nearest.offer(numbers, triangles);
            Visit::Within(limit(nearest.at_most))
        });
        nearest.settle();
        nearest.best.map(|(_, number, at)| (number, at))
    }
}

/// The search for the triangle nearest to a point.
struct Nearest<'a> {
    mesh: MeshAt<'a>,
    point: Vec3,
    /// The largest distance that counts.
    most: f64,
    /// What is farther than this is not nearest.
    at_most: f32,
    /// Lower bounds of distances, and the numbers of the triangles.
    waiting: SmallVec<[(f32, u32); WAITING]>,
    /// A distance, the number of a triangle, and its point that is so far.
    best: Option<(f64, u32, Vec3)>,
}

impl<'a> Nearest<'a> {
    fn new(mesh: MeshAt<'a>, point: Vec3, max_distance: f32) -> Self {
        // One step of `f32` farther, so that none is left out that counts as at the same distance.
        let at_most = max_distance.next_up();
        Self { mesh, point, most: f64::from(at_most), at_most, waiting: SmallVec::new(), best: None }
    }

    /// Takes the triangles of a group.
    fn offer(&mut self, numbers: &[u32], given: &TriangleColumns) {
        let triangles = self.mesh.placed_columns(given);
        let bounds = triangles.distance_bounds(self.point);
        self.at_most = self.at_most.min(bounds.nearest_at_most);
        let mut near = bounds.within(self.at_most) & ((1 << numbers.len()) - 1);
        while near != 0 {
            let lane = near.trailing_zeros() as usize % TriangleColumns::MAX;
            near &= near - 1;
            if self.waiting.len() == WAITING {
                self.settle();
            }
            self.waiting.push((bounds.at_least[lane], numbers[lane]));
        }
    }

    /// Asks those that wait.
    fn settle(&mut self) {
        for (at_least, number) in std::mem::take(&mut self.waiting) {
            if at_least <= self.at_most {
                self.ask(number);
            }
        }
    }

    fn ask(&mut self, number: u32) {
        let Some(triangle) = self.mesh.triangle(number) else { return };
        let nearest = triangle.closest_point(self.point);
        let distance = nearest.as_dvec3().distance(self.point.as_dvec3());
        let is_nearer = self.best.is_none_or(|(least, other, _)| (distance, number) < (least, other));
        if distance <= self.most && is_nearer {
            self.best = Some((distance, number, nearest));
            self.at_most = self.at_most.min((distance as f32).next_up());
        }
    }
}
