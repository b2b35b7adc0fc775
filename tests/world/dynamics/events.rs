//! Whatever begins to touch ends to touch, once each, whatever sleeps or changes in the meantime.

use super::{Scene, aabb, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{BodyKind, DynamicsConfig, ObjectKey, RigidBody, Target, glam::Vec3};
use std::collections::BTreeSet;

/// Checks a report against what touches, by replaying the reported pairs.
fn note(scene: &mut Scene, touching: &mut BTreeSet<(ObjectKey, Target)>, step: usize) -> usize {
    let report = scene.step();
    for pair in &report.ended {
        assert!(touching.remove(pair), "step {step}: {pair:?} ended but had not begun");
    }
    for pair in &report.begun {
        assert!(touching.insert(*pair), "step {step}: {pair:?} began twice");
    }
    report.begun.len() + report.ended.len()
}

#[test]
fn what_falls_asleep_as_it_comes_to_touch_is_told_once() {
    let mut rng = Rng::with_seed(SEED);
    let mut events = 0;
    for _ in 0..12 {
        let mut scene = Scene::with_floor();
        scene.config = DynamicsConfig { sleep_seconds: 0.05, ..scene.config };
        let mut touching = BTreeSet::new();
        for step in 0..1000 {
            if step % 20 == 0 && step < 400 || step % 80 == 0 {
                let at = vector(&mut rng, 1.0) * Vec3::new(1.0, 0.0, 1.0) + Vec3::Y * 4.0;
                scene.add(obb(at, turn(&mut rng), Vec3::splat(0.3)), RigidBody::dynamic());
            }
            events += note(&mut scene, &mut touching, step);
        }
    }
    assert!(events > 1500, "{events}");
}

#[test]
fn a_pair_whose_first_becomes_kinematic_or_fixed_ends_as_it_began() {
    for is_fixed in [false, true] {
        let mut scene = Scene::new();
        let below = scene.add(aabb(Vec3::Y * 0.5, Vec3::splat(0.5)), RigidBody::dynamic());
        scene.fixed(aabb(Vec3::NEG_Y, Vec3::new(50.0, 1.0, 50.0)));
        let above = scene.add(aabb(Vec3::Y * 1.501, Vec3::splat(0.5)), RigidBody::dynamic());
        let (mut touching, mut events) = (BTreeSet::new(), 0);
        for step in 0..200 {
            match step {
                90 if is_fixed => {
                    scene.world.object_mut(below).unwrap().set_mobility(cullide_world::Mobility::Fixed);
                }
                90 => {
                    let body = RigidBody { kind: BodyKind::Kinematic, ..*scene.dynamics.body(below).unwrap() };
                    scene.dynamics.insert(&mut scene.world, below, body).unwrap();
                }
                150 => drop(scene.world.remove(below)),
                _ => {}
            }
            events += note(&mut scene, &mut touching, step);
            if step == 149 {
                assert!(touching.contains(&(above, below.into())), "{touching:?}");
                assert_eq!(scene.dynamics.body(below).is_none(), is_fixed);
                assert!((scene.center(above).y - 1.5).abs() < 0.01 && scene.dynamics.body(above).unwrap().is_asleep());
            }
        }
        assert!(events >= 6, "{events}");
        assert!(scene.center(above).y < 1.0);
    }
}

#[test]
fn a_pair_with_a_plane_ends_when_its_sleeping_body_becomes_kinematic() {
    let mut scene = Scene::new();
    let plane = scene.plane(Vec3::ZERO, Vec3::Y);
    let body = scene.add(aabb(Vec3::Y * 0.501, Vec3::splat(0.5)), RigidBody::dynamic());
    scene.steps(120);
    assert!(scene.dynamics.body(body).unwrap().is_asleep());
    scene.dynamics.insert(&mut scene.world, body, RigidBody::kinematic()).unwrap();
    assert_eq!(scene.step().ended, [(body, plane.into())]);
    assert!(scene.dynamics.contact(body, plane).is_none());
    scene.dynamics.insert(&mut scene.world, body, RigidBody::dynamic()).unwrap();
    assert_eq!(scene.step().begun, [(body, plane.into())]);
}

#[test]
fn a_pair_that_may_meet_again_wakes_and_is_told() {
    let mut scene = Scene::with_floor();
    let boxes = [0.0, 0.3].map(|x| scene.add(aabb(Vec3::new(x, 0.501, 0.0), Vec3::splat(0.5)), RigidBody::dynamic()));
    scene.dynamics.ignore_pair(&scene.world, boxes[0], boxes[1]).unwrap();
    scene.steps(120);
    assert!(boxes.iter().all(|key| scene.dynamics.body(*key).unwrap().is_asleep()));
    assert!(scene.dynamics.restore_pair(boxes[1], boxes[0]) && !scene.dynamics.restore_pair(boxes[0], boxes[1]));
    let begun: Vec<_> = (0..120).flat_map(|_| scene.step().begun).collect();
    assert_eq!(begun.len(), 1, "{begun:?}");
    assert!((scene.center(boxes[0]) - scene.center(boxes[1])).length() > 0.99);
}
