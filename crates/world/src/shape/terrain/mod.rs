//! A surface given by heights over a grid.
//!
//! ```text
//!   row + 1   d ───── e        Descending          Ascending
//!             │       │        d ─── e             d ─── e
//!             │ cell  │        │ 0 ╲ │  b–d        │ 0 ╱ │  a–e      numbers of triangles:
//!   row       a ───── b        a ─── b  is cut     a ─── b  is cut   2 · cell + half
//!         column   column + 1
//! ```
//! Nothing is stored that follows from the grid. A terrain takes four bytes per height, one per cell once any cell
//! differs from the default, and half a byte per cell for the least and greatest heights over blocks of 4 × 4 cells, of
//! 4 × 4 such blocks and so on. All of it is in pages that clones share until one of them is edited. Heights and blocks
//! are in a [`HeightField`], which finds the cells that a path passes over.
//!
//! Reading order: this file, building and reading; [`cells`], what is stored besides heights; [`edit`], edits;
//! [`placed`], a placed terrain; [`height`], its height at a point; [`parts`] and [`query`], other queries;
//! [`sum`], its hash.

mod cells;
mod edit;
mod height;
mod parts;
pub(crate) mod placed;
mod query;
#[cfg(feature = "serde")]
mod saved;
mod sum;

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
/// Each cell between four samples consists of two triangles, whose front is above. Cells are counted along the columns
/// of the first row, then of the second and so on; the triangles of cell `c` have the numbers `2 c` and `2 c + 1`. A
/// cell may be a hole, may be cut along either [`Diagonal`], and has a `u16` of the caller's, such as its material,
/// which hits report.
///
/// The geometry is what was given: heights are read back bit for bit, and the vertex of a sample is `(origin.x + column
/// · spacing.x, height, origin.y + row · spacing.y)`, computed in `f64` and rounded to `f32`. If these sums need no
/// rounding, as with numbers of few digits such as 0.5 or 16, terrains whose origins are vertices of a larger one have
/// the vertices of the larger one, and give the same answers. In any case, two terrains join without a gap along a
/// border that belongs to both as a whole, if the heights there are the same and the origin of one is the
/// [vertex](Terrain::vertex) of the other where that ends.
///
/// What moves, rays and segments included, meets a terrain of [`Sides::Front`] from above only, and a terrain of
/// [`Sides::Both`], the default, from above and below.
///
/// A clone costs nothing until one of the two is edited. The first edit then copies the page table, which takes some
/// microseconds for four million samples, and each 64 KB page that it writes to.
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
    /// Columns and rows of samples.
    columns: u32,
    rows: u32,
    spacing: Vec2,
    origin: Vec2,
    sides: Sides,
    heights: HeightField,
    cells: Cells,
    /// The sum of the hashes of all samples and cells, once it has been asked for.
    sum: OnceLock<u64>,
    /// Where it was changed since it was made or this was last cleared.
    edited: Cellwise,
}

/// The columns and rows of some cells, as ranges.
type Cellwise = [Range<u32>; 2];

/// The largest coordinate of a vertex. A terrain may be placed up to twice that far from the origin, rotated by any
/// angle, and is within the range of coordinates there whatever heights it is given later.
pub(crate) const MAX_COORDINATE: f32 = (1u32 << 28) as f32;

/// The most cells, so that there are at most 2^31 triangles.
const MAX_CELLS: u64 = 1 << 30;

/// Why a terrain cannot be made or changed.
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
    /// The number of values is not that of the samples or cells that are named.
    Count {
        /// How many there are.
        values: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A height is not a number within ±2^28.
    BadSample {
        /// The column of the sample.
        column: u32,
        /// The row of the sample.
        row: u32,
        /// What is wrong with it.
        error: Error,
    },
    /// A spacing is not a number above zero, the origin is not a point, or the columns or rows do not stay within
    /// ±2^28.
    BadGrid(Error),
    /// A sample or cell beyond the last column or row is named.
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
            Self::Outside => write!(f, "a column or a row beyond the last one of the terrain"),
        }
    }
}

impl std::error::Error for TerrainError {}

