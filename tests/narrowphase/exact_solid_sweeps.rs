//! Moving boxes against boxes at rest and in motion, compared with exact arithmetic on aimed cases.
//!
//! The verdict is decided in `f64`: it may differ from the exact one only if moving the body by 1e-12 of the scale
//! would change that. The position at impact never penetrates in exact arithmetic.

use cullide_narrowphase::{
    BoxSweep, Obb, Sphere, SphereSweep, Sweep, SweepHit,
    glam::{DVec3, Vec3},
};
use cullide_oracle::{self as oracle, Exact};
use cullide_scenes::aimed::{self, Wrong, each_case};
use cullide_support::exact::{self, *};
use std::cmp::Ordering::Less;

/// A body in `f64`, which can also represent rounded margins.
type Wide = [[f64; 3]; 4];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    Clear,
    Hit,
    Overlap,
}

impl Verdict {
    fn of(sweep: &Sweep) -> Self {
        match sweep {
            Sweep::Clear => Self::Clear,
            Sweep::Hit(_) => Self::Hit,
            Sweep::Overlap(_) => Self::Overlap,
        }
    }

    /// A graze without entering is not a hit.
    fn of_exact(sweep: &oracle::Sweep) -> Self {
        match sweep {
            oracle::Sweep::Clear | oracle::Sweep::Graze(_) => Self::Clear,
            oracle::Sweep::Hit(_) => Self::Hit,
            oracle::Sweep::Overlap => Self::Overlap,
        }
    }
}

fn widened(obb: &Obb) -> Wide {
    of_obb(obb).map(|v| v.map(f64::from))
}

/// The largest magnitude of any coordinate, for margins.
fn scale(obbs: [&Wide; 2]) -> f64 {
    obbs.iter().flat_map(|obb| obb.as_flattened()).fold(0.0, |a: f64, x| a.max(x.abs()))
}

/// Compares a sweep with the exact one, given as a function of the moving body and its motion relative to the other
/// body.
fn check(
    sweep: &BoxSweep,
    motion: DVec3,
    got: &Sweep,
    scale: f64,
    exactly: impl Fn(Wide, [f64; 3]) -> oracle::Sweep,
    wrong: &mut Wrong,
) -> Option<Verdict> {
    let body = widened(sweep.body());
    let exact = exactly(body, motion.to_array());
    // A different answer is accepted if any of the nearby cases differs from the exact one.
    let (verdict, expected) = (Verdict::of(got), Verdict::of_exact(&exact));
    if verdict != expected {
        let margin = 1e-12 * scale;
        let near = nearby(body, motion, margin)
            .into_iter()
            .any(|(body, motion)| Verdict::of_exact(&exactly(body, motion.to_array())) != expected);
        wrong.unless(near, || format!("got {got:?}, expected {exact:?} of {sweep:?}"));
        return None;
    }
    if let (Sweep::Hit(hit), oracle::Sweep::Hit(toi)) = (got, &exact) {
        let approach = wide(hit.normal).dot(motion);
        wrong.unless(is_unit(hit.normal) && approach <= 1e-6 * motion.length(), || {
            format!("normal {} along the motion by {approach:e}", hit.normal)
        });
        wrong.unless((0.0..1.0).contains(&hit.toi), || format!("toi {}", hit.toi));
        // The error of a gap divided by the approach, which is small if faces meet at a small angle.
        let error = 1e-12 * scale / approach.abs() + 1e-7;
        let is_near = |toi: &oracle::Parameter| toi.within(hit.toi.into(), error);
        let near = || {
            nearby(body, motion, 1e-12 * scale).into_iter().any(|(body, motion)| {
                match exactly(body, motion.to_array()) {
                    oracle::Sweep::Hit(toi) => is_near(&toi),
                    _ => true,
                }
            })
        };
        wrong.unless(is_near(toi) || near(), || format!("toi {}, exactly {} within {error:e}", hit.toi, toi.to_f64()));
    }
    Some(expected)
}

