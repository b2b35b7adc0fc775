//! Components that cast a ray or a shape in each tick.

use crate::{Collider, RayHitData, ShapeCastConfig, ShapeHitData, SpatialQuery, SpatialQueryFilter};
use bevy_ecs::prelude::*;
use bevy_math::{Dir3, Quat, Vec3};
use bevy_transform::{components::Transform, helper::TransformHelper};

/// Casts a ray at the end of each fixed tick; [`RayHits`] has what it met.
///
/// ```
/// use bevy_cullide::prelude::*;
/// use bevy_math::{Dir3, Vec3};
/// let feeler = RayCaster::new(Vec3::ZERO, Dir3::NEG_Y).with_max_distance(2.0).with_max_hits(1);
/// assert!(feeler.enabled && feeler.ignore_self);
/// ```
#[derive(Component, Clone, Debug, PartialEq)]
#[require(Transform, RayHits)]
pub struct RayCaster {
    /// Whether it casts.
    pub enabled: bool,
    /// Where the ray starts, in the entity's coordinates.
    pub origin: Vec3,
    /// Its direction, in the entity's coordinates.
    pub direction: Dir3,
    /// How many hits there are at most.
    pub max_hits: u32,
    /// How far it reaches.
    pub max_distance: f32,
    /// Whether a start inside of a collider is a hit.
    pub solid: bool,
    /// Whether the entity itself is passed over, with the body that it belongs to.
    pub ignore_self: bool,
    /// What it meets.
    pub query_filter: SpatialQueryFilter,
}

impl Default for RayCaster {
    fn default() -> Self {
        Self::new(Vec3::ZERO, Dir3::X)
    }
}

/// What a [`RayCaster`] met, nearest first.
#[derive(Component, Clone, Debug, Default, PartialEq)]
pub struct RayHits(pub Vec<RayHitData>);

/// Casts a shape at the end of each fixed tick; [`ShapeHits`] has what it met.
#[derive(Component, Clone, Debug, PartialEq)]
#[require(Transform, ShapeHits)]
pub struct ShapeCaster {
    /// Whether it casts.
    pub enabled: bool,
    /// What moves.
    pub shape: Collider,
    /// Where it starts, in the entity's coordinates.
    pub origin: Vec3,
    /// How it is turned, in the entity's coordinates.
    pub shape_rotation: Quat,
    /// Its direction, in the entity's coordinates.
    pub direction: Dir3,
    /// How many hits there are at most.
    pub max_hits: u32,
    /// How far it moves.
    pub max_distance: f32,
    /// Whether what it overlaps at the start is passed over.
    pub ignore_origin_penetration: bool,
    /// Whether the entity itself is passed over, with the body that it belongs to.
    pub ignore_self: bool,
    /// What it meets.
    pub query_filter: SpatialQueryFilter,
}

/// What a [`ShapeCaster`] met, nearest first.
#[derive(Component, Clone, Debug, Default, PartialEq)]
pub struct ShapeHits(pub Vec<ShapeHitData>);

impl RayCaster {
    /// A ray without end.
    pub fn new(origin: Vec3, direction: Dir3) -> Self {
        Self {
            enabled: true,
            origin,
            direction,
            max_hits: u32::MAX,
            max_distance: f32::MAX,
            solid: true,
            ignore_self: true,
            query_filter: SpatialQueryFilter::default(),
        }
    }

    /// Whether a start inside of a collider is a hit.
    #[must_use]
    pub fn with_solidness(mut self, solid: bool) -> Self {
        self.solid = solid;
        self
    }
}

impl ShapeCaster {
    /// A shape that moves without end.
    pub fn new(shape: impl Into<Collider>, origin: Vec3, shape_rotation: Quat, direction: Dir3) -> Self {
        Self {
            enabled: true,
            shape: shape.into(),
            origin,
            shape_rotation,
            direction,
            max_hits: 1,
            max_distance: f32::MAX,
            ignore_origin_penetration: false,
            ignore_self: true,
            query_filter: SpatialQueryFilter::default(),
        }
    }

    /// Whether what it overlaps at the start is passed over.
    #[must_use]
    pub fn with_ignore_origin_penetration(mut self, ignore: bool) -> Self {
        self.ignore_origin_penetration = ignore;
        self
    }
}

