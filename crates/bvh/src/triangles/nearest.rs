//! Triangles whose boxes are near a point.

use super::{TriangleBvh, group::Groups};
use crate::{
    ALL, Leaf, Visit,
    lanes::{LANES, Simd, compress, smallest, vectorized},
    node::{LEAF, NodeIndex},
    query::NearestSearch,
    traverse::{Visitor, searched_by_field, traverse},
    tree::Bvh,
};
use cullide_narrowphase::{TriangleColumns, glam::Vec3};
use std::ops::ControlFlow;

/// In a tree over more groups than lie in the caches, the way to the first group takes more time than that group spares.
const MOST_IN_CACHE: usize = 1 << 14;

impl TriangleBvh {
    /// Calls `visit` with the triangles whose boxes may be within `max_distance` of `point`, by number, those of a group
    /// at a time, roughly nearest first; all else as in [`Bvh::nearest`]. A box that is farther by one part in 100,000
    /// may be shown.
    ///
    /// The triangles of a group come in the order of the tree, whatever is answered: so what a caller finds who computes
    /// distances with more rounding than that does not depend on which are left out.
    ///
    /// [`Bvh::nearest`]: crate::Bvh::nearest
    ///
    /// ```
    /// # use cullide_bvh::{TriangleBvh, Visit, narrowphase::glam::Vec3};
    /// let wall = |x: f32| [Vec3::X * x, Vec3::new(x, 1.0, 0.0), Vec3::new(x, 0.0, 1.0)];
    /// let tree = TriangleBvh::build(&[wall(9.0), wall(3.0)].concat(), &[[0, 1, 2], [3, 4, 5]], &[0, 1]);
    /// let mut nearest = (f32::INFINITY, None);
    /// tree.nearest(Vec3::ZERO, f32::INFINITY, |numbers, triangles| {
    ///     for (i, &number) in numbers.iter().enumerate() {
    ///         let distance = triangles.triangle(i).unwrap().points()[0].x;
    ///         if distance < nearest.0 {
    ///             nearest = (distance, Some(number));
    ///         }
    ///     }
    ///     Visit::Within(nearest.0)
    /// });
    /// assert_eq!(nearest, (3.0, Some(1)));
    /// ```
    pub fn nearest(&self, point: Vec3, max_distance: f32, mut visit: impl FnMut(&[u32], &TriangleColumns) -> Visit) {
        self.nearest_in(point, max_distance, &mut visit);
    }

    fn nearest_in(&self, point: Vec3, max_distance: f32, visit: &mut dyn FnMut(&[u32], &TriangleColumns) -> Visit) {
        if max_distance >= 0.0 && point.is_finite() {
            let search = NearestSearch::new(point, max_distance);
            vectorized!(self.tree.level, simd => {
                let mut visitor = GroupsNear { simd, search, groups: &self.groups, visit, first: None };
                if self.groups.len() > MOST_IN_CACHE || visitor.visit_first(&self.tree).is_continue() {
                    traverse(simd, &self.tree, ALL, &mut visitor);
                }
            });
        }
    }
}

/// Shows the triangles near a point to a closure.
struct GroupsNear<'a, S: Simd> {
    simd: S,
    search: NearestSearch,
    groups: &'a Groups,
    visit: &'a mut dyn FnMut(&[u32], &TriangleColumns) -> Visit,
    /// The group that was visited before all others.
    first: Option<Leaf>,
}

impl<S: Simd> GroupsNear<'_, S> {
    /// Visits the group whose box has its middle near the point, unless that is beyond the limit. A point near a surface
    /// lies in many boxes, among which the distance to them does not choose; the first group narrows the search.
    #[inline(always)]
    fn visit_first(&mut self, tree: &Bvh) -> ControlFlow<()> {
        let mut child: NodeIndex = 0;
        while child & LEAF == 0 {
            let node = &tree.nodes[child as usize];
            // Lanes without a child have no middle.
            let squares = self.search.squares_to_middles(self.simd, node);
            let near = self.search.live_lanes(self.simd, squares);
            if near == 0 {
                return ControlFlow::Continue(());
            }
            child = node.children[smallest(self.simd, squares, near)];
        }
        let leaf = Leaf::from_bits(child & !LEAF);
        self.first = Some(leaf);
        self.visit_group(leaf)
    }

    #[inline(always)]
    fn visit_group(&mut self, leaf: Leaf) -> ControlFlow<()> {
        let (simd, group) = (self.simd, leaf.index());
        let corners = self.groups.corners(simd, group, [0, 1, 2]);
        let near = self.search.nearly_within(simd, &corners.boxes()) & self.groups.lanes(group);
        if near == 0 {
            return ControlFlow::Continue(());
        }
        let numbers = compress(simd, self.groups.every_number(group), near);
        let numbers = &numbers[..near.count_ones() as usize % (LANES + 1)];
        self.search.heed((self.visit)(numbers, &corners.columns(simd, near)))
    }
}

impl<S: Simd> Visitor<S> for GroupsNear<'_, S> {
    searched_by_field!(S, groups);

    #[inline(always)]
    fn visit_leaf(&mut self, leaf: Leaf, _key: u32) -> ControlFlow<()> {
        if self.first == Some(leaf) { ControlFlow::Continue(()) } else { self.visit_group(leaf) }
    }
}
