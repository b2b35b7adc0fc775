//! A body, to be looked at or to be changed.
//!
//! What pushes it is in [`forces`](crate::dynamics::body::forces), what an animation does in [`kinematic`](crate::dynamics::body::kinematic), its mass
//! in [`mass`](crate::dynamics::body::mass).

use crate::{
    ObjectKey, RigidBody, World,
    dynamics::{BodyState, Dynamics},
};
use std::{fmt, ops::Deref};

/// A rigid body, as [`Dynamics::body`] and [`Dynamics::bodies`] return it: its description, with its current velocities,
/// and what has become of it.
#[derive(Clone, Copy)]
pub struct BodyRef<'a> {
    pub(in crate::dynamics) state: &'a BodyState,
}

impl<'a> BodyRef<'a> {
    /// Returns the description for as long as the dynamics are borrowed.
    pub fn get(&self) -> &'a RigidBody {
        &self.state.body
    }

    /// Whether the body sleeps: it has rested for a while, and costs nothing until something touches or changes it.
    pub fn is_asleep(&self) -> bool {
        !self.state.is_awake()
    }
}

impl Deref for BodyRef<'_> {
    type Target = RigidBody;

    fn deref(&self) -> &RigidBody {
        &self.state.body
    }
}

impl PartialEq for BodyRef<'_> {
    /// Whether the two are alike as [`RigidBody`]s.
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl fmt::Debug for BodyRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// A rigid body, to be pushed, moved or woken: see [`Dynamics::body_mut`].
///
/// What changes nothing wakes nobody, so an engine may set the same velocity in every frame.
///
/// ```
/// # use cullide_world::{Dynamics, Object, RigidBody, World, glam::Vec3, narrowphase::Sphere};
/// let mut world = World::new();
/// let key = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0)?));
/// let mut dynamics = Dynamics::new();
/// dynamics.insert(&mut world, key, RigidBody::dynamic())?;
/// if let Some(mut ball) = dynamics.body_mut(&world, key) {
///     ball.set_velocity(Vec3::X, Vec3::ZERO)?;
/// }
/// assert_eq!(dynamics.body(key).unwrap().velocity, Vec3::X);
///
/// world.remove(key);
/// // A stale key is met once, before any change.
/// assert!(dynamics.body_mut(&world, key).is_none());
/// # Ok::<(), cullide_world::narrowphase::Error>(())
/// ```
pub struct BodyMut<'a> {
    pub(in crate::dynamics) dynamics: &'a mut Dynamics,
    pub(in crate::dynamics) world: &'a World,
    pub(in crate::dynamics) at: u32,
}

impl BodyMut<'_> {
    /// Returns the body, to be looked at.
    pub fn as_ref(&self) -> BodyRef<'_> {
        BodyRef { state: self.dynamics.state(self.at) }
    }
}

impl Deref for BodyMut<'_> {
    type Target = RigidBody;

    fn deref(&self) -> &RigidBody {
        &self.dynamics.state(self.at).body
    }
}

impl fmt::Debug for BodyMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.as_ref().fmt(f)
    }
}

impl Dynamics {
    /// Returns a body; `None` for an object that is not one. A body whose object was removed from the world remains one
    /// until the next step.
    pub fn body(&self, key: ObjectKey) -> Option<BodyRef<'_>> {
        Some(BodyRef { state: self.state(self.at(key)?) })
    }

    /// Returns a body, to be changed; `None` for an object that is not one, for one that was removed from the world or
    /// made something that can be none, and with another world than that of the bodies.
    pub fn body_mut<'a>(&'a mut self, world: &'a World, key: ObjectKey) -> Option<BodyMut<'a>> {
        let at = self.at(key).filter(|_| self.is_in(world))?;
        let state = self.state(at);
        (state.is_of(world) || state.edited(world).is_some()).then_some(BodyMut { dynamics: self, world, at })
    }

    /// Returns all bodies.
    pub fn bodies(&self) -> impl Iterator<Item = (ObjectKey, BodyRef<'_>)> {
        self.bodies.iter().flatten().map(|state| (state.key, BodyRef { state }))
    }
}
