//! Piles that stand, and where.

use super::{DT, Scene, aabb, ball, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Mass, ObjectKey, RigidBody,
    glam::{Quat, Vec3},
};

/// The number of steps in five minutes.
const FIVE_MINUTES: usize = 18_000;

/// Lets a pile settle; returns the number of seconds until all of it sleeps.
fn settle(scene: &mut Scene, bodies: &[ObjectKey], seconds: f32) -> Option<f32> {
    for step in 0..(seconds / DT) as usize {
        scene.step();
        if bodies.iter().all(|key| scene.dynamics.body(*key).unwrap().is_asleep()) {
            return Some(step as f32 * DT);
        }
    }
    None
}

/// The greatest distance of any of them from where it was.
fn creep(scene: &Scene, bodies: &[ObjectKey], places: &[Vec3]) -> f32 {
    bodies.iter().zip(places).map(|(key, place)| (scene.center(*key) - place).length()).fold(0.0, f32::max)
}

/// A stack of bodies that never sleep, or that may.
fn stack(count: usize, can_sleep: bool) -> (Scene, Vec<ObjectKey>) {
    let mut scene = Scene::with_floor();
    let body = RigidBody { can_sleep, ..RigidBody::dynamic() };
    let bodies =
        (0..count).map(|i| scene.add(aabb(Vec3::Y * (0.502 + 1.005 * i as f32), Vec3::splat(0.5)), body)).collect();
    (scene, bodies)
}

/// Rows of crates, each on the gap between two.
fn pyramid(rows: usize, can_sleep: bool) -> (Scene, Vec<ObjectKey>) {
    let mut scene = Scene::with_floor();
    let body = RigidBody { can_sleep, ..RigidBody::dynamic() };
    let mut bodies = Vec::new();
    for row in 0..rows {
        for i in 0..rows - row {
            let x = (i as f32 - 0.5 * (rows - row) as f32) * 1.05;
            bodies.push(scene.add(aabb(Vec3::new(x, 0.502 + 1.003 * row as f32, 0.0), Vec3::splat(0.5)), body));
        }
    }
    (scene, bodies)
}

/// Checks that no body of a pile that never sleeps moves by more than it may sway.
fn stands(mut scene: Scene, bodies: &[ObjectKey], steps: usize, most: f32) {
    scene.steps(1200);
    let places: Vec<Vec3> = bodies.iter().map(|key| scene.center(*key)).collect();
    scene.steps(steps);
    let creep = creep(&scene, bodies, &places);
    assert!(creep <= most, "{creep}");
}

#[test]
fn a_stack_of_20_falls_asleep_within_5_seconds() {
    let (mut scene, bodies) = stack(20, true);
    let seconds = settle(&mut scene, &bodies, 5.0);
    assert!(seconds.is_some());
    for (i, key) in bodies.iter().enumerate() {
        let off = scene.center(*key) - Vec3::Y * (0.5 + i as f32);
        assert!(off.length() < 0.06, "{i}: {off}");
    }
}

#[test]
fn a_pyramid_of_30_rows_falls_asleep_within_5_seconds() {
    let (mut scene, bodies) = pyramid(30, true);
    let seconds = settle(&mut scene, &bodies, 5.0);
    assert!(seconds.is_some());
}

#[test]
fn a_stack_of_20_that_never_sleeps_stands() {
    let (scene, bodies) = stack(20, false);
    stands(scene, &bodies, 1800, 0.05);
}

#[test]
fn a_stack_of_10_that_never_sleeps_does_not_creep() {
    let (scene, bodies) = stack(10, false);
    stands(scene, &bodies, 3600, 0.01);
}

#[test]
#[ignore = "five minutes of game time"]
fn a_stack_of_20_that_never_sleeps_stands_for_5_minutes() {
    let (scene, bodies) = stack(20, false);
    stands(scene, &bodies, FIVE_MINUTES, 0.05);
}

#[test]
#[ignore = "five minutes of game time"]
fn a_pyramid_of_30_rows_that_never_sleeps_stands_for_5_minutes() {
    let (scene, bodies) = pyramid(30, false);
    stands(scene, &bodies, FIVE_MINUTES, 0.01);
}

#[test]
fn a_crate_a_hundred_times_as_heavy_stands_on_a_light_one() {
    for (ratio, can_sleep) in [100.0, 300.0].into_iter().flat_map(|ratio| [(ratio, true), (ratio, false)]) {
        let mut scene = Scene::with_floor();
        let body = RigidBody { can_sleep, ..RigidBody::dynamic() };
        let light = scene.add(aabb(Vec3::Y * 0.502, Vec3::splat(0.5)), RigidBody { mass: Mass::Total(1.0), ..body });
        let heavy = scene.add(aabb(Vec3::Y * 1.506, Vec3::splat(0.5)), RigidBody { mass: Mass::Total(ratio), ..body });
        scene.steps(120);
        let places = [light, heavy].map(|key| scene.center(key));
        scene.steps(3600);
        let (creep, sunk) = (creep(&scene, &[light, heavy], &places), 1.5 - scene.center(heavy).y);
        assert!(creep <= 0.001 && sunk <= 0.002, "{ratio}: {creep} {sunk}");
        assert_eq!(scene.dynamics.body(heavy).unwrap().is_asleep(), can_sleep);
    }
}

