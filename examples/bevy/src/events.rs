//! What began and ended to touch, as messages, events and components.

use crate::Physics;
use bevy_ecs::{
    entity::{Entities, EntityHashSet},
    lifecycle::HookContext,
    prelude::*,
    system::SystemParam,
    world::DeferredWorld,
};
use cullide_world::{Filter, ObjectKey, Target};

/// Two colliders began to touch, or something entered a [`Sensor`](crate::Sensor). Of a body with several colliders, the
/// entity is the body.
///
/// It is written as a message once, and triggered as an event for each of the two entities that has
/// [`CollisionEventsEnabled`], which is then the first of the two.
#[derive(EntityEvent, Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollisionStart {
    /// The entity that the event is triggered for.
    #[event_target]
    pub collider1: Entity,
    /// The other one.
    pub collider2: Entity,
}

/// Two colliders no longer touch, or something left a [`Sensor`](crate::Sensor), or one of the two was removed.
#[derive(EntityEvent, Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollisionEnd {
    /// The entity that the event is triggered for.
    #[event_target]
    pub collider1: Entity,
    /// The other one.
    pub collider2: Entity,
}

/// Enables messages and events of an entity's collisions.
#[derive(Component, Clone, Copy, Debug, Default)]
#[component(on_remove = lost)]
pub struct CollisionEventsEnabled;

/// The entities that lost [`CollisionEventsEnabled`] since the last events: if they are despawned, their last events are
/// due.
#[derive(Resource, Debug, Default)]
pub(crate) struct Lost(EntityHashSet);

fn lost(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut lost) = world.get_resource_mut::<Lost>() {
        lost.0.insert(context.entity);
    }
}

/// The entities that an entity touches, or that are in a sensor.
#[derive(Component, Clone, Debug, Default, PartialEq)]
pub struct CollidingEntities(pub EntityHashSet);

impl std::ops::Deref for CollidingEntities {
    type Target = EntityHashSet;
    fn deref(&self) -> &EntityHashSet {
        &self.0
    }
}

impl Physics {
    /// The pairs that began and ended to touch in the last step, by entity.
    fn changes(&mut self) -> [Vec<(Entity, Entity)>; 2] {
        let Self { world, triggers, .. } = &mut *self;
        triggers.update(world, &Filter::ALL.moving_only());
        let report = self.dynamics.report();
        let object = |key: ObjectKey| {
            let gone = || self.gone.iter().find(|gone| gone.0 == key).map(|gone| gone.1);
            self.owner(key.into()).or_else(gone)
        };
        let entity = |target: Target| target.object().map_or_else(|| self.owner(target), object);
        let contact = |pair: &(ObjectKey, Target)| object(pair.0).zip(entity(pair.1));
        let inside = |pair: &(ObjectKey, ObjectKey)| object(pair.0).zip(object(pair.1));
        // What enters a sensor collides with the layers of that, too.
        let is_for = |pair: &&(ObjectKey, ObjectKey)| {
            let watches = object(pair.0).and_then(|sensor| self.records.get(&sensor)?.watches);
            let filters = self.world.object(pair.1).map_or(0, |object| object.pairs_with);
            watches.is_some_and(|watches| watches.memberships.0 & filters != 0)
        };
        let entered = self.triggers.entered().iter().filter(is_for).filter_map(inside);
        let left = self.triggers.left().iter().filter_map(inside);
        [
            report.begun.iter().filter_map(contact).chain(entered).collect(),
            report.ended.iter().filter_map(contact).chain(left).collect(),
        ]
    }
}

impl Physics {
    /// Notes that two touch; returns whether they did not before.
    fn join(&mut self, first: Entity, second: Entity) -> bool {
        self.touching.entry(second).or_default().0.insert(first);
        self.touching.entry(first).or_default().0.insert(second)
    }

    /// Notes that two no longer touch; returns whether they did before.
    fn part(&mut self, first: Entity, second: Entity) -> bool {
        let mut remove = |first: Entity, second: Entity| {
            let Some(others) = self.touching.get_mut(&first) else { return false };
            let touched = others.0.remove(&second);
            if others.0.is_empty() {
                self.touching.remove(&first);
            }
            touched
        };
        remove(second, first);
        remove(first, second)
    }
}

/// Who is told.
#[derive(SystemParam)]
pub(crate) struct Listeners<'w, 's> {
    enabled: Query<'w, 's, (), With<CollisionEventsEnabled>>,
    all: &'w Entities,
    lost: ResMut<'w, Lost>,
    colliding: Query<'w, 's, (Entity, &'static mut CollidingEntities)>,
}

impl Listeners<'_, '_> {
    fn are_told(&self, entity: Entity) -> bool {
        self.enabled.contains(entity) || self.lost.0.contains(&entity) && !self.all.contains_spawned(entity)
    }
}

/// Sends events, and keeps [`CollidingEntities`] up to date.
pub(crate) fn report(
    mut physics: ResMut<Physics>,
    mut commands: Commands,
    mut started: MessageWriter<CollisionStart>,
    mut ended: MessageWriter<CollisionEnd>,
    mut listeners: Listeners,
) {
    if !std::mem::take(&mut physics.has_stepped) {
        return;
    }
    let [begun, over] = physics.changes();
    physics.gone.clear();
    for (first, second) in begun {
        // What touches by more than one way began before.
        if !physics.join(first, second) {
            continue;
        }
        let both =
            [(first, second), (second, first)].map(|(collider1, collider2)| CollisionStart { collider1, collider2 });
        if both.iter().any(|event| listeners.are_told(event.collider1)) {
            started.write(both[0]);
        }
        for event in both {
            if let Ok((_, mut colliding)) = listeners.colliding.get_mut(event.collider1) {
                colliding.0.insert(event.collider2);
            }
            if listeners.are_told(event.collider1) {
                commands.trigger(event);
            }
        }
    }
    for (first, second) in over {
        if !physics.part(first, second) {
            continue;
        }
        let both =
            [(first, second), (second, first)].map(|(collider1, collider2)| CollisionEnd { collider1, collider2 });
        if both.iter().any(|event| listeners.are_told(event.collider1)) {
            ended.write(both[0]);
        }
        for event in both {
            if let Ok((_, mut colliding)) = listeners.colliding.get_mut(event.collider1) {
                colliding.0.remove(&event.collider2);
            }
            if listeners.are_told(event.collider1) {
                commands.trigger(event);
            }
        }
    }
    for (entity, mut colliding) in listeners.colliding.iter_mut().filter(|(_, colliding)| colliding.is_added()) {
        colliding.set_if_neq(physics.touching.get(&entity).cloned().unwrap_or_default());
    }
    listeners.lost.0.clear();
}
