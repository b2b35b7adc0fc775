//! Packets of neighbouring rays that start close together and go in nearly the same direction, such as those of a
//! camera: a packet traverses the trees, and the meshes in them, once for all its rays.
//!
//! What comes first on a ray depends only on its crossings, not on the order in which they are found, so its answer is
//! that of [`World::cast_ray`], bit for bit.

use crate::{
    Filter, RayHit, Shape, Target, World,
    query::{
        ray_picture::SIDE,
        rays::{Found, crossing_of_plane},
    },
    shape::path_packet::{LaneLimits, PacketRoom, PathPacket, each_lane},
};
use cullide_bvh::{Leaf, Packet, Visit};
use cullide_narrowphase::{FirstCrossings, Mapped, Ray, RayIntersection, glam::Vec3};
use std::borrow::Cow;

/// The components of directions in a packet differ by no more than this from those of the first ray: sixteen pixels of
/// an image that is 300 pixels and 60 degrees wide. The wider a packet, the more it meets that none of its rays meets.
const SPREAD: f32 = 1.0 / 16.0;

/// Origins differ by no more than this fraction of the longest side of a box around the scene.
const ROOM: f32 = 1.0 / 64.0;

/// Fewer rays are as fast one by one.
const MIN_RAYS: usize = 4;

/// Decides which rays go together, in a world of some size.
pub(super) struct Neighbourhood {
    /// How far apart they may start.
    room: f32,
}

impl Neighbourhood {
    pub(super) fn new(world: &World, filter: &Filter) -> Self {
        let bounds = world.trees(filter).filter_map(|tree| tree.bounds()).reduce(|a, b| a.union(&b));
        Self { room: bounds.map_or(0.0, |bounds| ROOM * (bounds.max() - bounds.min()).max_element()) }
    }

    /// Whether the rays begin with as many scanlines of an image as a tile has, side by side.
    pub(super) fn is_band(&self, rays: &[Ray], width: usize) -> bool {
        let are_beside =
            |column: usize| (1..SIDE).all(|line| self.are_near(&rays[column], &rays[column + line * width]));
        rays.len() >= SIDE * width
            && [0, width / 2, width - 1].into_iter().filter(|&column| are_beside(column)).count() > 1
    }

    /// Returns the squared distance between two origins, on the scale of that between two directions.
    #[inline(always)]
    pub(super) fn apart(&self, way: Vec3) -> f32 {
        (way * (SPREAD / self.room)).length_squared()
    }

    /// Whether all rays of a packet are near each other.
    #[inline(always)]
    fn is_narrow(&self, packet: &Packet) -> bool {
        let (starts, directions) = packet.spread();
        starts.max_element() <= self.room && directions.max_element() <= SPREAD
    }

    /// Returns how many rays, from the first on, make a packet; 0 if they are too few.
    #[inline]
    pub(super) fn packet_of(&self, rays: &[Ray]) -> usize {
        let Some(first) = rays.first() else { return 0 };
        let mut count = 1;
        while count < rays.len().min(Packet::MAX) && self.are_near(first, &rays[count]) {
            count += 1;
        }
        if count < MIN_RAYS { 0 } else { count }
    }

    /// Whether two rays start close together, and go in nearly the same direction, in the same octant. Without
    /// branches, which are poorly predicted among scattered rays.
    #[inline(always)]
    pub(super) fn are_near(&self, a: &Ray, b: &Ray) -> bool {
        let [start, direction] = [a.origin() - b.origin(), a.direction() - b.direction()].mapped(Vec3::abs);
        let [p, q] = [a.direction(), b.direction()].mapped(|v| v.to_array().mapped(f32::to_bits));
        let turned = (p[0] ^ q[0]) | (p[1] ^ q[1]) | (p[2] ^ q[2]);
        (start.x <= self.room)
            & (start.y <= self.room)
            & (start.z <= self.room)
            & (direction.x <= SPREAD)
            & (direction.y <= SPREAD)
            & (direction.z <= SPREAD)
            & (turned >> 31 == 0)
    }
}

impl World {
    /// Answers some rays as a packet, in the memory of `room`. Returns `false` if they do not go together after all,
    /// or, if `near` is given because that is not known, if they are not all near each other.
    pub(super) fn cast_packet(
        &self,
        room: &mut Room,
        rays: &[Ray],
        near: Option<&Neighbourhood>,
        max_distance: f32,
        filter: &Filter,
        mut answer: impl FnMut(usize, RayHit),
    ) -> bool {
        let Room { rays: room, search } = room;
        let Some(asked) = PathPacket::new(rays, room, max_distance) else { return false };
        if near.is_some_and(|near| !near.is_narrow(asked.packet())) {
            return false;
        }
        search.first.clear();
        let mut limits = [max_distance; Packet::MAX];
        for (key, entry) in self.planes().filter(|(_, entry)| filter.accepts_plane(entry.layers)) {
            for (lane, limit) in limits.iter_mut().enumerate().take(asked.len()) {
                if let Some(crossing) = asked.path(lane).and_then(|path| crossing_of_plane(entry, &path)) {
                    search.keep_first(lane, &Found { target: key.into(), part: 0, surface: 0, crossing });
                    *limit = search.first.distance(lane);
                }
            }
        }
        for tree in self.trees(filter) {
            tree.cast_packet(asked.packet(), filter.mask(), &mut limits, |leaf, met, _, limits| {
                self.cross_leaf(leaf, &asked, met, filter, limits, search);
            });
        }
        if search.first.met() != 0 {
            let hits = asked.intersections(&search.first);
            for lane in each_lane(search.first.met()) {
                let (Some(target), part) = (search.targets[lane], search.first.number(lane)) else { continue };
                let RayIntersection { distance, exit, point, normal, inside } = hits.get(lane, &search.first);
                let surface = search.surfaces[lane];
                answer(lane, RayHit { target, part, surface, distance, exit, point, normal, inside });
            }
        }
        true
    }

