//! Boxes that rotate and move against boxes and balls that do the same, sampled at many times on their way.
//!
//! They do not penetrate each other at any of the times sampled before a time of impact, or at any time if there is
//! none; at the time of impact the gap is at most the skin; and where the first stops it does not penetrate the other
//! in exact arithmetic.

use cullide_narrowphase::{BoxSweep, Budget, Obb, Sphere, SphereSweep, Sweep, TurningBoxSweep, glam::Vec3};
use cullide_oracle::{Polytope, gap_obb_polytope, obb_distance_squared, turning_pose};
use cullide_scenes::aimed::{Turning, Wrong, each_case, each_case_on_all_threads};
use cullide_support::{exact::*, turns::*};

const SKIN: f32 = 1e-3;

/// The sum of all lengths of both, for tolerances.
fn size(sweeps: [&TurningBoxSweep; 2]) -> f64 {
    sweeps.iter().map(|sweep| 1.0 + truth_of(sweep).size()).sum()
}

/// Checks the answer at `looks` times before its end; `gap` is exact except for rounding poses to `f64`.
fn check(got: &Sweep, looks: usize, size: f64, gap: impl Fn(f64) -> f64, wrong: &mut Wrong) {
    let until = match got {
        Sweep::Overlap(_) => {
            wrong.unless(gap(0.0) < 1e-12 * size, || format!("overlaps by {:e}", gap(0.0)));
            return;
        }
        Sweep::Clear => 1.0,
        Sweep::Hit(hit) => {
            let at = gap(hit.toi.into());
            let most = f64::from(SKIN).max(f64::from(f32::EPSILON) * size);
            wrong.unless(at <= most + 1e-9 && at >= -1e-9, || format!("gap {at:e} at {}", hit.toi));
            wrong.unless(is_unit(hit.normal), || format!("normal {}", hit.normal));
            f64::from(hit.toi)
        }
    };
    for look in 0..looks {
        let time = until * look as f64 / looks as f64;
        wrong.unless(gap(time) >= -1e-9 || look == 0, || format!("passes: {:e} at {time}, {got:?}", gap(time)));
    }
}

fn compare(count: usize, looks: usize) {
    let kind = |sweep: &Sweep| match sweep {
        Sweep::Clear => 0,
        Sweep::Hit(_) => 1,
        Sweep::Overlap(_) => 2,
    };
    let verdicts = each_case_on_all_threads(
        count,
        0.5,
        |rng| [near_turning(rng), near_turning(rng)],
        |[case, other], wrong| {
            let (sweep, other) = (sweep_of(case)?, sweep_of(other)?);
            if !is_of_good_shape(sweep.body()) || !is_of_good_shape(other.body()) {
                return None;
            }
            // A few need more evaluations than the default budget allows, and would then stop short of the skin.
            let got = sweep.within(&Budget::new(u32::MAX)).against_moving_box(&other, SKIN);
            let (a, b) = (truth_of(&sweep), truth_of(&other));
            let gap = |time: f64| {
                gap_obb_polytope(turning_pose(&a, time), &Polytope::from_obb(turning_pose(&b, time))).to_f64()
            };
            let size = size([&sweep, &other]);
            check(&got, looks, size, gap, wrong);
            if let Sweep::Hit(hit) = got {
                let (there, beside) = (sweep.body_at(&hit), Polytope::from_obb(of_obb(&other.pose(hit.toi))));
                let stopped = gap_obb_polytope(of_obb(&there), &beside);
                wrong.unless(!stopped.is_penetrating(), || format!("penetrates by {:e}", stopped.to_f64()));
                let most = f64::from(SKIN) + 8.0 * f64::from(f32::EPSILON) * size;
                wrong.unless(stopped.to_f64() <= most, || format!("stops {:e} away", stopped.to_f64()));
            }
            Some(kind(&got))
        },
    );
    let verdicts = [0, 1, 2].map(|kind| verdicts.iter().filter(|&&verdict| verdict == kind).count());
    println!("{verdicts:?}");
    assert!(verdicts.iter().all(|&n| n > count / 100), "{verdicts:?}");
}

fn compare_balls(count: usize, looks: usize) {
    let mut hits = 0;
    each_case(
        count,
        0.5,
        |rng| [near_turning(rng), near_turning(rng)],
        |[case, other], wrong| {
            let sweep = sweep_of(case)?;
            if !is_of_good_shape(sweep.body()) {
                return None;
            }
            let [center, edge, ..] = other.obb.map(Vec3::from);
            let ball = Sphere::new(center, edge.length()).ok()?;
            let ball = SphereSweep::new(ball, Vec3::from(other.motion)).ok()?;
            let got = sweep.against_moving_sphere(&ball, SKIN);
            hits += usize::from(got.hit().is_some());
            let truth = truth_of(&sweep);
            let gap = |time: f64| {
                let center = wide(ball.body().center()) + wide(ball.motion()) * time;
                let square = obb_distance_squared(turning_pose(&truth, time), center.to_array()).to_f64();
                square.sqrt() - f64::from(ball.body().radius())
            };
            check(&got, looks, size([&sweep, &sweep]) + f64::from(ball.body().radius()), gap, wrong);
            Some(())
        },
    );
    assert!(hits > count / 20, "{hits}");
}

#[test]
fn turning_boxes_never_pass_each_other_and_stop_within_the_skin() {
    compare(1_000, 6);
}

#[test]
#[ignore = "fifty thousand cases take half a minute"]
fn turning_boxes_never_pass_each_other_in_many_cases() {
    compare(50_000, 3);
}

#[test]
fn turning_boxes_never_pass_a_moving_ball() {
    compare_balls(3_000, 20);
}

#[test]
fn without_rotation_the_answer_is_that_of_the_translating_sweep() {
    each_case(
        2_000,
        0.9,
        |rng| [near_turning(rng), near_turning(rng)],
        |[case, other], wrong| {
            let sweep = |case: &Turning| BoxSweep::new(obb(case.obb)?, Vec3::from(case.motion)).ok();
            let (a, b) = (sweep(case)?, sweep(other)?);
            let [turning_a, turning_b] = [a, b].map(|sweep| sweep.rotating(Vec3::ZERO));
            let got = turning_a.ok()?.against_moving_box(&turning_b.ok()?, SKIN);
            wrong.unless_equal("sweep", got, a.against_moving_box(&b));
            Some(())
        },
    );
}

#[test]
fn gears_that_turn_with_each_other_never_touch_and_those_that_do_not_do() {
    // Two bars, 3 apart and each reaching 2: at right angles to each other they rotate freely, as long as they stay so.
    let bar = |x: f32, half: Vec3| {
        Obb::from_half_edges(Vec3::X * x, [Vec3::X * half.x, Vec3::Y * half.y, Vec3::Z * half.z]).unwrap()
    };
    let turning = |body: Obb, turn: f32| BoxSweep::new(body, Vec3::ZERO).unwrap().rotating(Vec3::Z * turn).unwrap();
    let (lying, standing) = (bar(0.0, Vec3::new(2.0, 0.1, 0.5)), bar(3.0, Vec3::new(0.1, 2.0, 0.5)));
    assert!(turning(lying, 6.0).against_moving_box(&turning(standing, 0.0), 1e-3).hit().is_none());
    assert!(turning(lying, 0.0).against_moving_box(&turning(standing, 6.0), 1e-3).hit().is_some());
    assert!(turning(standing, 6.0).against_moving_box(&turning(lying, 0.0), 1e-3).hit().is_some());
}
