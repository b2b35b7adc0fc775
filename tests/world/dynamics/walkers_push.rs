//! Characters push what is in their way, with the given force.

use super::{
    DT, Scene, aabb, ball,
    walkers::{HALF, boxed, frame, round, walk},
};
use cullide_world::{
    Character, DynamicsConfig, Filter, Mass, Material, Mover, ObjectKey, RigidBody, Walk,
    glam::{Quat, Vec3},
    narrowphase::Obb,
};

/// A crate of a given size and mass on a floor, its near face one unit from the start.
fn crate_ahead(scene: &mut Scene, half: Vec3, mass: f32) -> ObjectKey {
    let body = RigidBody { mass: Mass::Total(mass), ..RigidBody::dynamic() };
    let key = scene.add(aabb(Vec3::new(1.0 + half.x, half.y + 0.001, 0.0), half), body);
    scene.steps(20);
    key
}

#[test]
fn a_crate_is_pushed_when_the_force_exceeds_its_friction_and_not_when_it_does_not() {
    // A friction of 0.6 holds 30 kilograms with 177 newtons and 80 with 471.
    for (mass, moves) in [(30.0, true), (80.0, false), (1000.0, false)] {
        let mut scene = Scene::with_floor();
        let body = crate_ahead(&mut scene, Vec3::splat(0.5), mass);
        let start = scene.center(body).x;
        let (mut hero, mut pushes) = (boxed(Vec3::Y * 0.9), 0);
        for _ in 0..180 {
            let Walk { pushes: pushed, overlap, .. } = frame(&mut scene, &mut hero, Vec3::X * 2.0);
            pushes += pushed.len();
            assert!(pushed.iter().all(|push| push.body == body && push.force.length() <= 300.01), "{pushed:?}");
            assert!(pushed.iter().all(|push| push.force.y == 0.0 && (push.point.x - hero.position().x).abs() < 0.4));
            assert_eq!(overlap, None);
        }
        let way = scene.center(body).x - start;
        assert!(pushes > 20 && (way > 3.0) == moves && (moves || way < 0.02), "{mass} kilograms: {way}");
        assert!(hero.position().y < 0.91, "{hero:?}");
    }
}

/// What a body does to a hero who walks against it, and how far it is pushed: on earth and on the moon, in metres and in quarters of one.
#[test]
fn whether_a_low_crate_is_climbed_or_pushed_depends_on_gravity_and_not_on_units() {
    // Twenty kilograms under 300 newtons: 15 metres per second squared, less than twice the gravity of the earth and more
    // than that of the moon.
    for (gravity, units, climbs) in [(9.81, 1.0, true), (1.62, 1.0, false), (9.81, 4.0, true), (1.62, 4.0, false)] {
        let mut scene = Scene::with_floor();
        scene.config = DynamicsConfig { gravity: Vec3::NEG_Y * gravity, ..scene.config }.in_units(units);
        let mover = Mover::default().in_units(units);
        let body = RigidBody { mass: Mass::Total(20.0 * units.powi(3)), ..RigidBody::dynamic() };
        let half = Vec3::new(0.5, 0.1, 0.5) * units;
        let low = scene.add(aabb(Vec3::new(1.5, 0.101, 0.0) * units, half), body);
        scene.steps(60);
        let start = scene.center(low).x;
        let mut hero = Character::new(Obb::new(Vec3::Y * 0.9 * units, Quat::IDENTITY, HALF * units).unwrap());
        let mut highest = 0_f32;
        for _ in 0..60 {
            scene.step();
            walk(&mut scene, &mut hero, Vec3::X * 2.0 * units, &mover);
            highest = highest.max(hero.position().y / units);
        }
        let way = (scene.center(low).x - start) / units;
        assert_eq!((highest > 1.05, way > 0.2), (climbs, !climbs), "{gravity} {units}: {highest} {way}");
    }
}

#[test]
fn a_push_accelerates_by_its_force_and_no_further_than_the_character() {
    let mut scene = Scene::with_floor();
    let slippery = Material { friction: 0.0, ..Material::default() };
    let body = RigidBody { mass: Mass::Total(30.0), material: slippery, ..RigidBody::dynamic() };
    let body = scene.add(aabb(Vec3::new(0.801, 0.501, 0.0), Vec3::splat(0.5)), body);
    let mover = Mover { push_force: 60.0, ..Mover::default() };
    let mut hero = boxed(Vec3::Y * 0.9);
    walk(&mut scene, &mut hero, Vec3::ZERO, &mover);
    for step in 0..150 {
        walk(&mut scene, &mut hero, Vec3::X * 1.5, &mover);
        scene.step();
        let (speed, seconds) = (scene.velocity(body).x, (step + 1) as f32 * DT);
        assert!(speed <= 1.51, "step {step}: {speed}");
        // Two units per second squared; in some steps the crate is ahead by less than the skin, and is not pushed.
        assert!(speed <= 2.0 * seconds + 1e-3, "step {step}: {speed} after {seconds}");
    }
    assert!(scene.velocity(body).x > 1.45, "{}", scene.velocity(body));
}

