//! Capsules: gaps and sweeps compared with searches in `f64`.

use cullide_narrowphase::{
    Aabb, Brush, Capsule, CapsuleSweep, Gap, Obb, Patch, Plane, Sides, Solid as _, Sphere, SphereSweep, Sweep,
    Triangle,
    glam::{DVec3, Quat, Vec3},
};
use cullide_scenes::{Rng, SEED};

/// The distance of a point from the axis of a capsule.
pub(crate) fn distance_to_axis(capsule: &Capsule, point: DVec3) -> f64 {
    let (center, half) = (capsule.center().as_dvec3(), capsule.half_axis().as_dvec3());
    let t = if half == DVec3::ZERO { 0.0 } else { (point - center).dot(half) / half.length_squared() };
    (point - center - half * t.clamp(-1.0, 1.0)).length()
}

/// A convex solid as the triangles of its surface and the planes that bound it, or a single triangle.
struct Solid {
    triangles: Vec<[DVec3; 3]>,
    planes: Vec<(DVec3, f64)>,
}

impl Solid {
    fn of_brush(brush: &Brush) -> Self {
        let fan = |corners: Vec<DVec3>| {
            (2..corners.len()).map(|i| [corners[0], corners[i - 1], corners[i]]).collect::<Vec<_>>()
        };
        let corners =
            |face: cullide_narrowphase::BrushFace| face.vertices.iter().map(|&i| brush.vertices()[i]).collect();
        let triangles = brush.faces().flat_map(|face| fan(corners(face))).collect();
        Self { triangles, planes: brush.planes().iter().map(|plane| (plane.normal, plane.distance)).collect() }
    }

    fn of_triangle(points: [Vec3; 3]) -> Self {
        Self { triangles: vec![points.map(|p| p.as_dvec3())], planes: Vec::new() }
    }

    fn distance_to(&self, point: DVec3) -> f64 {
        if !self.planes.is_empty() && self.planes.iter().all(|(normal, distance)| normal.dot(point) <= *distance) {
            return 0.0;
        }
        self.triangles.iter().map(|triangle| distance_to_triangle(*triangle, point)).fold(f64::INFINITY, f64::min)
    }

    /// The distance of an axis, by search: the distance is a convex function of the place along it.
    fn distance_to_axis(&self, center: DVec3, half: DVec3) -> f64 {
        let at = |t: f64| self.distance_to(center + half * t);
        let (mut low, mut high) = (-1.0, 1.0);
        for _ in 0..100 {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if at(a) <= at(b) { high = b } else { low = a }
        }
        at(low).min(at(high)).min(at(-1.0)).min(at(1.0))
    }

    /// Checks that `gap` is that of a capsule, up to an error: at a distance by the search, and inside the solid by its
    /// definition: moving this far along the normal leads out, and moving less far leads out in no direction.
    fn check(&self, capsule: &Capsule, gap: &Gap, error: f64, rng: &mut Rng) {
        let (center, half) = (capsule.center().as_dvec3(), capsule.half_axis().as_dvec3());
        let radius = f64::from(capsule.radius());
        let distance = self.distance_to_axis(center, half);
        let case = || format!("{capsule:?} {:?}: {gap:?}, at {distance}", self.triangles);
        assert!((gap.normal.length() - 1.0).abs() < 1e-12, "{}", case());
        if distance > error {
            assert!((gap.separation + radius - distance).abs() <= error, "{}", case());
            let nearer = self.distance_to_axis(center - gap.normal * (0.5 * distance), half);
            assert!((nearer - 0.5 * distance).abs() <= error.sqrt(), "{}", case());
            return;
        }
        let depth = -(gap.separation + radius);
        assert!(depth >= -error, "{}", case());
        let out = self.distance_to_axis(center + gap.normal * (depth + 1e-3), half);
        assert!((out - 1e-3).abs() < 1e-6, "{out} {}", case());
        for _ in 0..20 {
            let way = DVec3::from([(); 3].map(|()| rng.f64() - 0.5)).normalize();
            assert!(self.distance_to_axis(center + way * (depth - 1e-3).max(0.0), half) <= error, "{way} {}", case());
        }
    }
}

