//! A surface given by heights over a grid.
//!
//! ```text
//!   row + 1   d ───── e        Descending          Ascending
//!             │       │        d ─── e             d ─── e
//!             │ cell  │        │ 0 ╲ │  b–d        │ 0 ╱ │  a–e      numbers of triangles:
//!   row       a ───── b        a ─── b  is cut     a ─── b  is cut   2 · cell + half
//!         column   column + 1
//! ```
//! Nothing is stored that the grid knows: four bytes a height, one a cell once any differs from the others, and half a
//! byte for the least and greatest heights over blocks of 4 × 4 cells, of 4 × 4 such blocks and so on. All are in pages
//! that clones share until one of them is edited. Heights and blocks are those of a [`HeightField`], which tells over
//! which cells a way leads.
//!
//! Reading order: this file, building and reading; [`cells`], what is stored beside heights; [`edit`], changes;
//! [`placed`], a terrain at a place; [`height`], its height at a point; [`parts`] and [`query`], other questions.

mod cells;
mod edit;
mod height;
mod parts;
pub(crate) mod placed;
mod query;
#[cfg(feature = "serde")]
mod saved;

use crate::scene::hash;
pub use cells::Diagonal;
use cells::{Cell, Cells};
use cullide_bvh::HeightField;
use cullide_narrowphase::{
    Aabb, Error, Sides, Triangle,
    glam::{Vec2, Vec3},
};
use std::{
    fmt,
    ops::Range,
    sync::{Arc, OnceLock},
};

/// A surface given by heights over a grid of columns along x and rows along z; y is up.
///
/// Each cell between four samples is two triangles, whose front is above. The triangles of cell `c`, counted along
/// the columns of the first row, then of the second and so on, have the numbers `2 c` and `2 c + 1`. A cell may be a
/// hole, may be cut along either [`Diagonal`] and has a `u16` of the caller's, its material perhaps, that hits tell.
///
/// Geometry is what was given: heights are read back bit for bit, and the vertex of a sample is
/// `(origin.x + column · spacing.x, height, origin.y + row · spacing.y)`, computed in `f64` and rounded to `f32`. Where
/// these sums need no rounding, as those of numbers of few digits such as 0.5 or 16, terrains whose origins are
/// vertices of a larger one have its vertices, and answer as it does. And always two terrains join without a gap along
/// a border that both have whole, if heights there are the same and the origin of one is the
/// [vertex](Terrain::vertex) of the other where it ends.
///
/// What moves meets a terrain of [`Sides::Front`] from above only; one of [`Sides::Both`], as it is at first, from
/// above and below.
///
/// A clone costs nothing until one of both is edited. Then the first edit copies the table of pages, some microseconds
/// for four million samples, and each page that it writes to, of 64 KB.
///
/// ```
/// use cullide_world::{Filter, Object, Terrain, World, narrowphase::Ray, glam::{Vec2, Vec3}};
/// let heights = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
/// let slope = Terrain::new(3, 2, &heights, Vec2::new(2.0, 4.0), Vec2::ZERO)?;
/// let mut world = World::new();
/// let key = world.insert(Object::fixed(slope));
/// let down = Ray::new(Vec3::new(3.0, 9.0, 2.0), Vec3::NEG_Y)?;
/// let hit = world.cast_ray(&down, f32::INFINITY, &Filter::ALL).unwrap();
/// assert_eq!((hit.target, hit.part, hit.distance), (key.into(), 2, 8.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Terrain(Arc<TerrainData>);

/// What the clones of a terrain share.
#[derive(Clone)]
struct TerrainData {
    /// Of samples.
    columns: u32,
    rows: u32,
    spacing: Vec2,
    origin: Vec2,
    sides: Sides,
    heights: HeightField,
    cells: Cells,
    hash: OnceLock<u64>,
    /// Where it was changed since it was made or this was forgotten.
    edited: Cellwise,
}

/// The columns and rows of some cells, as ranges.
type Cellwise = [Range<u32>; 2];

/// The largest coordinate of a vertex: a terrain may be put anywhere up to twice that far, turned by any angle, and is
/// within the range of coordinates there whatever heights it is given later.
pub(crate) const MAX_COORDINATE: f32 = (1u32 << 28) as f32;

/// Cells at most, so that there are fewer than 2^31 triangles.
const MAX_CELLS: u64 = 1 << 30;

