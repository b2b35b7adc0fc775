#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod agreed;
mod answers;
mod body;
mod caster;
mod character;
mod collider;
mod events;
#[cfg(feature = "gizmos")]
mod gizmos;
mod interpolation;
mod layers;
#[cfg(feature = "mesh")]
mod mesh;
mod physics;
#[cfg(feature = "picking")]
mod picking;
mod plan;
mod query;
mod show;
mod sync;

pub use answers::{PointProjection, RayHitData, ShapeCastConfig, ShapeHitData, SpatialQueryFilter};
pub use body::{
    AngularDamping, AngularVelocity, ColliderDensity, Friction, GravityScale, LinearDamping, LinearVelocity,
    LockedAxes, Mass, Restitution, RigidBody, SleepingDisabled,
};
pub use caster::{RayCaster, RayHits, ShapeCaster, ShapeHits};
pub use character::{CharacterController, CharacterGround, CharacterState};
pub use collider::{Collider, ColliderDisabled, ColliderError, Sensor};
pub use cullide_world as cullide;
pub use events::{CollidingEntities, CollisionEnd, CollisionEventsEnabled, CollisionStart};
#[cfg(feature = "gizmos")]
pub use gizmos::{PhysicsDebugPlugin, PhysicsGizmos};
pub use interpolation::TransformInterpolation;
pub use layers::{CollisionLayers, LayerMask, PhysicsLayer};
#[cfg(feature = "mesh")]
pub use mesh::{ColliderConstructor, ColliderConstructorHierarchy, ColliderConstructorPlugin};
pub use physics::Physics;
#[cfg(feature = "picking")]
pub use picking::{PhysicsPickingPlugin, PickedPart};
pub use query::SpatialQuery;

use bevy_app::{App, FixedPostUpdate, Plugin, PluginGroup, PluginGroupBuilder};
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_transform::systems::{StaticTransformOptimizations, propagate_parent_transforms, sync_simple_transforms};
use cullide_world::DynamicsConfig;

/// All that a game needs.
pub mod prelude {
    pub use crate::{
        AngularDamping, AngularVelocity, CharacterController, CharacterGround, CharacterState, Collider,
        ColliderDensity, ColliderDisabled, CollidingEntities, CollisionEnd, CollisionEventsEnabled, CollisionLayers,
        CollisionStart, CullidePlugins, Friction, Gravity, GravityScale, LayerMask, LinearDamping, LinearVelocity,
        LockedAxes, Mass, Physics, PhysicsLayer, PhysicsSystems, PointProjection, RayCaster, RayHitData, RayHits,
        Restitution, RigidBody, Sensor, ShapeCastConfig, ShapeCaster, ShapeHitData, ShapeHits, SleepingDisabled,
        SpatialQuery, SpatialQueryFilter, StepSettings, TransformInterpolation, physics_layer,
    };
    #[cfg(feature = "mesh")]
    pub use crate::{ColliderConstructor, ColliderConstructorHierarchy};
    #[cfg(feature = "gizmos")]
    pub use crate::{PhysicsDebugPlugin, PhysicsGizmos};
    #[cfg(feature = "picking")]
    pub use crate::{PhysicsPickingPlugin, PickedPart};
}

/// [`CullidePlugin`] and, with the feature `mesh`, the plugin for meshes. Those for picking and gizmos are added by
/// themselves.
#[derive(Clone, Copy, Debug, Default)]
pub struct CullidePlugins;

impl PluginGroup for CullidePlugins {
    fn build(self) -> PluginGroupBuilder {
        let group = PluginGroupBuilder::start::<Self>().add(CullidePlugin);
        #[cfg(feature = "mesh")]
        let group = group.add(mesh::ColliderConstructorPlugin);
        group
    }
}

/// Colliders, bodies, characters, queries and events.
#[derive(Clone, Copy, Debug, Default)]
pub struct CullidePlugin;

/// The parts of a tick, in [`FixedPostUpdate`].
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PhysicsSystems {
    /// What changed of the entities is taken over into the world. From here on, queries see it.
    Prepare,
    /// Characters walk, bodies move. To pause, give this set a run condition.
    StepSimulation,
    /// What moved is written to the entities, events are sent, casters cast.
    Writeback,
}

/// The acceleration of all that falls, in units per second squared. Preset: 9.81 downward.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub struct Gravity(pub Vec3);

impl Gravity {
    /// Nothing falls.
    pub const ZERO: Self = Self(Vec3::ZERO);
}

impl Default for Gravity {
    fn default() -> Self {
        Self(Vec3::NEG_Y * 9.81)
    }
}

/// How bodies are stepped. Its gravity is not used: [`Gravity`] is.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct StepSettings(pub DynamicsConfig);

impl Plugin for CullidePlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(Physics::new())
            .init_resource::<Gravity>()
            .init_resource::<StepSettings>()
            .init_resource::<StaticTransformOptimizations>()
            .init_resource::<sync::Dirty>()
            .init_resource::<collider::Logged>()
            .init_resource::<events::Lost>()
            .add_message::<CollisionStart>()
            .add_message::<CollisionEnd>()
            .configure_sets(
                FixedPostUpdate,
                (PhysicsSystems::Prepare, PhysicsSystems::StepSimulation, PhysicsSystems::Writeback).chain(),
            )
            .add_systems(
                FixedPostUpdate,
                (
                    (
                        show::restore,
                        sync::mark_dirty_trees,
                        propagate_parent_transforms,
                        sync_simple_transforms,
                        sync::sync_in,
                    )
                        .chain()
                        .in_set(PhysicsSystems::Prepare),
                    (character::walk, sync::step).chain().in_set(PhysicsSystems::StepSimulation),
                    (show::sync_out, events::report, caster::cast).chain().in_set(PhysicsSystems::Writeback),
                ),
            );
        interpolation::build(app);
        // Those spawned before the plugin was there.
        let world = app.world_mut();
        let spawned = world.query_filtered::<Entity, Or<(With<Collider>, With<RigidBody>)>>().iter(world).collect();
        world.resource_mut::<sync::Dirty>().0 = spawned;
    }
}
