//! Objects: what is in the world, and how it changes.

use crate::{
    CullideAabb, CullidePose, CullideShape, CullideVec3, CullideWorld,
    key::{self, CullideKey},
    memory::{each, given, room, values},
    plane,
    shape::placed,
    status::{CullideStatus, Failure, guard},
    values::mobility,
};
use cullide_world::{Mobility, Object, ObjectMut};
use std::mem::MaybeUninit;

/// An object to insert.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CullideObject {
    /// Its shape, which the world copies or shares: it may be freed afterwards.
    pub shape: *const CullideShape,
    /// Where the shape is put.
    pub pose: CullidePose,
    /// `CULLIDE_FIXED` or `CULLIDE_MOVING`.
    pub mobility: u32,
    /// The layers that it is in; a filter finds it by any of them.
    pub layers: u32,
    /// The layers with whose objects it makes pairs, if these pair with its own, too.
    pub pairs_with: u32,
    /// The caller's number, such as that of an entity.
    pub user: u64,
}

/// Returns a fixed object in all layers, which pairs with all, at the origin; change the rest from there.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_object(shape: *const CullideShape) -> CullideObject {
    CullideObject {
        shape,
        pose: CullidePose::default(),
        mobility: crate::CULLIDE_FIXED,
        layers: u32::MAX,
        pairs_with: u32::MAX,
        user: 0,
    }
}

/// Inserts objects, and writes as many keys to `keys`; if one of them is refused, none is inserted. A whole level at
/// once costs a fraction of as many calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_insert(
    world: Option<&mut CullideWorld>,
    objects: *const CullideObject,
    count: usize,
    keys: *mut CullideKey,
) -> CullideStatus {
    guard(|| {
        let world = &mut given(world, "world")?.world;
        // SAFETY: the caller's arrays, as the header demands.
        let (objects, keys) = unsafe { (values(objects, count, "objects")?, room(keys, count, "keys")?) };
        let mut models = Vec::new();
        each(objects, "objects", &mut models, |object| {
            // SAFETY: a handle of this library, as the header demands.
            let shape = given(unsafe { object.shape.as_ref() }, "shape")?.shape.clone();
            placed(&shape, object.pose)?;
            let (mobility, layers, pairs_with) = (mobility(object.mobility)?, object.layers, object.pairs_with);
            Ok(Object { shape, mobility, layers, pairs_with, user: object.user })
        })?;
        if let [object] = objects
            && !object.pose.is_identity()
            && let Some(model) = models.pop()
        {
            let (rotation, position) = object.pose.parts();
            keys[0].write(key::of_object(world.insert_at(model, rotation, position)?));
            return Ok(());
        }
        let inserted = world.insert_batch(models);
        let poses = inserted.iter().zip(objects).filter(|(_, object)| !object.pose.is_identity());
        let poses: Vec<_> = poses
            .map(|(key, object)| {
                let (rotation, position) = object.pose.parts();
                (*key, rotation, position)
            })
            .collect();
        // Each was tried before.
        world.set_transform_batch(&poses)?;
        for (place, key) in keys.iter_mut().zip(inserted) {
            place.write(key::of_object(key));
        }
        Ok(())
    })
}

/// Removes an object or a plane; its key becomes stale.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_remove(world: Option<&mut CullideWorld>, key: CullideKey) -> CullideStatus {
    guard(|| {
        let world = &mut given(world, "world")?.world;
        if key::cullide_key_is_plane(key) != 0 {
            world.remove_plane(key::plane(world, key)?);
        } else {
            world.remove(key::object(world, key)?);
        }
        Ok(())
    })
}

/// Puts objects at poses, wherever they were before. If one of the keys is stale or one of the poses out of range,
/// nothing moves.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_set_poses(
    world: Option<&mut CullideWorld>,
    keys: *const CullideKey,
    poses: *const CullidePose,
    count: usize,
) -> CullideStatus {
    guard(|| {
        let world = &mut given(world, "world")?.world;
        // SAFETY: the caller's arrays, as the header demands.
        let (keys, poses) = unsafe { (values(keys, count, "keys")?, values(poses, count, "poses")?) };
        let mut objects = Vec::new();
        each(keys, "keys", &mut objects, |key| key::object(world, *key))?;
        let transforms = objects.into_iter().zip(poses).map(|(key, pose)| (key, pose.parts().0, pose.parts().1));
        let transforms: Vec<_> = transforms.collect();
        world.set_transform_batch(&transforms)?;
        Ok(())
    })
}

/// Writes the poses of objects to `poses`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_poses(
    world: Option<&CullideWorld>,
    keys: *const CullideKey,
    poses: *mut CullidePose,
    count: usize,
) -> CullideStatus {
    guard(|| {
        let world = &given(world, "world")?.world;
        // SAFETY: the caller's arrays, as the header demands.
        let (keys, poses) = unsafe { (values(keys, count, "keys")?, room(poses, count, "poses")?) };
        let mut found: Vec<CullidePose> = Vec::new();
        each(keys, "keys", &mut found, |key| {
            let object = world.object(key::object(world, *key)?).ok_or_else(|| Failure::stale(*key))?;
            Ok(object.transform().into())
        })?;
        for (place, pose) in poses.iter_mut().zip(found) {
            place.write(pose);
        }
        Ok(())
    })
}

