//! Moving bodies along the ways that the solver has found, as far as these are free.

use super::{
    Ways,
    energy::{Taken, frame_of},
    guard::Way,
    meeting::Freedom,
};
use crate::{
    ContactPair, DynamicsConfig, ObjectKey, Shape, World,
    contact::Impulses,
    dynamics::{
        BodyState, Dynamics,
        body::pose::quaternion,
        pairs::{ActivePairs, roles::ActivePair},
    },
    threads,
};
use cullide_bvh::Team;
use cullide_narrowphase::{
    Mapped, ShapeMotion,
    glam::{DQuat, Quat, Vec3},
};
use std::{
    cell::RefCell,
    sync::atomic::{AtomicBool, Ordering},
};

/// A body that moves to and fro may fall asleep if it is no faster than this multiple of the sleep speed.
const RATTLING: f32 = 4.0;

/// A kinematic body that has entered another by this many skins presses it against something.
const CRUSHED: f32 = 10.0;

/// A body that was in something by this many skins may be pushed out of it.
const ENTERED: f32 = 2.0;

/// A body that moves by less than this share of what its velocity would move it by is stuck.
const STUCK: f32 = 0.125;

/// Rounding that takes a smaller share of the motion of a dynamic body is let go: other things disturb it more.
const NOTHING: f32 = 1.0 / (1u32 << 16) as f32;

impl Dynamics {
    /// Moves bodies as far as they can go; returns those that are held.
    pub(in crate::dynamics) fn advance(
        &mut self,
        team: &Team,
        world: &World,
        dt: f32,
        config: &DynamicsConfig,
        pairs: &ActivePairs,
        ways: &mut Ways,
    ) -> Vec<ObjectKey> {
        let [any_fast, any_cut] = [const { AtomicBool::new(false) }; 2];
        let Ways { found, freedoms } = ways;
        found.resize(self.bodies.len(), None);
        freedoms.resize(self.bodies.len(), Freedom::NONE);
        let size = threads::piece(team, self.bodies.len(), 32);
        let listed = found.chunks_mut(size).zip(freedoms.chunks_mut(size));
        threads::each(team, self.bodies.chunks(size).zip(listed), &|(bodies, (ways, freedoms))| {
            for (state, (way, freedom)) in bodies.iter().zip(ways.iter_mut().zip(freedoms)) {
                (*way, *freedom) = (None, Freedom::NONE);
                let Some(state) = state.as_ref().filter(|state| state.is_awake() && !state.is_off) else { continue };
                let way = way.insert(self.way(world, state, dt));
                *freedom = Freedom::new(state, way);
                // How small what a kinematic body meets is, is not known here.
                if freedom.is_fast() || !state.is_dynamic() && freedom.moves() {
                    any_fast.store(true, Ordering::Relaxed);
                }
                if way.is_cut {
                    any_cut.store(true, Ordering::Relaxed);
                }
            }
        });
        let mut any_cut = any_cut.into_inner();
        if any_fast.into_inner() {
            any_cut |= self.stop_at_each_other(team, world, pairs, ways);
        }
        let presses = |active: &ActivePair| {
            let [first, second] = pairs.roles.of(active.bodies);
            first.is_dynamic() && second.is_kinematic() && !first.is_sensor() && !second.is_sensor()
        };
        let any_kinematic = pairs.roles.any_kinematic();
        let pressing = pairs
            .active
            .iter()
            .filter(|active| any_kinematic && presses(active))
            .filter_map(|active| self.contacts.get(active.number));
        let mut crushed: Vec<u32> =
            pressing.filter(|pair| is_crushed(pair, config.skin)).map(|pair| pair.bodies[0]).collect();
        crushed.sort_unstable();
        // Impulses that nothing can satisfy keep growing, and would throw the body once it is free.
        for &at in &crushed {
            for &number in &self.bodies[at as usize].as_ref().expect("an awake body").pairs {
                let Some(pair) = self.contacts.get_mut(number) else { continue };
                for Impulses { normal, across, twist, rolling, .. } in
                    pair.parts.iter_mut().map(|part| &mut part.impulses)
                {
                    (*normal, *across, *twist, *rolling) = Default::default();
                }
            }
        }
        let is_held = |at: u32, way: &Way| way.is_cut || crushed.binary_search(&at).is_ok();
        let mut held = Vec::new();
        if any_cut || !crushed.is_empty() {
            let awake = self.bodies.iter().zip(&ways.found).zip(0u32..);
            held.extend(awake.filter_map(|((state, way), at)| {
                is_held(at, way.as_ref()?).then(|| state.as_ref().map(|state| state.key))?
            }));
        }
        let (contacts, materials, solver) = (&self.contacts, &self.materials, &self.solver);
        let is_driven = |state: &BodyState| materials.drives(world, contacts, state);
        let is_pushed = |state: &BodyState| {
            let pairs = state.pairs.iter().filter_map(|number| contacts.get(*number));
            pairs.flat_map(|pair| &pair.parts).any(|part| part.manifold.distance() < -ENTERED * config.skin)
        };
        threads::each(team, self.bodies.chunks_mut(size).zip(ways.found.chunks(size)), &|(bodies, ways)| {
            for (state, way) in bodies.iter_mut().zip(ways) {
                if let Some((state, way)) = state.as_mut().zip(way.as_ref()) {
                    let moved = way.length(state.radius) / dt;
                    if state.is_dynamic() && !state.body.is_sensor {
                        let row = state.row as usize;
                        let wanted = resumed(Vec3::from(solver.moved(row).0), state.lost.motion);
                        let (start, velocity) = (state.position(), solver.velocity_before(row));
                        let frame = frame_of(state, contacts, pairs);
                        let taken = Taken { dt, start, velocity, aside: way.motion - wanted, frame };
                        state.take_way(way, dt);
                        state.settle(&taken, config, [&is_driven, &is_pushed]);
                    } else {
                        state.take_way(way, dt);
                    }
                    state.finish();
                    state.count_still(moved, dt, config);
                }
            }
        });
        held
    }

