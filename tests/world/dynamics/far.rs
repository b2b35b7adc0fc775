//! Far from the origin, where steps of `f32` are coarse: a step of 2^-10, about the skin, at 8,192 units.

use super::{Scene, aabb, ball, capsule, gap, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    ContactTracker, Object, ObjectKey, RigidBody, Shape, Terrain,
    glam::{Vec2, Vec3},
};

/// A heap in a yard with slanted walls; no body may be in any of the walls at any time. Returns the number of steps
/// until all of it sleeps.
fn heap_at(origin: Vec3, steps: usize) -> Option<usize> {
    let mut rng = Rng::with_seed(SEED);
    let mut scene = Scene::new();
    let mut fixed: Vec<Shape> = vec![aabb(origin - Vec3::Y * 5.0, Vec3::new(20.0, 5.0, 20.0)).into()];
    for i in 0..8 {
        let way = cullide_world::glam::Quat::from_rotation_y(0.3 + 0.785 * i as f32);
        let center = origin + way * Vec3::new(8.0, 9.0, 0.0);
        fixed.push(obb(center, way, Vec3::new(5.0, 10.0, 20.0)).into());
    }
    fixed.iter().for_each(|shape| _ = scene.fixed(shape.clone()));
    let add = |i: u32| {
        let column = Vec3::new((i % 3) as f32 - 1.0, 0.8 + (i / 9) as f32, (i / 3 % 3) as f32 - 1.0);
        let center = origin + column * 1.2 + vector(&mut rng, 0.1);
        let size = Vec3::splat(0.35) + vector(&mut rng, 0.1);
        // No balls: they might roll forever. Capsules would, too, without damping.
        let shape: Shape = match i % 3 {
            0 => capsule(center, turn(&mut rng) * Vec3::Y * 0.2, 0.2).into(),
            _ => obb(center, turn(&mut rng), size).into(),
        };
        scene.add(shape, RigidBody { angular_damping: 0.5, ..RigidBody::dynamic() })
    };
    let bodies: Vec<ObjectKey> = (0..60).map(add).collect();
    (0..steps).find(|step| {
        scene.step();
        for (key, wall) in bodies.iter().flat_map(|key| fixed.iter().map(move |wall| (key, wall))) {
            let apart = gap(wall, scene.shape(*key));
            assert!(apart >= 0.0, "{apart} at step {step}, {origin}: {:?} in {wall:?}", scene.shape(*key));
        }
        bodies.iter().all(|key| scene.dynamics.body(*key).unwrap().is_asleep())
    })
}

#[test]
fn heaps_fall_asleep_within_kilometres() {
    for origin in [Vec3::ZERO, Vec3::new(1000.0, 0.0, 700.0), Vec3::new(-4000.0, 500.0, 4000.0), Vec3::Y * 2000.0] {
        assert!(heap_at(origin, 1500).is_some(), "{origin}");
    }
}

#[test]
fn however_far_nothing_fixed_is_entered() {
    for (distance, height) in [(20_000.0, 0.0), (-9_000.0, 9_000.0), (300_000.0, 1000.0), (900_000.0, -900_000.0)] {
        heap_at(Vec3::new(distance, height, -0.3 * distance), 200);
    }
}

#[test]
fn a_ball_comes_to_lie_a_skin_above_a_floor_far_away() {
    for distance in [1000.0, 8000.0] {
        let mut scene = Scene::new();
        let origin = Vec3::new(distance, 0.0, distance);
        scene.fixed(aabb(origin - Vec3::Y, Vec3::new(5.0, 1.0, 5.0)));
        let key = scene.add(ball(origin + Vec3::Y * 0.6, 0.5), RigidBody::dynamic());
        scene.steps(240);
        let height = scene.center(key).y - 0.5;
        assert!(scene.dynamics.body(key).unwrap().is_asleep() && (0.0..2e-3).contains(&height), "{height}");
    }
}

/// A flat terrain of small cells from a corner on, at a height of 100.
fn flat(corner: f32, spacing: f32) -> Terrain {
    Terrain::new(129, 129, &[100.0; 129 * 129], Vec2::splat(spacing), Vec2::splat(corner)).unwrap()
}

#[test]
fn flat_ground_is_touched_by_faces_alone_wherever_it_is() {
    let mut rng = Rng::with_seed(SEED);
    let mut count = 0;
    for corner in [0.0, 1000.0, -5000.0, 20_000.0] {
        for spacing in [0.5, 0.7, 1.0, 4.0] {
            let (mut scene, mut tracker) = (Scene::new(), ContactTracker::new());
            scene.fixed(flat(corner, spacing));
            let key = scene.world.insert(Object::moving(ball(Vec3::ZERO, 0.5)));
            for _ in 0..300 {
                let across = [0; 2].map(|_| corner + spacing * (10.0 + 100.0 * rng.f32()));
                let center = Vec3::new(across[0], 100.501, across[1]);
                scene.world.object_mut(key).unwrap().set_transform(Default::default(), center).unwrap();
                tracker.update(&mut scene.world, super::DT, 0.02);
                for point in tracker.contacts().flat_map(|pair| pair.points(&scene.world).collect::<Vec<_>>()) {
                    let lean = point.normal.x.abs().max(point.normal.z.abs());
                    assert!(lean < 1.5e-3, "{corner}, {spacing}: {point:?} of a ball at {center}");
                    count += 1;
                }
            }
        }
    }
    assert!(count > 4000, "{count}");
}

#[test]
fn a_ball_rolls_straight_over_small_triangles_far_away() {
    for (corner, spacing) in [(0.0, 0.7), (5000.0, 1.0), (20_000.0, 0.7)] {
        let mut scene = Scene::new();
        scene.fixed(flat(corner, spacing));
        let center = Vec3::new(corner + 10.3, 100.502, corner + 40.1);
        let ahead = Vec3::new(1.0, 0.0, 0.13).normalize();
        let [velocity, angular_velocity] = [8.0 * ahead, 16.0 * Vec3::Y.cross(ahead)];
        let key = scene.add(ball(center, 0.5), RigidBody { velocity, angular_velocity, ..RigidBody::dynamic() });
        for step in 0..240 {
            scene.step();
            let velocity = scene.dynamics.body(key).unwrap().velocity;
            assert!(velocity.distance(8.0 * ahead) < 0.02, "{corner}, {spacing}, step {step}: {velocity}");
        }
    }
}
