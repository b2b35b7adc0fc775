//! Compounds that are placed with a scale, as bodies: their mass and motion are those of their children, each scaled on
//! its own.

use super::{Scene, aabb, capsule, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BodyMass, Compound, Dynamics, ObjectKey, PlacedCompound, RigidBody, Shape, World,
    glam::{Mat3, Quat, Vec3},
    narrowphase::{Brush, Hull, Sphere},
};

const ALIKE: [Vec3; 3] = [Vec3::splat(2.5), Vec3::new(-0.4, 0.4, 0.4), Vec3::splat(-1.0)];
const UNLIKE: [Vec3; 4] =
    [Vec3::new(1.0, 3.0, 0.5), Vec3::new(-1.3, 0.7, 1.1), Vec3::new(0.2, -1.0, -4.0), Vec3::new(1.0, 1.0, -1.0)];

/// Boxes, rotated or not, hulls and brushes, and, if the scale permits them, balls and capsules.
fn children(rng: &mut Rng, with_round: bool) -> Compound {
    let any_hull = |rng: &mut Rng| {
        let at = vector(rng, 2.0);
        Hull::new(&[0; 9].map(|_| at + vector(rng, 1.0))).unwrap()
    };
    let mut children: Vec<Shape> = vec![
        aabb(vector(rng, 2.0), Vec3::new(0.3, 0.7, 0.5)).into(),
        obb(vector(rng, 2.0), turn(rng), Vec3::new(0.4, 0.9, 0.2)).into(),
        any_hull(rng).into(),
        Brush::try_from(&obb(vector(rng, 2.0), turn(rng), Vec3::new(0.5, 0.3, 0.8))).unwrap().into(),
    ];
    if with_round {
        children.push(Sphere::new(vector(rng, 2.0), 0.6).unwrap().into());
        children.push(capsule(vector(rng, 2.0), vector(rng, 1.0), 0.3).into());
    }
    let surfaces: Vec<u16> = (0..children.len() as u16).map(|number| 10 + number).collect();
    Compound::new(children).unwrap().with_surfaces(&surfaces).unwrap()
}

/// The inertia tensor in world axes.
fn inertia(mass: &BodyMass) -> Mat3 {
    let axes = Mat3::from_cols(mass.axes[0], mass.axes[1], mass.axes[2]);
    axes * Mat3::from_diagonal(mass.inertia) * axes.transpose()
}

fn placed(scene: &Scene, key: ObjectKey) -> &PlacedCompound {
    let Shape::Compound(placed) = scene.shape(key) else { panic!("no compound") };
    placed
}

/// Points of a child that identify its place: vertices, or the centre.
fn points(child: &Shape) -> Vec<Vec3> {
    match child {
        Shape::Obb(shape) => shape.corners().to_vec(),
        Shape::Brush(shape) => shape.vertices().iter().map(|vertex| vertex.as_vec3()).collect(),
        Shape::Sphere(shape) => vec![shape.center()],
        Shape::Capsule(shape) => vec![shape.center() - shape.half_axis(), shape.center() + shape.half_axis()],
        other => vec![other.aabb().min(), other.aabb().max()],
    }
}

fn each_case(visit: impl Fn(&mut Rng, &Compound, PlacedCompound, Vec3)) {
    let mut rng = Rng::with_seed(SEED);
    for round in 0..6 {
        let cases = [(true, &ALIKE[..]), (false, &UNLIKE[..])];
        for (with_round, scale) in cases.into_iter().flat_map(|(round, scales)| scales.iter().map(move |s| (round, *s)))
        {
            let compound = children(&mut rng, with_round);
            let (rotation, translation) =
                if round == 0 { (Quat::IDENTITY, Vec3::ZERO) } else { (turn(&mut rng), vector(&mut rng, 5.0)) };
            let placed = PlacedCompound::scaled(&compound, rotation, translation, scale).unwrap();
            visit(&mut rng, &compound, placed, scale);
        }
    }
}

#[test]
fn they_weigh_what_their_baked_copies_weigh() {
    each_case(|_, _, placed, scale| {
        // A skewed box as the hull of its corners.
        let child = |number: u32| match placed.child(number).unwrap().into_owned() {
            Shape::Obb(child) => Hull::new(&child.corners()).unwrap().into(),
            child => child,
        };
        let baked = Compound::new((0..placed.compound().len() as u32).map(child)).unwrap();
        let mut scene = Scene::new();
        let own = scene.add(placed.clone(), RigidBody::dynamic());
        let other = scene.add(baked, RigidBody::dynamic());
        let [own, other] = [own, other].map(|key| scene.dynamics.body(key).unwrap().mass(&scene.world).unwrap());
        assert!((own.mass / other.mass - 1.0).abs() < 1e-5, "{scale}: {own:?} {other:?}");
        assert!(own.center.distance(other.center) < 1e-5 * (1.0 + other.center.length()), "{own:?} {other:?}");
        let size = other.inertia.max_element();
        let off = inertia(&own) - inertia(&other);
        assert!(off.to_cols_array().iter().all(|x| x.abs() < 2e-5 * size), "{scale}: {own:?} {other:?}");
    });
}

