//! Balls, and boxes against planes.

use super::oracle::{self, ROUNDED, WideBox, manifold};
use cullide_narrowphase::{
    ContactManifold, ContactShape, Plane, Sides, Sphere,
    glam::{DVec3, Quat, Vec3},
};
use cullide_scenes::{Rng, SEED};

const CASES: usize = 200_000;

fn ball(rng: &mut Rng, center: Vec3, scale: f32) -> Sphere {
    let radius = if rng.u8(0..8) == 0 { 0.0 } else { scale * rng.f32() };
    Sphere::new(center, radius).unwrap()
}

/// Checks a manifold of one point or none: its distance, and where the point is on either shape. `size` bounds the
/// numbers from which these are computed.
fn check_one(found: &ContactManifold, truth: f64, size: f64, margin: f32, apart: impl Fn(DVec3, DVec3) -> [f64; 2]) {
    let lost = ROUNDED * size;
    let distance = f64::from(found.distance());
    assert!(distance <= truth && distance >= truth - lost, "{distance} of {truth} ± {lost}");
    assert!((found.normal().length() - 1.0).abs() < 1e-6);
    let is_near = truth <= f64::from(margin);
    assert!(found.points().len() == usize::from(is_near) || (truth - f64::from(margin)).abs() <= lost);
    for point in found.points() {
        assert!((f64::from(point.separation) - truth).abs() <= lost, "{point:?} {truth}");
        let off = apart(point.from_first.as_dvec3(), point.from_second.as_dvec3());
        assert!(off.iter().all(|off| off.abs() <= lost), "{off:?} {lost}");
    }
}

#[test]
fn manifolds_of_balls_hold_in_f64() {
    let mut rng = Rng::with_seed(SEED ^ 30);
    let mut touching = 0;
    for _ in 0..CASES {
        let scale = oracle::scale(&mut rng);
        let center = oracle::place(&mut rng, scale);
        let a = ball(&mut rng, center, scale);
        let way = oracle::vector(&mut rng) * (scale * f32::from(rng.u8(0..3)));
        let b = ball(&mut rng, center + way, scale);
        let margin = scale * 0.2 * rng.f32();
        let found = manifold(&ContactShape::Sphere(&a), &ContactShape::Sphere(&b), margin);
        let way = b.center().as_dvec3() - a.center().as_dvec3();
        let (radius_a, radius_b) = (f64::from(a.radius()), f64::from(b.radius()));
        let size = way.length() + radius_a + radius_b + 1e-7 * center.as_dvec3().length();
        check_one(&found, way.length() - radius_a - radius_b, size, margin, |p, q| {
            [p.length() - radius_a, q.length() - radius_b]
        });
        touching += found.points().len();
    }
    assert!(touching > CASES / 4, "{touching}");
}

#[test]
fn manifolds_of_balls_and_boxes_hold_in_f64() {
    let mut rng = Rng::with_seed(SEED ^ 31);
    let (mut touching, mut inside) = (0, 0);
    for case in 0..CASES {
        let scale = oracle::scale(&mut rng);
        let center = oracle::place(&mut rng, scale);
        let body = oracle::obb(&mut rng, center, scale);
        let way = oracle::vector(&mut rng) * (scale * [0.0, 0.5, 1.0, 2.0][rng.usize(0..4)]);
        let ball = ball(&mut rng, center + way, scale);
        let margin = scale * 0.2 * rng.f32();
        let wide = WideBox::new(&body);
        let place = ball.center().as_dvec3();
        let radius = f64::from(ball.radius());
        let truth = if wide.beyond(place) > 0.0 { wide.distance(place) } else { wide.beyond(place) } - radius;
        let size = wide.size() + place.distance(wide.center) + radius;
        let shapes = [ContactShape::Box(&body), ContactShape::Sphere(&ball)];
        let found = manifold(&shapes[0], &shapes[1], margin);
        let checked = std::panic::catch_unwind(|| {
            check_one(&found, truth, size, margin, |p, q| [wide.beyond(wide.center + p), q.length() - radius]);
        });
        assert!(checked.is_ok(), "case {case}: {body:?} {ball:?} {margin} {found:?}");
        let swapped = manifold(&shapes[1], &shapes[0], margin);
        assert_eq!((swapped.normal(), swapped.distance()), (-found.normal() + Vec3::ZERO, found.distance()));
        for (point, other) in found.points().iter().zip(swapped.points()) {
            assert_eq!((point.from_first, point.from_second), (other.from_second, other.from_first));
        }
        touching += found.points().len();
        inside += usize::from(wide.beyond(place) < 0.0);
    }
    assert!(touching > CASES / 4 && inside > CASES / 10, "{touching} {inside}");
}

