//! Which triangles of a placed mesh lie near a box, or along a way.
//!
//! The tree is asked in the coordinates of the mesh, with a margin for all that rounding does; what is told apart is
//! told by the corners as they are placed. So which triangles are visited depends neither on the tree nor on how the
//! mesh came to its place.

use super::placed::PlacedMesh;
use crate::shape::{
    Convex,
    box_way::BoxWay,
    placement::{margin, times_in},
};
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
        let wide = self.placement().local_motion(motion.as_dvec3());
        let local = self.local(around).map(|local| local.expanded(margin(&local, wide)));
        let Some(local) = local.filter(|local| local.swept(wide.as_vec3()).is_some()) else {
            return self.parts_near(&path, &mut |number, part| _ = visit(number, part));
        };
        let (way, mut limit) = (BoxWay::new(around, motion), limit);
        let probe = Probe::swept(&local, wide.as_vec3()).within(limit);
        self.data().tree.cast(&probe, ALL, |leaf, _| {
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
        let Some((start, end)) = times_in(&self.aabb(), path) else { return };
        // Between these two points, as a small box that moves.
        let [from, to] = [start, end].map(|time| path.origin() + path.delta() * time);
        let Ok(from) = Aabb::new(from.as_vec3(), from.as_vec3()) else { return };
        let wide = self.placement().local_motion(to - from.center().as_dvec3());
        let Some(local) = self.local(&from) else { return };
        let probe = Probe::swept(&local.expanded(margin(&local, wide)), wide.as_vec3());
        self.data().tree.cast(&probe, ALL, |leaf, _| match visit_group(leaf) {
            // As a share of the way between the points, and some more for rounding. Later times may be rounded to the
            // same.
            Visit::Within(limit) => {
                let share = (f64::from(limit.next_up()) - start) / (end - start);
                Visit::Within(if share < 1.0 { (share + 1e-6) as f32 } else { 1.0 })
            }
            other => other,
        });
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
