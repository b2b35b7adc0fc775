//! A world with all that moves in it is cloned, compared and saved as one.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BoxBody, BoxStepConfig, Character, DynamicsConfig, Filter, Mover, Object, Response, RigidBody, Simulation,
    SimulationSnapshot, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Capsule, Error, Obb, Sphere},
};
use std::collections::BTreeSet;

type Game = Simulation<Capsule>;

const DT: f32 = 1.0 / 60.0;
const LEVEL: u32 = 0b001;
const THING: u32 = 0b010;

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([0; 3].map(|_| size * (2.0 * rng.f32() - 1.0)))
}

/// A level with rigid bodies, a lift, stepping boxes, characters and a volume that watches things.
fn game(seed: u64) -> Game {
    let mut rng = Rng::with_seed(SEED + seed);
    let mut game = Simulation::new(World::with_tag(1));
    let floor = Aabb::new(Vec3::new(-20.0, -1.0, -20.0), Vec3::new(20.0, 0.0, 20.0)).unwrap();
    game.world.insert(Object::fixed(floor).layers(LEVEL));
    for _ in 0..6 {
        let pose =
            Obb::new(vector(&mut rng, 8.0).with_y(0.0), Quat::from_rotation_y(rng.f32()), Vec3::new(1.0, 0.3, 1.5));
        game.world.insert(Object::fixed(pose.unwrap()).layers(LEVEL));
    }
    for i in 0..12 {
        let at = vector(&mut rng, 6.0).with_y(2.0 + i as f32 * 0.5);
        let pose = Obb::new(at, Quat::from_scaled_axis(vector(&mut rng, 3.0)), Vec3::new(0.3, 0.4, 0.5)).unwrap();
        let object = if i % 3 == 0 { Object::moving(Sphere::new(at, 0.4).unwrap()) } else { Object::moving(pose) };
        let key = game.world.insert(object.layers(THING));
        if i % 3 == 1 {
            let response =
                if rng.bool() { Response::Slide } else { Response::Bounce { restitution: 0.3, friction: 0.5 } };
            game.boxes.insert(&mut game.world, key, BoxBody { response, ..BoxBody::default() }).unwrap();
        } else {
            game.dynamics.insert(&mut game.world, key, RigidBody::dynamic()).unwrap();
        }
    }
    let lift = Aabb::from_center_half_extents(Vec3::new(5.0, 0.5, 0.0), Vec3::new(1.5, 0.2, 1.5)).unwrap();
    let lift = game.world.insert(Object::moving(lift).layers(LEVEL));
    let up = RigidBody { velocity: Vec3::Y * 0.3, ..RigidBody::kinematic() };
    game.dynamics.insert(&mut game.world, lift, up).unwrap();
    let volume = Aabb::from_center_half_extents(Vec3::Y, Vec3::new(3.0, 1.0, 3.0)).unwrap();
    let volume = game.world.insert(Object::fixed(volume).layers(0));
    game.triggers.watch(volume, THING);
    for x in [-3.0, 5.0] {
        let body = Capsule::new(Vec3::new(x, 1.3, 0.0), Vec3::new(x, 2.3, 0.0), 0.3).unwrap();
        game.characters.push(Character::new(body));
    }
    game
}

/// One frame, in which the players want to go this way; returns what entered and left the volume.
fn frame(game: &mut Game, wish: Vec3) -> usize {
    let Simulation { world, boxes, dynamics, tracker, triggers, characters, .. } = game;
    boxes.step(world, DT, &BoxStepConfig::default()).unwrap();
    dynamics.step(world, DT, &DynamicsConfig::default()).unwrap();
    for hero in characters {
        let fall = if hero.is_on_ground() { 0.0 } else { hero.velocity.y - 9.81 * DT };
        hero.velocity = wish.with_y(fall);
        dynamics.walk(world, &Mover::default(), hero, DT, &Filter::layers(LEVEL | THING)).unwrap();
    }
    tracker.update(world, DT, 0.02);
    triggers.update(world, &Filter::ALL.moving_only());
    triggers.entered().len() + triggers.left().len()
}

fn wish(number: usize) -> Vec3 {
    Quat::from_rotation_y(number as f32 * 0.05) * Vec3::X * 2.0
}

/// Reads what was written of it.
fn reloaded(game: &Game, is_text: bool) -> Game {
    let snapshot = game.snapshot().unwrap();
    let read: SimulationSnapshot<Capsule> = if is_text {
        serde_json::from_str(&serde_json::to_string(&snapshot).unwrap()).unwrap()
    } else {
        postcard::from_bytes(&postcard::to_allocvec(&snapshot).unwrap()).unwrap()
    };
    Simulation::restore(&read).unwrap()
}

