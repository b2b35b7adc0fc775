//! Sweeps, overlaps, distances and depths of pairs aimed at each other exactly, against exact rationals: verdicts are
//! right, times are never late, and bounds hold.

use cullide_narrowphase::{Capsule, Convex, ConvexCore, ConvexSweep, Hull, Sphere, Triangle, glam::Vec3};
use cullide_oracle::{
    Exact, Ratio,
    convex::{self, Difference, SweepVerdict},
};
use cullide_scenes::{
    Rng, SEED,
    convex::{ConvexPair, Family, Integers, convex_pair_of},
};

/// The core of integer points; `None` for four or more in one plane.
fn core(points: &[Integers]) -> Option<ConvexCore> {
    let mut distinct: Vec<Integers> = Vec::new();
    for point in points {
        if !distinct.contains(point) {
            distinct.push(*point);
        }
    }
    let points: Vec<Vec3> = ConvexPair::as_f32(&distinct).into_iter().map(Vec3::from).collect();
    if let Ok(hull) = Hull::new(&points) {
        return Some(Convex::from(&hull).core());
    }
    Some(match *points {
        [a] => Convex::from(Sphere::new(a, 0.0).ok()?).core(),
        [a, b] => Convex::from(Capsule::new(a, b, 0.0).ok()?).core(),
        [a, b, c] => Convex::from(Triangle::new(a, b, c).ok()?).core(),
        _ => return None,
    })
}

/// Judges one pair; returns the kind of verdict.
fn judge(pair: &ConvexPair) -> Option<usize> {
    let (a, b) = (core(&pair.a)?, core(&pair.b)?);
    let motion = Vec3::from(pair.motion.map(|x| x as f32));
    let of = |points: &[Integers]| convex::Convex::new(points);
    let (exact_a, exact_b) = (of(&pair.a), of(&pair.b));
    let difference = Difference::new(&exact_a, &exact_b);
    let size = pair.a.iter().chain(&pair.b).flatten().map(|x| x.abs()).max().unwrap_or(0) as f64;
    let scale = 2.0 * size + motion.as_dvec3().length();
    let (sweep, verdict) = (a.sweep(motion, &b, 1.0).unwrap(), difference.sweep(pair.motion));
    let kind = match (sweep, &verdict) {
        (ConvexSweep::Clear, SweepVerdict::Clear) => 0,
        (ConvexSweep::Overlap, SweepVerdict::Overlap) => 1,
        (ConvexSweep::Hit(hit), SweepVerdict::Hit(time)) => {
            assert!(Ratio::from(Exact::new(hit.time)) <= *time, "late: {hit:?} {time:?} {pair:?}");
            let early = (time.to_f64() - hit.time) * -hit.normal.dot(motion.as_dvec3());
            // Where the motion nearly grazes, the gap is closed long before the touch.
            assert!(early <= 1e-10 * scale && hit.gap <= 1e-12 * scale, "{hit:?} {early} {pair:?}");
            2
        }
        _ => panic!("{sweep:?} {verdict:?} {pair:?}"),
    };
    let meets = difference.overlaps();
    assert_eq!((a.overlaps(&b), a.penetrates(&b)), (meets, difference.interiors_overlap()), "{pair:?}");
    let square =
        if meets { difference.depth().expect("they meet").squared } else { exact_a.distance_squared(&exact_b) };
    let expected = square.to_f64().sqrt() * if meets { -1.0 } else { 1.0 };
    let found = a.distance(&b);
    // The rounding of the root and of the bounds' own last steps.
    let [low, high] = found.bounds;
    let doubt = 4e-15 * scale;
    assert!(low - doubt <= expected && expected <= high + doubt, "{found:?} {expected} {pair:?}");
    assert!(high - low <= 1e-14 * scale, "{found:?} {pair:?}");
    Some(kind)
}

/// Judges so many pairs of each family, and a few of those whose shapes have many edges; returns how many there were of
/// each verdict.
fn judge_families(seed: u64, count: usize) -> [usize; 3] {
    let mut rng = Rng::with_seed(seed);
    let mut counts = [0; 3];
    for family in Family::ALL {
        for _ in 0..if family == Family::Prisms { count.div_ceil(50) } else { count } {
            if let Some(kind) = judge(&convex_pair_of(family, &mut rng)) {
                counts[kind] += 1;
            }
        }
    }
    counts
}

#[test]
fn pairs_of_all_families_are_swept_and_measured_exactly() {
    let counts = judge_families(SEED, 250);
    assert!(counts.iter().all(|count| *count > 150) && counts.iter().sum::<usize>() > 2400, "{counts:?}");
}

#[test]
#[ignore = "takes minutes: forty thousand pairs"]
fn many_pairs_of_all_families_are_swept_and_measured_exactly() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (each, seeds) = (1000, 4);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                for seed in (thread..seeds).step_by(threads) {
                    let counts = judge_families(SEED + 1 + seed as u64, each);
                    assert!(counts.iter().all(|count| *count > each / 4), "{counts:?}");
                }
            });
        }
    });
}
