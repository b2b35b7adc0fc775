//! The nearest point of a placed mesh.

use super::Mesh;
use crate::shape::{Convex, placed::At, surface::Surface};
use cullide_bvh::{Measure, Visit};
use cullide_narrowphase::{Aabb, Triangle, glam::Vec3};

/// An upper bound on how far rounding moves a point that is returned in `f32`, as a fraction of its coordinates: 2^-22.
const RETURNED: f64 = 1.0 / (1u32 << 22) as f64;

/// A triangle that is no sliver before it is placed, and larger than rounding by this factor, is no sliver afterwards
/// either, unless it is stretched too unevenly (see [`ALIKE`]).
pub(super) const FAR_LARGER: f64 = (1u32 << 12) as f64;

/// The largest ratio of the stretch along one axis to that along another for which [`FAR_LARGER`] holds.
pub(super) const ALIKE: f64 = 2.0;

impl At<'_, Mesh> {
    /// As [`Parts::around`](crate::shape::parts::Parts::around).
    pub(in crate::shape) fn parts_around(&self, bounds: &Aabb, within: f64, visit: &mut dyn FnMut(u32, Convex) -> f64) {
        let (local, own) = self.placement.local_around(bounds, self.aabb, &self.shared.aabb());
        self.data().tree.nearest_to_box(&local, own(within), |number, corners| {
            let [a, b, c] = self.placed(corners);
            match Triangle::new(a, b, c) {
                Ok(triangle) => Visit::Within(own(visit(number, Convex::Triangle(triangle, self.sides())))),
                Err(_) => Visit::Continue,
            }
        });
    }

    /// Returns the triangle nearest to `point` within `max_distance`, and the point on it nearest to `point`. Of
    /// triangles equally near, it is the one with the smallest number.
    pub(crate) fn closest_point(&self, point: Vec3, max_distance: f32) -> Option<(u32, Vec3)> {
        let (placement, wide) = (self.placement, point.as_dvec3());
        // A distance in the coordinates of the mesh is at most `stretch` times the placed one.
        let (stretch, factor) = (placement.stretch(), placement.stretch() * placement.widest());
        let error = placement.local_error(wide, self.aabb);
        let returned = RETURNED * wide.abs().element_sum();
        let limit = |distance: f32| ((f64::from(distance) + returned) * stretch * (1.0 + 1e-6) + error) as f32;
        let measure = Measure {
            factor: (factor * (1.0 + 1e-6)) as f32,
            error: ((1.0 + factor) * error + 2.0 * stretch * returned) as f32,
            shortest: if factor <= ALIKE { (FAR_LARGER * error) as f32 } else { f32::INFINITY },
        };
        // One step of `f32` farther, so that no triangle is left out that counts as at the same distance.
        let most = max_distance.next_up();
        let mut best: Option<(f64, u32, Vec3)> = None;
        let local = placement.local_point(wide).as_vec3();
        self.data().tree.nearest(local, limit(most), measure, |number, corners| {
            let placed;
            let corners = if placement.is_identity() {
                corners
            } else {
                placed = placement.placed(*corners);
                &placed
            };
            let Some(nearest) = Triangle::closest_point_of(corners, point) else { return Visit::Continue };
            let distance = nearest.as_dvec3().distance(wide);
            let is_nearer = best.is_none_or(|(least, other, _)| (distance, number) < (least, other));
            if distance > f64::from(most) || !is_nearer {
                return Visit::Continue;
            }
            best = Some((distance, number, nearest));
            Visit::Within(limit((distance as f32).next_up()))
        });
        best.map(|(_, number, at)| (number, at))
    }
}
