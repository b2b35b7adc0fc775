//! The inputs on which well-known sources go wrong, with the right answers.
//!
//! Sources: a one-sided segment-plane test and Woo's segment-box test ("Fast ray-box intersection", Graphics Gems,
//! 1990), n/p-vertex plane tests, Christopoulos's ray-plane test, Lengyel's swept box (§12.2), and a slab test.

use cullide_oracle::*;

const UP: [f32; 4] = [0.0, 1.0, 0.0, 0.0];
const UNIT: [[f32; 3]; 2] = [[0.0; 3], [1.0; 3]];
const FOREVER: f32 = f32::INFINITY;

fn unit_box_is_hit(start: [f32; 3], delta: [f32; 3]) -> bool {
    path_aabb(&Path::segment(start, delta), UNIT).is_some()
}

#[test]
fn a_ray_behind_the_plane_going_away_misses_even_without_end() {
    assert!(path_plane_front(&Path::ray([0.0, -5.0, 0.0], [0.0, -1.0, 0.0], FOREVER), UP).is_none());
    assert!(path_plane_front(&Path::ray([0.0, -1e-8, 0.0], [0.0, -1.0, 0.0], 3e38), UP).is_none());
}

#[test]
fn a_tiny_slope_over_a_tiny_length_still_leaves_the_plane() {
    let hit = path_plane_front(&Path::ray([0.0; 3], [1.0, -1e-6, 0.0], 1e-40), UP);
    assert_eq!(hit, Some(Exact::ZERO.into()));
    assert!(path_plane_front(&Path::ray([0.0; 3], [0.0, -1.0, 0.0], 0.0), UP).is_none());
    assert!(path_plane(&Path::ray([0.0; 3], [0.0, -1.0, 0.0], 0.0), UP).hit.is_some());
}

#[test]
fn cancellation_at_a_million_does_not_move_the_origin_across_the_plane() {
    let plane: [f32; 4] = [0.6, 0.8, 0.0, -1_400_000.0];
    let origin: [f32; 3] = [1_000_000.7, 999_999.44, 0.0];
    assert_eq!(side_of_point(plane, origin), Side::Back);
    let path = Path::ray(origin, [-0.6, -0.8, 0.0], 0.516_381_3);
    assert!(path_plane_front(&path, plane).is_none());
}

#[test]
fn a_diagonal_through_the_box_hits_though_its_entry_rounds_outside() {
    let (a, q) = (-0.477_181_94f32, 1.800_482_3);
    let crossing = path_aabb(&Path::segment([a, a, 0.5], [q, q, 0.0]), UNIT).expect("through the inside");
    assert!(crossing.enter.within(0.265, 0.001) && crossing.exit.expect("leaves").within(0.820, 0.001));
}

#[test]
fn a_ray_past_a_flat_box_misses_though_its_rounded_point_lies_on_it() {
    let z = 0.005_750_831f32;
    let path = Path::segment([-1.630_240_1f32, 0.5, 0.364_755_57], [1.920_537_4, 0.0, -0.359_004_74]);
    assert!(path_aabb(&path, [[0.0, 0.0, z], [1.0, 1.0, z]]).is_none());
}

#[test]
fn rays_without_end_neither_hit_what_they_pass_nor_miss_what_is_far() {
    assert!(path_aabb(&Path::ray([-1.0, 5.0, 0.5], [1.0, 0.0, 0.0], FOREVER), UNIT).is_none());
    let far = [[3e38, 0.0, 0.0], [3.1e38, 1.0, 1.0]];
    assert!(path_aabb(&Path::ray([-3e38, 0.5, 0.5], [1.0, 0.0, 0.0], FOREVER), far).is_some());
}

