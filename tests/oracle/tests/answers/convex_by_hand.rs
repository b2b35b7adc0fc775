//! Queries between convex shapes, worked by hand.

use cullide_oracle::convex::*;
use cullide_oracle::{Exact, Ratio, Sweep, sweep_obb_obb};
use cullide_scenes::{Rng, aimed};

type Points = Vec<[i64; 3]>;

/// The box between two corners.
fn cuboid(low: [i64; 3], high: [i64; 3]) -> Points {
    (0..8).map(|k| std::array::from_fn(|i| if k >> i & 1 == 1 { high[i] } else { low[i] })).collect()
}

fn cube() -> Points {
    cuboid([0; 3], [2; 3])
}

fn at(corner: [i64; 3]) -> Points {
    cuboid(corner, corner.map(|x| x + 2))
}

fn fraction(numerator: i64, denominator: i64) -> Ratio {
    Ratio::new(numerator.into(), denominator.into())
}

fn hit(numerator: i64, denominator: i64) -> SweepVerdict {
    SweepVerdict::Hit(fraction(numerator, denominator))
}

const CLEAR: SweepVerdict = SweepVerdict::Clear;

#[test]
fn a_cube_swept_against_a_cube() {
    let cases = [
        // Head on, three away.
        ([5, 0, 0], [4, 0, 0], hit(3, 4)),
        ([5, 1, 1], [9, 0, 0], hit(1, 3)),
        // Exactly at the end, and just before.
        ([5, 0, 0], [3, 0, 0], CLEAR),
        ([5, 0, 0], [-9, 0, 0], CLEAR),
        // Edge on edge: with the corner of the square of motion.
        ([3, 3, 0], [2, 2, 0], hit(1, 2)),
        // Corner on corner.
        ([3, 3, 3], [2, 2, 2], hit(1, 2)),
        // Past the edge: it touches at one time only.
        ([3, 1, 0], [2, -2, 0], CLEAR),
        ([4, 0, 0], [4, -4, 0], CLEAR),
        // Along a face.
        ([5, 2, 0], [9, 0, 0], CLEAR),
        ([5, 2, 0], [9, 1, 0], hit(1, 3)),
        // Touching: towards, away, along, not at all.
        ([2, 0, 0], [1, 0, 0], hit(0, 1)),
        ([2, 0, 0], [1, 9, 9], hit(0, 1)),
        ([2, 0, 0], [-1, 0, 0], CLEAR),
        ([2, 0, 0], [0, 1, 0], CLEAR),
        ([2, 0, 0], [0, 0, 0], CLEAR),
        // Touching with an edge: a way beside the other cube is not towards it.
        ([2, 2, 0], [1, 1, 0], hit(0, 1)),
        ([2, 2, 0], [1, -1, 0], CLEAR),
        ([2, 2, 0], [1, 0, 0], CLEAR),
        ([1, 1, 1], [9, 0, 0], SweepVerdict::Overlap),
        ([1, 1, 1], [0, 0, 0], SweepVerdict::Overlap),
    ];
    for (corner, motion, expected) in cases {
        assert_eq!(sweep(&cube(), &at(corner), motion), expected, "{corner:?} {motion:?}");
        // The other one moves, and points inside do not matter.
        let more = [at(corner), vec![corner.map(|x| x + 1), corner]].concat();
        assert_eq!(sweep(&more, &cube(), motion.map(|x| -x)), expected, "{corner:?} {motion:?}");
    }
}

#[test]
fn a_sweep_passes_through_the_whole_shape() {
    let difference = Difference::new(&Convex::new(&cube()), &Convex::new(&at([5, 0, 0])));
    assert_eq!(difference.contact([14, 0, 0]), Some([fraction(3, 14), fraction(1, 2)]));
    assert_eq!(difference.contact([3, 0, 0]), Some([fraction(1, 1), fraction(1, 1)]));
    assert_eq!(difference.contact([2, 0, 0]), None);
    assert_eq!(difference.contact([3, 2, 0]), Some([fraction(1, 1), fraction(1, 1)]));
}

