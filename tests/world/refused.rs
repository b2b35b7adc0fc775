//! A refused call says why, and changes nothing.

use cullide_world::{
    Character, Dynamics, Filter, Mover, Object, RigidBody, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Error, Obb},
};

/// An edit that would make a velocity or a force infinite or NaN is refused, and nothing has changed.
#[test]
fn impulses_and_forces_beyond_all_numbers_are_refused() {
    let (mut world, mut dynamics) = (World::new(), Dynamics::new());
    let key = world.insert(Object::moving(Aabb::new(Vec3::ZERO, Vec3::ONE).unwrap()));
    dynamics.insert(&mut world, key, RigidBody::dynamic()).unwrap();
    let before = dynamics.body(key).map(|body| *body);
    let refused = dynamics.body_mut(&world, key).unwrap().apply_impulse(Vec3::splat(1e30), Vec3::splat(1e30));
    assert_eq!(refused, Err(Error::NonFinite { field: "impulse" }));
    assert_eq!(dynamics.body(key).map(|body| *body), before);
    let force = Vec3::X * 3e38;
    assert_eq!(dynamics.body_mut(&world, key).unwrap().apply_force(force, Vec3::ZERO), Ok(()));
    assert_eq!(
        dynamics.body_mut(&world, key).unwrap().apply_force(force, Vec3::ZERO),
        Err(Error::NonFinite { field: "force" })
    );
    assert!(
        Dynamics::restore(&dynamics.snapshot(&world).unwrap(), &World::restore(&world.snapshot()).unwrap()).is_ok()
    );
}

/// A refused transform changes nothing, including the results of later transforms.
#[test]
fn a_refused_transform_leaves_the_world_as_it_was() {
    let mut world = World::with_tag(1);
    let turned = Obb::new(Vec3::ZERO, Quat::from_rotation_x(0.3), Vec3::new(0.3, 0.2, 0.7)).unwrap();
    let key = world.insert(Object::moving(turned));
    let other = world.clone();
    assert!(
        world.object_mut(key).map(|mut object| object.set_transform(Quat::IDENTITY, Vec3::NAN)).transpose().is_err()
    );
    assert_eq!((&world, world.hash()), (&other, other.hash()));
    let [good, bad] = [Vec3::X, Vec3::INFINITY].map(|place| (key, Quat::IDENTITY, place));
    assert!(world.set_transform_batch(&[good, bad]).is_err());
    assert_eq!((&world, world.hash()), (&other, other.hash()));
}

#[test]
fn a_mover_needs_a_finite_up() {
    for up in [Vec3::NAN, Vec3::Y * f32::INFINITY] {
        let body = Obb::new(Vec3::Y, Quat::IDENTITY, Vec3::ONE).unwrap();
        let (mover, mut hero) = (Mover { up, ..Mover::default() }, Character::new(body));
        let error = Error::NonFinite { field: "up" };
        assert_eq!(mover.walk(&World::new(), &mut hero, 0.1, &Filter::ALL).err(), Some(error));
        assert_eq!(mover.turn(&World::new(), &mut hero, 0.1, &Filter::ALL).err(), Some(error));
    }
}
