//! What a moving shape hits first, part by part: planes in the order in which its bounding balls reach them, then
//! objects in the order in which its boxes do.

use super::{candidates::Obstacle, shape::MovingPart};
use crate::{
    Filter, Object, ObjectKey, PlaneKey, Target, World, WorldPlane,
    scene::planes::{MotionBounds, NearPlane, NearPlanes},
    shape::{Convex, way::StraightWay},
};
use cullide_bvh::{Probe, Visit};
use cullide_narrowphase::{
    Aabb, BodyWay, ConvexCore, ConvexHit, ConvexSweep, Distance, Sides, Triangle,
    glam::{DVec3, Vec3},
};
use std::ops::ControlFlow::{self, Break, Continue};

/// The earliest hit, or the deepest overlap at the start, which comes before every hit.
pub(super) enum FirstMet {
    /// Nothing is hit. Unless something `is_near`, nothing can be penetrated at the end either.
    Nothing {
        is_near: bool,
    },
    Hit(TouchedPart),
    Overlap(Overlapped),
}

/// What a part overlaps at the start.
pub(super) struct Overlapped {
    pub(super) obstacle: Obstacle,
    pub(super) own_part: u32,
    pub(super) depth: f32,
    /// The way out.
    pub(super) normal: DVec3,
    /// The deepest point of the part.
    pub(super) point: DVec3,
}

/// The first touch of a part.
pub(super) struct TouchedPart {
    pub(super) obstacle: Obstacle,
    pub(super) own_part: u32,
    pub(super) toi: f32,
    /// The same before rounding.
    pub(super) time: f64,
    pub(super) normal: DVec3,
    pub(super) point: DVec3,
    /// The triangle that is hit, if it is one.
    pub(super) triangle: Option<Triangle>,
}

impl FirstMet {
    /// The fraction of the motion beyond which nothing can be hit earlier. Times are rounded toward zero: one step of
    /// `f32` farther, so that nothing at the same time is left out.
    pub(super) fn limit(&self) -> f32 {
        match self {
            Self::Nothing { .. } => 1.0,
            Self::Hit(touched) => touched.toi.next_up(),
            Self::Overlap(..) => 0.0,
        }
    }

    /// Keeps the earlier hit; of two at the same time, that on the smaller key.
    pub(super) fn note_hit(&mut self, obstacle: Obstacle, own_part: u32, hit: &ConvexHit, triangle: Option<Triangle>) {
        let is_later = match self {
            Self::Nothing { .. } => false,
            Self::Hit(old) => (hit.toi, obstacle, own_part) >= (old.toi, old.obstacle, old.own_part),
            Self::Overlap(..) => true,
        };
        if !is_later {
            let ConvexHit { toi, time, normal, points: [_, point], .. } = *hit;
            *self = Self::Hit(TouchedPart { obstacle, own_part, toi, time, normal, point, triangle });
        }
    }

    /// Keeps the deeper overlap; of two equally deep ones, that of the smaller key.
    pub(super) fn note_overlap(&mut self, new: Overlapped) {
        let is_less = match self {
            Self::Overlap(old) => (-new.depth, new.obstacle, new.own_part) >= (-old.depth, old.obstacle, old.own_part),
            _ => false,
        };
        if !is_less {
            *self = Self::Overlap(new);
        }
    }

    pub(super) fn note_near(&mut self) {
        if let Self::Nothing { is_near } = self {
            *is_near = true;
        }
    }
}

impl World {
    /// Returns what the parts of a shape meet first on their way.
    pub(super) fn first_met(&self, parts: &[MovingPart], motion: Vec3, filter: &Filter) -> FirstMet {
        let mut first = FirstMet::Nothing { is_near: false };
        for part in parts {
            self.planes_on_way(part, motion, filter, |from, obstacle, entry| {
                // Planes come in the order in which they may be touched: the rest cannot be touched first.
                if from > first.limit() {
                    return Break(());
                }
                meet_plane(part, motion, obstacle, entry, &mut first);
                Continue(())
            });
            self.objects_on_way(part, motion, filter, first.limit(), |key, object, way| {
                meet_object(part, way, (key, object), &mut first);
                first.limit()
            });
        }
        first
    }

    /// Calls `visit` with what the parts of a shape meet first of each object and plane on their way, if nothing stops
    /// them, in the order of keys.
    pub(super) fn each_met(
        &self,
        parts: &[MovingPart],
        motion: Vec3,
        filter: &Filter,
        mut visit: impl FnMut(FirstMet),
    ) {
        // What is near, and the number of the own part that it is near.
        let mut near = Vec::new();
        for (part, own) in parts.iter().zip(0..) {
            self.planes_on_way(part, motion, filter, |_, obstacle, _| {
                near.push(Obstacle { part: own, ..obstacle });
                Continue(())
            });
            self.objects_on_way(part, motion, filter, 1.0, |key, _, _| {
                near.push(Obstacle::of(key, own));
                1.0
            });
        }
        near.sort_unstable();
        for of_target in near.chunk_by(|a, b| a.target == b.target) {
            let mut first = FirstMet::Nothing { is_near: true };
            for Obstacle { target, part } in of_target {
                let part = &parts[*part as usize];
                match *target {
                    Target::Object(key) => {
                        let Some(object) = self.object(key) else { continue };
                        on_way(part, motion, |way| meet_object(part, way, (key, object.get()), &mut first));
                    }
                    Target::Plane(key) => {
                        let Some(entry) = self.plane(key) else { continue };
                        meet_plane(part, motion, key.into(), entry, &mut first);
                    }
                }
            }
            visit(first);
        }
    }

