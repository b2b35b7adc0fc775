//! The pairs, in ascending order, and how the last update changed them. Pairs are updated from the list of all
//! candidates.
//!
//! ```text
//!   candidates   those of touched bodies: tested again          those of dirty bodies: dropped, and found again or not
//!   changes      candidates whose answer has changed, sorted; one dropped and found again unchanged is no change
//!   pairs        merged with the changes
//! ```
//! Far fewer pairs change in a frame than there are candidates, and only changes are ever sorted. Threads work on
//! ranges of pairs.

use super::{
    body::Pair,
    candidates::{CandidateList, CandidatePair, FrameContext, reserve},
};
use crate::{
    Team,
    prefetch::prefetch_all,
    radix_sort::sort_by_bits,
    threads::{self, at_once},
};
use std::ops::Range;

/// The maximum number of threads that update pairs.
const RANGES: usize = 4;

/// Fewer pairs and changes than this are not worth a thread.
const WORTH_SHARING: usize = 8192;

/// The number of candidates that a thread takes at a time: some ten microseconds of work.
const CHUNK: usize = 2048;

/// The same for a thread of a team, which is awake.
const SHARE: usize = 512;

/// The number of candidates from which on a second thread pays off; eight times as many if most need no test.
const WORTH_A_THREAD: usize = 8 * CHUNK;

/// Fewer changes than this are sorted by comparison.
const WORTH_RADIX: usize = 512;

/// With fewer than one change in this many pairs, pairs are copied run by run.
const OFTEN: usize = 4;

/// The pairs and all candidates; see the module.
#[derive(Clone, Debug, Default)]
pub(super) struct PairCache {
    /// Candidates: each part has what a thread of one search found, as concatenating the parts would take long; all
    /// others are in `rest`.
    parts: Vec<CandidateList>,
    rest: CandidateList,
    /// The candidates that overlap, in ascending order.
    pairs: Vec<CandidatePair>,
    begun: Vec<Pair>,
    ended: Vec<Pair>,
    /// The chunks of `rest` that threads tested, and the ranges of pairs that they update.
    chunks: Vec<Chunk>,
    ranges: [PairRange; RANGES],
}

/// The result of a thread's test of some candidates.
#[derive(Clone, Debug, Default)]
struct Chunk {
    /// The number of candidates that stay, moved to the front.
    kept: usize,
    changes: Vec<CandidatePair>,
}

impl PairCache {
    /// A cache with these pairs, which must be in ascending order, and which are the candidates until the next update.
    pub(super) fn restored(pairs: &[Pair]) -> Self {
        let overlapping = |pair: &Pair| CandidatePair::new(pair.first.leaf(), pair.second.leaf()).with(true);
        let pairs: Vec<CandidatePair> = pairs.iter().map(overlapping).collect();
        Self { rest: CandidateList::of_pairs(&pairs), pairs, ..Self::default() }
    }

