//! A step of all rigid bodies.

use super::{
    BodyState, Dynamics, StepReport, body::materials::is_there, continuous::Ways, pairs::ActivePairs, report::Report,
    solver::assemble::Problem,
};
use crate::{DynamicsConfig, World, contact::ContactPair, threads};
use cullide_bvh::Team;
use cullide_narrowphase::{Error, glam::Vec3};
use std::sync::atomic::{AtomicBool, Ordering};

/// What a step works with; kept to reuse its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    pub(super) report: Report,
    pub(super) pairs: ActivePairs,
    problem: Problem,
    ways: Ways,
}

/// The number of awake bodies for which one more thread takes part in a step.
const ENOUGH: usize = 128;

/// Whether the object of a body is switched off.
fn is_off(world: &World, state: &BodyState) -> bool {
    world.off > 0 && world.object(state.key).is_some_and(|object| !object.is_enabled())
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
        let mut lists = std::mem::take(&mut self.lists);
        lists.report.clear();
        lists.pairs.active.clear();
        if dt > 0.0 && dt.is_finite() && config.gravity.is_finite() {
            world.edits.watch();
            let awake = self.bodies.iter().flatten().filter(|state| state.is_awake()).count();
            let mut helpers = std::mem::take(&mut self.helpers);
            helpers.with(1 + awake / ENOUGH, |team| self.step_by(team, world, dt, config, &mut lists));
            self.helpers = helpers;
        }
        let is_active = |state: &&BodyState| state.is_awake() && state.is_dynamic() && !is_off(world, state);
        lists.report.awake = self.bodies.iter().flatten().filter(is_active).count();
        self.lists = lists;
        Ok(self.lists.report.lend())
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
        self.lists.report.lend()
    }

    fn step_by(&mut self, team: &Team, world: &mut World, dt: f32, config: &DynamicsConfig, lists: &mut Lists) {
        self.sync(team, world);
        self.switch(world);
        if self.gravity.replace(config.gravity).is_some_and(|known| known != config.gravity) {
            self.wake_all_bodies();
        }
        let Lists { report, pairs, problem, ways } = lists;
        self.find_pairs(team, world, dt, config, &mut report.ended);
        report.ended.append(&mut self.parted);
        if self.bodies.iter().flatten().any(BodyState::rouses) {
            self.touch(team, world, dt, config, pairs);
            let mut hits = self.solve(team, world, dt, config, pairs, problem);
            self.report_touching(&mut hits, pairs, report);
            report.held = self.advance(team, world, dt, config, pairs, ways);
            self.place(world, &ways.found, &mut report.moved);
            self.fall_asleep(world, pairs, config.sleep_seconds);
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
        threads::each(team, self.bodies.chunks(size), &|bodies| {
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
            state.is_off = is_off(world, state);
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
}
