//! The edges of a triangle at once, in lanes, and the point of the triangle nearest to another point: bit for bit the
//! results of [`Solid::closest_point`].

use crate::{
    Triangle,
    shape::triangle::sure_normal,
    simd::{DVec3x4, Simd, level, vectorized},
};
use fearless_simd::{f64x4, prelude::*};
use glam::{DVec3, Vec3};

impl Triangle {
    /// Returns the point nearest to `point` of the triangle with these corners, as [`Solid::closest_point`](crate::Solid::closest_point) does,
    /// without creating the triangle. The corners have to be in range; returns `None` if they lie in a line.
    ///
    /// ```
    /// # use cullide_narrowphase::{Triangle, glam::Vec3};
    /// let corners = [Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0];
    /// assert_eq!(Triangle::closest_point_of(&corners, Vec3::new(-1.0, 1.0, 5.0)), Some(Vec3::Y));
    /// ```
    #[doc(hidden)]
    pub fn closest_point_of(corners: &[Vec3; 3], point: Vec3) -> Option<Vec3> {
        vectorized!(
            level(),
            simd => closest_point(simd, corners, point.as_dvec3()),
            else None
        )
        .or_else(|| Self::try_from(*corners).ok().map(|triangle| triangle.closest_point(point)))
    }
}

/// Returns `None` for a sliver.
#[inline(always)]
fn closest_point<S: Simd>(simd: S, [a, b, c]: &[Vec3; 3], point: DVec3) -> Option<Vec3> {
    // No negative zeros, as in a triangle.
    let [a, b, c] = [(*a + Vec3::ZERO).as_dvec3(), (*b + Vec3::ZERO).as_dvec3(), (*c + Vec3::ZERO).as_dvec3()];
    let normal = sure_normal([a, b, c])?;
    let nearest = match Edges::new([a, b, c]).nearest(simd, point, normal) {
        Some(on_edge) => on_edge,
        None => foot(point, normal, a),
    };
    Some(nearest.clamp(a.min(b).min(c), a.max(b).max(c)).as_vec3())
}

/// The foot of the perpendicular from `point` on a plane through `on_plane`.
#[inline(always)]
pub(super) fn foot(point: DVec3, normal: DVec3, on_plane: DVec3) -> DVec3 {
    point - normal * ((point - on_plane).dot(normal) / normal.length_squared())
}

/// How many edges are side by side.
const LANES: usize = 4;

/// Vectors of edges, by coordinate.
type Column = [[f64; LANES]; 3];

/// The edges of a triangle, and a fourth lane that does not count.
pub(super) struct Edges {
    start: Column,
    along: Column,
    /// The squared lengths.
    square: [f64; LANES],
}

impl Edges {
    #[inline(always)]
    pub(super) fn new([a, b, c]: [DVec3; 3]) -> Self {
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

    /// The point of the edges nearest to `point`; `None` if `point` lies over the triangle, which has this `normal`.
    #[inline(always)]
    pub(super) fn nearest<S: Simd>(&self, simd: S, point: DVec3, normal: DVec3) -> Option<DVec3> {
        let (zero, one) = (f64x4::splat(simd, 0.0), f64x4::splat(simd, 1.0));
        let (start, along) = (DVec3x4::load(simd, &self.start), DVec3x4::load(simd, &self.along));
        let at = DVec3x4::splat(simd, point);
        let way = at - start;
        let is_over = along.cross(way).dot(DVec3x4::splat(simd, normal)).simd_ge(zero);
        if is_over.to_bitmask() & 0b111 == 0b111 {
            return None;
        }
        let t = way.dot(along) / f64x4::simd_from(simd, self.square);
        let t = t.simd_lt(zero).select(zero, t);
        let t = t.simd_gt(one).select(one, t);
        let nearest = start + along * t;
        let offset = nearest - at;
        let square = offset.dot(offset);
        let (square, [x, y, z]) = (square.as_slice(), nearest.store());
        let second = if square[1] < square[0] { 1 } else { 0 };
        let lane = if square[2] < square[second] { 2 } else { second };
        Some(DVec3::new(x[lane], y[lane], z[lane]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_scenes::{Rng, SEED};

    #[test]
    fn the_nearest_point_is_that_of_the_triangle_bit_for_bit() {
        let mut rng = Rng::with_seed(SEED ^ 101);
        let (mut count, mut asked, mut lines) = (0, 0, 0);
        for case in 0..40_000 {
            let scale = [1.0, 1e-18, 1e7, 1e-3][case % 4];
            let round = |v: Vec3| if case % 3 == 0 { v.round() } else { v };
            let mut vector = |size: f32| scale * round(Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0))));
            let (point, mut corners) = (vector(4.0), [(); 3].map(|()| vector(3.0)));
            match case % 13 {
                // Slivers and line segments.
                0 => corners[2] = corners[0] + (corners[1] - corners[0]) * 0.37,
                1 => corners[2] = corners[0].midpoint(corners[1]),
                2 => corners[2] = corners[1],
                3 => corners[0] = -0.0 * corners[0],
                _ => {}
            }
            let expected = Triangle::try_from(corners).ok().map(|triangle| triangle.closest_point(point));
            let bits = |found: Option<Vec3>| found.map(|at| at.to_array().map(f32::to_bits));
            assert_eq!(bits(Triangle::closest_point_of(&corners, point)), bits(expected), "{corners:?} {point}");
            for level in crate::simd::levels() {
                let found = vectorized!(level, simd => closest_point(simd, &corners, point.as_dvec3()), else continue);
                assert!(found.is_none() || bits(found) == bits(expected), "{corners:?} {point}");
                (count, asked) = (count + usize::from(found.is_some()), asked + 1);
            }
            lines += usize::from(expected.is_none());
        }
        assert!(asked >= 40_000 && 4 * count > 3 * asked && lines > 2_000, "{count} of {asked}, {lines}");
    }
}
