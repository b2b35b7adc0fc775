//! All pairs of leaves whose boxes overlap.
//!
//! The tree is traversed against itself: a task is a node with itself, or two different nodes whose boxes overlap. The
//! paths of two leaves part at exactly one pair of lanes, so each pair is found once.

use crate::{
    Leaf,
    lanes::{EVERY_LANE, Simd, each_lane, not_equal, vectorized_512},
    node::{Child, EMPTY, NodeIndex},
    query::{BoxVolume, OverlapVisitor},
    traverse::traverse_from,
    tree::Bvh,
};
use smallvec::SmallVec;
use std::ops::ControlFlow;

impl Bvh {
    /// Calls `visit` once for every two leaves whose boxes overlap, touching included, with the smaller number first.
    /// The order of pairs is unspecified. [`ControlFlow::Break`] ends the search.
    ///
    /// ```
    /// # use cullide_bvh::{Bvh, narrowphase::{Aabb, glam::Vec3}};
    /// # use std::ops::ControlFlow;
    /// let boxes = [(0.0, 1.0), (1.0, 2.0), (3.0, 4.0)].map(|(a, b)| Aabb::new(Vec3::X * a, Vec3::X * b).unwrap());
    /// let mut pairs = vec![];
    /// Bvh::build(&boxes).for_each_pair(|a, b| {
    ///     pairs.push((a.index(), b.index()));
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(pairs, [(0, 1)]);
    /// ```
    pub fn for_each_pair(&self, mut visit: impl FnMut(Leaf, Leaf) -> ControlFlow<()>) {
        self.for_each_pair_in(&mut visit);
    }

    fn for_each_pair_in(&self, visit: &mut dyn FnMut(Leaf, Leaf) -> ControlFlow<()>) {
        vectorized_512!(self.level, simd => _ = pairs(simd, self, visit));
    }
}

#[inline(always)]
fn pairs<S: Simd>(simd: S, tree: &Bvh, visit: &mut dyn FnMut(Leaf, Leaf) -> ControlFlow<()>) -> ControlFlow<()> {
    let mut tasks: SmallVec<[(NodeIndex, NodeIndex); 1024]> = SmallVec::new();
    tasks.push((0, 0));
    while let Some((a, b)) = tasks.pop() {
        let (node, other) = (&tree.nodes[a as usize], &tree.nodes[b as usize]);
        // If two nodes lie side by side, most lanes of one do not reach the other.
        let lanes = if a == b {
            not_equal(simd, &node.children, EMPTY)
        } else {
            let slot = tree.parents[b as usize];
            node.overlapping(simd, &tree.nodes[slot.node()].lane_bounds(slot.lane()))
        };
        for lane in each_lane(lanes) {
            let mut met = other.overlapping(simd, &node.lane_bounds(lane));
            if a == b {
                // Any two lanes of one node once; a lane with itself only to descend into it.
                met &= EVERY_LANE << lane;
            }
            let first = Child::of(node.children[lane]);
            for other_lane in each_lane(met) {
                match (first, Child::of(other.children[other_lane])) {
                    (Child::Node(x), Child::Node(y)) => tasks.push((x, y)),
                    (Child::Leaf(x), Child::Leaf(y)) if x == y => {}
                    (Child::Leaf(x), Child::Leaf(y)) => {
                        visit(Leaf::from_bits(x.min(y)), Leaf::from_bits(x.max(y)))?;
                    }
                    (Child::Leaf(leaf), Child::Node(below)) | (Child::Node(below), Child::Leaf(leaf)) => {
                        pairs_of_leaf(simd, tree, below, Leaf::from_bits(leaf), visit)?;
                    }
                    (Child::Empty, _) | (_, Child::Empty) => {}
                }
            }
        }
    }
    ControlFlow::Continue(())
}

/// The pairs of a leaf with the leaves below a node.
#[inline(always)]
fn pairs_of_leaf<S: Simd>(
    simd: S,
    tree: &Bvh,
    below: NodeIndex,
    leaf: Leaf,
    visit: &mut dyn FnMut(Leaf, Leaf) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let slot = tree.slots[leaf.index()];
    let mut last = ControlFlow::Continue(());
    let mut visit_other = |other: Leaf| {
        last = visit(leaf.min(other), leaf.max(other));
        last
    };
    let volume = BoxVolume(tree.nodes[slot.node()].lane_bounds(slot.lane()));
    traverse_from(simd, tree, None, below, &mut OverlapVisitor { volume, visit: &mut visit_other });
    last
}
