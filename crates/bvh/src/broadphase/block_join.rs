//! All pairs of overlapping leaves of a packed tree, found one block at a time: a block is sixteen nodes with sixteen
//! leaves each.
//!
//! ```text
//!   block        its leaves, and those of later blocks that reach into it, copied side by side     once for 256 leaves
//!   each node    tests sixteen of the copied boxes at once: a list of those that overlap it
//!                each of the list is tested against the node's sixteen leaves at once
//!                these are tested against each other, rotated by one lane, two ... eight: each two of them once
//! ```
//! A traversal per node would enter more nodes than it tests boxes, and each of its steps waits for the one before.
//! Here there is one traversal per block, and everything after it reads the nearest cache in order.

use super::candidates::CandidateList;
use crate::{
    Leaf,
    lanes::{
        EVERY_LANE, Keys, LANES, Simd, at_most, below, compress, compress_row, each_lane, has_masked_instructions,
        iota, rotate, rotate_indices, same_key,
    },
    node::{Bounds, LEAF, Node, NodeIndex, bounds_at, load_rows, overlapping},
    pack::union_bounds,
    traverse::{Order, Visitor, traverse_from},
    tree::Bvh,
};
use std::ops::ControlFlow;

/// The number of leaves in a block.
const OWN: usize = LANES * LANES;

/// Room for these and for the leaves of other blocks that are copied before they are tested, plus a row, as rows are
/// written whole. If there are more others than fit, a block takes several rounds. A power of two, so that an index is
/// masked to stay in range.
const ROOM: usize = 512;

/// The maximum number of levels of a packed tree: sixteen to this power exceeds the number of its leaves.
const LEVELS: usize = 9;

/// Boxes stored by side, and their leaves; a row of sixteen is a cache line.
#[repr(C, align(64))]
pub(super) struct BoxBlock {
    bounds: [[f32; ROOM]; 6],
    leaves: [u32; ROOM],
    /// The indices of the boxes that overlap a node.
    near: [u32; ROOM],
    pairs: PairBuffer,
    len: usize,
}

impl BoxBlock {
    pub(super) fn new() -> Self {
        Self { bounds: [[0.0; ROOM]; 6], leaves: [0; ROOM], len: 0, near: [0; ROOM], pairs: PairBuffer::new() }
    }

    /// Adds to `found` each pair of overlapping leaves of which one is in the block of the node `index`, and the other
    /// in the same or in a later block.
    #[inline(always)]
    pub(super) fn join<S: Simd>(&mut self, simd: S, tree: &Bvh, index: NodeIndex, found: &mut CandidateList) {
        let parent = &tree.nodes[index as usize];
        self.len = OWN;
        for (lane, &child) in parent.children.iter().enumerate().take_while(|&(_, &child)| child & LEAF == 0) {
            self.copy(&tree.nodes[child as usize], lane * LANES);
        }
        self.join_own(simd, parent, found);

        let mut path = [NodeIndex::MAX; LEVELS];
        let mut at = index;
        for place in path[..tree.depth() - 1].iter_mut().rev() {
            *place = at;
            at = tree.parents[at as usize].node() as NodeIndex;
        }
        let union = union_bounds(simd, parent);
        traverse_from(simd, tree, None, 0, &mut LaterLeaves { block: self, index, parent, path, union, found });
        self.join_others(simd, parent, found);
        self.pairs.flush(found);
    }

    /// Copies all boxes of a node to the places from `at` on.
    #[inline(always)]
    fn copy(&mut self, node: &Node, at: usize) {
        for (all, row) in self.bounds.iter_mut().zip(&node.bounds) {
            all[at..at + LANES].copy_from_slice(row);
        }
        self.leaves[at..at + LANES].copy_from_slice(&node.children);
    }

