//! Which triangles of a placed mesh lie near a box, or along a way.
//!
//! The tree is asked in the coordinates of the mesh, with a margin for all that rounding does; what is told apart is
//! told by the corners as they are placed. So which triangles are visited depends neither on the tree nor on how the
//! mesh came to its place.

use super::placed::PlacedMesh;
use crate::shape::{
    Convex,
    box_way::BoxWay,
    way::{Rest, StraightWay},
};
use cullide_bvh::{Probe, Visit};
use cullide_narrowphase::{Aabb, Crossing, Path, SlantedPath, glam::Vec3};
use std::{cell::LazyCell, ops::ControlFlow};

/// A box that is entered so many times later than another one's time is entered later, however both were rounded.
const LATER: f32 = 1.000_001;

impl PlacedMesh {
    /// Calls `visit` with the triangles that may touch `bounds`, in no particular order.
    pub(crate) fn parts_near(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32, Convex)) {
        self.parts_until(bounds, &mut |number, part| {
            visit(number, part);
            ControlFlow::Continue(())
        });
    }

    /// The same until it breaks.
    fn parts_until(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32, Convex) -> ControlFlow<()>) {
        let way = BoxWay::new(bounds, Vec3::ZERO);
        self.candidates_near(bounds, |number, corners| match way.triangle(corners, 0.0) {
            Some(triangle) => visit(number, Convex::Triangle(triangle, self.sides())),
            None => ControlFlow::Continue(()),
        });
    }

    /// Calls `visit` with the corners of all triangles whose boxes touch `bounds`, and some more, until it breaks.
    pub(in crate::shape) fn candidates_near(
        &self,
        bounds: &Aabb,
        mut visit: impl FnMut(u32, [Vec3; 3]) -> ControlFlow<()>,
    ) {
        self.groups_near(bounds, |numbers| {
            numbers.iter().try_for_each(|&number| visit(number, self.corners_of(number)))
        });
    }

    /// The same with their numbers, those of a group at a time: sixteen at most.
    pub(super) fn groups_near(&self, bounds: &Aabb, mut visit: impl FnMut(&[u32]) -> ControlFlow<()>) {
        let tree = &self.data().tree;
        match self.local(bounds) {
            Some(local) => tree.overlap_aabb(&local, visit),
            None => _ = tree.groups().leaves().try_for_each(|leaf| visit(tree.numbers(leaf))),
        }
    }

    /// Calls `visit` with the triangles that a body may touch on its way, about in the order in which it does. `visit`
    /// returns the fraction of the way up to which to go on; all that are touched by then are visited.
    pub(crate) fn parts_along(&self, way: &StraightWay, limit: f32, visit: &mut dyn FnMut(u32, Convex) -> f32) -> Rest {
        let StraightWay { around, motion, body } = *way;
        let Some(path) = around.swept(motion) else {
            self.parts_near(&self.aabb(), &mut |number, part| _ = visit(number, part));
            return Rest::Unknown;
        };
        let Some(probe) = self.placement().local_sweep(around, motion, &self.aabb()) else {
            self.parts_near(&path, &mut |number, part| _ = visit(number, part));
            return Rest::Unknown;
        };
        let mut limit = limit;
        self.data().tree.cast(&probe.within(limit), |numbers, _| {
            let triangles = self.columns(numbers.iter().copied());
            // Nearest first here, too: what comes after a touch is passed by sooner.
            let mut touches = body().touches(&triangles, limit);
            while let Some(i) = touches.next_within(limit) {
                if let Some(triangle) = triangles.triangle(i) {
                    limit = visit(numbers[i], Convex::Triangle(triangle, self.sides()));
                }
            }
            Visit::Within(limit)
        });
        Rest::Apart
    }

    /// Calls `visit` with the triangles that the path crosses. `visit` returns how far to go on. `probe` is the path as
    /// trees are asked, if that is known.
    pub(crate) fn crossings(&self, path: &Path, probe: Option<&Probe>, mut visit: impl FnMut(u32, Crossing) -> Visit) {
        // Not for a path that comes near no triangle.
        let slanted = LazyCell::new(|| SlantedPath::new(path));
        let mut visit_group = |numbers: &[u32], entries: &[f32], limit_there: &dyn Fn(Visit) -> Visit| {
            let (slanted, mut limit) = (slanted.as_ref(), Visit::Continue);
            for (&number, &entry) in numbers.iter().zip(entries) {
                if matches!(limit, Visit::Within(limit) if entry > limit * LATER) {
                    continue;
                }
                if let Some(crossing) = self.crossing_of(number, path, slanted) {
                    limit = limit_there(visit(number, crossing));
                    if limit == Visit::Stop {
                        break;
                    }
                }
            }
            limit
        };
        let tree = &self.data().tree;
        if let Some(probe) = probe.filter(|_| self.placement().is_identity()) {
            return tree.cast(probe, |numbers, entries| visit_group(numbers, entries, &|limit| limit));
        }
        if let Some(local) = self.placement().local_path(path, &self.aabb()) {
            tree.cast(&local.probe, |numbers, entries| visit_group(numbers, entries, &|limit| local.limit(limit)));
        }
    }

    /// The crossing with a triangle. The path is `slanted`, too, unless it goes nowhere.
    #[inline(always)]
    fn crossing_of(&self, number: u32, path: &Path, slanted: Option<&SlantedPath>) -> Option<Crossing> {
        let given = self.given_corners(number);
        let placed;
        let corners = if self.placement().is_identity() {
            given
        } else {
            placed = self.placement().placed(given.map(|corner| *corner));
            placed.each_ref()
        };
        if slanted.is_some_and(|slanted| !slanted.may_cross(corners)) {
            return None;
        }
        path.crossing_of_triangle(corners.map(|corner| *corner), self.sides())
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
}
