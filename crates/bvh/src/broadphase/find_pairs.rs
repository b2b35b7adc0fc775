//! The search for all pairs of overlapping leaves of which at least one is dirty: node by node, on all threads.
//!
//! Most searches take the dirty leaves of one node, a [`LeafGroup`], through both trees:
//! ```text
//!   union of the group    ->  the lanes of a node that overlap it            one test
//!   each leaf among them  ->  the lanes of the group that overlap it         one test each
//! ```
//! Most groups that lie side by side touch in only a few lanes, so that a leaf costs two or three tests in all. If all
//! leaves of a packed tree are dirty, [`super::block_join`] takes sixteen nodes at a time instead.
//!
//! Source: the descent with a group instead of a leaf follows bepuphysics2's self-test of trees.

use super::{
    block_join::BoxBlock, body::Mobility, candidates::CandidateList, dynamic_tree::DynamicTree, proxies::Proxies,
};
use crate::{
    Leaf, Team,
    lanes::{
        EVERY_LANE, Keys, LANES, Simd, at_most, compress, each_lane, iota, load, masked, max_lane, min_lane, same_key,
        sign_mask, sum, vectorized_512,
    },
    node::{Bounds, Child, LEAF, Node, NodeIndex, NodeLane},
    pack::union_bounds,
    traverse::{Order, Visitor, traverse_from},
    tree::Bvh,
};
use cullide_narrowphase::Mapped;
use std::ops::{ControlFlow, Range};

/// The number of nodes that a thread searches with at a time: some thirty microseconds of work.
const CHUNK: usize = 64;

/// The same in blocks, of sixteen such nodes each.
const BLOCKS: usize = CHUNK / LANES;

/// The number of parts into which a chunk is divided for the threads of a team, as these are awake.
const SHARES: usize = 4;

/// The number of chunks from which on a second thread pays off.
#[cfg(feature = "parallel")]
const FORKED: usize = 8;

/// A group whose union has more than this many times the area of its boxes is tested box by box when it enters a node:
/// slightly slower if boxes lie side by side, twenty times faster if a thousand are spread over a million.
const SPARSE: f32 = 8.0;

/// Which leaves of a tree are dirty, by node.
#[derive(Clone, Debug, Default)]
struct DirtyLeaves {
    /// By node, one bit per lane.
    lanes: Vec<u16>,
    /// The nodes with any bit set.
    nodes: Vec<NodeIndex>,
}

impl DirtyLeaves {
    /// Clears all marks and fits the arrays to `tree`.
    fn clear(&mut self, tree: &Bvh) {
        for &node in &self.nodes {
            self.lanes[node as usize] = 0;
        }
        self.nodes.clear();
        self.lanes.resize(tree.nodes.len(), 0);
    }

    fn add(&mut self, tree: &Bvh, leaf: Leaf) {
        if let Some(slot) = tree.slot(leaf) {
            let lanes = &mut self.lanes[slot.node()];
            if *lanes == 0 {
                self.nodes.push(slot.node() as NodeIndex);
            }
            *lanes |= 1 << slot.lane();
        }
    }

    /// The dirty lanes of a node, one bit each.
    #[inline(always)]
    fn of(&self, node: NodeIndex) -> u32 {
        self.lanes[node as usize].into()
    }
}

/// The search of an update: which leaves it starts from, and what it found.
#[derive(Clone, Debug, Default)]
pub(super) struct PairSearch {
    moving: DirtyLeaves,
    fixed: DirtyLeaves,
    /// Whether all leaves of the moving tree are dirty, and it has blocks.
    by_blocks: bool,
    /// What one thread found, and what was found for each chunk of nodes that threads took.
    found: CandidateList,
    parts: Vec<CandidateList>,
}

impl PairSearch {
    /// Records which leaves are dirty.
    pub(super) fn prepare(&mut self, proxies: &Proxies, moving: &DynamicTree, fixed: &Bvh) {
        let tree = moving.bvh();
        self.fixed.clear(fixed);
        self.moving.clear(tree);
        self.by_blocks = proxies.all_dirty() && moving.is_packed() && tree.depth() > 1;
        if proxies.all_dirty() && !self.by_blocks {
            tree.leaves().for_each(|leaf| self.moving.add(tree, leaf));
        }
        for &proxy in proxies.dirty() {
            match proxy.mobility() {
                Mobility::Fixed => self.fixed.add(fixed, proxy.leaf()),
                Mobility::Moving if proxies.all_dirty() => {}
                Mobility::Moving => self.moving.add(tree, proxy.leaf()),
            }
        }
    }

