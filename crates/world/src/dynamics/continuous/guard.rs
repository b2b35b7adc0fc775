//! Displacements that enter nothing fixed, and do not pass through what moves.
//!
//! A contact gives a direction along which the two were apart before the step, and the distance. A body that ends no
//! farther along it has not entered, nor has it on its way, if the contribution of rotation is counted. Mostly that is
//! enough, since the solver keeps bodies a skin apart. Otherwise the body is pushed back along the normals of its
//! contacts; and if that does not help, as in a corner, it goes only as far as is certainly free.
//!
//! ```text
//!      S(t) = n · c(t) + Σ |n · h(t)|                       how far the body reaches along n
//!           ≤ max(S(0), S(1)) + θ² |n × a| Σ |h × a| / 8    while it turns by θ about a
//!           < S(0) + distance                               what must hold
//! ```
//! Source: Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996 (conservative advancement).

use super::{
    beside::{FixedContact, NearbyObstacles, obstacle_of},
    obstacle::FixedObstacle,
    passage::{Passage, Swing},
};
use crate::{
    World,
    dynamics::{
        BodyState, Dynamics,
        body::pose::{BodyShape, quaternion, rotation_vector},
        pairs::near::FAR,
    },
    shape::Convex,
};
use cullide_narrowphase::{
    Aabb, Listed, Mapped, Obb, ShapeMotion, Solid,
    glam::{DVec3, Quat, Vec3},
};
use smallvec::SmallVec;
use std::f32::consts::TAU;

/// The limit on how often a body is pushed back from everything that it would enter.
const ROUNDS: usize = 8;

/// The shares of its rotation that a body tries beside something in its way.
const TURNS: [f32; 4] = [1.0, 0.5, 0.125, 0.0];

/// The limit on steps of conservative advancement; after these a body stays where it is sure to be free.
pub(super) const ADVANCES: usize = 32;

/// A share of the coordinates that exceeds how far rounding a pose to `f32` may move a point.
pub(super) const ROUNDING: f32 = 8.0 * f32::EPSILON;

/// A body that turns by no more radians than this in a step turns by what its quaternion says.
const FAST: f32 = 2.0;

/// A body's way in a step.
#[derive(Clone, Debug)]
pub(in crate::dynamics) struct Way {
    pub(super) motion: Vec3,
    pub(super) rotation: Vec3,
    /// The whole rotation, where `rotation` only says about which axis, and how far, it goes on the way.
    pub(super) turn: Option<Quat>,
    /// The motion and the rotation that it would have had if nothing fixed had been there.
    pub(super) wanted: [Vec3; 2],
    /// The shape at its end.
    pub(super) end: BodyShape,
    /// Whether it could not go all the way.
    pub(super) is_cut: bool,
}

impl Way {
    /// A bound on how far any point of a body of this radius moves on it, up to rounding.
    pub(super) fn length(&self, radius: f32) -> f32 {
        self.motion.length() + self.rotation.length() * radius
    }

    /// How it moves a body, and a bound on how far rotation and rounding move points of the body besides: nothing if
    /// there is neither motion nor rotation.
    pub(super) fn moved_by(&self, start: &BodyShape, radius: f32) -> (ShapeMotion, f32) {
        if (self.motion, self.rotation) == (Vec3::ZERO, Vec3::ZERO) {
            return (ShapeMotion::NONE, 0.0);
        }
        let motion = self.end.center() - start.center();
        let coordinates = start.center().abs().max(self.end.center().abs()).max_element() + radius;
        let turning = self.rotation.length() * radius + ROUNDING * coordinates;
        (ShapeMotion { motion, rotation: self.turn.map_or(self.rotation, rotation_vector) }, turning)
    }
}

