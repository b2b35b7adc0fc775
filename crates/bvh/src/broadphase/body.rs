//! What a caller passes to a broadphase and gets back: bodies, proxies, pairs.

use crate::{Leaf, leaf::FIXED};
use cullide_narrowphase::Aabb;

/// Whether a body is expected to move. Two fixed bodies never form a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Mobility {
    /// Stays where it is; moving it is possible, but costs more.
    Fixed,
    /// Moves often.
    Moving,
}

/// Identifies a body of a [`Broadphase`](super::Broadphase): whether it is fixed or moving, and its number among the
/// bodies of that mobility, which is also the number of its leaf in their tree. Moving bodies sort before fixed ones.
///
/// The number of a removed body is reused, but not before an update has reported its pairs as ended. A proxy has no
/// version: one that is kept for longer may come to name another body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(from = "u32", into = "u32"))]
pub struct Proxy(u32);

impl Proxy {
    /// Returns the number among the bodies of its mobility, for use as an index into the caller's own objects.
    ///
    /// ```
    /// # use cullide_bvh::{BroadphaseBody, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let aabb = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
    /// let (wall, ball) = (broadphase.insert(&BroadphaseBody::fixed(aabb)), broadphase.insert(&BroadphaseBody::moving(aabb)));
    /// assert_eq!((wall.index(), ball.index()), (0, 0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[inline]
    pub fn index(self) -> usize {
        (self.0 & !FIXED) as usize
    }

    /// Returns whether the body is fixed or moving.
    ///
    /// ```
    /// # use cullide_bvh::{BroadphaseBody, Broadphase, Mobility, narrowphase::{Aabb, glam::Vec3}};
    /// let proxy = Broadphase::new().insert(&BroadphaseBody::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// assert_eq!(proxy.mobility(), Mobility::Fixed);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[inline]
    pub fn mobility(self) -> Mobility {
        if self.0 & FIXED != 0 { Mobility::Fixed } else { Mobility::Moving }
    }

    /// The proxy numbered `index` among those of a mobility.
    pub(super) fn of(mobility: Mobility, index: u32) -> Self {
        match mobility {
            Mobility::Fixed => Self(index | FIXED),
            Mobility::Moving => Self(index),
        }
    }

    /// The body's leaf in the tree of its mobility.
    #[inline(always)]
    pub(super) fn leaf(self) -> Leaf {
        Leaf::from_bits(self.0)
    }
}

/// The serialised form, which is short for small numbers.
impl From<Proxy> for u32 {
    fn from(proxy: Proxy) -> Self {
        (proxy.0 & !FIXED) << 1 | Self::from(proxy.0 & FIXED != 0)
    }
}

impl From<u32> for Proxy {
    fn from(written: u32) -> Self {
        Self(written >> 1 & !FIXED | if written & 1 != 0 { FIXED } else { 0 })
    }
}

/// The body of a leaf of either tree.
impl From<Leaf> for Proxy {
    #[inline]
    fn from(leaf: Leaf) -> Self {
        Self(leaf.bits())
    }
}

/// Two bodies whose boxes overlap. Pairs sort by the smaller proxy, then by the larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pair {
    /// The body with the smaller proxy, which is always a moving one.
    pub first: Proxy,
    /// The body with the larger proxy.
    pub second: Proxy,
}

/// A box, and what determines the pairs it can be in.
///
/// Two bodies may form a pair if each pairs with a layer of the other and not both are fixed. A body in no layer is in
/// no pair.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BroadphaseBody {
    /// Its box; for a body that moves far in a step, the box of all that it passes through ([`Aabb::swept`]), so that
    /// it pairs with whatever it meets on the way.
    pub aabb: Aabb,
    /// Whether it is expected to move.
    pub mobility: Mobility,
    /// One bit for each layer that it is in.
    pub layers: u32,
    /// One bit for each layer that it pairs with.
    pub pairs_with: u32,
}

impl BroadphaseBody {
    /// Returns a body that stays where it is, is in all layers and pairs with all.
    ///
    /// ```
    /// # use cullide_bvh::{BroadphaseBody, Mobility, narrowphase::{Aabb, glam::Vec3}};
    /// assert_eq!(BroadphaseBody::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?).mobility, Mobility::Fixed);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn fixed(aabb: Aabb) -> Self {
        Self { aabb, mobility: Mobility::Fixed, layers: u32::MAX, pairs_with: u32::MAX }
    }

    /// Returns a body that moves often, is in all layers and pairs with all.
    ///
    /// ```
    /// # use cullide_bvh::{BroadphaseBody, Mobility, narrowphase::{Aabb, glam::Vec3}};
    /// assert_eq!(BroadphaseBody::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?).mobility, Mobility::Moving);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn moving(aabb: Aabb) -> Self {
        Self { mobility: Mobility::Moving, ..Self::fixed(aabb) }
    }

    /// Returns the same body in other layers.
    #[must_use]
    pub fn layers(mut self, layers: u32) -> Self {
        self.layers = layers;
        self
    }

    /// Returns the same body, pairing with other layers.
    #[must_use]
    pub fn pairs_with(mut self, layers: u32) -> Self {
        self.pairs_with = layers;
        self
    }
}
