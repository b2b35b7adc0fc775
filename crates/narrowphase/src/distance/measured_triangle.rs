//! A triangle that is tested against a capsule many times: bit for bit the results of [`Rod::gap_to_solid`] for it as a
//! solid of two faces and three edges, without the lists that a solid with any number of them needs.

use super::{
    Gap,
    edge_rows::EdgeRow,
    lanes::{cross, dot, splat},
    measured_solid::MeasuredSolid,
    rod::Rod,
};
use crate::{
    BrushPlane, Obb,
    exact::{ROUNDING, vector::try_normalized},
    shape::polygon::Polygon,
    vectorized::{Level, Simd, vectorized},
};
use fearless_simd::{f64x4, prelude::*};
use glam::DVec3;

/// A triangle, with all data that does not depend on where the capsule is.
pub(crate) struct MeasuredTriangle<'a> {
    polygon: &'a Polygon<'a>,
    bounds: [DVec3; 2],
    /// The largest coordinate of the bounds.
    size: f64,
    /// Its rounded corners lie within this of a plane.
    thickness: f64,
    /// The length of the normals of its faces.
    length: f64,
    edges: EdgeRow,
}

impl<'a> MeasuredTriangle<'a> {
    /// Creates it from a polygon with these three corners.
    pub(crate) fn new(polygon: &'a Polygon<'a>, [a, b, c]: [DVec3; 3]) -> Self {
        let bounds = [polygon.aabb.min().as_dvec3(), polygon.aabb.max().as_dvec3()];
        let size = bounds[0].abs().max(bounds[1].abs()).max_element();
        let [front, back] = polygon.faces;
        let length = front.normal.length();
        let thickness = (front.distance + back.distance).max(0.0) / length;
        let edges = EdgeRow::new([[a, b], [b, c], [c, a]].into_iter());
        Self { polygon, bounds, size, thickness, length, edges }
    }

    /// As [`Rod::stays_in_front`].
    pub(crate) fn stays_behind(&self, rod: &Rod, motion: DVec3) -> bool {
        let error = self.error(&rod.moved(motion));
        self.polygon.faces.iter().any(|plane| {
            let apart = rod.height_over(plane) - (rod.radius + error) * self.length;
            apart > 0.0 && apart + plane.normal.dot(motion) > 0.0
        })
    }

    /// How far a capsule is from the triangle; `axis` is the capsule's axis as a box.
    pub(crate) fn gap(&self, rod: &Rod, axis: impl Fn() -> Obb) -> Gap {
        let error = self.error(rod);
        let (height, face) = self.farthest(|plane| rod.height_over(plane));
        let (facet, normal) = if height > error {
            (height, self.normal(face))
        } else {
            rod.largest_facet(&self.polygon.difference(), &axis(), error)
        };
        if facet <= error {
            return Gap::new(facet - rod.radius, error, normal);
        }
        let (distance, offset) = vectorized!(
            Level::new(),
            simd => self.nearest_feature(simd, rod, error),
            else rod.nearest_feature(&MeasuredSolid::new(&self.polygon.difference()), error)
        );
        let (distance, normal) = if distance > facet { (distance, offset) } else { (facet, normal) };
        Gap::new(distance - rod.radius, error, normal).or(rod.gap_to_bounds(self.bounds))
    }

    /// Bound on what rounding may do to a gap.
    #[inline(always)]
    fn error(&self, rod: &Rod) -> f64 {
        64.0 * ROUNDING * (rod.size + self.size) + self.thickness
    }

    /// The largest height over a face, and that face; `height` gives heights times the length of the normal.
    #[inline(always)]
    fn farthest(&self, height: impl Fn(&BrushPlane) -> f64) -> (f64, &BrushPlane) {
        let [front, back] = self.polygon.faces;
        let (above, below) = (height(front) / self.length, height(back) / self.length);
        if below > above { (below, back) } else { (above, front) }
    }

    #[inline(always)]
    fn normal(&self, face: &BrushPlane) -> DVec3 {
        face.normal * (1.0 / self.length)
    }

