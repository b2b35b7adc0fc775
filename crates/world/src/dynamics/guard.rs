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
    BodyState, Dynamics, NONE,
    near::{FAR, has_parts},
    obstacle::{Fixed, Obstacle, Obstacles},
    passage::{Passage, Swing},
    pose::{BodyShape, rotation_vector},
};
use crate::{
    Filter, Object, PartContact, Target, World,
    scene::planes::{MotionBounds, NearPlanes},
};
use cullide_narrowphase::{
    Aabb, ShapeMotion,
    glam::{DVec3, Quat, Vec3},
};
use smallvec::SmallVec;
use std::{collections::BTreeSet, f32::consts::TAU};

/// The limit on how often a body is pushed back from everything that it would enter.
const ROUNDS: usize = 8;

/// The shares of its rotation that a body tries beside something in its way.
const TURNS: [f32; 4] = [1.0, 0.5, 0.125, 0.0];

/// The limit on steps of conservative advancement; after these a body stays where it is sure to be free.
pub(super) const ADVANCES: usize = 32;

/// A share of the coordinates that exceeds how far rounding a pose to `f32` may move a point.
pub(super) const ROUNDING: f32 = 8.0 * f32::EPSILON;

/// A contact of a body, with the fixed thing that it touches.
type FixedContact<'a> = (Target, &'a PartContact);

/// What may be in the way of a body.
pub(super) struct Near<'a> {
    /// The contacts, from which obstacles are made when they are needed.
    contacts: SmallVec<[FixedContact<'a>; 16]>,
    obstacles: SmallVec<[Option<Obstacle<'a>>; 16]>,
    /// Nothing farther from the body than this is listed.
    reach: f32,
    /// The list is valid only while the body stays in this box.
    within: Option<Aabb>,
}

/// A body's way in a step.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) motion: Vec3,
    pub(super) rotation: Vec3,
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
        (ShapeMotion { motion, rotation: self.rotation }, turning)
    }
}

impl BodyState {
    /// The vector of a rotation in a step: of the lengths that it may have, the one nearest to what the angular velocity
    /// says, as a quaternion represents no more than half a turn.
    pub(super) fn rotation_of(&self, turn: Quat, dt: f32) -> Vec3 {
        let fast = self.body.angular_velocity * dt;
        let rotation = rotation_vector(turn);
        let angle = rotation.length();
        if fast.length_squared() <= 4.0 || angle == 0.0 {
            return rotation;
        }
        let axis = rotation / angle;
        rotation + axis * (TAU * ((fast.dot(axis) - angle) / TAU).round())
    }
}

