//! One-sided segment against plane: the tutorial class `CPlane`.

use super::{floor, raw, ray, segment, v, within};
use cullide_narrowphase::{Error, Plane, Ray, Side, glam::Vec3};
use cullide_oracle as oracle;
use cullide_scenes::{Rng, SEED};

#[test]
fn a1_an_endless_ray_behind_the_plane_going_away_misses() {
    assert_eq!(ray(v(0.0, -5.0, 0.0), Vec3::NEG_Y).cast_front(&floor(), f32::INFINITY), None);
}

#[test]
fn a2_a_time_that_underflows_is_not_a_hit_at_the_start() {
    assert_eq!(ray(v(0.0, -1e-8, 0.0), Vec3::NEG_Y).cast_front(&floor(), 3e38), None);
}

#[test]
fn a3_a_path_of_length_zero_on_the_plane_touches_it_but_does_not_head_into_it() {
    let on = ray(Vec3::ZERO, Vec3::NEG_Y);
    assert_eq!(on.cast(&floor(), 0.0).unwrap().distance, 0.0);
    assert_eq!(on.cast_front(&floor(), 0.0), None);
    assert!(segment(Vec3::ZERO, Vec3::ZERO).hits(&floor()));
}

#[test]
fn a4_a_tiny_slope_over_a_tiny_length_still_hits_at_the_start() {
    let hit = ray(Vec3::ZERO, v(1.0, -1e-6, 0.0)).cast_front(&floor(), 1e-40).unwrap();
    assert_eq!(hit.distance, 0.0);
}

#[test]
fn a7_a_nan_anywhere_is_an_error() {
    let nan = v(0.0, f32::NAN, 0.0);
    assert_eq!(Ray::new(nan, Vec3::Y), Err(Error::NonFinite { field: "origin" }));
    assert_eq!(Ray::new(Vec3::Y, nan), Err(Error::NonFinite { field: "direction" }));
    assert_eq!(Plane::new(nan, 0.0), Err(Error::NonFinite { field: "normal" }));
    assert_eq!(ray(Vec3::Y, Vec3::NEG_Y).cast_front(&floor(), f32::NAN), None);
}

#[test]
fn a8_a_ray_in_the_plane_touches_it_and_does_not_hit_its_front() {
    let along = ray(Vec3::ZERO, Vec3::X);
    assert_eq!(along.cast_front(&floor(), 9.0), None);
    assert!(along.cast(&floor(), 9.0).unwrap().inside);
}

#[test]
fn a9_cancellation_at_a_million_does_not_move_the_start_across_the_plane() {
    let plane = Plane::new(v(0.6, 0.8, 0.0), -1_400_000.0).unwrap();
    let start = v(1_000_000.7, 999_999.44, 0.0);
    assert_eq!(plane.side_of_point(start), Side::Back);
    assert_eq!(ray(start, -plane.normal()).cast_front(&plane, 0.516_381_3), None);
}

#[test]
fn a9_no_answer_near_a_plane_a_million_away_is_wrong() {
    let mut rng = Rng::with_seed(SEED);
    let mut hits = 0;
    for _ in 0..20_000 {
        let normal = within(&mut rng, 1.0);
        let Ok(plane) = Plane::from_point_normal(Vec3::splat(1e6), normal) else { continue };
        let start = plane.closest_point(Vec3::splat(1e6) + within(&mut rng, 1.0)) + within(&mut rng, 0.5);
        let (ray, length) = (ray(start, -plane.normal()), rng.f32());
        let path = oracle::Path::ray(ray.origin().to_array(), ray.direction().to_array(), length);
        let expected = oracle::path_plane_front(&path, raw(&plane)).is_some();
        assert_eq!(ray.cast_front(&plane, length).is_some(), expected, "{plane:?} {ray:?} {length}");
        hits += usize::from(expected);
    }
    assert!((2_000..18_000).contains(&hits), "{hits}");
}
