//! Slopes, falls and flights, compared with mechanics.

use super::{DT, Scene, aabb, ball, capsule, obb};
use cullide_world::{
    Mass, Material, ObjectKey, RigidBody, Shape,
    glam::{DVec3, Quat, Vec3},
};

const GRAVITY: f32 = 9.81;

/// A slope with the given angle through the origin, which descends toward positive x, and a body 2 mm above it.
fn slope(angle: f32, friction: f32, body: impl Fn(Vec3, Quat) -> Shape) -> (Scene, ObjectKey, Vec3) {
    let mut scene = Scene::new();
    let turn = Quat::from_rotation_z(-angle);
    let floor = scene.fixed(obb(turn * Vec3::new(0.0, -1.0, 0.0), turn, Vec3::new(200.0, 1.0, 5.0)));
    let material = Material { friction, ..Material::default() };
    scene.dynamics.set_material(&scene.world, floor, material).unwrap();
    let body = scene.add(body(turn * (Vec3::Y * 0.502), turn), RigidBody { material, ..RigidBody::dynamic() });
    (scene, body, turn * Vec3::X)
}

fn a_crate(center: Vec3, turn: Quat) -> Shape {
    obb(center, turn, Vec3::new(0.6, 0.5, 0.7)).into()
}

/// Angles in degrees, each with a friction.
const SLOPES: [(f32, f32); 5] = [(10.0, 0.2), (20.0, 0.4), (30.0, 0.6), (38.0, 0.8), (44.0, 1.0)];

#[test]
fn a_crate_holds_below_the_angle_of_friction() {
    for (_, friction) in SLOPES {
        let angle = friction.atan() - 2f32.to_radians();
        let (mut scene, body, _) = slope(angle, friction, a_crate);
        scene.steps(60);
        let start = scene.center(body);
        scene.steps(3600);
        let creep = (scene.center(body) - start).length();
        assert!(creep <= 1e-3, "creeps {creep} in a minute at {angle} with a friction of {friction}");
    }
}

#[test]
fn a_crate_that_may_not_sleep_holds_below_the_angle_of_friction() {
    for (_, friction) in SLOPES {
        let angle = friction.atan() - 2f32.to_radians();
        let (mut scene, body, _) = slope(angle, friction, a_crate);
        let awake = RigidBody { can_sleep: false, ..*scene.dynamics.body(body).unwrap() };
        scene.dynamics.insert(&mut scene.world, body, awake).unwrap();
        scene.steps(60);
        let start = scene.center(body);
        scene.steps(3600);
        let creep = (scene.center(body) - start).length();
        assert!(creep <= 1e-3, "creeps {creep} in a minute at {angle} with a friction of {friction}");
    }
}

#[test]
fn a_crate_slides_above_the_angle_of_friction_as_coulomb_says() {
    for (_, friction) in SLOPES {
        let angle = friction.atan() + 5f32.to_radians();
        let (mut scene, body, down) = slope(angle, friction, a_crate);
        scene.steps(30);
        let (start, count) = (scene.velocity(body).dot(down), 120);
        scene.steps(count);
        let gained = (scene.velocity(body).dot(down) - start) / (count as f32 * DT);
        let expected = GRAVITY * (angle.sin() - friction * angle.cos());
        assert!((gained / expected - 1.0).abs() < 0.01, "{gained} for {expected} with a friction of {friction}");
        assert!(scene.spin(body).length() < 1e-2, "{}", scene.spin(body));
    }
}

#[test]
fn a_ball_rolls_down_a_slope_with_five_sevenths_of_its_pull() {
    for angle in [2.0f32, 5.0, 10.0, 20.0, 30.0].map(f32::to_radians) {
        let (mut scene, body, down) = slope(angle, 0.8, |center, _| ball(center, 0.5).into());
        scene.steps(30);
        let (start, count) = (scene.velocity(body).dot(down), 120);
        scene.steps(count);
        let gained = (scene.velocity(body).dot(down) - start) / (count as f32 * DT);
        let expected = 5.0 / 7.0 * GRAVITY * angle.sin();
        assert!((gained / expected - 1.0).abs() < 0.01, "{gained} for {expected} at {angle}");
        // Without slipping.
        let slip = scene.velocity(body).dot(down) - scene.spin(body).length() * 0.5;
        assert!(slip.abs() < 0.01 * scene.velocity(body).length(), "{slip}");
    }
}

