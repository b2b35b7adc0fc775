//! Where a renderer draws bodies: the rotation of balls and capsules, which their shapes do not record. And bodies
//! moved by an animation.

use super::{DT, Scene, aabb, ball, capsule, obb};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Compound, Mass, Material, ObjectKey, RigidBody, Shape, World,
    glam::{Quat, Vec3},
    narrowphase::Error,
};
use std::f32::consts::PI;

fn pose(scene: &Scene, key: ObjectKey) -> (Quat, Vec3) {
    scene.world.object(key).unwrap().transform()
}

/// Whether two rotations are the same, up to an angle in radians.
fn same(a: Quat, b: Quat, angle: f32) -> bool {
    1.0 - a.dot(b).abs() <= 0.125 * angle * angle + 1e-6
}

fn half_axis(world: &World, key: ObjectKey) -> Vec3 {
    match &world.object(key).unwrap().shape {
        Shape::Capsule(shape) => shape.half_axis(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_ball_that_rolls_turns_by_the_way_over_its_radius() {
    let mut scene = Scene::with_floor();
    let rolling = RigidBody { velocity: Vec3::X * 3.0, angular_velocity: Vec3::NEG_Z * 6.0, ..RigidBody::dynamic() };
    let key = scene.add(ball(Vec3::Y * 0.5, 0.5), rolling);
    // The rolling is applied on top of a quarter turn that the caller set.
    let given = Quat::from_rotation_y(0.5 * PI);
    scene.world.object_mut(key).unwrap().set_transform(given, Vec3::Y * 0.5).unwrap();
    scene.steps(120);
    let (rotation, position) = pose(&scene, key);
    let expected = Quat::from_rotation_z(-position.x / 0.5) * given;
    assert!(position.x > 5.0 && same(rotation, expected, 0.05), "{position} {rotation} {expected}");
    // A body at rest keeps its pose, and a new shape is as given.
    let asleep = scene.add(ball(Vec3::new(0.0, 0.5, 9.0), 0.5), RigidBody::dynamic());
    scene.steps(120);
    assert_eq!(pose(&scene, asleep).0, Quat::IDENTITY);
    scene.world.object_mut(key).unwrap().set_shape(ball(Vec3::Y * 0.5, 0.5));
    assert_eq!(pose(&scene, key), (Quat::IDENTITY, Vec3::Y * 0.5));
}

#[test]
fn the_rotation_of_a_capsule_takes_its_axis_to_where_it_is() {
    let mut scene = Scene::with_floor();
    let mut rng = Rng::with_seed(SEED);
    let mut any = || 2.0 * rng.f32() - 1.0;
    let keys: Vec<(ObjectKey, Vec3)> = (0..20)
        .map(|i| {
            let axis = Vec3::new(any(), any(), any());
            let spin = 9.0 * Vec3::new(any(), any(), any());
            let center = Vec3::new(4.0 * i as f32 - 40.0, 2.0, 0.0);
            let body = RigidBody { angular_velocity: spin, ..RigidBody::dynamic() };
            (scene.add(capsule(center, axis, 0.3), body), axis)
        })
        .collect();
    for _ in 0..300 {
        scene.steps(1);
        for &(key, axis) in &keys {
            let (rotation, position) = pose(&scene, key);
            let now = half_axis(&scene.world, key);
            assert!((rotation * axis).distance(now) < 1e-5, "{} {now}", rotation * axis);
            assert_eq!(position, scene.center(key));
        }
    }
    // What is read back may be set again.
    for (key, _) in keys {
        let before = half_axis(&scene.world, key);
        let (rotation, position) = pose(&scene, key);
        scene.world.object_mut(key).unwrap().set_transform(rotation, position).unwrap();
        assert!(half_axis(&scene.world, key).distance(before) < 1e-5);
    }
}

#[test]
fn a_capsule_that_spins_about_its_axis_tells_by_how_much() {
    let mut scene = Scene::weightless();
    let spin = RigidBody { angular_velocity: Vec3::Y * 2.0, ..RigidBody::dynamic() };
    let key = scene.add(capsule(Vec3::ZERO, Vec3::Y, 0.5), spin);
    scene.steps(60);
    let (rotation, _) = pose(&scene, key);
    assert!(same(rotation, Quat::from_rotation_y(60.0 * 2.0 * DT), 1e-3), "{rotation}");
}

#[test]
fn kinematic_bodies_of_all_kinds_reach_the_poses_that_an_animation_gives() {
    let house = Compound::new([aabb(Vec3::X * 3.0, Vec3::ONE).into(), ball(Vec3::Y * 2.0, 1.0).into()]).unwrap();
    let skewed = Shape::from(obb(Vec3::ZERO, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0)));
    let shapes: [Shape; 5] = [
        aabb(Vec3::ZERO, Vec3::ONE).into(),
        skewed,
        ball(Vec3::ZERO, 1.0).into(),
        capsule(Vec3::ZERO, Vec3::Y, 0.5).into(),
        house.into(),
    ];
    for shape in shapes {
        let mut scene = Scene::new();
        let key = scene.add(shape, RigidBody::kinematic());
        let at = |frame: i32| {
            let time = frame as f32 * DT;
            let turn = Quat::from_rotation_y(1.5 * time) * Quat::from_rotation_x((3.0 * time).sin());
            (turn, Vec3::new(time, (2.0 * time).cos(), 40.0))
        };
        let (rotation, translation) = at(0);
        scene.world.object_mut(key).unwrap().set_transform(rotation, translation).unwrap();
        for frame in 1..200 {
            let (rotation, translation) = at(frame);
            let Scene { world, dynamics, .. } = &mut scene;
            assert_eq!(dynamics.body_mut(world, key).unwrap().move_kinematic(rotation, translation, DT), Ok(()));
            scene.steps(1);
            let (turned, moved) = pose(&scene, key);
            assert!(moved.distance(translation) < 2e-5 && same(turned, rotation, 1e-3), "{frame}: {moved} {turned}");
        }
    }
}

#[test]
fn a_crate_rides_a_lift_that_an_animation_moves_and_what_cannot_be_moved_is_refused() {
    let mut scene = Scene::new();
    let lift = scene.add(aabb(Vec3::ZERO, Vec3::new(2.0, 0.25, 2.0)), RigidBody::kinematic());
    let load = RigidBody { mass: Mass::Total(50.0), material: Material::default(), ..RigidBody::dynamic() };
    let load = scene.add(aabb(Vec3::Y * 0.75, Vec3::splat(0.5)), load);
    for frame in 1..=120 {
        let height = 1.5 * (1.0 - (PI * frame as f32 / 120.0).cos());
        let Scene { world, dynamics, .. } = &mut scene;
        dynamics.body_mut(world, lift).unwrap().move_kinematic(Quat::IDENTITY, Vec3::Y * height, DT).unwrap();
        scene.steps(1);
    }
    assert!((pose(&scene, lift).1.y - 3.0).abs() < 1e-4);
    assert!((pose(&scene, load).1.y - 3.75).abs() < 0.02, "{:?}", pose(&scene, load));

    let gone = scene.add(ball(Vec3::Y * 50.0, 1.0), RigidBody::kinematic());
    scene.world.remove(gone);
    let Scene { world, dynamics, .. } = &mut scene;
    assert!(dynamics.body_mut(world, gone).is_none());
    let mut moved = |key, rotation, translation, dt| {
        dynamics.body_mut(world, key).unwrap().move_kinematic(rotation, translation, dt)
    };
    assert_eq!(moved(load, Quat::IDENTITY, Vec3::ZERO, DT), Err(Error::NotKinematic { field: "body" }));
    let field = "rotation, translation, dt";
    assert_eq!(moved(lift, Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0), Vec3::ZERO, DT), Err(Error::NonFinite { field }));
    assert_eq!(moved(lift, Quat::IDENTITY, Vec3::ZERO, f32::INFINITY), Err(Error::NonFinite { field }));
    assert_eq!(moved(lift, Quat::IDENTITY, Vec3::ZERO, 0.0), Err(Error::NotPositive { field: "dt" }));
    let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    assert_eq!(moved(lift, zero, Vec3::ZERO, DT), Err(Error::ZeroDirection { field: "rotation" }));
    assert_eq!(moved(lift, Quat::IDENTITY, Vec3::X * 1e30, 1e-30), Err(Error::NonFinite { field: "velocity" }));
}
