//! Where bodies touch, and how hard, as points of the world.

use super::{DT, Report, Scene, aabb, ball, capsule};
use cullide_world::{
    Compound, ContactPoint, ContactTracker, Mass, Material, Mesh, ObjectKey, RigidBody, Shape, Target,
    glam::Vec3,
    narrowphase::{Hull, Solid},
};

fn points(scene: &Scene, first: ObjectKey, second: impl Into<Target>) -> Vec<ContactPoint> {
    scene.dynamics.contact(first, second).map_or(vec![], |pair| pair.points(&scene.world).collect())
}

/// A floor of two triangles, each with its own material.
fn floor() -> Mesh {
    let corners = [(-9.0, -9.0), (9.0, -9.0), (-9.0, 9.0), (9.0, 9.0)].map(|(x, z)| Vec3::new(x, 0.0, z));
    Mesh::new(&corners, &[[0, 2, 1], [1, 2, 3]]).unwrap().with_surfaces(&[7, 8]).unwrap()
}

#[test]
fn bodies_of_all_kinds_stand_on_points_of_the_floor_that_bear_their_weight() {
    let corner = |i: u8| Vec3::from([0, 1, 2].map(|axis| if i >> axis & 1 == 1 { 1.0 } else { -1.0 }));
    let hull = Hull::new(&(0..8).map(corner).collect::<Vec<_>>()).unwrap();
    let legs = [Vec3::NEG_X, Vec3::X].map(|x| Shape::from(aabb(2.0 * x, Vec3::ONE)));
    let table = Compound::new(legs.into_iter().chain([aabb(Vec3::Y * 1.5, Vec3::new(3.0, 0.5, 1.0)).into()])).unwrap();
    let shapes: [Shape; 5] = [
        aabb(Vec3::ZERO, Vec3::ONE).into(),
        ball(Vec3::ZERO, 1.0).into(),
        capsule(Vec3::ZERO, Vec3::X, 1.0).into(),
        hull.into(),
        table.into(),
    ];
    for shape in shapes {
        let mut scene = Scene::new();
        let floor = scene.fixed(floor());
        let body = RigidBody { can_sleep: false, ..RigidBody::dynamic() };
        let key = scene.add(shape, body);
        scene.world.object_mut(key).unwrap().set_transform(Default::default(), Vec3::new(4.0, 1.0, 4.0)).unwrap();
        scene.steps(60);
        let points = points(&scene, key, floor);
        assert!(!points.is_empty());
        for at in &points {
            assert!(at.point.y.abs() < 0.01 && at.normal.distance(Vec3::NEG_Y) < 1e-3, "{at:?}");
            assert!(scene.shape(key).aabb().expanded(0.02).contains_point(at.point), "{at:?}");
            assert_eq!((at.surface, at.part), (8, 1));
        }
        let (borne, mass) = (
            points.iter().map(|at| at.impulse).sum::<f32>(),
            scene.dynamics.body(key).unwrap().mass(&scene.world).unwrap().mass,
        );
        assert!((borne - mass * 9.81 * DT).abs() < 0.02 * borne, "{borne} of {}", mass * 9.81 * DT);
    }
}