/// Ericson, "Real-Time Collision Detection", §5.1.5, by the nearest of the foot and the three edges.
fn distance_to_triangle([a, b, c]: [DVec3; 3], point: DVec3) -> f64 {
    let normal = (b - a).cross(c - a);
    let edges = [(a, b), (b, c), (c, a)];
    if edges.iter().all(|(from, to)| (*to - *from).cross(point - *from).dot(normal) >= 0.0) {
        return ((point - a).dot(normal) / normal.length()).abs();
    }
    let on_edge = |(from, to): (DVec3, DVec3)| {
        let t = (point - from).dot(to - from) / (to - from).length_squared();
        (point - from - (to - from) * t.clamp(0.0, 1.0)).length()
    };
    edges.map(on_edge).into_iter().fold(f64::INFINITY, f64::min)
}

fn any_point(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)))
}

/// A random capsule, or one on a grid, where many things are parallel and touch.
fn any_capsule(rng: &mut Rng, case: usize) -> Capsule {
    let (mut center, mut half) = (any_point(rng, 4.0), any_point(rng, 2.0));
    if case.is_multiple_of(2) {
        (center, half) = (center.round(), half.round());
    }
    Capsule::from_half_axis(center, half, [0.0, 0.5, 2.0][case % 3]).unwrap()
}

#[test]
fn gaps_are_those_of_a_search() {
    let mut rng = Rng::with_seed(SEED + 4);
    for case in 0..2_000 {
        let capsule = any_capsule(&mut rng, case);
        let [p, q] = [(); 2].map(|()| any_point(&mut rng, 2.0).round());
        let aabb = Aabb::new(p.min(q), p.max(q) + Vec3::ONE).unwrap();
        let brush = Brush::try_from(&aabb).unwrap();
        let solid = Solid::of_brush(&brush);
        solid.check(&capsule, &aabb.gap_of_capsule(&capsule), 1e-9, &mut rng);
        solid.check(&capsule, &brush.gap_of_capsule(&capsule), 1e-9, &mut rng);
        solid.check(&capsule, &Obb::from(&aabb).gap_of_capsule(&capsule), 1e-9, &mut rng);
        let turned = Quat::from_xyzw(rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() - 0.5, 0.5).normalize();
        let obb = Obb::new(aabb.center(), turned, 0.5 * (aabb.max() - aabb.min())).unwrap();
        // The planes of a brush are rounded; those of the box are not.
        let planes: Vec<_> = (0..6)
            .map(|i| {
                let edges = obb.half_edges().map(|edge| edge.as_dvec3());
                let normal = edges[(i + 1) % 3].cross(edges[(i + 2) % 3]).normalize() * if i < 3 { 1.0 } else { -1.0 };
                (normal, normal.dot(obb.center().as_dvec3()) + normal.dot(edges[i % 3]).abs())
            })
            .collect();
        let brush = Brush::from_half_spaces(&planes).unwrap();
        let solid = Solid::of_brush(&brush);
        solid.check(&capsule, &obb.gap_of_capsule(&capsule), 1e-9, &mut rng);
        solid.check(&capsule, &brush.gap_of_capsule(&capsule), 1e-9, &mut rng);
        assert!(capsule.gap(&obb).separation == obb.gap_of_capsule(&capsule).separation);
    }
}

#[test]
fn gaps_to_triangles_are_those_of_a_search() {
    let mut rng = Rng::with_seed(SEED + 5);
    for case in 0..20_000 {
        let capsule = any_capsule(&mut rng, case);
        let mut points = [(); 3].map(|()| any_point(&mut rng, 4.0));
        if case.is_multiple_of(2) {
            points = points.map(|point| point.round());
        }
        let Ok(triangle) = Triangle::new(points[0], points[1], points[2]) else { continue };
        let solid = Solid::of_triangle(points);
        solid.check(&capsule, &triangle.gap_of_capsule(&capsule), 1e-9, &mut rng);
        let Ok(patch) = Patch::new(&points) else { continue };
        assert_eq!(patch.gap_of_capsule(&capsule), triangle.gap_of_capsule(&capsule), "{capsule:?} {triangle:?}");
    }
}

