//! Which leaves overlap some leaves of one node: sixteen boxes search a tree together.
//!
//! ```text
//!   around the group  --meets-->  a node: which of its sixteen lanes          one test
//!   each leaf lane met  --meets-->  which of the group's sixteen lanes         one test each
//! ```
//! Most groups that lie side by side touch with a few lanes only, so that a leaf costs two or three tests in all.
//!
//! Source: the descent with a group instead of a leaf follows bepuphysics2's self-test of trees.

use crate::{
    lanes::{
        EVERY_LANE, LANES, Simd, at_most, compress, each_lane, iota, load, masked, max_lane, min_lane, sign_mask,
        splat, sum,
    },
    node::{LEAF, Node, NodeIndex, Slot},
    pack::around,
    stack::{Places, Stack},
    tree::Bvh,
};

/// A group whose union has more than so many times the area of its boxes searches with each of them where it enters a node: a little slower
/// when boxes lie side by side, twenty times faster when a thousand are spread over a million.
const SPARSE: f32 = 8.0;

/// Some leaf lanes of a node.
#[derive(Clone, Copy)]
pub(super) struct Group<'a> {
    node: &'a Node,
    /// At least one; leaves all.
    lanes: u32,
    /// The bounds of their union, in the order of a node's rows.
    around: [f32; 6],
    /// Whether most of that is empty: then a node may lie in it and yet touch none of the leaves.
    is_sparse: bool,
}

/// Lanes that are gathered before they are tested: enough for all of most groups.
const NEAR: usize = 128;

/// Gathered lanes, as the bits of their slots.
struct Near {
    slots: [u32; NEAR + LANES],
    len: usize,
}

impl Near {
    /// Adds the first `count` of sixteen.
    #[inline(always)]
    fn push(&mut self, slots: [u32; LANES], count: usize) {
        self.slots[self.len..self.len + LANES].copy_from_slice(&slots);
        self.len += count.min(LANES);
    }

    /// All that were gathered, leaving none.
    #[inline(always)]
    fn take(&mut self) -> &[u32] {
        &self.slots[..std::mem::take(&mut self.len)]
    }
}

/// The lanes with leaves.
#[inline(always)]
pub(super) fn leaf_lanes<S: Simd>(simd: S, node: &Node) -> u32 {
    sign_mask(simd, &node.children) & !empty_lanes(simd, node)
}

/// Lanes with inverted bounds.
#[inline(always)]
fn empty_lanes<S: Simd>(simd: S, node: &Node) -> u32 {
    !at_most(load(simd, &node.bounds[0]), load(simd, &node.bounds[1])) & EVERY_LANE
}

impl<'a> Group<'a> {
    #[inline(always)]
    pub(super) fn new<S: Simd>(simd: S, tree: &'a Bvh, index: NodeIndex, lanes: u32) -> Self {
        let node = &tree.nodes[index as usize];
        let parent = tree.parents[index as usize];
        let around = if lanes == EVERY_LANE && !parent.is_none() {
            // The node's own lane says it.
            let rows = &tree.nodes[parent.node()].bounds;
            std::array::from_fn(|row| rows[row][parent.lane()])
        } else if lanes == EVERY_LANE {
            around(simd, node)
        } else {
            let low = |axis: usize| min_lane(masked(simd, load(simd, &node.bounds[2 * axis]), lanes, f32::INFINITY));
            let high =
                |axis: usize| max_lane(masked(simd, load(simd, &node.bounds[2 * axis + 1]), lanes, f32::NEG_INFINITY));
            [low(0), high(0), low(1), high(1), low(2), high(2)]
        };
        let side = |axis: usize| load(simd, &node.bounds[2 * axis + 1]) - load(simd, &node.bounds[2 * axis]);
        let (x, y, z) = (side(0), side(1), side(2));
        let area = sum(masked(simd, x * y + y * z + z * x, lanes, 0.0));
        let [x, y, z] = [0, 1, 2].map(|axis| around[2 * axis + 1] - around[2 * axis]);
        Self { node, lanes, around, is_sparse: SPARSE * area < x * y + y * z + z * x }
    }

