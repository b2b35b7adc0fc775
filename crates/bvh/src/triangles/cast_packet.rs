//! Casting packets of probes through triangles.

use super::{TriangleBvh, cross::LineLanes, group::TriangleGroups};
use crate::{
    ALL, Leaf, Packet, Probe, Visit,
    lanes::{LANES, Simd, each_lane, load, splat, vectorized},
    node::{Node, bounds_at},
    query::{PAD, PacketLanes, PacketLines, RaySearch, farthest},
    traverse::{Visitor, searched_by_field, traverse},
};
use cullide_narrowphase::glam::Vec3;
use std::ops::ControlFlow;

impl TriangleBvh {
    /// [`TriangleBvh::cross`] for all probes of a packet at once. Calls `visit` with the numbers of triangles that any
    /// of the probes may cross, their corners, for each triangle a bit for each probe that may cross it, and the
    /// `limits` of all probes, which `visit` may lower; a limit of −1 ends the search of a probe. Initially, `limits`
    /// holds how far each probe of the packet is to go. For probes with a size, or that are not longest along about the
    /// same axis, these are the triangles whose boxes they may meet.
    ///
    /// ```
    /// # use cullide_bvh::{TriangleBvh, Packet, narrowphase::{Ray, glam::Vec3}};
    /// let wall = [Vec3::X * 4.0, Vec3::new(4.0, 1.0, 0.0), Vec3::new(4.0, 0.0, 1.0)];
    /// let tree = TriangleBvh::build(&wall, &[[0, 1, 2]], &[0]);
    /// let aims = [Vec3::new(4.0, 0.5, 0.5), Vec3::new(4.0, 2.5, 0.5)];
    /// let packet = Packet::of_rays(&aims.map(|aim| Ray::new(Vec3::ZERO, aim).unwrap())).unwrap();
    /// let mut found = vec![];
    /// tree.cast_packet(&packet, &mut [100.0; Packet::MAX], |numbers, corners, met, _| {
    ///     found.push((numbers[0], corners[0], met[0]));
    /// });
    /// assert_eq!(found, [(0, wall, 0b01)]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn cast_packet(
        &self,
        packet: &Packet,
        limits: &mut [f32; Packet::MAX],
        mut visit: impl FnMut(&[u32], &[[Vec3; 3]], &[u32], &mut [f32; Packet::MAX]),
    ) {
        self.cast_packet_in(packet, limits, &mut visit);
    }

    fn cast_packet_in(&self, packet: &Packet, limits: &mut [f32; LANES], visit: &mut PacketTriangleVisitor<'_>) {
        vectorized!(self.tree.level, simd => {
            packet.end_others(limits);
            let limit = farthest(simd, limits);
            if limit >= 0.0 {
                let search = RaySearch::of_packet(simd, packet, limit);
                let visitor = &mut GroupPackets { simd, packet, search, lines: None, groups: &self.groups, limits, visit };
                traverse(simd, &self.tree, ALL, visitor);
            }
        }, else self.cast_packet_by_boxes(packet, limits, visit));
    }

    /// The same using only the boxes of groups.
    fn cast_packet_by_boxes(&self, packet: &Packet, limits: &mut [f32; LANES], visit: &mut PacketTriangleVisitor<'_>) {
        self.tree.cast_packet(packet, ALL, limits, |leaf, met, _, limits| {
            let numbers = self.groups.numbers(leaf.index());
            let mut corners = [[Vec3::ZERO; 3]; LANES];
            for (lane, corners) in corners.iter_mut().enumerate().take(numbers.len()) {
                *corners = self.groups.corners_of(leaf.index(), lane);
            }
            visit(numbers, &corners[..numbers.len()], &[met; LANES][..numbers.len()], limits);
        });
    }
}

/// This many rays of a packet, or fewer, are tested one by one against the triangles of a group: on a terrain of a
/// million triangles, a camera's packet enters 7 groups with 2.7 rays each, and 8 boxes in each group.
const FEW: u32 = 4;

/// The visitor of triangles.
type PacketTriangleVisitor<'a> = dyn FnMut(&[u32], &[[Vec3; 3]], &[u32], &mut [f32; LANES]) + 'a;

