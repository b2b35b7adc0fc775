//! What callers do to bodies: forces, locks, pairs that ignore each other, removal, and invalid input.

use super::{DT, SETTINGS, Scene, aabb, ball, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BodyKind, BoxBody, BoxStepConfig, BoxStepper, Mass, Material, Object, ObjectKey, Response, RigidBody, Shape,
    Target, World,
    glam::{BVec3, Quat, Vec3},
    narrowphase::Error,
};
use std::collections::BTreeSet;

#[test]
fn a_force_in_the_first_step_counts() {
    let mut scene = Scene::weightless();
    let body = RigidBody { mass: Mass::Total(2.0), ..RigidBody::dynamic() };
    let bodies = [
        scene.add(aabb(Vec3::ZERO, Vec3::ONE), body),
        scene.add(obb(Vec3::X * 5.0, Quat::IDENTITY, Vec3::ONE), body),
        scene.add(ball(Vec3::X * 10.0, 1.0), body),
    ];
    for key in bodies {
        scene.dynamics.body_mut(&scene.world, key).unwrap().apply_force(Vec3::Y * 120.0, Vec3::ZERO).unwrap();
    }
    scene.step();
    for key in bodies {
        assert!((scene.velocity(key) - Vec3::Y).length() < 1e-5, "{}", scene.velocity(key));
    }
}

#[test]
fn a_key_of_a_removed_object_makes_room_for_another_body_at_once() {
    let mut scene = Scene::with_floor();
    for round in 0..20 {
        let old = scene.add(ball(Vec3::Y * 0.5, 0.5), RigidBody::dynamic());
        scene.steps(round % 3);
        scene.world.remove(old).unwrap();
        let new = scene.add(ball(Vec3::Y * 0.5, 0.5), RigidBody::dynamic());
        assert!(scene.dynamics.body(old).is_none() && scene.dynamics.remove(old).is_none());
        scene.steps(3);
        assert_eq!(scene.dynamics.bodies().map(|(key, _)| key).collect::<Vec<_>>(), [new]);
        scene.world.remove(new).unwrap();
        scene.step();
        assert_eq!(scene.dynamics.bodies().count(), 0);
    }
}

#[test]
fn a_body_may_be_described_anew_while_it_touches() {
    let kinds = [RigidBody::dynamic(), RigidBody::kinematic(), RigidBody { is_sensor: true, ..RigidBody::dynamic() }];
    for first in kinds {
        for second in kinds {
            for (a, b) in [(0.5, 1.499), (1.499, 0.5)] {
                let mut scene = Scene::with_floor();
                let boxes = [a, b].map(|y| scene.add(aabb(Vec3::Y * y, Vec3::splat(0.5)), RigidBody::dynamic()));
                scene.steps(5);
                scene.dynamics.insert(&mut scene.world, boxes[0], first).unwrap();
                scene.steps(5);
                scene.dynamics.insert(&mut scene.world, boxes[1], second).unwrap();
                scene.steps(5);
                scene.dynamics.insert(&mut scene.world, boxes[0], RigidBody::dynamic()).unwrap();
                scene.steps(60);
                for key in boxes {
                    let body = scene.dynamics.body(key).unwrap();
                    let falls = body.kind == BodyKind::Dynamic && !body.is_sensor;
                    let height = scene.center(key).y;
                    assert!(!falls || (0.49..1.6).contains(&height), "{first:?} {second:?}: {height}");
                }
            }
        }
    }
}

#[test]
fn a_stepped_box_becomes_a_rigid_body_once_it_is_removed_there() {
    let mut scene = Scene::weightless();
    let key = scene.world.insert(Object::moving(aabb(Vec3::ZERO, Vec3::ONE)));
    let mut boxes = BoxStepper::new();
    boxes.insert(&mut scene.world, key, BoxBody { velocity: Vec3::Y, ..BoxBody::default() }).unwrap();
    assert!(boxes.remove(key).is_some());
    let thrown = RigidBody { velocity: Vec3::X, ..RigidBody::dynamic() };
    assert_eq!(scene.dynamics.insert(&mut scene.world, key, thrown), Ok(()));
    for _ in 0..60 {
        boxes.step(&mut scene.world, DT, &BoxStepConfig::default()).unwrap();
        scene.step();
    }
    assert!(scene.center(key).abs_diff_eq(Vec3::X, 1e-3), "{}", scene.center(key));
}

