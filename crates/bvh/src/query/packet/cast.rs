//! Casting packets through a tree.

use super::Packet;
use crate::{
    Leaf,
    lanes::{LANES, Simd, at_most, f32x16, load, max, max_lane, min, splat, vectorized_512},
    node::{LEAF, Node},
    query::{
        probe::{PAD, SlabLanes},
        ray::RaySearch,
    },
    traverse::{Visit, Visitor, searched_by_field, traverse},
    tree::Bvh,
};
use cullide_narrowphase::Mapped;
use std::ops::ControlFlow;

impl Bvh {
    /// Calls `visit` for the leaves with a layer in `mask` whose boxes a probe of the packet may meet, roughly nearest
    /// first. `visit` is passed a bit for each of these probes, the distance at which each of them enters the box, and
    /// the `limits` of all probes, which it may lower; a limit of −1 ends the search of a probe. Initially, `limits`
    /// holds how far each probe of the packet is to go. For each probe, everything is as in [`Bvh::cast`].
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

    fn cast_packet_in(&self, packet: &Packet, mask: u32, limits: &mut [f32; LANES], visit: &mut PacketLeafVisitor<'_>) {
        packet.end_others(limits);
        if let Some(lane) = self.lane_of_lone_leaf() {
            return self.cast_packet_at_one(lane, packet, mask, limits, visit);
        }
        vectorized_512!(self.level, simd => {
            let limit = farthest(simd, limits);
            if limit >= 0.0 {
                let search = RaySearch::of_packet(simd, packet, limit);
                let visitor = &mut PacketVisitor { simd, packet, search, limits, visit };
                traverse(simd, self, mask, visitor);
            }
        });
    }

    /// The same for a tree with a single leaf, as in a world with a single mesh.
    fn cast_packet_at_one(
        &self,
        lane: usize,
        packet: &Packet,
        mask: u32,
        limits: &mut [f32; LANES],
        visit: &mut PacketLeafVisitor<'_>,
    ) {
        let node = &self.nodes[0];
        if self.masks[0][lane] & mask == 0 {
            return;
        }
        let mut entries = [0.0; LANES];
        let mut met = 0;
        vectorized_512!(self.level, simd => {
            let (lanes, entered) = packet.test_box(simd, &node.lane_bounds(lane), limits);
            (met, entries) = (lanes, entered.into());
        });
        if met != 0 {
            visit(Leaf::from_bits(node.children[lane] & !LEAF), met, &entries, limits);
        }
    }
}

/// The largest of the limits; a limit may be NaN.
#[inline(always)]
pub(crate) fn farthest<S: Simd>(simd: S, limits: &[f32; LANES]) -> f32 {
    max_lane(max(load(simd, limits), splat(simd, -1.0)))
}

/// The visitor of leaves.
type PacketLeafVisitor<'a> = dyn FnMut(Leaf, u32, &[f32; LANES], &mut [f32; LANES]) + 'a;

/// The motion of a packet, with every number broadcast to all lanes.
pub(crate) struct PacketLanes<S: Simd> {
    leading: [f32x16<S>; 3],
    trailing: [f32x16<S>; 3],
    inverse: [[f32x16<S>; 3]; 2],
    inverse_far: [[f32x16<S>; 3]; 2],
}

impl<S: Simd> SlabLanes<S> for PacketLanes<S> {
    /// No operand is NaN: the reciprocals are finite and not zero.
    #[inline(always)]
    fn test(&self, simd: S, [near, far]: [[f32x16<S>; 3]; 2], reach: f32x16<S>) -> (u32, f32x16<S>) {
        let ([a, b], [c, d]) = (self.inverse, self.inverse_far);
        let (x, y, z) = (near[0] - self.leading[0], near[1] - self.leading[1], near[2] - self.leading[2]);
        let enter = max(least_product(x, a[0], b[0]), least_product(y, a[1], b[1]));
        let enter = max(enter, max(least_product(z, a[2], b[2]), splat(simd, 0.0)));
        let (x, y, z) = (far[0] - self.trailing[0], far[1] - self.trailing[1], far[2] - self.trailing[2]);
        let exit = min(largest_product(x, c[0], d[0]), largest_product(y, c[1], d[1]));
        let exit = min(exit, min(largest_product(z, c[2], d[2]), reach));
        (at_most(enter, exit), enter)
    }
}

/// The lesser of `way * a` and `way * b`. A function rather than a closure: compiled for AVX2, operations in closures
/// become calls.
#[inline(always)]
fn least_product<S: Simd>(way: f32x16<S>, a: f32x16<S>, b: f32x16<S>) -> f32x16<S> {
    min(way * a, way * b)
}

/// The greater of the two.
#[inline(always)]
fn largest_product<S: Simd>(way: f32x16<S>, a: f32x16<S>, b: f32x16<S>) -> f32x16<S> {
    max(way * a, way * b)
}

/// Three numbers, each broadcast to all lanes.
#[inline(always)]
fn splat_each<S: Simd>(simd: S, [x, y, z]: [f32; 3]) -> [f32x16<S>; 3] {
    [splat(simd, x), splat(simd, y), splat(simd, z)]
}

impl<S: Simd> RaySearch<S, PacketLanes<S>> {
    #[inline(always)]
    pub(crate) fn of_packet(simd: S, packet: &Packet, limit: f32) -> Self {
        let [lower, upper] = packet.inverse;
        let [lower_far, upper_far] = packet.inverse.mapped(|inverse| inverse.mapped(|x| x * PAD));
        let lanes = PacketLanes {
            leading: splat_each(simd, packet.leading),
            trailing: splat_each(simd, packet.trailing),
            inverse: [splat_each(simd, lower), splat_each(simd, upper)],
            inverse_far: [splat_each(simd, lower_far), splat_each(simd, upper_far)],
        };
        Self::with_lanes(packet.faces, lanes, limit)
    }
}

/// Tests the leaves that a packet meets against all its probes, one probe per lane, and shows the leaves that are met.
struct PacketVisitor<'a, 'b, S: Simd> {
    simd: S,
    packet: &'a Packet,
    search: RaySearch<S, PacketLanes<S>>,
    limits: &'a mut [f32; LANES],
    visit: &'a mut PacketLeafVisitor<'b>,
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
