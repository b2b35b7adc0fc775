//! Pairs of leaves as tests find them, some tests at a time.

use super::found::Found;
use crate::{
    lanes::{LANES, Simd, compress, has_masked_instructions},
    node::LEAF,
};

/// Tests of sixteen leaves each that are looked at together: their lanes are the bits of one word.
pub(super) const TESTS: usize = u64::BITS as usize / LANES;

/// Pairs that are kept at most, so that they stay in the nearest cache.
const ROOM: usize = 512;

/// Pairs that were found and not told of, as the two leaves of each.
#[repr(C, align(64))]
pub(super) struct Pairs {
    firsts: [u32; ROOM + LANES],
    seconds: [u32; ROOM + LANES],
    len: usize,
}

impl Pairs {
    pub(super) fn new() -> Self {
        Self { firsts: [0; ROOM + LANES], seconds: [0; ROOM + LANES], len: 0 }
    }

    /// Adds what the first `count` of some tests met, to what is kept or to `found`: test `i` of sixteen `leaves`, each against that which
    /// `others(i)` has in its lane, in the lanes of `met[i]`.
    #[inline(always)]
    pub(super) fn add<S: Simd>(
        &mut self,
        simd: S,
        leaves: &[u32; LANES],
        others: impl Fn(usize) -> [u32; LANES],
        (met, count): ([u32; TESTS], usize),
        found: &mut Found,
    ) {
        if has_masked_instructions(simd) {
            let mut kept = self.len;
            for (i, met) in met.into_iter().enumerate().take(count) {
                let (firsts, seconds) = (compress(simd, leaves, met), compress(simd, &others(i), met));
                kept = self.put(kept, &firsts, &seconds, met.count_ones(), found);
            }
            return self.keep(kept);
        }
        // Where the loop over pairs ends is unforeseen: once for all tests, instead of for each.
        let mut word = met.iter().rev().fold(0, |word, met| word << LANES | u64::from(*met));
        if count < TESTS {
            word &= (1 << (count * LANES)) - 1;
        }
        while word != 0 {
            let bit = word.trailing_zeros() as usize;
            word &= word - 1;
            found.push(leaves[bit % LANES] & !LEAF, others(bit / LANES)[bit % LANES] & !LEAF);
        }
    }

    /// How many pairs are kept.
    #[inline(always)]
    pub(super) fn kept(&self) -> usize {
        self.len
    }

    /// Puts the first `count` of sixteen pairs after so many that are kept; returns how many there are then, for the next sixteen or
    /// [`Pairs::keep`]. All sixteen are written: nothing is unforeseen.
    #[inline(always)]
    pub(super) fn put(
        &mut self,
        kept: usize,
        firsts: &[u32; LANES],
        seconds: &[u32; LANES],
        count: u32,
        found: &mut Found,
    ) -> usize {
        let at = kept % ROOM;
        self.firsts[at..at + LANES].copy_from_slice(firsts);
        self.seconds[at..at + LANES].copy_from_slice(seconds);
        let kept = at + count as usize;
        if kept < ROOM {
            return kept;
        }
        self.len = kept;
        self.tell(found);
        0
    }

    /// Keeps so many pairs.
    #[inline(always)]
    pub(super) fn keep(&mut self, count: usize) {
        self.len = count;
    }

    /// Adds all that is kept to `found`.
    #[inline(always)]
    pub(super) fn tell(&mut self, found: &mut Found) {
        let leaf = |child: &u32| child & !LEAF;
        let pairs = self.firsts[..self.len].iter().zip(&self.seconds).map(|(a, b)| (leaf(a), leaf(b)));
        found.extend(pairs);
        self.len = 0;
    }
}
