//! The events of a broadphase as one number: the same with and without the feature `parallel`, on any processor.

use cullide_bvh::{
    Broadphase, BroadphaseBody, Proxy,
    narrowphase::{Aabb, glam::Vec3},
};

/// A sequence of numbers below 1000, by Lehmer's generator.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self.0 * 48_271 % 0x7FFF_FFFF;
        (self.0 % 1000) as f32
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
}

#[test]
fn the_stream_of_events_is_what_it_always_was() {
    let mut numbers = Numbers(1);
    let mut broadphase = Broadphase::new();
    // Integers and halves throughout, so that nothing is rounded; enough bodies for several threads.
    let mut bodies: Vec<(Proxy, Aabb, Vec3)> = (0..12_000)
        .map(|i| {
            let low = (numbers.vector() / 8.0).floor();
            let aabb = Aabb::new(low, low + Vec3::new(2.0, 3.0, 5.0)).unwrap();
            let body = if i % 7 == 0 { BroadphaseBody::fixed(aabb) } else { BroadphaseBody::moving(aabb) };
            let velocity = (numbers.vector() / 100.0).floor() - Vec3::splat(4.0);
            (broadphase.insert(&body.layers(1 << (i % 3)).pairs_with(0b101 << (i % 2))), aabb, velocity)
        })
        .collect();
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut total = 0;
    for frame in 0..12 {
        // Fast, slow, few.
        let (scale, stride) = [(1.0, 1), (0.125, 1), (0.5, 50)][frame % 3];
        for body in bodies.iter_mut().step_by(stride) {
            let step = body.2 * scale;
            body.1 = Aabb::new(body.1.min() + step, body.1.max() + step).unwrap();
        }
        let moved: Vec<_> = bodies.iter().step_by(stride).map(|body| (body.0, body.1)).collect();
        broadphase.set_batch(&moved);
        let events = broadphase.update();
        for (sign, pairs) in [(1, events.begun), (2, events.ended)] {
            total += pairs.len();
            for pair in pairs {
                // Fowler, Noll and Vo's hash.
                for word in [sign, pair.first.index() as u64, pair.second.index() as u64] {
                    hash = (hash ^ word).wrapping_mul(0x100_0000_01b3);
                }
            }
        }
    }
    assert_eq!((total, hash), (15_931, 17_430_510_761_626_313_571));
}
