//! Triangles in groups of at most eight, each with at most eight vertices, which they share.
//!
//! ```text
//!   counts, extent places                     coordinates            numbers
//!   v t, extent    a b c, 3 bits each, by     x x x … y y y … z z    of t triangles,
//!                  triangle: two in a word    of v vertices          of v vertices
//! ```
//! A group is contiguous, and queries read only its first 120 bytes or so: a ray through a large mesh spends far more
//! time waiting for memory than computing. The vertices of a group are one register for each coordinate: what depends
//! on a vertex alone is computed once for all its triangles, and one instruction for each corner and coordinate then
//! gives it to them.

use crate::{
    lanes::{
        Floats, LANES, Row, Simd, compress_lanes, f32x8, load, load_bits,
        lookup::{BITS, CornerPlaces, lookup},
        max, min, splat_all,
    },
    node::{Face, Rows},
    prefetch::{self, prefetch_item},
};
use cullide_narrowphase::{Aabb, TriangleColumns, glam::Vec3};
use smallvec::SmallVec;
use std::ops::Range;

/// The number of words with the places of corners; each has those of one triangle in its lower half, and those of
/// another in its upper half.
const PLACES: usize = LANES / 2;

/// The number of words before the coordinates.
const HEAD: usize = 2 + PLACES;

/// The number of words up to the end of the last row that is read, as rows are read whole.
const SPAN: usize = HEAD + 3 * LANES;

/// A group starts at a multiple of this many words.
const UNIT: usize = 2;

/// All groups.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// The start of each group, in units.
    starts: Vec<u32>,
    words: Vec<u32>,
    triangles: usize,
}

/// A group in memory.
#[derive(Clone, Copy)]
pub(super) struct Group<'a> {
    /// Its first words: all that a query reads of most groups.
    head: &'a [u32; SPAN],
    /// All of its words, and everything after it.
    words: &'a [u32],
    vertices: usize,
    triangles: usize,
}

impl<'a> Group<'a> {
    #[inline(always)]
    fn coordinates(&self) -> Range<usize> {
        HEAD..HEAD + 3 * self.vertices
    }

    /// Where the numbers of its vertices are.
    fn vertex_numbers(&self) -> Range<usize> {
        let first = self.coordinates().end + self.triangles;
        first..first + self.vertices
    }

    /// The places of a triangle's corners among the vertices of the group.
    #[inline(always)]
    fn places(&self, lane: usize) -> [usize; 3] {
        let word = self.head[HEAD - PLACES + lane % PLACES];
        let places = (if lane < PLACES { word } else { word >> 16 }) as usize;
        [places % LANES, (places >> BITS) % LANES, (places >> (2 * BITS)) % LANES]
    }

