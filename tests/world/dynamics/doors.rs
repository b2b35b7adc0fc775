//! Doors push characters out of their way, and nobody into a wall.

use super::{
    Scene, aabb, gap, obb,
    walkers::{HALF, Walks, boxed, frame, round, walk},
};
use cullide_world::{
    Character, Mover, ObjectKey, RigidBody, Shape,
    glam::{Quat, Vec3},
};

/// A room with walls of two centimetres.
fn walls(scene: &mut Scene, half: f32) -> Vec<Shape> {
    let walls = [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z].map(|way| {
        let along = Vec3::new(way.z.abs(), 0.0, way.x.abs());
        Shape::from(aabb(way * (half + 0.01) + Vec3::Y, way.abs() * 0.01 + along * half + Vec3::Y))
    });
    walls.iter().for_each(|wall| _ = scene.fixed(wall.clone()));
    walls.into()
}

#[test]
fn a_revolving_door_pushes_people_and_puts_nobody_into_a_wall() {
    for (half, speed) in [(4.0, 1.5), (3.0, 1.5), (2.85, 1.0), (3.2, 4.0)] {
        let mut scene = Scene::with_floor();
        let walls = walls(&mut scene, half);
        let wings = [0.0, std::f32::consts::FRAC_PI_2].map(|angle| {
            let wing = obb(Vec3::Y * 1.05, Quat::from_rotation_y(angle), Vec3::new(2.8, 1.0, 0.05));
            scene.add(wing, RigidBody { angular_velocity: Vec3::Y * speed, ..RigidBody::kinematic() })
        });
        let places = [(1.2, 1.2), (-1.2, 1.3), (1.4, -1.2), (-1.3, -1.2)].map(|(x, z)| Vec3::new(x, 0.91, z));
        let (mut boxes, mut capsules) = ([0, 1].map(|i| boxed(places[i])), [2, 3].map(|i| round(places[i])));
        let mut moved = 0.0f32;
        for step in 0..900 {
            scene.step();
            let name = format!("half {half}, speed {speed}, step {step}");
            for hero in &mut boxes {
                check(&mut scene, hero, |hero| hero.body.into(), &walls, &wings, &mut moved, &name);
            }
            for hero in &mut capsules {
                check(&mut scene, hero, |hero| hero.body.into(), &walls, &wings, &mut moved, &name);
            }
        }
        assert!(moved > 20.0, "half {half}, speed {speed}: {moved}");
    }
}

fn check<H: Walks>(
    scene: &mut Scene,
    hero: &mut H,
    shape: impl Fn(&H) -> Shape,
    walls: &[Shape],
    wings: &[ObjectKey],
    moved: &mut f32,
    name: &str,
) {
    let before = hero.at();
    let walk = walk(scene, hero, Vec3::ZERO, &Mover::default());
    *moved += hero.at().distance(before);
    for wall in walls {
        let apart = gap(wall, &shape(hero));
        assert!(apart >= 0.0, "{name}: in a wall by {apart}, at {}", hero.at());
    }
    assert!(hero.at().abs().max_element() < 4.0 && (hero.at().y - 0.9).abs() < 0.02, "{name}: {}", hero.at());
    // A character that is in a door gets that reported.
    let deepest = wings.iter().map(|wing| gap(scene.shape(*wing), &shape(hero))).fold(f64::INFINITY, f64::min);
    assert!(
        deepest >= 0.0 || walk.overlap.is_some_and(|overlap| wings.iter().any(|wing| overlap.target == (*wing).into())),
        "{name}"
    );
}