#[test]
fn a_stepped_box_that_rests_on_a_kinematic_body_follows_it_once_it_moves() {
    for velocity in [Vec3::NEG_Y * 0.5, Vec3::Y * 0.5] {
        let mut scene = Scene::new();
        let mut boxes = BoxStepper::new();
        let lift = scene.add(aabb(Vec3::NEG_Y, Vec3::ONE), RigidBody::kinematic());
        let key = scene.world.insert(Object::moving(aabb(Vec3::Y * 0.4, Vec3::splat(0.3))));
        boxes.insert(&mut scene.world, key, BoxBody { response: Response::Stop, ..BoxBody::default() }).unwrap();
        let mut both = |scene: &mut Scene, count: usize| {
            for _ in 0..count {
                scene.step();
                boxes.step(&mut scene.world, DT, &BoxStepConfig::default()).unwrap();
            }
        };
        both(&mut scene, 60);
        let rested = scene.center(key).y;
        both(&mut scene, 60);
        assert_eq!(scene.center(key).y, rested);
        scene.dynamics.body_mut(&scene.world, lift).unwrap().set_velocity(velocity, Vec3::ZERO).unwrap();
        both(&mut scene, 120);
        let went = scene.center(key).y - rested;
        assert!((went - 2.0 * velocity.y).abs() < 0.05, "{velocity}: {went}");
    }
}

#[test]
fn settings_that_make_no_sense_neither_panic_nor_put_bodies_into_the_floor() {
    let numbers = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, -0.0, 0.0, 1e-40, 1e30, f32::MAX];
    for (i, field) in SETTINGS.iter().enumerate() {
        for number in numbers {
            let mut scene = Scene::with_floor();
            let boxes = [0.5, 1.502].map(|y| scene.add(aabb(Vec3::Y * y, Vec3::splat(0.5)), RigidBody::dynamic()));
            *field(&mut scene.config) = number;
            scene.steps(10);
            for key in boxes {
                let height = scene.center(key).y;
                assert!(height >= 0.5, "field {i} of {number}: {height}");
            }
        }
    }
}

#[test]
fn a_time_of_any_size_neither_panics_nor_puts_bodies_into_the_floor() {
    for dt in
        [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, -0.0, 0.0, 1e-45, 1e-40, 1e-30, 1.0, 1e10, 1e30, f32::MAX]
    {
        let mut scene = Scene::with_floor();
        let boxes = [0.5, 1.502].map(|y| scene.add(aabb(Vec3::Y * y, Vec3::splat(0.5)), RigidBody::dynamic()));
        let before = scene.world.hash();
        for _ in 0..5 {
            scene.dynamics.step(&mut scene.world, dt, &scene.config).unwrap();
        }
        if !(dt > 0.0 && dt.is_finite()) {
            assert_eq!(scene.world.hash(), before);
        }
        for key in boxes {
            let height = scene.center(key).y;
            assert!(height >= 0.5, "{dt}: {height}");
        }
        scene.dynamics.step(&mut scene.world, DT, &scene.config).unwrap();
    }
}

#[test]
fn locked_axes_stay_as_they_are() {
    for axis in 0..3u8 {
        let mut scene = Scene::with_floor();
        let free = RigidBody { velocity: Vec3::ONE, angular_velocity: Vec3::ONE, ..RigidBody::dynamic() };
        let body = RigidBody { locked_translation: BVec3::from_array([0, 1, 2].map(|i| i == axis)), ..free };
        let slid = scene.add(obb(Vec3::Y * 2.0, Quat::from_rotation_z(0.5), Vec3::splat(0.5)), body);
        let upright = Quat::from_rotation_y(0.3);
        let still = RigidBody { locked_rotation: BVec3::TRUE, ..free };
        let turned = scene.add(obb(Vec3::new(5.0, 0.8, 0.0), upright, Vec3::splat(0.5)), still);
        // Struck off centre.
        scene.add(ball(Vec3::new(5.2, 4.0, 0.3), 0.4), RigidBody::dynamic());
        let places = [slid, turned].map(|key| scene.world.object(key).unwrap().transform());
        scene.steps(120);
        let now = [slid, turned].map(|key| scene.world.object(key).unwrap().transform());
        let index = usize::from(axis);
        assert_eq!(now[0].1[index], places[0].1[index]);
        assert!(now[1].0.dot(places[1].0).abs() > 1.0 - 1e-6);
        assert_eq!(scene.spin(turned), Vec3::ZERO);
    }
}