    /// The number of pairs.
    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// The pairs, in order.
    pub(super) fn pairs(&self) -> impl Iterator<Item = Pair> + '_ {
        self.pairs.iter().map(|pair| pair.pair())
    }

    pub(super) fn begun(&self) -> &[Pair] {
        &self.begun
    }

    pub(super) fn ended(&self) -> &[Pair] {
        &self.ended
    }

    pub(super) fn clear_events(&mut self) {
        self.begun.clear();
        self.ended.clear();
    }

    /// Whether testing the candidates is worth waking another thread.
    pub(super) fn is_worth_a_thread(&self, few_moved: bool) -> bool {
        is_worth_a_thread(self.rest.len() + self.in_parts(), few_moved)
    }

    fn in_parts(&self) -> usize {
        self.parts.iter().map(CandidateList::len).sum()
    }

    /// Tests the candidates of touched bodies, and drops those of dirty ones.
    pub(super) fn retest(&mut self, frame: FrameContext, team: Option<&Team>) {
        if let Some(team) = team {
            self.clear_chunks();
            team.each(&mut self.parts, |part| part.retest(frame));
            return retest_by(team, &mut self.rest, &mut self.chunks, frame);
        }
        let for_many = is_worth_a_thread(self.in_parts(), frame.few_moved);
        self.clear_chunks();
        let Self { parts, rest, chunks, .. } = self;
        let in_parts = || {
            if for_many {
                threads::each(parts, |_, part| part.retest(frame));
            } else {
                parts.iter_mut().for_each(|part| part.retest(frame));
            }
        };
        at_once(for_many, in_parts, || retest_in_chunks(rest, chunks, frame));
    }

    fn clear_chunks(&mut self) {
        self.chunks.iter_mut().for_each(|chunk| chunk.changes.clear());
    }

    /// Updates the pairs after [`PairCache::retest`], given all candidates of dirty bodies, each once.
    pub(super) fn update(
        &mut self,
        found: &CandidateList,
        parts: &[CandidateList],
        frame: FrameContext,
        team: Option<&Team>,
    ) {
        self.rest.append(found);
        parts.iter().for_each(|part| self.rest.append(part));
        self.update_ranges(frame, PairRange::merge, team);
    }

    /// Replaces [`PairCache::retest`] and [`PairCache::update`] if these are all candidates there are; leaves the old
    /// ones in their place.
    pub(super) fn replace(
        &mut self,
        found: &mut CandidateList,
        parts: &mut Vec<CandidateList>,
        frame: FrameContext,
        team: Option<&Team>,
    ) {
        std::mem::swap(&mut self.rest, found);
        std::mem::swap(&mut self.parts, parts);
        self.clear_chunks();
        self.update_ranges(frame, PairRange::replace, team);
    }

    /// Updates the pairs by calling `work` on ranges of them, each with the changes within it.
    fn update_ranges(
        &mut self,
        frame: FrameContext,
        work: fn(&mut PairRange, &[CandidatePair], FrameContext),
        team: Option<&Team>,
    ) {
        let for_many = self.is_worth_a_thread(frame.few_moved);
        let Self { pairs, begun, ended, parts, rest, chunks, ranges } = self;
        let changes = || parts.iter().map(CandidateList::changes).chain(chunks.iter().map(|chunk| &chunk.changes[..]));
        let total = rest.changes().len() + changes().map(<[_]>::len).sum::<usize>();
        let is_shared = for_many && total + pairs.len() >= WORTH_SHARING;
        let threads = team.map_or_else(threads::count, Team::threads);
        let count = if is_shared { threads.min(RANGES) } else { 1 };
        if count == 1 {
            let range = &mut ranges[0];
            rest.take_changes(&mut range.changes);
            changes().for_each(|changes| range.changes.extend_from_slice(changes));
        }
        // Ranges have equally many pairs; the keys of their first pairs divide the changes.
        let start = |range: usize| range * pairs.len() / count;
        let key = |range: usize| match range {
            0 => 0,
            _ if range == count => u64::MAX,
            _ => pairs.get(start(range)).map_or(u64::MAX, |pair| pair.key()),
        };
        let update = |i: usize, range: &mut PairRange| {
            if count > 1 {
                range.select(std::iter::once(rest.changes()).chain(changes()), total, key(i)..key(i + 1));
            }
            work(range, &pairs[start(i)..start(i + 1)], frame);
        };
        match team {
            Some(team) => team.each(ranges[..count].iter_mut().enumerate(), |(i, range)| update(i, range)),
            None => threads::each(&mut ranges[..count], update),
        }
        let (first, others) = ranges[..count].split_first_mut().expect("one at least");
        std::mem::swap(pairs, &mut first.pairs);
        std::mem::swap(begun, &mut first.begun);
        std::mem::swap(ended, &mut first.ended);
        for range in others {
            append(pairs, &range.pairs);
            append(begun, &range.begun);
            append(ended, &range.ended);
        }
    }
}

/// Whether testing this many candidates is worth waking another thread.
fn is_worth_a_thread(candidates: usize, few_moved: bool) -> bool {
    candidates >= if few_moved { 8 * WORTH_A_THREAD } else { WORTH_A_THREAD }
}