/// Closes a door on a character next to a thin wall, opens it again, and lets the character go.
fn close<H: Walks>(start: H, body: impl Fn(&H) -> Shape, speed: f32) {
    let mut scene = Scene::with_floor();
    let wall = Shape::from(aabb(Vec3::new(1.01, 1.0, 0.0), Vec3::new(0.01, 1.0, 4.0)));
    scene.fixed(wall.clone());
    // There is no way out along the door.
    let jambs = [-0.61f32, 0.61].map(|z| Shape::from(aabb(Vec3::new(0.0, 1.0, z), Vec3::new(1.0, 1.0, 0.01))));
    jambs.iter().for_each(|jamb| _ = scene.fixed(jamb.clone()));
    scene.fixed(aabb(Vec3::new(0.0, 2.1, 0.0), Vec3::new(1.0, 0.1, 1.0)));
    let door = scene.add(aabb(Vec3::new(-0.9, 0.96, 0.0), Vec3::new(0.05, 0.95, 0.55)), RigidBody::kinematic());
    let mut hero = start;
    frame(&mut scene, &mut hero, Vec3::ZERO);
    scene.set_velocity(door, Vec3::X * speed, Vec3::ZERO);
    let mut crushed = 0;
    for step in 0..600 {
        if scene.center(door).x > 0.9 {
            scene.set_velocity(door, Vec3::NEG_X * speed, Vec3::ZERO);
        } else if scene.center(door).x < -0.95 {
            scene.set_velocity(door, Vec3::ZERO, Vec3::ZERO);
        }
        let walk = frame(&mut scene, &mut hero, Vec3::ZERO);
        for fixed in jambs.iter().chain([&wall]) {
            let apart = gap(fixed, &body(&hero));
            assert!(apart >= 0.0, "speed {speed}, step {step}: in a wall by {apart}, at {}", hero.at());
        }
        assert!(hero.at().x < 1.0 && hero.at().z.abs() < 0.6, "speed {speed}, step {step}: through it, {}", hero.at());
        if let Some(overlap) = walk.overlap {
            assert_eq!(overlap.target, door.into(), "speed {speed}, step {step}");
            crushed += 1;
        }
    }
    // At a third of a unit per step, the door is past him before he is between it and the wall.
    assert!(crushed > 0 || speed > 9.0, "speed {speed}: not reported");
    // Away from the wall, or away from the door if it went past him.
    let from = hero.at().x;
    let way = -0.3;
    assert!(from > 0.0 || from < scene.center(door).x, "speed {speed}: {from}");
    for _ in 0..30 {
        frame(&mut scene, &mut hero, Vec3::X * way);
    }
    assert!((hero.at().x - from - 0.5 * way).abs() < 0.01, "speed {speed}: not free, {}", hero.at());
}

#[test]
fn a_door_that_closes_on_a_thin_wall_pushes_nobody_through_it_and_tells_whom_it_crushes() {
    for speed in [0.5, 3.0, 9.0, 20.0] {
        close(boxed(Vec3::new(0.2, HALF.y + 0.001, 0.0)), |hero: &Character| hero.body.into(), speed);
        close(round(Vec3::new(0.2, HALF.y + 0.001, 0.0)), |hero: &Character<_>| hero.body.into(), speed);
    }
}

#[test]
fn a_fast_thin_door_takes_along_whom_it_meets() {
    // By a fifth, four tenths and two thirds of a unit per step; the door is a tenth thick, the characters are six
    // tenths wide.
    for speed in [12.0, 25.0, 40.0] {
        for phase in [0.0, 0.1, 0.2, 0.3] {
            let mut scene = Scene::with_floor();
            let door = aabb(Vec3::new(-3.0 + phase, 1.0, 0.0), Vec3::new(0.05, 0.95, 0.9));
            let door = scene.add(door, RigidBody { velocity: Vec3::X * speed, ..RigidBody::kinematic() });
            let (mut hero, mut other) = (boxed(Vec3::new(0.2, 0.9, 0.4)), round(Vec3::new(0.2, 0.9, -0.4)));
            let steps = (8.0 / speed * 60.0) as usize;
            for _ in 0..steps {
                frame(&mut scene, &mut hero, Vec3::ZERO);
                walk(&mut scene, &mut other, Vec3::ZERO, &Mover::default());
            }
            let front = scene.center(door).x + 0.05;
            for at in [hero.at(), other.at()] {
                let ahead = at.x - HALF.x - front;
                assert!((-1e-4..0.01).contains(&ahead), "speed {speed}, phase {phase}: {at}, ahead by {ahead}");
            }
        }
    }
}
