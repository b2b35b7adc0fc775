use super::*;
use crate::{Convex, shape::cylinder::tests::any_cylinder};
use cullide_scenes::{Rng, SEED};
use glam::Quat;

/// What a cylinder is off by, at most.
fn bound(size: f32) -> f64 {
    f64::from(size) * (1.0 / (1u64 << 24) as f64)
}

fn any_vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)))
}

/// Checks a sweep of a body whose separation is known wherever its centre is; returns whether it was clear, overlapped or
/// hit, in this order.
fn check_sweep(
    case: usize,
    sweep: Sweep,
    (start, motion): (Vec3, Vec3),
    separation_at: impl Fn(DVec3) -> f64,
    bound: f64,
) -> usize {
    let at = |time: f64| separation_at(start.as_dvec3() + motion.as_dvec3() * time);
    match sweep {
        Sweep::Clear => {
            let touched = (0..=64).map(|i| at(f64::from(i) / 64.0)).find(|gap| *gap < -bound);
            // Moving out of a touch is clear.
            assert!(touched.is_none(), "case {case}: {touched:?}");
            0
        }
        Sweep::Overlap(overlap) => {
            assert!(at(0.0) < bound, "case {case}: {overlap:?}");
            let out = separation_at(start.as_dvec3() + overlap.normal.as_dvec3() * f64::from(overlap.depth));
            assert!(out > -1e-5 * (1.0 + f64::from(overlap.depth)) - bound, "case {case}: {overlap:?} {out}");
            1
        }
        Sweep::Hit(hit) => {
            for i in 0..64 {
                let gap = at(f64::from(hit.toi) * f64::from(i) / 64.0);
                assert!(gap > -bound, "case {case}: {hit:?} {gap} at {i}");
            }
            let there = at(hit.toi.into());
            let step = f64::from(f32::EPSILON) * f64::from(motion.length());
            assert!(there < 2.0 * bound + step, "case {case}: {there} {hit:?}");
            assert!(separation_at(hit.position.as_dvec3()) >= 0.0, "case {case}");
            assert!(f64::from(hit.normal.dot(motion)) <= 1e-6 * f64::from(motion.length()), "case {case}");
            2
        }
    }
}

#[test]
fn boxes_balls_and_capsules_stop_at_cylinders_and_never_late() {
    let mut rng = Rng::with_seed(SEED ^ 601);
    let mut seen = [[0; 3]; 3];
    for case in 0..3000 {
        let cylinder = any_cylinder(&mut rng);
        let size = cylinder.half_axis().length() + cylinder.radii()[0].max(cylinder.radii()[1]);
        let start = cylinder.center() + any_vector(&mut rng, [3.0, 1.5, 0.7][case % 7 % 3] * (size + 0.5));
        let goal = cylinder.center() + any_vector(&mut rng, 0.7 * (size + 0.5));
        let motion = (goal - start) * 1.5;
        let core = cylinder.core();
        let bound = bound(size + start.abs().max_element() + motion.abs().max_element() + 2.0);
        let kind = case % 3;
        let outcome = match kind {
            0 => {
                let turn = Quat::from_scaled_axis(any_vector(&mut rng, 3.0));
                let obb = Obb::new(start, turn, any_vector(&mut rng, 1.0).abs() + 0.01).unwrap();
                let sweep = BoxSweep::new(obb, motion).unwrap().against(cylinder);
                let gap = |at: DVec3| CenteredBody::from(&obb).at(at).distance(&core).separation;
                check_sweep(case, sweep, (start, motion), gap, bound)
            }
            1 => {
                let ball = Sphere::new(start, 0.01 + rng.f32()).unwrap();
                let sweep = SphereSweep::new(ball, motion).unwrap().against(cylinder);
                // In closed form.
                let gap = |at: DVec3| cylinder.profile().nearest(at).0 - f64::from(ball.radius());
                check_sweep(case, sweep, (start, motion), gap, bound)
            }
            _ => {
                let capsule = Capsule::from_half_axis(start, any_vector(&mut rng, 1.0), 0.01 + rng.f32()).unwrap();
                let sweep = CapsuleSweep::new(capsule, motion).unwrap().against(cylinder);
                let gap = |at: DVec3| CenteredBody::from(&capsule).at(at).distance(&core).separation;
                check_sweep(case, sweep, (start, motion), gap, bound)
            }
        };
        seen[kind][outcome] += 1;
    }
    assert!(seen.iter().all(|seen| seen[0] > 50 && seen[1] > 20 && seen[2] > 300), "{seen:?}");
}

