//! What moves by less than a step of `f32` per step of the world goes on as fast as it should, wherever it is.

use super::{DT, Scene, aabb, ball, capsule, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BodyKind, Material, Object, ObjectKey, RigidBody, Shape, Terrain,
    glam::{DQuat, DVec3, Quat, Vec2, Vec3},
    narrowphase::Hull,
};

/// A body of any kind, not far from its place.
fn any_shape(rng: &mut Rng, at: Vec3) -> Shape {
    let (turn, half) = (turn(rng), Vec3::new(0.4, 0.3, 0.5));
    match rng.u32(0..5) {
        0 => aabb(at, half).into(),
        1 => obb(at, turn, half).into(),
        2 => ball(at, 0.4).into(),
        3 => capsule(at, turn * Vec3::X, 0.3).into(),
        _ => Hull::new(&obb(at, turn, half).corners()).unwrap().into(),
    }
}

/// A number of any order of magnitude from `10^least` to `10^most`.
fn any_size(rng: &mut Rng, least: f32, most: f32) -> f32 {
    10.0f32.powf(least + (most - least) * rng.f32())
}

/// The distance from a number of this size to the next one.
fn step_of(at: Vec3) -> f64 {
    let most = at.abs().max_element();
    f64::from(most.next_up() - most)
}

fn middle(scene: &Scene, key: ObjectKey) -> DVec3 {
    let aabb = scene.shape(key).aabb();
    0.5 * (aabb.min().as_dvec3() + aabb.max().as_dvec3())
}

#[test]
fn slow_bodies_get_as_far_as_their_velocity_says_wherever_they_are() {
    for body in [RigidBody::kinematic(), RigidBody { is_sensor: true, ..RigidBody::dynamic() }, RigidBody::dynamic()] {
        let mut rng = Rng::with_seed(SEED);
        let mut scene = Scene::weightless();
        let mut add = |i: u32| {
            // Far from each other.
            let at = vector(&mut rng, 1.0) * any_size(&mut rng, 0.0, 6.0) + Vec3::Y * 100.0 * i as f32;
            let velocity = vector(&mut rng, 1.0) * any_size(&mut rng, -6.0, 1.0);
            let shape = any_shape(&mut rng, at);
            (scene.add(shape, RigidBody { velocity, can_sleep: false, ..body }), velocity.as_dvec3())
        };
        let bodies: Vec<(ObjectKey, DVec3)> = (0..400).map(&mut add).collect();
        scene.step();
        let starts: Vec<DVec3> = bodies.iter().map(|(key, _)| middle(&scene, *key)).collect();
        let steps = 600;
        scene.steps(steps);
        for ((key, velocity), start) in bodies.iter().zip(starts) {
            let (end, shape) = (middle(&scene, *key), scene.shape(*key));
            let off = end - (start + velocity * (f64::from(DT) * steps as f64));
            // Bounds are rounded, too.
            let share = if body.kind == BodyKind::Kinematic { 1e-6 } else { 2e-5 };
            let most = 4.0 * step_of(end.as_vec3().abs() + 1.0) + share * start.distance(end);
            assert!(off.length() < most, "{off} after {}, {:?} of {shape:?}", end - start, body.kind);
        }
    }
}

