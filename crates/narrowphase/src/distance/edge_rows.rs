//! How far the edges of a solid are from a line, four edges at a time: bit for bit the results of [`Line::offset_from`]
//! for each.

use super::lanes::{Column, LANES, Vectors, cross, dot, load, minus, splat};
use crate::{
    BrushEdge,
    exact::lines::Line,
    minkowski::MinkowskiDifference,
    vectorized::{Level, Simd, vectorized},
};
use fearless_simd::{f64x4, prelude::*};
use glam::DVec3;

/// Up to four edges of a solid.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeRow {
    base: Column,
    direction: Column,
    end: Column,
    /// The squared lengths.
    square: [f64; LANES],
    count: usize,
}

/// For each edge of a row, the distance from a line, and the vector from the nearest point of the edge to that of the
/// line.
pub(super) struct Offsets {
    distances: [f64; LANES],
    offsets: Column,
    count: usize,
}

impl Offsets {
    /// The distance and the offset of each edge.
    #[inline]
    pub(super) fn each(&self) -> impl Iterator<Item = (f64, DVec3)> {
        let [x, y, z] = &self.offsets;
        (0..self.count).map(move |i| (self.distances[i], DVec3::new(x[i], y[i], z[i])))
    }
}

impl EdgeRow {
    /// The rows of all edges of a solid.
    pub(super) fn all<'a>(solid: &'a MinkowskiDifference) -> impl Iterator<Item = Self> + 'a {
        let between = |edge: &BrushEdge| edge.vertices.map(|i| solid.vertices[i]);
        solid.edges.chunks(LANES).map(move |edges| Self::new(edges.iter().map(between)))
    }

    /// The row of up to four edges, given by their ends.
    #[inline(always)]
    pub(super) fn new(edges: impl ExactSizeIterator<Item = [DVec3; 2]>) -> Self {
        let zero = [[0.0; LANES]; 3];
        let mut row = Self { base: zero, direction: zero, end: zero, square: [0.0; LANES], count: edges.len() };
        for (lane, [a, b]) in edges.enumerate() {
            row.put(lane % LANES, &Line::between(a, b));
        }
        row
    }

    #[inline(always)]
    fn put(&mut self, lane: usize, edge: &Line) {
        let end = edge.base + edge.direction * edge.max;
        for axis in 0..3 {
            self.base[axis][lane] = edge.base[axis];
            self.direction[axis][lane] = edge.direction[axis];
            self.end[axis][lane] = end[axis];
        }
        self.square[lane] = edge.direction.length_squared();
    }

    /// How far the edges are from a line with an end.
    #[inline]
    pub(super) fn offsets_from(&self, line: &Line) -> Offsets {
        vectorized!(Level::new(), simd => self.offsets(simd, line), else self.offsets_one_by_one(line))
    }

    fn offsets_one_by_one(&self, line: &Line) -> Offsets {
        let mut found = Offsets { distances: [0.0; LANES], offsets: self.base, count: self.count };
        for lane in 0..self.count {
            let at = |column: &Column| DVec3::new(column[0][lane], column[1][lane], column[2][lane]);
            let edge = Line { base: at(&self.base), direction: at(&self.direction), max: 1.0 };
            let (distance, offset) = line.offset_from(&edge);
            found.distances[lane] = distance;
            for axis in 0..3 {
                found.offsets[axis][lane] = offset[axis];
            }
        }
        found
    }

    #[inline(always)]
    fn offsets<S: Simd>(&self, simd: S, line: &Line) -> Offsets {
        let (distances, offsets) = self.lanes(simd).offsets(line);
        let mut found = Offsets { distances: [0.0; LANES], offsets: self.base, count: self.count };
        found.distances.copy_from_slice(distances.as_slice());
        for (column, offset) in found.offsets.iter_mut().zip(offsets) {
            column.copy_from_slice(offset.as_slice());
        }
        found
    }

    /// The same edges in registers.
    #[inline(always)]
    pub(super) fn lanes<S: Simd>(&self, simd: S) -> EdgeLanes<S> {
        let edges = Edges {
            base: load(simd, &self.base),
            direction: load(simd, &self.direction),
            square: f64x4::simd_from(simd, self.square),
            max: f64x4::splat(simd, 1.0),
        };
        EdgeLanes { edges, end: load(simd, &self.end) }
    }
}

/// A row of edges in registers.
pub(super) struct EdgeLanes<S: Simd> {
    pub(super) edges: Edges<S>,
    end: Vectors<S>,
}

