//! Which of sixteen rays may cross a triangle: the test of [`super::slanted`], one ray per lane.
//!
//! The times at which a ray passes a triangle's corners, along the longest axis, bound the time at which it crosses the
//! triangle: so a triangle that begins beyond a ray's limit is skipped for that ray.

use super::{RayPacket, SlantedPath, slanted};
use crate::{
    arrays::Mapped,
    simd::{Simd, Vec3x16, level, vectorized},
};
use fearless_simd::{f32x16, mask32x16, prelude::*};
use glam::{Vec3, Vec4};

/// Rays per packet.
const LANES: usize = RayPacket::MAX;

/// A computed time multiplied by this is earlier than the true one: a difference, a reciprocal and a product err by
/// 2^-24 each.
const SOONER: f32 = 1.0 - 1.0 / (1u32 << 20) as f32;

/// Up to sixteen rays that are longest along the same axis, prepared for tests of triangles against all of them.
///
/// ```
/// use cullide_narrowphase::{Ray, RayPacket, SlantedPacket, glam::Vec3};
/// let ray = |x: f32| Ray::new(Vec3::new(x, 0.5, 1.0), Vec3::NEG_Z).unwrap();
/// let mut rays = RayPacket::default();
/// rays.gather(&[ray(0.5), ray(2.5)]);
/// let packet = SlantedPacket::new(&rays).unwrap();
/// let (near, far) = ([Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 2.0], [Vec3::ZERO, Vec3::X * 9.0, Vec3::Y * 9.0]);
/// let mut met = [0; 2];
/// packet.may_cross(&[near, far], &[1.0; RayPacket::MAX], &mut met);
/// assert_eq!(met, [0b01, 0b11]);
/// ```
#[derive(Clone, Debug)]
pub struct SlantedPacket {
    /// As for a single path, by lane; lanes without a ray repeat the last one.
    axes: [usize; 3],
    origin: [[f32; LANES]; 3],
    slant: [[f32; LANES]; 2],
    /// The reciprocal of the motion along the last axis.
    inverse: [f32; LANES],
    /// A bit for every ray.
    lanes: u32,
}

impl SlantedPacket {
    /// Prepares these rays; `None` if there are none, or if the axis that is longest for the first ray is not longest
    /// for all.
    pub fn new(rays: &RayPacket) -> Option<Self> {
        let (starts, directions) = (rays.origins(), rays.directions());
        let axes = slanted::axes(Vec3::from(directions.mapped(|row| row[0])));
        let [i, j, k] = axes;
        let (mut slant, mut inverse) = ([directions[i], directions[j]], directions[k]);
        let mut is_longest = true;
        for across in &mut slant {
            for (across, along) in across.iter_mut().zip(&inverse) {
                is_longest &= across.abs() <= along.abs();
                *across /= along;
            }
        }
        if !is_longest || rays.is_empty() {
            return None;
        }
        for along in &mut inverse {
            *along = 1.0 / *along;
        }
        let origin = [starts[i], starts[j], starts[k]];
        Some(Self { axes, origin, slant, inverse, lanes: (1 << rays.len()) - 1 })
    }

    /// Writes to `met`, for each of the triangles with these corners, a bit for every ray that may cross it by its time
    /// in `limits`; rays that certainly do not cross it have none. Triangles beyond the length of `met` are ignored.
    pub fn may_cross(&self, triangles: &[[Vec3; 3]], limits: &[f32; LANES], met: &mut [u32]) {
        vectorized!(
            level(),
            simd => self.cross(simd, triangles, limits, met),
            else self.cross_one_by_one(triangles, met)
        );
    }

    #[inline(always)]
    fn cross<S: Simd>(&self, simd: S, triangles: &[[Vec3; 3]], limits: &[f32; LANES], met: &mut [u32]) {
        let [i, j, k] = [self.axes[0] % 3, self.axes[1] % 3, self.axes[2] % 3];
        let origin = Vec3x16::load(simd, &self.origin);
        let slant_x = f32x16::simd_from(simd, self.slant[0]);
        let slant_y = f32x16::simd_from(simd, self.slant[1]);
        let inverse = f32x16::simd_from(simd, self.inverse);
        let share = f32x16::splat(simd, slanted::ERROR);
        let tiny = f32x16::splat(simd, slanted::TINY);
        // More than is lost where numbers underflow.
        let limit = f32x16::simd_from(simd, *limits) + f32x16::splat(simd, f32::MIN_POSITIVE);
        for (corners, met) in triangles.iter().zip(met) {
            let [a, b, c]: [&[f32; 3]; 3] = [corners[0].as_ref(), corners[1].as_ref(), corners[2].as_ref()];
            let a = Vec3x16::splat(simd, [a[i], a[j], a[k]]) - origin;
            let b = Vec3x16::splat(simd, [b[i], b[j], b[k]]) - origin;
            let c = Vec3x16::splat(simd, [c[i], c[j], c[k]]) - origin;
            let (au, av) = (a.x - slant_x * a.z, a.y - slant_y * a.z);
            let (bu, bv) = (b.x - slant_x * b.z, b.y - slant_y * b.z);
            let (cu, cv) = (c.x - slant_x * c.z, c.y - slant_y * c.z);
            let (ab, bc, ca) = (au * bv - av * bu, bu * cv - bv * cu, cu * av - cv * au);
            // The error of the edge that errs most.
            let size = a.abs_max().max(b.abs_max()).max(c.abs_max());
            let reach = au.abs().max(av.abs()).max(bu.abs().max(bv.abs())).max(cu.abs().max(cv.abs()));
            let error = share * size * reach + tiny;
            let is_beside: mask32x16<S> = ab.min(bc).min(ca).simd_lt(-error) & ab.max(bc).max(ca).simd_gt(error);
            let times = (a.z * inverse).min(b.z * inverse).min(c.z * inverse);
            let is_beyond: mask32x16<S> = (times * f32x16::splat(simd, SOONER)).simd_gt(limit);
            *met = !((is_beside | is_beyond).to_bitmask() as u32) & self.lanes;
        }
    }

