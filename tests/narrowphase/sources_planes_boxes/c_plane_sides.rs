//! Plane against axis-aligned box (n- and p-vertex) and against sphere.

use super::{aabb, raw, v, within};
use cullide_narrowphase::{Aabb, Error, MAX_COORDINATE, Plane, Side, Sphere, glam::Vec3};
use cullide_oracle as oracle;
use cullide_scenes::{Rng, SEED};

fn plane(normal: Vec3, d: f32) -> Plane {
    Plane::new(normal, d).unwrap()
}

#[test]
fn c1_the_z_of_the_vertices_follows_the_sign_of_the_normal() {
    let facing_down = plane(Vec3::NEG_Z, 5.0);
    assert_eq!(facing_down.side_of_aabb(&aabb(v(0.0, 0.0, 4.0), v(2.0, 3.0, 6.0))), Side::Straddling);
    assert_eq!(facing_down.side_of_aabb(&aabb(v(0.0, 0.0, 100.0), v(2.0, 3.0, 101.0))), Side::Back);
    assert_eq!(facing_down.side_of_aabb(&aabb(v(0.0, 0.0, -1.0), v(2.0, 3.0, 1.0))), Side::Front);
}

#[test]
fn c2_an_inverted_box_is_an_error_and_the_sorted_one_straddles() {
    let (low, high) = (v(8.0, 8.0, 8.0), v(12.0, 11.0, 11.0));
    assert_eq!(Aabb::new(high, low), Err(Error::Inverted { field: "min" }));
    let plane = Plane::from_normal_distance(Vec3::ONE, 30.0).unwrap();
    assert_eq!(plane.side_of_aabb(&aabb(low, high)), Side::Straddling);
}

#[test]
fn c3_a_normal_is_normalised_before_a_radius_is_compared() {
    let sphere = Sphere::new(Vec3::splat(8.0), 15.0).unwrap();
    let plane = plane(Vec3::ONE, -1.0);
    assert!((plane.signed_distance(sphere.center()) - 13.279).abs() < 1e-3);
    assert_eq!(plane.side_of_sphere(&sphere), Side::Straddling);
    assert_eq!(Sphere::new(Vec3::ZERO, -1.0), Err(Error::Negative { field: "radius" }));
}

#[test]
fn c4_an_infinite_box_is_an_error_and_the_largest_one_straddles() {
    assert_eq!(Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY), Err(Error::NonFinite { field: "min" }));
    let all = aabb(Vec3::splat(-MAX_COORDINATE), Vec3::splat(MAX_COORDINATE));
    assert_eq!(plane(Vec3::X, 0.0).side_of_aabb(&all), Side::Straddling);
}

#[test]
fn c5_a_plane_without_a_normal_is_an_error() {
    for d in [0.0, 1.0] {
        assert_eq!(Plane::new(Vec3::ZERO, d), Err(Error::ZeroNormal { field: "normal" }));
    }
}

#[test]
fn c6_a_distance_that_is_no_number_is_an_error() {
    assert_eq!(Plane::new(Vec3::Y, f32::NAN), Err(Error::NonFinite { field: "d" }));
}

#[test]
fn c7_a_box_that_only_just_reaches_the_plane_straddles_it() {
    let plane = plane(v(0.749_558_57, 0.348_899_87, 0.562_521_8), 789.198_8);
    let aabb = aabb(v(-704.074_95, 298.120_2, -651.468_5), v(-703.824_46, 299.573_33, -650.929_8));
    assert_eq!(plane.side_of_aabb(&aabb), Side::Straddling);
}

#[test]
fn c7_no_answer_for_a_box_that_touches_is_wrong() {
    let mut rng = Rng::with_seed(SEED);
    let mut seen = [0; 3];
    for _ in 0..20_000 {
        let corner = within(&mut rng, 1e3);
        let aabb = aabb(corner, corner + within(&mut rng, 2.0).abs());
        let normal = within(&mut rng, 1.0);
        let Ok(plane) = Plane::from_point_normal(aabb.support(normal), normal) else { continue };
        let expected = match oracle::side_of_aabb(raw(&plane), [aabb.min().into(), aabb.max().into()]) {
            oracle::Side::Front => Side::Front,
            oracle::Side::Straddling => Side::Straddling,
            oracle::Side::Back => Side::Back,
        };
        assert_eq!(plane.side_of_aabb(&aabb), expected, "{plane:?} {aabb:?}");
        seen[expected as usize] += 1;
    }
    assert!(seen[Side::Straddling as usize] > 5_000 && seen[Side::Back as usize] > 5_000, "{seen:?}");
}
