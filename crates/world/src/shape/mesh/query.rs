//! Queries on a whole placed mesh: planes, frusta, overlaps.

use super::Mesh;
use crate::shape::{Convex, placed::At};
use cullide_bvh::ALL;
use cullide_narrowphase::{Containment, Frustum, Plane, Side, Solid};
use std::ops::ControlFlow::{Break, Continue};

impl At<'_, Mesh> {
    /// Returns the side of `plane` on which all triangles lie; touching is [`Side::Straddling`].
    pub(crate) fn side_of(&self, plane: &Plane) -> Side {
        let whole = plane.side_of_aabb(self.aabb);
        if whole != Side::Straddling {
            return whole;
        }
        let first = (0..self.shared.len() as u32).find_map(|number| self.part(number));
        let known = first.map_or(Side::Straddling, |part| part.side_of(plane));
        // Only the triangles that may be on another side are tested.
        let beyond = match known {
            Side::Front => plane.flipped(),
            Side::Back => *plane,
            Side::Straddling => return known,
        };
        let planes = self.placement.local_plane(&beyond, self.aabb);
        let is_other = |part: Convex, _| part.side_of(plane) != known;
        if self.any_before(planes.as_slice(), is_other) { Side::Straddling } else { known }
    }

    /// Classifies the box of the mesh against the frustum; if the box crosses, the mesh is [`Containment::Outside`]
    /// unless some triangle may be visible.
    pub(crate) fn visibility(&self, frustum: &Frustum) -> Containment {
        let whole = frustum.containment_of_aabb(self.aabb);
        if whole != Containment::Crossing {
            return whole;
        }
        let planes = self.placement.local_planes(frustum, self.aabb);
        // Placed planes are rounded, and can only decide what is outside.
        let is_identity = self.placement.is_identity();
        let sees = |part: Convex, is_inside: bool| {
            is_inside && is_identity || frustum.visibility_of(part) != Containment::Outside
        };
        if self.any_before(&planes, sees) { whole } else { Containment::Outside }
    }

    /// Whether `is_it` holds for any triangle that may be in front of the planes, which are in own coordinates. It is
    /// told whether the box of the triangle's group is in front of all of them.
    fn any_before(&self, planes: &[Plane], is_it: impl Fn(Convex, bool) -> bool) -> bool {
        let tree = &self.data().tree;
        let mut found = false;
        tree.groups().cull(planes, ALL, |leaf, undecided| {
            let mut parts = tree.numbers(leaf).iter().filter_map(|number| self.part(*number));
            found = parts.any(|part| is_it(part, undecided == 0));
            if found { Break(()) } else { Continue(()) }
        });
        found
    }

    /// Calls `visit` with the triangles of each group whose box touches the frustum, and with the containment of that
    /// box.
    pub(crate) fn cull(&self, frustum: &Frustum, visit: &mut dyn FnMut(&[u32], Containment)) {
        let (data, placement) = (self.data(), self.placement);
        data.tree.groups().cull(&placement.local_planes(frustum, self.aabb), ALL, |leaf, undecided| {
            // Placed planes are rounded, and can only decide what is outside.
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
}
