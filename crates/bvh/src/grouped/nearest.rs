//! Groups of boxes that are near a point.

use super::{GroupedBvh, group::Group};
use crate::{
    ALL, Leaf, Visit,
    lanes::{LANES, Simd, compress, vectorized},
    query::NearestSearch,
    traverse::{Visitor, searched_by_field, traverse},
};
use cullide_narrowphase::glam::Vec3;
use std::ops::ControlFlow;

impl GroupedBvh {
    /// Calls `visit` with the numbers of the boxes that may be within `max_distance` of `point`, those of a group at a
    /// time, roughly nearest first; all else as in [`Bvh::nearest`]. A box that is farther by less than two parts in 255
    /// of the size of its group, or by one part in 100,000, may be shown.
    ///
    /// The boxes of a group come in the order of the tree, whatever is answered: so what a caller finds who computes
    /// distances with more rounding than that does not depend on which are left out.
    ///
    /// [`Bvh::nearest`]: crate::Bvh::nearest
    ///
    /// ```
    /// # use cullide_bvh::{GroupedBvh, Visit, narrowphase::{Aabb, glam::Vec3}};
    /// let boxes = [9.0, 3.0, 5.0].map(|x| Aabb::new(Vec3::X * x, Vec3::X * x + Vec3::Y).unwrap());
    /// let tree = GroupedBvh::build(&boxes, |i| i as u32);
    /// let mut nearest = (f32::INFINITY, None);
    /// tree.nearest(Vec3::ZERO, f32::INFINITY, |numbers| {
    ///     for &number in numbers {
    ///         let distance = boxes[number as usize].min().x;
    ///         if distance < nearest.0 {
    ///             nearest = (distance, Some(number));
    ///         }
    ///     }
    ///     Visit::Within(nearest.0)
    /// });
    /// assert_eq!(nearest, (3.0, Some(1)));
    /// ```
    pub fn nearest(&self, point: Vec3, max_distance: f32, mut visit: impl FnMut(&[u32]) -> Visit) {
        self.nearest_in(point, max_distance, &mut visit);
    }

    fn nearest_in(&self, point: Vec3, max_distance: f32, visit: &mut dyn FnMut(&[u32]) -> Visit) {
        if max_distance >= 0.0 && point.is_finite() {
            let search = NearestSearch::new(point, max_distance);
            vectorized!(self.tree.level, simd => {
                traverse(simd, &self.tree, ALL, &mut GroupsNear { simd, search, groups: &self.groups, visit });
            });
        }
    }
}

/// Shows the boxes near a point to a closure.
struct GroupsNear<'a, S: Simd> {
    simd: S,
    search: NearestSearch,
    groups: &'a [Group],
    visit: &'a mut dyn FnMut(&[u32]) -> Visit,
}

impl<S: Simd> Visitor<S> for GroupsNear<'_, S> {
    searched_by_field!(S);

    #[inline(always)]
    fn visit_leaf(&mut self, leaf: Leaf, _key: u32) -> ControlFlow<()> {
        let group = &self.groups[leaf.index()];
        let near = self.search.nearly_within(self.simd, group) & group.lanes();
        if near == 0 {
            return ControlFlow::Continue(());
        }
        let numbers = compress(self.simd, group.every_number(), near);
        self.search.heed((self.visit)(&numbers[..near.count_ones() as usize % (LANES + 1)]))
    }
}