impl Dynamics {
    /// The way of a body that the solver would move and turn by this much.
    pub(super) fn guarded(&self, world: &World, state: &BodyState, motion: Vec3, turn: Quat, dt: f32) -> Way {
        let rotation = state.rotation_of(turn, dt);
        self.ending(world, state, motion, rotation, state.shape.moved_by(motion, rotation, turn))
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
        let stay = || Way { motion: motionless, rotation: motionless, wanted, end: state.shape.clone(), is_cut: true };
        let Some(end) = end.map(|end| end.resized(state.sizes)) else { return stay() };
        if state.fixed_pairs == 0 && within(state, &state.reach, &end, rotation) {
            return Way { motion, rotation, wanted, end, is_cut: false };
        }
        let known = self.known_around(world, state);
        if motion.length() > FAR * state.radius && !within(state, known, &end, rotation) {
            return self.long_way(world, state, motion, rotation).unwrap_or_else(stay);
        }
        // Mostly it is pushed back only a little, and what is farther away than it gets is not in its way.
        let reach =
            2.0 * (motion.length() + rotation.length().min(2.0) * state.radius) + 16.0 * rounding_of(state) as f32;
        let mut near = self.contacts_with_fixed(state, reach, known);
        if let Some(way) = self.pushed_back(world, state, &mut near, [motion, rotation], end.clone()) {
            return way;
        }
        let near = if within(state, known, &end, rotation) {
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
        mut near: Near<'a>,
        [motion, rotation]: [Vec3; 2],
        end: &BodyShape,
    ) -> Option<Way> {
        let radian = 1.0 / rotation.length().max(1.0);
        for share in TURNS.map(|share| share * radian) {
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

    /// What is no farther from a body than `reach`, for a way that leads out of where its contacts are known: it was
    /// struck, and is faster than it was known to be, or is pushed out of something. `None` if its object is gone.
    fn beyond<'a>(&self, world: &'a World, state: &BodyState, reach: f32) -> Option<Near<'a>> {
        let obstacles = self.obstacles_near(world, state, [Vec3::splat(reach); 2])?;
        Some(Near { contacts: SmallVec::new(), obstacles, reach, within: None })
    }

    /// The obstacles around a body, up to these distances below and above each of its parts along each axis. `None` if
    /// its object is gone.
    pub(super) fn obstacles_near<'a>(
        &self,
        world: &'a World,
        state: &BodyState,
        [below, above]: [Vec3; 2],
    ) -> Option<SmallVec<[Option<Obstacle<'a>>; 16]>> {
        let mut obstacles = SmallVec::new();
        let wider = |aabb: &Aabb| Aabb::new(aabb.min() - below, aabb.max() + above).unwrap_or(*aabb);
        let parts = (0..state.shape.part_count()).filter_map(|number| Some((number, state.shape.part(number)?.aabb())));
        let parts: SmallVec<[(u32, Aabb); 8]> = parts.collect();
        let mut add = |shape: Fixed<'a>, (own, aabb): &(u32, Aabb)| {
            let is_apart = |normal: &DVec3| shape.nearest_along(*normal) >= state.shape.reach(*own, *normal);
            // Mostly the normal of a triangle shows that the two are apart, at less cost than that of a contact.
            let normal = shape.across(aabb.center()).filter(is_apart).or_else(|| shape.toward(&state.shape, *own));
            obstacles.extend(normal.map(|normal| Some(shape.before(state, *own, normal))));
        };
        let around = wider(&state.shape.aabb());
        let way = MotionBounds::of_ball(around.center(), around.half_extents().length(), Vec3::ZERO);
        self.each_plane(world, state, &way, |plane| parts.iter().for_each(|part| add(plane, part)))?;
        self.each_fixed(world, state, &around, |object| {
            // In an order independent of the tree of a mesh, because they are dealt with one after the other.
            let mut found = BTreeSet::new();
            object.shape.parts_near(&around, |number, _| _ = found.insert(number));
            for shape in found.into_iter().filter_map(|number| object.shape.part(number)) {
                for part in &parts {
                    if wider(&part.1).overlaps(&shape.aabb()) && shape.is_faced_by(part.1.center()) {
                        add(Fixed::Part(shape), part);
                    }
                }
            }
        })?;
        Some(obstacles)
    }

    /// Calls `visit` with the planes that a body may touch on a way. `None` if its object is gone.
    pub(super) fn each_plane<'a>(
        &self,
        world: &'a World,
        state: &BodyState,
        way: &MotionBounds,
        visit: impl FnMut(Fixed<'a>),
    ) -> Option<()> {
        let mut planes = NearPlanes::new();
        world.planes.near(way, &Filter::layers(world.object(state.key)?.pairs_with), &mut planes);
        planes.iter().filter_map(|plane| Fixed::plane(world, world.plane_key(plane.slot))).for_each(visit);
        Some(())
    }

    /// Calls `visit` with the objects in a box that a body must not enter. `None` if its own is gone.
    pub(super) fn each_fixed<'a>(
        &self,
        world: &'a World,
        state: &BodyState,
        around: &Aabb,
        mut visit: impl FnMut(&'a Object),
    ) -> Option<()> {
        let own = world.object(state.key)?;
        let mut near = Vec::new();
        world.overlap_aabb(around, &Filter::layers(own.pairs_with), &mut near);
        near.sort_unstable();
        for target in near {
            let Target::Object(key) = target else { continue };
            let name = (key.min(state.key), key.max(state.key));
            if self.at(key).is_none()
                && !self.ignored.contains(&name)
                && let Some(object) = world.object(key).filter(|object| object.pairs_with & own.layers != 0)
            {
                visit(object);
            }
        }
        Some(())
    }

    /// The box in which the contacts of a body with fixed things are known.
    pub(super) fn known_around<'a>(&self, world: &World, state: &'a BodyState) -> &'a Aabb {
        let has_parts = |number: &u32| {
            self.contacts.get(*number).is_some_and(|pair| pair.bodies[1] == NONE && has_parts(world, pair.second))
        };
        let is_all = state.known == state.reach || !state.pairs.iter().any(has_parts);
        if is_all { &state.reach } else { &state.known }
    }

    /// The contacts of a body with fixed things, no farther from it than `reach`.
    fn contacts_with_fixed(&self, state: &BodyState, reach: f32, within: &Aabb) -> Near<'_> {
        let mut contacts = SmallVec::new();
        if state.fixed_pairs > 0 {
            let pairs = state.pairs.iter().filter_map(|number| self.contacts.get(*number));
            for pair in pairs.filter(|pair| pair.bodies[1] == NONE) {
                let parts = pair.parts.iter().filter(|part| part.manifold.distance() <= reach);
                contacts.extend(parts.map(|part| (pair.second, part)));
            }
        }
        let obstacles = SmallVec::from_elem(None, contacts.len());
        Near { contacts, obstacles, reach, within: Some(*within) }
    }

    /// The way of a body that would end at `end`, pushed back from everything that it would enter; `None` if that does
    /// not help, or if the body gets farther than its surroundings are known.
    fn pushed_back<'a>(
        &'a self,
        world: &'a World,
        state: &BodyState,
        near: &mut Near<'a>,
        [mut motion, rotation]: [Vec3; 2],
        mut end: BodyShape,
    ) -> Option<Way> {
        let rounding = slack_of(state);
        let normal_of = |contact: &FixedContact| contact.1.manifold.normal().as_dvec3();
        let normals: SmallVec<[DVec3; 16]> = near.contacts.iter().map(normal_of).collect();
        for _ in 0..ROUNDS {
            let moved = (end.center() - state.shape.center()).length() + rotation.length() * state.radius;
            // With the contributions of rotation and rounding.
            if 1.5 * moved > near.reach || near.within.is_some_and(|known| !within(state, &known, &end, rotation)) {
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
                return Some(Way { motion, rotation, wanted: [Vec3::ZERO; 2], end, is_cut: false });
            }
        }
        None
    }

    /// Goes along a way as far as it is sure to be free: conservative advancement.
    fn advanced(&self, state: &BodyState, obstacles: &[Obstacle], motion: Vec3, rotation: Vec3) -> Option<Way> {
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
        Some(Way { motion, rotation, wanted: [Vec3::ZERO; 2], end: last, is_cut: time < 1.0 })
    }
}

