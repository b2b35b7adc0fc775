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
    watched::{Frame, PIECE, Part, Watched, retest_on_all},
};
use crate::sort::sort_by_bits;

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
    parts: Vec<Part>,
    scratch: Vec<Watched>,
    /// The next frame's pairs, while they are being made.
    next: Vec<Watched>,
}

/// Fewer pairs are sorted by comparing.
const WORTH_DIGITS: usize = 512;

impl Candidates {
    /// These pairs, in order, which are watched until the next update.
    pub(super) fn of_pairs(pairs: &[Pair]) -> Self {
        let watched = |pair: &Pair| Watched::new(pair.first.number(), pair.second.number()).with(true);
        let pairs: Vec<Watched> = pairs.iter().map(watched).collect();
        Self { watched: pairs.clone(), pairs, ..Self::default() }
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
    pub(super) fn is_worth_a_thread(&self) -> bool {
        self.watched.len() >= 2 * PIECE
    }

    /// Goes over a frame: tests again what is watched.
    pub(super) fn retest(&mut self, frame: Frame) {
        self.changes.clear();
        retest_on_all(&mut self.watched, &mut self.changes, &mut self.parts, frame);
    }

    /// Brings the pairs up to date after [`Candidates::retest`]. `found` are all pairs with a member of a new leaf, each once.
    pub(super) fn update(&mut self, found: &Found, frame: Frame) {
        reserve(&mut self.watched, found.watched.len());
        self.watched.extend_from_slice(&found.watched);
        self.changes.extend_from_slice(&found.together);
        self.clear_events();
        sort(&mut self.changes, &mut self.scratch, frame);
        self.apply();
    }

    /// The same instead of both where `found` are all pairs that there are.
    pub(super) fn update_all(&mut self, found: &mut Found, frame: Frame) {
        std::mem::swap(&mut self.watched, &mut found.watched);
        std::mem::swap(&mut self.changes, &mut found.together);
        self.clear_events();
        sort(&mut self.changes, &mut self.scratch, frame);
        self.replace();
    }

    /// The pairs are the sorted changes; what else there was has ended.
    fn replace(&mut self) {
        let Self { pairs, begun, ended, changes, .. } = self;
        let none = Watched::NONE;
        with_room(begun, changes.len(), none.pair());
        with_room(ended, pairs.len(), none.pair());
        let (mut began, mut end) = (0, 0);
        each_of_two(pairs, changes, |old, new| {
            ended[end] = old.pair();
            end += usize::from(old.key() < new.key());
            begun[began] = new.pair();
            began += usize::from(new.key() < old.key());
        });
        begun.truncate(began);
        ended.truncate(end);
        std::mem::swap(pairs, changes);
    }

    /// Puts the sorted changes into the pairs.
    fn apply(&mut self) {
        let Self { pairs, begun, ended, changes, next, .. } = self;
        let none = Watched::NONE;
        cancel(changes);
        with_room(begun, changes.len(), none.pair());
        with_room(ended, changes.len(), none.pair());
        let (mut began, mut end) = (0, 0);
        for change in changes.iter() {
            (begun[began], ended[end]) = (change.pair(), change.pair());
            began += usize::from(change.is_together());
            end += usize::from(!change.is_together());
        }
        begun.truncate(began);
        ended.truncate(end);
        // A change to a pair that was there ends it: neither of the two stays.
        with_room(next, pairs.len() + began, none);
        let mut count = 0;
        if changes.len() * OFTEN < pairs.len() {
            let mut rest = &pairs[..];
            for &change in changes.iter() {
                while let [first, ..] = rest
                    && first.key() < change.key()
                {
                    next[count] = *first;
                    (count, rest) = (count + 1, &rest[1..]);
                }
                if change.is_together() {
                    next[count] = change;
                    count += 1;
                } else {
                    rest = rest.get(1..).unwrap_or_default();
                }
            }
            next[count..count + rest.len()].copy_from_slice(rest);
            count += rest.len();
        } else {
            each_of_two(pairs, changes, |old, change| {
                next[count] = if old.key() < change.key() { old } else { change };
                count += usize::from(old.key() != change.key());
            });
        }
        next.truncate(count);
        std::mem::swap(pairs, next);
    }
}

/// With fewer than one change in so many pairs, whether a pair is one can be predicted.
const OFTEN: usize = 4;

/// Drops what was forgotten and found again: changes that come twice.
fn cancel(changes: &mut Vec<Watched>) {
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

/// Calls `visit` with the first that is left of each of two ordered lists, then leaves out the lesser or both if they are equal, until
/// nothing is left. Here and in what it calls no branch depends on the pairs: half of them would be mispredicted.
#[inline(always)]
fn each_of_two(some: &[Watched], others: &[Watched], mut visit: impl FnMut(Watched, Watched)) {
    let last = Watched::LAST;
    let (mut i, mut j) = (0, 0);
    while i < some.len() || j < others.len() {
        let a = some.get(i).copied().unwrap_or(last);
        let b = others.get(j).copied().unwrap_or(last);
        visit(a, b);
        i += usize::from(a.key() <= b.key());
        j += usize::from(b.key() <= a.key());
    }
}

/// Makes room for so many to be written by place, and one more.
fn with_room<T: Clone>(list: &mut Vec<T>, count: usize, any: T) {
    list.clear();
    reserve(list, count + 1);
    list.resize(count + 1, any);
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
        sort_by_bits(frame.level, changes, scratch, from, from + bits, Watched::bits);
    }
}
