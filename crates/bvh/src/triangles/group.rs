//! Triangles in groups of at most sixteen, each with the vertices that they share.
//!
//! ```text
//!   counts   places                     coordinates            numbers
//!   v t      a b c, 5 bits each, by     x x x … y y y … z z    of t triangles,
//!            triangle: two in a word    of v vertices          of v vertices
//! ```
//! A group is contiguous, and queries read only its first 200 bytes or so: a ray through a large mesh spends far more
//! time waiting for memory than computing. Most groups of a closed surface have about as many vertices as triangles,
//! which makes 23 bytes per triangle. Loading the corners of all sixteen into registers takes nine lookups.

use crate::{
    lanes::{
        LANES, Row, Simd, compress_lanes, f32x16, load,
        lookup::{CornerPlaces, lookup},
        max, min, splat,
    },
    node::{Face, Rows},
    prefetch::{self, prefetch_item},
};
use cullide_narrowphase::{Aabb, Mapped, TriangleColumns, glam::Vec3};
use smallvec::SmallVec;
use std::ops::Range;

/// The maximum number of vertices of a group: two registers of each coordinate.
const MOST_VERTICES: usize = 2 * LANES;

/// The number of words with the places of corners; each has those of one triangle in its lower half, and those of
/// another in its upper half.
const PLACES: usize = LANES / 2;

/// The number of words before the coordinates.
const HEAD: usize = 1 + PLACES;

/// The number of words up to the end of the last row that is read, as rows are read whole.
const SPAN: usize = HEAD + 2 * MOST_VERTICES + MOST_VERTICES;

/// A group starts at a multiple of this many words.
const UNIT: usize = 2;

/// All groups.
#[derive(Clone, Debug, Default)]
pub(super) struct TriangleGroups {
    /// The start of each group, in units.
    starts: Vec<u32>,
    words: Vec<u32>,
    triangles: usize,
}

/// A group in memory, and everything after it.
struct TriangleGroup<'a> {
    words: &'a [u32],
    vertices: usize,
    triangles: usize,
}

impl<'a> TriangleGroup<'a> {
    #[inline(always)]
    fn coordinates(&self) -> Range<usize> {
        HEAD..HEAD + 3 * self.vertices
    }

    /// Where the numbers of its triangles are.
    #[inline(always)]
    fn numbers(&self) -> Range<usize> {
        let first = self.coordinates().end;
        first..first + self.triangles
    }

    /// Where the numbers of its vertices are.
    fn vertices(&self) -> Range<usize> {
        let first = self.numbers().end;
        first..first + self.vertices
    }

    /// The places of a triangle's corners among the vertices of the group.
    #[inline(always)]
    fn places(&self, lane: usize) -> [usize; 3] {
        let word = self.words[1 + lane % PLACES];
        let places = (if lane < PLACES { word } else { word >> 16 }) as usize;
        [places % MOST_VERTICES, (places >> 5) % MOST_VERTICES, (places >> 10) % MOST_VERTICES]
    }
}

