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
    AngularVelocity, ColliderError, Gravity, LinearVelocity, Physics, StepSettings,
    agreed::{Agreed, Place, Placed, Placing},
    collider::Logged,
    plan::{Scene, pose_and_scale},
};
use bevy_ecs::{
    lifecycle::HookContext,
    prelude::*,
    system::{SystemChangeTick, SystemParam},
    world::DeferredWorld,
};
use bevy_math::{Quat, Vec3};
use bevy_time::Time;
use bevy_transform::components::{GlobalTransform, Transform, TransformTreeChanged};
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
    agreed: ParamSet<
        'w,
        's,
        (
            Query<'w, 's, (Entity, Placing, &'static mut Agreed), Changed<GlobalTransform>>,
            Query<'w, 's, (Placing, &'static mut Agreed)>,
            Query<
                'w,
                's,
                (Entity, Ref<'static, LinearVelocity>, Ref<'static, AngularVelocity>, &'static Agreed),
                Or<(Changed<LinearVelocity>, Changed<AngularVelocity>)>,
            >,
        ),
    >,
    reparented: Query<'w, 's, Entity, (Changed<ChildOf>, With<Transform>)>,
    orphaned: RemovedComponents<'w, 's, ChildOf>,
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
    for (entity, placed, mut agreed) in &mut changes.agreed.p0() {
        // Most of it has been moved by the world itself.
        if agreed.place.is(placed) {
            continue;
        }
        if let Err(error) =
            physics.take_pose(entity, placed, &mut agreed.place, &scene, time.delta_secs(), &mut todo, &mut poses)
        {
            logged.log(entity, scene.name(entity), error);
        }
    }
    in_order(&mut todo);
    for owner in todo.drain(..) {
        let planned = scene.plan(owner, physics.records.get(&owner)).and_then(|plan| match plan {
            Some(plan) => physics.put(owner, plan),
            None => {
                physics.remove(owner);
                Ok(())
            }
        });
        match planned {
            Ok(()) => logged.forget(owner),
            Err(error) => {
                physics.remove(owner);
                logged.log(owner, scene.name(owner), error);
            }
        }
        if let Ok((placed, mut agreed)) = changes.agreed.p1().get_mut(owner) {
            let is_there = physics.records.contains_key(&owner);
            agreed.place = if is_there { Place::new(placed) } else { Place::Nowhere };
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
    for (entity, velocity, angular_velocity, agreed) in &changes.agreed.p2() {
        let [keeps_linear, keeps_angular] = [agreed.is_written(&velocity), agreed.is_written(&angular_velocity)];
        if keeps_linear && keeps_angular {
            continue;
        }
        let Some(key) = physics.records.get(&entity).and_then(|record| record.target.object()) else { continue };
        let Some(body) = physics.dynamics.body(key) else { continue };
        // The world may have pushed the body since it wrote the other velocity.
        let linear = if keeps_linear { body.velocity } else { velocity.0 };
        let angular = if keeps_angular { body.angular_velocity } else { angular_velocity.0 };
        let is_known = (body.velocity, body.angular_velocity) == (linear, angular);
        if is_known || physics.walkers.contains_key(&entity) || physics.driven.contains(&key) {
            continue;
        }
        let Some(mut body) = physics.dynamics.body_mut(&physics.world, key) else { continue };
        if let Err(error) = body.set_velocity(linear, angular) {
            logged.log(entity, scene.name(entity), error.into());
        }
    }
}

/// What [`mark_dirty_trees`](bevy_transform::systems::mark_dirty_trees) does, without what is in no tree, which costs as
/// much as to propagate it.
pub(crate) fn mark_dirty_trees(
    changed: Query<
        Entity,
        (Or<(Changed<Transform>, Changed<ChildOf>, Added<GlobalTransform>)>, Or<(With<ChildOf>, With<Children>)>),
    >,
    mut orphaned: RemovedComponents<ChildOf>,
    mut trees: Query<(&mut TransformTreeChanged, Option<&ChildOf>)>,
    now: SystemChangeTick,
) {
    for entity in changed.iter().chain(orphaned.read()) {
        let mut next = Some(entity);
        while let Some((mut tree, parent)) = next.and_then(|entity| trees.get_mut(entity).ok()) {
            // Then all above it is marked. An older mark may have been left by other parents, or by Bevy.
            if tree.last_changed() == now.this_run() && !tree.is_added() {
                break;
            }
            tree.set_changed();
            next = parent.map(ChildOf::parent);
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
            if physics.records.contains_key(&entity)
                || scene.bodies.contains(entity)
                || scene.characters.contains(entity)
            {
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
        entity: Entity,
        placed: Placed,
        known: &mut Place,
        scene: &Scene,
        dt: f32,
        todo: &mut Vec<Entity>,
        poses: &mut Vec<(ObjectKey, Quat, Vec3)>,
    ) -> Result<(), ColliderError> {
        let Some(record) = self.records.get(&entity) else {
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
        let before = std::mem::replace(known, Place::new(placed));
        let is_elsewhere = before.translation() != known.translation();
        let (transform, global, is_child) = placed;
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
