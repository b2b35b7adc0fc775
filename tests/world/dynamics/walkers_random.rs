//! Characters, crates and unstoppable bodies in a closed room with thin walls: none gets out, or into a wall.

use super::{
    Scene, aabb, gap, obb, turn, vector,
    walkers::{Walks, boxed, round, walk},
};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Mass, Mover, ObjectKey, RigidBody, Shape,
    glam::{Quat, Vec3},
};

/// Half the size of the room.
const ROOM: Vec3 = Vec3::new(3.0, 1.5, 3.0);

/// Six walls of two centimetres.
fn room(scene: &mut Scene) -> Vec<Shape> {
    let walls = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z].map(|way| {
        let half = ROOM * (Vec3::ONE - way.abs()) + Vec3::splat(0.01);
        Shape::from(aabb(way * (ROOM + Vec3::splat(0.01)), half))
    });
    walls.iter().for_each(|wall| _ = scene.fixed(wall.clone()));
    walls.into()
}

/// Reverses its motion where that leads out of the room.
fn drive(scene: &mut Scene, key: ObjectKey, rng: &mut Rng) {
    let (center, velocity, spin) = (scene.center(key), scene.velocity(key), scene.spin(key));
    let is_out = (center.abs().cmpgt(ROOM) & (center * velocity).cmpgt(Vec3::ZERO)).any();
    let speed = if rng.f32() < 0.1 { 8.0 } else { 2.0 };
    if is_out {
        scene.set_velocity(key, -center.normalize() * speed + vector(rng, 0.5), spin);
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Outcome {
    places: [Vec3; 4],
    pushes: usize,
    crushed: usize,
    carried: usize,
}

fn play(seed: u64, steps: usize) -> Outcome {
    let mut rng = Rng::with_seed(seed);
    let mut scene = Scene::new();
    let walls = room(&mut scene);
    let movers = [0, 1, 2].map(|i| {
        let half = [Vec3::new(0.05, 1.0, 0.8), Vec3::new(0.7, 0.1, 0.7), Vec3::splat(0.4)][i];
        let (velocity, angular_velocity) = (vector(&mut rng, 2.0), vector(&mut rng, 1.5));
        let body = RigidBody { velocity, angular_velocity, ..RigidBody::kinematic() };
        scene.add(obb(Vec3::Y * (0.5 * i as f32), turn(&mut rng), half), body)
    });
    for i in 0..10 {
        let place = Vec3::new(-2.4 + 1.2 * (i % 5) as f32, 1.0, -2.4 + 4.8 * (i / 5) as f32);
        let mass = Mass::Total(2.0 + 80.0 * rng.f32());
        scene.add(obb(place, turn(&mut rng), Vec3::new(0.2, 0.15, 0.25)), RigidBody { mass, ..RigidBody::dynamic() });
    }
    let places = [(-2.4, 0.8), (2.4, 0.8), (-2.4, -0.8), (2.4, -0.8)].map(|(x, z)| Vec3::new(x, -0.55, z));
    let mut boxes = [boxed(places[0]), boxed(places[1])];
    let mut capsules = [round(places[2]), round(places[3])];
    let mut outcome = Outcome { places, pushes: 0, crushed: 0, carried: 0 };
    let mut wish = Vec3::ZERO;
    for step in 0..steps {
        movers.iter().for_each(|key| drive(&mut scene, *key, &mut rng));
        scene.step();
        if step % 20 == 0 {
            wish = Quat::from_rotation_y(6.3 * rng.f32()) * Vec3::X * (4.0 * rng.f32());
        }
        let name = format!("seed {seed}, step {step}");
        for (i, hero) in boxes.iter_mut().enumerate() {
            outcome.places[i] = check(&mut scene, hero, |hero| hero.body.into(), wish, &walls, &mut outcome, &name);
        }
        for (i, hero) in capsules.iter_mut().enumerate() {
            outcome.places[2 + i] =
                check(&mut scene, hero, |hero| hero.body.into(), -wish, &walls, &mut outcome, &name);
        }
        outcome.carried +=
            boxes.iter().filter_map(|hero| hero.ground).filter(|ground| ground.velocity != Vec3::ZERO).count();
    }
    outcome
}

fn check<H: Walks>(
    scene: &mut Scene,
    hero: &mut H,
    shape: impl Fn(&H) -> Shape,
    wish: Vec3,
    walls: &[Shape],
    outcome: &mut Outcome,
    name: &str,
) -> Vec3 {
    let before = hero.at();
    let walk = walk(scene, hero, wish, &Mover::default());
    for wall in walls {
        let apart = gap(wall, &shape(hero));
        assert!(apart >= 0.0, "{name}: in a wall by {apart}, at {}, from {before}: {walk:?}", hero.at());
    }
    assert!(hero.at().abs().cmple(ROOM).all(), "{name}: out at {}, from {before}: {walk:?}", hero.at());
    outcome.pushes += walk.pushes.len();
    outcome.crushed += usize::from(walk.overlap.is_some());
    let force: f32 = walk.pushes.iter().map(|push| push.force.length()).sum();
    assert!(force <= 300.1, "{name}: {walk:?}");
    hero.at()
}

#[test]
fn nobody_leaves_a_closed_room_whatever_pushes() {
    let factor = std::env::var("CULLIDE_CASES").ok().and_then(|factor| factor.parse().ok()).unwrap_or(1u64);
    let mut sums = [0; 3];
    for seed in 0..30 * factor {
        let outcome = play(SEED + seed, 400);
        if seed % 10 == 0 {
            assert_eq!(play(SEED + seed, 400), outcome, "the second run differed");
        }
        sums[0] += outcome.pushes;
        sums[1] += outcome.crushed;
        sums[2] += outcome.carried;
    }
    assert!(sums.iter().all(|sum| *sum > 50), "{sums:?} pushes, crushed, carried");
}
