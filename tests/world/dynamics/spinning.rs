//! Bodies that touch nothing rotate as mechanics predicts, however slender and however fast.

use super::{DT, Scene, aabb, capsule, ground::grid, obb};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Material, ObjectKey, RigidBody, Shape, WorldPlane,
    glam::{Quat, Vec3},
    narrowphase::{Hull, Plane},
};
use std::f32::consts::TAU;

fn spinning(angular_velocity: Vec3) -> RigidBody {
    RigidBody { angular_velocity, ..RigidBody::dynamic() }
}

#[test]
fn what_turns_across_a_long_axis_goes_on_about_the_same_one() {
    for (half_length, radius, spin, dt) in [
        (1.0, 0.05, Vec3::new(20.0, 0.0, 8.0), 1.0 / 30.0),
        (3.0, 0.02, Vec3::new(2.7, 0.0, 1.3), 1.0 / 60.0),
        (1.0, 0.02, Vec3::new(3.0, 0.0, 1.0), 1.0 / 60.0),
    ] {
        let mut scene = Scene::weightless();
        let pole = scene.add(capsule(Vec3::ZERO, Vec3::Y * half_length, radius), spinning(spin));
        for _ in 0..600 {
            scene.dynamics.step(&mut scene.world, dt, &scene.config).unwrap();
        }
        // The second component would be spin about the pole, of which a step of `f32` in its direction is a large part.
        assert!((scene.spin(pole) - spin).length() < 0.02 * spin.length(), "{}", scene.spin(pole));
    }
}

#[test]
fn slender_boxes_keep_their_energy() {
    let mut rng = Rng::with_seed(SEED);
    let mut any = || Vec3::from([0; 3].map(|_| 2.0 * rng.f32() - 1.0));
    for case in 0..150 {
        let thin = 1.0 / (3.0 * 300f32.powf(0.5 + 0.5 * any().x));
        let sizes = Vec3::new(1.0, thin, thin * (1.0 + 0.5 * any().x));
        let sizes = [sizes, Vec3::new(sizes.y, sizes.x, sizes.z), Vec3::new(sizes.y, sizes.z, sizes.x)][case % 3];
        let squares = sizes * sizes;
        let moments = Vec3::splat(squares.element_sum()) - squares;
        let mut scene = Scene::weightless();
        let rod = scene.add(obb(Vec3::ZERO, Quat::IDENTITY, sizes), spinning(any() * 20.0));
        let energy = |scene: &Scene, rod: ObjectKey| {
            let (turn, _) = scene.world.object(rod).unwrap().transform();
            let spin = turn.inverse() * scene.spin(rod);
            (spin * spin).dot(moments)
        };
        let start = energy(&scene, rod);
        for step in 0..300 {
            scene.step();
            let share = energy(&scene, rod) / start;
            assert!((share - 1.0).abs() < 0.01, "case {case}, {step}: {share}");
        }
    }
}

#[test]
fn what_spins_beside_a_floor_keeps_its_spin() {
    for height in [0.31, 0.51] {
        for speed in [50.0, 100.0, 200.0, 600.0] {
            let mut scene = Scene::with_floor();
            scene.config.gravity = Vec3::ZERO;
            let top = obb(Vec3::Y * height, Quat::IDENTITY, Vec3::splat(0.28));
            let top = scene.add(top, spinning(Vec3::Y * speed));
            scene.steps(30);
            assert!((scene.spin(top) - Vec3::Y * speed).length() < 1e-3 * speed, "{height}: {}", scene.spin(top));
        }
    }
}

#[test]
fn what_spins_flat_on_a_floor_is_stopped_as_coulomb_says() {
    let half = Vec3::new(0.2, 0.05, 0.2);
    // For a square that is pressed on at its corners, like a ring, with nothing else moving it: friction at the corners
    // stops it.
    let moment = 2.0 * half.x * half.x / 3.0;
    let deceleration = 0.5 * 9.81 * (half.x * 2f32.sqrt()) / moment;
    for spin in [5.0f32, 20.0, 40.0] {
        for kind in 0..4 {
            let mut scene = Scene::new();
            let material = Material { friction: 0.5, ..Material::default() };
            let slab = aabb(Vec3::NEG_Y, Vec3::new(10.0, 1.0, 10.0));
            match kind {
                0 => _ = scene.world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1)),
                1 => _ = scene.fixed(slab),
                2 => _ = scene.fixed(grid(12, 0.7, |_, _| 0.0)),
                _ => _ = scene.add(slab, RigidBody { material, ..RigidBody::kinematic() }),
            }
            let body = RigidBody { angular_velocity: Vec3::Y * spin, material, ..RigidBody::dynamic() };
            let body = scene.add(aabb(Vec3::new(4.1, 0.051, 4.1), half), body);
            let time = (spin / deceleration / DT * 1.3).ceil() as usize + 4;
            for step in 0..time {
                scene.step();
                let height = scene.center(body).y - half.y;
                assert!((0.0..0.003).contains(&height), "{spin} {kind} {step}: {height}");
            }
            assert!(scene.spin(body).length() < 0.01, "{spin} {kind}: still {}", scene.spin(body));
        }
    }
}

