//! Volumes against each other and against frusta, checked in exact arithmetic on inputs aimed at ties.

use cullide_narrowphase::{Aabb, Containment, Frustum, Obb, Plane, Solid, Sphere, glam::Vec3};
use cullide_oracle as oracle;
use cullide_scenes::{Rng, SEED, aimed};

/// The number of cases to check for each operation. The environment variable `CULLIDE_CASES` multiplies it.
const CASES: usize = 50_000;

fn aabb([min, max]: [[f32; 3]; 2]) -> Option<Aabb> {
    Aabb::new(min.into(), max.into()).ok()
}

fn obb([center, a, b, c]: [[f32; 3]; 4]) -> Option<Obb> {
    Obb::from_half_edges(center.into(), [a.into(), b.into(), c.into()]).ok()
}

fn sphere([x, y, z, radius]: [f32; 4]) -> Option<Sphere> {
    Sphere::new(Vec3::new(x, y, z), radius).ok()
}

fn plane([x, y, z, d]: [f32; 4]) -> Option<Plane> {
    Plane::new(Vec3::new(x, y, z), d).ok()
}

fn frustum(planes: &[[f32; 4]]) -> Option<Frustum> {
    let planes: Option<Vec<Plane>> = planes.iter().map(|p| plane(*p)).collect();
    Frustum::from_planes(&planes?).ok()
}

/// The stored numbers.
fn raw_aabb(aabb: &Aabb) -> [[f32; 3]; 2] {
    [aabb.min().into(), aabb.max().into()]
}

fn raw_obb(obb: &Obb) -> [[f32; 3]; 4] {
    let [a, b, c] = obb.half_edges();
    [obb.center().into(), a.into(), b.into(), c.into()]
}

fn raw_sphere(sphere: &Sphere) -> [f32; 4] {
    sphere.center().extend(sphere.radius()).into()
}

fn raw_plane(plane: &Plane) -> [f32; 4] {
    plane.normal().extend(plane.d()).into()
}

fn raw_planes(frustum: &Frustum) -> Vec<[f32; 4]> {
    frustum.planes().iter().map(raw_plane).collect()
}

/// Runs `check` on generated cases until enough of them were valid; `check` returns whether the answer was yes.
fn for_each_case(name: &str, cases: usize, mut check: impl FnMut(&mut Rng) -> Option<bool>) {
    let factor = std::env::var("CULLIDE_CASES").ok().and_then(|factor| factor.parse().ok()).unwrap_or(1);
    let cases = cases * factor;
    let mut rng = Rng::with_seed(SEED);
    let mut answers = [0; 2];
    for _ in 0..20 * cases {
        if let Some(answer) = check(&mut rng) {
            answers[usize::from(answer)] += 1;
        }
        if answers[0] + answers[1] == cases {
            break;
        }
    }
    assert!(answers[0] + answers[1] == cases, "{name}: too few legal cases, {answers:?}");
    assert!(answers.iter().all(|n| *n > cases / 50), "{name}: one-sided cases, {answers:?}");
}

#[test]
fn oriented_boxes_overlap_exactly_when_the_rationals_say_so() {
    for_each_case("obb-obb", CASES, |rng| {
        let (a, b) = aimed::obb_obb(rng);
        let (a, b) = (obb(a)?, obb(b)?);
        let expected = oracle::obb_obb(raw_obb(&a), raw_obb(&b));
        assert_eq!(a.overlaps(&b), expected, "{a:?} {b:?}");
        assert_eq!(b.overlaps(&a), expected, "{b:?} {a:?}");
        Some(expected)
    });
    for_each_case("aabb-obb", CASES, |rng| {
        let (a, b) = aimed::obb_obb(rng);
        let (a, b) = (obb(a)?.aabb(), obb(b)?);
        let expected = oracle::aabb_obb(raw_aabb(&a), raw_obb(&b));
        assert_eq!(a.overlaps_obb(&b), expected, "{a:?} {b:?}");
        Some(expected)
    });
}