    /// Calls `visit` with the planes that a part may touch, and from when on, in this order.
    fn planes_on_way(
        &self,
        part: &MovingPart,
        motion: Vec3,
        filter: &Filter,
        mut visit: impl FnMut(f32, Obstacle, &WorldPlane) -> ControlFlow<()>,
    ) {
        let (mut near, way) = (NearPlanes::new(), ball_around(&part.aabb, motion));
        self.planes.near(&way, filter, &mut near);
        for NearPlane { from, slot } in near {
            let Some(entry) = self.planes.get(slot) else { continue };
            if visit(from, PlaneKey::new(slot, self.id).into(), entry).is_break() {
                break;
            }
        }
    }

    /// Calls `visit` with the objects that a part may touch up to a limit; it returns up to when to continue.
    fn objects_on_way(
        &self,
        part: &MovingPart,
        motion: Vec3,
        filter: &Filter,
        mut limit: f32,
        mut visit: impl FnMut(ObjectKey, &Object, &StraightWay) -> f32,
    ) {
        on_way(part, motion, |way| {
            for tree in self.trees(filter) {
                let probe = Probe::swept(way.around, motion).within(limit);
                tree.cast(&probe, filter.mask(), |leaf, _| {
                    let (key, object) = self.keyed_object(leaf);
                    if filter.accepts(key, object) {
                        limit = visit(key, object, way);
                    }
                    Visit::Within(limit)
                });
            }
        });
    }
}

/// Calls `work` with the way of a part.
fn on_way(part: &MovingPart, motion: Vec3, work: impl FnOnce(&StraightWay)) {
    let around = with_room(&part.aabb, motion);
    let body = BodyWay::around(&around, motion);
    work(&StraightWay { around: &around, motion, body: &|| &body });
}

fn meet_plane(part: &MovingPart, motion: Vec3, obstacle: Obstacle, entry: &WorldPlane, first: &mut FirstMet) {
    first.note_near();
    match part.core.sweep_plane(motion, &entry.plane, entry.sides, first.limit()) {
        Ok(ConvexSweep::Hit(hit)) => first.note_hit(obstacle, part.number, &hit, None),
        Ok(ConvexSweep::Overlap) => {
            first.note_overlap(Overlapped::in_plane(part, obstacle, entry));
        }
        _ => {}
    }
}

fn meet_object(part: &MovingPart, way: &StraightWay, (key, object): (ObjectKey, &Object), first: &mut FirstMet) {
    let center = part.aabb.center();
    object.shape.parts_along(way, first.limit(), &mut |number, convex, _| {
        if convex.is_faced_by(center) {
            meet(part, way.motion, Obstacle::of(key, number), convex, first);
        }
        first.limit()
    });
}

fn meet(part: &MovingPart, motion: Vec3, obstacle: Obstacle, convex: Convex, first: &mut FirstMet) {
    first.note_near();
    let other = convex.core();
    match part.core.sweep(motion, &other, first.limit()) {
        Ok(ConvexSweep::Hit(hit)) => {
            let triangle = if let Convex::Triangle(triangle, _) = convex { Some(triangle) } else { None };
            first.note_hit(obstacle, part.number, &hit, triangle);
        }
        Ok(ConvexSweep::Overlap) => {
            first.note_overlap(Overlapped::in_convex(part, obstacle, &other));
        }
        _ => {}
    }
}

impl Overlapped {
    /// How deep a part is in a plane that cuts it, and the way out: to the front of a half-space, to the side of a wall
    /// where the middle of the part is.
    pub(super) fn in_plane(part: &MovingPart, obstacle: Obstacle, entry: &WorldPlane) -> Self {
        let ([low, high], normal) = (part.core.heights_over(&entry.plane), entry.plane.normal().as_dvec3());
        let is_behind = entry.sides == Sides::Both && -low > high;
        let (depth, normal) = if is_behind { (high, -normal) } else { (-low, normal) };
        let (own_part, depth, point) = (part.number, depth as f32, part.core.support(-normal));
        Self { obstacle, own_part, depth, normal, point }
    }

    /// How deep a part is in a convex.
    pub(super) fn in_convex(part: &MovingPart, obstacle: Obstacle, other: &ConvexCore) -> Self {
        let Distance { separation, normal, points: [point, _], .. } = part.core.distance(other);
        Self { obstacle, own_part: part.number, depth: -separation as f32, normal, point }
    }
}

/// A ball around a box on its way.
pub(super) fn ball_around(aabb: &Aabb, motion: Vec3) -> MotionBounds {
    let radius = 0.5 * (aabb.max() - aabb.min()).length();
    MotionBounds::of_ball(aabb.center(), radius, motion)
}

/// A box with more room around it than rounding may move it by at any place on its way.
fn with_room(aabb: &Aabb, motion: Vec3) -> Aabb {
    let size = aabb.min().abs().max(aabb.max().abs()) + motion.abs();
    aabb.expanded(64.0 * f32::EPSILON * size.max_element())
}
