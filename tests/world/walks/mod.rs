//! A character walks stairs and slopes as expected, and never into anything.

mod blocked;
mod capsules;
mod complaints;
mod corners;
mod courses;
mod crests;
mod crouch;
mod edges;
mod far_out;
mod own_object;
mod random;
mod rides;
mod shapes;
mod terrain;

use cullide_world::{
    Character, Filter, Mover, Object, SlideOptions, World, WorldPlane,
    glam::{DVec3, Quat, Vec3},
    narrowphase::{Aabb, BoxSweep, Brush, Error, Obb, Plane, Sphere, SphereSweep},
};

const HALF: Vec3 = Vec3::new(0.3, 0.9, 0.3);

fn body(center: Vec3) -> Obb {
    Obb::new(center, Quat::IDENTITY, HALF).unwrap()
}

fn ground() -> World {
    let mut world = World::new();
    world.insert_plane(Plane::new(Vec3::Y, 0.0).unwrap());
    world
}

/// Stairs with steps of a given height, from x = 1 on, each half a unit deep.
fn stairs(height: f32) -> World {
    let mut world = ground();
    for i in 0..8 {
        let (x, y) = (1.0 + 0.5 * i as f32, height * (i + 1) as f32);
        world.insert(Object::fixed(Aabb::new(Vec3::new(x, 0.0, -9.0), Vec3::new(20.0, y, 9.0)).unwrap()));
    }
    world
}

/// A slope that rises from x = 1 on by `rise` units per unit.
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

/// A character that stands, if there is ground below.
fn standing(world: &World, center: Vec3) -> Character {
    let mut character = Character::new(body(center));
    Mover::default().walk(world, &mut character, DT, &Filter::ALL).unwrap();
    character
}

/// Walks for some frames, falling where there is no ground; returns the number of frames in the air.
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

/// A floor whose top is at the given height.
fn lift(top: f32) -> Aabb {
    Aabb::new(Vec3::new(-5.0, top - 1.0, -5.0), Vec3::new(5.0, top, 5.0)).unwrap()
}

#[test]
fn who_stands_still_in_a_floor_is_pushed_out_and_stands() {
    // One centimetre deep, and one step of `f32`.
    for top in [0.01, 1.0f32.next_up() - 1.0] {
        let mut world = World::new();
        let floor = world.insert(Object::fixed(lift(top)));
        let start = body(Vec3::Y * 0.9);
        for velocity in [Vec3::ZERO, Vec3::NEG_Y, Vec3::X * 1e-6] {
            let mut hero = Character::new(start);
            hero.velocity = velocity;
            for _ in 0..2 {
                let walk = Mover::default().walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
                assert_eq!((hero.ground.unwrap().target, walk.overlap), (floor.into(), None));
                assert!((hero.position().y - 0.9 - top).abs() < 1e-6 && hero.position().y >= 0.9 + top - 1e-7);
            }
        }
        let slide = world.slide(&BoxSweep::new(start, Vec3::ZERO).unwrap(), &Filter::ALL, &SlideOptions::default());
        assert!(slide.overlap.is_none() && slide.position.y > 0.9 && slide.position.y < 0.9 + 2.0 * top, "{slide:?}");
        let still = BoxSweep::new(start, Vec3::ZERO).unwrap().rotating(Vec3::ZERO).unwrap();
        let slide = world.slide_turning(&still, 1e-3, &Filter::ALL, &SlideOptions::default());
        assert!(slide.overlap.is_none() && slide.body.center().y > 0.9, "{slide:?}");
        let ball = SphereSweep::new(Sphere::new(Vec3::Y * 0.5, 0.5).unwrap(), Vec3::ZERO).unwrap();
        let slide = world.slide(&ball, &Filter::ALL, &SlideOptions::default());
        assert!(slide.overlap.is_none() && slide.position.y > 0.5 && slide.position.y < 0.5 + 2.0 * top, "{slide:?}");
    }
}

/// A wedge from x = 1 on that rises at an angle to a height of 2.
fn wedge(degrees: f64) -> World {
    let mut world = ground();
    let rise = degrees.to_radians().tan();
    let sides = [
        (DVec3::new(-rise, 1.0, 0.0).normalize(), -rise / (1.0 + rise * rise).sqrt()),
        (DVec3::Y, 2.0),
        (DVec3::NEG_Y, 0.0),
        (DVec3::X, 30.0),
        (DVec3::Z, 9.0),
        (DVec3::NEG_Z, 9.0),
    ];
    world.insert(Object::fixed(Brush::from_half_spaces(&sides).unwrap()));
    world
}