    /// The numbers of its triangles.
    #[inline(always)]
    pub(super) fn numbers(&self) -> &'a [u32] {
        &self.words[self.coordinates().end..][..self.triangles]
    }

    /// The same, padded with arbitrary numbers after the last.
    #[inline(always)]
    pub(super) fn every_number(&self) -> &'a [u32; LANES] {
        self.words[self.coordinates().end..].first_chunk().expect("a register more")
    }

    /// A bit for each of its triangles.
    #[inline(always)]
    pub(super) fn lanes(&self) -> u32 {
        self.head[0] >> 16
    }

    /// The vertex numbers of the corners of the `lane`-th triangle.
    pub(super) fn vertices_of(&self, lane: usize) -> [u32; 3] {
        let vertices = &self.words[self.vertex_numbers()];
        self.places(lane).map(|place| vertices[place])
    }

    /// The corners of the `lane`-th triangle.
    #[inline(always)]
    pub(super) fn corners_of(&self, lane: usize) -> [Vec3; 3] {
        let at = |place: usize, axis: usize| f32::from_bits(self.head[HEAD + axis * self.vertices + place]);
        let point = |place: usize| Vec3::new(at(place, 0), at(place, 1), at(place, 2));
        let [a, b, c] = self.places(lane);
        [point(a), point(b), point(c)]
    }

    /// The smallest box around it.
    pub(super) fn bounds(&self) -> Aabb {
        let rows = self.words[self.coordinates()].chunks_exact(self.vertices);
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for (axis, row) in rows.enumerate() {
            for x in row.iter().map(|&bits| f32::from_bits(bits)) {
                (low[axis], high[axis]) = (low[axis].min(x), high[axis].max(x));
            }
        }
        Aabb::new(low, high).unwrap_or_else(|error| unreachable!("vertices are in range: {error}"))
    }

    /// Loads its vertices into registers; lanes after the last are arbitrary.
    #[inline(always)]
    pub(super) fn vertices<S: Simd>(&self, simd: S, axes: [usize; 3]) -> Vertices<S> {
        let places = CornerPlaces::new(simd, self.head[HEAD - PLACES..].first_chunk().expect("as many"));
        let row = |axis: usize| {
            load_bits(simd, self.head[HEAD + axis.min(2) * self.vertices..].first_chunk().expect("a register more"))
        };
        Vertices { extent: f32::from_bits(self.head[1]), places, points: [row(axes[0]), row(axes[1]), row(axes[2])] }
    }

    /// Loads all its triangles into registers; lanes after the last are arbitrary.
    #[inline(always)]
    pub(super) fn corners<S: Simd>(&self, simd: S, axes: [usize; 3]) -> Corners<S> {
        let vertices = self.vertices(simd, axes);
        // A loop would keep the columns in memory.
        let columns = [vertices.corners(simd, 0), vertices.corners(simd, 1), vertices.corners(simd, 2)];
        Corners { axes, columns }
    }
}

impl Groups {
    /// Adds at most eight triangles, given by number: as one group, or as several if they have too many vertices.
    pub(super) fn push(&mut self, numbers: &[u32], triangles: &[[u32; 3]]) {
        let mut vertices = SmallVec::<[u32; 3 * LANES]>::new();
        let mut places = [0; PLACES];
        for (lane, &number) in numbers.iter().take(LANES).enumerate() {
            for (corner, &vertex) in triangles[number as usize].iter().enumerate() {
                let place = vertices.iter().position(|&other| other == vertex).unwrap_or_else(|| {
                    vertices.push(vertex);
                    vertices.len() - 1
                });
                let shift = BITS as usize * corner + lane / PLACES * 16;
                places[lane % PLACES] |= ((place % LANES) as u32) << shift;
            }
        }
        if vertices.len() > LANES {
            let (first, second) = numbers.split_at(numbers.len() / 2);
            self.push(first, triangles);
            return self.push(second, triangles);
        }
        self.words.resize(self.words.len().next_multiple_of(UNIT), 0);
        self.starts.push(u32::try_from(self.words.len() / UNIT).expect("too many triangles"));
        let lanes = (1 << numbers.len()) - 1;
        self.words.extend([(vertices.len() | numbers.len() << 8 | lanes << 16) as u32, 0]);
        self.words.extend_from_slice(&places);
        self.words.resize(self.words.len() + 3 * vertices.len(), 0);
        self.words.extend_from_slice(numbers);
        self.words.extend_from_slice(&vertices);
        self.triangles += numbers.len();
    }

    /// To be called after the last group was added.
    pub(super) fn finish(mut self, points: &[Vec3]) -> Self {
        self.words.reserve_exact(SPAN);
        self.words.resize(self.words.len() + SPAN, 0);
        self.words.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.place(points);
        self
    }

