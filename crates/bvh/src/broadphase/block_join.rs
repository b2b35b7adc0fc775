//! All pairs of overlapping leaves of a packed tree: a block, which is sixteen nodes with sixteen leaves each, at a
//! time.
//!
//! ```text
//!   block        its leaves, and those of later blocks that reach into it, copied side by side        once for 256 leaves
//!   each node    tests sixteen of the copied boxes at once: a list of those that overlap it
//!                each of the list is tested against the node's sixteen leaves at once
//!                these are tested against each other, rotated by one lane, two ... eight: each two of them once
//! ```
//! A traversal for each node would enter more nodes than it tests boxes, and each step waits for the one before. Here
//! there is one for the block, and what follows lies in order in the nearest cache.

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

/// Leaves of a block.
const OWN: usize = LANES * LANES;

/// Room for these and those of others that are copied before they are tested, and a row more, as rows are written
/// whole; with more, a block takes several rounds. A power of two, so that a place in it is some of a number's bits.
const ROOM: usize = 512;

/// Levels of a packed tree at most: sixteen to this power are more than its leaves.
const LEVELS: usize = 9;

/// Boxes side by side, and the leaves that they are of; a row of sixteen is a cache line.
#[repr(C, align(64))]
pub(super) struct Block {
    bounds: [[f32; ROOM]; 6],
    leaves: [u32; ROOM],
    /// Boxes that overlap a node, by place.
    near: [u32; ROOM],
    pairs: PairBuffer,
    len: usize,
}

impl Block {
    pub(super) fn new() -> Self {
        Self { bounds: [[0.0; ROOM]; 6], leaves: [0; ROOM], len: 0, near: [0; ROOM], pairs: PairBuffer::new() }
    }

    /// Adds to `found` each pair of overlapping leaves with one in the block of the node `index`, and the other there
    /// too or in a later block.
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

    /// Copies all boxes of a node to some place.
    #[inline(always)]
    fn copy(&mut self, node: &Node, at: usize) {
        for (all, row) in self.bounds.iter_mut().zip(&node.bounds) {
            all[at..at + LANES].copy_from_slice(row);
        }
        self.leaves[at..at + LANES].copy_from_slice(&node.children);
    }

    /// Copies some boxes of a node to the end.
    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, node: &Node, lanes: u32) {
        let at = self.len.min(ROOM - LANES);
        for (all, row) in self.bounds.iter_mut().zip(&node.bounds) {
            all[at..at + LANES].copy_from_slice(&compress_row(simd, row, lanes));
        }
        self.leaves[at..at + LANES].copy_from_slice(&compress(simd, &node.children, lanes));
        self.len = at + lanes.count_ones() as usize;
    }

    /// All pairs of the block's own leaves.
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

    /// All pairs of the block's own leaves and those of others, which are then dropped.
    #[inline(always)]
    fn join_others<S: Simd>(&mut self, simd: S, parent: &Node, found: &mut CandidateList) {
        if self.len == OWN {
            return;
        }
        // The rest of the last row overlaps nothing.
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

    /// Adds which of sixteen boxes overlap another one to the list of `count` places; returns how many it then has.
    #[inline(always)]
    fn gather<S: Simd>(&mut self, simd: S, bounds: &Bounds, start: usize, count: usize) -> usize {
        let lanes = overlapping(simd, &load_rows(simd, &self.bounds, start), bounds);
        let at = count.min(ROOM - LANES);
        self.near[at..at + LANES].copy_from_slice(&compress(simd, &iota(simd, start as u32), lanes));
        at + lanes.count_ones() as usize
    }

    /// Tests sixteen own boxes from `start` against each other, rotated by up to half of a ring.
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
                // Half a ring on, each pair meets twice.
                met[TESTS - 1] &= EVERY_LANE >> (LANES / 2);
            }
            self.pairs.add(simd, leaves, |i| others[i], (met, TESTS), found);
        }
    }

    /// Tests the boxes of the list against the sixteen from `start`.
    #[inline(always)]
    fn test_near<S: Simd>(&mut self, simd: S, start: usize, count: usize, found: &mut CandidateList) {
        let leaves = row(&self.leaves, start);
        if has_masked_instructions(simd) {
            // One by one: the sixteen stay in registers, where the masks of several tests at once have no room.
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

/// Copies the leaves of later blocks that reach into a block.
struct LaterLeaves<'a> {
    block: &'a mut Block,
    index: NodeIndex,
    parent: &'a Node,
    /// The nodes from the root to the block. Nodes are numbered level by level: what is numbered below the node of its
    /// level is earlier.
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
            // Above the blocks: the next node of the path is of the level of the children.
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

/// Tests of sixteen leaves each that are evaluated together: their lanes are the bits of one word.
const TESTS: usize = u64::BITS as usize / LANES;

/// Pairs that are buffered at most, so that they stay in the nearest cache.
const BUFFERED: usize = 512;

/// Overlapping pairs that are not in a list yet, as the two children of each.
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

    /// Adds what the first `count` of some tests met: test `i` of sixteen `leaves`, each against that which `others(i)`
    /// has in its lane, in the lanes of `met[i]`.
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
        // Where the loop over pairs ends is mispredicted: once for all tests, instead of for each.
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

    /// Writes the first `count` of sixteen pairs after the first `len`; returns how many there are then, which the
    /// caller keeps in a register and stores in `len` at the end. All sixteen are written: nothing is mispredicted.
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

/// The leaf that a child is.
#[inline(always)]
fn leaf(child: u32) -> Leaf {
    Leaf::from_bits(child & !LEAF)
}