/// Checks that `sweep` ends where the gap of the axis gives: `distance` at its centre less the radius, which is convex.
fn check_sweep(sweep: &CapsuleSweep, got: &Sweep, distance: impl Fn(DVec3) -> f64, ends: &mut [usize; 3]) {
    let body = sweep.body();
    let (start, motion) = (body.center().as_dvec3(), sweep.motion().as_dvec3());
    let gap = |t: f64| distance(start + motion * t) - f64::from(body.radius());
    let case = || format!("{sweep:?}: {got:?}, from {} to {}", gap(0.0), gap(1.0));
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if gap(a) <= gap(b) { high = b } else { low = a }
    }
    let least = gap(low);
    match got {
        Sweep::Overlap(overlap) => {
            ends[0] += 1;
            assert!(gap(0.0) < 1e-9 && overlap.depth >= 0.0, "{}", case());
        }
        Sweep::Clear => {
            ends[1] += 1;
            assert!(least > -1e-7, "{}", case());
        }
        Sweep::Hit(hit) => {
            ends[2] += 1;
            assert!(least < 1e-9 && gap(0.0) > -1e-9, "{}", case());
            let (mut before, mut after) = (0.0, low);
            for _ in 0..60 {
                let middle = 0.5 * (before + after);
                *(if gap(middle) > 0.0 { &mut before } else { &mut after }) = middle;
            }
            // For a graze, the time at which the gap is a few roundings is not known to a millionth.
            let toi = f64::from(hit.toi);
            let is_near = (toi - before).abs() <= 1e-6 || gap(toi).abs() <= 1e-9;
            assert!(is_near && toi <= before + 1e-6, "{before} {}", case());
            assert!(hit.normal.dot(sweep.motion()) < 0.0 && hit.normal.is_normalized(), "{}", case());
            // It does not penetrate, and stops no more than rounding short.
            let end = distance(hit.position.as_dvec3()) - f64::from(body.radius());
            assert!((-1e-12..1e-5).contains(&end), "{end} {}", case());
            for (point, separation) in hit.contacts.points().iter().zip(hit.contacts.separations()) {
                let to_axis = distance_to_axis(&body_at(body, hit.position), point.as_dvec3());
                let beside = to_axis - f64::from(body.radius()) - f64::from(*separation);
                assert!(beside.abs() < 1e-5 && *separation >= 0.0, "{beside} {point} {}", case());
            }
        }
    }
}

fn body_at(body: &Capsule, center: Vec3) -> Capsule {
    Capsule::from_half_axis(center, body.half_axis(), body.radius()).unwrap()
}

fn any_sweep(rng: &mut Rng, case: usize) -> CapsuleSweep {
    let (mut center, mut half) = (any_point(rng, 6.0), any_point(rng, 2.0));
    let mut motion = any_point(rng, 6.0) - center;
    if case.is_multiple_of(2) {
        (center, half, motion) = (center.round(), half.round(), motion.round());
    }
    let body = Capsule::from_half_axis(center, half, [0.25, 1.0, 1.5][case % 3]).unwrap();
    CapsuleSweep::new(body, motion).unwrap()
}

#[test]
#[ignore = "takes long"]
fn sweeps_stop_where_the_gap_is_zero() {
    let mut rng = Rng::with_seed(SEED + 6);
    let mut ends = [0; 3];
    for case in 0..240 {
        let sweep = any_sweep(&mut rng, case);
        let half = sweep.body().half_axis().as_dvec3();
        let [p, q] = [(); 2].map(|()| any_point(&mut rng, 2.0).round());
        let aabb = Aabb::new(p.min(q), p.max(q) + Vec3::ONE).unwrap();
        let brush = Brush::try_from(&aabb).unwrap();
        let solid = Solid::of_brush(&brush);
        let distance = |center: DVec3| solid.distance_to_axis(center, half);
        check_sweep(&sweep, &sweep.against(aabb), distance, &mut ends);
        check_sweep(&sweep, &sweep.against(Obb::from(&aabb)), distance, &mut ends);
        check_sweep(&sweep, &sweep.against(&brush), distance, &mut ends);
    }
    assert!(ends.iter().all(|n| *n > 60), "{ends:?}");
}

