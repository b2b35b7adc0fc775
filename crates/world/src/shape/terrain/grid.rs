//! Items by column and row, in square tiles, so that what is near in the grid is near in memory.

use cullide_bvh::CowVec;

/// Columns and rows of a tile are 2^4 at most, fewer in a grid that is narrower: a page has whole tiles.
const SHIFT: u32 = 4;

/// Items by column and row. Clones share pages until they are edited.
#[derive(Clone)]
pub(super) struct Grid<T> {
    /// Columns and rows of a tile are powers of two.
    shift: [u32; 2],
    /// Tiles in a row of them.
    across: usize,
    items: CowVec<T>,
}

impl<T: Copy + Default> Grid<T> {
    /// One item for each place. There is one column and one row at least.
    pub(super) fn new(columns: u32, rows: u32, mut item: impl FnMut(u32, u32) -> T) -> Self {
        let shift = [columns, rows].map(|count| count.next_power_of_two().ilog2().min(SHIFT));
        let [across, down] = [0, 1].map(|axis| [columns, rows][axis].div_ceil(1 << shift[axis]) as usize);
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

    #[inline(always)]
    pub(super) fn get(&self, column: u32, row: u32) -> T {
        self.items[self.index(column, row)]
    }

    #[inline]
    pub(super) fn set(&mut self, column: u32, row: u32, item: T) {
        let index = self.index(column, row);
        self.items[index] = item;
    }

    /// The items at the corners of a cell: the column, the next one, both in the next row.
    #[inline]
    pub(super) fn cell(&self, column: u32, row: u32) -> [T; 4] {
        let near = [self.get(column, row), self.get(column + 1, row)];
        [near[0], near[1], self.get(column, row + 1), self.get(column + 1, row + 1)]
    }

    pub(super) fn memory(&self) -> usize {
        self.items.len() * size_of::<T>()
    }

    #[inline(always)]
    fn index(&self, column: u32, row: u32) -> usize {
        let ([x, z], column, row) = (self.shift, column as usize, row as usize);
        let tile = (row >> z) * self.across + (column >> x);
        tile << (x + z) | (row & ((1 << z) - 1)) << x | column & ((1 << x) - 1)
    }
}
