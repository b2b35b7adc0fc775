//! What both ways of sync cost: `cargo test --release --all-features --test sync_speed -- --ignored --nocapture`.

mod support;

use bevy_app::{FixedPostUpdate, FixedUpdate};
use bevy_cullide::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_transform::components::Transform;
use std::time::{Duration, Instant};
use support::*;

const COUNT: usize = 10_000;

#[derive(Component)]
struct Moves;

/// How long steps took.
#[derive(Resource)]
struct Stepped {
    since: Instant,
    times: Vec<Duration>,
}

/// The least and the middle time of a frame.
fn frames(app: &mut bevy_app::App) -> [Duration; 2] {
    ticks(app, 20);
    let mut times: Vec<Duration> = (0..200)
        .map(|_| {
            let start = Instant::now();
            app.update();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    [times[0], times[100]]
}

fn place_of(number: usize) -> Vec3 {
    Vec3::new((number % 100) as f32, 0.0, (number / 100) as f32) * 2.0
}

fn print(what: &str, [least, middle]: [Duration; 2]) {
    println!(
        "{what:44} {:7.1} µs at least, {:7.1} µs in the middle",
        least.as_secs_f64() * 1e6,
        middle.as_secs_f64() * 1e6
    );
}

/// Prints what bodies cost: with the step, the step alone, and without.
fn moving_bodies(what: &str, gravity: Vec3, turn: Vec3) -> bevy_app::App {
    let mut bodies = app();
    bodies.insert_resource(Gravity(gravity));
    for number in 0..COUNT {
        let body =
            (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), LinearVelocity(Vec3::Y), AngularVelocity(turn));
        bodies.world_mut().spawn((body, Transform::from_translation(place_of(number))));
    }
    bodies.insert_resource(Stepped { since: Instant::now(), times: Vec::new() });
    bodies.add_systems(
        FixedPostUpdate,
        (
            (|mut stepped: ResMut<Stepped>| stepped.since = Instant::now())
                .after(PhysicsSystems::Prepare)
                .before(PhysicsSystems::StepSimulation),
            (|mut stepped: ResMut<Stepped>| {
                let time = stepped.since.elapsed();
                stepped.times.push(time);
            })
            .after(PhysicsSystems::StepSimulation)
            .before(PhysicsSystems::Writeback),
        ),
    );
    print(what, frames(&mut bodies));
    let mut times = std::mem::take(&mut bodies.world_mut().resource_mut::<Stepped>().times);
    times.sort_unstable();
    print("  of which steps", [times[0], times[times.len() / 2]]);
    // A frame without what it steps.
    let mut beside: Vec<Duration> = (0..200)
        .map(|_| {
            let start = Instant::now();
            bodies.update();
            start.elapsed() - bodies.world_mut().resource_mut::<Stepped>().times.pop().unwrap_or_default()
        })
        .collect();
    beside.sort_unstable();
    print("  and the rest of a frame", [beside[0], beside[100]]);
    bodies
}

#[test]
#[ignore = "a measurement, in release"]
fn ten_thousand_colliders() {
    let mut empty = app();
    print("an app without colliders", frames(&mut empty));

    let mut still = app();
    for number in 0..COUNT {
        still.world_mut().spawn((Collider::cuboid(1.0, 1.0, 1.0), Transform::from_translation(place_of(number))));
    }
    let start = Instant::now();
    still.update();
    println!("10,000 colliders come: {:?}", start.elapsed());
    print("10,000 still colliders", frames(&mut still));

    let mut driven = app();
    for number in 0..COUNT {
        let place = Transform::from_translation(place_of(number));
        driven.world_mut().spawn((Moves, Collider::cuboid(1.0, 1.0, 1.0), place));
    }
    driven.add_systems(FixedUpdate, |mut moving: Query<&mut Transform, With<Moves>>| {
        moving.iter_mut().for_each(|mut transform| transform.translation.y += 0.01);
    });
    print("10,000 that their transforms move", frames(&mut driven));
    // The same edits without entities.
    let mut physics = driven.world().resource::<Physics>().clone();
    let mut poses: Vec<_> = physics.world.objects().map(|(key, _)| key).collect();
    let mut poses: Vec<_> = poses.drain(..).map(|key| (key, physics.world.object(key).unwrap().transform())).collect();
    let mut times: Vec<Duration> = (0..100)
        .map(|_| {
            poses.iter_mut().for_each(|(_, pose)| pose.1.y += 0.01);
            let batch: Vec<_> = poses.iter().map(|(key, (rotation, place))| (*key, *rotation, *place)).collect();
            let start = Instant::now();
            physics.world.set_transform_batch(&batch).unwrap();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    print("  of which in the library", [times[0], times[50]]);

    let _ = moving_bodies("10,000 bodies that move freely", Vec3::ZERO, Vec3::ZERO);
    let bodies = moving_bodies("10,000 bodies that fall and turn", Vec3::NEG_Y, Vec3::new(0.3, 0.2, 0.1));
    let physics = bodies.world().resource::<Physics>();
    let keys: Vec<_> = physics.world.objects().map(|(key, _)| key).collect();
    let mut times: Vec<Duration> = (0..100)
        .map(|_| {
            let start = Instant::now();
            let sum: Vec3 = keys
                .iter()
                .filter_map(|key| physics.world.object(*key).map(|object| object.transform()))
                .map(|pose| pose.1)
                .sum();
            assert!(sum.is_finite());
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    print("  of which poses asked of the library", [times[0], times[50]]);
    let start = Instant::now();
    let saved = bodies.world().resource::<Physics>().clone();
    println!("a clone of all: {:?}, {} objects", start.elapsed(), saved.world.len());
}