#[test]
fn a_clone_and_what_was_saved_go_on_as_the_original_and_nothing_is_forgotten() {
    let mut passed = 0;
    for seed in 0..6 {
        let mut now = game(seed);
        let first = 10 + 15 * seed as usize;
        (0..first).for_each(|number| passed += frame(&mut now, wish(number)));
        let past = now.clone();
        let mut others = [past.clone(), reloaded(&now, true), reloaded(&now, false)];
        let mut strayed = past.clone();
        for number in first..first + 60 {
            passed += frame(&mut now, wish(number));
            for other in &mut others {
                frame(other, wish(number));
                assert_eq!(other.hash(), now.hash(), "seed {seed}, frame {number}");
            }
            frame(&mut strayed, -wish(number));
        }
        assert_ne!(strayed.hash(), now.hash(), "seed {seed}: the players' wishes are not in the hash");
        assert_eq!(past.hash(), reloaded(&past, true).hash());
    }
    assert!(passed > 20, "only {passed} entered or left");
}

#[test]
fn every_part_is_in_the_hash() {
    let mut start = game(0);
    (0..90).for_each(|number| _ = frame(&mut start, wish(number)));
    let keys: Vec<_> = start.world.objects().map(|(key, _)| key).collect();
    let stepped = start.boxes.bodies().next().unwrap().0;
    let rigid = start.dynamics.bodies().next().unwrap().0;
    type Change<'a> = &'a dyn Fn(&mut Game);
    let changes: [(&str, Change); 13] = [
        ("nothing", &|_| ()),
        ("an object", &|game| _ = game.world.object_mut(keys[0]).map(|mut object| object.set_user(7))),
        ("a stepping box", &|game| {
            let body = BoxBody { gravity_scale: 0.5, ..game.boxes.body(stepped).unwrap() };
            game.boxes.insert(&mut game.world, stepped, body).unwrap();
        }),
        ("no stepping box", &|game| _ = game.boxes.remove(stepped).unwrap()),
        ("a rigid body", &|game| {
            game.dynamics.body_mut(&game.world, rigid).unwrap().set_velocity(Vec3::X, Vec3::Y).unwrap()
        }),
        ("contacts", &|game| {
            game.world.object_mut(keys[8]).unwrap().set_shape(Sphere::new(Vec3::Y * 30.0, 0.4).unwrap());
            game.tracker.update(&mut game.world, DT, 0.02);
        }),
        ("no contacts", &|game| game.tracker = Default::default()),
        ("another volume", &|game| _ = game.triggers.watch(keys[1], THING)),
        ("no volume", &|game| game.triggers = Default::default()),
        ("a character's velocity", &|game| game.characters[1].velocity = Vec3::X),
        ("a character's object", &|game| game.characters[1].object = Some(keys[2])),
        ("a character in the air", &|game| game.characters[0].ground = None),
        ("a character less", &|game| _ = game.characters.pop()),
    ];
    assert!(start.characters[0].is_on_ground() && start.tracker.contacts().count() > 2);
    let hashes = changes.map(|(what, change)| {
        let mut changed = start.clone();
        change(&mut changed);
        assert_eq!(changed.hash() == start.hash(), what == "nothing", "{what}");
        assert_eq!(reloaded(&changed, false).hash(), changed.hash(), "{what}");
        changed.hash()
    });
    assert_eq!(BTreeSet::from(hashes).len(), changes.len());
}

#[test]
fn parts_of_two_games_are_refused() {
    let (mut one, mut other) = (game(0), game(1));
    other.world.remove(other.boxes.bodies().next().unwrap().0);
    let saved = |game: &Game| serde_json::to_value(game.snapshot().unwrap()).unwrap();
    let (whole, fewer) = (saved(&one), saved(&other));
    let read = |value: &serde_json::Value| {
        let read: SimulationSnapshot<Capsule> = serde_json::from_value(value.clone()).unwrap();
        Simulation::restore(&read).map(|game| game.hash())
    };
    assert_eq!((read(&whole), read(&fewer)), (Ok(one.hash()), Ok(other.hash())));
    // A world in which one of the boxes is missing.
    let mut mixed = whole.clone();
    mixed["world"] = fewer["world"].clone();
    assert_eq!(read(&mixed), Err(Error::Inconsistent { field: "key" }));
    for part in ["world", "boxes", "dynamics", "tracker", "triggers", "characters"] {
        let mut less = whole.clone();
        assert!(less.as_object_mut().unwrap().remove(part).is_some());
        assert!(serde_json::from_value::<SimulationSnapshot<Capsule>>(less).is_err(), "{part} may be forgotten");
    }
    one.world = World::with_tag(2);
    assert_eq!(one.snapshot().err(), Some(Error::OtherWorld { field: "world" }));
}
