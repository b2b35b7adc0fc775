//! What collides with what.

use crate::sync::changed;
use bevy_ecs::prelude::*;
use std::{
    hash::{Hash, Hasher},
    ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not},
};

/// A type with a bit for each of its values, to be used as layers: see [`physics_layer!`](crate::physics_layer).
///
/// What has no [`CollisionLayers`] is in the layer of the first bit.
pub trait PhysicsLayer {
    /// The bits of this layer.
    fn to_bits(&self) -> u32;
}

/// Makes an enum without fields, which has to be `Copy`, a [`PhysicsLayer`]: the first value has the first bit, and so on.
///
/// ```
/// use bevy_cullide::prelude::*;
/// #[derive(Clone, Copy)]
/// enum Layer { Ground, Player }
/// physics_layer!(Layer);
///
/// let layers = CollisionLayers::new(Layer::Player, [Layer::Ground, Layer::Player]);
/// assert_eq!((layers.memberships.0, layers.filters.0), (0b10, 0b11));
/// ```
#[macro_export]
macro_rules! physics_layer {
    ($layers:ty) => {
        impl $crate::PhysicsLayer for $layers {
            fn to_bits(&self) -> u32 {
                1 << *self as u32
            }
        }
    };
}

/// A set of layers, one bit for each.
///
/// ```
/// use bevy_cullide::prelude::*;
/// let mut layers = LayerMask(0b0011) | 0b1000;
/// layers &= !0b0001;
/// assert_eq!(layers, 0b1010);
/// assert!(layers.has_all(0b0010) && (layers & 0b0001) == LayerMask::NONE);
/// ```
#[derive(Clone, Copy, Debug, Eq)]
pub struct LayerMask(pub u32);

impl LayerMask {
    /// All layers.
    pub const ALL: Self = Self(u32::MAX);
    /// No layer.
    pub const NONE: Self = Self(0);
    /// The first layer.
    pub const DEFAULT: Self = Self(1);

    /// Adds layers.
    pub fn add(&mut self, layers: impl Into<Self>) {
        self.0 |= layers.into().0;
    }

    /// Removes layers.
    pub fn remove(&mut self, layers: impl Into<Self>) {
        self.0 &= !layers.into().0;
    }

    /// Whether all of these layers are in the mask.
    pub fn has_all(self, layers: impl Into<Self>) -> bool {
        !self.0 & layers.into().0 == 0
    }
}

impl From<u32> for LayerMask {
    fn from(bits: u32) -> Self {
        Self(bits)
    }
}

impl<L: PhysicsLayer> From<L> for LayerMask {
    fn from(layer: L) -> Self {
        Self(layer.to_bits())
    }
}

impl<L: Into<Self>, const N: usize> From<[L; N]> for LayerMask {
    fn from(layers: [L; N]) -> Self {
        Self(layers.into_iter().fold(0, |bits, layer| bits | layer.into().0))
    }
}

impl<L: Into<Self> + Copy> PartialEq<L> for LayerMask {
    fn eq(&self, layers: &L) -> bool {
        self.0 == (*layers).into().0
    }
}

impl Hash for LayerMask {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<L: Into<Self>> BitOr<L> for LayerMask {
    type Output = Self;
    fn bitor(self, layers: L) -> Self {
        Self(self.0 | layers.into().0)
    }
}

impl<L: Into<Self>> BitAnd<L> for LayerMask {
    type Output = Self;
    fn bitand(self, layers: L) -> Self {
        Self(self.0 & layers.into().0)
    }
}

impl<L: Into<Self>> BitOrAssign<L> for LayerMask {
    fn bitor_assign(&mut self, layers: L) {
        self.add(layers);
    }
}

impl<L: Into<Self>> BitAndAssign<L> for LayerMask {
    fn bitand_assign(&mut self, layers: L) {
        *self = *self & layers;
    }
}

impl Not for LayerMask {
    type Output = Self;
    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// The layers that a collider is in, and those that it collides with: of two, each has to be in a layer that the other
/// one filters for. Preset: in the first layer, collides with all.
///
/// All colliders of a dynamic or kinematic body share the layers of the body; if it has none, those of its first
/// collider. Colliders below a static body have their own; if that has layers and no collider, they have those.
///
/// Queries look at the memberships alone. A half-space collides with all that filter for it.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
#[component(immutable, on_insert = changed, on_remove = changed)]
pub struct CollisionLayers {
    /// The layers that it is in.
    pub memberships: LayerMask,
    /// The layers that it collides with.
    pub filters: LayerMask,
}

impl CollisionLayers {
    /// In the first layer, collides with all.
    pub const DEFAULT: Self = Self { memberships: LayerMask::DEFAULT, filters: LayerMask::ALL };
    /// In all layers, collides with all.
    pub const ALL: Self = Self { memberships: LayerMask::ALL, filters: LayerMask::ALL };
    /// In no layer: nothing meets it, and no query finds it.
    pub const NONE: Self = Self { memberships: LayerMask::NONE, filters: LayerMask::NONE };

    /// Layers of any type that is a [`LayerMask`].
    pub fn new(memberships: impl Into<LayerMask>, filters: impl Into<LayerMask>) -> Self {
        Self { memberships: memberships.into(), filters: filters.into() }
    }

    /// Layers by their bits.
    pub const fn from_bits(memberships: u32, filters: u32) -> Self {
        Self { memberships: LayerMask(memberships), filters: LayerMask(filters) }
    }

    /// Whether two colliders with such layers collide.
    pub fn interacts_with(self, other: Self) -> bool {
        self.memberships.0 & other.filters.0 != 0 && other.memberships.0 & self.filters.0 != 0
    }
}

impl Default for CollisionLayers {
    fn default() -> Self {
        Self::DEFAULT
    }
}
