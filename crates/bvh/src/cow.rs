//! A list whose clones share everything that none of them has changed.
//!
//! ```text
//!   pages    [*]   [*]   [*]  ...        a clone counts one more reference to each page
//!             |     |     |
//!            64 KB of items each         the first edit in a page that is shared copies that page
//! ```
//! Reading an item takes one indirection more than in a `Vec`, through a table small enough for the nearest cache.

use std::{
    fmt,
    ops::{Index, IndexMut},
    sync::Arc,
};

/// The maximum size of a page, in bytes. A clone of 100,000 items of 170 bytes then counts 400 references, which takes
/// some four microseconds; the copy made by an edit after it takes as long. Smaller pages make the clone slower, larger
/// ones the edit.
const PAGE_BYTES: usize = 1 << 16;

/// The number of items that the first page initially has room for, so that short lists stay small.
const FIRST: usize = 8;

/// A list whose clones share everything that none of them has changed: a clone counts a reference to each page of 64
/// KB; an edit copies the page that it touches, if that page is shared.
///
/// ```
/// # use cullide_bvh::CowVec;
/// let mut list = CowVec::default();
/// list.push(7);
/// let before = list.clone();
/// list[0] = 9;
/// assert_eq!((before[0], list.get(0), list.get(1)), (7, Some(&9), None));
/// ```
#[derive(Clone)]
pub struct CowVec<T> {
    /// Each has [`CowVec::PAGE`] items, except that a sole page may be shorter. Items from `len` on are defaults.
    pages: Vec<Arc<[T]>>,
    len: usize,
}

impl<T> Default for CowVec<T> {
    fn default() -> Self {
        Self { pages: Vec::new(), len: 0 }
    }
}

impl<T: fmt::Debug> fmt::Debug for CowVec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: PartialEq> PartialEq for CowVec<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl<T> CowVec<T> {
    /// The number of low bits of an index that select the item within its page.
    const SHIFT: u32 = {
        let size = if size_of::<T>() == 0 { 1 } else { size_of::<T>() };
        if size * FIRST < PAGE_BYTES { (PAGE_BYTES / size).ilog2() } else { FIRST.ilog2() }
    };

    /// The number of items in a page.
    const PAGE: usize = 1 << Self::SHIFT;

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the item at index `i`; `None` if there is none.
    #[inline]
    pub fn get(&self, i: usize) -> Option<&T> {
        if i < self.len { Some(&self[i]) } else { None }
    }

    /// Returns all items, in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.pages.iter().flat_map(|page| page.iter()).take(self.len)
    }
}

impl<T: Clone + Default> CowVec<T> {
    /// Returns the item at index `i` for editing; `None` if there is none.
    #[inline]
    pub fn get_mut(&mut self, i: usize) -> Option<&mut T> {
        if i < self.len { Some(&mut self[i]) } else { None }
    }

    /// Edits many items, each given by its index and the value to pass to `edit`: whether a page is shared is checked
    /// once for each run of consecutive edits within it.
    ///
    /// # Panics
    /// For an index far past the last item.
    #[inline]
    pub fn edit_each<U>(&mut self, edits: impl Iterator<Item = (usize, U)>, mut edit: impl FnMut(&mut T, U)) {
        let mut edits = edits.peekable();
        while let Some(&(first, _)) = edits.peek() {
            let page = Arc::make_mut(&mut self.pages[first >> Self::SHIFT]);
            while let Some((i, with)) = edits.next_if(|(i, _)| i >> Self::SHIFT == first >> Self::SHIFT) {
                edit(&mut page[i % Self::PAGE], with);
            }
        }
    }

    /// Appends an item.
    pub fn push(&mut self, item: T) {
        let room = self.pages.last().map_or(0, |last| (self.pages.len() - 1) * Self::PAGE + last.len());
        if self.len == room {
            self.add_room();
        }
        self.len += 1;
        let last = self.len - 1;
        self[last] = item;
    }

    /// Appends defaults until there are `len` items.
    pub fn grow(&mut self, len: usize) {
        while self.len < len {
            self.push(T::default());
        }
    }

    fn add_room(&mut self) {
        let first = match self.pages.pop_if(|page| page.len() < Self::PAGE) {
            Some(mut page) => match Arc::get_mut(&mut page) {
                Some(items) => items.iter_mut().map(std::mem::take).collect(),
                None => page.to_vec(),
            },
            None => Vec::new(),
        };
        let size = if self.pages.is_empty() { (2 * first.len()).clamp(FIRST, Self::PAGE) } else { Self::PAGE };
        let rest = size - first.len();
        self.pages.push(first.into_iter().chain(std::iter::repeat_with(T::default).take(rest)).collect());
    }
}

