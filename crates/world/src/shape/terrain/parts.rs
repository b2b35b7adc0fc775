//! Finds which triangles of a placed terrain lie near a box, along the way of a body or on a path, by its grid.

use super::Terrain;
use crate::shape::{
    Convex,
    placed::At,
    surface::Surface,
    way::{StraightWay, UnvisitedParts},
};
use cullide_bvh::{Probe, Visit};
use cullide_narrowphase::{Aabb, Crossing, Path, Sides, TriangleColumns, glam::Vec3};
use smallvec::SmallVec;
use std::ops::ControlFlow::{self, Break, Continue};

impl Surface for At<'_, Terrain> {
    fn sides(&self) -> Sides {
        self.shared.sides()
    }

    fn corners(&self, number: u32) -> Option<[Vec3; 3]> {
        Some(self.placement.corners(self.shared.corners(number)?))
    }

    fn candidates_near(&self, bounds: &Aabb, mut visit: impl FnMut(u32, [Vec3; 3]) -> ControlFlow<()>) {
        self.data().heights.walk(&Probe::swept(&self.local(bounds), Vec3::ZERO), |column, row, heights| {
            let mut triangles = self.triangles_at(column, row, heights);
            match triangles.try_for_each(|(number, corners)| visit(number, corners)) {
                Continue(()) => Visit::Continue,
                Break(()) => Visit::Stop,
            }
        });
    }

    fn groups_near(&self, bounds: &Aabb, visit: &mut dyn FnMut(&[u32], &TriangleColumns) -> ControlFlow<()>) {
        self.columns_on(&Probe::swept(&self.local(bounds), Vec3::ZERO), &mut |numbers, triangles| match visit(
            numbers, triangles,
        ) {
            Continue(()) => Visit::Continue,
            Break(()) => Visit::Stop,
        });
    }

    fn parts_on(
        &self,
        probe: &Probe,
        way: &StraightWay,
        mut limit: f32,
        visit: &mut dyn FnMut(u32, Convex) -> f32,
    ) -> UnvisitedParts {
        self.columns_on(probe, &mut |numbers, triangles| {
            let mut touches = (way.body)().touches(triangles, limit);
            while let Some(i) = touches.next_within(limit) {
                if let Some(triangle) = triangles.triangle(i) {
                    limit = visit(numbers[i], Convex::Triangle(triangle, self.sides()));
                }
            }
            Visit::Within(limit.max(0.0))
        });
        UnvisitedParts::Unknown
    }
}

impl At<'_, Terrain> {
    /// Calls `visit` with the triangles of the cells that a probe may meet, up to sixteen at a time.
    fn columns_on(&self, probe: &Probe, visit: &mut dyn FnMut(&[u32], &TriangleColumns) -> Visit) {
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
        if let Some(probe) = probe.filter(|_| self.placement.is_identity()) {
            return self.crossings_on(path, probe, visit);
        }
        let Some(local) = self.placement.local_path(path, self.aabb, &self.shared.aabb()) else { return };
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
            if let Some(crossing) = path.crossing_of_triangle(self.placement.corners(one), sides) {
                goes_on = visit(number, crossing);
            }
            if goes_on != Visit::Stop
                && let Some(crossing) = path.crossing_of_triangle(self.placement.corners(other), sides)
            {
                goes_on = visit(number + 1, crossing);
            }
            goes_on
        });
    }

    /// Returns the caller's number of a triangle's cell.
    pub(crate) fn surface(&self, number: u32) -> u16 {
        let surface = |(column, row)| self.shared.surface(column, row);
        self.shared.cell_of(number).and_then(surface).unwrap_or(0)
    }
}
