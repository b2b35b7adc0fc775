//! A hash of samples and cells as a sum over all of them, so that an edit changes it at the cost of what it changes.

use super::{Cellwise, Diagonal, TerrainData};
use crate::scene::hash::{GOLDEN, mixed};
use cullide_narrowphase::Mapped;
use std::ops::Range;

/// Set in the words of cells: a sample has 32 bits.
const CELL: u64 = 1 << 40;

impl TerrainData {
    pub(super) fn sum_of_all(&self) -> u64 {
        let [samples, cells] = [0, 1].mapped(|less| [0..self.columns - less, 0..self.rows - less]);
        self.sum_of_samples(&samples).wrapping_add(self.sum_of_cells(&cells))
    }

    /// Of the samples in some columns and rows.
    pub(super) fn sum_of_samples(&self, samples: &[Range<u32>; 2]) -> u64 {
        self.sum(samples, |column, row| self.heights.height(column, row).to_bits().into())
    }

    pub(super) fn sum_of_cells(&self, cells: &Cellwise) -> u64 {
        self.sum(cells, |column, row| {
            let cell = self.cells.get(column, row);
            let is_ascending = u64::from(cell.diagonal == Diagonal::Ascending);
            CELL | u64::from(cell.is_hole) << 17 | is_ascending << 16 | u64::from(cell.surface)
        })
    }

    fn sum(&self, [columns, rows]: &[Range<u32>; 2], word: impl Fn(u32, u32) -> u64) -> u64 {
        let mut sum = 0u64;
        for row in rows.clone() {
            let first = u64::from(row) * u64::from(self.columns);
            for column in columns.clone() {
                let place = (first + u64::from(column)).wrapping_mul(GOLDEN);
                sum = sum.wrapping_add(mixed(place ^ word(column, row)));
            }
        }
        sum
    }
}
