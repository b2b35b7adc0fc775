//! A step of all rigid bodies.

use super::{
    BodyState, Dynamics,
    assemble::{Guests, Seat},
    energy::{Taken, frame_of},
    guard::Way,
    materials::is_there,
    meeting::Freedom,
    party::ContactBody,
    pose::quaternion,
    roles::{ActivePair, Approach, Roles},
};
use crate::{ContactPair, DynamicsConfig, ObjectKey, Shape, Target, World, contact::Impulses, threads};
use cullide_bvh::Team;
use cullide_narrowphase::{
    Error, ShapeMotion,
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

/// The results of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct StepReport<'a> {
    /// Pairs that touch and did not before the step, a dynamic body first; [`Dynamics::contact`] tells how hard they
    /// met. Includes bodies that have hit something and are far away again by the end of the step.
    pub begun: &'a [(ObjectKey, Target)],
    /// Pairs that touched before the step and no longer do, each in the order in which it began. A pair whose first
    /// body is no longer dynamic ends, and begins the other way round.
    pub ended: &'a [(ObjectKey, Target)],
    /// Bodies that could not go where contacts pushed them, because something fixed is there, and those that a
    /// kinematic body has entered: they are squeezed.
    pub held: &'a [ObjectKey],
    /// Bodies whose [pose](crate::ObjectRef::transform) has changed: what a renderer has to move. That of a ball or a capsule also
    /// changes where only its rotation does.
    pub moved: &'a [ObjectKey],
    /// The number of dynamic bodies that are awake.
    pub awake: usize,
}

/// The lists that a report borrows.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    pub(super) begun: Vec<(ObjectKey, Target)>,
    pub(super) ended: Vec<(ObjectKey, Target)>,
    pub(super) held: Vec<ObjectKey>,
    pub(super) moved: Vec<ObjectKey>,
    pub(super) awake: usize,
    /// The pairs that the step considers, in the order of their numbers.
    pub(super) active: Vec<ActivePair>,
    /// The same, as each thread found them.
    pub(super) found: Vec<Vec<ActivePair>>,
    pub(super) roles: Roles,
    pub(super) approaches: Vec<Approach>,
    pub(super) parties: Vec<ContactBody>,
    pub(super) guests: Guests,
    /// Bodies that lie under much heavier ones.
    pub(super) loaded: Vec<u32>,
    /// For each block, which of the active pairs have their contacts there.
    pub(super) by_block: Vec<Vec<u32>>,
    pub(super) ends: Vec<usize>,
    pub(super) order: Vec<(Vec3, u32)>,
    /// The bodies that are solved, as each thread found them.
    pub(super) solved: Vec<Vec<(Vec3, u32)>>,
    /// By body.
    pub(super) seats: Vec<Option<Seat>>,
    pub(super) ways: Vec<Option<Way>>,
    pub(super) freedoms: Vec<Freedom>,
}

/// The number of awake bodies for which one more thread takes part in a step.
const ENOUGH: usize = 128;

impl Lists {
    fn report(&self) -> StepReport<'_> {
        let Self { begun, ended, held, moved, awake, .. } = self;
        StepReport { begun, ended, held, moved, awake: *awake }
    }
}

