//! Probes that start close together in nearly the same direction, traced as one.
//!
//! ```text
//!   o --__                        near, far    the faces of a box, the same for all probes
//!   o ----====[ box ]             enter        the least that any probe of the packet may have
//!   o --¯¯                        exit         the greatest
//! ```
//! The test is that of a single probe in interval arithmetic: each of its roundings is monotone, so that a box which
//! one of the probes meets is met by the packet, and entered no later, bit for bit. So a packet meets every leaf that
//! its probes meet, and some that none does: what a leaf's box is to each probe is told by a test of its own.
//!
//! Source: Reshetov, Soupikov and Hurley, "Multi-Level Ray Tracing Algorithm" (2005), section 3; Boulos, Wald and
//! Shirley, "Geometric and Arithmetic Culling Methods for Entire Ray Packets" (2006).

use super::{
    Probe,
    probe::{EntryFaces, Line, PAD, RayLanes, STEEPEST, SlabLanes},
    ray::RaySearch,
};
use crate::{
    Leaf,
    lanes::{
        EVERY_LANE, LANES, Level, Row, Simd, abs, at_most, f32x16, load, max, max_lane, min, min_lane, splat,
        vectorized,
    },
    node::{Bounds, LEAF, Node},
    traverse::{Visit, Visitor, searched_by_field, traverse},
    tree::Bvh,
};
use cullide_narrowphase::{Ray, RayPacket, glam::Vec3};
use std::ops::ControlFlow;

/// Up to sixteen probes in the same octant of directions, which traverse a tree as one. What they share is most if they
/// start close together in nearly the same direction.
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
    /// Their common motion: what starts last, and the least and the greatest reciprocals.
    leading: [f32; 3],
    inverse: [[f32; 3]; 2],
    /// For far faces: what starts first.
    trailing: [f32; 3],
    /// The motions of the probes, by axis: leading and trailing sides, reciprocals. Those of the last again where there
    /// is none.
    rays: [[Row; 3]; 3],
    /// Whether none has a size; then the trailing sides are the leading ones, and not stored.
    are_lines: bool,
    count: usize,
}

impl Packet {
    /// The most probes of a packet.
    pub const MAX: usize = LANES;

    /// The probes as one; `None` without probes, with more than [`Packet::MAX`], and where they do not all move along
    /// every axis, and along each in the same direction.
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

    /// [`Packet::new`] of these rays, quicker.
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

    /// Takes these rays in place of the probes that it has, for another packet after the other in the same memory; or
    /// none, and returns `false`, where [`Packet::of_rays`] returns `None`.
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
        vectorized!(Level::new(), simd => self.gather_rows(simd, rays, &mut extents));
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

    /// How far apart the probes start and how much their motions differ at the most, along each axis, of those that were
    /// taken by [`Packet::gather`].
    ///
    /// ```
    /// # use cullide_bvh::{Packet, narrowphase::{Ray, glam::Vec3}};
    /// let rays = [0.0, 2.0].map(|x| Ray::new(Vec3::X * x, Vec3::ONE).unwrap());
    /// assert_eq!(Packet::of_rays(&rays).unwrap().spread(), (Vec3::X * 2.0, Vec3::ZERO));
    /// ```
    #[inline]
    pub fn spread(&self) -> (Vec3, Vec3) {
        let axes = self.faces.by_element().near.map(|face| face as usize / 2);
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

    /// `extents` are the extremes of the probes, row by row.
    #[inline(always)]
    fn set_extents(&mut self, faces: EntryFaces, [leading, trailing, inverse]: &[[[f32; 2]; 3]; 3]) {
        let pick = |[x, y, z]: &[[f32; 2]; 3], [i, j, k]: [usize; 3]| [x[i % 2], y[j % 2], z[k % 2]];
        // What lies ahead is nearest to the probe that starts last, and is left last by that which starts first.
        let [a, b, c] = faces.near;
        let (first, last) = (
            [a.is_upper(), b.is_upper(), c.is_upper()].map(usize::from),
            [!a.is_upper(), !b.is_upper(), !c.is_upper()].map(usize::from),
        );
        self.faces = faces;
        self.leading = pick(leading, last);
        self.inverse = [pick(inverse, [0; 3]), pick(inverse, [1; 3])];
        self.trailing = pick(trailing, first);
    }

    /// The lines of all, if they are rays or segments, and longest along about the same axis.
    #[inline(always)]
    pub(crate) fn lines<S: Simd>(&self, simd: S) -> Option<Lines<'_>> {
        let [leading, _, inverse] = &self.rays;
        let first = self.inverse[0].map(f32::abs);
        let along = (0..3).fold(0, |least, place| if first[place] < first[least] { place } else { least });
        let [across, other] = [(along + 1) % 3, (along + 2) % 3];
        let time = load(simd, &inverse[along]);
        let (u, v) = (time / load(simd, &inverse[across]), time / load(simd, &inverse[other]));
        let steepest = splat(simd, STEEPEST);
        let are_slight = at_most(abs(u), steepest) & at_most(abs(v), steepest) == EVERY_LANE;
        if !(self.are_lines && are_slight) {
            return None;
        }
        Some(Lines {
            axes: [across, other, along].map(|place| self.faces.near[place] as usize / 2),
            origin: [&leading[across], &leading[other], &leading[along]],
            slant: [u.into(), v.into()],
            inverse: &inverse[along],
        })
    }