#[test]
fn a_door_on_a_hinge_turns_about_its_free_axis_alone() {
    let mut scene = Scene::weightless();
    let body = RigidBody {
        locked_translation: BVec3::TRUE,
        locked_rotation: BVec3::new(true, false, true),
        ..RigidBody::dynamic()
    };
    let door = scene.add(aabb(Vec3::ZERO, Vec3::new(1.0, 1.0, 0.05)), body);
    scene.add(ball(Vec3::new(0.8, 0.6, -2.0), 0.2), RigidBody { velocity: Vec3::Z * 4.0, ..RigidBody::dynamic() });
    scene.steps(60);
    assert_eq!(scene.center(door), Vec3::ZERO);
    let spin = scene.spin(door);
    assert!(spin.y.abs() > 0.01 && spin.x == 0.0 && spin.z == 0.0, "{spin}");
}

#[test]
fn damping_leaves_the_share_of_speed_that_it_says() {
    let mut scene = Scene::weightless();
    let body = RigidBody {
        velocity: Vec3::X * 10.0,
        angular_velocity: Vec3::Y * 5.0,
        linear_damping: 0.5,
        angular_damping: 2.0,
        ..RigidBody::dynamic()
    };
    let key = scene.add(ball(Vec3::ZERO, 0.5), body);
    scene.steps(60);
    // What remains after one second, in ever smaller steps: e^-damping.
    assert!((scene.velocity(key).x / (10.0 * (-0.5f32).exp()) - 1.0).abs() < 0.01, "{}", scene.velocity(key));
    assert!((scene.spin(key).y / (5.0 * (-2.0f32).exp()) - 1.0).abs() < 0.01, "{}", scene.spin(key));
}

#[test]
fn gravity_scales() {
    let mut scene = Scene::new();
    for scale in [-1.0, 0.0, 0.5, 2.0] {
        let body = RigidBody { gravity_scale: scale, ..RigidBody::dynamic() };
        let key = scene.add(ball(Vec3::X * 5.0 * scale, 0.5), body);
        let mut alone = scene.clone();
        alone.steps(60);
        assert!((alone.velocity(key).y + 9.81 * scale).abs() < 1e-3, "{}", alone.velocity(key));
    }
}

#[test]
fn impulses_and_torques_move_by_mass_and_inertia() {
    let mut scene = Scene::weightless();
    let body = RigidBody { mass: Mass::Total(3.0), ..RigidBody::dynamic() };
    let key = scene.add(obb(Vec3::X, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0)), body);
    scene.dynamics.body_mut(&scene.world, key).unwrap().apply_impulse(Vec3::Y * 6.0, Vec3::new(2.0, 0.0, 0.0)).unwrap();
    assert!((scene.velocity(key) - Vec3::Y * 2.0).length() < 1e-6);
    // An arm of one along x: an angular impulse of 6 about z, over an inertia of 3 (1 + 4) / 3.
    assert!((scene.spin(key) - Vec3::Z * 1.2).length() < 1e-6, "{}", scene.spin(key));
    scene.set_velocity(key, Vec3::ZERO, Vec3::ZERO);
    for _ in 0..60 {
        scene.dynamics.body_mut(&scene.world, key).unwrap().apply_force(Vec3::X * 3.0, Vec3::X * 13.0).unwrap();
        scene.step();
    }
    assert!((scene.velocity(key) - Vec3::X).length() < 1e-3, "{}", scene.velocity(key));
    assert!((scene.spin(key) - Vec3::X).length() < 1e-2, "{}", scene.spin(key));
    // A force acts for one step.
    scene.steps(30);
    assert!((scene.velocity(key) - Vec3::X).length() < 1e-3);
}

#[test]
fn sensors_report_and_neither_push_nor_are_pushed() {
    for is_kinematic in [false, true] {
        let mut scene = Scene::with_floor();
        let kind = if is_kinematic { BodyKind::Kinematic } else { BodyKind::Dynamic };
        let body = RigidBody { kind, is_sensor: true, gravity_scale: 0.0, ..RigidBody::default() };
        let sensor = scene.add(aabb(Vec3::Y * 3.0, Vec3::ONE), body);
        let through = scene.add(ball(Vec3::new(0.5, 8.0, 0.2), 0.3), RigidBody::dynamic());
        let (mut begun, mut ended) = (0, 0);
        for _ in 0..150 {
            let report = scene.step();
            let names =
                |(first, second): &&(ObjectKey, Target)| [Target::from(*first), *second].contains(&sensor.into());
            begun += report.begun.iter().filter(names).count();
            ended += report.ended.iter().filter(names).count();
        }
        assert_eq!((begun, ended), (1, 1), "kinematic: {is_kinematic}");
        assert_eq!(scene.center(sensor), Vec3::Y * 3.0);
        let end = scene.center(through);
        assert!((end - Vec3::new(0.5, 0.3, 0.2)).length() < 0.01, "{end}");
    }
}

