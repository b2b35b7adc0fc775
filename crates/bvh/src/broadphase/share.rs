//! Some of the watched pairs through a frame, in order.

use super::{
    body::Pair,
    candidates::{Frame, Watched},
    state::{MOVED, STALE},
};
use crate::{corners::Corners, lanes::vectorized, sort::sort_by_bits};

/// Fewer pairs are sorted by comparing.
const WORTH_DIGITS: usize = 512;

/// What becomes of the pairs whose smaller numbers lie in some range.
#[derive(Clone, Debug, Default)]
pub(super) struct Share {
    /// What was found of them, where others have shares as well.
    #[cfg(feature = "parallel")]
    pub(super) found: Vec<Watched>,
    scratch: Vec<Watched>,
    /// What is watched from now on.
    pub(super) next: Vec<Watched>,
    pub(super) begun: Vec<Pair>,
    pub(super) ended: Vec<Pair>,
}

impl Share {
    /// Goes over a frame with all that was watched so far, and all that was found.
    pub(super) fn update(&mut self, watched: &[Watched], found: &mut [Watched], frame: Frame) {
        self.sort(found, frame);
        vectorized!(frame.level, _simd => self.merge(watched, found, frame.states, frame.tight));
    }

    /// By the smaller number, then by the larger.
    fn sort(&mut self, found: &mut [Watched], frame: Frame) {
        if found.len() < WORTH_DIGITS {
            return found.sort_unstable();
        }
        let bits = usize::BITS - frame.states.len().leading_zeros();
        for from in [Watched::LARGER, Watched::SMALLER] {
            sort_by_bits(frame.level, found, &mut self.scratch, from, from + bits, |found| found.bits());
        }
    }

    #[inline(always)]
    fn merge(&mut self, watched: &[Watched], found: &[Watched], states: &[u8], tight: &[Corners]) {
        let Self { next, begun, ended, .. } = self;
        next.clear();
        begun.clear();
        ended.clear();
        // Room for a quarter more than ever, as numbers fluctuate: a steady frame does not allocate.
        let most = watched.len() + found.len();
        if next.capacity() < most {
            next.reserve(most + most / 4);
        }
        let overlap = |watched: Watched| {
            let (a, b) = watched.numbers();
            tight[a as usize].overlaps(&tight[b as usize])
        };
        let mut found = found.iter().copied().peekable();
        for &old in watched {
            // What was found before it is new.
            while let Some(new) = found.next_if(|new| new.key() < old.key()) {
                let together = overlap(new);
                if together {
                    begun.push(new.pair());
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
                if together { &mut *begun } else { &mut *ended }.push(old.pair());
            }
            if is_watched {
                next.push(old.with(together));
            }
        }
        for new in found {
            let together = overlap(new);
            if together {
                begun.push(new.pair());
            }
            next.push(new.with(together));
        }
    }
}