    /// Ends the search of lanes without a probe.
    pub(crate) fn end_others(&self, limits: &mut [f32; LANES]) {
        limits[self.count..].fill(-1.0);
    }

    /// The test of a single probe, with a probe instead of a box a lane: which of them meet the box within their
    /// limits, one bit each, and where each enters it.
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

/// The lines of a packet, by the same axes.
pub(crate) struct Lines<'a> {
    /// Across and, last, along.
    pub(crate) axes: [usize; 3],
    pub(crate) origin: [&'a Row; 3],
    pub(crate) slant: [Row; 2],
    pub(crate) inverse: &'a Row,
}

impl Lines<'_> {
    /// That of one probe.
    #[inline(always)]
    pub(crate) fn line(&self, lane: usize) -> Line {
        let lane = lane % LANES;
        let ([x, y, z], [u, v]) = (self.origin, &self.slant);
        Line {
            axes: self.axes,
            origin: [x[lane], y[lane], z[lane]],
            slant: [u[lane], v[lane]],
            inverse: self.inverse[lane],
        }
    }
}

/// The least and the greatest of a row without NaN.
#[inline(always)]
fn extremes(row: &Row) -> [f32; 2] {
    let (mut least, mut greatest) = ([row[0]; 4], [row[0]; 4]);
    // Four at a time, which is vectorized.
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

impl Bvh {
    /// Calls `visit` for the leaves with a layer in `mask` whose boxes a probe of the packet may meet, roughly nearest
    /// first: with a bit for each of these probes, where each of the packet enters the box if it meets it, and the
    /// `limits` of all, which `visit` may lower, to −1 to end the search of one. At first they are what each probe of
    /// the packet is to reach. All as in [`Bvh::cast`] for each.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Packet, Probe, narrowphase::{Aabb, Ray, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::X * 4.0, Vec3::new(5.0, 1.0, 1.0))?]);
    /// let aims = [Vec3::new(4.0, 0.5, 0.5), Vec3::new(4.0, 2.5, 0.5)];
    /// let probes = aims.map(|aim| Probe::ray(&Ray::new(Vec3::ZERO, aim).unwrap(), f32::INFINITY));
    /// let mut found = vec![];
    /// tree.cast_packet(&Packet::new(&probes).unwrap(), ALL, &mut [100.0; Packet::MAX], |leaf, met, entries, limits| {
    ///     limits[0] = entries[0];
    ///     found.push((leaf.index(), met));
    /// });
    /// assert_eq!(found, [(0, 0b01)]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn cast_packet(
        &self,
        packet: &Packet,
        mask: u32,
        limits: &mut [f32; Packet::MAX],
        mut visit: impl FnMut(Leaf, u32, &[f32; Packet::MAX], &mut [f32; Packet::MAX]),
    ) {
        self.cast_packet_in(packet, mask, limits, &mut visit);
    }

    fn cast_packet_in(&self, packet: &Packet, mask: u32, limits: &mut [f32; LANES], visit: &mut Show<'_>) {
        packet.end_others(limits);
        if let Some(lane) = self.lane_of_only_leaf() {
            return self.cast_packet_at_one(lane, packet, mask, limits, visit);
        }
        vectorized!(self.level, simd => {
            let limit = farthest(simd, limits);
            if limit >= 0.0 {
                let search = RaySearch::of_packet(simd, packet, limit);
                let visitor = &mut PacketVisitor { simd, packet, search, limits, visit };
                traverse(simd, self, mask, visitor);
            }
        });
    }
}

