//! Moving bodies from outside: velocities, impulses and forces.

use crate::{
    World,
    dynamics::{BodyMut, BodyRef, BodyState, Dynamics},
};
use cullide_narrowphase::{Error, glam::Vec3};
use std::borrow::Cow;

impl BodyRef<'_> {
    /// Returns the velocity of the point of the body at a point of the world, in units per second: if the body turns, its
    /// points do not have the velocity of its centre. `None` if its object is no longer in the world.
    ///
    /// ```
    /// # use cullide_world::{Dynamics, Object, RigidBody, World, glam::Vec3, narrowphase::Sphere};
    /// let mut world = World::new();
    /// let wheel = world.insert(Object::moving(Sphere::new(Vec3::Y, 1.0)?));
    /// let mut dynamics = Dynamics::new();
    /// let rolls = RigidBody { velocity: Vec3::X * 2.0, angular_velocity: Vec3::Z * -2.0, ..RigidBody::dynamic() };
    /// dynamics.insert(&mut world, wheel, rolls)?;
    /// let wheel = dynamics.body(wheel).unwrap();
    /// assert_eq!(wheel.velocity_at(&world, Vec3::ZERO), Some(Vec3::ZERO));
    /// assert_eq!(wheel.velocity_at(&world, Vec3::Y * 2.0), Some(Vec3::X * 4.0));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn velocity_at(&self, world: &World, point: Vec3) -> Option<Vec3> {
        Some(self.current(world)?.velocity_at(point))
    }

    /// Returns the body where its object is now.
    pub(in crate::dynamics) fn current(&self, world: &World) -> Option<Cow<'_, BodyState>> {
        if self.state.is_of(world) { Some(Cow::Borrowed(self.state)) } else { self.state.edited(world).map(Cow::Owned) }
    }
}

