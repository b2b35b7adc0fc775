//! Writes what the world has moved to the entities.

use crate::{
    AngularVelocity, Collider, CollidingEntities, LinearVelocity, Physics, RigidBody,
    agreed::{Agreed, Place},
    sync::Dirty,
};
use bevy_ecs::{
    prelude::*,
    query::QueryData,
    system::{SystemChangeTick, SystemParam},
};
use bevy_math::{Quat, Vec3};
use bevy_transform::components::{GlobalTransform, Transform};
use cullide_world::ObjectKey;
#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// The components that the world writes.
#[derive(SystemParam)]
pub(crate) struct Shown<'w, 's> {
    roots: Query<'w, 's, Written, Without<ChildOf>>,
    children: Query<'w, 's, (Written, &'static ChildOf)>,
    told: Local<'s, Vec<Option<Told>>>,
    now: SystemChangeTick,
}

type Written = (
    &'static mut Transform,
    Option<&'static mut LinearVelocity>,
    Option<&'static mut AngularVelocity>,
    Option<&'static mut Agreed>,
);

/// What the world says of an object.
#[derive(Clone, Copy)]
pub(crate) struct Told {
    owner: Entity,
    /// A character turns as it likes.
    rotation: Option<Quat>,
    translation: Vec3,
    velocities: Option<(Vec3, Vec3)>,
}

impl Told {
    // A call would pass what it writes through memory: some 7 ns of 20 for each entity.
    #[inline(always)]
    fn write(
        &self,
        (mut transform, linear, angular, agreed): <Written as QueryData>::Item<'_, '_>,
        wanted: Transform,
        place: Place,
        now: &SystemChangeTick,
    ) {
        transform.set_if_neq(wanted);
        // So that it is not taken for an edit.
        if let Some(mut agreed) = agreed {
            *agreed = Agreed { place, written: now.this_run() };
        }
        let Some((velocity, angular_velocity)) = self.velocities else { return };
        linear.map(|mut linear| linear.set_if_neq(LinearVelocity(velocity)));
        angular.map(|mut angular| angular.set_if_neq(AngularVelocity(angular_velocity)));
    }
}

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
        let velocity = root.or_else(|| Some(self.children.get(entity).ok()?.0)).and_then(|(_, velocity, ..)| velocity);
        velocity.map_or(Vec3::ZERO, |velocity| velocity.0)
    }

    fn show_root(&mut self, told: &Told) {
        let Ok(written) = self.roots.get_mut(told.owner) else { return };
        let rotation = told.rotation.unwrap_or(written.0.rotation);
        let wanted = Transform { translation: told.translation, rotation, ..*written.0 };
        told.write(written, wanted, Place::Root(wanted), &self.now);
    }

    fn show_child(&mut self, told: &Told, scale: Vec3) {
        let Ok((_, parent)) = self.children.get(told.owner) else { return };
        let parent = self.global(parent.parent());
        let Ok((written, _)) = self.children.get_mut(told.owner) else { return };
        let global = Transform { translation: told.translation, rotation: told.rotation.unwrap_or_default(), scale };
        let local = GlobalTransform::from(global).reparented_to(&parent);
        let rotation = told.rotation.map_or(written.0.rotation, |_| local.rotation);
        let wanted = Transform { translation: local.translation, rotation, scale: written.0.scale };
        told.write(written, wanted, Place::Child(parent.mul_transform(wanted)), &self.now);
    }
}

/// The least number of objects that a thread asks at a time.
#[cfg(feature = "parallel")]
const PART: usize = 256;

impl Physics {
    /// Shows where objects are now, parents before children.
    pub(crate) fn show(&self, keys: &[ObjectKey], shown: &mut Shown) {
        let mut all = std::mem::take(&mut *shown.told);
        self.tell_all(keys, &mut all);
        let mut children = Vec::new();
        let has_children = !shown.children.is_empty();
        for told in all.iter().flatten() {
            match if has_children { shown.depth(told.owner) } else { 0 } {
                0 => shown.show_root(told),
                depth => children.push((depth, *told)),
            }
        }
        children.sort_by_key(|(depth, _)| *depth);
        for (_, told) in children {
            if let Some(record) = self.records.get(&told.owner) {
                shown.show_child(&told, record.scale);
            }
        }
        all.clear();
        *shown.told = all;
    }

    /// Half of what it costs to show objects is to ask for their poses. With few, this thread would only wait for others.
    fn tell_all(&self, keys: &[ObjectKey], all: &mut Vec<Option<Told>>) {
        let tell = |key: &ObjectKey| self.tell(*key);
        #[cfg(feature = "parallel")]
        if keys.len() > PART {
            return keys.par_iter().with_min_len(PART).map(tell).collect_into_vec(all);
        }
        all.extend(keys.iter().map(tell));
    }

    fn tell(&self, key: ObjectKey) -> Option<Told> {
        let object = self.world.object(key)?;
        let owner = Entity::try_from_bits(object.user)?;
        let (rotation, translation) = object.transform();
        let walker = self.walkers.get(&owner);
        let velocities = match walker {
            Some(walker) => Some((walker.character.velocity, Vec3::ZERO)),
            None => self.dynamics.body(key).map(|body| (body.velocity, body.angular_velocity)),
        };
        Some(Told { owner, rotation: walker.is_none().then_some(rotation), translation, velocities })
    }
}

/// Shows what the step has moved.
pub(crate) fn sync_out(mut physics: ResMut<Physics>, mut shown: Shown) {
    physics.show(physics.dynamics.report().moved, &mut shown);
    let mut before = std::mem::take(&mut physics.moved);
    let moved = physics.dynamics.report().moved;
    if before != moved {
        let mut sorted = moved.to_vec();
        sorted.sort_unstable();
        // What has come to rest has another velocity, but no other pose.
        before.retain(|key| sorted.binary_search(key).is_err());
        physics.show(&before, &mut shown);
        before.clear();
        before.extend(moved);
    }
    physics.moved = before;
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
    physics.show(&keys, &mut shown);
    for (entity, mut colliding) in &mut colliding {
        colliding.set_if_neq(physics.touching.get(&entity).cloned().unwrap_or_default());
    }
}
