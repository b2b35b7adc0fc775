//! What a step reports besides contacts that began and ended: what has moved, and what has hit something how hard.

use super::DT;
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Compound, Dynamics, DynamicsConfig, Mesh, Object, ObjectKey, RigidBody, Shape,
    World, WorldPlane,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Capsule, Hull, Obb, Plane, Sphere},
};
use std::collections::BTreeMap;

fn shape(rng: &mut Rng, kind: usize, at: Vec3) -> Shape {
    let half = Vec3::new(rng.f32(), rng.f32(), rng.f32()) * 0.4 + 0.2;
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|corner| at + corner * half * 2.0);
    match kind % 5 {
        0 => Aabb::from_center_half_extents(at, half).unwrap().into(),
        1 => Sphere::new(at, half.x).unwrap().into(),
        2 => Capsule::from_half_axis(at, half * 0.5, half.x).unwrap().into(),
        3 => Hull::new(&corners).unwrap().into(),
        _ => Compound::new([Sphere::new(at, 0.3).unwrap().into(), Obb::new(at, Quat::IDENTITY, half).unwrap().into()])
            .unwrap()
            .into(),
    }
}

/// Heaps that fall, roll and come to rest, among lifts that move and some that do not.
fn scene(seed: u64) -> (World, Dynamics, Vec<ObjectKey>) {
    let mut rng = Rng::with_seed(seed);
    let (mut world, mut dynamics) = (World::with_tag(1), Dynamics::new());
    world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
    let mut keys = vec![];
    for i in 0..30 {
        let at = Vec3::new(1.6 * (i % 5) as f32, 0.9 + 1.5 * (i / 10) as f32, 1.6 * (i / 5 % 2) as f32);
        let key = world.insert(Object::moving(shape(&mut rng, i, at)));
        dynamics.insert(&mut world, key, RigidBody { angular_damping: 1.0, ..RigidBody::dynamic() }).unwrap();
        keys.push(key);
    }
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|corner| corner + Vec3::new(-9.0, 1.0, 0.0));
    let raft = Mesh::new(&corners, &[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]).unwrap();
    let lifts: [(Shape, Vec3); 3] = [
        (raft.into(), Vec3::Y),
        (Sphere::new(Vec3::X * -20.0, 1.0).unwrap().into(), Vec3::ZERO),
        (Sphere::new(Vec3::X * -30.0, 1.0).unwrap().into(), Vec3::ZERO),
    ];
    for (i, (shape, velocity)) in lifts.into_iter().enumerate() {
        let key = world.insert(Object::moving(shape));
        let angular_velocity = if i == 1 { Vec3::Y } else { Vec3::ZERO };
        dynamics.insert(&mut world, key, RigidBody { velocity, angular_velocity, ..RigidBody::kinematic() }).unwrap();
        keys.push(key);
    }
    (world, dynamics, keys)
}

#[test]
fn a_step_lists_exactly_the_bodies_whose_pose_has_changed() {
    let [mut moved, mut stayed, mut unseen] = [0; 3];
    for seed in 0..4 {
        let (mut world, mut dynamics, keys) = scene(SEED + seed);
        for step in 0..240 {
            let before: BTreeMap<_, _> =
                keys.iter().map(|key| (*key, world.object(*key).unwrap().transform())).collect();
            let report = dynamics.step(&mut world, DT, &DynamicsConfig::default()).unwrap();
            let mut listed = report.moved.to_vec();
            listed.sort_unstable();
            // A hull that was not moved yet has another form after the first step, and a pose that is rounded again.
            if step > 0 {
                let changed: Vec<_> = keys
                    .iter()
                    .copied()
                    .filter(|key| world.object(*key).map(|object| object.transform()) != Some(before[key]))
                    .collect();
                // What moves by less than the pose shows is listed, too.
                assert!(changed.iter().all(|key| listed.contains(key)), "{seed}, {step}: {changed:?} {listed:?}");
                unseen += listed.len() - changed.len();
                (moved, stayed) = (moved + listed.len(), stayed + keys.len() - listed.len());
            }
            assert_eq!(dynamics.report().moved.len(), listed.len());
        }
        let report = dynamics.step(&mut world, 0.0, &DynamicsConfig::default()).unwrap();
        assert!(report.moved.is_empty() && dynamics.hits(0.0).next().is_none());
    }
    assert!(moved > 3000 && stayed > 3000 && 20 * unseen < moved, "{moved} {stayed} {unseen}");
}

