//! All pairs of leaves of a packed tree: a block, which is sixteen nodes with sixteen leaves each, at a time.
//!
//! ```text
//!   block        its leaves, and those of later blocks that reach into it, copied side by side        once for 256 leaves
//!   each node    meets sixteen of the copied boxes in one test: a list of those that it meets
//!                each of the list meets the node's sixteen leaves in one test
//!                these meet each other, rotate by one place, two ... eight: each two of them once
//! ```
//! A walk from the root for each node enters more nodes than it tests boxes, and each step waits for the one before. Here the walk is
//! made once for the block, and what follows lies in order in the nearest cache.

use super::{
    found::Found,
    pairs::{Pairs, TESTS},
};
use crate::{
    lanes::{
        EVERY_LANE, LANES, Simd, at_most, below, compress, compress_row, each_lane, f32x16, has_masked_instructions,
        iota, load, rotate, rotate_indices, splat,
    },
    node::{LEAF, Node, NodeIndex},
    pack::around,
    stack::{Places, Stack},
    tree::Bvh,
};

/// Leaves of a block.
const OWN: usize = LANES * LANES;

/// Room for these and those of others that are copied before they are met, and a row more, as rows are written whole; with more, a block takes
/// several rounds. A power of two, so that a place in it is some of a number's bits.
const ROOM: usize = 512;

/// Levels of a packed tree at most: sixteen to this power are more than its leaves.
const LEVELS: usize = 9;

/// Boxes side by side, and whose they are; a row of sixteen is a cache line.
#[repr(C, align(64))]
pub(super) struct Block {
    bounds: [[f32; ROOM]; 6],
    leaves: [u32; ROOM],
    /// Boxes that a node meets, by place.
    met: [u32; ROOM],
    pairs: Pairs,
    len: usize,
}

impl Block {
    pub(super) fn new() -> Self {
        Self { bounds: [[0.0; ROOM]; 6], leaves: [0; ROOM], len: 0, met: [0; ROOM], pairs: Pairs::new() }
    }

