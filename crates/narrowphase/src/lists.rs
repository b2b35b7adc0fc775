//! Lists on the stack, collected; lists sorted.

use smallvec::{Array, SmallVec};
use std::cmp::Ordering;

/// Collects into a [`SmallVec`], element by element. Its own `collect` has the code of the iterator twice, once for what
/// there surely is room for.
pub trait Listed: Iterator + Sized {
    /// The elements in order.
    #[inline]
    fn listed<A: Array<Item = Self::Item>>(self) -> SmallVec<A> {
        let mut list = SmallVec::new();
        self.for_each(|element| list.push(element));
        list
    }
}

impl<I: Iterator> Listed for I {}

/// The items in ascending order. All types share one sort, of their places: the machine code of another for each type
/// would be that of all the shapes whose construction needs them.
pub(crate) fn sorted<T: Copy>(items: &[T], order: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let places = sorted_places(items.len(), &|a, b| order(&items[a], &items[b]));
    places.into_iter().map(|place| items[place]).collect()
}

/// The numbers below `count` in ascending order of what stands there.
pub(crate) fn sorted_places(count: usize, order: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_unstable_by(|a, b| order(*a, *b));
    places
}
