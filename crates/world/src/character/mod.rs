//! What a walking character is, and what it stands on.

pub(crate) mod body;
mod hash;
mod height;
pub(crate) mod mover;
pub(crate) mod platform;
mod recover;
pub(crate) mod surroundings;
mod walker;

use crate::{
    BodyOverlap, Filter, Mover, ObjectKey, Shape, SlideContacts, Target, World,
    character::{body::CharacterBody, platform::Frame, surroundings::Surroundings},
};
use cullide_narrowphase::{
    Obb,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;
use std::ops::Deref;

/// The state of a character between two walks: the caller keeps it, sets its velocity, and passes it to
/// [`Mover::walk`](crate::Mover::walk).
///
/// Its body is a box, a ball, a capsule, or a [`MovingShape`](crate::MovingShape) of any kind.
///
/// By itself nothing in the world meets it. For rays, triggers and others to do so, insert an object, name that as its
/// `object`, and [place](Character::place) it after each walk. To move the character elsewhere, set `body`, and set `ground`
/// to `None`.
///
/// It also remembers what rounding its place to `f32` has taken from its motion so far, no more than a step of `f32`, and
/// makes up for it in the next walk, so that it goes at its velocity however far from the origin it is. Whoever sets
/// `body` elsewhere makes it forget that.
///
/// A walk depends only on this and on the world, so saving both saves the walk.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Character<B = Obb> {
    /// Its box, ball, capsule or other shape.
    pub body: B,
    /// In units per second; relative to what it stands on while on the ground, relative to the world in the air.
    pub velocity: Vec3,
    /// What it stands on; `None` in the air.
    pub ground: Option<Ground>,
    /// The object that is this character in the world, if there is one: it is not in the way of its own walks, turns and
    /// changes of height, whatever their filter. `None` at first.
    #[cfg_attr(feature = "serde", serde(default))]
    pub object: Option<ObjectKey>,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) lost: LostAt,
}

/// What rounding has taken from the motions that led a body to a place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct LostAt {
    at: Vec3,
    motion: Vec3,
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
    /// The caller's number for that part, for example for the sound of footsteps: see [`World::surface`].
    pub surface: u16,
    /// Its unit normal.
    pub normal: Vec3,
    /// How fast it moves where the character stands, in units per second: measured by how far it was moved since the
    /// walk before, or, if the character has just landed on it, as given by [`ObjectRef::velocity`](crate::ObjectRef::velocity). For rigid bodies,
    /// their rotation and the velocity of their surfaces count as well.
    pub velocity: Vec3,
    /// Where the floor was when the character stood on it.
    pub(crate) frame: Frame,
}

/// What happened in a walk.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Walk {
    /// How far a step raised it in this walk, zero if none did: a camera may want to lag by this much. A capsule touches
    /// the edge of a step with its round side, and rises by the rest of the step in the next walks, as it rolls over it.
    pub stepped: f32,
    /// What it met while sliding, in order.
    pub contacts: SlideContacts,
    /// What it still penetrates, because there is no way out nearby: it is crushed between things that moved, and has
    /// moved only with its ground.
    pub overlap: Option<BodyOverlap>,
    /// The rigid bodies that it pushed, if it walked among them.
    pub pushes: Pushes,
    /// The step that it could not climb, if a wall was in its way on the ground.
    pub blocked: Option<BlockedStep>,
}

/// A step that a walk could not climb.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct BlockedStep {
    /// What was in the way.
    pub target: Target,
    /// Which part of it: the triangle of a mesh or a terrain, the child of a compound, or a triangle of one.
    pub part: u32,
    /// The unit normal of the wall.
    pub normal: Vec3,
    /// How high above its foot it could stand behind the wall, on a floor that carries: above
    /// [`Mover::step_height`](crate::Mover::step_height) the step is too high, and below it there is no room on the way up
    /// there. `None` if the wall is higher than the character, there is no room for it, or no floor.
    pub height: Option<f32>,
}

/// A rigid body that a walk pushed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Push {
    /// The body.
    pub body: ObjectKey,
    /// Where it was pushed, at the height of its centre.
    pub point: Vec3,
    /// The force, perpendicular to up, in newtons for metres and kilograms.
    pub force: Vec3,
}

