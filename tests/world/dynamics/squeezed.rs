//! A light body between two heavy ones that come together: it is no spring, and throws nobody back.

use super::{Scene, ball, capsule, obb, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Mass, Material, ObjectKey, RigidBody, Shape,
    glam::{Quat, Vec3},
};

fn of_mass(mass: f32) -> RigidBody {
    let material = Material { friction: 0.4, ..Material::default() };
    RigidBody { mass: Mass::Total(mass), material, ..RigidBody::dynamic() }
}

#[test]
fn two_heavy_bodies_stop_at_a_light_one_between_them() {
    for (mass, substeps) in [3.0, 30.0, 100.0, 250.0].into_iter().flat_map(|mass| [(mass, 2), (mass, 4), (mass, 8)]) {
        let mut scene = Scene::weightless();
        scene.config.substeps = substeps;
        let cars = [-1.0f32, 1.0].map(|side| {
            let shape = obb(Vec3::X * side * 2.6, Quat::IDENTITY, Vec3::new(2.1, 0.4, 0.9));
            scene.add(shape, RigidBody { velocity: Vec3::X * -side * 2.0, ..of_mass(1200.0) })
        });
        scene.add(capsule(Vec3::ZERO, Vec3::Y * 0.3, 0.3), of_mass(mass));
        scene.steps(40);
        let parting = scene.velocity(cars[1]).x - scene.velocity(cars[0]).x;
        assert!(parting.abs() < 0.8, "{mass} in {substeps} sub-steps: {parting}");
    }
}

#[test]
fn what_is_squeezed_between_heavy_bodies_adds_no_energy() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..300 {
        let mut scene = Scene::weightless();
        let speed = 5.0 + 35.0 * rng.f32();
        let mut keys: Vec<ObjectKey> = Vec::new();
        for side in [-1.0f32, 1.0] {
            let at = Vec3::new(side * (3.0 + 2.0 * rng.f32()), 0.0, 1.6 * rng.f32() - 0.8);
            let turn = Quat::from_rotation_y(1.2 * rng.f32() - 0.6);
            let (velocity, angular_velocity) = (Vec3::X * -side * speed, Vec3::Y * (6.0 * rng.f32() - 3.0));
            let shape = obb(at, turn, Vec3::new(2.1, 0.4, 0.9));
            keys.push(scene.add(shape, RigidBody { velocity, angular_velocity, ..of_mass(1200.0) }));
        }
        let at = vector(&mut rng, 0.5) * Vec3::new(0.4, 0.0, 1.0);
        let between: Shape = match case % 3 {
            0 => ball(at, 0.3).into(),
            1 => capsule(at, Vec3::Y * 0.3, 0.3).into(),
            _ => obb(at, Quat::from_rotation_y(rng.f32()), Vec3::new(0.6, 0.4, 0.4)).into(),
        };
        keys.push(scene.add(between, of_mass([3.0, 30.0, 100.0, 250.0][case % 4])));
        let energy = |scene: &Scene| {
            let of_body = |key: &ObjectKey| {
                let mass = scene.dynamics.body(*key).unwrap().mass(&scene.world).unwrap();
                let spin = scene.spin(*key);
                let turning: f32 = (0..3).map(|i| mass.inertia[i] * mass.axes[i].dot(spin).powi(2)).sum();
                0.5 * (mass.mass * scene.velocity(*key).length_squared() + turning)
            };
            keys.iter().map(of_body).sum::<f32>()
        };
        let (first, mut before) = (energy(&scene), energy(&scene));
        for step in 0..60 {
            scene.step();
            let now = energy(&scene);
            assert!(now - before < 0.01 * first, "case {case}, step {step}: from {before} to {now} of {first}");
            before = now;
        }
    }
}