    /// As [`Rod::nearest_feature`].
    #[inline(always)]
    fn nearest_feature<S: Simd>(&self, simd: S, rod: &Rod, error: f64) -> (f64, DVec3) {
        let edges = self.edges.lanes(simd);
        // The planes that stand on the edges.
        let across = cross(edges.edges.direction, splat(simd, self.polygon.faces[0].normal));
        let reaches = dot(across, edges.edges.base);
        let room = dot(across, across).sqrt() * f64x4::splat(simd, error);

        let mut best = (f64::INFINITY, DVec3::Y);
        for end in rod.ends() {
            let (height, face) = self.farthest(|plane| plane.signed_distance(end));
            if height < best.0 {
                let normal = self.normal(face);
                let beyond = dot(across, splat(simd, end - normal * height)) - reaches;
                if beyond.simd_le(room).to_bitmask() & 0b111 == 0b111 {
                    best = (height, normal);
                }
            }
        }
        let (distances, [x, y, z]) = edges.offsets(&rod.axis());
        let (distances, x, y, z) = (distances.as_slice(), x.as_slice(), y.as_slice(), z.as_slice());
        let nearer = |a: usize, b: usize| if distances[b] < distances[a] { b } else { a };
        let nearest = nearer(nearer(0, 1), 2);
        // An offset too short to have a direction does not count: then the others do, one after another.
        for edge in [nearest, 0, 1, 2] {
            if distances[edge] < best.0
                && let Some(normal) = try_normalized(DVec3::new(x[edge], y[edge], z[edge]))
            {
                best = (distances[edge], normal);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Capsule, Triangle};
    use cullide_scenes::{Rng, SEED};
    use glam::Vec3;

    #[test]
    fn a_triangle_is_as_far_as_a_solid_of_two_faces_bit_for_bit() {
        let mut rng = Rng::with_seed(SEED ^ 103);
        let (mut count, mut kinds) = (0, [0; 4]);
        for case in 0..12_000 {
            let scale = [1.0, 1e-15, 1e6, 1e-3][case / 2 % 4];
            let round = |v: Vec3| if case % 2 == 0 { v.round() } else { v };
            let mut vector = |size: f32| scale * round(Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0))));
            let (center, half, motion, mut corners) =
                (vector(4.0), vector(2.0), vector(6.0), [(); 3].map(|()| vector(4.0)));
            match case % 13 {
                // Slivers; tiny compared with the capsule; far from it; a ball.
                0 => corners[2] = corners[0] + (corners[1] - corners[0]) * 0.37,
                1 => corners = corners.map(|corner| corner * 1e-6),
                2 => corners[2] *= 1e5,
                _ => {}
            }
            let half = if case % 11 == 0 { Vec3::ZERO } else { half };
            let Ok(triangle) = Triangle::try_from(corners) else { continue };
            let capsule = Capsule::from_half_axis(center, half, 0.5 * scale).unwrap();
            let (rod, motion) = (Rod::from(&capsule).leaving(motion.as_dvec3()), motion.as_dvec3());
            let wide = triangle.wide();
            let (polygon, axis) = (wide.polygon(), || capsule.rod());
            let (difference, wide_unit) = (polygon.difference(), triangle.normal().as_dvec3());
            let solid = MeasuredSolid::new(&difference);
            let measured = MeasuredTriangle::new(&polygon, triangle.vertices());
            assert_eq!(measured.stays_behind(&rod, motion), rod.stays_in_front(&solid, motion), "{triangle:?} {rod:?}");
            for rod in [rod, rod.moved(0.3 * motion)] {
                let (found, expected) = (measured.gap(&rod, axis), rod.gap_to_solid(&solid, axis));
                assert_eq!(bits(&found), bits(&expected), "{triangle:?} {rod:?}: {found:?} {expected:?}");
                let error = measured.error(&rod);
                let (distance, normal) = rod.nearest_feature(&solid, error);
                for level in crate::vectorized::levels() {
                    let found = vectorized!(level, simd => measured.nearest_feature(simd, &rod, error), else continue);
                    let found = (found.0.to_bits(), (found.1 + DVec3::ZERO).to_array().map(f64::to_bits));
                    let expected = (distance.to_bits(), (normal + DVec3::ZERO).to_array().map(f64::to_bits));
                    assert_eq!(found, expected, "{triangle:?} {rod:?}");
                    count += 1;
                }
                let is_beside = normal.cross(wide_unit).length() < 1e-6;
                kinds[usize::from(is_beside) + 2 * usize::from(expected.separation < 0.0)] += 1;
            }
        }
        assert!(count > 40_000 && kinds.iter().all(|kind| *kind > 200), "{count} {kinds:?}");
    }

    fn bits(gap: &Gap) -> [u64; 5] {
        let DVec3 { x, y, z } = gap.normal;
        [gap.separation, gap.certain(), x, y, z].map(f64::to_bits)
    }
}