impl Bvh {
    /// The same where there is one leaf alone, as in a world of one mesh.
    fn cast_packet_at_one(
        &self,
        lane: usize,
        packet: &Packet,
        mask: u32,
        limits: &mut [f32; LANES],
        visit: &mut Show<'_>,
    ) {
        let node = &self.nodes[0];
        if self.masks[0][lane] & mask == 0 {
            return;
        }
        let mut entries = [0.0; LANES];
        let mut met = 0;
        vectorized!(self.level, simd => {
            let (lanes, entered) = packet.test_box(simd, &node.lane_bounds(lane), limits);
            (met, entries) = (lanes, entered.into());
        });
        if met != 0 {
            visit(Leaf::from_bits(node.children[lane] & !LEAF), met, &entries, limits);
        }
    }
}

/// How far the search of one of the probes goes; a limit may be NaN.
#[inline(always)]
pub(crate) fn farthest<S: Simd>(simd: S, limits: &[f32; LANES]) -> f32 {
    max_lane(max(load(simd, limits), splat(simd, -1.0)))
}

/// What leaves are shown to.
type Show<'a> = dyn FnMut(Leaf, u32, &[f32; LANES], &mut [f32; LANES]) + 'a;

/// The motion of a packet with every number in all lanes of a register.
pub(crate) struct PacketLanes<S: Simd> {
    leading: [f32x16<S>; 3],
    trailing: [f32x16<S>; 3],
    inverse: [[f32x16<S>; 3]; 2],
    inverse_far: [[f32x16<S>; 3]; 2],
}

impl<S: Simd> SlabLanes<S> for PacketLanes<S> {
    /// No operand is NaN: the reciprocals are finite, and none is zero.
    #[inline(always)]
    fn test(&self, simd: S, [near, far]: [[f32x16<S>; 3]; 2], reach: f32x16<S>) -> (u32, f32x16<S>) {
        let first = |i: usize| {
            let way = near[i] - self.leading[i];
            min(way * self.inverse[0][i], way * self.inverse[1][i])
        };
        let last = |i: usize| {
            let way = far[i] - self.trailing[i];
            max(way * self.inverse_far[0][i], way * self.inverse_far[1][i])
        };
        let enter = max(max(first(0), first(1)), max(first(2), splat(simd, 0.0)));
        let exit = min(min(last(0), last(1)), min(last(2), reach));
        (at_most(enter, exit), enter)
    }
}

impl<S: Simd> RaySearch<S, PacketLanes<S>> {
    #[inline(always)]
    pub(crate) fn of_packet(simd: S, packet: &Packet, limit: f32) -> Self {
        let all = |[a, b, c]: [f32; 3]| [splat(simd, a), splat(simd, b), splat(simd, c)];
        let (inverse, pad) = ([all(packet.inverse[0]), all(packet.inverse[1])], splat(simd, PAD));
        let lanes = PacketLanes {
            leading: all(packet.leading),
            trailing: all(packet.trailing),
            inverse,
            inverse_far: inverse.map(|[x, y, z]| [x * pad, y * pad, z * pad]),
        };
        Self::with_lanes(packet.faces, lanes, limit)
    }
}

/// Tests the leaves that a packet meets with all its probes, a probe a lane, and shows those that are met.
struct PacketVisitor<'a, 'b, S: Simd> {
    simd: S,
    packet: &'a Packet,
    search: RaySearch<S, PacketLanes<S>>,
    limits: &'a mut [f32; LANES],
    visit: &'a mut Show<'b>,
}

impl<S: Simd> Visitor<S> for PacketVisitor<'_, '_, S> {
    searched_by_field!(S);

    #[inline(always)]
    fn visit_lane(&mut self, node: &Node, lane: usize, leaf: Leaf, _key: u32) -> ControlFlow<()> {
        let (met, entries) = self.packet.test_box(self.simd, &node.lane_bounds(lane), self.limits);
        if met == 0 {
            return ControlFlow::Continue(());
        }
        (self.visit)(leaf, met, &entries.into(), self.limits);
        self.search.heed(Visit::Within(farthest(self.simd, self.limits)))
    }

    #[inline(always)]
    fn visit_leaf(&mut self, _: Leaf, _key: u32) -> ControlFlow<()> {
        unreachable!("leaves are visited in their lanes")
    }
}

#[cfg(test)]
mod tests;
