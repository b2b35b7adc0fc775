//! Errors that the comparisons with exact arithmetic once found, each in its smallest form.

use cullide_narrowphase::{
    Aabb, BoxSweep, Brush, Camera, Error, Frustum, MAX_COORDINATE, Obb, Patch, Plane, Ray, Segment, Side, Sides, Solid,
    Sphere, Sweep, Triangle,
    glam::{Quat, Vec3},
};
use cullide_world::{Filter, Object, World};

#[test]
fn a_point_sized_sphere_that_is_hit_has_a_normal_against_the_path() {
    let point = Sphere::new(Vec3::new(-3.0, 3.0, 1.0), 0.0).unwrap();
    let hit = Segment::new(Vec3::new(-3.0, 5.0, 1.0), Vec3::new(0.0, -4.0, 0.0)).unwrap().cast(&point).unwrap();
    assert_eq!((hit.fraction, hit.normal), (0.5, Vec3::Y));
}

#[test]
fn a_sphere_hit_from_far_beyond_its_size_has_a_normal_against_the_path() {
    // At this distance the point of impact is rounding noise many times larger than the sphere.
    let scale = 2f32.powi(-76);
    let at = |bits: [u32; 3]| Vec3::from(bits.map(f32::from_bits)) * scale;
    let sphere = Sphere::new(at([0x4dda_1706, 0xc2cf_c453, 0x3dff_ecb7]), 743_683_300_000.0 * scale).unwrap();
    let start = at([0x39d5_042f, 0xc179_072a, 0xf134_ee01]);
    let ray = Ray::new(start, at([0x4d5a_1706, 0xc230_a36e, 0x70b4_ee01])).unwrap();
    let hit = ray.cast(&sphere, f32::INFINITY).unwrap();
    assert!(hit.normal.dot(ray.direction()) < -0.5, "{hit:?}");
}

#[test]
fn a_maximum_just_short_of_a_tiny_sphere_does_not_reach_it() {
    // The entry is 0.5 + 1e-39, which neither `f32` nor `f64` distinguishes from 0.5.
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
    // The rounding error of the long edges along the short one's axis is a thousand times larger.
    let edges = [Vec3::new(1e8, 2e8, 3e8), Vec3::new(3e8, 1e8, 1e8), Vec3::new(1e-12, 2e-12, -1.5e-12)];
    let across = edges[0].as_dvec3().cross(edges[1].as_dvec3()).normalize();
    let reach = across.dot(edges[2].as_dvec3()).abs();
    let hit = Ray::new(Vec3::ZERO, across.as_vec3()).unwrap();
    let hit = hit.cast(&Obb::from_half_edges(Vec3::ZERO, edges).unwrap(), f32::INFINITY).unwrap();
    assert!((f64::from(hit.exit) / reach - 1.0).abs() < 1e-6, "{} {reach}", hit.exit);
}

#[test]
fn a_point_a_hair_in_front_of_a_plane_is_not_behind_it() {
    // The height of the centre is 1e-38, which vanishes next to the terms of which it is the sum.
    let plane = Plane::new(Vec3::new(0.0, -1e-38, 1.0), 1.0).unwrap();
    for (y, side) in [(-1.0, Side::Front), (0.0, Side::Straddling), (1.0, Side::Back)] {
        assert_eq!(plane.side_of_sphere(&Sphere::new(Vec3::new(1.0, y, -1.0), 0.0).unwrap()), side);
    }
}

#[test]
fn bounds_are_found_at_once_where_the_sizes_cancel() {
    // The upper bound is exactly 1e-12: a billion steps of `f32` from 0, which is the sum in `f64`.
    let edges = [Vec3::X * 5e8, Vec3::X * 1e-12, Vec3::ZERO];
    let started = std::time::Instant::now();
    let bounds = Obb::from_half_edges(Vec3::X * -5e8, edges).unwrap().aabb();
    assert_eq!((bounds.max().x, bounds.min().x), (1e-12, -1e9f32.next_up()));
    assert!(started.elapsed().as_secs() < 1);
}

