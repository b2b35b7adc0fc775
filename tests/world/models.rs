//! Another shape at the pose that an object has.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Compound, Dynamics, DynamicsConfig, Mesh, Object, RigidBody, Shape, Terrain, World, WorldPlane,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Aabb, Capsule, Error, Hull, Obb, Patch, Plane, Sphere, Triangle},
};

const DT: f32 = 1.0 / 60.0;

fn vector(rng: &mut Rng) -> Vec3 {
    Vec3::new(rng.f32(), rng.f32(), rng.f32()) * 2.0 - 1.0
}

/// A shape of each kind, in its own coordinates.
fn shape(rng: &mut Rng, kind: usize) -> Shape {
    let half = vector(rng).abs() + 0.2;
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|corner| corner * half);
    match kind % 10 {
        0 => Aabb::new(-half, half).unwrap().into(),
        1 => Obb::new(Vec3::ZERO, Quat::IDENTITY, half).unwrap().into(),
        2 => Sphere::new(Vec3::ZERO, half.x).unwrap().into(),
        3 => Capsule::from_half_axis(Vec3::ZERO, vector(rng), half.x).unwrap().into(),
        4 => Hull::new(&corners).unwrap().into(),
        5 => Mesh::new(&corners, &[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]).unwrap().into(),
        6 => Terrain::new(3, 3, &[half.x, 0.0, 0.3, half.y, 0.5, 0.0, 0.1, half.z, 0.0], Vec2::ONE, Vec2::ZERO)
            .unwrap()
            .into(),
        7 => Compound::new([Sphere::new(half, 0.3).unwrap().into(), Aabb::new(-half, half).unwrap().into()])
            .unwrap()
            .into(),
        8 => Triangle::new(corners[1], corners[2], corners[3]).unwrap().into(),
        _ => Patch::new(&[Vec3::ZERO, Vec3::X, Vec3::X + Vec3::Z, Vec3::Z]).unwrap().into(),
    }
}

#[test]
fn every_shape_takes_the_place_of_every_other_at_its_pose() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..400 {
        let (old, new) = (shape(&mut rng, case / 10), shape(&mut rng, case));
        let mut world = World::with_tag(1);
        let key = world.insert(Object::moving(old.clone()));
        let pose = (Quat::from_scaled_axis(vector(&mut rng) * 2.0), vector(&mut rng) * 9.0);
        world.object_mut(key).unwrap().set_transform(pose.0, pose.1).unwrap();
        let told = world.object(key).unwrap().transform();
        let had = world.object_mut(key).unwrap().set_model(new.clone()).unwrap();
        assert_eq!(had, old, "{case}");
        let expected = new.transformed(told.0, told.1).unwrap();
        assert_eq!(world.object(key).unwrap().shape, expected, "{case}");
        assert_eq!(world.object(key).and_then(|object| object.model()), Some(new.clone()), "{case}");
        let (rotation, translation) = world.object(key).unwrap().transform();
        let turned = rotation.dot(pose.0).abs();
        assert!(turned > 1.0 - 1e-6 && translation.distance(pose.1) < 1e-5, "{case}: {rotation} {translation}");
        // Found where it is, and back again.
        let mut near = vec![];
        world.overlap(&expected.aabb(), &cullide_world::Filter::ALL, &mut near);
        assert_eq!(near, [key.into()], "{case}");
        world.object_mut(key).unwrap().set_model(old.clone()).unwrap();
        assert_eq!(world.object(key).unwrap().shape, old.transformed(rotation, translation).unwrap(), "{case}");
    }
}

#[test]
fn a_refused_shape_changes_nothing_and_stale_keys_are_told() {
    let mut world = World::with_tag(1);
    let key = world.insert(Object::moving(Sphere::new(Vec3::X, 1.0).unwrap()));
    world.object_mut(key).unwrap().set_transform(Quat::IDENTITY, Vec3::X * 1e9).unwrap();
    let long = Mesh::new(&[Vec3::ZERO, Vec3::X * 1e9, Vec3::Y], &[[0, 1, 2]]).unwrap();
    let before = world.hash();
    assert!(matches!(
        world.object_mut(key).map(|mut object| object.set_model(long)).transpose(),
        Err(Error::OutOfRange { .. })
    ));
    assert_eq!(world.hash(), before);
    world.remove(key);
    assert_eq!(
        world.object_mut(key).map(|mut object| object.set_model(Sphere::new(Vec3::ZERO, 2.0).unwrap())).transpose(),
        Ok(None)
    );
}