#[test]
fn what_spins_faster_than_numbers_hold_does_no_harm() {
    let thickness = 5.0 / 30_000.0;
    let turn = Quat::from_rotation_x(0.3);
    let points = [[0.0, -5.0, 0.0], [0.0, 5.0, 0.0], [thickness, 0.0, 0.0], [-thickness, 0.1, thickness]];
    let points = [points, [[0.0, 0.0, -thickness]; 4]].concat();
    let points: Vec<Vec3> = points.into_iter().map(|point| turn * Vec3::from(point)).collect();
    let mut scene = Scene::weightless();
    let splinter = scene.add(Hull::new(&points).unwrap(), spinning(Vec3::new(0.5, 1.0, 0.2).normalize() * 10.0));
    let wheel = RigidBody { angular_velocity: Vec3::X * 3e38, ..RigidBody::kinematic() };
    scene.add(obb(Vec3::X * 50.0, Quat::IDENTITY, Vec3::ONE), wheel);
    for step in 0..600 {
        scene.dynamics.step(&mut scene.world, if step == 300 { 2.0 } else { DT }, &scene.config).unwrap();
        let spin = scene.spin(splinter);
        assert!(spin.is_finite() && spin.length() < 1e6, "{step}: {spin}");
    }
}

/// However thin a rod is, it can be restored.
#[test]
fn the_thinnest_rods_gain_no_energy() {
    let extents = [(0.0, 1000.0, 2e-6), (1e-5, 100.0, 2e-6), (0.0, 100.0, 1e-4), (0.0, 1.0, 1e-6), (1e-3, 10.0, 1e-3)];
    for (x, y, z) in extents {
        let mut scene = Scene::weightless();
        let key = scene.add(obb(Vec3::ZERO, Quat::IDENTITY, Vec3::new(x, y, z)), spinning(Vec3::new(0.3, 3.0, 1.0)));
        let energy = |scene: &Scene| -> f64 {
            let (mass, spin) =
                (scene.dynamics.body(key).unwrap().mass(&scene.world).unwrap(), scene.spin(key).as_dvec3());
            (0..3).map(|i| f64::from(mass.inertia[i]) * spin.dot(mass.axes[i].as_dvec3()).powi(2)).sum()
        };
        let before = energy(&scene);
        for step in 0..600 {
            scene.step();
            let after = energy(&scene);
            assert!(after <= 1.01 * before && scene.spin(key).is_finite(), "{x} {y} {z}, {step}: {before} to {after}");
        }
        scene.restored();
    }
}

/// What is left of a rotation by nearly whole turns, and a small tilt, is about another axis than the spin: about that axis, a
/// needle would sweep a wide cone.
#[test]
fn a_needle_that_spins_by_whole_turns_beside_something_turns_as_in_an_empty_world() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..120u8 {
        let axis = Quat::from_rotation_y(6.0 * rng.f32()) * Vec3::X;
        let turns = f32::from(1 + case % 4) + 0.01 * (rng.f32() - 0.5);
        let spin = axis * (turns * TAU / DT) + Vec3::Y * (0.5 + 2.0 * rng.f32());
        let (half, thin) = (0.8 + rng.f32(), 0.003 + 0.003 * rng.f32());
        let scenes = [0, 1, 2].map(|ground| {
            let mut scene = Scene::weightless();
            let floor = aabb(Vec3::NEG_Y * 1.2, Vec3::new(20.0, 1.0, 20.0));
            match ground {
                0 => {}
                1 => _ = scene.fixed(floor),
                _ => _ = scene.add(floor, RigidBody::kinematic()),
            }
            let turned = Quat::from_rotation_arc(Vec3::X, axis);
            let needle: Shape = match case % 3 {
                0 => capsule(Vec3::ZERO, axis * half, thin).into(),
                1 => obb(Vec3::ZERO, turned, Vec3::new(half, thin, thin)).into(),
                _ => Hull::new(&obb(Vec3::ZERO, turned, Vec3::new(half, thin, thin)).corners()).unwrap().into(),
            };
            let needle = scene.add(needle, spinning(spin));
            scene.steps(20);
            let mass = scene.dynamics.body(needle).unwrap().mass(&scene.world).unwrap();
            let long = (0..3).min_by(|a, b| mass.inertia[*a].total_cmp(&mass.inertia[*b])).unwrap();
            (mass.center, mass.axes[long])
        });
        let (_, free) = scenes[0];
        assert!(free.y.abs() < 0.1 && free.dot(axis).abs() < 0.99, "{case}: {free} from {axis}");
        for (center, along) in &scenes[1..] {
            let off = along.cross(free).length();
            assert!(center.length() < 1e-3 && off < 0.02, "{case}: at {center}, {off} off");
        }
    }
}