#[test]
fn sweeps_against_triangles_stop_where_the_gap_is_zero() {
    let mut rng = Rng::with_seed(SEED + 7);
    let mut ends = [0; 3];
    for case in 0..3_000 {
        let sweep = any_sweep(&mut rng, case);
        let mut points = [(); 3].map(|()| any_point(&mut rng, 4.0));
        if case.is_multiple_of(2) {
            points = points.map(|point| point.round());
        }
        let Ok(triangle) = Triangle::new(points[0], points[1], points[2]) else { continue };
        let (solid, half) = (Solid::of_triangle(points), sweep.body().half_axis().as_dvec3());
        let distance = |center: DVec3| solid.distance_to_axis(center, half);
        check_sweep(&sweep, &sweep.against(triangle), distance, &mut ends);
    }
    assert!(ends.iter().all(|n| *n > 100), "{ends:?}");
}

#[test]
fn sweeps_against_balls_and_capsules_stop_where_the_gap_is_zero() {
    let mut rng = Rng::with_seed(SEED + 8);
    let mut ends = [0; 3];
    for case in 0..6_000 {
        let (sweep, other) = (any_sweep(&mut rng, case), any_capsule(&mut rng, case));
        let distance = |center: DVec3| {
            let at = |t: f64| distance_to_axis(&other, center + sweep.body().half_axis().as_dvec3() * t);
            let (mut low, mut high) = (-1.0, 1.0);
            for _ in 0..80 {
                let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                if at(a) <= at(b) { high = b } else { low = a }
            }
            at(low).min(at(-1.0)).min(at(1.0)) - f64::from(other.radius())
        };
        check_sweep(&sweep, &sweep.against(other), distance, &mut ends);
    }
    assert!(ends.iter().all(|n| *n > 100), "{ends:?}");
}

#[test]
fn a_capsule_of_no_length_ends_where_its_ball_does() {
    let mut rng = Rng::with_seed(SEED + 9);
    let mut hits = 0;
    for case in 0..20_000 {
        let sweep = any_sweep(&mut rng, case);
        let ball = Sphere::new(sweep.body().center(), sweep.body().radius()).unwrap();
        let ball = SphereSweep::new(ball, sweep.motion()).unwrap();
        let capsule = CapsuleSweep::from(ball);
        let [p, q] = [(); 2].map(|()| any_point(&mut rng, 2.0).round());
        let aabb = Aabb::new(p.min(q), p.max(q) + Vec3::ONE).unwrap();
        let plane = Plane::from_point_normal(p, q + 0.5 * Vec3::ONE).unwrap();
        let other = Sphere::new(p, 1.0).unwrap();
        let pairs = [
            (ball.against(aabb), capsule.against(aabb)),
            (ball.against(Obb::from(&aabb)), capsule.against(Obb::from(&aabb))),
            (ball.against(other), capsule.against(other)),
            (ball.against_plane(&plane, Sides::Both), capsule.against_plane(&plane, Sides::Both)),
        ];
        for (expected, got) in pairs {
            match (expected, got) {
                (Sweep::Hit(expected), Sweep::Hit(got)) => {
                    assert!((expected.toi - got.toi).abs() < 1e-6, "{ball:?} {aabb:?} {expected:?} {got:?}");
                    assert!(expected.normal.distance(got.normal) < 1e-3, "{ball:?} {aabb:?} {expected:?} {got:?}");
                    hits += 1;
                }
                (Sweep::Overlap(expected), Sweep::Overlap(got)) => {
                    assert!((expected.depth - got.depth).abs() < 1e-6, "{ball:?} {aabb:?} {expected:?} {got:?}");
                }
                // A sweep that only grazes, or touches as the step ends, may be clear for one of them.
                (Sweep::Hit(hit), Sweep::Clear) | (Sweep::Clear, Sweep::Hit(hit)) => {
                    let grazes = hit.normal.dot(ball.motion().normalize()).abs() < 1e-5;
                    assert!(grazes || hit.toi > 0.999_999, "{ball:?} {aabb:?} {hit:?}");
                }
                (expected, got) => assert_eq!(expected, got, "{ball:?} {aabb:?}"),
            }
        }
    }
    assert!(hits > 10_000, "{hits}");
}
