//! Triangles in groups of sixteen at most, each with the vertices that they share.
//!
//! ```text
//!   coordinates   x x x … y y y … z z z …      of the vertices of a group, each once
//!   places        a a a … b b b … c c c …      which of these the corners of its triangles are
//! ```
//! Most groups of a closed surface have about as many vertices as triangles: 15 bytes a triangle, and no corner is far
//! away in memory. In registers, the corners of all sixteen are nine lookups.

use crate::{
    lanes::{
        LANES, Row, Simd, compress_lanes, f32x16, load,
        lookup::{Places, lookup},
        max, min, splat,
    },
    node::{Face, Rows},
    prefetch::{self, prefetch_item},
};
use cullide_narrowphase::{Aabb, TriangleColumns, glam::Vec3};
use smallvec::SmallVec;
use std::ops::Range;

/// A group has no more vertices: two registers of each coordinate.
const MOST_VERTICES: usize = 2 * LANES;

/// All groups.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    heads: Vec<Head>,
    /// And two registers more, as each row is read whole.
    coordinates: Vec<f32>,
    /// The numbers of the vertices.
    vertices: Vec<u32>,
    /// And a register more.
    places: Vec<u8>,
    /// Of the triangles, and a register more.
    numbers: Vec<u32>,
}

/// Where a group is.
#[derive(Clone, Copy, Debug)]
struct Head {
    first_vertex: u32,
    first_triangle: u32,
    vertices: u8,
    triangles: u8,
}

impl Groups {
    /// Adds triangles of these numbers, sixteen at most: as one group, or as several if they have too many vertices.
    pub(super) fn push(&mut self, numbers: &[u32], triangles: &[[u32; 3]]) {
        let mut vertices = SmallVec::<[u32; 4 * LANES]>::new();
        let mut places = [[0; LANES]; 3];
        for (lane, &number) in numbers.iter().take(LANES).enumerate() {
            for (row, &vertex) in places.iter_mut().zip(&triangles[number as usize]) {
                let place = vertices.iter().position(|&other| other == vertex).unwrap_or_else(|| {
                    vertices.push(vertex);
                    vertices.len() - 1
                });
                row[lane] = place as u8;
            }
        }
        if vertices.len() > MOST_VERTICES {
            let (first, second) = numbers.split_at(numbers.len() / 2);
            self.push(first, triangles);
            return self.push(second, triangles);
        }
        self.heads.push(Head {
            first_vertex: self.vertices.len() as u32,
            first_triangle: self.numbers.len() as u32,
            vertices: vertices.len() as u8,
            triangles: numbers.len() as u8,
        });
        self.vertices.extend_from_slice(&vertices);
        self.numbers.extend_from_slice(numbers);
        places.iter().for_each(|row| self.places.extend_from_slice(&row[..numbers.len()]));
    }

    /// Ends with the last group.
    pub(super) fn finish(mut self, points: &[Vec3]) -> Self {
        self.places.resize(self.places.len() + LANES, 0);
        self.numbers.resize(self.numbers.len() + LANES, 0);
        self.heads.shrink_to_fit();
        self.vertices.shrink_to_fit();
        self.places.shrink_to_fit();
        self.numbers.shrink_to_fit();
        self.place(points);
        self
    }

    /// Takes the coordinates of all vertices.
    pub(super) fn place(&mut self, points: &[Vec3]) {
        self.coordinates.clear();
        self.coordinates.reserve_exact(3 * self.vertices.len() + MOST_VERTICES);
        for group in 0..self.heads.len() {
            let vertices = &self.vertices[self.vertex_range(group)];
            for coordinate in [|at: Vec3| at.x, |at: Vec3| at.y, |at: Vec3| at.z] {
                self.coordinates.extend(vertices.iter().map(|&vertex| coordinate(points[vertex as usize])));
            }
        }
        self.coordinates.resize(3 * self.vertices.len() + MOST_VERTICES, 0.0);
    }