#[test]
fn aligned_boxes_overlap_as_oriented_ones_exactly() {
    for_each_case("aabb-aabb", CASES, |rng| {
        let (a, b) = aimed::aabb_aabb(rng);
        let (a, b) = (aabb(a)?, aabb(b)?);
        let expected = oracle::aabb_aabb(raw_aabb(&a), raw_aabb(&b));
        assert_eq!(a.overlaps(&b), expected, "{a:?} {b:?}");
        let turned = Obb::from(&b);
        assert_eq!(a.overlaps_obb(&turned), oracle::aabb_obb(raw_aabb(&a), raw_obb(&turned)), "{a:?} {turned:?}");
        Some(expected)
    });
}

#[test]
fn spheres_overlap_boxes_and_spheres_exactly_and_oriented_boxes_up_to_rounding() {
    for_each_case("sphere", CASES, |rng| {
        let (a, b) = aimed::aabb_aabb(rng);
        let a = aabb(a)?;
        let radius = a.closest_point(Vec3::from(b[0])).distance(Vec3::from(b[0]));
        let ball = sphere([b[0][0], b[0][1], b[0][2], aimed::nudged(rng, radius).abs()])?;
        let expected = oracle::aabb_sphere(raw_aabb(&a), raw_sphere(&ball));
        assert_eq!(a.overlaps_sphere(&ball), expected, "{a:?} {ball:?}");
        let other = sphere([b[1][0], b[1][1], b[1][2], radius])?;
        let spheres = oracle::sphere_sphere(raw_sphere(&ball), raw_sphere(&other));
        assert_eq!(ball.overlaps(&other), spheres, "{ball:?} {other:?}");
        assert_eq!(ball.contains_point(a.min()), oracle::sphere_contains_point(raw_sphere(&ball), a.min().into()));
        Some(expected)
    });
    for_each_case("obb-sphere", CASES, |rng| {
        let (a, b) = aimed::obb_obb(rng);
        let (a, center) = (obb(a)?, Vec3::from(b[0]));
        let ball = sphere([center.x, center.y, center.z, aimed::nudged(rng, a.distance(center)).abs()])?;
        let expected = oracle::obb_sphere(raw_obb(&a), raw_sphere(&ball));
        let answer = a.overlaps_sphere(&ball);
        // A touch may be over-reported up to rounding.
        if answer != expected {
            assert!(answer, "{a:?} {ball:?}");
            let size = (center - a.center()).abs().max_element().max(a.half_extents().max_element());
            let wider = f64::from(ball.radius()) + 1e-13 * f64::from(size);
            let [x, y, z] = center.to_array().map(f64::from);
            assert!(oracle::obb_sphere(raw_obb(&a).map(|v| v.map(f64::from)), [x, y, z, wider]), "{a:?} {ball:?}");
        }
        Some(answer)
    });
}

#[test]
fn points_lie_in_oriented_boxes_exactly_and_are_as_far_from_them_as_they_should() {
    for_each_case("obb-point", CASES, |rng| {
        let (a, b) = aimed::obb_obb(rng);
        let a = obb(a)?;
        let corner = a.corners()[rng.usize(..8)];
        let corner = Vec3::from(aimed::nudged3(rng, corner.into()));
        let inner = a.center() + 0.5 * a.half_edges()[rng.usize(..3)];
        let point = [Vec3::from(b[0]), corner, corner, inner][rng.usize(..4)];
        let expected = oracle::obb_contains_point(raw_obb(&a), point.into());
        assert_eq!(a.contains_point(point), expected, "{a:?} {point:?}");
        let distance = oracle::obb_distance_squared(raw_obb(&a), point.into()).to_f64().sqrt();
        let size = (point - a.center()).as_dvec3().abs().max_element().max(a.half_extents().as_dvec3().max_element());
        let error = (f64::from(a.distance(point)) - distance).abs();
        assert!(error <= 1e-7 * distance + 1e-12 * size + 1e-44, "{a:?} {point:?} {distance} {error}");
        Some(expected)
    });
}

/// Checks the answer of the six-plane test.
fn assert_contained(answer: Containment, expected: oracle::Containment, case: &dyn std::fmt::Debug) {
    let expected = match expected {
        oracle::Containment::Inside => Containment::Inside,
        oracle::Containment::Crossing => Containment::Crossing,
        oracle::Containment::Outside => Containment::Outside,
    };
    assert_eq!(answer, expected, "{case:?}");
}

