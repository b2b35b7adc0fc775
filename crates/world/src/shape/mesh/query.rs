//! What is asked of a whole placed mesh: planes, frusta, overlaps, the nearest point.

use super::placed::PlacedMesh;
use crate::shape::Convex;
use cullide_bvh::{ALL, Visit};
use cullide_narrowphase::{Aabb, Containment, Frustum, Plane, Side, Triangle, glam::Vec3};
use std::ops::ControlFlow::{self, Break, Continue};

/// More than rounding adds to the product of a normal and a way, as a share of those of two edges and the way.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A distance, the number of a triangle, and its point that is so far.
type Nearest = (f64, u32, Vec3);

impl PlacedMesh {
    /// On which side of `plane` all triangles lie; touching is [`Side::Straddling`].
    pub(crate) fn side_of(&self, plane: &Plane) -> Side {
        let whole = plane.side_of_aabb(&self.aabb());
        if whole != Side::Straddling {
            return whole;
        }
        let mut known = None;
        let _ = self.each_triangle(|part| {
            let side = part.side_of(plane);
            known = if known.is_none_or(|known| known == side) { Some(side) } else { Some(Side::Straddling) };
            if known == Some(Side::Straddling) { Break(()) } else { Continue(()) }
        });
        known.unwrap_or(Side::Straddling)
    }

    /// How the box of the mesh lies to the frustum, and where that crosses, whether any triangle may be seen.
    pub(crate) fn visibility(&self, frustum: &Frustum) -> Containment {
        let whole = frustum.containment_of_aabb(&self.aabb());
        let sees = |part: Convex| part.visibility(frustum) != Containment::Outside;
        match whole {
            Containment::Crossing if self.each_triangle(|part| stop_if(sees(part))).is_continue() => {
                Containment::Outside
            }
            _ => whole,
        }
    }

    /// Calls `visit` with the triangles of each group whose box touches the frustum, and how that box lies to it.
    pub(crate) fn cull(&self, frustum: &Frustum, visit: &mut dyn FnMut(&[u32], Containment)) {
        let (data, placement) = (self.data(), self.placement());
        data.tree.groups().cull(&placement.local_planes(frustum, &self.aabb()), ALL, |leaf, undecided| {
            // Placed planes are rounded, and tell only what is outside.
            let containment = if undecided == 0 && placement.is_identity() {
                Containment::Inside
            } else {
                data.tree
                    .groups()
                    .aabb(leaf)
                    .map_or(Containment::Crossing, |aabb| placement.containment(&aabb, frustum))
            };
            if containment != Containment::Outside {
                visit(data.tree.numbers(leaf), containment);
            }
            Continue(())
        });
    }

    /// Whether any triangle whose box touches `bounds` touches what `touches` knows.
    pub(crate) fn any_part_near(&self, bounds: &Aabb, touches: &dyn Fn(Convex) -> bool) -> bool {
        let mut found = false;
        self.parts_until(bounds, &mut |_, part| {
            found = touches(part);
            stop_if(found)
        });
        found
    }

    /// The triangle nearest to `point` within a distance, of equals the one of the smallest number, and its point
    /// nearest to it.
    pub(crate) fn closest_point(&self, point: Vec3, max_distance: f32) -> Option<(u32, Vec3)> {
        let mut best: Option<Nearest> = None;
        // One step of `f32` farther, so that none is left out that counts as at the same distance.
        let most = f64::from(max_distance.next_up());
        // A way in the coordinates of the mesh is no longer than this many times the same way as it is placed.
        let (placement, wide) = (self.placement(), point.as_dvec3());
        let (local, stretch) = (placement.local_point(wide).as_vec3(), placement.stretch());
        let error = placement.local_error(wide, &self.aabb());
        let limit = |distance: f64| (distance * stretch * (1.0 + 1e-6) + error) as f32;
        self.data().tree.nearest(local, limit(most), |number, _| {
            best = self.nearer(number, point, most, best).or(best);
            best.map_or(Visit::Continue, |(distance, ..)| Visit::Within(limit(distance)))
        });
        best.map(|(_, number, nearest)| (number, nearest))
    }

    /// A triangle, if it is within a distance of `point` and nearer than the nearest so far.
    fn nearer(&self, number: u32, point: Vec3, most: f64, best: Option<Nearest>) -> Option<Nearest> {
        let [a, b, c] = self.corners_of(number);
        let beside = (a.min(b).min(c) - point).max(point - a.max(b).max(c)).max(Vec3::ZERO);
        // Less than the distance to its box, and to its plane.
        let at_least = f64::from(beside.length_squared()) * (1.0 - 1e-5);
        let [p, q, r] = [a.as_dvec3(), b.as_dvec3(), c.as_dvec3()];
        let (u, v, way) = (q - p, r - p, point.as_dvec3() - p);
        let normal = u.cross(v);
        let error = ROUNDING * u.abs().element_sum() * v.abs().element_sum() * way.abs().element_sum();
        let above = (normal.dot(way).abs() * (1.0 - 1e-9) - error).max(0.0);
        let is_farther =
            |(least, ..): Nearest| at_least > least * least || above * above > least * least * normal.length_squared();
        if best.is_some_and(is_farther) {
            return None;
        }
        let nearest = Triangle::new(a, b, c).ok()?.closest_point(point);
        let distance = nearest.as_dvec3().distance(point.as_dvec3());
        let is_nearer = best.is_none_or(|(least, other, _)| (distance, number) < (least, other));
        (distance <= most && is_nearer).then_some((distance, number, nearest))
    }

    /// Calls `visit` with all triangles until it breaks.
    fn each_triangle(&self, mut visit: impl FnMut(Convex) -> ControlFlow<()>) -> ControlFlow<()> {
        for number in 0..self.mesh().len() as u32 {
            if let Some(triangle) = self.triangle(number) {
                visit(Convex::Triangle(triangle, self.sides()))?;
            }
        }
        Continue(())
    }
}

fn stop_if(found: bool) -> ControlFlow<()> {
    if found { Break(()) } else { Continue(()) }
}