impl BodyState {
    /// The vector of a rotation in a step; `rotation` is that of no more than half a turn, as a quaternion represents
    /// it. It is of the lengths that it may have the one nearest to what the angular velocity says; but where the axis
    /// is another one because the body nutates while it spins, the rotation that the angular velocity says: about the
    /// axis of what is left of some turns, a needle would sweep a wide cone. The spin of a capsule about its own axis
    /// moves none of its points elsewhere and does not count.
    pub(in crate::dynamics) fn rotation_of(&self, turn: Quat, rotation: Vec3, dt: f32) -> Vec3 {
        let fast = self.body.angular_velocity * dt;
        if fast.length_squared() <= FAST * FAST || rotation == Vec3::ZERO {
            return rotation;
        }
        if let BodyShape::Capsule(capsule) = &self.shape
            && let Some(along) = capsule.half_axis().try_normalize()
        {
            let (to, aside) = (turn * along, fast.reject_from_normalized(along));
            return nearest(rotation_vector(Quat::from_vec4(along.cross(to).extend(1.0 + along.dot(to)))), aside);
        }
        let (rotation, back) = (nearest(rotation, fast), quaternion(-fast.as_dvec3()));
        let off = rotation_vector((turn.as_dquat() * back).as_quat());
        if rotation.distance_squared(fast) <= 4.0 * off.length_squared() { rotation } else { fast }
    }
}

impl Dynamics {
    /// The way of a body that the solver would move and turn by this much.
    pub(super) fn guarded(&self, world: &World, state: &BodyState, motion: Vec3, turn: Quat, dt: f32) -> Way {
        let whole = rotation_vector(turn);
        let rotation = state.rotation_of(turn, whole, dt);
        let way = self.ending(world, state, motion, rotation, state.shape.moved_by(motion, whole, turn));
        let turn = (rotation != whole && way.rotation == rotation).then_some(turn);
        Way { turn, ..way }
    }

    /// The way of a body that would move and turn by this much; its rotation is a vector of any length.
    pub(super) fn kept(&self, world: &World, state: &BodyState, motion: Vec3, rotation: Vec3) -> Way {
        self.ending(world, state, motion, rotation, state.shape.moved(motion, rotation))
    }

    /// The same, if it is known where the whole way ends.
    fn ending(&self, world: &World, state: &BodyState, motion: Vec3, rotation: Vec3, end: Option<BodyShape>) -> Way {
        let way = self.free_way(world, state, motion, rotation, end);
        Way { wanted: [motion, rotation], ..way }
    }

    fn free_way(&self, world: &World, state: &BodyState, motion: Vec3, rotation: Vec3, end: Option<BodyShape>) -> Way {
        let (motionless, wanted) = (Vec3::ZERO, [Vec3::ZERO; 2]);
        let end_here = || state.shape.clone();
        let stay =
            || Way { motion: motionless, rotation: motionless, turn: None, wanted, end: end_here(), is_cut: true };
        let Some(end) = end.map(|end| end.resized(state.sizes)) else { return stay() };
        if state.fixed_pairs == 0 && within(state, &state.reach, &end, rotation) {
            return Way { motion, rotation, turn: None, wanted, end, is_cut: false };
        }
        let known = self.known_around(world, state);
        let is_known = self.stays_known(world, state, known, &end, rotation);
        if motion.length() > FAR * state.radius && !is_known {
            return self.long_way(world, state, motion, rotation).unwrap_or_else(stay);
        }
        // Mostly it is pushed back only a little, and what is farther away than it gets is not in its way.
        let reach =
            2.0 * (motion.length() + rotation.length().min(2.0) * state.radius) + 16.0 * rounding_of(state) as f32;
        let mut near = self.contacts_with_fixed(state, reach, known);
        if let Some(way) = self.pushed_back(world, state, &mut near, [motion, rotation], end.clone()) {
            return way;
        }
        let near = if is_known {
            Some(self.contacts_with_fixed(state, f32::INFINITY, known))
        } else {
            self.beyond(world, state, reach)
        };
        near.and_then(|near| self.beside(world, state, near, [motion, rotation], &end)).unwrap_or_else(stay)
    }

