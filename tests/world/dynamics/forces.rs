//! Forces, impulses and materials that callers set, and which bodies they wake.

use super::{Scene, aabb, ball, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Mass, Material, Mobility, RigidBody,
    glam::{BVec3, Quat, Vec3},
};
use std::f32::consts::FRAC_PI_2;

#[test]
fn what_changes_nothing_wakes_nobody() {
    let mut scene = Scene::with_floor();
    let key = scene.add(aabb(Vec3::Y * 0.501, Vec3::splat(0.5)), RigidBody::dynamic());
    scene.steps(60);
    assert!(scene.dynamics.body(key).unwrap().is_asleep());
    let lift = scene.add(aabb(Vec3::new(5.0, 3.0, 0.0), Vec3::splat(0.5)), RigidBody::kinematic());
    let material = scene.dynamics.body(key).unwrap().material;
    for _ in 0..5 {
        scene.dynamics.body_mut(&scene.world, key).unwrap().set_velocity(Vec3::ZERO, Vec3::ZERO).unwrap();
        scene.dynamics.body_mut(&scene.world, lift).unwrap().set_velocity(Vec3::ZERO, Vec3::ZERO).unwrap();
        scene.dynamics.body_mut(&scene.world, key).unwrap().apply_impulse(Vec3::ZERO, Vec3::X).unwrap();
        scene.dynamics.body_mut(&scene.world, key).unwrap().apply_angular_impulse(Vec3::ZERO).unwrap();
        scene.dynamics.body_mut(&scene.world, key).unwrap().apply_force(Vec3::ZERO, Vec3::ZERO).unwrap();
        scene.dynamics.body_mut(&scene.world, key).unwrap().apply_force_at(Vec3::ZERO, Vec3::X).unwrap();
        scene.dynamics.set_material(&scene.world, key, material).unwrap();
        scene.step();
        assert!(scene.dynamics.body(key).unwrap().is_asleep());
    }
    // Nor does a force that is applied in each step keep a body from falling asleep.
    scene.dynamics.body_mut(&scene.world, key).unwrap().wake();
    for _ in 0..60 {
        scene.dynamics.body_mut(&scene.world, key).unwrap().set_velocity(Vec3::ZERO, Vec3::ZERO).unwrap();
        scene.step();
    }
    assert!(scene.dynamics.body(key).unwrap().is_asleep());
    scene.dynamics.body_mut(&scene.world, key).unwrap().apply_angular_impulse(Vec3::Y).unwrap();
    assert!(!scene.dynamics.body(key).unwrap().is_asleep());
}

#[test]
fn a_material_of_a_body_is_set_where_that_of_anything_else_is() {
    let mut scene = Scene::with_floor();
    let sliding = RigidBody { velocity: Vec3::X * 3.0, ..RigidBody::dynamic() };
    let boxes = [0.0, 3.0].map(|z| scene.add(aabb(Vec3::new(0.0, 0.501, z), Vec3::splat(0.5)), sliding));
    let ice = Material { friction: 0.0, ..Material::default() };
    scene.dynamics.set_material(&scene.world, boxes[1], ice).unwrap();
    scene.steps(120);
    let [rough, slippery] = boxes.map(|key| scene.center(key).x);
    assert!(rough < 1.0 && (slippery - 6.0).abs() < 0.1, "{rough} {slippery}");
    assert_eq!(scene.dynamics.body(boxes[1]).unwrap().material, ice);
    // A body that sleeps on a slope slides when the slope becomes slippery.
    scene.dynamics.set_material(&scene.world, boxes[0], ice).unwrap();
    assert!(!scene.dynamics.body(boxes[0]).unwrap().is_asleep());
}

#[test]
fn a_force_at_a_point_is_an_impulse_there_over_the_step() {
    let mut rng = Rng::with_seed(SEED);
    for _ in 0..50 {
        let mut scene = Scene::weightless();
        let pose = (vector(&mut rng, 5.0), turn(&mut rng), Vec3::new(0.2, 0.5, 0.9));
        let body = RigidBody { mass: Mass::Total(3.0), ..RigidBody::dynamic() };
        let [pushed, struck] = [(0.0, body), (50.0, body)].map(|(x, body)| {
            let (center, rotation, half_extents) = pose;
            scene.add(obb(center + Vec3::X * x, rotation, half_extents), body)
        });
        let (force, arm) = (vector(&mut rng, 1.0), vector(&mut rng, 0.5));
        let points = [pushed, struck].map(|key| scene.center(key) + arm);
        scene.dynamics.body_mut(&scene.world, pushed).unwrap().apply_force_at(force, points[0]).unwrap();
        scene.dynamics.body_mut(&scene.world, struck).unwrap().apply_impulse(force * super::DT, points[1]).unwrap();
        let before = scene.dynamics.body(struck).unwrap().velocity_at(&scene.world, points[1]).unwrap();
        assert!(before.dot(force) > 0.0);
        scene.step();
        assert!((scene.velocity(pushed) - scene.velocity(struck)).length() < 1e-6);
        assert!((scene.spin(pushed) - scene.spin(struck)).length() < 1e-4);
    }
}

