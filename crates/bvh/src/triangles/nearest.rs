//! The triangles nearest to a point.
//!
//! ```text
//!   group near the point ──► bounds of all its distances, in lanes ──► triangles that may be nearest wait
//!                                                                 ──► the least upper bound narrows the search
//! ```
//! In the end, the caller decides which of the waiting triangles is nearest: on most surfaces one is left, or those
//! that share the nearest edge or corner.

use super::{TriangleBvh, distance::SquareBounds, group::TriangleGroups};
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

/// In a tree over more groups than fit into the caches, finding the first group takes more time than it saves.
const MOST_IN_CACHE: usize = 1 << 14;

/// The number of triangles that may wait before they are shown: those at a corner and a few more.
const WAITING: usize = 16;

/// How the distances measured by the caller of [`TriangleBvh::nearest`] may differ from those of the triangles in the
/// tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// The triangle that is nearest by the caller's measure is at most this factor times as far as the nearest in the
    /// tree, plus [`Measure::error`]. The factor is 1 or more.
    pub factor: f32,
    /// The distance to add to that.
    pub error: f32,
    /// Neither holds for slivers, and for triangles of which the squares of two edges add up to less than the square of
    /// this: these are at least as far as their boxes.
    pub shortest: f32,
}

impl TriangleBvh {
    /// Calls `visit` with the number and the corners of triangles, among which is the nearest to `point` within
    /// `max_distance` by the caller's `measure`, if there is one, and all that are equally near. [`Visit::Within`] and
    /// [`Visit::Stop`] cut the search short. Nothing is visited if the point is not finite, or the
    /// distance is negative or NaN.
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

    /// The same using only the boxes of groups.
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

/// Passes the triangles near a point to a closure.
struct GroupsNear<'a, S: Simd> {
    simd: S,
    search: NearestSearch,
    measure: Measure,
    groups: &'a TriangleGroups,
    visit: &'a mut dyn FnMut(u32, &[Vec3; 3]) -> Visit,
    /// The least upper bound on the square of a distance so far.
    least: f32,
    /// Triangles that may be nearest: a lower bound on the square of the distance, the group and the lane.
    waiting: SmallVec<[(f32, u32, u32); WAITING]>,
    /// The group that was visited before all others, if any.
    first: Option<Leaf>,
}

impl<S: Simd> GroupsNear<'_, S> {
    /// Visits a group whose box has its center near the point, unless that is beyond the limit. A point near a surface
    /// lies in many boxes, all at distance zero; the first group narrows the search.
    #[inline(always)]
    fn visit_first(&mut self, tree: &Bvh) -> ControlFlow<()> {
        let mut child: NodeIndex = 0;
        while child & LEAF == 0 {
            let node = &tree.nodes[child as usize];
            // Lanes without a child have no center.
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

    /// Limits the search by the nearest triangle of a group, and keeps the triangles that may be nearest.
    fn visit_group(&mut self, group: usize) -> ControlFlow<()> {
        let simd = self.simd;
        // Compiled once for both callers.
        simd.vectorize(
            #[inline(always)]
            || {
                let lanes = self.groups.lanes(group);
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
            },
        )
    }

    /// Shows the triangles of a group of which only the boxes are known.
    #[inline(always)]
    fn show_unknown(&mut self, group: usize, lanes: u32) -> ControlFlow<()> {
        let (near, keys) = self.search.test(self.simd, &self.groups.boxes(self.simd, group));
        let low: [f32; LANES] = distances(keys).into();
        each_lane(near & lanes).try_for_each(|lane| self.show(low[lane], group, lane))
    }

    /// Shows the waiting triangles.
    fn settle(&mut self) -> ControlFlow<()> {
        for i in 0..self.waiting.len() {
            let (square, group, lane) = self.waiting[i];
            self.show(square, group as usize, lane as usize)?;
        }
        self.waiting.clear();
        ControlFlow::Continue(())
    }

    /// Shows a triangle, unless the limit has since become smaller than its lower bound.
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
