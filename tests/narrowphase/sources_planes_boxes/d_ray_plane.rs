//! Two-sided ray against plane: Christopoulos, "Collision detection tutorial".

use super::{floor, raw, ray, segment, v, within};
use cullide_narrowphase::{Error, Plane, Ray, glam::Vec3};
use cullide_oracle as oracle;
use cullide_scenes::{Rng, SEED};

#[test]
fn d1_a_shallow_or_short_direction_is_not_parallel() {
    let start = v(0.0, 1e-3, 0.0);
    assert_eq!(ray(start, v(0.0, -1e-9, 0.0)).cast(&floor(), f32::INFINITY).unwrap().distance, 1e-3);
    let distance = ray(start, v(1.0, -1e-9, 0.0)).cast(&floor(), f32::INFINITY).unwrap().distance;
    assert!((distance - 1e6).abs() <= 0.125, "{distance}");
}

#[test]
fn d2_a_plane_just_behind_the_start_is_missed() {
    assert_eq!(ray(v(0.0, -5e-9, 0.0), Vec3::NEG_Y).cast(&floor(), f32::INFINITY), None);
}

#[test]
fn d3_an_origin_that_is_no_number_is_an_error() {
    assert_eq!(Ray::new(v(0.0, f32::NAN, 0.0), Vec3::Y), Err(Error::NonFinite { field: "origin" }));
}

#[test]
fn d4_from_behind_the_normal_faces_the_ray() {
    let hit = ray(Vec3::NEG_Y, Vec3::Y).cast(&floor(), 9.0).unwrap();
    assert_eq!((hit.distance, hit.normal), (1.0, Vec3::NEG_Y));
}

#[test]
fn d5_a_start_on_the_plane_that_leaves_is_marked_as_inside_and_does_not_hit_the_front() {
    let leaving = ray(Vec3::ZERO, Vec3::Y);
    let touch = leaving.cast(&floor(), 9.0).unwrap();
    assert!(touch.inside && touch.distance == 0.0 && touch.exit == 0.0);
    assert_eq!(leaving.cast_front(&floor(), 9.0), None);
}

#[test]
fn d6_a_ray_is_parallel_when_its_stored_numbers_are_and_not_when_an_epsilon_says_so() {
    let mut rng = Rng::with_seed(SEED);
    let mut hits = 0;
    for _ in 0..2_000 {
        let (Ok(plane), start) = (Plane::new(within(&mut rng, 1.0), rng.f32()), within(&mut rng, 1.0)) else {
            continue;
        };
        let across = plane.normal().cross(within(&mut rng, 1.0));
        let ray = ray(start, across);
        let path = oracle::Path::ray(ray.origin().to_array(), ray.direction().to_array(), f32::INFINITY);
        let expected = oracle::path_plane(&path, raw(&plane)).hit.is_some();
        assert_eq!(ray.hits(&plane, f32::INFINITY), expected, "{plane:?} {ray:?}");
        hits += usize::from(expected);
    }
    assert!((200..1_800).contains(&hits), "{hits}");
    assert!(!ray(Vec3::Y, v(1.0, 0.0, 2.0)).hits(&floor(), f32::INFINITY));
}

#[test]
fn d7_a_miss_holds_no_numbers_and_a_distance_is_one_whatever_the_direction_was() {
    assert_eq!(ray(Vec3::Y, Vec3::Y).cast(&floor(), 9.0), None);
    assert_eq!(ray(Vec3::Y * 3.0, Vec3::NEG_Y * 5.0).cast(&floor(), 9.0).unwrap().distance, 3.0);
    assert_eq!(segment(Vec3::Y * 3.0, Vec3::NEG_Y * 4.0).cast(&floor()).unwrap().fraction, 0.75);
}