    pub(super) fn len(&self) -> usize {
        self.heads.len()
    }

    /// The number of triangles.
    pub(super) fn triangle_count(&self) -> usize {
        self.numbers.len() - LANES
    }

    fn vertex_range(&self, group: usize) -> Range<usize> {
        let Head { first_vertex, vertices, .. } = self.heads[group];
        first_vertex as usize..first_vertex as usize + usize::from(vertices)
    }

    /// The numbers of its triangles.
    #[inline(always)]
    pub(super) fn numbers(&self, group: usize) -> &[u32] {
        let Head { first_triangle, triangles, .. } = self.heads[group];
        &self.numbers[first_triangle as usize..][..usize::from(triangles)]
    }

    /// The same, and any behind the last.
    #[inline(always)]
    pub(super) fn every_number(&self, group: usize) -> &[u32; LANES] {
        let first = self.heads[group].first_triangle as usize;
        self.numbers[first..].first_chunk().expect("a register more")
    }

    /// Asks for the memory of a group ahead of its use, where there are more groups than lie in the nearest caches.
    #[inline(always)]
    pub(super) fn prefetch(&self, group: usize) {
        if self.heads.len() < prefetch::MIN_ITEMS {
            return;
        }
        let Head { first_vertex, first_triangle, vertices, .. } = self.heads[group];
        // A line of each row of coordinates; what else is in the lines in between comes along.
        for axis in 0..3 {
            prefetch_item(&self.coordinates, 3 * first_vertex + axis * u32::from(vertices));
        }
        prefetch_item(&self.places, 3 * first_triangle);
        prefetch_item(&self.numbers, first_triangle);
    }

    /// A bit for each of its triangles.
    #[inline(always)]
    pub(super) fn lanes(&self, group: usize) -> u32 {
        (1 << self.heads[group].triangles) - 1
    }

    /// Which vertices of the group the corners of one of its triangles are.
    fn corner_places(&self, group: usize, lane: usize) -> [usize; 3] {
        let Head { first_triangle, triangles, .. } = self.heads[group];
        let first = 3 * first_triangle as usize + lane;
        [0, 1, 2].map(|corner| usize::from(self.places[first + corner * usize::from(triangles)]))
    }

    /// The numbers of the corners of the `lane`-th triangle.
    pub(super) fn vertices_of(&self, group: usize, lane: usize) -> [u32; 3] {
        let first = self.heads[group].first_vertex as usize;
        self.corner_places(group, lane).map(|place| self.vertices[first + place])
    }

    /// The corners of the `lane`-th triangle.
    pub(super) fn corners_of(&self, group: usize, lane: usize) -> [Vec3; 3] {
        let Head { first_vertex, vertices, .. } = self.heads[group];
        let (first, count) = (3 * first_vertex as usize, usize::from(vertices));
        self.corner_places(group, lane).map(|place| {
            let at = |axis: usize| self.coordinates[first + axis * count + place];
            Vec3::new(at(0), at(1), at(2))
        })
    }