#[test]
fn an_angular_impulse_keeps_to_locked_axes_and_leaves_what_is_no_dynamic_body() {
    let mut scene = Scene::weightless();
    let locked = RigidBody { locked_rotation: BVec3::new(true, false, true), ..RigidBody::dynamic() };
    let door = scene.add(obb(Vec3::ZERO, Quat::IDENTITY, Vec3::new(1.0, 1.0, 0.1)), locked);
    scene.dynamics.body_mut(&scene.world, door).unwrap().apply_angular_impulse(Vec3::ONE).unwrap();
    let spin = scene.spin(door);
    assert!(spin.x == 0.0 && spin.z == 0.0 && spin.y > 0.0, "{spin}");
    let lift = scene.add(ball(Vec3::X * 9.0, 1.0), RigidBody::kinematic());
    scene.dynamics.body_mut(&scene.world, lift).unwrap().apply_impulse(Vec3::ONE, Vec3::ZERO).unwrap();
    scene.dynamics.body_mut(&scene.world, lift).unwrap().apply_angular_impulse(Vec3::ONE).unwrap();
    scene.dynamics.body_mut(&scene.world, lift).unwrap().apply_force_at(Vec3::ONE, Vec3::ZERO).unwrap();
    scene.step();
    assert_eq!((scene.velocity(lift), scene.spin(lift)), (Vec3::ZERO, Vec3::ZERO));
    for bad in [f32::NAN, f32::INFINITY] {
        assert!(scene.dynamics.body_mut(&scene.world, door).unwrap().apply_angular_impulse(Vec3::splat(bad)).is_err());
        assert!(
            scene.dynamics.body_mut(&scene.world, door).unwrap().apply_force_at(Vec3::Y, Vec3::splat(bad)).is_err()
        );
        assert!(
            scene.dynamics.body_mut(&scene.world, door).unwrap().apply_force_at(Vec3::splat(bad), Vec3::Y).is_err()
        );
        assert_eq!(scene.spin(door), spin);
    }
}

#[test]
fn a_sensor_goes_as_its_velocity_says_and_nothing_pushes_it() {
    for speed in [0.2f32, 0.35, 0.4, 2.0] {
        let mut scene = Scene::with_floor();
        let body =
            RigidBody { is_sensor: true, velocity: Vec3::NEG_Y * speed, linear_damping: 3.0, ..RigidBody::dynamic() };
        let key = scene.add(aabb(Vec3::Y * 0.6, Vec3::splat(0.5)), body);
        for _ in 0..60 {
            scene.dynamics.body_mut(&scene.world, key).unwrap().apply_force(Vec3::ONE, Vec3::ONE).unwrap();
            scene.step();
        }
        assert_eq!(scene.velocity(key), Vec3::NEG_Y * speed);
        assert!((scene.center(key).y - (0.6 - speed)).abs() < 1e-4);
    }
}

/// What was put elsewhere since the last step is struck where it is, and is restored so.
#[test]
fn points_of_the_world_are_told_from_where_a_body_is_now() {
    let mut scene = Scene::weightless();
    let mass = Mass::Total(2.0);
    let key = scene.add(obb(Vec3::ZERO, Quat::IDENTITY, Vec3::ONE), RigidBody { mass, ..RigidBody::dynamic() });
    scene.step();
    let place = Vec3::new(100.0, 0.0, -3.0);
    scene.world.object_mut(key).unwrap().set_transform(Quat::from_rotation_z(FRAC_PI_2), place).unwrap();
    assert_eq!(scene.dynamics.body(key).unwrap().mass(&scene.world).unwrap().center, place);
    let mut other = scene.restored();
    for scene in [&mut scene, &mut other] {
        assert_eq!(scene.dynamics.body_mut(&scene.world, key).unwrap().apply_impulse(Vec3::Y * 4.0, place), Ok(()));
        assert_eq!(scene.dynamics.body_mut(&scene.world, key).unwrap().apply_force_at(Vec3::Y, place), Ok(()));
        let body = scene.dynamics.body(key).unwrap();
        assert_eq!((body.velocity, body.angular_velocity), (Vec3::Y * 2.0, Vec3::ZERO));
        assert_eq!(scene.dynamics.body(key).unwrap().velocity_at(&scene.world, place), Some(Vec3::Y * 2.0));
        scene.step();
        assert_eq!(scene.dynamics.body(key).unwrap().angular_velocity, Vec3::ZERO);
    }
    assert_eq!(scene.hash(), other.hash());
    // What is no body any more is not struck.
    scene.world.object_mut(key).unwrap().set_mobility(Mobility::Fixed);
    assert!(scene.dynamics.body_mut(&scene.world, key).is_none());
}
