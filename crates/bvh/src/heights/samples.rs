//! Heights in tiles of 4 × 4 samples; a tile is a cache line.
//!
//! ```text
//!   a a a a│b b b b        the corners of the cells that begin at the samples of tile a:
//!   a a a a│b b b b        a itself; the next columns, from a and b;
//!   a a a a│b b b b        the next rows, from a and d;
//!   a a a a│b b b b        the next columns of the next rows, from all four
//!   ───────┼───────
//!   d d d d│e e e e
//! ```

use super::{SIDE, pyramid::lane_of};
use crate::{
    grid::CowGrid,
    lanes::{
        Row, Simd, f32x16,
        fours::{next_columns, next_rows},
        load, max, min,
    },
};
use cullide_narrowphase::Mapped;

/// Heights by column and row.
#[derive(Clone, Debug)]
pub(super) struct Samples {
    /// Columns and rows of tiles.
    size: [u32; 2],
    tiles: CowGrid<SampleTile>,
}

/// Heights row by row; those past the last sample are zero.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct SampleTile(Row);

impl Samples {
    pub(super) fn new([columns, rows]: [u32; 2], mut height: impl FnMut(u32, u32) -> f32) -> Self {
        let size = [columns, rows].mapped(|count| count.div_ceil(SIDE));
        let tiles = CowGrid::new(size[0], size[1], |c, r| {
            let mut tile = SampleTile::default();
            for row in r * SIDE..(r * SIDE + SIDE).min(rows) {
                for column in c * SIDE..(c * SIDE + SIDE).min(columns) {
                    tile.0[lane_of(column, row)] = height(column, row);
                }
            }
            tile
        });
        Self { size, tiles }
    }

    #[inline(always)]
    pub(super) fn get(&self, column: u32, row: u32) -> f32 {
        self.tiles.at(column / SIDE, row / SIDE).0[lane_of(column, row)]
    }

    #[inline]
    pub(super) fn set(&mut self, column: u32, row: u32, height: f32) {
        self.tiles.at_mut(column / SIDE, row / SIDE).0[lane_of(column, row)] = height;
    }

    /// The heights at the corners of sixteen cells: in their rows, those of their columns and the next ones, then both
    /// in the next rows. The values for cells that do not exist are arbitrary.
    #[inline(always)]
    pub(super) fn corners<S: Simd>(&self, simd: S, column: u32, row: u32) -> [f32x16<S>; 4] {
        let (next_column, next_row) = ((column + 1).min(self.size[0] - 1), (row + 1).min(self.size[1] - 1));
        let tile = |column, row| load(simd, &self.tiles.at(column, row).0);
        let (a, b) = (tile(column, row), tile(next_column, row));
        let (d, e) = (tile(column, next_row), tile(next_column, next_row));
        let (right, below_right) = (next_columns(a, b), next_columns(d, e));
        [a, right, next_rows(a, d), next_rows(right, below_right)]
    }

    /// The least and the greatest heights of sixteen cells with these heights at their corners.
    #[inline(always)]
    pub(super) fn ranges<S: Simd>([a, b, d, e]: [f32x16<S>; 4]) -> [f32x16<S>; 2] {
        [min(min(a, b), min(d, e)), max(max(a, b), max(d, e))]
    }

    pub(super) fn memory(&self) -> usize {
        self.tiles.memory()
    }
}