impl TriangleGroups {
    /// Adds at most sixteen triangles, given by number: as one group, or as several if they have too many vertices.
    pub(super) fn push(&mut self, numbers: &[u32], triangles: &[[u32; 3]]) {
        let mut vertices = SmallVec::<[u32; 4 * LANES]>::new();
        let mut places = [0; PLACES];
        for (lane, &number) in numbers.iter().take(LANES).enumerate() {
            for (corner, &vertex) in triangles[number as usize].iter().enumerate() {
                let place = vertices.iter().position(|&other| other == vertex).unwrap_or_else(|| {
                    vertices.push(vertex);
                    vertices.len() - 1
                });
                places[lane % PLACES] |= (place as u32 % MOST_VERTICES as u32) << (5 * corner + lane / PLACES * 16);
            }
        }
        if vertices.len() > MOST_VERTICES {
            let (first, second) = numbers.split_at(numbers.len() / 2);
            self.push(first, triangles);
            return self.push(second, triangles);
        }
        self.words.resize(self.words.len().next_multiple_of(UNIT), 0);
        self.starts.push(u32::try_from(self.words.len() / UNIT).expect("too many triangles"));
        self.words.push((vertices.len() | numbers.len() << 8) as u32);
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

    /// Writes the coordinates of all vertices.
    pub(super) fn place(&mut self, points: &[Vec3]) {
        for group in 0..self.len() {
            let (start, group) = (self.start(group), self.group(group));
            let (vertices, coordinates) = (group.vertices(), group.coordinates());
            for (i, vertex) in vertices.enumerate() {
                let point = points[self.words[start + vertex] as usize];
                let rows = self.words[start..][coordinates.clone()].chunks_exact_mut(coordinates.len() / 3);
                for (row, x) in rows.zip(point.to_array()) {
                    row[i] = x.to_bits();
                }
            }
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
    fn group(&self, group: usize) -> TriangleGroup<'_> {
        let words = &self.words[self.start(group)..];
        let [vertices, triangles, ..] = words[0].to_le_bytes().mapped(usize::from);
        TriangleGroup { words, vertices: vertices.min(MOST_VERTICES), triangles: triangles.min(LANES) }
    }

    /// The numbers of its triangles.
    #[inline(always)]
    pub(super) fn numbers(&self, group: usize) -> &[u32] {
        let group = self.group(group);
        &group.words[group.numbers()]
    }

    /// The same, padded with arbitrary numbers after the last.
    #[inline(always)]
    pub(super) fn every_number(&self, group: usize) -> &[u32; LANES] {
        let group = self.group(group);
        group.words[group.numbers().start..].first_chunk().expect("a register more")
    }

    /// Prefetches the memory of a group, if there are more groups than fit into the nearest caches.
    #[inline(always)]
    pub(super) fn prefetch(&self, group: usize) {
        if self.len() >= prefetch::MIN_ITEMS {
            let start = self.start(group) as u32;
            for line in 0..4 {
                prefetch_item(&self.words, start + 16 * line);
            }
        }
    }

    /// A bit for each of its triangles.
    #[inline(always)]
    pub(super) fn lanes(&self, group: usize) -> u32 {
        (1 << self.group(group).triangles) - 1
    }

    /// The vertex numbers of the corners of the `lane`-th triangle.
    pub(super) fn vertices_of(&self, group: usize, lane: usize) -> [u32; 3] {
        let group = self.group(group);
        let vertices = &group.words[group.vertices()];
        group.places(lane).mapped(|place| vertices[place])
    }

    /// The corners of the `lane`-th triangle.
    #[inline(always)]
    pub(super) fn corners_of(&self, group: usize, lane: usize) -> [Vec3; 3] {
        let group = self.group(group);
        let coordinates = &group.words[group.coordinates()];
        let at = |place: usize, axis: usize| f32::from_bits(coordinates[axis * group.vertices + place]);
        let point = |place: usize| Vec3::new(at(place, 0), at(place, 1), at(place, 2));
        let [a, b, c] = group.places(lane);
        [point(a), point(b), point(c)]
    }

    /// The smallest box around a group.
    pub(super) fn bounds(&self, group: usize) -> Aabb {
        let group = self.group(group);
        let rows = group.words[group.coordinates()].chunks_exact(group.vertices);
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for (axis, row) in rows.enumerate() {
            for x in row.iter().map(|&bits| f32::from_bits(bits)) {
                (low[axis], high[axis]) = (low[axis].min(x), high[axis].max(x));
            }
        }
        Aabb::new(low, high).unwrap_or_else(|error| unreachable!("vertices are in range: {error}"))
    }

    /// The memory in bytes.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.starts) + size_of_val(&*self.words)
    }

    /// Loads all triangles of a group into registers; lanes after the last are arbitrary.
    #[inline(always)]
    pub(super) fn corners<S: Simd>(&self, simd: S, group: usize, axes: [usize; 3]) -> Corners<S> {
        let TriangleGroup { words, vertices, .. } = self.group(group);
        let words: &[u32; SPAN] = words.first_chunk().expect("more behind the last");
        let places = CornerPlaces::new(simd, words[1..].first_chunk().expect("as many"));
        let row = |axis: usize| words[HEAD + axis.min(2) * vertices..].first_chunk().expect("two registers more");
        let (rows, are_more) = ([row(axes[0]), row(axes[1]), row(axes[2])], vertices > LANES);
        // A loop would keep the columns in memory.
        let columns = [
            lookup(simd, rows, are_more, &places.of_corner(simd, 0)),
            lookup(simd, rows, are_more, &places.of_corner(simd, 1)),
            lookup(simd, rows, are_more, &places.of_corner(simd, 2)),
        ];
        Corners { axes, columns }
    }

    /// The boxes around the triangles of a group; lanes after the last are arbitrary.
    pub(super) fn boxes<S: Simd>(&self, simd: S, group: usize) -> Boxes {
        // Compiled once for all callers.
        simd.vectorize(
            #[inline(always)]
            || self.corners(simd, group, [0, 1, 2]).boxes(),
        )
    }
}

/// Sixteen triangles, by corner and axis, with the axes in a given order.
pub(super) struct Corners<S: Simd> {
    axes: [usize; 3],
    pub(super) columns: [[f32x16<S>; 3]; 3],
}

impl<S: Simd> Corners<S> {
    /// The triangles in `lanes`.
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

/// The boxes of triangles in memory, laid out as in a node.
#[repr(align(64))]
pub(super) struct Boxes(pub(super) [Row; 6]);

impl Rows for Boxes {
    #[inline(always)]
    fn row<S: Simd>(&self, simd: S, face: Face) -> f32x16<S> {
        load(simd, &self.0[face as usize])
    }
}
