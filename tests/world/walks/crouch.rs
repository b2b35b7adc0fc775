//! Characters crouch, and stand up where there is room.

use super::{DT, ground, walk};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Character, Filter, Mesh, Mover, Object, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Capsule, Error, Obb, Plane},
};

/// A ceiling at a height, from x = 1 to x = 3, over ground.
fn duct(height: f32) -> World {
    let mut world = ground();
    let ceiling = Aabb::new(Vec3::new(1.0, height, -9.0), Vec3::new(3.0, height + 0.5, 9.0)).unwrap();
    world.insert(Object::fixed(ceiling));
    world
}

fn boxed(center: Vec3) -> Character {
    Character::new(Obb::new(center, Quat::from_rotation_y(0.4), Vec3::new(0.3, 0.9, 0.25)).unwrap())
}

#[test]
fn a_box_crouches_under_a_ceiling_and_stands_up_behind_it() {
    for height in [1.2, 1.001, 1.0] {
        let world = duct(height);
        let mover = Mover::default();
        let mut hero = boxed(Vec3::Y * 0.9);
        // It does not fit in.
        walk(&world, &mut hero, Vec3::X * 2.0, 60);
        assert!(hero.position().x < 0.7, "{height}: {hero:?}");
        assert!(hero.set_height(&world, &mover, 1.0, &Filter::ALL).unwrap());
        assert!((hero.position().y - 0.5).abs() < 1e-6 && hero.is_on_ground(), "{height}: {hero:?}");
        let mut stood = Vec::new();
        for _ in 0..150 {
            assert_eq!(walk(&world, &mut hero, Vec3::X * 2.0, 1), 0, "{height}: {hero:?}");
            if hero.set_height(&world, &mover, 1.8, &Filter::ALL).unwrap() {
                stood.push(hero.position().x);
                assert!((hero.position().y - 0.9).abs() < 1e-6, "{height}: {hero:?}");
                assert!(hero.set_height(&world, &mover, 1.0, &Filter::ALL).unwrap());
            } else {
                assert!(hero.position().x > 0.5 && hero.position().x < 3.5, "{height}: no room at {hero:?}");
            }
        }
        assert!(stood.iter().any(|x| *x > 3.3) && stood.iter().all(|x| *x < 0.7 || *x > 3.3), "{height}: {stood:?}");
        assert!(hero.position().x > 4.0, "{height}: {hero:?}");
    }
}

#[test]
fn a_capsule_crouches_to_a_ball_and_stands_up_again_where_there_is_room() {
    let world = duct(0.7);
    let mover = Mover::default();
    let mut hero = Character::new(Capsule::new(Vec3::Y * 0.3, Vec3::Y * 1.5, 0.3).unwrap());
    let tall = hero.body;
    for _ in 0..100 {
        assert!(hero.set_height(&world, &mover, 0.6, &Filter::ALL).unwrap());
        assert_eq!((hero.body.half_axis(), hero.body.radius()), (Vec3::ZERO, 0.3));
        assert!(hero.set_height(&world, &mover, 1.8, &Filter::ALL).unwrap());
    }
    // A hundred times later it is where it was, and as tall.
    assert!(hero.body.center().distance(tall.center()) < 1e-6, "{hero:?}");
    assert!((hero.body.half_axis() - tall.half_axis()).length() < 1e-6, "{hero:?}");
    assert!(hero.set_height(&world, &mover, 0.6, &Filter::ALL).unwrap());
    for _ in 0..60 {
        hero.velocity = Vec3::X * 2.0;
        mover.walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
    }
    let low = hero;
    assert!((low.position().x - 2.0).abs() < 1e-2 && low.is_on_ground());
    for height in [1.8, 0.8, 0.71] {
        assert!(!hero.set_height(&world, &mover, height, &Filter::ALL).unwrap() && hero == low, "{height}: {hero:?}");
    }
    assert!(hero.set_height(&world, &mover, 0.69, &Filter::ALL).unwrap());
    assert!((hero.position().y - 0.345).abs() < 1e-5);
}

