//! Up to sixteen rays against triangles, eight at a time, with the results of [`super::triangle_filter`] for one ray,
//! bit for bit. The first crossing of each ray is kept in lanes, and so is what is reported of it.

use super::{
    FirstCrossings, PacketIntersections, Path,
    first_crossings::CrossingLanes,
    triangle::{CANCELLED, ERROR},
    triangle_filter::{BESIDE, PRECISE},
};
use crate::{
    Ray, Sides,
    shape::triangle::wide_normal,
    simd::{DVec3x8, Simd, level, vectorized},
};
use fearless_simd::{f32x16, f64x8, mask64x8, prelude::*};
use glam::{DVec3, Vec3};

/// Rays per packet.
const LANES: usize = 16;

/// Rays tested at a time.
const HALF: usize = LANES / 2;

/// Up to sixteen rays, one per lane.
///
/// ```
/// use cullide_narrowphase::{FirstCrossings, Ray, RayPacket, Sides, glam::Vec3};
/// let mut packet = RayPacket::default();
/// packet.gather(&[0.5, 1.5, 2.5].map(|x| Ray::new(Vec3::new(x, 0.5, 3.0), Vec3::NEG_Z).unwrap()));
/// let corners = [Vec3::ZERO, Vec3::X * 4.0, Vec3::Y * 2.0];
/// let mut first = FirstCrossings::default();
/// packet.cross_triangles(&[7], &[corners], &[0b101], Sides::Both, 100.0, &mut first);
/// assert_eq!(first.met(), 0b101);
/// assert_eq!(first.get(2).map(|(number, crossing)| (number, crossing.enter)), Some((7, 3.0)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct RayPacket {
    /// By axis; lanes without a ray repeat the last one, if there is any.
    origins: [[f32; LANES]; 3],
    directions: [[f32; LANES]; 3],
    count: usize,
}

impl RayPacket {
    /// The maximum number of rays in a packet.
    pub const MAX: usize = LANES;

    /// Replaces the rays of the packet by the first [`RayPacket::MAX`] of these.
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

    /// Returns the number of rays.
    #[inline]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns whether there are no rays.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns where the rays start, by axis; lanes without a ray repeat the last one, if there is any.
    #[inline]
    pub fn origins(&self) -> &[[f32; LANES]; 3] {
        &self.origins
    }

    /// Returns the unit directions, likewise.
    #[inline]
    pub fn directions(&self) -> &[[f32; LANES]; 3] {
        &self.directions
    }

