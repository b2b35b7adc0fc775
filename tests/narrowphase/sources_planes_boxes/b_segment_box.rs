//! Segment against axis-aligned box: the tutorial class `CAxisAlgnBB`, after Woo (1990).

use super::{aabb, ray, segment, truly_hits, unit_box, v, within};
use cullide_narrowphase::{Aabb, Error, MAX_COORDINATE, Ray, Segment, glam::Vec3};
use cullide_scenes::{Rng, SEED};

#[test]
fn b1_an_origin_that_is_no_number_is_not_inside() {
    for origin in [v(f32::NAN, 0.5, 0.5), Vec3::NAN] {
        assert_eq!(Ray::new(origin, Vec3::X), Err(Error::NonFinite { field: "origin" }));
        assert_eq!(Segment::new(origin, Vec3::X), Err(Error::NonFinite { field: "start" }));
    }
}

#[test]
fn b2_a_direction_that_is_no_number_is_an_error() {
    for direction in [v(f32::NAN, 1.0, 1.0), Vec3::NAN] {
        assert_eq!(Ray::new(Vec3::NEG_ONE, direction), Err(Error::NonFinite { field: "direction" }));
        assert_eq!(Segment::new(Vec3::NEG_ONE, direction), Err(Error::NonFinite { field: "delta" }));
    }
}

#[test]
fn b3_an_endless_ray_past_the_box_misses() {
    assert!(!ray(v(-1.0, 5.0, 0.5), Vec3::X).hits(&unit_box(), f32::INFINITY));
}

#[test]
fn b4_a_diagonal_through_the_box_is_a_hit() {
    let (a, q) = (-0.477_181_94, 1.800_482_3);
    let hit = segment(v(a, a, 0.5), v(q, q, 0.0)).cast(&unit_box()).unwrap();
    assert!((hit.fraction - 0.265).abs() < 1e-3 && (hit.exit - 0.820).abs() < 1e-3);
}

#[test]
fn b4_every_diagonal_through_the_box_is_a_hit() {
    let mut rng = Rng::with_seed(SEED);
    for _ in 0..20_000 {
        let (a, q) = (-rng.f32(), 1.0 + rng.f32());
        assert!(segment(v(a, a, 0.5), v(q, q, 0.0)).hits(&unit_box()), "{a} {q}");
    }
}

#[test]
fn b5_a_segment_past_a_flat_box_misses_though_its_rounded_point_lies_on_it() {
    let z = 0.005_750_831;
    let flat = aabb(v(0.0, 0.0, z), v(1.0, 1.0, z));
    let past = segment(v(-1.630_240_1, 0.5, 0.364_755_57), v(1.920_537_4, 0.0, -0.359_004_74));
    assert_eq!(past.cast(&flat), None);
}

#[test]
fn b5_no_answer_at_a_flat_box_is_wrong() {
    let mut rng = Rng::with_seed(SEED);
    let mut hits = 0;
    for _ in 0..5_000 {
        let z = rng.f32();
        let flat = aabb(v(0.0, 0.0, z), v(1.0, 1.0, z));
        // Ends on the flat box, up to rounding.
        let start = v(-1.0 - rng.f32(), 0.5, z + rng.f32());
        let reach = rng.f32();
        let segment = segment(start, v(reach - start.x, 0.0, z - start.z));
        assert_eq!(segment.hits(&flat), truly_hits(&segment, &flat), "{flat:?} {segment:?}");
        hits += usize::from(segment.hits(&flat));
    }
    assert!((500..4_500).contains(&hits), "{hits}");
}

#[test]
fn b6_a_segment_to_the_corner_touches_the_box() {
    let hit = Segment::between(Vec3::ZERO, Vec3::ONE).unwrap().cast(&aabb(Vec3::ONE, Vec3::splat(2.0))).unwrap();
    assert_eq!(hit.fraction, 1.0);
}

#[test]
fn b7_an_inverted_box_is_an_error() {
    assert_eq!(Aabb::new(v(1.0, -1.0, -1.0), v(-1.0, 1.0, 1.0)), Err(Error::Inverted { field: "min" }));
}

#[test]
fn b8_the_farthest_box_of_all_is_hit_and_beyond_that_is_an_error() {
    assert_eq!(Aabb::new(v(3e38, 0.0, 0.0), v(3.1e38, 1.0, 1.0)), Err(Error::OutOfRange { field: "min" }));
    let far = aabb(v(MAX_COORDINATE, 0.0, 0.0), v(MAX_COORDINATE, 1.0, 1.0));
    let hit = ray(v(-MAX_COORDINATE, 0.5, 0.5), Vec3::X).cast(&far, f32::INFINITY).unwrap();
    assert_eq!(hit.distance, 2.0 * MAX_COORDINATE);
}

#[test]
fn b9_no_answer_at_a_silhouette_edge_is_wrong_at_any_scale() {
    let mut rng = Rng::with_seed(SEED);
    for scale in [1.0, 1e3, 1e6] {
        let mut hits = 0;
        for _ in 0..10_000 {
            let corner = within(&mut rng, scale);
            let aabb = aabb(corner, corner + within(&mut rng, 2.0).abs());
            let start = corner + within(&mut rng, 8.0);
            // Aimed at the edge between the nearest faces of x and y.
            let on_edge = start.clamp(aabb.min(), aabb.max());
            let target = v(on_edge.x, aabb.min().y + aabb.max().y - on_edge.y, on_edge.z);
            let segment = segment(start, 1.5 * (target - start));
            assert_eq!(segment.hits(&aabb), truly_hits(&segment, &aabb), "{aabb:?} {segment:?}");
            hits += usize::from(segment.hits(&aabb));
        }
        assert!((1_000..9_900).contains(&hits), "{hits}");
    }
}
