//! Pairs and events do not depend on how many threads find them.

use cullide_bvh::{Broadphase, BroadphaseBody, Helpers, Pair, Proxy, narrowphase::Aabb};
use cullide_scenes::{Motion, Moving, SEED};
use cullide_support::scene::{aabb, aabbs};

/// The pairs that began and those that ended in a frame.
type Changes = (Vec<Pair>, Vec<Pair>);

/// All events of some frames, found by a team of at most `team` threads, and the pairs at the end.
fn events(n: usize, motion: Motion, team: usize) -> (Vec<Changes>, Vec<Pair>) {
    let mut scene = Moving::new(n, motion, SEED);
    let (mut broadphase, mut helpers) = (Broadphase::new(), Helpers::default());
    let insert = |(i, aabb): (usize, Aabb)| {
        broadphase.insert(&if i % 5 == 0 { BroadphaseBody::fixed(aabb) } else { BroadphaseBody::moving(aabb) })
    };
    let proxies: Vec<Proxy> = aabbs(scene.boxes()).into_iter().enumerate().map(insert).collect();
    let frames = (0..8)
        .map(|_| {
            scene.advance();
            let moved = scene.moved().filter(|i| i % 5 != 0);
            let moved: Vec<(Proxy, Aabb)> = moved.map(|i| (proxies[i], aabb(scene.boxes()[i]))).collect();
            broadphase.set_batch(&moved);
            helpers.with(team, |team| {
                let events = broadphase.update_by(team);
                (events.begun.to_vec(), events.ended.to_vec())
            })
        })
        .collect();
    assert_eq!(broadphase.moving().validate(), Ok(()));
    (frames, broadphase.pairs().collect())
}

#[test]
fn any_number_of_threads_finds_the_same_pairs_and_events() {
    for motion in [Motion::Slow, Motion::Fast, Motion::Few] {
        let [expected, others @ ..] = [1, 2, 3, 8, 16].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| events(64_000, motion, 1))
        });
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        assert!(pool.install(|| events(64_000, motion, 2)) == expected, "{motion:?}, by a team");
        assert!(expected.1.len() > 10_000, "{} pairs", expected.1.len());
        assert!(others.iter().all(|other| *other == expected), "{motion:?}");
    }
}

#[test]
fn boxes_out_of_order_count_as_set_one_after_the_other() {
    let n = 40_000;
    let mut scene = Moving::new(n, Motion::Fast, SEED);
    let before: Vec<Aabb> = aabbs(scene.boxes());
    scene.advance();
    let after: Vec<Aabb> = aabbs(scene.boxes());
    let mut first = Broadphase::new();
    let proxies: Vec<Proxy> = before.iter().map(|&aabb| first.insert(&BroadphaseBody::moving(aabb))).collect();
    first.update();
    let in_order: Vec<(Proxy, Aabb)> = proxies.iter().copied().zip(after.iter().copied()).collect();

    let mut exchanged = in_order.clone();
    exchanged.swap(3_001, 15_001);
    // Set twice: the later box counts, wherever it is in the list.
    let mut late = in_order.clone();
    late.push((proxies[5], before[5]));
    let mut early = in_order.clone();
    early[7] = (proxies[15_001], before[15_001]);
    let mut twice_among_its_own = in_order;
    twice_among_its_own[101] = (proxies[100], before[100]);
    for (moved, tells) in [(exchanged, 3_001), (late, 5), (early, 15_001), (twice_among_its_own, 100)] {
        let mut expected = first.clone();
        moved.iter().for_each(|(proxy, aabb)| assert!(expected.set(*proxy, aabb)));
        let expected_events = expected.update();
        let (begun, ended) = (expected_events.begun.to_vec(), expected_events.ended.to_vec());
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut broadphase = first.clone();
            assert_eq!(pool.install(|| broadphase.set_batch(&moved)), moved.len());
            let events = pool.install(|| broadphase.update());
            assert_eq!((events.begun, events.ended), (&begun[..], &ended[..]), "{threads} threads, body {tells}");
            assert_eq!(broadphase.aabb(proxies[tells]), expected.aabb(proxies[tells]));
            assert_eq!(broadphase.moving().validate(), Ok(()));
        }
    }
}
