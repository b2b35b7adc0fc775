//! An object of a world, to be looked at or to be changed.
//!
//! What changes its place is in `motion.rs`, its shape in `edit_model.rs` and `edit_terrain.rs`, whether it is on in
//! `edit_enabled.rs`, the rest in `edit.rs`.

use crate::{
    Object, ObjectKey, Shape, World,
    scene::{slot_map::Slot, world::Entry},
};
use cullide_narrowphase::glam::{Quat, Vec3};
use std::{fmt, ops::Deref};

/// An object of a world, as [`World::object`] and [`World::objects`] return it: all that an [`Object`] has, and what has
/// become of it in the world. `clone` gives an [`Object`] of the caller's own.
pub struct ObjectRef<'a> {
    pub(super) world: &'a World,
    pub(super) entry: &'a Entry,
}

impl<'a> ObjectRef<'a> {
    /// Returns the object for as long as the world is borrowed.
    ///
    /// ```
    /// # use cullide_world::{Object, ObjectKey, Shape, World, narrowphase::Sphere, glam::Vec3};
    /// fn shape(world: &World, key: ObjectKey) -> Option<&Shape> {
    ///     Some(&world.object(key)?.get().shape)
    /// }
    /// let mut world = World::new();
    /// let ball = Sphere::new(Vec3::ZERO, 1.0)?;
    /// let key = world.insert(Object::fixed(ball));
    /// assert_eq!(shape(&world, key), Some(&ball.into()));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn get(&self) -> &'a Object {
        &self.entry.object
    }

    /// Returns its pose, as [`ObjectMut::set_transform`] takes it. A renderer asks for it after a step.
    ///
    /// For a box, it is read off the edges, up to rounding. The rotation of a ball cannot be seen: it is the one that
    /// the ball was last given, and so is that of a capsule; a rigid body rolls on from there. For a brush or a patch,
    /// rotation and translation are those last given, and the identity before the first; but for a brush, a hull or a
    /// composite shape that is a rigid body, the pose is where steps have moved the shape as it was given.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Obb, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// let turn = Quat::from_rotation_z(0.5);
    /// let crate_ = world.insert(Object::moving(Obb::new(Vec3::X, turn, Vec3::new(1.0, 2.0, 3.0))?));
    /// let (rotation, translation) = world.object(crate_).unwrap().transform();
    /// assert!(rotation.dot(turn).abs() > 0.999_999 && translation == Vec3::X);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn transform(&self) -> (Quat, Vec3) {
        self.entry.pose()
    }

    /// Returns the shape that its [pose](ObjectRef::transform) takes to where it is: the shape as it was given before it
    /// was moved, or for a box, a ball, a capsule or a cylinder one about its own centre. `None` for a box nearly as long as the
    /// range of coordinates.
    ///
    /// [`World::insert_at`] makes a copy of it, together with its pose.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Hull, glam::{Quat, Vec3}};
    /// let (mut world, mut other) = (World::new(), World::new());
    /// let roof = Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z])?;
    /// let key = world.insert_at(Object::fixed(roof), Quat::from_rotation_y(0.5), Vec3::X * 9.0)?;
    ///
    /// let original = world.object(key).unwrap();
    /// let (rotation, translation) = original.transform();
    /// let copy = Object { shape: original.model().unwrap(), ..original.clone() };
    /// let copy = other.insert_at(copy, rotation, translation)?;
    /// assert_eq!(other.object(copy).unwrap().transform(), original.transform());
    /// assert_eq!(other.object(copy).unwrap().shape, original.shape);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn model(&self) -> Option<Shape> {
        self.entry.model().ok()
    }

    /// Returns its velocity, in units per second: that which it was [given](ObjectMut::set_velocity), or which a step has
    /// left it.
    pub fn velocity(&self) -> Vec3 {
        self.world.velocity_of(self.entry)
    }

    /// Whether it is on, as it is unless it was [switched off](ObjectMut::set_enabled).
    pub fn is_enabled(&self) -> bool {
        self.entry.off.is_none()
    }
}

