//! Boxes lying on boxes: as many points as they need, and the same ones from step to step.

use super::oracle::{WideBox, manifold};
use cullide_narrowphase::{
    ContactManifold, ContactShape, ManifoldCache, Obb,
    glam::{DVec2, Quat, Vec3},
};
use cullide_scenes::{Rng, SEED};

fn features(manifold: &ContactManifold) -> Vec<u32> {
    let mut features: Vec<u32> = manifold.points().iter().map(|point| point.feature).collect();
    features.sort_unstable();
    features
}

/// A convex polygon, counter-clockwise, clipped by the sides of another.
fn clipped(mut polygon: Vec<DVec2>, by: &[DVec2]) -> Vec<DVec2> {
    for i in 0..by.len() {
        let (from, side) = (by[i], by[(i + 1) % by.len()] - by[i]);
        let height = |p: DVec2| side.perp_dot(p - from);
        let mut kept = vec![];
        for k in 0..polygon.len() {
            let (p, q) = (polygon[k], polygon[(k + 1) % polygon.len()]);
            if height(p) >= 0.0 {
                kept.push(p);
            }
            if (height(p) > 0.0) != (height(q) > 0.0) && height(p) != 0.0 && height(q) != 0.0 {
                kept.push(p.lerp(q, height(p) / (height(p) - height(q))));
            }
        }
        polygon = kept;
    }
    polygon
}

fn centroid(polygon: &[DVec2]) -> (DVec2, f64) {
    let (mut sum, mut area) = (DVec2::ZERO, 0.0);
    for i in 1..polygon.len().max(1) - 1 {
        let [a, b, c] = [polygon[0], polygon[i], polygon[i + 1]];
        let part = (b - a).perp_dot(c - a);
        (sum, area) = (sum + part * (a + b + c) / 3.0, area + part);
    }
    (sum / area, 0.5 * area)
}

fn footprint(body: &Obb) -> Vec<DVec2> {
    let corners = WideBox::new(body).corners();
    [0b000, 0b100, 0b101, 0b001].map(|q: usize| DVec2::new(corners[q].x, -corners[q].z)).to_vec()
}

#[test]
fn four_points_hold_up_the_middle_of_what_two_boxes_share() {
    let mut rng = Rng::with_seed(SEED ^ 40);
    let mut clipped_ones = 0;
    for case in 0..100_000 {
        let half = |rng: &mut Rng| Vec3::new(0.25 + rng.f32(), 0.5, 0.25 + rng.f32());
        let (half_a, half_b) = (half(&mut rng), half(&mut rng));
        let turn = |rng: &mut Rng| Quat::from_rotation_y(6.0 * rng.f32() * f32::from(rng.u8(0..4).min(1)));
        let a = Obb::new(Vec3::ZERO, turn(&mut rng), half_a).unwrap();
        let aside = Vec3::new(rng.f32() - 0.5, 1.0 + 0.01 * (rng.f32() - 0.5), rng.f32() - 0.5);
        let b = Obb::new(aside, turn(&mut rng), half_b).unwrap();
        let shared = clipped(footprint(&a), &footprint(&b));
        let (middle, area) = centroid(&shared);
        let found = manifold(&ContactShape::Box(&a), &ContactShape::Box(&b), 0.02);
        if area.is_nan() || area < 0.05 || found.normal().y < 0.99 {
            continue;
        }
        // At least three, unless they share fewer corners.
        assert!(found.points().len() >= shared.len().min(4).min(3), "case {case}: {a:?} {b:?} {found:?}");
        assert!(found.points().len() == 4 || shared.len() < 5, "case {case}: {a:?} {b:?} {found:?} {shared:?}");
        let mut hull: Vec<DVec2> =
            found.points().iter().map(|p| DVec2::new(p.from_first.x.into(), -f64::from(p.from_first.z))).collect();
        let inner = hull.iter().sum::<DVec2>() / hull.len() as f64;
        hull.sort_by(|p, q| {
            let angle = |p: &DVec2| (p.y - inner.y).atan2(p.x - inner.x);
            angle(p).total_cmp(&angle(q))
        });
        for i in 0..hull.len() {
            let side = hull[(i + 1) % hull.len()] - hull[i];
            assert!(side.perp_dot(middle - hull[i]) > -1e-5, "case {case}: {a:?} {b:?} {found:?} {shared:?} {middle}");
        }
        clipped_ones += usize::from(shared.len() > 4);
    }
    assert!(clipped_ones > 10_000, "{clipped_ones}");
}

