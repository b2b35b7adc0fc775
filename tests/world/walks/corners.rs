//! A body pushed into a corner comes to rest.

use super::{DT, ground, standing};
use cullide_world::{
    Character, Filter, Mover, Object, SlideOptions, WorldPlane,
    glam::Vec3,
    narrowphase::{Aabb, Capsule, Plane, Sphere, SphereSweep},
};

/// How far a body that is pushed into a corner still moves per frame, in the second half of `frames` frames.
fn shaken(frames: usize, mut step: impl FnMut() -> Vec3) -> f32 {
    let mut most = 0.0f32;
    let mut before = step();
    for frame in 0..frames {
        let now = step();
        if frame > frames / 2 {
            most = most.max(now.distance(before));
        }
        before = now;
    }
    most
}

#[test]
fn in_a_wide_corner_nothing_shakes() {
    for degrees in (100..=170).step_by(10) {
        for aside in [-8.0f32, -3.0, 0.0, 5.0, 9.0] {
            // If the push is within the cone of the walls' normals, nothing of it remains.
            if aside.abs() > 0.5 * (180.0 - degrees as f32) - 1.0 {
                continue;
            }
            let (sin, cos) = (0.5 * (degrees as f32)).to_radians().sin_cos();
            let mut world = ground();
            for side in [-1.0, 1.0] {
                world.insert_plane(
                    WorldPlane::half_space(Plane::new(Vec3::new(-sin, 0.0, side * cos), 0.0).unwrap()).layers(1),
                );
            }
            let (way_z, way_x) = aside.to_radians().sin_cos();
            let push = Vec3::new(way_x, 0.0, way_z) * 3.0;
            let start = Vec3::new(-0.5, 0.9, 0.0);

            let mut ball = start;
            let options = SlideOptions::default();
            let shakes = shaken(1000, || {
                let sweep = SphereSweep::new(Sphere::new(ball, 0.3).unwrap(), push * DT).unwrap();
                ball = world.slide(&sweep, &Filter::ALL, &options).position;
                ball
            });
            assert!(shakes < 1e-6, "ball {degrees} {aside}: {shakes}");

            let mut hero = standing(&world, start);
            let shakes = shaken(1000, || {
                hero.velocity = push;
                Mover::default().walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
                hero.position()
            });
            assert!(shakes < 1e-6, "box {degrees} {aside}: {shakes}");

            let mut hero = Character::new(Capsule::from_half_axis(start, Vec3::Y * 0.6, 0.3).unwrap());
            let shakes = shaken(1000, || {
                hero.velocity = push;
                Mover::default().walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
                hero.position()
            });
            assert!(shakes < 1e-6, "capsule {degrees} {aside}: {shakes}");
        }
    }
}

#[test]
fn pushed_in_between_two_posts_it_comes_to_rest() {
    for gap in [0.1, 0.2, 0.3, 0.4] {
        for aside in [0.0, 0.05, 0.1, 0.14] {
            let mut world = ground();
            for side in [-1.0, 1.0] {
                let (near, far): (f32, f32) = (0.5 * gap * side, 5.0 * side);
                let [low, high] = [near.min(far), near.max(far)];
                let post = Aabb::new(Vec3::new(0.0, 0.0, low), Vec3::new(0.2, 3.0, high)).unwrap();
                world.insert(Object::fixed(post));
            }
            let start = Vec3::new(-1.0, 0.9, -0.73 * aside);
            let body = Capsule::from_half_axis(start, Vec3::Y * 0.6, 0.3).unwrap();
            let mut hero = Character::new(body);
            for frame in 0..400 {
                let before = hero.position();
                hero.velocity = Vec3::new(1.0, 0.0, aside) * 5.0;
                Mover::default().walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
                // If the push is between the two normals.
                let way = hero.position().distance(before);
                assert!(frame < 300 || aside > gap / 0.6 || way < 1e-5, "{gap} {aside} {frame}: {way}");
            }
        }
    }
}
