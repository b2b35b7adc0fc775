//! Hulls of fourteen kinds that trouble collision code, swept with and without a radius, and measured: the verdict
//! against all facets, times and distances by what they certify.

use crate::convex_facets::{Solid, cloud, direction, distance, facets, frame, reach, times};
use cullide_narrowphase::{
    ConvexSweep,
    glam::{DVec3, Vec3},
};
use cullide_scenes::{Rng, SEED};

const FAMILIES: [&str; 14] = [
    "unit",
    "needles",
    "plates",
    "parallel boxes",
    "turned boxes",
    "at 1e4",
    "at 1e6",
    "size 1e-3",
    "size 1e3",
    "sizes 1e6 apart",
    "motion 1e6",
    "motion 1e-6",
    "large hulls",
    "grazing",
];

/// A pair and a motion.
struct Case {
    a: Solid,
    b: Solid,
    motion: DVec3,
    facets: Vec<DVec3>,
    /// The largest coordinate and the length of the motion together.
    scale: f64,
    /// The larger of the two sizes.
    big: f64,
}

fn stretched(rng: &mut Rng, thin: f64, long: f64) -> DVec3 {
    let mut size = DVec3::splat(thin);
    size[rng.usize(..3)] = long;
    size
}

fn boxed(half: DVec3, frame: [DVec3; 3], center: DVec3) -> Vec<Vec3> {
    let sign = |i: usize, axis: usize| if i >> axis & 1 == 1 { 1.0 } else { -1.0 };
    (0..8).map(|i| (center + (0..3).map(|k| frame[k] * half[k] * sign(i, k)).sum::<DVec3>()).as_vec3()).collect()
}

fn case(rng: &mut Rng, family: &str) -> Option<Case> {
    let range = if family == "large hulls" { 100..300 } else { 4..24 };
    let counts = [(); 2].map(|()| rng.usize(range.clone()));
    let (mut sizes, mut far) = ([DVec3::ONE; 2], 0.0);
    match family {
        "needles" => sizes = [(); 2].map(|()| stretched(rng, 1e-3, 1.0)),
        "plates" => sizes = [(); 2].map(|()| stretched(rng, 1.0, 1e-3)),
        "at 1e4" => far = 1e4,
        "at 1e6" => (far, sizes) = (1e6, [DVec3::splat(10.0); 2]),
        "size 1e-3" => sizes = [DVec3::splat(1e-3); 2],
        "size 1e3" => sizes = [DVec3::splat(1e3); 2],
        "sizes 1e6 apart" => sizes = [DVec3::splat(1e-3), DVec3::splat(1e3)],
        _ => {}
    }
    let big = sizes[0].max(sizes[1]).max_element();
    let center = direction(rng) * far;
    let other = center + direction(rng) * big * (0.5 + 3.5 * rng.f64());
    let [a, b] = if family.contains("boxes") {
        let e = if family == "parallel boxes" { 0.0 } else { 10f64.powf(-3.0 - 5.0 * rng.f64()) };
        let turned = [DVec3::new(1.0 - e * e / 2.0, e, 0.0), DVec3::new(-e, 1.0 - e * e / 2.0, 0.0), DVec3::Z];
        let mut half = || DVec3::from([(); 3].map(|()| (13.0 + 51.0 * rng.f64()).round() / 64.0));
        [boxed(half(), DVec3::AXES, center), boxed(half(), turned, (other * 64.0).round() / 64.0)]
    } else {
        let frames = [frame(rng), frame(rng)];
        [cloud(rng, counts[0], sizes[0], frames[0], center), cloud(rng, counts[1], sizes[1], frames[1], other)]
    };
    let (a, b) = (Solid::hull(&a)?, Solid::hull(&b)?);
    let way = other - center;
    let mut motion = (way + direction(rng) * (0.7 * big)) * (0.3 + 1.7 * rng.f64());
    match family {
        "motion 1e6" => motion *= 1e6,
        "motion 1e-6" => motion *= 1e-6,
        "parallel boxes" if rng.bool() => motion *= DVec3::AXES[rng.usize(..3)],
        "grazing" => {
            let side = way.cross(direction(rng)).normalize();
            let past = (reach(&a, &b, side) - way.dot(side))
                + 10f64.powf(-3.0 - 9.0 * rng.f64()) * [1.0, -1.0][rng.usize(..2)];
            motion = (way + side * past) * 1.5;
        }
        _ => {}
    }
    let motion = motion.as_vec3().as_dvec3();
    let coordinates = a.vertices.iter().chain(&b.vertices).map(|v| v.abs().max_element());
    let size = coordinates.fold(0.0, f64::max);
    (motion != DVec3::ZERO).then(|| Case { facets: facets(&a, &b), a, b, motion, scale: size + motion.length(), big })
}

/// The distance of the cores once the first has moved until `time`; negative or zero if they overlap.
fn distance_at(case: &Case, time: f64) -> f64 {
    let x = case.motion * time;
    let along = |n: &DVec3| (n.dot(x) - reach(&case.a, &case.b, *n)) / n.length();
    let apart = case.facets.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
    if apart > 0.0 { distance(&case.a.moved(x), &case.b) } else { apart }
}

