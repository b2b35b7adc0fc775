//! Rigid bodies of every kind that fall on a floor, on a compound, on a mesh that moves and on each other.

use crate::{
    draw::{Draw, Place},
    fold::Fold,
    scene::Scene,
};
use cullide_world::{
    Compound, Dynamics, DynamicsConfig, Filter, Material, Mesh, Object, ObjectKey, PlacedCompound, PlacedMesh,
    RigidBody, Shape, World,
    glam::Vec3,
    narrowphase::{Aabb, Capsule, Hull},
};

/// The duration of a frame, in seconds.
const DT: f32 = 1.0 / 64.0;

/// Where bodies end up, how fast they are, and which contacts began and ended, with a snapshot halfway.
pub(crate) fn piles(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    let place = &Place { origin: Vec3::ZERO, room: 3.0, is_grid: scene.place.is_grid };
    let (mut world, mut dynamics) = (World::new(), Dynamics::new());
    let floor = Aabb::new(Vec3::new(-9.0, -5.0, -9.0), Vec3::new(9.0, -3.0, 9.0)).expect("in range");
    let step = placed(place, draw, Vec3::Y * -2.5);
    let mut keys: Vec<ObjectKey> = [floor.into(), step].map(|shape| world.insert(Object::fixed(shape))).into();
    let mut bodies: Vec<ObjectKey> = vec![];
    for i in 0..scene.asks(10) {
        let key = world.insert(Object::moving(shape(place, draw, i)));
        let material = Material { friction: 0.75, restitution: draw.of([0.0, 0.5]), ..Material::default() };
        let (velocity, angular_velocity) = (place.vector(draw, 2.0), draw.cube() * 4.0);
        let body = RigidBody { velocity, angular_velocity, material, ..RigidBody::dynamic() };
        keys.push(key);
        if dynamics.insert(&mut world, key, body).is_ok() {
            bodies.push(key);
        }
    }
    let key = world.insert(Object::moving(raft(place, draw)));
    let (velocity, angular_velocity) = (place.vector(draw, 1.0), draw.cube());
    let body = RigidBody { velocity, angular_velocity, ..RigidBody::kinematic() };
    dynamics.insert(&mut world, key, body).expect("a body");
    keys.push(key);
    bodies.push(key);
    keys.iter().for_each(|key| fold.learn(*key));
    for frame in 0..64 {
        let report = dynamics.step(&mut world, DT, &DynamicsConfig::default()).unwrap();
        fold.list(report.begun.iter().chain(report.ended), |fold, (first, second)| {
            fold.object(*first);
            fold.target(*second);
        });
        if frame == 40 {
            let restored = World::restore(&world.snapshot()).expect("a world made it");
            dynamics = Dynamics::restore(&dynamics.snapshot(&world).unwrap(), &restored).expect("of this world");
            world = restored;
        }
    }
    for key in bodies {
        let (object, body) = (world.object(key).expect("it stays"), dynamics.body(key).expect("it stays"));
        let aabb = object.shape.aabb();
        [aabb.min(), aabb.max(), body.velocity, body.angular_velocity].into_iter().for_each(|v| fold.vector(v));
    }
    let mut hits = vec![];
    world.cast_ray_all(&place.ray(draw, Some(Vec3::Y * -2.5)), f32::INFINITY, &Filter::ALL, &mut hits);
    fold.list(&hits, Fold::ray_hit);
}

/// One of the kinds of shape that bodies have.
fn shape(place: &Place, draw: &mut Draw, number: usize) -> Shape {
    match number % 5 {
        0 => place.obb(draw, 0.5).into(),
        1 => place.sphere(draw, 0.5).into(),
        2 => {
            let (ball, axis) = (place.sphere(draw, 0.5), place.vector(draw, 0.5));
            Capsule::from_half_axis(ball.center(), axis, ball.radius()).expect("in range").into()
        }
        3 => {
            let center = place.point(draw);
            let points: Vec<Vec3> = (0..12).map(|_| center + place.vector(draw, 0.5)).collect();
            Hull::new(&points).map_or_else(|_| place.obb(draw, 0.5).into(), Shape::from)
        }
        _ => {
            let at = place.point(draw);
            placed(place, draw, at)
        }
    }
}

/// A square of two triangles, scaled, mirrored and rotated.
fn raft(place: &Place, draw: &mut Draw) -> Shape {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::X + Vec3::Z, Vec3::Z].map(|corner| corner - 0.5 * (Vec3::X + Vec3::Z));
    let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 3, 2]]).expect("a square");
    let scale = Vec3::new(2.0, 1.0, -3.0);
    PlacedMesh::new(&mesh, place.rotation(draw), Vec3::NEG_Y, scale).expect("in range").into()
}

/// A compound of three boxes.
fn placed(place: &Place, draw: &mut Draw, at: Vec3) -> Shape {
    let boxes: Vec<Shape> = [Vec3::ZERO, Vec3::X * 0.5, Vec3::Y * 0.5]
        .map(|center| Aabb::from_center_half_extents(center, Vec3::splat(0.25)).expect("in range").into())
        .into();
    let compound = Compound::new(boxes).expect("boxes in range");
    PlacedCompound::new(&compound, place.rotation(draw), at).expect("in range").into()
}
