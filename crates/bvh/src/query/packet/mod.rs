//! Probes that start close together in nearly the same direction, traced as one.
//!
//! ```text
//!   o --__                        near, far    the faces of a box, the same for all probes
//!   o ----====[ box ]             enter        the least of any probe in the packet
//!   o --¯¯                        exit         the greatest of any
//! ```
//! The test is that of a single probe in interval arithmetic. Each of its roundings is monotone, so that a box met by
//! any of the probes is met by the packet, and entered no later, bit for bit. So a packet meets every leaf that its
//! probes meet, and some that none of them meets: each probe is then tested against the leaf's box separately.
//!
//! Source: Reshetov, Soupikov and Hurley, "Multi-Level Ray Tracing Algorithm" (2005), section 3; Boulos, Wald and
//! Shirley, "Geometric and Arithmetic Culling Methods for Entire Ray Packets" (2006).

mod cast;

pub(crate) use cast::{PacketLanes, farthest};

use super::{
    Probe,
    probe::{EntryFaces, PAD, ProbeLine, RayLanes, STEEPEST, SlabLanes},
};
use crate::{
    lanes::{
        EVERY_LANE, LANES, Row, Simd, abs, at_most, f32x16, level, load, max_lane, min_lane, splat, vectorized_512,
    },
    node::Bounds,
};
use cullide_narrowphase::{Mapped, Ray, RayPacket, glam::Vec3};

/// Up to sixteen probes in the same octant of directions, which traverse a tree as one. They share most if they start
/// close together in nearly the same direction.
///
/// ```
/// use cullide_bvh::{Packet, Probe, narrowphase::{Ray, glam::Vec3}};
/// let aims = [Vec3::new(9.0, 1.0, 2.0), Vec3::new(9.0, 1.5, 2.0), Vec3::new(9.0, -1.0, 2.0)];
/// let probes = aims.map(|aim| Probe::ray(&Ray::new(Vec3::ZERO, aim).unwrap(), 100.0));
/// assert!(Packet::new(&probes[..2]).is_some() && Packet::new(&probes).is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Packet {
    faces: EntryFaces,
    /// Their common motion: the start that is farthest ahead, and the least and the greatest reciprocals.
    leading: [f32; 3],
    inverse: [[f32; 3]; 2],
    /// For far faces: the start that is farthest behind.
    trailing: [f32; 3],
    /// The motions of the probes, by axis: leading sides, trailing sides, reciprocals. Lanes without a probe repeat the
    /// last one.
    rays: [[Row; 3]; 3],
    /// Whether no probe has a size; then the trailing sides equal the leading ones, and are not stored.
    are_lines: bool,
    count: usize,
}

impl Packet {
    /// The maximum number of probes in a packet.
    pub const MAX: usize = LANES;

    /// Combines probes; returns `None` for no probes, for more than [`Packet::MAX`], and if not all of them move along
    /// every axis, in the same direction along each.
    pub fn new(probes: &[Probe]) -> Option<Self> {
        let (first, last) = (probes.first()?, probes.last()?);
        let direction = first.direction();
        let is_fit = |probe: &Probe| {
            let [_, _, inverse] = probe.motion.numbers();
            probe.direction() == direction && inverse.iter().all(|x| x.is_finite() && *x != 0.0)
        };
        if probes.len() > Self::MAX || !probes.iter().all(is_fit) {
            return None;
        }
        let mut packet = Self { count: probes.len(), ..Self::default() };
        for (lane, probe) in probes.iter().chain(std::iter::repeat(last)).take(LANES).enumerate() {
            for (rows, numbers) in packet.rays.iter_mut().zip(probe.motion.numbers()) {
                for (row, number) in rows.iter_mut().zip(numbers) {
                    row[lane] = number;
                }
            }
        }
        let mut extents = [[[0.0; 2]; 3]; 3];
        for (extents, rows) in extents.iter_mut().zip(&packet.rays) {
            for (extent, row) in extents.iter_mut().zip(rows) {
                *extent = extremes(row);
            }
        }
        packet.set_extents(first.faces, &extents);
        packet.are_lines = packet.rays[0] == packet.rays[1];
        if packet.are_lines {
            packet.rays[1] = [[0.0; LANES]; 3];
        }
        Some(packet)
    }

