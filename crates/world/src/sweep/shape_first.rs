//! What a moving shape hits first, part by part: planes in the order in which its bounding balls reach them, then
//! objects in the order in which its boxes do.

use super::{
    candidates::Obstacle,
    shape::{MovingPart, ShapeSweep},
};
use crate::{
    Filter, PlaneKey, World, WorldPlane,
    scene::planes::{MotionBounds, NearPlane, NearPlanes},
    shape::{Convex, way::StraightWay},
};
use cullide_bvh::{Probe, Visit};
use cullide_narrowphase::{
    Aabb, BodyWay, ConvexHit, ConvexSweep, Sides, Triangle,
    glam::{DVec3, Vec3},
};

/// The earliest hit, or the deepest overlap at the start, which comes before every hit.
pub(super) enum FirstMet {
    /// Nothing is hit. Unless something `is_near`, nothing can be penetrated at the end either.
    Nothing {
        is_near: bool,
    },
    Hit(Touched),
    /// What, the own part, the depth and the way out.
    Overlap(Obstacle, u32, f32, DVec3),
}

/// The first touch of a part.
pub(super) struct Touched {
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
    fn limit(&self) -> f32 {
        match self {
            Self::Nothing { .. } => 1.0,
            Self::Hit(touched) => touched.toi.next_up(),
            Self::Overlap(..) => 0.0,
        }
    }

    /// Keeps the earlier hit; of two at the same time, that on the smaller key.
    fn note_hit(&mut self, obstacle: Obstacle, own_part: u32, hit: &ConvexHit, triangle: Option<Triangle>) {
        let is_later = match self {
            Self::Nothing { .. } => false,
            Self::Hit(old) => (hit.toi, obstacle, own_part) >= (old.toi, old.obstacle, old.own_part),
            Self::Overlap(..) => true,
        };
        if !is_later {
            let ConvexHit { toi, time, normal, points: [_, point], .. } = *hit;
            *self = Self::Hit(Touched { obstacle, own_part, toi, time, normal, point, triangle });
        }
    }

    /// Keeps the deeper overlap; of two equally deep ones, that of the smaller key.
    fn note_overlap(&mut self, obstacle: Obstacle, own_part: u32, depth: f32, normal: DVec3) {
        let is_less = match self {
            Self::Overlap(old, own, known, _) => (-depth, obstacle, own_part) >= (-*known, *old, *own),
            _ => false,
        };
        if !is_less {
            *self = Self::Overlap(obstacle, own_part, depth, normal);
        }
    }

    fn note_near(&mut self) {
        if let Self::Nothing { is_near } = self {
            *is_near = true;
        }
    }
}

impl World {
    /// Returns what a shape meets first on its way by `motion`, which is that of the sweep up to rounding.
    pub(super) fn first_met(&self, sweep: &ShapeSweep, motion: Vec3, filter: &Filter) -> FirstMet {
        let mut first = FirstMet::Nothing { is_near: false };
        for part in &sweep.parts {
            self.meet_planes(part, motion, filter, &mut first);
            self.meet_objects(part, motion, filter, &mut first);
        }
        first
    }

    fn meet_planes(&self, part: &MovingPart, motion: Vec3, filter: &Filter, first: &mut FirstMet) {
        let (mut near, way) = (NearPlanes::new(), ball_around(&part.aabb, motion));
        self.planes.near(&way, filter, &mut near);
        for NearPlane { from, slot } in near {
            // Planes come in the order in which they may be touched: the rest cannot be touched first.
            if from > first.limit() {
                break;
            }
            let Some(entry) = self.planes.get(slot) else { continue };
            let obstacle = PlaneKey::new(slot, self.id).into();
            first.note_near();
            match part.core.sweep_plane(motion, &entry.plane, entry.sides, first.limit()) {
                Ok(ConvexSweep::Hit(hit)) => first.note_hit(obstacle, part.number, &hit, None),
                Ok(ConvexSweep::Overlap) => {
                    let (depth, normal) = depth_in(part, entry);
                    first.note_overlap(obstacle, part.number, depth as f32, normal);
                }
                _ => {}
            }
        }
    }

    fn meet_objects(&self, part: &MovingPart, motion: Vec3, filter: &Filter, first: &mut FirstMet) {
        let (around, center) = (with_room(&part.aabb, motion), part.aabb.center());
        let body = BodyWay::around(&around, motion);
        let way = StraightWay { around: &around, motion, body: &|| &body };
        for tree in self.trees(filter) {
            let probe = Probe::swept(&around, motion).within(first.limit());
            tree.cast(&probe, filter.mask(), |leaf, _| {
                let (key, object) = self.keyed_object(leaf);
                if filter.accepts(key, || object) {
                    object.shape.parts_along(&way, first.limit(), |number, convex, _| {
                        if convex.is_faced_by(center) {
                            meet(part, motion, Obstacle::of(key, number), convex, first);
                        }
                        first.limit()
                    });
                }
                Visit::Within(first.limit())
            });
        }
    }
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
            let found = part.core.distance(&other);
            first.note_overlap(obstacle, part.number, -found.separation as f32, found.normal);
        }
        _ => {}
    }
}

/// How deep a part is in a plane that cuts it, and the way out: to the front of a half-space, to the side of a wall
/// where the middle of the part is.
fn depth_in(part: &MovingPart, entry: &WorldPlane) -> (f64, DVec3) {
    let ([low, high], normal) = (part.core.heights_over(&entry.plane), entry.plane.normal().as_dvec3());
    if entry.sides == Sides::Both && -low > high { (high, -normal) } else { (-low, normal) }
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
