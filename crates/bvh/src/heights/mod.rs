//! A surface given by heights over a grid, and which of its cells a query meets.
//!
//! ```text
//!   pyramid   the least and greatest heights of blocks of 4 × 4 cells, of 4 × 4 such blocks, ...
//!      │
//!   samples   tiles of 4 × 4 heights; a cell has four of these at its corners
//! ```
//! Nothing that follows from the grid is stored. All data is in pages that clones share until one of them is edited.
//!
//! Reading order: this file; [`samples`] and [`pyramid`], what is stored; [`walk`], which cells a probe passes over,
//! and [`start`], where the walk begins.

mod pyramid;
mod samples;
mod start;
#[cfg(test)]
mod tests;
mod walk;

use crate::lanes::{LANES, Level, level, vectorized};
use cullide_narrowphase::{Mapped, glam::Vec2};
use pyramid::Pyramid;
use samples::Samples;
use std::{
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
};

/// The number of smaller blocks, or cells, along a side of a block.
const SIDE: u32 = 4;

const _: () = assert!((SIDE * SIDE) as usize == LANES);

/// Heights over a grid of columns along x and rows along z; y is up. Neighbouring columns and rows of samples are as
/// far apart as the spacing of the grid, up to the rounding of their positions to `f32`. Four samples enclose a cell:
/// whatever surface there is in it, it lies between the least and the greatest of the four heights.
///
/// Clones share memory until one of them is edited.
///
/// ```
/// use cullide_bvh::{HeightField, Probe, Visit, narrowphase::{Ray, glam::{Vec2, Vec3}}};
/// let slope = HeightField::new([9, 5], Vec2::ZERO, Vec2::splat(2.0), |column, _| column as f32);
/// let down = Ray::new(Vec3::new(7.0, 20.0, 3.0), Vec3::NEG_Y)?;
/// let mut met = vec![];
/// slope.walk(&Probe::ray(&down, 100.0), |column, row, heights| {
///     met.push((column, row, heights));
///     Visit::Continue
/// });
/// assert_eq!(met, [(3, 1, [3.0, 4.0, 3.0, 4.0])]);
/// # Ok::<(), cullide_bvh::narrowphase::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct HeightField {
    level: Level,
    origin: [f32; 2],
    spacing: [f32; 2],
    /// Upper bounds on the absolute coordinates of all columns, and of all rows.
    farthest: [f32; 2],
    samples: Samples,
    pyramid: Pyramid,
}

impl HeightField {
    /// Creates a field with this many columns and rows of samples, at least two of each. `origin` is the position of
    /// the first column and row along x and z, and `spacing` the distance between neighbouring ones.
    pub fn new(samples: [u32; 2], origin: Vec2, spacing: Vec2, height: impl FnMut(u32, u32) -> f32) -> Self {
        let heights = Samples::new(samples, height);
        let pyramid = Pyramid::new(&heights, samples.mapped(|count| count - 1));
        let (origin, spacing) = (origin.to_array(), spacing.to_array());
        let farthest = [0, 1].mapped(|i| origin[i].abs() + samples[i] as f32 * spacing[i]);
        Self { level: level(), origin, spacing, farthest, samples: heights, pyramid }
    }

    /// Returns the height of a sample, bit for bit as it was given.
    ///
    /// # Panics
    /// For a column or a row far past the last.
    #[inline]
    pub fn height(&self, column: u32, row: u32) -> f32 {
        self.samples.get(column, row)
    }

    /// Returns the heights at the corners of a cell: in its row, those of its column and the next one, then both in the
    /// next row.
    ///
    /// # Panics
    /// For a column or a row far past the last.
    #[inline]
    pub fn corners(&self, column: u32, row: u32) -> [f32; 4] {
        let height = |right, below| self.height(column + right, row + below);
        [height(0, 0), height(1, 0), height(0, 1), height(1, 1)]
    }