#[test]
fn what_is_too_steep_is_a_wall_for_a_walker() {
    for degrees in [49.0, 57.0, 69.0, 80.0] {
        let world = wedge(degrees);
        let mut hero = standing(&world, Vec3::new(0.5, 0.9, 0.0));
        hero.velocity = Vec3::X * 20.0;
        Mover::default().walk(&world, &mut hero, 1.0, &Filter::ALL).unwrap();
        assert!(hero.is_on_ground() && hero.position().y < 0.901, "{degrees} degrees: {hero:?}");
        assert!(hero.velocity.length() < 1e-3, "{degrees} degrees: {hero:?}");
        // Frame by frame, falling where there is no ground, and at a slant along it.
        for (speed, slant) in [(6.0, 0.0), (10.0, 0.0), (10.0, 5.0)] {
            let mut hero = standing(&world, Vec3::new(0.5, 0.9, -8.0));
            for _ in 0..100 {
                walk(&world, &mut hero, Vec3::new(speed, 0.0, slant), 1);
                assert!(hero.position().y < 0.91, "{degrees} degrees: {hero:?}");
            }
        }
    }
}

#[test]
fn a_leap_up_a_slope_leads_no_higher_than_the_slope() {
    for degrees in [10.0, 30.0, 44.0] {
        let world = wedge(degrees);
        let mut hero = standing(&world, Vec3::new(0.5, 0.9, 0.0));
        hero.velocity = Vec3::X * 20.0;
        Mover::default().walk(&world, &mut hero, 1.0, &Filter::ALL).unwrap();
        // On its top, at a height of 2.
        assert!(hero.is_on_ground() && (hero.position().y - 2.9).abs() < 1e-3, "{degrees} degrees: {hero:?}");
        assert!(hero.velocity.distance(Vec3::X * 20.0) < 1e-3, "{degrees} degrees: {hero:?}");
    }
}

#[test]
fn a_dome_is_walked_over() {
    // Half a unit high; at its foot it rises at 34 degrees.
    let mut world = ground();
    world.insert(Object::fixed(Sphere::new(Vec3::Y * -2.5, 3.0).unwrap()));
    let mut hero = standing(&world, Vec3::new(-3.0, 0.9, 0.1));
    let mut highest = 0.0f32;
    for _ in 0..120 {
        assert_eq!(walk(&world, &mut hero, Vec3::X * 3.0, 1), 0, "{hero:?}");
        highest = highest.max(hero.position().y);
    }
    assert!((hero.position().x - 3.0).abs() < 0.05 && (highest - 1.4).abs() < 0.01, "{highest} {hero:?}");
}

#[test]
fn a_jump_at_a_steep_slope_gets_no_higher_than_a_jump() {
    for degrees in [49.0, 57.0, 69.0, 80.0] {
        let world = wedge(degrees);
        let mut hero = standing(&world, Vec3::new(0.5, 0.9, 0.0));
        hero.velocity = Vec3::new(10.0, 4.0, 1.0);
        let (mut highest, mut fall, mut free) = (0.0f32, 4.0, 0.0);
        while fall > 0.0 {
            free += fall * DT;
            fall -= 9.81 * DT;
        }
        for _ in 0..120 {
            Mover::default().walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
            highest = highest.max(hero.position().y - 0.9);
            hero.velocity.y -= 9.81 * DT;
            hero.velocity.x = 10.0;
        }
        assert!((highest - free).abs() < 1e-4, "{degrees} degrees: {highest} instead of {free}");
    }
}

#[test]
fn steps_take_no_velocity_and_walls_take_what_leads_into_them() {
    let world = stairs(0.25);
    let mut hero = standing(&world, Vec3::Y * 0.9);
    let mut stepped = 0.0;
    hero.velocity = Vec3::new(4.0, 0.0, 1.0);
    for _ in 0..90 {
        stepped += Mover::default().walk(&world, &mut hero, DT, &Filter::ALL).unwrap().stepped;
        assert!(hero.velocity.distance(Vec3::new(4.0, 0.0, 1.0)) < 1e-5, "{hero:?}");
    }
    assert!((hero.position().x - 6.0).abs() < 1e-2 && (stepped - 2.0).abs() < 1e-2, "{stepped} {hero:?}");
    let wall = stairs(0.5);
    let mut hero = standing(&wall, Vec3::Y * 0.9);
    hero.velocity = Vec3::new(4.0, 0.0, 1.0);
    for _ in 0..90 {
        Mover::default().walk(&wall, &mut hero, DT, &Filter::ALL).unwrap();
    }
    assert!(hero.velocity.distance(Vec3::Z) < 1e-3 && (hero.position().z - 1.5).abs() < 1e-2, "{hero:?}");
}

