//! Two bodies that collide: momentum, and who is on which side afterwards.

use super::{Scene, ball, capsule, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Mass, Material, RigidBody, Shape,
    glam::{Quat, Vec3},
};

/// A box, a ball or a capsule about a place, of a size from 0.2 to 1.
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

/// How many of so many random pairs meet, and how much of their momentum, relative to that of both, they lose or gain.
fn collide(count: usize, spin: f32) -> (usize, f64) {
    let mut rng = Rng::with_seed(SEED);
    let (mut collisions, mut worst) = (0, 0.0f64);
    for _ in 0..count {
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
        let momentum = |scene: &Scene| bodies.map(|(key, mass)| mass * scene.velocity(key).as_dvec3());
        let before = momentum(&scene);
        let mut has_met = false;
        for _ in 0..45 {
            has_met |= !scene.step().begun.is_empty();
        }
        let after = momentum(&scene);
        let change = after[0] + after[1] - before[0] - before[1];
        collisions += usize::from(has_met);
        worst = worst.max(change.length() / (before[0].length() + before[1].length()));
    }
    (collisions, worst)
}

#[test]
fn collisions_of_two_bodies_keep_their_momentum() {
    let (collisions, worst) = collide(2_000, 4.0);
    assert!(collisions > 1_000 && worst < 1e-4, "{collisions} {worst}");
}

/// Faces that meet squarely: one that is slanted may slide past the other.
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

#[test]
fn balls_of_a_cradle_hand_on_their_speed() {
    let mut scene = Scene::weightless();
    let material = Material { friction: 0.0, restitution: 1.0, ..Material::default() };
    let body = RigidBody { material, mass: Mass::Total(2.0), ..RigidBody::dynamic() };
    let still = scene.add(ball(Vec3::ZERO, 0.5), body);
    let thrown = scene.add(ball(Vec3::X * -3.0, 0.5), RigidBody { velocity: Vec3::X * 6.0, ..body });
    scene.steps(60);
    assert!((scene.velocity(still) - Vec3::X * 6.0).length() < 0.06, "{}", scene.velocity(still));
    assert!(scene.velocity(thrown).length() < 0.06, "{}", scene.velocity(thrown));
}
