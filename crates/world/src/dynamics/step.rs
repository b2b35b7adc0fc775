//! A step of all rigid bodies.

use super::{
    BodyState, Dynamics, NONE,
    assemble::Party,
    guard::Way,
    near::{ActivePair, Approach, Roles},
    pose::BodyShape,
};
use crate::{ContactPair, DynamicsConfig, ObjectKey, Target, World, threads};
use cullide_narrowphase::glam::{Quat, Vec3};

/// What moves to and fro no faster than so many times the speed at which bodies may fall asleep, may.
const RATTLING: f32 = 4.0;

/// A time that is not computed yet.
const UNKNOWN: f32 = -1.0;

/// A kinematic body that has come into another by so many skins presses it against something.
const CRUSHED: f32 = 10.0;

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport<'a> {
    /// Pairs that touch, and did not before the step.
    pub begun: &'a [(ObjectKey, Target)],
    /// Pairs that touched before the step, and do not now.
    pub ended: &'a [(ObjectKey, Target)],
    /// Bodies that could not go where contacts pushed them, because something that is fixed is there, and those that a
    /// kinematic body has come into: they are squeezed.
    pub held: &'a [ObjectKey],
    /// How many bodies are awake.
    pub awake: usize,
}

/// What a report lends.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    pub(super) begun: Vec<(ObjectKey, Target)>,
    pub(super) ended: Vec<(ObjectKey, Target)>,
    pub(super) held: Vec<ObjectKey>,
    pub(super) awake: usize,
    /// The pairs that the step looks at, in the order of their numbers.
    pub(super) active: Vec<ActivePair>,
    pub(super) roles: Roles,
    pub(super) approaches: Vec<Approach>,
    pub(super) parties: Vec<Party>,
    /// Bodies that lie under much heavier ones.
    pub(super) loaded: Vec<u32>,
    /// By block, which of the active pairs have their contacts there.
    pub(super) by_block: Vec<Vec<u32>>,
    pub(super) ends: Vec<usize>,
    pub(super) order: Vec<(Vec3, u32)>,
    pub(super) ways: Vec<(u32, Way)>,
    /// By body, which of the ways is its.
    way_of: Vec<u32>,
}

impl Lists {
    fn report(&self) -> StepReport<'_> {
        StepReport { begun: &self.begun, ended: &self.ended, held: &self.held, awake: self.awake }
    }
}

