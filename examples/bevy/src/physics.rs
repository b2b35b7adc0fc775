//! The collision world as a resource, and what each entity is in it.

use crate::{
    ColliderError, CollidingEntities, CollisionLayers,
    character::Walker,
    collider::Form,
    plan::{Plan, Role},
};
use bevy_ecs::{entity::EntityHashMap, prelude::*};
use bevy_math::{Affine3A, Vec3};
use cullide_world::{
    self as cullide, BodyMut, Dynamics, Object, ObjectKey, Shape, Simulation, Target, Triggers, World, WorldPlane,
    bvh::Mobility, narrowphase::Plane,
};

/// The collision world with its bodies and characters, as one resource.
///
/// A clone saves all of it, and costs little, as most of its memory is shared. Put a clone back to roll back: with the
/// next fixed tick, the transforms and velocities of bodies and characters are those of the clone again. Which entities
/// there are and what describes them (colliders, layers, masses) is taken from the entities, before and after.
///
/// ```
/// # use bevy_cullide::Physics;
/// # fn example(world: &mut bevy_ecs::world::World) {
/// let saved = world.resource::<Physics>().clone();
/// // Some ticks later:
/// world.insert_resource(saved.clone());
/// # }
/// ```
#[derive(Resource, Debug)]
pub struct Physics {
    /// The objects. The `user` number of each is [the bits](Entity::to_bits) of its entity. Objects and planes of your own
    /// may be added, with `user` zero.
    pub world: World,
    /// The bodies.
    pub dynamics: Dynamics,
    pub(crate) triggers: Triggers,
    pub(crate) records: EntityHashMap<Record>,
    /// The owner of each collider.
    pub(crate) owners: EntityHashMap<Entity>,
    pub(crate) walkers: EntityHashMap<Walker>,
    /// What each entity touches now.
    pub(crate) touching: EntityHashMap<CollidingEntities>,
    /// What was removed since the last events were sent.
    pub(crate) gone: Vec<(ObjectKey, Entity)>,
    /// Bodies that the last step moved.
    pub(crate) moved: Vec<ObjectKey>,
    /// Kinematic bodies that their transforms move in this tick.
    pub(crate) driven: Vec<ObjectKey>,
    /// Whether there was a step since the last events.
    pub(crate) has_stepped: bool,
    pub(crate) is_clone: bool,
}

/// An owner in the world.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) target: Target,
    pub(crate) scale: Vec3,
    /// The colliders of a body of several, by their first children in its compound; empty for a collider alone.
    pub(crate) parts: Vec<Part>,
    /// Those of a sensor.
    pub(crate) watches: Option<CollisionLayers>,
}

#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) first: u32,
    pub(crate) entity: Entity,
    pub(crate) place: Affine3A,
}

impl Clone for Physics {
    fn clone(&self) -> Self {
        Self {
            world: self.world.clone(),
            dynamics: self.dynamics.clone(),
            triggers: self.triggers.clone(),
            records: self.records.clone(),
            owners: self.owners.clone(),
            walkers: self.walkers.clone(),
            touching: self.touching.clone(),
            gone: self.gone.clone(),
            moved: self.moved.clone(),
            driven: self.driven.clone(),
            has_stepped: self.has_stepped,
            is_clone: true,
        }
    }
}

impl Physics {
    /// It is no [`Default`], so that the `Time<Physics>` of avian does not compile, rather than not be there.
    ///
    /// ```compile_fail
    /// # use bevy_cullide::Physics;
    /// # use bevy_ecs::prelude::*;
    /// # use bevy_time::Time;
    /// fn pause(time: ResMut<Time<Physics>>) {}
    /// ```
    pub(crate) fn new() -> Self {
        Self {
            // The same in each run, so that hashes and snapshots are.
            world: World::with_tag(0),
            dynamics: Dynamics::new(),
            triggers: Triggers::new(),
            records: EntityHashMap::default(),
            owners: EntityHashMap::default(),
            walkers: EntityHashMap::default(),
            touching: EntityHashMap::default(),
            gone: Vec::new(),
            moved: Vec::new(),
            driven: Vec::new(),
            has_stepped: false,
            is_clone: false,
        }
    }

