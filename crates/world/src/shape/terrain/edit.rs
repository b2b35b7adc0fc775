//! Edits of a terrain, at the cost of what changes.

use super::{Cell, Cellwise, Diagonal, Terrain, TerrainData, TerrainError, check};
use cullide_narrowphase::{Aabb, Mapped};
use std::{
    ops::Range,
    sync::{Arc, OnceLock},
};

impl Terrain {
    /// Sets the heights of the samples in some columns and rows, row by row.
    ///
    /// Terrains that share these samples are not changed. The pyramid above the samples is recomputed. For a terrain in
    /// a world, see [`ObjectMut::edit_terrain`](crate::ObjectMut::edit_terrain).
    ///
    /// # Errors
    /// [`TerrainError::Outside`], [`TerrainError::Count`], [`TerrainError::BadSample`]; then nothing has changed.
    ///
    /// ```
    /// # use cullide_world::{Terrain, glam::Vec2};
    /// let mut terrain = Terrain::new(9, 9, &[0.0; 81], Vec2::ONE, Vec2::ZERO)?;
    /// terrain.edit(2..4, 7..8, &[-1.0, 5.0])?;
    /// assert_eq!((terrain.height(3, 7), terrain.aabb().max().y), (Some(5.0), 5.0));
    /// # Ok::<(), cullide_world::TerrainError>(())
    /// ```
    pub fn edit(&mut self, columns: Range<u32>, rows: Range<u32>, heights: &[f32]) -> Result<(), TerrainError> {
        let (width, count) = size((&columns, &rows), (self.columns(), self.rows()))?;
        if heights.len() != count {
            return Err(TerrainError::Count { values: heights.len(), expected: count });
        }
        if count == 0 {
            return Ok(());
        }
        let mut is_same = true;
        for (row, heights) in rows.clone().zip(heights.chunks(width)) {
            for (column, height) in columns.clone().zip(heights) {
                check(*height, "height").map_err(|error| TerrainError::BadSample { column, row, error })?;
                is_same &= self.0.heights.height(column, row).to_bits() == height.to_bits();
            }
        }
        if is_same {
            return Ok(());
        }
        let cells = [self.columns() - 1, self.rows() - 1];
        let around = |samples: &Range<u32>, cells: u32| samples.start.saturating_sub(1)..samples.end.min(cells);
        let changed = [around(&columns, cells[0]), around(&rows, cells[1])];
        let first = (columns.start, rows.start);
        let at = |column, row| heights[(row - first.1) as usize * width + (column - first.0) as usize];
        let samples = [columns, rows];
        self.change(changed, &|data| data.sum_of_samples(&samples), &mut |data| data.heights.edit(samples.clone(), at));
        Ok(())
    }

    /// Turns the cells in some columns and rows into holes, which nothing meets.
    ///
    /// # Errors
    /// [`TerrainError::Outside`]; then nothing has changed.
    ///
    /// ```
    /// # use cullide_world::{Terrain, glam::Vec2};
    /// let mut terrain = Terrain::new(9, 9, &[0.0; 81], Vec2::ONE, Vec2::ZERO)?;
    /// terrain.dig(0..3, 5..8)?;
    /// assert_eq!((terrain.is_hole(2, 7), terrain.is_hole(3, 7)), (Some(true), Some(false)));
    /// # Ok::<(), cullide_world::TerrainError>(())
    /// ```
    pub fn dig(&mut self, columns: Range<u32>, rows: Range<u32>) -> Result<(), TerrainError> {
        self.edit_cells(columns, rows, &|cell| cell.is_hole = true)
    }

    /// Fills holes again: the opposite of [`Terrain::dig`].
    ///
    /// # Errors
    /// [`TerrainError::Outside`]; then nothing has changed.
    pub fn fill(&mut self, columns: Range<u32>, rows: Range<u32>) -> Result<(), TerrainError> {
        self.edit_cells(columns, rows, &|cell| cell.is_hole = false)
    }

    /// Cuts the cells in some columns and rows along a diagonal.
    ///
    /// # Errors
    /// [`TerrainError::Outside`]; then nothing has changed.
    pub fn set_diagonal(
        &mut self,
        columns: Range<u32>,
        rows: Range<u32>,
        diagonal: Diagonal,
    ) -> Result<(), TerrainError> {
        self.edit_cells(columns, rows, &|cell| cell.diagonal = diagonal)
    }

