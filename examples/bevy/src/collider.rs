//! The shape of an entity, whether it is a sensor, or switched off.

use crate::{CollisionLayers, agreed::Agreed, sync::changed};
use bevy_ecs::{entity::EntityHashMap, prelude::*};
use bevy_math::{Quat, Vec2, Vec3};
use bevy_transform::components::Transform;
use cullide_world::{
    Compound, CompoundError, Mesh, MeshError, PlacedCompound, Shape, Terrain, TerrainError,
    narrowphase::{Aabb, Capsule, Cylinder, Error, Hull, Sphere, Triangle},
};
use std::fmt;

/// The shape of an entity, about the entity's own origin: its [`Transform`] puts it into place, and scales it.
///
/// Without a [`RigidBody`](crate::RigidBody) on it or on a parent, it is solid scenery. Below a dynamic or kinematic body,
/// it is a part of that body. It is immutable: insert another one to change it.
///
/// A constructor never panics. If its numbers make no shape, the collider has an [`error`](Collider::error), which is
/// logged once with the entity's name.
///
/// ```
/// use bevy_cullide::prelude::*;
/// assert!(Collider::cuboid(1.0, 2.0, 3.0).error().is_none());
/// assert!(Collider::sphere(f32::NAN).error().is_some());
/// ```
#[derive(Component, Clone, Debug, PartialEq)]
#[component(immutable, on_insert = changed, on_remove = changed)]
#[require(Transform, CollisionLayers, Agreed)]
pub struct Collider(pub(crate) Result<Form, ColliderError>);

/// What a collider is made of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Form {
    Shape(Shape),
    /// All that is behind the plane through the entity with this unit normal.
    HalfSpace(Vec3),
}

impl Collider {
    /// A box, with its full lengths along the axes.
    pub fn cuboid(x_length: f32, y_length: f32, z_length: f32) -> Self {
        Self::made(Aabb::from_center_half_extents(Vec3::ZERO, 0.5 * Vec3::new(x_length, y_length, z_length)))
    }

    /// A ball.
    pub fn sphere(radius: f32) -> Self {
        Self::made(Sphere::new(Vec3::ZERO, radius))
    }

    /// A capsule along y: a cylinder of this length between two half balls.
    pub fn capsule(radius: f32, length: f32) -> Self {
        Self::made(Capsule::from_half_axis(Vec3::ZERO, Vec3::Y * (0.5 * length), radius))
    }

    /// A capsule between two points.
    pub fn capsule_endpoints(radius: f32, a: Vec3, b: Vec3) -> Self {
        Capsule::new(a, b, radius).map_or_else(Self::failed, |capsule| Self::from(Shape::from(capsule)))
    }

    /// A cylinder along y.
    pub fn cylinder(radius: f32, height: f32) -> Self {
        Self::made(Cylinder::from_half_axis(Vec3::ZERO, Vec3::Y * (0.5 * height), [radius; 2]))
    }

    /// A cone along y, with its tip up and its middle at the origin.
    pub fn cone(radius: f32, height: f32) -> Self {
        Self::made(Cylinder::from_half_axis(Vec3::ZERO, Vec3::Y * (0.5 * height), [radius, 0.0]))
    }

    /// A triangle, which is met from both sides.
    pub fn triangle(a: Vec3, b: Vec3, c: Vec3) -> Self {
        Self::made(Triangle::new(a, b, c))
    }

    /// All that is behind the plane through the entity with this normal. It is infinite and is never a body.
    pub fn half_space(outward_normal: Vec3) -> Self {
        match outward_normal.try_normalize() {
            Some(normal) => Self(Ok(Form::HalfSpace(normal))),
            None => Self::failed(Error::ZeroNormal { field: "outward_normal" }),
        }
    }

    /// The convex hull of points; `None` if they have none with a volume.
    pub fn convex_hull(points: Vec<Vec3>) -> Option<Self> {
        Hull::new(&points).ok().map(|hull| Self::made(Ok(hull)))
    }

    #[cfg(feature = "mesh")]
    pub(crate) fn hull(points: &[Vec3]) -> Self {
        Self::made(Hull::new(points))
    }

    #[cfg(feature = "mesh")]
    pub(crate) fn around(points: Vec<Vec3>) -> Self {
        Aabb::from_points(points).map_or_else(Self::failed, |aabb| Self::from(Shape::from(aabb)))
    }

    /// Triangles between vertices. They are met from both sides and are no body that moves.
    pub fn trimesh(vertices: Vec<Vec3>, indices: Vec<[u32; 3]>) -> Self {
        Mesh::new(&vertices, &indices).map_or_else(Self::failed, |mesh| Self::from(Shape::from(mesh)))
    }

