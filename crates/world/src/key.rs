//! The names of things in a world.

use crate::slots::{self, Slot};

/// Which object of which world. Stale once the object is removed; a key of another world is stale too.
///
/// Keys order by age of their slot, not by age of the object: an order to rely on for ties, not for meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ObjectKey(Tagged);

/// Which infinite plane of which world. Stale once the plane is removed; a key of another world is stale too.
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
}

impl ObjectKey {
    pub(crate) fn new(slot: Slot, world: u32) -> Self {
        Self(Tagged::new(slot, world))
    }

    pub(crate) fn slot(self, world: u32) -> Option<Slot> {
        self.0.slot(world)
    }

    /// Orders the keys of one world that are not stale as they order themselves, and quicker.
    pub(crate) fn place(&self) -> usize {
        slots::index(self.0.slot)
    }
}

impl PlaneKey {
    pub(crate) fn new(slot: Slot, world: u32) -> Self {
        Self(Tagged::new(slot, world))
    }

    pub(crate) fn slot(self, world: u32) -> Option<Slot> {
        self.0.slot(world)
    }
}