#[test]
fn a_box_that_stops_where_a_coordinate_is_zero_still_stops_at_the_plane() {
    // The gap left by rounding is far below that of the other coordinates, so `f64` takes it for zero.
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
    // The rounding error of the long edge along the short one is larger than the width of the short one, seen from the
    // middle.
    let edges = [
        Vec3::new(-1.661_451_3e31, -423_402_100.0, 3.240_383_8e16),
        Vec3::new(-8.330_042_3e24, -9.885_851e19, -4.816_601),
        Vec3::ZERO,
    ];
    let scale = 2f32.powi(-76);
    let sliver = Obb::from_half_edges(Vec3::ZERO, edges.map(|edge| edge * scale)).unwrap();
    let distance = sliver.distance(Vec3::new(-8.307_256_5e30, -211_000_000.0, 1.620_191_9e16) * scale);
    assert!(distance < 1e16 * scale, "{distance:e}");
}

#[test]
fn a_tile_does_not_pass_through_a_tile() {
    let turn = Quat::from_xyzw(0.1, 0.2, -0.3, 0.9).normalize();
    for turn in [Quat::IDENTITY, turn] {
        let tile =
            |height: f32, half: f32| Obb::new(turn * Vec3::Y * height, turn, Vec3::new(half, 0.0, half)).unwrap();
        let fall = BoxSweep::new(tile(1.0, 1.5), turn * Vec3::NEG_Y * 2.0).unwrap();
        let hit = fall.against(tile(0.0, 2.0)).hit().expect("a tile");
        assert!((hit.toi - 0.5).abs() < 1e-6 && hit.normal.distance(turn * Vec3::Y) < 1e-6, "{hit:?}");
        let corners = [(-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0)].map(|(x, z)| turn * Vec3::new(x, 0.0, z));
        assert!(fall.against(&Patch::new(&corners).unwrap()).hit().is_some());
        // Next to it, and where it ends.
        let aside = BoxSweep::new(tile(1.0, 1.5).translated(turn * Vec3::X * 4.0).unwrap(), fall.motion()).unwrap();
        assert_eq!(aside.against(tile(0.0, 2.0)), Sweep::Clear);
        assert_eq!(BoxSweep::new(tile(2.5, 1.5), fall.motion()).unwrap().against(tile(0.0, 2.0)), Sweep::Clear);
    }
    let wall = Aabb::new(Vec3::new(4.0, -4.0, 0.0), Vec3::new(4.0, -2.0, 8.0)).unwrap();
    let tile = Obb::from(&Aabb::new(Vec3::new(3.0, -7.0, 1.0), Vec3::new(3.0, 1.0, 5.0)).unwrap());
    let hit = BoxSweep::new(tile, Vec3::new(4.0, 3.0, -4.0)).unwrap().against(wall).hit().expect("a wall");
    assert_eq!((hit.toi, hit.normal, hit.position.x), (0.25, Vec3::NEG_X, 4.0));
}

#[test]
fn what_is_flat_passes_beside_a_triangle_in_its_own_plane() {
    // Within the triangle's bounds, beyond its longest side: the sum of both is flat, and had no sides there.
    let triangle = Patch::new(&[Vec3::ZERO, Vec3::X * 4.0, Vec3::Y * 4.0]).unwrap();
    for edges in [[Vec3::ZERO; 3], [Vec3::X * 0.5, Vec3::ZERO, Vec3::ZERO], [Vec3::X * 0.25, Vec3::Y * 0.5, Vec3::ZERO]]
    {
        let falls = |x: f32, y: f32| {
            let body = Obb::from_half_edges(Vec3::new(x, y, 2.0), edges).unwrap();
            BoxSweep::new(body, Vec3::Z * -4.0).unwrap().against(&triangle)
        };
        assert_eq!(falls(3.0, 3.0), Sweep::Clear);
        assert_eq!(falls(1.0, 1.0).hit().unwrap().toi, 0.5);
    }
}

