//! Slabs against rays, in the plane, for axis-aligned and for oriented boxes.

use super::{aabb, ray, segment, unit_box, v, within};
use cullide_narrowphase::{
    Aabb, Error, Obb, Ray,
    glam::{Quat, Vec3},
};
use cullide_scenes::{Rng, SEED};

const ENDLESS: f32 = f32::INFINITY;

/// A ray in the plane through the middle of [`unit_box`].
fn flat(origin: [f32; 2], direction: [f32; 2]) -> Ray {
    ray(v(origin[0], origin[1], 0.5), v(direction[0], direction[1], 0.0))
}

/// The answer that the box and the oriented box with the same bounds both give.
fn hits(ray: &Ray, aabb: &Aabb) -> bool {
    let answer = ray.hits(aabb, ENDLESS);
    assert_eq!(ray.hits(&Obb::from(aabb), ENDLESS), answer, "{ray:?} {aabb:?}");
    answer
}

fn cube() -> Aabb {
    aabb(Vec3::NEG_ONE, Vec3::ONE)
}

#[test]
fn e1_a_parallel_ray_is_tested_on_its_own_axis_and_in_its_own_direction() {
    assert!(!hits(&flat([5.0, 0.5], [0.0, 1.0]), &unit_box()));
    assert!(hits(&flat([0.5, -5.0], [0.0, 1.0]), &unit_box()));
    assert!(!hits(&flat([0.5, -5.0], [0.0, -1.0]), &unit_box()));
}

#[test]
fn e2_the_y_slab_is_met_from_the_origins_y() {
    assert!(hits(&flat([-1.0, 0.5], [1.0, 0.1]), &unit_box()));
    assert!(!hits(&flat([-1.0, -20.0], [1.0, 1.0]), &unit_box()));
}

#[test]
fn e3_the_entry_is_the_later_of_the_two() {
    assert!(!hits(&flat([-1.0, -3.0], [1.0, 1.0]), &unit_box()));
}

#[test]
fn e4_a_ray_downward_meets_the_far_bounds_first() {
    assert!(hits(&flat([2.0, 0.5], [-1.0, -0.1]), &unit_box()));
}

#[test]
fn e5_slabs_are_met_on_the_axes_that_are_not_parallel() {
    let direction = v(1.0, 0.01, 0.01);
    assert!(hits(&ray(v(-5.0, 0.2, 0.1), direction), &cube()));
    assert!(!hits(&ray(v(-5.0, 9.0, 9.0), direction), &cube()));
}

#[test]
fn e6_an_entry_before_the_exit_is_a_hit_and_not_a_miss() {
    assert!(hits(&ray(v(-5.0, 0.0, 0.0), Vec3::X), &cube()));
    assert!(!hits(&ray(v(-5.0, -9.0, 0.0), v(1.0, 1.0, 0.0)), &cube()));
}

#[test]
fn e7_a_tiny_direction_is_not_parallel_to_everything() {
    assert!(hits(&ray(Vec3::ZERO, Vec3::splat(1e-8)), &cube()));
    assert!(hits(&ray(v(-5.0, 0.0, 0.0), v(1e-8, 0.0, 0.0)), &cube()));
    assert!(!segment(v(-5.0, 0.0, 0.0), v(1e-8, 0.0, 0.0)).hits(&cube()));
}

#[test]
fn e8_a_ray_without_direction_is_an_error_and_a_segment_of_length_zero_a_point() {
    assert_eq!(Ray::new(Vec3::ZERO, Vec3::ZERO), Err(Error::ZeroDirection { field: "direction" }));
    let obb = Obb::new(Vec3::ZERO, Quat::from_rotation_x(0.5), v(1.0, 2.0, 3.0)).unwrap();
    assert!(segment(Vec3::ZERO, Vec3::ZERO).cast(&obb).unwrap().inside);
    assert!(!segment(v(9.0, 0.0, 0.0), Vec3::ZERO).hits(&obb));
}