impl<'a> Near<'a> {
    /// All that is in a box around a body.
    pub(super) fn in_box(within: Aabb, obstacles: SmallVec<[Option<Obstacle<'a>>; 16]>) -> Self {
        Self { contacts: SmallVec::new(), obstacles, reach: f32::INFINITY, within: Some(within) }
    }

    fn into_obstacles(self, world: &'a World, state: &BodyState) -> Obstacles<'a> {
        let known = self.obstacles.into_iter().enumerate();
        known.filter_map(|(i, known)| known.or_else(|| obstacle_of(world, state, &self.contacts[i]))).collect()
    }
}

/// The obstacle that a body must not enter at a contact.
fn obstacle_of<'a>(world: &'a World, state: &BodyState, (second, contact): &FixedContact) -> Option<Obstacle<'a>> {
    let PartContact { first_part: own, part, manifold, .. } = *contact;
    let shape = match second {
        Target::Object(key) => Fixed::Part(world.object(*key)?.shape.part(*part)?),
        Target::Plane(key) => Fixed::plane(world, *key)?,
    };
    Some(shape.before(state, *own, manifold.normal().as_dvec3()))
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
fn within(state: &BodyState, reach: &Aabb, end: &BodyShape, rotation: Vec3) -> bool {
    // How far its points get beyond both ends on their arcs.
    let swing = Swing::new(state, rotation);
    let most = swing.radius as f32;
    let bulge = Vec3::from([DVec3::X, DVec3::Y, DVec3::Z].map(|axis| most.min(swing.excess(axis) as f32)));
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
        let [start, end] = [&state.shape, end].map(|shape| shape.part(number).map(|part| part.aabb()));
        let Some((start, end)) = start.zip(end) else { return false };
        stays(&start, &end, [start.min() - below, start.max() + above])
    })
}
