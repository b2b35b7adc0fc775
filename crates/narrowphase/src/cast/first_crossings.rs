//! The first crossing of each of sixteen rays, among all that it is given.

use super::Crossing;
use crate::{
    RayIntersection,
    simd::{DVec3x8, Simd},
};
use fearless_simd::{f64x8, mask64x8, prelude::*};
use glam::{DVec3, Vec3};

/// Rays per packet.
const LANES: usize = super::RayPacket::MAX;

/// Rays compared at a time.
const HALF: usize = LANES / 2;

/// The first crossing of each ray of a [`RayPacket`](crate::RayPacket), by lane, and the number of what is crossed:
/// among crossings that are reported at the same distance, the one with the smallest number.
///
/// ```
/// use cullide_narrowphase::{Cast, FirstCrossings, Ray, Sphere, glam::Vec3};
/// let path = Ray::new(Vec3::ZERO, Vec3::X)?.path(100.0).unwrap();
/// let mut first = FirstCrossings::default();
/// for (number, x) in [(0, 9.0), (1, 5.0), (2, 7.0)] {
///     first.keep(3, number, Sphere::new(Vec3::X * x, 1.0)?.crossing(&path).unwrap());
/// }
/// assert_eq!((first.met(), first.distance(3), first.get(3).unwrap().0), (0b1000, 4.0, 1));
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FirstCrossings {
    halves: [Half; 2],
    /// A bit for each lane with a crossing, and for each of these that starts inside.
    met: u32,
    inside: u32,
}

/// The first crossings of eight rays.
#[derive(Clone, Debug)]
struct Half {
    /// The distance as reported; infinite without a crossing.
    distance: [f64; HALF],
    number: [f64; HALF],
    enter: [f64; HALF],
    exit: [f64; HALF],
    normal: [[f64; HALF]; 3],
}

impl Default for FirstCrossings {
    #[inline(always)]
    fn default() -> Self {
        const NONE: [f64; HALF] = [f64::INFINITY; HALF];
        let half = const { Half { distance: NONE, number: NONE, enter: NONE, exit: NONE, normal: [NONE; 3] } };
        Self { halves: [half.clone(), half], met: 0, inside: 0 }
    }
}

impl FirstCrossings {
    /// Forgets all crossings.
    #[inline]
    pub fn clear(&mut self) {
        for half in &mut self.halves {
            half.distance = [f64::INFINITY; HALF];
        }
        (self.met, self.inside) = (0, 0);
    }

    /// Returns a bit for each lane with a crossing.
    #[inline]
    pub fn met(&self) -> u32 {
        self.met
    }

    #[inline(always)]
    fn half(&self, lane: usize) -> (&Half, usize) {
        (&self.halves[lane / HALF % 2], lane % HALF)
    }

    /// Returns the distance of the crossing in a lane, as reported; infinite without one.
    #[inline]
    pub fn distance(&self, lane: usize) -> f32 {
        let (half, lane) = self.half(lane);
        half.distance[lane] as f32
    }

    /// Returns the number of what is crossed in a lane; unspecified without a crossing.
    #[inline]
    pub fn number(&self, lane: usize) -> u32 {
        let (half, lane) = self.half(lane);
        half.number[lane] as u32
    }

    /// Returns the number of what is crossed in a lane, and the crossing; `None` without one.
    #[inline]
    pub fn get(&self, lane: usize) -> Option<(u32, Crossing)> {
        let (half, i) = self.half(lane);
        let [x, y, z] = &half.normal;
        let normal = DVec3::new(x[i], y[i], z[i]);
        let crossing =
            Crossing { enter: half.enter[i], exit: half.exit[i], normal, inside: self.inside >> lane & 1 == 1 };
        (self.met >> lane & 1 == 1).then_some((half.number[i] as u32, crossing))
    }

    /// Keeps this crossing in a lane if it comes before the one that the lane has, or at the same reported distance
    /// with a smaller number.
    pub fn keep(&mut self, lane: usize, number: u32, crossing: Crossing) {
        let (half, i) = self.half(lane);
        let distance = f64::from(crossing.enter as f32);
        if distance < half.distance[i] || distance == half.distance[i] && f64::from(number) < half.number[i] {
            self.put(lane, number, crossing);
        }
    }

    /// Puts this crossing in a lane, replacing any that it has.
    #[inline]
    pub fn put(&mut self, lane: usize, number: u32, crossing: Crossing) {
        let (half, i) = (&mut self.halves[lane / HALF % 2], lane % HALF);
        (half.distance[i], half.number[i]) = (f64::from(crossing.enter as f32), f64::from(number));
        (half.enter[i], half.exit[i]) = (crossing.enter, crossing.exit);
        for (row, x) in half.normal.iter_mut().zip(crossing.normal.to_array()) {
            row[i] = x;
        }
        let bit = 1 << (lane % LANES);
        self.met |= bit;
        self.inside = if crossing.inside { self.inside | bit } else { self.inside & !bit };
    }

    /// Lowers the `limits` to the distances of the crossings.
    #[inline]
    pub fn limit(&self, limits: &mut [f32; LANES]) {
        for (limits, half) in limits.chunks_exact_mut(HALF).zip(&self.halves) {
            for (limit, &distance) in limits.iter_mut().zip(&half.distance) {
                let distance = distance as f32;
                *limit = if distance < *limit { distance } else { *limit };
            }
        }
    }

