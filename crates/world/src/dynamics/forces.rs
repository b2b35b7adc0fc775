//! Moving bodies from outside: velocities, impulses and forces.

use super::{BodyState, Dynamics};
use crate::{ObjectKey, World};
use cullide_narrowphase::{Error, glam::Vec3};
use std::borrow::Cow;

impl Dynamics {
    /// Returns the velocity of the point of a body at a point of the world, in units per second: if the body turns, its
    /// points do not have the velocity of its centre. `None` for an object that is not a body.
    ///
    /// ```
    /// # use cullide_world::{Dynamics, Object, RigidBody, World, glam::Vec3, narrowphase::Sphere};
    /// let mut world = World::new();
    /// let wheel = world.insert(Object::moving(Sphere::new(Vec3::Y, 1.0)?));
    /// let mut dynamics = Dynamics::new();
    /// let rolls = RigidBody { velocity: Vec3::X * 2.0, angular_velocity: Vec3::Z * -2.0, ..RigidBody::dynamic() };
    /// dynamics.insert(&mut world, wheel, rolls)?;
    /// assert_eq!(dynamics.velocity_at(&world, wheel, Vec3::ZERO), Some(Vec3::ZERO));
    /// assert_eq!(dynamics.velocity_at(&world, wheel, Vec3::Y * 2.0), Some(Vec3::X * 4.0));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn velocity_at(&self, world: &World, key: ObjectKey, point: Vec3) -> Option<Vec3> {
        Some(self.current(world, key)?.velocity_at(point))
    }

    /// Sets the velocity of a body, and its angular velocity in radians per second, and wakes it if that changes them;
    /// returns `false` for an object that is not a body. A body that is awake may fall asleep even so, with velocities
    /// as small as [`sleep_speed`](crate::DynamicsConfig::sleep_speed).
    ///
    /// # Errors
    /// [`Error::NonFinite`].
    pub fn set_velocity(&mut self, key: ObjectKey, velocity: Vec3, angular_velocity: Vec3) -> Result<bool, Error> {
        if !(velocity.is_finite() && angular_velocity.is_finite()) {
            return Err(Error::NonFinite { field: "velocity" });
        }
        let at = self.at(key);
        at.inspect(|at| self.give(*at, velocity, angular_velocity));
        Ok(at.is_some())
    }

    /// Applies an impulse, of mass times velocity, to a body at a point of the world, and wakes it if that changes
    /// its velocity; returns `false` for an object that is not a dynamic body.
    ///
    /// # Errors
    /// [`Error::NonFinite`], also if the body would become too fast for `f32`, and [`Error::OtherWorld`]; then nothing
    /// has changed.
    ///
    /// ```
    /// # use cullide_world::{Dynamics, Mass, Object, RigidBody, World, glam::Vec3, narrowphase::Sphere};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0)?));
    /// let mut dynamics = Dynamics::new();
    /// dynamics.insert(&mut world, ball, RigidBody { mass: Mass::Total(4.0), ..RigidBody::dynamic() })?;
    /// dynamics.apply_impulse(&world, ball, Vec3::X * 8.0, Vec3::ZERO)?;
    /// assert_eq!(dynamics.body(ball).unwrap().velocity, Vec3::X * 2.0);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn apply_impulse(&mut self, world: &World, key: ObjectKey, impulse: Vec3, point: Vec3) -> Result<bool, Error> {
        if !(impulse.is_finite() && point.is_finite()) {
            return Err(Error::NonFinite { field: "impulse" });
        }
        self.strike(world, key, impulse, |state| (point - state.shape.center()).cross(impulse))
    }

    /// Applies an angular impulse, of moment of inertia times angular velocity, to a body, and wakes it if that
    /// changes its velocity; returns `false` for an object that is not a dynamic body.
    ///
    /// # Errors
    /// [`Error::NonFinite`], also if the body would become too fast for `f32`, and [`Error::OtherWorld`]; then nothing
    /// has changed.
    ///
    /// ```
    /// # use cullide_world::{Dynamics, Mass, Object, RigidBody, World, glam::Vec3, narrowphase::Sphere};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0)?));
    /// let mut dynamics = Dynamics::new();
    /// dynamics.insert(&mut world, ball, RigidBody { mass: Mass::Total(5.0), ..RigidBody::dynamic() })?;
    /// dynamics.apply_angular_impulse(&world, ball, Vec3::Y * 4.0)?;
    /// let spin = dynamics.body(ball).unwrap().angular_velocity;
    /// assert!((spin - Vec3::Y * 2.0).length() < 1e-5); // the moment of inertia is 2/5 of the mass
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn apply_angular_impulse(&mut self, world: &World, key: ObjectKey, impulse: Vec3) -> Result<bool, Error> {
        if !impulse.is_finite() {
            return Err(Error::NonFinite { field: "impulse" });
        }
        self.strike(world, key, Vec3::ZERO, |_| impulse)
    }

    /// Applies a force at a body's centre and a torque during the next step, and wakes the body unless both are zero;
    /// several add up. Returns `false` for an object that is not a dynamic body, and for a sensor.
    ///
    /// # Errors
    /// [`Error::NonFinite`], also for the sum; then nothing has changed.
    pub fn apply_force(&mut self, key: ObjectKey, force: Vec3, torque: Vec3) -> Result<bool, Error> {
        self.pull(key, force, |_| torque)
    }

    /// Applies a force to a body at a point of the world during the next step, as a spring or a thruster does, and
    /// wakes it unless the force is zero; several add up. Returns `false` for an object that is not a dynamic body, and
    /// for a sensor.
    ///
    /// # Errors
    /// [`Error::NonFinite`], also for the sum, and [`Error::OtherWorld`]; then nothing has changed.
    ///
    /// ```
    /// # use cullide_world::{Dynamics, DynamicsConfig, Mass, Object, RigidBody, World, glam::Vec3, narrowphase::Sphere};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0)?));
    /// let mut dynamics = Dynamics::new();
    /// dynamics.insert(&mut world, ball, RigidBody { mass: Mass::Total(5.0), ..RigidBody::dynamic() })?;
    /// dynamics.apply_force_at(&world, ball, Vec3::Y * 10.0, Vec3::X)?;
    /// let config = DynamicsConfig { gravity: Vec3::ZERO, ..DynamicsConfig::default() };
    /// dynamics.step(&mut world, 0.5, &config)?;
    /// let body = dynamics.body(ball).unwrap();
    /// assert!((body.velocity - Vec3::Y).length() < 1e-5 && (body.angular_velocity - Vec3::Z * 2.5).length() < 1e-5);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn apply_force_at(&mut self, world: &World, key: ObjectKey, force: Vec3, point: Vec3) -> Result<bool, Error> {
        if !(force.is_finite() && point.is_finite()) {
            return Err(Error::NonFinite { field: "force" });
        }
        self.check_world(world)?;
        if self.at(key).is_some_and(|at| !self.adopt_body(world, at)) {
            return Ok(false);
        }
        self.pull(key, force, |state| (point - state.shape.center()).cross(force))
    }

    /// Returns a body where its object is now.
    pub(super) fn current(&self, world: &World, key: ObjectKey) -> Option<Cow<'_, BodyState>> {
        let state = self.state(self.at(key)?);
        if state.is_of(world) { Some(Cow::Borrowed(state)) } else { state.edited(world).map(Cow::Owned) }
    }

    /// Gives a dynamic body an impulse at its centre and an angular impulse.
    fn strike(
        &mut self,
        world: &World,
        key: ObjectKey,
        impulse: Vec3,
        turning: impl FnOnce(&BodyState) -> Vec3,
    ) -> Result<bool, Error> {
        self.check_world(world)?;
        let Some(at) = self.at(key).filter(|at| self.state(*at).is_dynamic()) else { return Ok(false) };
        if !self.adopt_body(world, at) {
            return Ok(false);
        }
        let state = self.state_mut(at);
        state.inertia = state.world_inertia();
        let velocity = state.body.velocity + impulse * state.inverse_mass;
        let angular_velocity = state.body.angular_velocity + state.turned_by(turning(state));
        if !(velocity.is_finite() && angular_velocity.is_finite()) {
            return Err(Error::NonFinite { field: "impulse" });
        }
        self.give(at, velocity, angular_velocity);
        Ok(true)
    }

    /// Applies a force and a torque to a dynamic body during the next step.
    fn pull(&mut self, key: ObjectKey, force: Vec3, torque: impl FnOnce(&BodyState) -> Vec3) -> Result<bool, Error> {
        let is_pushed = |at: &u32| self.state(*at).is_dynamic() && !self.state(*at).body.is_sensor;
        let Some(at) = self.at(key).filter(is_pushed) else { return Ok(false) };
        let state = self.state_mut(at);
        let sum = (state.force + force, state.torque + torque(state));
        if !(sum.0.is_finite() && sum.1.is_finite()) {
            return Err(Error::NonFinite { field: "force" });
        }
        if sum != (state.force, state.torque) {
            (state.force, state.torque) = sum;
            self.wake_body(at);
        }
        Ok(true)
    }

    /// Sets the velocities of a body, and wakes it if it sleeps and they differ from its own. A body that is awake may
    /// still be about to fall asleep.
    fn give(&mut self, at: u32, velocity: Vec3, angular_velocity: Vec3) {
        let state = self.state_mut(at);
        let body = &mut state.body;
        let known = std::mem::replace(&mut body.velocity, velocity);
        let known_spin = std::mem::replace(&mut body.angular_velocity, angular_velocity);
        if !state.is_awake() && (known, known_spin) != (velocity, angular_velocity) {
            self.wake_body(at);
        }
    }
}