impl Deref for ObjectRef<'_> {
    type Target = Object;

    fn deref(&self) -> &Object {
        &self.entry.object
    }
}

impl PartialEq for ObjectRef<'_> {
    /// Whether the two are alike as [`Object`]s.
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl fmt::Debug for ObjectRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// An object of a world, to be changed: see [`World::object_mut`].
///
/// What is already as a setter would make it stays as it is: it is no edit, and nobody wakes. So an engine may write all
/// that it knows in every frame. Setters return what there was before.
///
/// ```
/// # use cullide_world::{Filter, Object, World, narrowphase::{Aabb, Sphere}, glam::{Quat, Vec3}};
/// let mut world = World::new();
/// let key = world.insert(Object::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?).layers(0b01));
/// let mut door = world.object_mut(key).unwrap();
/// assert_eq!(door.set_layers(0b10), 0b01);
/// door.set_transform(Quat::IDENTITY, Vec3::X * 7.0)?;
/// assert!(world.any_overlap(&Sphere::new(Vec3::X * 7.0, 0.1)?, &Filter::layers(0b10)));
///
/// world.remove(key);
/// // A stale key is met once, before any edit.
/// assert!(world.object_mut(key).is_none());
/// # Ok::<(), cullide_world::narrowphase::Error>(())
/// ```
pub struct ObjectMut<'a> {
    pub(super) world: &'a mut World,
    pub(super) slot: Slot,
}

impl ObjectMut<'_> {
    pub(super) fn key(&self) -> ObjectKey {
        ObjectKey::new(self.slot, self.world.id)
    }

    pub(super) fn entry(&self) -> &Entry {
        &self.world.objects[self.slot]
    }

    /// Returns the object, to be looked at.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Sphere, glam::Vec3};
    /// let mut world = World::new();
    /// let key = world.insert(Object::moving(Sphere::new(Vec3::X, 1.0)?));
    /// let ball = world.object_mut(key).unwrap();
    /// assert_eq!((ball.as_ref().transform().1, ball.mobility), (Vec3::X, cullide_world::Mobility::Moving));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn as_ref(&self) -> ObjectRef<'_> {
        ObjectRef { world: self.world, entry: self.entry() }
    }

    /// Returns its pose: see [`ObjectRef::transform`].
    pub fn transform(&self) -> (Quat, Vec3) {
        self.entry().pose()
    }
}

impl Deref for ObjectMut<'_> {
    type Target = Object;

    fn deref(&self) -> &Object {
        &self.entry().object
    }
}

impl fmt::Debug for ObjectMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.as_ref().fmt(f)
    }
}

impl World {
    /// Returns an object; `None` for a stale key.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Sphere, glam::Vec3};
    /// let mut world = World::new();
    /// let key = world.insert(Object::moving(Sphere::new(Vec3::X, 1.0)?).user(7));
    /// let ball = world.object(key).unwrap();
    /// assert_eq!((ball.user, ball.transform().1, ball.velocity()), (7, Vec3::X, Vec3::ZERO));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn object(&self, key: ObjectKey) -> Option<ObjectRef<'_>> {
        Some(ObjectRef { world: self, entry: self.objects.get(key.slot(self.id)?)? })
    }

    /// Returns an object, to be changed; `None` for a stale key.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Aabb, glam::Vec3};
    /// let mut world = World::new();
    /// let key = world.insert(Object::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?).layers(0b01));
    /// assert_eq!(world.object_mut(key).map(|mut object| object.set_layers(0b10)), Some(0b01));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn object_mut(&mut self, key: ObjectKey) -> Option<ObjectMut<'_>> {
        let slot = key.slot(self.id)?;
        self.objects.get(slot)?;
        Some(ObjectMut { world: self, slot })
    }
}
