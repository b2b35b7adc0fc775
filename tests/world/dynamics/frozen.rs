//! Bodies that meet fast, or overlap, keep moving as they should: none stays where it is in free fall, and none passes
//! through one that has stopped before it.

use super::{DT, Scene, aabb, ball, capsule, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Compound, Mass, Material, ObjectKey, PlacedCompound, RigidBody, Shape,
    glam::{Quat, Vec3},
};

/// A chassis with a cabin on it.
fn car() -> Compound {
    let parts = [(Vec3::ZERO, Vec3::new(2.1, 0.3, 0.9)), (Vec3::new(-0.3, 0.5, 0.0), Vec3::new(1.0, 0.25, 0.8))];
    Compound::new(parts.map(|(center, half)| aabb(center, half).into())).unwrap()
}

#[test]
fn what_collides_in_flight_goes_on_flying() {
    let mut rng = Rng::with_seed(SEED);
    let mut meetings = 0;
    for case in 0..600 {
        let mut scene = Scene::new();
        let speed = 10.0 + 50.0 * rng.f32();
        let keys = [-1.0f32, 1.0].map(|side| {
            let at = Vec3::X * side * 3.0 + vector(&mut rng, 1.0) * Vec3::new(0.0, 1.0, 1.5);
            let turn = turn(&mut rng);
            let shape = match case % 2 {
                0 => Shape::from(obb(at, turn, Vec3::new(2.1, 0.3, 0.9))),
                _ => PlacedCompound::new(&car(), turn, at).unwrap().into(),
            };
            let velocity = Vec3::X * -side * speed + vector(&mut rng, 3.0) * Vec3::new(0.0, 1.0, 1.0);
            let material = Material { friction: 0.3, ..Material::default() };
            let body =
                RigidBody { velocity, angular_velocity: vector(&mut rng, 6.0), material, ..RigidBody::dynamic() };
            scene.add(shape, RigidBody { mass: Mass::Total(1200.0), ..body })
        });
        let mut places = keys.map(|key| scene.world.object(key).unwrap().transform().1);
        let mut still = 0;
        for step in 0..40 {
            scene.step();
            let now = keys.map(|key| scene.world.object(key).unwrap().transform().1);
            let moved = (0..2).map(|i| now[i].distance(places[i])).fold(0.0, f32::max);
            let speed = keys.iter().map(|key| scene.velocity(*key).length()).fold(0.0, f32::max);
            (still, places) = (if moved < 0.02 * speed * DT { still + 1 } else { 0 }, now);
            assert!(still < 4, "case {case}, step {step}: both stay at {now:?}");
            meetings += usize::from(scene.dynamics.contact(keys[0], keys[1]).is_some_and(|pair| pair.is_touching()));
        }
    }
    assert!(meetings > 500, "{meetings}");
}

#[test]
fn things_that_are_in_each_other_fall_together() {
    let mut rng = Rng::with_seed(SEED);
    let tiles = [-1.0f32, 1.0].map(|x| [-1.0f32, 1.0].map(|z| Vec3::new(0.05 * x, 0.0, 0.05 * z)));
    let plate = tiles.concat().into_iter().map(|center| aabb(center, Vec3::new(0.05, 0.0025, 0.05)).into());
    let plate = Compound::new(plate).unwrap();
    let sides = [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z].map(|way| {
        let half = Vec3::new(0.08, 0.04, 0.08) - way.abs() * 0.0775;
        Shape::from(aabb(way * 0.08, half))
    });
    let tray = Compound::new(sides.into_iter().chain([aabb(Vec3::Y * -0.04, Vec3::new(0.08, 0.0025, 0.08)).into()]));
    let tray = tray.unwrap();
    for case in 0..60 {
        let mut scene = Scene::new();
        let high = Vec3::Y * 20.0;
        let mut keys: Vec<ObjectKey> = Vec::new();
        let mut add = |scene: &mut Scene, shape: Shape, speed: f32, rng: &mut Rng| {
            let (velocity, angular_velocity) = (vector(rng, speed), vector(rng, 2.5 * speed));
            keys.push(scene.add(shape, RigidBody { velocity, angular_velocity, ..RigidBody::dynamic() }));
        };
        let mut placed = |compound: &Compound, off: f32| {
            let at = high + vector(&mut rng, off);
            Shape::from(PlacedCompound::new(compound, turn(&mut rng), at).unwrap())
        };
        let (first, second) = match case % 2 {
            0 => (placed(&plate, 0.0), None),
            _ => (placed(&tray, 0.04), Some(placed(&tray, 0.04))),
        };
        let speed = if case % 2 == 0 { 2.0 } else { 0.0 };
        add(&mut scene, first, speed, &mut rng);
        let pen = || capsule(high, Vec3::new(0.03, 0.05, 0.01), 0.005).into();
        add(&mut scene, second.unwrap_or_else(pen), speed, &mut rng);
        // Dice that merely fall beside them.
        for _ in 0..8 {
            let at = high + vector(&mut rng, 0.3);
            add(&mut scene, obb(at, turn(&mut rng), Vec3::splat(0.01)).into(), 0.0, &mut rng);
        }
        scene.steps(60);
        for key in keys {
            let fallen = high.y - scene.shape(key).aabb().max().y;
            assert!(fallen > 2.5, "case {case}: {key:?} has fallen by {fallen} in a second");
        }
    }
}

