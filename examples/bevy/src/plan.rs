//! What the entities say that an owner is to be in the world.

use crate::{
    Collider, ColliderDisabled, ColliderError, CollisionLayers, RigidBody, Sensor,
    body::Description,
    character::CharacterController,
    collider::{Form, Parts},
    physics::{Part, Record},
};
use bevy_ecs::{name::NameOrEntity, prelude::*, system::SystemParam};
use bevy_math::{Affine3A, Quat, Vec3};
use bevy_transform::components::{GlobalTransform, Transform};
use cullide_world as cullide;
use std::iter::once;

/// What an owner is to be in the world.
pub(crate) struct Plan {
    pub(crate) form: Form,
    pub(crate) role: Role,
    pub(crate) is_sensor: bool,
    pub(crate) is_on: bool,
    pub(crate) layers: CollisionLayers,
    pub(crate) material: cullide::Material,
    pub(crate) parts: Vec<Part>,
    pub(crate) pose: Pose,
    pub(crate) scale: Vec3,
    pub(crate) is_child: bool,
}

pub(crate) enum Role {
    Scenery,
    Body(cullide::RigidBody),
    Character,
}

impl Role {
    pub(crate) fn is_body(&self) -> bool {
        !matches!(self, Self::Scenery)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Pose {
    pub(crate) rotation: Quat,
    pub(crate) translation: Vec3,
}

type Transforms<'w, 's> = Query<'w, 's, (&'static Transform, &'static GlobalTransform, Has<ChildOf>), With<Transform>>;

/// Entities that will have a collider; none without meshes.
#[cfg(feature = "mesh")]
type Waiting = With<crate::ColliderConstructor>;
#[cfg(not(feature = "mesh"))]
type Waiting = (With<Collider>, Without<Collider>);

/// The entities, as the plans read them.
#[derive(SystemParam)]
pub(crate) struct Scene<'w, 's> {
    pub(crate) colliders:
        Query<'w, 's, (&'static Collider, Option<&'static CollisionLayers>, Has<Sensor>, Has<ColliderDisabled>)>,
    pub(crate) bodies: Query<'w, 's, &'static RigidBody>,
    descriptions: Query<'w, 's, Description>,
    pub(crate) characters: Query<'w, 's, (), With<CharacterController>>,
    waiting: Query<'w, 's, (), Waiting>,
    parents: Query<'w, 's, &'static ChildOf>,
    pub(crate) children: Query<'w, 's, &'static Children>,
    transforms: Transforms<'w, 's>,
    names: Query<'w, 's, NameOrEntity>,
}

impl Scene<'_, '_> {
    /// The kind of the body that an entity is, if it moves and is no character.
    fn moves(&self, entity: Entity) -> bool {
        self.bodies.get(entity).is_ok_and(|body| *body != RigidBody::Static)
    }

    /// The entity that a collider belongs to.
    pub(crate) fn owner(&self, collider: Entity) -> Entity {
        if self.colliders.get(collider).is_ok_and(|(_, _, is_sensor, _)| is_sensor) {
            return collider;
        }
        let mut above = once(collider).chain(self.parents.iter_ancestors(collider));
        above.find(|entity| self.bodies.contains(*entity)).filter(|body| self.moves(*body)).unwrap_or(collider)
    }

    /// The layers of the body that an owner is or belongs to, if the body has no collider of its own.
    fn layers_of_body(&self, owner: Entity) -> Option<&CollisionLayers> {
        let mut above = once(owner).chain(self.parents.iter_ancestors(owner));
        let body = above.find(|entity| self.bodies.contains(*entity) || self.characters.contains(*entity))?;
        self.descriptions.get(body).ok()?.layers.filter(|_| !self.colliders.contains(body))
    }

    /// What an owner is to be; `None` for an entity that is none.
    pub(crate) fn plan(&self, owner: Entity, had: Option<&Record>) -> Result<Option<Plan>, ColliderError> {
        let Ok((transform, global, is_child)) = self.transforms.get(owner) else { return Ok(None) };
        let (pose, scale) = pose_and_scale(transform, global, is_child, had.map_or(Vec3::ONE, |record| record.scale))?;
        let own = self.colliders.get(owner).ok().filter(|_| self.owner(owner) == owner);
        let is_sensor = own.is_some_and(|(_, _, is_sensor, _)| is_sensor);
        let is_character = self.characters.contains(owner);
        let below: Vec<Entity> = match self.moves(owner) && !is_character {
            true => {
                self.children.iter_descendants_depth_first(owner).filter(|child| self.is_part(*child, owner)).collect()
            }
            false => Vec::new(),
        };
        let Some(&first) = own.map(|_| &owner).or(below.first()) else {
            let lacks_one = is_character && !self.waiting.contains(owner);
            return if lacks_one { Err(ColliderError::NoCollider) } else { Ok(None) };
        };
        let Ok((collider, layers, _, is_off)) = self.colliders.get(first) else { return Ok(None) };
        let (form, parts, is_on) = match below.is_empty() {
            true => (collider.scaled(scale)?, Vec::new(), !is_off),
            false => self.compound(owner, scale, own.map(|_| owner).into_iter().chain(below))?,
        };
        let Ok(description) = self.descriptions.get(owner) else { return Ok(None) };
        let pose = if is_character { Pose { rotation: Quat::IDENTITY, ..pose } } else { pose };
        let role = match description.body(is_sensor) {
            _ if is_character => Role::Character,
            Some(body) => Role::Body(body),
            None => Role::Scenery,
        };
        let above = self.layers_of_body(owner).filter(|_| !is_sensor);
        let layers = above.or(layers).copied().unwrap_or_default();
        let material = description.material();
        Ok(Some(Plan { form, role, is_sensor, is_on, layers, material, parts, pose, scale, is_child }))
    }

    fn is_part(&self, child: Entity, owner: Entity) -> bool {
        self.colliders.contains(child) && self.owner(child) == owner
    }

    /// The colliders of a body as one shape: those that are on, or all, if none is.
    fn compound(
        &self,
        owner: Entity,
        scale: Vec3,
        colliders: impl Iterator<Item = Entity> + Clone,
    ) -> Result<(Form, Vec<Part>, bool), ColliderError> {
        let is_off = |entity: Entity| self.colliders.get(entity).is_ok_and(|(_, _, _, is_off)| is_off);
        let is_on = !colliders.clone().all(is_off);
        let (mut shapes, mut parts) = (Parts::default(), Vec::new());
        for entity in colliders.filter(|entity| is_off(*entity) != is_on) {
            let Ok((collider, ..)) = self.colliders.get(entity) else { continue };
            let place = self.place(owner, scale, entity);
            let (scale, rotation, translation) = rigid(&place, Vec3::ONE)?;
            let first = shapes.add(&collider.scaled(scale)?.solid()?, rotation, translation)?;
            parts.push(Part { first, entity, place });
        }
        Ok((Form::Shape(shapes.shape()?), parts, is_on))
    }

    /// Where a part is in the coordinates of its body, which has this scale.
    pub(crate) fn place(&self, owner: Entity, scale: Vec3, part: Entity) -> Affine3A {
        let above = once(part).chain(self.parents.iter_ancestors(part));
        let chain = above.take_while(|entity| *entity != owner);
        let local = chain.fold(Affine3A::IDENTITY, |below, entity| match self.transforms.get(entity) {
            Ok((transform, ..)) => transform.compute_affine() * below,
            Err(_) => below,
        });
        Affine3A::from_scale(scale) * local
    }

    pub(crate) fn name(&self, entity: Entity) -> String {
        self.names.get(entity).map_or_else(|_| entity.to_string(), |name| name.to_string())
    }
}

/// The pose and the scale of an entity. The scale is the one that it had, if it differs by rounding only.
pub(crate) fn pose_and_scale(
    transform: &Transform,
    global: &GlobalTransform,
    is_child: bool,
    had: Vec3,
) -> Result<(Pose, Vec3), ColliderError> {
    if !is_child {
        return Ok((Pose { rotation: transform.rotation, translation: transform.translation }, transform.scale));
    }
    let (scale, rotation, translation) = rigid(&global.affine(), had)?;
    Ok((Pose { rotation, translation }, scale))
}

/// By this share, scales may differ by rounding.
const ROUNDED: f32 = 1e-5;

/// Splits a map into scale, rotation and translation.
fn rigid(affine: &Affine3A, had: Vec3) -> Result<(Vec3, Quat, Vec3), ColliderError> {
    let (mut scale, rotation, translation) = affine.to_scale_rotation_translation();
    let is_near = |other: Vec3| (scale - other).abs().cmple(scale.abs() * ROUNDED).all();
    if let Some(&near) = [had, Vec3::ONE, Vec3::splat(scale.x)].iter().find(|other| is_near(**other)) {
        scale = near;
    }
    let off = Affine3A::from_scale_rotation_translation(scale, rotation, translation).matrix3 - affine.matrix3;
    let most = [off.x_axis, off.y_axis, off.z_axis].iter().fold(0.0, |most: f32, axis| most.max(axis.length()));
    if most > 1e-3 * scale.abs().max_element() {
        return Err(ColliderError::Skewed);
    }
    Ok((scale, rotation, translation))
}
