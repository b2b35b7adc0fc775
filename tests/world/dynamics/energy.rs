//! Nothing gains energy but from gravity and from what moves it.

use super::{DT, Scene, aabb, ball, capsule, ground::grid, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Compound, Filter, Material, ObjectKey, PlacedMesh, RigidBody, Shape, Terrain,
    glam::{DVec3, Quat, Vec2, Vec3},
    narrowphase::Hull,
};

/// How many kinds of ground there are; the last ones are kinematic.
const GROUNDS: usize = 12;
const FIXED: usize = 9;

/// Adds ground around the origin, its top at a height of about 0; `velocity` is that of kinematic ground.
fn add_ground(scene: &mut Scene, kind: usize, velocity: Vec3) {
    let moving = RigidBody { velocity, ..RigidBody::kinematic() };
    let slab = Vec3::new(20.0, 1.0, 20.0);
    let waves = |x: f32, z: f32| 0.1 * ((0.9 * x).sin() + (0.8 * z).cos());
    let placed = |mesh| PlacedMesh::new(&mesh, Quat::IDENTITY, Vec3::new(-8.0, 0.0, -8.0), Vec3::ONE).unwrap();
    let hull = Hull::new(&obb(Vec3::NEG_Y, Quat::from_rotation_x(0.2), slab).corners()).unwrap();
    match kind {
        0 => _ = scene.plane(Vec3::ZERO, Vec3::Y),
        1 => _ = scene.fixed(aabb(Vec3::NEG_Y, slab)),
        2 => _ = scene.fixed(obb(Vec3::NEG_Y, Quat::from_rotation_z(0.3), slab)),
        3 => {
            for [x, z] in [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]] {
                scene.fixed(aabb(Vec3::new(10.0 * x, -1.0, 10.0 * z), Vec3::new(10.0, 1.0, 10.0)));
            }
        }
        4 => _ = scene.fixed(hull),
        5 => _ = scene.fixed(placed(grid(20, 0.8, |_, _| 0.0))),
        6 => _ = scene.fixed(placed(grid(20, 0.8, waves))),
        7 => {
            let heights: Vec<f32> = (0..400).map(|i| waves((i % 20) as f32, (i / 20) as f32)).collect();
            scene.fixed(Terrain::new(20, 20, &heights, Vec2::splat(0.9), Vec2::splat(-9.0)).unwrap());
        }
        8 => {
            let blocks = (0..16u8).map(|i| {
                let (x, z) = (f32::from(i % 4) - 1.5, f32::from(i / 4) - 1.5);
                let turned = Quat::from_rotation_x(0.1 * x);
                Shape::from(obb(Vec3::new(2.0 * x, -1.0, 2.0 * z), turned, Vec3::new(1.1, 1.0, 1.1)))
            });
            scene.fixed(Compound::new(blocks).unwrap());
        }
        9 => _ = scene.add(aabb(Vec3::NEG_Y, slab), moving),
        10 => _ = scene.add(hull, moving),
        _ => _ = scene.add(placed(grid(20, 0.8, waves)), moving),
    }
}

/// A body of any shape at a place, whose extents differ by up to a thousand.
fn any_shape(rng: &mut Rng, at: Vec3) -> Shape {
    let size = 0.1 * 10f32.powf(rng.f32());
    let thin = |rng: &mut Rng| size * 1000f32.powf(-rng.f32() * rng.f32());
    let half = match rng.usize(0..3) {
        0 => Vec3::new(size, thin(rng), size),
        1 => Vec3::new(thin(rng), thin(rng), size),
        _ => vector(rng, size).abs().max(Vec3::splat(0.1 * size)),
    };
    let turned = turn(rng);
    match rng.usize(0..6) {
        0 => ball(at, size).into(),
        1 | 2 => capsule(at, turned * Vec3::X * size, thin(rng)).into(),
        3 => obb(at, turned, half).into(),
        4 => {
            let points: Vec<Vec3> = (0..12).map(|_| at + turned * (half * vector(rng, 1.0))).collect();
            Hull::new(&points).unwrap().into()
        }
        _ => {
            let other = at + turned * (half * Vec3::new(0.9, 0.3, 0.8));
            let parts = [obb(at, turned, half), obb(other, turned * Quat::from_rotation_x(0.7), half)];
            Compound::new(parts.map(Shape::from)).unwrap().into()
        }
    }
}

/// The kinetic energy of bodies, and their energy in the field of gravity, seen from something that moves at a velocity and
/// has done so for a time. From there, what does not move does no work.
fn energies(scene: &Scene, keys: &[ObjectKey], [seen_from, way]: [DVec3; 2]) -> [f64; 2] {
    let gravity = scene.config.gravity.as_dvec3();
    keys.iter().fold([0.0; 2], |[kinetic, potential], key| {
        let mass = scene.dynamics.body(*key).unwrap().mass(&scene.world).unwrap();
        let (velocity, spin) = (scene.velocity(*key).as_dvec3() - seen_from, scene.spin(*key).as_dvec3());
        let m = f64::from(mass.mass);
        let turning: f64 = (0..3).map(|i| f64::from(mass.inertia[i]) * mass.axes[i].as_dvec3().dot(spin).powi(2)).sum();
        let height = -gravity.dot(mass.center.as_dvec3() - way);
        [kinetic + 0.5 * (m * velocity.length_squared() + turning), potential + m * height]
    })
}

