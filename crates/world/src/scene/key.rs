//! Keys of objects and planes: a slot, its generation, and the tag of a world.

use crate::scene::slot_map::{self, Slot};
use slotmap::{Key, KeyData};
use std::fmt;

/// Which object of which world. Stale once the object is removed, and never given out again; a key of another world is
/// stale too, as long as the two have different tags.
///
/// A key holds the tag of its world. [`World::new`](crate::World::new) draws 32 bits at random: that two such worlds
/// have the same, and take each other's keys, has a chance of 1 in 2^32. Clones, restored snapshots and worlds [with
/// the same tag](crate::World::with_tag) share one on purpose. What was there when a world was cloned has the same keys
/// in both; but then each gives out the next keys by itself, and the same key may be of one object here and of another
/// there, or stale.
///
/// Keys order by age of their slot, not by age of the object: an order to rely on for ties, not for meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ObjectKey(Tagged);

/// Which infinite plane of which world. Stale once the plane is removed; for those of other worlds holds what is said
/// of [`ObjectKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PlaneKey(Tagged);

/// What a query met. Objects order before planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Target {
    /// An object.
    Object(ObjectKey),
    /// An infinite plane.
    Plane(PlaneKey),
}

impl Target {
    /// The object, unless it is a plane.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Ray, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert(Object::fixed(Sphere::new(Vec3::X * 9.0, 2.0)?).user(7));
    /// let hit = world.cast_ray(&Ray::new(Vec3::ZERO, Vec3::X)?, 100.0, &Filter::ALL).unwrap();
    /// assert_eq!(hit.target.object().and_then(|key| world.object(key)).map(|object| object.user), Some(7));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn object(self) -> Option<ObjectKey> {
        if let Self::Object(key) = self { Some(key) } else { None }
    }

    /// The plane, unless it is an object.
    ///
    /// ```
    /// # use cullide_world::{Target, World, narrowphase::Plane, glam::Vec3};
    /// let floor = World::new().insert_plane(Plane::new(Vec3::Y, 0.0)?, 0b1);
    /// assert_eq!((Target::from(floor).plane(), Target::from(floor).object()), (Some(floor), None));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn plane(self) -> Option<PlaneKey> {
        if let Self::Plane(key) = self { Some(key) } else { None }
    }
}

impl From<ObjectKey> for Target {
    fn from(key: ObjectKey) -> Self {
        Self::Object(key)
    }
}

impl From<PlaneKey> for Target {
    fn from(key: PlaneKey) -> Self {
        Self::Plane(key)
    }
}

impl fmt::Display for ObjectKey {
    /// Slot and generation: `object 5v1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "object {}v{}", self.0.word() as u32, self.0.word() >> 32)
    }
}

impl fmt::Display for PlaneKey {
    /// Slot and generation: `plane 5v1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "plane {}v{}", self.0.word() as u32, self.0.word() >> 32)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(key) => key.fmt(f),
            Self::Plane(key) => key.fmt(f),
        }
    }
}

/// A slot and the world that it belongs to. The slot comes first: within a world it alone decides the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Tagged {
    slot: Slot,
    world: u32,
}

impl Tagged {
    fn new(slot: Slot, world: u32) -> Self {
        Self { slot, world }
    }

    /// The slot, if it is one of `world`'s.
    fn slot(self, world: u32) -> Option<Slot> {
        (self.world == world).then_some(self.slot)
    }

    fn word(self) -> u64 {
        self.slot.data().as_ffi()
    }
}

impl ObjectKey {
    pub(crate) fn new(slot: Slot, world: u32) -> Self {
        Self(Tagged::new(slot, world))
    }

    pub(crate) fn from_bits(bits: u64, world: u32) -> Self {
        Self::new(KeyData::from_ffi(bits).into(), world)
    }

    pub(crate) fn slot(self, world: u32) -> Option<Slot> {
        self.0.slot(world)
    }

    /// Slot and generation as a number, without the tag of the world: distinct within a world. See
    /// [`World::key_from_bits`](crate::World::key_from_bits) for the way back.
    pub fn to_bits(self) -> u64 {
        self.0.word()
    }

    /// Orders the keys of one world that are not stale as they order themselves, and quicker.
    pub(crate) fn place(&self) -> usize {
        slot_map::index(self.0.slot)
    }
}

impl PlaneKey {
    pub(crate) fn new(slot: Slot, world: u32) -> Self {
        Self(Tagged::new(slot, world))
    }

    /// Slot and generation as a number, without the tag of the world: distinct among the planes of a world.
    pub fn to_bits(self) -> u64 {
        self.0.word()
    }

    pub(crate) fn slot(self, world: u32) -> Option<Slot> {
        self.0.slot(world)
    }
}