    /// Finds all pairs of overlapping leaves of which at least one is dirty, each once, and tests them.
    pub(super) fn run(&mut self, proxies: &Proxies, moving: &Bvh, fixed: &Bvh, team: Option<&Team>) {
        let Self { moving: dirty_moving, fixed: dirty_fixed, by_blocks, found, parts } = self;
        found.clear();
        parts.iter_mut().for_each(CandidateList::clear);
        let search = PairSearchData { proxies, moving, fixed, dirty_moving, dirty_fixed, by_blocks: *by_blocks };
        let (nodes, chunk) = if *by_blocks { (moving.blocks(), BLOCKS) } else { (0..dirty_moving.nodes.len(), CHUNK) };
        match team {
            Some(team) => search.each_by(team, nodes, chunk / SHARES, found, parts),
            None => search.each(nodes, chunk, found, parts),
        }
        // If all moving leaves have searched the fixed tree, nothing is left to find.
        if !proxies.all_dirty() {
            search.with_fixed_leaves(found);
        }
    }

    /// What was found, in one list and in parts. A cache of all pairs may swap these with its own lists.
    pub(super) fn found(&mut self) -> (&mut CandidateList, &mut Vec<CandidateList>) {
        (&mut self.found, &mut self.parts)
    }
}

/// Returns a list for each chunk of some nodes.
fn parts_for<'a>(nodes: &Range<usize>, chunk: usize, parts: &'a mut Vec<CandidateList>) -> &'a mut [CandidateList] {
    let count = nodes.len().div_ceil(chunk);
    parts.resize_with(parts.len().max(count), CandidateList::default);
    &mut parts[..count]
}

fn chunk_of(nodes: &Range<usize>, chunk: usize, i: usize) -> Range<usize> {
    let start = nodes.start + i * chunk;
    start..nodes.end.min(start + chunk)
}

/// The data shared by all threads of a search.
struct PairSearchData<'a> {
    proxies: &'a Proxies,
    moving: &'a Bvh,
    fixed: &'a Bvh,
    dirty_moving: &'a DirtyLeaves,
    dirty_fixed: &'a DirtyLeaves,
    by_blocks: bool,
}

