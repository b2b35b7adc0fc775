//! What a frame does to keep the trees good is bounded by what moved in it: this is counted, not timed.

use cullide_bvh::{Broadphase, BroadphaseBody, Proxy, narrowphase::Aabb};
use cullide_scenes::{Motion, Moving, SEED};
use cullide_support::scene::{aabb, aabbs};

/// The number of leaves that may be reinserted for each body that moved, and the least budget in total.
const EACH: usize = 8;
const LEAST: usize = 256;

/// Plays frames in which one in `one_in` boxes is passed on; returns the maximum and the sum of the upkeep.
fn frames(motion: Motion, n: usize, one_in: usize, count: usize) -> (usize, usize) {
    let mut scene = Moving::new(n, motion, SEED);
    let mut broadphase = Broadphase::new();
    let proxies: Vec<Proxy> =
        aabbs(scene.boxes()).into_iter().map(|aabb| broadphase.insert(&BroadphaseBody::moving(aabb))).collect();
    broadphase.rebuild();
    let (mut most, mut sum) = (0, 0);
    for frame in 0..count {
        scene.advance();
        let moved: Vec<(Proxy, Aabb)> =
            scene.moved().filter(|i| i % one_in == 0).map(|i| (proxies[i], aabb(scene.boxes()[i]))).collect();
        broadphase.set_batch(&moved);
        let upkeep = broadphase.upkeep();
        let budget = LEAST.max(EACH * moved.len());
        assert!(upkeep <= budget, "{motion:?}, {} of {n} moved, frame {frame}: {upkeep}", moved.len());
        (most, sum) = (most.max(upkeep), sum + upkeep);
        broadphase.update();
        assert_eq!(broadphase.upkeep(), 0);
    }
    (most, sum)
}

#[test]
fn upkeep_of_a_frame_is_bounded_by_what_moved_in_it() {
    for motion in [Motion::Slow, Motion::Fast, Motion::Few, Motion::Brownian] {
        for one_in in [1, 3, 7, 20] {
            frames(motion, 4000, one_in, 60);
        }
    }
}

#[test]
fn few_moved_bodies_never_pay_for_all() {
    let (most, sum) = frames(Motion::Few, 10_000, 1, 300);
    assert!(most <= LEAST && sum > 0, "{most} at most, {sum} in all");
}

#[test]
fn fast_bodies_are_packed_once_a_round() {
    let (most, sum) = frames(Motion::Fast, 4000, 1, 100);
    assert_eq!(most, 4000);
    assert!((20..=40).contains(&(sum / 4000)), "{} times in 100 frames", sum / 4000);
}
