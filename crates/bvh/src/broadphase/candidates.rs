//! The pairs that are watched: those whose leaves overlap, each with whether the bodies' own boxes do; and of these, the pairs, in order.
//!
//! ```text
//!   watched    in the order in which they were found, so that bodies close together are tested close together
//!      |          of bodies that moved: tested again          of bodies with a new leaf: forgotten, and found anew or not
//!   changes    what the tests said otherwise than before, sorted; what was forgotten and found again is none
//!   pairs      with the changes
//! ```
//! Far fewer pairs change in a frame than are watched, and only those are ever sorted.

use super::{
    body::{Pair, Proxy},
    state::{MOVED, STALE},
};
use crate::{
    corners::Corners,
    lanes::{Level, vectorized},
    sort::sort_by_bits,
};

/// A watched pair: the smaller number above the larger, above whether they overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Watched(u64);

const TOGETHER: u64 = 1;

impl Watched {
    /// The lowest bits of the two numbers.
    const LARGER: u32 = 1;
    const SMALLER: u32 = 32;

    /// Two bodies that may overlap, in any order.
    #[inline(always)]
    pub(super) fn new(a: u32, b: u32) -> Self {
        Self(u64::from(a.min(b)) << Self::SMALLER | u64::from(a.max(b)) << Self::LARGER)
    }

    #[inline(always)]
    pub(super) fn numbers(self) -> (u32, u32) {
        ((self.0 >> Self::SMALLER) as u32, self.0 as u32 >> Self::LARGER)
    }

    #[inline(always)]
    pub(super) fn pair(self) -> Pair {
        let (first, second) = self.numbers();
        Pair { first: Proxy::new(first), second: Proxy::new(second) }
    }

    #[inline(always)]
    fn is_together(self) -> bool {
        self.0 & TOGETHER != 0
    }

    #[inline(always)]
    fn with(self, together: bool) -> Self {
        Self(self.0 & !TOGETHER | u64::from(together))
    }

    /// The pair alone, for comparison.
    #[inline(always)]
    fn key(self) -> u64 {
        self.0 | TOGETHER
    }
}

/// All watched pairs, and what changed last.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    watched: Vec<Watched>,
    /// Those that overlap, in order.
    pairs: Vec<Watched>,
    begun: Vec<Pair>,
    ended: Vec<Pair>,
    /// Pairs that a test found changed, and for sorting them.
    changes: Vec<Watched>,
    scratch: Vec<Watched>,
    /// The next frame's pairs, while they are being made.
    next: Vec<Watched>,
}

/// What a frame did to the bodies.
#[derive(Clone, Copy)]
pub(super) struct Frame<'a> {
    pub(super) level: Level,
    pub(super) states: &'a [u8],
    pub(super) tight: &'a [Corners],
}

/// Fewer pairs are sorted by comparing.
const WORTH_DIGITS: usize = 512;

impl Candidates {
    /// The number of pairs.
    pub(super) fn together(&self) -> usize {
        self.pairs.len()
    }

    /// The pairs, in order.
    pub(super) fn pairs(&self) -> impl Iterator<Item = Pair> + '_ {
        self.pairs.iter().map(|watched| watched.pair())
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

    /// Goes over a frame. `found` are all pairs with a member of a new leaf, each once, in any order; with `all_new` those are all there are.
    pub(super) fn update(&mut self, found: &mut Vec<Watched>, all_new: bool, frame: Frame) {
        self.clear_events();
        self.changes.clear();
        if all_new {
            std::mem::swap(&mut self.watched, found);
            vectorized!(frame.level, _simd => test(&mut self.watched, &mut self.changes, frame));
        } else {
            vectorized!(frame.level, _simd => retest(&mut self.watched, &mut self.changes, frame));
            vectorized!(frame.level, _simd => test(found, &mut self.changes, frame));
            reserve(&mut self.watched, found.len());
            self.watched.extend_from_slice(found);
        }
        sort(&mut self.changes, &mut self.scratch, frame);
        if all_new { self.replace_all() } else { self.apply() }
        std::mem::swap(&mut self.pairs, &mut self.next);
    }

    /// The pairs are those among the changes; what else there was has ended.
    fn replace_all(&mut self) {
        let Self { pairs, begun, ended, changes, next, .. } = self;
        let mut old = pairs.iter().peekable();
        for &new in changes.iter() {
            while let Some(gone) = old.next_if(|old| old.key() < new.key()) {
                ended.push(gone.pair());
            }
            if old.next_if(|old| old.key() == new.key()).is_none() {
                begun.push(new.pair());
            }
        }
        ended.extend(old.map(|gone| gone.pair()));
        std::mem::swap(next, changes);
    }

    /// The pairs are those of before with the changes.
    fn apply(&mut self) {
        let Self { pairs, begun, ended, changes, next, .. } = self;
        next.clear();
        reserve(next, pairs.len() + changes.len());
        let mut old = pairs.iter().copied().peekable();
        let mut changes = changes.iter().copied().peekable();
        while let Some(change) = changes.next() {
            if changes.next_if(|other| other.key() == change.key()).is_some() {
                // Forgotten, and found again.
                continue;
            }
            while let Some(stays) = old.next_if(|old| old.key() < change.key()) {
                next.push(stays);
            }
            if change.is_together() {
                begun.push(change.pair());
                next.push(change);
            } else {
                ended.push(change.pair());
                old.next();
            }
        }
        next.extend(old);
    }
}

/// Room for so many more, and a quarter, as numbers fluctuate: a steady frame does not allocate.
fn reserve<T>(list: &mut Vec<T>, more: usize) {
    let most = list.len() + more;
    if list.capacity() < most {
        list.reserve(more + most / 4);
    }
}

/// By the smaller number, then by the larger.
fn sort(changes: &mut [Watched], scratch: &mut Vec<Watched>, frame: Frame) {
    if changes.len() < WORTH_DIGITS {
        return changes.sort_unstable();
    }
    let bits = usize::BITS - frame.states.len().leading_zeros();
    for from in [Watched::LARGER, Watched::SMALLER] {
        sort_by_bits(frame.level, changes, scratch, from, from + bits, |change| change.0);
    }
}

/// Tests what was found.
#[inline(always)]
fn test(found: &mut [Watched], changes: &mut Vec<Watched>, frame: Frame) {
    for pair in found {
        if overlap(*pair, frame) {
            *pair = pair.with(true);
            changes.push(*pair);
        }
    }
}

/// Tests what is watched where a body moved, and forgets what is to be found anew.
#[inline(always)]
fn retest(watched: &mut Vec<Watched>, changes: &mut Vec<Watched>, frame: Frame) {
    let mut kept = 0;
    for i in 0..watched.len() {
        let old = watched[i];
        let (a, b) = old.numbers();
        let state = frame.states[a as usize] | frame.states[b as usize];
        if state & (MOVED | STALE) == 0 {
            watched[kept] = old;
            kept += 1;
            continue;
        }
        let is_watched = state & STALE == 0;
        let new = old.with(is_watched && overlap(old, frame));
        if new != old {
            changes.push(new);
        }
        // Written always, kept if it is watched: no branch to mispredict.
        watched[kept] = new;
        kept += usize::from(is_watched);
    }
    watched.truncate(kept);
}

#[inline(always)]
fn overlap(watched: Watched, frame: Frame) -> bool {
    let (a, b) = watched.numbers();
    frame.tight[a as usize].overlaps(&frame.tight[b as usize])
}