impl Dynamics {
    /// Moves all bodies by `dt` seconds. A `dt` that is not positive and finite changes nothing, nor does a gravity
    /// that is not finite.
    ///
    /// Give every step the same length: each starts from the contact impulses of the one before, and piles become
    /// restless if that had another length. A game whose frame times vary takes none, one or several steps per frame.
    ///
    /// A gravity other than that of the last step wakes all bodies.
    ///
    /// This also brings the world's [pairs](World::update_pairs) up to date; the boxes of bodies then cover where they
    /// may get, with a margin.
    ///
    /// With the feature `parallel`, threads of the caller's rayon pool, or of the global one, take part in a step of
    /// 128 awake bodies or more; those that join stay awake until it ends. If none joins, the caller does all the work.
    /// Worlds may be stepped side by side in one pool.
    ///
    /// # Errors
    /// [`Error::OtherWorld`] for a world other than that of the bodies; then nothing has changed.
    ///
    /// ```
    /// # use cullide_world::{Dynamics, DynamicsConfig, Object, RigidBody, World, glam::Vec3};
    /// # use cullide_world::narrowphase::{Error, Sphere};
    /// let (mut world, mut dynamics) = (World::with_tag(1), Dynamics::new());
    /// let ball = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0)?));
    /// dynamics.insert(&mut world, ball, RigidBody::dynamic())?;
    /// let config = DynamicsConfig::default();
    /// assert_eq!(dynamics.step(&mut world, 0.1, &config)?.awake, 1);
    ///
    /// let refused = dynamics.step(&mut World::with_tag(2), 0.1, &config);
    /// assert_eq!(refused, Err(Error::OtherWorld { field: "world" }));
    /// assert!(dynamics.body(ball).is_some());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn step(&mut self, world: &mut World, dt: f32, config: &DynamicsConfig) -> Result<StepReport<'_>, Error> {
        self.check_world(world)?;
        let mut lists = std::mem::take(&mut self.report);
        lists.begun.clear();
        lists.ended.clear();
        lists.held.clear();
        lists.moved.clear();
        lists.active.clear();
        if dt > 0.0 && dt.is_finite() && config.gravity.is_finite() {
            world.edits.watch();
            let awake = self.bodies.iter().flatten().filter(|state| state.is_awake()).count();
            let mut helpers = std::mem::take(&mut self.helpers);
            helpers.with(1 + awake / ENOUGH, |team| self.step_by(team, world, dt, config, &mut lists));
            self.helpers = helpers;
        }
        let is_active = |state: &&BodyState| state.is_awake() && state.is_dynamic() && !state.is_off;
        lists.awake = self.bodies.iter().flatten().filter(is_active).count();
        self.report = lists;
        Ok(self.report.report())
    }

    /// Returns the report of the last step again, so that the bodies can be queried while it is read, or later; an empty
    /// one before the first step, and after [`Dynamics::restore`].
    ///
    /// ```
    /// # use cullide_world::{Dynamics, DynamicsConfig, Object, RigidBody, World, glam::Vec3, narrowphase::Sphere};
    /// let (mut world, mut dynamics) = (World::new(), Dynamics::new());
    /// let [ball, other] = [0.0, 9.0].map(|x| world.insert(Object::moving(Sphere::new(Vec3::X * x, 1.0).unwrap())));
    /// for key in [ball, other] {
    ///     dynamics.insert(&mut world, key, RigidBody::kinematic())?;
    /// }
    /// dynamics.insert(&mut world, ball, RigidBody { velocity: Vec3::X, ..RigidBody::kinematic() })?;
    /// dynamics.step(&mut world, 0.5, &DynamicsConfig::default())?;
    /// assert_eq!(dynamics.report().moved, [ball]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn report(&self) -> StepReport<'_> {
        self.report.report()
    }

    fn step_by(&mut self, team: &Team, world: &mut World, dt: f32, config: &DynamicsConfig, lists: &mut Lists) {
        self.sync(team, world);
        self.switch(world);
        if self.gravity.replace(config.gravity).is_some_and(|known| known != config.gravity) {
            self.wake_all_bodies();
        }
        self.find_pairs(team, world, dt, config, lists);
        lists.ended.append(&mut self.parted);
        if self.bodies.iter().flatten().any(BodyState::rouses) {
            self.touch(team, world, dt, config, lists);
            self.solve(team, world, dt, config, lists);
            self.advance(team, world, dt, config, lists);
            self.place(world, lists);
            self.fall_asleep(world, lists, config.sleep_seconds);
        }
    }

    /// Adopts what the caller has edited since the last step.
    pub(super) fn sync(&mut self, team: &Team, world: &World) {
        let now = world.edits.serials();
        let known = self.edits_known.replace(now);
        if known != Some(now) {
            self.forget_removed(world);
            if known.is_none_or(|known| known.fixed != now.fixed) {
                self.contacts.slots_mut().iter_mut().flatten().for_each(ContactPair::expire);
            }
            match known.and_then(|known| world.edits.since(known)) {
                Some(places) => self.wake_near(places),
                None => self.wake_all_bodies(),
            }
        }
        let any_edited = AtomicBool::new(false);
        let size = threads::piece(team, self.bodies.len(), 64);
        team.each(self.bodies.chunks(size), |bodies| {
            if bodies.iter().flatten().any(|state| !state.is_of(world)) {
                any_edited.store(true, Ordering::Relaxed);
            }
        });
        if any_edited.into_inner() {
            self.adopt(world);
        }
        self.free.extend(self.released.drain(..));
        // In an order that does not depend on when they were found to part.
        self.parted.sort_unstable();
    }

    /// Finds out which bodies are switched off; no force acts on these.
    fn switch(&mut self, world: &World) {
        for state in self.bodies.iter_mut().flatten().filter(|state| world.off > 0 || state.is_off) {
            state.is_off = world.object(state.key).is_some_and(|object| !object.is_enabled());
            if state.is_off {
                (state.force, state.torque) = (Vec3::ZERO, Vec3::ZERO);
            }
        }
    }

    /// Forgets materials and ignored pairs of removed things, if there are many.
    fn forget_removed(&mut self, world: &World) {
        if self.materials.len() + self.ignored.len() > self.remembered {
            self.materials.forget_removed(world);
            self.ignored.retain(|(first, second)| [*first, *second].iter().all(|key| is_there(world, (*key).into())));
            self.remembered = 2 * (self.materials.len() + self.ignored.len()) + ENOUGH;
        }
    }

    /// Adopts the shapes of bodies that the caller has edited.
    fn adopt(&mut self, world: &World) {
        for at in 0..self.bodies.len() as u32 {
            if self.bodies[at as usize].is_some() {
                self.adopt_body(world, at);
            }
        }
    }

    /// Adopts the shape of a body if the caller has edited it; returns whether it still is a body.
    pub(super) fn adopt_body(&mut self, world: &World, at: u32) -> bool {
        let state = self.state(at);
        if state.is_of(world) {
            return true;
        }
        let (key, known) = (state.key, state.edited(world));
        self.wake_body(at);
        match known {
            Some(new) => {
                let state = self.state_mut(at);
                let pairs = std::mem::take(&mut state.pairs);
                let (force, torque, mean_velocities) = (state.force, state.torque, state.mean_velocities);
                *state = BodyState { pairs, force, torque, mean_velocities, ..new };
                true
            }
            None => {
                self.remove(key);
                false
            }
        }
    }

    /// Moves bodies as far as they can go.
    fn advance(&mut self, team: &Team, world: &World, dt: f32, config: &DynamicsConfig, lists: &mut Lists) {
        let [any_fast, any_cut] = [const { AtomicBool::new(false) }; 2];
        let Lists { ways, freedoms, .. } = lists;
        ways.resize(self.bodies.len(), None);
        freedoms.resize(self.bodies.len(), Freedom::NONE);
        let size = threads::piece(team, self.bodies.len(), 32);
        let found = ways.chunks_mut(size).zip(freedoms.chunks_mut(size));
        team.each(self.bodies.chunks(size).zip(found), |(bodies, (ways, freedoms))| {
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
            any_cut |= self.stop_at_each_other(team, world, lists);
        }
        let presses = |active: &ActivePair| {
            let [first, second] = lists.roles.of(active.bodies);
            first.is_dynamic() && second.is_kinematic() && !first.is_sensor() && !second.is_sensor()
        };
        let any_kinematic = lists.roles.any_kinematic();
        let pairs = lists
            .active
            .iter()
            .filter(|active| any_kinematic && presses(active))
            .filter_map(|active| self.contacts.get(active.number));
        let mut crushed: Vec<u32> =
            pairs.filter(|pair| is_crushed(pair, config.skin)).map(|pair| pair.bodies[0]).collect();
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
        if any_cut || !crushed.is_empty() {
            let awake = self.bodies.iter().zip(&lists.ways).zip(0u32..);
            let held = awake.filter_map(|((state, way), at)| {
                is_held(at, way.as_ref()?).then(|| state.as_ref().map(|state| state.key))?
            });
            lists.held.extend(held);
        }
        let (contacts, materials, solver) = (&self.contacts, &self.materials, &self.solver);
        let is_driven = |state: &BodyState| materials.drives(world, contacts, state);
        let is_pushed = |state: &BodyState| {
            let pairs = state.pairs.iter().filter_map(|number| contacts.get(*number));
            pairs.flat_map(|pair| &pair.parts).any(|part| part.manifold.distance() < -ENTERED * config.skin)
        };
        let lists = &*lists;
        team.each(self.bodies.chunks_mut(size).zip(lists.ways.chunks(size)), |(bodies, ways)| {
            for (state, way) in bodies.iter_mut().zip(ways) {
                if let Some((state, way)) = state.as_mut().zip(way.as_ref()) {
                    let moved = way.length(state.radius) / dt;
                    if state.is_dynamic() && !state.body.is_sensor {
                        let row = state.row as usize;
                        let wanted = resumed(Vec3::from(solver.moved(row).0), state.lost.motion);
                        let (start, velocity) = (state.position(), solver.velocity_before(row));
                        let frame = frame_of(state, contacts, lists);
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

    /// Moves the objects of bodies that moved.
    fn place(&self, world: &mut World, lists: &mut Lists) {
        let (id, moved) = (world.id, RefCell::new(std::mem::take(&mut lists.moved)));
        let moves = self.bodies.iter().zip(&lists.ways).filter_map(|(state, way)| {
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
        lists.moved = moved.into_inner();
        world.edits.count_moves(&lists.moved);
    }
}

impl BodyState {
    /// Moves it along a way.
    fn take_way(&mut self, way: &Way, dt: f32) {
        let axes = way.end.axes(self.sizes);
        if self.is_dynamic() {
            self.body.angular_velocity = self.spin_after(way, &axes, dt);
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
        self.mean_velocities = [0, 1].map(|i| Some(mean(i)).filter(|mean| mean.is_finite()).unwrap_or(now[i]));
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
