//! Rays that start close together in nearly the same direction, as shapes meet them.

use cullide_bvh::{Packet, Probe};
use cullide_narrowphase::{
    FirstCrossings, PacketIntersections, Path, Ray, RayPacket, Sides, SlantedPacket, glam::Vec3,
};
use std::cell::OnceCell;

/// How far the ray in each lane is still worth following; negative where it is not.
pub(crate) type Limits = [f32; Packet::MAX];

/// Room for packets, one after the other.
#[derive(Default)]
pub(crate) struct PacketRoom {
    rays: RayPacket,
    packet: Packet,
}

/// Up to sixteen rays, a lane each, as trees are asked and as triangles are tested.
pub(crate) struct PathPacket<'a> {
    rays: &'a [Ray],
    max_distance: f32,
    room: &'a PacketRoom,
    /// Only where a placed mesh asks.
    slanted: OnceCell<Option<SlantedPacket>>,
}

impl<'a> PathPacket<'a> {
    /// These rays up to a distance; `None` if they do not go together, and for a distance that reaches nothing.
    #[inline]
    pub(crate) fn new(rays: &'a [Ray], room: &'a mut PacketRoom, max_distance: f32) -> Option<Self> {
        room.rays.gather(rays);
        let is_fit = max_distance >= 0.0 && room.packet.gather(&room.rays);
        is_fit.then(|| Self { rays, max_distance, room, slanted: OnceCell::new() })
    }

    /// The packet as a tree is asked.
    pub(crate) fn packet(&self) -> &Packet {
        &self.room.packet
    }

    /// Lets the rays cross triangles, each those with a bit in its number of `met`.
    #[inline]
    pub(crate) fn cross_triangles(
        &self,
        numbers: &[u32],
        corners: &[[Vec3; 3]],
        met: &[u32],
        sides: Sides,
        first: &mut FirstCrossings,
    ) {
        self.room.rays.cross_triangles(numbers, corners, met, sides, self.max_distance, first);
    }

    /// What is reported of the first crossings.
    #[inline]
    pub(crate) fn intersections(&self, first: &FirstCrossings) -> PacketIntersections {
        self.room.rays.intersections(first)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.rays.len()
    }

    /// The ray in a lane.
    #[inline]
    pub(crate) fn path(&self, lane: usize) -> Option<Path> {
        self.rays.get(lane)?.path(self.max_distance)
    }

    /// The rays as triangles are tested, if the same axis is the longest of all.
    pub(crate) fn slanted(&self) -> Option<&SlantedPacket> {
        self.slanted.get_or_init(|| SlantedPacket::new(&self.room.rays)).as_ref()
    }

    /// The ray in a lane as a tree is asked, up to `limit`.
    pub(crate) fn probe(&self, lane: usize, limit: f32) -> Option<Probe> {
        Some(Probe::ray(self.rays.get(lane)?, limit))
    }
}

/// The lanes of a mask, lowest first.
#[inline]
pub(crate) fn each_lane(mut lanes: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes.wrapping_sub(1);
        (lane < Packet::MAX).then_some(lane)
    })
}
