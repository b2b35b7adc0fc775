//! Which triangles of a placed mesh lie near a box, or along a way.
//!
//! The tree is asked in the coordinates of the mesh, with a margin for all that rounding does; what is told apart is
//! told by the corners as they are placed. So which triangles are visited depends neither on the tree nor on how the
//! mesh came to its place.

use super::placed::PlacedMesh;
use crate::shape::{Convex, box_way::BoxWay};
use cullide_bvh::{ALL, Leaf, Probe, Visit};
use cullide_narrowphase::{Aabb, Cast, Crossing, Path, Sides, SlantedPath, TriangleColumns, glam::Vec3};
use std::ops::{ControlFlow, Range};

impl PlacedMesh {
    /// Calls `visit` with the triangles that may touch `bounds`, in no particular order.
    pub(crate) fn parts_near(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32, Convex)) {
        self.parts_until(bounds, &mut |number, part| {
            visit(number, part);
            ControlFlow::Continue(())
        });
    }

    /// The same until it breaks.
    pub(super) fn parts_until(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32, Convex) -> ControlFlow<()>) {
        let way = BoxWay::new(bounds, Vec3::ZERO);
        let visit_group = |leaf| {
            for place in self.places(leaf) {
                if let Some(triangle) = way.triangle(self.corners_at(place), 0.0) {
                    visit(self.data().numbers[place], Convex::Triangle(triangle, self.sides()))?;
                }
            }
            ControlFlow::Continue(())
        };
        match self.local(bounds) {
            Some(local) => self.data().tree.overlap_aabb(&local, ALL, visit_group),
            None => _ = self.data().tree.leaves().try_for_each(visit_group),
        }
    }

    /// Calls `visit` with the triangles that a box may touch on its way, about in the order in which it does. `visit`
    /// returns the fraction of the way up to which to go on; all that are touched by then are visited.
    pub(crate) fn parts_along(
        &self,
        around: &Aabb,
        motion: Vec3,
        limit: f32,
        visit: &mut dyn FnMut(u32, Convex) -> f32,
    ) {
        let Some(path) = around.swept(motion) else {
            return self.parts_near(&self.aabb(), &mut |number, part| _ = visit(number, part));
        };
        let Some(probe) = self.placement().local_sweep(around, motion, &self.aabb()) else {
            return self.parts_near(&path, &mut |number, part| _ = visit(number, part));
        };
        let (way, mut limit) = (BoxWay::new(around, motion), limit);
        self.data().tree.cast(&probe.within(limit), ALL, |leaf, _| {
            for place in self.places(leaf) {
                if let Some(triangle) = way.triangle(self.corners_at(place), limit.into()) {
                    limit = visit(self.data().numbers[place], Convex::Triangle(triangle, self.sides()));
                }
            }
            Visit::Within(limit)
        });
    }

    /// Calls `visit` with the triangles that the path crosses. `visit` returns how far to go on. `probe` is the path as
    /// trees are asked, if that is known.
    pub(crate) fn crossings(&self, path: &Path, probe: Option<&Probe>, mut visit: impl FnMut(u32, Crossing) -> Visit) {
        let (slanted, mut columns) = (SlantedPath::new(path), TriangleColumns::default());
        let mut visit_group = |leaf: Leaf| {
            let mut limit = Visit::Continue;
            let places = self.places(leaf);
            self.gather(places.clone(), &mut columns);
            let mut crossed = slanted.as_ref().map_or(u32::MAX, |slanted| columns.may_cross(slanted));
            crossed &= ((1u64 << places.len()) - 1) as u32;
            while crossed != 0 {
                let place = places.start + crossed.trailing_zeros() as usize;
                crossed &= crossed - 1;
                let Some(triangle) = self.triangle_at(place) else { continue };
                let crossing = match self.sides() {
                    Sides::Front => triangle.front_crossing(path),
                    Sides::Both => triangle.crossing(path),
                };
                if let Some(crossing) = crossing {
                    limit = visit(self.data().numbers[place], crossing);
                    if limit == Visit::Stop {
                        break;
                    }
                }
            }
            limit
        };
        if let Some(probe) = probe.filter(|_| self.placement().is_identity()) {
            return self.data().tree.cast(probe, ALL, |leaf, _| visit_group(leaf));
        }
        if let Some(local) = self.placement().local_path(path, &self.aabb()) {
            self.data().tree.cast(&local.probe, ALL, |leaf, _| local.limit(visit_group(leaf)));
        }
    }

    /// The first crossing of the path; of several at once, that of the smallest number.
    pub(crate) fn crossing(&self, path: &Path) -> Option<Crossing> {
        let mut best: Option<(u32, Crossing)> = None;
        self.crossings(path, None, |number, crossing| {
            if best.is_none_or(|(other, best)| (crossing.enter, number) < (best.enter, other)) {
                best = Some((number, crossing));
            }
            best.map_or(Visit::Continue, |(_, best)| Visit::Within((best.enter as f32).next_up()))
        });
        best.map(|(_, crossing)| crossing)
    }

    /// A triangle by its number, as bodies meet it.
    pub(crate) fn part(&self, number: u32) -> Option<Convex<'static>> {
        Some(Convex::Triangle(self.triangle(number)?, self.sides()))
    }

    /// The triangles of a group, by place.
    pub(super) fn places(&self, leaf: Leaf) -> Range<usize> {
        let starts = &self.data().starts;
        starts[leaf.index()] as usize..starts[leaf.index() + 1] as usize
    }
}