/// A mirrored and stretched hammer, worked out by hand.
#[test]
fn a_stretched_hammer_weighs_what_its_boxes_do() {
    let handle = aabb(Vec3::new(1.5, 0.0, 0.0), Vec3::new(1.5, 0.1, 0.1));
    let head = aabb(Vec3::new(3.2, 0.0, 0.0), Vec3::new(0.2, 0.1, 0.5));
    let hammer = Compound::new([handle.into(), head.into()]).unwrap();
    let scale = Vec3::new(-2.0, 3.0, 5.0);
    let mut scene = Scene::new();
    let placed = PlacedCompound::scaled(&hammer, Quat::IDENTITY, Vec3::X, scale).unwrap();
    let key = scene.add(placed, RigidBody::dynamic());
    let mass = scene.dynamics.body(key).unwrap().mass(&scene.world).unwrap();
    let (handle, head) = (6.0 * 0.6 * 1.0, 0.8 * 0.6 * 5.0);
    let center = 1.0 - (handle * 3.0 + head * 6.4) / (handle + head);
    assert!((mass.mass - (handle + head)).abs() < 1e-5, "{mass:?}");
    assert!(mass.center.distance(Vec3::X * center) < 1e-5, "{mass:?}");
    let about_x = handle * (0.3f32.powi(2) + 0.5f32.powi(2)) / 3.0 + head * (0.3f32.powi(2) + 2.5f32.powi(2)) / 3.0;
    assert!((inertia(&mass).x_axis.x / about_x - 1.0).abs() < 1e-5, "{mass:?}");
}

#[test]
fn they_keep_their_shape_however_long_they_turn_and_the_transform_tells_where_they_are() {
    each_case(|rng, compound, given, scale| {
        let mut scene = Scene::weightless();
        let (velocity, angular_velocity) = (vector(rng, 1.0), vector(rng, 9.0));
        let key = scene.add(given.clone(), RigidBody { velocity, angular_velocity, ..RigidBody::dynamic() });
        let first: Vec<Vec<Vec3>> = (0..compound.len() as u32).map(|n| points(&given.child(n).unwrap())).collect();
        for step in 1..=600 {
            scene.step();
            if step % 200 != 1 {
                continue;
            }
            let (rotation, translation) = scene.world.object(key).unwrap().transform();
            let now = placed(&scene, key);
            for (number, first) in first.iter().enumerate() {
                assert_eq!(now.compound().surface(number as u32), Some(10 + number as u16));
                let found = points(&now.child(number as u32).unwrap());
                // Boxes may be brushes now, with their vertices in a different order.
                for point in first {
                    let expected = rotation * *point + translation;
                    let off = found.iter().map(|point| point.distance(expected)).fold(f32::INFINITY, f32::min);
                    assert!(off < 5e-5, "{scale}: child {number} after {step} steps is off by {off}");
                }
            }
        }
    });
}

/// A table that is stretched, mirrored or skewed stands on its four legs, and so does its copy from a snapshot.
#[test]
fn a_stretched_table_stands_and_sleeps_and_goes_on_from_a_snapshot() {
    let legs = [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)];
    let leg = |(x, z): (f32, f32)| Shape::from(aabb(Vec3::new(0.8 * x, 0.5, 0.4 * z), Vec3::new(0.1, 0.5, 0.1)));
    let top = Hull::new(&obb(Vec3::Y * 1.1, Quat::IDENTITY, Vec3::new(1.0, 0.1, 0.5)).corners()).unwrap();
    let brace = obb(Vec3::Y * 0.5, Quat::from_rotation_x(0.9), Vec3::new(0.7, 0.05, 0.3));
    let parts = legs.map(leg).into_iter().chain([top.into(), brace.into()]);
    let table = Compound::new(parts).unwrap();
    for scale in [Vec3::new(2.0, 0.5, 1.0), Vec3::new(-1.0, 1.5, 3.0), Vec3::new(0.5, 1.0, -0.5)] {
        let mut scene = Scene::with_floor();
        let at = Vec3::Y * 0.05;
        let placed_at = PlacedCompound::scaled(&table, Quat::from_rotation_y(0.4), at, scale).unwrap();
        let key = scene.add(placed_at, RigidBody::dynamic());
        scene.steps(30);
        let (mut world, dynamics) = (World::restore(&scene.world.snapshot()).unwrap(), &scene.dynamics);
        let mut dynamics = Dynamics::restore(&dynamics.snapshot(&scene.world).unwrap(), &world).unwrap();
        for _ in 0..150 {
            scene.step();
            dynamics.step(&mut world, super::DT, &scene.config).unwrap();
            assert_eq!(world.hash(), scene.world.hash());
        }
        assert!(scene.dynamics.body(key).unwrap().is_asleep(), "{scale}");
        let lowest = placed(&scene, key).aabb().min().y;
        assert!(lowest.abs() < 0.01, "{scale}: {lowest}");
        // Moved to where it was given, once more.
        let pose = (Quat::from_rotation_z(0.3), Vec3::Y * 3.0);
        scene.world.object_mut(key).unwrap().set_transform(pose.0, pose.1).unwrap();
        scene.steps(240);
        assert!(
            scene.dynamics.body(key).unwrap().is_asleep() && placed(&scene, key).aabb().min().y.abs() < 0.01,
            "{scale}"
        );
    }
}
