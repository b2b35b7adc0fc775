//! Some of the pairs, by their numbers, and what changes of them: what one thread brings up to date.

use super::{
    body::Pair,
    watched::{Frame, Watched},
};
use crate::{prefetch::prefetch_all, radix_sort::sort_by_bits};
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
        let mut lists = changes.peekable();
        while let Some(list) = lists.next() {
            // Short, and half of them written by other threads.
            if let Some(next) = lists.peek() {
                prefetch_all(next.as_slice());
            }
            for &change in list {
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
        let none = Watched::NONE.pair();
        let (mut came, mut gone) = (Ends::new(begun, changes.len(), none), Ends::new(ended, old.len(), none));
        each_of_two(old, changes, |end, old, new| {
            gone.put(end, old.pair(), end.is_before(old, new));
            came.put(end, new.pair(), end.is_before(new, old));
        });
        came.close();
        gone.close();
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
        if changes.len() * OFTEN < old.len() {
            with_room(pairs, old.len() + began, none);
            let (mut count, mut rest) = (0, old);
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
            pairs.truncate(count + rest.len());
        } else {
            let mut merged = Ends::new(pairs, old.len() + changes.len(), none);
            each_of_two(old, changes, |end, old, change| {
                let first = if end.is_before(old, change) { old } else { change };
                merged.put(end, first, old.key() != change.key());
            });
            merged.close();
        }
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

/// An end of a list.
#[derive(Clone, Copy)]
enum End {
    First,
    Last,
}

impl End {
    /// Whether, from this end on, `a` comes before `b`.
    #[inline(always)]
    fn is_before(self, a: Watched, b: Watched) -> bool {
        match self {
            Self::First => a.key() < b.key(),
            Self::Last => b.key() < a.key(),
        }
    }
}

/// Calls `visit` with what is left of two ordered lists at one of their ends, then leaves out that which comes first from there, or both if
/// they are equal, until nothing is left. From both ends in turn, as each step waits for the one before. Here and in what it calls no branch
/// depends on the pairs: half of them would be mispredicted.
#[inline(always)]
fn each_of_two(mut some: &[Watched], mut others: &[Watched], mut visit: impl FnMut(End, Watched, Watched)) {
    while let (&[a, .., z], &[b, .., y]) = (some, others) {
        visit(End::First, a, b);
        visit(End::Last, z, y);
        some = &some[usize::from(a.key() <= b.key())..some.len() - usize::from(y.key() <= z.key())];
        others = &others[usize::from(b.key() <= a.key())..others.len() - usize::from(z.key() <= y.key())];
    }
    // One of them has one pair at most.
    while !some.is_empty() || !others.is_empty() {
        let [a, b] = [some, others].map(|list| list.first().copied().unwrap_or(Watched::LAST));
        visit(End::First, a, b);
        some = &some[usize::from(a.key() <= b.key())..];
        others = &others[usize::from(b.key() <= a.key())..];
    }
}

/// A list that is written from both ends, with a place to spare between them.
struct Ends<'a, T> {
    list: &'a mut Vec<T>,
    /// The next places to write to.
    first: usize,
    last: usize,
}

impl<'a, T: Copy> Ends<'a, T> {
    /// For so many items at most.
    #[inline(always)]
    fn new(list: &'a mut Vec<T>, most: usize, any: T) -> Self {
        with_room(list, most, any);
        Self { list, first: 0, last: most }
    }

    /// Adds an item at an end, or puts it where the next one will be.
    #[inline(always)]
    fn put(&mut self, end: End, item: T, is_kept: bool) {
        match end {
            End::First => {
                self.list[self.first] = item;
                self.first += usize::from(is_kept);
            }
            End::Last => {
                self.list[self.last] = item;
                self.last -= usize::from(is_kept);
            }
        }
    }

    /// Leaves out the places between the ends.
    fn close(self) {
        self.list.copy_within(self.last + 1.., self.first);
        self.list.truncate(self.first + self.list.len() - self.last - 1);
    }
}

/// Makes room for so many to be written by place, and one more. What the list holds does not matter.
fn with_room<T: Copy>(list: &mut Vec<T>, count: usize, any: T) {
    if list.capacity() <= count {
        list.clear();
        reserve(list, count + 1);
    }
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
    let bits = usize::BITS - frame.moving.len().leading_zeros();
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
