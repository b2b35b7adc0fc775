//! Up to sixteen rays against a triangle, eight at a time: what [`super::triangle_filter`] tells of one, bit for bit.

use super::{
    Crossing, Path,
    triangle::{CANCELLED, ERROR},
    triangle_filter::{BESIDE, PRECISE},
};
use crate::{
    Ray, Sides,
    shape::triangle::wide_normal,
    vectorized::{Level, Simd, vectorized},
};
use fearless_simd::{f32x16, f64x8, mask64x8, prelude::*};
use glam::{DVec3, Vec3};

/// Rays of a packet.
const LANES: usize = 16;

/// Rays that are tested at a time.
const HALF: usize = LANES / 2;

/// So few are tested one by one.
const FEW: u32 = 1;

/// Up to sixteen rays by lane.
///
/// ```
/// use cullide_narrowphase::{Ray, RayPacket, Sides, glam::Vec3};
/// let mut packet = RayPacket::default();
/// packet.gather(&[0.5, 1.5, 2.5].map(|x| Ray::new(Vec3::new(x, 0.5, 3.0), Vec3::NEG_Z).unwrap()));
/// let corners = [Vec3::ZERO, Vec3::X * 4.0, Vec3::Y * 2.0];
/// let mut crossed = vec![];
/// packet.crossings_of_triangle(corners, Sides::Both, 100.0, 0b101, |lane, crossing| crossed.push((lane, crossing.enter)));
/// assert_eq!(crossed, [(0, 3.0), (2, 3.0)]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct RayPacket {
    /// By axis; in lanes without a ray, those of the last.
    origins: [[f32; LANES]; 3],
    directions: [[f32; LANES]; 3],
    count: usize,
}

impl RayPacket {
    /// The most rays of a packet.
    pub const MAX: usize = LANES;

    /// Takes the first [`RayPacket::MAX`] of these rays in place of those that it has.
    ///
    /// ```
    /// # use cullide_narrowphase::{Ray, RayPacket, glam::Vec3};
    /// let mut packet = RayPacket::default();
    /// packet.gather(&[Ray::new(Vec3::X * 3.0, Vec3::Y)?]);
    /// assert_eq!((packet.len(), packet.origins()[0][15], packet.directions()[1][0]), (1, 3.0, 1.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[inline]
    pub fn gather(&mut self, rays: &[Ray]) {
        self.count = rays.len().min(LANES);
        let Some(last) = rays.last() else { return };
        for lane in 0..LANES {
            let ray = rays.get(lane).unwrap_or(last);
            let (origin, direction) = (ray.origin(), ray.direction());
            (self.origins[0][lane], self.origins[1][lane], self.origins[2][lane]) = (origin.x, origin.y, origin.z);
            (self.directions[0][lane], self.directions[1][lane], self.directions[2][lane]) =
                (direction.x, direction.y, direction.z);
        }
    }

    /// The number of rays.
    #[inline]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Where the rays start, by axis; in lanes without a ray, where the last starts.
    #[inline]
    pub fn origins(&self) -> &[[f32; LANES]; 3] {
        &self.origins
    }

    /// The unit directions, likewise.
    #[inline]
    pub fn directions(&self) -> &[[f32; LANES]; 3] {
        &self.directions
    }

