//! The leaves near a box, nearest first.

use super::NearestSearch;
use crate::{
    Leaf,
    lanes::{Keys, Simd, max, splat, vectorized_512},
    node::Rows,
    traverse::{Visit, Visitor, searched_by_field, traverse},
    tree::Bvh,
};
use cullide_narrowphase::Aabb;
use std::ops::ControlFlow;

impl Bvh {
    /// Calls `visit` for the leaves with a layer in `mask` within `max_distance` of a box, roughly nearest first, with a
    /// lower bound on the distance of the two boxes; otherwise as [`Bvh::nearest`]. The leaves whose boxes touch it are
    /// all at the distance 0.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Visit, narrowphase::{Aabb, glam::Vec3}};
    /// let at = |x: f32| Aabb::new(Vec3::X * x, Vec3::X * (x + 2.0)).unwrap();
    /// let mut near = vec![];
    /// Bvh::build(&[at(9.0), at(5.0), at(-9.0)]).nearest_to_box(&at(0.0), 7.0, ALL, |leaf, distance| {
    ///     near.push(leaf.index());
    ///     assert!(distance <= 7.0);
    ///     Visit::Continue
    /// });
    /// assert_eq!(near, [1, 0, 2]);
    /// ```
    pub fn nearest_to_box(
        &self,
        bounds: &Aabb,
        max_distance: f32,
        mask: u32,
        mut visit: impl FnMut(Leaf, f32) -> Visit,
    ) {
        self.nearest_to_box_in(bounds, max_distance, mask, &mut visit);
    }

    fn nearest_to_box_in(
        &self,
        bounds: &Aabb,
        max_distance: f32,
        mask: u32,
        visit: &mut dyn FnMut(Leaf, f32) -> Visit,
    ) {
        if max_distance >= 0.0 {
            let mut visitor = BoxVisitor { search: BoxSearch::new(bounds, max_distance), visit };
            vectorized_512!(self.level, simd => traverse(simd, self, mask, &mut visitor));
        }
    }
}

/// The state of every visitor that searches around a box.
pub(crate) struct BoxSearch {
    bounds: Aabb,
    within: NearestSearch,
}

impl BoxSearch {
    #[inline(always)]
    pub(crate) fn new(bounds: &Aabb, max_distance: f32) -> Self {
        Self { bounds: *bounds, within: NearestSearch::new(bounds.min(), max_distance) }
    }

    /// As [`NearestSearch::test`].
    #[inline(always)]
    pub(crate) fn test<S: Simd>(&self, simd: S, boxes: &impl Rows) -> (u32, Keys<S>) {
        let (mut sum, rows) = (splat(simd, 0.0), boxes.rows(simd));
        for axis in 0..3 {
            let below = rows[2 * axis] - splat(simd, self.bounds.max()[axis]);
            let above = splat(simd, self.bounds.min()[axis]) - rows[2 * axis + 1];
            let apart = max(max(below, above), splat(simd, 0.0));
            sum += apart * apart;
        }
        self.within.keyed(simd, sum)
    }

    #[inline(always)]
    pub(crate) fn heed(&mut self, answer: Visit) -> ControlFlow<()> {
        self.within.heed(answer)
    }

    #[inline(always)]
    pub(crate) fn is_culled(&self, key: u32) -> bool {
        self.within.is_culled(key)
    }

    #[inline(always)]
    pub(crate) fn live_lanes<S: Simd>(&self, simd: S, keys: Keys<S>) -> u32 {
        self.within.live_lanes(simd, keys)
    }
}

struct BoxVisitor<'a> {
    search: BoxSearch,
    visit: &'a mut dyn FnMut(Leaf, f32) -> Visit,
}

impl<S: Simd> Visitor<S> for BoxVisitor<'_> {
    searched_by_field!(S);

    #[inline(always)]
    fn visit_leaf(&mut self, leaf: Leaf, key: u32) -> ControlFlow<()> {
        self.search.heed((self.visit)(leaf, NearestSearch::at_least(key)))
    }
}