#[test]
fn floats_count_by_their_exact_value() {
    let cube: Vec<[f32; 3]> = cube().iter().map(|point| point.map(|x| x as f32)).collect();
    let tip = [[2.1f32, 1.0, 1.0]];
    let SweepVerdict::Hit(time) = sweep(&cube, &tip, [0.3, 0.0, 0.0]) else { panic!("head on") };
    assert_eq!(time, Ratio::new(Exact::new(2.1f32) - Exact::new(2), Exact::new(0.3f32)));
    assert_ne!(time, fraction(1, 3));
}

#[test]
fn flat_shapes() {
    let floor = vec![[0, 0, 0], [6, 0, 0], [0, 6, 0]];
    let above = |z: i64| vec![[1, 1, z], [2, 1, z], [1, 2, z]];
    // A triangle falls onto a parallel one, not if it starts on it, and passes it within the plane.
    assert_eq!(sweep(&above(2), &floor, [0, 0, -3]), hit(2, 3));
    assert_eq!(sweep(&above(0), &floor, [0, 0, -3]), CLEAR);
    assert_eq!(sweep(&above(0), &floor, [9, 0, 0]), CLEAR);
    assert_eq!(sweep(&above(3), &floor, [0, 0, -3]), CLEAR);
    // It touches the border only, with its own.
    assert_eq!(sweep(&above(2), &floor, [4, 6, -4]), CLEAR);
    assert!(overlaps(&above(0), &floor) && !interiors_overlap(&above(0), &floor));
    assert_eq!(depth(&above(0), &floor).expect("they meet").squared, fraction(0, 1));
    // A point on a triangle, on a segment, on a point.
    assert_eq!(sweep(&[[1, 1, 1]], &floor, [0, 0, -2]), hit(1, 2));
    assert_eq!(sweep(&[[1, 0, 1]], &floor, [0, 0, -2]), CLEAR);
    assert_eq!(sweep(&[[1, 0, 1]], &floor[..2], [0, 0, -2]), CLEAR);
    assert_eq!(sweep(&[[1, 1, 1]], &[[2, 2, 2]], [2, 2, 2]), CLEAR);
    // Segments cross.
    assert_eq!(sweep(&[[1, -1, 1], [1, 1, 1]], &floor[..2], [0, 0, -3]), hit(1, 3));
    assert_eq!(sweep(&[[1, 0, 1], [1, 1, 1]], &floor[..2], [0, 0, -3]), CLEAR);
    // A needle stabs a triangle, at once if it stands on it; two triangles that pass through each other overlap.
    let needle = [[1, 1, 4], [1, 1, 1]];
    assert_eq!(sweep(&needle, &floor, [0, 0, -4]), hit(1, 4));
    assert_eq!(sweep(&needle, &floor, [0, 0, -3]), hit(1, 3));
    assert_eq!(sweep(&[[1, 1, 4], [1, 1, 0]], &floor, [0, 0, -4]), hit(0, 1));
    assert_eq!(sweep(&[[1, 1, 4], [1, 1, 0]], &floor, [0, 0, 4]), CLEAR);
    assert_eq!(sweep(&needle, &floor, [1, 0, -4]), hit(1, 4));
    let blade = vec![[1, 1, -1], [1, 1, 1], [9, 9, 1]];
    assert!(interiors_overlap(&blade, &floor));
    assert_eq!(sweep(&blade, &floor, [1, 0, 0]), SweepVerdict::Overlap);
}

