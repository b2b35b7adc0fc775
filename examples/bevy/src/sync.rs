//! Keeps the collision world and the entities alike. Both ways, only what changed is looked at.
//!
//! ```text
//!   FixedPostUpdate   restore    a clone of Physics was put back: Transforms become those of the clone
//!                     propagate  Bevy's own systems, so that poses are those of this tick
//!                     sync_in    changed components, poses, velocities          entities -> world
//!                     walk, step                                                characters, then bodies
//!                     sync_out   poses and velocities of what moved             world -> entities
//!                     report     what began and ended to touch                  events
//! ```
//! A collider belongs to an *owner*, the entity that is an object of the world: the dynamic or kinematic body above it,
//! otherwise itself.

use crate::{
    AngularVelocity, Collider, ColliderError, Gravity, LinearVelocity, Physics, RigidBody, StepSettings,
    collider::Logged,
    plan::{Scene, pose_and_scale},
};
use bevy_ecs::{lifecycle::HookContext, prelude::*, system::SystemParam, world::DeferredWorld};
use bevy_math::{Quat, Vec3};
use bevy_time::Time;
use bevy_transform::components::{GlobalTransform, Transform};
use cullide_world::{BodyKind, DynamicsConfig, ObjectKey, Target, bvh::Mobility};
use std::iter::once;

/// Entities of which a component was inserted or removed since the last tick.
#[derive(Resource, Debug, Default)]
pub(crate) struct Dirty(pub(crate) Vec<Entity>);

/// The hook of all components that describe colliders and bodies.
pub(crate) fn changed(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut dirty) = world.get_resource_mut::<Dirty>() {
        dirty.0.push(context.entity);
    }
}

/// Entities may have changed in ways that no hook tells.
#[derive(SystemParam)]
pub(crate) struct Changes<'w, 's> {
    moved: Query<
        'w,
        's,
        (Entity, &'static Transform, &'static GlobalTransform, Has<ChildOf>),
        (Changed<GlobalTransform>, Or<(With<Collider>, With<RigidBody>)>),
    >,
    reparented: Query<'w, 's, Entity, (Changed<ChildOf>, With<Transform>)>,
    orphaned: RemovedComponents<'w, 's, ChildOf>,
    velocities: Query<
        'w,
        's,
        (Entity, &'static LinearVelocity, &'static AngularVelocity),
        Or<(Changed<LinearVelocity>, Changed<AngularVelocity>)>,
    >,
}

/// Takes what changed of the entities over into the world.
pub(crate) fn sync_in(
    mut physics: ResMut<Physics>,
    mut dirty: ResMut<Dirty>,
    mut logged: ResMut<Logged>,
    scene: Scene,
    mut changes: Changes,
    time: Res<Time>,
    mut todo: Local<Vec<Entity>>,
    mut poses: Local<Vec<(ObjectKey, Quat, Vec3)>>,
) {
    let physics = &mut *physics;
    dirty.0.extend(changes.reparented.iter().chain(changes.orphaned.read()));
    take_dirty(physics, &mut dirty.0, &scene, &mut todo);
    for moved in &changes.moved {
        let entity = moved.0;
        if let Err(error) = physics.take_pose(moved, &scene, time.delta_secs(), &mut todo, &mut poses) {
            logged.log(entity, scene.name(entity), error);
        }
    }
    in_order(&mut todo);
    for owner in todo.drain(..) {
        match scene.plan(owner, physics.records.get(&owner)) {
            Ok(None) => {
                physics.remove(owner);
                logged.forget(owner);
            }
            Ok(Some(plan)) => match physics.put(owner, plan) {
                Ok(()) => logged.forget(owner),
                Err(error) => {
                    physics.remove(owner);
                    logged.log(owner, scene.name(owner), error);
                }
            },
            Err(error) => {
                physics.remove(owner);
                logged.log(owner, scene.name(owner), error);
            }
        }
    }
    if physics.world.set_transform_batch(&poses).is_err() {
        for &(key, rotation, translation) in &*poses {
            let Some(mut object) = physics.world.object_mut(key) else { continue };
            let Err(error) = object.set_transform(rotation, translation) else { continue };
            if let Some(owner) = physics.owner(key.into()) {
                logged.log(owner, scene.name(owner), error.into());
            }
        }
    }
    poses.clear();
    for (entity, velocity, angular_velocity) in &changes.velocities {
        let Some(key) = physics.records.get(&entity).and_then(|record| record.target.object()) else { continue };
        let Some(body) = physics.dynamics.body(key) else { continue };
        let is_known = (body.velocity, body.angular_velocity) == (velocity.0, angular_velocity.0);
        if is_known || physics.walkers.contains_key(&entity) || physics.driven.contains(&key) {
            continue;
        }
        let Some(mut body) = physics.dynamics.body_mut(&physics.world, key) else { continue };
        if let Err(error) = body.set_velocity(velocity.0, angular_velocity.0) {
            logged.log(entity, scene.name(entity), error.into());
        }
    }
}