#[test]
fn a_heap_comes_to_rest_and_nothing_is_in_anything() {
    let mut rng = Rng::with_seed(SEED);
    let mut scene = Scene::new();
    scene.fixed(aabb(Vec3::Y * -1.0, Vec3::new(20.0, 1.0, 20.0)));
    for (center, half_extents) in [
        (Vec3::X * 5.0, Vec3::new(1.0, 20.0, 6.0)),
        (Vec3::X * -5.0, Vec3::new(1.0, 20.0, 6.0)),
        (Vec3::Z * 5.0, Vec3::new(6.0, 20.0, 1.0)),
        (Vec3::Z * -5.0, Vec3::new(6.0, 20.0, 1.0)),
    ] {
        scene.fixed(aabb(center, half_extents));
    }
    let bodies: Vec<ObjectKey> = (0..200)
        .map(|i| {
            let place = Vec3::new((i % 5) as f32 - 2.0, 1.0 + (i / 25) as f32 * 1.2, (i / 5 % 5) as f32 - 2.0) * 1.3;
            let half_extents = Vec3::splat(0.4) + vector(&mut rng, 0.1);
            scene.add(obb(place + vector(&mut rng, 0.1), turn(&mut rng), half_extents), RigidBody::dynamic())
        })
        .collect();
    let seconds = settle(&mut scene, &bodies, 15.0);
    assert!(
        seconds.is_some(),
        "{} awake",
        bodies.iter().filter(|key| !scene.dynamics.body(**key).unwrap().is_asleep()).count()
    );
    let mut deepest = 0.0f64;
    for (i, a) in bodies.iter().enumerate() {
        let center = scene.center(*a);
        assert!(center.x.abs() < 4.0 && center.z.abs() < 4.0 && center.y > 0.0, "{center}");
        for b in &bodies[..i] {
            deepest = deepest.min(super::gap(scene.shape(*a), scene.shape(*b)));
        }
    }
    assert!(deepest > -0.01, "{deepest}");
}

#[test]
fn a_house_of_cards_stands() {
    let mut scene = Scene::with_floor();
    let half = Vec3::new(0.02, 0.5, 0.4);
    let lean = 0.25f32;
    let mut bodies = Vec::new();
    for x in [-0.35f32, 0.35] {
        for side in [-1.0f32, 1.0] {
            let turn = Quat::from_rotation_z(side * lean);
            let place = Vec3::new(x + side * (0.5 * lean.sin() + 0.02), 0.5 * lean.cos() + 0.01, 0.0);
            bodies.push(scene.add(obb(place, turn, half), RigidBody::dynamic()));
        }
    }
    bodies.push(scene.add(obb(Vec3::Y * 1.02, Quat::IDENTITY, Vec3::new(0.6, 0.02, 0.4)), RigidBody::dynamic()));
    scene.steps(600);
    let height = scene.center(bodies[4]).y;
    assert!(height > 0.9, "{height}");
}

#[test]
fn bodies_spawned_in_one_place_come_apart_without_an_explosion() {
    let mut rng = Rng::with_seed(SEED);
    for is_jittered in [false, true] {
        let mut scene = Scene::with_floor();
        let bodies: Vec<ObjectKey> = (0..100)
            .map(|i| {
                let off = if is_jittered { vector(&mut rng, 0.05) } else { Vec3::ZERO };
                let place = Vec3::Y * 2.0 + off;
                match i % 2 {
                    0 => scene.add(aabb(place, Vec3::new(0.3, 0.4, 0.5)), RigidBody::dynamic()),
                    _ => scene.add(ball(place, 0.4), RigidBody::dynamic()),
                }
            })
            .collect();
        let mut fastest = 0.0f32;
        for _ in 0..900 {
            scene.step();
            // Balls may roll off the floor, and fall.
            let on_floor = bodies.iter().filter(|key| scene.center(**key).y > 0.0);
            fastest = on_floor.map(|key| scene.velocity(*key).length()).fold(fastest, f32::max);
        }
        let mut deepest = 0.0f64;
        for (i, a) in bodies.iter().enumerate() {
            for b in &bodies[..i] {
                let (a, b) = (scene.shape(*a), scene.shape(*b));
                let (a, b) = if matches!(a, cullide_world::Shape::Sphere(_)) { (b, a) } else { (a, b) };
                deepest = deepest.min(super::gap(a, b));
            }
        }
        assert!(fastest <= 10.0, "{fastest}");
        assert!(deepest > -0.02, "{deepest}");
    }
}
