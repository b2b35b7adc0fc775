//! A ball and a rectangular box.

use super::{
    ContactManifold, ManifoldPoint,
    box_frame::{BoxEdges, BoxFrame},
};
use crate::{Sphere, arrays::Mapped, exact::vector};
use glam::DVec3;

/// Bound on what rounding may add to a distance, as a share of the numbers that it is computed from: 2^-20, as for two
/// boxes. Most of it is the rounding of the axes to `f32`.
const ROUNDED: f64 = 1.0 / (1u64 << 20) as f64;

/// Makes `manifold` that of a box and a ball; `None` if the box is skewed.
pub(super) fn against_box(manifold: &mut ContactManifold, body: &BoxEdges, ball: &Sphere, margin: f32) -> Option<()> {
    let frame = body.frame()?;
    let way = ball.center().as_dvec3() - body.center.as_dvec3() - body.rest.as_dvec3();
    let SurfacePoint { at, normal, distance } = SurfacePoint::new(&frame, way);
    let radius = f64::from(ball.radius());
    let separation = distance - radius;
    let half = frame.half.truncate().as_dvec3().element_sum();
    let size = half + way.abs().element_sum() + radius;
    manifold.begin(normal.as_vec3(), (separation - ROUNDED * size) as f32);
    if separation <= f64::from(margin) {
        manifold.push(ManifoldPoint {
            from_first: at.as_vec3() + body.rest,
            from_second: (normal * -radius).as_vec3(),
            separation: separation as f32,
            feature: 0,
        });
    }
    Some(())
}

/// The point of a box's surface nearest to another point.
struct SurfacePoint {
    /// Relative to the centre.
    at: DVec3,
    /// Unit vector, outward.
    normal: DVec3,
    /// Negative if the other point is inside.
    distance: f64,
}

impl SurfacePoint {
    fn new(frame: &BoxFrame, to: DVec3) -> Self {
        let axes = [0, 1, 2].mapped(|i| frame.axis(i).as_dvec3());
        let half = [0, 1, 2].mapped(|i| f64::from(frame.half[i]));
        let place = axes.mapped(|axis| axis.dot(to));
        let mut at = [0, 1, 2].mapped(|i| place[i].max(-half[i]).min(half[i]));
        let outside = [0, 1, 2].mapped(|i| place[i] - at[i]);
        let world = |coordinates: [f64; 3]| (0..3).map(|i| axes[i] * coordinates[i]).sum::<DVec3>();
        if outside != [0.0; 3]
            && let Some(normal) = vector::try_normalized(world(outside))
        {
            return Self { at: world(at), normal, distance: DVec3::from(outside).length() };
        }
        // Inside: out through the nearest face.
        let depth = |i: usize| half[i] - place[i].abs();
        let axis = (1..3).fold(0, |best, i| if depth(i) < depth(best) { i } else { best });
        let side = if place[axis] < 0.0 { -1.0 } else { 1.0 };
        at[axis] = side * half[axis];
        Self { at: world(at), normal: vector::normalized(axes[axis]) * side, distance: -depth(axis) }
    }
}
