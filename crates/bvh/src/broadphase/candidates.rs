//! Candidate pairs, two bodies whose leaves overlap with a flag for whether their own boxes do, and the two tests of
//! lists of candidates.
//!
//! ```text
//!   new candidates      layers allow a pair?  boxes overlap?     those that do are changes: pairs that may have begun
//!   known candidates    is neither dirty?     boxes overlap?     those whose answer is another one are changes
//! ```
//! Known candidates of a dirty body are dropped: the search finds those that still are candidates again.

use super::{
    body::{Pair, Proxy},
    body_table::BodyTable,
    proxies::Proxies,
};
use crate::{
    Leaf,
    lanes::{Level, Simd, vectorized},
    prefetch,
};

/// Two bodies that may overlap, packed into a number: from the highest bits down, the smaller proxy, the larger proxy,
/// and whether their boxes overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CandidatePair(u64);

const OVERLAPS: u64 = 1;

/// The positions of the lowest bits of the two proxies.
const LARGER: u32 = 1;
const SMALLER: u32 = 32;

impl CandidatePair {
    /// The lowest bit of the smaller proxy.
    pub(super) const SMALLER: u32 = SMALLER;

    /// Fills lists before their entries are written; never read.
    pub(super) const NONE: Self = Self(0);

    /// The bodies of two leaves, in any order.
    #[inline(always)]
    pub(super) fn new(a: Leaf, b: Leaf) -> Self {
        let (a, b) = (a.bits(), b.bits());
        Self(u64::from(a.min(b)) << SMALLER | u64::from(a.max(b)) << LARGER)
    }

    #[inline(always)]
    pub(super) fn proxies(self) -> (Proxy, Proxy) {
        let proxy = |bits: u32| Proxy::from(Leaf::from_bits(bits));
        (proxy((self.0 >> SMALLER) as u32), proxy(self.0 as u32 >> LARGER))
    }

    #[inline(always)]
    pub(super) fn pair(self) -> Pair {
        let (first, second) = self.proxies();
        Pair { first, second }
    }

    #[inline(always)]
    pub(super) fn bits(self) -> u64 {
        self.0
    }

    #[inline(always)]
    pub(super) fn overlaps(self) -> bool {
        self.0 & OVERLAPS != 0
    }

    #[inline(always)]
    pub(super) fn with(self, overlaps: bool) -> Self {
        Self(self.0 & !OVERLAPS | u64::from(overlaps))
    }

    /// The pair without its overlap flag, for comparison.
    #[inline(always)]
    pub(super) fn key(self) -> u64 {
        self.0 | OVERLAPS
    }
}

/// What the tests of known candidates need to know about a frame.
#[derive(Clone, Copy)]
pub(super) struct FrameContext<'a> {
    pub(super) level: Level,
    pub(super) proxies: &'a Proxies,
    /// Whether nearly all bodies moved, and far.
    pub(super) in_cycle: bool,
    /// Whether few moved, so that most candidates need no test.
    pub(super) few_moved: bool,
}

impl FrameContext<'_> {
    /// Tests known candidates, appends those that changed to `changes`, and moves those that stay to the front; returns
    /// how many these are.
    pub(super) fn retest(&self, pairs: &mut [CandidatePair], changes: &mut Vec<CandidatePair>) -> usize {
        if self.proxies.any_fixed() {
            self.retest_of(self.proxies.table::<true>(), pairs, changes)
        } else {
            self.retest_of(self.proxies.table::<false>(), pairs, changes)
        }
    }

    fn retest_of<const ANY_FIXED: bool>(
        &self,
        bodies: BodyTable<ANY_FIXED>,
        pairs: &mut [CandidatePair],
        changes: &mut Vec<CandidatePair>,
    ) -> usize {
        if self.in_cycle {
            vectorized!(self.level, simd => retest_all(simd, pairs, changes, bodies))
        } else {
            retest_touched(pairs, changes, bodies)
        }
    }
}

/// Candidates in an unspecified order, so that bodies close together are tested close together.
#[derive(Clone, Debug, Default)]
pub(super) struct CandidateList {
    pairs: Vec<CandidatePair>,
    /// Those that the last test found to have changed; of new candidates, those that overlap.
    changes: Vec<CandidatePair>,
    /// The number of candidates tested so far.
    tested: usize,
}

/// The number of candidates tested at a time: this many changes fit into the nearest cache.
const BATCH: usize = 256;

