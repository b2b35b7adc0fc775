//! Turning convexes, cylinders and cones against a judge that samples: times are never late, and what is left then is
//! what was allowed; distances and depths are within bounds that hold.

use crate::convex_facets::{cloud, direction, frame};
use cullide_narrowphase::{
    Capsule, Convex, ConvexCore, ConvexSweep, Hull, Turn,
    glam::{DVec3, Vec3},
};
use cullide_oracle::convex::{Pose, ShapeSampler, distance_between, first_touch_by_sampling};
use cullide_scenes::{Rng, SEED};

fn array(v: Vec3) -> [f64; 3] {
    v.as_dvec3().to_array()
}

/// A hull, a capsule, a cylinder or a cone around a centre, for both sides.
fn shape(rng: &mut Rng, kind: usize, center: Vec3) -> (ConvexCore, ShapeSampler) {
    // Halves of numbers that are short, so that both ends are exact.
    let axis = (direction(rng) * 1024.0).round().as_vec3() / 1024.0;
    let ends = [array(center - axis), array(center + axis)];
    match kind {
        0 => {
            let turned = frame(rng);
            let hull = Hull::new(&cloud(rng, 14, DVec3::new(1.0, 0.7, 0.4), turned, center.as_dvec3())).unwrap();
            let points: Vec<[f32; 3]> = hull.vertices().map(|v| v.to_array()).collect();
            (Convex::from(&hull).core(), ShapeSampler::hull(&points))
        }
        1 => {
            let capsule = Capsule::from_half_axis(center, axis, 0.25).unwrap();
            (Convex::from(capsule).core(), ShapeSampler::capsule(ends, 0.25))
        }
        2 => (ConvexCore::cone(center, axis, 0.5, 0.5).unwrap(), ShapeSampler::cylinder(ends, 0.5)),
        _ => (ConvexCore::cone(center, axis, 0.5, 0.0).unwrap(), ShapeSampler::cone(ends[0], ends[1], 0.5)),
    }
}

fn short(v: DVec3) -> Vec3 {
    (v * 256.0).round().as_vec3() / 256.0
}

#[test]
fn turning_convexes_are_never_late_and_end_as_near_as_allowed() {
    const NEAR: f64 = 1e-5;
    let mut rng = Rng::with_seed(SEED);
    let mut hits = 0;
    for case in 0..240 {
        let center = short(direction(&mut rng) * 3.5);
        let (a, a_sampled) = shape(&mut rng, case % 4, Vec3::ZERO);
        let (b, b_sampled) = shape(&mut rng, case / 4 % 4, center);
        let motion = short(center.as_dvec3() + direction(&mut rng) * 1.5);
        let rotation = short(direction(&mut rng) * 6.0 * rng.f64());
        let pose = |time: f64| Pose::new(array(rotation).map(|x| x * time), array(motion).map(|x| x * time));
        let sampled = first_touch_by_sampling(&a_sampled, &b_sampled, pose, 100, 0.4 * NEAR);
        match a.turn(&Turn::new(Vec3::ZERO, motion, rotation).unwrap(), &b, 1.0, NEAR) {
            ConvexSweep::Hit(hit) => {
                assert!(sampled.is_none_or(|sampled| hit.time <= sampled), "case {case}: {hit:?} {sampled:?}");
                let left = distance_between(&a_sampled, &pose(hit.time), &b_sampled);
                assert!(left.upper > 0.1 * NEAR && left.lower <= 1.01 * NEAR, "case {case}: {hit:?} {left:?}");
                hits += 1;
            }
            ConvexSweep::Clear => assert!(sampled.is_none(), "case {case}: {sampled:?}"),
            ConvexSweep::Overlap => panic!("case {case}"),
        }
    }
    assert!(hits > 120, "{hits}");
}

#[test]
fn cylinders_and_cones_are_swept_and_measured_within_their_bounds() {
    let mut rng = Rng::with_seed(SEED + 1);
    let (mut hits, mut deep) = (0, 0);
    for case in 0..400 {
        let center = short(direction(&mut rng) * 4.0 * rng.f64());
        let (a, a_sampled) = shape(&mut rng, 2 + case % 2, Vec3::ZERO);
        let (b, b_sampled) = shape(&mut rng, case / 2 % 4, center);
        // The largest coordinates are at most 8.
        let doubt = 8.0 / f64::from(1 << 26);
        let (found, truth) = (a.distance(&b), distance_between(&a_sampled, &Pose::still(), &b_sampled));
        let [low, high] = found.bounds;
        if truth.upper > 1e-6 {
            assert!(low <= truth.upper + 1e-10 && truth.lower <= high + 1e-10, "case {case}: {found:?} {truth:?}");
            assert!(high - low <= doubt, "case {case}: {found:?} {truth:?}");
            let motion = short(center.as_dvec3() * 1.5 + direction(&mut rng));
            let pose = |time: f64| Pose::new([0.0; 3], array(motion).map(|x| x * time));
            let sampled = first_touch_by_sampling(&a_sampled, &b_sampled, pose, 60, 1e-9);
            if let ConvexSweep::Hit(hit) = a.sweep(motion, &b, 1.0).unwrap() {
                // The distance is a convex function of time, so that the rest takes no longer than this.
                let rest = 1.01e-9 / -hit.normal.dot(motion.as_dvec3());
                assert!(sampled.is_none_or(|sampled| hit.time <= sampled + rest), "case {case}: {hit:?} {sampled:?}");
                let left = distance_between(&a_sampled, &pose(hit.time), &b_sampled);
                assert!(left.upper <= doubt, "case {case}: {hit:?} {left:?}");
                hits += 1;
            } else {
                assert!(sampled.is_none(), "case {case}: {sampled:?}");
            }
        } else if found.separation < 0.0 {
            // Out along the normal by the most that the depth may be, and still in by a little less than the least.
            let moved = |by: f64| Pose::new([0.0; 3], (found.normal * by).to_array());
            let out = distance_between(&a_sampled, &moved(-low + 1e-9), &b_sampled);
            assert!(out.upper > 0.0, "case {case}: {found:?} {out:?}");
            let within = distance_between(&a_sampled, &moved(-high - 1e-6), &b_sampled);
            assert!(within.lower <= 1e-9, "case {case}: {found:?} {within:?}");
            assert!(high - low <= doubt, "case {case}: {found:?}");
            deep += 1;
        }
    }
    assert!(hits > 60 && deep > 60, "{hits} {deep}");
}