#[test]
fn distances_by_features() {
    let triangle = vec![[0, 0, 0], [4, 0, 0], [0, 4, 0]];
    let cases = [
        (at([5, 0, 0]), cube(), fraction(9, 1)),
        (at([5, 6, 0]), cube(), fraction(9 + 16, 1)),
        (at([5, 6, 7]), cube(), fraction(9 + 16 + 25, 1)),
        (at([2, 2, 2]), cube(), fraction(0, 1)),
        (at([1, 1, 1]), cube(), fraction(0, 1)),
        // Within: no feature is near.
        (vec![[1, 1, 1]], cube(), fraction(0, 1)),
        // A vertex and a face, an edge, a vertex.
        (vec![[1, 1, 3]], triangle.clone(), fraction(9, 1)),
        (vec![[4, 4, 0]], triangle.clone(), fraction(8, 1)),
        (vec![[4, 4, 1]], triangle.clone(), fraction(9, 1)),
        (vec![[-1, -2, 3]], triangle.clone(), fraction(14, 1)),
        (vec![[3, 2, 0]], triangle, fraction(1, 2)),
        // Crossed edges; past the end of one.
        (vec![[-1, 0, 0], [1, 0, 0]], vec![[0, -1, 3], [0, 1, 3]], fraction(9, 1)),
        (vec![[1, 0, 0], [2, 0, 0]], vec![[0, -1, 3], [0, 1, 3]], fraction(10, 1)),
        // Along (1, 1, 0) × (-4, 4, 1) = (1, -1, 8).
        (vec![[0, 0, 0], [4, 4, 0]], vec![[4, 0, 0], [0, 4, 1]], fraction(4 * 4, 66)),
    ];
    for (a, b, expected) in cases {
        assert_eq!(distance_squared(&a, &b), expected, "{a:?} {b:?}");
        assert_eq!(distance_squared(&b, &a), expected, "{a:?} {b:?}");
        assert_eq!(overlaps(&a, &b), expected == fraction(0, 1), "{a:?} {b:?}");
    }
    // A ball of radius 5 and an edge of the cube, 5 away, touch; so do a capsule and a ball of 2 and 3.
    let center = [[5, 6, 1]];
    assert!(!is_closer_than(&center, &cube(), 5) && is_closer_than(&center, &cube(), 6));
    assert!(is_closer_than(&center, &cube(), 5.000001f32) && !is_closer_than(&center, &cube(), -9));
    assert!(!is_closer_than(&[[0, 0, 3]], &[[0, 0, 3]], 0));
}

#[test]
fn depths_and_ways_out() {
    let ways = |a: &[[i64; 3]], b: &[[i64; 3]]| {
        let Depth { squared, directions } = depth(a, b)?;
        let sign = |x: &Exact| x.sign() as i64;
        let mut signs: Vec<[i64; 3]> = directions.iter().map(|way| [0, 1, 2].map(|i| sign(&way.0[i]))).collect();
        signs.sort_unstable();
        Some((squared, signs))
    };
    assert_eq!(ways(&cube(), &at([3, 0, 0])), None);
    assert_eq!(ways(&cube(), &at([1, 0, 0])), Some((fraction(1, 1), vec![[-1, 0, 0]])));
    assert_eq!(ways(&at([1, 1, 0]), &cube()), Some((fraction(1, 1), vec![[0, 1, 0], [1, 0, 0]])));
    assert_eq!(ways(&cube(), &at([2, 0, 0])), Some((fraction(0, 1), vec![[-1, 0, 0]])));
    let out = [[-1, 0, 0], [0, -1, 0], [0, 0, -1], [0, 0, 1], [0, 1, 0], [1, 0, 0]];
    assert_eq!(ways(&cube(), &cube()), Some((fraction(4, 1), out.to_vec())));
    // The slanted side of a tetrahedron, x + y + z = 6, is √3 away from (1, 1, 1), the others 1.
    let corner = [[0, 0, 0], [6, 0, 0], [0, 6, 0], [0, 0, 6]];
    assert_eq!(ways(&[[1, 1, 1]], &corner), Some((fraction(1, 1), vec![[-1, 0, 0], [0, -1, 0], [0, 0, -1]])));
    assert_eq!(ways(&[[2, 2, 1]], &corner), Some((fraction(1, 3), vec![[1, 1, 1]])));
    // Crossed edges of two wedges, 1 deep.
    let below = [[-5, 0, 0], [5, 0, 0], [-5, -5, -5], [5, -5, -5], [-5, 5, -5], [5, 5, -5]];
    let above = [[0, -5, -1], [0, 5, -1], [-5, -5, 4], [-5, 5, 4], [5, -5, 4], [5, 5, 4]];
    assert_eq!(ways(&above, &below), Some((fraction(1, 1), vec![[0, 0, 1]])));
}

