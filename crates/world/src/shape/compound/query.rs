//! Queries on a whole placed compound: planes, frusta, overlaps, the nearest point.

use super::placed::PlacedCompound;
use crate::shape::{Convex, Parts};
use cullide_bvh::{ALL, Visit};
use cullide_narrowphase::{Aabb, Containment, Frustum, Plane, Side, glam::Vec3};
use smallvec::SmallVec;
use std::ops::ControlFlow::{Break, Continue};

impl PlacedCompound {
    /// Returns the side of `plane` on which all children lie; touching is [`Side::Straddling`].
    pub(crate) fn side_of(&self, plane: &Plane) -> Side {
        let whole = plane.side_of_aabb(&self.aabb());
        if whole != Side::Straddling {
            return whole;
        }
        let first = (0..self.shared.len() as u32).find_map(|number| self.child_parts(number));
        let known = first.map_or(Side::Straddling, |child| child.side_of(plane));
        // Only the children that may be on another side are tested.
        let beyond = match known {
            Side::Front => plane.flipped(),
            Side::Back => *plane,
            Side::Straddling => return known,
        };
        let planes = self.placement().local_plane(&beyond, &self.aabb());
        let mut is_other = false;
        self.data().tree.cull(planes.as_slice(), ALL, |leaf, _| {
            is_other = self.child_at(leaf).is_some_and(|(_, child)| child.side_of(plane) != known);
            if is_other { Break(()) } else { Continue(()) }
        });
        if is_other { Side::Straddling } else { known }
    }

    /// Classifies the box of the compound against the frustum; if the box crosses, the compound is
    /// [`Containment::Outside`] unless some child may be visible.
    pub(crate) fn visibility(&self, frustum: &Frustum) -> Containment {
        let whole = frustum.containment_of_aabb(&self.aabb());
        if whole != Containment::Crossing {
            return whole;
        }
        let planes = self.placement().local_planes(frustum, &self.aabb());
        let mut is_seen = false;
        self.data().tree.cull(&planes, ALL, |leaf, _| {
            is_seen = self.child_at(leaf).is_some_and(|(_, child)| child.visibility(frustum) != Containment::Outside);
            if is_seen { Break(()) } else { Continue(()) }
        });
        if is_seen { whole } else { Containment::Outside }
    }

    /// Calls `visit` with the parts that may touch the frustum, child by child, those of a mesh or a terrain in its
    /// groups.
    pub(crate) fn cull(&self, frustum: &Frustum, visit: &mut dyn FnMut(&[u32], Containment)) {
        let planes = self.placement().local_planes(frustum, &self.aabb());
        let mut numbers = SmallVec::<[u32; 16]>::new();
        self.data().tree.cull(&planes, ALL, |leaf, _| {
            if let Some((first, child)) = self.child_at(leaf) {
                child.cull(frustum, &mut |parts, containment| {
                    numbers.clear();
                    parts.iter().for_each(|part| numbers.push(first + part));
                    visit(&numbers, containment);
                });
            }
            Continue(())
        });
    }

    /// Whether `touches` holds for any child whose box touches `bounds`.
    pub(in crate::shape) fn any_child_near(&self, bounds: &Aabb, touches: impl Fn(Parts) -> bool) -> bool {
        let visit = &mut |_, child: Parts| if touches(child) { Break(()) } else { Continue(()) };
        self.children_near(bounds, visit).is_break()
    }

    /// As [`Parts::around`].
    pub(in crate::shape) fn parts_around(
        &self,
        bounds: &Aabb,
        mut within: f64,
        visit: &mut dyn FnMut(u32, Convex) -> f64,
    ) {
        let (local, own) = self.placement().local_around(bounds, &self.aabb(), &self.shared.aabb());
        self.data().tree.nearest_to_box(&local, own(within), ALL, |leaf, _| {
            if let Some((first, child)) = self.child_at(leaf) {
                child.around(bounds, within, &mut |part, convex| {
                    within = visit(first + part, convex);
                    within
                });
            }
            Visit::Within(own(within))
        });
    }

    /// Returns the part nearest to `point` within `max_distance`, and the point on it nearest to `point`. Of parts
    /// equally near, it is the one with the smallest number.
    pub(crate) fn closest_point(&self, point: Vec3, max_distance: f32) -> Option<(u32, Vec3)> {
        // By distances as they are reported: then children answer as objects of their own would.
        let mut best: Option<(f32, u32, Vec3)> = None;
        let (placement, wide) = (self.placement(), point.as_dvec3());
        let (local, stretch) = (placement.local_point(wide).as_vec3(), placement.stretch());
        let error = placement.local_error(wide, &self.aabb());
        // One step of `f32` farther, so that no part is left out that counts as at the same distance.
        let limit = |distance: f32| (f64::from(distance.next_up()) * stretch * (1.0 + 1e-6) + error) as f32;
        self.data().tree.nearest(local, limit(max_distance), ALL, |leaf, _| {
            let most = best.map_or(max_distance, |(least, ..)| least);
            let nearest = self.child_at(leaf).and_then(|(first, child)| {
                let (part, nearest) = child.closest_point(point, most)?;
                Some((first + part, nearest))
            });
            if let Some((part, nearest)) = nearest {
                let distance = nearest.as_dvec3().distance(wide) as f32;
                let is_first = best.is_none_or(|(least, other, _)| (distance, part) < (least, other));
                if distance <= max_distance && is_first {
                    best = Some((distance, part, nearest));
                }
            }
            best.map_or(Visit::Continue, |(least, ..)| Visit::Within(limit(least)))
        });
        best.map(|(_, part, nearest)| (part, nearest))
    }
}
