//! Two bodies that collide: energy, momentum, and which side each is on afterwards.

use super::{DT, Scene, aabb, ball, capsule, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    ContactPair, Mass, Material, Mesh, ObjectKey, PlacedMesh, RigidBody, Shape,
    glam::{DVec3, Quat, Vec3},
};

/// A box, a ball or a capsule at a place, with a size from 0.2 to 1.
fn shape(rng: &mut Rng, center: Vec3) -> Shape {
    let size = |rng: &mut Rng| 0.2 + 0.8 * rng.f32();
    match rng.usize(0..3) {
        0 => {
            let half_extents = Vec3::new(size(rng), size(rng), size(rng));
            obb(center, turn(rng), half_extents).into()
        }
        1 => ball(center, size(rng)).into(),
        _ => {
            let axis = turn(rng) * Vec3::Y * size(rng);
            capsule(center, axis, 0.2 + 0.3 * rng.f32()).into()
        }
    }
}

/// Mass and inertia of a body about unit axes, by the textbook formulas.
struct Inertia {
    mass: f64,
    axes: [DVec3; 3],
    moments: [f64; 3],
}

fn inertia(shape: &Shape, mass: f64) -> Inertia {
    let (axes, moments) = match shape {
        Shape::Obb(shape) => {
            let edges = shape.half_edges().map(|edge| edge.as_dvec3());
            let squares = edges.map(DVec3::length_squared);
            let moment = |i: usize| (squares[(i + 1) % 3] + squares[(i + 2) % 3]) / 3.0;
            (edges.map(DVec3::normalize), [0, 1, 2].map(moment))
        }
        Shape::Sphere(shape) => ([DVec3::X, DVec3::Y, DVec3::Z], [0.4 * f64::from(shape.radius()).powi(2); 3]),
        Shape::Capsule(shape) => {
            let (axis, r) = (shape.half_axis().as_dvec3(), f64::from(shape.radius()));
            let (half, along) = (axis.length(), axis.normalize());
            let (x, z) = along.any_orthonormal_pair();
            let (rod, cap) = (2.0 * half, 4.0 / 3.0 * r);
            let (rod, cap) = (rod / (rod + cap), cap / (rod + cap));
            let about = rod * 0.5 * r * r + cap * 0.4 * r * r;
            let across = rod * (0.25 * r * r + half * half / 3.0) + cap * (0.4 * r * r + half * half + 0.75 * half * r);
            ([x, along, z], [across, about, across])
        }
        other => panic!("no body is {other:?}"),
    };
    Inertia { mass, axes, moments: moments.map(|moment| moment * mass) }
}

/// Kinetic energy, momentum, and angular momentum about the origin.
fn sums(scene: &Scene, bodies: &[(ObjectKey, f64)]) -> (f64, DVec3, DVec3) {
    let mut sums = (0.0, DVec3::ZERO, DVec3::ZERO);
    for &(key, mass) in bodies {
        let Inertia { mass, axes, moments } = inertia(scene.shape(key), mass);
        let (velocity, spin) = (scene.velocity(key).as_dvec3(), scene.spin(key).as_dvec3());
        sums.0 += 0.5 * mass * velocity.length_squared();
        sums.1 += mass * velocity;
        sums.2 += scene.center(key).as_dvec3().cross(mass * velocity);
        for (axis, moment) in axes.into_iter().zip(moments) {
            sums.0 += 0.5 * moment * axis.dot(spin).powi(2);
            sums.2 += axis * moment * axis.dot(spin);
        }
    }
    sums
}

/// The worst gains over all collisions: energy and momentum, relative to the initial ones.
#[derive(Debug, Default)]
struct Worst {
    energy: f64,
    case: usize,
    momentum: f64,
    gains: usize,
    collisions: usize,
}

fn collide(count: usize, spin: f32) -> Worst {
    let mut rng = Rng::with_seed(SEED);
    let mut worst = Worst::default();
    for case in 0..count {
        let mut scene = Scene::weightless();
        let (from, speed) = (vector(&mut rng, 1.0).normalize() * 3.0, 2.0 + 20.0 * rng.f32());
        let places = [from, -from + vector(&mut rng, 0.4)];
        let bodies = places.map(|place| {
            let shape = shape(&mut rng, place);
            let mass = 10f32.powf(2.0 * rng.f32() - 1.0);
            let material = Material { friction: rng.f32(), restitution: rng.f32(), ..Material::default() };
            let body = RigidBody {
                mass: Mass::Total(mass),
                material,
                velocity: -place.normalize() * speed,
                angular_velocity: vector(&mut rng, spin),
                ..RigidBody::dynamic()
            };
            (scene.add(shape, body), f64::from(mass))
        });
        let before = sums(&scene, &bodies);
        let scale = bodies.iter().map(|(key, mass)| mass * f64::from(scene.velocity(*key).length())).sum::<f64>();
        let mut has_met = false;
        for _ in 0..45 {
            let report = scene.step();
            has_met |= !report.begun.is_empty();
        }
        let after = sums(&scene, &bodies);
        worst.collisions += usize::from(has_met);
        let gain = after.0 / before.0 - 1.0;
        worst.gains += usize::from(gain > 1e-3);
        if gain > worst.energy {
            (worst.energy, worst.case) = (gain, case);
        }
        worst.momentum = worst.momentum.max((after.1 - before.1).length() / scale);
    }
    worst
}

/// Relative: the energy of free rotation fluctuates by as much.
const ENERGY: f64 = 2e-3;

#[test]
fn collisions_of_two_bodies_never_gain_energy_and_keep_their_momentum() {
    let worst = collide(2_000, 4.0);
    assert!(worst.collisions > 1_000, "{worst:?}");
    assert!(worst.energy < ENERGY && worst.momentum < 1e-4, "{worst:?}");
}