/// The planes, moved outward by 1e-12 of the largest coordinate involved.
fn widened(planes: &[[f32; 4]], reach: Vec3) -> Vec<[f64; 4]> {
    let scale = planes.iter().map(|p| p[3].abs()).fold(reach.max_element(), f32::max);
    planes.iter().map(|p| p.map(f64::from)).map(|[x, y, z, d]| [x, y, z, d + 1e-12 * f64::from(scale)]).collect()
}

#[test]
fn boxes_touch_a_frustum_when_the_rationals_say_so() {
    for_each_case("frustum-aabb", CASES, |rng| {
        let (planes, b) = aimed::frustum_aabb(rng);
        let (f, b) = (frustum(&planes)?, aabb(b)?);
        let planes = raw_planes(&f);
        assert_contained(f.containment_of_aabb(&b), oracle::frustum_planes_aabb(&planes, raw_aabb(&b)), &(&planes, b));
        let expected = oracle::frustum_aabb(&planes, raw_aabb(&b)) != oracle::Containment::Outside;
        if f.intersects_aabb(&b) != expected {
            // An exact touch is never missed; a miss by less than rounding may be reported as a touch.
            let wider = widened(&planes, b.min().abs().max(b.max().abs()));
            let touches = oracle::frustum_aabb(&wider, raw_aabb(&b)) != oracle::Containment::Outside;
            assert!(!expected && touches, "{planes:?} {b:?}");
        }
        Some(expected)
    });
    for_each_case("frustum-obb", CASES, |rng| {
        let (planes, b) = aimed::frustum_obb(rng);
        let (f, b) = (frustum(&planes)?, obb(b)?);
        let planes = raw_planes(&f);
        assert_contained(f.containment_of_obb(&b), oracle::frustum_planes_obb(&planes, raw_obb(&b)), &(&planes, b));
        let expected = oracle::frustum_obb(&planes, raw_obb(&b)) != oracle::Containment::Outside;
        if f.intersects_obb(&b) != expected {
            let wider = widened(&planes, b.aabb().min().abs().max(b.aabb().max().abs()));
            let touches = oracle::frustum_obb(&wider, raw_obb(&b)) != oracle::Containment::Outside;
            assert!(!expected && touches, "{planes:?} {b:?}");
        }
        Some(expected)
    });
}

#[test]
fn spheres_and_points_are_seen_when_the_rationals_say_so() {
    for_each_case("frustum-sphere", CASES, |rng| {
        let (planes, s) = aimed::frustum_sphere(rng);
        let (f, s) = (frustum(&planes)?, sphere(s)?);
        let planes = raw_planes(&f);
        let expected = oracle::frustum_sphere(&planes, raw_sphere(&s), oracle::NormalLength::Stored);
        assert_contained(f.containment_of_sphere(&s), expected, &(&planes, s));
        let touches = |planes: &[[f64; 4]]| {
            let solid: Vec<[f64; 4]> = planes.iter().map(|p| [-p[0], -p[1], -p[2], p[3]]).collect();
            let radius = oracle::Exact::new(s.radius());
            oracle::solid_distance_squared(&solid, s.center().into())
                .is_some_and(|distance| distance.cmp_exact(&(&radius * &radius)).is_le())
        };
        let stored: Vec<[f64; 4]> = planes.iter().map(|p| p.map(f64::from)).collect();
        if f.intersects_sphere(&s) != touches(&stored) {
            let wider = widened(&planes, s.center().abs().max(Vec3::splat(s.radius())));
            assert!(f.intersects_sphere(&s) && touches(&wider), "{planes:?} {s:?}");
        }
        Some(f.intersects_sphere(&s))
    });
    for_each_case("frustum-point", CASES, |rng| {
        let (planes, point) = aimed::frustum_point(rng);
        let f = frustum(&planes)?;
        let expected = oracle::frustum_contains_point(&raw_planes(&f), point);
        assert_eq!(f.contains_point(point.into()), expected, "{planes:?} {point:?}");
        Some(expected)
    });
}