    /// The lanes of `node` that overlap the group's union.
    #[inline(always)]
    fn meet<S: Simd>(&self, simd: S, node: &Node) -> u32 {
        overlapping(simd, node, &self.around)
    }

    /// Calls `found` for each pair of leaves, one of the group and one that `tree` holds outside of the group's node, whose boxes overlap.
    /// What `skipped` gives for a node is not searched: its lanes, as bits.
    ///
    /// In two steps, each almost without a branch that depends on the boxes: gather the lanes that meet the union, then test them.
    #[inline(always)]
    pub(super) fn search<S: Simd>(
        &self,
        simd: S,
        tree: &Bvh,
        skipped: impl Fn(NodeIndex) -> u32,
        mut found: impl FnMut(u32, u32),
    ) {
        let mut places = Places::new();
        let mut stack = Stack::new(&mut places);
        let mut near = Near { slots: [0; NEAR + LANES], len: 0 };
        let mut index = 0;
        loop {
            let node = &tree.nodes[index as usize];
            let met = self.meet(simd, node);
            let leaves = sign_mask(simd, &node.children);
            let mut nodes = met & !leaves;
            let leaves = met & leaves & !skipped(index);
            if nodes != 0 {
                if self.is_sparse {
                    for lane in each_lane(nodes) {
                        if self.lanes & overlapping(simd, self.node, &bounds(node, lane)) == 0 {
                            nodes &= !(1 << lane);
                        }
                    }
                }
                stack.push([0; LANES], compress(simd, &node.children, nodes), nodes.count_ones() as usize);
            }
            if nodes == 0 || leaves != 0 {
                near.push(compress(simd, &iota(simd, index * LANES as u32), leaves), leaves.count_ones() as usize);
                if near.len > NEAR {
                    self.test(simd, tree, near.take(), &mut found);
                }
            }
            let Some((_, next)) = stack.pop() else { break };
            index = next;
        }
        self.test(simd, tree, near.take(), &mut found);
    }

    /// Calls `found` for each lane of the group and each of the slots whose boxes overlap.
    #[inline(always)]
    fn test<S: Simd>(&self, simd: S, tree: &Bvh, slots: &[u32], found: &mut impl FnMut(u32, u32)) {
        for &slot in slots {
            let slot = Slot::from_bits(slot);
            let node = &tree.nodes[slot.node()];
            let own = self.lanes & overlapping(simd, self.node, &bounds(node, slot.lane()));
            if own != 0 {
                for own in each_lane(own) {
                    found(self.node.children[own] & !LEAF, node.children[slot.lane()] & !LEAF);
                }
            }
        }
    }

    /// Calls `found` for each pair of a lane of the group and another leaf lane of the same node, once.
    #[inline(always)]
    pub(super) fn search_within<S: Simd>(&self, simd: S, mut found: impl FnMut(u32, u32)) {
        let leaves = leaf_lanes(simd, self.node);
        for lane in each_lane(self.lanes) {
            // Two lanes of the group meet when the later one comes up.
            let others = leaves & !(self.lanes & (EVERY_LANE << lane)) & !(1 << lane);
            for other in each_lane(others & overlapping(simd, self.node, &bounds(self.node, lane))) {
                found(self.node.children[lane] & !LEAF, self.node.children[other] & !LEAF);
            }
        }
    }
}

/// The bounds of one lane.
#[inline(always)]
fn bounds(node: &Node, lane: usize) -> [f32; 6] {
    std::array::from_fn(|row| node.bounds[row][lane % LANES])
}

/// The lanes of a node that overlap a box given as a node's rows give one.
#[inline(always)]
fn overlapping<S: Simd>(simd: S, node: &Node, other: &[f32; 6]) -> u32 {
    (0..3).fold(EVERY_LANE, |met, axis| {
        let (min, max) = (load(simd, &node.bounds[2 * axis]), load(simd, &node.bounds[2 * axis + 1]));
        met & at_most(min, splat(simd, other[2 * axis + 1])) & at_most(splat(simd, other[2 * axis]), max)
    })
}
