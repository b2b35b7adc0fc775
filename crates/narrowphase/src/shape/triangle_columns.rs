//! Triangles stored by coordinate, for tests of many at once.

use crate::{
    Triangle,
    arrays::Mapped,
    simd::{Simd, Vec3x8},
};
use glam::Vec3;
use std::borrow::Borrow;

/// Triangles per row.
pub(crate) const LANES: usize = 8;

/// A row of triangles, by corner, axis and lane.
pub(crate) type TriangleRow = [[[f32; LANES]; 3]; 3];

/// The corners of a row of triangles, relative to `origin`.
#[inline(always)]
pub(crate) fn corners<S: Simd>(simd: S, [a, b, c]: &TriangleRow, origin: Vec3) -> [Vec3x8<S>; 3] {
    let origin = Vec3x8::splat(simd, origin);
    [Vec3x8::load(simd, a) - origin, Vec3x8::load(simd, b) - origin, Vec3x8::load(simd, c) - origin]
}

/// Up to sixteen triangles, stored by coordinate.
#[derive(Clone, Debug)]
pub struct TriangleColumns {
    rows: [TriangleRow; 2],
    len: usize,
}

impl TriangleColumns {
    /// The maximum number of triangles.
    pub const MAX: usize = 2 * LANES;

    /// Takes the first sixteen of `triangles`, given by their corners or by references to them.
    ///
    /// ```
    /// # use cullide_narrowphase::{Triangle, TriangleColumns, glam::Vec3};
    /// let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
    /// let columns = TriangleColumns::new([corners, corners]);
    /// assert_eq!((columns.triangle(1), columns.triangle(2)), (Triangle::try_from(corners).ok(), None));
    /// ```
    #[inline]
    pub fn new<C: Borrow<Vec3>>(triangles: impl IntoIterator<Item = [C; 3]>) -> Self {
        let mut columns = Self { rows: [[[[0.0; LANES]; 3]; 3]; 2], len: 0 };
        for corners in triangles.into_iter().take(Self::MAX) {
            let row = &mut columns.rows[columns.len / LANES];
            for (column, corner) in row.iter_mut().zip(corners) {
                let Vec3 { x, y, z } = *corner.borrow();
                for (axis, coordinate) in column.iter_mut().zip([x, y, z]) {
                    axis[columns.len % LANES] = coordinate;
                }
            }
            columns.len += 1;
        }
        columns
    }

    /// Takes the first `len`, at most sixteen, of the triangles in two rows of eight, each by corner and axis.
    ///
    /// ```
    /// # use cullide_narrowphase::{TriangleColumns, glam::Vec3};
    /// let mut rows = [[[[0.0; 8]; 3]; 3]; 2];
    /// (rows[1][1][0][7], rows[1][2][1][7]) = (2.0, 3.0);
    /// let last = TriangleColumns::of_rows(rows, 16).triangle(15).unwrap();
    /// assert_eq!(last.points(), [Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0]);
    /// ```
    #[inline(always)]
    pub fn of_rows(rows: [[[[f32; LANES]; 3]; 3]; 2], len: usize) -> Self {
        Self { rows, len: len.min(Self::MAX) }
    }

    /// Returns the number of triangles.
    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "rarely empty")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the corners of triangle `i`.
    ///
    /// # Panics
    /// If `i` is beyond the last triangle.
    #[inline]
    pub fn corners(&self, i: usize) -> [Vec3; 3] {
        assert!(i < self.len, "there are {} triangles", self.len);
        let [a, b, c] = &self.rows[i / LANES % 2];
        [a, b, c].mapped(|[x, y, z]| Vec3::new(x[i % LANES], y[i % LANES], z[i % LANES]))
    }

    /// Returns triangle `i`; `None` beyond the last, for a triangle without area, and for a corner that is no
    /// point within the range of coordinates.
    #[inline]
    pub fn triangle(&self, i: usize) -> Option<Triangle> {
        let [a, b, c] = (i < self.len).then(|| self.corners(i))?;
        Triangle::new(a, b, c).ok()
    }

    /// The rows that hold a triangle, but at least one row.
    #[inline(always)]
    pub(crate) fn rows(&self) -> std::slice::Iter<'_, TriangleRow> {
        self.rows[..if self.len > LANES { 2 } else { 1 }].iter()
    }
}
