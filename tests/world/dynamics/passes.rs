//! A body that passes something is not affected by it, and a body that hits something is affected where the two touch.

use super::{DT, Scene, aabb, ball, mesh_of, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Filter, Mass, Material, RigidBody, Shape,
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
                    scene.dynamics.step(&mut scene.world, dt, &scene.config).unwrap();
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

/// A randomly rotated box, as one of four kinds of object.
fn add_block(scene: &mut Scene, kind: usize, turn: Quat) {
    let block = obb(Vec3::ZERO, turn, Vec3::splat(0.5));
    match kind {
        0 => _ = scene.fixed(block),
        1 => _ = scene.add(block, RigidBody::kinematic()),
        2 => _ = scene.add(block, RigidBody { mass: Mass::Total(10.0), ..RigidBody::dynamic() }),
        _ => _ = scene.fixed(mesh_of(&block)),
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
            scene.world.sweep(&sweep, &Filter::ALL).hit.is_some()
        };
        // Past it, at a distance of up to a quarter of the radius.
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

#[test]
fn a_hit_is_told_with_all_of_its_impulse() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..200u16 {
        let mut any = || 2.0 * rng.f32() - 1.0;
        let turns = [0; 2].map(|_| Quat::from_xyzw(any(), any(), any(), 1.0).normalize());
        let start = Vec3::new(-2.0, 0.5 * any(), 0.5 * any());
        let shape = |at: Vec3, turn: Quat, kind: u16| match kind {
            0 => Shape::from(ball(at, 0.4)),
            1 => obb(at, turn, Vec3::new(0.4, 0.3, 0.5)).into(),
            _ => Hull::new(&obb(at, turn, Vec3::new(0.3, 0.3, 0.6)).corners()).unwrap().into(),
        };
        let material = Material { friction: 0.0, ..Material::default() };
        let body = RigidBody { material, mass: Mass::Total(2.0), ..RigidBody::dynamic() };
        let mut scene = Scene::weightless();
        let first = scene.add(shape(start, turns[0], case % 3), RigidBody { velocity: Vec3::X * 9.0, ..body });
        let second = scene.add(shape(Vec3::ZERO, turns[1], case / 3 % 3), body);
        let (mut told, mut changed) = (0.0, 0.0);
        for _ in 0..30 {
            let before = scene.velocity(second);
            scene.step();
            changed += 2.0 * (scene.velocity(second) - before).length();
            if let Some(contact) = scene.dynamics.contact(first, second) {
                told += contact.parts().iter().flat_map(|part| part.impulses()).sum::<f32>();
            }
        }
        assert!(changed == 0.0 || (told / changed - 1.0).abs() < 0.01, "{case}: {told} of {changed}");
    }
}

/// A rod that spins fast on a kinematic slab meets that at once, and stops what it meets in the step, but nothing else that it
/// might have met.
#[test]
fn what_meets_nothing_in_a_step_is_not_stopped_with_what_does() {
    let (mut rng, mut passed) = (Rng::with_seed(SEED), 0);
    for case in 0..200 {
        let mut scene = Scene::weightless();
        scene.add(aabb(Vec3::NEG_Y, Vec3::new(20.0, 1.0, 20.0)), RigidBody::kinematic());
        let spin = vector(&mut rng, 300.0) + Vec3::Z * 200.0;
        let rod = obb(Vec3::Y * 0.1, Quat::from_rotation_y(6.0 * rng.f32()), Vec3::new(0.5, 0.01, 0.01));
        scene.add(rod, RigidBody { velocity: Vec3::NEG_Y, angular_velocity: spin, ..RigidBody::dynamic() });
        let velocity = vector(&mut rng, 3.0) * Vec3::new(1.0, 0.0, 1.0);
        let at = Vec3::new(2.0 * rng.f32() - 1.0, 1.9, 2.0 * rng.f32() - 1.0);
        let thin = obb(at, turn(&mut rng), Vec3::new(0.5, 0.01, 0.4));
        let passer = RigidBody { velocity, angular_velocity: vector(&mut rng, 40.0), ..RigidBody::dynamic() };
        let passer = scene.add(thin, passer);
        for step in 0..2 {
            let before = scene.center(passer);
            scene.step();
            if scene.velocity(passer) != velocity {
                // It was hit.
                break;
            }
            let off = scene.center(passer) - before - velocity * DT;
            // Bounds on what the rod may reach once it is stopped are not exact.
            assert!(off.length() <= 0.5 * velocity.length() * DT, "case {case}, step {step}: {off} off");
            passed += 1;
        }
    }
    assert!(passed > 300, "{passed}");
}
