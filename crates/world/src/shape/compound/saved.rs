//! Compounds as they are saved: children, and where a compound is; the tree is built again.

use super::{Compound, placed::PlacedCompound};
use crate::{PlacedMesh, PlacedTerrain, Shape, shape::placement::Placement};
use cullide_narrowphase::{
    self as narrowphase, Aabb, Brush, Capsule, Obb, Patch, Sphere, Triangle,
    glam::{DMat3, DVec3},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

#[derive(Serialize, Deserialize)]
#[serde(rename = "Compound")]
struct Saved {
    children: Vec<Child>,
    surfaces: Vec<u16>,
}

/// A shape that is no compound: to read compounds within compounds would take as much of the stack as they are deep.
#[derive(Serialize, Deserialize)]
enum Child {
    Aabb(Aabb),
    Obb(Obb),
    Sphere(Sphere),
    Brush(Box<Brush>),
    Patch(Box<Patch>),
    Triangle(Triangle),
    Mesh(Box<PlacedMesh>),
    Capsule(Capsule),
    Terrain(Box<PlacedTerrain>),
}

impl Child {
    fn new(shape: &Shape) -> Option<Self> {
        Some(match shape.clone() {
            Shape::Aabb(shape) => Self::Aabb(shape),
            Shape::Obb(shape) => Self::Obb(shape),
            Shape::Sphere(shape) => Self::Sphere(shape),
            Shape::Brush(shape) => Self::Brush(shape),
            Shape::Patch(shape) => Self::Patch(shape),
            Shape::Triangle(shape) => Self::Triangle(shape),
            Shape::Mesh(shape) => Self::Mesh(shape),
            Shape::Capsule(shape) => Self::Capsule(shape),
            Shape::Terrain(shape) => Self::Terrain(shape),
            Shape::Compound(_) => return None,
        })
    }
}

impl From<Child> for Shape {
    fn from(child: Child) -> Self {
        match child {
            Child::Aabb(shape) => Self::Aabb(shape),
            Child::Obb(shape) => Self::Obb(shape),
            Child::Sphere(shape) => Self::Sphere(shape),
            Child::Brush(shape) => Self::Brush(shape),
            Child::Patch(shape) => Self::Patch(shape),
            Child::Triangle(shape) => Self::Triangle(shape),
            Child::Mesh(shape) => Self::Mesh(shape),
            Child::Capsule(shape) => Self::Capsule(shape),
            Child::Terrain(shape) => Self::Terrain(shape),
        }
    }
}

impl Serialize for Compound {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let children = self.children().iter().filter_map(Child::new).collect();
        Saved { children, surfaces: self.0.surfaces.clone() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Compound {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Saved { children, surfaces } = Saved::deserialize(deserializer)?;
        let compound = Self::new(children.into_iter().map(Shape::from)).map_err(D::Error::custom)?;
        if surfaces.is_empty() { Ok(compound) } else { compound.with_surfaces(&surfaces).map_err(D::Error::custom) }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "PlacedCompound")]
pub(super) struct Placed {
    compound: Compound,
    linear: DMat3,
    translation: DVec3,
}

impl TryFrom<Placed> for PlacedCompound {
    type Error = narrowphase::Error;
    fn try_from(Placed { compound, linear, translation }: Placed) -> Result<Self, Self::Error> {
        Self::of(compound, Placement::rigid(linear, translation)?)
    }
}

impl From<PlacedCompound> for Placed {
    fn from(placed: PlacedCompound) -> Self {
        let (linear, translation) = placed.map();
        Self { linear: *linear, translation, compound: placed.compound().clone() }
    }
}
