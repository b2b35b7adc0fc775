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
    body::Pair,
    found::Found,
    share::{Share, reserve},
    watched::{BinaryNode, Frame, Watched, are_worth_a_thread, retest_on_all},
};
use crate::threads::{self, at_once};

/// All watched pairs, and what changed last.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    /// In each part what one of a search of all found, as it would take long to put them together; and what was found since, or at once.
    parts: Vec<Found>,
    rest: Found,
    /// Those that overlap, in order.
    pairs: Vec<Watched>,
    begun: Vec<Pair>,
    ended: Vec<Pair>,
    /// What threads tested of the rest.
    pieces: Vec<BinaryNode>,
    shares: [Share; SHARES],
}

/// Threads at most that bring pairs up to date.
const SHARES: usize = 4;

/// Fewer pairs and changes are not worth a thread.
const WORTH_SHARING: usize = 8192;

impl Candidates {
    /// These pairs, in order, which are watched until the next update.
    pub(super) fn of_pairs(pairs: &[Pair]) -> Self {
        let watched = |pair: &Pair| Watched::new(pair.first.number(), pair.second.number()).with(true);
        let mut this = Self { pairs: pairs.iter().map(watched).collect(), ..Self::default() };
        this.rest.watched.clone_from(&this.pairs);
        this
    }

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

    /// Whether testing what is watched is worth waking another thread.
    pub(super) fn are_worth_a_thread(&self, few_moved: bool) -> bool {
        are_worth_a_thread(self.rest.watched.len() + self.in_parts(), few_moved)
    }

    fn in_parts(&self) -> usize {
        self.parts.iter().map(|part| part.watched.len()).sum()
    }

    /// Goes over a frame: tests again what is watched.
    pub(super) fn retest(&mut self, frame: Frame) {
        let is_for_many = are_worth_a_thread(self.in_parts(), frame.few_moved);
        self.pieces.iter_mut().for_each(BinaryNode::clear);
        let Self { parts, rest, pieces, .. } = self;
        let in_parts = || {
            if is_for_many {
                threads::each(parts, |_, part| part.retest(frame));
            } else {
                parts.iter_mut().for_each(|part| part.retest(frame));
            }
        };
        at_once(is_for_many, in_parts, || retest_on_all(rest, pieces, frame));
    }

    /// Brings the pairs up to date after [`Candidates::retest`]. `found` and in `parts` are all pairs with a member of a new leaf, each once.
    pub(super) fn update(&mut self, found: &Found, parts: &[Found], frame: Frame) {
        for Found { watched, changes, .. } in std::iter::once(found).chain(parts) {
            append(&mut self.rest.watched, watched);
            self.rest.changes.extend_from_slice(changes);
        }
        self.share(frame.few_moved, |share, pairs| share.apply(pairs, frame));
    }

    /// The same instead of both where these are all pairs that there are.
    pub(super) fn update_all(&mut self, found: &mut Found, parts: &mut Vec<Found>, frame: Frame) {
        std::mem::swap(&mut self.rest, found);
        std::mem::swap(&mut self.parts, parts);
        self.pieces.iter_mut().for_each(BinaryNode::clear);
        self.share(frame.few_moved, |share, pairs| share.replace(pairs, frame));
    }

    /// Has each thread bring some of the pairs up to date, where others have been woken already.
    fn share(&mut self, few_moved: bool, work: impl Fn(&mut Share, &[Watched]) + Send + Sync) {
        let is_for_many = self.are_worth_a_thread(few_moved);
        let Self { pairs, begun, ended, parts, rest, pieces, shares } = self;
        let changes = || parts.iter().map(|part| &part.changes).chain(pieces.iter().map(|piece| &piece.changes));
        let total = rest.changes.len() + changes().map(Vec::len).sum::<usize>();
        let is_shared = is_for_many && total + pairs.len() >= WORTH_SHARING;
        let count = if is_shared { threads::count().min(SHARES) } else { 1 };
        // The numbers of all pairs divide these into equal shares, and thereby the changes.
        let place = |share: usize| share * pairs.len() / count;
        let bound = |share: usize| match share {
            0 => 0,
            _ if share == count => u64::MAX,
            _ => pairs.get(place(share)).map_or(u64::MAX, |pair| pair.key()),
        };
        if count == 1 {
            std::mem::swap(&mut shares[0].changes, &mut rest.changes);
            changes().for_each(|changes| shares[0].changes.extend_from_slice(changes));
        }
        threads::each(&mut shares[..count], |i, share| {
            if count > 1 {
                share.take(std::iter::once(&rest.changes).chain(changes()), total, bound(i)..bound(i + 1));
            }
            work(share, &pairs[place(i)..place(i + 1)]);
        });
        let (first, others) = shares[..count].split_first_mut().expect("one at least");
        std::mem::swap(pairs, &mut first.pairs);
        std::mem::swap(begun, &mut first.begun);
        std::mem::swap(ended, &mut first.ended);
        for share in others {
            append(pairs, &share.pairs);
            append(begun, &share.begun);
            append(ended, &share.ended);
        }
    }
}

/// Adds all, with room for a quarter more.
fn append<T: Copy>(list: &mut Vec<T>, more: &[T]) {
    reserve(list, more.len());
    list.extend_from_slice(more);
}