/// # Panics
/// For an index far past the last item.
impl<T> Index<usize> for CowVec<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, i: usize) -> &T {
        debug_assert!(i < self.len, "item {i} of {}", self.len);
        &self.pages[i >> Self::SHIFT][i % Self::PAGE]
    }
}

/// # Panics
/// For an index far past the last item.
impl<T: Clone> IndexMut<usize> for CowVec<T> {
    #[inline]
    fn index_mut(&mut self, i: usize) -> &mut T {
        debug_assert!(i < self.len, "item {i} of {}", self.len);
        &mut Arc::make_mut(&mut self.pages[i >> Self::SHIFT])[i % Self::PAGE]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Many pages' worth of items.
    const COUNT: usize = 100_000;

    fn filled() -> CowVec<u64> {
        let mut list = CowVec::default();
        (0..COUNT as u64).for_each(|i| list.push(i));
        list
    }

    /// The number of pages that two lists do not share.
    fn apart<T>(a: &CowVec<T>, b: &CowVec<T>) -> usize {
        a.pages.iter().zip(&b.pages).filter(|(a, b)| !Arc::ptr_eq(a, b)).count()
    }

    #[test]
    fn items_are_those_of_a_vec_however_many() {
        let mut list = CowVec::default();
        for count in 0..2 * CowVec::<u64>::PAGE + 3 {
            assert_eq!((list.len(), list.is_empty(), list.get(count)), (count, count == 0, None));
            list.push(3 * count as u64);
            assert_eq!((list.get(count), list.get(0)), (Some(&(3 * count as u64)), Some(&0)));
        }
        assert!(list.iter().copied().eq((0..list.len() as u64).map(|i| 3 * i)));
        assert_eq!(list.get_mut(list.len()), None);
        *list.get_mut(7).unwrap() = 1;
        assert_eq!((list[7], list.iter().nth(7)), (1, Some(&1)));
    }

    #[test]
    fn an_edit_after_a_clone_copies_one_page_and_is_not_seen_in_the_other() {
        let list = filled();
        let mut other = list.clone();
        assert_eq!((apart(&list, &other), list == other), (0, true));
        other[COUNT / 2] = 0;
        other[COUNT / 2 + 1] = 0;
        assert_eq!((apart(&list, &other), list == other), (1, false));
        assert_eq!(list[COUNT / 2], COUNT as u64 / 2);
        other.push(7);
        assert_eq!((list.len(), other.len(), apart(&list, &other)), (COUNT, COUNT + 1, 2));
    }

    #[test]
    fn many_edits_are_those_made_one_by_one_and_copy_only_their_pages() {
        let list = filled();
        let (mut one_by_one, mut many) = (list.clone(), list.clone());
        let numbers = || (0..COUNT / 2).step_by(7).chain([3, COUNT / 3]);
        numbers().for_each(|i| one_by_one[i] += i as u64);
        many.edit_each(numbers().map(|i| (i, i as u64)), |item, more| *item += more);
        assert_eq!((one_by_one == many, one_by_one == list), (true, false));
        assert_eq!(
            (apart(&list, &many), apart(&list, &one_by_one)),
            (list.pages.len().div_ceil(2), list.pages.len().div_ceil(2))
        );
    }

    #[test]
    fn a_list_that_is_not_shared_is_edited_in_place() {
        let mut list = filled();
        let places: Vec<_> = list.pages.iter().map(|page| page.as_ptr()).collect();
        (0..COUNT).for_each(|i| list[i] = 0);
        drop(list.clone());
        list[0] = 1;
        assert!(list.pages.iter().map(|page| page.as_ptr()).eq(places));
    }

    #[test]
    fn a_short_list_takes_little_room_and_may_be_shared_while_it_grows() {
        let mut list: CowVec<String> = CowVec::default();
        list.push("a".into());
        assert_eq!((list.pages.len(), list.pages[0].len()), (1, FIRST));
        let before = list.clone();
        list.grow(3 * FIRST);
        assert_eq!((before.len(), before[0].as_str(), list[0].as_str(), list[9].as_str()), (1, "a", "a", ""));
    }
}
