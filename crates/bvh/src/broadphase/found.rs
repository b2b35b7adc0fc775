//! What a search finds: pairs of leaves that overlap, and those of them whose bodies do. Later, what is watched and what changed of it.

use super::{
    Broadphase,
    bodies::Bodies,
    watched::{BATCH, Frame, Watched},
};
use crate::{lanes::Simd, prefetch};

/// Pairs of leaves, in no order that means anything.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// All that are to be watched.
    pub(super) watched: Vec<Watched>,
    /// Those of them that a test found changed: as they are found, those that overlap.
    pub(super) changes: Vec<Watched>,
    /// How many have been looked at.
    settled: usize,
}

impl Found {
    pub(super) fn clear(&mut self) {
        self.watched.clear();
        self.changes.clear();
        self.settled = 0;
    }

    #[inline(always)]
    pub(super) fn push(&mut self, a: u32, b: u32) {
        self.watched.push(Watched::new(a, b));
    }

    #[inline(always)]
    pub(super) fn extend(&mut self, pairs: impl Iterator<Item = (u32, u32)>) {
        self.watched.extend(pairs.map(|(a, b)| Watched::new(a, b)));
    }

    /// Looks at what was found since the last time: drops what the layers forbid, and tests the rest. Many together: one after the other,
    /// each would wait for memory.
    #[inline(always)]
    pub(super) fn settle<S: Simd>(&mut self, simd: S, broadphase: &Broadphase) {
        let (moving, limits) = (broadphase.movers(), broadphase.layers.limits());
        if !broadphase.still.is_empty() {
            self.test(simd, broadphase.mixed());
        } else if limits.is_none() {
            self.test(simd, moving.without_limits());
        } else {
            self.test(simd, moving);
        }
    }

    /// Tests what was found since the last time, and drops what may not be a pair.
    #[inline(always)]
    fn test<S: Simd>(&mut self, simd: S, bodies: impl Bodies) {
        let mut together = [Watched::NONE; BATCH];
        let is_large = bodies.are_many();
        let mut kept = self.settled;
        let watched = &mut *self.watched;
        let (mut next, end) = (kept, watched.len());
        let near = |pair: &Watched| {
            let (a, b) = pair.numbers();
            bodies.bring(a);
            bodies.bring(b);
        };
        if is_large {
            watched[kept..].iter().take(prefetch::DISTANCE).for_each(near);
        }
        while next < end {
            let start = next;
            next = end.min(start + BATCH);
            let mut count = 0;
            for i in start..next {
                if is_large && let Some(later) = watched.get(i + prefetch::DISTANCE) {
                    near(later);
                }
                let pair = watched[i];
                let (a, b) = pair.numbers();
                let may = bodies.may_pair(a, b);
                let overlap = bodies.tight(a).overlaps_simd(simd, bodies.tight(b));
                let pair = pair.with(overlap);
                // Written always, kept if they pair: no branch to mispredict.
                watched[kept] = pair;
                kept += usize::from(may);
                together[count % BATCH] = pair;
                count += usize::from(may & overlap);
            }
            self.changes.extend_from_slice(&together[..count]);
        }
        self.watched.truncate(kept);
        self.settled = kept;
    }

    /// The same once enough was found for it to be worth it.
    #[inline(always)]
    pub(super) fn settle_many<S: Simd>(&mut self, simd: S, broadphase: &Broadphase) {
        if self.watched.len() > self.settled + BATCH {
            self.settle(simd, broadphase);
        }
    }

    /// Tests again what is watched; the changes are then what this found.
    pub(super) fn retest(&mut self, frame: Frame) {
        self.changes.clear();
        let kept = frame.retest(&mut self.watched, &mut self.changes);
        self.watched.truncate(kept);
    }
}