/// Why there is no such terrain, or no such change of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TerrainError {
    /// There are fewer than two columns or rows of samples, or more than 2^30 cells.
    Size {
        /// Columns of samples.
        columns: u32,
        /// Rows of samples.
        rows: u32,
    },
    /// There is not one value for each sample or cell that is named.
    Count {
        /// How many there are.
        values: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A height is no number within ±2^28.
    BadSample {
        /// The column of the sample.
        column: u32,
        /// The row of the sample.
        row: u32,
        /// What is wrong with it.
        error: Error,
    },
    /// A spacing is no number above zero, the origin no point, or the columns or rows do not stay within ±2^28.
    BadGrid(Error),
    /// Samples or cells are named beyond the last column or row.
    Outside,
}

impl fmt::Display for TerrainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size { columns, rows } => {
                write!(
                    f,
                    "{columns} columns and {rows} rows: a terrain has two of each at least, and 2^30 cells at most"
                )
            }
            Self::Count { values, expected } => write!(f, "{values} values where there should be {expected}"),
            Self::BadSample { column, row, error } => write!(f, "the sample in column {column}, row {row}: {error}"),
            Self::BadGrid(error) => error.fmt(f),
            Self::Outside => write!(f, "there are fewer columns or rows"),
        }
    }
}

impl std::error::Error for TerrainError {}

impl Terrain {
    /// The terrain of `columns` × `rows` samples with these heights, row after row. Two-sided, without holes, cut
    /// along [`Diagonal::Descending`], of surface 0. `spacing` and `origin` are along x and z.
    ///
    /// # Errors
    /// [`TerrainError::Size`], [`TerrainError::Count`], [`TerrainError::BadGrid`], and [`TerrainError::BadSample`] with
    /// the first that is wrong.
    ///
    /// ```
    /// # use cullide_world::{Terrain, TerrainError, glam::Vec2, narrowphase::Error};
    /// let new = |heights: &[f32]| Terrain::new(2, 2, heights, Vec2::ONE, Vec2::ZERO);
    /// assert_eq!(new(&[1.0, 2.0, 3.0, 4.0]).unwrap().height(0, 1), Some(3.0));
    /// let error = Error::NonFinite { field: "height" };
    /// assert_eq!(new(&[1.0, f32::NAN, 3.0, 4.0]), Err(TerrainError::BadSample { column: 1, row: 0, error }));
    /// ```
    pub fn new(columns: u32, rows: u32, heights: &[f32], spacing: Vec2, origin: Vec2) -> Result<Self, TerrainError> {
        let cells = u64::from(columns.saturating_sub(1)) * u64::from(rows.saturating_sub(1));
        if !(1..=MAX_CELLS).contains(&cells) {
            return Err(TerrainError::Size { columns, rows });
        }
        let expected = columns as usize * rows as usize;
        if heights.len() != expected {
            return Err(TerrainError::Count { values: heights.len(), expected });
        }
        let origin = origin + Vec2::ZERO;
        for (origin, spacing, samples) in [(origin.x, spacing.x, columns), (origin.y, spacing.y, rows)] {
            check(origin, "origin").map_err(TerrainError::BadGrid)?;
            check(spacing, "spacing").map_err(TerrainError::BadGrid)?;
            let is_in_range = place(origin, spacing, samples - 1) <= MAX_COORDINATE;
            if spacing <= 0.0 || !is_in_range {
                return Err(TerrainError::BadGrid(Error::OutOfRange { field: "spacing" }));
            }
        }
        for (row, heights) in (0..).zip(heights.chunks(columns as usize)) {
            for (column, &height) in (0..).zip(heights) {
                check(height, "height").map_err(|error| TerrainError::BadSample { column, row, error })?;
            }
        }
        let at = |column: u32, row: u32| heights[row as usize * columns as usize + column as usize];
        let heights = HeightField::new([columns, rows], origin, spacing, at);
        let cells = Cells::new(columns - 1, rows - 1);
        let (sides, hash, edited) = (Sides::Both, OnceLock::new(), [0..columns - 1, 0..rows - 1]);
        let data = TerrainData { columns, rows, spacing, origin, sides, heights, cells, hash, edited };
        Ok(Self(Arc::new(data)))
    }

    /// The same terrain, met from above only or from both sides. [`Sides::Front`] is for ground: a rigid body that jumps
    /// off a steep ramp would be stopped by the back of the cliff beyond.
    #[must_use]
    pub fn with_sides(mut self, sides: Sides) -> Self {
        let data = Arc::make_mut(&mut self.0);
        (data.sides, data.hash) = (sides, OnceLock::new());
        data.edited = [0..data.columns - 1, 0..data.rows - 1];
        self
    }

    /// Whether it is met from above only.
    pub fn sides(&self) -> Sides {
        self.0.sides
    }