    /// A terrain of `scale.x` by `scale.z` about the origin. As in avian, `heights[x][z]` has a row for each x, with a height
    /// for each z; they are multiplied by `scale.y`.
    ///
    /// ```
    /// use bevy_cullide::prelude::*;
    /// use bevy_math::{Quat, Vec3};
    /// let ridge_along_z = Collider::heightfield(vec![vec![0.0; 2], vec![1.0; 2], vec![0.0; 2]], Vec3::new(4.0, 3.0, 8.0));
    /// let around = ridge_along_z.aabb(Vec3::ZERO, Quat::IDENTITY).unwrap();
    /// assert_eq!((around.min(), around.max()), (Vec3::new(-2.0, 0.0, -4.0), Vec3::new(2.0, 3.0, 4.0)));
    /// ```
    pub fn heightfield(heights: Vec<Vec<f32>>, scale: Vec3) -> Self {
        let [columns, rows] = [heights.len(), heights.iter().map(Vec::len).max().unwrap_or(0)];
        let spacing = Vec2::new(scale.x, scale.z) / (Vec2::new(columns as f32, rows as f32) - 1.0);
        // The library has a row for each z. Where a row given is too short, their number tells.
        let along_x = |z: usize| heights.iter().filter_map(move |row| Some(row.get(z)? * scale.y));
        let heights: Vec<f32> = (0..rows).flat_map(along_x).collect();
        let origin = -0.5 * Vec2::new(scale.x, scale.z);
        Terrain::new(columns as u32, rows as u32, &heights, spacing, origin)
            .map_or_else(Self::failed, |terrain| Self::from(Shape::from(terrain)))
    }

    /// Several shapes, each turned and then shifted.
    pub fn compound(shapes: Vec<(Vec3, Quat, impl Into<Self>)>) -> Self {
        let mut parts = Parts::default();
        for (position, rotation, collider) in shapes {
            let placed = collider.into().scaled(Vec3::ONE).and_then(|form| form.solid());
            if let Err(error) = placed.and_then(|shape| parts.add(&shape, rotation, position)) {
                return Self(Err(error));
            }
        }
        Self(parts.shape().map(Form::Shape))
    }

    /// Returns the box around the collider, turned and then shifted; `None` for a half-space, and if there is an
    /// [error](Collider::error).
    ///
    /// ```
    /// use bevy_cullide::prelude::*;
    /// use bevy_math::{Quat, Vec3};
    /// let around = Collider::cuboid(2.0, 4.0, 6.0).aabb(Vec3::X * 5.0, Quat::IDENTITY).unwrap();
    /// assert_eq!((around.min(), around.max()), (Vec3::new(4.0, -2.0, -3.0), Vec3::new(6.0, 2.0, 3.0)));
    /// ```
    pub fn aabb(&self, position: Vec3, rotation: Quat) -> Option<Aabb> {
        Some(self.shape()?.transformed(rotation, position).ok()?.aabb())
    }

    /// Why this is no shape.
    pub fn error(&self) -> Option<&ColliderError> {
        self.0.as_ref().err()
    }

    /// Returns the shape about the entity's origin; `None` for a half-space, and if there is an [error](Collider::error).
    pub fn shape(&self) -> Option<&Shape> {
        match &self.0 {
            Ok(Form::Shape(shape)) => Some(shape),
            _ => None,
        }
    }

    pub(crate) fn failed(error: impl Into<ColliderError>) -> Self {
        Self(Err(error.into()))
    }

    fn made<T: Into<Shape>>(shape: Result<T, Error>) -> Self {
        shape.map_or_else(Self::failed, |shape| Self(Ok(Form::Shape(shape.into()))))
    }

    pub(crate) fn scaled(&self, scale: Vec3) -> Result<Form, ColliderError> {
        match &self.0 {
            Ok(Form::Shape(shape)) if scale != Vec3::ONE => scaled(shape, scale).map(Form::Shape),
            form => form.clone(),
        }
    }
}

impl Form {
    pub(crate) fn solid(self) -> Result<Shape, ColliderError> {
        match self {
            Self::Shape(shape) => Ok(shape),
            Self::HalfSpace(_) => Err(ColliderError::HalfSpace),
        }
    }
}

/// Any shape of the library, where it is in the entity's own coordinates.
impl From<Shape> for Collider {
    fn from(shape: Shape) -> Self {
        let origin = match &shape {
            Shape::Obb(_) => None,
            Shape::Aabb(shape) => Some(shape.center()),
            Shape::Sphere(shape) => Some(shape.center()),
            Shape::Capsule(shape) => Some(shape.center()),
            Shape::Cylinder(shape) => Some(shape.center()),
            Shape::Compound(_) => None,
            _ => Some(Vec3::ZERO),
        };
        if origin == Some(Vec3::ZERO) {
            return Self(Ok(Form::Shape(shape)));
        }
        // The pose of a box or a ball alone is its centre; inside of a compound, it is that of the compound.
        let mut parts = Parts::default();
        Self(parts.add(&shape, Quat::IDENTITY, Vec3::ZERO).and_then(|_| parts.shape()).map(Form::Shape))
    }
}