    /// The way that the solver has found for an awake body, as far as it is free.
    fn way(&self, world: &World, state: &BodyState, dt: f32) -> Way {
        if state.is_dynamic() && !state.body.is_sensor {
            let (motion, turn) = self.solver.moved(state.row as usize);
            let motion = resumed(Vec3::from(motion), state.lost.motion);
            let turn = state.free_spin.turn.unwrap_or(Quat::from_array(turn));
            // A body that spins too fast for `f32` does not turn.
            let turn = if turn.is_finite() { turn } else { Quat::IDENTITY };
            self.guarded(world, state, motion, turn, dt)
        } else {
            let motion = resumed(state.body.velocity * dt, state.lost.motion);
            let rotation = resumed(state.body.angular_velocity * dt, state.lost.rotation);
            let end = state.shape.moved(motion, rotation).map(|end| end.resized(state.sizes));
            Way {
                motion,
                rotation,
                turn: None,
                wanted: [motion, rotation],
                is_cut: end.is_none(),
                end: end.unwrap_or_else(|| state.shape.clone()),
            }
        }
    }

    /// Moves the objects of bodies that moved, and lists them.
    pub(in crate::dynamics) fn place(&self, world: &mut World, ways: &[Option<Way>], list: &mut Vec<ObjectKey>) {
        let (id, moved) = (world.id, RefCell::new(std::mem::take(list)));
        let moves = self.bodies.iter().zip(ways).filter_map(|(state, way)| {
            let (state, way, moved) = (state.as_ref()?, way.as_ref()?, &moved);
            let turn = match state.shape.tells_turn() {
                true => DQuat::IDENTITY,
                false => match way.turn {
                    Some(turn) => turn.as_dquat(),
                    None => quaternion((way.rotation - state.lost.rotation).as_dvec3()),
                },
            };
            let put = move |shape: &mut Shape| {
                let has_way = (way.motion, way.rotation) != (Vec3::ZERO, Vec3::ZERO);
                if has_way && (turn != DQuat::IDENTITY || !state.shape.is(shape)) {
                    moved.borrow_mut().push(state.key);
                }
                state.shape.put(shape);
            };
            Some((state.key.slot(id)?, (put, turn, state.body.velocity, state.reach)))
        });
        world.place_bodies(moves);
        *list = moved.into_inner();
        world.edits.count_moves(list);
    }
}

