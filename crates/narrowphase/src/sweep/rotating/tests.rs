//! Guarantees of rotating boxes against planes.

use super::*;
use crate::{Feature, Plane, Sides, Sphere, Sweep};
use glam::Quat;
use std::f32::consts::{FRAC_PI_2, PI, TAU};

fn floor() -> Plane {
    Plane::new(Vec3::Y, 0.0).unwrap()
}

fn turning(half_extents: Vec3, height: f32, motion: Vec3, rotation: Vec3) -> TurningBoxSweep {
    let body = Obb::new(Vec3::Y * height, Quat::IDENTITY, half_extents).unwrap();
    BoxSweep::new(body, motion).unwrap().rotating(rotation).unwrap()
}

fn against_floor(sweep: &TurningBoxSweep) -> Sweep {
    sweep.against_plane(&floor(), Sides::Front, 0.0)
}

#[test]
fn a_spinning_bar_that_is_clear_at_both_ends_is_hit_between() {
    let bar = turning(Vec3::new(1.0, 0.1, 0.2), 0.5, Vec3::ZERO, Vec3::Z * PI);
    let hit = against_floor(&bar).hit().unwrap();
    // Its corner at (1, −0.1) drops to 0.5 below the middle.
    let expected = ((0.5f64 / 1.01f64.sqrt()).asin() - 0.1f64.atan()) / std::f64::consts::PI;
    assert!((f64::from(hit.toi) - expected).abs() < 1e-7, "{} {expected}", hit.toi);
    assert_eq!((hit.normal, hit.contacts.feature()), (Vec3::Y, Feature::Edge));
    let there = bar.body_at(&hit);
    assert!((0.0..1e-6).contains(&floor().gap(&there, Sides::Front).separation));
    for (point, vertex) in hit.contacts.points().iter().zip(hit.contacts.id().vertices()) {
        assert_eq!(*point, there.corners()[vertex]);
    }
}

#[test]
fn an_exact_graze_is_found_and_one_an_ulp_higher_is_not_there() {
    let rod = |height| against_floor(&turning(Vec3::new(1.0, 0.0, 0.0), height, Vec3::ZERO, Vec3::Z * PI));
    let hit = rod(1.0).hit().unwrap();
    assert!((hit.toi - 0.5).abs() < 1e-6, "{}", hit.toi);
    assert_eq!(rod(1f32.next_up()), Sweep::Clear);
}

#[test]
fn what_rests_and_spins_about_the_normal_or_leaves_is_not_hit() {
    let half = Vec3::new(1.0, 2.0, 3.0);
    let resting = |motion, rotation| against_floor(&turning(half, 2.0, motion, rotation));
    assert_eq!(resting(Vec3::ZERO, Vec3::Y * 9.0), Sweep::Clear);
    assert_eq!(resting(Vec3::X * 5.0, Vec3::Y * -9.0), Sweep::Clear);
    assert_eq!(resting(Vec3::Y * 4.0, Vec3::Z), Sweep::Clear);
    // A corner goes down as fast as one goes up: it presses.
    assert_eq!(resting(Vec3::ZERO, Vec3::Z).hit().unwrap().toi, 0.0);
    // It leaves, and comes down again.
    assert_eq!(resting(Vec3::Y * 1.5, Vec3::Z), Sweep::Clear);
    let thrown = turning(half, 2.0, Vec3::Y * 1.5, Vec3::Z).accelerated(Vec3::Y * -9.0).unwrap();
    let hit = against_floor(&thrown).hit().unwrap();
    // 2 + 1.5 t − 4.5 t² = 2 cos t + sin t at about 0.14.
    assert!((hit.toi - 0.14).abs() < 0.01, "{}", hit.toi);
}

