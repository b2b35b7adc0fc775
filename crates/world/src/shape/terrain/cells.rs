//! What cells have besides their heights: hole, diagonal and surface, in one byte.
//!
//! ```text
//!   bit 7     bit 6       bits 0–5
//!   a hole    Ascending   which of 63 surfaces, or 63: its surface is in a list of its own
//! ```

use cullide_bvh::CowGrid;

/// The diagonal along which a cell is cut into two triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Diagonal {
    /// From the next column to the next row: half 0 is at the cell's own sample, half 1 across.
    #[default]
    Descending,
    /// From the cell's own sample to that of the next column and row: half 0 is at the next row, half 1 at the next
    /// column.
    Ascending,
}

/// A cell without its heights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) is_hole: bool,
    pub(crate) diagonal: Diagonal,
    pub(crate) surface: u16,
}

/// All cells of a terrain.
#[derive(Clone)]
pub(super) struct Cells {
    columns: u32,
    rows: u32,
    /// `None` while all cells are at their defaults.
    codes: Option<CowGrid<u8>>,
    /// At most [`WIDE`] different ones.
    surfaces: Vec<u16>,
    /// The surfaces of cells whose surface is none of these.
    others: Option<CowGrid<u16>>,
}

const HOLE: u8 = 0x80;
const ASCENDING: u8 = 0x40;
const SURFACE: u8 = 0x3f;

/// The code of a surface that is in `others`.
const WIDE: u8 = SURFACE;

impl Cells {
    pub(super) fn new(columns: u32, rows: u32) -> Self {
        Self { columns, rows, codes: None, surfaces: vec![0], others: None }
    }

    #[inline]
    pub(super) fn get(&self, column: u32, row: u32) -> Cell {
        let Some(codes) = &self.codes else { return Cell::default() };
        let code = codes.get(column, row);
        let surface = match (code & SURFACE, &self.others) {
            (WIDE, Some(others)) => others.get(column, row),
            (index, _) => self.surfaces.get(usize::from(index)).copied().unwrap_or(0),
        };
        let diagonal = if code & ASCENDING == 0 { Diagonal::Descending } else { Diagonal::Ascending };
        Cell { is_hole: code & HOLE != 0, diagonal, surface }
    }

    pub(super) fn set(&mut self, column: u32, row: u32, cell: Cell) {
        if cell == self.get(column, row) {
            return;
        }
        let Cell { is_hole, diagonal, surface } = cell;
        let index = match self.surfaces.iter().position(|other| *other == surface) {
            Some(index) => index as u8,
            None if self.surfaces.len() < usize::from(WIDE) => {
                self.surfaces.push(surface);
                self.surfaces.len() as u8 - 1
            }
            None => {
                let others = self.others.get_or_insert_with(|| CowGrid::new(self.columns, self.rows, |_, _| 0));
                others.set(column, row, surface);
                WIDE
            }
        };
        let hole = if is_hole { HOLE } else { 0 };
        let cut = if diagonal == Diagonal::Ascending { ASCENDING } else { 0 };
        let codes = self.codes.get_or_insert_with(|| CowGrid::new(self.columns, self.rows, |_, _| 0));
        codes.set(column, row, hole | cut | index);
    }

    pub(super) fn memory(&self) -> usize {
        let others = self.others.as_ref().map_or(0, CowGrid::memory);
        self.codes.as_ref().map_or(0, CowGrid::memory) + others + size_of_val(&*self.surfaces)
    }
}