#[test]
fn on_flat_ground_the_height_is_constant() {
    // A plane, a box and a box made of tiles, also far from the origin, where the height is not a round number.
    for at in [Vec3::ZERO, Vec3::new(1234.5, 77.7, -4321.1)] {
        let mut world = World::new();
        for i in -5..5 {
            for j in -5..5 {
                let min = at + Vec3::new(i as f32, -1.0, j as f32);
                world.insert(Object::fixed(Aabb::new(min, min + Vec3::ONE).unwrap()));
            }
        }
        let mut hero = standing(&world, at + Vec3::Y * 0.91);
        let height = hero.position().y;
        for i in 0..2000 {
            let angle = i as f32 * 0.05;
            hero.velocity = Vec3::new(angle.cos(), 0.0, angle.sin()) * 3.0;
            Mover::default().walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
            assert!(hero.is_on_ground() && hero.position().y == height, "{i}: {hero:?}");
        }
    }
}

#[test]
fn between_steep_slopes_a_walker_stands_and_jumps_out() {
    // A valley of two slopes of 60 degrees, along z.
    let mut world = World::new();
    for side in [-1.0, 1.0] {
        let normal = Vec3::new(side * 3f32.sqrt(), 1.0, 0.0);
        world
            .insert_plane(WorldPlane::half_space(Plane::from_point_normal(Vec3::X * -side, normal).unwrap()).layers(1));
    }
    let mut hero = Character::new(body(Vec3::new(0.1, 3.0, 0.0)));
    for _ in 0..200 {
        hero.velocity.y -= if hero.is_on_ground() { 0.0 } else { 9.81 * DT };
        Mover::default().walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
    }
    assert!(hero.is_on_ground(), "{hero:?}");
    let low = hero.position().y;
    // Along the valley it walks; a jump takes it out.
    walk(&world, &mut hero, Vec3::Z * 3.0, 60);
    assert!((hero.position().z - 3.0).abs() < 0.1 && hero.is_on_ground(), "{hero:?}");
    hero.velocity = Vec3::Y * 5.0;
    Mover::default().walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
    assert!(!hero.is_on_ground() && hero.position().y > low + 0.05, "{hero:?}");
}

#[test]
fn a_long_box_turns_with_a_bent_corridor() {
    // Two arms of a corridor 1.4 wide, around a corner at the origin; the box is 2.4 long.
    let mut world = ground();
    for (min, max) in [
        (Vec3::new(-9.0, 0.0, -1.7), Vec3::new(0.7, 3.0, -0.7)),
        (Vec3::new(-9.0, 0.0, 0.7), Vec3::new(-0.7, 3.0, 9.0)),
        (Vec3::new(0.7, 0.0, -1.7), Vec3::new(1.7, 3.0, 9.0)),
    ] {
        world.insert(Object::fixed(Aabb::new(min, max).unwrap()));
    }
    let horse = Obb::new(Vec3::new(-5.0, 0.9, 0.0), Quat::IDENTITY, Vec3::new(1.2, 0.9, 0.3)).unwrap();
    let (mover, mut horse) = (Mover::default(), Character::new(horse));
    mover.walk(&world, &mut horse, DT, &Filter::ALL).unwrap();
    for _ in 0..600 {
        let center = horse.position();
        // Along +X to the corner, then along +Z.
        let wish = if center.x < -1.3 { Vec3::X } else { Vec3::new(0.2 - center.x, 0.0, 1.0).normalize() };
        let facing = horse.body.half_edges()[0].normalize();
        // Counter-clockwise from above, from the direction it faces to the direction it goes.
        let angle = facing.cross(wish).y.atan2(facing.dot(wish)).clamp(-0.05, 0.05);
        mover.turn(&world, &mut horse, angle, &Filter::ALL).unwrap();
        horse.velocity = if horse.is_on_ground() { wish * 1.5 } else { horse.velocity - Vec3::Y * 9.81 * DT };
        mover.walk(&world, &mut horse, DT, &Filter::ALL).unwrap();
        assert_eq!(world.depenetrate(&horse.body, &Filter::ALL), Some(horse.position()));
    }
    assert!(horse.position().z > 3.0 && horse.position().x.abs() < 0.4, "{horse:?}");
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
    assert_eq!(refused(&plain, Vec3::NAN, DT), Error::NonFinite { field: "velocity" });
    assert_eq!(refused(&plain, Vec3::X * f32::INFINITY, DT), Error::NonFinite { field: "velocity" });
    assert_eq!(refused(&plain, Vec3::X * f32::MAX, DT), Error::OutOfRange { field: "velocity" });
    assert_eq!(refused(&plain, Vec3::X * f32::MAX, 1e9), Error::OutOfRange { field: "velocity" });
    let degrees = Mover { max_slope: 45.0, ..plain };
    assert_eq!(refused(&degrees, Vec3::X, DT), Error::OutOfRange { field: "max_slope" });
    let sunk = Mover { step_height: -0.1, ..plain };
    assert_eq!(refused(&sunk, Vec3::X, DT), Error::Negative { field: "step_height" });
    let weightless = Mover { up: Vec3::ZERO, ..plain };
    let mut hero = start;
    weightless.walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
    assert_eq!(hero.ground, None);
}