    /// Does the same as [`Packet::new`] for rays, but faster.
    ///
    /// ```
    /// # use cullide_bvh::{Packet, narrowphase::{Ray, glam::Vec3}};
    /// let rays = [Vec3::new(9.0, 1.0, 2.0), Vec3::new(9.0, 1.5, 2.0)].map(|aim| Ray::new(Vec3::ZERO, aim).unwrap());
    /// assert!(Packet::of_rays(&rays).is_some());
    /// assert!(Packet::of_rays(&[Ray::new(Vec3::ZERO, Vec3::X)?]).is_none());
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn of_rays(rays: &[Ray]) -> Option<Self> {
        let (mut gathered, mut packet) = (RayPacket::default(), Self::default());
        gathered.gather(rays);
        (rays.len() <= Self::MAX && packet.gather(&gathered)).then_some(packet)
    }

    /// Replaces the probes by these rays, so that one packet after another can use the same memory. If
    /// [`Packet::of_rays`] would return `None`, the packet is left without probes and this returns `false`.
    ///
    /// ```
    /// # use cullide_bvh::{Packet, narrowphase::{Ray, RayPacket, glam::Vec3}};
    /// let (mut rays, mut packet) = (RayPacket::default(), Packet::default());
    /// rays.gather(&[Ray::new(Vec3::ZERO, Vec3::ONE)?]);
    /// assert!(packet.gather(&rays));
    /// rays.gather(&[Ray::new(Vec3::ZERO, Vec3::X)?]);
    /// assert!(!packet.gather(&rays));
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn gather(&mut self, rays: &RayPacket) -> bool {
        self.count = 0;
        let mut extents = [[[0.0; 2]; 3]; 3];
        vectorized_512!(level(), simd => self.gather_rows(simd, rays, &mut extents));
        let mut signs = 0;
        for (axis, [least, greatest]) in extents[2].into_iter().enumerate() {
            if !(0.0 < least && greatest < f32::INFINITY || f32::NEG_INFINITY < least && greatest < 0.0) {
                return false;
            }
            signs |= usize::from(greatest < 0.0) << axis;
        }
        self.set_extents(EntryFaces::of_octant(signs), &extents);
        (self.are_lines, self.count) = (true, rays.len());
        self.count > 0
    }

    /// Returns, for probes from [`Packet::gather`], how far apart they start and by how much their motions differ at
    /// most, along each axis.
    ///
    /// ```
    /// # use cullide_bvh::{Packet, narrowphase::{Ray, glam::Vec3}};
    /// let rays = [0.0, 2.0].map(|x| Ray::new(Vec3::X * x, Vec3::ONE).unwrap());
    /// assert_eq!(Packet::of_rays(&rays).unwrap().spread(), (Vec3::X * 2.0, Vec3::ZERO));
    /// ```
    #[inline]
    pub fn spread(&self) -> (Vec3, Vec3) {
        let axes = self.faces.by_element().near.mapped(|face| face as usize / 2);
        let by_axis = |v: [f32; 3]| {
            let mut vector = Vec3::ZERO;
            axes.iter().zip(v).for_each(|(&axis, x)| vector[axis] = x);
            vector.abs()
        };
        let [least, greatest] = self.inverse;
        let between = |i: usize| 1.0 / least[i] - 1.0 / greatest[i];
        let start = |i: usize| self.leading[i] - self.trailing[i];
        (by_axis([start(0), start(1), start(2)]), by_axis([between(0), between(1), between(2)]))
    }

    #[inline(always)]
    fn gather_rows<S: Simd>(&mut self, simd: S, rays: &RayPacket, extents: &mut [[[f32; 2]; 3]; 3]) {
        let [leading, _, inverse] = &mut self.rays;
        for axis in 0..3 {
            let start = load(simd, &rays.origins()[axis]);
            let reciprocal = splat(simd, 1.0) / load(simd, &rays.directions()[axis]);
            (leading[axis], inverse[axis]) = (start.into(), reciprocal.into());
            extents[0][axis] = [min_lane(start), max_lane(start)];
            extents[1][axis] = extents[0][axis];
            extents[2][axis] = [min_lane(reciprocal), max_lane(reciprocal)];
        }
    }