#[test]
fn ignored_pairs_pass_through_each_other_until_they_are_restored() {
    let mut scene = Scene::weightless();
    let body = RigidBody::dynamic();
    let still = scene.add(ball(Vec3::ZERO, 0.5), body);
    let thrown = scene.add(ball(Vec3::X * -3.0, 0.5), RigidBody { velocity: Vec3::X * 6.0, ..body });
    scene.dynamics.ignore_pair(&scene.world, thrown, still).unwrap();
    scene.steps(60);
    assert!((scene.center(thrown) - Vec3::X * 3.0).length() < 1e-3 && scene.center(still) == Vec3::ZERO);
    assert!(scene.dynamics.restore_pair(still, thrown) && !scene.dynamics.restore_pair(still, thrown));
    scene.set_velocity(thrown, Vec3::X * -6.0, Vec3::ZERO);
    scene.steps(60);
    assert!(scene.center(still).x < -0.5);
    // A resting body falls when it and its support are set to ignore each other.
    let mut scene = Scene::new();
    let floor = scene.fixed(aabb(Vec3::Y * -1.0, Vec3::ONE));
    let body = scene.add(aabb(Vec3::Y * 0.502, Vec3::splat(0.5)), RigidBody::dynamic());
    scene.steps(120);
    assert!(scene.dynamics.body(body).unwrap().is_asleep());
    scene.dynamics.ignore_pair(&scene.world, floor, body).unwrap();
    scene.steps(60);
    assert!(scene.center(body).y < -1.0);
}

#[test]
fn friction_and_restitution_combine_as_they_say() {
    // Ice under rubber.
    for (own, other) in [(1.0f32, 0.01f32), (0.25, 0.64)] {
        let mut scene = Scene::new();
        let floor = scene.fixed(aabb(Vec3::Y * -1.0, Vec3::new(50.0, 1.0, 50.0)));
        scene.dynamics.set_material(&scene.world, floor, Material { friction: other, ..Material::default() }).unwrap();
        let material = Material { friction: own, ..Material::default() };
        let body = scene.add(aabb(Vec3::Y * 0.502, Vec3::splat(0.5)), RigidBody { material, ..RigidBody::dynamic() });
        scene.steps(60);
        scene.set_velocity(body, Vec3::X * 8.0, Vec3::ZERO);
        scene.steps(60);
        let lost = 8.0 - scene.velocity(body).x;
        let expected = (own * other).sqrt() * 9.81;
        assert!((lost / expected - 1.0).abs() < 0.01, "{lost} for {expected}");
    }
    for (own, other) in [(0.8, 0.0), (0.0, 0.8), (0.8, 0.3)] {
        let mut scene = Scene::weightless();
        let wall = scene.fixed(aabb(Vec3::ZERO, Vec3::ONE));
        scene
            .dynamics
            .set_material(&scene.world, wall, Material { restitution: other, ..Material::default() })
            .unwrap();
        let material = Material { restitution: own, ..Material::default() };
        let thrown = RigidBody { material, velocity: Vec3::X * 5.0, ..RigidBody::dynamic() };
        let body = scene.add(ball(Vec3::X * -3.0, 0.5), thrown);
        scene.steps(60);
        assert!((scene.velocity(body) + Vec3::X * 4.0).length() < 0.04, "{}", scene.velocity(body));
    }
}