macro_rules! caster {
    ($caster:ident, $hits:ident, $hit:ident) => {
        impl $caster {
            /// Moves the start.
            #[must_use]
            pub fn with_origin(mut self, origin: Vec3) -> Self {
                self.origin = origin;
                self
            }

            /// Turns it.
            #[must_use]
            pub fn with_direction(mut self, direction: Dir3) -> Self {
                self.direction = direction;
                self
            }

            /// Limits how far it reaches.
            #[must_use]
            pub fn with_max_distance(mut self, max_distance: f32) -> Self {
                self.max_distance = max_distance;
                self
            }

            /// Limits how much it meets.
            #[must_use]
            pub fn with_max_hits(mut self, max_hits: u32) -> Self {
                self.max_hits = max_hits;
                self
            }

            /// Whether the entity itself is passed over.
            #[must_use]
            pub fn with_ignore_self(mut self, ignore: bool) -> Self {
                self.ignore_self = ignore;
                self
            }

            /// Selects what it meets.
            #[must_use]
            pub fn with_query_filter(mut self, query_filter: SpatialQueryFilter) -> Self {
                self.query_filter = query_filter;
                self
            }

            /// Lets it cast.
            pub fn enable(&mut self) {
                self.enabled = true;
            }

            /// Stops it; its hits are cleared.
            pub fn disable(&mut self) {
                self.enabled = false;
            }
        }

        impl $hits {
            /// The hits, nearest first, as they always are.
            pub fn iter_sorted(&self) -> impl Iterator<Item = $hit> + '_ {
                self.0.iter().copied()
            }
        }

        impl std::ops::Deref for $hits {
            type Target = [$hit];
            fn deref(&self) -> &[$hit] {
                &self.0
            }
        }

        impl IntoIterator for $hits {
            type Item = $hit;
            type IntoIter = std::vec::IntoIter<$hit>;
            fn into_iter(self) -> Self::IntoIter {
                self.0.into_iter()
            }
        }

        impl<'a> IntoIterator for &'a $hits {
            type Item = &'a $hit;
            type IntoIter = std::slice::Iter<'a, $hit>;
            fn into_iter(self) -> Self::IntoIter {
                self.0.iter()
            }
        }
    };
}
caster!(RayCaster, RayHits, RayHitData);
caster!(ShapeCaster, ShapeHits, ShapeHitData);

fn filter_of(filter: &SpatialQueryFilter, ignored: Option<Entity>) -> SpatialQueryFilter {
    let mut filter = filter.clone();
    filter.excluded_entities.extend(ignored);
    filter
}

/// Casts all that is enabled.
pub(crate) fn cast(
    query: SpatialQuery,
    transforms: TransformHelper,
    mut rays: Query<(Entity, &RayCaster, &mut RayHits)>,
    mut shapes: Query<(Entity, &ShapeCaster, &mut ShapeHits)>,
) {
    // After the step, Bevy has not yet propagated transforms.
    let place = |entity: Entity, origin: Vec3, direction: Dir3| {
        let (_, rotation, _) = transforms.compute_global_transform(entity).ok()?.to_scale_rotation_translation();
        let at = transforms.compute_global_transform(entity).ok()?.transform_point(origin);
        Some((at, rotation, rotation * direction))
    };
    for (entity, caster, mut hits) in &mut rays {
        let placed = place(entity, caster.origin, caster.direction).filter(|_| caster.enabled);
        let found = placed.map(|(origin, _, direction)| {
            let filter = filter_of(&caster.query_filter, caster.ignore_self.then_some(entity));
            query.ray_hits(origin, direction, caster.max_distance, caster.max_hits, caster.solid, &filter)
        });
        hits.set_if_neq(RayHits(found.unwrap_or_default()));
    }
    for (entity, caster, mut hits) in &mut shapes {
        let placed = place(entity, caster.origin, caster.direction).filter(|_| caster.enabled);
        let found = placed.map(|(origin, rotation, direction)| {
            let filter = filter_of(&caster.query_filter, caster.ignore_self.then_some(entity));
            let (max_distance, ignore_origin_penetration) = (caster.max_distance, caster.ignore_origin_penetration);
            let config = ShapeCastConfig { max_distance, ignore_origin_penetration };
            let (shape, turn) = (&caster.shape, rotation * caster.shape_rotation);
            match caster.max_hits {
                1 => query.cast_shape(shape, origin, turn, direction, &config, &filter).into_iter().collect(),
                most => query.shape_hits(shape, origin, turn, direction, most, &config, &filter),
            }
        });
        hits.set_if_neq(ShapeHits(found.unwrap_or_default()));
    }
}