/// Tests known candidates on one thread, or in chunks on several; the changes are then in `chunks`, which must have
/// none before.
fn retest_in_chunks(list: &mut CandidateList, chunks: &mut Vec<Chunk>, frame: FrameContext) {
    #[cfg(feature = "parallel")]
    if is_worth_a_thread(list.len(), frame.few_moved) && threads::count() > 1 {
        let pairs = list.pairs_mut();
        let count = pairs.len().div_ceil(CHUNK);
        chunks.resize_with(chunks.len().max(count), Chunk::default);
        let mut parts: Vec<_> = pairs.chunks_mut(CHUNK).zip(&mut *chunks).collect();
        threads::each(&mut parts, |_, (pairs, chunk)| chunk.kept = frame.retest(pairs, &mut chunk.changes));
        return drop_gone(pairs, &chunks[..count], CHUNK);
    }
    let _ = chunks;
    list.retest(frame);
}

/// The same on the threads of a team.
fn retest_by(team: &Team, list: &mut CandidateList, chunks: &mut Vec<Chunk>, frame: FrameContext) {
    if list.len() <= SHARE {
        return list.retest(frame);
    }
    let pairs = list.pairs_mut();
    let count = pairs.len().div_ceil(SHARE);
    chunks.resize_with(chunks.len().max(count), Chunk::default);
    team.each(pairs.chunks_mut(SHARE).zip(&mut *chunks), |(pairs, chunk)| {
        chunk.kept = frame.retest(pairs, &mut chunk.changes);
    });
    drop_gone(pairs, &chunks[..count], SHARE);
}

/// Drops the pairs that do not stay from each chunk of `size` pairs. Few are dropped. Pairs from the end fill their
/// places, as shifting all of them would wait for memory that other threads have written.
fn drop_gone(pairs: &mut Vec<CandidatePair>, chunks: &[Chunk], size: usize) {
    for (i, chunk) in chunks.iter().enumerate().rev() {
        let end = pairs.len().min((i + 1) * size);
        for place in (i * size + chunk.kept..end).rev() {
            pairs.swap_remove(place);
        }
    }
}

/// A range of the pairs by key, which one thread updates.
#[derive(Clone, Debug, Default)]
struct PairRange {
    changes: Vec<CandidatePair>,
    scratch: Vec<CandidatePair>,
    /// The frame's pairs and events.
    pairs: Vec<CandidatePair>,
    begun: Vec<Pair>,
    ended: Vec<Pair>,
}

