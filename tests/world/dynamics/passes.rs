//! Who passes by something does not feel it, and who strikes something feels it where the two touch.

use super::{DT, Scene, ball, obb};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Filter, Mass, Material, Mesh, RigidBody,
    glam::{Quat, Vec3},
    narrowphase::{Hull, SphereSweep},
};

fn rolling(velocity: Vec3) -> RigidBody {
    let material = Material { friction: 0.0, restitution: 1.0, ..Material::default() };
    RigidBody { velocity, material, mass: Mass::Total(1.0), ..RigidBody::dynamic() }
}

#[test]
fn a_ball_that_is_struck_off_its_middle_leaves_along_the_line_of_centres() {
    for (radius, speed, dt) in [(0.11, 8.0, DT), (0.028, 3.0, DT), (0.5, 40.0, DT), (0.11, 8.0, DT / 4.0)] {
        for off in [0.0f32, 0.3, 0.5, 0.7, 0.9] {
            for case in 0..20u8 {
                let mut scene = Scene::weightless();
                let at = Vec3::new(-1.0 - speed * dt * f32::from(case) / 20.0, off * 2.0 * radius, 0.0);
                let striker = scene.add(ball(at, radius), rolling(Vec3::X * speed));
                let target = scene.add(ball(Vec3::ZERO, radius), rolling(Vec3::ZERO));
                for _ in 0..(2.0 / speed / dt) as usize {
                    scene.dynamics.step(&mut scene.world, dt, &scene.config);
                }
                let along = (1.0 - off * off).sqrt();
                let expected = Vec3::new(along, -off, 0.0) * (speed * along);
                let [left, gone] = [scene.velocity(striker), scene.velocity(target)];
                let angle = gone.angle_between(expected).to_degrees();
                assert!(angle < 2.0, "{radius} {speed} {off} {case}: {angle} degrees, {gone} for {expected}");
                assert!((gone.length() - expected.length()).abs() < 0.05 * speed, "{gone} for {expected}");
                assert!((left + gone - Vec3::X * speed).length() < 1e-3 * speed);
            }
        }
    }
}

#[test]
fn balls_that_pass_each_other_do_not_meet() {
    for (radius, speed) in [(0.11f32, 8.0f32), (0.03, 3.0), (0.5, 40.0), (0.5, 10.0)] {
        for apart in [0.01f32, 0.1, 0.5] {
            for case in 0..20u8 {
                let mut scene = Scene::weightless();
                let far = 2.0 * radius + 0.004 + apart * radius;
                let at = Vec3::new(-1.0 - speed * DT * f32::from(case) / 20.0, far, 0.0);
                let passing = scene.add(ball(at, radius), rolling(Vec3::X * speed));
                let other = scene.add(ball(Vec3::ZERO, radius), rolling(Vec3::ZERO));
                scene.steps((3.0 / speed / DT) as usize);
                assert_eq!(scene.velocity(other), Vec3::ZERO, "{radius} {speed} {apart} {case}");
                assert_eq!(scene.velocity(passing), Vec3::X * speed);
            }
        }
    }
}

/// A box turned at random, as one of four kinds of things.
fn add_block(scene: &mut Scene, kind: usize, turn: Quat) {
    let block = obb(Vec3::ZERO, turn, Vec3::splat(0.5));
    match kind {
        0 => _ = scene.fixed(block),
        1 => _ = scene.add(block, RigidBody::kinematic()),
        2 => _ = scene.add(block, RigidBody { mass: Mass::Total(10.0), ..RigidBody::dynamic() }),
        _ => {
            let hull = Hull::new(&block.corners()).unwrap();
            let vertices: Vec<Vec3> = hull.vertices().collect();
            let mut triangles = Vec::new();
            for corners in hull.faces().map(|face| face.vertices) {
                let fan = (1..corners.len() - 1).map(|k| [corners[0], corners[k], corners[k + 1]]);
                triangles.extend(fan.map(|corners| corners.map(|i| i as u32)));
            }
            scene.fixed(Mesh::new(&vertices, &triangles).unwrap());
        }
    }
}

#[test]
fn who_passes_a_corner_goes_straight_on() {
    let mut rng = Rng::with_seed(SEED);
    let mut passes = 0;
    while passes < 400 {
        let kind = passes % 4;
        let (radius, speed) = [(0.11, 10.0), (0.5, 30.0), (0.11, 30.0), (0.5, 10.0)][passes / 4 % 4];
        let mut any = || 2.0 * rng.f32() - 1.0;
        let turn = Quat::from_xyzw(any(), any(), any(), 1.0).normalize();
        let start = Vec3::new(-3.0 - speed * DT * any().abs(), 1.2 * any(), 1.2 * any());
        let mut scene = Scene::weightless();
        add_block(&mut scene, kind, turn);
        let is_met = |radius: f32| {
            let sweep = SphereSweep::new(ball(start, radius), Vec3::X * 6.0).unwrap();
            scene.world.sweep_sphere(&sweep, &Filter::ALL).hit.is_some()
        };
        // Beside it, by up to a quarter of the radius.
        if is_met(radius + 0.005) || !is_met(1.25 * radius + 0.005) {
            continue;
        }
        passes += 1;
        let body = scene.add(ball(start, radius), rolling(Vec3::X * speed));
        scene.steps((6.0 / speed / DT) as usize + 1);
        let now = scene.velocity(body);
        assert!((now - Vec3::X * speed).length() < 0.01 * speed, "{passes} {kind} {radius}: {now}");
    }
}