    /// Sets the caller's number of the cells in some columns and rows, which hits report. Once a terrain has had more
    /// than 63 different numbers, it takes two more bytes per cell.
    ///
    /// # Errors
    /// [`TerrainError::Outside`]; then nothing has changed.
    ///
    /// ```
    /// # use cullide_world::{Terrain, glam::Vec2};
    /// let mut terrain = Terrain::new(9, 9, &[0.0; 81], Vec2::ONE, Vec2::ZERO)?;
    /// terrain.set_surface(0..8, 5..8, 300)?;
    /// assert_eq!((terrain.surface(2, 4), terrain.surface(2, 5)), (Some(0), Some(300)));
    /// # Ok::<(), cullide_world::TerrainError>(())
    /// ```
    pub fn set_surface(&mut self, columns: Range<u32>, rows: Range<u32>, surface: u16) -> Result<(), TerrainError> {
        self.edit_cells(columns, rows, &|cell| cell.surface = surface)
    }

    fn edit_cells(
        &mut self,
        columns: Range<u32>,
        rows: Range<u32>,
        edit: &dyn Fn(&mut Cell),
    ) -> Result<(), TerrainError> {
        let (_, count) = size((&columns, &rows), (self.columns() - 1, self.rows() - 1))?;
        let edited = |data: &TerrainData, column, row| {
            let mut cell = data.cells.get(column, row);
            edit(&mut cell);
            cell
        };
        let is_same = |column, row| edited(&self.0, column, row) == self.0.cells.get(column, row);
        if count == 0 || rows.clone().all(|row| columns.clone().all(|column| is_same(column, row))) {
            return Ok(());
        }
        let changed = [columns.clone(), rows.clone()];
        self.change(changed.clone(), &|data| data.sum_of_cells(&changed), &mut |data| {
            for row in rows.clone() {
                for column in columns.clone() {
                    data.cells.set(column, row, edited(data, column, row));
                }
            }
        });
        Ok(())
    }

    /// Sets all cells, row by row.
    #[cfg(feature = "serde")]
    pub(super) fn set_cells(&mut self, cells: impl Iterator<Item = Cell>) {
        let (columns, rows) = (self.columns() - 1, self.rows() - 1);
        let all = [0..columns, 0..rows];
        let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        let mut set = places.zip(cells);
        self.change(all.clone(), &|data| data.sum_of_cells(&all), &mut |data| {
            set.by_ref().for_each(|((column, row), cell)| data.cells.set(column, row, cell));
        });
    }

    /// Edits the data, which changes in these cells, and by what it contains of the sum of all hashes.
    fn change(
        &mut self,
        cells: Cellwise,
        sum_of_edited: &dyn Fn(&TerrainData) -> u64,
        edit: &mut dyn FnMut(&mut TerrainData),
    ) {
        let data = Arc::make_mut(&mut self.0);
        // Whoever has not asked for it pays nothing.
        let others = data.sum.get().map(|sum| sum.wrapping_sub(sum_of_edited(data)));
        edit(data);
        data.sum = others.map_or_else(OnceLock::new, |sum| sum.wrapping_add(sum_of_edited(data)).into());
        data.edited = match &data.edited {
            known if known.iter().any(Range::is_empty) => cells,
            known => [0, 1].mapped(|i| known[i].start.min(cells[i].start)..known[i].end.max(cells[i].end)),
        };
    }

    /// Calls `edit`, and returns its result and a box around what it changed, before and after; `None` if it changed
    /// nothing.
    pub(super) fn edited<R>(&mut self, edit: impl FnOnce(&mut Self) -> R) -> (R, Option<Aabb>) {
        let before = self.aabb();
        Arc::make_mut(&mut self.0).edited = [0..0, 0..0];
        // Another terrain put in its place may differ anywhere.
        let was = Arc::as_ptr(&self.0);
        let result = edit(self);
        let after = self.aabb();
        if was != Arc::as_ptr(&self.0) {
            return (result, Some(before.union(&after)));
        }
        let [columns, rows] = self.0.edited.clone();
        let heights = [before.min().y.min(after.min().y), before.max().y.max(after.max().y)];
        let is_changed = !columns.is_empty() && !rows.is_empty();
        (result, is_changed.then(|| self.0.block((columns, rows), heights)))
    }
}

/// Returns how many columns, and how many places in all, there are in these ranges, if they lie in the grid.
fn size(
    (columns, rows): (&Range<u32>, &Range<u32>),
    (width, height): (u32, u32),
) -> Result<(usize, usize), TerrainError> {
    if columns.end > width || rows.end > height {
        return Err(TerrainError::Outside);
    }
    Ok((columns.len(), columns.len() * rows.len()))
}