#[test]
fn a_box_that_leans_within_the_margin_keeps_four_points() {
    let floor = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(20.0, 1.0, 20.0)).unwrap();
    let mut rng = Rng::with_seed(SEED ^ 41);
    for _ in 0..20_000 {
        let half = Vec3::new(0.1 + 0.2 * rng.f32(), 0.1 + 0.2 * rng.f32(), 0.1 + 0.2 * rng.f32());
        let axis = Quat::from_rotation_y(7.0 * rng.f32()) * Vec3::X;
        let lean = Quat::from_axis_angle(axis, (2.0 * rng.f32()).to_radians()) * Quat::from_rotation_y(7.0 * rng.f32());
        let edges = Obb::new(Vec3::ZERO, lean, half).unwrap().half_edges();
        // The highest of its lower corners is just within the margin.
        let high = [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)]
            .map(|(i, k)| (edges[0] * i - edges[1] + edges[2] * k).y)
            .into_iter()
            .fold(f32::NEG_INFINITY, f32::max);
        let center = Vec3::new(20.0 * rng.f32() - 10.0, 1.0 + 0.0199 - high, 20.0 * rng.f32() - 10.0);
        let body = Obb::from_half_edges(center, edges).unwrap();
        let found = manifold(&ContactShape::Box(&floor), &ContactShape::Box(&body), 0.02);
        assert_eq!(found.points().len(), 4, "{body:?} {found:?}");
    }
}

#[test]
fn points_keep_their_features_while_a_box_rocks_and_slides() {
    let floor = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(20.0, 1.0, 20.0)).unwrap();
    let (mut found, mut cache) = (ContactManifold::default(), ManifoldCache::default());
    let mut expected = None;
    for step in 0..1000 {
        let time = step as f32 * 0.01;
        let rock =
            Quat::from_rotation_x(0.008 * (9.0 * time).sin()) * Quat::from_rotation_z(0.006 * (7.0 * time).cos());
        let center = Vec3::new(time, 1.5 + 0.002 * (31.0 * time).sin(), 0.3 * time);
        let body = Obb::new(center, rock * Quat::from_rotation_y(0.2 * time), Vec3::splat(0.5)).unwrap();
        found.update(&ContactShape::Box(&floor), &ContactShape::Box(&body), 0.02, &mut cache);
        assert_eq!(found.points().len(), 4, "{step}: {found:?}");
        let features = features(&found);
        assert_eq!(*expected.get_or_insert(features.clone()), features, "{step}");
    }
}

#[test]
fn boxes_that_are_stacked_flush_keep_their_features() {
    let mut rng = Rng::with_seed(SEED ^ 42);
    let (mut found, mut cache) = (ContactManifold::default(), ManifoldCache::default());
    let mut expected = None;
    for step in 0..10_000 {
        let mut shaken = |y: f32| {
            let mut noise = || 2e-5 * (rng.f32() - 0.5);
            let turn = Quat::from_xyzw(noise(), noise(), noise(), 1.0);
            Obb::new(Vec3::new(noise(), y + noise(), noise()), turn, Vec3::splat(0.5)).unwrap()
        };
        let (a, b) = (shaken(0.0), shaken(1.0));
        found.update(&ContactShape::Box(&a), &ContactShape::Box(&b), 0.02, &mut cache);
        assert_eq!(found.points().len(), 4, "{step}: {found:?}");
        let features = features(&found);
        assert_eq!(*expected.get_or_insert(features.clone()), features, "{step}");
    }
}

#[test]
fn crossed_beams_touch_in_one_point() {
    let turned = |around: Vec3| Quat::from_axis_angle(around, std::f32::consts::FRAC_PI_4);
    let low = Obb::new(Vec3::ZERO, turned(Vec3::X), Vec3::new(5.0, 1.0, 1.0)).unwrap();
    let high = Obb::new(Vec3::new(1.0, 2.8, 2.0), turned(Vec3::Z), Vec3::new(1.0, 1.0, 5.0)).unwrap();
    let found = manifold(&ContactShape::Box(&low), &ContactShape::Box(&high), 0.02);
    let depth = 2.8 - 8f32.sqrt();
    assert!(found.normal().distance(Vec3::Y) < 1e-6 && (found.distance() - depth).abs() < 1e-4, "{found:?}");
    let [point] = found.points() else { panic!("{found:?}") };
    assert!(point.from_first.distance(Vec3::new(1.0, 2f32.sqrt(), 0.0)) < 1e-5, "{point:?}");
    assert!(point.from_second.distance(Vec3::new(0.0, -(2f32.sqrt()), -2.0)) < 1e-5, "{point:?}");
    assert!((point.separation - depth).abs() < 1e-5);
}
