//! The pairs that are watched: those whose leaves overlap, in order, each with whether the bodies' own boxes do.
//!
//! A frame goes over them once, in order, together with what the search found: watched pairs of bodies that did not move stay as they are,
//! those of moved ones are tested again, those of bodies with a new leaf stay only if found again. What changes on the way is an event, so that
//! events come out sorted and nothing is ever looked up.

use super::{
    body::{Pair, Proxy},
    state::{MOVED, STALE},
};
use crate::corners::Corners;

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
        self.0 >> 1
    }
}

/// All watched pairs, and what changed last.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    watched: Vec<Watched>,
    /// The next frame's, while they are being made.
    next: Vec<Watched>,
    begun: Vec<Pair>,
    ended: Vec<Pair>,
    /// How many overlap.
    together: usize,
}

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

    /// Goes over a frame. `found` are all pairs with a member of a new leaf, sorted, each once.
    #[inline(always)]
    pub(super) fn update(&mut self, found: &[Watched], states: &[u8], tight: &[Corners]) {
        self.clear_events();
        let mut next = std::mem::take(&mut self.next);
        next.clear();
        // Room for a quarter more than ever, as numbers fluctuate: a steady frame does not allocate.
        let most = self.watched.len() + found.len();
        if next.capacity() < most {
            next.reserve(most + most / 4);
        }
        let overlap = |watched: Watched| {
            let (a, b) = watched.numbers();
            tight[a as usize].overlaps(&tight[b as usize])
        };
        let mut found = found.iter().copied().peekable();
        for &old in &self.watched {
            // What was found before it is new.
            while let Some(new) = found.next_if(|new| new.key() < old.key()) {
                let together = overlap(new);
                if together {
                    self.begun.push(new.pair());
                }
                next.push(new.with(together));
            }
            let (a, b) = old.numbers();
            let state = states[a as usize] | states[b as usize];
            if state & (MOVED | STALE) == 0 {
                next.push(old);
                continue;
            }
            let is_watched = state & STALE == 0 || found.next_if(|new| new.key() == old.key()).is_some();
            let together = is_watched && overlap(old);
            if together != old.is_together() {
                if together { &mut self.begun } else { &mut self.ended }.push(old.pair());
            }
            if is_watched {
                next.push(old.with(together));
            }
        }
        for new in found {
            let together = overlap(new);
            if together {
                self.begun.push(new.pair());
            }
            next.push(new.with(together));
        }
        self.together = self.together + self.begun.len() - self.ended.len();
        self.next = std::mem::replace(&mut self.watched, next);
    }
}
