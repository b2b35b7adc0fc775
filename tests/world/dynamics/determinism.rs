//! The same bits, on whatever threads.

use super::{Scene, aabb, ball, capsule, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Mesh, RigidBody, Shape,
    glam::{Quat, Vec3},
};
use rayon::prelude::*;

/// Things that fall into a yard with a kinematic wheel in it.
fn heap(count: usize) -> Scene {
    let mut rng = Rng::with_seed(SEED);
    let mut scene = Scene::with_floor();
    let wheel = RigidBody { angular_velocity: Vec3::Y * 2.0, ..RigidBody::kinematic() };
    scene.add(obb(Vec3::Y * 0.6, Quat::IDENTITY, Vec3::new(4.0, 0.5, 0.2)), wheel);
    let side = (count as f32).cbrt().ceil() as usize;
    for i in 0..count {
        let cell = Vec3::new((i % side) as f32, (i / side / side) as f32, (i / side % side) as f32);
        let center = (cell - Vec3::new(0.5, 0.0, 0.5) * side as f32) * 1.2 + Vec3::Y * 2.0 + vector(&mut rng, 0.1);
        let size = 0.3 + 0.2 * rng.f32();
        let shape: Shape = match i % 3 {
            0 => ball(center, size).into(),
            1 => capsule(center, turn(&mut rng) * Vec3::Y * 0.5 * size, 0.6 * size).into(),
            _ => obb(center, turn(&mut rng), Vec3::new(1.0, 0.8, 0.7) * size).into(),
        };
        scene.add(shape, RigidBody { velocity: vector(&mut rng, 3.0), ..RigidBody::dynamic() });
    }
    scene
}

/// Runs it on `threads` threads; returns the hashes on the way.
fn run(mut scene: Scene, threads: usize, steps: usize) -> Vec<u64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let step = |step: usize| {
            let report = scene.step();
            // What is reported is the same as well.
            let events = (report.begun.len() * 1000 + report.ended.len()) as u64;
            if step % 20 == 19 { scene.hash() } else { events }
        };
        (0..steps).map(step).collect()
    })
}

#[test]
fn a_heap_falls_alike_in_any_number_of_threads_and_every_time() {
    let expected = run(heap(300), 1, 300);
    for threads in [1, 2, 3] {
        assert!(run(heap(300), threads, 300) == expected, "{threads} threads");
    }
}

#[test]
#[ignore = "takes long"]
fn a_heap_of_several_blocks_falls_alike_in_any_number_of_threads() {
    let expected = run(heap(1400), 1, 120);
    for threads in [2, 3, 8] {
        assert!(run(heap(1400), threads, 120) == expected, "{threads} threads");
    }
}

#[test]
#[ignore = "takes long"]
fn worlds_that_are_stepped_side_by_side_fall_alike_and_end() {
    let expected = run(heap(300), 1, 200);
    for threads in [1, 2, 3, 8] {
        let mut scenes = vec![heap(300); 5];
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for _ in 0..200 {
            // A thread that has stepped one of them waits in the pool for the others.
            pool.install(|| scenes.par_iter_mut().for_each(|scene| scene.steps(1)));
        }
        assert!(scenes.iter().all(|scene| scene.hash() == expected[199]), "{threads} threads");
    }
}

#[test]
fn clones_go_on_alike() {
    let mut scene = heap(100);
    scene.steps(60);
    let clone = scene.clone();
    assert!(run(scene, 1, 120) == run(clone, 2, 120));
}

#[test]
fn an_edit_that_is_undone_in_a_clone_alone_changes_nothing_that_sleeps() {
    let mut scene = Scene::with_floor();
    scene.add(aabb(Vec3::Y * 0.502, Vec3::splat(0.5)), RigidBody::dynamic());
    scene.steps(120);
    let mut clone = scene.clone();
    clone.add(ball(Vec3::X * 9.0 + Vec3::Y, 0.5), RigidBody::dynamic());
    clone.steps(60);
    let keys: Vec<_> = scene.dynamics.bodies().map(|(key, _)| key).collect();
    assert_eq!(keys.len(), 1);
    assert_eq!(scene.shape(keys[0]), clone.shape(keys[0]));
}

#[test]
#[ignore = "takes long"]
fn on_a_mesh_that_was_refitted_bodies_go_as_on_a_new_one() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..150u32 {
        let mut points = |size: f32| -> Vec<Vec3> { (0..30).map(|_| vector(&mut rng, size)).collect() };
        let (before, now) = (points(8.0), points(4.0));
        let triangles: Vec<[u32; 3]> =
            (0..60).map(|i| [i * 7 % 30, (i * 11 + 3) % 30, (i * 13 + i / 30 + 8) % 30]).collect();
        let mut refitted = Mesh::new(&before, &triangles).unwrap();
        refitted.refit(&now).unwrap();
        let new = Mesh::new(&now, &triangles).unwrap();
        let axis = vector(&mut rng, 1.5);
        let (velocity, angular_velocity) = (vector(&mut rng, 8.0), vector(&mut rng, 20.0));
        let end = |mesh: &Mesh| {
            let mut scene = Scene::new();
            scene.fixed(mesh);
            let body = RigidBody { velocity, angular_velocity, ..RigidBody::dynamic() };
            let body = scene.add(capsule(Vec3::Y, axis, 0.5), body);
            scene.steps(60);
            scene.world.object(body).map(|object| object.transform())
        };
        assert_eq!(end(&refitted), end(&new), "{case}");
    }
}