/// The body slightly larger, smaller and shifted, and its motion slightly longer and shorter.
fn nearby(body: Wide, motion: DVec3, margin: f64) -> Vec<(Wide, DVec3)> {
    let mut variants = Vec::new();
    let edges = [1, 2, 3].map(|i| DVec3::from(body[i]));
    let longest = edges.into_iter().fold(DVec3::ZERO, |a, b| if b.length() > a.length() { b } else { a });
    let across = longest.try_normalize().unwrap_or(DVec3::X).any_orthonormal_pair();
    for sign in [-1.0, 1.0] {
        let mut resized = body;
        for (i, edge) in edges.into_iter().enumerate() {
            // An edge of length zero grows perpendicular to the longest edge, so that nothing thin stays thin.
            let along = edge.try_normalize().unwrap_or(if i == 0 { across.0 } else { across.1 });
            resized[i + 1] = (along * (edge.length() + sign * margin).max(0.0)).to_array();
        }
        variants.push((resized, motion));
        for axis in DVec3::AXES {
            let mut shifted = body;
            shifted[0] = (DVec3::from(body[0]) + axis * sign * margin).to_array();
            variants.push((shifted, motion));
            variants.push((body, motion + axis * sign * margin));
        }
    }
    variants
}

/// The body at the place where a hit stops it.
fn stopped(sweep: &BoxSweep, hit: &SweepHit) -> Wide {
    let mut body = widened(sweep.body());
    body[0] = wide(hit.position).to_array();
    body
}

#[test]
fn an_axial_box_meets_another_when_it_should() {
    let mut verdicts = [0; 3];
    each_case(CASES, 0.85, aimed::sweep_aabb_aabb, |&(moving, delta, still), wrong| {
        let (body, still) = (Obb::from(&exact::aabb(moving)?), exact::aabb(still)?);
        let sweep = BoxSweep::new(body, Vec3::from(delta)).ok()?;
        let wall = of_aabb(&still).map(|v| v.map(f64::from));
        let size = scale([&widened(&body), &[wall[0], wall[1], wall[0], wall[1]]]);
        let got = sweep.against(still);
        let expected =
            check(&sweep, wide(sweep.motion()), &got, size, |b, d| oracle::sweep_obb_aabb(b, d, wall), wrong);
        expected.into_iter().for_each(|verdict| verdicts[verdict as usize] += 1);
        if let (Sweep::Hit(hit), Some(_)) = (got, expected) {
            let there = oracle::sweep_obb_aabb(stopped(&sweep, &hit), [0.0; 3], wall);
            wrong.unless(!matches!(there, oracle::Sweep::Overlap), || format!("penetrates at {}", hit.position));
        }
        Some(())
    });
    assert!(verdicts.iter().all(|&count| count > CASES / 50), "{verdicts:?}");
}

#[test]
fn an_oriented_box_meets_another_when_it_should() {
    let mut verdicts = [0; 3];
    each_case(CASES, 0.8, aimed::sweep_obb_obb, |&(moving, delta, still), wrong| {
        let (body, still) = (exact::obb(moving)?, exact::obb(still)?);
        let sweep = BoxSweep::new(body, Vec3::from(delta)).ok()?;
        if !is_of_good_shape(&body) || !is_of_good_shape(&still) {
            return None;
        }
        let wall = widened(&still);
        let got = sweep.against(still);
        let size = scale([&widened(&body), &wall]);
        let expected = check(&sweep, wide(sweep.motion()), &got, size, |b, d| oracle::sweep_obb_obb(b, d, wall), wrong);
        expected.into_iter().for_each(|verdict| verdicts[verdict as usize] += 1);
        if let (Sweep::Hit(hit), Some(_)) = (got, expected) {
            let there = oracle::sweep_obb_obb(stopped(&sweep, &hit), [0.0; 3], wall);
            wrong.unless(!matches!(there, oracle::Sweep::Overlap), || format!("penetrates at {}", hit.position));
        }
        Some(())
    });
    assert!(verdicts.iter().all(|&count| count > CASES / 50), "{verdicts:?}");
}

