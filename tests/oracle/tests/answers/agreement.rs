//! Computations of the same answer that share only the arithmetic have to agree, on inputs aimed at trouble.

use cullide_oracle::*;
use cullide_scenes::{Rng, aimed};

const CASES: usize = 3000;

fn each_case(seed: u64, mut check: impl FnMut(&mut Rng)) {
    let mut rng = Rng::with_seed(seed);
    for _ in 0..CASES {
        check(&mut rng);
    }
}

/// The box as planes `normal · p <= distance`.
fn solid_of([min, max]: [[f32; 3]; 2]) -> [[f32; 4]; 6] {
    std::array::from_fn(|i| {
        let (axis, sign) = (i / 2, if i % 2 == 0 { 1.0 } else { -1.0 });
        let mut plane = [0.0; 4];
        plane[axis] = sign;
        plane[3] = if i % 2 == 0 { max[axis] } else { -min[axis] };
        plane
    })
}

/// The box as centre and half edges, in `f64`; `None` if those are not exact.
fn obb_of([min, max]: [[f32; 3]; 2]) -> Option<[[f64; 3]; 4]> {
    let mut obb = [[0.0; 3]; 4];
    for axis in 0..3 {
        let [low, high] = [min[axis], max[axis]].map(f64::from);
        obb[0][axis] = 0.5 * (low + high);
        obb[axis + 1][axis] = 0.5 * (high - low);
        let half = obb[axis + 1][axis];
        let sums = Exact::new(obb[0][axis]) - Exact::new(half) == Exact::new(low);
        if !sums || Exact::new(obb[0][axis]) + Exact::new(half) != Exact::new(high) {
            return None;
        }
    }
    Some(obb)
}

fn wide(obb: [[f32; 3]; 4]) -> [[f64; 3]; 4] {
    obb.map(|edge| edge.map(f64::from))
}

fn same_sweep(a: &Sweep, b: &Sweep) -> bool {
    let same = |s: &Parameter, t: &Parameter| match (s, t) {
        (Parameter::Quotient(s), Parameter::Quotient(t)) => s == t,
        _ => false,
    };
    match (a, b) {
        (Sweep::Clear, Sweep::Clear) | (Sweep::Overlap, Sweep::Overlap) => true,
        (Sweep::Hit(s), Sweep::Hit(t)) | (Sweep::Graze(s), Sweep::Graze(t)) => same(s, t),
        _ => false,
    }
}

#[test]
fn a_box_is_crossed_alike_as_bounds_as_edges_and_as_planes() {
    let mut hits = 0;
    each_case(1, |rng| {
        let ([start, delta], aabb) = aimed::path_aabb(rng);
        let path = Path::segment(start, delta);
        let bounds = path_aabb(&path, aabb);
        let planes = path_solid(&path, &solid_of(aabb));
        let summary = |crossing: &Option<Crossing>| crossing.as_ref().map(|c| (c.enter.to_f64(), c.inside));
        assert_eq!(summary(&bounds), summary(&planes), "{path:?} {aabb:?}");
        if let Some(obb) = obb_of(aabb) {
            assert_eq!(summary(&bounds), summary(&path_obb(&path, obb)), "{path:?} {aabb:?}");
        }
        hits += usize::from(bounds.is_some());
    });
    assert!((CASES / 8..CASES * 7 / 8).contains(&hits), "{hits} hits");
}

#[test]
fn boxes_meet_alike_as_bounds_and_as_edges() {
    let mut meetings = 0;
    each_case(2, |rng| {
        let (a, b) = aimed::aabb_aabb(rng);
        let expected = aabb_aabb(a, b);
        if let (Some(p), Some(q)) = (obb_of(a), obb_of(b)) {
            assert_eq!(obb_obb(p, q), expected, "{a:?} {b:?}");
            assert_eq!(aabb_obb(a, q), expected, "{a:?} {b:?}");
            meetings += usize::from(expected);
        }
    });
    assert!(meetings > CASES / 10);
}

#[test]
fn a_point_has_one_distance_to_a_box() {
    each_case(3, |rng| {
        let (path, aabb) = aimed::path_aabb(rng);
        let point = path[0];
        let expected = Ratio::from(aabb_distance_squared(aabb, point));
        assert_eq!(expected.sign().is_eq(), aabb_contains_point(aabb, point));
        if let Some(obb) = obb_of(aabb) {
            assert_eq!(obb_distance_squared(obb, point), expected, "{aabb:?} {point:?}");
        }
    });
}