impl Terrain {
    /// Creates a terrain of `columns` × `rows` samples with these heights, row by row. It is two-sided, without holes,
    /// cut along [`Diagonal::Descending`], and all surfaces are 0. `spacing` and `origin` are along x and z.
    ///
    /// # Errors
    /// [`TerrainError::Size`], [`TerrainError::Count`], [`TerrainError::BadGrid`], and [`TerrainError::BadSample`] for
    /// the first one that is wrong.
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
        let (sides, sum, edited) = (Sides::Both, OnceLock::new(), [0..columns - 1, 0..rows - 1]);
        let data = TerrainData { columns, rows, spacing, origin, sides, heights, cells, sum, edited };
        Ok(Self(Arc::new(data)))
    }

    /// Sets whether the terrain is met from above only or from both sides. [`Sides::Front`] is for ground: otherwise, a
    /// rigid body that jumps off a steep ramp would be stopped by the back of the cliff beyond, and a line of sight that
    /// starts on the ground by the ground.
    #[must_use]
    pub fn with_sides(mut self, sides: Sides) -> Self {
        let data = Arc::make_mut(&mut self.0);
        data.sides = sides;
        data.edited = [0..data.columns - 1, 0..data.rows - 1];
        self
    }

    /// Whether the terrain is met from above only or from both sides.
    pub fn sides(&self) -> Sides {
        self.0.sides
    }

    /// The number of columns of samples; there is one column of cells less.
    pub fn columns(&self) -> u32 {
        self.0.columns
    }

    /// The number of rows of samples; there is one row of cells less.
    pub fn rows(&self) -> u32 {
        self.0.rows
    }

    /// The distances between columns along x and between rows along z.
    pub fn spacing(&self) -> Vec2 {
        self.0.spacing
    }

    /// Where the first column is along x, and the first row along z.
    pub fn origin(&self) -> Vec2 {
        self.0.origin
    }

    /// The number of triangles, including those of holes and those without an area.
    #[expect(clippy::len_without_is_empty, reason = "a terrain has a cell")]
    pub fn len(&self) -> usize {
        2 * (self.columns() as usize - 1) * (self.rows() as usize - 1)
    }

    /// Returns the height of a sample, bit for bit as it was given; `None` beyond the last column or row.
    pub fn height(&self, column: u32, row: u32) -> Option<f32> {
        let is_there = column < self.columns() && row < self.rows();
        is_there.then(|| self.0.heights.height(column, row))
    }

    /// Returns where a sample is; `None` beyond the last column or row.
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

    /// Whether a cell is a hole; `None` beyond the last column or row of cells.
    pub fn is_hole(&self, column: u32, row: u32) -> Option<bool> {
        self.cell(column, row).map(|cell| cell.is_hole)
    }

    /// Returns the diagonal along which a cell is cut; `None` beyond the last column or row of cells.
    pub fn diagonal(&self, column: u32, row: u32) -> Option<Diagonal> {
        self.cell(column, row).map(|cell| cell.diagonal)
    }

    /// Returns the caller's number of a cell; `None` beyond the last column or row of cells.
    pub fn surface(&self, column: u32, row: u32) -> Option<u16> {
        self.cell(column, row).map(|cell| cell.surface)
    }

    /// Returns the column and the row of the cell that a triangle is half of; `None` for a number that is too large.
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

    /// Returns a triangle; `None` in a hole, for one without an area, or for a number that is too large.
    pub fn triangle(&self, number: u32) -> Option<Triangle> {
        let [a, b, c] = self.corners(number)?;
        Triangle::new(a, b, c).ok()
    }

    /// The smallest box around all samples.
    pub fn aabb(&self) -> Aabb {
        let TerrainData { columns, rows, heights, .. } = &*self.0;
        self.0.block((0..columns - 1, 0..rows - 1), heights.range())
    }

    /// Returns the bytes of memory that it takes, shared by all clones until one of them is edited: with up to 63
    /// different surfaces less than six per sample, unless there are only a few columns or rows.
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

    /// Returns a hash of everything that determines its answers. Samples and cells are hashed the first time, and again
    /// where they change.
    pub(crate) fn hash(&self) -> u64 {
        hash::of_terrain(self, *self.0.sum.get_or_init(|| self.0.sum_of_all()))
    }

    /// Returns a cell without its heights; `None` beyond the last column or row of cells.
    pub(crate) fn cell(&self, column: u32, row: u32) -> Option<Cell> {
        let is_there = column < self.columns() - 1 && row < self.rows() - 1;
        is_there.then(|| self.0.cells.get(column, row))
    }

    /// All cells, row by row.
    pub(crate) fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let (columns, rows) = (self.columns() - 1, self.rows() - 1);
        (0..rows).flat_map(move |row| (0..columns).map(move |column| self.0.cells.get(column, row)))
    }

    /// All heights, row by row.
    pub(crate) fn heights(&self) -> impl Iterator<Item = f32> + '_ {
        let (columns, rows) = (self.columns(), self.rows());
        (0..rows).flat_map(move |row| (0..columns).map(move |column| self.0.heights.height(column, row)))
    }

    /// Returns the corners of a triangle; `None` in a hole or for a number that is too large.
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

    /// Returns the corners of both triangles of a cell; `None` in a hole.
    fn corners(&self, column: u32, row: u32) -> Option<[[Vec3; 3]; 2]> {
        self.corners_at(column, row, self.heights.corners(column, row))
    }

    /// The same, for known heights.
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

    /// Returns the box around cells whose least and greatest heights are known.
    fn block(&self, (columns, rows): (Range<u32>, Range<u32>), [low, high]: [f32; 2]) -> Aabb {
        let min = Vec3::new(self.x(columns.start), low, self.z(rows.start));
        let max = Vec3::new(self.x(columns.end), high, self.z(rows.end));
        Aabb::new(min, max).unwrap_or_else(|_| unreachable!("samples are in range and in order"))
    }
}

/// Returns where a column or a row is.
fn place(origin: f32, spacing: f32, number: u32) -> f32 {
    (f64::from(origin) + f64::from(number) * f64::from(spacing)) as f32
}

/// Checks that a number is a coordinate that a vertex may have.
fn check(x: f32, field: &'static str) -> Result<(), Error> {
    if x.abs() <= MAX_COORDINATE {
        Ok(())
    } else {
        Err(if x.is_finite() { Error::OutOfRange { field } } else { Error::NonFinite { field } })
    }
}

/// Compares terrains; heights are compared by their bits.
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
