//! Items by column and row, stored in square tiles, so that items close together in the grid are close in memory.

use crate::CowVec;
use cullide_narrowphase::Mapped;

/// Items by column and row. Clones share pages until they are edited, as clones of a [`CowVec`] do.
///
/// ```
/// # use cullide_bvh::CowGrid;
/// let mut grid = CowGrid::new(7, 5, |column, row| 10 * column + row);
/// let before = grid.clone();
/// grid.set(6, 4, 0);
/// assert_eq!((before.get(6, 4), grid.get(6, 4), grid.get(5, 4)), (64, 0, 54));
/// ```
#[derive(Clone, Debug)]
pub struct CowGrid<T> {
    /// The base-two logarithms of a tile's columns and rows.
    shift: [u32; 2],
    /// The number of tiles in a row of tiles.
    across: usize,
    items: CowVec<T>,
}

impl<T: Copy + Default> CowGrid<T> {
    /// A tile has at most 2^SHIFT columns and rows, fewer in a narrower grid, so that a page holds whole tiles. A tile
    /// of four-byte items takes a kilobyte, one of larger items up to two.
    const SHIFT: u32 = 4 - if size_of::<T>() > 4 { (size_of::<T>() / 4).ilog2() / 2 } else { 0 };

    /// Creates a grid with one item for each place, calling `item` row by row. There must be at least one column and
    /// one row.
    pub fn new(columns: u32, rows: u32, mut item: impl FnMut(u32, u32) -> T) -> Self {
        let shift = [columns, rows].mapped(|count| count.next_power_of_two().ilog2().min(Self::SHIFT));
        let [across, down] = [0, 1].mapped(|axis| [columns, rows][axis].div_ceil(1 << shift[axis]) as usize);
        let mut items = CowVec::default();
        items.grow((across * down) << (shift[0] + shift[1]));
        let mut grid = Self { shift, across, items };
        for row in 0..rows {
            for column in 0..columns {
                grid.set(column, row, item(column, row));
            }
        }
        grid
    }

    /// Returns an item.
    ///
    /// # Panics
    /// For a column or a row far past the last.
    #[inline(always)]
    pub fn get(&self, column: u32, row: u32) -> T {
        *self.at(column, row)
    }

    /// Returns a reference to an item.
    #[inline(always)]
    pub(crate) fn at(&self, column: u32, row: u32) -> &T {
        &self.items[self.index(column, row)]
    }

    /// Replaces an item.
    ///
    /// # Panics
    /// For a column or a row far past the last.
    #[inline]
    pub fn set(&mut self, column: u32, row: u32, item: T) {
        *self.at_mut(column, row) = item;
    }

    /// Returns an item for editing.
    #[inline]
    pub(crate) fn at_mut(&mut self, column: u32, row: u32) -> &mut T {
        let index = self.index(column, row);
        &mut self.items[index]
    }

    /// Returns the size of all items in bytes.
    pub fn memory(&self) -> usize {
        self.items.len() * size_of::<T>()
    }

    #[inline(always)]
    fn index(&self, column: u32, row: u32) -> usize {
        let ([x, z], column, row) = (self.shift, column as usize, row as usize);
        let tile = (row >> z) * self.across + (column >> x);
        tile << (x + z) | (row & ((1 << z) - 1)) << x | column & ((1 << x) - 1)
    }
}
