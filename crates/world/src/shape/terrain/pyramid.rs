//! The least and the greatest heights over blocks of cells.
//!
//! ```text
//!   level 0: 4 × 4 cells    level 1: 4 × 4 blocks of level 0    ...    the last level: one block
//! ```
//! Blocks contain the samples at all of their borders, and those of holes, so that to dig one changes nothing here.
//! Half a byte a sample, all levels but the first a thirtieth of it.
//!
//! Source of the idea: Musgrave, "Grid tracing: fast ray tracing for height fields", 1988, with maxima over blocks as
//! in Tevs, Ihrke and Seidel, "Maximum mipmaps for fast, accurate, and scalable dynamic height field rendering", 2008.

use super::grid::Grid;
use std::ops::Range;

/// Blocks, or cells, along a side of a block.
pub(super) const SIDE: u32 = 4;

/// All levels, finest first.
#[derive(Clone)]
pub(super) struct Pyramid {
    levels: Vec<Level>,
}

#[derive(Clone)]
struct Level {
    columns: u32,
    rows: u32,
    /// Least and greatest.
    ranges: Grid<[f32; 2]>,
}

impl Pyramid {
    /// Over so many columns and rows of cells.
    pub(super) fn new(heights: &Grid<f32>, columns: u32, rows: u32) -> Self {
        let (mut levels, mut size) = (vec![], [columns, rows]);
        loop {
            size = size.map(|count| count.div_ceil(SIDE));
            let [columns, rows] = size;
            levels.push(Level { columns, rows, ranges: Grid::new(columns, rows, |_, _| [0.0; 2]) });
            if size == [1, 1] {
                break;
            }
        }
        let mut pyramid = Self { levels };
        pyramid.update(heights, [columns, rows], [0..columns, 0..rows]);
        pyramid
    }

    /// After the heights of these cells have changed, of so many columns and rows.
    pub(super) fn update(&mut self, heights: &Grid<f32>, cells: [u32; 2], changed: [Range<u32>; 2]) {
        let (mut below, mut changed) = (cells, changed);
        for level in 0..self.levels.len() {
            changed = changed.map(|range| range.start / SIDE..range.end.div_ceil(SIDE));
            let [columns, rows] = &changed;
            for row in rows.clone() {
                for column in columns.clone() {
                    let [c, r] = [(column, below[0]), (row, below[1])]
                        .map(|(block, count)| block * SIDE..(block * SIDE + SIDE).min(count));
                    let range = if level == 0 {
                        range_of(c.start..c.end + 1, r.start..r.end + 1, |c, r| [heights.get(c, r); 2])
                    } else {
                        range_of(c, r, |c, r| self.range(level - 1, c, r))
                    };
                    self.levels[level].ranges.set(column, row, range);
                }
            }
            below = self.size(level);
        }
    }

    /// The number of levels.
    pub(super) fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Columns and rows of blocks.
    #[inline]
    pub(super) fn size(&self, level: usize) -> [u32; 2] {
        [self.levels[level].columns, self.levels[level].rows]
    }

    /// The least and the greatest height in a block.
    #[inline]
    pub(super) fn range(&self, level: usize, column: u32, row: u32) -> [f32; 2] {
        self.levels[level].ranges.get(column, row)
    }

    /// Those of all samples.
    pub(super) fn whole(&self) -> [f32; 2] {
        self.range(self.levels.len() - 1, 0, 0)
    }

    pub(super) fn memory(&self) -> usize {
        self.levels.iter().map(|level| size_of::<Level>() + level.ranges.memory()).sum()
    }
}

fn range_of(columns: Range<u32>, rows: Range<u32>, range: impl Fn(u32, u32) -> [f32; 2]) -> [f32; 2] {
    let ranges = rows.flat_map(|row| columns.clone().map(move |column| (column, row)));
    ranges.fold([f32::INFINITY, f32::NEG_INFINITY], |[least, greatest], (column, row)| {
        let [low, high] = range(column, row);
        [least.min(low), greatest.max(high)]
    })
}
