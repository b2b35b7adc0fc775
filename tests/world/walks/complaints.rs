//! Complaints from users of other libraries, unless another test covers them.
//!
//! * Falls through a lift (rapier #488, #747; godot #36483): [`rides`](super::rides), and among rigid bodies
//!   `a_lift_carries_a_character_and_a_pile_for_thirty_seconds`.
//! * Trembles on flat ground (rapier #809): `on_flat_ground_the_height_is_constant` and
//!   [`a_capsule_trembles_nowhere_on_flat_ground`].
//! * Is stuck among steep slopes (Jolt #1876, #1887): `between_steep_slopes_a_walker_stands_and_jumps_out` and
//!   [`a_capsule_gets_out_from_between_steep_slopes`].
//! * Walks up what is too steep (rapier.js #274): `what_is_too_steep_is_a_wall_for_a_walker`.
//! * Stairs take 285 lines (godot-proposals #2751): `stairs_are_climbed_and_gone_down_without_falling`.
//! * Gets out only when it moves (rapier #485): `who_stands_still_in_a_floor_is_pushed_out_and_stands`.
//! * Loses the ground from a slope to the floor (Jolt #1860): [`from_a_slope_to_the_floor_one_walks_without_falling`].
//! * Is scaled to crouch, and headroom is left to the caller: [`crouch`](super::crouch).
//! * A door pushes into walls: `a_revolving_door_pushes_people_and_puts_nobody_into_a_wall`.
//! * Stands on what it should push: `what_is_light_and_lower_than_a_step_is_pushed_and_not_climbed`.
//! * Nudges away from surfaces are felt as bumps (rapier's `normal_nudge`): [`seams_between_tiles_are_not_felt`].

use super::{DT, ground, standing, walk, wedge};
use cullide_world::{
    Character, Filter, Mover, Object, World, WorldPlane,
    glam::Vec3,
    narrowphase::{Aabb, Capsule, Plane},
};

fn round(center: Vec3) -> Character<Capsule> {
    Character::new(Capsule::from_half_axis(center, Vec3::Y * 0.6, 0.3).unwrap())
}

/// A frame of a capsule, which falls if it is not on the ground.
fn go(world: &World, hero: &mut Character<Capsule>, wish: Vec3) {
    let fall = Vec3::new(wish.x, hero.velocity.y - 9.81 * DT, wish.z);
    hero.velocity = if hero.is_on_ground() { wish } else { fall };
    let walk = Mover::default().walk(world, hero, DT, &Filter::ALL).unwrap();
    assert!(walk.overlap.is_none(), "{hero:?}");
}

#[test]
fn a_capsule_trembles_nowhere_on_flat_ground() {
    let mut world = ground();
    world.insert(Object::fixed(Aabb::new(Vec3::new(2.0, -1.0, -50.0), Vec3::new(50.0, 0.0, 50.0)).unwrap()));
    let mut hero = round(Vec3::Y * 0.9);
    go(&world, &mut hero, Vec3::ZERO);
    let height = hero.position().y;
    for i in 0..2000 {
        let (sin, cos) = (0.01 * i as f32).sin_cos();
        go(&world, &mut hero, if i % 400 < 100 { Vec3::ZERO } else { Vec3::new(cos, 0.0, sin) * 3.0 });
        let off = (hero.position().y - height).abs();
        // A few steps of `f32` at that height.
        assert!(hero.is_on_ground() && off < 1e-6, "{i}: {off} {hero:?}");
    }
}

#[test]
fn a_capsule_gets_out_from_between_steep_slopes() {
    for degrees in [50.0f32, 60.0, 75.0] {
        let mut world = World::new();
        for side in [-1.0, 1.0] {
            let (sin, cos) = degrees.to_radians().sin_cos();
            let normal = Vec3::new(side * sin, cos, 0.0);
            world.insert_plane(
                WorldPlane::half_space(Plane::from_point_normal(Vec3::X * -side, normal).unwrap()).layers(1),
            );
        }
        let mut hero = round(Vec3::new(0.1, 4.0, 0.0));
        for _ in 0..300 {
            go(&world, &mut hero, Vec3::ZERO);
        }
        assert!(hero.is_on_ground(), "{degrees}: {hero:?}");
        let low = hero.position();
        for _ in 0..60 {
            go(&world, &mut hero, Vec3::Z * 3.0);
        }
        assert!((hero.position().z - low.z - 3.0).abs() < 0.1, "{degrees}: {hero:?}");
        hero.velocity = Vec3::Y * 5.0;
        Mover::default().walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
        assert!(!hero.is_on_ground() && hero.position().y > low.y + 0.05, "{degrees}: {hero:?}");
    }
}

#[test]
fn from_a_slope_to_the_floor_one_walks_without_falling() {
    for degrees in [10.0, 30.0, 44.0] {
        // It rises from x = 1 on, to a height of 2.
        let world = wedge(degrees);
        let mut hero = standing(&world, Vec3::new(1.0 + 1.5 / (degrees.to_radians().tan() as f32), 2.41, 0.0));
        walk(&world, &mut hero, Vec3::ZERO, 60);
        assert!(hero.is_on_ground() && hero.position().y > 2.0, "{degrees}: {hero:?}");
        let mut capsule = round(hero.position() + Vec3::Y * 0.3);
        assert_eq!(walk(&world, &mut hero, Vec3::NEG_X * 5.0, 240), 0, "{degrees}: {hero:?}");
        assert!((hero.position().y - 0.9).abs() < 1e-3 && hero.position().x < 0.0, "{degrees}: {hero:?}");
        for i in 0..300 {
            go(&world, &mut capsule, if i < 60 { Vec3::ZERO } else { Vec3::NEG_X * 5.0 });
            assert!(i < 60 || capsule.is_on_ground(), "{degrees}, {i}: {capsule:?}");
        }
        assert!((capsule.position().y - 0.9).abs() < 1e-3 && capsule.position().x < 0.0, "{degrees}: {capsule:?}");
    }
}

#[test]
fn seams_between_tiles_are_not_felt() {
    let mut world = World::new();
    for i in 0..400 {
        let min = Vec3::new((i % 20) as f32 * 0.7, -0.5, (i / 20) as f32 * 0.7);
        world.insert(Object::fixed(Aabb::new(min, min + Vec3::new(0.7, 0.5, 0.7)).unwrap()));
    }
    let mut hero = round(Vec3::new(1.0, 0.9, 1.0));
    go(&world, &mut hero, Vec3::ZERO);
    for i in 0..200 {
        let before = hero.position();
        go(&world, &mut hero, Vec3::new(3.0, 0.0, 2.0));
        let way = hero.position() - before;
        assert!(way.distance(Vec3::new(3.0, 0.0, 2.0) * DT) < 1e-5, "{i}: {way} {hero:?}");
    }
}