impl BodyState {
    /// Moves it along a way.
    fn take_way(&mut self, way: &Way, dt: f32) {
        let axes = way.end.axes(self.sizes);
        if self.is_dynamic() {
            self.body.angular_velocity = self.spin_after(way.rotation, &axes, dt);
            self.heed(way, dt);
        }
        (self.last_motion, self.last_turning) = way.moved_by(&self.shape, self.radius);
        self.axes = axes;
        self.lost = self.lost_on(way);
        self.shape = way.end.clone();
    }

    fn finish(&mut self) {
        // In steps of extreme lengths, what a way says of a velocity may overflow.
        if !(self.body.velocity.is_finite() && self.body.angular_velocity.is_finite()) {
            (self.body.velocity, self.body.angular_velocity) = Default::default();
        }
        (self.force, self.torque) = (Vec3::ZERO, Vec3::ZERO);
    }

    /// What rounding takes from a way; without a motion, what it took before.
    fn lost_on(&self, way: &Way) -> ShapeMotion {
        if way.is_cut {
            return ShapeMotion::NONE;
        }
        let ShapeMotion { mut motion, mut rotation } = self.lost;
        if way.motion != Vec3::ZERO {
            motion = way.end.motion_lost(&self.shape, way.motion);
            if self.is_dynamic() && motion.length() < NOTHING * way.motion.length() {
                motion = Vec3::ZERO;
            }
        }
        if way.rotation != Vec3::ZERO && !self.is_dynamic() {
            rotation = way.end.rotation_lost(&self.shape, way.rotation);
        }
        ShapeMotion { motion, rotation }
    }

    /// Reduces a body's velocity to its actual motion if something fixed has let it go nowhere in this step and in the
    /// one before, whatever its contacts say, so that it gathers no speed. A body that hits something is stopped once,
    /// and then rebounds.
    fn heed(&mut self, way: &Way, dt: f32) {
        let is_stuck = |velocity: Vec3, wanted: Vec3, now: Vec3, last: Vec3, most: f32| {
            let (speed, wanted) = (velocity.length() * dt, wanted.length());
            // A body that rebounds is faster than it was moved.
            speed < 2.0 * wanted && now.length().max(last.length()) < STUCK * speed.min(wanted).min(most)
        };
        let [motion, rotation] = way.wanted;
        if is_stuck(self.body.velocity, motion, way.motion, self.last_motion.motion, f32::INFINITY) {
            self.body.velocity = way.motion / dt;
        }
        // Nothing turns by more than a radian beside something.
        if is_stuck(self.body.angular_velocity, rotation, way.rotation, self.last_motion.rotation, 1.0) {
            self.body.angular_velocity = way.rotation / dt;
        }
    }

    /// Counts how long it has been still, given how fast it was moved, whether by its velocity or out of something.
    fn count_still(&mut self, moved: f32, dt: f32, config: &DynamicsConfig) {
        let now = [self.body.velocity, self.body.angular_velocity];
        let share = if config.sleep_seconds > 2.0 * dt { 2.0 * dt / config.sleep_seconds } else { 1.0 };
        let mean = |i: usize| self.mean_velocities[i] + (now[i] - self.mean_velocities[i]) * share;
        self.mean_velocities = [0, 1].mapped(|i| Some(mean(i)).filter(|mean| mean.is_finite()).unwrap_or(now[i]));
        let speed = |[velocity, spin]: [Vec3; 2]| velocity.length().max(spin.length() * self.radius);
        let rattles = speed(self.mean_velocities) <= config.sleep_speed && speed(now) <= RATTLING * config.sleep_speed;
        // The mean remains high for a while after a body that has slipped lies still.
        let is_slow = (rattles || speed(now) <= config.sleep_speed) && moved <= RATTLING * config.sleep_speed;
        self.still_seconds = if is_slow { self.still_seconds + dt } else { 0.0 };
    }
}

/// A motion with what rounding took from those before; what does not move stays in place.
fn resumed(motion: Vec3, lost: Vec3) -> Vec3 {
    if motion == Vec3::ZERO { motion } else { motion + lost }
}

/// Whether a kinematic body has entered the first body of a pair, which could not give way.
fn is_crushed(pair: &ContactPair, skin: f32) -> bool {
    let mut points = pair.parts.iter().flat_map(|part| part.manifold.points());
    points.any(|point| point.separation < -CRUSHED * skin)
}