    /// Sets the common motion. `extents` are the extremes of the probes, row by row.
    #[inline(always)]
    fn set_extents(&mut self, faces: EntryFaces, [leading, trailing, inverse]: &[[[f32; 2]; 3]; 3]) {
        let pick = |[x, y, z]: &[[f32; 2]; 3], [i, j, k]: [usize; 3]| [x[i % 2], y[j % 2], z[k % 2]];
        // What lies ahead is nearest to the probe that starts farthest ahead, and is left last by the one that starts
        // farthest behind.
        let [a, b, c] = faces.near;
        let (first, last) = (
            [a.is_upper(), b.is_upper(), c.is_upper()].mapped(usize::from),
            [!a.is_upper(), !b.is_upper(), !c.is_upper()].mapped(usize::from),
        );
        self.faces = faces;
        self.leading = pick(leading, last);
        self.inverse = [pick(inverse, [0; 3]), pick(inverse, [1; 3])];
        self.trailing = pick(trailing, first);
    }

    /// The lines of all probes, if these are rays or segments and longest along about the same axis.
    #[inline(always)]
    pub(crate) fn lines<S: Simd>(&self, simd: S) -> Option<PacketLines<'_>> {
        let [leading, _, inverse] = &self.rays;
        let first = self.inverse[0].mapped(f32::abs);
        let along = (0..3).fold(0, |least, place| if first[place] < first[least] { place } else { least });
        let [across, other] = [(along + 1) % 3, (along + 2) % 3];
        let time = load(simd, &inverse[along]);
        let (u, v) = (time / load(simd, &inverse[across]), time / load(simd, &inverse[other]));
        let steepest = splat(simd, STEEPEST);
        let are_slight = at_most(abs(u), steepest) & at_most(abs(v), steepest) == EVERY_LANE;
        if !(self.are_lines && are_slight) {
            return None;
        }
        Some(PacketLines {
            axes: [across, other, along].mapped(|place| self.faces.near[place] as usize / 2),
            origin: [&leading[across], &leading[other], &leading[along]],
            slant: [u.into(), v.into()],
            inverse: &inverse[along],
        })
    }

    /// Ends the search in lanes without a probe.
    pub(crate) fn end_others(&self, limits: &mut [f32; LANES]) {
        limits[self.count..].fill(-1.0);
    }

    /// The test of a single probe, but with one probe per lane instead of one box: which of the probes meet the box
    /// within their limits, one bit each, and where each enters it.
    #[inline(always)]
    pub(crate) fn test_box<S: Simd>(&self, simd: S, bounds: &Bounds, limits: &[f32; LANES]) -> (u32, f32x16<S>) {
        let [leading, trailing, inverse] = &self.rays;
        let trailing = if self.are_lines { leading } else { trailing };
        let all = |[x, y, z]: &[Row; 3]| [load(simd, x), load(simd, y), load(simd, z)];
        let lanes = RayLanes::of_rows(simd, [all(leading), all(trailing), all(inverse)]);
        let sides = self.faces.by_element().sides_of_one(simd, bounds);
        lanes.test(simd, sides, load(simd, limits) * splat(simd, PAD))
    }
}

/// The lines of a packet, with the same axes for all.
pub(crate) struct PacketLines<'a> {
    /// The two axes across, then the axis along.
    pub(crate) axes: [usize; 3],
    pub(crate) origin: [&'a Row; 3],
    pub(crate) slant: [Row; 2],
    pub(crate) inverse: &'a Row,
}

impl PacketLines<'_> {
    /// The line of one probe.
    #[inline(always)]
    pub(crate) fn line(&self, lane: usize) -> ProbeLine {
        let lane = lane % LANES;
        let ([x, y, z], [u, v]) = (self.origin, &self.slant);
        ProbeLine {
            axes: self.axes,
            origin: [x[lane], y[lane], z[lane]],
            slant: [u[lane], v[lane]],
            inverse: self.inverse[lane],
        }
    }
}

/// The least and the greatest number of a row without NaN.
#[inline(always)]
fn extremes(row: &Row) -> [f32; 2] {
    let (mut least, mut greatest) = ([row[0]; 4], [row[0]; 4]);
    // Four at a time, which the compiler vectorizes.
    for four in row.as_chunks::<4>().0 {
        for i in 0..4 {
            least[i] = if four[i] < least[i] { four[i] } else { least[i] };
            greatest[i] = if four[i] > greatest[i] { four[i] } else { greatest[i] };
        }
    }
    let (mut low, mut high) = (least[0], greatest[0]);
    for i in 1..4 {
        low = if least[i] < low { least[i] } else { low };
        high = if greatest[i] > high { greatest[i] } else { high };
    }
    [low, high]
}

#[cfg(test)]
mod tests;
