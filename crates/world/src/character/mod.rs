//! What a walking character is, and what it stands on.

mod height;
pub(crate) mod mover;
pub(crate) mod platform;
mod recover;
pub(crate) mod surroundings;
mod walker;

use crate::{
    BodyOverlap, ObjectKey, SlideContacts, Target, World,
    character::{platform::Frame, surroundings::Surroundings},
};
use cullide_narrowphase::{Capsule, Obb, glam::Vec3};
use smallvec::SmallVec;
use std::ops::Deref;

/// A character between two walks: the caller keeps it, sets its velocity, and hands it to
/// [`Mover::walk`](crate::Mover::walk).
///
/// Its body is a box, or a capsule, which [`Mover::walk_capsule`](crate::Mover::walk_capsule) moves.
///
/// It is no object of the world, and nothing there meets it. For rays, triggers and others to do so, insert an object of
/// its shape in a layer of its own, give it the body of the character by [`World::set_shape`] after each walk, and leave
/// that layer out of the walk's filter. To put it elsewhere, set `body`, and `ground` to `None`.
///
/// Everything that a walk depends on is in here and in the world, so saving both saves the walk.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Character<B = Obb> {
    /// Its box or its capsule.
    pub body: B,
    /// In units a second. On the ground relative to what it stands on; in the air as seen from the world.
    pub velocity: Vec3,
    /// What it stands on; `None` in the air.
    pub ground: Option<Ground>,
}

/// What a character stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Ground {
    /// The floor.
    pub target: Target,
    /// Which part of it: the triangle of a mesh or a terrain, the child of a compound, or a triangle of one.
    pub part: u32,
    /// The caller's number for that part, as what its steps sound like: [`World::surface`].
    pub surface: u16,
    /// Its unit normal.
    pub normal: Vec3,
    /// How fast it moves where the character stands, in units a second: by how far it was moved since the walk before,
    /// and for one just landed on by what [`World::velocity`] tells. Among rigid bodies, how they turn and how their
    /// surfaces run counts as well.
    pub velocity: Vec3,
    /// Where the floor was when the character stood on it.
    pub(crate) frame: Frame,
}

/// What happened in a walk.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Walk {
    /// The height of the step that it climbed, zero without one: by so much a camera may want to lag.
    pub stepped: f32,
    /// What it met while sliding, in order.
    pub contacts: SlideContacts,
    /// What it still penetrates, because there is no way out nearby: it is crushed between things that moved, and has
    /// not moved.
    pub overlap: Option<BodyOverlap>,
    /// The rigid bodies that it pushed, of a walk among them.
    pub pushes: Pushes,
}

/// A rigid body that a walk pushed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Push {
    /// The body.
    pub body: ObjectKey,
    /// Where it was pushed, at the height of its centre.
    pub point: Vec3,
    /// The force, across up; in newtons for metres and kilograms.
    pub force: Vec3,
}

/// What a walk pushed: a list that reads as a slice, and takes no allocation for up to two bodies.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pushes(SmallVec<[Push; 2]>);

impl Pushes {
    #[cfg(feature = "dynamics")]
    pub(crate) fn push(&mut self, push: Push) {
        self.0.push(push);
    }
}

impl<'a> IntoIterator for &'a Pushes {
    type Item = &'a Push;
    type IntoIter = std::slice::Iter<'a, Push>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl Deref for Pushes {
    type Target = [Push];

    fn deref(&self) -> &[Push] {
        &self.0
    }
}

impl<B> Character<B> {
    /// A character at rest, in the air: its first walk finds out whether it stands.
    ///
    /// ```
    /// # use cullide_world::{Character, narrowphase::Obb, glam::{Quat, Vec3}};
    /// let hero = Character::new(Obb::new(Vec3::Y, Quat::IDENTITY, Vec3::new(0.3, 0.9, 0.3))?);
    /// assert!(!hero.is_on_ground() && hero.velocity == Vec3::ZERO);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn new(body: B) -> Self {
        Self { body, velocity: Vec3::ZERO, ground: None }
    }

    /// Whether it stands on something.
    pub fn is_on_ground(&self) -> bool {
        self.ground.is_some()
    }
}

impl Character<Obb> {
    /// The centre of its box.
    pub fn position(&self) -> Vec3 {
        self.body.center()
    }
}

impl Character<Capsule> {
    /// The centre of its capsule.
    pub fn position(&self) -> Vec3 {
        self.body.center()
    }
}

impl Ground {
    /// A part of a floor, as it is now, for one who stands on it at a point.
    pub(crate) fn of(
        world: &World,
        surroundings: &dyn Surroundings,
        (target, part): (Target, u32),
        normal: Vec3,
        point: Vec3,
    ) -> Self {
        let declared = |key: ObjectKey| surroundings.velocity_at(key, point).or_else(|| world.velocity(key));
        let moved = match target {
            Target::Object(key) => declared(key).unwrap_or(Vec3::ZERO),
            Target::Plane(_) => Vec3::ZERO,
        };
        let frame = Frame::of(world, target).unwrap_or_default();
        let surface = world.surface(target, part).unwrap_or(0);
        let ground = Self { target, part, surface, normal, velocity: moved, frame };
        Self { velocity: moved + ground.surface_velocity(surroundings), ..ground }
    }

    /// How fast its surface runs, along itself.
    fn surface_velocity(&self, surroundings: &dyn Surroundings) -> Vec3 {
        let velocity = surroundings.surface_velocity(self.target, self.surface);
        velocity - self.normal * velocity.dot(self.normal)
    }
}