    /// Calls `visit` with those of the rays in `lanes`, a bit each, that cross the triangle of these corners within
    /// `max_distance`, as [`Path::crossing_of_triangle`] does for each.
    #[inline]
    pub fn crossings_of_triangle(
        &self,
        corners: [Vec3; 3],
        sides: Sides,
        max_distance: f32,
        lanes: u32,
        mut visit: impl FnMut(usize, Crossing),
    ) {
        if max_distance.is_nan() || max_distance < 0.0 {
            return;
        }
        let points = corners.map(|corner| (corner + Vec3::ZERO).as_dvec3());
        let lanes = lanes & ((1 << self.count) - 1);
        let mut certain = CertainLanes { unclear: lanes, ..CertainLanes::default() };
        if lanes.count_ones() > FEW {
            let max = f64::from(max_distance);
            vectorized!(
                Level::new(),
                simd => certain = self.certain_crossings(simd, points, sides, max, lanes),
                else {}
            );
        }
        if certain.met != 0 {
            let normal = wide_normal(points);
            for lane in each_lane(certain.met) {
                let normal = if certain.leaving >> lane & 1 == 1 { -normal } else { normal };
                let (enter, exit) = (certain.enter[lane], certain.exit[lane]);
                visit(lane, Crossing { enter, exit, normal, inside: false });
            }
        }
        for lane in each_lane(certain.unclear) {
            let at = |rows: &[[f32; LANES]; 3]| Vec3::new(rows[0][lane], rows[1][lane], rows[2][lane]);
            let path = Path::new(at(&self.origins), at(&self.directions), max_distance);
            if let Some(crossing) = path.crossing_of_triangle(corners, sides) {
                visit(lane, crossing);
            }
        }
    }

    /// What is certain of the rays in `lanes`, eight at a time.
    #[inline(always)]
    fn certain_crossings<S: Simd>(
        &self,
        simd: S,
        points: [DVec3; 3],
        sides: Sides,
        max: f64,
        lanes: u32,
    ) -> CertainLanes {
        let mut certain = CertainLanes { unclear: lanes, ..CertainLanes::default() };
        let triangle = WideLanes::of_triangle(simd, points);
        for first in [0, HALF] {
            let lanes = lanes & (EVERY_LANE << first);
            if lanes != 0 {
                let (origin, delta) = (half(simd, &self.origins, first), half(simd, &self.directions, first));
                certain.add(first, lanes, triangle.certain_crossings(simd, origin, delta, sides, max));
            }
        }
        certain
    }
}

/// What is certain of sixteen rays; a bit each for those that cross, those of them that leave through the front, and
/// those of which nothing is.
#[derive(Default)]
struct CertainLanes {
    met: u32,
    leaving: u32,
    unclear: u32,
    enter: [f64; LANES],
    exit: [f64; LANES],
}

impl CertainLanes {
    #[inline(always)]
    fn add<S: Simd>(&mut self, first: usize, lanes: u32, found: CertainHalf<S>) {
        let bits = |mask: mask64x8<S>| (mask.to_bitmask() as u32) << first & lanes;
        self.met |= bits(found.met);
        self.leaving |= bits(found.leaving);
        self.unclear &= !(bits(found.met) | bits(found.missed));
        if let (Some(enter), Some(exit)) =
            (self.enter[first..].first_chunk_mut::<HALF>(), self.exit[first..].first_chunk_mut::<HALF>())
        {
            (*enter, *exit) = (found.enter.into(), found.exit.into());
        }
    }
}

/// The same of eight.
struct CertainHalf<S: Simd> {
    met: mask64x8<S>,
    missed: mask64x8<S>,
    leaving: mask64x8<S>,
    enter: f64x8<S>,
    exit: f64x8<S>,
}

/// Vectors of eight lanes.
type Vectors<S> = [f64x8<S>; 3];

/// A bit for each of eight lanes.
const EVERY_LANE: u32 = (1 << HALF) - 1;

/// Three coordinates of eight rays from the `first` on.
#[inline(always)]
fn half<S: Simd>(simd: S, [x, y, z]: &[[f32; LANES]; 3], first: usize) -> Vectors<S> {
    [wide(simd, x, first), wide(simd, y, first), wide(simd, z, first)]
}

#[inline(always)]
fn wide<S: Simd>(simd: S, row: &[f32; LANES], first: usize) -> f64x8<S> {
    let (low, high) = f32x16::simd_from(simd, *row).widen();
    if first == 0 { low } else { high }
}

#[inline(always)]
fn splat<S: Simd>(simd: S, v: DVec3) -> Vectors<S> {
    [f64x8::splat(simd, v.x), f64x8::splat(simd, v.y), f64x8::splat(simd, v.z)]
}