#[test]
fn a_tiny_gap_at_a_tinier_speed_is_not_closed() {
    // The upper bound is exactly 0, as the sum of a center and an extent next to which the gap vanishes.
    let body = Obb::from_half_edges(Vec3::X * -4e8, [Vec3::X * 4e8, Vec3::Y, Vec3::Z]).unwrap();
    let wall = Aabb::new(Vec3::new(8e-22, -1.0, -1.0), Vec3::ONE).unwrap();
    assert_eq!(BoxSweep::new(body, Vec3::X * 1e-37).unwrap().against(wall), Sweep::Clear);
}

#[test]
fn where_edges_meet_the_normal_is_theirs_though_a_coordinate_of_it_is_one() {
    // The cross product of two edges used to be taken for a unit vector along an axis.
    let body = [Vec3::new(4.0, 2.0, -4.0), Vec3::new(3.0, -1.0, 4.0), Vec3::new(-1.0, 4.0, 1.0), Vec3::NEG_ONE];
    let body = Obb::from_half_edges(body[0], [body[1], body[2], body[3]]).unwrap();
    let edges = [Vec3::X * 4.0, Vec3::Y, Vec3::Z * 3.0];
    let still = Obb::from_half_edges(Vec3::new(4.0, -1.0, 4.0), edges).unwrap();
    let sweep = BoxSweep::new(body, Vec3::new(-4.0, 1.0, 3.0)).unwrap();
    let hit = sweep.against(still).hit().expect("meets it");
    assert!(hit.normal.dot(sweep.motion()) < 0.0 && still.gap(&body).separation >= 0.0, "{hit:?}");
}

#[test]
fn a_box_with_parallel_edges_is_solid_where_its_sum_is() {
    let edges = [Vec3::new(-3.0, 1.0, -2.0), Vec3::new(1.0, -1.0, 4.0), Vec3::new(-3.0, 4.0, -1.0)];
    let body = Obb::from_half_edges(Vec3::new(4.0, 4.0, -4.0), edges).unwrap();
    let edges = [Vec3::new(-4.0, 0.0, -3.0), Vec3::new(-1.0, 1.0, 2.0), Vec3::new(2.0, -2.0, -4.0)];
    let tile = Obb::from_half_edges(Vec3::Y * 2.0, edges).unwrap();
    assert!(body.overlaps(&tile));
    assert!(BoxSweep::new(body, Vec3::new(-3.0, 2.0, -1.0)).unwrap().against(tile).overlap().is_some());
}

#[test]
fn a_box_stops_before_a_wall_that_is_thicker_by_less_than_rounding() {
    // The wall reaches up to -1 + 2e-39, which `f64` takes for -1.
    let wall = [Vec3::NEG_X, Vec3::X * 2e-39, Vec3::Y, Vec3::Z * 1.4];
    let wall = Obb::from_half_edges(wall[0], [wall[1], wall[2], wall[3]]).unwrap();
    let rod = Obb::from_half_edges(Vec3::ZERO, [Vec3::ZERO, Vec3::Y * 1e-38, Vec3::Z]).unwrap();
    let hit = BoxSweep::new(rod, Vec3::X * -1.4).unwrap().against(wall).hit().expect("a wall");
    assert_eq!(hit.position.x, -1f32.next_down());
}

#[test]
fn a_way_that_is_no_number_makes_no_box() {
    let aabb = Aabb::new(Vec3::new(-3.0, 3.0, -5.0), Vec3::new(-2.0, 4.0, -4.0)).unwrap();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for axis in 0..3 {
            let mut delta = Vec3::new(1.0, -2.0, 3.0);
            delta[axis] = bad;
            assert_eq!(aabb.swept(delta), None);
        }
    }
}