#[test]
fn a_corner_is_touched_by_the_delta_but_not_by_direction_times_length() {
    let beyond = [[1.0; 3], [2.0; 3]];
    assert!(path_aabb(&Path::segment([0.0f32; 3], [1.0; 3]), beyond).is_some());
    let third = (1.0f32 / 3.0).sqrt();
    let path = Path::ray([0.0f32; 3], [third; 3], 3f32.sqrt());
    let reaches = Exact::new(third) * Exact::new(3f32.sqrt()) >= Exact::ONE;
    assert_eq!(path_aabb(&path, beyond).is_some(), reaches);
}

#[test]
fn an_inverted_box_is_empty() {
    let inverted = [[1.0, -1.0, -1.0], [-1.0, 1.0, 1.0]];
    assert!(path_aabb(&Path::segment([0.0f32; 3], [2.0, 0.0, 0.0]), inverted).is_none());
}

#[test]
fn all_three_axes_choose_the_vertex_nearest_the_plane() {
    let plane = [0.0f32, 0.0, -1.0, 5.0];
    let between = |low: f32, high: f32| [[0.0, 0.0, low], [2.0, 3.0, high]];
    assert_eq!(side_of_aabb(plane, between(4.0, 6.0)), Side::Straddling);
    assert_eq!(side_of_aabb(plane, between(100.0, 101.0)), Side::Back);
    assert_eq!(side_of_aabb([1.0f32, 1.0, 1.0, -30.0], [[8.0f32; 3], [12.0, 11.0, 11.0]]), Side::Straddling);
}

#[test]
fn an_unnormalised_plane_has_the_same_sphere_on_it() {
    let (plane, sphere) = ([1.0f32, 1.0, 1.0, -1.0], [8.0f32, 8.0, 8.0, 15.0]);
    assert_eq!(side_of_sphere(plane, sphere, NormalLength::Stored), Side::Straddling);
    assert_eq!(side_of_sphere(plane, sphere, NormalLength::AssumedOne), Side::Front);
    // The distance is 23/√3 = 13.279.
    assert_eq!(side_of_sphere(plane, [8.0f32, 8.0, 8.0, 13.27], NormalLength::Stored), Side::Front);
    assert_eq!(side_of_sphere(plane, [8.0f32, 8.0, 8.0, 13.28], NormalLength::Stored), Side::Straddling);
}

#[test]
fn a_box_that_reaches_the_plane_by_a_hair_is_not_behind_it() {
    let plane = [0.749_558_57f32, 0.348_899_87, 0.562_521_8, 789.198_8];
    let aabb = [[-704.074_95f32, 298.120_2, -651.468_5], [-703.824_46, 299.573_33, -650.929_8]];
    let corner = height(plane, aabb[1]).to_f64();
    assert!((corner - 1.44e-5).abs() < 1e-7, "{corner:e}");
    assert_eq!(side_of_aabb(plane, aabb), Side::Straddling);
}

#[test]
fn a_slow_ray_reaches_the_plane_in_its_own_time_and_never_backwards() {
    let ray = |y: f64, slope: f64| Path::ray([0.0, y, 0.0], [0.0, slope, 0.0], f64::INFINITY);
    let up = UP.map(f64::from);
    let hit = path_plane(&ray(1e-3, -1e-9), up).hit.expect("slowly");
    assert!(hit.within(1e6, 1e-6));
    assert!(path_plane(&ray(-5e-9, -1.0), up).hit.is_none());
    let leaving = path_plane(&ray(0.0, 1.0), up);
    assert!(leaving.start.is_eq() && leaving.slope.is_gt() && leaving.hit.is_some());
}

