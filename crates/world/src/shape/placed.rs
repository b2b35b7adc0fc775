//! A composite shape at a place: a mesh, a terrain or a compound, which all of its placements share.

use super::placement::Placement;
use crate::{Shape, character::platform::Frame};
use cullide_narrowphase::{
    Aabb, Error,
    glam::{DMat3, DVec3},
};
use std::fmt;

/// A mesh, a terrain or a compound at a place: a [`PlacedMesh`](crate::PlacedMesh), a
/// [`PlacedTerrain`](crate::PlacedTerrain) or a [`PlacedCompound`](crate::PlacedCompound).
#[derive(Clone, PartialEq)]
pub struct Placed<T: CompositeShape> {
    pub(super) shared: T,
    pub(super) placement: Placement,
    pub(super) aabb: Aabb,
    pub(super) cache: T::Cache,
}

/// A composite shape at a place, as queries take it: a placed one, or one on its own, where it was given.
pub(crate) struct At<'a, T> {
    pub(super) shared: &'a T,
    pub(super) placement: &'a Placement,
    pub(super) aabb: &'a Aabb,
}

/// A shape of many parts, which all of its placements share.
pub trait CompositeShape: Clone + PartialEq + fmt::Debug {
    /// What is computed once for each placement, apart from its box.
    type Cache: Clone + Default + PartialEq;

    /// Returns a box around all parts, in own coordinates.
    fn own_aabb(&self) -> Aabb;

    /// Places the shape.
    fn placed(self, placement: Placement) -> Result<Placed<Self>, Error> {
        let aabb = placement.bounds_of(&self.own_aabb())?;
        Ok(Placed { shared: self, placement, aabb, cache: Self::Cache::default() })
    }

    /// Returns a placement that was saved, or that a body has come to.
    #[cfg(any(feature = "serde", feature = "dynamics"))]
    fn placement(linear: DMat3, translation: DVec3) -> Result<Placement, Error> {
        Placement::restored(linear, translation)
    }

    /// Returns the variant of [`Shape`] that it is.
    fn variant(placed: Box<Placed<Self>>) -> Shape;
}

impl<T: CompositeShape> Placed<T> {
    /// Returns a box around the whole. For what is where it was given, it is the smallest; otherwise it is around the
    /// placed box of the whole, for a compound also around those of its brushes, patches, meshes and terrains. Around
    /// what is turned, it may be √3 times as long as the smallest, which is the union of the boxes of the triangles or
    /// children.
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// Places a shape by a map that was saved, or that a body has come to.
    #[cfg(any(feature = "serde", feature = "dynamics"))]
    pub(crate) fn restored(shared: T, linear: DMat3, translation: DVec3) -> Result<Self, Error> {
        shared.placed(T::placement(linear, translation)?)
    }

    /// Returns it rotated and translated further from where it is.
    pub(crate) fn transformed(&self, turn: &DMat3, shift: DVec3) -> Result<Self, Error> {
        self.shared.clone().placed(self.placement.then(turn, shift))
    }

    /// Returns the placed frame: where the origin is, and unit vectors along the axes.
    pub(crate) fn frame(&self) -> Frame {
        self.placement.frame()
    }

    /// The map from own coordinates to the world.
    pub(crate) fn map(&self) -> (&DMat3, DVec3) {
        (self.placement.linear(), self.placement.translation())
    }

    pub(crate) fn placement(&self) -> &Placement {
        &self.placement
    }

    #[inline]
    pub(crate) fn at(&self) -> At<'_, T> {
        At { shared: &self.shared, placement: &self.placement, aabb: &self.aabb }
    }
}

/// Places what all placements share where it was given.
impl<T: CompositeShape> From<T> for Placed<T> {
    fn from(shared: T) -> Self {
        let aabb = shared.own_aabb();
        Self { shared, placement: Placement::IDENTITY, aabb, cache: T::Cache::default() }
    }
}

/// A [`PlacedMesh`](crate::PlacedMesh), a [`PlacedTerrain`](crate::PlacedTerrain) or a
/// [`PlacedCompound`](crate::PlacedCompound).
impl<T: CompositeShape> From<Placed<T>> for Shape {
    fn from(placed: Placed<T>) -> Self {
        T::variant(Box::new(placed))
    }
}

/// A [`Mesh`](crate::Mesh), a [`Terrain`](crate::Terrain) or a [`Compound`](crate::Compound) where it was given.
impl<T: CompositeShape> From<&T> for Shape {
    fn from(shared: &T) -> Self {
        Placed::from(shared.clone()).into()
    }
}

impl<T: CompositeShape> fmt::Debug for Placed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut placed = f.debug_struct("Placed");
        placed.field("shared", &self.shared).field("placement", &self.placement);
        placed.finish_non_exhaustive()
    }
}

/// Saves one kind of placed shapes, under its name: what is shared, and the map to the world.
#[cfg(feature = "serde")]
macro_rules! saved {
    ($name:literal, $shared:ident: $kind:ty) => {
        const _: () = {
            #[derive(serde::Serialize, serde::Deserialize)]
            #[serde(rename = $name)]
            struct Saved {
                $shared: $kind,
                linear: DMat3,
                translation: DVec3,
            }

            impl serde::Serialize for Placed<$kind> {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    let ($shared, (linear, translation)) = (self.shared.clone(), self.map());
                    Saved { $shared, linear: *linear, translation }.serialize(serializer)
                }
            }

            impl<'de> serde::Deserialize<'de> for Placed<$kind> {
                fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    let Saved { $shared, linear, translation } = Saved::deserialize(deserializer)?;
                    Self::restored($shared, linear, translation).map_err(serde::de::Error::custom)
                }
            }
        };
    };
}

#[cfg(feature = "serde")]
saved!("PlacedMesh", mesh: crate::Mesh);
#[cfg(feature = "serde")]
saved!("PlacedTerrain", terrain: crate::Terrain);
#[cfg(feature = "serde")]
saved!("PlacedCompound", compound: crate::Compound);
