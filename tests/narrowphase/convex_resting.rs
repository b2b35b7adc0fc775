//! Convexes that turn where they rest: what is within the skin is touched only while it closes, and never passed.

use crate::convex_facets::{cloud, direction, frame};
use cullide_narrowphase::{
    Aabb, Convex, ConvexCore, ConvexSweep, Hull, Plane, Sides, Turn,
    glam::{DVec3, Vec3},
};
use cullide_scenes::{Rng, SEED};

const SKIN: f64 = 1e-3;

fn hull(rng: &mut Rng, center: DVec3) -> ConvexCore {
    let turned = frame(rng);
    Convex::from(&Hull::new(&cloud(rng, 14, DVec3::new(1.0, 0.7, 0.4), turned, center)).unwrap()).core()
}

fn turn(rng: &mut Rng, motion: DVec3, angle: f64) -> Turn {
    let rotation = (direction(rng) * angle * rng.f64()).as_vec3();
    Turn::new(Vec3::ZERO, motion.as_vec3(), rotation).unwrap()
}

/// Checks the answer of a turn by sampling how far apart the two are.
fn check(found: ConvexSweep, gap: impl Fn(f64) -> f64, case: usize) -> bool {
    let (until, is_hit) = match found {
        ConvexSweep::Hit(hit) => (hit.time, true),
        ConvexSweep::Clear => (1.0, false),
        ConvexSweep::Overlap => panic!("case {case}"),
    };
    for step in 0..=60 {
        let there = gap(until * f64::from(step) / 60.0);
        assert!(there > -1e-11, "case {case} at {step}: {there}");
    }
    if is_hit {
        assert!(gap(until) <= 1.01 * SKIN, "case {case}: hit at a distance of {}", gap(until));
    }
    is_hit
}

#[test]
fn a_start_within_the_skin_is_no_touch_unless_it_closes() {
    let mut rng = Rng::with_seed(SEED);
    let (mut hits, mut free) = (0, 0);
    for case in 0..300 {
        let a = hull(&mut rng, DVec3::ZERO);
        let center = direction(&mut rng) * 3.0;
        let b = hull(&mut rng, center);
        // Moved to within a part of the skin, or until they touch up to rounding.
        let found = a.distance(&b);
        let near = [0.0, 0.3, 0.9, 30.0][case % 4] * SKIN;
        let a = a.translated((-found.normal * (found.separation - near)).as_vec3()).unwrap();
        let motion = direction(&mut rng) * [1.0, 0.1][case % 2];
        let path = turn(&mut rng, motion, 4.0);
        if a.penetrates(&b) {
            assert_eq!(a.turn_within(&path, &b, 1.0, SKIN), ConvexSweep::Overlap);
            continue;
        }
        let found = a.turn_within(&path, &b, 1.0, SKIN);
        let gap = |time: f64| a.turned(&path, time).distance(&b).separation;
        *(if check(found, gap, case) { &mut hits } else { &mut free }) += 1;
    }
    assert!(hits > 100 && free > 50, "{hits} hits, {free} free");
}

#[test]
fn over_a_plane_it_is_as_over_a_wide_box() {
    let mut rng = Rng::with_seed(SEED + 1);
    let slab = Aabb::new(Vec3::new(-64.0, -64.0, -64.0), Vec3::new(64.0, 0.0, 64.0)).unwrap();
    let (slab, plane) = (Convex::from(slab).core(), Plane::new(Vec3::Y, 0.0).unwrap());
    let (mut hits, mut free) = (0, 0);
    for case in 0..300 {
        let a = hull(&mut rng, DVec3::Y * 2.0);
        let [low, _] = a.heights_over(&plane);
        let near = [0.0, 0.3, 0.9, 300.0][case % 4] * SKIN;
        let a = a.translated(Vec3::Y * (near - low) as f32).unwrap();
        let motion = direction(&mut rng) * 0.5;
        let path = turn(&mut rng, motion, 4.0);
        if a.heights_over(&plane)[0] < 0.0 {
            assert_eq!(a.turn_plane(&path, &plane, Sides::Front, 1.0, SKIN), ConvexSweep::Overlap);
            continue;
        }
        let found = a.turn_plane(&path, &plane, Sides::Front, 1.0, SKIN);
        let gap = |time: f64| a.turned(&path, time).heights_over(&plane)[0];
        let is_hit = check(found, gap, case);
        *(if is_hit { &mut hits } else { &mut free }) += 1;
        if let (ConvexSweep::Hit(hit), ConvexSweep::Hit(other)) = (found, a.turn_within(&path, &slab, 1.0, SKIN)) {
            assert!((hit.time - other.time).abs() < 0.02 && hit.normal.distance(DVec3::Y) < 1e-9, "case {case}");
        }
    }
    assert!(hits > 100 && free > 30, "{hits} hits, {free} free");
}

#[test]
fn half_spaces_and_walls_have_their_sides() {
    let mut rng = Rng::with_seed(SEED + 2);
    let plane = Plane::new(Vec3::Y, 0.0).unwrap();
    for _ in 0..50 {
        let behind = hull(&mut rng, DVec3::Y * -3.0);
        let path = turn(&mut rng, DVec3::Y * 6.0, 4.0);
        assert_eq!(behind.turn_plane(&path, &plane, Sides::Front, 1.0, SKIN), ConvexSweep::Clear);
        let ConvexSweep::Hit(hit) = behind.turn_plane(&path, &plane, Sides::Both, 1.0, SKIN) else { panic!() };
        assert_eq!(hit.normal, DVec3::NEG_Y);
        let [_, high] = behind.turned(&path, hit.time).heights_over(&plane);
        assert!((-SKIN..=0.0).contains(&high));
        assert_eq!(behind.turn_plane(&path, &plane, Sides::Both, (0.9 * hit.time) as f32, SKIN), ConvexSweep::Clear);
    }
}