impl Dynamics {
    /// Moves all bodies by `dt` seconds. A `dt` that is not positive and finite changes nothing.
    ///
    /// The world's [pairs](World::update_pairs) are brought up to date by it; boxes of bodies then cover where they may
    /// get, with a margin.
    pub fn step(&mut self, world: &mut World, dt: f32, config: &DynamicsConfig) -> StepReport<'_> {
        let mut lists = std::mem::take(&mut self.report);
        lists.begun.clear();
        lists.ended.clear();
        lists.held.clear();
        if dt > 0.0 && dt.is_finite() {
            self.sync(world);
            lists.ended.append(&mut self.parted);
            self.find_pairs(world, dt, config, &mut lists);
            lists.active.clear();
            lists.awake = 0;
            if self.bodies.iter().flatten().any(BodyState::rouses) {
                self.touch(world, dt, config, &mut lists);
                self.solve(dt, config, &mut lists);
                self.advance(world, dt, config, &mut lists);
                self.rest(dt, config, &mut lists);
            }
        }
        self.report = lists;
        self.report.report()
    }

    /// Adopts what the caller has edited since the last step.
    pub(super) fn sync(&mut self, world: &World) {
        if self.fixed_serial.replace(world.fixed_serial) != Some(world.fixed_serial) {
            self.contacts.slots_mut().iter_mut().flatten().for_each(ContactPair::expire);
            self.wake_all_bodies();
        }
        for at in 0..self.bodies.len() as u32 {
            let Some(state) = &self.bodies[at as usize] else { continue };
            if state.is_of(world) {
                continue;
            }
            let (key, shape) = (state.key, world.object(state.key).map(|object| &object.shape));
            let known = shape.and_then(|shape| {
                let own = BodyShape::new(shape)?;
                let mass = super::MassProperties::new(shape, &own, state.body.mass);
                Some((own, mass))
            });
            self.wake_body(at);
            match known {
                Some((shape, mass)) => {
                    let state = self.state_mut(at);
                    let pairs = std::mem::take(&mut state.pairs);
                    let (force, torque) = (state.force, state.torque);
                    *state = BodyState { pairs, force, torque, ..BodyState::new(key, state.body, shape, mass) };
                }
                None => {
                    self.remove(key);
                }
            }
        }
    }

    /// Moves bodies as far as they may go.
    fn advance(&mut self, world: &mut World, dt: f32, config: &DynamicsConfig, lists: &mut Lists) {
        lists.ways.clear();
        let way = |at: usize, state: &BodyState| {
            let way = if state.is_dynamic() && !state.body.is_sensor {
                let (motion, turn) = self.solver.moved(state.row as usize);
                let turn = state.free_spin.turn.unwrap_or(Quat::from_array(turn));
                self.guarded(world, state, Vec3::from(motion), turn, dt)
            } else {
                let (motion, rotation) = (state.body.velocity * dt, state.body.angular_velocity * dt);
                let end = state.shape.moved(motion, rotation).map(|end| end.resized(state.sizes));
                Way { motion, rotation, is_cut: end.is_none(), end: end.unwrap_or_else(|| state.shape.clone()) }
            };
            (at as u32, way)
        };
        let awake = |(at, state): (usize, &Option<BodyState>)| {
            let state = state.as_ref().filter(|state| state.is_awake())?;
            Some(way(at, state))
        };
        #[cfg(feature = "parallel")]
        if rayon::current_num_threads() > 1 {
            use rayon::prelude::*;
            lists.ways.par_extend(self.bodies.par_iter().with_min_len(64).enumerate().filter_map(awake));
        } else {
            lists.ways.extend(self.bodies.iter().enumerate().filter_map(awake));
        }
        #[cfg(not(feature = "parallel"))]
        lists.ways.extend(self.bodies.iter().enumerate().filter_map(awake));
        self.stop_at_each_other(world, lists);
        let presses = |active: &&ActivePair| {
            let [first, second] = lists.roles.of(active.bodies);
            first.is_dynamic() && second.is_kinematic() && !first.is_sensor() && !second.is_sensor()
        };
        let pairs = lists.active.iter().filter(presses).filter_map(|active| self.contacts.get(active.number));
        let mut crushed: Vec<u32> =
            pairs.filter(|pair| is_crushed(pair, config.skin)).map(|pair| pair.bodies[0]).collect();
        crushed.sort_unstable();
        // Impulses that nothing can come up to grow, and would throw it when it is free.
        for &at in &crushed {
            for &number in &self.bodies[at as usize].as_ref().expect("an awake body").pairs {
                let Some(pair) = self.contacts.get_mut(number) else { continue };
                pair.parts.iter_mut().for_each(|part| part.impulses = Default::default());
            }
        }
        for (at, way) in &lists.ways {
            let state = self.bodies[*at as usize].as_mut().expect("an awake body");
            if way.is_cut || crushed.binary_search(at).is_ok() {
                lists.held.push(state.key);
            }
            let axes = way.end.axes(state.sizes);
            if state.is_dynamic() {
                state.body.angular_velocity = state.spin_after(way, &axes, dt);
            }
            (state.last_motion, state.last_turning) = way.moved_by(&state.shape, state.radius);
            state.axes = axes;
            state.shape = way.end.clone();
            (state.force, state.torque) = (Vec3::ZERO, Vec3::ZERO);
        }
        let id = world.id;
        let moved = lists.ways.iter().filter_map(|(at, _)| {
            let state = self.bodies[*at as usize].as_ref()?;
            Some((state.key.slot(id)?, state))
        });
        let moved = moved.map(|(slot, state)| (slot, ((&state.shape).into(), state.body.velocity, state.reach)));
        world.place_bodies(moved);
    }

    /// Bodies that are fast for their size stop where they meet others, and so do those that they belong to: all that
    /// could meet on the way get to the same time of the step.
    fn stop_at_each_other(&self, world: &World, lists: &mut Lists) {
        // How far points of each get, at most, and how far they may.
        let far = |(at, way): &(u32, Way)| {
            let state = self.state(*at);
            (way.length(state.radius), if state.body.is_sensor { f32::INFINITY } else { 0.5 * state.inner_radius })
        };
        let far: Vec<(f32, f32)> = lists.ways.iter().map(far).collect();
        if !far.iter().any(|(far, may)| far > may) {
            return;
        }
        lists.way_of.clear();
        lists.way_of.resize(self.bodies.len(), NONE);
        for (i, (at, _)) in lists.ways.iter().enumerate() {
            lists.way_of[*at as usize] = i as u32;
        }
        let mut meetings: Vec<(usize, usize, f32)> = Vec::new();
        let is_convex = |at: u32| self.state(at).shape.convex().is_some();
        for active in &lists.active {
            let [Some(i), Some(j)] = active.bodies.map(|at| lists.way_of.get(at as usize).filter(|i| **i != NONE))
            else {
                continue;
            };
            let (i, j) = (*i as usize, *j as usize);
            let least = far[i].1.min(far[j].1);
            if far[i].0 + far[j].0 <= least || far[i].1.max(far[j].1) == f32::INFINITY {
                continue;
            }
            let [first, second] = active.bodies.map(|at| self.state(at));
            let (way_a, way_b) = (&lists.ways[i].1, &lists.ways[j].1);
            let relative = (way_a.motion - way_b.motion).length()
                + way_a.rotation.length() * first.radius
                + way_b.rotation.length() * second.radius;
            if relative <= least {
                continue;
            }
            // What was farther apart than that, less what they may penetrate by, does not meet.
            let pair = self.contacts.get(active.number).filter(|_| active.bodies.into_iter().all(is_convex));
            let apart = pair.and_then(|pair| pair.parts.first()).map_or(0.0, |part| part.manifold.distance());
            meetings.push((i, j, if apart + 0.9 * least > relative { 1.0 } else { UNKNOWN }));
        }
        threads::each_mut(&mut meetings, 8, |(i, j, time)| {
            if *time == UNKNOWN {
                let [first, second] = [*i, *j].map(|i| (self.state(lists.ways[i].0), &lists.ways[i].1));
                *time = self.meeting_time(first, second);
            }
        });
        // Until nobody has to wait: each round some body gets less far, and there are as many times as meetings.
        let mut times = vec![1.0f32; lists.ways.len()];
        let mut is_settled = meetings.iter().all(|(.., time)| *time >= 1.0);
        while !is_settled {
            is_settled = true;
            for &(i, j, time) in &meetings {
                let least = times[i].min(times[j]).min(time);
                // A kinematic body goes on all the same.
                for k in [i, j] {
                    let moves = self.state(lists.ways[k].0).is_dynamic();
                    if moves && times[k] > least && (time < 1.0 || times[i].min(times[j]) < 1.0) {
                        (times[k], is_settled) = (least, false);
                    }
                }
            }
        }
        for (time, (at, way)) in times.into_iter().zip(&mut lists.ways) {
            if time < 1.0 {
                let state = self.bodies[*at as usize].as_ref().expect("an awake body");
                // Part of a way that turns is not free because all of it ends free.
                let kept = self.kept(world, state, way.motion * time, way.rotation * time);
                *way = Way { is_cut: way.is_cut || kept.is_cut, ..kept };
            }
        }
    }

    /// Counts how long bodies have been still, and lets islands sleep.
    fn rest(&mut self, dt: f32, config: &DynamicsConfig, lists: &mut Lists) {
        for state in self.bodies.iter_mut().flatten().filter(|state| state.is_awake()) {
            let now = [state.body.velocity, state.body.angular_velocity];
            let share = if config.sleep_seconds > 2.0 * dt { 2.0 * dt / config.sleep_seconds } else { 1.0 };
            state.mean_velocities =
                [0, 1].map(|i| state.mean_velocities[i] + (now[i] - state.mean_velocities[i]) * share);
            let speed = |[velocity, spin]: [Vec3; 2]| velocity.length().max(spin.length() * state.radius);
            let is_slow =
                speed(state.mean_velocities) <= config.sleep_speed && speed(now) <= RATTLING * config.sleep_speed;
            state.still_seconds = if is_slow { state.still_seconds + dt } else { 0.0 };
        }
        self.fall_asleep(lists, config.sleep_seconds);
        lists.awake = self.bodies.iter().flatten().filter(|state| state.is_awake() && state.is_dynamic()).count();
    }
}

/// Whether a kinematic body has come into the first of a pair, which could not give way.
fn is_crushed(pair: &ContactPair, skin: f32) -> bool {
    let mut points = pair.parts.iter().flat_map(|part| part.manifold.points());
    points.any(|point| point.separation < -CRUSHED * skin)
}
