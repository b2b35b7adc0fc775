//! The height of a terrain over a point of its grid.

use super::{Diagonal, Terrain, TerrainData};
use cullide_narrowphase::{Mapped, glam::Vec3};

impl Terrain {
    /// Returns the height of the surface at `x` and `z`, in the terrain's own coordinates, computed in `f64` and
    /// rounded once; at a sample it is the sample's height, bit for bit. `None` in a hole, beyond the border, and for a
    /// NaN. For a terrain that is placed elsewhere, cast a ray instead, which is as exact and takes all objects into
    /// account.
    ///
    /// ```
    /// # use cullide_world::{Terrain, glam::Vec2};
    /// let mut slope = Terrain::new(3, 2, &[0.0, 0.0, 8.0, 0.0, 0.0, 8.0], Vec2::new(2.0, 4.0), Vec2::ZERO)?;
    /// assert_eq!(slope.height_at(2.5, 1.0), Some(2.0));
    /// slope.dig(1..2, 0..1)?;
    /// assert_eq!([slope.height_at(2.5, 1.0), slope.height_at(1.5, 1.0)], [None, Some(0.0)]);
    /// assert_eq!(slope.height_at(-0.5, 1.0), None);
    /// # Ok::<(), cullide_world::TerrainError>(())
    /// ```
    pub fn height_at(&self, x: f32, z: f32) -> Option<f32> {
        let (column, row, at) = self.0.cell_at(x, z)?;
        Some(self.0.height_in(column, row, at))
    }

    /// Returns the number of the triangle at `x` and `z`, in the terrain's own coordinates; of several that meet there,
    /// it is always the same one. `None` where [`Terrain::height_at`] is.
    ///
    /// ```
    /// # use cullide_world::{Terrain, glam::Vec2};
    /// let field = Terrain::new(3, 2, &[0.0; 6], Vec2::ONE, Vec2::ZERO)?;
    /// assert_eq!([field.triangle_at(1.2, 0.2), field.triangle_at(1.8, 0.8)], [Some(2), Some(3)]);
    /// assert_eq!(field.triangle_at(2.5, 0.5), None);
    /// # Ok::<(), cullide_world::TerrainError>(())
    /// ```
    pub fn triangle_at(&self, x: f32, z: f32) -> Option<u32> {
        let (column, row, [u, v]) = self.0.cell_at(x, z)?;
        let is_second = match self.0.cells.get(column, row).diagonal {
            Diagonal::Descending => u + v > 1.0,
            Diagonal::Ascending => u > v,
        };
        Some(2 * (row * (self.columns() - 1) + column) + u32::from(is_second))
    }

    /// Returns the unit normal of the [triangle](Terrain::triangle_at) at `x` and `z`, which leads upward: its y is the
    /// cosine of the slope. `None` where [`Terrain::height_at`] is.
    ///
    /// ```
    /// # use cullide_world::{Terrain, glam::{Vec2, Vec3}};
    /// let slope = Terrain::new(2, 2, &[0.0, 3.0, 0.0, 3.0], Vec2::splat(4.0), Vec2::ZERO)?;
    /// assert_eq!(slope.normal_at(1.0, 1.0), Some(Vec3::new(-0.6, 0.8, 0.0)));
    /// # Ok::<(), cullide_world::TerrainError>(())
    /// ```
    pub fn normal_at(&self, x: f32, z: f32) -> Option<Vec3> {
        self.triangle(self.triangle_at(x, z)?).map(|triangle| triangle.normal())
    }
}

impl TerrainData {
    /// Returns a cell that is no hole, and the fractions of its width and of its depth at which a point is.
    fn cell_at(&self, x: f32, z: f32) -> Option<(u32, u32, [f64; 2])> {
        // Of the cells whose border the point is on, one may be a hole.
        let columns = cells_at(self.columns, |column| self.x(column), x);
        let rows = cells_at(self.rows, |row| self.z(row), z);
        for (row, v) in rows.into_iter().flatten() {
            for (column, u) in columns.into_iter().flatten() {
                if !self.cells.get(column, row).is_hole {
                    return Some((column, row, [u, v]));
                }
            }
        }
        None
    }

    /// Returns the height in a cell at the fractions `u` of its width and `v` of its depth.
    fn height_in(&self, column: u32, row: u32, [u, v]: [f64; 2]) -> f32 {
        let cell = self.cells.get(column, row);
        let [a, b, d, e] = self.heights.corners(column, row).mapped(f64::from);
        // Weights of the corners, each 0 or 1 at a sample.
        let height = match cell.diagonal {
            Diagonal::Descending if u + v <= 1.0 => a * (1.0 - u - v) + b * u + d * v,
            Diagonal::Descending => e * (u + v - 1.0) + b * (1.0 - v) + d * (1.0 - u),
            Diagonal::Ascending if u <= v => a * (1.0 - v) + e * u + d * (v - u),
            Diagonal::Ascending => a * (1.0 - u) + e * v + b * (u - v),
        };
        height as f32
    }
}

/// Returns the cells along one side of the grid that `place` belongs to (two on a border between them), and the
/// fraction of each at which it lies. `at` returns where a sample is, after rounding, so that some may coincide.
fn cells_at(samples: u32, at: impl Fn(u32) -> f32, place: f32) -> [Option<(u32, f64)>; 2] {
    let next = [first(samples, |sample| at(sample) >= place), first(samples, |sample| at(sample) > place)];
    let before = |next: u32| {
        let cell = next.checked_sub(1).filter(|_| next < samples)?;
        let (low, high) = (f64::from(at(cell)), f64::from(at(next)));
        Some((cell, (f64::from(place) - low) / (high - low)))
    };
    [before(next[0]), before(next[1]).filter(|_| next[1] != next[0])]
}

/// Returns the first number for which `holds` is true, which must then be true for all after it; `end` if it is for
/// none.
fn first(end: u32, holds: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (0, end);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    low
}
