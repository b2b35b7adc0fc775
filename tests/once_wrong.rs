//! What the comparisons with exact arithmetic found wrong once, each in its smallest form.

use cullide_narrowphase::{Ray, Segment, Sphere, glam::Vec3};

#[test]
fn a_point_sized_sphere_that_is_hit_has_a_normal_against_the_path() {
    let point = Sphere::new(Vec3::new(-3.0, 3.0, 1.0), 0.0).unwrap();
    let hit = Segment::new(Vec3::new(-3.0, 5.0, 1.0), Vec3::new(0.0, -4.0, 0.0)).unwrap().cast(&point).unwrap();
    assert_eq!((hit.fraction, hit.normal), (0.5, Vec3::Y));
}

#[test]
fn a_sphere_hit_from_far_beyond_its_size_has_a_normal_against_the_path() {
    // At this distance the point of impact is rounding noise many times as large as the sphere.
    let at = |bits: [u32; 3]| Vec3::from(bits.map(f32::from_bits));
    let sphere = Sphere::new(at([0x4dda_1706, 0xc2cf_c453, 0x3dff_ecb7]), 743_683_300_000.0).unwrap();
    let start = at([0x39d5_042f, 0xc179_072a, 0xf134_ee01]);
    let ray = Ray::new(start, at([0x4d5a_1706, 0xc230_a36e, 0x70b4_ee01])).unwrap();
    let hit = ray.cast(&sphere, f32::INFINITY).unwrap();
    assert!(hit.normal.dot(ray.direction()) < -0.5, "{hit:?}");
}

#[test]
fn a_maximum_just_short_of_a_tiny_sphere_does_not_reach_it() {
    // The entry is 0.5 + 1e-39, which no f32 and no f64 tells from 0.5.
    let sphere = Sphere::new(Vec3::new(0.0, -1e-39, 0.0), 0.0).unwrap();
    let ray = Ray::new(Vec3::Y * 0.5, Vec3::NEG_Y).unwrap();
    assert!(!ray.hits(&sphere, 0.5) && ray.hits(&sphere, 0.5f32.next_up()));
}
