//! Some of the pairs, by their numbers, and what changes of them: what one thread brings up to date.

use super::{
    body::Pair,
    watched::{Frame, Watched},
};
use crate::sort::sort_by_bits;
use std::ops::Range;

/// A range of pairs.
#[derive(Clone, Debug, Default)]
pub(super) struct Share {
    /// Pairs that a test found changed, and for sorting them.
    pub(super) changes: Vec<Watched>,
    scratch: Vec<Watched>,
    /// The frame's pairs and events.
    pub(super) pairs: Vec<Watched>,
    pub(super) begun: Vec<Pair>,
    pub(super) ended: Vec<Pair>,
}

/// Fewer pairs are sorted by comparing.
const WORTH_DIGITS: usize = 512;

impl Share {
    /// Takes those of the changes, `total` in all, whose keys are in a range.
    pub(super) fn take<'a>(&mut self, changes: impl Iterator<Item = &'a Vec<Watched>>, total: usize, keys: Range<u64>) {
        with_room(&mut self.changes, total, Watched::NONE);
        let mut count = 0;
        for changes in changes {
            for &change in changes {
                self.changes[count] = change;
                count += usize::from(keys.contains(&change.key()));
            }
        }
        self.changes.truncate(count);
    }

    /// The changes are the pairs; what else there was has ended.
    pub(super) fn replace(&mut self, old: &[Watched], frame: Frame) {
        sort(&mut self.changes, &mut self.scratch, frame);
        let Self { pairs, begun, ended, changes, .. } = self;
        let none = Watched::NONE;
        with_room(begun, changes.len(), none.pair());
        with_room(ended, old.len(), none.pair());
        let (mut began, mut end) = (0, 0);
        each_of_two(old, changes, |old, new| {
            ended[end] = old.pair();
            end += usize::from(old.key() < new.key());
            begun[began] = new.pair();
            began += usize::from(new.key() < old.key());
        });
        begun.truncate(began);
        ended.truncate(end);
        std::mem::swap(pairs, changes);
    }

    /// Puts the changes into the pairs there were.
    pub(super) fn apply(&mut self, old: &[Watched], frame: Frame) {
        sort(&mut self.changes, &mut self.scratch, frame);
        let Self { pairs, begun, ended, changes, .. } = self;
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
        with_room(pairs, old.len() + began, none);
        let mut count = 0;
        if changes.len() * OFTEN < old.len() {
            let mut rest = old;
            for &change in changes.iter() {
                while let [first, ..] = rest
                    && first.key() < change.key()
                {
                    pairs[count] = *first;
                    (count, rest) = (count + 1, &rest[1..]);
                }
                if change.is_together() {
                    pairs[count] = change;
                    count += 1;
                } else {
                    rest = rest.get(1..).unwrap_or_default();
                }
            }
            pairs[count..count + rest.len()].copy_from_slice(rest);
            count += rest.len();
        } else {
            each_of_two(old, changes, |old, change| {
                pairs[count] = if old.key() < change.key() { old } else { change };
                count += usize::from(old.key() != change.key());
            });
        }
        pairs.truncate(count);
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
pub(super) fn reserve<T>(list: &mut Vec<T>, more: usize) {
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
    sort_by_bits(frame.level, changes, scratch, Watched::SMALLER, Watched::SMALLER + bits, Watched::bits);
    // Few have the same smaller number: most are in place by now.
    let mut next = 1;
    while next < changes.len() {
        if changes[next - 1] <= changes[next] {
            next += 1;
            continue;
        }
        let is_of_run = |change: &&Watched| change.numbers().0 == changes[next].numbers().0;
        let start = next - changes[..next].iter().rev().take_while(is_of_run).count();
        let end = next + changes[next..].iter().take_while(is_of_run).count();
        changes[start..end].sort_unstable();
        next = end;
    }
}
