//! Bodies are in one world: another one is refused, and changes nothing.

use super::{DT, Scene, aabb, ball, obb, turn, vector};
use cullide_scenes::Rng;
use cullide_world::{
    Character, ContactTracker, Filter, Mover, Object, RigidBody, World,
    glam::{Quat, Vec3},
    narrowphase::{Capsule, Error, Obb},
};

const OTHER: Error = Error::OtherWorld { field: "world" };

/// Crates and balls over a floor, some of them still falling.
fn random_scene(rng: &mut Rng) -> Scene {
    let mut scene = Scene::with_floor();
    for i in 0..8 {
        let place = vector(rng, 1.5).with_y(0.6 + 0.7 * i as f32);
        match i % 2 {
            0 => scene.add(obb(place, turn(rng), Vec3::splat(0.5)), RigidBody::dynamic()),
            _ => scene.add(ball(place, 0.4), RigidBody::dynamic()),
        };
    }
    scene
}

#[test]
fn a_step_in_another_world_is_refused_and_nothing_is_lost() {
    let mut rng = Rng::with_seed(17);
    for case in 0..60 {
        let mut scene = random_scene(&mut rng);
        scene.steps(case);
        let mut twin = scene.clone();
        // As empty as after loading another level, or with objects under the same slots.
        let mut other = if case % 2 == 0 { Scene::new() } else { random_scene(&mut rng) };
        other.world = retagged(&other.world, 2 + case as u32);
        let before = (scene.hash(), other.world.hash());
        let refused = scene.dynamics.step(&mut other.world, DT, &scene.config).map(|report| report.awake);
        assert_eq!(refused, Err(OTHER), "case {case}");
        assert_eq!((scene.hash(), other.world.hash()), before, "case {case}");
        assert_eq!(scene.dynamics.bodies().count(), 8, "case {case}");
        for _ in 0..5 {
            assert_eq!(scene.step(), twin.step(), "case {case}");
        }
        assert_eq!(scene.hash(), twin.hash(), "case {case}");
    }
}

#[test]
fn whatever_takes_a_world_refuses_another_one() {
    let mut scene = random_scene(&mut Rng::with_seed(18));
    let lift = scene.add(aabb(Vec3::Y * 30.0, Vec3::ONE), RigidBody::kinematic());
    scene.steps(30);
    let key = scene.dynamics.bodies().next().unwrap().0;
    let before = scene.hash();
    let mut other = World::with_tag(2);
    let new = other.insert(Object::moving(ball(Vec3::ZERO, 1.0)));
    let dynamics = &mut scene.dynamics;
    assert_eq!(dynamics.insert(&mut other, new, RigidBody::dynamic()), Err(OTHER));
    assert!(dynamics.body_mut(&other, key).is_none() && dynamics.body_mut(&other, lift).is_none());
    assert_eq!(dynamics.snapshot(&other).err(), Some(OTHER));
    let mut hero = Character::new(Obb::new(Vec3::Y * 3.0, Quat::IDENTITY, Vec3::splat(0.5)).unwrap());
    let mut round = Character::new(Capsule::new(Vec3::Y * 3.0, Vec3::Y * 4.0, 0.3).unwrap());
    let (mover, stood) = (Mover::default(), (hero, round));
    assert_eq!(dynamics.walk(&other, &mover, &mut hero, DT, &Filter::ALL).err(), Some(OTHER));
    assert_eq!(dynamics.walk(&other, &mover, &mut round, DT, &Filter::ALL).err(), Some(OTHER));
    assert_eq!((hero, round), stood);
    // There, no object is a body.
    assert_eq!(
        (dynamics.body(key).unwrap().velocity_at(&other, Vec3::ZERO), dynamics.body(key).unwrap().mass(&other)),
        (None, None)
    );
    assert_eq!(scene.hash(), before);
    // With another hash for other bodies: it does not forget them either.
    let elsewhere = scene.dynamics.hash(&other);
    scene.step();
    assert_ne!(scene.dynamics.hash(&other), elsewhere);
}

#[test]
fn copies_of_a_world_are_the_world_of_its_bodies() {
    let mut scene = random_scene(&mut Rng::with_seed(19));
    scene.steps(10);
    let mut restored = World::restore(&scene.world.snapshot()).unwrap();
    let mut cloned = scene.world.clone();
    for world in [&mut cloned, &mut restored] {
        assert!(scene.dynamics.clone().step(world, DT, &scene.config).is_ok());
    }
    assert_eq!(cloned, restored);
}

/// A tracker that goes from world to world reports in each what one of its own does, even where the worlds have been
/// updated equally often.
#[test]
fn a_tracker_in_another_world_ends_its_pairs_and_finds_those_of_that_one() {
    let mut rng = Rng::with_seed(20);
    let mut count = 0;
    for case in 0..100 {
        let mut worlds = [3, 4].map(|tag| retagged(&random_scene(&mut rng).world, tag));
        let mut tracker = ContactTracker::new();
        let mut touching = 0;
        for (world, updates) in worlds.iter_mut().zip([1, case % 3]) {
            (0..updates).for_each(|_| _ = world.update_pairs(0.0));
            let mut own = ContactTracker::new();
            let begun = own.update(&mut world.clone(), 0.0, 0.3).begun.len();
            let events = tracker.update(world, 0.0, 0.3);
            assert_eq!((events.begun.len(), events.ended.len()), (begun, touching), "case {case}");
            assert!(tracker.contacts().eq(own.contacts()), "case {case}");
            touching = begun;
        }
        count += touching;
    }
    assert!(count > 200, "{count}");
}

/// Returns a world with the same objects and another tag.
fn retagged(world: &World, tag: u32) -> World {
    let mut other = World::with_tag(tag);
    world.objects().for_each(|(_, object)| _ = other.insert(object.clone()));
    other
}
