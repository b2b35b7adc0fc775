//! The triangles nearest to a point.
//!
//! ```text
//!   group near the point ──► bounds of all its distances, in lanes ──► triangles that may be nearest wait
//!                                                                 ──► the least upper bound narrows the search
//! ```
//! Which of those that wait is nearest is told by the caller, in the end: on most surfaces one is left, or those that
//! share the edge or corner that is nearest.

use super::{TriangleBvh, distance::SquareBounds, group::Groups};
use crate::{
    ALL, Leaf, Visit,
    lanes::{LANES, Simd, at_most, distances, each_lane, masked, min_lane, smallest, splat, vectorized},
    node::{LEAF, NodeIndex},
    query::NearestSearch,
    traverse::{Visitor, searched_by_field, traverse},
    tree::Bvh,
};
use cullide_narrowphase::glam::Vec3;
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// In a tree over more groups than lie in the caches, the way to the first group takes more time than that group spares.
const MOST_IN_CACHE: usize = 1 << 14;

/// How many triangles wait before they are shown: those at a corner and a few more.
const WAITING: usize = 16;

/// How the distances that the caller of [`TriangleBvh::nearest`] measures differ from those of the triangles in the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// A triangle that the caller measures to be the nearest is farther than the nearest in the tree by this factor at
    /// most, which is 1 or more,
    pub factor: f32,
    /// and by this distance.
    pub error: f32,
    /// Neither is so of slivers, and of triangles of which the squares of two edges are together less than that of this:
    /// those are as far as their boxes, or farther.
    pub shortest: f32,
}

impl TriangleBvh {
    /// Calls `visit` with the number and the corners of triangles, of which one is the nearest to `point` within
    /// `max_distance` by the caller's `measure`, if any is, and all that are as near are among them. [`Visit::Within`]
    /// and [`Visit::Stop`] cut the search short. A NaN point or distance is near nothing.
    ///
    /// ```
    /// # use cullide_bvh::{Measure, TriangleBvh, Visit, narrowphase::glam::Vec3};
    /// let wall = |x: f32| [Vec3::X * x, Vec3::new(x, 1.0, 0.0), Vec3::new(x, 0.0, 1.0)];
    /// let tree = TriangleBvh::build(&[wall(9.0), wall(3.0)].concat(), &[[0, 1, 2], [3, 4, 5]], &[0, 1]);
    /// let mut nearest = None;
    /// tree.nearest(Vec3::ZERO, f32::INFINITY, Measure { factor: 1.0, error: 0.0, shortest: 0.0 }, |number, corners| {
    ///     nearest = Some((number, corners[0].x));
    ///     Visit::Continue
    /// });
    /// assert_eq!(nearest, Some((1, 3.0)));
    /// ```
    pub fn nearest(
        &self,
        point: Vec3,
        max_distance: f32,
        measure: Measure,
        mut visit: impl FnMut(u32, &[Vec3; 3]) -> Visit,
    ) {
        self.nearest_in(point, max_distance, measure, &mut visit);
    }

    fn nearest_in(
        &self,
        point: Vec3,
        max_distance: f32,
        measure: Measure,
        visit: &mut dyn FnMut(u32, &[Vec3; 3]) -> Visit,
    ) {
        if max_distance >= 0.0 && point.is_finite() {
            vectorized!(self.tree.level, simd => {
                let search = NearestSearch::new(point, max_distance);
                let mut visitor = GroupsNear {
                    simd,
                    search,
                    measure,
                    groups: &self.groups,
                    visit,
                    least: f32::INFINITY,
                    waiting: SmallVec::new(),
                    first: None,
                };
                if self.groups.len() > MOST_IN_CACHE || visitor.visit_first(&self.tree).is_continue() {
                    traverse(simd, &self.tree, ALL, &mut visitor);
                }
                let _ = visitor.settle();
            }, else self.nearest_by_boxes(point, max_distance, visit));
        }
    }

