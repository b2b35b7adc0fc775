//! Frame after frame, the pairs of a broadphase are those of brute force, and its events report every change.

use cullide_bvh::{
    ALL, BroadphaseBody, Proxy,
    narrowphase::{Aabb, MAX_COORDINATE, glam::Vec3},
};
use cullide_scenes::{Motion, Moving, Rng, SEED, awkward, uniform};
use cullide_support::{
    frames::Frames,
    scene::{aabb, aabbs, every_scene},
};
use std::ops::ControlFlow;

fn moving(boxes: &[Aabb]) -> Vec<BroadphaseBody> {
    boxes.iter().map(|&aabb| BroadphaseBody::moving(aabb)).collect()
}

/// The box, moved by `delta` as far as the range of coordinates allows.
fn moved(aabb: &Aabb, delta: Vec3) -> Aabb {
    let limit = Vec3::splat(MAX_COORDINATE);
    let (min, max) = (aabb.min() + delta, aabb.max() + delta);
    Aabb::new(min.clamp(-limit, limit), max.clamp(-limit, limit)).unwrap()
}

fn direction(rng: &mut Rng) -> Vec3 {
    Vec3::from_array([(); 3].map(|()| 2.0 * rng.f32() - 1.0))
}

#[test]
fn every_motion_keeps_the_pairs_of_brute_force() {
    for (n, frames) in [(50, 60), (400, 60), (5000, 20)] {
        for motion in [Motion::Slow, Motion::Fast, Motion::Few] {
            let mut scene = Moving::new(n, motion, SEED);
            let (mut world, proxies) = Frames::new(&moving(&aabbs(scene.boxes())));
            world.update();
            for _ in 0..frames {
                scene.advance();
                let moved: Vec<_> = scene.moved().map(|i| (proxies[i], aabb(scene.boxes()[i]))).collect();
                world.set_batch(&moved);
                world.check_trees();
                world.update();
            }
            world.check_full_query();
        }
    }
}

#[test]
fn boxes_set_one_by_one_have_the_pairs_of_brute_force() {
    for motion in [Motion::Slow, Motion::Fast, Motion::Few] {
        let mut scene = Moving::new(300, motion, SEED);
        let (mut world, proxies) = Frames::new(&moving(&aabbs(scene.boxes())));
        for _ in 0..60 {
            scene.advance();
            for i in scene.moved() {
                world.set(proxies[i], &aabb(scene.boxes()[i]));
            }
            world.check_trees();
            world.update();
        }
    }
}

#[test]
fn every_kind_of_scene_keeps_the_pairs_of_brute_force_while_it_drifts_jumps_and_rests() {
    for scene in every_scene(240) {
        let mut rng = Rng::with_seed(SEED);
        let mut boxes = scene.boxes.clone();
        let bodies: Vec<BroadphaseBody> = boxes
            .iter()
            .enumerate()
            .map(|(i, &b)| if i % 3 == 0 { BroadphaseBody::fixed(b) } else { BroadphaseBody::moving(b) })
            .collect();
        let (mut world, proxies) = Frames::new(&bodies);
        world.update();
        for frame in 0..24 {
            // A fraction of the bodies, by a fraction of their size; every eighth frame all of them, anywhere.
            let share = [0.02, 0.3, 1.0][frame % 3];
            let scale = [0.01, 0.2, 3.0][frame / 3 % 3];
            let mut set: Vec<(Proxy, Aabb)> = vec![];
            for i in 0..boxes.len() {
                if frame % 8 == 7 {
                    boxes[i] = scene.boxes[rng.usize(0..boxes.len())];
                } else if rng.f32() < share {
                    let step = direction(&mut rng) * boxes[i].size() * scale;
                    boxes[i] = moved(&boxes[i], step);
                } else {
                    continue;
                }
                set.push((proxies[i], boxes[i]));
            }
            world.set_batch(&set);
            world.check_trees();
            world.update();
        }
    }
}