impl BodyMut<'_> {
    /// Sets the velocity of the body, and its angular velocity in radians per second, and wakes it if that changes them.
    /// A body that is awake may fall asleep even so, with velocities as small as
    /// [`sleep_speed`](crate::DynamicsConfig::sleep_speed).
    ///
    /// # Errors
    /// [`Error::NonFinite`].
    pub fn set_velocity(&mut self, velocity: Vec3, angular_velocity: Vec3) -> Result<(), Error> {
        if !(velocity.is_finite() && angular_velocity.is_finite()) {
            return Err(Error::NonFinite { field: "velocity" });
        }
        self.dynamics.give(self.at, velocity, angular_velocity);
        Ok(())
    }

    /// Applies an impulse, of mass times velocity, at a point of the world, and wakes the body if that changes its
    /// velocity. A kinematic body has no mass that it could change, and stays as it is.
    ///
    /// # Errors
    /// [`Error::NonFinite`], also if the body would become too fast for `f32`; then nothing has changed.
    ///
    /// ```
    /// # use cullide_world::{Dynamics, Mass, Object, RigidBody, World, glam::Vec3, narrowphase::Sphere};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0)?));
    /// let mut dynamics = Dynamics::new();
    /// dynamics.insert(&mut world, ball, RigidBody { mass: Mass::Total(4.0), ..RigidBody::dynamic() })?;
    /// dynamics.body_mut(&world, ball).unwrap().apply_impulse(Vec3::X * 8.0, Vec3::ZERO)?;
    /// assert_eq!(dynamics.body(ball).unwrap().velocity, Vec3::X * 2.0);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn apply_impulse(&mut self, impulse: Vec3, point: Vec3) -> Result<(), Error> {
        if !(impulse.is_finite() && point.is_finite()) {
            return Err(Error::NonFinite { field: "impulse" });
        }
        self.strike(impulse, |state| (point - state.shape.center()).cross(impulse))
    }

    /// Applies an angular impulse, of moment of inertia times angular velocity, and wakes the body if that changes its
    /// velocity. A kinematic body stays as it is.
    ///
    /// # Errors
    /// [`Error::NonFinite`], also if the body would become too fast for `f32`; then nothing has changed.
    ///
    /// ```
    /// # use cullide_world::{Dynamics, Mass, Object, RigidBody, World, glam::Vec3, narrowphase::Sphere};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0)?));
    /// let mut dynamics = Dynamics::new();
    /// dynamics.insert(&mut world, ball, RigidBody { mass: Mass::Total(5.0), ..RigidBody::dynamic() })?;
    /// dynamics.body_mut(&world, ball).unwrap().apply_angular_impulse(Vec3::Y * 4.0)?;
    /// let spin = dynamics.body(ball).unwrap().angular_velocity;
    /// assert!((spin - Vec3::Y * 2.0).length() < 1e-5); // the moment of inertia is 2/5 of the mass
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn apply_angular_impulse(&mut self, impulse: Vec3) -> Result<(), Error> {
        if !impulse.is_finite() {
            return Err(Error::NonFinite { field: "impulse" });
        }
        self.strike(Vec3::ZERO, |_| impulse)
    }

    /// Applies a force at the body's centre and a torque during the next step, and wakes the body unless both are zero;
    /// several add up. Kinematic bodies and sensors stay as they are.
    ///
    /// # Errors
    /// [`Error::NonFinite`], also for the sum; then nothing has changed.
    pub fn apply_force(&mut self, force: Vec3, torque: Vec3) -> Result<(), Error> {
        self.dynamics.pull(self.at, force, |_| torque)
    }

    /// Applies a force at a point of the world during the next step, as a spring or a thruster does, and wakes the body
    /// unless the force is zero; several add up. Kinematic bodies and sensors stay as they are.
    ///
    /// # Errors
    /// [`Error::NonFinite`], also for the sum; then nothing has changed.
    ///
    /// ```
    /// # use cullide_world::{Dynamics, DynamicsConfig, Mass, Object, RigidBody, World, glam::Vec3, narrowphase::Sphere};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0)?));
    /// let mut dynamics = Dynamics::new();
    /// dynamics.insert(&mut world, ball, RigidBody { mass: Mass::Total(5.0), ..RigidBody::dynamic() })?;
    /// dynamics.body_mut(&world, ball).unwrap().apply_force_at(Vec3::Y * 10.0, Vec3::X)?;
    /// let config = DynamicsConfig { gravity: Vec3::ZERO, ..DynamicsConfig::default() };
    /// dynamics.step(&mut world, 0.5, &config)?;
    /// let body = dynamics.body(ball).unwrap();
    /// assert!((body.velocity - Vec3::Y).length() < 1e-5 && (body.angular_velocity - Vec3::Z * 2.5).length() < 1e-5);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn apply_force_at(&mut self, force: Vec3, point: Vec3) -> Result<(), Error> {
        if !(force.is_finite() && point.is_finite()) {
            return Err(Error::NonFinite { field: "force" });
        }
        self.dynamics.adopt_body(self.world, self.at);
        self.dynamics.pull(self.at, force, |state| (point - state.shape.center()).cross(force))
    }

    /// Wakes the body, and all that sleep together with it.
    pub fn wake(&mut self) {
        self.dynamics.wake_body(self.at);
    }

    /// Gives a dynamic body an impulse at its centre and an angular impulse.
    fn strike(&mut self, impulse: Vec3, turning: impl FnOnce(&BodyState) -> Vec3) -> Result<(), Error> {
        if !self.is_dynamic() {
            return Ok(());
        }
        self.dynamics.adopt_body(self.world, self.at);
        let state = self.dynamics.state_mut(self.at);
        state.inertia = state.world_inertia();
        let velocity = state.body.velocity + impulse * state.inverse_mass;
        let angular_velocity = state.body.angular_velocity + state.turned_by(turning(state));
        if !(velocity.is_finite() && angular_velocity.is_finite()) {
            return Err(Error::NonFinite { field: "impulse" });
        }
        self.dynamics.give(self.at, velocity, angular_velocity);
        Ok(())
    }

    pub(in crate::dynamics) fn is_dynamic(&self) -> bool {
        self.dynamics.state(self.at).is_dynamic()
    }
}

impl Dynamics {
    /// Applies a force and a torque to a body during the next step, unless it is kinematic or a sensor.
    pub(in crate::dynamics) fn pull(
        &mut self,
        at: u32,
        force: Vec3,
        torque: impl FnOnce(&BodyState) -> Vec3,
    ) -> Result<(), Error> {
        let state = self.state_mut(at);
        if !state.is_dynamic() || state.body.is_sensor {
            return Ok(());
        }
        let sum = (state.force + force, state.torque + torque(state));
        if !(sum.0.is_finite() && sum.1.is_finite()) {
            return Err(Error::NonFinite { field: "force" });
        }
        if sum != (state.force, state.torque) {
            (state.force, state.torque) = sum;
            self.wake_body(at);
        }
        Ok(())
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