#[test]
fn the_report_can_be_read_again_while_the_bodies_are_queried() {
    let (mut world, mut dynamics, _) = scene(SEED);
    assert!(dynamics.report().begun.is_empty() && dynamics.report().awake == 0);
    let mut count = 0;
    for _ in 0..120 {
        let given = dynamics.step(&mut world, DT, &DynamicsConfig::default()).unwrap();
        let (begun, ended, awake) = (given.begun.to_vec(), given.ended.to_vec(), given.awake);
        let again = dynamics.report();
        assert_eq!((again.begun, again.ended, again.awake), (&begun[..], &ended[..], awake));
        for (first, second) in dynamics.report().begun {
            let pair = dynamics.contact(*first, *second).expect("a contact that has begun");
            assert!(pair.is_touching());
            count += 1;
        }
    }
    assert!(count > 30, "{count}");
}

#[test]
fn steps_of_boxes_list_what_they_have_moved() {
    let (mut world, mut boxes) = (World::with_tag(1), BoxStepper::new());
    world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
    let mut rng = Rng::with_seed(SEED);
    let keys: Vec<ObjectKey> = (0..20)
        .map(|i| {
            let at = Vec3::new(3.0 * i as f32, 1.0 + rng.f32(), 0.0);
            let half = Vec3::new(0.5, 0.3 + 0.2 * rng.f32(), 0.4);
            let key = world.insert(Object::moving(Obb::new(at, Quat::from_rotation_y(rng.f32()), half).unwrap()));
            boxes
                .insert(&mut world, key, BoxBody { angular_velocity: Vec3::Y * rng.f32(), ..BoxBody::default() })
                .unwrap();
            key
        })
        .collect();
    let (mut moved, mut stayed) = (0, 0);
    for step in 0..300 {
        let before: Vec<_> = keys.iter().map(|key| world.object(*key).unwrap().shape.clone()).collect();
        let listed = boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap().moved.to_vec();
        let changed = keys.iter().zip(&before).filter(|(key, was)| world.object(**key).unwrap().shape != **was);
        assert_eq!(listed, changed.map(|(key, _)| *key).collect::<Vec<_>>(), "{step}");
        assert_eq!(boxes.events().moved, listed);
        (moved, stayed) = (moved + listed.len(), stayed + keys.len() - listed.len());
    }
    assert!(moved > 500 && stayed > 500, "{moved} {stayed}");
    assert!(boxes.step(&mut world, 0.0, &BoxStepConfig::default()).unwrap().moved.is_empty());
}

/// A ball that falls from a height meets the floor with its momentum, and lies there with its weight.
#[test]
fn hits_are_as_hard_as_momentum_and_weight_say() {
    for (mass, height) in [(1.0f32, 1.0f32), (5.0, 0.3), (0.2, 4.0)] {
        let (mut world, mut dynamics) = (World::with_tag(1), Dynamics::new());
        let floor = world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
        let ball = world.insert(Object::moving(Sphere::new(Vec3::Y * (0.5 + height), 0.5).unwrap()));
        let body = RigidBody { mass: cullide_world::Mass::Total(mass), can_sleep: false, ..RigidBody::dynamic() };
        dynamics.insert(&mut world, ball, body).unwrap();
        let momentum = mass * (2.0 * 9.81 * height).sqrt();
        let mut hard = vec![];
        for _ in 0..240 {
            dynamics.step(&mut world, DT, &DynamicsConfig::default()).unwrap();
            hard.extend(dynamics.hits(0.5 * momentum).map(|(pair, impulse)| (pair.first, pair.second, impulse)));
        }
        assert!(hard.len() == 1 && (hard[0].0, hard[0].1) == (ball, floor.into()), "{hard:?}");
        assert!((hard[0].2 / momentum - 1.0).abs() < 0.1, "{} {momentum}", hard[0].2);
        let weight = mass * 9.81 * DT;
        let resting: Vec<f32> = dynamics.hits(0.0).map(|(_, impulse)| impulse).collect();
        assert!(resting.len() == 1 && (resting[0] / weight - 1.0).abs() < 0.02, "{resting:?} {weight}");
        assert_eq!(dynamics.contact(ball, floor).unwrap().impulse(), resting[0]);
        assert!(dynamics.hits(1.5 * weight).next().is_none() && dynamics.hits(f32::NAN).next().is_none());
    }
}

