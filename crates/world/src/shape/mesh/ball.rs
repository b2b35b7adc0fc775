//! Whether a ball touches a placed mesh.
//!
//! The tree tells it by distances in the coordinates of the mesh, except of triangles that are about as far as the radius:
//! those are asked as they are placed.

use super::{
    nearest::{ALIKE, FAR_LARGER},
    placed::MeshAt,
};
use cullide_bvh::Touching;
use cullide_narrowphase::{Sphere, Triangle};

/// How far from the surface of the ball [`Triangle::overlaps_sphere`] may take what is beside it for a touch or the
/// reverse, as a share of the coordinates of its centre: 2^-38. It rounds points to 2^-53 of theirs, a few times; by what
/// it loses of lengths the tree's bounds are wide enough.
const ROUNDED: f64 = 1.0 / (1u64 << 38) as f64;

impl MeshAt<'_> {
    /// Whether any triangle touches the ball.
    pub(crate) fn overlaps_sphere(&self, ball: &Sphere) -> bool {
        let (placement, center, radius) = (self.placement(), ball.center().as_dvec3(), f64::from(ball.radius()));
        // A way in the coordinates of the mesh is no longer than `stretch` times the same way as it is placed, which is no
        // longer than `widest` times that.
        let (stretch, widest) = (placement.stretch(), placement.widest());
        if stretch * widest > ALIKE {
            return self.any_part_near(&ball.aabb(), &|| ball.into(), &|part| part.overlaps_sphere(ball));
        }
        let rounded = ROUNDED * center.abs().element_sum();
        // Once for the centre, once for the corners.
        let error = placement.local_error(center, &self.aabb());
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