#[test]
fn a_nearly_tangential_box_that_f32_calls_resting_overlaps_from_the_start() {
    // In f32 the height at the start rounds to 0, the one at the end to -1.5e-5, and the motion between them to zero.
    let plane = [0.496_604_74, 0.772_305_5, -0.396_141_3, -128.406_5];
    let start = [273.030_5f32, -6.152_117_7, 1.932_078_5];
    let end = [275.628_33f32, 2.980_618_5, 22.993_66];
    let obb = [start, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let delta = std::array::from_fn(|i| end[i] - start[i]);
    assert!((plane_gap(obb, plane).to_f64() + 1.804e-6).abs() < 1e-9);
    assert!(matches!(sweep_obb_plane(obb, delta, plane, [0.0; 3], Sided::Front), Sweep::Overlap));
}

#[test]
fn slabs_hold_for_every_direction_and_any_speed() {
    assert!(!unit_box_is_hit([5.0, 0.5, 0.5], [0.0, 9.0, 0.0]));
    assert!(unit_box_is_hit([0.5, -5.0, 0.5], [0.0, 9.0, 0.0]));
    assert!(unit_box_is_hit([-1.0, 0.5, 0.5], [4.0, 0.4, 0.0]));
    assert!(!unit_box_is_hit([-1.0, -20.0, 0.5], [40.0, 40.0, 0.0]));
    assert!(!unit_box_is_hit([-1.0, -3.0, 0.5], [9.0, 9.0, 0.0]));
    assert!(unit_box_is_hit([2.0, 0.5, 0.5], [-4.0, -0.4, 0.0]));
    let centred = [[-1.0f32; 3], [1.0; 3]];
    let hits = |origin, direction| path_aabb(&Path::ray(origin, direction, FOREVER), centred).is_some();
    assert!(hits([-5.0f32, 0.2, 0.1], [1.0, 0.01, 0.01]));
    assert!(!hits([-5.0f32, 9.0, 9.0], [1.0, 0.01, 0.01]));
    assert!(!hits([-5.0f32, -9.0, 0.0], [1.0, 1.0, 0.0]));
    assert!(hits([-5.0f32, 0.0, 0.0], [1e-8, 0.0, 0.0]));
    assert!(hits([0.0f32; 3], [1e-8, 1e-8, 1e-8]));
}

#[test]
fn a_nearly_parallel_ray_runs_through_a_wide_flat_box() {
    let slab = [[0.0f32; 3], [1e7, 0.0, 0.0], [0.0, 1e7, 0.0], [0.0, 0.0, 1.0]];
    let crossing = path_obb(&Path::ray([-1e7, 0.0, 0.0], [1.0, 0.0, 1.1e-7], FOREVER), slab).expect("on its border");
    assert!(crossing.inside && crossing.enter.within(0.0, 0.0));
    assert!(crossing.exit.expect("through the top").within(1.0 / 1.1e-7, 1.0));
}

#[test]
fn a_start_inside_has_its_exit_apart() {
    let crossing = path_obb(
        &Path::ray([0.5f32, 0.0, 0.0], [1.0, 0.0, 0.0], FOREVER),
        [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 5.0]],
    )
    .expect("inside");
    assert!(crossing.inside && crossing.enter.within(0.0, 0.0) && crossing.exit.expect("leaves").within(1.5, 0.0));
}

#[test]
fn near_and_far_slabs_in_the_wrong_order_by_less_than_rounding_are_told_apart() {
    // Two ulps of padding miss this one: exactly, the entry by y is before the exit by x.
    let [b1, o1, d1, b2, o2, d2] =
        [0x40ee_e2f7, 0xbf2c_65e0, 0x3fd0_8962, 0x40f8_4d24, 0xbfbd_83e4, 0x3fec_c1d0].map(f32::from_bits);
    let delta = [d1, d2, 0.0];
    let entering_by_x = path_aabb(&Path::ray([o1, o2, 0.0], delta, FOREVER), [[b1, 0.0, 0.0], [9e9, b2, 0.0]]);
    let entering_by_y = path_aabb(&Path::ray([o1, o2, 0.0], delta, FOREVER), [[0.0, b2, 0.0], [b1, 9e9, 0.0]]);
    assert_ne!(entering_by_x.is_some(), entering_by_y.is_some());
    assert!(entering_by_x.is_some());
}