    /// The same by the boxes of groups alone.
    fn nearest_by_boxes(&self, point: Vec3, mut limit: f32, visit: &mut dyn FnMut(u32, &[Vec3; 3]) -> Visit) {
        self.tree.nearest(point, limit, ALL, |leaf, _| {
            for (lane, &number) in self.groups.numbers(leaf.index()).iter().enumerate() {
                match visit(number, &self.groups.corners_of(leaf.index(), lane)) {
                    Visit::Continue => {}
                    Visit::Within(distance) => limit = limit.min(distance),
                    Visit::Stop => return Visit::Stop,
                }
            }
            Visit::Within(limit)
        });
    }
}

/// Shows the triangles near a point to a closure.
struct GroupsNear<'a, S: Simd> {
    simd: S,
    search: NearestSearch,
    measure: Measure,
    groups: &'a Groups,
    visit: &'a mut dyn FnMut(u32, &[Vec3; 3]) -> Visit,
    /// The least upper bound of the square of a distance.
    least: f32,
    /// Triangles that may be nearest: a lower bound of the square of the distance, the group and the lane.
    waiting: SmallVec<[(f32, u32, u32); WAITING]>,
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
        self.visit_group(leaf.index())
    }

    /// Goes only as far as the nearest of a group may be, and keeps those that may be nearest.
    #[inline(always)]
    fn visit_group(&mut self, group: usize) -> ControlFlow<()> {
        let (simd, lanes) = (self.simd, self.groups.lanes(group));
        let corners = self.groups.corners(simd, group, [0, 1, 2]).columns;
        let bounds = SquareBounds::new(simd, &corners, self.search.point(), self.measure.shortest);
        let known = lanes & bounds.known;
        if known & at_most(bounds.high, splat(simd, self.least)) != 0 {
            self.least = min_lane(masked(simd, bounds.high, known, f32::INFINITY));
            self.search.go_within(self.least.sqrt() * self.measure.factor + self.measure.error);
        }
        let near = known & bounds.within(simd, self.search.limit());
        if near != 0 {
            let low: [f32; LANES] = bounds.low(simd).into();
            for lane in each_lane(near) {
                if self.waiting.len() == WAITING {
                    self.settle()?;
                }
                self.waiting.push((low[lane], group as u32, lane as u32));
            }
        }
        if known == lanes { ControlFlow::Continue(()) } else { self.show_unknown(group, lanes & !known) }
    }

    /// Shows the triangles of a group of which nothing but their boxes is known.
    #[inline(always)]
    fn show_unknown(&mut self, group: usize, lanes: u32) -> ControlFlow<()> {
        let (near, keys) = self.search.test(self.simd, &self.groups.corners(self.simd, group, [0, 1, 2]).boxes());
        let low: [f32; LANES] = distances(keys).into();
        each_lane(near & lanes).try_for_each(|lane| self.show(low[lane], group, lane))
    }

    /// Shows those that wait.
    fn settle(&mut self) -> ControlFlow<()> {
        for i in 0..self.waiting.len() {
            let (square, group, lane) = self.waiting[i];
            self.show(square, group as usize, lane as usize)?;
        }
        self.waiting.clear();
        ControlFlow::Continue(())
    }

    /// Shows a triangle, unless the search has become narrower.
    fn show(&mut self, square: f32, group: usize, lane: usize) -> ControlFlow<()> {
        if square > self.search.limit() {
            return ControlFlow::Continue(());
        }
        let number = self.groups.numbers(group)[lane];
        self.search.heed((self.visit)(number, &self.groups.corners_of(group, lane)))
    }
}

impl<S: Simd> Visitor<S> for GroupsNear<'_, S> {
    searched_by_field!(S, groups);

    #[inline(always)]
    fn visit_leaf(&mut self, leaf: Leaf, _key: u32) -> ControlFlow<()> {
        if self.first == Some(leaf) { ControlFlow::Continue(()) } else { self.visit_group(leaf.index()) }
    }
}
