//! What a broad phase is told, and how it names things.

use cullide_narrowphase::Aabb;

/// Whether a body is expected to move. Two fixed bodies never are a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Mobility {
    /// Stays where it is; it may still be moved, at a higher price.
    Fixed,
    /// Moves often.
    Moving,
}

/// Which body of a [`Broadphase`](super::Broadphase). Its number is also that of its leaf, in whichever of the two trees it hangs.
///
/// The number of a removed body is given out again, but not before an update has reported that its pairs ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Proxy(u32);

impl Proxy {
    /// The number, for use as an index into the caller's own objects.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) fn new(number: u32) -> Self {
        Self(number)
    }

    pub(super) fn number(self) -> u32 {
        self.0
    }
}

/// A leaf of either tree is named by its body.
impl From<crate::Leaf> for Proxy {
    fn from(leaf: crate::Leaf) -> Self {
        Self(leaf.bits())
    }
}

/// Two bodies whose boxes overlap; ordered by the smaller number, then by the larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pair {
    /// The body with the smaller number.
    pub first: Proxy,
    /// The body with the larger number.
    pub second: Proxy,
}

/// A box with what decides about its pairs.
///
/// Two bodies may be a pair when each pairs with a layer of the other and they are not both fixed. A body in no layer is in no pair.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Body {
    /// Its box; for a body that moves far in a step, all that it passes through ([`Aabb::swept`]), so that whatever it meets on the way
    /// is a pair.
    pub aabb: Aabb,
    /// Whether it is expected to move.
    pub mobility: Mobility,
    /// One bit for each layer that it is in.
    pub layers: u32,
    /// One bit for each layer that it pairs with.
    pub pairs_with: u32,
}

impl Body {
    /// A body that stays where it is, in all layers and pairing with all.
    ///
    /// ```
    /// # use cullide_bvh::{Body, Mobility, narrowphase::{Aabb, glam::Vec3}};
    /// assert_eq!(Body::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?).mobility, Mobility::Fixed);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn fixed(aabb: Aabb) -> Self {
        Self { aabb, mobility: Mobility::Fixed, layers: u32::MAX, pairs_with: u32::MAX }
    }

    /// A body that moves often, in all layers and pairing with all.
    ///
    /// ```
    /// # use cullide_bvh::{Body, Mobility, narrowphase::{Aabb, glam::Vec3}};
    /// assert_eq!(Body::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?).mobility, Mobility::Moving);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn moving(aabb: Aabb) -> Self {
        Self { mobility: Mobility::Moving, ..Self::fixed(aabb) }
    }

    /// The same body in other layers.
    #[must_use]
    pub fn layers(mut self, layers: u32) -> Self {
        self.layers = layers;
        self
    }

    /// The same body, pairing with other layers.
    #[must_use]
    pub fn pairs_with(mut self, layers: u32) -> Self {
        self.pairs_with = layers;
        self
    }
}