    /// The way of a body beside something in its way: it turns as far as it can, and by a radian at most. `end` is
    /// where the whole way leads.
    pub(super) fn beside<'a>(
        &'a self,
        world: &'a World,
        state: &BodyState,
        mut near: NearbyObstacles<'a>,
        [motion, rotation]: [Vec3; 2],
        end: &BodyShape,
    ) -> Option<Way> {
        let radian = 1.0 / rotation.length().max(1.0);
        for share in TURNS.mapped(|share| share * radian) {
            let rotation = rotation * share;
            let turned = || Some(state.shape.moved(motion, rotation)?.resized(state.sizes));
            let end = if share == 1.0 { Some(end.clone()) } else { turned() };
            let way = end.and_then(|end| self.pushed_back(world, state, &mut near, [motion, rotation], end));
            if way.is_some() {
                return way;
            }
        }
        let obstacles = near.into_obstacles(world, state);
        // It leaves what it has entered without turning.
        let is_inside = obstacles.iter().any(|obstacle| obstacle.is_entered);
        self.advanced(state, &obstacles, motion, if is_inside { Vec3::ZERO } else { rotation })
    }

    /// The way of a body that would end at `end`, pushed back from everything that it would enter; `None` if that does
    /// not help, or if the body gets farther than its surroundings are known.
    fn pushed_back<'a>(
        &'a self,
        world: &'a World,
        state: &BodyState,
        near: &mut NearbyObstacles<'a>,
        [mut motion, rotation]: [Vec3; 2],
        mut end: BodyShape,
    ) -> Option<Way> {
        let rounding = slack_of(state);
        let normal_of = |contact: &FixedContact| contact.1.manifold.normal().as_dvec3();
        let normals: SmallVec<[DVec3; 16]> = near.contacts.iter().map(normal_of).listed();
        for _ in 0..ROUNDS {
            let moved = (end.center() - state.shape.center()).length() + rotation.length().min(2.0) * state.radius;
            // With the contributions of rotation and rounding.
            let is_listed = |known: &Aabb| match near.are_contacts {
                true => self.stays_known(world, state, known, &end, rotation),
                false => within(state, known, &end, rotation),
            };
            if 1.5 * moved > near.reach || !near.within.as_ref().is_none_or(is_listed) {
                return None;
            }
            let mut is_free = true;
            for (i, obstacle) in near.obstacles.iter_mut().enumerate() {
                let passage = Passage::new(state, &end, rotation, rounding);
                if obstacle.is_none() {
                    // Mostly this decides, at less cost than an obstacle.
                    let contact = &near.contacts[i];
                    let (own, start) = (contact.1.first_part, f64::from(contact.1.start));
                    let normal = normal_of(contact);
                    if state.shape.reach(own, normal) <= start && passage.beyond(own, normal, start) <= 0.0 {
                        continue;
                    }
                    *obstacle = obstacle_of(world, state, contact);
                }
                let Some((normal, excess)) = obstacle.as_ref().and_then(|obstacle| passage.excess(obstacle, &normals))
                else {
                    continue;
                };
                if passage.turns_far {
                    return None;
                }
                is_free = false;
                // The new centre is rounded.
                let steps = normal.abs().dot(end.center().abs().as_dvec3()) * f64::from(f32::EPSILON);
                let back = state.body.freed(normal)? * -(excess + steps + 2.0 * rounding);
                end = end.moved(back.as_vec3(), Vec3::ZERO)?;
                motion += back.as_vec3();
            }
            if is_free {
                return Some(Way { motion, rotation, turn: None, wanted: [Vec3::ZERO; 2], end, is_cut: false });
            }
        }
        None
    }

    /// Goes along a way as far as it is sure to be free: conservative advancement.
    fn advanced(&self, state: &BodyState, obstacles: &[FixedObstacle], motion: Vec3, rotation: Vec3) -> Option<Way> {
        let (swing, rounding) = (Swing::new(state, rotation), rounding_of(state));
        let (mut time, mut last) = (0.0f32, state.shape.clone());
        for _ in 0..ADVANCES {
            let mut next = 1.0f32;
            for obstacle in obstacles {
                if obstacle.is_entered {
                    if obstacle.normal.dot(motion.as_dvec3()) > 0.0 {
                        next = time;
                    }
                    continue;
                }
                let shape = &obstacle.shape;
                let apart = shape.apart_along(&last, obstacle.own).or_else(|| shape.toward(&last, obstacle.own));
                let Some(normal) = apart else {
                    next = time;
                    continue;
                };
                let closing = normal.dot(motion.as_dvec3()) + swing.way(normal);
                let room = shape.nearest_along(normal) - last.reach(obstacle.own, normal) - 4.0 * rounding;
                if closing > 0.0 {
                    next = next.min((f64::from(time) + room.max(0.0) / closing) as f32);
                }
            }
            let progress = next - time;
            if progress <= 0.0 {
                break;
            }
            let Some(moved) = state.shape.moved(motion * next, rotation * next) else { break };
            (last, time) = (moved.resized(state.sizes), next);
            if time >= 1.0 || progress < 1e-3 {
                break;
            }
        }
        let (motion, rotation) = (motion * time, rotation * time);
        Some(Way { motion, rotation, turn: None, wanted: [Vec3::ZERO; 2], end: last, is_cut: time < 1.0 })
    }
}

