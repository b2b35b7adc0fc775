//! Groups of boxes that a box overlaps.

use super::{GroupedBvh, group::Group};
use crate::{
    ALL, Leaf,
    lanes::{Keys, LANES, Simd, compress, same_key, vectorized},
    node::{Bounds, Node, NodeIndex, Rows, overlapping},
    query::aabb_bounds,
    traverse::{Order, Visitor, traverse},
};
use cullide_narrowphase::Aabb;
use std::ops::ControlFlow;

impl GroupedBvh {
    /// Calls `visit` with the numbers of the boxes that may overlap `aabb`, touching included, those of a group at a
    /// time, in no fixed order, until it breaks. None is left out; one that is farther by less than two parts in 255 of
    /// the size of its group may be shown.
    ///
    /// ```
    /// # use cullide_bvh::{GroupedBvh, narrowphase::{Aabb, glam::Vec3}};
    /// # use std::ops::ControlFlow;
    /// let boxes = [1.0, 3.0, 5.0].map(|x| Aabb::new(Vec3::X * x, Vec3::X * x + Vec3::ONE).unwrap());
    /// let tree = GroupedBvh::build(&boxes, |i| i as u32);
    /// let mut met = vec![];
    /// tree.overlap_aabb(&Aabb::new(Vec3::ZERO, Vec3::X * 3.0)?, |numbers| {
    ///     met.extend_from_slice(numbers);
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(met, [0, 1]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn overlap_aabb(&self, aabb: &Aabb, mut visit: impl FnMut(&[u32]) -> ControlFlow<()>) {
        self.overlap_bounds(&aabb_bounds(aabb), &mut visit);
    }

    fn overlap_bounds(&self, bounds: &Bounds, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>) {
        vectorized!(self.tree.level, simd => {
            let visitor = &mut GroupOverlaps { simd, bounds, groups: &self.groups, visit };
            traverse(simd, &self.tree, ALL, visitor);
        });
    }
}

/// Shows the boxes that another one overlaps to a closure.
struct GroupOverlaps<'a, S: Simd> {
    simd: S,
    bounds: &'a Bounds,
    groups: &'a [Group],
    visit: &'a mut dyn FnMut(&[u32]) -> ControlFlow<()>,
}

impl<S: Simd> Visitor<S> for GroupOverlaps<'_, S> {
    const ORDER: Order = Order::Unkeyed;

    #[inline(always)]
    fn test_children(&mut self, simd: S, _: NodeIndex, node: &Node, _key: u32) -> (u32, Keys<S>) {
        (node.overlapping(simd, self.bounds), same_key(simd, 0))
    }

    #[inline(always)]
    fn visit_leaf(&mut self, leaf: Leaf, _key: u32) -> ControlFlow<()> {
        let group = &self.groups[leaf.index()];
        let met = overlapping(self.simd, &group.rows(self.simd), self.bounds) & group.lanes();
        if met == 0 {
            return ControlFlow::Continue(());
        }
        let numbers = compress(self.simd, group.every_number(), met);
        (self.visit)(&numbers[..met.count_ones() as usize % (LANES + 1)])
    }
}
