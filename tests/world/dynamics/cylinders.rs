//! Cylinders and cones as bodies: cans that roll and stand, coins that come to lie flat, and nothing that they get
//! through.

use super::{DT, Scene, aabb, ball, capsule, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Compound, Mass, Material, Mesh, Object, ObjectKey, RigidBody, Shape, Terrain,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Convex, Cylinder},
};

const GRAVITY: f32 = 9.81;

fn can(center: Vec3, half_axis: Vec3, radius: f32) -> Cylinder {
    Cylinder::from_half_axis(center, half_axis, [radius; 2]).unwrap()
}

fn cylinder(scene: &Scene, key: ObjectKey) -> Cylinder {
    let Shape::Cylinder(shape) = scene.shape(key) else { panic!("still a cylinder") };
    *shape
}

/// The cosine of the angle between the axis of a cylinder and a direction.
fn leaning(scene: &Scene, key: ObjectKey, up: Vec3) -> f32 {
    cylinder(scene, key).half_axis().normalize().dot(up).abs()
}

/// A slope that descends toward positive x, of several kinds.
fn ground(scene: &mut Scene, kind: usize, tilt: Quat) -> ObjectKey {
    let at = |x: f32, z: f32| tilt * Vec3::new(x, 0.0, z);
    match kind {
        0 => scene.fixed(obb(tilt * Vec3::NEG_Y, tilt, Vec3::new(200.0, 1.0, 9.0))),
        1 => {
            let (mut points, mut faces) = (vec![], vec![]);
            for i in 0..=400u32 {
                let x = i as f32 * 0.5 - 100.0;
                points.extend([at(x, -9.0), at(x, 9.0)]);
                if i < 400 {
                    let k = 2 * i;
                    faces.extend([[k, k + 1, k + 2], [k + 2, k + 1, k + 3]]);
                }
            }
            scene.fixed(Mesh::new(&points, &faces).unwrap())
        }
        _ => {
            let slope = (tilt * Vec3::X).y / (tilt * Vec3::X).x;
            let heights: Vec<f32> = (0..200 * 21).map(|i| slope * ((i % 200) as f32 - 20.0)).collect();
            scene.fixed(Terrain::new(200, 21, &heights, Vec2::ONE, Vec2::new(-20.0, -10.0)).unwrap())
        }
    }
}

#[test]
fn a_can_rolls_down_a_slope_with_two_thirds_of_its_pull() {
    for (angle, dt, half, kind) in [
        (2f32, DT, 0.3, 0),
        (10.0, DT, 1.0, 0),
        (20.0, DT, 0.05, 0),
        (25.0, DT, 0.5, 0),
        (25.0, 0.25 * DT, 0.5, 0),
        (5.0, DT, 0.5, 1),
        (15.0, DT, 0.3, 1),
        (10.0, DT, 0.7, 2),
    ] {
        let mut scene = Scene::new();
        let tilt = Quat::from_rotation_z(-angle.to_radians());
        let floor = ground(&mut scene, kind, tilt);
        let material = Material { friction: 0.9, ..Material::default() };
        scene.dynamics.set_material(&scene.world, floor, material).unwrap();
        let body = RigidBody { material, ..RigidBody::dynamic() };
        let key = scene.add(can(tilt * (Vec3::Y * 0.502), Vec3::Z * half, 0.5), body);
        let down = tilt * Vec3::X;
        let steps = |scene: &mut Scene, count: usize| {
            (0..count).for_each(|_| _ = scene.dynamics.step(&mut scene.world, dt, &scene.config).unwrap());
        };
        steps(&mut scene, (0.5 / dt) as usize);
        let start = scene.velocity(key).dot(down);
        let count = (1.5 / dt) as usize;
        steps(&mut scene, count);
        let gained = (scene.velocity(key).dot(down) - start) / (count as f32 * dt);
        let expected = GRAVITY * angle.to_radians().sin() * 2.0 / 3.0;
        let case = (angle, dt, half, kind);
        assert!((gained / expected - 1.0).abs() < 0.01, "{gained} for {expected} at {case:?}");
        let slip = scene.velocity(key).dot(down) - scene.spin(key).length() * 0.5;
        assert!(slip.abs() < 0.01 * scene.velocity(key).length(), "{slip} at {case:?}");
        assert!(cylinder(&scene, key).half_axis().normalize().z > 0.999, "{case:?}");
    }
}