impl CandidateList {
    /// A list of pairs that are known to overlap.
    pub(super) fn of_pairs(pairs: &[CandidatePair]) -> Self {
        Self { pairs: pairs.to_vec(), tested: pairs.len(), ..Self::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    pub(super) fn changes(&self) -> &[CandidatePair] {
        &self.changes
    }

    /// The pairs, to be tested by threads. Clears the changes, of which the threads keep their own lists.
    pub(super) fn pairs_mut(&mut self) -> &mut Vec<CandidatePair> {
        self.changes.clear();
        &mut self.pairs
    }

    /// Moves the changes to `list`, whose old content is discarded.
    pub(super) fn take_changes(&mut self, list: &mut Vec<CandidatePair>) {
        list.clear();
        std::mem::swap(list, &mut self.changes);
    }

    pub(super) fn clear(&mut self) {
        self.pairs.clear();
        self.changes.clear();
        self.tested = 0;
    }

    /// Appends another list.
    pub(super) fn append(&mut self, other: &Self) {
        reserve(&mut self.pairs, other.pairs.len());
        self.pairs.extend_from_slice(&other.pairs);
        self.changes.extend_from_slice(&other.changes);
    }

    #[inline(always)]
    pub(super) fn push(&mut self, a: Leaf, b: Leaf) {
        self.pairs.push(CandidatePair::new(a, b));
    }

    #[inline(always)]
    pub(super) fn extend(&mut self, pairs: impl Iterator<Item = (Leaf, Leaf)>) {
        self.pairs.extend(pairs.map(|(a, b)| CandidatePair::new(a, b)));
    }

    /// Tests the candidates added since the last test, and drops those that the layers forbid. Many are tested
    /// together: one by one, each would wait for memory.
    ///
    /// A separate function, so that it is compiled once instead of for every search.
    pub(super) fn test_new<S: Simd>(&mut self, simd: S, proxies: &Proxies) {
        simd.vectorize(
            #[inline(always)]
            || {
                if proxies.any_fixed() {
                    self.test_new_of(simd, proxies.table::<true>());
                } else {
                    self.test_new_of(simd, proxies.table::<false>());
                }
            },
        );
    }

    /// The same, but only if enough were added for it to pay off.
    #[inline(always)]
    pub(super) fn test_new_batches<S: Simd>(&mut self, simd: S, proxies: &Proxies) {
        if self.pairs.len() > self.tested + BATCH {
            self.test_new(simd, proxies);
        }
    }

    #[inline(always)]
    fn test_new_of<S: Simd, const ANY_FIXED: bool>(&mut self, simd: S, bodies: BodyTable<ANY_FIXED>) {
        let mut overlapping = [CandidatePair::NONE; BATCH];
        let is_large = bodies.is_large();
        let mut kept = self.tested;
        let pairs = &mut *self.pairs;
        let (mut next, end) = (kept, pairs.len());
        if is_large {
            pairs[kept..].iter().take(prefetch::DISTANCE).for_each(|pair| prefetch_pair(bodies, *pair));
        }
        while next < end {
            let start = next;
            next = end.min(start + BATCH);
            let mut count = 0;
            for i in start..next {
                if is_large && let Some(later) = pairs.get(i + prefetch::DISTANCE) {
                    prefetch_pair(bodies, *later);
                }
                let (a, b) = pairs[i].proxies();
                let may_pair = bodies.may_pair(a, b);
                let overlaps = bodies.moving_aabb(a).overlaps_simd(simd, bodies.aabb(b));
                let pair = pairs[i].with(overlaps);
                // Always written, but kept only if they may pair: no branch to mispredict.
                pairs[kept] = pair;
                kept += usize::from(may_pair);
                overlapping[count % BATCH] = pair;
                count += usize::from(may_pair & overlaps);
            }
            self.changes.extend_from_slice(&overlapping[..count]);
        }
        self.pairs.truncate(kept);
        self.tested = kept;
    }

    /// Tests known candidates and replaces the changes by those found.
    pub(super) fn retest(&mut self, frame: FrameContext) {
        self.changes.clear();
        let kept = frame.retest(&mut self.pairs, &mut self.changes);
        self.pairs.truncate(kept);
        self.tested = kept;
    }
}

#[inline(always)]
fn prefetch_pair<const ANY_FIXED: bool>(bodies: BodyTable<ANY_FIXED>, pair: CandidatePair) {
    let (a, b) = pair.proxies();
    bodies.prefetch(a);
    bodies.prefetch(b);
}

/// Tests candidates with a touched body, and drops those with a dirty body.
fn retest_touched<const ANY_FIXED: bool>(
    pairs: &mut [CandidatePair],
    changes: &mut Vec<CandidatePair>,
    bodies: BodyTable<ANY_FIXED>,
) -> usize {
    let mut kept = 0;
    for i in 0..pairs.len() {
        let old = pairs[i];
        let (a, b) = old.proxies();
        let state = bodies.moving_state(a).or(bodies.state(b));
        if !state.is_touched() {
            pairs[kept] = old;
            kept += 1;
            continue;
        }
        let is_kept = !state.is_dirty();
        let new = old.with(is_kept && bodies.moving_aabb(a).overlaps(bodies.aabb(b)));
        if new != old {
            changes.push(new);
        }
        pairs[kept] = new;
        kept += usize::from(is_kept);
    }
    kept
}

/// The same for a frame in which nearly all bodies moved and much changed: without a branch that depends on the pairs.
#[inline(always)]
fn retest_all<S: Simd, const ANY_FIXED: bool>(
    simd: S,
    pairs: &mut [CandidatePair],
    changes: &mut Vec<CandidatePair>,
    bodies: BodyTable<ANY_FIXED>,
) -> usize {
    let mut changed = [CandidatePair::NONE; BATCH];
    let is_large = bodies.is_large();
    let (mut kept, mut next) = (0, 0);
    while next < pairs.len() {
        let end = pairs.len().min(next + BATCH);
        let mut count = 0;
        for i in next..end {
            if is_large && let Some(later) = pairs.get(i + prefetch::DISTANCE) {
                prefetch_pair(bodies, *later);
            }
            let old = pairs[i];
            let (a, b) = old.proxies();
            let is_kept = !bodies.moving_state(a).or(bodies.state(b)).is_dirty();
            let new = old.with(is_kept & bodies.moving_aabb(a).overlaps_simd(simd, bodies.aabb(b)));
            changed[count % BATCH] = new;
            count += usize::from(new != old);
            pairs[kept] = new;
            kept += usize::from(is_kept);
        }
        changes.extend_from_slice(&changed[..count]);
        next = end;
    }
    kept
}

/// Reserves room for `more` items plus a quarter of the total, as numbers fluctuate: frames in a steady state do not
/// allocate.
pub(super) fn reserve<T>(list: &mut Vec<T>, more: usize) {
    let most = list.len() + more;
    if list.capacity() < most {
        list.reserve(more + most / 4);
    }
}
