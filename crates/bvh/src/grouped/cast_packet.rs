//! Packets of probes through groups of boxes.

use super::{GroupedBvh, group::Group};
use crate::{
    ALL, Leaf, Packet, Visit,
    lanes::{LANES, Simd, each_lane, vectorized},
    node::{Node, bounds_at},
    query::{PacketLanes, RaySearch, farthest},
    traverse::{Visitor, searched_by_field, traverse},
};
use std::ops::ControlFlow;

impl GroupedBvh {
    /// [`GroupedBvh::cast`] for all probes of a packet at once: calls `visit` with the numbers of boxes that any of
    /// them may meet, with a bit for each probe that may, and the `limits` of all, which `visit` may lower, to −1 to
    /// end the search of one. At first they are what each probe of the packet is to reach.
    ///
    /// ```
    /// # use cullide_bvh::{GroupedBvh, Packet, narrowphase::{Aabb, Ray, glam::Vec3}};
    /// let tree = GroupedBvh::build(&[Aabb::new(Vec3::X * 4.0, Vec3::new(5.0, 1.0, 1.0))?], |i| i as u32);
    /// let aims = [Vec3::new(4.0, 0.5, 0.5), Vec3::new(4.0, 2.5, 0.5)];
    /// let packet = Packet::of_rays(&aims.map(|aim| Ray::new(Vec3::ZERO, aim).unwrap())).unwrap();
    /// let mut found = vec![];
    /// tree.cast_packet(&packet, &mut [100.0; Packet::MAX], |numbers, met, _| {
    ///     found.push((numbers[0], met[0]));
    /// });
    /// assert_eq!(found, [(0, 0b01)]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn cast_packet(
        &self,
        packet: &Packet,
        limits: &mut [f32; Packet::MAX],
        mut visit: impl FnMut(&[u32], &[u32], &mut [f32; Packet::MAX]),
    ) {
        self.cast_packet_in(packet, limits, &mut visit);
    }

    fn cast_packet_in(&self, packet: &Packet, limits: &mut [f32; LANES], visit: &mut Show<'_>) {
        packet.end_others(limits);
        let limit = limits.iter().copied().fold(-1.0, f32::max);
        if limit >= 0.0 {
            vectorized!(self.tree.level, simd => {
                let search = RaySearch::of_packet(simd, packet, limit);
                let visitor = &mut GroupPackets { simd, packet, search, groups: &self.groups, limits, visit };
                traverse(simd, &self.tree, ALL, visitor);
            });
        }
    }
}

/// What boxes are shown to.
type Show<'a> = dyn FnMut(&[u32], &[u32], &mut [f32; LANES]) + 'a;

/// Tests the groups and boxes that a packet meets with all its probes, and shows those that are met.
struct GroupPackets<'a, 'b, S: Simd> {
    simd: S,
    packet: &'a Packet,
    search: RaySearch<S, PacketLanes<S>>,
    groups: &'a [Group],
    limits: &'a mut [f32; LANES],
    visit: &'a mut Show<'b>,
}

impl<S: Simd> Visitor<S> for GroupPackets<'_, '_, S> {
    searched_by_field!(S);

    #[inline(always)]
    fn visit_lane(&mut self, node: &Node, lane: usize, leaf: Leaf, _key: u32) -> ControlFlow<()> {
        let simd = self.simd;
        if self.packet.test_box(simd, &node.lane_bounds(lane), self.limits).0 == 0 {
            return ControlFlow::Continue(());
        }
        let group = &self.groups[leaf.index()];
        let boxes = self.search.test(simd, group).0 & group.lanes();
        let rows = group.stored_rows(simd);
        let (mut numbers, mut masks, mut count) = ([0; LANES], [0; LANES], 0);
        for lane in each_lane(boxes) {
            let (met, _) = self.packet.test_box(simd, &bounds_at(&rows, lane), self.limits);
            (numbers[count % LANES], masks[count % LANES]) = (group.every_number()[lane], met);
            count += usize::from(met != 0);
        }
        if count == 0 {
            return ControlFlow::Continue(());
        }
        (self.visit)(&numbers[..count.min(LANES)], &masks[..count.min(LANES)], self.limits);
        self.search.heed(Visit::Within(farthest(simd, self.limits)))
    }

    #[inline(always)]
    fn visit_leaf(&mut self, _: Leaf, _key: u32) -> ControlFlow<()> {
        unreachable!("leaves are visited in their lanes")
    }
}
