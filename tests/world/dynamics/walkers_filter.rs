//! Characters among the objects that their filter accepts.

use cullide_world::{
    Character, Dynamics, Filter, Mover, Object, RigidBody, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Obb},
};

/// A door that moves into a character whose filter accepts only moving objects pushes it as if nothing fixed were
/// there.
#[test]
fn a_door_pushes_among_what_the_filter_accepts() {
    let ends = [false, true].map(|has_wall| {
        let block = |min: Vec3, max: Vec3| Aabb::new(min, max).unwrap();
        let (mut world, mut dynamics) = (World::with_tag(1), Dynamics::new());
        world.insert(Object::moving(block(Vec3::new(-5.0, -1.0, -5.0), Vec3::new(5.0, 0.0, 5.0))));
        let door = world.insert(Object::moving(block(Vec3::new(-2.5, 0.0, -3.0), Vec3::new(-0.31, 4.0, 3.0))));
        if has_wall {
            world.insert(Object::fixed(block(Vec3::new(0.31, 0.1, -3.0), Vec3::new(1.5, 2.0, 3.0))));
        }
        dynamics.insert(&mut world, door, RigidBody { velocity: Vec3::X * 6.0, ..RigidBody::kinematic() }).unwrap();
        let body = Obb::new(Vec3::Y * 0.9, Quat::IDENTITY, Vec3::new(0.3, 0.9, 0.3)).unwrap();
        let (mut hero, filter) = (Character::new(body), Filter::ALL.moving_only());
        let mut walk = |world: &World| {
            hero.velocity = Vec3::ZERO;
            let walk = dynamics.walk(world, &Mover::default(), &mut hero, 1.0 / 60.0, &filter).unwrap();
            (walk.overlap.is_none(), hero.position())
        };
        walk(&world);
        walk(&world);
        let (rotation, position) = world.object(door).unwrap().transform();
        world.object_mut(door).unwrap().set_transform(rotation, position + Vec3::X * 0.1).unwrap();
        walk(&world)
    });
    assert!(ends[0].0 && ends[0].1.x > 0.05, "{ends:?}");
    assert_eq!(ends[0], ends[1]);
}
