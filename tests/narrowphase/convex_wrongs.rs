//! What early versions of the queries of two convexes got wrong, each by name.

use crate::convex_facets::{Solid, cloud, direction, distance, frame, times};
use cullide_narrowphase::{
    ConvexSweep,
    glam::{DVec3, Vec3},
};
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

#[test]
fn rounding_that_puts_the_line_outside_of_all_portals_does_not_end_the_search() {
    let hits = check(pairs(SEED, 1500, 20, needle).into_iter(), &mut Rng::with_seed(SEED));
    assert!(hits > 400, "{hits}");
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