#[test]
fn turning_boxes_touch_nothing_before_they_stop() {
    let mut rng = Rng::with_seed(SEED ^ 602);
    let mut hits = 0;
    for case in 0..400 {
        let cylinder = any_cylinder(&mut rng);
        let size = cylinder.half_axis().length() + cylinder.radii()[0].max(cylinder.radii()[1]);
        let start = cylinder.center() + any_vector(&mut rng, 3.0 * (size + 0.5));
        let motion = (cylinder.center() - start) * 1.5;
        let obb = Obb::new(start, Quat::from_scaled_axis(any_vector(&mut rng, 3.0)), Vec3::new(0.7, 0.3, 0.1)).unwrap();
        let sweep = BoxSweep::new(obb, motion).unwrap().rotating(any_vector(&mut rng, 6.0)).unwrap();
        let sweep = sweep.accelerated(any_vector(&mut rng, 3.0)).unwrap();
        let (own, skin) = (Centered::from(&cylinder), 1e-3);
        let gap = |time: f64| own.gap(&CenteredBody::of_edges(sweep.rotated_edges(time)), sweep.center_at(time));
        let bound = bound(size + 20.0 + start.abs().max_element());
        let end = match sweep.against(cylinder, skin) {
            Sweep::Overlap(_) => {
                assert!(gap(0.0).separation < bound);
                continue;
            }
            Sweep::Clear => 1.0,
            Sweep::Hit(hit) => {
                hits += 1;
                let there = gap(hit.toi.into()).separation;
                assert!(there < f64::from(skin) + 10.0 * bound, "case {case}: {there} {hit:?}");
                let body = sweep.body_at(&hit);
                assert!(cylinder.gap_of(&Convex::from(body).core()).is_apart(), "case {case}");
                f64::from(hit.toi)
            }
        };
        for i in 0..100 {
            let gap = gap(end * f64::from(i) / 100.0).separation;
            assert!(gap > 0.0, "case {case}: {gap} at {i}");
        }
    }
    assert!(hits > 150, "{hits}");
}

#[test]
fn what_stands_on_a_cylinder_slides_over_it() {
    let drum = Cylinder::new(Vec3::NEG_Y * 2.0, Vec3::ZERO, 8.0).unwrap();
    let mut rng = Rng::with_seed(SEED ^ 603);
    for case in 0..200 {
        let half = any_vector(&mut rng, 0.5).abs() + 0.1;
        let turn = Quat::from_rotation_y(6.0 * rng.f32());
        let at = Vec3::new(4.0 * rng.f32() - 2.0, half.y, 4.0 * rng.f32() - 2.0);
        let down = BoxSweep::new(Obb::new(at + Vec3::Y, turn, half).unwrap(), Vec3::NEG_Y * 2.0).unwrap();
        let hit = down.against(drum).hit().unwrap();
        assert!(hit.position.y >= half.y && hit.position.y < half.y + 1e-5 && hit.normal.y > 0.999, "{hit:?}");
        let aside = Vec3::new(rng.f32() - 0.5, 0.0, rng.f32() - 0.5);
        let stands = Obb::new(hit.position, turn, half).unwrap();
        let slide = BoxSweep::new(stands, aside).unwrap().against(drum);
        assert_eq!(slide, Sweep::Clear, "case {case}");
        let ball = Sphere::new(Vec3::new(at.x, half.y + 1e-6, at.z), half.y).unwrap();
        let slide = SphereSweep::new(ball, aside).unwrap().against(drum);
        assert_eq!(slide, Sweep::Clear, "case {case}");
    }
}

#[test]
fn a_small_body_stays_on_its_side_of_a_thin_disc() {
    let disc = Cylinder::from_half_axis(Vec3::new(1e5, 0.0, 0.0), Vec3::X * 1e-4, [9.0; 2]).unwrap();
    let at = |x: f32| Sphere::new(Vec3::X * x, 1e-4).unwrap();
    let sweep = SphereSweep::new(at(99_990.0), Vec3::X * 20.0).unwrap();
    let hit = sweep.against(disc).hit().unwrap();
    assert!(hit.position.x < 1e5, "{hit:?}");
    assert!(disc.gap_of_sphere_from(&sweep, hit.toi, &at(1e5f32.next_up())).separation < 0.0);
}
