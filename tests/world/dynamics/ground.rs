//! Bodies on meshes and terrains: none falls through, and edges between triangles are not felt.

use super::{Scene, aabb, ball, capsule, obb, turn, vector};
use cullide_scenes::{CRATE_HALF_EXTENTS, Crate, Rng, SEED, crates};
use cullide_world::{
    Filter, Mesh, ObjectKey, PlacedMesh, RigidBody, Shape, Terrain,
    glam::{Quat, Vec2, Vec3},
    narrowphase::Obb,
};

/// A grid of triangles with given heights, starting at the origin.
pub(super) fn grid(cells: u32, size: f32, height: impl Fn(f32, f32) -> f32) -> Mesh {
    let mut vertices = Vec::new();
    for i in 0..=cells {
        for j in 0..=cells {
            let (x, z) = (i as f32 * size, j as f32 * size);
            vertices.push(Vec3::new(x, height(x, z), z));
        }
    }
    let at = |i: u32, j: u32| i * (cells + 1) + j;
    let mut triangles = Vec::new();
    for i in 0..cells {
        for j in 0..cells {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, c, b], [a, d, c]]);
        }
    }
    Mesh::new(&vertices, &triangles).unwrap()
}

fn bumps(x: f32, z: f32) -> f32 {
    (0.43 * x).sin() * (0.37 * z).cos() + 0.3 * (0.71 * x + 0.59 * z).sin()
}

/// Drops bodies of all kinds on a ground that reaches from 0 to `width`, and checks that they stay above it.
fn fall_upon(ground: Shape, width: f32, speed: f32) {
    let mut rng = Rng::with_seed(SEED);
    let mut scene = Scene::new();
    scene.fixed(ground);
    let bodies: Vec<ObjectKey> = (0..60)
        .map(|i| {
            let middle = Vec3::new(0.5 * width, 6.0, 0.5 * width);
            let place = middle + vector(&mut rng, 1.0) * Vec3::new(0.3 * width, 2.0, 0.3 * width);
            let size = 0.15 + 0.3 * rng.f32();
            let shape: Shape = match i % 3 {
                0 => ball(place, size).into(),
                1 => capsule(place, turn(&mut rng) * Vec3::Y * size, 0.5 * size).into(),
                _ => obb(place, turn(&mut rng), Vec3::new(1.0, 0.8, 0.6) * size).into(),
            };
            let velocity = vector(&mut rng, 2.0) - Vec3::Y * speed * rng.f32();
            let damped = RigidBody { angular_damping: 1.0, ..RigidBody::dynamic() };
            scene.add(shape, RigidBody { velocity, angular_velocity: vector(&mut rng, 10.0), ..damped })
        })
        .collect();
    for step in 0..600 {
        scene.step();
        for key in &bodies {
            let center = scene.center(*key);
            let is_over = center.x.min(center.z) > 1.0 && center.x.max(center.z) < width - 1.0;
            // The ground is linear between its samples, so it is below the bumps by no more than this.
            let least = bumps(center.x, center.z) - 0.2;
            assert!(
                !is_over || center.y > least,
                "step {step}: {key} is under the ground at {center}: {:?}",
                scene.shape(*key)
            );
        }
    }
}

#[test]
fn nothing_falls_through_a_mesh() {
    for speed in [0.0, 500.0] {
        fall_upon(grid(40, 1.0, bumps).into(), 40.0, speed);
    }
}

#[test]
fn nothing_falls_through_a_terrain() {
    let heights: Vec<f32> =
        (0..41).flat_map(|row| (0..41).map(move |column| bumps(column as f32, row as f32))).collect();
    for speed in [0.0, 500.0] {
        let terrain = Terrain::new(41, 41, &heights, Vec2::ONE, Vec2::ZERO).unwrap();
        fall_upon(terrain.into(), 40.0, speed);
    }
}

/// The kinds of flat ground that a crate slides over, from 0 to 30.
fn flat_ground(kind: usize) -> Vec<Shape> {
    match kind {
        0 => vec![aabb(Vec3::new(15.0, -1.0, 15.0), Vec3::new(15.0, 1.0, 15.0)).into()],
        1 => vec![grid(30, 1.0, |_, _| 0.0).into()],
        2 => vec![grid(75, 0.4, |_, _| 0.0).into()],
        // Two meshes side by side.
        3 => [0.0, 15.0]
            .map(|x| {
                let half = grid(15, 1.0, |_, _| 0.0);
                let place = |z: f32| PlacedMesh::new(&half, Quat::IDENTITY, Vec3::new(x, 0.0, z), Vec3::ONE).unwrap();
                [Shape::from(place(0.0)), place(15.0).into()]
            })
            .into_iter()
            .flatten()
            .collect(),
        4 => vec![Terrain::new(31, 31, &[0.0; 31 * 31], Vec2::ONE, Vec2::ZERO).unwrap().into()],
        // Boxes side by side.
        _ => (0..900)
            .map(|i| {
                let corner = Vec3::new((i % 30) as f32, -1.0, (i / 30) as f32);
                aabb(corner + Vec3::new(0.5, 0.5, 0.5), Vec3::splat(0.5)).into()
            })
            .collect(),
    }
}

#[test]
fn a_crate_comes_to_rest_on_triangles() {
    for kind in 0..6 {
        let mut scene = Scene::new();
        for ground in flat_ground(kind) {
            scene.fixed(ground);
        }
        let place = Vec3::new(5.2, 0.0, 5.3);
        let body = scene.add(aabb(place + Vec3::Y * 0.502, Vec3::splat(0.5)), RigidBody::dynamic());
        scene.steps(120);
        assert!(scene.dynamics.body(body).unwrap().is_asleep(), "kind {kind}");
        let off = scene.center(body) - place - Vec3::Y * 0.5;
        assert!(off.length() < 2e-3, "kind {kind}: {off}");
    }
}

#[test]
fn crates_that_fall_upon_bumps_sleep_soon_and_on_them() {
    for seed in 0..3 {
        let mut scene = Scene::new();
        let ground = scene.fixed(grid(60, 1.0, |x, z| 0.08 * bumps(x, z)));
        let middle = Vec3::new(30.0, 0.0, 30.0);
        let half_extents = Vec3::from(CRATE_HALF_EXTENTS);
        let place =
            |thing: &Crate| obb(middle + Vec3::from(thing.center), Quat::from_array(thing.rotation), half_extents);
        let crates: Vec<Obb> = crates(36, seed).iter().map(place).collect();
        let keys: Vec<ObjectKey> = crates.iter().map(|shape| scene.add(*shape, RigidBody::dynamic())).collect();
        let asleep = (0..420).find(|_| scene.step().awake == 0);
        assert!(asleep.is_some(), "{seed}: some are awake after seven seconds");
        for key in keys {
            let Shape::Obb(body) = scene.shape(key) else { unreachable!("it is a box") };
            // By no more than the skin, and the remaining error of the solver.
            let grown = body.half_edges().map(|edge| edge * (1.0 + 0.0015 / edge.length()));
            let grown = Obb::from_half_edges(body.center(), grown).unwrap();
            let mut touched = Vec::new();
            scene.world.overlap(&grown, &Filter::ALL, &mut touched);
            assert!(touched.contains(&ground.into()), "{seed}: {key} hovers at {body:?}");
        }
    }
}
