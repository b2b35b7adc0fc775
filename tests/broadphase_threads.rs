//! Pairs and events do not depend on how many threads find them.

use cullide_bvh::{Body, Broadphase, Pair, Proxy, narrowphase::Aabb};
use cullide_scenes::{Motion, Moving, SEED};
use cullide_support::scene::{aabb, aabbs};

/// What began and what ended in a frame.
type Changes = (Vec<Pair>, Vec<Pair>);

/// All events of some frames, and the pairs at the end.
fn events(n: usize, motion: Motion) -> (Vec<Changes>, Vec<Pair>) {
    let mut scene = Moving::new(n, motion, SEED);
    let mut broadphase = Broadphase::new();
    let insert =
        |(i, aabb): (usize, Aabb)| broadphase.insert(&if i % 5 == 0 { Body::fixed(aabb) } else { Body::moving(aabb) });
    let proxies: Vec<Proxy> = aabbs(scene.boxes()).into_iter().enumerate().map(insert).collect();
    let frames = (0..8)
        .map(|_| {
            scene.advance();
            let moved = scene.moved().filter(|i| i % 5 != 0);
            broadphase.set_all(&moved.map(|i| (proxies[i], aabb(scene.boxes()[i]))).collect::<Vec<_>>());
            let events = broadphase.update();
            (events.begun.to_vec(), events.ended.to_vec())
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
            pool.install(|| events(64_000, motion))
        });
        assert!(expected.1.len() > 10_000, "{} pairs", expected.1.len());
        assert!(others.iter().all(|other| *other == expected), "{motion:?}");
    }
}
