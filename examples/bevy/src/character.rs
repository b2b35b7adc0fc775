//! Characters that walk.

use crate::{
    Gravity, LinearVelocity, Physics,
    collider::Logged,
    show::Shown,
    sync::{changed, in_order},
};
use bevy_ecs::{name::NameOrEntity, prelude::*};
use bevy_math::{Quat, Vec3};
use bevy_time::Time;
use bevy_transform::components::Transform;
use cullide_world::{Character, Filter, Mover, MovingShape, ObjectKey, Shape, narrowphase::Error};

/// Makes an entity with a [`Collider`](crate::Collider) a character: it walks at its [`LinearVelocity`], climbs steps and
/// slopes, rides on what moves, pushes bodies, and falls.
///
/// Write the part of the velocity along the ground in each tick, and add to y to jump. Gravity is added in the air. The
/// collider, which has to be convex or a compound of convex shapes, does not turn with the entity. To put it elsewhere,
/// write its [`Transform`].
///
/// ```
/// # use bevy_cullide::prelude::*;
/// # use bevy_ecs::prelude::*;
/// fn walk(mut heroes: Query<(&mut LinearVelocity, &CharacterState), With<CharacterController>>) {
///     for (mut velocity, state) in &mut heroes {
///         (velocity.x, velocity.z) = (3.0, 0.0);
///         if state.is_grounded() {
///             velocity.y = 5.0;
///         }
///     }
/// }
/// # bevy_ecs::system::assert_is_system(walk);
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
#[component(on_insert = changed, on_remove = changed)]
#[require(Transform, LinearVelocity, CharacterState)]
pub struct CharacterController {
    /// What it climbs, and how strongly it pushes. Read in each tick.
    pub mover: Mover,
}

/// What happened in the last walk of a character.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct CharacterState {
    /// What it stands on; `None` in the air.
    pub ground: Option<CharacterGround>,
    /// How far a step raised it: a camera may lag by this much.
    pub stepped: f32,
    /// Whether it is crushed between things that moved.
    pub is_crushed: bool,
}

impl CharacterState {
    /// Whether it stands on something.
    pub const fn is_grounded(&self) -> bool {
        self.ground.is_some()
    }
}

/// What a character stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CharacterGround {
    /// The collider; `None` for what is in the world without an entity.
    pub entity: Option<Entity>,
    /// The triangle of a mesh or a terrain, or the child of a compound.
    pub part: u32,
    /// The number of that part, such as its material.
    pub surface: u16,
    /// Its unit normal.
    pub normal: Vec3,
    /// How fast it moves where the character stands.
    pub velocity: Vec3,
}

/// A character in the world.
#[derive(Clone, Debug)]
pub(crate) struct Walker {
    pub(crate) character: Character<MovingShape>,
}

impl Walker {
    pub(crate) fn new(had: Option<Self>, shape: &Shape, key: ObjectKey, place: Vec3) -> Result<Self, Error> {
        let Some(mut had) = had else {
            let mut character = Character::new(MovingShape::new(shape.clone(), place)?);
            character.object = Some(key);
            return Ok(Self { character });
        };
        if had.character.body.given() != shape {
            had.character.body = MovingShape::new(shape.clone(), had.character.position())?;
        }
        Ok(had)
    }

    pub(crate) fn move_to(&mut self, place: Vec3) -> Result<(), Error> {
        self.character.body = self.character.body.at(place)?;
        self.character.ground = None;
        Ok(())
    }
}

/// Walks all characters, in the order of their entities.
pub(crate) fn walk(
    mut physics: ResMut<Physics>,
    mut controllers: Query<(Entity, &CharacterController, &mut CharacterState)>,
    mut shown: Shown,
    mut logged: ResMut<Logged>,
    names: Query<NameOrEntity>,
    time: Res<Time>,
    gravity: Res<Gravity>,
    mut order: Local<Vec<Entity>>,
) {
    let (physics, dt) = (&mut *physics, time.delta_secs());
    order.clear();
    order.extend(controllers.iter().map(|(entity, ..)| entity).filter(|entity| physics.walkers.contains_key(entity)));
    in_order(&mut order);
    for &entity in &*order {
        let Ok((_, controller, mut state)) = controllers.get_mut(entity) else { continue };
        let Some(mut walker) = physics.walkers.remove(&entity) else { continue };
        let character = &mut walker.character;
        character.velocity = shown.velocity(entity);
        if !character.is_on_ground() {
            character.velocity += gravity.0 * dt;
        }
        let key = character.object;
        let filter =
            key.and_then(|key| physics.world.object(key)).map_or(Filter::ALL, |own| Filter::layers(own.pairs_with));
        let before = character.clone();
        let walk = physics.dynamics.walk(&physics.world, &controller.mover, character, dt, &filter).and_then(|walk| {
            if let Some(mut object) = key.and_then(|key| physics.world.object_mut(key)) {
                object.set_transform(Quat::IDENTITY, character.position())?;
            }
            Ok(walk)
        });
        let walk = match walk {
            Ok(walk) => walk,
            Err(error) => {
                logged.log(
                    entity,
                    names.get(entity).map_or_else(|_| entity.to_string(), |name| name.to_string()),
                    error.into(),
                );
                walker.character = before;
                physics.walkers.insert(entity, walker);
                continue;
            }
        };
        let ground = character.ground.map(|ground| CharacterGround {
            entity: physics.entity(ground.target, ground.part),
            part: ground.part,
            surface: ground.surface,
            normal: ground.normal,
            velocity: ground.velocity,
        });
        state.set_if_neq(CharacterState { ground, stepped: walk.stepped, is_crushed: walk.overlap.is_some() });
        physics.walkers.insert(entity, walker);
        if let Some(key) = key {
            physics.show(&[key], &mut shown);
        }
    }
}
