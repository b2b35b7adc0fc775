//! A character walks stairs and slopes as people expect, and never into anything.

use cullide_world::{
    Character, Filter, Mover, Object, World,
    glam::{DVec3, Quat, Vec3},
    narrowphase::{Aabb, Brush, Error, Obb, Plane},
};

const HALF: Vec3 = Vec3::new(0.3, 0.9, 0.3);

fn body(center: Vec3) -> Obb {
    Obb::new(center, Quat::IDENTITY, HALF).unwrap()
}

fn ground() -> World {
    let mut world = World::new();
    world.insert_plane(Plane::new(Vec3::Y, 0.0).unwrap(), u32::MAX);
    world
}

/// Steps of a height from x = 1 on, half a unit deep.
fn stairs(height: f32) -> World {
    let mut world = ground();
    for i in 0..8 {
        let (x, y) = (1.0 + 0.5 * i as f32, height * (i + 1) as f32);
        world.insert(Object::fixed(Aabb::new(Vec3::new(x, 0.0, -9.0), Vec3::new(20.0, y, 9.0)).unwrap()));
    }
    world
}

/// A slope that rises from x = 1 on by so many units a unit.
fn slope(rise: f64) -> World {
    let mut world = ground();
    let sides = [
        (DVec3::new(-rise, 1.0, 0.0).normalize(), -rise / (1.0 + rise * rise).sqrt()),
        (DVec3::NEG_Y, 1.0),
        (DVec3::X, 30.0),
        (DVec3::Z, 9.0),
        (DVec3::NEG_Z, 9.0),
    ];
    world.insert(Object::fixed(Brush::from_half_spaces(&sides).unwrap()));
    world
}

const DT: f32 = 1.0 / 60.0;

/// A character that stands, or would.
fn standing(world: &World, center: Vec3) -> Character {
    let mut character = Character::new(body(center));
    Mover::default().walk(world, &mut character, DT, &Filter::ALL).unwrap();
    character
}

/// Walks on for some frames, falling where there is no ground, and counts those in the air.
fn walk(world: &World, character: &mut Character, velocity: Vec3, frames: usize) -> usize {
    let mut airborne = 0;
    for _ in 0..frames {
        let fall = character.velocity.y - 9.81 * DT;
        character.velocity = if character.is_on_ground() { velocity } else { Vec3::new(velocity.x, fall, velocity.z) };
        Mover::default().walk(world, character, DT, &Filter::ALL).unwrap();
        let free = world.depenetrate(&character.body, &Filter::ALL);
        assert_eq!(free, Some(character.position()), "it stands in something");
        airborne += usize::from(!character.is_on_ground());
    }
    airborne
}

#[test]
fn stairs_are_climbed_and_gone_down_without_falling() {
    let world = stairs(0.25);
    let mut hero = standing(&world, Vec3::Y * 0.9);
    assert_eq!(walk(&world, &mut hero, Vec3::X * 4.8, 80), 0);
    assert!(hero.position().x > 6.0 && (hero.position().y - 2.9).abs() < 1e-3, "{hero:?}");
    assert_eq!(walk(&world, &mut hero, Vec3::NEG_X * 4.8, 80), 0);
    assert!(hero.position().x < 0.5 && (hero.position().y - 0.9).abs() < 1e-3, "{hero:?}");
}

#[test]
fn a_step_that_is_too_high_stops() {
    let world = stairs(0.5);
    let mut hero = standing(&world, Vec3::Y * 0.9);
    walk(&world, &mut hero, Vec3::X * 4.8, 80);
    assert!((hero.position().x - 0.7).abs() < 1e-3 && (hero.position().y - 0.9).abs() < 1e-3, "{hero:?}");
}

#[test]
fn a_slope_of_thirty_degrees_is_walked_and_one_of_sixty_is_not() {
    let gentle = slope(30f64.to_radians().tan());
    let mut hero = standing(&gentle, Vec3::Y * 0.9);
    assert_eq!(walk(&gentle, &mut hero, Vec3::X * 4.8, 100), 0);
    assert!(hero.position().x > 4.0 && hero.position().y > 2.0, "{hero:?}");
    let steep = slope(60f64.to_radians().tan());
    let mut hero = standing(&steep, Vec3::Y * 0.9);
    walk(&steep, &mut hero, Vec3::X * 4.8, 300);
    assert!(hero.position().x < 2.0 && hero.position().y < 2.5, "{hero:?}");
}

#[test]
fn a_jump_leaves_the_ground_and_a_ledge_is_walked_over() {
    let world = ground();
    let mut hero = standing(&world, Vec3::Y * 0.9);
    hero.velocity = Vec3::new(6.0, 12.0, 0.0);
    Mover::default().walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
    assert_eq!((hero.ground, hero.velocity), (None, Vec3::new(6.0, 12.0, 0.0)));
    let mut ledge = World::new();
    ledge.insert(Object::fixed(Aabb::new(Vec3::new(-5.0, -1.0, -5.0), Vec3::new(0.0, 0.0, 5.0)).unwrap()));
    let mut hero = standing(&ledge, Vec3::new(-1.0, 0.9, 0.0));
    assert!(walk(&ledge, &mut hero, Vec3::X * 6.0, 60) > 10);
    assert!(!hero.is_on_ground() && hero.position().y < 0.5, "{hero:?}");
}

#[test]
fn numbers_that_make_no_sense_are_refused_and_nothing_moves() {
    let world = ground();
    let start = standing(&world, Vec3::Y * 0.9);
    let refused = |mover: &Mover, velocity: Vec3, dt: f32| {
        let mut hero = start;
        hero.velocity = velocity;
        let error = mover.walk(&world, &mut hero, dt, &Filter::ALL).unwrap_err();
        assert_eq!((hero.body, hero.ground), (start.body, start.ground));
        error
    };
    let plain = Mover::default();
    assert_eq!(refused(&plain, Vec3::X, f32::NAN), Error::NonFinite { field: "dt" });
    assert_eq!(refused(&plain, Vec3::X, -1.0), Error::Negative { field: "dt" });
    assert_eq!(refused(&plain, Vec3::NAN, DT), Error::NonFinite { field: "motion" });
    let degrees = Mover { max_slope: 45.0, ..plain };
    assert_eq!(refused(&degrees, Vec3::X, DT), Error::OutOfRange { field: "max_slope" });
    let sunk = Mover { step_height: -0.1, ..plain };
    assert_eq!(refused(&sunk, Vec3::X, DT), Error::Negative { field: "step_height" });
    let weightless = Mover { up: Vec3::ZERO, ..plain };
    let mut hero = start;
    weightless.walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
    assert_eq!(hero.ground, None);
}
