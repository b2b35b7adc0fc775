//! Ridges, tiles that are replaced, walls and ledges made of rows of things: what is neither a step nor a wall is
//! walked along.

use super::DT;
use cullide_world::{
    Character, Filter, Mesh, Mover, Object, ObjectKey, Terrain, World, WorldPlane,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Capsule, Obb, Plane},
};

fn capsule_at(foot: Vec3) -> Character<Capsule> {
    Character::new(Capsule::new(foot + Vec3::Y * 0.3, foot + Vec3::Y * 1.5, 0.3).unwrap())
}

fn box_at(foot: Vec3, turn: Quat) -> Character<Obb> {
    Character::new(Obb::new(foot + Vec3::Y * 0.9, turn, Vec3::new(0.3, 0.9, 0.3)).unwrap())
}

/// The intended velocity on the ground; in the air, free fall.
fn wish(velocity: &mut Vec3, is_on_ground: bool, wish: Vec3, dt: f32) {
    *velocity = if is_on_ground { wish } else { *velocity - Vec3::Y * 9.81 * dt };
}

#[test]
fn a_capsule_runs_over_a_ridge_at_any_speed() {
    let (up, down) = (15f32.to_radians().tan(), 25f32.to_radians().tan());
    let corner = |x: f32, z: f32| Vec3::new(x, if x < 0.0 { x * up } else { -x * down }, z);
    let rows = [-10.0, 0.0, 10.0].map(|x| [corner(x, -9.0), corner(x, 9.0)]);
    let mesh = Mesh::new(rows.as_flattened(), &[[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5]]).unwrap();
    let mut world = World::new();
    world.insert(Object::fixed(mesh));
    let mover = Mover::default();
    for (speed, dt) in [(5.0, 2.0 * DT), (8.0, 2.0 * DT), (12.0, DT)] {
        for case in 0..100 {
            let x = -2.0 + case as f32 * 0.01;
            let mut character = capsule_at(Vec3::new(x, x * up + 0.05, 0.0));
            for frame in 0..(6.0 / (speed * dt)) as usize + 30 {
                let is_on_ground = character.is_on_ground();
                let velocity = if frame < 30 { Vec3::ZERO } else { Vec3::X * speed };
                wish(&mut character.velocity, is_on_ground, velocity, dt);
                mover.walk(&world, &mut character, dt, &Filter::ALL).unwrap();
            }
            let end = character.position();
            assert!(end.x > 2.5 && character.is_on_ground(), "{speed} {dt} {case}: {end}");
        }
    }
}

#[test]
fn who_walks_down_tiles_that_are_replaced_stays_on_the_ground() {
    for slope in [5f32, 15.0, 30.0, 40.0] {
        let fall = slope.to_radians().tan();
        let heights: Vec<f32> = (0..9).flat_map(|_| (0..33).map(|x| -fall * x as f32 * 2.0)).collect();
        let tile = |world: &mut World| -> ObjectKey {
            let terrain = Terrain::new(33, 9, &heights, Vec2::splat(2.0), Vec2::new(-2.0, -8.0)).unwrap();
            world.insert(Object::fixed(terrain))
        };
        let mut world = World::new();
        let mut key = tile(&mut world);
        let mut character = capsule_at(Vec3::new(1.0, -fall * 3.0 + 0.05, 0.0));
        for frame in 0..360 {
            if frame % 20 == 10 {
                world.remove(key);
                key = tile(&mut world);
            }
            let is_on_ground = character.is_on_ground();
            assert!(is_on_ground || frame < 20, "{slope} {frame}: {}", character.position());
            let velocity = if frame < 20 { Vec3::ZERO } else { Vec3::X * 6.0 };
            wish(&mut character.velocity, is_on_ground, velocity, DT);
            Mover::default().walk(&world, &mut character, DT, &Filter::ALL).unwrap();
        }
        assert!(character.position().x > 30.0);
    }
}

#[test]
fn a_box_slides_along_a_wall_of_boxes_in_a_row() {
    for case in 0..60 {
        let turn = Quat::from_rotation_y(0.06 + 0.1 * case as f32);
        let far = [0.0, 100.0, 1000.0][case % 3];
        let at = |x: f32, y: f32, z: f32| Vec3::new(far, 0.0, -far) + turn * Vec3::new(x, y, z);
        let mut world = World::new();
        world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
        for i in 0..10 {
            let center = at(i as f32 + 0.5, 1.0, 0.5);
            world.insert(Object::fixed(Obb::new(center, turn, Vec3::new(0.5, 1.0, 0.5)).unwrap()));
        }
        let facing = if case % 2 == 0 { turn } else { Quat::IDENTITY };
        let mut character = box_at(at(0.5, 0.01, -0.6), facing);
        let mut frames = 0;
        while (character.position() - at(8.0, 0.9, 0.0)).dot(turn * Vec3::X) < 0.0 {
            let is_on_ground = character.is_on_ground();
            wish(&mut character.velocity, is_on_ground, turn * Vec3::new(2.1, 0.0, 2.1), DT);
            Mover::default().walk(&world, &mut character, DT, &Filter::ALL).unwrap();
            frames += 1;
            // Eight units at 2.1 units per second take 229 frames.
            assert!(frames < 270, "{case}: {}", character.position());
        }
        assert!((character.position().y - 0.9).abs() < 1e-3);
    }
}

#[test]
fn a_box_that_falls_beside_a_wall_stands_on_no_narrow_ledge_of_it() {
    for case in 0..60u8 {
        let turn = Quat::from_rotation_y(0.06 + 0.1 * f32::from(case));
        let depth = [1e-6, 1e-5, 1e-4, 1e-3][usize::from(case) % 4];
        let mut world = World::new();
        world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
        for i in 0..8u8 {
            let back = 0.5 + depth * f32::from(i * 7 % 5);
            let center = turn * Vec3::new(0.0, 0.5 * f32::from(i) + 0.25, back);
            world.insert(Object::fixed(Obb::new(center, turn, Vec3::new(2.0, 0.25, 0.5)).unwrap()));
        }
        let mut character = box_at(turn * Vec3::new(0.0, 2.6, -0.3 - 1e-4), turn);
        for _ in 0..180 {
            let is_on_ground = character.is_on_ground();
            wish(&mut character.velocity, is_on_ground, turn * Vec3::Z, DT);
            if !is_on_ground {
                // Against the wall, too.
                character.velocity += turn * Vec3::Z * (1.0 - character.velocity.dot(turn * Vec3::Z));
            }
            Mover::default().walk(&world, &mut character, DT, &Filter::ALL).unwrap();
        }
        let height = character.position().y - 0.9;
        assert!(height.abs() < 1e-3 && character.is_on_ground(), "{case}: {height}");
    }
}