#[test]
fn slow_bodies_turn_as_far_as_their_velocity_says() {
    let mut rng = Rng::with_seed(SEED);
    let mut scene = Scene::weightless();
    let mut add = |_| {
        let angular_velocity = vector(&mut rng, 1.0) * any_size(&mut rng, -6.0, 0.0);
        let (at, turn) = (vector(&mut rng, 1.0) * any_size(&mut rng, 0.0, 6.0), turn(&mut rng));
        let half = Vec3::new(0.4, 0.3, if rng.bool() { 0.0 } else { 0.5 });
        let shape: Shape = if rng.bool() { obb(at, turn, half).into() } else { capsule(at, turn * half, 0.1).into() };
        (scene.add(shape, RigidBody { angular_velocity, ..RigidBody::kinematic() }), angular_velocity.as_dvec3())
    };
    let bodies: Vec<(ObjectKey, DVec3)> = (0..400).map(&mut add).collect();
    let edges = |scene: &Scene, key: ObjectKey| match scene.shape(key) {
        Shape::Obb(shape) => shape.half_edges().map(|edge| edge.as_dvec3()),
        Shape::Aabb(shape) => DVec3::AXES.map(|axis| axis * shape.half_extents().as_dvec3()),
        Shape::Capsule(shape) => [shape.half_axis().as_dvec3(), DVec3::ZERO, DVec3::ZERO],
        other => panic!("{other:?}"),
    };
    let starts: Vec<[DVec3; 3]> = bodies.iter().map(|(key, _)| edges(&scene, *key)).collect();
    let steps = 1200;
    scene.steps(steps);
    for ((key, spin), start) in bodies.iter().zip(starts) {
        let angle = *spin * (f64::from(DT) * steps as f64);
        let turn = DQuat::from_scaled_axis(angle);
        for (start, end) in start.into_iter().zip(edges(&scene, *key)) {
            let off = end.distance(turn * start);
            assert!(off < 2e-6 * (0.2 + angle.length()), "{off} by {angle}: {:?}", scene.shape(*key));
        }
    }
}

/// On a floor far out, a ball that rolls and a crate on ice go as far as they should.
#[test]
fn what_moves_slowly_on_ground_far_out_goes_on() {
    for (far, speed) in [(0.0, 0.02), (10_000.0, 0.1), (50_000.0, 0.1), (50_000.0, 1.0), (200_000.0, 0.3)] {
        let origin = Vec3::new(far, 0.0, -0.7 * far);
        for ground in 0..2 {
            let mut scene = Scene::new();
            // Nothing falls asleep at these speeds.
            (scene.config.sleep_speed, scene.config.skin) = (0.0, 1e-3);
            match ground {
                0 => _ = scene.fixed(aabb(origin - Vec3::Y, Vec3::new(40.0, 1.0, 40.0))),
                _ => {
                    let corner = Vec2::new(origin.x - 32.0, origin.z - 32.0);
                    _ = scene.fixed(Terrain::new(17, 17, &[0.0; 289], Vec2::splat(4.0), corner).unwrap());
                }
            }
            let material = Material { friction: 0.0, ..Material::default() };
            let velocity = Vec3::new(0.6, 0.0, 0.8) * speed;
            let rolling =
                RigidBody { velocity, angular_velocity: Vec3::Y.cross(velocity) / 0.5, ..RigidBody::dynamic() };
            let sliding = RigidBody { velocity, material, ..RigidBody::dynamic() };
            let keys = [
                scene.add(ball(origin + Vec3::new(4.0, 0.501, 0.0), 0.5), rolling),
                scene.add(aabb(origin + Vec3::new(-4.0, 0.501, 0.0), Vec3::splat(0.5)), sliding),
                scene.add(capsule(origin + Vec3::new(0.0, 0.301, 4.0), Vec3::X, 0.3), sliding),
            ];
            scene.steps(60);
            let starts = keys.map(|key| middle(&scene, key));
            // Contacts may change their velocities a little.
            let mut ways = [DVec3::ZERO; 3];
            for _ in 0..600 {
                scene.step();
                for (way, key) in ways.iter_mut().zip(keys) {
                    *way += scene.velocity(key).as_dvec3() * f64::from(DT);
                }
            }
            for ((key, start), expected) in keys.into_iter().zip(starts).zip(ways) {
                let way = middle(&scene, key) - start;
                let off = way - expected;
                assert!(expected.length() > 9.0 * f64::from(speed), "{expected}");
                let across = DVec3::new(off.x, 0.0, off.z).length();
                let most = 4.0 * step_of(origin) + 2e-3 * way.length();
                assert!(across < most, "{far}, {speed}, ground {ground}: {way}, {off} off: {:?}", scene.shape(key));
            }
        }
    }
}