/// A lower end that is rounded exactly onto the floor only touches it.
#[test]
fn a_capsule_stands_up_in_the_open_whatever_its_sizes_are() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..400 {
        let y = if case % 2 == 0 { 0.0 } else { 40.0 * rng.f32() - 20.0 };
        let corner = |x: f32, z: f32| Vec3::new(x, y, z);
        let corners = [corner(-50.0, -50.0), corner(50.0, -50.0), corner(50.0, 50.0), corner(-50.0, 50.0)];
        let mut world = World::new();
        match case / 2 % 3 {
            0 => _ = world.insert_plane(Plane::from_point_normal(Vec3::Y * y, Vec3::Y).unwrap()),
            1 => _ = world.insert(Object::fixed(Aabb::new(corners[0] - Vec3::Y, corners[2]).unwrap())),
            _ => _ = world.insert(Object::fixed(Mesh::new(&corners, &[[0, 2, 1], [0, 3, 2]]).unwrap())),
        }
        let (tall, low, radius) = (1.6 + 0.4 * rng.f32(), 0.8 + 0.3 * rng.f32(), 0.25 + 0.1 * rng.f32());
        let center = Vec3::new(10.0 * rng.f32() - 5.0, y + 0.5 * tall + 0.01, 0.3);
        let body = Capsule::from_half_axis(center, Vec3::Y * (0.5 * tall - radius), radius).unwrap();
        let (mover, mut hero) = (Mover::default(), Character::new(body));
        let walk = |hero: &mut Character<Capsule>, frames: usize| {
            for _ in 0..frames {
                let falls = hero.velocity - Vec3::Y * 9.81 * DT;
                hero.velocity = if hero.is_on_ground() { Vec3::new(2.0, 0.0, 0.7) } else { falls };
                mover.walk(&world, hero, DT, &Filter::ALL).unwrap();
            }
        };
        walk(&mut hero, 30);
        assert!(hero.set_height(&world, &mover, low, &Filter::ALL).unwrap());
        walk(&mut hero, 20);
        assert!(
            hero.is_on_ground() && hero.set_height(&world, &mover, tall, &Filter::ALL).unwrap(),
            "{case}: {hero:?}"
        );
        assert_eq!(world.depenetrate(&hero.body, &Filter::ALL), Some(hero.position()), "{case}");
    }
}

#[test]
fn feet_stay_on_the_floor_however_often_and_wherever_one_crouches() {
    // Where heights are rounded to 6e-5.
    for at in [Vec3::ZERO, Vec3::new(1234.5, 777.7, -4321.1)] {
        let mut world = World::new();
        world.insert(Object::fixed(Aabb::new(at - Vec3::splat(5.0), at + Vec3::new(5.0, 0.0, 5.0)).unwrap()));
        let mover = Mover::default();
        let mut hero = boxed(at + Vec3::Y * 0.91);
        mover.walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
        for i in 0..200 {
            let height = [1.1, 1.8, 0.73, 1.8][i % 4];
            assert!(hero.set_height(&world, &mover, height, &Filter::ALL).unwrap(), "{i}: {hero:?}");
            assert_eq!(
                world.depenetrate(&hero.body, &Filter::ALL),
                Some(hero.position()),
                "{i}: it stands in the floor"
            );
            let feet = hero.position().y - 0.5 * height - at.y;
            assert!(feet.abs() < 1e-5 + 1e-6 * at.y, "{i}: {feet}");
            hero.velocity = Vec3::ZERO;
            mover.walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
            assert!(hero.is_on_ground());
        }
    }
}

#[test]
fn heights_that_make_no_sense_are_refused() {
    let world = ground();
    let mover = Mover::default();
    let (mut hero, mut round) = (boxed(Vec3::Y), Character::new(Capsule::new(Vec3::Y, Vec3::Y * 2.0, 0.5).unwrap()));
    let start = (hero, round);
    let refused = Error::OutOfRange { field: "height" };
    for height in [0.0, -1.0] {
        assert_eq!(hero.set_height(&world, &mover, height, &Filter::ALL), Err(refused));
        assert_eq!(round.set_height(&world, &mover, height, &Filter::ALL), Err(refused));
    }
    assert_eq!(round.set_height(&world, &mover, 0.99, &Filter::ALL), Err(refused));
    let error = Err(Error::NonFinite { field: "height" });
    assert_eq!(hero.set_height(&world, &mover, f32::NAN, &Filter::ALL), error);
    assert_eq!(round.set_height(&world, &mover, f32::INFINITY, &Filter::ALL), error);
    assert!(hero.set_height(&world, &mover, f32::MAX, &Filter::ALL).is_err());
    let lying = Mover { up: Vec3::X, ..mover };
    assert_eq!(round.set_height(&world, &lying, 1.0, &Filter::ALL), Err(refused));
    let nowhere = Mover { up: Vec3::ZERO, ..mover };
    assert_eq!(hero.set_height(&world, &nowhere, 1.0, &Filter::ALL), Err(refused));
    let nan = Mover { up: Vec3::NAN, ..mover };
    assert_eq!(hero.set_height(&world, &nan, 1.0, &Filter::ALL), Err(Error::NonFinite { field: "up" }));
    assert_eq!((hero, round), start);
}
