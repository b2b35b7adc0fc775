//! Sweeps and overlaps of hulls and triangles with small integer coordinates, compared with exact fractions. Most
//! motions aim at a vertex, so that grazes, and touches at the start and at the end, abound.

use crate::convex_facets::{Fraction, Solid, relation, times};
use cullide_narrowphase::{
    ConvexSweep,
    glam::{DVec3, Vec3},
};
use cullide_scenes::{Rng, SEED};
use std::cmp::Ordering::{self, Equal, Greater, Less};

/// A hull of integer points within a box, or a triangle.
fn solid(rng: &mut Rng, far: i32) -> Option<Solid> {
    let size = [3, 8, 50][rng.usize(..3)];
    let center = [(); 3].map(|()| rng.i32(-far..=far));
    let mut point = || Vec3::from(center.map(|c| (c + rng.i32(-size..=size)) as f32));
    let points: Vec<Vec3> = (0..16).map(|_| point()).collect();
    let count = rng.usize(3..16);
    if count == 3 { Solid::triangle(&points[..3]) } else { Solid::hull(&points[..count]) }
}

fn one_of(rng: &mut Rng, points: &[DVec3]) -> DVec3 {
    points[rng.usize(..points.len())]
}

/// What is counted: clear, hits, overlaps, grazes, touches at the start, touches at the end.
type Counts = [usize; 6];

fn sweeps(seed: u64, cases: usize) -> Counts {
    let mut rng = Rng::with_seed(seed);
    let mut counts = [0; 6];
    for case in 0..cases {
        let (Some(mut a), Some(b)) = (solid(&mut rng, 60), solid(&mut rng, 60)) else { continue };
        if a.vertices.len() == 3 && b.vertices.len() == 3 {
            continue;
        }
        if rng.usize(..4) == 0 {
            a = a.placed(one_of(&mut rng, &b.vertices) - one_of(&mut rng, &a.vertices));
        }
        let factor = [1.0, 2.0, 3.0][rng.usize(..3)];
        let motion = if rng.usize(..4) > 0 {
            (one_of(&mut rng, &b.vertices) - one_of(&mut rng, &a.vertices)) * factor
        } else {
            DVec3::from([(); 3].map(|()| f64::from(rng.i32(-99..=99))))
        };
        if motion == DVec3::ZERO {
            continue;
        }
        let (zero, one) = (Fraction(0.0, 1.0), Fraction(1.0, 1.0));
        let truth = times(&a, &b, motion);
        let expected = match truth {
            Some([enter, exit]) if enter.cmp(zero) == Less && exit.cmp(zero) == Greater => 2,
            Some([enter, _]) if enter.cmp(zero) != Less && enter.cmp(one) == Less => 1,
            _ => 0,
        };
        let sweep = a.core.sweep(motion.as_vec3(), &b.core, 1.0).unwrap();
        let got = match sweep {
            ConvexSweep::Clear => 0,
            ConvexSweep::Hit(_) => 1,
            ConvexSweep::Overlap => 2,
        };
        assert_eq!(got, expected, "case {case}: {sweep:?} {truth:?} {motion} {:?} {:?}", a.vertices, b.vertices);
        counts[expected] += 1;
        let Some([enter, _]) = truth else {
            counts[3] += 1;
            continue;
        };
        counts[4] += usize::from(enter.cmp(zero) == Equal);
        counts[5] += usize::from(enter.cmp(one) == Equal);
        if let ConvexSweep::Hit(hit) = sweep {
            let early = enter.value() - hit.time;
            let approach = -hit.normal.dot(motion);
            assert!(early >= 0.0 && early * approach <= 4e-11, "case {case}: {hit:?} {early:e}");
            assert!(f64::from(hit.toi) <= hit.time && hit.gap <= 4e-11, "case {case}: {hit:?}");
            assert!(approach > 0.0 && (hit.normal.length() - 1.0).abs() < 1e-14, "case {case}: {hit:?}");
            assert!(hit.points[0].distance(hit.points[1]) <= 4e-11, "case {case}: {hit:?}");
        }
    }
    counts
}

