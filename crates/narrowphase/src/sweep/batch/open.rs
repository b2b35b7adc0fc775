//! The pairs of a batch that `f32` leaves open.

use super::{PlaneTouch, lanes::Lanes};

/// As many pairs are collected before they are settled: enough for a short list to stay in the nearest cache.
const OPEN: usize = 256;

/// Pairs that may be hit.
#[derive(Debug)]
pub(super) struct Open {
    /// Where the answers of this batch start.
    first: usize,
    /// The last four are there for a whole group to be noted before the list is full.
    pairs: [usize; OPEN + 4],
    count: usize,
}

impl Open {
    pub(super) fn new(first: usize) -> Self {
        Self { first, pairs: [0; OPEN + 4], count: 0 }
    }

    pub(super) fn is_full(&self) -> bool {
        self.count >= OPEN
    }

    /// Adds those of four pairs whose bit is set, without asking for each.
    #[inline(always)]
    pub(super) fn note(&mut self, first: usize, lanes: u32) {
        for i in 0..4 {
            self.pairs[self.count.min(OPEN + 3)] = first + i;
            self.count += (lanes >> i & 1) as usize;
        }
    }

    /// Writes the answers of all that was noted, four by four with `lanes` or, where that does not tell, with `alone`.
    #[inline(always)]
    pub(super) fn settle(
        &mut self,
        answers: &mut [PlaneTouch],
        lanes: impl Fn([usize; 4]) -> Lanes,
        alone: impl Fn(usize) -> PlaneTouch,
    ) {
        for four in self.pairs[..self.count].chunks(4) {
            // A group that is not whole repeats its last.
            let at = std::array::from_fn(|i| four[i.min(four.len() - 1)]);
            let hits = lanes(at).hits();
            for (i, hit) in at.into_iter().zip(hits) {
                answers[self.first + i] = hit.unwrap_or_else(|| alone(i));
            }
        }
        self.count = 0;
    }
}
