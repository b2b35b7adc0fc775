//! What is asked of a whole placed mesh: planes, frusta, overlaps.

use super::placed::MeshAt;
use crate::shape::Convex;
use cullide_bvh::ALL;
use cullide_narrowphase::{Aabb, BodyWay, Containment, Frustum, Plane, Side};
use std::{
    cell::LazyCell,
    ops::ControlFlow::{self, Break, Continue},
};

impl MeshAt<'_> {
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

    /// Whether any triangle whose box touches `bounds` touches what `touches` knows, which is a `body`.
    pub(crate) fn any_part_near(
        &self,
        bounds: &Aabb,
        body: &dyn Fn() -> BodyWay,
        touches: &dyn Fn(Convex) -> bool,
    ) -> bool {
        let (body, mut found) = (LazyCell::new(body), false);
        self.groups_near(bounds, |_, triangles| {
            found = body.meets(triangles).any(|i| {
                let triangle = triangles.triangle(i);
                triangle.is_some_and(|triangle| touches(Convex::Triangle(triangle, self.sides())))
            });
            stop_if(found)
        });
        found
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
