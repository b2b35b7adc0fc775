//! Capsules lying on things, and against planes.

use super::oracle::{self, ROUNDED, manifold};
use cullide_narrowphase::{
    Capsule, ContactShape, Obb, Plane, Sides,
    glam::{Quat, Vec3},
};
use cullide_scenes::{Rng, SEED};

#[test]
fn a_capsule_that_lies_on_something_rests_on_both_ends() {
    let floor = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(5.0, 1.0, 5.0)).unwrap();
    let plane = Plane::from_point_normal(Vec3::Y, Vec3::Y).unwrap();
    let lower = Capsule::from_half_axis(Vec3::Y * 0.7, Vec3::X * 2.0, 0.3).unwrap();
    for lean in [0.0, 0.005, -0.005] {
        let half = Vec3::new(0.5, lean, 0.0);
        let body = Capsule::from_half_axis(Vec3::Y * 1.25, half, 0.25).unwrap();
        for under in
            [ContactShape::Box(&floor), ContactShape::Plane(&plane, Sides::Front), ContactShape::Capsule(&lower)]
        {
            let found = manifold(&under, &ContactShape::Capsule(&body), 0.02);
            assert_eq!(found.points().len(), 2, "{found:?}");
            for point in found.points() {
                let height = point.from_second.y + 1.25 - 1.0;
                assert!((point.separation - height).abs() < 1e-3, "{found:?}");
                assert!((point.from_second.x.abs() - 0.5).abs() < 0.01, "{found:?}");
            }
        }
    }
}

#[test]
fn capsules_at_planes_hold_in_f64() {
    let mut rng = Rng::with_seed(SEED ^ 60);
    let mut counts = [0; 3];
    for _ in 0..200_000 {
        let scale = oracle::scale(&mut rng);
        let center = oracle::place(&mut rng, scale);
        let half = oracle::vector(&mut rng) * (scale * f32::from(rng.u8(0..3)));
        let body = Capsule::from_half_axis(center, half, scale * rng.f32()).unwrap();
        let normal = oracle::vector(&mut rng).try_normalize().unwrap_or(Vec3::Y);
        let reach = f64::from(half.dot(normal).abs() + body.radius()) + oracle::gap(&mut rng, scale);
        let plane = Plane::from_point_normal(center - normal * reach as f32, normal).unwrap();
        let margin = scale * 0.2 * rng.f32();
        let found = manifold(&ContactShape::Plane(&plane, Sides::Front), &ContactShape::Capsule(&body), margin);
        let (unit, length) = (plane.normal().as_dvec3().normalize(), plane.normal().as_dvec3().length());
        let height = unit.dot(body.center().as_dvec3()) + f64::from(plane.d()) / length;
        let truth = height - unit.dot(half.as_dvec3()).abs() - f64::from(body.radius());
        let lost = ROUNDED * f64::from(half.length() + body.radius() + scale)
            + 1e-12 * (body.center().as_dvec3().length() + f64::from(plane.d().abs()));
        let distance = f64::from(found.distance());
        assert!(distance <= truth && distance >= truth - lost, "{distance} {truth}");
        if let Some(least) = found.points().iter().map(|point| point.separation).reduce(f32::min) {
            assert!((f64::from(least) - truth).abs() <= lost);
        } else {
            assert!(truth > f64::from(margin) - lost);
        }
        counts[found.points().len()] += 1;
    }
    assert!(counts.iter().all(|&count| count > 5_000), "{counts:?}");
}
