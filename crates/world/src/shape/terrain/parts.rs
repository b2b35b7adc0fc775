//! Which triangles of a placed terrain lie near a box, or along a way.
//!
//! The grid is asked in the coordinates of the terrain, with a margin for all that rounding does; what is told apart is
//! told by the corners as they are placed.

use super::{placed::PlacedTerrain, walk::Walk};
use crate::shape::{
    Convex,
    box_way::BoxWay,
    placement::{margin, times_in},
    way::StraightWay,
};
use cullide_bvh::Visit;
use cullide_narrowphase::{
    Aabb, BodyWay, Crossing, Path, TriangleColumns,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;
use std::{
    cell::LazyCell,
    ops::ControlFlow::{self, Break, Continue},
};

/// By how much more of its way something is followed than it needs to: more than rounding a time to `f32` does.
const LATER: f64 = 1e-6;

/// The share of coordinates that computing a few of them in `f64` may cost, with room to spare.
const ROUNDING: f64 = 1.0 / (1u64 << 48) as f64;

impl PlacedTerrain {
    /// Calls `visit` with the triangles that may touch `bounds`, in no particular order.
    pub(crate) fn parts_near(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32, Convex)) {
        self.parts_until(bounds, &mut |number, part| {
            visit(number, part);
            Continue(())
        });
    }

    /// The same until it breaks.
    pub(super) fn parts_until(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32, Convex) -> ControlFlow<()>) {
        let way = BoxWay::new(bounds, Vec3::ZERO);
        self.candidates_near(bounds, |number, corners| match way.triangle(corners, 0.0) {
            Some(triangle) => visit(number, Convex::Triangle(triangle, self.sides())),
            None => Continue(()),
        });
    }

    /// Calls `visit` with the corners of all triangles whose boxes touch `bounds`, and some more, until it breaks.
    pub(in crate::shape) fn candidates_near(
        &self,
        bounds: &Aabb,
        mut visit: impl FnMut(u32, [Vec3; 3]) -> ControlFlow<()>,
    ) {
        // What cannot be said in own coordinates may be near anything.
        let local = self.placement().local(bounds, &self.aabb()).unwrap_or(self.terrain().aabb());
        self.data().walk(self.walk_of(&local, DVec3::ZERO), |column, row| {
            self.triangles_in(column, row).try_for_each(|(number, corners)| visit(number, corners))?;
            Continue(1.0)
        });
    }

    /// As [`MeshAt::parts_along`](crate::shape::mesh::placed::MeshAt::parts_along).
    pub(crate) fn parts_along(&self, way: &StraightWay, limit: f32, visit: &mut dyn FnMut(u32, Convex) -> f32) {
        let StraightWay { around, motion, body } = *way;
        let Some(path) = around.swept(motion) else {
            return self.parts_near(&self.aabb(), &mut |number, part| _ = visit(number, part));
        };
        let wide = self.placement().local_motion(motion.as_dvec3());
        let Some(local) = self.placement().local(around, &self.aabb()) else {
            return self.parts_near(&path, &mut |number, part| _ = visit(number, part));
        };
        let (mut limit, later) = (limit, |limit: f32| f64::from(limit.max(0.0)) + LATER);
        let walk = self.walk_of(&local.expanded(margin(&local, wide)), wide).within(later(limit));
        self.columns_on(walk, later(limit), |numbers, triangles| {
            let mut touches = body().touches(triangles, limit);
            while let Some(i) = touches.next_within(limit) {
                if let Some(triangle) = triangles.triangle(i) {
                    limit = visit(numbers[i], Convex::Triangle(triangle, self.sides()));
                }
            }
            Continue(later(limit))
        });
    }

    /// Whether any triangle whose box touches `bounds` touches what `touches` knows, which is a `body`.
    pub(crate) fn any_part_near(
        &self,
        bounds: &Aabb,
        body: &dyn Fn() -> BodyWay,
        touches: &dyn Fn(Convex) -> bool,
    ) -> bool {
        let local = self.placement().local(bounds, &self.aabb()).unwrap_or(self.terrain().aabb());
        let (body, mut found) = (LazyCell::new(body), false);
        self.columns_on(self.walk_of(&local, DVec3::ZERO), 1.0, |_, triangles| {
            found = body.meets(triangles).any(|i| {
                let triangle = triangles.triangle(i);
                triangle.is_some_and(|triangle| touches(Convex::Triangle(triangle, self.sides())))
            });
            if found { Break(()) } else { Continue(1.0) }
        });
        found
    }

    /// Calls `visit` with the triangles of the cells on a way, up to sixteen at a time, which returns up to which part of
    /// the way, at first `limit`, to go on, or stops.
    fn columns_on(
        &self,
        walk: Walk,
        limit: f64,
        mut visit: impl FnMut(&[u32], &TriangleColumns) -> ControlFlow<(), f64>,
    ) {
        let mut numbers = SmallVec::<[u32; TriangleColumns::MAX]>::new();
        let mut corners = SmallVec::<[[Vec3; 3]; TriangleColumns::MAX]>::new();
        let mut goes_on = Continue(limit);
        self.data().walk(walk, |column, row| {
            for (number, triangle) in self.triangles_in(column, row) {
                numbers.push(number);
                corners.push(triangle);
            }
            // Two a cell.
            if numbers.len() + 2 > TriangleColumns::MAX {
                goes_on = visit(&numbers, &TriangleColumns::new(corners.drain(..)));
                numbers.clear();
            }
            goes_on
        });
        if goes_on.is_continue() && !numbers.is_empty() {
            let _ = visit(&numbers, &TriangleColumns::new(corners));
        }
    }

    /// Calls `visit` with the triangles that the path crosses. `visit` returns how far to go on.
    pub(crate) fn crossings(&self, path: &Path, mut visit: impl FnMut(u32, Crossing) -> Visit) {
        let Some((start, end)) = times_in(&self.aabb(), path) else { return };
        let [from, to] = [start, end].map(|time| path.origin() + path.delta() * time);
        let aabb = self.terrain().aabb();
        let size = [path.origin(), from, to, self.placement().translation()].map(|p| p.abs().max_element());
        let size = size.into_iter().fold(f64::from(aabb.min().abs().max(aabb.max().abs()).max_element()), f64::max);
        let error = self.placement().local_error(from.abs().max(to.abs()), &self.aabb()) + ROUNDING * size;
        let [local, end_there] = [from, to].map(|point| self.placement().local_point(point));
        let walk = Walk::new(self.data(), local, DVec3::ZERO, end_there - local, error);
        let mut limit = 1.0;
        self.data().walk(walk, |column, row| {
            for (number, corners) in self.triangles_in(column, row) {
                let Some(crossing) = path.crossing_of_triangle(corners, self.sides()) else { continue };
                match visit(number, crossing) {
                    Visit::Stop => return Break(()),
                    // As a share of the way between the points. Later times may be rounded to the same.
                    Visit::Within(time) => {
                        let share = (f64::from(time.next_up()) - start) / (end - start);
                        limit = if share < 1.0 { share + LATER } else { 1.0 };
                    }
                    Visit::Continue => {}
                }
            }
            Continue(limit)
        });
    }

    /// The first crossing of the path; of several at once, that of the smallest number.
    pub(crate) fn crossing(&self, path: &Path) -> Option<Crossing> {
        let mut best: Option<(u32, Crossing)> = None;
        self.crossings(path, |number, crossing| {
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

    /// The caller's number of the cell of a triangle.
    pub(crate) fn surface(&self, number: u32) -> u16 {
        let surface = |(column, row)| self.terrain().surface(column, row);
        self.terrain().cell_of(number).and_then(surface).unwrap_or(0)
    }

    /// The way of a box, in own coordinates.
    fn walk_of(&self, local: &Aabb, motion: DVec3) -> Walk {
        let (min, max) = (local.min().as_dvec3(), local.max().as_dvec3());
        let size = min.abs().max(max.abs()).max_element() + motion.abs().max_element();
        Walk::new(self.data(), 0.5 * (min + max), 0.5 * (max - min), motion, ROUNDING * size)
    }
}
