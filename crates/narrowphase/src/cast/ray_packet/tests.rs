use super::*;
use crate::{Crossing, RayIntersection, cast::slanted::tests::random_point, simd::levels};
use cullide_scenes::{Rng, SEED};

/// A packet of rays that start at one point, and three triangles, two of which are equal.
fn scene(rng: &mut Rng, round: u32) -> (Vec<Ray>, [[Vec3; 3]; 3], f32) {
    let mut point = |size: f32| random_point(rng, round, size);
    let (from, to) = (point(3.0), point(1.0));
    let count = 1 + round as usize % LANES;
    let rays = (0..count).filter_map(|_| Ray::new(from, to.lerp(point(1.0), 0.2) - from).ok()).collect();
    let mut corners = [point(1.0), point(1.0), point(1.0)];
    if round.is_multiple_of(2) {
        // In an axis-aligned plane, like walls and floors.
        let level = corners[0].y;
        corners.iter_mut().for_each(|corner| corner.y = level);
    }
    let other = [point(1.0), corners[1], corners[2]];
    let max = [f32::INFINITY, from.distance(corners[0]), 3.0, 0.0][round as usize % 4];
    (rays, [corners, other, corners], max)
}

#[test]
fn each_ray_crosses_first_what_it_does_alone() {
    let mut rng = Rng::with_seed(SEED);
    let (mut crossed, mut certain, mut later) = (0, 0, 0);
    // Of the two equal triangles, the one with the smaller number counts.
    let numbers = [9, 4, 3];
    for round in 0..15_000u32 {
        let (rays, triangles, max) = scene(&mut rng, round);
        let mut packet = RayPacket::default();
        packet.gather(&rays);
        for sides in [Sides::Front, Sides::Both] {
            let alone: Vec<Option<(u32, Crossing)>> = rays
                .iter()
                .map(|ray| {
                    let path = ray.path(max)?;
                    let crossing = |i: usize| Some((numbers[i], path.crossing_of_triangle(triangles[i], sides)?));
                    let order = |a: &(u32, Crossing)| ((a.1.enter as f32).to_bits(), a.0);
                    let all: Vec<_> = [0, 1, 2].into_iter().filter_map(crossing).collect();
                    later += usize::from(all.len() == 3);
                    all.into_iter().min_by_key(order)
                })
                .collect();
            let mut first = FirstCrossings::default();
            packet.cross_triangles(&numbers, &triangles, &[u32::MAX; 3], sides, max, &mut first);
            let hits = packet.intersections(&first);
            for (lane, (ray, expected)) in rays.iter().zip(&alone).enumerate() {
                assert_eq!(first.get(lane), *expected, "{ray:?} {triangles:?}");
                let expected = expected.map(|(_, crossing)| ray.path(max).unwrap().ray_intersection(crossing));
                let bits = |hit: RayIntersection| (hit, hit.point.to_array().map(f32::to_bits));
                assert_eq!(expected.map(|_| bits(hits.get(lane, &first))), expected.map(bits));
                crossed += usize::from(expected.is_some());
            }
            assert_eq!(first.met() >> rays.len(), 0);
            for level in levels() {
                let (mut found, mut unclear) = (FirstCrossings::default(), 0);
                vectorized!(level, simd => {
                    unclear = packet.cross_triangle(simd, (4, triangles[1]), (1 << rays.len()) - 1, sides, max, &mut found);
                }, else {});
                for (lane, ray) in rays.iter().enumerate().filter(|(lane, _)| unclear >> lane & 1 == 0) {
                    let path = ray.path(max).unwrap();
                    let expected = path.crossing_of_triangle(triangles[1], sides).map(|crossing| (4, crossing));
                    assert_eq!(found.get(lane), expected, "{ray:?} {triangles:?}");
                    certain += usize::from(expected.is_some());
                }
            }
        }
    }
    assert!(
        crossed > 1250 && later > 125 && certain > levels().len() * crossed / 4,
        "{crossed} cross, {later} of them all three; {certain} for certain"
    );
}

#[test]
fn lanes_that_are_not_asked_or_have_no_ray_cross_nothing() {
    let rays = [Ray::new(Vec3::new(0.5, 0.5, 1.0), Vec3::NEG_Z).unwrap(); 20];
    let corners = [Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 2.0];
    let met = |count: usize, lanes: u32, max: f32| {
        let (mut packet, mut first) = (RayPacket::default(), FirstCrossings::default());
        packet.gather(&rays[..count]);
        packet.cross_triangles(&[0], &[corners], &[lanes], Sides::Both, max, &mut first);
        first.met()
    };
    assert_eq!(met(20, u32::MAX, 1.0), 0xffff);
    assert_eq!(met(5, 0b1011_0110, 1.0), 0b1_0110);
    assert_eq!([met(5, 1, 1.0), met(5, 1, 0.5), met(5, 3, -1.0), met(5, 3, f32::NAN), met(0, 3, 1.0)], [1, 0, 0, 0, 0]);
}
