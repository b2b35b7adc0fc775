//! The triangles whose boxes are near a box.

use super::{TriangleBvh, group::TriangleGroups};
use crate::{
    ALL, Leaf, Visit,
    lanes::{LANES, Simd, distances, each_lane, vectorized},
    query::BoxSearch,
    traverse::{Visitor, searched_by_field, traverse},
};
use cullide_narrowphase::{Aabb, glam::Vec3};
use std::ops::ControlFlow;

impl TriangleBvh {
    /// Calls `visit` with the number and the corners of each triangle whose box is within `max_distance` of a box,
    /// roughly nearest first; [`Visit::Within`] and [`Visit::Stop`] cut the search short. A triangle within the distance
    /// is never left out. Nothing is visited if the distance is negative or NaN.
    ///
    /// ```
    /// # use cullide_bvh::{TriangleBvh, Visit, narrowphase::{Aabb, glam::Vec3}};
    /// let wall = |x: f32| [Vec3::X * x, Vec3::new(x, 1.0, 0.0), Vec3::new(x, 0.0, 1.0)];
    /// let tree = TriangleBvh::build(&[wall(9.0), wall(3.0)].concat(), &[[0, 1, 2], [3, 4, 5]], &[0, 1]);
    /// let mut near = vec![];
    /// tree.nearest_to_box(&Aabb::new(Vec3::ZERO, Vec3::ONE)?, 5.0, |number, corners| {
    ///     near.push((number, corners[0].x));
    ///     Visit::Continue
    /// });
    /// assert_eq!(near, [(1, 3.0)]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn nearest_to_box(&self, bounds: &Aabb, max_distance: f32, mut visit: impl FnMut(u32, [Vec3; 3]) -> Visit) {
        self.nearest_to_box_in(bounds, max_distance, &mut visit);
    }

    fn nearest_to_box_in(&self, bounds: &Aabb, max_distance: f32, visit: &mut dyn FnMut(u32, [Vec3; 3]) -> Visit) {
        if max_distance >= 0.0 {
            vectorized!(self.tree.level, simd => {
                let search = BoxSearch::new(bounds, max_distance);
                let visitor = &mut GroupsNearBox { simd, search, groups: &self.groups, visit };
                traverse(simd, &self.tree, ALL, visitor);
            });
        }
    }
}

/// Passes the triangles near a box to a closure.
struct GroupsNearBox<'a, S: Simd> {
    simd: S,
    search: BoxSearch,
    groups: &'a TriangleGroups,
    visit: &'a mut dyn FnMut(u32, [Vec3; 3]) -> Visit,
}

impl<S: Simd> Visitor<S> for GroupsNearBox<'_, S> {
    searched_by_field!(S, groups);

    #[inline(always)]
    fn visit_leaf(&mut self, leaf: Leaf, _key: u32) -> ControlFlow<()> {
        let group = leaf.index();
        let (near, keys) = self.search.test(self.simd, &self.groups.boxes(self.simd, group));
        let squares: [f32; LANES] = distances(keys).into();
        for lane in each_lane(near & self.groups.lanes(group)) {
            if !self.search.is_culled(squares[lane].to_bits()) {
                let number = self.groups.numbers(group)[lane];
                self.search.heed((self.visit)(number, self.groups.corners_of(group, lane)))?;
            }
        }
        ControlFlow::Continue(())
    }
}
