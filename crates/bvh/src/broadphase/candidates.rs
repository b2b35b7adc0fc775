//! The pairs that are watched: those whose leaves overlap, in order, each with whether the bodies' own boxes do.
//!
//! A frame goes over them once, in order, together with what the search found: watched pairs of bodies that did not move stay as they are,
//! those of moved ones are tested again, those of bodies with a new leaf stay only if found again. What changes on the way is an event, so that
//! events come out sorted and nothing is ever looked up.

use super::{
    body::{Pair, Proxy},
    share::Share,
};
use crate::{corners::Corners, lanes::Level};

/// A watched pair: the smaller number above the larger, above whether they overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Watched(u64);

const TOGETHER: u64 = 1;

impl Watched {
    /// The lowest bits of the two numbers.
    pub(super) const LARGER: u32 = 1;
    pub(super) const SMALLER: u32 = 32;

    #[inline(always)]
    pub(super) fn bits(self) -> u64 {
        self.0
    }

    /// Two bodies that may overlap, in any order.
    #[inline(always)]
    pub(super) fn new(a: u32, b: u32) -> Self {
        Self(u64::from(a.min(b)) << 32 | u64::from(a.max(b)) << 1)
    }

    #[inline(always)]
    pub(super) fn numbers(self) -> (u32, u32) {
        ((self.0 >> 32) as u32, self.0 as u32 >> 1)
    }

    #[inline(always)]
    pub(super) fn pair(self) -> Pair {
        let (first, second) = self.numbers();
        Pair { first: Proxy::new(first), second: Proxy::new(second) }
    }

    #[inline(always)]
    pub(super) fn is_together(self) -> bool {
        self.0 & TOGETHER != 0
    }

    #[inline(always)]
    pub(super) fn with(self, together: bool) -> Self {
        Self(self.0 & !TOGETHER | u64::from(together))
    }

    /// The pair alone, for comparison.
    #[inline(always)]
    pub(super) fn key(self) -> u64 {
        self.0 >> 1
    }
}

/// All watched pairs, and what changed last.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    watched: Vec<Watched>,
    begun: Vec<Pair>,
    ended: Vec<Pair>,
    /// How many overlap.
    together: usize,
    /// The next frame's, while they are being made.
    shares: Vec<Share>,
}

/// What a frame did to the bodies.
#[derive(Clone, Copy)]
pub(super) struct Frame<'a> {
    pub(super) level: Level,
    pub(super) states: &'a [u8],
    pub(super) tight: &'a [Corners],
}

/// Pairs that a thread takes at least: some fifty microseconds of work.
#[cfg(feature = "parallel")]
const WORTH_A_THREAD: usize = 8192;

impl Candidates {
    /// The number of pairs.
    pub(super) fn together(&self) -> usize {
        self.together
    }

    /// The pairs, in order.
    pub(super) fn pairs(&self) -> impl Iterator<Item = Pair> + '_ {
        self.watched.iter().filter(|watched| watched.is_together()).map(|watched| watched.pair())
    }

    pub(super) fn begun(&self) -> &[Pair] {
        &self.begun
    }

    pub(super) fn ended(&self) -> &[Pair] {
        &self.ended
    }

    /// Forgets the last events.
    pub(super) fn clear_events(&mut self) {
        self.begun.clear();
        self.ended.clear();
    }

    /// Goes over a frame. `found` are all pairs with a member of a new leaf, each once, in any order.
    pub(super) fn update(&mut self, found: &mut [Watched], frame: Frame) {
        let count = self.share_count(found.len());
        self.shares.resize_with(self.shares.len().max(count), Share::default);
        if let ([share, ..], 1) = (&mut self.shares[..], count) {
            share.update(&self.watched, found, frame);
            std::mem::swap(&mut self.watched, &mut share.next);
            std::mem::swap(&mut self.begun, &mut share.begun);
            std::mem::swap(&mut self.ended, &mut share.ended);
        } else {
            self.update_shared(found, frame, count);
        }
        self.together = self.together + self.begun.len() - self.ended.len();
    }

    #[cfg(not(feature = "parallel"))]
    fn share_count(&self, _found: usize) -> usize {
        1
    }

    #[cfg(feature = "parallel")]
    fn share_count(&self, found: usize) -> usize {
        ((self.watched.len() + found) / WORTH_A_THREAD).clamp(1, rayon::current_num_threads())
    }

    #[cfg(not(feature = "parallel"))]
    fn update_shared(&mut self, _found: &[Watched], _frame: Frame, _count: usize) {}

    /// Divides the pairs by their smaller numbers, equally many watched ones to each thread.
    #[cfg(feature = "parallel")]
    fn update_shared(&mut self, found: &[Watched], frame: Frame, count: usize) {
        use rayon::prelude::*;
        let watched = &self.watched[..];
        let bodies = frame.states.len();
        // The first smaller number of a share.
        let start = |i: usize| match (i, watched.get(watched.len() * i / count)) {
            (0, _) => 0,
            (_, Some(watched)) if i < count => watched.numbers().0 as usize,
            _ => bodies * i / count,
        };
        self.shares[..count].par_iter_mut().enumerate().for_each(|(i, share)| {
            let numbers = start(i)..start(i + 1);
            let [first, end] = [numbers.start, numbers.end]
                .map(|number| watched.partition_point(|watched| (watched.numbers().0 as usize) < number));
            let mut own = std::mem::take(&mut share.found);
            own.clear();
            own.extend(found.iter().filter(|found| numbers.contains(&(found.numbers().0 as usize))));
            share.update(&watched[first..end], &mut own, frame);
            share.found = own;
        });
        self.watched.clear();
        self.clear_events();
        for share in &self.shares[..count] {
            self.watched.extend_from_slice(&share.next);
            self.begun.extend_from_slice(&share.begun);
            self.ended.extend_from_slice(&share.ended);
        }
    }
}