#[test]
fn distances_to_planes_and_to_edges_agree() {
    let mut rng = Rng::with_seed(4);
    for _ in 0..300 {
        let (path, aabb) = aimed::path_aabb(&mut rng);
        let expected = Ratio::from(aabb_distance_squared(aabb, path[0]));
        assert_eq!(solid_distance_squared(&solid_of(aabb), path[0]), Some(expected), "{aabb:?} {path:?}");
    }
}

#[test]
fn two_oriented_boxes_meet_iff_the_gap_between_them_is_closed() {
    let mut meetings = 0;
    each_case(5, |rng| {
        let (a, b) = aimed::obb_obb(rng);
        let (meet, turned) = (obb_obb(a, b), obb_obb(b, a));
        assert_eq!(meet, turned, "{a:?} {b:?}");
        // The same question asked of a frustum: the planes of one against the other.
        let Some(planes) = planes_of(a) else { return };
        assert_eq!(frustum_obb(&planes, wide(b)) != Containment::Outside, meet, "{a:?} {b:?}");
        meetings += usize::from(meet);
    });
    assert!(meetings > CASES / 20, "{meetings}");
}

/// The inward planes of an oriented box, if `f64` represents them exactly and the box has a volume.
fn planes_of(obb: [[f32; 3]; 4]) -> Option<Vec<[f64; 4]>> {
    let [center, edges @ ..] = wide(obb);
    let mut planes = Vec::new();
    for i in 0..3 {
        let (a, b) = (Vector::new(edges[(i + 1) % 3]), Vector::new(edges[(i + 2) % 3]));
        let exact = a.cross(&b);
        let reach = exact.dot(&Vector::new(edges[i]));
        let at = exact.dot(&Vector::new(center));
        for sign in [Exact::ONE, -Exact::ONE] {
            let inward = exact.times(&sign);
            let d = reach.abs() - &at * &sign;
            let [x, y, z] = inward.0;
            let plane = [x, y, z, d].map(|value| (value.to_f64(), value));
            let holds = plane.iter().all(|(float, value)| float.is_finite() && Exact::new(*float) == *value);
            if !holds || reach.is_zero() {
                return None;
            }
            planes.push(plane.map(|(float, _)| float));
        }
    }
    Some(planes)
}

#[test]
fn a_box_sweeps_alike_as_bounds_as_edges_and_against_a_polytope() {
    let mut counts = [0; 4];
    each_case(6, |rng| {
        let (moving, delta, still) = aimed::sweep_aabb_aabb(rng);
        let bounds = sweep_aabb_aabb(moving, delta, still);
        let message = || format!("{moving:?} {delta:?} {still:?}: {bounds:?}");
        if let Some(polytope) = Polytope::from_planes(&solid_of(still)) {
            let sweep = sweep_aabb_polytope(moving, delta, &polytope);
            assert!(same_sweep(&bounds, &sweep), "{} {sweep:?}", message());
            assert_eq!(aabb_polytope(moving, &polytope), aabb_aabb(moving, still));
            // A flat box has no interior, but as a set it can still overlap, within the other.
            let apart = !matches!(bounds, Sweep::Overlap);
            assert_eq!(gap_aabb_polytope(moving, &polytope).is_penetrating(), !apart, "{}", message());
        }
        if let (Some(a), Some(b)) = (obb_of(moving), obb_of(still)) {
            let sweep = sweep_obb_obb(a, delta.map(f64::from), b);
            assert!(same_sweep(&bounds, &sweep), "{} {sweep:?}", message());
        }
        let kind = match bounds {
            Sweep::Clear => 0,
            Sweep::Graze(_) => 1,
            Sweep::Hit(_) => 2,
            Sweep::Overlap => 3,
        };
        counts[kind] += 1;
    });
    assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
}