#[test]
fn coins_settle_flat() {
    let mut rng = Rng::with_seed(SEED ^ 701);
    for kind in 0..2 {
        let mut scene = Scene::new();
        if kind == 0 {
            scene.fixed(aabb(Vec3::new(0.0, -1.0, 0.0), Vec3::new(50.0, 1.0, 50.0)));
        } else {
            ground(&mut scene, 1, Quat::IDENTITY);
        }
        let coins: Vec<ObjectKey> = (0..12)
            .map(|i| {
                let at = Vec3::new(2.5 * (i % 4) as f32, 1.0 + rng.f32(), 2.5 * (i / 4) as f32 - 2.0);
                let axis = (vector(&mut rng, 1.0) + Vec3::Y * 0.3).normalize();
                scene.add(can(at, axis * 0.05, 0.5), RigidBody::dynamic())
            })
            .collect();
        scene.steps(60 * 12);
        let mut flat = 0;
        for key in coins {
            // One may end on its rim, and roll.
            if leaning(&scene, key, Vec3::Y) < 0.1 {
                continue;
            }
            flat += 1;
            let shape = cylinder(&scene, key);
            assert!(leaning(&scene, key, Vec3::Y) > 0.9999, "{kind}: {shape:?} {}", scene.velocity(key));
            assert!((shape.center().y - 0.05).abs() < 0.02, "{kind}: {shape:?}");
            assert!(
                scene.dynamics.body(key).unwrap().is_asleep(),
                "{kind}: {shape:?} {} {}",
                scene.velocity(key),
                scene.spin(key)
            );
        }
        assert!(flat > 8, "{flat}");
    }
}

#[test]
fn cans_stand_on_each_other() {
    let mut scene = Scene::with_floor();
    let cans: Vec<ObjectKey> = (0..6)
        .map(|i| {
            scene.add(
                can(Vec3::new(0.02 * i as f32, 0.51 + 1.01 * i as f32, 0.0), Vec3::Y * 0.5, 0.6),
                RigidBody::dynamic(),
            )
        })
        .collect();
    // One on its side on top, along z, and a box and a cone beside.
    let crate_on_can = scene.add(can(Vec3::new(5.0, 0.5, 0.0), Vec3::Y * 0.5, 0.6), RigidBody::dynamic());
    let on_top =
        scene.add(obb(Vec3::new(5.0, 1.41, 0.1), Quat::from_rotation_y(0.3), Vec3::splat(0.4)), RigidBody::dynamic());
    let cone = Cylinder::cone(Vec3::new(-5.0, 0.01, 0.0), Vec3::new(-5.0, 2.0, 0.0), 0.7).unwrap();
    let cone = scene.add(cone, RigidBody::dynamic());
    scene.steps(60 * 8);
    for (i, &key) in cans.iter().enumerate() {
        let shape = cylinder(&scene, key);
        assert!(
            leaning(&scene, key, Vec3::Y) > 0.9999 && (shape.center().y - 0.5 - i as f32).abs() < 0.05,
            "{i}: {shape:?}"
        );
    }
    assert!(
        cans.iter().chain([&crate_on_can, &on_top, &cone]).all(|key| scene.dynamics.body(*key).unwrap().is_asleep())
    );
    assert!((scene.center(on_top).y - 1.4).abs() < 0.02 && leaning(&scene, cone, Vec3::Y) > 0.9999);
}

#[test]
fn nothing_gets_through_a_wall_at_any_speed() {
    let mut rng = Rng::with_seed(SEED ^ 702);
    let mut hits = 0;
    for case in 0..60 {
        let mut scene = Scene::weightless();
        let half = [0.5, 0.05][case % 2];
        match case % 3 {
            0 => _ = scene.fixed(aabb(Vec3::X * 20.0, Vec3::new(half, 900.0, 900.0))),
            1 => {
                let [a, b, c, d] = [[-900.0, -900.0], [900.0, -900.0], [900.0, 900.0], [-900.0, 900.0]]
                    .map(|[y, z]| Vec3::new(20.0, y, z));
                scene.fixed(Mesh::new(&[a, b, c, d], &[[0, 1, 2], [0, 2, 3]]).unwrap());
            }
            _ => _ = scene.plane(Vec3::X * 20.0, Vec3::NEG_X),
        }
        let radii = [[0.5, 0.5], [0.5, 0.0], [0.4, 0.8]][case / 3 % 3];
        let axis = (vector(&mut rng, 1.0) + Vec3::X * 0.1).normalize() * [0.5, 0.03, 1.5][case / 9 % 3];
        let shape = Cylinder::from_half_axis(Vec3::new(0.0, 2.0 * rng.f32(), 0.0), axis, radii).unwrap();
        let speed = [5.0, 50.0, 500.0, 5000.0][case % 4];
        let body = RigidBody {
            velocity: Vec3::new(speed, 0.02 * speed * rng.f32(), 0.0),
            angular_velocity: vector(&mut rng, 30.0),
            ..RigidBody::dynamic()
        };
        let key = scene.add(shape, body);
        for step in 0..60 * 6 {
            scene.step();
            let most = cylinder(&scene, key).aabb().max().x;
            assert!(most <= 20.001, "case {case}: {most} after {step} steps at {speed}");
            assert!(cylinder(&scene, key).center().x < 20.0, "case {case} after {step} steps at {speed}");
            hits += usize::from(scene.velocity(key).x < 0.5 * speed);
        }
    }
    assert!(hits > 1000, "{hits}");
}