/// Bodies that fly one behind the other stop behind the one that hits a wall of great mass.
#[test]
fn those_behind_do_not_pass_through_those_before() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..240 {
        let mut scene = Scene::weightless();
        let heavy = RigidBody { mass: Mass::Total(1e5), ..RigidBody::dynamic() };
        let wall = scene.add(aabb(Vec3::X, Vec3::new(1.0, 5.0, 5.0)), heavy);
        let speed = [20.0, 60.0, 200.0][case % 3];
        let mut x = -0.3 - 2.0 * rng.f32();
        let keys = [0; 6].map(|_| {
            let at = Vec3::new(x - 0.2, 0.05 * rng.f32(), 0.05 * rng.f32());
            x -= 0.41 + 0.1 * rng.f32();
            let shape: Shape =
                if case % 2 == 0 { ball(at, 0.2).into() } else { obb(at, Quat::IDENTITY, Vec3::splat(0.2)).into() };
            let velocity = Vec3::X * speed * (1.0 + 0.02 * rng.f32());
            scene.add(shape, RigidBody { velocity, ..RigidBody::dynamic() })
        });
        scene.steps((240.0 / speed) as usize + 20);
        let places = [[wall].as_slice(), &keys].concat().into_iter().map(|key| scene.shape(key).aabb().center());
        let places: Vec<Vec3> = places.collect();
        for (before, behind) in places.iter().zip(&places[1..]) {
            let off = (*before - *behind).abs();
            assert!(behind.x < before.x || off.y.max(off.z) > 0.2, "case {case}: {places:?}");
        }
    }
}

/// Wrongly ordered pairs of balls in a column that falls on a floor, over all steps.
fn swapped(count: usize, speed: f32, is_descending: bool, rng: &mut Rng) -> usize {
    let mut scene = Scene::weightless();
    scene.fixed(aabb(Vec3::NEG_Y, Vec3::new(50.0, 1.0, 50.0)));
    let mut height = 0.3 + rng.f32();
    let mut at = || {
        height += 0.52 + 0.1 * rng.f32();
        Vec3::new(0.02 * rng.f32(), height, 0.02 * rng.f32())
    };
    let mut places: Vec<Vec3> = (0..count).map(|_| at()).collect();
    if is_descending {
        places.reverse();
    }
    let falling = RigidBody { velocity: Vec3::NEG_Y * speed, ..RigidBody::dynamic() };
    let mut keys: Vec<ObjectKey> = places.into_iter().map(|at| scene.add(ball(at, 0.25), falling)).collect();
    if is_descending {
        keys.reverse();
    }
    let mut wrong = 0;
    for _ in 0..(36.0 * count as f32 / speed) as usize + 10 {
        scene.step();
        let centers: Vec<Vec3> = keys.iter().map(|key| scene.center(*key)).collect();
        wrong += centers.windows(2).filter(|pair| pair[1].y < pair[0].y && pair[0].distance(pair[1]) < 0.5).count();
    }
    wrong
}

#[test]
fn columns_keep_their_order_when_they_hit_the_floor() {
    let mut rng = Rng::with_seed(SEED);
    for (count, speed) in [(6, 60.0), (20, 60.0), (60, 60.0), (60, 20.0)] {
        for is_descending in [false, true] {
            // Those that get deep into each other are left to the solver, which may move them apart the wrong way.
            let wrong: usize = (0..3).map(|_| swapped(count, speed, is_descending, &mut rng)).sum();
            assert!(wrong <= 3 * count, "{count} at {speed}: {wrong}");
        }
    }
}

#[test]
fn a_wall_passes_over_nothing_that_it_pushes_against_something_heavy() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..150 {
        let mut scene = Scene::weightless();
        let speed = 20.0 + 170.0 * rng.f32();
        let pushing = RigidBody { velocity: Vec3::X * speed, ..RigidBody::kinematic() };
        let wall = scene.add(aabb(Vec3::NEG_X, Vec3::new(1.0, 4.0, 4.0)), pushing);
        let (mut x, pushed) = (0.27, RigidBody { velocity: Vec3::X * speed, ..RigidBody::dynamic() });
        let mut keys: Vec<ObjectKey> = (0..1 + case % 3)
            .map(|_| {
                let at = Vec3::new(x, 0.1 * rng.f32(), 0.1 * rng.f32());
                x += 0.5 + 0.05 * rng.f32();
                scene.add(aabb(at, Vec3::splat(0.25)), pushed)
            })
            .collect();
        let at = Vec3::X * (x + 0.6 + speed * DT * 2.0 * rng.f32());
        keys.push(
            scene.add(aabb(at, Vec3::splat(0.5)), RigidBody { mass: Mass::Total(1000.0), ..RigidBody::dynamic() }),
        );
        scene.steps(40);
        let front = scene.shape(wall).aabb().max().x;
        for key in keys {
            let at = scene.center(key);
            assert!(at.x > front - 0.25 || at.y.abs().max(at.z.abs()) > 4.0, "case {case}: {at} behind {front}");
        }
    }
}
