//! Sweeps of any two convexes have the verdicts and times of the sweeps of boxes, balls and capsules.

use crate::convex_facets::{cloud, direction, frame};
use cullide_narrowphase::{
    BoxSweep, Capsule, CapsuleSweep, Convex, ConvexSweep, Hull, Obb, Sphere, SphereSweep, Sweep, Triangle,
    glam::{DVec3, Vec3},
};
use cullide_scenes::{Rng, SEED};

/// Asserts one verdict, but for the start and the end, and equal times.
fn agree(own: ConvexSweep, other: Sweep, case: &str) -> usize {
    match (own, other) {
        (ConvexSweep::Clear, Sweep::Clear) => 0,
        (ConvexSweep::Overlap, Sweep::Overlap(_)) => 2,
        (ConvexSweep::Hit(own), Sweep::Hit(other)) => {
            assert!((own.toi - other.toi).abs() <= 1e-6, "{case}: {own:?} {other:?}");
            1
        }
        _ => panic!("{case}: {own:?} {other:?}"),
    }
}

#[test]
fn boxes_balls_and_capsules_meet_hulls_and_triangles_as_their_own_sweeps_say() {
    let mut rng = Rng::with_seed(SEED);
    let mut counts = [[0; 3]; 6];
    for case in 0..4000 {
        let [a, b, c] = frame(&mut rng).map(|axis| (axis * (0.2 + 0.5 * rng.f64())).as_vec3());
        let center = (direction(&mut rng) * 3.0 * rng.f64()).as_vec3();
        let motion = ((direction(&mut rng) * 1.5 - center.as_dvec3()) * (1.0 + rng.f64())).as_vec3();
        let body = Obb::from_half_edges(center, [a, b, c]).unwrap();
        let (ball, rod) = (Sphere::new(center, 0.4).unwrap(), Capsule::from_half_axis(center, a, 0.3).unwrap());
        let turned = frame(&mut rng);
        let hull = Hull::new(&cloud(&mut rng, 20, DVec3::ONE, turned, DVec3::ZERO)).unwrap();
        let [p, q, r] = [(); 3].map(|()| (direction(&mut rng) * 1.5).as_vec3());
        let Ok(triangle) = Triangle::new(p, q, r) else { continue };
        let (by_box, by_ball, by_rod) = (
            BoxSweep::new(body, motion).unwrap(),
            SphereSweep::new(ball, motion).unwrap(),
            CapsuleSweep::new(rod, motion).unwrap(),
        );
        let of = |mover: Convex, target: Convex| mover.core().sweep(motion, &target.core(), 1.0).unwrap();
        let (solid, flat) = (Convex::from(&hull), Convex::from(triangle));
        let pairs = [
            (of(body.into(), solid), by_box.against(hull.solid())),
            (of(body.into(), flat), by_box.against(triangle)),
            (of(ball.into(), solid), by_ball.against(hull.solid())),
            (of(ball.into(), flat), by_ball.against(triangle)),
            (of(rod.into(), solid), by_rod.against(hull.solid())),
            (of(rod.into(), flat), by_rod.against(triangle)),
        ];
        for (kind, (own, other)) in pairs.into_iter().enumerate() {
            counts[kind][agree(own, other, &format!("case {case}, kind {kind}"))] += 1;
        }
    }
    assert!(counts.iter().flatten().all(|count| *count > 100), "{counts:?}");
}

#[test]
fn a_ball_in_touch_hits_only_what_it_moves_into() {
    // A ball that starts in touch and leaves, and one that stays.
    let floor = Triangle::new(Vec3::new(-9.0, -9.0, 0.0), Vec3::new(9.0, -9.0, 0.0), Vec3::new(0.0, 9.0, 0.0)).unwrap();
    let ball = Convex::from(Sphere::new(Vec3::Z, 1.0).unwrap()).core();
    let floor = Convex::from(floor).core();
    assert_eq!(ball.sweep(Vec3::Z, &floor, 1.0), Ok(ConvexSweep::Clear));
    assert_eq!(ball.sweep(Vec3::X, &floor, 1.0), Ok(ConvexSweep::Clear));
    let ConvexSweep::Hit(hit) = ball.sweep(Vec3::NEG_Z, &floor, 1.0).unwrap() else { panic!() };
    assert_eq!((hit.toi, hit.normal), (0.0, DVec3::Z));
}
