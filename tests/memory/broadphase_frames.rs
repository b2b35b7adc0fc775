//! A frame of a broadphase allocates nothing once all arrays have reached their size.

use cullide_bvh::{
    ALL, Broadphase, BroadphaseBody, Bvh, Mobility, Proxy,
    narrowphase::{Aabb, glam::Vec3},
};
use cullide_scenes::{Motion, Moving, SEED};
use cullide_support::scene::{aabb, aabbs};

/// More frames than arrays need to grow to the size around which they fluctuate.
const WARM_UP: usize = 200;

fn scene(n: usize, motion: Motion) -> (Moving, Broadphase, Vec<Proxy>) {
    let scene = Moving::new(n, motion, SEED);
    let mut broadphase = Broadphase::new();
    let proxies =
        aabbs(scene.boxes()).into_iter().map(|aabb| broadphase.insert(&BroadphaseBody::moving(aabb))).collect();
    (scene, broadphase, proxies)
}

#[test]
fn no_steady_frame_of_moved_boxes_allocates() {
    // One thread, because handing work to others takes a few small allocations.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        for motion in [Motion::Slow, Motion::Fast, Motion::Few] {
            let (mut scene, mut broadphase, proxies) = scene(10_000, motion);
            let mut moved: Vec<(Proxy, Aabb)> = vec![];
            for frame in 0..4 * WARM_UP {
                scene.advance();
                moved.clear();
                moved.extend(scene.moved().map(|i| (proxies[i], aabb(scene.boxes()[i]))));
                let mut changes = 0;
                let allocations = allocation_counter::measure(|| {
                    broadphase.set_batch(&moved);
                    let events = broadphase.update();
                    changes = events.begun.len() + events.ended.len();
                });
                assert!(
                    frame < WARM_UP || allocations.count_total == 0,
                    "{motion:?}: {allocations:?} in frame {frame}"
                );
                assert!(motion != Motion::Fast || changes > 0);
            }
            assert!(broadphase.pair_count() > 0);
        }
    });
}

#[test]
fn no_steady_frame_of_single_edits_allocates() {
    let (mut scene, mut broadphase, mut proxies) = scene(1000, Motion::Fast);
    for frame in 0..2 * WARM_UP {
        scene.advance();
        let allocations = allocation_counter::measure(|| {
            for i in scene.moved().skip(frame % 7).step_by(7) {
                broadphase.set(proxies[i], &aabb(scene.boxes()[i]));
            }
            let gone = frame * 13 % proxies.len();
            let aabb = broadphase.remove(proxies[gone]).unwrap();
            proxies[gone] = broadphase.insert(&BroadphaseBody::moving(aabb));
            broadphase.set_layers(proxies[frame % 10], 1 << (frame % 3), u32::MAX);
            let mobility = if frame % 2 == 0 { Mobility::Fixed } else { Mobility::Moving };
            let rested = &mut proxies[20 + frame / 2 % 10];
            *rested = broadphase.set_mobility(*rested, mobility).unwrap();
            broadphase.update();
        });
        assert!(frame < WARM_UP || allocations.count_total == 0, "{allocations:?} in frame {frame}");
    }
}

#[test]
fn no_insertion_into_reserved_room_copies_the_tree() {
    let mut tree = Bvh::new();
    tree.reserve(20_000);
    for i in 0..20_000u16 {
        let half = Vec3::splat(1.0 + 0.01 * f32::from(i));
        let nested = Aabb::new(-half, half).unwrap();
        let allocations = allocation_counter::measure(|| _ = tree.insert(&nested, ALL));
        assert!(allocations.bytes_total < 65_536, "{allocations:?} in insertion {i}");
    }
}