fn scaled(shape: &Shape, scale: Vec3) -> Result<Shape, ColliderError> {
    let scale_of = |compound: &Compound| PlacedCompound::scaled(compound, Quat::IDENTITY, Vec3::ZERO, scale);
    if let Shape::Compound(placed) = shape {
        return Ok(scale_of(placed.compound())?.into());
    }
    let placed = scale_of(&Compound::new([shape.clone()])?)?;
    placed.child(0).map(|child| child.into_owned()).ok_or(ColliderError::Compound(CompoundError::Empty))
}

/// The children of a compound, none of which is a compound.
#[derive(Default)]
pub(crate) struct Parts {
    shapes: Vec<Shape>,
    surfaces: Vec<u16>,
}

impl Parts {
    /// Adds a shape, turned and then shifted, and returns the number of its first child.
    pub(crate) fn add(&mut self, shape: &Shape, rotation: Quat, position: Vec3) -> Result<u32, ColliderError> {
        let first = self.shapes.len() as u32;
        if let Shape::Compound(placed) = shape {
            for number in 0..placed.compound().len() as u32 {
                let Some(child) = placed.child(number) else { continue };
                self.shapes.push(child.transformed(rotation, position)?);
                self.surfaces.push(placed.compound().surface(number).unwrap_or(0));
            }
        } else {
            self.shapes.push(shape.transformed(rotation, position)?);
            self.surfaces.push(0);
        }
        Ok(first)
    }

    pub(crate) fn shape(self) -> Result<Shape, ColliderError> {
        let compound = Compound::new(self.shapes)?;
        let has_surfaces = self.surfaces.iter().any(|surface| *surface != 0);
        Ok(if has_surfaces { compound.with_surfaces(&self.surfaces)? } else { compound }.into())
    }
}

/// Why a collider is not in the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColliderError {
    /// The numbers of a shape, or its place; a mesh or a terrain that is to be a dynamic body.
    Shape(Error),
    /// The triangles of a mesh.
    Mesh(MeshError),
    /// The heights of a terrain.
    Terrain(TerrainError),
    /// A compound, or a scale that a shape cannot have: that of a ball has to be the same along all axes.
    Compound(CompoundError),
    /// A half-space that is to be a body, a part of one, or a sensor.
    HalfSpace,
    /// Parents whose scales and rotations skew the entity.
    Skewed,
    /// There is no mesh to construct the collider from, or it has no triangles.
    NoMesh,
    /// A character without a collider on its own entity.
    NoCollider,
}

impl fmt::Display for ColliderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shape(error) => error.fmt(f),
            Self::Mesh(error) => error.fmt(f),
            Self::Terrain(error) => error.fmt(f),
            Self::Compound(CompoundError::Scale { .. }) => {
                f.write_str("a ball, a capsule, a cylinder or a terrain cannot have this scale")
            }
            Self::Compound(error) => error.fmt(f),
            Self::HalfSpace => f.write_str("a half-space can be neither a body, nor a part of one, nor a sensor"),
            Self::Skewed => f.write_str("the scales and rotations of its parents skew it"),
            Self::NoMesh => f.write_str("there is no mesh with triangles to construct it from"),
            Self::NoCollider => f.write_str("a character needs a collider on its own entity"),
        }
    }
}

impl std::error::Error for ColliderError {}

macro_rules! from_error {
    ($($error:ident => $variant:ident),*) => { $(
        impl From<$error> for ColliderError {
            fn from(error: $error) -> Self {
                Self::$variant(error)
            }
        }
    )* };
}
from_error!(Error => Shape, MeshError => Mesh, TerrainError => Terrain, CompoundError => Compound);

/// Which errors were logged, so that each is logged once.
#[derive(Resource, Debug, Default)]
pub(crate) struct Logged(EntityHashMap<ColliderError>);

impl Logged {
    pub(crate) fn log(&mut self, entity: Entity, name: impl fmt::Display, error: ColliderError) {
        if self.0.insert(entity, error) != Some(error) {
            tracing::error!("{name}: {error}");
        }
    }

    pub(crate) fn forget(&mut self, entity: Entity) {
        self.0.remove(&entity);
    }
}

/// Makes the collider of its entity report what is inside of it, and be in nobody's way.
///
/// It sees whatever moves: bodies, characters, and colliders whose [`Transform`] changes; not other sensors. Queries do
/// not find it. Below a body, it follows the body and is no part of it.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[component(immutable, on_insert = changed, on_remove = changed)]
pub struct Sensor;

/// Switches the collider of its entity off: nothing meets it.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[component(immutable, on_insert = changed, on_remove = changed)]
pub struct ColliderDisabled;