/// A floor with a body of each kind at rest on it.
fn at_rest() -> (World, Dynamics, Vec<cullide_world::ObjectKey>, Vec<Shape>) {
    let (mut world, mut dynamics) = (World::with_tag(1), Dynamics::new());
    world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
    let half = Vec3::new(0.5, 0.4, 0.3);
    let corners: Vec<Vec3> = Aabb::new(-half, half).map(|aabb| Obb::from(&aabb).corners().to_vec()).unwrap();
    let models: Vec<Shape> = vec![
        Aabb::new(-half, half).unwrap().into(),
        Obb::new(Vec3::ZERO, Quat::IDENTITY, half).unwrap().into(),
        Sphere::new(Vec3::ZERO, 0.4).unwrap().into(),
        Capsule::from_half_axis(Vec3::ZERO, Vec3::X * 0.3, 0.3).unwrap().into(),
        Hull::new(&corners).unwrap().into(),
        Compound::new([Aabb::new(-half, half).unwrap().into()]).unwrap().into(),
    ];
    let keys: Vec<_> =
        (0..).zip(&models).map(|(i, model)| (i as f32, world.insert(Object::moving(model.clone())))).collect();
    let mut placed = vec![];
    for (i, key) in keys {
        world
            .object_mut(key)
            .unwrap()
            .set_transform(Quat::from_rotation_y(0.3 * i), Vec3::new(2.0 * i, 0.45, 0.0))
            .unwrap();
        let body = RigidBody { angular_damping: 2.0, ..RigidBody::dynamic() };
        dynamics.insert(&mut world, key, body).unwrap();
        placed.push(key);
    }
    for _ in 0..300 {
        dynamics.step(&mut world, DT, &DynamicsConfig::default()).unwrap();
    }
    assert!(placed.iter().all(|key| dynamics.body(*key).unwrap().is_asleep()));
    (world, dynamics, placed, models)
}

#[test]
fn the_shape_that_it_has_wakes_nobody_and_another_one_does() {
    let (mut world, mut dynamics, keys, models) = at_rest();
    for (key, model) in keys.iter().zip(&models) {
        for _ in 0..3 {
            world.object_mut(*key).unwrap().set_model(model.clone()).unwrap();
            dynamics.step(&mut world, DT, &DynamicsConfig::default()).unwrap();
        }
        assert!(dynamics.body(*key).unwrap().is_asleep(), "{model:?}");
    }
    for key in &keys {
        let (before, pose) =
            (dynamics.body(*key).unwrap().mass(&world).unwrap(), world.object(*key).unwrap().transform());
        world.object_mut(*key).unwrap().set_model(Sphere::new(Vec3::ZERO, 0.2).unwrap()).unwrap();
        dynamics.step(&mut world, DT, &DynamicsConfig::default()).unwrap();
        let (after, now) =
            (dynamics.body(*key).unwrap().mass(&world).unwrap(), world.object(*key).unwrap().transform());
        assert!(!dynamics.body(*key).unwrap().is_asleep() && after.mass < before.mass, "{before:?} {after:?}");
        assert!(now.1.distance(pose.1) < 0.01 && now.0.dot(pose.0).abs() > 0.999);
    }
}

#[test]
fn a_body_keeps_its_velocity_and_goes_on_with_the_new_shape() {
    let (mut world, mut dynamics) = (World::with_tag(1), Dynamics::new());
    let key = world.insert(Object::moving(Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::ONE).unwrap()));
    let body = RigidBody { velocity: Vec3::X, angular_velocity: Vec3::Y, gravity_scale: 0.0, ..RigidBody::dynamic() };
    dynamics.insert(&mut world, key, body).unwrap();
    let config = DynamicsConfig::default();
    for step in 0..60 {
        if step == 30 {
            let low = Hull::new(&[Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z]).unwrap();
            world.object_mut(key).unwrap().set_model(low).unwrap();
        }
        dynamics.step(&mut world, DT, &config).unwrap();
    }
    let (rotation, translation) = world.object(key).unwrap().transform();
    assert!(translation.distance(Vec3::X) < 1e-3, "{translation}");
    assert!(rotation.angle_between(Quat::from_rotation_y(1.0)) < 2e-3, "{rotation}");
}