#[test]
fn a_sphere_far_from_a_huge_box_does_not_touch_it() {
    // Away by 10^-17 of the box's size, which is below the rounding of its distance.
    let beam = Obb::new(Vec3::new(1.0, 1e-8, 0.0), Quat::IDENTITY, Vec3::new(8.5e8, 1e-15, 1e9)).unwrap();
    let point = Vec3::new(-4.9e6, 0.0, 0.0);
    assert!(!beam.contains_point(point) && !beam.overlaps_sphere(&Sphere::new(point, 0.0).unwrap()));
    assert!(!beam.overlaps_sphere(&Sphere::new(point, 0.5e-8).unwrap()));
    assert!(beam.overlaps_sphere(&Sphere::new(point, 1.5e-8).unwrap()));
    let slanted = [Vec3::new(6.4e8, 6.4e8, 0.0), Vec3::new(-1e-8, 1e-8, 0.0), Vec3::Z * 1e-14];
    let slanted = Obb::from_half_edges(Vec3::new(3e-14, 1e-8, 1e-14), slanted).unwrap();
    assert!(!slanted.overlaps_sphere(&Sphere::new(Vec3::new(5.5e-14, -2e-14, 1e-8), 5e-14).unwrap()));
}

#[test]
fn the_oriented_box_around_one_at_the_end_of_the_range_is_one_that_can_be_made() {
    let end = MAX_COORDINATE;
    for (min, max) in
        [(-end, 0.005 * end), (-1.0, end), (0.57 * end, end), (-end, end), (-end, end.next_down()), (0.82 * end, end)]
    {
        for (min, max) in [(min, max), (-max, -min)] {
            let aabb = Aabb::new(Vec3::new(min, 2.0, -1.0), Vec3::new(max, 3.0, 5.0)).unwrap();
            let obb = Obb::from(&aabb);
            assert_eq!(Obb::from_half_edges(obb.center(), obb.half_edges()), Ok(obb), "{aabb:?}");
            assert!(obb.aabb().contains(&aabb), "{aabb:?}");
        }
    }
}

#[test]
fn a_brush_around_a_box_is_that_of_its_own_planes_down_to_the_sign_of_zero() {
    // The sign used to decide the corner at which a face began, and with it the contacts of a brush that had been
    // saved.
    let brush = Brush::try_from(&Aabb::new(Vec3::new(0.0, -4.0, 1.0), Vec3::new(1.0, -2.0, 6.0)).unwrap()).unwrap();
    let planes: Vec<_> = brush.planes().iter().map(|plane| (plane.normal, plane.distance)).collect();
    assert_eq!(format!("{brush:?}"), format!("{:?}", Brush::from_half_spaces(&planes).unwrap()));
}

#[test]
fn the_oriented_box_around_one_next_to_zero_has_no_negative_zero() {
    let tiny = Aabb::new(Vec3::splat(-1e-45), Vec3::new(-1e-45, 3e-30, 3e-39)).unwrap();
    assert!(Obb::from(&tiny).center().x.is_sign_positive());
}

/// The points where a box that is swept onto another touches it, and how far they are from the other at most.
fn touched(body: &Obb, motion: Vec3, other: &Obb) -> (Vec<Vec3>, f32) {
    let hit = BoxSweep::new(*body, motion).unwrap().against(other).hit().expect("it touches");
    let points = hit.contacts.points().to_vec();
    let farthest = points.iter().map(|point| other.distance(*point)).fold(0.0, f32::max);
    (points, farthest)
}

