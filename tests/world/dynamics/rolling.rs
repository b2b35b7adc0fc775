//! A body that rolls fast, or is thrown, gets to no other side of a body that yields little or not at all.

use super::{DT, Scene, aabb};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Mass, Material, RigidBody, Shape,
    glam::{Quat, Vec3},
    narrowphase::{Capsule, Hull, Obb, Sphere},
};

#[test]
fn what_rolls_fast_stays_on_bodies_as_high_as_it_is_round() {
    for (radius, speed) in [(0.05, 3.0), (0.05, 5.0), (0.1, 10.0), (0.1, 15.0), (0.2, 30.0)] {
        for is_kinematic in [true, false] {
            for is_ball in [true, false] {
                let mut scene = Scene::new();
                let road = aabb(Vec3::Y * -0.5, Vec3::new(500.0, 0.5, 5.0));
                if is_kinematic {
                    scene.add(road, RigidBody::kinematic());
                } else {
                    scene.fixed(aabb(Vec3::Y * -1.5, Vec3::new(600.0, 0.5, 50.0)));
                    scene.add(road, RigidBody { mass: Mass::Total(1e5), ..RigidBody::dynamic() });
                }
                let at = Vec3::new(-400.0, radius, 0.0);
                let shape = match is_ball {
                    true => Shape::from(Sphere::new(at, radius).unwrap()),
                    false => Capsule::from_half_axis(at, Vec3::Z * radius, radius).unwrap().into(),
                };
                let rolling = (Vec3::X * speed, Vec3::NEG_Z * (speed / radius));
                let (velocity, angular_velocity) = rolling;
                let body = scene.add(shape, RigidBody { velocity, angular_velocity, ..RigidBody::dynamic() });
                for step in 0..240 {
                    scene.step();
                    let height = scene.world.object(body).unwrap().shape.aabb().min().y;
                    assert!((-0.001..0.003).contains(&height), "{radius} {speed} {is_kinematic} {step}: {height}");
                }
                let now = scene.velocity(body).x;
                assert!((now / speed - 1.0).abs() < 0.02, "{radius} {speed} {is_kinematic}: {now}");
            }
        }
    }
}

#[test]
fn nothing_thrown_at_a_door_passes_through_however_thin_it_is() {
    let mut rng = Rng::with_seed(SEED);
    let mut any = |scale: f32| Vec3::from([0; 3].map(|_| 2.0 * rng.f32() - 1.0)) * scale;
    for case in 0..600 {
        let speed = [10.0, 15.0, 20.0, 30.0, 100.0][case % 5];
        let dt = if case % 2 == 0 { DT } else { 2.0 * DT };
        let mut scene = Scene::new();
        scene.config.gravity = Vec3::ZERO;
        let turn = Quat::from_rotation_y(0.5);
        let thickness = [0.05, 0.005, 0.001][case % 7 % 3];
        scene.add(Obb::new(Vec3::ZERO, turn, Vec3::new(thickness, 20.0, 20.0)).unwrap(), RigidBody::kinematic());
        let at = Vec3::NEG_X * 4.0 + any(1.0) * Vec3::new(0.0, 1.0, 1.0);
        let size = 0.1 + 0.05 * any(1.0).x.abs();
        let shape = match case % 3 {
            0 => Shape::from(Obb::new(at, Quat::from_rotation_x(any(1.0).x), Vec3::splat(size)).unwrap()),
            1 => Sphere::new(at, size).unwrap().into(),
            _ => {
                let points: Vec<Vec3> = (0..12).map(|_| at + any(1.0).normalize() * size).collect();
                Hull::new(&points).unwrap().into()
            }
        };
        let velocity = (Vec3::X + any(0.3) * Vec3::new(0.0, 1.0, 1.0)).normalize() * speed;
        let material = Material { friction: any(0.5).x + 0.5, ..Material::default() };
        let body = scene.add(shape, RigidBody { velocity, material, ..RigidBody::dynamic() });
        for _ in 0..120 {
            scene.dynamics.step(&mut scene.world, dt, &scene.config).unwrap();
            let center = scene.world.object(body).unwrap().shape.aabb().center();
            let before = (turn.inverse() * center).x;
            assert!(before < -thickness, "case {case}: its centre is {before} before the door");
        }
    }
}

#[test]
fn a_ball_that_rolls_fast_on_fixed_ground_turns_as_far_as_it_rolls() {
    let mut scene = Scene::with_floor();
    let (radius, speed) = (0.1, 15.0);
    let (velocity, angular_velocity) = (Vec3::X * speed, Vec3::NEG_Z * (speed / radius));
    let ball = Sphere::new(Vec3::new(-30.0, radius, 0.0), radius).unwrap();
    let ball = scene.add(ball, RigidBody { velocity, angular_velocity, ..RigidBody::dynamic() });
    scene.steps(10);
    for _ in 0..60 {
        let (before, from) = scene.world.object(ball).unwrap().transform();
        scene.step();
        let (after, to) = scene.world.object(ball).unwrap().transform();
        let rolled = Quat::from_rotation_z(-(to.x - from.x) / radius);
        let turned = after * before.inverse();
        assert!(turned.dot(rolled).abs() > 0.9999, "{turned} instead of {rolled}");
    }
}
