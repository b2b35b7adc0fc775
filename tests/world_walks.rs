//! A character walks stairs and slopes as people expect, and never into anything.

use cullide_world::{
    Filter, Footing, Mover, Object, Walk, World,
    glam::{DVec3, Quat, Vec3},
    narrowphase::{Aabb, Brush, Obb, Plane},
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

/// Walks on for some steps, falling where there is no ground.
fn walk(world: &World, start: Vec3, motion: Vec3, steps: usize) -> (Walk, usize) {
    let (mut position, mut footing, mut airborne, mut fall) = (start, Footing::Ground, 0, 0.0);
    let mut last = None;
    for _ in 0..steps {
        fall = if footing == Footing::Air { fall + 9.81 / 3600.0 } else { 0.0 };
        let walk =
            Mover::default().walk(world, &body(position), motion - Vec3::Y * fall, footing, &Filter::ALL).unwrap();
        assert_eq!(
            world.depenetrate(&body(walk.position), &Filter::ALL),
            Some(walk.position),
            "it stands in something"
        );
        (position, footing) = (walk.position, walk.footing());
        airborne += usize::from(footing == Footing::Air);
        last = Some(walk);
    }
    (last.unwrap(), airborne)
}

#[test]
fn stairs_are_climbed_and_gone_down_without_falling() {
    let world = stairs(0.25);
    let (up, airborne) = walk(&world, Vec3::Y * 0.9, Vec3::X * 0.08, 80);
    assert_eq!(airborne, 0);
    assert!(up.position.x > 6.0 && (up.position.y - 2.9).abs() < 1e-3, "{up:?}");
    let (down, airborne) = walk(&world, up.position, Vec3::NEG_X * 0.08, 80);
    assert_eq!(airborne, 0);
    assert!(down.position.x < 0.5 && (down.position.y - 0.9).abs() < 1e-3, "{down:?}");
}

#[test]
fn a_step_that_is_too_high_stops() {
    let (end, _) = walk(&stairs(0.5), Vec3::Y * 0.9, Vec3::X * 0.08, 80);
    assert!((end.position.x - 0.7).abs() < 1e-3 && (end.position.y - 0.9).abs() < 1e-3, "{end:?}");
}

#[test]
fn a_slope_of_thirty_degrees_is_walked_and_one_of_sixty_is_not() {
    let (gentle, airborne) = walk(&slope(30f64.to_radians().tan()), Vec3::Y * 0.9, Vec3::X * 0.08, 100);
    assert_eq!(airborne, 0);
    assert!(gentle.position.x > 4.0 && gentle.position.y > 2.0, "{gentle:?}");
    let (steep, _) = walk(&slope(60f64.to_radians().tan()), Vec3::Y * 0.9, Vec3::X * 0.08, 300);
    assert!(steep.position.x < 2.0 && steep.position.y < 2.5, "{steep:?}");
}

#[test]
fn a_jump_leaves_the_ground_and_a_ledge_is_walked_over() {
    let world = ground();
    let jump =
        Mover::default().walk(&world, &body(Vec3::Y * 0.9), Vec3::new(0.1, 0.2, 0.0), Footing::Ground, &Filter::ALL);
    assert_eq!(jump.unwrap().ground, None);
    let mut ledge = World::new();
    ledge.insert(Object::fixed(Aabb::new(Vec3::new(-5.0, -1.0, -5.0), Vec3::new(0.0, 0.0, 5.0)).unwrap()));
    let (end, airborne) = walk(&ledge, Vec3::new(-1.0, 0.9, 0.0), Vec3::X * 0.1, 60);
    assert!(airborne > 10 && end.ground.is_none() && end.position.y < 0.5, "{end:?}");
}

#[test]
fn a_motion_that_is_no_number_is_refused() {
    let nan = Mover::default().walk(&ground(), &body(Vec3::Y), Vec3::NAN, Footing::Air, &Filter::ALL);
    assert!(nan.is_err());
    let weightless = Mover { up: Vec3::ZERO, ..Mover::default() };
    let walk = weightless.walk(&ground(), &body(Vec3::Y), Vec3::NEG_Y, Footing::Ground, &Filter::ALL).unwrap();
    assert_eq!(walk.ground, None);
}