    /// Columns of samples; of cells there is one less.
    pub fn columns(&self) -> u32 {
        self.0.columns
    }

    /// Rows of samples; of cells there is one less.
    pub fn rows(&self) -> u32 {
        self.0.rows
    }

    /// The distances of columns along x and of rows along z.
    pub fn spacing(&self) -> Vec2 {
        self.0.spacing
    }

    /// Where the first column is along x, and the first row along z.
    pub fn origin(&self) -> Vec2 {
        self.0.origin
    }

    /// The number of triangles, those of holes and those without an area included.
    #[expect(clippy::len_without_is_empty, reason = "a terrain has a cell")]
    pub fn len(&self) -> usize {
        2 * (self.columns() as usize - 1) * (self.rows() as usize - 1)
    }

    /// The height of a sample, bit for bit as it was given; `None` beyond the last column or row.
    pub fn height(&self, column: u32, row: u32) -> Option<f32> {
        let is_there = column < self.columns() && row < self.rows();
        is_there.then(|| self.0.heights.height(column, row))
    }

    /// Where a sample is; `None` beyond the last column or row.
    ///
    /// ```
    /// # use cullide_world::{Terrain, glam::{Vec2, Vec3}};
    /// let terrain = Terrain::new(2, 2, &[1.0, 2.0, 3.0, 4.0], Vec2::new(0.5, 2.0), Vec2::new(10.0, 20.0))?;
    /// assert_eq!(terrain.vertex(1, 1), Some(Vec3::new(10.5, 4.0, 22.0)));
    /// # Ok::<(), cullide_world::TerrainError>(())
    /// ```
    pub fn vertex(&self, column: u32, row: u32) -> Option<Vec3> {
        self.height(column, row).map(|_| self.0.vertex(column, row))
    }

    /// Whether there is nothing in a cell; `None` beyond the last column or row of cells.
    pub fn is_hole(&self, column: u32, row: u32) -> Option<bool> {
        self.cell(column, row).map(|cell| cell.is_hole)
    }

    /// Along which diagonal a cell is cut; `None` beyond the last column or row of cells.
    pub fn diagonal(&self, column: u32, row: u32) -> Option<Diagonal> {
        self.cell(column, row).map(|cell| cell.diagonal)
    }

    /// The caller's number of a cell; `None` beyond the last column or row of cells.
    pub fn surface(&self, column: u32, row: u32) -> Option<u16> {
        self.cell(column, row).map(|cell| cell.surface)
    }

    /// The column and the row of the cell of which a triangle is a half; `None` for a number that is too large.
    ///
    /// ```
    /// # use cullide_world::{Terrain, glam::Vec2};
    /// let terrain = Terrain::new(4, 3, &[0.0; 12], Vec2::ONE, Vec2::ZERO)?;
    /// assert_eq!((terrain.cell_of(9), terrain.cell_of(12)), (Some((1, 1)), None));
    /// # Ok::<(), cullide_world::TerrainError>(())
    /// ```
    pub fn cell_of(&self, triangle: u32) -> Option<(u32, u32)> {
        let across = self.columns() - 1;
        ((triangle as usize) < self.len()).then(|| (triangle / 2 % across, triangle / 2 / across))
    }

    /// A triangle; `None` in a hole, for one without an area, or for a number that is too large.
    pub fn triangle(&self, number: u32) -> Option<Triangle> {
        let [a, b, c] = self.corners(number)?;
        Triangle::new(a, b, c).ok()
    }

    /// The smallest box around all samples.
    pub fn aabb(&self) -> Aabb {
        let TerrainData { columns, rows, heights, .. } = &*self.0;
        self.0.block((0..columns - 1, 0..rows - 1), heights.range())
    }

    /// Bytes of memory, shared by all clones until one of them is edited: with up to 63 different surfaces less than
    /// six a sample, unless there are but a few columns or rows.
    ///
    /// ```
    /// # use cullide_world::{Terrain, glam::Vec2};
    /// let mut terrain = Terrain::new(512, 512, &[0.0; 512 * 512], Vec2::ONE, Vec2::ZERO)?;
    /// terrain.set_surface(0..100, 0..511, 7)?;
    /// assert!(terrain.memory() < 6 * 512 * 512);
    /// # Ok::<(), cullide_world::TerrainError>(())
    /// ```
    pub fn memory(&self) -> usize {
        let TerrainData { heights, cells, .. } = &*self.0;
        size_of::<TerrainData>() + heights.memory() + cells.memory()
    }

    /// A hash of all that decides what it answers, computed once after an edit.
    pub(crate) fn hash(&self) -> u64 {
        *self.0.hash.get_or_init(|| hash::of_terrain(self))
    }

