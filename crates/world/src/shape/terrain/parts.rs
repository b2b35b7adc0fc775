//! Finds which triangles of a placed terrain lie near a box or along a path.
//!
//! The grid is queried in the coordinates of the terrain, with a margin for all rounding; the corners as placed then
//! decide.

use super::placed::PlacedTerrain;
use crate::shape::{Convex, box_way::BoxWay, placement::stays_in_range, way::StraightWay};
use cullide_bvh::{Probe, Visit};
use cullide_narrowphase::{Aabb, BodyWay, Crossing, Path, TriangleColumns, glam::Vec3};
use smallvec::SmallVec;
use std::{
    cell::LazyCell,
    ops::ControlFlow::{self, Break, Continue},
};

impl PlacedTerrain {
    /// Calls `visit` with the triangles that may touch `bounds`, in no particular order.
    pub(crate) fn parts_near(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32, Convex)) {
        self.parts_until(bounds, &mut |number, part| {
            visit(number, part);
            Continue(())
        });
    }

    /// The same, until `visit` breaks.
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
        self.data().heights.walk(&self.near(bounds), |column, row, heights| {
            let mut triangles = self.triangles_at(column, row, heights);
            match triangles.try_for_each(|(number, corners)| visit(number, corners)) {
                Continue(()) => Visit::Continue,
                Break(()) => Visit::Stop,
            }
        });
    }

    /// Returns bounds as the height field takes them.
    fn near(&self, bounds: &Aabb) -> Probe {
        // Bounds that cannot be expressed in own coordinates may be near anything.
        let local = self.placement().local(bounds, &self.aabb()).unwrap_or(self.terrain().aabb());
        Probe::swept(&local, Vec3::ZERO)
    }

    /// As [`MeshAt::parts_along`](crate::shape::mesh::placed::MeshAt::parts_along).
    pub(crate) fn parts_along(&self, way: &StraightWay, limit: f32, visit: &mut dyn FnMut(u32, Convex) -> f32) {
        let StraightWay { around, motion, body } = *way;
        let probe = self.placement().local_sweep(around, motion, &self.aabb());
        let Some(probe) = probe.filter(|_| stays_in_range(around, motion)) else {
            let path = around.swept(motion).unwrap_or(self.aabb());
            return self.parts_near(&path, &mut |number, part| _ = visit(number, part));
        };
        let mut limit = limit;
        self.columns_on(&probe.within(limit.max(0.0)), |numbers, triangles| {
            let mut touches = body().touches(triangles, limit);
            while let Some(i) = touches.next_within(limit) {
                if let Some(triangle) = triangles.triangle(i) {
                    limit = visit(numbers[i], Convex::Triangle(triangle, self.sides()));
                }
            }
            Visit::Within(limit.max(0.0))
        });
    }

    /// Whether `touches` holds for any triangle whose box touches `bounds`. `body` returns the tested volume as the
    /// triangle filter takes it.
    pub(crate) fn any_part_near(
        &self,
        bounds: &Aabb,
        body: &dyn Fn() -> BodyWay,
        touches: &dyn Fn(Convex) -> bool,
    ) -> bool {
        let (body, mut found) = (LazyCell::new(body), false);
        self.columns_on(&self.near(bounds), |_, triangles| {
            found = body.meets(triangles).any(|i| {
                let triangle = triangles.triangle(i);
                triangle.is_some_and(|triangle| touches(Convex::Triangle(triangle, self.sides())))
            });
            if found { Visit::Stop } else { Visit::Continue }
        });
        found
    }

    /// Calls `visit` with the triangles of the cells that a probe may meet, up to sixteen at a time.
    fn columns_on(&self, probe: &Probe, mut visit: impl FnMut(&[u32], &TriangleColumns) -> Visit) {
        let mut numbers = SmallVec::<[u32; TriangleColumns::MAX]>::new();
        let mut corners = SmallVec::<[[Vec3; 3]; TriangleColumns::MAX]>::new();
        let mut goes_on = Visit::Continue;
        self.data().heights.walk(probe, |column, row, heights| {
            for (number, triangle) in self.triangles_at(column, row, heights) {
                numbers.push(number);
                corners.push(triangle);
            }
            // Two per cell.
            if numbers.len() + 2 > TriangleColumns::MAX {
                goes_on = visit(&numbers, &TriangleColumns::new(corners.drain(..)));
                numbers.clear();
            }
            goes_on
        });
        if goes_on != Visit::Stop && !numbers.is_empty() {
            visit(&numbers, &TriangleColumns::new(corners));
        }
    }

    /// Calls `visit` with the triangles that the path crosses. `visit` returns how far to continue. `probe` is the path
    /// as trees take it, if known.
    pub(crate) fn crossings(&self, path: &Path, probe: Option<&Probe>, visit: &mut dyn FnMut(u32, Crossing) -> Visit) {
        if let Some(probe) = probe.filter(|_| self.placement().is_identity()) {
            return self.crossings_on(path, probe, visit);
        }
        let Some(local) = self.placement().local_path(path, &self.aabb(), &self.terrain().aabb()) else { return };
        self.crossings_on(path, &local.probe, &mut |number, crossing| local.limit(visit(number, crossing)));
    }

    /// The same, with `probe` as the path in own coordinates.
    fn crossings_on(&self, path: &Path, probe: &Probe, visit: &mut dyn FnMut(u32, Crossing) -> Visit) {
        let (data, sides) = (self.data(), self.sides());
        data.heights.walk(probe, |column, row, heights| {
            let Some([one, other]) = data.corners_at(column, row, heights) else { return Visit::Continue };
            let number = data.first_triangle(column, row);
            // Not in a loop, where the corners would go through memory.
            let mut goes_on = Visit::Continue;
            if let Some(crossing) = path.crossing_of_triangle(self.placement().corners(one), sides) {
                goes_on = visit(number, crossing);
            }
            if goes_on != Visit::Stop
                && let Some(crossing) = path.crossing_of_triangle(self.placement().corners(other), sides)
            {
                goes_on = visit(number + 1, crossing);
            }
            goes_on
        });
    }

    /// Returns a triangle by its number, as bodies meet it.
    pub(crate) fn part(&self, number: u32) -> Option<Convex<'static>> {
        Some(Convex::Triangle(self.triangle(number)?, self.sides()))
    }

    /// Returns the caller's number of a triangle's cell.
    pub(crate) fn surface(&self, number: u32) -> u16 {
        let surface = |(column, row)| self.terrain().surface(column, row);
        self.terrain().cell_of(number).and_then(surface).unwrap_or(0)
    }
}
