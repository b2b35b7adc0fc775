//! A key refers to one object of one world forever.

use crate::vector;
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BoxBody, BoxStepper, Filter, Mobility, Object, ObjectKey, Shape, Snapshot, Target, World, WorldPlane,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Error, Obb, Plane, Sphere},
};
use std::collections::HashSet;

fn ball(at: Vec3) -> Object {
    Object::moving(Sphere::new(at, 0.25).unwrap())
}

/// Checks that no call accepts the key.
fn assert_stale(world: &mut World, key: ObjectKey) {
    let shape = || Shape::from(Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0)).unwrap());
    let (before, mut boxes) = (world.len(), BoxStepper::new());
    assert_eq!(world.object(key), None);
    assert_eq!((world.remove(key), world.object_mut(key).map(|mut object| object.set_shape(shape()))), (None, None));
    assert_eq!(
        (
            world.object_mut(key).map(|mut object| object.set_layers(1)),
            world.object_mut(key).map(|mut object| object.set_pairs_with(1)),
            world.object_mut(key).map(|mut object| object.set_user(1))
        ),
        (None, None, None)
    );
    assert_eq!(
        (
            world.object_mut(key).map(|mut object| object.set_mobility(Mobility::Fixed)),
            world.object(key).map(|object| object.velocity())
        ),
        (None, None)
    );
    assert_eq!(
        (
            world.object_mut(key).map(|mut object| object.set_velocity(Vec3::X)).transpose().ok().flatten(),
            world.set_shape_batch([(key, shape())])
        ),
        (None, 0)
    );
    assert_eq!(world.set_transform_batch(&[(key, Quat::IDENTITY, Vec3::X)]), Ok(0));
    assert_eq!(boxes.insert(world, key, BoxBody::default()), Err(Error::StaleKey { field: "key" }));
    assert_eq!((boxes.body(key), boxes.remove(key), world.len()), (None, None, before));
}

#[test]
fn a_key_of_an_object_that_was_removed_never_names_another() {
    let mut rng = Rng::with_seed(SEED);
    let mut world = World::new();
    let mut live: Vec<(ObjectKey, u64)> = vec![];
    let mut given = HashSet::new();
    let mut stale = vec![];
    for i in 0..200_000 * crate::factor() as u64 {
        if live.len() < 4 || (live.len() < 12 && rng.bool()) {
            let key = world.insert(ball(vector(&mut rng)).user(i));
            assert!(given.insert(key), "{key:?} a second time");
            live.push((key, i));
        } else {
            let (key, user) = live.swap_remove(rng.usize(0..live.len()));
            assert_eq!(world.remove(key).map(|object| object.user), Some(user));
            stale.push(key);
        }
        if i % 64 == 0 && !stale.is_empty() {
            assert_stale(&mut world, stale[rng.usize(0..stale.len())]);
            assert!(live.iter().all(|(key, user)| world.object(*key).is_some_and(|object| object.user == *user)));
            let mut near = vec![];
            world.overlap(&Sphere::new(Vec3::ZERO, 9.0).unwrap(), &Filter::ALL, &mut near);
            let mut expected: Vec<Target> = live.iter().map(|(key, _)| Target::from(*key)).collect();
            expected.sort();
            assert_eq!(near, expected);
        }
    }
    assert!(given.len() > 90_000 && stale.len() > 90_000);
}

#[test]
fn a_key_of_another_world_is_stale() {
    let mut worlds = [World::new(), World::new()];
    let keys = worlds.each_mut().map(|world| world.insert(ball(Vec3::X)));
    let planes = worlds
        .each_mut()
        .map(|world| world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1)));
    for (i, world) in worlds.iter_mut().enumerate() {
        assert_stale(world, keys[1 - i]);
        let (own, other) = (planes[i], planes[1 - i]);
        assert!(world.plane(own).is_some() && world.plane(other).is_none() && world.remove_plane(other).is_none());
        let body = Obb::new(Vec3::X, Quat::IDENTITY, Vec3::new(0.2, 0.3, 0.5)).unwrap();
        let mut near = vec![];
        world.overlap(&body, &Filter::ALL.without(&[keys[1 - i]]), &mut near);
        assert_eq!(near, [Target::from(keys[i]), own.into()]);
    }
}

/// Raises the numbers by which a saved world distinguishes the successive contents of a slot to their limit, as after a
/// session of months.
fn near_the_end(value: &mut serde_json::Value, changed: &mut usize) {
    match value {
        serde_json::Value::Object(fields) => {
            for (name, field) in fields {
                if name == "version" && field.as_u64().is_some_and(|version| version % 2 == 1) {
                    *field = (u32::MAX - 4).into();
                    *changed += 1;
                } else {
                    near_the_end(field, changed);
                }
            }
        }
        serde_json::Value::Array(values) => values.iter_mut().for_each(|value| near_the_end(value, changed)),
        _ => {}
    }
}

#[test]
fn a_slot_whose_versions_come_to_their_end_gives_no_key_a_second_time() {
    let mut world = World::new();
    let first = world.insert(ball(Vec3::X).user(1));
    let mut saved = serde_json::to_value(world.snapshot()).unwrap();
    let mut changed = 0;
    near_the_end(&mut saved, &mut changed);
    assert!(changed > 0, "no version was found: {saved}");
    let snapshot: Snapshot = serde_json::from_value(saved).unwrap();
    let mut aged = World::restore(&snapshot).unwrap();
    let mut given = HashSet::from([first]);
    let (mut key, _) = aged.objects().next().unwrap();
    assert!(given.insert(key));
    for i in 0..100 {
        assert!(aged.remove(key).is_some());
        assert!(aged.is_empty());
        for old in &given {
            assert!(aged.object(*old).is_none(), "{old:?} in round {i}");
        }
        key = aged.insert(ball(Vec3::X).user(i));
        assert!(given.insert(key), "{key:?} a second time in round {i}");
        assert_eq!(aged.object(key).map(|object| object.user), Some(i));
    }
}
