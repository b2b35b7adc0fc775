//! Rolling resistance, compared with mechanics.

use super::{DT, Scene, aabb, ball, ground::grid, obb};
use cullide_world::{
    Material, ObjectKey, RigidBody, Shape,
    glam::{Quat, Vec3},
    narrowphase::Capsule,
};

const GRAVITY: f32 = 9.81;
const RADIUS: f32 = 0.5;

fn material(rolling_resistance: f32) -> Material {
    Material { friction: 1.0, rolling_resistance, ..Material::default() }
}

/// Shapes that roll along x, with the fraction of gravity's pull along a slope at which they accelerate.
fn shapes(center: Vec3) -> [(Shape, f32); 2] {
    let capsule = Capsule::from_half_axis(center, Vec3::Z * 1.0, RADIUS).unwrap();
    // A cylinder of length 2 and a ball, both with that radius: moments of 1/2 and 2/5.
    let (cylinder, ends) = (2.0, 4.0 / 3.0 * RADIUS);
    let moment = (cylinder * 0.5 + ends * 0.4) / (cylinder + ends);
    [(ball(center, RADIUS).into(), 5.0 / 7.0), (capsule.into(), 1.0 / (1.0 + moment))]
}

/// A body on a slope with the given tangent, which descends toward positive x.
fn on_slope(tangent: f32, ground: Material, kind: usize, own: Material) -> (Scene, ObjectKey) {
    let mut scene = Scene::new();
    let turn = Quat::from_rotation_z(-tangent.atan());
    let floor = scene.fixed(obb(turn * Vec3::NEG_Y, turn, Vec3::new(300.0, 1.0, 300.0)));
    scene.dynamics.set_material(&scene.world, floor, ground).unwrap();
    let above = turn * (Vec3::Y * (RADIUS + 0.002));
    let body = RigidBody { material: own, can_sleep: false, ..RigidBody::dynamic() };
    let key = scene.add(shapes(above)[kind].0.clone(), body);
    (scene, key)
}

#[test]
fn on_level_ground_what_rolls_slows_down_evenly_and_comes_to_rest() {
    for resistance in [0.01f32, 0.05, 0.2] {
        for (kind, (shape, share)) in shapes(Vec3::Y * (RADIUS + 0.001)).into_iter().enumerate() {
            let mut scene = Scene::new();
            let floor = scene.fixed(aabb(Vec3::NEG_Y, Vec3::new(2000.0, 1.0, 50.0)));
            scene.dynamics.set_material(&scene.world, floor, material(resistance)).unwrap();
            let expected = share * resistance * GRAVITY;
            let speed = 4.0 * expected;
            let body = RigidBody {
                velocity: Vec3::X * speed,
                angular_velocity: Vec3::NEG_Z * (speed / RADIUS),
                material: material(0.0),
                ..RigidBody::dynamic()
            };
            let body = scene.add(shape, body);
            scene.steps(30);
            let start = scene.velocity(body).x;
            scene.steps(120);
            let lost = (start - scene.velocity(body).x) / (120.0 * DT);
            assert!((lost / expected - 1.0).abs() < 0.02, "{kind} {resistance}: {lost} for {expected}");
            // After four seconds in total.
            scene.steps(120);
            assert!(scene.velocity(body).length() < 1e-3 && scene.spin(body).length() < 1e-2, "{kind} {resistance}");
            let there = scene.center(body);
            let way = speed * speed / (2.0 * expected);
            assert!((there.x / way - 1.0).abs() < 0.03, "{kind} {resistance}: {there}, not {way}");
            scene.steps(120);
            assert!(scene.dynamics.body(body).unwrap().is_asleep(), "{kind} {resistance}");
            assert!((scene.center(body) - there).length() < 1e-3, "{kind} {resistance}");
        }
    }
}

#[test]
fn it_holds_on_slopes_up_to_its_tangent_and_no_farther() {
    for resistance in [0.02f32, 0.1, 0.4] {
        for kind in 0..2 {
            for is_of_ground in [true, false] {
                let (own, ground) = if is_of_ground { (0.0, resistance) } else { (resistance, 0.01) };
                let share = shapes(Vec3::ZERO)[kind].1;
                let (mut scene, body) = on_slope(0.9 * resistance, material(ground), kind, material(own));
                scene.steps(30);
                let start = scene.center(body);
                scene.steps(1200);
                let creep = (scene.center(body) - start).length();
                assert!(creep < 1e-3, "{kind} {resistance}: creeps {creep}");
                let tangent = 1.5 * resistance;
                let (mut scene, body) = on_slope(tangent, material(ground), kind, material(own));
                scene.steps(30);
                let start = scene.velocity(body).length();
                scene.steps(60);
                let gained = (scene.velocity(body).length() - start) / (60.0 * DT);
                let angle = tangent.atan();
                let expected = share * GRAVITY * (angle.sin() - resistance * angle.cos());
                assert!((gained / expected - 1.0).abs() < 0.03, "{kind} {resistance}: {gained} for {expected}");
            }
        }
    }
}

#[test]
fn on_a_mesh_it_is_the_same_and_a_box_feels_nothing() {
    let mesh = grid(100, 0.7, |_, _| 0.0);
    let run = |shape: Shape, spin: f32, resistance: f32| {
        let mut scene = Scene::new();
        let floor = scene.fixed(mesh.clone());
        scene.dynamics.set_material(&scene.world, floor, material(resistance)).unwrap();
        let body = RigidBody { velocity: Vec3::X * 5.0, angular_velocity: Vec3::NEG_Z * spin, ..RigidBody::dynamic() };
        let body = scene.add(shape, RigidBody { material: material(0.0), ..body });
        scene.steps(60);
        scene.velocity(body).x
    };
    let center = Vec3::new(20.0, RADIUS + 0.001, 20.0);
    let rolled = run(ball(center, RADIUS).into(), 5.0 / RADIUS, 0.1);
    let expected = 5.0 - 5.0 / 7.0 * 0.1 * GRAVITY;
    assert!((rolled - expected).abs() < 0.03, "{rolled} for {expected}");
    let crate_of = |resistance| run(obb(center, Quat::IDENTITY, Vec3::splat(RADIUS)).into(), 0.0, resistance);
    assert_eq!(crate_of(0.0).to_bits(), crate_of(0.9).to_bits());
}
