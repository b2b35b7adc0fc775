//! What moves carries whatever stands on it.

use super::{DT, lift, standing};
use cullide_world::{
    Character, Filter, Mover, Object, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Obb},
};

#[test]
fn a_lift_carries_a_walker_for_ten_minutes() {
    let mut world = World::new();
    let platform = world.insert(Object::moving(lift(0.0)));
    let mut hero = standing(&world, Vec3::Y * 0.9);
    for frame in 0..36_000 {
        // Up to 20 units up and down in 16 seconds, at most 8 units per second.
        let turns = f64::from(frame) / 960.0;
        let top = (10.0 - 10.0 * (turns * std::f64::consts::TAU).cos()) as f32;
        world.object_mut(platform).unwrap().set_shape(lift(top));
        let angle = frame as f32 * 0.1;
        hero.velocity = if frame % 600 < 300 { Vec3::ZERO } else { Vec3::new(angle.cos(), 0.0, angle.sin()) };
        Mover::default().walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
        assert_eq!(hero.ground.map(|ground| ground.target), Some(platform.into()), "frame {frame}: {hero:?} {top}");
        let height = hero.position().y - 0.9 - top;
        assert!(height.abs() <= 1e-4, "frame {frame}: {height} over the lift");
    }
}

#[test]
fn a_turning_platform_carries_a_walker_round() {
    let mut world = World::new();
    let shape = |angle: f32| {
        let rotation = Quat::from_rotation_y(angle);
        Obb::new(Vec3::new(7.0, -0.5, 0.0), rotation, Vec3::new(5.0, 0.5, 4.0)).unwrap()
    };
    let platform = world.insert(Object::moving(shape(0.0)));
    let mut hero = standing(&world, Vec3::new(10.0, 0.9, 0.0));
    for frame in 1..=628 {
        let angle = frame as f32 * 0.01;
        world.object_mut(platform).unwrap().set_shape(shape(angle));
        Mover::default().walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
        let there = Vec3::new(7.0 + 3.0 * angle.cos(), 0.9, -3.0 * angle.sin());
        assert!(hero.position().distance(there) < 1e-3, "{hero:?} instead of {there}");
        // 0.6 radians per second at 3 units.
        assert!((hero.ground.unwrap().velocity.length() - 1.8).abs() < 1e-2);
        assert!(hero.velocity.length() < 1e-5);
    }
}

#[test]
fn who_jumps_off_a_platform_takes_its_velocity_along() {
    let mut world = World::new();
    let shape = |x: f32| Aabb::new(Vec3::new(x - 5.0, -1.0, -5.0), Vec3::new(x + 5.0, 0.0, 5.0)).unwrap();
    let train = world.insert(Object::moving(shape(0.0)));
    let mut hero = standing(&world, Vec3::Y * 0.9);
    // The velocity is set for those who land on it; a character that stands on it knows it already.
    world.object_mut(train).unwrap().set_velocity(Vec3::X * 15.0).unwrap();
    let mut frame = |hero: &mut Character, i: i32| {
        world.object_mut(train).unwrap().set_shape(shape(0.25 * i as f32));
        Mover::default().walk(&world, hero, DT, &Filter::ALL).unwrap();
    };
    (1..10).for_each(|i| frame(&mut hero, i));
    assert!((hero.position().x - 0.25 * 9.0).abs() < 1e-4, "{hero:?}");
    hero.velocity = Vec3::Y * 3.0;
    frame(&mut hero, 10);
    assert!(!hero.is_on_ground() && hero.velocity.distance(Vec3::new(15.0, 3.0, 0.0)) < 1e-3, "{hero:?}");
    // After landing, it is at rest on the train.
    for i in 11..60 {
        hero.velocity.y -= if hero.is_on_ground() { 0.0 } else { 9.81 * DT };
        frame(&mut hero, i);
    }
    assert!(hero.is_on_ground() && hero.velocity.length() < 0.01, "{hero:?}");
    assert!((hero.position().x - 0.25 * 59.0).abs() < 0.01, "{hero:?}");
}

#[test]
fn a_lift_crushes_who_cannot_get_out_and_says_so() {
    let mut world = World::new();
    let platform = world.insert(Object::moving(lift(0.0)));
    let roof = Aabb::new(Vec3::new(-9.0, 2.0, -9.0), Vec3::new(9.0, 3.0, 9.0)).unwrap();
    world.insert(Object::fixed(roof));
    let mut hero = standing(&world, Vec3::Y * 0.9);
    let crushed = (1..60).find(|i| {
        world.object_mut(platform).unwrap().set_shape(lift(0.01 * *i as f32));
        Mover::default().walk(&world, &mut hero, DT, &Filter::ALL).unwrap().overlap.is_some()
    });
    // There are 0.2 units to spare.
    assert!((20..=22).contains(&crushed.unwrap()), "{crushed:?}");
}

#[test]
fn a_saved_ride_goes_on_bit_for_bit() {
    let mut world = World::new();
    let platform = world.insert(Object::moving(lift(0.0)));
    let hero = standing(&world, Vec3::Y * 0.9);
    let text = serde_json::to_string(&(hero, Mover::default())).unwrap();
    let (saved, mover): (Character, Mover) = serde_json::from_str(&text).unwrap();
    assert_eq!((saved, mover), (hero, Mover::default()));
    let mut restored = World::restore(&world.snapshot()).unwrap();
    let [a, b] = [(&mut world, hero), (&mut restored, saved)].map(|(world, mut hero)| {
        for frame in 1..60u8 {
            world.object_mut(platform).unwrap().set_shape(lift(0.1 * f32::from(frame)));
            hero.velocity = Vec3::X;
            mover.walk(world, &mut hero, DT, &Filter::ALL).unwrap();
        }
        hero
    });
    assert!(a == b && a.is_on_ground() && a.position().y > 6.7, "{a:?} {b:?}");
}

/// A lift moves a character only among what the filter accepts, and stops for nothing else.
#[test]
fn a_lift_carries_among_what_the_filter_accepts() {
    let block = |min: Vec3, max: Vec3| Aabb::new(min, max).unwrap();
    let lift = block(Vec3::new(-5.0, -1.0, -5.0), Vec3::new(5.0, 0.0, 5.0));
    let crate_ = block(Vec3::new(0.5, 0.1, -1.0), Vec3::new(1.5, 2.0, 1.0));
    for fixed in [true, false] {
        for in_the_way in [false, true] {
            let object = |shape: Aabb, fixed: bool| if fixed { Object::fixed(shape) } else { Object::moving(shape) };
            let mut world = World::with_tag(1);
            let lift = world.insert(object(lift, fixed));
            if in_the_way {
                world.insert(object(crate_, !fixed));
            }
            let filter = if fixed { Filter::ALL.fixed_only() } else { Filter::ALL.moving_only() };
            let body = Obb::new(Vec3::Y * 0.9, Quat::IDENTITY, Vec3::new(0.3, 0.9, 0.3)).unwrap();
            let mut hero = Character::new(body);
            let mut walk = |world: &World| {
                hero.velocity = Vec3::ZERO;
                Mover::default().walk(world, &mut hero, 1.0 / 60.0, &filter).unwrap();
                hero.position().x
            };
            walk(&world);
            walk(&world);
            world.object_mut(lift).unwrap().set_transform(Quat::IDENTITY, Vec3::new(1.0, -0.5, 0.0)).unwrap();
            assert_eq!(walk(&world), 1.0);
        }
    }
}
