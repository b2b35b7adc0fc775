//! Rays that start close together and go in nearly the same direction, in the form that shapes take.

use cullide_bvh::{Packet, Probe};
use cullide_narrowphase::{
    FirstCrossings, PacketIntersections, Path, Ray, RayPacket, Sides, SlantedPacket, glam::Vec3,
};
use std::cell::OnceCell;

/// How far the ray in each lane still has to be followed; negative for a lane that is not followed.
pub(crate) type LaneLimits = [f32; Packet::MAX];

/// Memory for one packet after another.
#[derive(Default)]
pub(crate) struct PacketRoom {
    rays: RayPacket,
    packet: Packet,
}

/// Up to sixteen rays, one per lane, in the forms that trees and triangle tests take.
pub(crate) struct PathPacket<'a> {
    rays: &'a [Ray],
    max_distance: f32,
    room: &'a PacketRoom,
    /// Made only if a placed mesh asks for it.
    slanted: OnceCell<Option<SlantedPacket>>,
}

impl<'a> PathPacket<'a> {
    /// Makes a packet of these rays, up to a distance; `None` if they do not form a packet, or if the distance is
    /// negative or NaN.
    #[inline]
    pub(crate) fn new(rays: &'a [Ray], room: &'a mut PacketRoom, max_distance: f32) -> Option<Self> {
        room.rays.gather(rays);
        let is_fit = max_distance >= 0.0 && room.packet.gather(&room.rays);
        is_fit.then(|| Self { rays, max_distance, room, slanted: OnceCell::new() })
    }

    /// Returns the packet as trees take it.
    pub(crate) fn packet(&self) -> &Packet {
        &self.room.packet
    }

    /// Tests triangles against the rays, each triangle against the rays whose bits are set in its element of `met`.
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

    /// Returns the first crossings as they are reported.
    #[inline]
    pub(crate) fn intersections(&self, first: &FirstCrossings) -> PacketIntersections {
        self.room.rays.intersections(first)
    }

    /// The number of rays.
    pub(crate) fn len(&self) -> usize {
        self.rays.len()
    }

    /// The ray in a lane.
    #[inline]
    pub(crate) fn path(&self, lane: usize) -> Option<Path> {
        self.rays.get(lane)?.path(self.max_distance)
    }

    /// Returns the rays as triangle tests take them, if the same axis is the longest for all of them.
    pub(crate) fn slanted(&self) -> Option<&SlantedPacket> {
        self.slanted.get_or_init(|| SlantedPacket::new(&self.room.rays)).as_ref()
    }

    /// Returns the ray in a lane, up to `limit`, as trees take it.
    pub(crate) fn probe(&self, lane: usize, limit: f32) -> Option<Probe> {
        Some(Probe::ray(self.rays.get(lane)?, limit))
    }
}

/// The lanes of a mask, in ascending order.
#[inline]
pub(crate) fn each_lane(mut lanes: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes.wrapping_sub(1);
        (lane < Packet::MAX).then_some(lane)
    })
}