    #[cold]
    fn cross_one_by_one(&self, triangles: &[[Vec3; 3]], met: &mut [u32]) {
        for (corners, met) in triangles.iter().zip(met) {
            let may_cross = |lane: usize| {
                let at = |row: [f32; LANES]| Vec4::splat(row[lane]);
                let (origin, slant) = (self.origin.mapped(at), self.slant.mapped(at));
                SlantedPath { axes: self.axes, origin, slant }.may_cross(corners.each_ref())
            };
            *met = (0..LANES).filter(|&lane| may_cross(lane)).fold(0, |met, lane| met | 1 << lane) & self.lanes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Cast, Ray, Triangle,
        cast::slanted::tests::random_point,
        simd::{Level, levels},
    };
    use cullide_scenes::{Rng, SEED};

    fn packet_of(rays: &[Ray]) -> Option<SlantedPacket> {
        let mut packet = RayPacket::default();
        packet.gather(rays);
        SlantedPacket::new(&packet)
    }

    fn cross_with(level: Level, packet: &SlantedPacket, triangles: &[[Vec3; 3]], limits: &[f32; LANES]) -> [u32; 3] {
        let mut met = [0; 3];
        vectorized!(level, simd => packet.cross(simd, triangles, limits, &mut met),
            else packet.cross_one_by_one(triangles, &mut met));
        met
    }

    #[test]
    fn what_is_crossed_in_time_is_never_missed_and_most_of_the_rest_is() {
        let mut rng = Rng::with_seed(SEED);
        let (mut crossed, mut kept, mut all, mut late) = (0, 0, 0, 0);
        for round in 0..30_000u32 {
            let mut point = |size: f32| random_point(&mut rng, round, size);
            let (from, to) = (point(3.0), point(1.0));
            let count = 1 + round as usize % LANES;
            let rays: Vec<Ray> =
                (0..count).filter_map(|_| Ray::new(from, to.lerp(point(1.0), 0.2) - from).ok()).collect();
            let Some(packet) = packet_of(&rays) else { continue };
            let paths: Vec<_> = rays.iter().map(|ray| ray.path(f32::INFINITY).unwrap()).collect();
            let triangles = [(); 3].map(|()| [point(1.0), point(1.0), point(1.0)]);
            let shapes = triangles.map(|[a, b, c]| Triangle::new(a, b, c));
            let mut limits = [f32::INFINITY; LANES];
            for (lane, path) in paths.iter().enumerate().filter(|(lane, _)| lane % 2 == 1) {
                // Exactly as far as it gets, or slightly less.
                let first = shapes[lane % 3].as_ref().ok().and_then(|shape| shape.crossing(path));
                let time = first.map_or(0.5, |crossing| crossing.enter as f32);
                limits[lane] = if lane % 4 == 1 { time } else { time * 0.999 };
            }
            let met = levels().into_iter().map(|level| cross_with(level, &packet, &triangles, &limits));
            let met: Vec<_> = met.collect();
            assert!(met.iter().all(|one| *one == met[0]), "{met:?}");
            let mut alone = [0; 3];
            packet.cross_one_by_one(&triangles, &mut alone);
            for (i, shape) in shapes.iter().enumerate() {
                assert_eq!(met[0][i] & !packet.lanes, 0);
                for (lane, path) in paths.iter().enumerate() {
                    let is_kept = met[0][i] >> lane & 1 == 1;
                    let crossing = shape.as_ref().ok().and_then(|shape| shape.crossing(path));
                    let is_crossed = crossing.is_some_and(|crossing| crossing.enter as f32 <= limits[lane]);
                    assert!(!is_crossed || is_kept && alone[i] >> lane & 1 == 1, "{path:?} {:?}", triangles[i]);
                    late += usize::from(crossing.is_some() && !is_crossed);
                    (crossed, kept, all) = (crossed + usize::from(is_crossed), kept + usize::from(is_kept), all + 1);
                }
            }
        }
        assert!(
            crossed > 10_000 && late > 1000 && kept < all / 2,
            "{crossed} and {late} crossed, {kept} of {all} kept"
        );
    }

    #[test]
    fn rays_that_go_no_common_way_make_no_packet() {
        let ray = |direction: Vec3| Ray::new(Vec3::ZERO, direction).unwrap();
        let along = ray(Vec3::new(2.0, 1.0, -3.0));
        assert!(packet_of(&[along; 16]).is_some());
        for rays in [vec![], vec![along, ray(Vec3::X)]] {
            assert!(packet_of(&rays).is_none(), "{rays:?}");
        }
    }
}
