//! Numbers that are given out again.

use std::{cmp::Reverse, collections::BinaryHeap};

/// Numbers that are free, to be given out again in ascending order: so the next ones depend only on which are in use,
/// and not on the order in which others became free.
#[derive(Clone, Debug, Default)]
pub(crate) struct FreeNumbers(BinaryHeap<Reverse<u32>>);

impl FreeNumbers {
    pub(crate) fn push(&mut self, number: u32) {
        self.0.push(Reverse(number));
    }

    /// Removes and returns the least.
    pub(crate) fn pop(&mut self) -> Option<u32> {
        self.0.pop().map(|Reverse(number)| number)
    }
}

impl FromIterator<u32> for FreeNumbers {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Self {
        Self(numbers.into_iter().map(Reverse).collect())
    }
}

impl Extend<u32> for FreeNumbers {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, numbers: I) {
        self.0.extend(numbers.into_iter().map(Reverse));
    }
}