#[test]
fn bodies_do_not_enter_what_is_fixed() {
    let mut rng = Rng::with_seed(SEED ^ 703);
    let mut scene = Scene::new();
    let fixed: Vec<Shape> = vec![
        aabb(Vec3::NEG_Y, Vec3::new(9.0, 1.0, 9.0)).into(),
        can(Vec3::new(1.0, 0.5, 0.5), Vec3::Y * 0.5, 1.0).into(),
        Cylinder::cone(Vec3::new(-2.0, 0.0, 0.0), Vec3::new(-2.0, 2.0, 0.3), 1.0).unwrap().into(),
        can(Vec3::new(0.0, 0.3, -2.0), Vec3::X * 2.0, 0.4).into(),
    ];
    fixed.iter().for_each(|shape| _ = scene.fixed(shape.clone()));
    [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z].into_iter().for_each(|side| _ = scene.plane(side * 4.0, -side));
    let mut bodies = vec![];
    for i in 0..40 {
        let at = Vec3::new(6.0 * rng.f32() - 3.0, 3.0 + 0.5 * i as f32, 6.0 * rng.f32() - 3.0);
        let axis = turn(&mut rng) * Vec3::Y * (0.05 + 0.5 * rng.f32());
        let shape: Shape = match i % 5 {
            0 => ball(at, 0.4).into(),
            1 => capsule(at, axis, 0.3).into(),
            2 => obb(at, turn(&mut rng), Vec3::new(0.3, 0.4, 0.5)).into(),
            3 => Cylinder::from_half_axis(at, axis, [0.5, 0.1]).unwrap().into(),
            _ => can(at, axis, 0.4).into(),
        };
        bodies.push(scene.add(shape, RigidBody::dynamic()));
    }
    let core = |shape: &Shape| match shape {
        Shape::Aabb(shape) => Convex::from(*shape).core(),
        Shape::Obb(shape) => Convex::from(*shape).core(),
        Shape::Sphere(shape) => Convex::from(*shape).core(),
        Shape::Capsule(shape) => Convex::from(*shape).core(),
        Shape::Cylinder(shape) => shape.core(),
        other => panic!("{other:?}"),
    };
    let mut touches = 0;
    for step in 0..600 {
        scene.step();
        for &key in &bodies {
            let body = core(scene.shape(key));
            for shape in &fixed {
                let depth = body.distance(&core(shape)).separation;
                assert!(depth > -2e-3, "{depth} after {step} steps: {:?} in {shape:?}", scene.shape(key));
                touches += usize::from(depth < 0.02);
            }
        }
    }
    assert!(touches > 5000, "{touches}");
}