#[test]
fn the_force_is_shared_and_a_velocity_that_is_carried_on_is_that_of_what_is_pushed() {
    let mut scene = Scene::with_floor();
    let body = RigidBody { mass: Mass::Total(30.0), ..RigidBody::dynamic() };
    // One ahead and one beside it: they form a corner.
    let corner = [Vec3::new(0.71, 0.401, -0.1), Vec3::new(-0.1, 0.401, 0.71)];
    let corner = corner.map(|place| scene.add(aabb(place, Vec3::splat(0.4)), body));
    let mut hero = boxed(Vec3::Y * 0.9);
    scene.steps(20);
    walk(&mut scene, &mut hero, Vec3::ZERO, &Mover::default());
    let pushed = walk(&mut scene, &mut hero, Vec3::new(3.0, 0.0, 3.0), &Mover::default()).pushes;
    let mut bodies: Vec<_> = pushed.iter().map(|push| push.body).collect();
    bodies.sort_unstable();
    assert_eq!(bodies, corner);
    assert!(pushed.iter().all(|push| (push.force.length() - 150.0).abs() < 1e-3), "{pushed:?}");
    // By 5 units per second squared each, and slightly more as they rotate.
    let speed = hero.velocity.x.min(hero.velocity.z);
    assert!(speed >= 4.99 * DT && hero.velocity.max_element() < 15.0 * DT, "{hero:?}");
}

#[test]
fn what_is_light_and_lower_than_a_step_is_pushed_and_not_climbed() {
    for half in [0.03, 0.1, 0.15] {
        let mut scene = Scene::with_floor();
        let body = crate_ahead(&mut scene, Vec3::splat(half), 2.0);
        let mut hero = boxed(Vec3::Y * 0.9);
        for step in 0..180 {
            frame(&mut scene, &mut hero, Vec3::X * 1.5);
            assert!(hero.position().y < 0.91, "half {half}, step {step}: {hero:?}");
        }
        assert!(scene.center(body).x > 3.0, "half {half}: {}", scene.center(body));
        // The round end of a capsule treats a crate that is lower still as a slope.
        let mut hero = round(Vec3::new(scene.center(body).x - 1.0, 0.9, 0.0));
        for step in 0..180 {
            frame(&mut scene, &mut hero, Vec3::X * 1.5);
            assert!(half < 0.1 || hero.position().y < 0.91, "half {half}, step {step}: {hero:?}");
        }
    }
}

#[test]
fn what_is_heavy_or_held_from_behind_is_a_step() {
    for (mass, is_held) in [(500.0, false), (2.0, true)] {
        let mut scene = Scene::with_floor();
        let body = crate_ahead(&mut scene, Vec3::splat(0.15), mass);
        if is_held {
            scene.fixed(aabb(Vec3::new(6.301, 0.15, 0.0), Vec3::new(5.0, 0.15, 3.0)));
            scene.steps(30);
        }
        let (start, mut hero, mut highest) = (scene.center(body).x, boxed(Vec3::Y * 0.9), 0.0f32);
        for _ in 0..120 {
            frame(&mut scene, &mut hero, Vec3::X * 1.5);
            highest = highest.max(hero.position().y);
        }
        assert!((highest - 1.2).abs() < 0.01 && hero.position().x > 2.0, "{mass}: {highest} {hero:?}");
        assert!((scene.center(body).x - start).abs() < 0.1, "{mass}: {}", scene.center(body));
    }
}

#[test]
fn a_character_of_which_bodies_know_stops_what_rolls_against_it() {
    let mut scene = Scene::with_floor();
    let hero = boxed(Vec3::Y * 0.9);
    let own = scene.add(hero.body, RigidBody::kinematic());
    let mut hero = hero;
    let rolling = RigidBody { velocity: Vec3::NEG_X * 4.0, angular_velocity: Vec3::Z * 8.0, ..RigidBody::dynamic() };
    let body = scene.add(ball(Vec3::new(3.0, 0.502, 0.0), 0.5), rolling);
    let others = Filter::ALL.without(&[own]);
    for step in 0..240 {
        scene.step();
        hero.velocity = if hero.is_on_ground() { Vec3::ZERO } else { Vec3::NEG_Y };
        let walk = scene.dynamics.walk(&scene.world, &Mover::default(), &mut hero, DT, &others).unwrap();
        scene.world.object_mut(own).unwrap().set_shape(hero.body);
        let way = hero.position().with_y(0.0).length();
        assert!(walk.overlap.is_none() && way < 0.05, "step {step}: {hero:?}");
        assert!(scene.center(body).x > HALF.x + 0.4, "step {step}: {}", scene.center(body));
    }
}