#[test]
fn e9_a_nearly_parallel_ray_is_in_the_slab_for_a_while_though_not_at_both_ends() {
    let plate = Obb::new(Vec3::ZERO, Quat::IDENTITY, v(1e7, 1e7, 1.0)).unwrap();
    let hit = ray(v(-1e7, 0.0, 0.0), v(1.0, 0.0, 1.1e-7)).cast(&plate, ENDLESS).unwrap();
    assert!(hit.inside && hit.exit > 9e6, "{hit:?}");
}

#[test]
fn e10_a_negative_extent_is_an_error() {
    let extents = v(-1.0, 1.0, 1.0);
    let negative = Error::Negative { field: "half_extents" };
    assert_eq!(Obb::new(Vec3::ZERO, Quat::IDENTITY, extents), Err(negative));
    assert_eq!(Aabb::from_center_half_extents(Vec3::ZERO, extents), Err(negative));
}

#[test]
fn e11_a_nan_is_an_error() {
    assert_eq!(Ray::new(Vec3::NAN, Vec3::X), Err(Error::NonFinite { field: "origin" }));
    assert_eq!(Ray::new(Vec3::ZERO, Vec3::NAN), Err(Error::NonFinite { field: "direction" }));
    assert_eq!(Obb::new(Vec3::NAN, Quat::IDENTITY, Vec3::ONE), Err(Error::NonFinite { field: "center" }));
}

#[test]
fn e12_a_start_inside_hits_at_zero_and_tells_the_exit_apart() {
    let start = ray(Vec3::ZERO, Vec3::X);
    for hit in [start.cast(&cube(), ENDLESS).unwrap(), start.cast(&Obb::from(&cube()), ENDLESS).unwrap()] {
        assert!(hit.inside);
        assert_eq!((hit.distance, hit.exit, hit.normal), (0.0, 1.0, Vec3::NEG_X));
    }
}

#[test]
fn e13_a_box_beyond_the_maximum_distance_is_missed() {
    let far = aabb(v(1e6, -1.0, -1.0), v(1e6 + 2.0, 1.0, 1.0));
    assert_eq!(ray(Vec3::ZERO, Vec3::X).cast(&far, 1.0), None);
    assert_eq!(ray(Vec3::ZERO, Vec3::X).cast(&far, 1e6).unwrap().distance, 1e6);
}

#[test]
fn e14_bounds_are_kept_and_never_shrink_on_the_way_through_a_centre() {
    let mut rng = Rng::with_seed(SEED);
    let (a, b) = (-1.862_577, -1.252_993_5);
    let known = aabb(Vec3::splat(a), Vec3::splat(b));
    for _ in 0..20_000 {
        let (p, q) = (within(&mut rng, 2.0), within(&mut rng, 2.0));
        for aabb in [known, aabb(p.min(q), p.max(q))] {
            let raw = (aabb.min(), aabb.max());
            assert_eq!(Aabb::new(raw.0, raw.1).map(|kept| (kept.min(), kept.max())), Ok(raw));
            assert!(Obb::from(&aabb).aabb().contains(&aabb), "{aabb:?}");
        }
    }
}

#[test]
fn e15_an_extent_is_half_the_size() {
    let cube = Aabb::from_center_half_extents(Vec3::ZERO, Vec3::ONE).unwrap();
    assert_eq!(cube.size(), Vec3::splat(2.0));
    assert!(!hits(&ray(v(-5.0, 1.5, 0.0), Vec3::X), &cube));
}

#[test]
fn e17_touching_a_corner_counts_for_both_kinds_of_box() {
    // Through (0, 1) and no other point of the box.
    assert!(hits(&flat([-1.0, 0.0], [1.0, 1.0]), &unit_box()));
    assert!(segment(v(-1.0, 0.0, 0.5), v(2.0, 2.0, 0.0)).hits(&unit_box()));
}
