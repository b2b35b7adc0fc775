//! Boxes, capsules, cylinders and solids against a plane.

use super::{
    ContactManifold, ManifoldPoint,
    box_frame::BoxEdges,
    cache::PointFeature,
    keep_four::{Candidate, four_of},
    party::PairShape,
    rod::Rod,
    solid::PairSolid,
    solids::{FLUSH, TOLERANCE},
};
use crate::{
    Plane, Sides,
    arrays::Mapped,
    exact::vector,
    lists::Listed,
    shape::{cylinder::Profile, obb::slabs},
};
use arrayvec::ArrayVec;
use glam::{DVec3, Vec3};
use smallvec::SmallVec;

/// Bound on what rounding to `f32` and the arithmetic here may add to a separation, as a share of the separation and of
/// the numbers that it is the difference of: 2^-22.
const ROUNDED: f64 = 1.0 / (1u64 << 22) as f64;

/// A plane as the first shape, seen from the side where the second shape is.
struct FacingPlane {
    /// Points to the second shape.
    normal: DVec3,
    /// The height of the second shape's centre.
    height: f64,
    /// The size of the numbers that the height is the difference of.
    size: f64,
    center: DVec3,
}

impl FacingPlane {
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

    /// The point of the second shape at this offset from its centre, and the point of the plane below it.
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

/// Makes `manifold` that of a plane and a capsule, with the ends of its axis as points.
pub(super) fn against_rod(manifold: &mut ContactManifold, plane: &Plane, sides: Sides, rod: &Rod, margin: f32) {
    let facing = FacingPlane::new(plane, sides, rod.center);
    let up = facing.normal.dot(rod.half);
    let lowest = facing.height - up.abs() - rod.radius;
    facing.begin(manifold, lowest, rod.reach());
    let ends = if rod.half == DVec3::ZERO { 1 } else { 2 };
    for (vertex, sign) in [(0, -1.0), (1, 1.0)].into_iter().take(ends) {
        let separation = facing.height + sign * up - rod.radius;
        if separation <= f64::from(margin) {
            let offset = rod.half * sign - facing.normal * rod.radius;
            let feature = PointFeature::VertexOfSecond(vertex).number();
            manifold.push(facing.point(offset, Vec3::ZERO, separation, feature));
        }
    }
}

/// Makes `manifold` that of a plane and a cylinder or a cone, with the ends of its lowest line, or points of the rim of
/// its lowest disc.
pub(super) fn against_cylinder(
    manifold: &mut ContactManifold,
    plane: &Plane,
    sides: Sides,
    profile: &Profile,
    margin: f32,
) {
    let facing = FacingPlane::new(plane, sides, profile.center);
    let party = PairShape::Cylinder(*profile);
    let lowest = facing.height + facing.normal.dot(party.farthest(-facing.normal) - profile.center);
    facing.begin(manifold, lowest, party.reach());
    let u = vector::perpendicular(facing.normal);
    let v = facing.normal.cross(u);
    let side = party.side(-facing.normal);
    let candidate = |&(at, feature): &(DVec3, u32)| {
        let offset = at - profile.center;
        let separation = (facing.height + facing.normal.dot(offset)) as f32;
        Candidate { u: u.dot(offset) as f32, v: v.dot(offset) as f32, separation, feature }
    };
    let near = side.points.iter().map(candidate).filter(|candidate| candidate.separation <= margin);
    let candidates: SmallVec<[Candidate; 12]> = near.listed();
    let mut room = ArrayVec::new();
    for kept in four_of(&candidates, (TOLERANCE * FLUSH * party.reach()) as f32, &mut room) {
        let Some((at, _)) = side.points.iter().find(|(_, feature)| *feature == kept.feature) else { continue };
        let feature = PointFeature::VertexOfSecond(kept.feature).number();
        manifold.push(facing.point(*at - profile.center, Vec3::ZERO, f64::from(kept.separation), feature));
    }
}

/// Makes `manifold` that of a plane and a solid, with up to four vertices of the face turned most toward the plane.
pub(super) fn against_solid(
    manifold: &mut ContactManifold,
    plane: &Plane,
    sides: Sides,
    solid: &PairSolid,
    margin: f32,
) {
    let facing = FacingPlane::new(plane, sides, solid.center);
    let above = |vertex: DVec3| facing.height + facing.normal.dot(vertex - solid.center);
    let lowest = solid.vertices().iter().map(|vertex| above(*vertex)).fold(f64::INFINITY, f64::min);
    facing.begin(manifold, lowest, 2.0 * solid.reach + solid.error / ROUNDED);
    if lowest > f64::from(margin) {
        return;
    }
    let u = vector::perpendicular(facing.normal);
    let v = facing.normal.cross(u);
    let candidate = |vertex: usize| {
        let offset = solid.vertices()[vertex] - solid.center;
        let separation = above(solid.vertices()[vertex]) as f32;
        Candidate { u: u.dot(offset) as f32, v: v.dot(offset) as f32, separation, feature: vertex as u32 }
    };
    let corners = solid.corners(solid.opposing(facing.normal));
    let near = corners.into_iter().map(candidate).filter(|candidate| candidate.separation <= margin);
    let candidates: SmallVec<[Candidate; 12]> = near.listed();
    let mut room = ArrayVec::new();
    for kept in four_of(&candidates, (TOLERANCE * FLUSH * solid.reach) as f32, &mut room) {
        let offset = solid.vertices()[kept.feature as usize] - solid.center;
        let feature = PointFeature::VertexOfSecond(kept.feature).number();
        manifold.push(facing.point(offset, Vec3::ZERO, f64::from(kept.separation), feature));
    }
}

/// Makes `manifold` that of a plane and a box, with the corners of the face turned most toward the plane.
pub(super) fn against_box(manifold: &mut ContactManifold, plane: &Plane, sides: Sides, body: &BoxEdges, margin: f32) {
    let edges = [0, 1, 2].mapped(|i| body.edge(i).as_dvec3());
    let facing = FacingPlane::new(plane, sides, body.center.as_dvec3() + body.rest.as_dvec3());
    let heights = edges.mapped(|edge| facing.normal.dot(edge));
    let reach: f64 = heights.iter().map(|height| height.abs()).sum();
    let size: f64 = edges.iter().map(|edge| edge.abs().element_sum()).sum();
    facing.begin(manifold, facing.height - reach, size);
    if facing.height - reach > f64::from(margin) {
        return;
    }
    let (i, j, k) = facing_face(edges, facing.normal);
    let sign = |is_upper: bool| if is_upper { 1.0 } else { -1.0 };
    let is_upper = heights[i] < 0.0;
    for (of_j, of_k) in [(false, false), (true, false), (true, true), (false, true)] {
        // For a side of length zero one end is enough.
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

/// The half edge across the face turned most toward the plane, and the two along it.
fn facing_face(edges: [DVec3; 3], normal: DVec3) -> (usize, usize, usize) {
    let facing = slabs(edges).mapped(|(axis, _)| axis.dot(normal).abs());
    let i = (1..3).fold(0, |best, i| if facing[i] > facing[best] { i } else { best });
    (i, (i + 1) % 3, (i + 2) % 3)
}
