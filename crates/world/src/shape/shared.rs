//! Shapes as they are saved: what several of them share is in a table, once, and each refers to it by number.
//!
//! ```text
//!   shape ─┬─ of its own ──────────────────────► as it is
//!          └─ a mesh, a terrain, a compound ───► number in the table, and where it is
//! ```
//! A compound comes after what its children share, so that the table can be read in order.

use crate::{Compound, Mesh, PlacedCompound, PlacedMesh, PlacedTerrain, Shape, Terrain};
use cullide_narrowphase::{
    Aabb, Brush, Capsule, Cylinder, Error, Obb, Patch, Sphere, Triangle,
    glam::{DMat3, DVec3},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::collections::BTreeMap;

/// A shape whose shared data is in the table. It contains no other shape, so a reader needs no more stack however long
/// the input is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Shape")]
pub(crate) enum SavedShape {
    Aabb(Aabb),
    Obb(Obb),
    Sphere(Sphere),
    Brush(Box<Brush>),
    Patch(Box<Patch>),
    Triangle(Triangle),
    Capsule(Capsule),
    Cylinder(Cylinder),
    /// The entry with this number in the table, placed by this map.
    Shared {
        number: u32,
        linear: DMat3,
        translation: DVec3,
    },
}

/// What several placed shapes share.
#[derive(Clone, Debug, PartialEq)]
enum Shared {
    Mesh(Mesh),
    Terrain(Terrain),
    Compound(Compound),
}

/// Everything that shapes share, each entry once: equal ones are merged.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SharedShapes {
    all: Vec<Shared>,
    /// The numbers of entries by their hashes.
    numbers: BTreeMap<u64, Vec<u32>>,
}

impl SharedShapes {
    /// Returns a shape as it is saved; what it shares is in the table from then on.
    pub(crate) fn save(&mut self, shape: &Shape) -> SavedShape {
        match shape {
            Shape::Aabb(shape) => SavedShape::Aabb(*shape),
            Shape::Obb(shape) => SavedShape::Obb(*shape),
            Shape::Sphere(shape) => SavedShape::Sphere(*shape),
            Shape::Brush(shape) => SavedShape::Brush(shape.clone()),
            Shape::Patch(shape) => SavedShape::Patch(shape.clone()),
            Shape::Triangle(shape) => SavedShape::Triangle(*shape),
            Shape::Capsule(shape) => SavedShape::Capsule(*shape),
            Shape::Cylinder(shape) => SavedShape::Cylinder(*shape),
            Shape::Mesh(placed) => self.placed(Shared::Mesh(placed.mesh().clone()), placed.map()),
            Shape::Terrain(placed) => self.placed(Shared::Terrain(placed.terrain().clone()), placed.map()),
            Shape::Compound(placed) => self.placed(Shared::Compound(placed.compound().clone()), placed.map()),
        }
    }

    /// Returns the shape that was saved.
    ///
    /// # Errors
    /// [`Error::Inconsistent`] for a number that is not in the table, and the errors of the shape's constructor.
    pub(crate) fn restore(&self, saved: &SavedShape) -> Result<Shape, Error> {
        Ok(match saved {
            SavedShape::Aabb(shape) => (*shape).into(),
            SavedShape::Obb(shape) => (*shape).into(),
            SavedShape::Sphere(shape) => (*shape).into(),
            SavedShape::Brush(shape) => Shape::Brush(shape.clone()),
            SavedShape::Patch(shape) => Shape::Patch(shape.clone()),
            SavedShape::Triangle(shape) => (*shape).into(),
            SavedShape::Capsule(shape) => (*shape).into(),
            SavedShape::Cylinder(shape) => (*shape).into(),
            SavedShape::Shared { number, linear, translation } => match self.all.get(*number as usize) {
                Some(Shared::Mesh(mesh)) => PlacedMesh::restored(mesh.clone(), *linear, *translation)?.into(),
                Some(Shared::Terrain(terrain)) => {
                    PlacedTerrain::restored(terrain.clone(), *linear, *translation)?.into()
                }
                Some(Shared::Compound(compound)) => {
                    PlacedCompound::restored(compound.clone(), *linear, *translation)?.into()
                }
                None => return Err(Error::Inconsistent { field: "shape" }),
            },
        })
    }

    fn placed(&mut self, shared: Shared, (linear, translation): (&DMat3, DVec3)) -> SavedShape {
        let same = |number: &&u32| self.all[**number as usize] == shared;
        let known = self.numbers.get(&shared.hash()).and_then(|numbers| numbers.iter().find(same));
        let number = known.copied().unwrap_or_else(|| {
            if let Shared::Compound(compound) = &shared {
                for child in compound.children() {
                    self.save(child);
                }
            }
            self.push(shared)
        });
        SavedShape::Shared { number, linear: *linear, translation }
    }

    fn push(&mut self, shared: Shared) -> u32 {
        let number = self.all.len() as u32;
        self.numbers.entry(shared.hash()).or_default().push(number);
        self.all.push(shared);
        number
    }
}

impl Shared {
    fn hash(&self) -> u64 {
        match self {
            Self::Mesh(mesh) => mesh.hash(),
            Self::Terrain(terrain) => terrain.hash(),
            Self::Compound(compound) => compound.hash(),
        }
    }
}

/// An entry of the table as it is written.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Shared")]
enum Written {
    Mesh(Mesh),
    Terrain(Terrain),
    Compound { children: Vec<SavedShape>, surfaces: Vec<u16> },
}

impl Serialize for SharedShapes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Everything that children share is in it already.
        let mut table = self.clone();
        let mut write = |shared: &Shared| match shared {
            Shared::Mesh(mesh) => Written::Mesh(mesh.clone()),
            Shared::Terrain(terrain) => Written::Terrain(terrain.clone()),
            Shared::Compound(compound) => Written::Compound {
                children: compound.children().iter().map(|child| table.save(child)).collect(),
                surfaces: compound.surfaces().to_vec(),
            },
        };
        serializer.collect_seq(self.all.iter().map(&mut write))
    }
}

impl<'de> Deserialize<'de> for SharedShapes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut table = Self::default();
        for written in Vec::<Written>::deserialize(deserializer)? {
            let shared = match written {
                Written::Mesh(mesh) => Shared::Mesh(mesh),
                Written::Terrain(terrain) => Shared::Terrain(terrain),
                Written::Compound { children, surfaces } => {
                    Shared::Compound(table.compound(&children, &surfaces).map_err(de::Error::custom)?)
                }
            };
            table.push(shared);
        }
        Ok(table)
    }
}

impl SharedShapes {
    /// Returns the compound of saved children.
    fn compound(&self, children: &[SavedShape], surfaces: &[u16]) -> Result<Compound, Box<dyn std::error::Error>> {
        let children: Vec<Shape> = children.iter().map(|child| self.restore(child)).collect::<Result<_, _>>()?;
        let compound = Compound::new(children)?;
        Ok(if surfaces.is_empty() { compound } else { compound.with_surfaces(surfaces)? })
    }
}

/// Writes a compound on its own: what its children share, then the compound itself.
impl Serialize for Compound {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut table = SharedShapes::default();
        table.save(&self.into());
        table.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Compound {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match SharedShapes::deserialize(deserializer)?.all.pop() {
            Some(Shared::Compound(compound)) => Ok(compound),
            _ => Err(de::Error::custom("there is no compound")),
        }
    }
}