    /// The smallest box around a group.
    pub(super) fn bounds(&self, group: usize) -> Aabb {
        let Head { first_vertex, vertices, .. } = self.heads[group];
        let rows = self.coordinates[3 * first_vertex as usize..].chunks_exact(usize::from(vertices));
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for (axis, row) in rows.take(3).enumerate() {
            for &x in row {
                (low[axis], high[axis]) = (low[axis].min(x), high[axis].max(x));
            }
        }
        Aabb::new(low, high).unwrap_or_else(|error| unreachable!("vertices are in range: {error}"))
    }

    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        let Self { heads, coordinates, vertices, places, numbers } = self;
        size_of_val(&**heads)
            + size_of_val(&**coordinates)
            + size_of_val(&**vertices)
            + size_of_val(&**places)
            + size_of_val(&**numbers)
    }

    /// All its triangles in registers; anything in lanes behind the last.
    #[inline(always)]
    pub(super) fn corners<S: Simd>(&self, simd: S, group: usize, axes: [usize; 3]) -> Corners<S> {
        let Head { first_vertex, first_triangle, vertices, triangles } = self.heads[group];
        let (count, in_row) = (usize::from(vertices), usize::from(triangles));
        let coordinates = &self.coordinates[3 * first_vertex as usize..][..2 * count + MOST_VERTICES];
        let places = &self.places[3 * first_triangle as usize..][..2 * in_row + LANES];
        let zero = load(simd, &[0.0; LANES]);
        let mut corners = [[zero; 3]; 3];
        for (corner, columns) in corners.iter_mut().enumerate() {
            let places = Places::new(simd, places[corner * in_row..].first_chunk().expect("a register more"));
            for (column, axis) in columns.iter_mut().zip(axes) {
                let row = coordinates[axis.min(2) * count..].first_chunk().expect("two registers more");
                *column = lookup(simd, row, count > LANES, &places);
            }
        }
        Corners { axes, columns: corners }
    }
}

/// Sixteen triangles, by corner and axis, with their axes in some order.
pub(super) struct Corners<S: Simd> {
    axes: [usize; 3],
    pub(super) columns: [[f32x16<S>; 3]; 3],
}

impl<S: Simd> Corners<S> {
    /// Those in some lanes.
    #[inline(always)]
    pub(super) fn columns(&self, simd: S, lanes: u32) -> TriangleColumns {
        let mut rows = [[[[0.0; LANES / 2]; 3]; 3]; 2];
        let [low, high] = &mut rows;
        for (corner, (low, high)) in self.columns.iter().zip(low.iter_mut().zip(high)) {
            for (column, (low, high)) in corner.iter().zip(low.iter_mut().zip(high)) {
                (*low, *high) = compress_lanes(simd, *column, lanes);
            }
        }
        TriangleColumns::of_rows(rows, lanes.count_ones() as usize)
    }

    #[inline(always)]
    pub(super) fn rows(&self) -> CornerRows {
        let mut rows = CornerRows([[[0.0; LANES]; 3]; 3]);
        for (rows, columns) in rows.0.iter_mut().zip(&self.columns) {
            for (row, column) in rows.iter_mut().zip(columns) {
                *row = (*column).into();
            }
        }
        rows
    }

    /// The boxes around them.
    #[inline(always)]
    pub(super) fn boxes(&self) -> Boxes {
        let [a, b, c] = &self.columns;
        let mut boxes = Boxes([[0.0; LANES]; 6]);
        for (i, axis) in self.axes.into_iter().enumerate() {
            boxes.0[2 * axis % 6] = min(min(a[i], b[i]), c[i]).into();
            boxes.0[(2 * axis + 1) % 6] = max(max(a[i], b[i]), c[i]).into();
        }
        boxes
    }
}

/// Corners of triangles in memory.
#[repr(align(64))]
pub(super) struct CornerRows([[Row; 3]; 3]);

impl CornerRows {
    /// One of them in all lanes.
    #[inline(always)]
    pub(super) fn splat<S: Simd>(&self, simd: S, lane: usize) -> [[f32x16<S>; 3]; 3] {
        let mut columns = [[load(simd, &[0.0; LANES]); 3]; 3];
        for (columns, rows) in columns.iter_mut().zip(&self.0) {
            for (column, row) in columns.iter_mut().zip(rows) {
                *column = splat(simd, row[lane % LANES]);
            }
        }
        columns
    }
}

/// Boxes of triangles in memory, as those of a node.
#[repr(align(64))]
pub(super) struct Boxes(pub(super) [Row; 6]);

impl Rows for Boxes {
    #[inline(always)]
    fn row<S: Simd>(&self, simd: S, face: Face) -> f32x16<S> {
        load(simd, &self.0[face as usize])
    }
}
