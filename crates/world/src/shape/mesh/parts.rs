//! Finds which triangles of a placed mesh lie near a box, along the way of a body or on a path, by its tree.

use super::{Mesh, put_off::PutOff};
use crate::shape::{
    Convex,
    placed::At,
    surface::Surface,
    way::{StraightWay, UnvisitedParts},
};
use cullide_bvh::{Ahead, Along, Probe, Visit};
use cullide_narrowphase::{Aabb, Crossing, Path, Sides, SlantedPath, TriangleColumns, glam::Vec3};
use std::{cell::LazyCell, ops::ControlFlow};

impl Surface for At<'_, Mesh> {
    fn sides(&self) -> Sides {
        self.shared.sides()
    }

    #[inline]
    fn corners(&self, number: u32) -> Option<[Vec3; 3]> {
        Some(self.placed(self.data().tree.corners(number)?))
    }

    fn candidates_near(&self, bounds: &Aabb, mut visit: impl FnMut(u32, [Vec3; 3]) -> ControlFlow<()>) {
        self.groups_near(bounds, &mut |numbers, triangles| {
            (0..).zip(numbers).try_for_each(|(i, &number)| visit(number, triangles.corners(i)))
        });
    }

    fn groups_near(&self, bounds: &Aabb, visit: &mut dyn FnMut(&[u32], &TriangleColumns) -> ControlFlow<()>) {
        self.data()
            .tree
            .overlap_aabb(&self.local(bounds), |numbers, given| visit(numbers, &self.placed_columns(given)));
    }

    /// What is touched later is put off.
    fn parts_on(
        &self,
        probe: &Probe,
        way: &StraightWay,
        mut limit: f32,
        visit: &mut dyn FnMut(u32, Convex) -> f32,
    ) -> UnvisitedParts {
        let mut put_off = PutOff::default();
        let mut ask = |put_off: &mut PutOff, until: f32, limit: &mut f32| {
            put_off.ask(until, limit, |number, triangle| visit(number, Convex::Triangle(triangle, self.sides())))
        };
        self.data().tree.cast(probe, |along| {
            let until = match along {
                Along::Triangles(numbers, given) => {
                    let triangles = self.placed_columns(given);
                    put_off.add(&(way.body)().touches(&triangles, limit), limit, numbers, &triangles);
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
}

impl At<'_, Mesh> {
    /// Calls `visit` with the triangles that the path crosses. `visit` returns how far to continue. `probe` is the path
    /// as trees take it, if known.
    pub(crate) fn crossings(&self, path: &Path, probe: Option<&Probe>, visit: &mut dyn FnMut(u32, Crossing) -> Visit) {
        let (tree, placement, sides) = (&self.data().tree, self.placement, self.sides());
        if let Some(probe) = probe.filter(|_| placement.is_identity()) {
            return tree.cross(probe, |number, corners| match path.crossing_of_triangle(corners, sides) {
                Some(crossing) => visit(number, crossing),
                None => Visit::Continue,
            });
        }
        // Not made for a path that comes near no triangle.
        let slanted = LazyCell::new(|| SlantedPath::new(path));
        let Some(local) = placement.local_path(path, self.aabb, &self.shared.aabb()) else { return };
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
}