#[test]
fn input_that_is_no_number_is_refused() {
    let mut scene = Scene::with_floor();
    let key = scene.add(ball(Vec3::Y, 0.5), RigidBody::dynamic());
    let good = RigidBody::dynamic();
    for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let v = Vec3::new(0.0, x, 0.0);
        let bad = [
            RigidBody { velocity: v, ..good },
            RigidBody { angular_velocity: v, ..good },
            RigidBody { mass: Mass::Density(x), ..good },
            RigidBody { mass: Mass::Total(x), ..good },
            RigidBody { gravity_scale: x, ..good },
            RigidBody { linear_damping: x, ..good },
            RigidBody { angular_damping: x, ..good },
            RigidBody { material: Material { friction: x, ..Material::default() }, ..good },
            RigidBody { material: Material { restitution: x, ..Material::default() }, ..good },
            RigidBody { material: Material { rolling_resistance: x, ..Material::default() }, ..good },
            RigidBody { material: Material { surface_velocity: v, ..Material::default() }, ..good },
        ];
        for body in bad {
            assert!(scene.dynamics.insert(&mut scene.world, key, body).is_err(), "{body:?}");
        }
        assert!(scene.dynamics.body_mut(&scene.world, key).unwrap().set_velocity(v, Vec3::ZERO).is_err());
        assert!(scene.dynamics.body_mut(&scene.world, key).unwrap().set_velocity(Vec3::ZERO, v).is_err());
        assert!(scene.dynamics.body_mut(&scene.world, key).unwrap().apply_impulse(v, Vec3::ZERO).is_err());
        assert!(scene.dynamics.body_mut(&scene.world, key).unwrap().apply_impulse(Vec3::ZERO, v).is_err());
        assert!(scene.dynamics.body_mut(&scene.world, key).unwrap().apply_force(v, Vec3::ZERO).is_err());
        assert!(scene.dynamics.body_mut(&scene.world, key).unwrap().apply_force(Vec3::ZERO, v).is_err());
        assert!(
            scene.dynamics.set_material(&scene.world, key, Material { friction: x, ..Material::default() }).is_err()
        );
    }
    let rough = Material { friction: -0.1, ..Material::default() };
    for (body, error) in [
        (RigidBody { mass: Mass::Total(0.0), ..good }, Error::NotPositive { field: "mass" }),
        (RigidBody { mass: Mass::Density(-1.0), ..good }, Error::NotPositive { field: "mass" }),
        (RigidBody { linear_damping: -0.1, ..good }, Error::Negative { field: "linear_damping" }),
        (RigidBody { angular_damping: f32::NAN, ..good }, Error::NonFinite { field: "angular_damping" }),
        (RigidBody { material: rough, ..good }, Error::Negative { field: "friction" }),
    ] {
        assert_eq!(scene.dynamics.insert(&mut scene.world, key, body), Err(error), "{body:?}");
    }
    assert_eq!(scene.dynamics.body(key).as_deref(), Some(&good));
}

#[test]
fn bodies_of_any_size_mass_and_speed_neither_panic_nor_leave_the_numbers() {
    let sizes = [0.0, 1e-30, 1e-6, 1.0, 1e6];
    let masses = [Mass::Density(1e-30), Mass::Density(1e30), Mass::Total(1e-40), Mass::Total(1e30)];
    let speeds = [0.0, 1e-30, 1e3, 1e10, 1e30, f32::MAX];
    for size in sizes {
        for mass in masses {
            for speed in speeds {
                let mut scene = Scene::with_floor();
                let velocity = Vec3::new(speed, -speed, 0.0);
                let body = RigidBody { mass, velocity, angular_velocity: velocity, ..RigidBody::dynamic() };
                let keys = [
                    scene.add(aabb(Vec3::Y * 2.0, Vec3::splat(size)), body),
                    scene.add(ball(Vec3::Y * 3.0, size), body),
                    scene.add(super::capsule(Vec3::Y * 4.0, Vec3::X * size, size), body),
                ];
                scene.steps(5);
                for key in keys {
                    assert!(scene.center(key).is_finite() && scene.velocity(key).is_finite());
                }
            }
        }
    }
}

#[test]
fn stale_keys_are_told_so() {
    let mut scene = Scene::with_floor();
    let key = scene.add(ball(Vec3::Y, 0.5), RigidBody::dynamic());
    scene.step();
    scene.world.remove(key);
    // Until the next step, it is known what it was; but it can no longer be pushed.
    assert!(scene.dynamics.body(key).is_some() && scene.dynamics.body_mut(&scene.world, key).is_none());
    scene.step();
    let stale = Err(Error::StaleKey { field: "key" });
    assert_eq!(scene.dynamics.insert(&mut scene.world, key, RigidBody::dynamic()), stale);
    assert!(scene.dynamics.body(key).is_none() && scene.dynamics.body_mut(&scene.world, key).is_none());
    assert_eq!(scene.dynamics.remove(key), None);
    let stale = |field| Err(Error::StaleKey { field });
    assert_eq!(scene.dynamics.set_material(&scene.world, key, Material::default()), stale("target"));
    assert_eq!(scene.dynamics.set_surface_material(&scene.world, key, 1, Material::default()), stale("key"));
    let other = scene.add(ball(Vec3::Y, 0.5), RigidBody::dynamic());
    assert_eq!(scene.dynamics.ignore_pair(&scene.world, key, other), stale("first"));
    assert_eq!(scene.dynamics.ignore_pair(&scene.world, other, key), stale("second"));
    let elsewhere = scene.dynamics.set_material(&World::new(), other, Material::default());
    assert_eq!(elsewhere, Err(Error::OtherWorld { field: "world" }));
}