#[test]
fn two_boxes_that_move_both_meet_when_they_should() {
    let mut verdicts = [0; 3];
    let mut rng = cullide_scenes::Rng::with_seed(cullide_scenes::SEED);
    each_case(CASES, 0.6, aimed::sweep_obb_obb, |&(moving, delta, still), wrong| {
        let (body, still) = (exact::obb(moving)?, exact::obb(still)?);
        if !is_of_good_shape(&body) || !is_of_good_shape(&still) {
            return None;
        }
        // Both are carried by the same motion; rounding may change it differently for each.
        let size = scale([&widened(&body), &widened(&still)]) as f32;
        let carried =
            Vec3::new(rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() - 0.5) * size * [0.1, 1.0, 100.0][rng.usize(0..3)];
        let sweep = BoxSweep::new(body, Vec3::from(delta) + carried).ok()?;
        let other = BoxSweep::new(still, carried).ok()?;
        let relative = wide(sweep.motion()) - wide(other.motion());
        // If `f64` cannot represent the relative motion, the oracle would get a different one.
        if relative + wide(other.motion()) != wide(sweep.motion()) {
            return None;
        }
        let wall = widened(&still);
        let got = sweep.against_moving_box(&other);
        let size = scale([&widened(&body), &wall]);
        let expected = check(&sweep, relative, &got, size, |b, d| oracle::sweep_obb_obb(b, d, wall), wrong);
        expected.into_iter().for_each(|verdict| verdicts[verdict as usize] += 1);
        if let (Sweep::Hit(hit), Some(_)) = (got, expected) {
            let there = widened(&other.pose(hit.toi));
            let overlap = oracle::sweep_obb_obb(stopped(&sweep, &hit), [0.0; 3], there);
            wrong.unless(!matches!(overlap, oracle::Sweep::Overlap), || format!("penetrates at {}", hit.position));
        }
        Some(())
    });
    assert!(verdicts.iter().all(|&count| count > CASES / 50), "{verdicts:?}");
}

/// The distance of a ball from a box, exact except for one root.
fn distance(ball: DVec3, radius: f64, body: Wide) -> f64 {
    let square = oracle::obb_distance_squared(body, ball.to_array()).to_f64();
    square.sqrt() - radius
}

#[test]
fn balls_and_boxes_that_move_meet_when_they_should() {
    let mut verdicts = [0; 3];
    let mut rng = cullide_scenes::Rng::with_seed(cullide_scenes::SEED);
    each_case(20_000, 0.3, aimed::sweep_obb_obb, |&(moving, delta, still), wrong| {
        let (body, around) = (exact::obb(moving)?, exact::obb(still)?);
        if !is_of_good_shape(&body) {
            return None;
        }
        let radius = around.half_extents().min_element();
        let size = scale([&widened(&body), &widened(&around)]);
        let way = Vec3::new(rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() - 0.5) * size as f32 * 0.5;
        let ball = SphereSweep::new(Sphere::new(around.center(), radius).ok()?, way).ok()?;
        let sweep = BoxSweep::new(body, Vec3::from(delta) + way).ok()?;
        let at = |time: f64| {
            let mut body = widened(&body);
            body[0] = (DVec3::from(body[0]) + wide(sweep.motion()) * time).to_array();
            distance(wide(ball.body().center()) + wide(ball.motion()) * time, radius.into(), body)
        };
        let tolerance = 1e-6 * (size + wide(sweep.motion()).length() + wide(way).length());
        let (got, swapped) = (sweep.against_moving_sphere(&ball), ball.against_moving_box(&sweep));
        wrong.unless(Verdict::of(&got) == Verdict::of(&swapped), || format!("{got:?}, the other way {swapped:?}"));
        verdicts[Verdict::of(&got) as usize] += 1;
        let until = match (got, swapped) {
            (Sweep::Overlap(_), _) => {
                wrong.unless(at(0.0) < tolerance, || format!("overlaps at a distance of {:e}", at(0.0)));
                return Some(());
            }
            (Sweep::Hit(hit), Sweep::Hit(other)) => {
                let toi = f64::from(hit.toi);
                wrong.unless(at(toi).abs() <= tolerance, || format!("hit at a distance of {:e}", at(toi)));
                wrong.unless(other.toi == hit.toi && is_unit(other.normal), || format!("{hit:?} {other:?}"));
                let is_apart = |ball: Vec3, body: Wide| {
                    let square = &Exact::new(radius) * &Exact::new(radius);
                    oracle::obb_distance_squared(body, ball.to_array().map(f64::from)).cmp_exact(&square) != Less
                };
                let stops = is_apart(ball.pose(hit.toi).center(), stopped(&sweep, &hit));
                wrong.unless(stops, || "the box penetrates".into());
                let stops = is_apart(other.position, widened(&sweep.pose(hit.toi)));
                wrong.unless(stops, || "the ball penetrates".into());
                toi
            }
            _ => 1.0,
        };
        for look in 1..20 {
            let time = until * f64::from(look) / 20.0;
            wrong.unless(at(time) >= -tolerance, || format!("passes: {:e} at {time}, {got:?}", at(time)));
        }
        Some(())
    });
    assert!(verdicts.iter().all(|&count| count > 400), "{verdicts:?}");
}
