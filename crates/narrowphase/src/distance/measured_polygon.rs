//! A polygon that a ball is held against many times. The edges of a triangle are asked at once, in lanes: bit for bit
//! what [`Polygon::nearest`] tells.

use super::{
    lanes::{Column, LANES, cross, dot, load, minus, splat},
    polygon::Nearest,
};
use crate::{
    exact::vector,
    shape::polygon::Polygon,
    vectorized::{Level, Simd, vectorized},
};
use fearless_simd::{f64x4, prelude::*};
use glam::DVec3;

/// A polygon, and what of it does not depend on where a ball is.
pub(crate) struct MeasuredPolygon<'a> {
    polygon: &'a Polygon<'a>,
    pub(crate) bounds: [DVec3; 2],
    /// The largest coordinate of these.
    pub(crate) size: f64,
    /// Four corners need not be flat: what they are is within this from the plane of three.
    pub(crate) thickness: f64,
    /// The unit normal of its plane.
    pub(crate) unit: DVec3,
    /// Of a triangle.
    edges: Option<Edges>,
}

/// The edges of a triangle, and a lane that does not count.
struct Edges {
    start: Column,
    along: Column,
    /// Of the lengths.
    square: [f64; LANES],
}

impl<'a> MeasuredPolygon<'a> {
    pub(crate) fn new(polygon: &'a Polygon<'a>) -> Self {
        let bounds = [polygon.aabb.min(), polygon.aabb.max()].map(|corner| corner.as_dvec3());
        let [front, back] = polygon.faces;
        let thickness = (front.distance + back.distance).max(0.0) / front.normal.length();
        let edges = if let [a, b, c] = *polygon.vertices { Some(Edges::new([a, b, c])) } else { None };
        let size = bounds[0].abs().max(bounds[1].abs()).max_element();
        Self { polygon, bounds, size, thickness, unit: vector::normalized(polygon.plane[0].normal), edges }
    }

    /// What of the polygon is nearest to a point: as [`Polygon::nearest`].
    #[inline]
    pub(crate) fn nearest(&self, point: DVec3) -> Nearest {
        let Some(edges) = &self.edges else { return self.polygon.nearest(point) };
        let normal = self.polygon.plane[0].normal;
        let on_edge = vectorized!(
            Level::new(),
            simd => edges.nearest(simd, point, normal),
            else return self.polygon.nearest(point)
        );
        if let Some(point) = on_edge {
            return Nearest { point, normal: None };
        }
        let a = self.polygon.vertices[0];
        let foot = point - normal * ((point - a).dot(normal) / normal.length_squared());
        Nearest { point: foot, normal: Some(normal) }
    }
}

impl Edges {
    fn new([a, b, c]: [DVec3; 3]) -> Self {
        let mut edges = Self { start: [[0.0; LANES]; 3], along: [[0.0; LANES]; 3], square: [1.0; LANES] };
        for (lane, (from, to)) in [(a, b), (b, c), (c, a)].into_iter().enumerate() {
            let along = to - from;
            for axis in 0..3 {
                edges.start[axis][lane] = from[axis];
                edges.along[axis][lane] = along[axis];
            }
            edges.square[lane] = along.length_squared();
        }
        edges
    }

    /// The nearest of their points, unless the point lies over the triangle, whose normal this is.
    #[inline(always)]
    fn nearest<S: Simd>(&self, simd: S, point: DVec3, normal: DVec3) -> Option<DVec3> {
        let (zero, one) = (f64x4::splat(simd, 0.0), f64x4::splat(simd, 1.0));
        let (start, along) = (load(simd, &self.start), load(simd, &self.along));
        let at = splat(simd, point);
        let way = minus(at, start);
        let is_over = dot(cross(along, way), splat(simd, normal)).simd_ge(zero);
        if is_over.to_bitmask() & 0b111 == 0b111 {
            return None;
        }
        let t = dot(way, along) / f64x4::simd_from(simd, self.square);
        let t = t.simd_lt(zero).select(zero, t);
        let t = t.simd_gt(one).select(one, t);
        let nearest = [start[0] + along[0] * t, start[1] + along[1] * t, start[2] + along[2] * t];
        let offset = minus(nearest, at);
        let square = dot(offset, offset);
        let (square, [x, y, z]) = (square.as_slice(), &nearest);
        let second = if square[1] < square[0] { 1 } else { 0 };
        let lane = if square[2] < square[second] { 2 } else { second };
        Some(DVec3::new(x.as_slice()[lane], y.as_slice()[lane], z.as_slice()[lane]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Triangle;
    use cullide_scenes::{Rng, SEED};
    use glam::Vec3;

    #[test]
    fn lanes_tell_what_one_edge_after_the_other_does() {
        let mut rng = Rng::with_seed(SEED ^ 97);
        let mut over = 0;
        for case in 0..40_000 {
            let round = |v: Vec3| if case % 2 == 0 { v.round() } else { v };
            let mut vector = |size: f32| round(Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0))));
            let (point, [a, b, c]) = (vector(4.0).as_dvec3(), [(); 3].map(|()| vector(3.0)));
            let Ok(triangle) = Triangle::new(a, b, c) else { continue };
            let wide = triangle.wide();
            let polygon = wide.polygon();
            let normal = polygon.plane[0].normal;
            let bits = |nearest: Nearest| {
                (nearest.point.to_array().map(f64::to_bits), nearest.normal.map(|n| n.to_array().map(f64::to_bits)))
            };
            let expected = bits(polygon.nearest(point));
            let measured = MeasuredPolygon::new(&polygon);
            assert_eq!(bits(measured.nearest(point)), expected, "{triangle:?} {point}");
            let edges = Edges::new(triangle.vertices());
            for level in crate::vectorized::levels() {
                let found = vectorized!(level, simd => edges.nearest(simd, point, normal), else continue);
                assert_eq!(found.is_none(), expected.1.is_some());
                assert!(
                    found.is_none_or(|found| found.to_array().map(f64::to_bits) == expected.0),
                    "{triangle:?} {point}"
                );
            }
            over += usize::from(expected.1.is_some());
        }
        assert!(over > 1_000 && over < 39_000, "{over}");
    }
}
