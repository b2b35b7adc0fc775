//! With every instruction set that the processor supports, the pairs of a broadphase are those of brute force.

use cullide_bvh::{Broadphase, BroadphaseBody, Instructions, Proxy, narrowphase::Aabb};
use cullide_scenes::{Motion, Moving, SEED, awkward};
use cullide_support::{
    frames::Frames,
    scene::{aabb, aabbs, every_scene},
};

/// Bodies in a broadphase with each instruction set, weakest first; one in five is fixed.
fn at_every_level(boxes: &[Aabb]) -> Vec<(Instructions, Frames, Vec<Proxy>)> {
    let body = |(i, &aabb): (usize, &Aabb)| {
        if i % 5 == 4 { BroadphaseBody::fixed(aabb) } else { BroadphaseBody::moving(aabb) }
    };
    let bodies: Vec<BroadphaseBody> = boxes.iter().enumerate().map(body).collect();
    let level = |instructions: Instructions| {
        let broadphase = Broadphase::new().with_instructions(instructions)?;
        let mut world = Frames { broadphase, ..Frames::default() };
        let proxies = bodies.iter().map(|body| world.insert(body)).collect();
        Some((instructions, world, proxies))
    };
    Instructions::EVERY.into_iter().filter_map(level).collect()
}

/// Assigns the boxes to all bodies, one each, and checks the pairs.
fn frame(world: &mut Frames, proxies: &[Proxy], boxes: &[Aabb]) {
    world.set_batch(&proxies.iter().copied().zip(boxes.iter().copied()).collect::<Vec<_>>());
    world.check_trees();
    world.update();
}

#[test]
fn every_instruction_set_keeps_the_pairs_of_brute_force_in_every_motion() {
    for motion in Motion::ALL {
        let scene = Moving::new(1500, motion, SEED);
        for (_, mut world, proxies) in at_every_level(&aabbs(scene.boxes())) {
            let mut scene = scene.clone();
            for _ in 0..12 {
                scene.advance();
                let moved = scene.moved().map(|i| (proxies[i], aabb(scene.boxes()[i])));
                world.set_batch(&moved.collect::<Vec<_>>());
                world.check_trees();
                world.update();
            }
            world.check_full_query();
        }
    }
}

#[test]
fn every_instruction_set_keeps_the_pairs_of_brute_force_in_every_scene() {
    for scene in every_scene(900) {
        let mut boxes = scene.boxes;
        for (_, mut world, proxies) in at_every_level(&boxes) {
            // Each to the place of another, and back.
            for _ in 0..2 {
                boxes.reverse();
                frame(&mut world, &proxies, &boxes);
            }
        }
    }
}

#[test]
fn every_instruction_set_finds_all_pairs_where_every_box_meets_every_other() {
    let boxes = aabbs(&awkward::identical(700));
    for (_, mut world, proxies) in at_every_level(&boxes) {
        let apart: Vec<Aabb> =
            (0..700).map(|i| aabb([[10.0 * i as f32, 0.0, 0.0], [10.0 * i as f32, 3.0, 5.0]])).collect();
        frame(&mut world, &proxies, &apart);
        assert_eq!(world.replayed.len(), 0);
        frame(&mut world, &proxies, &boxes);
        // All pairs except those of two fixed bodies.
        assert_eq!(world.replayed.len(), (700 * 699 - 140 * 139) / 2);
    }
}
