//! The least and the greatest heights over blocks of cells.
//!
//! ```text
//!   level 1: blocks of 4 × 4 cells    level 2: of 4 × 4 of these    ...    the last level: one block
//! ```
//! The heights of the sixteen blocks in a block are stored side by side, as rows of lanes. Blocks include the samples
//! on all of their borders. A sample costs half a byte; all levels but the first take a thirtieth of that.
//!
//! Source of the idea: Musgrave, "Grid tracing: fast ray tracing for height fields", 1988, with maxima over blocks as
//! in Tevs, Ihrke and Seidel, "Maximum mipmaps for fast, accurate, and scalable dynamic height field rendering", 2008.

use super::{LANES, SIDE, samples::Samples};
use crate::{grid::CowGrid, lanes::Row};
use cullide_narrowphase::Mapped;
use std::ops::Range;

/// The heights of all levels.
#[derive(Clone, Debug)]
pub(super) struct Pyramid {
    /// The number of columns and rows of cells, of blocks of level 1, and so on.
    sizes: Vec<[u32; 2]>,
    /// All levels but the last, level 1 first.
    levels: Vec<CowGrid<Ranges>>,
    whole: [f32; 2],
}

/// The contents of a block: the least and the greatest heights of sixteen blocks, row by row.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct Ranges {
    pub(super) sides: [Row; 2],
}

impl Pyramid {
    /// The pyramid over all cells between these samples.
    pub(super) fn new(samples: &Samples, cells: [u32; 2]) -> Self {
        let (mut sizes, mut levels) = (vec![cells], vec![]);
        let mut size = cells;
        loop {
            size = size.mapped(|count| count.div_ceil(SIDE));
            sizes.push(size);
            if size == [1, 1] {
                break;
            }
            let [columns, rows] = size.mapped(|count| count.div_ceil(SIDE));
            levels.push(CowGrid::new(columns, rows, |_, _| Ranges::default()));
        }
        let mut pyramid = Self { sizes, levels, whole: [0.0; 2] };
        pyramid.update(samples, cells.mapped(|count| 0..count));
        pyramid
    }

    /// Updates all levels after the heights of these cells have changed.
    pub(super) fn update(&mut self, samples: &Samples, changed: [Range<u32>; 2]) {
        let mut changed = changed;
        for level in 1..self.sizes.len() {
            changed = changed.mapped(|range| range.start / SIDE..range.end.div_ceil(SIDE));
            let [columns, rows] = &changed;
            for row in rows.clone() {
                for column in columns.clone() {
                    let range = self.range_within(samples, level, [column, row]);
                    match self.levels.get_mut(level - 1) {
                        Some(ranges) => {
                            let [low, high] = &mut ranges.at_mut(column / SIDE, row / SIDE).sides;
                            let lane = lane_of(column, row);
                            [low[lane], high[lane]] = range;
                        }
                        None => self.whole = range,
                    }
                }
            }
        }
    }

    /// The least and the greatest height in a block, computed from the level below.
    fn range_within(&self, samples: &Samples, level: usize, block: [u32; 2]) -> [f32; 2] {
        let inner = |i: usize| block[i] * SIDE..(block[i] * SIDE + SIDE).min(self.sizes[level - 1][i]);
        let (columns, rows) = (inner(0), inner(1));
        if level == 1 {
            range_of(columns.start..columns.end + 1, rows.start..rows.end + 1, |c, r| [samples.get(c, r); 2])
        } else {
            range_of(columns, rows, |c, r| self.range(level - 1, c, r))
        }
    }

    /// The number of the last level.
    pub(super) fn last(&self) -> usize {
        self.levels.len() + 1
    }

    /// The number of columns and rows of blocks; of cells for level 0.
    #[inline]
    pub(super) fn size(&self, level: usize) -> [u32; 2] {
        self.sizes[level]
    }

    /// The ranges of the blocks of a level that are in a block of the next level.
    #[inline(always)]
    pub(super) fn ranges(&self, level: usize, column: u32, row: u32) -> &Ranges {
        self.levels[level - 1].at(column, row)
    }

    /// The least and the greatest height in a block of level 1 or above.
    #[inline]
    pub(super) fn range(&self, level: usize, column: u32, row: u32) -> [f32; 2] {
        match self.levels.get(level - 1) {
            Some(ranges) => ranges.at(column / SIDE, row / SIDE).sides.mapped(|side| side[lane_of(column, row)]),
            None => self.whole,
        }
    }

    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.sizes) + self.levels.iter().map(|level| size_of_val(level) + level.memory()).sum::<usize>()
    }
}

/// The lane of a block, or a cell, within the block around it.
#[inline(always)]
pub(super) fn lane_of(column: u32, row: u32) -> usize {
    (row % SIDE * SIDE + column % SIDE) as usize % LANES
}

fn range_of(columns: Range<u32>, rows: Range<u32>, range: impl Fn(u32, u32) -> [f32; 2]) -> [f32; 2] {
    let ranges = rows.flat_map(|row| columns.clone().map(move |column| (column, row)));
    ranges.fold([f32::INFINITY, f32::NEG_INFINITY], |[least, greatest], (column, row)| {
        let [low, high] = range(column, row);
        [least.min(low), greatest.max(high)]
    })
}