#[test]
fn boxes_at_random_and_falling_keep_the_pairs_of_brute_force() {
    for motion in [Motion::Brownian, Motion::FreeFall, Motion::RotatingGravity] {
        for n in [100, 1000] {
            let mut scene = Moving::new(n, motion, SEED);
            let boxes = aabbs(scene.boxes());
            let (mut world, proxies) = Frames::new(&moving(&boxes));
            for _ in 0..60 {
                scene.advance();
                let moved: Vec<_> = proxies.iter().copied().zip(aabbs(scene.boxes())).collect();
                world.set_batch(&moved);
                world.check_trees();
                world.update();
            }
        }
    }
}

#[test]
fn three_thousand_identical_boxes_part_and_meet_again() {
    let boxes = aabbs(&awkward::identical(3000));
    let (mut world, proxies) = Frames::new(&moving(&boxes[..300]));
    world.update();
    assert_eq!(world.replayed.len(), 300 * 299 / 2);
    let row: Vec<_> = (0..).zip(&proxies).map(|(i, &p)| (p, moved(&boxes[0], Vec3::X * 100.0 * i as f32))).collect();
    world.set_batch(&row);
    world.update();
    assert!(world.replayed.is_empty());
    world.set_batch(&proxies.iter().map(|&proxy| (proxy, boxes[0])).collect::<Vec<_>>());
    world.update();
    assert_eq!(world.replayed.len(), 300 * 299 / 2);

    // Too many pairs to check against brute force every time: all of them, none, and all except those between fixed
    // bodies.
    let mut broadphase = cullide_bvh::Broadphase::new();
    let proxies: Vec<Proxy> = boxes.iter().map(|&aabb| broadphase.insert(&BroadphaseBody::moving(aabb))).collect();
    assert_eq!(broadphase.update().begun.len(), 3000 * 2999 / 2);
    let row: Vec<_> = (0..).zip(&proxies).map(|(i, &p)| (p, moved(&boxes[0], Vec3::X * 100.0 * i as f32))).collect();
    broadphase.set_batch(&row);
    assert_eq!(broadphase.update().ended.len(), 3000 * 2999 / 2);
    assert_eq!(broadphase.pair_count(), 0);
}

#[test]
fn one_huge_body_pairs_with_all_it_touches_wherever_it_goes() {
    let mut boxes = aabbs(&uniform(500, SEED));
    boxes.push(aabb([[-1e6, -1e6, -1e6], [1e6, 0.0, 1e6]]));
    let (mut world, proxies) = Frames::new(&moving(&boxes));
    for frame in 0..30 {
        let last = boxes.len() - 1;
        boxes[last] = moved(&boxes[last], Vec3::Y * if frame < 20 { 2.0 } else { -3.0 });
        boxes[frame] = moved(&boxes[frame], Vec3::splat(1e5));
        world.set_batch(&[(proxies[last], boxes[last]), (proxies[frame], boxes[frame])]);
        world.check_trees();
        world.update();
    }
}

#[test]
fn a_body_far_away_does_not_spoil_the_search_of_the_others() {
    // With one body a million times farther away than all others, those still have different places on the curve.
    let mut scene = Moving::new(4000, Motion::Fast, SEED);
    let far = moved(&aabb(scene.boxes()[0]), Vec3::splat(1e9));
    let (mut world, proxies) = Frames::new(&moving(&aabbs(scene.boxes())));
    let outcast = world.insert(&BroadphaseBody::moving(far));
    for frame in 0..4 {
        scene.advance();
        let mut set: Vec<_> = scene.moved().map(|i| (proxies[i], aabb(scene.boxes()[i]))).collect();
        set.push((outcast, moved(&far, Vec3::X * 100.0 * frame as f32)));
        world.set_batch(&set);
        world.update();
    }
    for (proxy, _) in proxies.iter().zip(0..100) {
        let aabb = world.broadphase.aabb(*proxy).unwrap();
        let stats = world.broadphase.moving().counted().overlap_aabb(&aabb, ALL, |_| ControlFlow::Continue(()));
        assert!(stats.nodes < 20, "{stats:?}");
    }
}
