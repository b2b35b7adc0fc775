//! Finds which triangles of a placed mesh lie near a box or along a path.
//!
//! The tree is queried in the coordinates of the mesh, with a margin for all rounding; the corners as placed then
//! decide. So which triangles are visited depends neither on the tree nor on how the mesh came to its place.

use super::{placed::MeshAt, put_off::PutOff};
use crate::shape::{
    Convex,
    box_way::BoxWay,
    placement::stays_in_range,
    way::{StraightWay, UnvisitedParts},
};
use cullide_bvh::{Ahead, Along, Probe, Visit};
use cullide_narrowphase::{Aabb, Crossing, Path, SlantedPath, TriangleColumns, glam::Vec3};
use std::{cell::LazyCell, ops::ControlFlow};

impl MeshAt<'_> {
    /// Calls `visit` with the triangles that may touch `bounds`, in no particular order.
    pub(crate) fn parts_near(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32, Convex)) {
        self.parts_until(bounds, &mut |number, part| {
            visit(number, part);
            ControlFlow::Continue(())
        });
    }

    /// The same, until `visit` breaks.
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
        self.groups_near(bounds, |numbers, triangles| {
            (0..).zip(numbers).try_for_each(|(i, &number)| visit(number, triangles.corners(i)))
        });
    }

    /// The same, one group at a time: sixteen triangles at most.
    pub(super) fn groups_near(
        &self,
        bounds: &Aabb,
        mut visit: impl FnMut(&[u32], &TriangleColumns) -> ControlFlow<()>,
    ) {
        // All of them, if the box would leave the range of coordinates.
        let local = self.local(bounds).unwrap_or(self.mesh().aabb());
        self.data().tree.overlap_aabb(&local, |numbers, given| visit(numbers, &self.placed_columns(given)));
    }

    /// Calls `visit` with the triangles that a moving body may touch, roughly in the order in which it does. `visit`
    /// returns the fraction of the motion up to which to continue, or, as a negative number, how deep the body is in
    /// something at the start, negated. All triangles that are touched by then, or in which the body is as deep, are
    /// visited.
    pub(crate) fn parts_along(
        &self,
        way: &StraightWay,
        limit: f32,
        visit: &mut dyn FnMut(u32, Convex) -> f32,
    ) -> UnvisitedParts {
        let StraightWay { around, motion, body } = *way;
        let probe = self.placement().local_sweep(around, motion, &self.aabb());
        let Some(probe) = probe.filter(|_| stays_in_range(around, motion)) else {
            let path = around.swept(motion).unwrap_or(self.aabb());
            self.parts_near(&path, &mut |number, part| _ = visit(number, part));
            return UnvisitedParts::Unknown;
        };
        let (mut limit, mut put_off) = (limit, PutOff::default());
        let mut ask = |put_off: &mut PutOff, until: f32, limit: &mut f32| {
            put_off.ask(until, limit, |number, triangle| visit(number, Convex::Triangle(triangle, self.sides())))
        };
        self.data().tree.cast(&probe.within(limit.max(0.0)), |along| {
            let until = match along {
                Along::Triangles(numbers, given) => {
                    let triangles = self.placed_columns(given);
                    put_off.add(&body().touches(&triangles, limit), limit, numbers, &triangles);
                    0.0
                }
                Along::NothingBefore(begin) => begin,
            };
            let put_off = ask(&mut put_off, until, &mut limit);
            Ahead { limit: limit.max(0.0), put_off }
        });
        ask(&mut put_off, f32::INFINITY, &mut limit);
        UnvisitedParts::Apart
    }

    /// Calls `visit` with the triangles that the path crosses. `visit` returns how far to continue. `probe` is the path
    /// as trees take it, if known.
    pub(crate) fn crossings(&self, path: &Path, probe: Option<&Probe>, visit: &mut dyn FnMut(u32, Crossing) -> Visit) {
        let (tree, placement, sides) = (&self.data().tree, self.placement(), self.sides());
        if let Some(probe) = probe.filter(|_| placement.is_identity()) {
            return tree.cross(probe, |number, corners| match path.crossing_of_triangle(corners, sides) {
                Some(crossing) => visit(number, crossing),
                None => Visit::Continue,
            });
        }
        // Not made for a path that comes near no triangle.
        let slanted = LazyCell::new(|| SlantedPath::new(path));
        let Some(local) = placement.local_path(path, &self.aabb(), &self.mesh().aabb()) else { return };
        tree.cross(&local.probe, |number, corners| {
            let corners = self.placed(corners);
            if slanted.as_ref().is_some_and(|slanted| !slanted.may_cross(corners.each_ref())) {
                return Visit::Continue;
            }
            match path.crossing_of_triangle(corners, sides) {
                Some(crossing) => local.limit(visit(number, crossing)),
                None => Visit::Continue,
            }
        });
    }

    /// Returns a triangle by its number, as bodies meet it.
    pub(crate) fn part(&self, number: u32) -> Option<Convex<'static>> {
        Some(Convex::Triangle(self.triangle(number)?, self.sides()))
    }
}