#[test]
fn boxes_agree_with_the_sums_of_their_edges() {
    let rng = &mut Rng::with_seed(1);
    let [mut hits, mut overlaps] = [0; 2];
    for _ in 0..4000 {
        let (moving, delta, still) = aimed::sweep_obb_obb(rng);
        let [Some(a), Some(b)] = [moving, still].map(corners) else { continue };
        if [&a, &b].iter().all(|points| Convex::new(points).face_count() == 0) {
            continue;
        }
        let verdict = sweep(&a, &b, delta.map(f64::from));
        match (sweep_obb_obb(moving, delta, still), &verdict) {
            (Sweep::Hit(time), SweepVerdict::Hit(same)) => {
                assert!(same.numerator().is_zero() || time.within(same.to_f64(), 1e-15), "{time:?} {verdict:?}");
                hits += 1;
            }
            (Sweep::Overlap, SweepVerdict::Overlap) => overlaps += 1,
            (Sweep::Clear | Sweep::Graze(_), SweepVerdict::Clear) => {}
            (expected, _) => panic!("{verdict:?}, expected {expected:?}: {moving:?} {delta:?} {still:?}"),
        }
    }
    assert!(hits > 30 && overlaps > 100, "{hits} hits, {overlaps} overlaps");
}

/// The corners of a box; `None` if `f64` does not hold them exactly.
fn corners([center, a, b, c]: [[f32; 3]; 4]) -> Option<Vec<[f64; 3]>> {
    let corner = |k: usize| {
        let signed = |i: usize, x: f32| if k >> i & 1 == 1 { f64::from(x) } else { -f64::from(x) };
        let sum = |i: usize| f64::from(center[i]) + signed(0, a[i]) + signed(1, b[i]) + signed(2, c[i]);
        let exact = |i: usize| Exact::new(center[i]) + Exact::new(signed(0, a[i])) + Exact::new(signed(1, b[i]));
        let same = |i: usize| exact(i) + Exact::new(signed(2, c[i])) == Exact::new(sum(i));
        (0..3).all(same).then(|| [sum(0), sum(1), sum(2)])
    };
    (0..8).map(corner).collect()
}

#[test]
fn a_bar_that_turns_touches_a_ball_at_the_angle_of_its_distance() {
    let still = [0.0; 3];
    let bar = ShapeSampler::capsule([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], 0.25);
    let ball = ShapeSampler::ball([0.0, 0.75, 0.0], 0.125);
    // Its line is 0.75 · cos φ away from the centre of the ball at φ = π · time.
    let turning = |time: f64| Pose::new([0.0, 0.0, std::f64::consts::PI * time], still);
    let expected = 0.5f64.acos() / std::f64::consts::PI;
    let time = first_touch_by_sampling(&bar, &ball, turning, 100, 1e-12).expect("it passes the ball");
    assert!((time - expected).abs() < 1e-9, "{time} {expected}");
    // Overlapping by 0.15 at least, when the line is 0.225 away.
    let deep = first_touch_by_sampling(&bar, &ball, turning, 100, -0.15).expect("as deep as 0.375");
    assert!((deep - 0.3f64.acos() / std::f64::consts::PI).abs() < 1e-9, "{deep}");
    let small = |time: f64| Pose::new([0.0, 0.0, 0.3 * time], still);
    assert_eq!(first_touch_by_sampling(&bar, &ball, small, 100, 1e-12), None);
    // A cylinder falls with one rim first, tilted by the angle whose tangent is 3/4: that is 0.6 · 2 + 0.8 · 1 below.
    let tilt = 0.75f64.atan();
    let cylinder = ShapeSampler::cylinder([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]], 2.0);
    let table = ShapeSampler::hull(&[[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0], [0.0, 0.0, -9.0]]);
    let falling = |time: f64| Pose::new([tilt, 0.0, 0.0], [0.0, 0.0, 4.0 - 4.0 * time]);
    let time = first_touch_by_sampling(&cylinder, &table, falling, 10, 1e-9).expect("it falls");
    assert!((time - 0.5).abs() < 1e-9, "{time}");
}