#[test]
fn manifolds_at_planes_hold_in_f64() {
    let mut rng = Rng::with_seed(SEED ^ 32);
    let mut counts = [0; 5];
    for case in 0..CASES {
        let scale = oracle::scale(&mut rng);
        let center = oracle::place(&mut rng, scale);
        let body = oracle::obb(&mut rng, center, scale);
        let wide = WideBox::new(&body);
        let normal = match rng.u8(0..3) {
            0 => body.half_edges()[rng.usize(0..3)].try_normalize().unwrap_or(Vec3::Y),
            _ => oracle::vector(&mut rng).try_normalize().unwrap_or(Vec3::Y),
        };
        let reach = wide.reach(normal.as_dvec3()) + oracle::gap(&mut rng, scale);
        let plane = Plane::from_point_normal(center - normal * reach as f32, normal).unwrap();
        let sides = if rng.bool() { Sides::Front } else { Sides::Both };
        let margin = scale * 0.1 * rng.f32();
        let shapes = [ContactShape::Plane(&plane, sides), ContactShape::Box(&body)];
        let found = manifold(&shapes[0], &shapes[1], margin);
        let context = || format!("case {case}: {plane:?} {body:?} {margin} {found:?}");

        let unit = plane.normal().as_dvec3().normalize();
        let d = f64::from(plane.d()) / plane.normal().as_dvec3().length();
        let height = unit.dot(wide.center) + d;
        let side = if sides == Sides::Both && height < 0.0 { -1.0 } else { 1.0 };
        let truth = side * height - wide.reach(unit);
        let lost = ROUNDED * (wide.size() + truth.abs());
        // Points on the plane are places in the world, in `f32`.
        let lost_below = lost + ROUNDED * (wide.center.length() + d.abs());
        let distance = f64::from(found.distance());
        assert!(distance <= truth && distance >= truth - lost - 1e-8 * lost_below, "{}", context());
        assert!(found.normal().as_dvec3().distance(unit * side) < 1e-6);
        if (truth - f64::from(margin)).abs() > lost {
            assert_eq!(found.points().is_empty(), truth > f64::from(margin), "{}", context());
        }
        if let Some(deepest) = found.points().iter().map(|p| p.separation).reduce(f32::min) {
            assert!((f64::from(deepest) - truth).abs() <= lost, "{}", context());
        }
        for (i, point) in found.points().iter().enumerate() {
            let place = wide.center + point.from_second.as_dvec3();
            assert!(wide.corners().iter().any(|corner| corner.distance(place) <= lost), "{}", context());
            let above = side * (unit.dot(place) + d);
            assert!((above - f64::from(point.separation)).abs() <= lost && point.separation <= margin);
            assert!((unit.dot(point.from_first.as_dvec3()) + d).abs() <= lost_below, "{}", context());
            assert!(found.points()[..i].iter().all(|other| other.feature != point.feature));
        }
        counts[found.points().len()] += 1;

        let ball = Sphere::new(center, scale * rng.f32()).unwrap();
        let found = manifold(&ContactShape::Sphere(&ball), &shapes[0], margin);
        let radius = f64::from(ball.radius());
        let truth = side * height - radius;
        check_one(&found, truth, radius + truth.abs() + 1e-6 * lost_below, margin, |p, q| {
            assert!((unit.dot(q) + d).abs() <= lost_below);
            [p.length() - radius, 0.0]
        });
    }
    assert!(counts.iter().all(|&count| count > CASES / 200), "{counts:?}");
}

#[test]
fn what_has_no_direction_has_a_normal_of_unit_length() {
    let point = Sphere::new(Vec3::ONE, 0.0).unwrap();
    let ball = Sphere::new(Vec3::ONE, 2.0).unwrap();
    let speck = cullide_narrowphase::Obb::new(Vec3::ONE, Quat::IDENTITY, Vec3::ZERO).unwrap();
    let plane = Plane::from_point_normal(Vec3::ONE, Vec3::Z).unwrap();
    let shapes = [
        ContactShape::Sphere(&point),
        ContactShape::Sphere(&ball),
        ContactShape::Box(&speck),
        ContactShape::Plane(&plane, Sides::Both),
    ];
    for (i, first) in shapes.iter().enumerate() {
        for second in shapes.iter().enumerate().filter(|&(j, _)| i.min(j) < 3).map(|(_, shape)| shape) {
            let found = manifold(first, second, 0.0);
            assert!((found.normal().length() - 1.0).abs() < 1e-6, "{found:?}");
            assert_eq!(found.points().len(), 1, "{first:?} {second:?} {found:?}");
        }
    }
}
