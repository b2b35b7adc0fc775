//! Overlaps of a box with the boxes of triangles.

use super::{TriangleBvh, group::TriangleGroups};
use crate::{
    ALL, Leaf,
    lanes::{Keys, LANES, Simd, compress, same_key, vectorized},
    node::{Bounds, Node, NodeIndex, Rows, overlapping},
    query::aabb_bounds,
    traverse::{Order, Visitor, prefetches_groups, traverse},
};
use cullide_narrowphase::{Aabb, TriangleColumns};
use std::ops::ControlFlow;

impl TriangleBvh {
    /// Calls `visit` with the numbers and corners of the triangles whose boxes overlap `aabb`, touching included, one
    /// group at a time. The order is unspecified; [`ControlFlow::Break`] ends the query.
    ///
    /// ```
    /// # use cullide_bvh::{TriangleBvh, narrowphase::{Aabb, glam::Vec3}};
    /// # use std::ops::ControlFlow;
    /// let floor = [Vec3::ZERO, Vec3::X * 4.0, Vec3::new(4.0, 0.0, 4.0), Vec3::Z * 4.0, Vec3::new(-1.0, 0.0, 2.0)];
    /// let tree = TriangleBvh::build(&floor, &[[0, 2, 1], [0, 3, 2], [0, 4, 3]], &[0, 1, 2]);
    /// let mut met = vec![];
    /// tree.overlap_aabb(&Aabb::new(Vec3::splat(-1.0), Vec3::splat(-0.5))?, |numbers, _| {
    ///     met.extend_from_slice(numbers);
    ///     ControlFlow::Continue(())
    /// });
    /// assert!(met.is_empty());
    /// tree.overlap_aabb(&Aabb::new(Vec3::splat(-1.0), Vec3::ZERO)?, |numbers, triangles| {
    ///     assert_eq!(triangles.triangle(0).unwrap().points()[0], Vec3::ZERO);
    ///     met.extend_from_slice(numbers);
    ///     ControlFlow::Continue(())
    /// });
    /// met.sort_unstable();
    /// assert_eq!(met, [0, 1, 2]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn overlap_aabb(&self, aabb: &Aabb, mut visit: impl FnMut(&[u32], &TriangleColumns) -> ControlFlow<()>) {
        self.overlap_bounds(&aabb_bounds(aabb), &mut visit);
    }

    fn overlap_bounds(&self, bounds: &Bounds, visit: &mut dyn FnMut(&[u32], &TriangleColumns) -> ControlFlow<()>) {
        vectorized!(self.tree.level, simd => {
            let visitor = &mut GroupOverlaps { simd, bounds, groups: &self.groups, visit };
            traverse(simd, &self.tree, ALL, visitor);
        });
    }
}

/// Passes the triangles whose boxes overlap another box to a closure.
struct GroupOverlaps<'a, S: Simd> {
    simd: S,
    bounds: &'a Bounds,
    groups: &'a TriangleGroups,
    visit: &'a mut dyn FnMut(&[u32], &TriangleColumns) -> ControlFlow<()>,
}

impl<S: Simd> Visitor<S> for GroupOverlaps<'_, S> {
    const ORDER: Order = Order::Unkeyed;

    #[inline(always)]
    fn test_children(&mut self, simd: S, _: NodeIndex, node: &Node, _key: u32) -> (u32, Keys<S>) {
        (node.overlapping(simd, self.bounds), same_key(simd, 0))
    }

    prefetches_groups!();

    #[inline(always)]
    fn visit_leaf(&mut self, leaf: Leaf, _key: u32) -> ControlFlow<()> {
        let (simd, group) = (self.simd, leaf.index());
        let corners = self.groups.corners(simd, group, [0, 1, 2]);
        let met = overlapping(simd, &corners.boxes().rows(simd), self.bounds) & self.groups.lanes(group);
        if met == 0 {
            return ControlFlow::Continue(());
        }
        let numbers = compress(simd, self.groups.every_number(group), met);
        (self.visit)(&numbers[..met.count_ones() as usize % (LANES + 1)], &corners.columns(simd, met))
    }
}