#[test]
fn what_rounding_took_is_saved_and_cloned() {
    let mut rng = Rng::with_seed(SEED);
    let mut scene = Scene::weightless();
    for i in 0..60 {
        let at = vector(&mut rng, 1000.0) + Vec3::Y * 100.0 * i as f32;
        let (velocity, angular_velocity) = (vector(&mut rng, 1e-3), vector(&mut rng, 1e-5));
        let body = if i % 2 == 0 { RigidBody::kinematic() } else { RigidBody::dynamic() };
        let shape = any_shape(&mut rng, at);
        scene.add(shape, RigidBody { velocity, angular_velocity, can_sleep: false, ..body });
    }
    for before in [1, 7, 40] {
        scene.steps(before);
        let (mut restored, mut cloned) = (scene.restored(), scene.clone());
        assert_eq!(restored.hash(), scene.hash());
        for other in [&mut restored, &mut cloned] {
            other.steps(100);
        }
        let mut gone_on = scene.clone();
        gone_on.steps(100);
        assert!([restored.hash(), cloned.hash()] == [gone_on.hash(); 2], "after {before}");
    }
}

#[test]
fn what_is_put_somewhere_starts_there_without_the_rest_of_an_earlier_motion() {
    let mut rng = Rng::with_seed(SEED);
    for _ in 0..40 {
        let (at, velocity) = (vector(&mut rng, 3000.0), vector(&mut rng, 1e-2));
        let body = RigidBody { velocity, angular_velocity: velocity, ..RigidBody::kinematic() };
        let mut scenes = [0, 1].map(|_| Scene::weightless());
        let shape = any_shape(&mut rng, at);
        let keys = scenes.each_mut().map(|scene| scene.add(shape.clone(), body));
        scenes[0].steps(7);
        let at = vector(&mut rng, 3000.0);
        let there = any_shape(&mut rng, at);
        for (scene, key) in scenes.iter_mut().zip(keys) {
            scene.world.object_mut(key).unwrap().set_shape(there.clone());
            scene.steps(30);
        }
        assert_eq!(scenes[0].shape(keys[0]), scenes[1].shape(keys[1]));
    }
}

#[test]
fn a_lift_arrives_where_its_animation_says_and_rests_there() {
    let mut rng = Rng::with_seed(SEED);
    for _ in 0..100 {
        let far = any_size(&mut rng, 0.0, 5.0);
        let at = vector(&mut rng, far);
        let mut scene = Scene::weightless();
        let shape = any_shape(&mut rng, at);
        let lift = scene.add(shape, RigidBody { velocity: vector(&mut rng, 0.01), ..RigidBody::kinematic() });
        scene.steps(5);
        let (_, start) = scene.world.object(lift).unwrap().transform();
        for frame in 1..=50 {
            // The last ones are all the same.
            let target = start + Vec3::new(0.3, 1.0, -0.2) * 0.01 * frame.min(40) as f32;
            scene.dynamics.body_mut(&scene.world, lift).unwrap().move_kinematic(Quat::IDENTITY, target, DT).unwrap();
            scene.step();
            let found = scene.world.object(lift).unwrap().transform().1;
            assert!(f64::from(found.distance(target)) <= 4.0 * step_of(at.abs() + 1.0), "{found} for {target}");
        }
        let speed = scene.velocity(lift).length() * DT;
        assert!(f64::from(speed) <= 4.0 * step_of(at.abs() + 1.0), "{speed}");
    }
}

/// What is told of the rotation of a capsule, about its own axis too, is that of its shape.
#[test]
fn the_pose_of_a_capsule_that_turns_slowly_is_where_its_axis_is() {
    let mut rng = Rng::with_seed(SEED);
    let mut scene = Scene::weightless();
    let bodies: Vec<_> = (0..40)
        .map(|_| {
            let axis = vector(&mut rng, 1.0);
            let shape = capsule(vector(&mut rng, 1000.0), axis, 0.1);
            let angular_velocity = vector(&mut rng, 1.0) * any_size(&mut rng, -5.0, 0.0);
            (scene.world.insert(Object::moving(shape)), axis, angular_velocity)
        })
        .collect();
    for (key, _, angular_velocity) in &bodies {
        let body = RigidBody { angular_velocity: *angular_velocity, ..RigidBody::kinematic() };
        scene.dynamics.insert(&mut scene.world, *key, body).unwrap();
    }
    scene.steps(3000);
    for (key, axis, _) in bodies {
        let Shape::Capsule(shape) = scene.shape(key) else { panic!("a capsule") };
        let told = scene.world.object(key).unwrap().transform().0 * axis;
        assert!(told.distance(shape.half_axis()) < 4e-6, "{told} for {}", shape.half_axis());
    }
}