#[test]
fn a_capsule_rolls_down_a_slope_without_slipping_at_any_length_of_step() {
    for (angle, dt) in [(5f32, DT), (15.0, DT), (25.0, DT), (25.0, 2.0 * DT), (25.0, 0.25 * DT)] {
        for length in [0.0, 0.2, 1.0] {
            let angle = angle.to_radians();
            let (mut scene, body, down) = slope(angle, 0.9, |center, _| capsule(center, Vec3::Z * length, 0.5).into());
            let state = scene.dynamics.body(body).unwrap();
            let start = state.velocity.dot(down);
            for _ in 0..(2.0 / dt) as usize {
                scene.dynamics.step(&mut scene.world, dt, &scene.config).unwrap();
            }
            // A cylinder and two half balls: moments of 1/2 and 2/5.
            let (cylinder, ends) = (2.0 * length, 4.0 / 3.0 * 0.5);
            let moment = (0.5 * cylinder + 0.4 * ends) / (cylinder + ends);
            let expected = GRAVITY * angle.sin() / (1.0 + moment) * 2.0;
            let gained = scene.velocity(body).dot(down) - start;
            assert!((gained / expected - 1.0).abs() < 0.02, "{gained} for {expected} at {angle}, {dt}, {length}");
            let slip = scene.velocity(body).dot(down) - scene.spin(body).length() * 0.5;
            assert!(slip.abs() < 0.01 * gained, "{slip} at {angle}, {dt}, {length}");
        }
    }
}

#[test]
fn what_falls_freely_gains_speed_as_galilei_says() {
    let mut scene = Scene::new();
    let bodies = [
        scene.add(ball(Vec3::ZERO, 0.5), RigidBody::dynamic()),
        scene.add(aabb(Vec3::X * 3.0, Vec3::new(0.2, 0.3, 0.5)), RigidBody::dynamic()),
        scene.add(capsule(Vec3::X * 6.0, Vec3::Z, 0.2), RigidBody { mass: Mass::Total(50.0), ..RigidBody::dynamic() }),
    ];
    scene.steps(120);
    for key in bodies {
        let (speed, fallen) = (-scene.velocity(key).y, -scene.center(key).y);
        assert!((speed / (GRAVITY * 2.0) - 1.0).abs() < 1e-4, "{speed}");
        // Semi-implicit sub-steps are ahead by half a sub-step.
        assert!((fallen / (0.5 * GRAVITY * 4.0) - 1.0).abs() < 0.6 / (4.0 * 60.0), "{fallen}");
        assert_eq!(scene.spin(key), Vec3::ZERO);
    }
}

#[test]
fn a_projectile_lands_where_its_parabola_does() {
    let mut scene = Scene::new();
    let velocity = Vec3::new(12.0, 9.81, -5.0);
    let body = scene.add(ball(Vec3::ZERO, 0.1), RigidBody { velocity, ..RigidBody::dynamic() });
    scene.steps(120);
    let end = scene.center(body);
    assert!((end - Vec3::new(24.0, 0.0, -10.0)).length() < 0.05, "{end}");
}

/// The angular momentum and twice the rotational energy of a box of mass 1.
fn momentum_and_energy(scene: &Scene, key: ObjectKey) -> (DVec3, f64) {
    let Shape::Obb(shape) = scene.shape(key) else { panic!("no box") };
    let edges = shape.half_edges().map(|edge| edge.as_dvec3());
    let squares = edges.map(DVec3::length_squared);
    let spin = scene.spin(key).as_dvec3();
    let (mut momentum, mut energy) = (DVec3::ZERO, 0.0);
    for i in 0..3 {
        let axis = edges[i].normalize();
        let inertia = (squares[(i + 1) % 3] + squares[(i + 2) % 3]) / 3.0;
        momentum += axis * inertia * axis.dot(spin);
        energy += inertia * axis.dot(spin).powi(2);
    }
    (momentum, energy)
}