impl PairSearchData<'_> {
    #[cfg(not(feature = "parallel"))]
    fn each(&self, nodes: Range<usize>, _chunk: usize, found: &mut CandidateList, _parts: &mut Vec<CandidateList>) {
        self.some(nodes, found);
    }

    #[cfg(feature = "parallel")]
    fn each(&self, nodes: Range<usize>, chunk: usize, found: &mut CandidateList, parts: &mut Vec<CandidateList>) {
        if nodes.len() < FORKED * chunk || crate::threads::count() == 1 {
            return self.some(nodes, found);
        }
        let parts = parts_for(&nodes, chunk, parts);
        crate::threads::each(parts, |i, part| self.some(chunk_of(&nodes, chunk, i), part));
    }

    /// The same on the threads of a team.
    fn each_by(
        &self,
        team: &Team,
        nodes: Range<usize>,
        chunk: usize,
        found: &mut CandidateList,
        parts: &mut Vec<CandidateList>,
    ) {
        if nodes.len() <= chunk {
            return self.some(nodes, found);
        }
        let parts = parts_for(&nodes, chunk, parts);
        team.each(parts.iter_mut().enumerate(), |(i, part)| self.some(chunk_of(&nodes, chunk, i), part));
    }

    /// Searches with some nodes of the moving tree. `nodes` are blocks of that tree, or indices into the list of nodes
    /// with dirty leaves.
    fn some(&self, nodes: Range<usize>, found: &mut CandidateList) {
        let level = self.moving.level;
        if self.by_blocks {
            vectorized_512!(level, simd => self.with_blocks(simd, nodes, found));
        } else {
            vectorized_512!(level, simd => self.with_moving_leaves(simd, nodes, found));
        }
    }

    /// Searches both trees with all moving leaves, by blocks of the moving tree.
    #[inline(always)]
    fn with_blocks<S: Simd>(&self, simd: S, nodes: Range<usize>, found: &mut CandidateList) {
        let mut block = BoxBlock::new();
        for index in nodes {
            block.join(simd, self.moving, index as NodeIndex, found);
            for child in self.moving.nodes[index].children {
                let Child::Node(child) = Child::of(child) else { continue };
                if !self.fixed.is_empty() {
                    let lanes = leaf_lanes(simd, &self.moving.nodes[child as usize]);
                    LeafGroup::new(simd, self.moving, child, lanes).search(simd, self.fixed, Skipped::Nothing, found);
                }
            }
            found.test_new_batches(simd, self.proxies);
        }
        found.test_new(simd, self.proxies);
    }

    /// Searches both trees with dirty moving leaves.
    #[inline(always)]
    fn with_moving_leaves<S: Simd>(&self, simd: S, places: Range<usize>, found: &mut CandidateList) {
        for &index in &self.dirty_moving.nodes[places] {
            let group = LeafGroup::new(simd, self.moving, index, self.dirty_moving.of(index));
            group.search_within(simd, found);
            // Of two nodes, the one with the lower number finds the pairs of their dirty leaves.
            group.search(simd, self.moving, Skipped::UpTo(index, self.dirty_moving), found);
            if !self.fixed.is_empty() {
                group.search(simd, self.fixed, Skipped::Nothing, found);
            }
            found.test_new_batches(simd, self.proxies);
        }
        found.test_new(simd, self.proxies);
    }

    /// Searches the moving tree with dirty fixed leaves, except for its dirty leaves, which have searched the fixed
    /// tree.
    fn with_fixed_leaves(&self, found: &mut CandidateList) {
        vectorized_512!(self.moving.level, simd => {
            for &index in &self.dirty_fixed.nodes {
                let group = LeafGroup::new(simd, self.fixed, index, self.dirty_fixed.of(index));
                group.search(simd, self.moving, Skipped::UpTo(NodeIndex::MAX, self.dirty_moving), found);
                found.test_new_batches(simd, self.proxies);
            }
            found.test_new(simd, self.proxies);
        });
    }
}

/// The lanes with leaves.
#[inline(always)]
fn leaf_lanes<S: Simd>(simd: S, node: &Node) -> u32 {
    // Empty lanes have inverted bounds.
    sign_mask(simd, &node.children) & at_most(load(simd, &node.bounds[0]), load(simd, &node.bounds[1]))
}

/// Some leaf lanes of a node.
#[derive(Clone, Copy)]
struct LeafGroup<'a> {
    node: &'a Node,
    /// At least one lane; all of them have leaves.
    lanes: u32,
    union: Bounds,
    /// Whether most of the union is empty: then a node may lie within it and yet touch none of the leaves.
    is_sparse: bool,
}

impl<'a> LeafGroup<'a> {
    #[inline(always)]
    fn new<S: Simd>(simd: S, tree: &'a Bvh, index: NodeIndex, lanes: u32) -> Self {
        let node = &tree.nodes[index as usize];
        let parent = tree.parents[index as usize];
        let union = if lanes == EVERY_LANE && !parent.is_none() {
            // The node's lane in its parent holds the union.
            tree.nodes[parent.node()].lane_bounds(parent.lane())
        } else if lanes == EVERY_LANE {
            union_bounds(simd, node)
        } else {
            let low = |axis: usize| min_lane(masked(simd, load(simd, &node.bounds[2 * axis]), lanes, f32::INFINITY));
            let high =
                |axis: usize| max_lane(masked(simd, load(simd, &node.bounds[2 * axis + 1]), lanes, f32::NEG_INFINITY));
            [low(0), high(0), low(1), high(1), low(2), high(2)]
        };
        let side = |axis: usize| load(simd, &node.bounds[2 * axis + 1]) - load(simd, &node.bounds[2 * axis]);
        let (x, y, z) = (side(0), side(1), side(2));
        let area = sum(masked(simd, x * y + y * z + z * x, lanes, 0.0));
        let [x, y, z] = [0, 1, 2].mapped(|axis| union[2 * axis + 1] - union[2 * axis]);
        Self { node, lanes, union, is_sparse: SPARSE * area < x * y + y * z + z * x }
    }