    /// Tests the rays in some lanes against an object.
    fn cross_leaf(
        &self,
        leaf: Leaf,
        asked: &PathPacket<'_>,
        lanes: u32,
        filter: &Filter,
        limits: &mut LaneLimits,
        search: &mut PacketSearch,
    ) {
        let (key, object) = self.keyed_object(leaf);
        if let Shape::Mesh(mesh) = &object.shape {
            let is_first = search.first.met() == 0;
            let PacketSearch { first, others, .. } = search;
            let found = if is_first { first } else { others };
            found.clear();
            mesh.at().crossings_of_packet(asked, lanes, limits, found);
            if found.met() == 0 {
                return;
            }
            if !filter.accepts(key, object) {
                return found.clear();
            }
            let surface = |part| object.shape.surface(part);
            if is_first {
                search.take_all(key.into(), surface)
            } else {
                search.keep_others(key.into(), surface)
            }
            search.first.limit(limits);
            return;
        }
        for lane in each_lane(lanes) {
            let Some(path) = asked.path(lane) else { continue };
            let limit = limits[lane];
            let probe = || asked.probe(lane, limit).map(Cow::Owned);
            self.crossings_of_object(leaf, &path, probe, filter, |found| {
                search.keep_first(lane, &found);
                limits[lane] = search.first.distance(lane);
                Visit::Within(limits[lane])
            });
        }
    }
}

/// Memory for one packet after another.
#[derive(Default)]
pub(super) struct Room {
    rays: PacketRoom,
    search: PacketSearch,
}

/// What was found so far, by lane; crossings are numbered by part.
#[derive(Default)]
struct PacketSearch {
    first: FirstCrossings,
    /// The targets in lanes with a crossing.
    targets: [Option<Target>; Packet::MAX],
    surfaces: [u16; Packet::MAX],
    /// Memory for the crossings with another object.
    others: FirstCrossings,
}

impl PacketSearch {
    /// Keeps what comes first on the ray in a lane.
    fn keep_first(&mut self, lane: usize, found: &Found) {
        let (distance, best) = (found.distance(), self.first.distance(lane));
        // A crossing with a plane may be infinitely far, as distances are reported.
        let is_first = self.first.met() >> lane & 1 == 0
            || distance < best
            || distance == best && (Some(found.target), found.part) < (self.targets[lane], self.first.number(lane));
        if is_first {
            self.first.put(lane, found.part, found.crossing);
            (self.targets[lane], self.surfaces[lane]) = (Some(found.target), found.surface);
        }
    }

    /// Takes all crossings to be with the parts of `target`.
    #[inline]
    fn take_all(&mut self, target: Target, surface: impl Fn(u32) -> u16) {
        for lane in each_lane(self.first.met()) {
            (self.targets[lane], self.surfaces[lane]) = (Some(target), surface(self.first.number(lane)));
        }
    }

    /// Keeps what comes first on each ray, out of `first` and `others`, whose crossings are with the parts of `target`.
    fn keep_others(&mut self, target: Target, surface: impl Fn(u32) -> u16) {
        for lane in each_lane(self.others.met()) {
            if let Some((part, crossing)) = self.others.get(lane) {
                self.keep_first(lane, &Found { target, part, surface: surface(part), crossing });
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::Object;
    use cullide_narrowphase::Aabb;

    /// In a scene a 64th of which is one unit.
    pub(in crate::query) fn near() -> Neighbourhood {
        let mut world = World::new();
        world.insert(Object::fixed(Aabb::new(Vec3::ZERO, Vec3::new(64.0, 3.0, 5.0)).unwrap()));
        Neighbourhood::new(&world, &Filter::ALL)
    }

    #[test]
    fn neighbours_go_in_packets_and_others_alone() {
        let line = |origin: Vec3, step: Vec3| -> Vec<Ray> {
            (0..20)
                .map(|i| Ray::new(origin + step * i as f32 * 0.5, Vec3::new(1.0, 0.3, 0.2) + step * i as f32))
                .map(Result::unwrap)
                .collect()
        };
        let near = near();
        assert_eq!(near.packet_of(&line(Vec3::ZERO, Vec3::Z * 0.001)), 16);
        assert_eq!(near.packet_of(&line(Vec3::ZERO, Vec3::Z * 0.01)[..9]), 8);
        assert_eq!(near.packet_of(&line(Vec3::ZERO, Vec3::Z)), 0);
        // A different octant.
        assert_eq!(near.packet_of(&line(Vec3::ZERO, Vec3::Z * -0.04)), 0);
        // Within one unit.
        let beside = |distance: f32| Ray::new(Vec3::Y * distance, Vec3::ONE).unwrap();
        assert_eq!(near.packet_of(&[0.0, 0.5, 1.0, -1.0, 1.5].map(beside)), 4);
        assert_eq!(near.packet_of(&[]), 0);
    }
}