/// A block slides to rest: friction takes its momentum, and lies against the weight on a slope.
#[test]
fn friction_is_what_it_takes_from_a_sliding_body() {
    let mut rng = Rng::with_seed(SEED + 1);
    for case in 0..24 {
        let (friction, speed, angle) = (0.2 + 0.6 * rng.f32(), 2.0 + 3.0 * rng.f32(), 6.0 * rng.f32());
        let (mut world, mut dynamics) = (World::with_tag(1), Dynamics::new());
        let (shape, half) = (Vec3::new(9.0, 1.0, 9.0), Vec3::new(0.5, 0.2, 0.4));
        // On a plane, a box, or a mesh of four triangles.
        let floor: cullide_world::Target = match case % 3 {
            0 => world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1)).into(),
            1 => world.insert(Object::fixed(Aabb::from_center_half_extents(Vec3::NEG_Y, shape).unwrap())).into(),
            _ => {
                let corners = [Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Z].map(|corner| corner * 20.0);
                let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 1, 4]]).unwrap();
                world.insert(Object::fixed(mesh)).into()
            }
        };
        let material = cullide_world::Material { friction, ..Default::default() };
        dynamics.set_material(&world, floor, material).unwrap();
        let block = world.insert(Object::moving(Obb::new(Vec3::Y * 0.2, Quat::from_rotation_y(angle), half).unwrap()));
        let velocity = Vec3::new(angle.cos(), 0.0, angle.sin()) * speed;
        let body = RigidBody { mass: cullide_world::Mass::Total(3.0), material, velocity, ..RigidBody::dynamic() };
        dynamics.insert(&mut world, block, body).unwrap();
        for step in 0..150 {
            let before = dynamics.body(block).unwrap().velocity;
            dynamics.step(&mut world, DT, &DynamicsConfig::default()).unwrap();
            let lost = (before - dynamics.body(block).unwrap().velocity) * 3.0;
            let rubbing = dynamics.contact(block, floor).unwrap().friction();
            let flat = Vec3::new(lost.x, 0.0, lost.z);
            assert!((rubbing - flat).length() < 0.02 * flat.length() + 2e-3, "{case}, {step}: {rubbing} {flat}");
        }
        assert!(dynamics.body(block).unwrap().velocity.length() < 1e-2 || speed > friction * 9.81 * 2.0);
    }
}

#[test]
fn what_sleeps_hits_nothing() {
    let (mut world, mut dynamics, keys) = scene(SEED);
    for _ in 0..900 {
        dynamics.step(&mut world, DT, &DynamicsConfig::default()).unwrap();
    }
    let asleep = keys.iter().filter(|key| dynamics.body(**key).unwrap().is_asleep()).count();
    assert!(asleep > 20, "{asleep}");
    for (pair, _) in dynamics.hits(0.0) {
        let second = pair
            .second
            .object()
            .is_some_and(|key| dynamics.bodies().any(|body| body.0 == key) && !dynamics.body(key).unwrap().is_asleep());
        assert!(!dynamics.body(pair.first).unwrap().is_asleep() || second);
    }
}