impl PairRange {
    /// Selects those of the changes, `total` in all, whose keys are in a range.
    fn select<'a>(&mut self, changes: impl Iterator<Item = &'a [CandidatePair]>, total: usize, keys: Range<u64>) {
        make_room(&mut self.changes, total, CandidatePair::NONE);
        let mut count = 0;
        let mut lists = changes.peekable();
        while let Some(list) = lists.next() {
            // The lists are short, and half of them were written by other threads.
            if let Some(next) = lists.peek() {
                prefetch_all(*next);
            }
            for &change in list {
                self.changes[count] = change;
                count += usize::from(keys.contains(&change.key()));
            }
        }
        self.changes.truncate(count);
    }

    /// Makes the changes the new pairs; old pairs that are not among them have ended.
    fn replace(&mut self, old: &[CandidatePair], frame: FrameContext) {
        self.sort_changes(frame);
        let Self { pairs, begun, ended, changes, .. } = self;
        make_room(begun, changes.len(), CandidatePair::NONE.pair());
        make_room(ended, old.len(), CandidatePair::NONE.pair());
        let (mut came, mut went) = (0, 0);
        let (i, j) = merge(old, changes, |old, new| {
            (ended[went], begun[came]) = (old.pair(), new.pair());
            went += usize::from(old.key() < new.key());
            came += usize::from(new.key() < old.key());
        });
        ended.truncate(went);
        begun.truncate(came);
        ended.extend(old[i..].iter().map(|pair| pair.pair()));
        begun.extend(changes[j..].iter().map(|pair| pair.pair()));
        std::mem::swap(pairs, changes);
    }

    /// Merges the changes into the old pairs.
    fn merge(&mut self, old: &[CandidatePair], frame: FrameContext) {
        self.sort_changes(frame);
        let Self { pairs, begun, ended, changes, .. } = self;
        cancel(changes);
        make_room(begun, changes.len(), CandidatePair::NONE.pair());
        make_room(ended, changes.len(), CandidatePair::NONE.pair());
        let (mut came, mut went) = (0, 0);
        for change in changes.iter() {
            (begun[came], ended[went]) = (change.pair(), change.pair());
            came += usize::from(change.overlaps());
            went += usize::from(!change.overlaps());
        }
        begun.truncate(came);
        ended.truncate(went);
        make_room(pairs, old.len() + changes.len(), CandidatePair::NONE);
        // A change with the key of an old pair ends that pair: neither of the two is kept.
        if changes.len() * OFTEN < old.len() {
            pairs.clear();
            let mut rest = old;
            for &change in changes.iter() {
                let run = rest.partition_point(|pair| pair.key() < change.key());
                pairs.extend_from_slice(&rest[..run]);
                rest = &rest[run..];
                if change.overlaps() {
                    pairs.push(change);
                } else {
                    rest = rest.get(1..).unwrap_or_default();
                }
            }
            pairs.extend_from_slice(rest);
        } else {
            let mut count = 0;
            let (i, j) = merge(old, changes, |old, change| {
                pairs[count] = if old.key() < change.key() { old } else { change };
                count += usize::from(old.key() != change.key());
            });
            pairs.truncate(count);
            pairs.extend_from_slice(&old[i..]);
            pairs.extend_from_slice(&changes[j..]);
        }
    }

    /// Sorts the changes by the smaller proxy, then by the larger.
    fn sort_changes(&mut self, frame: FrameContext) {
        let Self { changes, scratch, .. } = self;
        if changes.len() < WORTH_RADIX {
            return changes.sort_unstable();
        }
        // The smaller proxy is that of a moving body.
        let (from, bits) = (CandidatePair::SMALLER, usize::BITS - frame.proxies.moving_aabbs().len().leading_zeros());
        sort_by_bits(frame.level, changes, scratch, from, from + bits, CandidatePair::bits);
        // Few have the same smaller proxy, so most are in place by now.
        let mut next = 1;
        while next < changes.len() {
            if changes[next - 1] <= changes[next] {
                next += 1;
                continue;
            }
            let is_of_run = |change: &&CandidatePair| change.proxies().0 == changes[next].proxies().0;
            let start = next - changes[..next].iter().rev().take_while(is_of_run).count();
            let end = next + changes[next..].iter().take_while(is_of_run).count();
            changes[start..end].sort_unstable();
            next = end;
        }
    }
}

/// Walks through two sorted lists: calls `visit` with the first remaining pair of each, then advances past the smaller
/// one, or past both if they are equal, until one list is used up. Returns where the rest of each list begins. No
/// branch here or in `visit` depends on the pairs: half of them would be mispredicted.
#[inline(always)]
fn merge(
    some: &[CandidatePair],
    others: &[CandidatePair],
    mut visit: impl FnMut(CandidatePair, CandidatePair),
) -> (usize, usize) {
    let (mut i, mut j) = (0, 0);
    while i < some.len() && j < others.len() {
        let (a, b) = (some[i], others[j]);
        visit(a, b);
        i += usize::from(a.key() <= b.key());
        j += usize::from(b.key() <= a.key());
    }
    (i, j)
}

/// Drops changes that occur twice: pairs that were dropped and found again unchanged.
fn cancel(changes: &mut Vec<CandidatePair>) {
    let mut kept = 0;
    for i in 0..changes.len() {
        let change = changes[i];
        if kept > 0 && changes[kept - 1].key() == change.key() {
            kept -= 1;
        } else {
            changes[kept] = change;
            kept += 1;
        }
    }
    changes.truncate(kept);
}

/// Makes room for `count` items to be written by index, and one more. The contents of the list are arbitrary.
fn make_room<T: Copy>(list: &mut Vec<T>, count: usize, any: T) {
    if list.capacity() <= count {
        list.clear();
        reserve(list, count + 1);
    }
    list.resize(count + 1, any);
}

/// Appends all of `more`, with room for a quarter more.
fn append<T: Copy>(list: &mut Vec<T>, more: &[T]) {
    reserve(list, more.len());
    list.extend_from_slice(more);
}
