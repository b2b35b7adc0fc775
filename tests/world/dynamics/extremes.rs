//! The largest numbers: whatever is passed in, the state of a body stays finite, and can be saved and restored.

use super::{DT, SETTINGS, Scene, aabb, ball, capsule, obb};
use cullide_world::{
    Compound, Dynamics, DynamicsConfig, Mass, ObjectKey, PlacedCompound, RigidBody,
    glam::{Quat, Vec3},
};

/// A box, a ball, a rod and a compound on a floor, and two of them above it.
fn bodies(scene: &mut Scene, body: RigidBody) -> Vec<ObjectKey> {
    let child = |x: f32| obb(Vec3::X * x, Quat::IDENTITY, Vec3::new(0.3, 0.2, 0.1)).into();
    let compound = Compound::new([child(-0.3), child(0.5)]).unwrap();
    vec![
        scene.add(aabb(Vec3::new(0.0, 0.502, 0.0), Vec3::new(0.5, 0.5, 0.2)), body),
        scene.add(ball(Vec3::new(3.0, 0.501, 0.0), 0.5), body),
        scene.add(capsule(Vec3::new(6.0, 0.301, 0.0), Vec3::X, 0.3), body),
        scene.add(obb(Vec3::new(0.1, 1.8, 0.0), Quat::from_rotation_z(0.4), Vec3::new(0.7, 0.5, 0.1)), body),
        scene.add(PlacedCompound::new(&compound, Quat::IDENTITY, Vec3::new(9.0, 0.5, 0.0)).unwrap(), body),
    ]
}

fn check(scene: &mut Scene, keys: &[ObjectKey], dt: f32, what: &str) {
    for step in 0..6 {
        scene.dynamics.step(&mut scene.world, dt, &scene.config).unwrap();
        for key in keys {
            let body = scene.dynamics.body(*key).unwrap();
            assert!(body.velocity.is_finite() && body.angular_velocity.is_finite(), "{what}: {body:?} in step {step}");
        }
        let saved = serde_json::to_string(&scene.dynamics.snapshot(&scene.world).unwrap()).unwrap();
        let read =
            serde_json::from_str(&saved).unwrap_or_else(|error| panic!("{what}: {error} after step {step} {saved}"));
        if let Err(error) = Dynamics::restore(&read, &scene.world) {
            panic!("{what}: {error:?} after step {step}");
        }
    }
}

#[test]
fn what_is_large_stays_finite_and_can_be_restored() {
    let large = [1e10, 1e18, 1e20, 1e25, 1e30, 1e38, f32::MAX];
    let shares = [-1.0f32, 1.0].into_iter().flat_map(|sign| large.map(|size| sign * size));
    let fields: [fn(&mut RigidBody, f32); 7] = [
        |body, x| body.gravity_scale = x,
        |body, x| body.velocity = Vec3::new(0.0, x, 0.3 * x),
        |body, x| body.angular_velocity = Vec3::new(0.1 * x, x, 0.3 * x),
        |body, x| body.linear_damping = x.abs(),
        |body, x| body.angular_damping = x.abs(),
        |body, x| body.mass = Mass::Total(x.abs()),
        |body, x| body.mass = Mass::Total(1.0 / x.abs()),
    ];
    for number in shares {
        for (i, field) in fields.iter().enumerate() {
            let mut scene = Scene::with_floor();
            let spinning = Vec3::new(1.0, 2.0, 3.0);
            let mut body = RigidBody { velocity: Vec3::X, angular_velocity: spinning, ..RigidBody::dynamic() };
            field(&mut body, number);
            let keys = bodies(&mut scene, body);
            check(&mut scene, &keys, DT, &format!("field {i} of {number}"));
        }
        let mut scene = Scene::with_floor();
        let keys = bodies(&mut scene, RigidBody::dynamic());
        for key in &keys {
            scene
                .dynamics
                .body_mut(&scene.world, *key)
                .unwrap()
                .apply_force(Vec3::splat(number), Vec3::splat(number))
                .unwrap();
        }
        check(&mut scene, &keys, DT, &format!("a force of {number}"));
    }
}

#[test]
fn settings_and_times_of_any_size_leave_what_can_be_restored() {
    let numbers = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, 0.0, 1e-45, 1e-40, 1e-20, 1e20, 1e30, f32::MAX];
    for number in numbers {
        for (i, field) in SETTINGS.iter().enumerate() {
            let mut scene = Scene::with_floor();
            let keys = bodies(&mut scene, RigidBody { velocity: Vec3::X, ..RigidBody::dynamic() });
            *field(&mut scene.config) = number;
            check(&mut scene, &keys, DT, &format!("setting {i} of {number}"));
        }
        let mut scene = Scene::with_floor();
        let spinning = Vec3::new(1.0, 2.0, 3.0);
        let body = RigidBody { velocity: Vec3::X, angular_velocity: spinning, ..RigidBody::dynamic() };
        let keys = bodies(&mut scene, body);
        check(&mut scene, &keys, number, &format!("steps of {number} s"));
    }
}

/// A step of any length after one of any other length.
#[test]
fn steps_of_very_different_lengths_leave_what_is_finite() {
    let lengths = [1e30, 1e-30, DT, 1e-40, f32::MAX, 1e-38, 1000.0, 1e10];
    for first in lengths {
        for spin in [0.0, 2.0, 1e4] {
            let mut scene = Scene::with_floor();
            let angular_velocity = Vec3::new(0.5, -1.0, 0.7) * spin;
            let body = RigidBody { velocity: Vec3::new(1.0, 2.0, -0.5), angular_velocity, ..RigidBody::dynamic() };
            let keys = bodies(&mut scene, body);
            for second in lengths {
                for dt in [first, second] {
                    scene.dynamics.step(&mut scene.world, dt, &scene.config).unwrap();
                    for key in &keys {
                        let RigidBody { velocity, angular_velocity, .. } = *scene.dynamics.body(*key).unwrap();
                        let is_finite = velocity.is_finite() && angular_velocity.is_finite();
                        assert!(is_finite, "{dt} of {first} and {second}: {velocity} {angular_velocity}");
                    }
                }
            }
        }
    }
}

#[test]
fn more_substeps_than_a_step_takes_are_as_many_as_it_takes() {
    let fall = |substeps: u32| {
        let mut scene = Scene::with_floor();
        scene.config.substeps = substeps;
        let ball = scene.add(ball(Vec3::Y * 1.2, 1.0), RigidBody::dynamic());
        scene.steps(20);
        scene.center(ball)
    };
    assert_eq!(fall(u32::MAX), fall(DynamicsConfig::MAX_SUBSTEPS));
    assert_eq!(fall(0), fall(1));
}
