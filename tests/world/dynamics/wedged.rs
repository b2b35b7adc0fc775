//! Fixed objects may hold a body without any of its contacts showing it, as in a wedge: it gathers no speed there, and
//! comes to rest or gets free.

use super::{Scene, aabb, ball, capsule, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Material, ObjectKey, RigidBody, Shape, Terrain,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Hull, Obb},
};

/// A body as slow as this may have a velocity without moving: that of a few steps of free fall.
const SLOW: f32 = 0.5;

/// The number of steps for which a body may have a velocity without moving.
const STEPS: usize = 3;

/// Steps the scene for `seconds` seconds; no body may have a high velocity while it stays where it is.
fn settle(scene: &mut Scene, bodies: &[ObjectKey], seconds: usize) {
    let mut held = vec![0; bodies.len()];
    for _ in 0..60 * seconds {
        let before: Vec<Vec3> = bodies.iter().map(|key| scene.shape(*key).aabb().center()).collect();
        scene.step();
        for ((key, before), held) in bodies.iter().zip(before).zip(&mut held) {
            let (speed, moved) = (scene.velocity(*key).length(), scene.shape(*key).aabb().center().distance(before));
            *held = if speed > SLOW && moved < 0.125 * speed * super::DT { *held + 1 } else { 0 };
            assert!(*held <= STEPS, "{key:?} at {before}, {speed}");
        }
    }
}

fn rod(center: Vec3, turn: Quat) -> Obb {
    obb(center, turn, Vec3::new(0.8, 0.05, 0.05))
}

#[test]
fn a_rod_gets_off_the_peak_of_a_terrain() {
    let mut heights = [0.0; 25];
    for i in [6, 8, 12, 16, 18] {
        heights[i] = 0.4;
    }
    let mut scene = Scene::new();
    scene.fixed(Terrain::new(5, 5, &heights, Vec2::ONE, Vec2::splat(-2.0)).unwrap());
    // It may slide off the terrain.
    scene.plane(Vec3::NEG_Y, Vec3::Y);
    let edges = [
        Vec3::new(0.014556254, 0.047826175, -0.0008789906),
        Vec3::new(0.0046081548, -0.0004875383, 0.04978481),
        Vec3::new(0.7617883, -0.23319387, -0.07279588),
    ];
    let rod = Obb::from_half_edges(Vec3::new(1.2045839, 1.5954912, 1.0360394), edges).unwrap();
    let key = scene.add(rod, RigidBody::dynamic());
    settle(&mut scene, &[key], 5);
    // It may lean on the side of a peak.
    assert!(scene.dynamics.body(key).unwrap().is_asleep() && scene.center(key).y < 0.2, "{}", scene.center(key));
}

#[test]
fn a_capsule_gets_out_of_the_groove_between_two_balls() {
    let mut scene = Scene::new();
    for z in [1.5, 2.8] {
        scene.fixed(ball(Vec3::new(-3.7, 0.1, z), 0.6));
    }
    let material = Material { friction: 0.1, ..Material::default() };
    let half_axis = Vec3::new(0.19360542, 0.072957635, -0.052062273);
    let shape = capsule(Vec3::new(-3.695899, 2.0729575, 2.731786), half_axis, 0.15);
    let key = scene.add(shape, RigidBody { material, ..RigidBody::dynamic() });
    settle(&mut scene, &[key], 3);
    assert!(scene.center(key).y < -1.0, "{}", scene.center(key));
}

#[test]
fn what_is_wedged_falls_asleep() {
    let mut scene = Scene::new();
    for x in [-0.65, 0.65] {
        scene.fixed(ball(Vec3::X * x, 0.6));
    }
    let turn = Quat::from_rotation_z(30f32.to_radians()) * Quat::from_rotation_y(1.0);
    let key = scene.add(rod(Vec3::Y * 2.0, turn), RigidBody::dynamic());
    settle(&mut scene, &[key], 5);
    assert!(scene.dynamics.body(key).unwrap().is_asleep() && scene.center(key).y.abs() < 0.6, "{}", scene.center(key));
}

#[test]
fn a_crate_between_waves_falls_asleep() {
    let wave = |i: usize| (0.4 * (i % 65) as f32).sin() + (0.3 * (i / 65) as f32).cos();
    let heights: Vec<f32> = (0..65 * 65).map(wave).collect();
    let mut scene = Scene::new();
    scene.fixed(Terrain::new(65, 65, &heights, Vec2::ONE, Vec2::splat(-32.0)).unwrap());
    let shape = aabb(Vec3::new(0.69701004, 3.0, 16.217846), Vec3::new(0.4, 0.3, 0.5));
    let key = scene.add(shape, RigidBody::dynamic());
    settle(&mut scene, &[key], 8);
    assert!(scene.dynamics.body(key).unwrap().is_asleep());
}

#[test]
fn bodies_of_all_kinds_come_to_rest_on_rubble() {
    let mut rng = Rng::with_seed(SEED);
    for round in 0..24 {
        let mut scene = Scene::with_floor();
        for _ in 0..60 {
            let center = vector(&mut rng, 4.0) * Vec3::new(1.0, 0.1, 1.0);
            let shape: Shape = match round % 3 {
                0 => ball(center, 0.6).into(),
                1 => obb(center, turn(&mut rng), Vec3::splat(0.5)).into(),
                _ => Hull::new(&(0..12).map(|_| center + vector(&mut rng, 0.7)).collect::<Vec<_>>()).unwrap().into(),
            };
            scene.fixed(shape);
        }
        let material = Material { friction: 0.1, ..Material::default() };
        let bodies: Vec<ObjectKey> = (0..12)
            .map(|i| {
                let (center, turn) = (vector(&mut rng, 4.0) * Vec3::new(1.0, 0.3, 1.0) + Vec3::Y * 3.0, turn(&mut rng));
                let shape: Shape = match i % 4 {
                    0 => rod(center, turn).into(),
                    1 => capsule(center, turn * Vec3::X * 0.3, 0.1).into(),
                    2 => obb(center, turn, Vec3::new(0.5, 0.05, 0.4)).into(),
                    _ => obb(center, turn, Vec3::splat(0.2)).into(),
                };
                let key = scene.add(shape, RigidBody { material, ..RigidBody::dynamic() });
                // Each on its own among fixed objects.
                scene.world.object_mut(key).unwrap().set_pairs_with(0b1);
                scene.world.object_mut(key).unwrap().set_layers(0b10);
                key
            })
            .collect();
        settle(&mut scene, &bodies, 6);
    }
}
