//! Finds which triangles of a placed mesh the rays of a packet cross.
//!
//! ```text
//!   tree over groups, once a packet ──► triangles of a group, all rays at once ──► exact, eight rays at a time
//! ```
//! A packet that enters the mesh stays a packet: in the coordinates of the mesh, its rays are still similar.

use super::Mesh;
use crate::shape::{
    path_packet::{LaneLimits, PathPacket, each_lane},
    placed::At,
    placement::LocalPath,
    surface::Surface,
};
use cullide_bvh::{Packet, Probe, Visit};
use cullide_narrowphase::{FirstCrossings, Listed, SlantedPacket, glam::Vec3};
use smallvec::SmallVec;

impl At<'_, Mesh> {
    /// Keeps the first triangles that the rays in `lanes` cross up to their `limits`, out of those that
    /// [`At::crossings`] visits for each ray.
    pub(crate) fn crossings_of_packet(
        &self,
        asked: &PathPacket<'_>,
        lanes: u32,
        limits: &LaneLimits,
        first: &mut FirstCrossings,
    ) {
        let mut limits = *limits;
        for lane in each_lane(!lanes) {
            limits[lane] = -1.0;
        }
        if self.placement.is_identity() {
            let sides = self.sides();
            self.data().tree.cast_packet(asked.packet(), &mut limits, |numbers, corners, met, limits| {
                asked.cross_triangles(numbers, corners, met, sides, first);
                first.limit(limits);
            });
        } else {
            self.cross_placed(asked, limits, first);
        }
    }

    /// The same for a mesh that is not where it was given.
    fn cross_placed(&self, asked: &PathPacket<'_>, mut limits: LaneLimits, first: &mut FirstCrossings) {
        let Some(slanted) = asked.slanted() else { return self.crossings_one_by_one(asked, &limits, first) };
        let (whole, own) = (*self.aabb, self.shared.aabb());
        let local_path =
            |lane: usize| self.placement.local_path(&asked.path(lane).filter(|_| limits[lane] >= 0.0)?, &whole, &own);
        let locals: [Option<LocalPath>; Packet::MAX] = std::array::from_fn(local_path);
        // A lane without a local path takes any other one.
        let Some(any) = locals.iter().flatten().next() else { return };
        let probes: [Probe; Packet::MAX] =
            std::array::from_fn(|lane| locals[lane].as_ref().map_or(any.probe, |local| local.probe));
        let Some(packet) = Packet::new(&probes) else { return self.crossings_one_by_one(asked, &limits, first) };
        let local_limit = |lane: usize, limit: f32| {
            let local = locals[lane].as_ref().map(|local| local.limit(Visit::Within(limit)));
            if let Some(Visit::Within(limit)) = local { limit } else { -1.0 }
        };
        let mut local_limits: LaneLimits = std::array::from_fn(|lane| local_limit(lane, limits[lane]));
        self.data().tree.cast_packet(&packet, &mut local_limits, |numbers, given, met, local_limits| {
            self.cross_group((asked, slanted), numbers, given, met, &limits, first);
            first.limit(&mut limits);
            for lane in each_lane(met.iter().fold(0, |all, met| all | met)) {
                local_limits[lane] = local_limit(lane, limits[lane]);
            }
        });
    }

    /// The same for rays that do not form a packet here.
    fn crossings_one_by_one(&self, asked: &PathPacket<'_>, limits: &LaneLimits, first: &mut FirstCrossings) {
        for (lane, &limit) in limits.iter().enumerate().filter(|(_, limit)| **limit >= 0.0) {
            if let Some((path, probe)) = asked.path(lane).zip(asked.probe(lane, limit)) {
                self.crossings(&path, Some(&probe), &mut |number, crossing| {
                    first.keep(lane, number, crossing);
                    Visit::Within(limit.min(first.distance(lane)))
                });
            }
        }
    }

    /// Keeps the crossings with some triangles, each tested against the rays that may meet its box.
    fn cross_group(
        &self,
        (asked, slanted): (&PathPacket<'_>, &SlantedPacket),
        numbers: &[u32],
        given: &[[Vec3; 3]],
        met: &[u32],
        limits: &LaneLimits,
        first: &mut FirstCrossings,
    ) {
        let corners: SmallVec<[_; Packet::MAX]> = given.iter().map(|corners| self.placed(*corners)).listed();
        let mut crossed = [u32::MAX; Packet::MAX];
        // With one or two rays per triangle, the exact test is as fast.
        if met.iter().map(|met| met.count_ones() as usize).sum::<usize>() > 2 * met.len() {
            slanted.may_cross(&corners, limits, &mut crossed);
        }
        crossed.iter_mut().zip(met).for_each(|(crossed, met)| *crossed &= met);
        asked.cross_triangles(numbers, &corners, &crossed, self.sides(), first);
    }
}
