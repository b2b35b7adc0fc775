//! What the comparisons with exact arithmetic found wrong once, each in its smallest form.

use cullide_narrowphase::{BoxSweep, Obb, Plane, Ray, Segment, Side, Sides, Sphere, glam::Vec3};

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

/// Whether a segment touches the box about the origin with these half edges.
fn touches(edges: [Vec3; 3], start: Vec3, end: Vec3) -> bool {
    Segment::between(start, end).unwrap().hits(&Obb::from_half_edges(Vec3::ZERO, edges).unwrap())
}

#[test]
fn a_rod_is_bounded_across_whichever_edge_it_runs_along() {
    let (x, zero) = (Vec3::X * 2.0, Vec3::ZERO);
    for edges in
        [[x, zero, zero], [zero, x, zero], [zero, zero, x], [x, x, zero], [x, zero, x], [zero, x, x], [x, x, x]]
    {
        let length = edges.iter().sum::<Vec3>();
        assert!(touches(edges, length + Vec3::new(0.0, -1.0, 0.0), length + Vec3::new(0.0, 1.0, 0.0)), "{edges:?}");
        for side in [Vec3::Y, Vec3::Z] {
            assert!(!touches(edges, side + Vec3::NEG_X * 9.0, side + Vec3::X * 9.0), "{edges:?}");
        }
        let beyond = length * 1.5;
        assert!(
            !touches(edges, beyond + Vec3::Y, beyond - Vec3::Y) && !touches(edges, beyond + Vec3::Z, beyond - Vec3::Z)
        );
    }
}

#[test]
fn three_edges_in_a_plane_make_a_hexagon_and_not_its_bounds() {
    let edges = [Vec3::X * 2.0, Vec3::Y * 3.0, Vec3::new(1.0, 1.0, 0.0)];
    let through = |x, y| touches(edges, Vec3::new(x, y, 1.0), Vec3::new(x, y, -1.0));
    assert!(through(3.0, 4.0) && through(3.0, -2.0) && through(1.0, -4.0) && through(0.0, 0.0));
    assert!(!through(3.0, -4.0) && !through(3.0, -2.5) && !through(-3.0, 4.0));
}

#[test]
fn a_nearly_flat_box_is_bounded_across() {
    // The first and the last face differ in direction by 1e-39, far below rounding.
    let edges = [Vec3::new(0.0, 1.4, 1.2), Vec3::new(-1e-39, -1.0, 0.0), Vec3::new(0.0, 1e-38, 0.0)];
    assert!(touches(edges, Vec3::new(-1.0, 0.75, 0.0), Vec3::new(1.0, 0.75, 0.0)));
    assert!(!touches(edges, Vec3::new(-1.0, 1.25, 0.0), Vec3::new(1.0, 1.25, 0.0)));
}

#[test]
fn a_short_edge_keeps_its_length_beside_long_ones() {
    // What rounding leaves of the long edges along the short one's axis is a thousand times as much.
    let edges = [Vec3::new(1e20, 2e20, 3e20), Vec3::new(3e20, 1e20, 1e20), Vec3::new(1.0, 2.0, -1.5)];
    let across = edges[0].as_dvec3().cross(edges[1].as_dvec3()).normalize();
    let reach = across.dot(edges[2].as_dvec3()).abs();
    let hit = Ray::new(Vec3::ZERO, across.as_vec3()).unwrap();
    let hit = hit.cast(&Obb::from_half_edges(Vec3::ZERO, edges).unwrap(), f32::INFINITY).unwrap();
    assert!((f64::from(hit.exit) / reach - 1.0).abs() < 1e-6, "{} {reach}", hit.exit);
}

#[test]
fn a_point_a_hair_in_front_of_a_plane_is_not_behind_it() {
    // The height of the centre is 1e-38, which vanishes beside the terms that it is the sum of.
    let plane = Plane::new(Vec3::new(0.0, -1e-38, 1.0), 1.0).unwrap();
    for (y, side) in [(-1.0, Side::Front), (0.0, Side::Straddling), (1.0, Side::Back)] {
        assert_eq!(plane.side_of_sphere(&Sphere::new(Vec3::new(1.0, y, -1.0), 0.0).unwrap()), side);
    }
}

#[test]
fn bounds_are_found_at_once_where_the_sizes_cancel() {
    // The upper bound is 1e-10 exactly: a billion steps of f32 from 0, which f64 makes of the sum.
    let edges = [Vec3::X * 1e30, Vec3::X * 1e-10, Vec3::ZERO];
    let started = std::time::Instant::now();
    let bounds = Obb::from_half_edges(Vec3::X * -1e30, edges).unwrap().aabb();
    assert_eq!((bounds.max().x, bounds.min().x), (1e-10, -2e30f32.next_up()));
    assert!(started.elapsed().as_secs() < 1);
}

#[test]
fn a_box_that_stops_where_a_coordinate_is_zero_still_stops_at_the_plane() {
    // The gap left by rounding is far below that of the other coordinates, so f64 takes it for zero.
    let edges = [Vec3::ZERO, Vec3::Y, Vec3::ZERO];
    let body = Obb::from_half_edges(Vec3::new(-1.0, -1.0, 6.4e-39), edges).unwrap();
    let plane = Plane::new(Vec3::new(-0.272_748_1, -0.230_883_7, -0.933_975_9), 0.0).unwrap();
    let sweep = BoxSweep::new(body, Vec3::new(1.756_292_3, 4.4e-39, -1.1e-38)).unwrap();
    let hit = sweep.against_plane(&plane, Sides::Front).hit().unwrap();
    let stopped = BoxSweep::new(body.translated(hit.position - body.center()).unwrap(), Vec3::ZERO).unwrap();
    let gap = plane.gap(stopped.body(), Sides::Front).separation;
    assert!((0.0..1e-7).contains(&gap), "{gap:e}");
}

#[test]
fn the_nearest_point_of_a_sliver_is_found_along_its_length() {
    // What rounding leaves of the long edge in the short one is more than the short one is across, seen from the middle.
    let edges = [
        Vec3::new(-1.661_451_3e31, -423_402_100.0, 3.240_383_8e16),
        Vec3::new(-8.330_042_3e24, -9.885_851e19, -4.816_601),
        Vec3::ZERO,
    ];
    let sliver = Obb::from_half_edges(Vec3::ZERO, edges).unwrap();
    let distance = sliver.distance(Vec3::new(-8.307_256_5e30, -211_000_000.0, 1.620_191_9e16));
    assert!(distance < 1e16, "{distance:e}");
}