#[test]
fn a_contact_is_found_in_either_order_and_with_planes_until_it_ends() {
    let mut scene = Scene::new();
    let ground = scene.plane(Vec3::ZERO, Vec3::Y);
    let [lower, upper] = [1.0, 3.0].map(|y| scene.add(aabb(Vec3::Y * y, Vec3::ONE), RigidBody::dynamic()));
    let far = scene.add(ball(Vec3::X * 50.0, 1.0), RigidBody::dynamic());
    scene.steps(2);
    let pair = scene.dynamics.contact(lower, upper).unwrap();
    assert_eq!(scene.dynamics.contact(upper, lower), Some(pair));
    assert!(pair.is_touching() && points(&scene, lower, upper).iter().all(|at| (at.point.y - 2.0).abs() < 0.01));
    assert!(points(&scene, lower, ground).len() == 4 && points(&scene, upper, ground).is_empty());
    assert!(scene.dynamics.contact(lower, far).is_none());
    // Points are at the current place of the first body.
    let before = points(&scene, lower, ground);
    let up = scene.world.object(lower).unwrap().transform().1 + Vec3::Y;
    scene.world.object_mut(lower).unwrap().set_transform(Default::default(), up).unwrap();
    let after = points(&scene, lower, ground);
    assert!(before.iter().zip(&after).all(|(a, b)| (b.point - a.point).distance(Vec3::Y) < 1e-6));
    scene.world.remove(lower);
    assert!(points(&scene, lower, ground).is_empty());

    let mut tracker = ContactTracker::new();
    let hovering = scene.add(aabb(Vec3::new(20.0, 1.0, 0.0), Vec3::ONE), RigidBody::dynamic());
    tracker.update(&mut scene.world, 0.0, 0.01);
    let found: Vec<_> = tracker.contact(hovering, ground).unwrap().points(&scene.world).collect();
    assert!(found.len() == 4 && found.iter().all(|at| at.point.y == 0.0 && at.impulse == 0.0), "{found:?}");
    assert_eq!(tracker.contact(hovering, far), None);
}

#[test]
fn the_impulses_of_an_impact_are_the_momentum_that_it_takes() {
    for restitution in [0.0, 0.5, 1.0] {
        let mut scene = Scene::weightless();
        let floor = scene.fixed(floor());
        let material = Material { restitution, friction: 0.0, ..Material::default() };
        let mass = Mass::Total(3.0);
        let thrown = RigidBody { mass, material, velocity: Vec3::NEG_Y * 10.0, ..RigidBody::dynamic() };
        let key = scene.add(ball(Vec3::new(3.0, 2.0, 0.0), 0.5), thrown);
        let (mut sum, mut changes) = (0.0, [0; 2]);
        for _ in 0..30 {
            let Report { begun, ended, .. } = scene.step();
            changes = [changes[0] + begun.len(), changes[1] + ended.len()];
            let now: f32 = points(&scene, key, floor).iter().map(|at| at.impulse).sum();
            // The step that reports the contact reports its impulse.
            assert!(begun.is_empty() || now > 0.9 * 30.0, "{restitution}: {now}");
            sum += now;
        }
        // This holds even if it was never within the skin at the beginning of a step.
        assert_eq!(changes, [1, usize::from(restitution > 0.0)], "{restitution}");
        let taken = 3.0 * (scene.velocity(key).y + 10.0);
        assert!((sum - taken).abs() < 1e-3 * taken && taken > 2.9 * 10.0 * (1.0 + restitution), "{sum} {taken}");
    }
}

#[test]
fn what_lies_lowest_bears_all_that_is_above_it() {
    let mut scene = Scene::new();
    let floor = scene.fixed(floor());
    // Much heavier ones on a light one, whose contacts are solved several times per pass.
    let body = |mass: f32| RigidBody { mass: Mass::Total(mass), can_sleep: false, ..RigidBody::dynamic() };
    let masses = [1.0, 40.0, 40.0];
    let boxes = [0.5, 1.5, 2.5].map(|y| aabb(Vec3::new(3.0, y, 2.0), Vec3::splat(0.5)));
    let keys: Vec<ObjectKey> =
        boxes.into_iter().zip(masses).map(|(shape, mass)| scene.add(shape, body(mass))).collect();
    scene.steps(240);
    let borne =
        |first: ObjectKey, second: Target| points(&scene, first, second).iter().map(|at| at.impulse).sum::<f32>();
    for (got, expected) in [
        (borne(keys[0], floor.into()), 81.0),
        (borne(keys[0], keys[1].into()), 80.0),
        (borne(keys[1], keys[2].into()), 40.0),
    ] {
        assert!((got / (9.81 * DT) - expected).abs() < 0.02 * expected, "{} and {expected}", got / (9.81 * DT));
    }
}