#[inline(always)]
fn minus<S: Simd>([ax, ay, az]: Vectors<S>, [bx, by, bz]: Vectors<S>) -> Vectors<S> {
    [ax - bx, ay - by, az - bz]
}

/// [`super::triangle::volume`], in the same order.
#[inline(always)]
fn volume<S: Simd>([ax, ay, az]: Vectors<S>, [bx, by, bz]: Vectors<S>, [cx, cy, cz]: Vectors<S>) -> f64x8<S> {
    ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
}

#[inline(always)]
fn size<S: Simd>([x, y, z]: Vectors<S>) -> f64x8<S> {
    x.abs().max(y.abs()).max(z.abs())
}

/// A triangle in all lanes.
struct WideLanes<S: Simd> {
    points: [Vectors<S>; 3],
    low: Vectors<S>,
    high: Vectors<S>,
}

impl<S: Simd> WideLanes<S> {
    #[inline(always)]
    fn of_triangle(simd: S, [a, b, c]: [DVec3; 3]) -> Self {
        Self {
            points: [splat(simd, a), splat(simd, b), splat(simd, c)],
            low: splat(simd, a.min(b).min(c)),
            high: splat(simd, a.max(b).max(c)),
        }
    }

    /// What [`super::triangle_filter`] tells of each lane.
    #[inline(always)]
    fn certain_crossings(
        &self,
        simd: S,
        origin: Vectors<S>,
        delta: Vectors<S>,
        sides: Sides,
        max: f64,
    ) -> CertainHalf<S> {
        let all = |x: f64| f64x8::splat(simd, x);
        let (zero, [a, b, c]) = (all(0.0), self.points);
        let (a, b, c) = (minus(a, origin), minus(b, origin), minus(c, origin));
        let (u, v, w) = (volume(delta, a, b), volume(delta, b, c), volume(delta, c, a));
        let reach = size(a).max(size(b)).max(size(c));
        let [dx, dy, dz] = delta;
        let permanent = all(3.0) * (dx.abs() + dy.abs() + dz.abs()) * reach * reach;
        let error = permanent * all(ERROR);
        let (least, greatest) = (u.min(v).min(w), u.max(v).max(w));
        let (leaving, coming) = (least.simd_gt(error), greatest.simd_lt(-error));
        let mut missed = least.simd_lt(-error) & greatest.simd_gt(error);
        if sides == Sides::Front {
            missed |= leaving;
        }
        let (height, rise) = (volume(a, b, c), u + v + w);
        let is_precise = rise.abs().simd_gt(all(3.0 * CANCELLED) * permanent)
            & height.abs().simd_gt(all(8.0 * CANCELLED) * reach * reach * reach);
        let is_crossed = (leaving | coming) & is_precise & !missed;
        let time = height / rise;
        missed |= is_crossed & (time.simd_lt(zero) | time.simd_gt(all(max * (1.0 + PRECISE))));
        let met = is_crossed & !missed & time.simd_lt(all(max * (1.0 - PRECISE)));
        let (enter, exit) = self.clipped(simd, time, origin, delta, max);
        CertainHalf { met, missed, leaving, enter, exit }
    }

    /// The times as entry and exit of the box around the triangle.
    #[inline(always)]
    fn clipped(
        &self,
        simd: S,
        time: f64x8<S>,
        origin: Vectors<S>,
        delta: Vectors<S>,
        max: f64,
    ) -> (f64x8<S>, f64x8<S>) {
        let (zero, max, beside) = (f64x8::splat(simd, 0.0), f64x8::splat(simd, max), f64x8::splat(simd, BESIDE));
        let (mut enter, mut exit) = (time, time);
        for axis in 0..3 {
            let (o, d, low, high) = (origin[axis], delta[axis], self.low[axis], self.high[axis]);
            let way = d * time;
            let slack = beside * (low.abs() + high.abs() + o.abs() + way.abs());
            let at = o + way;
            let is_beside = (at.simd_le(low + slack) | at.simd_ge(high - slack)) & !d.simd_eq(zero);
            if is_beside.any_true() {
                let (first, last) = ((low - o) / d, (high - o) / d);
                enter = is_beside.select(enter.max(first.min(last)), enter);
                exit = is_beside.select(exit.min(first.max(last)), exit);
            }
        }
        let enter = enter.min(max);
        (enter + zero, exit.max(enter) + zero)
    }
}

