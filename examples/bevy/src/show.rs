//! Writes what the world has moved to the entities.

use crate::{AngularVelocity, Collider, CollidingEntities, LinearVelocity, Physics, RigidBody, sync::Dirty};
use bevy_ecs::{prelude::*, system::SystemParam};
use bevy_math::Vec3;
use bevy_transform::components::{GlobalTransform, Transform};
use cullide_world::ObjectKey;

/// The components that the world writes.
#[derive(SystemParam)]
pub(crate) struct Shown<'w, 's> {
    roots: Query<'w, 's, Written, Without<ChildOf>>,
    children: Query<'w, 's, (Written, &'static ChildOf)>,
}

type Written = (&'static mut Transform, Option<&'static mut LinearVelocity>, Option<&'static mut AngularVelocity>);

impl Shown<'_, '_> {
    /// The global transform of an entity, whose parents may have moved since Bevy propagated transforms.
    fn global(&self, entity: Entity) -> GlobalTransform {
        match self.children.get(entity) {
            Ok(((transform, ..), parent)) => self.global(parent.parent()).mul_transform(*transform),
            Err(_) => self.roots.get(entity).map_or(GlobalTransform::IDENTITY, |(transform, ..)| (*transform).into()),
        }
    }

    /// How many parents an entity has.
    fn depth(&self, entity: Entity) -> usize {
        self.children.get(entity).map_or(0, |(_, parent)| 1 + self.depth(parent.parent()))
    }

    pub(crate) fn velocity(&self, entity: Entity) -> Vec3 {
        let root = self.roots.get(entity).ok();
        let velocity = root.or_else(|| Some(self.children.get(entity).ok()?.0)).and_then(|(_, velocity, _)| velocity);
        velocity.map_or(Vec3::ZERO, |velocity| velocity.0)
    }
}

impl Physics {
    /// Shows where an object is now.
    pub(crate) fn show(&mut self, key: ObjectKey, shown: &mut Shown) {
        self.show_all(std::iter::once(key), shown);
    }

    fn show_root(&mut self, owner: Entity, key: ObjectKey, shown: &mut Shown) {
        let Ok((mut transform, linear, angular)) = shown.roots.get_mut(owner) else { return };
        let Some((rotation, translation)) = self.world.object(key).map(|object| object.transform()) else { return };
        // A character turns as it likes.
        let rotation = if self.walkers.contains_key(&owner) { transform.rotation } else { rotation };
        let wanted = Transform { translation, rotation, ..*transform };
        transform.set_if_neq(wanted);
        self.note(owner, wanted.into());
        self.show_velocity(owner, key, linear, angular);
    }

    fn show_child(&mut self, owner: Entity, key: ObjectKey, shown: &mut Shown) {
        let Ok((_, parent)) = shown.children.get(owner) else { return };
        let parent = shown.global(parent.parent());
        let Ok(((mut transform, linear, angular), _)) = shown.children.get_mut(owner) else { return };
        let Some(((rotation, translation), record)) =
            self.world.object(key).map(|object| object.transform()).zip(self.records.get(&owner))
        else {
            return;
        };
        let global = GlobalTransform::from(Transform { translation, rotation, scale: record.scale });
        let local = global.reparented_to(&parent);
        let rotation = if self.walkers.contains_key(&owner) { transform.rotation } else { local.rotation };
        let wanted = Transform { translation: local.translation, rotation, scale: transform.scale };
        transform.set_if_neq(wanted);
        self.note(owner, parent.mul_transform(wanted));
        self.show_velocity(owner, key, linear, angular);
    }

    /// Remembers what an entity shows, so that it is not taken for an edit.
    fn note(&mut self, owner: Entity, shown: GlobalTransform) {
        if let Some(record) = self.records.get_mut(&owner) {
            record.shown = shown;
        }
    }

    fn show_velocity(
        &self,
        owner: Entity,
        key: ObjectKey,
        linear: Option<Mut<LinearVelocity>>,
        angular: Option<Mut<AngularVelocity>>,
    ) {
        let velocities = match self.walkers.get(&owner) {
            Some(walker) => Some((walker.character.velocity, Vec3::ZERO)),
            None => self.dynamics.body(key).map(|body| (body.velocity, body.angular_velocity)),
        };
        let Some((velocity, angular_velocity)) = velocities else { return };
        linear.map(|mut linear| linear.set_if_neq(LinearVelocity(velocity)));
        angular.map(|mut angular| angular.set_if_neq(AngularVelocity(angular_velocity)));
    }

    /// Shows objects, parents before children.
    fn show_all(&mut self, keys: impl Iterator<Item = ObjectKey>, shown: &mut Shown) {
        let mut children = Vec::new();
        let has_children = !shown.children.is_empty();
        for key in keys {
            let Some(owner) = self.owner(key.into()) else { continue };
            match if has_children { shown.depth(owner) } else { 0 } {
                0 => self.show_root(owner, key, shown),
                depth => children.push((depth, key, owner)),
            }
        }
        children.sort_unstable_by_key(|(depth, key, _)| (*depth, *key));
        children.into_iter().for_each(|(_, key, owner)| self.show_child(owner, key, shown));
    }
}

/// Shows what the step has moved.
pub(crate) fn sync_out(mut physics: ResMut<Physics>, mut shown: Shown) {
    let moved = physics.dynamics.report().moved.to_vec();
    // What has come to rest has another velocity, but no other pose.
    let before = std::mem::replace(&mut physics.moved, moved.clone());
    let rests: Vec<ObjectKey> = match before == moved {
        true => Vec::new(),
        false => {
            let mut sorted = moved.clone();
            sorted.sort_unstable();
            before.into_iter().filter(|key| sorted.binary_search(key).is_err()).collect()
        }
    };
    physics.show_all(moved.into_iter().chain(rests), &mut shown);
}

/// Shows all of a clone that was put back.
pub(crate) fn restore(
    mut physics: ResMut<Physics>,
    mut dirty: ResMut<Dirty>,
    mut shown: Shown,
    described: Query<Entity, Or<(With<Collider>, With<RigidBody>)>>,
    mut colliding: Query<(Entity, &mut CollidingEntities)>,
) {
    if !physics.is_clone {
        return;
    }
    let physics = &mut *physics;
    physics.is_clone = false;
    // Entities may have come and gone meanwhile.
    dirty.0.extend(described.iter().chain(physics.records.keys().copied()));
    let is_shown = |key: &ObjectKey| {
        let is_child = physics.owner((*key).into()).is_some_and(|owner| shown.children.contains(owner));
        // Other things below a parent follow that.
        physics.dynamics.body(*key).is_some() || !is_child
    };
    let keys: Vec<ObjectKey> = physics.world.objects().map(|(key, _)| key).filter(is_shown).collect();
    physics.show_all(keys.into_iter(), &mut shown);
    for (entity, mut colliding) in &mut colliding {
        colliding.set_if_neq(physics.touching.get(&entity).cloned().unwrap_or_default());
    }
}