impl<S: Simd> EdgeLanes<S> {
    /// As [`EdgeRow::offsets_from`].
    #[inline(always)]
    pub(super) fn offsets(&self, line: &Line) -> (f64x4<S>, Vectors<S>) {
        let Self { edges: edge, end } = self;
        let simd = edge.square.simd;
        let zero = f64x4::splat(simd, 0.0);
        let (base, direction) = (splat(simd, line.base), splat(simd, line.direction));
        let last = splat(simd, line.base + line.direction * line.max);
        let max = f64x4::splat(simd, line.max);
        let own = Edges { base, direction, square: f64x4::splat(simd, line.direction.length_squared()), max };
        let start = edge.base;

        let mut least = Least { square: f64x4::splat(simd, f64::INFINITY), offset: [zero; 3] };
        least.consider(minus(base, edge.nearest(base)));
        least.consider(minus(last, edge.nearest(last)));
        least.consider(minus(own.nearest(start), start));
        least.consider(minus(own.nearest(*end), *end));
        let distance = least.square.sqrt();

        let normal = cross(direction, edge.direction);
        let square = dot(normal, normal);
        let way = minus(start, base);
        let (s, t) = (dot(cross(way, edge.direction), normal), dot(cross(way, direction), normal));
        let height = dot(way, normal);
        let across = height.abs() / square.sqrt();
        let is_across = square.simd_gt(zero)
            & s.simd_ge(zero)
            & s.simd_le(max * square)
            & t.simd_ge(zero)
            & t.simd_le(square)
            & across.simd_lt(distance);
        let [x, y, z] = least.offset;
        let offset = [
            is_across.select(normal[0] * -height, x),
            is_across.select(normal[1] * -height, y),
            is_across.select(normal[2] * -height, z),
        ];
        (is_across.select(across, distance), offset)
    }
}

/// Pieces of lines in lanes.
pub(super) struct Edges<S: Simd> {
    pub(super) base: Vectors<S>,
    pub(super) direction: Vectors<S>,
    square: f64x4<S>,
    max: f64x4<S>,
}

impl<S: Simd> Edges<S> {
    /// As [`Line::nearest`].
    #[inline(always)]
    fn nearest(&self, point: Vectors<S>) -> Vectors<S> {
        let zero = f64x4::splat(self.square.simd, 0.0);
        let along = dot(minus(point, self.base), self.direction);
        let t = along / self.square;
        let t = t.simd_lt(zero).select(zero, t);
        let t = t.simd_gt(self.max).select(self.max, t);
        let t = self.square.simd_gt(zero).select(t, zero);
        let [x, y, z] = self.direction;
        [self.base[0] + x * t, self.base[1] + y * t, self.base[2] + z * t]
    }
}

/// The shortest of some vectors; the first among equals.
struct Least<S: Simd> {
    square: f64x4<S>,
    offset: Vectors<S>,
}

impl<S: Simd> Least<S> {
    #[inline(always)]
    fn consider(&mut self, candidate: Vectors<S>) {
        let square = dot(candidate, candidate);
        let is_less = square.simd_lt(self.square);
        self.square = is_less.select(square, self.square);
        for (offset, candidate) in self.offset.iter_mut().zip(candidate) {
            *offset = is_less.select(candidate, *offset);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Obb, Triangle, minkowski::box_solid::BoxSolid};
    use cullide_scenes::{Rng, SEED};
    use glam::{Quat, Vec3};

    #[test]
    fn rows_tell_of_each_edge_what_it_tells_alone() {
        let mut rng = Rng::with_seed(SEED ^ 89);
        for case in 0..20_000 {
            let round = |v: Vec3| if case % 2 == 0 { v.round() } else { v };
            let mut vector = |size: f32| round(Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0))));
            let (from, to) = (vector(5.0), if case % 7 == 0 { Vec3::ZERO } else { vector(4.0) });
            let line = Line { base: from.as_dvec3(), direction: to.as_dvec3(), max: 1.0 };
            let obb = Obb::new(vector(2.0), Quat::from_scaled_axis(vector(2.0)), vector(2.0).abs()).unwrap();
            check(&BoxSolid::from(&obb).difference(), &line);
            if let Ok(triangle) = Triangle::new(vector(3.0), vector(3.0), vector(3.0)) {
                check(&triangle.wide().polygon().difference(), &line);
            }
        }
    }

    fn check(solid: &MinkowskiDifference, line: &Line) {
        let bits = |(distance, offset): (f64, DVec3)| {
            (distance.to_bits(), (offset + DVec3::ZERO).to_array().map(f64::to_bits))
        };
        let edges = solid.edges.iter().map(|edge| edge.vertices.map(|i| solid.vertices[i]));
        let expected: Vec<_> = edges.map(|[a, b]| bits(line.offset_from(&Line::between(a, b)))).collect();
        for level in crate::vectorized::levels() {
            let rows = EdgeRow::all(solid).flat_map(|row| {
                let found = vectorized!(level, simd => row.offsets(simd, line), else row.offsets_one_by_one(line));
                found.each().map(bits).collect::<Vec<_>>()
            });
            assert_eq!(rows.collect::<Vec<_>>(), expected, "{solid:?} {line:?}");
        }
    }
}