#[test]
fn a_body_that_stands_on_its_lowest_corner_and_rolls_off_is_not_hit_for_it() {
    let rod = |turn: f32| {
        let body = Obb::new(Vec3::Y, Quat::from_rotation_z(0.0), Vec3::new(0.0, 1.0, 0.0)).unwrap();
        BoxSweep::new(body, Vec3::ZERO).unwrap().rotating(Vec3::Z * turn).unwrap()
    };
    for turn in [0.25, -0.25, 1.5, FRAC_PI_2] {
        assert_eq!(against_floor(&rod(turn)), Sweep::Clear, "{turn}");
    }
}

#[test]
fn a_point_moves_like_a_point_however_it_turns() {
    let point = turning(Vec3::ZERO, 3.0, Vec3::Y * -4.0, Vec3::new(5.0, 6.0, 7.0));
    let hit = against_floor(&point).hit().unwrap();
    assert!(hit.toi <= 0.75 && hit.toi > 0.75 - 1e-7 && hit.contacts.feature() == Feature::Vertex, "{hit:?}");
    assert!((0.0..1e-6).contains(&hit.position.y));
}

#[test]
fn under_acceleration_alone_the_time_is_that_of_the_parabola() {
    let fall = turning(Vec3::new(1.0, 0.5, 2.0), 2.5, Vec3::ZERO, Vec3::ZERO).accelerated(Vec3::Y * -16.0).unwrap();
    let hit = against_floor(&fall).hit().unwrap();
    // 2 = ½ 16 t².
    assert!((hit.toi - 0.5).abs() < 1e-6 && hit.contacts.feature() == Feature::Face, "{hit:?}");
    // Thrown up from rest, it comes down to where it was, which belongs to the next step.
    let thrown = turning(Vec3::ONE, 1.0, Vec3::Y * 4.0, Vec3::ZERO).accelerated(Vec3::Y * -8.0).unwrap();
    assert!(against_floor(&thrown).hit().is_none_or(|hit| hit.toi > 0.999_999));
    let deeper = turning(Vec3::ONE, 1.0, Vec3::Y * 4.0, Vec3::ZERO).accelerated(Vec3::Y * -16.0).unwrap();
    assert!((against_floor(&deeper).hit().unwrap().toi - 0.5).abs() < 1e-6);
}

#[test]
fn an_overlap_is_reported_however_it_turns() {
    let cut = turning(Vec3::new(1.0, 2.0, 3.0), 0.5, Vec3::Y * 9.0, Vec3::Z * 9.0);
    assert_eq!(against_floor(&cut).overlap().unwrap().depth, 1.5);
    let behind = turning(Vec3::new(1.0, 2.0, 3.0), -2.5, Vec3::Y * 9.0, Vec3::Z * 9.0);
    assert_eq!(against_floor(&behind), Sweep::Clear);
    let hit = behind.against_plane(&floor(), Sides::Both, 0.0).hit().unwrap();
    assert_eq!(hit.normal, Vec3::NEG_Y);
}

#[test]
fn thousands_of_turns_end_in_time_and_never_late() {
    for angle in [1e3f32, 1e4, 6.5e4] {
        let half = Vec3::new(1.0, 0.1, 0.2);
        let fall = turning(half, 9.0, Vec3::Y * -10.0, Vec3::new(0.6, 0.0, 0.8) * angle);
        let hit = against_floor(&fall).hit().unwrap();
        // No sooner than the farthest corner can reach down, no later than the middle arrives.
        assert!(hit.toi >= (9.0 - half.length()) / 10.0 - 1e-6 && hit.toi < 0.9, "{}", hit.toi);
    }
}

#[test]
fn scaling_by_a_power_of_two_changes_no_time() {
    let sweep = |scale: f32| {
        let body =
            Obb::new(Vec3::new(1.0, 5.0, 2.0) * scale, Quat::from_rotation_x(0.7), Vec3::new(1.0, 2.0, 0.5) * scale);
        let sweep = BoxSweep::new(body.unwrap(), Vec3::new(3.0, -6.0, 1.0) * scale).unwrap();
        let turning = sweep.rotating(Vec3::new(1.0, 2.0, -3.0)).unwrap();
        turning.against_plane(&Plane::new(Vec3::new(0.6, 0.8, 0.0), 0.0).unwrap(), Sides::Front, 0.0).hit().unwrap().toi
    };
    for power in [-80, -20, 10, 20, 25] {
        assert_eq!(sweep(2f32.powi(power)), sweep(1.0));
    }
}