#[test]
fn mass_and_free_rotation_are_those_of_the_solid() {
    let mut scene = Scene::weightless();
    let cone = Cylinder::cone(Vec3::new(0.0, 0.0, 0.0), Vec3::Y * 4.0, 2.0).unwrap();
    let key = scene.add(cone, RigidBody { angular_velocity: Vec3::new(1.0, 5.0, 0.5), ..RigidBody::dynamic() });
    let mass = scene.dynamics.body(key).unwrap().mass(&scene.world).unwrap();
    let volume = std::f32::consts::PI * 16.0 / 3.0;
    assert!((mass.mass / volume - 1.0).abs() < 1e-6 && mass.center.distance(Vec3::Y) < 1e-6);
    let [x, y, _] = mass.inertia.to_array();
    assert!((y / (0.3 * volume * 4.0) - 1.0).abs() < 1e-5, "{y}");
    // About the centre of mass: 3/80 m (4 r² + h²).
    assert!((x / (volume * (4.0 * 4.0 + 16.0) * 3.0 / 80.0) - 1.0).abs() < 1e-5, "{x}");
    scene.steps(600);
    let moved = scene.dynamics.body(key).unwrap().mass(&scene.world).unwrap();
    // The centre of mass stays where it is, though the middle of the axis circles about it.
    assert!(moved.center.distance(Vec3::Y) < 1e-4, "{moved:?}");
    assert!((moved.mass, moved.inertia) == (mass.mass, mass.inertia));
    let shape = cylinder(&scene, key);
    assert!((shape.half_axis().length() - 2.0).abs() < 1e-5 && shape.radii() == [2.0, 0.0]);
    let given = Mass::Given { mass: 3.0, center: Vec3::ZERO, inertia: cullide_world::glam::Mat3::IDENTITY };
    let other = scene.add(can(Vec3::X * 20.0, Vec3::Y, 1.0), RigidBody { mass: given, ..RigidBody::dynamic() });
    assert_eq!(scene.dynamics.body(other).unwrap().mass(&scene.world).unwrap().mass, 3.0);
}

/// Things above a floor between walls, each of one of these kinds: cans, coins, cones, and compounds or boxes.
fn heap(count: usize, kinds: &[usize]) -> Scene {
    let mut rng = Rng::with_seed(SEED ^ 704);
    let mut scene = Scene::with_floor();
    [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z].into_iter().for_each(|side| _ = scene.plane(side * 5.0, -side));
    for i in 0..count {
        let at = Vec3::new(8.0 * rng.f32() - 4.0, 1.0 + 0.1 * i as f32, 8.0 * rng.f32() - 4.0);
        let axis = turn(&mut rng) * Vec3::Y;
        let shape: Shape = match kinds[i % kinds.len()] {
            0 => can(at, axis * 0.4, 0.3).into(),
            1 => can(at, axis * 0.05, 0.4).into(),
            2 => Cylinder::from_half_axis(at, axis * 0.4, [0.4, [0.0, 0.2][i / 4 % 2]]).unwrap().into(),
            _ if i % 8 == 3 => {
                let dumbbell = [-0.4f32, 0.4].map(|x| can(at + axis * x, axis * 0.1, 0.3).into());
                let bar = can(at, axis * 0.3, 0.1).into();
                Compound::new(dumbbell.into_iter().chain([bar])).unwrap().into()
            }
            _ => obb(at, turn(&mut rng), Vec3::splat(0.3)).into(),
        };
        // Without damping, cans would roll on for ever.
        scene.add(shape, RigidBody { angular_damping: 0.5, ..RigidBody::dynamic() });
    }
    scene
}

#[test]
fn a_heap_is_the_same_after_a_snapshot_and_on_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut scene = heap(40, &[0, 1, 2, 3]);
            scene.steps(90);
            let mut restored = scene.restored();
            assert_eq!(restored.hash(), scene.hash());
            scene.steps(60);
            restored.steps(60);
            assert_eq!(restored.hash(), scene.hash());
            scene.hash()
        })
    };
    assert_eq!(run(1), run(3));
}

#[test]
#[ignore = "takes some minutes"]
fn piles_of_five_hundred_sleep() {
    // Coins alone, most of which lie on others askew, keep each other awake.
    for kinds in [&[0, 1, 2, 3][..], &[0]] {
        let mut scene = heap(500, kinds);
        let (mut awake, mut steps) = (500, 0);
        while awake > 0 && steps < 60 * 60 {
            (awake, steps) = (scene.step().awake, steps + 1);
        }
        assert_eq!(awake, 0, "{kinds:?}");
    }
}

#[test]
fn what_is_switched_off_or_kinematic_moves_cans_too() {
    let mut scene = Scene::with_floor();
    let resting = scene.add(can(Vec3::new(0.0, 0.5, 0.0), Vec3::Y * 0.5, 0.5), RigidBody::dynamic());
    let drum = Object::moving(can(Vec3::new(-4.0, 0.6, 0.0), Vec3::Z, 0.5));
    let drum = scene.world.insert(drum);
    let rolls = RigidBody { velocity: Vec3::X * 2.0, angular_velocity: Vec3::Z * -4.0, ..RigidBody::kinematic() };
    scene.dynamics.insert(&mut scene.world, drum, rolls).unwrap();
    scene.steps(200);
    assert!(cylinder(&scene, drum).center().x > 2.0 && cylinder(&scene, resting).center().x > 2.5);
}