/// Gives an object another shape at the pose that it has. A rigid body keeps its velocity.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_set_shape(
    world: Option<&mut CullideWorld>,
    key: CullideKey,
    shape: Option<&CullideShape>,
) -> CullideStatus {
    edit(world, key, |mut object| {
        object.set_model(given(shape, "shape")?.shape.clone())?;
        Ok(())
    })
}

/// Sets the layers that an object or a plane is in; none hides it from all queries.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_set_layers(world: Option<&mut CullideWorld>, key: CullideKey, layers: u32) -> CullideStatus {
    if key::cullide_key_is_plane(key) != 0 {
        return guard(|| plane::change(world, key, |mut plane| _ = plane.set_layers(layers)));
    }
    edit(world, key, |mut object| {
        object.set_layers(layers);
        Ok(())
    })
}

/// Sets the layers with whose objects an object makes pairs.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_set_pairs_with(
    world: Option<&mut CullideWorld>,
    key: CullideKey,
    layers: u32,
) -> CullideStatus {
    edit(world, key, |mut object| {
        object.set_pairs_with(layers);
        Ok(())
    })
}

/// Makes an object `CULLIDE_FIXED` or `CULLIDE_MOVING`. A rigid body that becomes fixed is no longer a body.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_set_mobility(
    world: Option<&mut CullideWorld>,
    key: CullideKey,
    mobility: u32,
) -> CullideStatus {
    edit(world, key, |mut object| {
        let mobility: Mobility = crate::values::mobility(mobility)?;
        object.set_mobility(mobility);
        Ok(())
    })
}

/// Switches an object off (0), so that no query and no step finds it, or on again (anything else).
#[unsafe(no_mangle)]
pub extern "C" fn cullide_set_enabled(world: Option<&mut CullideWorld>, key: CullideKey, enabled: u8) -> CullideStatus {
    edit(world, key, |mut object| {
        object.set_enabled(enabled != 0);
        Ok(())
    })
}

/// Sets the caller's number of an object or a plane.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_set_user(world: Option<&mut CullideWorld>, key: CullideKey, user: u64) -> CullideStatus {
    if key::cullide_key_is_plane(key) != 0 {
        return guard(|| plane::change(world, key, |mut plane| _ = plane.set_user(user)));
    }
    edit(world, key, |mut object| {
        object.set_user(user);
        Ok(())
    })
}

/// Sets the velocity of an object that is no rigid body, in units per second: a character that lands on it is carried
/// along, and `cullide_update_pairs` looks ahead by it. It does not move the object.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_set_velocity(
    world: Option<&mut CullideWorld>,
    key: CullideKey,
    velocity: CullideVec3,
) -> CullideStatus {
    edit(world, key, |mut object| {
        object.set_velocity(velocity.into())?;
        Ok(())
    })
}

/// Reads an object: its pose, `CULLIDE_FIXED` or `CULLIDE_MOVING`, its layers and the caller's number. `shape` is NULL:
/// shapes are the caller's to remember.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_get(
    world: Option<&CullideWorld>,
    key: CullideKey,
    object: Option<&mut MaybeUninit<CullideObject>>,
) -> CullideStatus {
    guard(|| {
        let world = &given(world, "world")?.world;
        let found = key::object(world, key)?;
        let entry = world.object(found).ok_or_else(|| Failure::stale(key))?;
        let mobility = if entry.mobility == Mobility::Fixed { crate::CULLIDE_FIXED } else { crate::CULLIDE_MOVING };
        given(object, "object")?.write(CullideObject {
            shape: std::ptr::null(),
            pose: entry.transform().into(),
            mobility,
            layers: entry.layers,
            pairs_with: entry.pairs_with,
            user: entry.user,
        });
        Ok(())
    })
}

/// Writes the box along the axes around an object.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_aabb(
    world: Option<&CullideWorld>,
    key: CullideKey,
    aabb: Option<&mut MaybeUninit<CullideAabb>>,
) -> CullideStatus {
    guard(|| {
        let world = &given(world, "world")?.world;
        let entry = world.object(key::object(world, key)?).ok_or_else(|| Failure::stale(key))?;
        let bounds = entry.shape.aabb();
        given(aabb, "aabb")?.write(CullideAabb { min: bounds.min().into(), max: bounds.max().into() });
        Ok(())
    })
}

/// Changes one object.
fn edit(
    world: Option<&mut CullideWorld>,
    key: CullideKey,
    change: impl FnOnce(ObjectMut) -> Result<(), Failure>,
) -> CullideStatus {
    guard(|| {
        let world = &mut given(world, "world")?.world;
        let found = key::object(world, key)?;
        change(world.object_mut(found).ok_or_else(|| Failure::stale(key))?)
    })
}
