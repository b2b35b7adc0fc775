//! Tests whether a ball touches a placed mesh.
//!
//! The tree decides by distances in the coordinates of the mesh, except for triangles about as far away as the radius:
//! those are tested as placed.

use super::{
    Mesh,
    nearest::{ALIKE, FAR_LARGER},
};
use crate::shape::placed::At;
use cullide_bvh::Touching;
use cullide_narrowphase::{Solid, Sphere, Triangle};

/// How far from the surface of the ball [`Solid::overlaps_sphere`] may take a miss for a touch or the reverse, as a
/// fraction of the coordinates of the ball's centre: 2^-38. It rounds points to 2^-53 of their coordinates, a few
/// times; the tree's bounds are wide enough for what it loses of lengths.
const ROUNDED: f64 = 1.0 / (1u64 << 38) as f64;

impl At<'_, Mesh> {
    /// Whether any triangle touches the ball.
    pub(crate) fn overlaps_sphere(&self, ball: &Sphere) -> bool {
        let (placement, center, radius) = (self.placement, ball.center().as_dvec3(), f64::from(ball.radius()));
        // A distance in the coordinates of the mesh is at most `stretch` times the placed one, which is at most
        // `widest` times the former.
        let (stretch, widest) = (placement.stretch(), placement.widest());
        if stretch * widest > ALIKE {
            return self.any_part_near(&ball.aabb(), &|| ball.into(), &|part| part.overlaps_sphere(ball));
        }
        let rounded = ROUNDED * center.abs().element_sum();
        // Once for the centre, once for the corners.
        let error = placement.local_error(center, self.aabb);
        let ball_there = Touching {
            center: placement.local_point(center).as_vec3(),
            certain: ((radius - rounded) / widest * (1.0 - 1e-6) - 2.0 * error) as f32,
            possible: ((radius + rounded) * stretch * (1.0 + 1e-6) + 2.0 * error) as f32,
            shortest: (FAR_LARGER * error) as f32,
        };
        self.data().tree.touches_ball(&ball_there, |corners| {
            let [a, b, c] = self.placed(*corners);
            Triangle::new(a, b, c).is_ok_and(|triangle| triangle.overlaps_sphere(ball))
        })
    }
}