/// Tests the groups and triangles that a packet meets against all its probes, and shows the triangles that are met.
struct GroupPackets<'a, 'b, S: Simd> {
    simd: S,
    packet: &'a Packet,
    search: RaySearch<S, PacketLanes<S>>,
    /// Computed when the packet enters its first group.
    lines: Option<Option<PacketLines<'a>>>,
    groups: &'a TriangleGroups,
    limits: &'a mut [f32; LANES],
    visit: &'a mut PacketTriangleVisitor<'b>,
}

impl<S: Simd> GroupPackets<'_, '_, S> {
    /// Returns the triangles of a group that some of the `rays` may cross, and for each triangle a bit for each of
    /// these rays.
    #[inline(always)]
    fn crossed(&self, lines: &PacketLines, rays: u32, group: usize) -> (u32, [u32; LANES]) {
        let (simd, mut lanes, mut met) = (self.simd, 0, [0; LANES]);
        let corners = self.groups.corners(simd, group, lines.axes);
        if rays.count_ones() <= FEW {
            // One ray after another, all triangles at once.
            for ray in each_lane(rays) {
                let until = splat(simd, Probe::reach(self.limits[ray]));
                let crossed = LineLanes::one(simd, &lines.line(ray)).may_cross(simd, corners.columns, until);
                each_lane(crossed).for_each(|lane| met[lane] |= 1 << ray);
                lanes |= crossed;
            }
            return (lanes & self.groups.lanes(group), met);
        }
        // One triangle after another, all rays at once.
        let (all, until) = (LineLanes::many(simd, lines), load(simd, self.limits) * splat(simd, PAD));
        let rows = corners.rows();
        for lane in each_lane(self.search.test(simd, &corners.boxes()).0 & self.groups.lanes(group)) {
            met[lane] = all.may_cross(simd, rows.splat(simd, lane), until) & rays;
            lanes |= u32::from(met[lane] != 0) << lane;
        }
        (lanes, met)
    }

    /// The same for triangles whose boxes some probes may meet.
    #[inline(always)]
    fn entered(&self, group: usize) -> (u32, [u32; LANES]) {
        let (mut lanes, mut met) = (0, [0; LANES]);
        let boxes = self.groups.boxes(self.simd, group);
        for lane in each_lane(self.search.test(self.simd, &boxes).0 & self.groups.lanes(group)) {
            met[lane] = self.packet.test_box(self.simd, &bounds_at(&boxes.0, lane), self.limits).0;
            lanes |= u32::from(met[lane] != 0) << lane;
        }
        (lanes, met)
    }
}

impl<S: Simd> Visitor<S> for GroupPackets<'_, '_, S> {
    searched_by_field!(S, groups);

    #[inline(always)]
    fn visit_lane(&mut self, node: &Node, lane: usize, leaf: Leaf, _key: u32) -> ControlFlow<()> {
        let simd = self.simd;
        let (rays, _) = self.packet.test_box(simd, &node.lane_bounds(lane), self.limits);
        if rays == 0 {
            return ControlFlow::Continue(());
        }
        let group = leaf.index();
        // No closure here: it would be compiled without these vector instructions.
        if self.lines.is_none() {
            self.lines = Some(self.packet.lines(simd));
        }
        let (lanes, met) = match &self.lines {
            Some(Some(lines)) => self.crossed(lines, rays, group),
            _ => self.entered(group),
        };
        let (mut numbers, mut corners, mut masks, mut count) = ([0; LANES], [[Vec3::ZERO; 3]; LANES], [0; LANES], 0);
        for lane in each_lane(lanes) {
            let place = count % LANES;
            (numbers[place], masks[place]) = (self.groups.every_number(group)[lane], met[lane]);
            corners[place] = self.groups.corners_of(group, lane);
            count += 1;
        }
        if count == 0 {
            return ControlFlow::Continue(());
        }
        let count = count.min(LANES);
        (self.visit)(&numbers[..count], &corners[..count], &masks[..count], self.limits);
        self.search.heed(Visit::Within(farthest(simd, self.limits)))
    }

    #[inline(always)]
    fn visit_leaf(&mut self, _: Leaf, _key: u32) -> ControlFlow<()> {
        unreachable!("leaves are visited in their lanes")
    }
}
