//! What the round end of a capsule changes: how it meets edges with its side.

use super::{DT, ground};
use cullide_world::{
    Character, Filter, Mover, Object, World, WorldPlane,
    glam::Vec3,
    narrowphase::{Aabb, Capsule, Plane},
};

fn wall(world: &mut World, start: f32, end: f32, height: f32) {
    world.insert(Object::fixed(Aabb::new(Vec3::new(start, 0.0, -2.0), Vec3::new(end, height, 2.0)).unwrap()));
}

/// Walks along x to a distance or up to a time limit, on the ground throughout; returns where it is then.
fn walked(world: &World, speed: f32, until: f32) -> Vec3 {
    let mut hero = Character::new(Capsule::new(Vec3::Y * 0.3, Vec3::Y * 1.5, 0.3).unwrap());
    let frames = (1.5 * until / (speed * DT)) as usize;
    for frame in 0..frames {
        hero.velocity = Vec3::X * speed;
        let walk = Mover::default().walk(world, &mut hero, DT, &Filter::ALL).unwrap();
        assert!(walk.overlap.is_none() && hero.is_on_ground(), "frame {frame}: {hero:?}");
        if hero.position().x > until {
            break;
        }
    }
    hero.position()
}

#[test]
fn steps_up_to_their_height_are_climbed_and_none_that_are_higher() {
    for speed in [0.5, 2.0, 6.0, 15.0] {
        for height in (1..=16).map(|i| 0.04 * i as f32 + 0.01) {
            let mut world = ground();
            wall(&mut world, 1.0, 9.0, height);
            let end = walked(&world, speed, 2.0);
            let wanted = if height <= 0.35 { (2.0..2.3, height) } else { (0.699..0.701, 0.0) };
            assert!(wanted.0.contains(&end.x) && (end.y - 0.9 - wanted.1).abs() < 1e-3, "{speed} {height}: {end}");
        }
    }
}

#[test]
fn a_fence_that_is_higher_than_a_step_stops() {
    for speed in [0.5, 2.0, 6.0] {
        for height in [0.2, 0.34, 0.37, 0.45, 0.55, 0.64] {
            let mut world = ground();
            wall(&mut world, 1.0, 1.05, height);
            let end = walked(&world, speed, 2.0);
            assert_eq!(end.x > 2.0, height < 0.35, "{speed} {height}: {end}");
        }
    }
}

#[test]
fn stairs_with_treads_narrower_than_itself_are_climbed() {
    for speed in [1.0, 4.0] {
        for tread in [0.2, 0.25, 0.3, 0.5] {
            for rise in [0.1, 0.18, 0.25, 0.34] {
                let mut world = ground();
                for i in 0..10 {
                    wall(&mut world, 1.0 + tread * i as f32, 20.0, rise * (i + 1) as f32);
                }
                let end = walked(&world, speed, 1.0 + tread * 10.0);
                assert!((end.y - 0.9 - rise * 10.0).abs() < 1e-3, "{speed} {tread} {rise}: {end}");
            }
        }
    }
}

#[test]
fn stairs_are_climbed_at_any_speed_and_frame_rate() {
    for (rise, tread, speed, frames) in
        [(0.18, 0.28, 5.0, 15.0), (0.18, 0.28, 10.0, 30.0), (0.2, 0.3, 6.0, 15.0), (0.18, 0.55, 8.7, 15.0)]
    {
        let mut world = ground();
        for i in 0..8 {
            wall(&mut world, 1.0 + tread * i as f32, 40.0, rise * (i + 1) as f32);
        }
        for start in (0..20).map(|i| -0.05 * i as f32) {
            let body = Capsule::new(Vec3::new(start, 0.3, 0.0), Vec3::new(start, 1.5, 0.0), 0.3).unwrap();
            let mut hero = Character::new(body);
            let top = 1.0 + 8.0 * tread;
            let fair = ((top - start) / (speed / frames)) as usize;
            for _ in 0..fair * 3 / 2 + 1 {
                hero.velocity = Vec3::X * speed;
                Mover::default().walk(&world, &mut hero, 1.0 / frames, &Filter::ALL).unwrap();
            }
            assert!(hero.position().x > top, "{rise} {tread} {speed} from {start}: {}", hero.position());
        }
    }
}

#[test]
fn with_up_slanted_to_all_axes_the_ground_is_kept() {
    let up = Vec3::new(0.3, 0.8, -0.5).normalize();
    let mut world = World::new();
    world.insert_plane(WorldPlane::half_space(Plane::new(up, 0.0).unwrap()).layers(1));
    let mover = Mover { up, ..Mover::default() };
    let (x, y) = up.any_orthonormal_pair();
    for i in 0..64 {
        let (sin, cos) = (0.098 * i as f32).sin_cos();
        let mut hero = Character::new(Capsule::new(up * 0.3, up * 1.5, 0.3).unwrap());
        for frame in 0..60 {
            hero.velocity = (x * cos + y * sin) * 3.0;
            mover.walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
            assert!(hero.is_on_ground(), "{i} {frame}: {hero:?}");
        }
    }
}