    /// Adds to `found` each pair of overlapping leaves, one of the group and one of `tree`, except for those skipped.
    ///
    /// This takes two steps, each almost free of branches that depend on the boxes: gathering the leaf lanes that
    /// overlap the union, then testing them.
    fn search<S: Simd>(&self, simd: S, tree: &Bvh, skipped: Skipped, found: &mut CandidateList) {
        // Compiled once for all callers.
        simd.vectorize(
            #[inline(always)]
            || {
                let mut visitor = GroupVisitor { group: self, tree, skipped, slots: [0; NEAR + LANES], len: 0, found };
                traverse_from(simd, tree, None, 0, &mut visitor);
                visitor.test(simd);
            },
        );
    }

    /// Adds each pair of overlapping leaves within the group's node of which at least one is in the group, once.
    #[inline(always)]
    fn search_within<S: Simd>(&self, simd: S, found: &mut CandidateList) {
        let leaves = leaf_lanes(simd, self.node);
        for lane in each_lane(self.lanes) {
            // Two lanes of the group are tested when the later one comes up.
            let others = leaves & !(self.lanes & (EVERY_LANE << lane)) & !(1 << lane);
            for other in each_lane(others & self.node.overlapping(simd, &self.node.lane_bounds(lane))) {
                found.push(leaf(self.node, lane), leaf(self.node, other));
            }
        }
    }
}

/// The leaf in a lane.
#[inline(always)]
fn leaf(node: &Node, lane: usize) -> Leaf {
    Leaf::from_bits(node.children[lane % LANES] & !LEAF)
}

/// The number of leaf lanes gathered before they are tested: most groups need no more.
const NEAR: usize = 128;

/// Leaves that a search leaves out.
#[derive(Clone, Copy)]
enum Skipped<'a> {
    Nothing,
    /// The dirty leaves of nodes before one, and all of that node.
    UpTo(NodeIndex, &'a DirtyLeaves),
}

impl Skipped<'_> {
    /// Their lanes in a node, one bit each.
    #[inline(always)]
    fn of(self, node: NodeIndex) -> u32 {
        match self {
            Self::UpTo(last, dirty) if node < last => dirty.of(node),
            Self::UpTo(last, _) if node == last => EVERY_LANE,
            _ => 0,
        }
    }
}

/// Gathers the leaves that overlap the union of a group, as slots, and tests them.
struct GroupVisitor<'a> {
    group: &'a LeafGroup<'a>,
    tree: &'a Bvh,
    skipped: Skipped<'a>,
    slots: [u32; NEAR + LANES],
    len: usize,
    found: &'a mut CandidateList,
}

impl GroupVisitor<'_> {
    /// Tests each gathered leaf against the group.
    #[inline(always)]
    fn test<S: Simd>(&mut self, simd: S) {
        let LeafGroup { node: own, lanes, .. } = *self.group;
        for &slot in &self.slots[..self.len] {
            let slot = NodeLane::from_bits(slot);
            let node = &self.tree.nodes[slot.node()];
            for lane in each_lane(lanes & own.overlapping(simd, &node.lane_bounds(slot.lane()))) {
                self.found.push(leaf(own, lane), leaf(node, slot.lane()));
            }
        }
        self.len = 0;
    }
}

impl<S: Simd> Visitor<S> for GroupVisitor<'_> {
    const ORDER: Order = Order::Unkeyed;

    #[inline(always)]
    fn test_children(&mut self, simd: S, _: NodeIndex, node: &Node, _: u32) -> (u32, Keys<S>) {
        let mut met = node.overlapping(simd, &self.group.union);
        if self.group.is_sparse {
            for lane in each_lane(met & !sign_mask(simd, &node.children)) {
                if self.group.lanes & self.group.node.overlapping(simd, &node.lane_bounds(lane)) == 0 {
                    met &= !(1 << lane);
                }
            }
        }
        (met, same_key(simd, 0))
    }

    #[inline(always)]
    fn visit_leaves(&mut self, simd: S, index: NodeIndex, _: &Node, lanes: u32, _: Keys<S>) -> ControlFlow<()> {
        let lanes = lanes & !self.skipped.of(index);
        let slots = compress(simd, &iota(simd, index * LANES as u32), lanes);
        self.slots[self.len..self.len + LANES].copy_from_slice(&slots);
        self.len += lanes.count_ones() as usize;
        if self.len > NEAR {
            self.test(simd);
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn visit_leaf(&mut self, _: Leaf, _: u32) -> ControlFlow<()> {
        unreachable!("leaves are visited a node's at a time")
    }
}