    /// Does [`FirstCrossings::keep`] in eight lanes from `start` on; none of the crossings starts inside.
    #[inline(always)]
    pub(super) fn keep_lanes<S: Simd>(&mut self, simd: S, start: usize, number: u32, found: &CrossingLanes<S>) {
        let half = &mut self.halves[start / HALF % 2];
        let (distance, _) = found.enter.narrow(found.enter).widen();
        let number = f64x8::splat(simd, f64::from(number));
        let (others, number_of_others) = (load(simd, &half.distance), load(simd, &half.number));
        let is_first = distance.simd_lt(others) | (distance.simd_eq(others) & number.simd_lt(number_of_others));
        let among = found.met & is_first;
        put(simd, &mut half.distance, among, distance);
        put(simd, &mut half.number, among, number);
        put(simd, &mut half.enter, among, found.enter);
        put(simd, &mut half.exit, among, found.exit);
        half.normal = DVec3x8::select(among, found.normal, DVec3x8::load(simd, &half.normal)).store();
        let lanes = (among.to_bitmask() as u32) << start;
        self.met |= lanes;
        self.inside &= !lanes;
    }
}

/// Crossings of eight rays.
pub(super) struct CrossingLanes<S: Simd> {
    /// Which of the lanes have a crossing.
    pub(super) met: mask64x8<S>,
    pub(super) enter: f64x8<S>,
    pub(super) exit: f64x8<S>,
    pub(super) normal: DVec3x8<S>,
}

#[inline(always)]
fn load<S: Simd>(simd: S, row: &[f64; HALF]) -> f64x8<S> {
    f64x8::simd_from(simd, *row)
}

/// Puts numbers in some lanes of a row.
#[inline(always)]
fn put<S: Simd>(simd: S, row: &mut [f64; HALF], among: mask64x8<S>, numbers: f64x8<S>) {
    *row = among.select(numbers, load(simd, row)).into();
}

/// Puts numbers in eight lanes of a row, rounded.
#[inline(always)]
fn round<S: Simd>(row: &mut [f32; LANES], start: usize, numbers: f64x8<S>) {
    if let Some(half) = row[start..].first_chunk_mut::<HALF>() {
        *half = numbers.narrow(numbers).split().0.into();
    }
}

/// The same for three rows.
#[inline(always)]
fn round_all<S: Simd>([x, y, z]: &mut [[f32; LANES]; 3], start: usize, vectors: DVec3x8<S>) {
    round(x, start, vectors.x);
    round(y, start, vectors.y);
    round(z, start, vectors.z);
}

/// What is reported of the crossings of a packet, by lane.
#[derive(Clone, Debug, Default)]
pub struct PacketIntersections {
    distance: [f32; LANES],
    exit: [f32; LANES],
    point: [[f32; LANES]; 3],
    normal: [[f32; LANES]; 3],
}

impl PacketIntersections {
    /// Returns what is reported of a lane that has a crossing in `first`, from which this was made; unspecified for
    /// other lanes.
    #[inline]
    pub fn get(&self, lane: usize, first: &FirstCrossings) -> RayIntersection {
        let lane = lane % LANES;
        let at = |rows: &[[f32; LANES]; 3]| Vec3::new(rows[0][lane], rows[1][lane], rows[2][lane]);
        let inside = first.inside >> lane & 1 == 1;
        let (distance, exit) = (self.distance[lane], self.exit[lane]);
        RayIntersection { distance, exit, point: at(&self.point), normal: at(&self.normal), inside }
    }

    /// What is reported of a lane.
    pub(super) fn set(&mut self, lane: usize, hit: &RayIntersection) {
        let put = |rows: &mut [[f32; LANES]; 3], v: Vec3| {
            rows.iter_mut().zip(v.to_array()).for_each(|(row, x)| row[lane] = x);
        };
        (self.distance[lane], self.exit[lane]) = (hit.distance, hit.exit);
        put(&mut self.point, hit.point);
        put(&mut self.normal, hit.normal);
    }

    /// The same for eight lanes, in the order of operations of
    /// [`Path::ray_intersection`](crate::Path::ray_intersection).
    #[inline(always)]
    pub(super) fn set_lanes<S: Simd>(
        &mut self,
        simd: S,
        start: usize,
        first: &FirstCrossings,
        origin: DVec3x8<S>,
        delta: DVec3x8<S>,
    ) {
        let half = &first.halves[start / HALF % 2];
        // Added to numbers that may be −0.0.
        let zero = f64x8::splat(simd, 0.0);
        let normal = DVec3x8::load(simd, &half.normal);
        let inverse = f64x8::splat(simd, 1.0) / normal.dot(normal).sqrt();
        let has_direction = inverse.simd_lt(f64x8::splat(simd, f64::INFINITY)) & inverse.simd_gt(zero);
        let enter = load(simd, &half.enter);
        round(&mut self.distance, start, enter + zero);
        round(&mut self.exit, start, load(simd, &half.exit) + zero);
        let nowhere = DVec3x8 { x: zero, y: zero, z: zero };
        let unit = DVec3x8::select(has_direction, normal * inverse, nowhere) + nowhere;
        round_all(&mut self.normal, start, unit);
        round_all(&mut self.point, start, origin + delta * enter);
    }
}