    /// Adds to `found` each pair of overlapping leaves with one in the block of the node `index`, and the other there too or in a later
    /// block.
    #[inline(always)]
    pub(super) fn join<S: Simd>(&mut self, simd: S, tree: &Bvh, index: NodeIndex, found: &mut Found) {
        let parent = &tree.nodes[index as usize];
        self.len = OWN;
        for (lane, &child) in parent.children.iter().enumerate().take_while(|&(_, &child)| child & LEAF == 0) {
            self.copy(&tree.nodes[child as usize], lane * LANES);
        }
        self.meet_within(simd, parent, found);

        // What is numbered below the way to the block, on each level, is earlier.
        let (mut path, levels) = ([0; LEVELS], tree.height as usize - 1);
        let mut at = index;
        for place in path[..levels].iter_mut().rev() {
            *place = at;
            at = tree.parents[at as usize].node() as NodeIndex;
        }
        let around = around(simd, parent);
        let mut places = Places::new();
        let mut stack = Stack::new(&mut places);
        stack.push_one(0, 0);
        while let Some((level, at)) = stack.pop() {
            let node = &tree.nodes[at as usize];
            let mut lanes = overlapping(simd, &node.bounds, 0, &around);
            if let Some(&first) = path[..levels].get(level as usize + 1) {
                lanes &= !below(simd, &node.children, first);
                stack.push([level + 1; LANES], compress(simd, &node.children, lanes), lanes.count_ones() as usize);
            } else if at != index {
                for lane in each_lane(lanes) {
                    let node = &tree.nodes[node.children[lane] as usize];
                    self.add(simd, node, overlapping(simd, &node.bounds, 0, &around));
                    if self.len > ROOM - 2 * LANES {
                        self.meet_others(simd, parent, found);
                    }
                }
            }
        }
        self.meet_others(simd, parent, found);
        self.pairs.tell(found);
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
    fn meet_within<S: Simd>(&mut self, simd: S, parent: &Node, found: &mut Found) {
        for lane in 0..LANES {
            if parent.children[lane] & LEAF != 0 {
                break;
            }
            let start = lane * LANES;
            let around = bounds(&parent.bounds, lane);
            let mut count = 0;
            let later = overlapping(simd, &parent.bounds, 0, &around) & (EVERY_LANE - 1) << lane;
            for other in each_lane(later) {
                count = self.gather(simd, &around, other * LANES, count);
            }
            self.turn(simd, start, found);
            self.test(simd, start, count, found);
        }
    }

    /// All pairs of the block's own leaves and those of others, which are then forgotten.
    #[inline(always)]
    fn meet_others<S: Simd>(&mut self, simd: S, parent: &Node, found: &mut Found) {
        if self.len == OWN {
            return;
        }
        // The rest of the last row meets nothing.
        let end = self.len.min(ROOM - LANES);
        self.bounds[0][end..end + LANES].fill(f32::INFINITY);
        for lane in 0..LANES {
            if parent.children[lane] & LEAF != 0 {
                break;
            }
            let around = bounds(&parent.bounds, lane);
            let mut count = 0;
            for start in (OWN..end).step_by(LANES) {
                count = self.gather(simd, &around, start, count);
            }
            self.test(simd, lane * LANES, count, found);
        }
        self.len = OWN;
    }

    /// Adds which of sixteen boxes meet `around` to the list of `count` places; returns how many it then has.
    #[inline(always)]
    fn gather<S: Simd>(&mut self, simd: S, around: &[f32; 6], start: usize, count: usize) -> usize {
        let lanes = overlapping(simd, &self.bounds, start, around);
        let at = count.min(ROOM - LANES);
        self.met[at..at + LANES].copy_from_slice(&compress(simd, &iota(simd, start as u32), lanes));
        at + lanes.count_ones() as usize
    }

    /// Tests sixteen own boxes from `start` against each other, up to half a turn of the ring.
    #[inline(always)]
    fn turn<S: Simd>(&mut self, simd: S, start: usize, found: &mut Found) {
        let leaves = row(&self.leaves, start);
        let own = loaded(simd, &self.bounds, start);
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
                for axis in 0..3 {
                    let (low, high) = (2 * axis, 2 * axis + 1);
                    *met &= at_most(own[low], ring[high]) & at_most(ring[low], own[high]);
                }
            }
            if half == 1 {
                // Half a turn on, each pair meets twice.
                met[TESTS - 1] &= EVERY_LANE >> (LANES / 2);
            }
            self.pairs.add(simd, leaves, |i| others[i], (met, TESTS), found);
        }
    }

    /// Tests the boxes of the list against the sixteen from `start`.
    #[inline(always)]
    fn test<S: Simd>(&mut self, simd: S, start: usize, count: usize, found: &mut Found) {
        let leaves = row(&self.leaves, start);
        if has_masked_instructions(simd) {
            // One by one: the sixteen stay in registers, where the masks of several tests at once have no room.
            let own = loaded(simd, &self.bounds, start);
            let mut kept = self.pairs.kept();
            for &place in &self.met[..count.min(ROOM)] {
                let place = place as usize % ROOM;
                let met = meeting(simd, &own, &bounds(&self.bounds, place));
                let (firsts, seconds) = (compress(simd, leaves, met), [self.leaves[place]; LANES]);
                kept = self.pairs.put(kept, &firsts, &seconds, met.count_ones(), found);
            }
            return self.pairs.keep(kept);
        }
        for at in (0..count).step_by(TESTS) {
            let places: &[u32; TESTS] = self.met[at..].first_chunk().expect("room for a row more");
            let place = |i: usize| places[i] as usize % ROOM;
            let mut met = [0; TESTS];
            for (i, met) in met.iter_mut().enumerate() {
                *met = overlapping(simd, &self.bounds, start, &bounds(&self.bounds, place(i)));
            }
            self.pairs.add(simd, leaves, |i| [self.leaves[place(i)]; LANES], (met, count - at), found);
        }
    }
}

/// Sixteen numbers.
#[inline(always)]
fn row<T>(numbers: &[T], start: usize) -> &[T; LANES] {
    numbers[start..].first_chunk().expect("a whole row")
}

/// The bounds of the box at a place.
#[inline(always)]
fn bounds<const N: usize>(rows: &[[f32; N]; 6], place: usize) -> [f32; 6] {
    [rows[0][place], rows[1][place], rows[2][place], rows[3][place], rows[4][place], rows[5][place]]
}

/// The bounds of the sixteen boxes from `start` on.
#[inline(always)]
fn loaded<const N: usize, S: Simd>(simd: S, rows: &[[f32; N]; 6], start: usize) -> [f32x16<S>; 6] {
    let row = |side: usize| load(simd, row(&rows[side], start));
    [row(0), row(1), row(2), row(3), row(4), row(5)]
}

/// Which of sixteen boxes overlap another one.
#[inline(always)]
fn meeting<S: Simd>(simd: S, rows: &[f32x16<S>; 6], other: &[f32; 6]) -> u32 {
    let mut met = EVERY_LANE;
    // A loop, as closures this large would not be inlined.
    for axis in 0..3 {
        let (min, max) = (rows[2 * axis], rows[2 * axis + 1]);
        met &= at_most(min, splat(simd, other[2 * axis + 1])) & at_most(splat(simd, other[2 * axis]), max);
    }
    met
}

/// Which of the sixteen boxes from `start` on overlap another one.
#[inline(always)]
fn overlapping<const N: usize, S: Simd>(simd: S, rows: &[[f32; N]; 6], start: usize, other: &[f32; 6]) -> u32 {
    meeting(simd, &loaded(simd, rows, start), other)
}
