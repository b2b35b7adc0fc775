//! Surfaces of triangles, meshes and terrains: finds which triangles lie near a box or along the way of a body.
//!
//! What is asked is expressed in the surface's own coordinates, with a margin for all rounding; the corners as placed
//! then decide. So which triangles are visited does not depend on how the surface came to its place.

use super::{
    Convex,
    box_filter::BoxFilter,
    placed::{At, CompositeShape},
    placement::stays_in_range,
    way::{StraightWay, UnvisitedParts},
};
use cullide_bvh::Probe;
use cullide_narrowphase::{Aabb, BodyWay, Sides, Triangle, TriangleColumns, glam::Vec3};
use std::{
    cell::LazyCell,
    ops::ControlFlow::{self, Break, Continue},
};

/// In what surfaces at a place differ where triangles are searched for. All corners are as placed, counter-clockwise
/// seen from the front.
pub(crate) trait Surface {
    /// Whether the triangles are met from their front only or from both sides.
    fn sides(&self) -> Sides;

    /// Returns the corners of a triangle, which may have no area; `None` if no triangle has this number.
    fn corners(&self, number: u32) -> Option<[Vec3; 3]>;

    /// Calls `visit` with the corners of all triangles whose boxes touch `bounds`, and some more, until it breaks.
    fn candidates_near(&self, bounds: &Aabb, visit: impl FnMut(u32, [Vec3; 3]) -> ControlFlow<()>);

    /// The same, sixteen triangles at most at a time.
    fn groups_near(&self, bounds: &Aabb, visit: &mut dyn FnMut(&[u32], &TriangleColumns) -> ControlFlow<()>);

    /// As [`At::parts_along`], for what `probe` meets: the way up to `limit`, in own coordinates.
    fn parts_on(
        &self,
        probe: &Probe,
        way: &StraightWay,
        limit: f32,
        visit: &mut dyn FnMut(u32, Convex) -> f32,
    ) -> UnvisitedParts;
}

impl<T: CompositeShape> At<'_, T>
where
    Self: Surface,
{
    /// Returns a triangle; `None` in a hole, for one without an area, there or as it was given, or for a number that is
    /// too large.
    pub(super) fn triangle(&self, number: u32) -> Option<Triangle> {
        let [a, b, c] = self.corners(number)?;
        Triangle::new(a, b, c).ok()
    }

    /// Returns a triangle by its number, as bodies meet it.
    pub(crate) fn part(&self, number: u32) -> Option<Convex<'static>> {
        Some(Convex::Triangle(self.triangle(number)?, self.sides()))
    }

    /// Calls `visit` with the triangles that may touch `bounds`, in no particular order.
    pub(crate) fn parts_near(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32, Convex)) {
        let filter = BoxFilter::new(bounds);
        self.candidates_near(bounds, |number, corners| {
            if let Some(triangle) = filter.triangle(corners) {
                visit(number, Convex::Triangle(triangle, self.sides()));
            }
            Continue(())
        });
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
        let StraightWay { around, motion, .. } = *way;
        let probe = self.placement.local_sweep(around, motion, self.aabb);
        let Some(probe) = probe.filter(|_| stays_in_range(around, motion)) else {
            let path = around.swept(motion).unwrap_or(*self.aabb);
            self.parts_near(&path, &mut |number, part| _ = visit(number, part));
            return UnvisitedParts::Unknown;
        };
        self.parts_on(&probe.within(limit.max(0.0)), way, limit, visit)
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
        self.groups_near(bounds, &mut |_, triangles| {
            found = body.meets(triangles).any(|i| {
                let triangle = triangles.triangle(i);
                triangle.is_some_and(|triangle| touches(Convex::Triangle(triangle, self.sides())))
            });
            if found { Break(()) } else { Continue(()) }
        });
        found
    }

    /// Returns bounds in own coordinates; those of the whole surface if they would leave the range of coordinates.
    pub(super) fn local(&self, bounds: &Aabb) -> Aabb {
        self.placement.local(bounds, self.aabb).unwrap_or_else(|| self.shared.own_aabb())
    }
}