    /// Returns the object that an entity's collider is, or is a part of.
    pub fn key(&self, entity: Entity) -> Option<ObjectKey> {
        let owner = self.owners.get(&entity).unwrap_or(&entity);
        self.records.get(owner)?.target.object()
    }

    /// Returns the entity of a hit: that of the collider, where a body has several.
    pub fn entity(&self, target: Target, part: u32) -> Option<Entity> {
        let owner = self.owner(target)?;
        let Some(record) = self.records.get(&owner).filter(|record| !record.parts.is_empty()) else {
            return Some(owner);
        };
        let Shape::Compound(placed) = &self.world.object(target.object()?)?.shape else { return Some(owner) };
        let (child, _) = placed.compound().child_of(part)?;
        let after = record.parts.partition_point(|part| part.first <= child);
        record.parts.get(after.checked_sub(1)?).map(|part| part.entity)
    }

    /// Returns the entity of a hit object: the body, or the collider that belongs to none.
    pub fn owner(&self, target: Target) -> Option<Entity> {
        match target {
            Target::Object(key) => Entity::try_from_bits(self.world.object(key)?.user),
            Target::Plane(key) => Entity::try_from_bits(self.world.plane(key)?.user),
        }
    }

    /// Returns the body of an entity, to be pushed, or to be given velocities at once; `None` for one that has none.
    ///
    /// ```
    /// # use bevy_ecs::prelude::*;
    /// # use bevy_cullide::{Physics, prelude::*};
    /// # use bevy_transform::components::Transform;
    /// # use bevy_math::Vec3;
    /// fn kick(mut physics: ResMut<Physics>, bodies: Query<(Entity, &Transform), With<RigidBody>>) -> Result {
    ///     for (entity, at) in &bodies {
    ///         if let Some(mut body) = physics.body_mut(entity) {
    ///             body.apply_impulse(Vec3::Y * 5.0, at.translation)?;
    ///         }
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn body_mut(&mut self, entity: Entity) -> Option<BodyMut<'_>> {
        let key = self.key(entity)?;
        self.dynamics.body_mut(&self.world, key)
    }

    /// Returns a hash of all that the next tick starts from in the world, its bodies, characters and sensors: the same
    /// after the same ticks on any machine, provided that entities were spawned in the same order.
    pub fn hash(&self) -> u64 {
        let mut others = Simulation::new(World::with_tag(0));
        others.triggers = self.triggers.clone();
        let mut walkers: Vec<_> = self.walkers.iter().collect();
        walkers.sort_unstable_by_key(|(entity, _)| entity.index_u32());
        others.characters = walkers.into_iter().map(|(_, walker)| walker.character.clone()).collect();
        let parts = [self.world.hash(), self.dynamics.hash(&self.world), others.hash()];
        // Fowler, Noll and Vo's prime.
        parts.into_iter().fold(0, |hash: u64, part| hash.wrapping_mul(0x100_0000_01b3) ^ part)
    }

    /// Removes what an owner is in the world.
    pub(crate) fn remove(&mut self, owner: Entity) {
        self.walkers.remove(&owner);
        let Some(record) = self.records.remove(&owner) else { return };
        match record.target {
            Target::Plane(key) => {
                self.world.remove_plane(key);
            }
            Target::Object(key) => {
                self.gone.push((key, owner));
                self.dynamics.remove(key);
                self.triggers.unwatch(key);
                self.world.remove(key);
            }
        }
    }

    /// Makes an owner what the plan says.
    pub(crate) fn put(&mut self, owner: Entity, plan: Plan) -> Result<(), ColliderError> {
        let Plan { form, layers, material, .. } = &plan;
        let pose = plan.pose;
        let target = match form {
            Form::HalfSpace(normal) => {
                if !matches!(plan.role, Role::Scenery) {
                    return Err(ColliderError::HalfSpace);
                }
                let plane = Plane::from_point_normal(pose.translation, pose.rotation * *normal)?;
                let layers = if plan.is_on { layers.memberships.0 } else { 0 };
                let known = self.records.get(&owner).and_then(|record| record.target.plane());
                match known.and_then(|key| Some((key, self.world.plane_mut(key)?))) {
                    Some((key, mut entry)) => {
                        entry.set_layers(layers);
                        entry.set_plane(plane);
                        key.into()
                    }
                    None => {
                        self.remove(owner);
                        let entry = WorldPlane::half_space(plane).layers(layers).user(owner.to_bits());
                        self.world.insert_plane(entry).into()
                    }
                }
            }
            Form::Shape(shape) => {
                if self.records.get(&owner).is_some_and(|record| record.target.plane().is_some()) {
                    self.remove(owner);
                }
                self.put_object(owner, shape, &plan)?.into()
            }
        };
        self.dynamics.set_material(&self.world, target, *material)?;
        let watches = plan.is_sensor.then_some(plan.layers);
        let Plan { scale, parts, .. } = plan;
        self.records.insert(owner, Record { target, scale, parts, watches });
        Ok(())
    }

    fn put_object(&mut self, owner: Entity, shape: &Shape, plan: &Plan) -> Result<ObjectKey, ColliderError> {
        let known = self.records.get(&owner).and_then(|record| record.target.object());
        let world = &mut self.world;
        let mobility = if matches!(plan.role, Role::Scenery) { Mobility::Fixed } else { Mobility::Moving };
        let key = match known.and_then(|key| Some((key, world.object_mut(key)?))) {
            Some((key, mut object)) => {
                object.set_model(shape.clone())?;
                if plan.role.is_body() != self.dynamics.body(key).is_some() {
                    object.set_mobility(mobility);
                } else if plan.is_child && !plan.role.is_body() {
                    // It follows its parent, also where a clone had it elsewhere.
                    let before = object.transform();
                    object.set_transform(plan.pose.rotation, plan.pose.translation)?;
                    if object.transform() != before {
                        object.set_mobility(Mobility::Moving);
                    }
                }
                key
            }
            None => {
                let object = Object { mobility, ..Object::fixed(shape.clone()).user(owner.to_bits()) };
                world.insert_at(object, plan.pose.rotation, plan.pose.translation)?
            }
        };
        // A sensor is in no layer, and so in nobody's way.
        let [memberships, filters] = match plan.is_sensor {
            true => [0; 2],
            false => [plan.layers.memberships.0, plan.layers.filters.0],
        };
        if let Some(mut object) = world.object_mut(key) {
            object.set_layers(memberships);
            object.set_pairs_with(filters);
            object.set_enabled(plan.is_on);
        }
        match plan.is_sensor {
            true => self.triggers.watch(key, plan.layers.filters.0),
            false => self.triggers.unwatch(key),
        };
        if !matches!(plan.role, Role::Character) {
            self.walkers.remove(&owner);
        }
        let body = match &plan.role {
            Role::Scenery => {
                self.dynamics.remove(key);
                return Ok(key);
            }
            Role::Body(body) => *body,
            Role::Character => {
                let walker = Walker::new(self.walkers.remove(&owner), shape, key, plan.pose.translation)?;
                self.walkers.insert(owner, walker);
                cullide::RigidBody::kinematic()
            }
        };
        // Velocities are set by their components.
        let body = match self.dynamics.body(key) {
            Some(had) => cullide::RigidBody { velocity: had.velocity, angular_velocity: had.angular_velocity, ..body },
            None => body,
        };
        let inserted = self.dynamics.insert(&mut self.world, key, body);
        if inserted.is_err() && known.is_none() {
            self.world.remove(key);
        }
        inserted?;
        Ok(key)
    }
}