    /// Writes the coordinates of all vertices, and the sizes of groups.
    pub(super) fn place(&mut self, points: &[Vec3]) {
        for group in 0..self.len() {
            let start = self.start(group);
            let (vertices, coordinates) = (self.group(group).vertex_numbers(), self.group(group).coordinates());
            for (i, vertex) in vertices.enumerate() {
                let point = points[self.words[start + vertex] as usize];
                let rows = self.words[start..][coordinates.clone()].chunks_exact_mut(coordinates.len() / 3);
                for (row, x) in rows.zip(point.to_array()) {
                    row[i] = x.to_bits();
                }
            }
            self.words[start + 1] = self.group(group).bounds().size().max_element().next_up().to_bits();
        }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// The number of triangles.
    pub(super) fn triangle_count(&self) -> usize {
        self.triangles
    }

    #[inline(always)]
    fn start(&self, group: usize) -> usize {
        self.starts[group] as usize * UNIT
    }

    #[inline(always)]
    pub(super) fn group(&self, group: usize) -> Group<'_> {
        let words = &self.words[self.start(group)..];
        let head: &[u32; SPAN] = words.first_chunk().expect("more behind the last");
        let [vertices, triangles, ..] = head[0].to_le_bytes().map(usize::from);
        Group { head, words, vertices: vertices.min(LANES), triangles: triangles.min(LANES) }
    }

    /// Prefetches the memory of a group, if there are more groups than fit into the nearest caches.
    #[inline(always)]
    pub(super) fn prefetch(&self, group: usize) {
        if self.len() >= prefetch::MIN_ITEMS {
            let start = self.start(group) as u32;
            for line in 0..3 {
                prefetch_item(&self.words, start + 16 * line);
            }
        }
    }

    /// The memory in bytes.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.starts) + size_of_val(&*self.words)
    }
}

/// The vertices of a group, by axis.
pub(super) struct Vertices<S: Simd> {
    /// No two of them are farther apart along any axis.
    pub(super) extent: f32,
    pub(super) places: CornerPlaces<S>,
    pub(super) points: [f32x8<S>; 3],
}

impl<S: Simd> Vertices<S> {
    /// One corner of each triangle.
    #[inline(always)]
    fn corners(&self, simd: S, corner: u32) -> [f32x8<S>; 3] {
        let ([x, y, z], places) = (self.points, self.places.of_corner(corner));
        [lookup(simd, x, places), lookup(simd, y, places), lookup(simd, z, places)]
    }
}

/// Eight triangles, by corner and axis, with the axes in a given order.
pub(super) struct Corners<S: Simd> {
    axes: [usize; 3],
    pub(super) columns: [[f32x8<S>; 3]; 3],
}

impl<S: Simd> Corners<S> {
    /// The triangles in `lanes`.
    #[inline(always)]
    pub(super) fn columns(&self, simd: S, lanes: u32) -> TriangleColumns {
        let mut rows = [[[[0.0; LANES]; 3]; 3]; 2];
        for (rows, corner) in rows[0].iter_mut().zip(&self.columns) {
            for (row, column) in rows.iter_mut().zip(corner) {
                *row = compress_lanes(simd, *column, lanes);
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

    /// The boxes around the triangles.
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

/// The corners of triangles in memory.
#[repr(align(64))]
pub(super) struct CornerRows([[Row; 3]; 3]);

impl CornerRows {
    /// One triangle broadcast to all lanes.
    #[inline(always)]
    pub(super) fn splat<S: Simd, V: Floats<S>>(&self, simd: S, lane: usize) -> [[V; 3]; 3] {
        let mut columns = [[splat_all(simd, 0.0); 3]; 3];
        for (columns, rows) in columns.iter_mut().zip(&self.0) {
            for (column, row) in columns.iter_mut().zip(rows) {
                *column = splat_all(simd, row[lane % LANES]);
            }
        }
        columns
    }
}

/// The boxes of triangles in memory, laid out as in a node.
#[repr(align(64))]
pub(super) struct Boxes(pub(super) [Row; 6]);

impl Rows for Boxes {
    #[inline(always)]
    fn row<S: Simd>(&self, simd: S, face: Face) -> f32x8<S> {
        load(simd, &self.0[face as usize])
    }
}