#[test]
fn integer_sweeps_have_the_exact_verdict() {
    let counts = sweeps(SEED, 20_000);
    assert!(counts.iter().all(|count| *count > 250), "{counts:?}");
}

#[test]
#[ignore = "takes minutes: a million pairs"]
fn a_million_integer_sweeps_have_the_exact_verdict() {
    let counts = sweeps(SEED + 1, 1_100_000);
    assert!(counts.iter().all(|count| *count > 10_000), "{counts:?}");
}

#[test]
fn integer_solids_overlap_and_touch_exactly() {
    let mut rng = Rng::with_seed(SEED);
    let mut counts = [0; 3];
    for case in 0..20_000 {
        let far = [0, 3, 6, 20, 60][case % 5];
        let (Some(mut a), Some(b)) = (solid(&mut rng, far), solid(&mut rng, far)) else { continue };
        if a.vertices.len() == 3 && b.vertices.len() == 3 {
            continue;
        }
        if case % 2 == 0 {
            // A corner to a corner.
            let way = one_of(&mut rng, &b.vertices) - one_of(&mut rng, &a.vertices);
            a = a.placed(way);
        }
        let expected = relation(&a, &b);
        let found = match (a.core.overlaps(&b.core), a.core.penetrates(&b.core)) {
            (false, _) => Less,
            (true, false) => Equal,
            (true, true) => Greater,
        };
        assert_eq!(found, expected, "case {case}: {:?} {:?}", a.vertices, b.vertices);
        counts[(expected as i8 + 1) as usize] += 1;
    }
    assert!(counts.iter().all(|count| *count > 1000), "{counts:?}");
}

/// Triangles in one plane, whose difference is flat: they share a point iff an edge of one meets the other, which the
/// plain signs of areas tell.
#[test]
fn coplanar_triangles_share_a_point_exactly() {
    let area = |a: DVec3, b: DVec3, c: DVec3| (b - a).cross(c - a).dot(DVec3::new(1.0, 2.0, 3.0)).total_cmp(&0.0);
    let in_triangle = |p: DVec3, t: [DVec3; 3]| {
        let sides = [area(t[0], t[1], p), area(t[1], t[2], p), area(t[2], t[0], p)];
        !(sides.contains(&Less) && sides.contains(&Greater))
    };
    let crosses = |a: DVec3, b: DVec3, c: DVec3, d: DVec3| {
        let differ = |x: Ordering, y: Ordering| x != y && x != Equal && y != Equal;
        differ(area(a, b, c), area(a, b, d)) && differ(area(c, d, a), area(c, d, b))
    };
    let mut rng = Rng::with_seed(SEED);
    let mut counts = [0; 2];
    for _ in 0..4000 {
        // In the plane x + 2 y + 3 z = 0, and z times 6 to be an integer there.
        let mut point = || {
            let (x, y) = (f64::from(rng.i32(-6..6)), f64::from(rng.i32(-6..6)));
            DVec3::new(3.0 * x, 3.0 * y, -x - 2.0 * y)
        };
        let (a, b) = ([point(), point(), point()], [point(), point(), point()]);
        let solid = |t: &[DVec3; 3]| Solid::triangle(&t.map(|p| p.as_vec3()));
        let (Some(one), Some(other)) = (solid(&a), solid(&b)) else { continue };
        let edges = |t: [DVec3; 3]| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])];
        let expected = a.iter().any(|p| in_triangle(*p, b))
            || b.iter().any(|p| in_triangle(*p, a))
            || edges(a).iter().any(|(p, q)| edges(b).iter().any(|(r, s)| crosses(*p, *q, *r, *s)));
        assert_eq!(one.core.overlaps(&other.core), expected, "{a:?} {b:?}");
        assert!(!one.core.penetrates(&other.core), "{a:?} {b:?}");
        counts[usize::from(expected)] += 1;
    }
    assert!(counts.iter().all(|count| *count > 250), "{counts:?}");
}