    /// Appends the boxes in `lanes` of a node.
    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, node: &Node, lanes: u32) {
        let at = self.len.min(ROOM - LANES);
        for (all, row) in self.bounds.iter_mut().zip(&node.bounds) {
            all[at..at + LANES].copy_from_slice(&compress_row(simd, row, lanes));
        }
        self.leaves[at..at + LANES].copy_from_slice(&compress(simd, &node.children, lanes));
        self.len = at + lanes.count_ones() as usize;
    }

    /// Finds all pairs among the block's own leaves.
    #[inline(always)]
    fn join_own<S: Simd>(&mut self, simd: S, parent: &Node, found: &mut CandidateList) {
        for lane in 0..LANES {
            if parent.children[lane] & LEAF != 0 {
                break;
            }
            let start = lane * LANES;
            let bounds = parent.lane_bounds(lane);
            let mut count = 0;
            let later = parent.overlapping(simd, &bounds) & (EVERY_LANE - 1) << lane;
            for other in each_lane(later) {
                count = self.gather(simd, &bounds, other * LANES, count);
            }
            self.test_ring(simd, start, found);
            self.test_near(simd, start, count, found);
        }
    }

    /// Finds all pairs of one of the block's own leaves and one of another block, then drops the latter.
    #[inline(always)]
    fn join_others<S: Simd>(&mut self, simd: S, parent: &Node, found: &mut CandidateList) {
        if self.len == OWN {
            return;
        }
        // Makes the rest of the last row overlap nothing.
        let end = self.len.min(ROOM - LANES);
        self.bounds[0][end..end + LANES].fill(f32::INFINITY);
        for lane in 0..LANES {
            if parent.children[lane] & LEAF != 0 {
                break;
            }
            let bounds = parent.lane_bounds(lane);
            let mut count = 0;
            for start in (OWN..end).step_by(LANES) {
                count = self.gather(simd, &bounds, start, count);
            }
            self.test_near(simd, lane * LANES, count, found);
        }
        self.len = OWN;
    }

    /// Appends to `near`, which has `count` entries, the places of those of sixteen boxes that overlap `bounds`;
    /// returns the new count.
    #[inline(always)]
    fn gather<S: Simd>(&mut self, simd: S, bounds: &Bounds, start: usize, count: usize) -> usize {
        let lanes = overlapping(simd, &load_rows(simd, &self.bounds, start), bounds);
        let at = count.min(ROOM - LANES);
        self.near[at..at + LANES].copy_from_slice(&compress(simd, &iota(simd, start as u32), lanes));
        at + lanes.count_ones() as usize
    }

    /// Tests the block's sixteen boxes from `start` on against each other, rotated by up to half a turn.
    #[inline(always)]
    fn test_ring<S: Simd>(&mut self, simd: S, start: usize, found: &mut CandidateList) {
        let leaves = row(&self.leaves, start);
        let own = load_rows(simd, &self.bounds, start);
        let (mut ring, mut leaf_ring) = (own, *leaves);
        for half in 0..2 {
            let (mut met, mut others) = ([0; TESTS], [[0; LANES]; TESTS]);
            for (met, others) in met.iter_mut().zip(&mut others) {
                // One by one, as `map` is not inlined.
                let [a, b, c, d, e, f] = ring;
                ring = [
                    rotate::<1, S>(a),
                    rotate::<1, S>(b),
                    rotate::<1, S>(c),
                    rotate::<1, S>(d),
                    rotate::<1, S>(e),
                    rotate::<1, S>(f),
                ];
                leaf_ring = rotate_indices(simd, &leaf_ring);
                *others = leaf_ring;
                *met = EVERY_LANE;
                // Sixteen boxes against sixteen others, not against one as elsewhere.
                for axis in 0..3 {
                    let (low, high) = (2 * axis, 2 * axis + 1);
                    *met &= at_most(own[low], ring[high]) & at_most(ring[low], own[high]);
                }
            }
            if half == 1 {
                // At half a turn, each pair meets twice.
                met[TESTS - 1] &= EVERY_LANE >> (LANES / 2);
            }
            self.pairs.add(simd, leaves, |i| others[i], (met, TESTS), found);
        }
    }

    /// Tests the first `count` boxes of `near` against the sixteen from `start` on.
    #[inline(always)]
    fn test_near<S: Simd>(&mut self, simd: S, start: usize, count: usize, found: &mut CandidateList) {
        let leaves = row(&self.leaves, start);
        if has_masked_instructions(simd) {
            // One by one: the sixteen stay in registers, which leaves no room for the masks of several tests at once.
            let own = load_rows(simd, &self.bounds, start);
            let mut len = self.pairs.len;
            for &place in &self.near[..count.min(ROOM)] {
                let place = place as usize % ROOM;
                let met = overlapping(simd, &own, &bounds_at(&self.bounds, place));
                let (firsts, seconds) = (compress(simd, leaves, met), [self.leaves[place]; LANES]);
                len = self.pairs.put(len, &firsts, &seconds, met.count_ones(), found);
            }
            self.pairs.len = len;
            return;
        }
        for at in (0..count).step_by(TESTS) {
            let places: &[u32; TESTS] = self.near[at..].first_chunk().expect("room for a row more");
            let place = |i: usize| places[i] as usize % ROOM;
            let mut met = [0; TESTS];
            for (i, met) in met.iter_mut().enumerate() {
                *met = overlapping(simd, &load_rows(simd, &self.bounds, start), &bounds_at(&self.bounds, place(i)));
            }
            self.pairs.add(simd, leaves, |i| [self.leaves[place(i)]; LANES], (met, count - at), found);
        }
    }
}

/// Sixteen numbers.
#[inline(always)]
fn row(numbers: &[u32], start: usize) -> &[u32; LANES] {
    numbers[start..].first_chunk().expect("a whole row")
}

