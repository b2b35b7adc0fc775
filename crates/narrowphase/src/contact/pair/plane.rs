//! Boxes and balls at a plane.

use super::{
    ContactManifold, ManifoldPoint,
    box_frame::{BoxEdges, BoxFrame},
    cache::PointFeature,
};
use crate::{Plane, Sides, Sphere, exact::vector};
use glam::{DVec3, Vec3};

/// What rounding to `f32` and the arithmetic here may add to a separation, as a share of it and of what it is the
/// difference of: 2^-22.
const ROUNDED: f64 = 1.0 / (1u64 << 22) as f64;

/// A plane as the first shape, seen from the side of the second.
struct Facing {
    /// To the second shape.
    normal: DVec3,
    /// How high the second one's centre is.
    height: f64,
    /// The size of what the height is a difference of.
    size: f64,
    center: DVec3,
}

impl Facing {
    fn new(plane: &Plane, sides: Sides, center: DVec3) -> Self {
        let normal = vector::normalized(plane.normal().as_dvec3());
        let (along, d) = (normal * center, f64::from(plane.d()) / plane.normal().as_dvec3().length());
        let (height, size) = (along.element_sum() + d, along.abs().element_sum() + d.abs());
        let side = if sides == Sides::Both && height < 0.0 { -1.0 } else { 1.0 };
        Self { normal: normal * side, height: height * side, size, center }
    }

    fn begin(&self, manifold: &mut ContactManifold, distance: f64, reach: f64) {
        let lost = ROUNDED * (distance.abs() + reach) + 8.0 * f64::EPSILON * self.size;
        manifold.begin(self.normal.as_vec3(), (distance - lost) as f32);
    }

    /// The point of the second shape with this offset from its centre, and the one of the plane below it.
    fn point(&self, offset: DVec3, rest: Vec3, separation: f64, feature: u32) -> ManifoldPoint {
        let below = self.center + offset - self.normal * separation;
        ManifoldPoint {
            from_first: below.as_vec3(),
            from_second: offset.as_vec3() + rest,
            separation: separation as f32 + 0.0,
            feature,
        }
    }
}

/// Makes `manifold` that of a plane and a ball.
pub(super) fn against_ball(manifold: &mut ContactManifold, plane: &Plane, sides: Sides, ball: &Sphere, margin: f32) {
    let facing = Facing::new(plane, sides, ball.center().as_dvec3());
    let radius = f64::from(ball.radius());
    let separation = facing.height - radius;
    facing.begin(manifold, separation, radius);
    if separation <= f64::from(margin) {
        manifold.push(facing.point(-facing.normal * radius, Vec3::ZERO, separation, 0));
    }
}

/// Makes `manifold` that of a plane and a box: the corners of the face that is turned to the plane most.
pub(super) fn against_box(manifold: &mut ContactManifold, plane: &Plane, sides: Sides, body: &BoxEdges, margin: f32) {
    let edges = [0, 1, 2].map(|i| body.edge(i).as_dvec3());
    let facing = Facing::new(plane, sides, body.center.as_dvec3() + body.rest.as_dvec3());
    let heights = edges.map(|edge| facing.normal.dot(edge));
    let reach: f64 = heights.iter().map(|height| height.abs()).sum();
    let size: f64 = edges.iter().map(|edge| edge.abs().element_sum()).sum();
    facing.begin(manifold, facing.height - reach, size);
    if facing.height - reach > f64::from(margin) {
        return;
    }
    let (i, j, k) = facing_face(&body.frame(), facing.normal.as_vec3());
    let sign = |is_upper: bool| if is_upper { 1.0 } else { -1.0 };
    let is_upper = heights[i] < 0.0;
    for (of_j, of_k) in [(false, false), (true, false), (true, true), (false, true)] {
        // Of a side of length zero one end is enough.
        if of_j && edges[j] == DVec3::ZERO || of_k && edges[k] == DVec3::ZERO {
            continue;
        }
        let signs = [(i, is_upper), (j, of_j), (k, of_k)];
        let offset = signs.iter().map(|&(axis, is_upper)| edges[axis] * sign(is_upper)).sum::<DVec3>();
        let height: f64 = signs.iter().map(|&(axis, is_upper)| heights[axis] * sign(is_upper)).sum();
        let separation = facing.height + height;
        if separation <= f64::from(margin) {
            let vertex = signs.iter().map(|&(axis, is_upper)| u32::from(is_upper) << axis).sum();
            manifold.push(facing.point(offset, body.rest, separation, PointFeature::VertexOfSecond(vertex).number()));
        }
    }
}

/// The half edge across the face that is turned to the plane most, and the two along it.
fn facing_face(frame: &BoxFrame, normal: Vec3) -> (usize, usize, usize) {
    let facing = frame.along(normal).abs();
    let i = (1..3).fold(0, |best, i| if facing[i] > facing[best] { i } else { best });
    (i, (i + 1) % 3, (i + 2) % 3)
}