/// Random edits of all kinds between steps: nothing panics, no body gets into the floor, and each pair ends at most
/// once, and before it begins again.
#[test]
fn begun_and_ended_are_in_balance_whatever_is_edited() {
    let mut rng = Rng::with_seed(SEED);
    for round in 0..30 {
        let mut scene = Scene::new();
        let mut planes = vec![scene.plane(Vec3::Y * -0.5, Vec3::Y)];
        let mut keys: Vec<ObjectKey> = vec![scene.fixed(aabb(Vec3::Y * -1.0, Vec3::new(4.0, 1.0, 4.0)))];
        let mut open: BTreeSet<(Target, Target)> = BTreeSet::new();
        for step in 0..150 {
            for _ in 0..rng.usize(0..3) {
                let place = vector(&mut rng, 2.0) + Vec3::Y * 2.0;
                let shape: Shape = match rng.usize(0..4) {
                    0 => ball(place, 0.4).into(),
                    1 => aabb(place, Vec3::new(0.5, 0.3, 0.4)).into(),
                    2 => super::capsule(place, turn(&mut rng) * Vec3::Y * 0.4, 0.3).into(),
                    _ => obb(place, turn(&mut rng), Vec3::new(0.5, 0.3, 0.4)).into(),
                };
                let kind = if rng.usize(0..4) == 0 { BodyKind::Kinematic } else { BodyKind::Dynamic };
                let body = RigidBody {
                    kind,
                    velocity: vector(&mut rng, 5.0),
                    is_sensor: rng.usize(0..6) == 0,
                    ..RigidBody::default()
                };
                let key = keys[rng.usize(0..keys.len())];
                let other = keys[rng.usize(0..keys.len())];
                match rng.usize(0..14) {
                    0..=3 if scene.world.len() < 25 => {
                        let key = scene.world.insert(Object::moving(shape));
                        keys.push(key);
                        scene.dynamics.insert(&mut scene.world, key, body).unwrap();
                    }
                    4 => _ = scene.world.remove(key),
                    5 => _ = scene.dynamics.remove(key),
                    6 => _ = scene.dynamics.insert(&mut scene.world, key, body),
                    7 => _ = scene.world.object_mut(key).map(|mut object| object.set_shape(shape)),
                    8 => _ = scene.dynamics.ignore_pair(&scene.world, key, other),
                    9 => _ = scene.dynamics.restore_pair(key, other),
                    10 if planes.len() < 3 => planes.push(scene.plane(Vec3::Y * -0.7, Vec3::Y)),
                    10 => _ = scene.world.remove_plane(planes.remove(0)),
                    11 => _ = scene.world.object_mut(key).map(|mut object| object.set_pairs_with(rng.u32(0..2))),
                    12 => _ = scene.world.update_pairs(DT),
                    _ => {
                        let [velocity, spin] = [(); 2].map(|()| vector(&mut rng, 9.0));
                        if let Some(mut body) = scene.dynamics.body_mut(&scene.world, key) {
                            body.set_velocity(velocity, spin).unwrap();
                        }
                    }
                }
            }
            let report = scene.step();
            let name = |(first, second): (ObjectKey, Target)| {
                let first = Target::from(first);
                (first.min(second), first.max(second))
            };
            for pair in report.ended {
                assert!(open.remove(&name(pair)), "round {round}, step {step}: {pair:?} ends but has not begun");
            }
            for pair in report.begun {
                assert!(open.insert(name(pair)), "round {round}, step {step}: {pair:?} begins again");
            }
            let touching: BTreeSet<_> = scene
                .dynamics
                .contacts()
                .filter(|pair| pair.is_touching())
                .map(|pair| name((pair.first, pair.second)))
                .collect();
            assert_eq!(touching, open, "round {round}, step {step}");
        }
    }
}
