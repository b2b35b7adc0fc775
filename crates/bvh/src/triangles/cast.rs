//! Casting rays, segments and swept boxes through the boxes of triangles.
//!
//! Computing exactly when a triangle is met takes longer than visiting several groups; a lower bound on that time takes
//! far less. So a visitor may defer triangles by their lower bounds. Nodes and groups that are entered later than the
//! first of the deferred triangles wait as well, and are visited best first.

use super::{TriangleBvh, group::TriangleGroups};
use crate::{
    ALL, Leaf, Probe,
    lanes::{LANES, Simd, compress, vectorized},
    node::{LEAF, NodeIndex},
    query::{OneMotion, RaySearch},
    traverse::{Visitor, searched_by_field, traverse_from},
};
use cullide_narrowphase::TriangleColumns;
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// What [`TriangleBvh::cast`] passes to its visitor.
#[derive(Clone, Copy, Debug)]
pub enum Along<'a> {
    /// Triangles of a group whose boxes the probe may meet: their numbers and corners.
    Triangles(&'a [u32], &'a TriangleColumns),
    /// No other box is entered before this distance (or fraction): deferred triangles that begin by then come next.
    NothingBefore(f32),
}

/// How a cast continues after a visit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ahead {
    /// The distance (or fraction) to which the cast is limited from now on.
    pub limit: f32,
    /// The earliest distance (or fraction) at which any of the deferred triangles may begin; infinity if there are
    /// none.
    pub put_off: f32,
}

impl TriangleBvh {
    /// Calls `visit` with the triangles whose boxes the probe may meet, one group at a time, roughly nearest first. A
    /// visitor may defer some of them, and returns where the first of these may begin at the earliest: it is called
    /// with [`Along::NothingBefore`] before triangles are shown whose boxes are entered after that, unless very many
    /// nodes and groups are waiting. Triangles still deferred at the end are left to the caller. Everything else is as
    /// in [`Bvh::cast`].
    ///
    /// [`Bvh::cast`]: crate::Bvh::cast
    ///
    /// ```
    /// # use cullide_bvh::{Ahead, Along, TriangleBvh, Probe, narrowphase::{Aabb, glam::Vec3}};
    /// let floor = [Vec3::ZERO, Vec3::X * 4.0, Vec3::new(4.0, 0.0, 4.0), Vec3::Z * 4.0];
    /// let tree = TriangleBvh::build(&floor, &[[0, 2, 1], [0, 3, 2]], &[0, 1]);
    /// let falling = Probe::swept(&Aabb::new(Vec3::Y, Vec3::splat(2.0))?, Vec3::NEG_Y * 4.0);
    /// let mut met = vec![];
    /// tree.cast(&falling, |along| {
    ///     if let Along::Triangles(numbers, triangles) = along {
    ///         assert!(triangles.triangle(numbers.len() - 1).is_some());
    ///         met.extend_from_slice(numbers);
    ///     }
    ///     Ahead { limit: 1.0, put_off: f32::INFINITY }
    /// });
    /// assert_eq!(met, [0, 1]);
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn cast(&self, probe: &Probe, mut visit: impl FnMut(Along) -> Ahead) {
        self.cast_in(probe, &mut visit);
    }

    fn cast_in(&self, probe: &Probe, visit: &mut TriangleVisitor<'_>) {
        if !probe.reaches_any() {
            return;
        }
        let filter = self.tree.layer_filter(ALL);
        vectorized!(self.tree.level, simd => {
            let search = RaySearch::new(simd, probe);
            let (put_off, waiting) = (f32::INFINITY, SmallVec::new());
            let mut visitor = GroupsMet { simd, search, groups: &self.groups, visit, put_off, waiting };
            let mut next = Some(0);
            while let Some(start) = next {
                traverse_from(simd, &self.tree, filter, start, &mut visitor);
                next = visitor.next_node();
            }
        });
    }
}

/// If more nodes and groups than this were waiting, searching for the first would take longer than visiting the next.
const MOST: usize = 8 * LANES;

/// The visitor of triangles.
type TriangleVisitor<'a> = dyn FnMut(Along) -> Ahead + 'a;

/// Passes the triangles whose boxes a probe meets to a closure.
struct GroupsMet<'a, 'b, S: Simd> {
    simd: S,
    search: RaySearch<S, OneMotion<'a>>,
    groups: &'a TriangleGroups,
    visit: &'a mut TriangleVisitor<'b>,
    /// The last [`Ahead::put_off`].
    put_off: f32,
    /// Nodes and groups that are entered later than that: where, and which, in the form of a node's children.
    waiting: SmallVec<[(f32, NodeIndex); 2 * LANES]>,
}

impl<S: Simd> GroupsMet<'_, '_, S> {
    /// Shows the waiting groups, nearest first, up to the first waiting node, which it returns.
    #[inline(always)]
    fn next_node(&mut self) -> Option<NodeIndex> {
        while let Some((place, &(begin, child))) = first_of(&self.waiting) {
            if begin > self.put_off {
                self.show(Along::NothingBefore(begin));
            }
            if self.search.is_culled(begin.to_bits()) {
                return None;
            }
            self.waiting.swap_remove(place);
            if child & LEAF == 0 {
                return Some(child);
            }
            self.show_group(Leaf::from_bits(child & !LEAF).index());
        }
        None
    }

    /// Makes a node or a group wait if it is entered after the first deferred triangle; returns whether it does.
    #[inline(always)]
    fn puts_off(&mut self, begin: f32, child: NodeIndex) -> bool {
        let waits = begin > self.put_off && self.waiting.len() < MOST;
        if waits {
            self.waiting.push((begin, child));
        }
        waits
    }

    #[inline(always)]
    fn show_group(&mut self, group: usize) {
        let simd = self.simd;
        let corners = self.groups.corners(simd, group, [0, 1, 2]);
        let (met, _) = self.search.test(simd, &corners.boxes());
        let met = met & self.groups.lanes(group);
        if met != 0 {
            let numbers = compress(simd, self.groups.every_number(group), met);
            let numbers = &numbers[..met.count_ones() as usize % (LANES + 1)];
            self.show(Along::Triangles(numbers, &corners.columns(simd, met)));
        }
    }

    #[inline(always)]
    fn show(&mut self, along: Along) {
        let Ahead { limit, put_off } = (self.visit)(along);
        self.search.limit_to(limit);
        self.put_off = put_off;
    }
}

/// The entry that begins first, and its place.
#[inline(always)]
fn first_of(waiting: &[(f32, NodeIndex)]) -> Option<(usize, &(f32, NodeIndex))> {
    waiting.iter().enumerate().reduce(|a, b| if b.1.0 < a.1.0 { b } else { a })
}

impl<S: Simd> Visitor<S> for GroupsMet<'_, '_, S> {
    searched_by_field!(S, groups);

    #[inline(always)]
    fn is_passed_over(&mut self, key: u32, index: NodeIndex) -> bool {
        if self.search.is_culled(key) {
            return true;
        }
        self.puts_off(f32::from_bits(key), index)
    }

    #[inline(always)]
    fn visit_leaf(&mut self, leaf: Leaf, key: u32) -> ControlFlow<()> {
        let begin = f32::from_bits(key);
        if !self.puts_off(begin, leaf.index() as u32 | LEAF) {
            self.show_group(leaf.index());
        }
        ControlFlow::Continue(())
    }
}
