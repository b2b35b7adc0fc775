//! The k least results of a search, for any k.

use std::cmp::Ordering;

/// Keeps the `count` least of the items that it is offered, appended to the caller's list.
///
/// ```text
///   fewer than count   appended as they come
///   count or more      a binary heap, its greatest first: a smaller one replaces it and sinks
///   finish             sorted
/// ```
/// An offer costs O(1) if it is refused and O(log count) if it is kept; a `count` larger than the number of offers
/// costs one sort.
#[derive(Debug)]
pub(crate) struct Best<'a, T, F> {
    list: &'a mut Vec<T>,
    first: usize,
    count: usize,
    order: F,
}

impl<'a, T, F: Fn(&T, &T) -> Ordering> Best<'a, T, F> {
    /// Starts with no items. `order` must be total; if it has no ties, what is kept does not depend on the order of the
    /// offers.
    pub(crate) fn new(list: &'a mut Vec<T>, count: usize, order: F) -> Self {
        let first = list.len();
        Self { list, first, count, order }
    }

    /// Keeps `new` if it is among the `count` least so far.
    #[inline]
    pub(crate) fn offer(&mut self, new: T) {
        let kept = self.list.len() - self.first;
        if kept < self.count {
            self.list.push(new);
            if kept + 1 == self.count {
                (0..self.count / 2).rev().for_each(|at| self.sink(at));
            }
        } else if kept > 0 && (self.order)(&new, &self.list[self.first]).is_lt() {
            self.list[self.first] = new;
            self.sink(0);
        }
    }

    /// The greatest item kept, once there are `count`: an offer that does not come before it is refused.
    #[inline]
    pub(crate) fn greatest(&self) -> Option<&T> {
        let kept = &self.list[self.first..];
        if kept.len() == self.count { kept.first() } else { None }
    }

    /// Sorts the kept items in ascending order.
    pub(crate) fn finish(self) {
        self.list[self.first..].sort_unstable_by(self.order);
    }

    /// Moves an element down the heap until none below it is greater.
    #[inline]
    fn sink(&mut self, mut at: usize) {
        let heap = &mut self.list[self.first..];
        let is_greater = |heap: &[T], a: usize, b: usize| (self.order)(&heap[a], &heap[b]).is_gt();
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            if left >= heap.len() {
                return;
            }
            let child = if right < heap.len() && is_greater(heap, right, left) { right } else { left };
            if !is_greater(heap, child, at) {
                return;
            }
            heap.swap(at, child);
            at = child;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_the_start_of_the_sorted_offers_for_any_count() {
        // 7919 is coprime to 1000: every number once, in no particular order.
        let offers = (0..1000).map(|i| i * 7919 % 1000);
        for count in [0, 1, 2, 3, 4, 17, 999, 1000, 1001, usize::MAX] {
            let mut list = vec![5000];
            let mut best = Best::new(&mut list, count, |a: &i32, b: &i32| a.cmp(b));
            offers.clone().for_each(|offer| best.offer(offer));
            best.finish();
            let expected: Vec<i32> = std::iter::once(5000).chain((0..1000).take(count)).collect();
            assert_eq!(list, expected, "{count}");
        }
    }
}
