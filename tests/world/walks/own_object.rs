//! A character that is also an object of the world, which others meet.

use super::{DT, ground, stairs};
use cullide_world::{
    Character, Dynamics, DynamicsConfig, Filter, Mover, Object, RigidBody, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Capsule, Obb, Ray, Solid, Sphere},
};

fn capsule(at: Vec3) -> Character<Capsule> {
    Character::new(Capsule::new(at + Vec3::Y * 0.3, at + Vec3::Y * 1.5, 0.3).unwrap())
}

fn boxed(at: Vec3) -> Character {
    Character::new(Obb::new(at + Vec3::Y * 0.9, Quat::IDENTITY, Vec3::new(0.3, 0.9, 0.3)).unwrap())
}

/// Walks over stairs are the same, bit for bit, as those of a character that is no object.
#[test]
fn it_is_not_in_its_own_way() {
    for height in [0.1, 0.25, 0.34] {
        let (alone, mut world) = (stairs(height), stairs(height));
        let (mut free, mut hero) = (capsule(Vec3::ZERO), capsule(Vec3::ZERO));
        let (mut free_box, mut hero_box) = (boxed(Vec3::Z * 4.0), boxed(Vec3::Z * 4.0));
        hero.object = Some(world.insert(Object::moving(hero.body)));
        hero_box.object = Some(world.insert(Object::moving(hero_box.body)));
        let mover = Mover::default();
        for frame in 0..120 {
            let velocity = Vec3::new(3.0, if frame == 60 { 5.0 } else { 0.0 }, 0.3);
            let fall = |velocity: Vec3| velocity - Vec3::Y * 9.81 * DT;
            for (world, hero) in [(&alone, &mut free), (&world, &mut hero)] {
                hero.velocity = if hero.is_on_ground() { velocity } else { fall(hero.velocity) };
                let walk = mover.walk(world, hero, DT, &Filter::ALL).unwrap();
                assert!(walk.overlap.is_none(), "{frame}");
                if frame % 30 == 0 {
                    hero.set_height(world, &mover, 1.2 + (frame / 30 % 2) as f32 * 0.6, &Filter::ALL).unwrap();
                }
            }
            for (world, hero) in [(&alone, &mut free_box), (&world, &mut hero_box)] {
                hero.velocity = if hero.is_on_ground() { velocity } else { fall(hero.velocity) };
                mover.walk(world, hero, DT, &Filter::ALL).unwrap();
                mover.turn(world, hero, 0.05, &Filter::ALL).unwrap();
                if frame % 30 == 0 {
                    hero.set_height(world, &mover, 1.2 + (frame / 30 % 2) as f32 * 0.6, &Filter::ALL).unwrap();
                }
            }
            assert!(hero.place(&mut world) && hero_box.place(&mut world));
            assert_eq!((free.body, free.velocity), (hero.body, hero.velocity), "{frame}");
            assert_eq!((free_box.body, free_box.velocity), (hero_box.body, hero_box.velocity), "{frame}");
            assert_eq!(world.object(hero.object.unwrap()).unwrap().shape, hero.body.into());
        }
        assert!(hero.position().x > 4.0 && hero_box.position().x > 4.0);
    }
}

#[test]
fn others_meet_it_and_their_own_filters_still_count() {
    let mut world = ground();
    let (mut hero, mut other) = (capsule(Vec3::ZERO), capsule(Vec3::X * 2.0));
    hero.object = Some(world.insert(Object::moving(hero.body)));
    other.object = Some(world.insert(Object::moving(other.body)));
    let ghost = world.insert(Object::fixed(Sphere::new(Vec3::new(0.8, 1.0, 0.0), 0.2).unwrap()));
    let filter = Filter::ALL.without(&[ghost]);
    for _ in 0..60 {
        for hero in [&mut hero, &mut other] {
            hero.velocity = Vec3::X * if hero.position().x < 1.5 { 3.0 } else { 0.0 };
            Mover::default().walk(&world, hero, DT, &filter).unwrap();
            hero.place(&mut world);
        }
    }
    // Through the ghost, up to the other one.
    assert!((hero.position().x - 1.4).abs() < 1e-3, "{}", hero.position());
    let ray = Ray::new(Vec3::new(-5.0, 1.0, 0.0), Vec3::X).unwrap();
    let hit = world.cast_ray(&ray, 99.0, &filter).unwrap();
    assert_eq!(hit.target.object(), hero.object);
    // Removed, it has no object any more; a stale key excludes nobody.
    world.remove(hero.object.unwrap());
    assert!(!hero.place(&mut world));
    hero.velocity = Vec3::NEG_X;
    assert!(Mover::default().walk(&world, &mut hero, DT, &filter).is_ok());
    assert!(!capsule(Vec3::ZERO).place(&mut world));
}

/// As a kinematic body it keeps bodies out, and walks among them.
#[test]
fn it_can_be_a_kinematic_body() {
    let (mut world, mut dynamics) = (World::with_tag(1), Dynamics::new());
    world.insert(Object::fixed(Aabb::new(Vec3::new(-9.0, -1.0, -9.0), Vec3::new(9.0, 0.0, 9.0)).unwrap()));
    let mut hero = boxed(Vec3::ZERO);
    let own = world.insert(Object::moving(hero.body));
    hero.object = Some(own);
    dynamics.insert(&mut world, own, RigidBody::kinematic()).unwrap();
    let ball = world.insert(Object::moving(Sphere::new(Vec3::new(3.0, 0.5, 0.0), 0.4).unwrap()));
    dynamics.insert(&mut world, ball, RigidBody { velocity: Vec3::X * -4.0, ..RigidBody::dynamic() }).unwrap();
    for frame in 0..90 {
        hero.velocity = Vec3::Z * 0.5;
        let walk = dynamics.walk(&world, &Mover::default(), &mut hero, DT, &Filter::ALL).unwrap();
        assert!(walk.overlap.is_none() && walk.pushes.iter().all(|push| push.body == ball), "{frame}");
        hero.place(&mut world);
        dynamics.step(&mut world, DT, &DynamicsConfig::default()).unwrap();
        let center = world.object(ball).unwrap().transform().1;
        let apart = hero.body.closest_point(center).distance(center);
        assert!(apart > 0.37, "{frame}: {center} {}", hero.position());
    }
    // What rolls against it may push it a little.
    assert!((hero.position().z - 0.75).abs() < 0.02 && hero.position().x > -0.5, "{}", hero.position());
}