#[test]
#[ignore = "takes minutes"]
fn of_a_hundred_thousand_collisions_none_gains_energy() {
    let worst = collide(100_000, 4.0);
    assert!(worst.gains == 0 && worst.energy < 1e-3 && worst.momentum < 1e-4, "{worst:?}");
}

/// Faces that meet squarely: a slanted one may slide past the other.
fn upright_shape(rng: &mut Rng, center: Vec3, direction: Vec3) -> Shape {
    let size = |rng: &mut Rng| 0.2 + 0.8 * rng.f32();
    let along = Quat::from_rotation_arc(Vec3::Y, direction);
    match rng.usize(0..3) {
        0 => obb(center, along, Vec3::new(size(rng), size(rng), size(rng))).into(),
        1 => ball(center, size(rng)).into(),
        _ => capsule(center, direction * size(rng), 0.2 + 0.3 * rng.f32()).into(),
    }
}

#[test]
fn two_fast_bodies_thrown_at_each_other_never_exchange_sides() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..1000 {
        let mut scene = Scene::weightless();
        let direction = vector(&mut rng, 1.0).normalize();
        let bodies = [-1.0, 1.0].map(|side| {
            let place = direction * (side * (3.0 + 12.0 * rng.f32()));
            let shape = upright_shape(&mut rng, place, direction);
            let body = RigidBody {
                velocity: direction * (-side * (50.0 + 450.0 * rng.f32())),
                mass: Mass::Total(1.0),
                ..RigidBody::dynamic()
            };
            scene.add(shape, body)
        });
        for step in 0..30 {
            scene.step();
            let [a, b] = bodies.map(|key| scene.center(key).dot(direction));
            assert!(a < b, "case {case}, step {step}: {:?} {:?}", scene.shape(bodies[0]), scene.shape(bodies[1]));
        }
    }
}

/// Throws a ball of this mass and size at one at rest; returns the velocity of each afterwards, relative to the speed.
fn cradle(mass: f32, radius: f32, speed: f32) -> [Vec3; 2] {
    let mut scene = Scene::weightless();
    let material = Material { friction: 0.0, restitution: 1.0, ..Material::default() };
    let body = RigidBody { material, mass: Mass::Total(mass), ..RigidBody::dynamic() };
    let still = scene.add(ball(Vec3::ZERO, radius), body);
    let velocity = Vec3::X * speed;
    let thrown = scene.add(ball(Vec3::X * -6.0 * radius, radius), RigidBody { velocity, ..body });
    let steps = (12.0 * radius / (speed * DT)) as usize;
    for _ in 0..steps.max(4) {
        scene.step();
        for contact in scene.dynamics.contacts().flat_map(ContactPair::parts) {
            let impulses = contact.impulses();
            assert!(impulses.iter().all(|impulse| impulse.is_finite()), "{mass} {radius} {speed}: {impulses:?}");
        }
    }
    [still, thrown].map(|key| scene.velocity(key) / speed)
}

#[test]
fn balls_of_a_cradle_hand_on_their_speed() {
    // With the largest of these, squares of energies overflow `f32`; with the smallest, they are 0.
    for mass in [1e-12, 2.0, 1e6, 1e12] {
        for (radius, speed) in [(0.5, 6.0), (0.05, 2.0), (1e3, 1e5), (1e8, 1e8)] {
            let [still, thrown] = cradle(mass, radius, speed);
            let case = format!("mass {mass}, radius {radius}, speed {speed}: {still} {thrown}");
            assert!((still - Vec3::X).length() < 0.01 && thrown.length() < 0.01, "{case}");
        }
    }
}

#[test]
fn what_lands_flat_goes_straight_back() {
    let tiles = |count: usize| -> Shape {
        let at = |i: usize| (i as f32 - 0.5 * count as f32) * 1.1;
        let points: Vec<Vec3> =
            (0..=count).flat_map(|i| (0..=count).map(move |j| Vec3::new(at(i), 0.0, at(j)))).collect();
        let corner = |i: usize, j: usize| (i * (count + 1) + j) as u32;
        let triangles: Vec<[u32; 3]> = (0..count * count)
            .flat_map(|tile| {
                let (i, j) = (tile / count, tile % count);
                let [a, b, c, d] = [corner(i, j), corner(i, j + 1), corner(i + 1, j), corner(i + 1, j + 1)];
                [[a, b, d], [a, d, c]]
            })
            .collect();
        PlacedMesh::new(&Mesh::new(&points, &triangles).unwrap(), Quat::IDENTITY, Vec3::ZERO, Vec3::ONE).unwrap().into()
    };
    for restitution in [0.5, 0.8, 1.0] {
        for ground in [aabb(Vec3::NEG_Y, Vec3::new(9.0, 1.0, 9.0)).into(), tiles(5)] {
            for shape in [
                Shape::from(obb(Vec3::new(0.13, 3.5, 0.27), Quat::IDENTITY, Vec3::splat(0.5))),
                capsule(Vec3::new(0.13, 3.3, 0.27), Vec3::X * 0.6, 0.3).into(),
            ] {
                let mut scene = Scene::new();
                scene.fixed(ground.clone());
                let material = Material { restitution, ..Material::default() };
                let body = scene.add(shape, RigidBody { material, ..RigidBody::dynamic() });
                while scene.velocity(body).y <= 0.1 {
                    scene.step();
                }
                let (velocity, spin) = (scene.velocity(body), scene.spin(body));
                // Dropped from a height of 3.
                let wanted = restitution * 7.67;
                assert!((velocity.y / wanted - 1.0).abs() < 0.07 && spin.length() < 0.06, "{velocity} {spin}");
            }
        }
    }
}
