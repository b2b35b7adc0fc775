//! Finds which children of a placed compound lie near a box or along a path.
//!
//! The tree is queried in the coordinates of the compound, with a margin for all rounding; the children as placed then
//! decide.

use super::placed::PlacedCompound;
use crate::shape::{
    Convex, Parts,
    way::{Filtered, StraightWay},
};
use cullide_bvh::{ALL, Leaf, Probe, Visit};
use cullide_narrowphase::{Aabb, Crossing, Path, Solid};
use std::ops::ControlFlow::{self, Continue};

impl PlacedCompound {
    /// Calls `visit` with the parts that may touch `bounds`, in no particular order.
    pub(crate) fn parts_near(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32, Convex)) {
        let _ = self.children_near(bounds, &mut |first, child| {
            child.near(bounds, &mut |part, convex| visit(first + part, convex));
            Continue(())
        });
    }

    /// Calls `visit` with the children whose boxes touch `bounds`, and the numbers of their first parts, until it
    /// breaks.
    pub(in crate::shape) fn children_near(
        &self,
        bounds: &Aabb,
        visit: &mut dyn FnMut(u32, Parts) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut visit_leaf = |leaf| {
            let Some((first, child)) = self.child_at(leaf) else { return Continue(()) };
            // For a composite child, its parts decide.
            let is_near = if let Parts::One(convex) = child { convex.aabb().overlaps(bounds) } else { true };
            if is_near { visit(first, child) } else { Continue(()) }
        };
        let Some(local) = self.placement().local(bounds, &self.aabb()) else {
            return self.data().tree.leaves().try_for_each(visit_leaf);
        };
        let mut flow = Continue(());
        self.data().tree.overlap_aabb(&local, ALL, |leaf| {
            flow = visit_leaf(leaf);
            flow
        });
        flow
    }

    /// Calls `visit` with the parts that a moving box may touch, roughly in the order in which it does. `visit` returns
    /// the fraction of the motion up to which to continue; all parts touched by then are visited.
    pub(crate) fn parts_along(
        &self,
        way: &StraightWay,
        limit: f32,
        visit: &mut dyn FnMut(u32, Convex, Filtered) -> f32,
    ) {
        let StraightWay { around, motion, .. } = *way;
        let Some(path) = around.swept(motion) else {
            return self.parts_near(&self.aabb(), &mut |number, part| _ = visit(number, part, Filtered::No));
        };
        let Some(probe) = self.placement().local_sweep(around, motion, &self.aabb()) else {
            return self.parts_near(&path, &mut |number, part| _ = visit(number, part, Filtered::No));
        };
        let mut limit = limit;
        self.data().tree.cast(&probe.within(limit.max(0.0)), ALL, |leaf, _| {
            if let Some((first, child)) = self.child_at(leaf) {
                _ = child.along(way, limit, &mut |part, convex, filtered| {
                    limit = visit(first + part, convex, filtered);
                    limit
                });
            }
            Visit::Within(limit.max(0.0))
        });
    }

    /// Calls `visit` with the parts that the path crosses. `visit` returns how far to continue. `probe` is the path as
    /// trees take it, if known.
    pub(crate) fn crossings(&self, path: &Path, probe: Option<&Probe>, visit: &mut dyn FnMut(u32, Crossing) -> Visit) {
        let mut narrowed = probe.copied();
        let mut visit_child = |leaf: Leaf| {
            let mut met = Visit::Continue;
            if let Some((first, child)) = self.child_at(leaf) {
                child.crossings(path, narrowed.as_ref(), &mut |part, crossing| {
                    met = visit(first + part, crossing);
                    met
                });
            }
            if let (Visit::Within(limit), Some(probe)) = (met, &mut narrowed) {
                *probe = probe.within(limit);
            }
            met
        };
        let tree = &self.data().tree;
        if let Some(probe) = probe.filter(|_| self.placement().is_identity()) {
            tree.cast(probe, ALL, |leaf, _| visit_child(leaf));
        } else if let Some(local) = self.placement().local_path(path, &self.aabb(), &self.shared.aabb()) {
            tree.cast(&local.probe, ALL, |leaf, _| local.limit(visit_child(leaf)));
        }
    }

    /// Returns a part by its number, as bodies meet it.
    pub(crate) fn part(&self, number: u32) -> Option<Convex<'_>> {
        let (child, part) = self.shared.child_of(number)?;
        self.child_parts(child)?.part(part)
    }

    /// Returns the caller's number of the child that a part belongs to; for a part of a mesh or a terrain, the number
    /// that this child has for it.
    pub(crate) fn surface(&self, number: u32) -> u16 {
        let Some((child, part)) = self.shared.child_of(number) else { return 0 };
        match self.child_parts(child) {
            Some(Parts::One(_)) | None => self.shared.surface(child).unwrap_or(0),
            Some(composite) => composite.surface(part),
        }
    }
}