#[test]
fn a_pose_outside_of_the_step_is_that_of_its_end() {
    let sweep = turning(Vec3::new(1.0, 2.0, 3.0), 0.0, Vec3::X * 8.0, Vec3::Z * TAU);
    assert_eq!([sweep.pose(f32::NAN), sweep.pose(-1.0)], [*sweep.body(); 2]);
    assert_eq!(sweep.pose(2.0), sweep.pose(1.0));
    assert!(sweep.pose(1.0).half_edges()[0].distance(Vec3::X) < 1e-6);
}

#[test]
fn numbers_out_of_range_are_refused_and_a_skin_that_is_none_counts_as_zero() {
    let body = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::ONE).unwrap();
    let sweep = BoxSweep::new(body, Vec3::ZERO).unwrap();
    assert_eq!(sweep.rotating(Vec3::splat(f32::INFINITY)), Err(Error::NonFinite { field: "rotation" }));
    let rotating = sweep.rotating(Vec3::X).unwrap();
    assert_eq!(rotating.accelerated(Vec3::NAN), Err(Error::NonFinite { field: "acceleration" }));
    let far = Vec3::X * MAX_COORDINATE;
    assert_eq!(rotating.accelerated(Vec3::X * f32::MAX), Err(Error::OutOfRange { field: "acceleration" }));
    let edge = Obb::new(far, Quat::IDENTITY, Vec3::ZERO).unwrap();
    let refused = BoxSweep::new(edge, Vec3::ZERO).unwrap().rotating(Vec3::Z);
    assert_eq!(refused, Err(Error::OutOfRange { field: "rotation" }));
    let fall = turning(Vec3::ONE, 3.0, Vec3::Y * -4.0, Vec3::Z);
    let toi = |skin| fall.against_plane(&floor(), Sides::Front, skin).hit().unwrap().toi;
    assert_eq!([toi(f32::NAN), toi(-1.0)], [toi(0.0); 2]);
    assert!(toi(f32::INFINITY) <= toi(0.0));
}

#[test]
fn no_sample_of_a_turning_box_is_in_a_sphere_before_the_hit() {
    let mut state = 7u32;
    let mut next = move || {
        // Knuth's linear congruential generator: any numbers will do.
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32 * 2.0 - 1.0
    };
    let (mut hits, mut clear) = (0, 0);
    for case in 0..3000 {
        let mut vector = |size: f32| Vec3::new(next(), next(), next()) * size;
        let (center, off, rotation, half) = (vector(4.0), vector(3.0), vector(9.0), vector(1.5).abs());
        let motion = off - center;
        let body = Obb::new(center, Quat::from_rotation_x(motion.x), half).unwrap();
        let sweep = BoxSweep::new(body, motion).unwrap().rotating(rotation).unwrap().accelerated(vector(2.0)).unwrap();
        let sphere = Sphere::new(vector(1.0), next().abs()).unwrap();
        let until = match sweep.against(sphere, 1e-3) {
            Sweep::Overlap(_) => continue,
            Sweep::Clear => {
                clear += 1;
                1.0
            }
            Sweep::Hit(hit) => {
                hits += 1;
                let there = sphere.gap(&sweep.body_at(&hit)).separation;
                assert!((-1e-12..1.01e-3).contains(&there), "case {case}: {there}");
                hit.toi
            }
        };
        for step in 0..=200 {
            let gap = sphere.gap(&sweep.pose(until * step as f32 / 200.0));
            assert!(gap.separation > -1e-5, "case {case} at step {step}: {gap:?}");
        }
    }
    assert!(hits > 500 && clear > 500, "{hits} {clear}");
}