    /// Tests the rays against the triangles of these `numbers` and `corners`, each against the rays that have a bit in
    /// its entry of `met`, and keeps the first crossings within `max_distance` in `first`. Each crossing is the one
    /// that [`Path::crossing_of_triangle`] gives. Entries past the end of the shortest of the three lists are ignored.
    ///
    /// ```
    /// # use cullide_narrowphase::{FirstCrossings, Ray, RayPacket, Sides, glam::Vec3};
    /// let mut packet = RayPacket::default();
    /// packet.gather(&[Ray::new(Vec3::splat(0.5), Vec3::Z)?]);
    /// let at = |z: f32| [Vec3::Z * z, Vec3::new(4.0, 0.0, z), Vec3::new(0.0, 2.0, z)];
    /// let mut first = FirstCrossings::default();
    /// packet.cross_triangles(&[3, 4], &[at(9.5), at(2.5)], &[1, 1], Sides::Both, 100.0, &mut first);
    /// assert_eq!((first.number(0), first.distance(0)), (4, 2.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn cross_triangles(
        &self,
        numbers: &[u32],
        corners: &[[Vec3; 3]],
        met: &[u32],
        sides: Sides,
        max_distance: f32,
        first: &mut FirstCrossings,
    ) {
        if max_distance.is_nan() || max_distance < 0.0 {
            return;
        }
        let triangles = numbers.iter().zip(corners).zip(met).map(|((&number, &corners), &met)| (number, corners, met));
        let every = (1 << self.count) - 1;
        vectorized!(
            level(),
            simd => for (number, corners, met) in triangles {
                let unclear = self.cross_triangle(simd, (number, corners), met & every, sides, max_distance, first);
                if unclear != 0 {
                    self.cross_alone((number, corners), unclear, sides, max_distance, first);
                }
            },
            else for (number, corners, met) in triangles {
                self.cross_alone((number, corners), met & every, sides, max_distance, first);
            }
        );
    }

    /// Keeps the certain crossings of the rays in `lanes`, eight at a time; returns the lanes of which nothing is
    /// certain.
    #[inline(always)]
    fn cross_triangle<S: Simd>(
        &self,
        simd: S,
        (number, corners): (u32, [Vec3; 3]),
        lanes: u32,
        sides: Sides,
        max_distance: f32,
        first: &mut FirstCrossings,
    ) -> u32 {
        let [a, b, c] = corners;
        let points = [(a + Vec3::ZERO).as_dvec3(), (b + Vec3::ZERO).as_dvec3(), (c + Vec3::ZERO).as_dvec3()];
        let triangle = WideLanes::of_triangle(simd, points);
        let mut unclear = lanes;
        for start in [0, HALF] {
            let asked = lanes >> start & EVERY_LANE;
            if asked == 0 {
                continue;
            }
            let (origin, delta) = (half(simd, &self.origins, start), half(simd, &self.directions, start));
            let found = triangle.certain_crossings(simd, origin, delta, sides, f64::from(max_distance));
            unclear &= !(((found.met | found.missed).to_bitmask() as u32) << start);
            let met = found.met & mask64x8::from_bitmask(simd, u64::from(asked));
            if met.any_true() {
                let normal = wide_normal(points);
                let (normal, turned) = (DVec3x8::splat(simd, normal), DVec3x8::splat(simd, -normal));
                let normal = DVec3x8::select(found.leaving, turned, normal);
                let found = CrossingLanes { met, enter: found.enter, exit: found.exit, normal };
                first.keep_lanes(simd, start, number, &found);
            }
        }
        unclear
    }

    /// The crossings of rays with a triangle, one by one.
    #[cold]
    fn cross_alone(
        &self,
        (number, corners): (u32, [Vec3; 3]),
        lanes: u32,
        sides: Sides,
        max_distance: f32,
        first: &mut FirstCrossings,
    ) {
        for lane in (0..LANES).filter(|lane| lanes >> lane & 1 == 1) {
            let at = |rows: &[[f32; LANES]; 3]| Vec3::new(rows[0][lane], rows[1][lane], rows[2][lane]);
            let path = Path::new(at(&self.origins), at(&self.directions), max_distance);
            if let Some(crossing) = path.crossing_of_triangle(corners, sides) {
                first.keep(lane, number, crossing);
            }
        }
    }

    /// Returns what [`Path::ray_intersection`] gives for each first crossing, by lane; other lanes are unspecified.
    ///
    /// ```
    /// # use cullide_narrowphase::{FirstCrossings, Ray, RayPacket, Sides, glam::Vec3};
    /// let mut packet = RayPacket::default();
    /// packet.gather(&[Ray::new(Vec3::splat(0.5), Vec3::Z)?]);
    /// let corners = [Vec3::Z * 2.5, Vec3::new(4.0, 0.0, 2.5), Vec3::new(0.0, 2.0, 2.5)];
    /// let mut first = FirstCrossings::default();
    /// packet.cross_triangles(&[0], &[corners], &[1], Sides::Both, 100.0, &mut first);
    /// let hit = packet.intersections(&first).get(0, &first);
    /// assert_eq!((hit.distance, hit.point, hit.normal), (2.0, Vec3::new(0.5, 0.5, 2.5), Vec3::NEG_Z));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[inline]
    pub fn intersections(&self, first: &FirstCrossings) -> PacketIntersections {
        let mut found = PacketIntersections::default();
        vectorized!(
            level(),
            simd => for start in [0, HALF] {
                let (origin, delta) = (half(simd, &self.origins, start), half(simd, &self.directions, start));
                found.set_lanes(simd, start, first, origin, delta);
            },
            else for lane in 0..LANES {
                let at = |rows: &[[f32; LANES]; 3]| Vec3::new(rows[0][lane], rows[1][lane], rows[2][lane]);
                let path = Path::new(at(&self.origins), at(&self.directions), f32::INFINITY);
                if let Some((_, crossing)) = first.get(lane) {
                    found.set(lane, &path.ray_intersection(crossing));
                }
            }
        );
        found
    }
}