/// The lanes of a mask, lowest first.
#[inline]
fn each_lane(mut lanes: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cast::slanted::tests::random_point, vectorized::levels};
    use cullide_scenes::{Rng, SEED};

    #[test]
    fn each_ray_crosses_as_it_does_alone() {
        let mut rng = Rng::with_seed(SEED);
        let (mut crossed, mut certain) = (0, 0);
        for round in 0..60_000u32 {
            let mut point = |size: f32| random_point(&mut rng, round, size);
            let (from, to) = (point(3.0), point(1.0));
            let count = 1 + round as usize % LANES;
            let rays: Vec<Ray> =
                (0..count).filter_map(|_| Ray::new(from, to.lerp(point(1.0), 0.2) - from).ok()).collect();
            let mut corners = [point(1.0), point(1.0), point(1.0)];
            if round % 2 == 0 {
                // In a plane of an axis, as walls and floors are.
                let level = corners[0].y;
                corners.iter_mut().for_each(|corner| corner.y = level);
            }
            let max = [f32::INFINITY, from.distance(corners[0]), 3.0, 0.0][round as usize % 4];
            let mut packet = RayPacket::default();
            packet.gather(&rays);
            for sides in [Sides::Front, Sides::Both] {
                let alone: Vec<_> = (0..)
                    .zip(&rays)
                    .filter_map(|(lane, ray)| Some((lane, ray.path(max)?.crossing_of_triangle(corners, sides)?)))
                    .collect();
                let mut together = vec![];
                packet.crossings_of_triangle(corners, sides, max, u32::MAX, |lane, crossing| {
                    together.push((lane, crossing));
                });
                together.sort_by_key(|(lane, _)| *lane);
                assert_eq!(together, alone, "{rays:?} {corners:?}");
                crossed += alone.len();
                let points = corners.map(|corner| (corner + Vec3::ZERO).as_dvec3());
                let lanes = (1 << rays.len()) - 1;
                for level in levels() {
                    let mut found = CertainLanes::default();
                    vectorized!(level, simd => {
                        found = packet.certain_crossings(simd, points, sides, f64::from(max), lanes);
                    }, else {});
                    certain += found.met.count_ones() as usize;
                    for lane in each_lane(found.met) {
                        let (_, crossing) = alone.iter().find(|(other, _)| *other == lane).expect("it crosses alone");
                        assert_eq!((found.enter[lane], found.exit[lane]), (crossing.enter, crossing.exit));
                    }
                }
            }
        }
        assert!(
            crossed > 5000 && certain > levels().len() * crossed / 2,
            "{crossed} cross, {certain} of them for certain"
        );
    }

    #[test]
    fn lanes_that_are_not_asked_or_have_no_ray_cross_nothing() {
        let rays = [Ray::new(Vec3::new(0.5, 0.5, 1.0), Vec3::NEG_Z).unwrap(); 20];
        let corners = [Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 2.0];
        let met = |count: usize, lanes: u32, max: f32| {
            let (mut packet, mut met) = (RayPacket::default(), 0);
            packet.gather(&rays[..count]);
            packet.crossings_of_triangle(corners, Sides::Both, max, lanes, |lane, _| met |= 1 << lane);
            met
        };
        assert_eq!(met(20, u32::MAX, 1.0), 0xffff);
        assert_eq!(met(5, 0b1011_0110, 1.0), 0b1_0110);
        assert_eq!(
            [met(5, 1, 1.0), met(5, 1, 0.5), met(5, 3, -1.0), met(5, 3, f32::NAN), met(0, 3, 1.0)],
            [1, 0, 0, 0, 0]
        );
    }
}