#[test]
fn a_rod_and_the_edge_of_a_tile_are_touched_as_far_as_they_reach() {
    let body = Obb::new(Vec3::new(-5.0, -1.0, 0.0), Quat::IDENTITY, Vec3::new(2.0, 1.0, 3.0)).unwrap();
    let rod = Obb::new(Vec3::new(-6.0, -6.0, 1.0), Quat::IDENTITY, Vec3::new(0.0, 0.0, 3.0)).unwrap();
    let (points, farthest) = touched(&body, Vec3::new(-3.0, -6.0, 2.0), &rod);
    assert!(points.len() == 2 && farthest < 1e-5, "{points:?}");
    let body = [Vec3::new(6.0, 3.0, 6.0), Vec3::new(2.25, 3.0, 0.0), Vec3::new(-1.0, 0.75, 0.0), Vec3::Z];
    let body = Obb::from_half_edges(body[0], [body[1], body[2], body[3]]).unwrap();
    let edges = [Vec3::new(2.25, 3.0, 0.0), Vec3::new(-3.0, 2.25, 0.0), Vec3::ZERO];
    let tile = Obb::from_half_edges(Vec3::new(4.0, -5.0, 6.0), edges).unwrap();
    let (points, farthest) = touched(&body, Vec3::new(2.0, -3.0, -2.0), &tile);
    assert!(points.len() == 2 && farthest < 1e-5, "{points:?}");
}

#[test]
fn faces_that_meet_at_a_corner_touch_there_and_nowhere_else() {
    // Rounding leaves a gap between the sides, so that no part of one face is within the other.
    let edges = [Vec3::new(2.0, 2.0, 0.0), Vec3::new(-2.0, 2.0, 0.0), Vec3::Z];
    let body = Obb::from_half_edges(Vec3::new(-5.0, 5.0, 0.0), edges).unwrap();
    let edges = [Vec3::new(2.0, 2.0, 0.0), Vec3::new(-1.0, 1.0, 0.0), Vec3::Z * 3.0];
    let other = Obb::from_half_edges(Vec3::new(4.0, 6.0, -3.0), edges).unwrap();
    let (points, farthest) = touched(&body, Vec3::X * 3.0, &other);
    assert!(points.len() == 2 && farthest < 1e-5, "{points:?}");
}

#[test]
fn a_man_seven_millimetres_in_a_door_is_pushed_out() {
    // Rounding left a remainder after each push along the slant, and a larger one after the next.
    let rotation = Quat::from_rotation_y(3.200_000_3);
    let door = Obb::new(Vec3::new(10.0, 1.2, 0.0) + rotation * Vec3::Z, rotation, Vec3::new(0.05, 1.2, 1.0)).unwrap();
    let mut world = World::new();
    world.insert(Object::fixed(door));
    let man = Obb::new(Vec3::new(9.63, 0.9, -0.1667), Quat::IDENTITY, Vec3::new(0.3, 0.9, 0.3)).unwrap();
    let free = world.depenetrate(&man, &Filter::ALL).unwrap();
    assert!(free.distance(man.center()) < 0.0075, "{free}");
    assert!(door.gap(&man.translated(free - man.center()).unwrap()).is_apart());
}

#[test]
fn a_triangle_and_a_patch_are_in_front_of_a_plane_by_less_than_a_rounding() {
    let plane = Plane::new(Vec3::new(1.0, 2f32.powi(-60), 0.0), -1.0).unwrap();
    for (side, expected) in [(1.0, Side::Front), (-1.0, Side::Back)] {
        let corners = [(1.0, 0.0), (2.0, 3.0), (3.0, -1.0)].map(|(y, z)| Vec3::new(1.0, side * y, z));
        assert_eq!(corners.map(|corner| plane.side_of_point(corner)), [expected; 3]);
        assert_eq!(Triangle::new(corners[0], corners[1], corners[2]).unwrap().side_of(&plane), expected);
        assert_eq!(Patch::new(&corners).unwrap().side_of(&plane), expected);
    }
}

#[test]
fn a_camera_too_far_off_for_its_view_sees_nothing() {
    let forward = Vec3::new(0.3, 0.5, 0.7);
    let camera = Camera { position: Vec3::new(5e8, 3.5e8, 1.5e8), forward, near: 0.1, far: 1.0, ..Camera::default() };
    assert_eq!(Frustum::from_camera(&camera), Err(Error::Empty { field: "camera" }));
}