/// Of the vectors of the same rotation, the one nearest to another vector.
fn nearest(rotation: Vec3, fast: Vec3) -> Vec3 {
    let angle = rotation.length();
    let Some(axis) = rotation.try_normalize().filter(|_| fast.length_squared() > FAST * FAST) else { return rotation };
    rotation + axis * (TAU * ((fast.dot(axis) - angle) / TAU).round())
}

/// How far rounding may take points of a body, on its way between two stored poses, beyond what is computed for both:
/// sizes are rounded to `f32`, but coordinates only in sums, to `f64`.
fn slack_of(state: &BodyState) -> f64 {
    let coordinates = f64::from(state.shape.center().abs().max_element());
    f64::from(ROUNDING * state.radius) + 64.0 * f64::EPSILON * coordinates
}

/// How far rounding the pose of a body may move a point of it.
pub(super) fn rounding_of(state: &BodyState) -> f64 {
    f64::from(ROUNDING * (state.shape.center().abs().max_element() + state.radius))
}

/// Whether a body with this rotation stays in the box `reach` on the whole way to `end`.
pub(super) fn within(state: &BodyState, reach: &Aabb, end: &BodyShape, rotation: Vec3) -> bool {
    // How far its points get beyond both ends on their arcs: those of a part may be opposite at both.
    let most = if state.shape.part_count() == 1 { state.radius } else { 2.0 * state.radius };
    let bulge = bulge_of(state, rotation).min(Vec3::splat(most));
    let stays = |start: &Aabb, end: &Aabb, [least, most]: [Vec3; 2]| {
        let (low, high) = (start.min().min(end.min()) - bulge, start.max().max(end.max()) + bulge);
        low.cmpge(least).all() && high.cmple(most).all()
    };
    let whole = state.shape.aabb();
    let is_within = stays(&whole, &end.aabb(), [reach.min(), reach.max()]);
    if !is_within || state.shape.part_count() == 1 {
        return is_within;
    }
    // Each part of a compound knows only what is near that part.
    let (below, above) = (whole.min() - reach.min(), reach.max() - whole.max());
    (0..state.shape.part_count()).all(|number| {
        let [start, end] = [&state.shape, end].mapped(|shape| shape.part(number).map(|part| part.aabb()));
        let Some((start, end)) = start.zip(end) else { return false };
        stays(&start, &end, [start.min() - below, start.max() + above])
    })
}

/// The same for the points of boxes: whether none of them moves by more than would move the body out of the box `reach`.
/// Which triangles a box may meet is known only as far as that: it may turn in place, and meet others.
pub(super) fn points_within(state: &BodyState, reach: &Aabb, end: &BodyShape, rotation: Vec3) -> bool {
    let whole = state.shape.aabb();
    let (below, above) = (whole.min() - reach.min(), reach.max() - whole.max());
    let (bulge, far) = (bulge_of(state, rotation), Vec3::splat(2.0 * state.radius));
    let motion = end.center() - state.shape.center();
    let block = |shape: &BodyShape, number: u32| match shape.part(number)? {
        Convex::Obb(block) => Some(block),
        Convex::Aabb(block) => Some(Obb::from(&block)),
        _ => None,
    };
    (0..state.shape.part_count()).all(|number| {
        let Some((start, end)) = block(&state.shape, number).zip(block(end, number)) else { return true };
        let moved = end.center() - start.center();
        let [a, b, c] = start.half_edges();
        let [d, e, f] = end.half_edges();
        let turned = (d - a).abs() + (e - b).abs() + (f - c).abs();
        let low = ((moved - turned).min(Vec3::ZERO) - bulge).max(motion.min(Vec3::ZERO) - far);
        let high = ((moved + turned).max(Vec3::ZERO) + bulge).min(motion.max(Vec3::ZERO) + far);
        (-low).cmple(below).all() && high.cmple(above).all()
    })
}

/// How much farther along each axis points of a body with this rotation get on their arcs than at both ends of its way.
fn bulge_of(state: &BodyState, rotation: Vec3) -> Vec3 {
    let swing = Swing::new(state, rotation);
    // Mostly they do not get farther along any.
    if swing.is_small() {
        return Vec3::ZERO;
    }
    Vec3::from([DVec3::X, DVec3::Y, DVec3::Z].mapped(|axis| swing.excess(axis) as f32))
}