/// What is certain about eight rays: which cross, which do not, which of the former leave through the front, and when.
struct CertainHalf<S: Simd> {
    met: mask64x8<S>,
    missed: mask64x8<S>,
    leaving: mask64x8<S>,
    enter: f64x8<S>,
    exit: f64x8<S>,
}

/// A bit for each of eight lanes.
const EVERY_LANE: u32 = (1 << HALF) - 1;

/// Three coordinates of eight rays, from `first` on.
#[inline(always)]
fn half<S: Simd>(simd: S, [x, y, z]: &[[f32; LANES]; 3], first: usize) -> DVec3x8<S> {
    DVec3x8 { x: wide(simd, x, first), y: wide(simd, y, first), z: wide(simd, z, first) }
}

#[inline(always)]
fn wide<S: Simd>(simd: S, row: &[f32; LANES], first: usize) -> f64x8<S> {
    let (low, high) = f32x16::simd_from(simd, *row).widen();
    if first == 0 { low } else { high }
}

/// [`super::triangle::volume`], in the same order of operations.
#[inline(always)]
fn volume<S: Simd>(a: DVec3x8<S>, b: DVec3x8<S>, c: DVec3x8<S>) -> f64x8<S> {
    a.dot(b.cross(c))
}

/// A triangle in all lanes.
struct WideLanes<S: Simd> {
    points: [DVec3x8<S>; 3],
    low: DVec3x8<S>,
    high: DVec3x8<S>,
}

impl<S: Simd> WideLanes<S> {
    #[inline(always)]
    fn of_triangle(simd: S, [a, b, c]: [DVec3; 3]) -> Self {
        Self {
            points: [DVec3x8::splat(simd, a), DVec3x8::splat(simd, b), DVec3x8::splat(simd, c)],
            low: DVec3x8::splat(simd, a.min(b).min(c)),
            high: DVec3x8::splat(simd, a.max(b).max(c)),
        }
    }

    /// The answer of [`super::triangle_filter`] for each lane.
    #[inline(always)]
    fn certain_crossings(
        &self,
        simd: S,
        origin: DVec3x8<S>,
        delta: DVec3x8<S>,
        sides: Sides,
        max: f64,
    ) -> CertainHalf<S> {
        let all = |x: f64| f64x8::splat(simd, x);
        let (zero, [a, b, c]) = (all(0.0), self.points);
        let (a, b, c) = (a - origin, b - origin, c - origin);
        let (u, v, w) = (volume(delta, a, b), volume(delta, b, c), volume(delta, c, a));
        let reach = a.abs_max().max(b.abs_max()).max(c.abs_max());
        let permanent = all(3.0) * delta.abs_sum() * reach * reach;
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

    /// The times as entry and exit, clipped to the box around the triangle.
    #[inline(always)]
    fn clipped(
        &self,
        simd: S,
        time: f64x8<S>,
        origin: DVec3x8<S>,
        delta: DVec3x8<S>,
        max: f64,
    ) -> (f64x8<S>, f64x8<S>) {
        let (zero, max, beside) = (f64x8::splat(simd, 0.0), f64x8::splat(simd, max), f64x8::splat(simd, BESIDE));
        let (mut enter, mut exit) = (time, time);
        let (low, high) = (self.low, self.high);
        let axes = [
            (origin.x, delta.x, low.x, high.x),
            (origin.y, delta.y, low.y, high.y),
            (origin.z, delta.z, low.z, high.z),
        ];
        for (o, d, low, high) in axes {
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

#[cfg(test)]
mod tests;