/// Copies the leaves of later blocks that overlap a block.
struct LaterLeaves<'a> {
    block: &'a mut BoxBlock,
    index: NodeIndex,
    parent: &'a Node,
    /// The nodes from the root to the block. Nodes are numbered level by level: a node with a lower number than the
    /// path's node on the same level comes earlier.
    path: [NodeIndex; LEVELS],
    union: Bounds,
    found: &'a mut CandidateList,
}

impl<S: Simd> Visitor<S> for LaterLeaves<'_> {
    const ORDER: Order = Order::Unkeyed;

    #[inline(always)]
    fn test_children(&mut self, simd: S, index: NodeIndex, node: &Node, _: u32) -> (u32, Keys<S>) {
        let mut lanes = node.overlapping(simd, &self.union);
        if index == self.index {
            lanes = 0;
        } else if index < self.index
            && let Some(&first) = self.path.iter().find(|&&first| first > index)
        {
            // Above the blocks: the next node of the path is on the level of the children.
            lanes &= !below(simd, &node.children, first);
        }
        (lanes, same_key(simd, 0))
    }

    #[inline(always)]
    fn visit_leaves(&mut self, simd: S, _: NodeIndex, node: &Node, lanes: u32, _: Keys<S>) -> ControlFlow<()> {
        self.block.add(simd, node, lanes);
        if self.block.len > ROOM - 2 * LANES {
            self.block.join_others(simd, self.parent, self.found);
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn visit_leaf(&mut self, _: Leaf, _: u32) -> ControlFlow<()> {
        unreachable!("leaves are visited a node's at a time")
    }
}

/// The number of tests, each of sixteen leaves, that are evaluated together: their lanes are the bits of one word.
const TESTS: usize = u64::BITS as usize / LANES;

/// The maximum number of buffered pairs, so that they stay in the nearest cache.
const BUFFERED: usize = 512;

/// Overlapping pairs that are not in a list yet, stored as the two children of each.
#[repr(C, align(64))]
struct PairBuffer {
    firsts: [u32; BUFFERED + LANES],
    seconds: [u32; BUFFERED + LANES],
    len: usize,
}

impl PairBuffer {
    fn new() -> Self {
        Self { firsts: [0; BUFFERED + LANES], seconds: [0; BUFFERED + LANES], len: 0 }
    }

    /// Adds the pairs met by the first `count` tests. Test `i` pairs each of the sixteen `leaves` with the leaf that
    /// `others(i)` has in the same lane; the lanes of `met[i]` are pairs.
    #[inline(always)]
    fn add<S: Simd>(
        &mut self,
        simd: S,
        leaves: &[u32; LANES],
        others: impl Fn(usize) -> [u32; LANES],
        (met, count): ([u32; TESTS], usize),
        found: &mut CandidateList,
    ) {
        if has_masked_instructions(simd) {
            let mut len = self.len;
            for (i, met) in met.into_iter().enumerate().take(count) {
                let (firsts, seconds) = (compress(simd, leaves, met), compress(simd, &others(i), met));
                len = self.put(len, &firsts, &seconds, met.count_ones(), found);
            }
            self.len = len;
            return;
        }
        // The end of the loop over pairs is mispredicted: once for all tests this way, instead of once for each.
        let mut word = met.iter().rev().fold(0, |word, met| word << LANES | u64::from(*met));
        if count < TESTS {
            word &= (1 << (count * LANES)) - 1;
        }
        while word != 0 {
            let bit = word.trailing_zeros() as usize;
            word &= word - 1;
            found.push(leaf(leaves[bit % LANES]), leaf(others(bit / LANES)[bit % LANES]));
        }
    }

    /// Appends the first `count` of sixteen pairs to the `len` buffered ones; returns the new count, which the caller
    /// keeps in a register and stores in `self.len` at the end. All sixteen are written, so that nothing is
    /// mispredicted.
    #[inline(always)]
    fn put(
        &mut self,
        len: usize,
        firsts: &[u32; LANES],
        seconds: &[u32; LANES],
        count: u32,
        found: &mut CandidateList,
    ) -> usize {
        let at = len % BUFFERED;
        self.firsts[at..at + LANES].copy_from_slice(firsts);
        self.seconds[at..at + LANES].copy_from_slice(seconds);
        let len = at + count as usize;
        if len < BUFFERED {
            return len;
        }
        self.len = len;
        self.flush(found);
        0
    }

    /// Moves all pairs to `found`.
    #[inline(always)]
    fn flush(&mut self, found: &mut CandidateList) {
        found.extend(self.firsts[..self.len].iter().zip(&self.seconds).map(|(&a, &b)| (leaf(a), leaf(b))));
        self.len = 0;
    }
}

/// The leaf that a child stands for.
#[inline(always)]
fn leaf(child: u32) -> Leaf {
    Leaf::from_bits(child & !LEAF)
}
