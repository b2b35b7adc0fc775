//! What a world holds: an object or an infinite plane, with its layers.

use crate::{Mobility, Shape};
use cullide_narrowphase::{Plane, Sides};

/// A shape, with what the world knows about it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Object {
    /// Its geometry.
    pub shape: Shape,
    /// Whether it is expected to move.
    pub mobility: Mobility,
    /// One bit for each layer that it is in.
    pub layers: u32,
    /// One bit for each layer that it pairs with: see [`World::update_pairs`](crate::World::update_pairs). Queries
    /// ignore it.
    pub pairs_with: u32,
    /// Any number that the caller wants to find again, such as an entity's bits.
    pub user: u64,
}

impl Object {
    /// Creates an object that stays where it is, in all layers.
    ///
    /// ```
    /// # use cullide_world::{Object, narrowphase::Sphere, glam::Vec3};
    /// assert_eq!(Object::fixed(Sphere::new(Vec3::ZERO, 2.0)?).layers, u32::MAX);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn fixed(shape: impl Into<Shape>) -> Self {
        Self { shape: shape.into(), mobility: Mobility::Fixed, layers: u32::MAX, pairs_with: u32::MAX, user: 0 }
    }

    /// Creates an object that moves often, in all layers.
    ///
    /// ```
    /// # use cullide_world::{Mobility, Object, narrowphase::Sphere, glam::Vec3};
    /// assert_eq!(Object::moving(Sphere::new(Vec3::ZERO, 2.0)?).mobility, Mobility::Moving);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn moving(shape: impl Into<Shape>) -> Self {
        Self { mobility: Mobility::Moving, ..Self::fixed(shape) }
    }

    /// Puts the object into other layers.
    #[must_use]
    pub fn layers(mut self, layers: u32) -> Self {
        self.layers = layers;
        self
    }

    /// Lets the object pair only with objects in these layers. Each of two objects must pair with a layer of the other.
    #[must_use]
    pub fn pairs_with(mut self, layers: u32) -> Self {
        self.pairs_with = layers;
        self
    }

    /// Sets the caller's number.
    #[must_use]
    pub fn user(mut self, user: u64) -> Self {
        self.user = user;
        self
    }
}

/// An infinite plane of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WorldPlane {
    /// Its geometry.
    pub plane: Plane,
    /// Whether it bounds a half-space or is a thin wall.
    pub sides: Sides,
    /// One bit for each layer that it is in.
    pub layers: u32,
    /// Any number that the caller wants to find again, such as an entity's bits.
    pub user: u64,
}

impl WorldPlane {
    /// Creates the solid half-space behind `plane`, in all layers; its front is free.
    ///
    /// ```
    /// # use cullide_world::{WorldPlane, narrowphase::{Plane, Sides}, glam::Vec3};
    /// let floor = WorldPlane::half_space(Plane::new(Vec3::Y, 0.0)?).layers(0b1);
    /// assert_eq!((floor.sides, floor.layers, floor.user), (Sides::Front, 0b1, 0));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn half_space(plane: Plane) -> Self {
        Self { plane, sides: Sides::Front, layers: u32::MAX, user: 0 }
    }

    /// Creates an infinite, thin wall that blocks from both sides, in all layers.
    pub fn wall(plane: Plane) -> Self {
        Self { sides: Sides::Both, ..Self::half_space(plane) }
    }

    /// Puts the plane into other layers.
    #[must_use]
    pub fn layers(mut self, layers: u32) -> Self {
        self.layers = layers;
        self
    }

    /// Sets the caller's number.
    #[must_use]
    pub fn user(mut self, user: u64) -> Self {
        self.user = user;
        self
    }
}

impl From<Plane> for WorldPlane {
    /// The solid half-space behind the plane, in all layers.
    fn from(plane: Plane) -> Self {
        Self::half_space(plane)
    }
}
