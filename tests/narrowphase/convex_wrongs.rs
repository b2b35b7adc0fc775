//! What early versions of the queries of two convexes got wrong, each by name.

use crate::convex_facets::{Solid, cloud, direction, distance, frame, times};
use cullide_narrowphase::{
    ConvexSweep,
    glam::{DVec3, Vec3},
};
use cullide_oracle::convex::{self, SweepVerdict};
use cullide_scenes::{Rng, SEED};

/// Two hulls of so many points, stretched and turned, the second some way from the first.
fn hulls(rng: &mut Rng, count: usize, sizes: [DVec3; 2]) -> Option<[Solid; 2]> {
    let (frames, big) = ([frame(rng), frame(rng)], sizes[0].max(sizes[1]).max_element());
    let away = direction(rng) * big * (1.0 + 2.0 * rng.f64());
    let a = Solid::hull(&cloud(rng, count, sizes[0], frames[0], DVec3::ZERO))?;
    Some([a, Solid::hull(&cloud(rng, count, sizes[1], frames[1], away))?])
}

/// From a corner of the first to one of the second, and less far or farther.
fn aimed(rng: &mut Rng, [a, b]: &[Solid; 2]) -> Vec3 {
    let [from, to] = [a, b].map(|solid| solid.vertices[rng.usize(..solid.vertices.len())]);
    ((to - from) * (0.5 + rng.f64())).as_vec3()
}

/// Sweeps one toward the other: the verdict is that of all facets, and what is left at the time returned is rounding.
/// Returns how many hit.
fn check(pairs: impl Iterator<Item = [Solid; 2]>, rng: &mut Rng) -> usize {
    let mut hits = 0;
    for [a, b] in pairs {
        let motion = aimed(rng, &[a.placed(DVec3::ZERO), b.placed(DVec3::ZERO)]);
        let length = f64::from(motion.length());
        let scale = b.vertices[0].length() + length;
        let sweep = a.core.sweep(motion, &b.core, 1.0).unwrap();
        let truth = times(&a, &b, motion.as_dvec3()).map(|[enter, exit]| [enter.value(), exit.value()]);
        let tolerance = 1e-13 * scale / length;
        if let ConvexSweep::Hit(hit) = sweep {
            assert!(hit.gap <= 1e-14 * scale, "{hit:?}");
            assert!(truth.is_none_or(|[enter, _]| hit.time <= enter + tolerance), "{hit:?} {truth:?}");
            hits += 1;
        }
        if let Some([enter, exit]) = truth
            && exit - enter > 16.0 * tolerance
            && [enter, enter - 1.0].iter().all(|x| x.abs() > tolerance)
        {
            assert_eq!(matches!(sweep, ConvexSweep::Hit(_)), (0.0..1.0).contains(&enter), "{sweep:?} {enter} {exit}");
        }
    }
    hits
}

fn pairs(seed: u64, cases: usize, count: usize, sizes: fn(&mut Rng) -> DVec3) -> Vec<[Solid; 2]> {
    let mut rng = Rng::with_seed(seed);
    let sizes = |rng: &mut Rng| [sizes(rng), sizes(rng)];
    (0..cases)
        .filter_map(|_| {
            let sizes = sizes(&mut rng);
            hulls(&mut rng, count, sizes)
        })
        .collect()
}

fn needle(rng: &mut Rng) -> DVec3 {
    let mut size = DVec3::splat(1e-4);
    size[rng.usize(..3)] = 1.0;
    size
}

fn tiny_or_large(rng: &mut Rng) -> DVec3 {
    DVec3::splat([1e-3, 1e3][rng.usize(..2)])
}

#[test]
fn rounding_that_puts_the_line_outside_of_all_portals_does_not_end_the_search() {
    let hits = check(pairs(SEED, 1500, 20, needle).into_iter(), &mut Rng::with_seed(SEED));
    assert!(hits > 400, "{hits}");
}

/// Long and thin portals lean where rounded points of the difference span them: a corner lies beyond its own portal, and
/// times came early by up to 5e-11 of the coordinates.
#[test]
fn a_portal_so_thin_that_its_own_corner_lies_beyond_it_is_computed_with_more_digits() {
    let hits = check(pairs(SEED, 3000, 12, tiny_or_large).into_iter(), &mut Rng::with_seed(SEED));
    assert!(hits > 800, "{hits}");
}

/// On a grid of few points the line often goes through edges of the difference, and through the plane of the first
/// portal's corners, where the search turned back and forth.
#[test]
fn a_line_through_an_edge_of_the_portals_does_not_cycle() {
    let mut rng = Rng::with_seed(SEED);
    let mut hits = 0;
    for _ in 0..4000 {
        let mut points = |x: i32| -> Vec<Vec3> {
            (0..8).map(|_| Vec3::from([x, 0, 0].map(|o| (o + rng.i32(-2..=2)) as f32))).collect()
        };
        let (Some(a), Some(b)) = (Solid::hull(&points(0)), Solid::hull(&points(6))) else { continue };
        let sweep = a.core.sweep(Vec3::X * 8.0, &b.core, 1.0).unwrap();
        let integers = |solid: &Solid| solid.vertices.iter().map(|v| v.to_array()).collect::<Vec<_>>();
        let truth = convex::sweep(&integers(&a), &integers(&b), [8.0, 0.0, 0.0]);
        let is_hit = matches!(sweep, ConvexSweep::Hit(_));
        let [one, other] = [&a.vertices, &b.vertices];
        assert_eq!(is_hit, matches!(truth, SweepVerdict::Hit(_)), "{sweep:?} {truth:?} {one:?} {other:?}");
        hits += usize::from(is_hit);
    }
    assert!(hits > 1500, "{hits}");
}

/// The newest point is part of the nearest feature, but for rounding; and a plane may gain less than its own.
#[test]
fn a_rounded_sweep_ends_at_its_radius_however_rounding_falls() {
    let mut rng = Rng::with_seed(SEED);
    let mut hits = 0;
    for (case, [a, b]) in pairs(SEED, 1500, 16, |_| DVec3::ONE).into_iter().enumerate() {
        let radius = 10f32.powi(-(case as i32 % 6));
        let motion = aimed(&mut rng, &[a.placed(DVec3::ZERO), b.placed(DVec3::ZERO)]);
        let ball = a.core.clone().rounded(radius).unwrap();
        if let ConvexSweep::Hit(hit) = ball.sweep(motion, &b.core, 1.0).unwrap()
            && hit.time > 0.0
        {
            let found = distance(&a.moved(motion.as_dvec3() * hit.time), &b);
            assert!((found - f64::from(radius)).abs() <= 1e-13, "case {case}: {hit:?} {found}");
            hits += 1;
        }
    }
    assert!(hits > 500, "{hits}");
}
