//! Lifts and rotating platforms carry whatever stands or walks on them.

use cullide_world::{
    Character, Filter, Mover, Object, ObjectKey, Shape, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Obb},
};
use std::f32::consts::TAU;

const HALF: Vec3 = Vec3::new(0.3, 0.9, 0.3);
const LIFT: Vec3 = Vec3::new(2.0, 0.15, 3.0);
const DT: f32 = 1.0 / 60.0;

/// Ten minutes.
const FRAMES: usize = 36_000;

/// Where the lift is, as a function of the frame.
type Course = fn(usize) -> Vec3;

/// Up and down by four units in seven seconds, with a little sideways.
fn sinusoid(frame: usize) -> Vec3 {
    let time = frame as f64 * f64::from(DT);
    let wave = |period: f64| (time / period * f64::from(TAU)).sin() as f32;
    Vec3::new(3.0 * wave(11.0), 4.0 * wave(7.0), 2.0 * wave(5.0))
}

/// Goes up by three units in one second, stops for half a second, and goes down again; immediately at full speed, three
/// units per second.
fn stop_and_go(frame: usize) -> Vec3 {
    let place = match frame % 180 {
        up @ 0..60 => up as f32,
        60..90 => 60.0,
        down @ 90..150 => 150.0 - down as f32,
        _ => 0.0,
    };
    Vec3::Y * place * 0.05
}

/// How the caller moves the lift.
#[derive(Clone, Copy, Debug)]
enum Moved {
    Shape,
    ShapeAndVelocity,
    Transform,
    Turned,
}

/// Moves the lift to its place in a frame; a rotating one makes a turn in eleven seconds.
fn move_lift(world: &mut World, lift: ObjectKey, course: Course, frame: usize, moved: Moved) -> Quat {
    let (place, before) = (course(frame), course(frame.saturating_sub(1)));
    match moved {
        Moved::Shape => drop(
            world.object_mut(lift).map(|mut object| object.set_shape(Aabb::new(place - LIFT, place + LIFT).unwrap())),
        ),
        Moved::ShapeAndVelocity => {
            world.object_mut(lift).unwrap().set_shape(Obb::new(place, Quat::IDENTITY, LIFT).unwrap());
            world.object_mut(lift).unwrap().set_velocity((place - before) / DT).unwrap();
        }
        Moved::Transform => {
            world.set_transform_batch(&[(lift, Quat::IDENTITY, place)]).unwrap();
            world.object_mut(lift).unwrap().set_velocity((place - before) / DT).unwrap();
        }
        Moved::Turned => {
            let turn = Quat::from_rotation_y((frame as f64 / 660.0 * f64::from(TAU) % f64::from(TAU)) as f32);
            world.set_transform_batch(&[(lift, turn, place)]).unwrap();
            return turn;
        }
    }
    Quat::IDENTITY
}

/// Rides for ten minutes, standing or walking in circles with a radius of one unit.
fn ride(course: Course, moved: Moved, walks: bool) {
    let mut world = World::new();
    // Its own coordinates are about the origin, unrotated, so that a transform is the pose.
    let lift = world.insert(Object::moving(match moved {
        Moved::Shape => Shape::from(Aabb::new(-LIFT, LIFT).unwrap()),
        _ => Shape::from(Obb::new(Vec3::ZERO, Quat::IDENTITY, LIFT).unwrap()),
    }));
    let mover = Mover::default();
    move_lift(&mut world, lift, course, 0, moved);
    let start = course(0) + Vec3::new(0.6, LIFT.y + HALF.y + 0.001, -0.9);
    let mut hero = Character::new(Obb::new(start, Quat::IDENTITY, HALF).unwrap());
    mover.walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
    assert!(hero.is_on_ground(), "{moved:?}: it stands at the start");
    let height = |hero: &Character, frame: usize| f64::from(hero.position().y) - f64::from(course(frame).y);
    let first = height(&hero, 0);
    assert!((first - f64::from(LIFT.y + HALF.y)).abs() < 2e-3);
    let mut on_lift = hero.position() - course(0);
    let (mut travelled, mut last) = (0.0, hero.position());
    for frame in 1..FRAMES {
        let turn = move_lift(&mut world, lift, course, frame, moved);
        let heading = frame as f32 * DT;
        hero.velocity = if walks { Vec3::new(heading.cos(), 0.0, heading.sin()) } else { Vec3::ZERO };
        let walk = mover.walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
        let name = || format!("{moved:?}, walks {walks}, frame {frame}: {hero:?}, {walk:?}");
        assert!(hero.ground.is_some_and(|ground| ground.target == lift.into()), "in the air: {}", name());
        let off = height(&hero, frame) - first;
        assert!(off.abs() <= 1e-4, "{off} higher: {}", name());
        travelled += hero.position().distance(last);
        last = hero.position();
        let here = turn.inverse() * (hero.position() - course(frame));
        if walks {
            assert!(here.distance(on_lift) < DT * 1.01 + 1e-4 || matches!(moved, Moved::Turned), "dragged: {}", name());
            on_lift = here;
        } else {
            // Each frame rounds a few numbers of a few units to `f32`, one way or the other.
            assert!(here.distance(on_lift) < 0.02, "it stands elsewhere, {}: {}", here.distance(on_lift), name());
        }
    }
    assert!(travelled > 300.0, "{travelled}");
}

#[test]
fn a_lift_carries_who_stands_on_it_for_ten_minutes() {
    for moved in [Moved::Shape, Moved::ShapeAndVelocity, Moved::Transform] {
        ride(sinusoid, moved, false);
        ride(stop_and_go, moved, false);
    }
}

#[test]
fn a_lift_carries_who_walks_on_it_for_ten_minutes() {
    for moved in [Moved::Shape, Moved::ShapeAndVelocity, Moved::Transform] {
        ride(sinusoid, moved, true);
        ride(stop_and_go, moved, true);
    }
}

#[test]
fn a_turning_platform_carries_who_stands_or_walks_on_it_for_ten_minutes() {
    ride(|_| Vec3::ZERO, Moved::Turned, false);
    ride(sinusoid, Moved::Turned, false);
    ride(sinusoid, Moved::Turned, true);
}