/// The most that a scene gains in a step, beyond the work of gravity and of kinematic ground and what lifting its bodies by
/// five skins takes, as a share of its energy: contacts may lift bodies by their skin, and the guard those that would enter
/// something. `None` if bodies are in something from the start.
fn most_gained(case: usize, rng: &mut Rng) -> Option<f64> {
    let mut scene = Scene::new();
    let (kind, is_moving) = (case % GROUNDS, case / GROUNDS % 2 == 1);
    let velocity = if is_moving && kind >= FIXED { vector(rng, 2.0) } else { Vec3::ZERO };
    add_ground(&mut scene, kind, velocity);
    let mut add = |_| {
        let at = Vec3::Y * (1.0 + 2.0 * rng.f32()) + vector(rng, 1.5) * Vec3::new(1.0, 0.0, 1.0);
        let shape = any_shape(rng, at);
        let fast = if rng.usize(0..3) == 0 { 3000f32.powf(rng.f32()) } else { 5.0 };
        let material = Material { friction: rng.f32(), restitution: rng.f32(), ..Material::default() };
        let (velocity, angular_velocity) = (vector(rng, 5.0), vector(rng, fast));
        scene.add(shape, RigidBody { material, velocity, angular_velocity, ..RigidBody::dynamic() })
    };
    let keys: Vec<ObjectKey> = (0..1 + case / GROUNDS % 3).map(&mut add).collect();
    let is_in = |key: &ObjectKey| scene.world.any_overlap(scene.shape(*key), &Filter::ALL.without(&[*key]));
    if keys.iter().any(is_in) {
        return None;
    }
    let mass_of = |key: &ObjectKey| f64::from(scene.dynamics.body(*key).unwrap().mass(&scene.world).unwrap().mass);
    let lifted = 5e-3 * 9.81 * keys.iter().map(mass_of).sum::<f64>();
    let seen_from = velocity.as_dvec3();
    let (mut before, mut most) = (energies(&scene, &keys, [seen_from, DVec3::ZERO]), 0.0);
    for step in 1..=150 {
        scene.step();
        let now = energies(&scene, &keys, [seen_from, seen_from * (f64::from(DT) * f64::from(step))]);
        let gained = now[0] + now[1] - before[0] - before[1] - lifted;
        most = f64::max(most, gained / (before[0] + (now[1] - before[1]).abs() + lifted));
        before = now;
    }
    Some(most)
}

/// Runs this many scenes, no step of which gains more than a thousandth.
fn steps_gain_nothing(seed: u64, count: usize) {
    let mut rng = Rng::with_seed(seed);
    let gained: Vec<(usize, f64)> = (0..count).filter_map(|case| Some((case, most_gained(case, &mut rng)?))).collect();
    let wrong: Vec<_> = gained.iter().filter(|(_, most)| *most > 1e-3).collect();
    assert!(wrong.is_empty() && gained.len() > count * 4 / 5, "{} of {}: {wrong:?}", wrong.len(), gained.len());
}

#[test]
fn steps_gain_no_energy() {
    steps_gain_nothing(SEED, 400);
}

#[test]
#[ignore = "takes half a minute"]
fn steps_of_many_scenes_gain_no_energy() {
    (1..=4).for_each(|seed| steps_gain_nothing(seed, 1000));
}

/// Arrows, pencils and spears, which spin about their own axis and fall.
#[test]
fn thin_bodies_that_spin_gain_nothing() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..120 {
        let mut scene = Scene::new();
        add_ground(&mut scene, case % GROUNDS, Vec3::ZERO);
        let axis = turn(&mut rng) * Vec3::X;
        let (half, radius) = (0.2 + 0.8 * rng.f32(), 0.002 * 10f32.powf(rng.f32()));
        let at = Vec3::Y * (0.6 + half);
        let spin = axis * 3000f32.powf(rng.f32()) + vector(&mut rng, 2.0);
        let shape: Shape = match case % 2 {
            0 => capsule(at, axis * half, radius).into(),
            _ => obb(at, Quat::from_rotation_arc(Vec3::X, axis), Vec3::new(half, radius, 0.8 * radius)).into(),
        };
        let body = RigidBody { velocity: vector(&mut rng, 2.0), angular_velocity: spin, ..RigidBody::dynamic() };
        let keys = [scene.add(shape, body)];
        let start = energies(&scene, &keys, [DVec3::ZERO; 2]);
        let weight = 9.81 * f64::from(scene.dynamics.body(keys[0]).unwrap().mass(&scene.world).unwrap().mass);
        for step in 0..120 {
            scene.step();
            let now = energies(&scene, &keys, [DVec3::ZERO; 2]);
            let gained = now[0] + now[1] - start[0] - start[1];
            assert!(gained <= 1e-3 * start[0] + 5e-3 * weight, "{case}, {step}: {start:?} {now:?}");
        }
    }
}
