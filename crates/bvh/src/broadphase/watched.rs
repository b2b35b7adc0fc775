//! Watched pairs, and testing them: whether two bodies that may overlap do.

use super::{
    bodies::{Bodies, Mixed, Moving},
    body::{Pair, Proxy},
    found::Found,
    state::{MOVED, STALE},
};
use crate::{
    lanes::{Level, Simd, vectorized},
    prefetch,
};

/// A watched pair: the smaller number above the larger, above whether they overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Watched(u64);

const TOGETHER: u64 = 1;

impl Watched {
    /// The lowest bits of the two numbers.
    pub(super) const LARGER: u32 = 1;
    pub(super) const SMALLER: u32 = 32;

    /// To be written over.
    pub(super) const NONE: Self = Self(0);
    /// After all pairs.
    pub(super) const LAST: Self = Self(u64::MAX);

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
    pub(super) fn bits(self) -> u64 {
        self.0
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
        self.0 | TOGETHER
    }
}

/// What a frame did to the bodies.
#[derive(Clone, Copy)]
pub(super) struct Frame<'a> {
    pub(super) level: Level,
    pub(super) moving: Moving<'a>,
    /// All bodies, where some are fixed.
    pub(super) mixed: Option<Mixed<'a>>,
    /// Whether nearly all moved, and far.
    pub(super) in_rounds: bool,
    /// Whether few moved: most pairs are passed over.
    pub(super) few_moved: bool,
}

impl Frame<'_> {
    /// Tests pairs; returns how many stay, in front.
    pub(super) fn retest(&self, pairs: &mut [Watched], changes: &mut Vec<Watched>) -> usize {
        match self.mixed {
            None => self.retest_of(self.moving, pairs, changes),
            Some(mixed) => self.retest_of(mixed, pairs, changes),
        }
    }

    fn retest_of(&self, bodies: impl Bodies, pairs: &mut [Watched], changes: &mut Vec<Watched>) -> usize {
        vectorized!(self.level, simd => if self.in_rounds {
            retest_all(simd, pairs, changes, bodies)
        } else {
            retest(pairs, changes, bodies)
        })
    }
}

/// What a thread made of some pairs.
#[derive(Clone, Debug, Default)]
pub(super) struct BinaryNode {
    /// How many of them stay, in front.
    #[cfg(feature = "parallel")]
    kept: usize,
    pub(super) changes: Vec<Watched>,
}

impl BinaryNode {
    pub(super) fn clear(&mut self) {
        self.changes.clear();
    }
}

/// Tests what is watched, on one thread, or in pieces on each, which then have what changed; they must have nothing before.
pub(super) fn retest_on_all(found: &mut Found, pieces: &mut Vec<BinaryNode>, frame: Frame) {
    #[cfg(feature = "parallel")]
    if are_worth_a_thread(found.watched.len(), frame.few_moved) && rayon::current_num_threads() > 1 {
        use rayon::prelude::*;
        let watched = &mut found.watched;
        let count = watched.len().div_ceil(PIECE);
        pieces.resize_with(pieces.len().max(count), BinaryNode::default);
        watched.par_chunks_mut(PIECE).zip(&mut *pieces).for_each(|(pairs, piece)| {
            piece.kept = frame.retest(pairs, &mut piece.changes);
        });
        found.changes.clear();
        for (i, piece) in pieces[..count].iter().enumerate().rev() {
            // Few go. What is behind fills their places, as moving all up would wait for what other threads wrote.
            let end = watched.len().min((i + 1) * PIECE);
            for place in (i * PIECE + piece.kept..end).rev() {
                watched.swap_remove(place);
            }
        }
        return;
    }
    let _ = pieces;
    found.retest(frame);
}

/// Pairs that a thread takes at a time: some ten microseconds of work.
const PIECE: usize = 2048;

/// So many pairs are worth a second thread, or eight times as many of which most are passed over.
const WORTH_A_THREAD: usize = 8 * PIECE;

/// Whether testing so many pairs is worth waking another thread.
pub(super) fn are_worth_a_thread(pairs: usize, few_moved: bool) -> bool {
    pairs >= if few_moved { 8 * WORTH_A_THREAD } else { WORTH_A_THREAD }
}

/// Pairs that are tested at a time: as many changes have room in the nearest cache.
pub(super) const BATCH: usize = 256;

/// Tests what is watched where a body moved, and forgets what is to be found anew.
#[inline(always)]
fn retest(watched: &mut [Watched], changes: &mut Vec<Watched>, bodies: impl Bodies) -> usize {
    let mut kept = 0;
    for i in 0..watched.len() {
        let old = watched[i];
        let (a, b) = old.numbers();
        let state = bodies.state(a) | bodies.state(b);
        if state & (MOVED | STALE) == 0 {
            watched[kept] = old;
            kept += 1;
            continue;
        }
        let is_watched = state & STALE == 0;
        let new = old.with(is_watched && bodies.tight(a).overlaps(bodies.tight(b)));
        if new != old {
            changes.push(new);
        }
        watched[kept] = new;
        kept += usize::from(is_watched);
    }
    kept
}

/// The same where nearly all moved and much changed: without a branch that depends on the pairs.
#[inline(always)]
fn retest_all<S: Simd>(simd: S, watched: &mut [Watched], changes: &mut Vec<Watched>, bodies: impl Bodies) -> usize {
    let mut changed = [Watched::NONE; BATCH];
    let is_large = bodies.are_many();
    let (mut kept, mut next) = (0, 0);
    while next < watched.len() {
        let end = watched.len().min(next + BATCH);
        let mut count = 0;
        for i in next..end {
            if is_large && let Some(later) = watched.get(i + prefetch::DISTANCE) {
                let (a, b) = later.numbers();
                bodies.bring(a);
                bodies.bring(b);
            }
            let old = watched[i];
            let (a, b) = old.numbers();
            let is_watched = (bodies.state(a) | bodies.state(b)) & STALE == 0;
            let new = old.with(is_watched & bodies.tight(a).overlaps_simd(simd, bodies.tight(b)));
            changed[count % BATCH] = new;
            count += usize::from(new != old);
            watched[kept] = new;
            kept += usize::from(is_watched);
        }
        changes.extend_from_slice(&changed[..count]);
        next = end;
    }
    kept
}