#[test]
fn an_oriented_sweep_meets_exactly_when_its_boxes_do_at_that_time() {
    each_case(7, |rng| {
        let (moving, delta, still) = aimed::sweep_obb_obb(rng);
        match sweep_obb_obb(moving, delta, still) {
            Sweep::Overlap => assert!(obb_obb(moving, still)),
            Sweep::Hit(toi) | Sweep::Graze(toi) => {
                let starts_apart = !obb_obb(moving, still);
                assert_eq!(starts_apart, toi.cmp_exact(&Exact::ZERO).is_gt());
                assert!(toi.cmp_exact(&Exact::ONE).is_lt());
            }
            Sweep::Clear => {}
        }
    });
}

#[test]
fn a_frustum_test_by_planes_never_loses_what_the_exact_one_finds() {
    let mut counts = [0; 4];
    each_case(8, |rng| {
        let (planes, obb) = aimed::frustum_obb(rng);
        let (by_planes, exact) = (frustum_planes_obb(&planes, obb), frustum_obb(&planes, obb));
        let (aabb_planes, aabb) = aimed::frustum_aabb(rng);
        for (by_planes, exact) in
            [(by_planes, exact), (frustum_planes_aabb(&aabb_planes, aabb), frustum_aabb(&aabb_planes, aabb))]
        {
            counts[match (by_planes, exact) {
                (Containment::Inside, Containment::Inside) => 0,
                (Containment::Outside, Containment::Outside) => 1,
                (Containment::Crossing, Containment::Crossing) => 2,
                (Containment::Crossing, Containment::Outside) => 3,
                other => panic!("{other:?}: {planes:?} {obb:?} or {aabb_planes:?} {aabb:?}"),
            }] += 1;
        }
        if let Some(corner) = (0..8)
            .map(|i| std::array::from_fn(|k| aabb[i >> k & 1][k]))
            .find(|&corner: &[f32; 3]| frustum_contains_point(&aabb_planes, corner))
        {
            assert_ne!(frustum_aabb(&aabb_planes, aabb), Containment::Outside, "{corner:?}");
        }
    });
    assert!(counts.iter().all(|&count| count > 30), "{counts:?}");
}

#[test]
fn a_sweep_against_a_plane_follows_its_gap() {
    let mut counts = [0; 3];
    each_case(9, |rng| {
        let (obb, delta, plane) = aimed::sweep_obb_plane(rng);
        let still = [0.0; 3];
        let front = sweep_obb_plane(obb, delta, plane, still, Sided::Front);
        let gap = plane_gap(obb, plane).sign();
        match front {
            Sweep::Overlap => assert!(gap.is_lt()),
            Sweep::Hit(_) => assert!(gap.is_ge()),
            _ => {}
        }
        // From the front, the two-sided plane equals the one-sided one.
        if side_of_point(plane, obb[0]) == Side::Front {
            assert!(same_sweep(&front, &sweep_obb_plane(obb, delta, plane, still, Sided::Both)));
        }
        // A plane that moves the opposite way gives the same relative motion.
        let back = delta.map(|x| -x);
        assert!(same_sweep(&front, &sweep_obb_plane(obb, still, plane, back, Sided::Front)));
        counts[match front {
            Sweep::Clear | Sweep::Graze(_) => 0,
            Sweep::Hit(_) => 1,
            Sweep::Overlap => 2,
        }] += 1;
    });
    assert!(counts.iter().all(|&count| count > CASES / 20), "{counts:?}");
}

#[test]
fn a_sphere_is_crossed_when_its_centre_is_near_the_segment() {
    let mut hits = 0;
    each_case(10, |rng| {
        let ([start, delta], sphere) = aimed::path_sphere(rng);
        let crossing = path_sphere(&Path::segment(start, delta), sphere);
        // A segment from start to start + delta is a degenerate box with one edge.
        let half = delta.map(|x| 0.5 * f64::from(x));
        let center: [f64; 3] = std::array::from_fn(|i| f64::from(start[i]) + half[i]);
        let exact = (0..3).all(|i| Exact::new(center[i]) - Exact::new(half[i]) == Exact::new(start[i]));
        if exact {
            let rod = [center, half, [0.0; 3], [0.0; 3]];
            let near = obb_sphere(rod, sphere.map(f64::from));
            assert_eq!(crossing.is_some(), near, "{start:?} {delta:?} {sphere:?}");
        }
        hits += usize::from(crossing.is_some());
    });
    assert!(hits > CASES / 10, "{hits}");
}