    /// Replaces the heights of the samples in some columns and rows. If `height` panics, those before that are replaced.
    ///
    /// # Panics
    /// For a column or a row past the last.
    ///
    /// ```
    /// # use cullide_bvh::{HeightField, narrowphase::glam::Vec2};
    /// let mut field = HeightField::new([9, 9], Vec2::ZERO, Vec2::ONE, |_, _| 0.0);
    /// field.edit([2..4, 7..8], |column, _| column as f32);
    /// assert_eq!((field.height(3, 7), field.height(4, 7), field.range()), (3.0, 0.0, [0.0, 3.0]));
    /// ```
    pub fn edit(&mut self, samples: [Range<u32>; 2], mut height: impl FnMut(u32, u32) -> f32) {
        let [columns, rows] = &samples;
        if columns.is_empty() || rows.is_empty() {
            return;
        }
        let cells = self.blocks(0);
        assert!(columns.end <= cells[0] + 1 && rows.end <= cells[1] + 1, "there are fewer columns or rows");
        let set = || {
            for row in rows.clone() {
                for column in columns.clone() {
                    self.samples.set(column, row, height(column, row));
                }
            }
        };
        let end = catch_unwind(AssertUnwindSafe(set));
        let around = |i: usize| samples[i].start.saturating_sub(1)..samples[i].end.min(cells[i]);
        self.pyramid.update(&self.samples, [around(0), around(1)]);
        end.unwrap_or_else(|panic| resume_unwind(panic));
    }

    /// Returns the least and the greatest of all heights.
    pub fn range(&self) -> [f32; 2] {
        self.range_of(self.last_level(), 0, 0)
    }

    /// Returns the level of the block that contains all cells. A block of level `n` consists of 4 × 4 blocks of the
    /// level below, or of fewer at the end of columns and rows; a cell is a block of level 0.
    pub fn last_level(&self) -> usize {
        self.pyramid.last()
    }

    /// Returns the number of columns and rows of blocks of a level.
    ///
    /// # Panics
    /// For a level past the last.
    #[inline]
    pub fn blocks(&self, level: usize) -> [u32; 2] {
        self.pyramid.size(level)
    }

    /// Returns the least and the greatest height in a block.
    ///
    /// # Panics
    /// For a level, a column or a row far past the last.
    ///
    /// ```
    /// # use cullide_bvh::{HeightField, narrowphase::glam::Vec2};
    /// let field = HeightField::new([9, 5], Vec2::ZERO, Vec2::ONE, |column, row| (column + 10 * row) as f32);
    /// assert_eq!([field.range_of(0, 1, 2), field.range_of(1, 1, 0)], [[21.0, 32.0], [4.0, 48.0]]);
    /// assert_eq!((field.last_level(), field.blocks(1)), (2, [2, 1]));
    /// ```
    #[inline]
    pub fn range_of(&self, level: usize, column: u32, row: u32) -> [f32; 2] {
        if level > 0 {
            return self.pyramid.range(level, column, row);
        }
        let [a, b, d, e] = self.corners(column, row);
        [a.min(b).min(d.min(e)), a.max(b).max(d.max(e))]
    }

    /// Returns the least and the greatest heights of the sixteen blocks (or cells) of a level that are in a block of
    /// the next level, row by row. The values for blocks that do not exist are arbitrary.
    ///
    /// # Panics
    /// For a level, a column or a row far past the last.
    ///
    /// ```
    /// # use cullide_bvh::{HeightField, narrowphase::glam::Vec2};
    /// let field = HeightField::new([9, 5], Vec2::ZERO, Vec2::ONE, |column, row| (column + 10 * row) as f32);
    /// let [least, greatest] = field.ranges_in(0, 1, 0);
    /// assert_eq!([least[6], greatest[6]], [16.0, 27.0]);
    /// ```
    pub fn ranges_in(&self, level: usize, column: u32, row: u32) -> [[f32; 16]; 2] {
        if level > 0 {
            return self.pyramid.ranges(level, column, row).sides;
        }
        vectorized!(self.level, simd => {
            Samples::ranges(self.samples.corners(simd, column, row)).mapped(|side| side.into())
        })
    }

    /// Returns the memory in bytes, which clones share until one of them is edited.
    pub fn memory(&self) -> usize {
        self.samples.memory() + self.pyramid.memory()
    }
}
