//! A polygon that is tested against a ball many times. The edges of a triangle are tested at once, in lanes: bit for
//! bit the results of [`Polygon::nearest`].

use super::{
    polygon::PolygonPoint,
    triangle_edges::{Edges, foot},
};
use crate::{
    arrays::Mapped,
    exact::vector,
    shape::polygon::Polygon,
    simd::{level, vectorized},
};
use glam::DVec3;

/// A polygon, with all data that does not depend on where the ball is.
pub(crate) struct MeasuredPolygon<'a> {
    polygon: &'a Polygon<'a>,
    pub(crate) bounds: [DVec3; 2],
    /// The largest coordinate of the bounds.
    pub(crate) size: f64,
    /// Four corners need not lie in one plane: they are within this of the plane of three.
    pub(crate) thickness: f64,
    /// The unit normal of its plane.
    pub(crate) unit: DVec3,
    /// For a triangle only.
    edges: Option<Edges>,
}

impl<'a> MeasuredPolygon<'a> {
    pub(crate) fn new(polygon: &'a Polygon<'a>) -> Self {
        let bounds = [polygon.aabb.min(), polygon.aabb.max()].mapped(|corner| corner.as_dvec3());
        let [front, back] = polygon.faces;
        let thickness = (front.distance + back.distance).max(0.0) / front.normal.length();
        let edges = if let [a, b, c] = *polygon.vertices { Some(Edges::new([a, b, c])) } else { None };
        let size = bounds[0].abs().max(bounds[1].abs()).max_element();
        Self { polygon, bounds, size, thickness, unit: vector::normalized(polygon.plane[0].normal), edges }
    }

    /// The point of the polygon nearest to `point`: as [`Polygon::nearest`].
    #[inline]
    pub(crate) fn nearest(&self, point: DVec3) -> PolygonPoint {
        let Some(edges) = &self.edges else { return self.polygon.nearest(point) };
        let normal = self.polygon.plane[0].normal;
        let on_edge = vectorized!(
            level(),
            simd => edges.nearest(simd, point, normal),
            else return self.polygon.nearest(point)
        );
        if let Some(point) = on_edge {
            return PolygonPoint { point, normal: None };
        }
        PolygonPoint { point: foot(point, normal, self.polygon.vertices[0]), normal: Some(normal) }
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
            let bits = |nearest: PolygonPoint| {
                (nearest.point.to_array().map(f64::to_bits), nearest.normal.map(|n| n.to_array().map(f64::to_bits)))
            };
            let expected = bits(polygon.nearest(point));
            let measured = MeasuredPolygon::new(&polygon);
            assert_eq!(bits(measured.nearest(point)), expected, "{triangle:?} {point}");
            let edges = Edges::new(triangle.vertices());
            for level in crate::simd::levels() {
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
