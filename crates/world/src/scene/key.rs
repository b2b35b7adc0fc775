//! Keys of objects and planes: a slot, its generation, and the tag of a world.

use crate::{
    World,
    scene::slot_map::{self, Slot},
};
use slotmap::{Key, KeyData};
use std::fmt;

/// Identifies an object of a world. A key is stale once its object is removed, and is never given out again. A key of
/// another world is stale too, provided that the two worlds have different tags.
///
/// A key holds the tag of its world. [`World::new`](crate::World::new) draws 32 bits at random: two such worlds have
/// the same tag, and accept each other's keys, with a probability of 1 in 2^32. Clones, restored snapshots and worlds
/// [with the same tag](crate::World::with_tag) share one on purpose. What existed when a world was cloned has the same
/// keys in both; but from then on each world gives out new keys by itself, and the same key may belong to one object
/// here and to another there, or be stale there.
///
/// Keys are ordered by the age of their slot, not of the object: the order can be relied on to break ties, but has no
/// meaning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ObjectKey(Tagged);

/// Identifies an infinite plane of a world. A key is stale once its plane is removed; for keys of other worlds, see
/// [`ObjectKey`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PlaneKey(Tagged);

/// What a query found: an object or a plane. Objects order before planes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Target {
    /// An object.
    Object(ObjectKey),
    /// An infinite plane.
    Plane(PlaneKey),
}

impl Target {
    /// Returns the key of an object; `None` for a plane.
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

    /// Returns the key of a plane; `None` for an object.
    ///
    /// ```
    /// # use cullide_world::{Target, World, narrowphase::Plane, glam::Vec3};
    /// let floor = World::new().insert_plane(Plane::new(Vec3::Y, 0.0)?);
    /// assert_eq!((Target::from(floor).plane(), Target::from(floor).object()), (Some(floor), None));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn plane(self) -> Option<PlaneKey> {
        if let Self::Plane(key) = self { Some(key) } else { None }
    }

    /// Whether it is a plane with this slot, in its own world.
    pub(crate) fn is_plane_in(self, slot: Slot) -> bool {
        self.plane().is_some_and(|key| key.0.slot == slot)
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

impl fmt::Debug for ObjectKey {
    /// As [`Display`](fmt::Display), with the tag of the world: `object 5v1 of world 1f`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} of world {:x}", self.0.world)
    }
}

impl fmt::Debug for PlaneKey {
    /// As [`Display`](fmt::Display), with the tag of the world: `plane 5v1 of world 1f`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} of world {:x}", self.0.world)
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(key) => write!(f, "{key:?}"),
            Self::Plane(key) => write!(f, "{key:?}"),
        }
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

    /// The slot, if it belongs to `world`.
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

    /// Returns the key of an object by its [bits](ObjectKey::to_bits), which an engine may keep in a component; `None` if
    /// no object of this world has that key now.
    ///
    /// ```
    /// # use cullide_world::{Object, ObjectKey, World, narrowphase::Aabb, glam::Vec3};
    /// let mut world = World::new();
    /// let key = world.insert(Object::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// assert_eq!(ObjectKey::from_bits(key.to_bits(), &world), Some(key));
    /// world.remove(key);
    /// assert_eq!(ObjectKey::from_bits(key.to_bits(), &world), None);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn from_bits(bits: u64, world: &World) -> Option<Self> {
        let key = Self::new(KeyData::from_ffi(bits).into(), world.id);
        world.object(key).filter(|_| key.to_bits() == bits)?;
        Some(key)
    }

    pub(crate) fn slot(self, world: u32) -> Option<Slot> {
        self.0.slot(world)
    }

    /// Returns slot and generation as a number, without the tag of the world: distinct within a world.
    /// [`ObjectKey::from_bits`] converts it back.
    pub fn to_bits(self) -> u64 {
        self.0.word()
    }

    /// Sorts valid keys of one world.
    pub(crate) fn sort(keys: &mut [Self]) {
        keys.sort_unstable_by_key(Self::place);
    }

    /// A number that orders the valid keys of one world as they order themselves, and faster.
    pub(crate) fn place(&self) -> usize {
        slot_map::index(self.0.slot)
    }
}

impl PlaneKey {
    pub(crate) fn new(slot: Slot, world: u32) -> Self {
        Self(Tagged::new(slot, world))
    }

    /// Returns the key of a plane by its [bits](PlaneKey::to_bits); `None` if no plane of this world has that key now.
    ///
    /// ```
    /// # use cullide_world::{PlaneKey, World, narrowphase::Plane, glam::Vec3};
    /// let mut world = World::new();
    /// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
    /// assert_eq!(PlaneKey::from_bits(floor.to_bits(), &world), Some(floor));
    /// world.remove_plane(floor);
    /// assert_eq!(PlaneKey::from_bits(floor.to_bits(), &world), None);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn from_bits(bits: u64, world: &World) -> Option<Self> {
        let key = Self::new(KeyData::from_ffi(bits).into(), world.id);
        world.plane(key).filter(|_| key.to_bits() == bits)?;
        Some(key)
    }

    /// Returns slot and generation as a number, without the tag of the world: distinct among the planes of a world.
    /// [`PlaneKey::from_bits`] converts it back.
    pub fn to_bits(self) -> u64 {
        self.0.word()
    }

    pub(crate) fn slot(self, world: u32) -> Option<Slot> {
        self.0.slot(world)
    }
}
