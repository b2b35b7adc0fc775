//! The model of an object and its pose make the object again, wherever edits and steps have moved it.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Compound, Dynamics, DynamicsConfig, Filter, Mesh, Object, PlacedCompound, PlacedMesh, PlacedTerrain, RigidBody,
    Shape, Terrain, World,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Aabb, Brush, Capsule, Hull, Obb, Patch, Sphere, Triangle},
};

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| (2.0 * rng.f32() - 1.0) * size))
}

/// A shape of each kind, not about the origin.
fn shapes(rng: &mut Rng) -> Vec<Shape> {
    let mut turn = || Quat::from_scaled_axis(vector(rng, 3.0));
    let block = Obb::new(Vec3::new(1.0, 2.0, 3.0), turn(), Vec3::new(1.0, 0.5, 2.0)).unwrap();
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y * 2.0, Vec3::Z];
    let mesh = Mesh::new(&corners, &[[0, 1, 2], [0, 2, 3]]).unwrap();
    let terrain = Terrain::new(3, 2, &[0.0, 1.0, 0.0, 2.0, 0.0, 1.0], Vec2::ONE, Vec2::ZERO).unwrap();
    let aabb = Aabb::new(Vec3::X, Vec3::splat(2.0)).unwrap();
    let compound = Compound::new([aabb.into(), Hull::new(&corners).unwrap().into()]).unwrap();
    vec![
        aabb.into(),
        block.into(),
        Sphere::new(Vec3::Y * 3.0, 0.5).unwrap().into(),
        Capsule::new(Vec3::X, Vec3::new(2.0, 1.0, 0.0), 0.25).unwrap().into(),
        Hull::new(&corners.map(|corner| corner + Vec3::Z)).unwrap().into(),
        Brush::try_from(&block).unwrap().into(),
        Patch::new(&[Vec3::ZERO, Vec3::X, Vec3::X + Vec3::Z, Vec3::Z]).unwrap().into(),
        Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y).unwrap().into(),
        PlacedMesh::new(&mesh, turn(), Vec3::X, Vec3::new(1.0, -2.0, 0.5)).unwrap().into(),
        PlacedTerrain::new(&terrain, turn(), Vec3::Y).unwrap().into(),
        PlacedCompound::scaled(&compound, turn(), Vec3::Z, Vec3::new(2.0, 1.0, -0.5)).unwrap().into(),
    ]
}

#[test]
fn a_model_and_its_pose_make_the_object_again() {
    let mut rng = Rng::with_seed(SEED);
    for round in 0..20 {
        for (kind, shape) in shapes(&mut rng).into_iter().enumerate() {
            let (mut world, mut dynamics) = (World::new(), Dynamics::new());
            let key = world.insert(Object::moving(shape));
            if round % 2 == 1 {
                let turn = Quat::from_scaled_axis(vector(&mut rng, 3.0));
                world.object_mut(key).unwrap().set_transform(turn, vector(&mut rng, 9.0)).unwrap();
            }
            if round % 4 > 1 {
                // Patches and triangles are no bodies.
                let (velocity, angular_velocity) = (vector(&mut rng, 9.0), vector(&mut rng, 3.0));
                let body = RigidBody { velocity, angular_velocity, ..RigidBody::kinematic() };
                let _ = dynamics.insert(&mut world, key, body);
                (0..10).for_each(|_| _ = dynamics.step(&mut world, 1.0 / 60.0, &DynamicsConfig::default()).unwrap());
            }
            let mut other = World::new();
            let (object, (rotation, translation)) =
                (world.object(key).unwrap(), world.object(key).unwrap().transform());
            let copy = other.insert(Object { shape: world.object(key).unwrap().model().unwrap(), ..object.clone() });
            other.object_mut(copy).unwrap().set_transform(rotation, translation).unwrap();
            let [was, is] = [object.shape.aabb(), other.object(copy).unwrap().shape.aabb()];
            let off = was.min().distance(is.min()).max(was.max().distance(is.max()));
            assert!(off < 1e-4, "round {round}, kind {kind}: {was:?} {is:?}");
            let (again, place) = other.object(copy).unwrap().transform();
            assert!(again.dot(rotation).abs() > 0.999_999 && place.distance(translation) < 1e-4, "kind {kind}");
        }
    }
}

#[test]
fn an_object_inserted_at_a_pose_is_one_inserted_and_moved() {
    let mut rng = Rng::with_seed(SEED);
    for round in 0..40 {
        for (kind, shape) in shapes(&mut rng).into_iter().enumerate() {
            let [mut world, mut other] = [World::with_tag(1), World::with_tag(1)];
            let object = Object::moving(shape).layers(0b10).user(7);
            let (rotation, translation) = match round % 4 {
                0 => (Quat::IDENTITY, vector(&mut rng, 9.0)),
                // Where it is already.
                1 => {
                    let mut alone = World::new();
                    let key = alone.insert(object.clone());
                    alone.object(key).unwrap().transform()
                }
                _ => (Quat::from_scaled_axis(vector(&mut rng, 3.0)), vector(&mut rng, 9.0)),
            };
            let key = world.insert_at(object.clone(), rotation, translation).unwrap();
            let moved = other.insert(object);
            other.object_mut(moved).unwrap().set_transform(rotation, translation).unwrap();
            assert_eq!((key, world.object(key)), (moved, other.object(key)), "round {round}, kind {kind}");
            let [one, two] = [&world, &other].map(|world| world.object(key).unwrap());
            assert_eq!((one.transform(), one.model()), (two.transform(), two.model()), "round {round}, kind {kind}");
            let around = one.shape.aabb();
            let [mut near, mut same] = [vec![], vec![]];
            world.overlap(&around, &Filter::ALL, &mut near);
            other.overlap(&around, &Filter::ALL, &mut same);
            assert_eq!((near.len(), near), (1, same), "round {round}, kind {kind}");
        }
    }
}

#[test]
fn nothing_is_inserted_at_a_pose_that_cannot_be() {
    let mut world = World::new();
    let ball = Object::moving(Sphere::new(Vec3::ZERO, 1.0).unwrap());
    for (rotation, translation) in
        [(Quat::IDENTITY, Vec3::NAN), (Quat::IDENTITY, Vec3::splat(1e30)), (Quat::from_array([0.0; 4]), Vec3::ZERO)]
    {
        assert!(world.insert_at(ball.clone(), rotation, translation).is_err());
    }
    assert!(world.is_empty());
}