/// The bodies that a walk pushed: a list that derefs to a slice, and does not allocate for up to two bodies.
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
    /// Returns a character at rest, in the air: its first walk finds out whether it stands.
    ///
    /// ```
    /// # use cullide_world::{Character, narrowphase::Obb, glam::{Quat, Vec3}};
    /// let hero = Character::new(Obb::new(Vec3::Y, Quat::IDENTITY, Vec3::new(0.3, 0.9, 0.3))?);
    /// assert!(!hero.is_on_ground() && hero.velocity == Vec3::ZERO);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn new(body: B) -> Self {
        Self { body, velocity: Vec3::ZERO, ground: None, object: None, lost: LostAt::default() }
    }

    /// Gives its object the shape of its body, so that others meet it where it is now; returns `false` if it has no
    /// object, or one that was removed, or a shape that is too thin for its position.
    ///
    /// ```
    /// # use cullide_world::{Character, Filter, Mover, Object, World, narrowphase::{Capsule, Plane, Ray}, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
    /// let body = Capsule::new(Vec3::Y * 0.3, Vec3::Y * 1.5, 0.3)?;
    /// let mut hero = Character::new(body);
    /// hero.object = Some(world.insert(Object::moving(body)));
    /// for _ in 0..60 {
    ///     hero.velocity = Vec3::X * 3.0;
    ///     Mover::default().walk(&world, &mut hero, 1.0 / 60.0, &Filter::ALL)?;
    ///     assert!(hero.place(&mut world));
    /// }
    /// let ray = Ray::new(Vec3::new(9.0, 1.0, 0.0), Vec3::NEG_X)?;
    /// let hit = world.cast_ray(&ray, 9.0, &Filter::ALL).unwrap();
    /// assert!(Some(hit.target) == hero.object.map(Into::into) && (hit.point.x - 3.3).abs() < 1e-3);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn place(&self, world: &mut World) -> bool
    where
        B: Clone + TryInto<Shape>,
    {
        let shape = self.body.clone().try_into().ok();
        let object = self.object.and_then(|key| world.object_mut(key));
        object.zip(shape).map(|(mut object, shape)| object.set_shape(shape)).is_some()
    }

    /// The same with another body.
    pub(crate) fn with_body<C>(&self, body: C) -> Character<C> {
        Character { body, velocity: self.velocity, ground: self.ground, object: self.object, lost: self.lost }
    }

    /// The filter of its walks, if that is another one than the caller's: without its own object.
    pub(crate) fn without_own<'a>(&self, filter: &Filter<'a>) -> Option<Filter<'a>> {
        self.object.map(|own| filter.clone().without(&[own]))
    }

    /// Whether it stands on something.
    pub fn is_on_ground(&self) -> bool {
        self.ground.is_some()
    }
}

impl<B: CharacterBody> Character<B> {
    /// The centre of its box, ball or capsule, or the [position](crate::MovingShape::position) of its shape.
    pub fn position(&self) -> Vec3 {
        self.body.place()
    }

    /// Returns where it stands: below its middle, at the height of its lowest point. For a camera at a height above the
    /// ground, footsteps, dust, or a model whose origin is between its feet.
    ///
    /// ```
    /// # use cullide_world::{Character, Mover, narrowphase::Capsule, glam::Vec3};
    /// let hero = Character::new(Capsule::new(Vec3::new(2.0, 0.5, 0.0), Vec3::new(2.0, 1.5, 0.0), 0.5)?);
    /// assert_eq!(hero.foot(&Mover::default()), Vec3::X * 2.0);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn foot(&self, mover: &Mover) -> Vec3 {
        self.body.lowest(mover.unit_up())
    }
}

impl LostAt {
    pub(crate) fn new(at: Vec3, motion: DVec3) -> Self {
        Self { at, motion: motion.as_vec3() }
    }

    /// What was lost on the way to a place: nothing if that is another one than it was.
    pub(crate) fn on_the_way_to(&self, place: Vec3) -> DVec3 {
        let is_rounding = self.motion.abs().cmple(place.abs() * f32::EPSILON).all();
        if self.at == place && is_rounding { self.motion.as_dvec3() } else { DVec3::ZERO }
    }
}

impl Ground {
    /// A part of a floor as it is now, for a character that stands on it at `point`.
    pub(crate) fn of(
        world: &World,
        surroundings: &dyn Surroundings,
        (target, part): (Target, u32),
        normal: Vec3,
        point: Vec3,
    ) -> Self {
        let declared =
            |key: ObjectKey| surroundings.velocity_at(key, point).or_else(|| Some(world.object(key)?.velocity()));
        let moved = match target {
            Target::Object(key) => declared(key).unwrap_or(Vec3::ZERO),
            Target::Plane(_) => Vec3::ZERO,
        };
        let frame = Frame::of(world, target).unwrap_or_default();
        let surface = world.surface(target, part).unwrap_or(0);
        let ground = Self { target, part, surface, normal, velocity: moved, frame };
        Self { velocity: moved + ground.surface_velocity(surroundings), ..ground }
    }

    /// How fast its surface runs, within its own plane.
    fn surface_velocity(&self, surroundings: &dyn Surroundings) -> Vec3 {
        let velocity = surroundings.surface_velocity(self.target, self.surface);
        velocity - self.normal * velocity.dot(self.normal)
    }
}
