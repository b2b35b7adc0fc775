//! Rays that start close together in nearly the same direction, as shapes meet them.

use cullide_bvh::{Packet, Probe};
use cullide_narrowphase::{Path, Ray, SlantedPacket};
use std::cell::OnceCell;

/// How far the ray in each lane is still worth following; negative where it is not.
pub(crate) type Limits = [f32; Packet::MAX];

/// Up to sixteen rays, a lane each, as trees are asked and as triangles are tested.
pub(crate) struct PathPacket<'a> {
    rays: &'a [Ray],
    max_distance: f32,
    pub(crate) packet: &'a Packet,
    /// Only where a placed mesh asks.
    slanted: OnceCell<Option<SlantedPacket>>,
}

impl<'a> PathPacket<'a> {
    /// The rays of a packet, up to a distance that is none of a NaN and not negative.
    #[inline]
    pub(crate) fn new(rays: &'a [Ray], packet: &'a Packet, max_distance: f32) -> Self {
        Self { rays, max_distance, packet, slanted: OnceCell::new() }
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
        self.slanted.get_or_init(|| SlantedPacket::new(self.rays)).as_ref()
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
