//! What queries take and return.

use crate::LayerMask;
use bevy_ecs::entity::{Entity, EntityHashSet};
use bevy_math::Vec3;

/// Which colliders a query finds.
#[derive(Clone, Debug, PartialEq)]
pub struct SpatialQueryFilter {
    /// Those in one of these layers.
    pub mask: LayerMask,
    /// Not these; the collider of a body stands for all of the body.
    pub excluded_entities: EntityHashSet,
}

impl Default for SpatialQueryFilter {
    fn default() -> Self {
        Self::from_mask(LayerMask::ALL)
    }
}

impl SpatialQueryFilter {
    /// Finds colliders in one of these layers.
    pub fn from_mask(mask: impl Into<LayerMask>) -> Self {
        Self { mask: mask.into(), excluded_entities: EntityHashSet::default() }
    }

    /// Finds all but these.
    pub fn from_excluded_entities(entities: impl IntoIterator<Item = Entity>) -> Self {
        Self::default().with_excluded_entities(entities)
    }

    /// Finds colliders in one of these layers.
    #[must_use]
    pub fn with_mask(mut self, mask: impl Into<LayerMask>) -> Self {
        self.mask = mask.into();
        self
    }

    /// Finds none of these.
    #[must_use]
    pub fn with_excluded_entities(mut self, entities: impl IntoIterator<Item = Entity>) -> Self {
        self.excluded_entities = entities.into_iter().collect();
        self
    }
}

/// Where a ray meets a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHitData {
    /// The collider.
    pub entity: Entity,
    /// How far along the ray; 0 for a start inside.
    pub distance: f32,
    /// Unit normal of the surface, against the ray.
    pub normal: Vec3,
    /// The triangle of a mesh or a terrain, or the child of a compound.
    pub part: u32,
    /// The number of that part, such as its material.
    pub surface: u16,
    /// Where the ray leaves the collider, or its end.
    pub exit: f32,
}

/// Where a moving shape meets a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeHitData {
    /// The collider.
    pub entity: Entity,
    /// How far the shape gets; 0 if it overlaps the collider at the start.
    pub distance: f32,
    /// A point on the collider where the two touch; for an overlap, the start of the shape.
    pub point1: Vec3,
    /// Unit normal of the collider, against the motion; for an overlap, the shortest way out.
    pub normal1: Vec3,
    /// The triangle of a mesh or a terrain, or the child of a compound.
    pub part: u32,
    /// The number of that part, such as its material.
    pub surface: u16,
}

/// How far a shape is cast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeCastConfig {
    /// How far it moves.
    pub max_distance: f32,
    /// Whether colliders that it overlaps at the start are passed over.
    pub ignore_origin_penetration: bool,
}

impl ShapeCastConfig {
    /// As far as there is anything, and stops at what it overlaps at the start.
    pub const DEFAULT: Self = Self { max_distance: f32::MAX, ignore_origin_penetration: false };

    /// So far.
    pub const fn from_max_distance(max_distance: f32) -> Self {
        Self { max_distance, ..Self::DEFAULT }
    }

    /// So far.
    #[must_use]
    pub const fn with_max_distance(mut self, max_distance: f32) -> Self {
        self.max_distance = max_distance;
        self
    }
}

impl Default for ShapeCastConfig {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The point of a collider nearest to another point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointProjection {
    /// The collider.
    pub entity: Entity,
    /// The point.
    pub point: Vec3,
    /// Whether the other point is inside.
    pub is_inside: bool,
    /// From the nearest point to the other one; from inside, the shortest way out.
    pub normal: Vec3,
    /// How far it is; negative inside.
    pub separation: f32,
    /// The triangle of a mesh or a terrain, or the child of a compound.
    pub part: u32,
    /// The number of that part, such as its material.
    pub surface: u16,
}
