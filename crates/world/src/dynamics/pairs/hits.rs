//! How hard bodies hit each other.

use crate::{ContactPair, dynamics::Dynamics};
use cullide_narrowphase::glam::Vec3;

impl ContactPair {
    /// Returns the sum of the impulses, of mass times velocity, with which the last step of rigid bodies pushed the two
    /// apart at all their points: how hard they met. Divided by the duration of the step it is a force. 0 without such a
    /// step.
    pub fn impulse(&self) -> f32 {
        self.parts().iter().flat_map(|part| part.impulses()).sum()
    }

    /// Returns the sum of the impulses of friction, of mass times velocity, that the last step of rigid bodies gave the
    /// second of the two across their normals; the first received the opposite. For the sound of what slides, and for
    /// tracks. Zero without such a step.
    ///
    /// ```
    /// # use cullide_world::{Dynamics, DynamicsConfig, Object, RigidBody, World, glam::Vec3, narrowphase::{Aabb, Plane}};
    /// let (mut world, mut dynamics) = (World::new(), Dynamics::new());
    /// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
    /// let crate_ = world.insert(Object::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// dynamics.insert(&mut world, crate_, RigidBody { velocity: Vec3::X * 5.0, ..RigidBody::dynamic() })?;
    /// for _ in 0..10 {
    ///     dynamics.step(&mut world, 1.0 / 60.0, &DynamicsConfig::default())?;
    /// }
    /// // A mass of 1 that slides with a friction of √(0.6 · 0.6).
    /// let rubbing = dynamics.contact(crate_, floor).unwrap().friction();
    /// assert!((rubbing - Vec3::X * (0.6 * 9.81 / 60.0)).length() < 0.01, "{rubbing}");
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn friction(&self) -> Vec3 {
        self.parts().iter().map(|part| Vec3::from(part.impulses.rubbed)).sum()
    }
}

impl Dynamics {
    /// Returns the contacts of the last step whose [impulse](ContactPair::impulse) was not less than `least`, each with
    /// that impulse: for sounds, damage and things that break. Bodies at rest press with their weight times the duration
    /// of the step; those that sleep are left out. In no order that means anything.
    ///
    /// ```
    /// # use cullide_world::{Dynamics, DynamicsConfig, Object, RigidBody, World, glam::Vec3, narrowphase::{Aabb, Plane}};
    /// let (mut world, mut dynamics) = (World::new(), Dynamics::new());
    /// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
    /// // A crate of mass 1 that falls from a height of 1.
    /// let crate_ = world.insert(Object::moving(Aabb::new(Vec3::Y, Vec3::new(1.0, 2.0, 1.0))?));
    /// dynamics.insert(&mut world, crate_, RigidBody::dynamic())?;
    /// let mut hits = vec![];
    /// for _ in 0..60 {
    ///     dynamics.step(&mut world, 1.0 / 60.0, &DynamicsConfig::default())?;
    ///     hits.extend(dynamics.hits(1.0).map(|(pair, impulse)| (pair.first, pair.second, impulse)));
    /// }
    /// // Once, at the speed of √(2 · 9.81) = 4.43, of which a little is left for the next step.
    /// assert!(hits.len() == 1 && hits[0].0 == crate_ && hits[0].1 == floor.into());
    /// assert!(hits[0].2 > 3.5 && hits[0].2 < 4.5, "{hits:?}");
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn hits(&self, least: f32) -> impl Iterator<Item = (&ContactPair, f32)> {
        let pairs = self.lists.pairs.active.iter().filter_map(|active| self.contacts.get(active.number));
        pairs.map(|pair| (pair, pair.impulse())).filter(move |(_, impulse)| *impulse > 0.0 && *impulse >= least)
    }
}
