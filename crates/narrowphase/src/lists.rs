//! Lists on the stack, collected.

use smallvec::{Array, SmallVec};

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