/// Orders entities as they were spawned, each once, so that the world's keys do not depend on who noticed what first.
pub(crate) fn in_order(entities: &mut Vec<Entity>) {
    entities.sort_unstable_by_key(|entity| (entity.index_u32(), entity.to_bits()));
    entities.dedup();
}

/// Lists the owners that have to be planned again, because of entities that changed and all below these.
fn take_dirty(physics: &mut Physics, dirty: &mut Vec<Entity>, scene: &Scene, todo: &mut Vec<Entity>) {
    in_order(dirty);
    for changed in dirty.drain(..) {
        for entity in once(changed).chain(scene.children.iter_descendants(changed)) {
            todo.extend(physics.owners.remove(&entity));
            if physics.records.contains_key(&entity) || scene.bodies.contains(entity) {
                todo.push(entity);
            }
            if scene.colliders.contains(entity) {
                let owner = scene.owner(entity);
                physics.owners.insert(entity, owner);
                todo.push(owner);
            }
        }
    }
}

impl Physics {
    /// Takes over where an entity has got to, if that is not where the world has put it.
    fn take_pose(
        &mut self,
        (entity, transform, global, is_child): (Entity, &Transform, &GlobalTransform, bool),
        scene: &Scene,
        dt: f32,
        todo: &mut Vec<Entity>,
        poses: &mut Vec<(ObjectKey, Quat, Vec3)>,
    ) -> Result<(), ColliderError> {
        let Some(record) = self.records.get_mut(&entity) else {
            // Where a part is on its body changes the body's shape.
            let Some(owner) = self.owners.get(&entity) else { return Ok(()) };
            let Some(record) = self.records.get(owner) else {
                // Something was wrong with it, which may be no longer so.
                todo.push(*owner);
                return Ok(());
            };
            let had = record.parts.iter().find(|part| part.entity == entity);
            if had.is_some_and(|part| part.place != scene.place(*owner, record.scale, entity)) {
                todo.push(*owner);
            }
            return Ok(());
        };
        if record.shown == *global {
            return Ok(());
        }
        let is_elsewhere = record.shown.translation() != global.translation();
        record.shown = *global;
        let (key, pose) = match (pose_and_scale(transform, global, is_child, record.scale), record.target) {
            (Ok((pose, scale)), Target::Object(key)) => {
                if scale != record.scale {
                    todo.push(entity);
                }
                (key, pose)
            }
            // The plan tells what is wrong.
            _ => {
                todo.push(entity);
                return Ok(());
            }
        };
        if let Some(walker) = self.walkers.get_mut(&entity) {
            // A character does not turn.
            if is_elsewhere {
                walker.move_to(pose.translation)?;
            }
            return Ok(());
        }
        match self.dynamics.body(key) {
            Some(body)
                if body.kind == BodyKind::Kinematic
                    && self.world.object(key).is_some_and(|object| object.is_enabled()) =>
            {
                if let Some(mut body) = self.dynamics.body_mut(&self.world, key) {
                    body.move_kinematic(pose.rotation, pose.translation, dt)?;
                    self.driven.push(key);
                }
            }
            Some(_) => poses.push((key, pose.rotation, pose.translation)),
            None => {
                // Scenery that moves is searched for where moving things are.
                if let Some(mut object) = self.world.object_mut(key) {
                    object.set_mobility(Mobility::Moving);
                    poses.push((key, pose.rotation, pose.translation));
                }
            }
        }
        Ok(())
    }
}

/// Moves bodies.
pub(crate) fn step(
    mut physics: ResMut<Physics>,
    time: Res<Time>,
    gravity: Res<Gravity>,
    settings: Res<StepSettings>,
    velocities: Query<(&LinearVelocity, &AngularVelocity)>,
) {
    let physics = &mut *physics;
    let config = DynamicsConfig { gravity: gravity.0, ..settings.0 };
    if let Err(error) = physics.dynamics.step(&mut physics.world, time.delta_secs(), &config) {
        tracing::error!("no step: {error}");
    }
    physics.has_stepped = true;
    // What a transform has moved goes on by its velocity.
    for key in std::mem::take(&mut physics.driven) {
        let Some(owner) = physics.owner(key.into()) else { continue };
        let Ok((velocity, angular_velocity)) = velocities.get(owner) else { continue };
        let Some(mut body) = physics.dynamics.body_mut(&physics.world, key) else { continue };
        // One that is not finite has been logged.
        let _ = body.set_velocity(velocity.0, angular_velocity.0);
    }
}