#[test]
fn spin_without_torque_keeps_its_angular_momentum_and_never_gains_energy() {
    // About the longest axis, the shortest one, the middle one, which is unstable, and an arbitrary one.
    for spin in
        [Vec3::new(6.0, 0.1, 0.0), Vec3::new(0.0, 0.1, 6.0), Vec3::new(0.05, 6.0, 0.0), Vec3::new(2.0, 3.0, 4.0)]
    {
        let mut scene = Scene::weightless();
        let shape = obb(Vec3::ZERO, Quat::IDENTITY, Vec3::new(1.0, 0.5, 0.25));
        let body = RigidBody { mass: Mass::Total(1.0), angular_velocity: spin, ..RigidBody::dynamic() };
        let key = scene.add(shape, body);
        let (before, mut last) = momentum_and_energy(&scene, key);
        let first = last;
        for step in 0..600 {
            scene.step();
            let (momentum, energy) = momentum_and_energy(&scene, key);
            let off = (momentum - before).length() / before.length();
            assert!(off < 0.01, "{off} after {step} steps of {spin}");
            assert!(energy <= last.max(first) * (1.0 + 1e-4), "{energy} after {last} in step {step} of {spin}");
            last = energy;
        }
        assert!(last > 0.5 * first, "{spin} is damped from {first} to {last}");
    }
}

#[test]
fn a_dropped_ball_rebounds_to_the_square_of_its_restitution() {
    for restitution in [1.0f32, 0.8, 0.5, 0.3] {
        let mut scene = Scene::with_floor();
        let height = 2.0;
        let material = Material { restitution, ..Material::default() };
        let body = scene.add(ball(Vec3::Y * (0.5 + height), 0.5), RigidBody { material, ..RigidBody::dynamic() });
        let mut has_landed = false;
        let mut highest = 0.0f32;
        for _ in 0..200 {
            scene.step();
            has_landed |= scene.velocity(body).y > 0.0;
            if has_landed {
                highest = highest.max(scene.center(body).y - 0.5);
                if scene.velocity(body).y < 0.0 {
                    break;
                }
            }
        }
        let expected = height * restitution * restitution;
        let off = highest / expected - 1.0;
        // A rebound has the speed at the beginning of its step: up to 0.16 less than the impact speed of 6.3.
        assert!(off.abs() < 0.04, "{highest} for {expected}");
    }
}

#[test]
fn a_ball_without_restitution_stays_where_it_falls() {
    let mut scene = Scene::with_floor();
    let body = scene.add(ball(Vec3::Y * 2.5, 0.5), RigidBody::dynamic());
    let mut landed = None;
    for step in 0..240 {
        scene.step();
        let height = scene.center(body).y - 0.5;
        if landed.is_none() && height < 0.01 {
            landed = Some(step);
        }
        assert!(landed.is_none() || height < 0.01, "{height} above the floor");
    }
    assert!(landed.is_some());
}

#[test]
fn a_ball_that_spins_on_a_floor_stops_as_a_patch_of_ten_skins_rubs() {
    let mut scene = Scene::with_floor();
    let body = RigidBody { angular_velocity: Vec3::Y * 2.0, can_sleep: false, ..RigidBody::dynamic() };
    let key = scene.add(ball(Vec3::Y * 0.501, 0.5), body);
    scene.steps(60);
    let before = scene.spin(key).y;
    scene.steps(60);
    // The torque is friction times weight times the radius of the patch; the inertia is 2/5 m r².
    let expected = 0.6 * 9.81 * 0.01 / (0.4 * 0.5 * 0.5);
    let lost = before - scene.spin(key).y;
    assert!((lost / expected - 1.0).abs() < 0.02, "{lost} instead of {expected} in a second");
    scene.steps(240);
    assert!(scene.spin(key).length() < 1e-3, "{}", scene.spin(key));
}