    /// All of a cell.
    pub(crate) fn cell(&self, column: u32, row: u32) -> Option<Cell> {
        let is_there = column < self.columns() - 1 && row < self.rows() - 1;
        is_there.then(|| self.0.cells.get(column, row))
    }

    /// Cells, row after row.
    pub(crate) fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let (columns, rows) = (self.columns() - 1, self.rows() - 1);
        (0..rows).flat_map(move |row| (0..columns).map(move |column| self.0.cells.get(column, row)))
    }

    /// Heights, row after row.
    pub(crate) fn heights(&self) -> impl Iterator<Item = f32> + '_ {
        let (columns, rows) = (self.columns(), self.rows());
        (0..rows).flat_map(move |row| (0..columns).map(move |column| self.0.heights.height(column, row)))
    }

    /// The corners of a triangle; `None` in a hole or for a number that is too large.
    fn corners(&self, number: u32) -> Option<[Vec3; 3]> {
        let (column, row) = self.cell_of(number)?;
        Some(self.0.corners(column, row)?[number as usize % 2])
    }
}

impl TerrainData {
    fn vertex(&self, column: u32, row: u32) -> Vec3 {
        Vec3::new(self.x(column), self.heights.height(column, row), self.z(row))
    }

    fn x(&self, column: u32) -> f32 {
        place(self.origin.x, self.spacing.x, column)
    }

    fn z(&self, row: u32) -> f32 {
        place(self.origin.y, self.spacing.y, row)
    }

    /// The number of the first triangle of a cell.
    #[inline]
    fn first_triangle(&self, column: u32, row: u32) -> u32 {
        2 * (row * (self.columns - 1) + column)
    }

    /// The corners of both triangles of a cell; `None` in a hole.
    fn corners(&self, column: u32, row: u32) -> Option<[[Vec3; 3]; 2]> {
        self.corners_at(column, row, self.heights.corners(column, row))
    }

    /// The same where the heights are known.
    #[inline(always)]
    fn corners_at(&self, column: u32, row: u32, [a, b, d, e]: [f32; 4]) -> Option<[[Vec3; 3]; 2]> {
        let Cell { is_hole, diagonal, .. } = self.cells.get(column, row);
        if is_hole {
            return None;
        }
        let (x, far_x, z, far_z) = (self.x(column), self.x(column + 1), self.z(row), self.z(row + 1));
        let (a, b) = (Vec3::new(x, a, z), Vec3::new(far_x, b, z));
        let (d, e) = (Vec3::new(x, d, far_z), Vec3::new(far_x, e, far_z));
        Some(match diagonal {
            Diagonal::Descending => [[a, d, b], [b, d, e]],
            Diagonal::Ascending => [[a, d, e], [a, e, b]],
        })
    }

    /// The box around cells of which the least and the greatest height are known.
    fn block(&self, (columns, rows): (Range<u32>, Range<u32>), [low, high]: [f32; 2]) -> Aabb {
        let min = Vec3::new(self.x(columns.start), low, self.z(rows.start));
        let max = Vec3::new(self.x(columns.end), high, self.z(rows.end));
        Aabb::new(min, max).unwrap_or_else(|_| unreachable!("samples are in range and in order"))
    }
}

/// Where a column or a row is.
fn place(origin: f32, spacing: f32, number: u32) -> f32 {
    (f64::from(origin) + f64::from(number) * f64::from(spacing)) as f32
}

/// Whether a number is one that a vertex may have.
fn check(x: f32, field: &'static str) -> Result<(), Error> {
    if x.abs() <= MAX_COORDINATE {
        Ok(())
    } else {
        Err(if x.is_finite() { Error::OutOfRange { field } } else { Error::NonFinite { field } })
    }
}

/// Whether both are the same terrain: heights are compared by their bits.
impl PartialEq for Terrain {
    fn eq(&self, other: &Self) -> bool {
        let grid = |data: &TerrainData| (data.columns, data.rows, data.spacing, data.origin, data.sides);
        let same_heights = || self.heights().map(f32::to_bits).eq(other.heights().map(f32::to_bits));
        Arc::ptr_eq(&self.0, &other.0)
            || grid(&self.0) == grid(&other.0) && same_heights() && self.cells().eq(other.cells())
    }
}

impl fmt::Debug for Terrain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut terrain = f.debug_struct("Terrain");
        terrain.field("columns", &self.columns()).field("rows", &self.rows()).field("sides", &self.sides());
        terrain.finish_non_exhaustive()
    }
}