/// How far the line along the motion is inside of the outline, at most.
fn graze(case: &Case) -> f64 {
    let along = |n: &DVec3| n.dot(case.motion).abs() / (n.length() * case.motion.length());
    let across = case.facets.iter().filter(|n| along(n) < 1e-9);
    across.map(|n| reach(&case.a, &case.b, *n).abs() / n.length()).fold(f64::INFINITY, f64::min)
}

fn kind(sweep: &ConvexSweep) -> usize {
    match sweep {
        ConvexSweep::Clear => 0,
        ConvexSweep::Hit(_) => 1,
        ConvexSweep::Overlap => 2,
    }
}

fn judge_sweep(case: &Case, family: &str) -> usize {
    let Case { a, b, motion, scale, .. } = case;
    let sweep = a.core.sweep(motion.as_vec3(), &b.core, 1.0).unwrap();
    let truth = times(a, b, *motion).map(|[enter, exit]| [enter.value(), exit.value()]);
    let expected = match truth {
        Some([enter, exit]) if enter < 0.0 && exit > 0.0 => 2,
        Some([enter, _]) if (0.0..1.0).contains(&enter) => 1,
        _ => 0,
    };
    let margin = 1e-13 * scale / motion.length();
    let is_tie = match truth {
        // A line that leaves after no more than rounding grazes: facets in `f64` do not tell more.
        Some([enter, exit]) => {
            [enter, enter - 1.0, exit].iter().any(|x| x.abs() <= margin) || exit - enter <= 16.0 * margin
        }
        None => graze(case) <= 1e-13 * scale,
    };
    assert!(kind(&sweep) == expected || is_tie, "{family}: {sweep:?} {truth:?}");
    if let ConvexSweep::Hit(hit) = sweep {
        assert!(hit.gap <= 1e-14 * scale, "{family}: {hit:?}");
        assert!(hit.points[0].distance(hit.points[1]) <= 2e-14 * scale, "{family}: {hit:?}");
        let enter = truth.map_or(hit.time, |[enter, _]| enter);
        assert!(hit.time <= enter + 1e-14 * scale / motion.length(), "{family}: late, {hit:?} {enter}");
    }
    kind(&sweep)
}

fn judge_rounded(case: &Case, rng: &mut Rng, family: &str) -> usize {
    let Case { a, b, motion, scale, big, .. } = case;
    let radius = (big * 10f64.powf(-4.0 * rng.f64())) as f32;
    let sweep = a.core.clone().rounded(radius).unwrap().sweep(motion.as_vec3(), &b.core, 1.0).unwrap();
    let (radius, tolerance) = (f64::from(radius), 2e-14 * scale);
    let start = distance_at(case, 0.0);
    match sweep {
        ConvexSweep::Hit(hit) => {
            let found = distance_at(case, hit.time);
            assert!(found >= radius - tolerance || start <= radius + tolerance, "{family}: late {hit:?} {found}");
            assert!(found <= radius + tolerance, "{family}: early {hit:?} {found} {radius}");
        }
        ConvexSweep::Clear => {
            // The least distance on the way, which is convex in time.
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..40 {
                let (x, y) = (low + (high - low) * 0.382, low + (high - low) * 0.618);
                if distance_at(case, x) < distance_at(case, y) { high = y } else { low = x }
            }
            let least = distance_at(case, low);
            assert!(least >= radius - 100.0 * tolerance || start <= radius + tolerance, "{family}: missed, {least}");
        }
        ConvexSweep::Overlap => assert!(start <= radius + tolerance, "{family}: {start} {radius}"),
    }
    kind(&sweep)
}

fn judge_distance(case: &Case, family: &str) {
    let Case { a, b, scale, .. } = case;
    let found = a.core.distance(&b.core);
    let [low, high] = found.bounds;
    assert!(low <= high && high - low <= 1e-14 * scale, "{family}: {found:?}");
    let expected = distance_at(case, 0.0);
    assert!((found.separation - expected).abs() <= 2e-14 * scale, "{family}: {found:?} {expected}");
    assert!((found.normal.length() - 1.0).abs() < 1e-14, "{family}: {found:?}");
    let way = found.points[0] - found.points[1] - found.normal * found.separation;
    assert!(way.length() <= 1e-13 * scale, "{family}: {found:?}");
}

fn judge(count: usize, seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let (mut sweeps, mut rounded) = ([0; 3], [0; 3]);
    for family in FAMILIES {
        for _ in 0..if family == "large hulls" { count / 40 } else { count } {
            let Some(case) = case(&mut rng, family) else { continue };
            sweeps[judge_sweep(&case, family)] += 1;
            rounded[judge_rounded(&case, &mut rng, family)] += 1;
            judge_distance(&case, family);
        }
    }
    assert!(sweeps.iter().chain(&rounded).all(|kind| *kind > count / 4), "{sweeps:?} {rounded:?}");
}

#[test]
fn hostile_pairs_are_swept_and_measured_as_their_facets_say() {
    judge(120, SEED);
}

#[test]
#[ignore = "a thousand pairs of each kind take half a minute"]
fn many_hostile_pairs_are_swept_and_measured_as_their_facets_say() {
    judge(1000, SEED + 1);
}
