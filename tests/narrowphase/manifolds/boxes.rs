//! Random pairs of boxes.

use super::oracle::{self, ROUNDED, WideBox, along, manifold};
use cullide_narrowphase::{
    Aabb, ContactManifold, ContactShape, ManifoldCache, Obb,
    glam::{DVec3, Vec3},
};
use cullide_scenes::{Rng, SEED};

const CASES: usize = 300_000;

/// How much worse than the best an axis may be, relative to the longest half extent of the smaller box.
const TOLERANCE: f64 = 1.0 / 256.0;

/// How much better than a face edges have to be, relative to the depth.
pub const EDGE_BIAS: f64 = 0.15;

/// Two boxes of similar scale, about a given gap apart along a random direction.
fn pair(rng: &mut Rng) -> (Obb, Obb, f32) {
    let scale = oracle::scale(rng);
    let center = oracle::place(rng, scale);
    let a = oracle::obb(rng, center, scale);
    // Often with the same directions, so that faces are parallel.
    let size = if rng.bool() { 1.0 } else { 0.2 };
    let b = match rng.u8(0..3) {
        0 => {
            let [x, y, z] = a.half_edges();
            Obb::from_half_edges(center, [y * rng.f32(), z * (0.5 + rng.f32()), x * (0.5 + rng.f32())]).unwrap()
        }
        _ => oracle::obb(rng, center, scale * size),
    };
    let direction = match rng.u8(0..3) {
        0 => a.half_edges()[rng.usize(0..3)].try_normalize().unwrap_or(Vec3::Y),
        _ => oracle::vector(rng).try_normalize().unwrap_or(Vec3::Y),
    };
    let (wide_a, wide_b) = (WideBox::new(&a), WideBox::new(&b));
    let normal = direction.as_dvec3();
    let aside = oracle::vector(rng) * (0.5 * scale * f32::from(rng.u8(0..2)));
    let way = wide_a.reach(normal) + wide_b.reach(normal) + oracle::gap(rng, scale);
    let b = Obb::from_half_edges(center + aside + direction * way as f32, b.half_edges()).unwrap();
    let margin = scale * [0.0, 0.02, 0.5][rng.usize(0..3)];
    (a, b, margin)
}

/// Checks what holds for every manifold of two boxes; returns the number of its points.
fn check(a: &WideBox, b: &WideBox, margin: f32, manifold: &ContactManifold, centers: [Vec3; 2]) -> usize {
    let normal = manifold.normal().as_dvec3();
    assert!((normal.length() - 1.0).abs() < 1e-6, "{normal}");
    let size = a.size() + b.size() + a.center.distance(b.center);
    let lost = ROUNDED * size;
    let tolerance = TOLERANCE * a.longest().min(b.longest());
    // Not more than the truth, and not much less.
    let (best, chosen) = (oracle::separation(a, b, 1e-6), along(a, b, normal));
    let truth = if best > 0.0 { oracle::distance(a, b) } else { best.max(chosen) };
    let found = f64::from(manifold.distance());
    assert!(found <= truth, "{found} > {truth}, by the axes {best} and {chosen}");
    let faces = a.axes.into_iter().chain(b.axes).map(|n| along(a, b, n).max(along(a, b, -n)));
    assert!(found >= faces.fold(f64::NEG_INFINITY, f64::max) - lost);
    // Edges that are nearly parallel are skipped, see `box_box`: of two that penetrate, a face is as good. And a face
    // is chosen unless edges are considerably better.
    let reached = oracle::separation(a, b, 1.0 / 250.0);
    let preferred = 2.0 * tolerance + EDGE_BIAS * (-chosen).max(0.0);
    assert!(chosen >= reached - preferred - size / 1024.0, "{chosen} of {reached}");
    assert!(best > 0.0 || chosen >= best - preferred - size / 256.0, "{chosen} of {best}");

    let points = manifold.points();
    if found > f64::from(margin) {
        assert!(points.is_empty());
    }
    // Penetrating boxes have a point at the deepest place, unless edges are deeper by less than the tolerance.
    if best < -lost - tolerance && margin > 0.0 {
        let deepest = points.iter().map(|point| point.separation).fold(f32::INFINITY, f32::min);
        assert!(f64::from(deepest) <= best + 2.0 * tolerance + lost, "{deepest} of {best}: {manifold:?}");
    }
    for (i, point) in points.iter().enumerate() {
        let places = [point.from_first.as_dvec3(), point.from_second.as_dvec3()];
        let [p, q] = [places[0] + centers[0].as_dvec3(), places[1] + centers[1].as_dvec3()];
        for (place, solid) in [(p, a), (q, b)] {
            let beyond = solid.beyond(place);
            // The rectangle is larger by a sixteenth of the tolerance.
            assert!(beyond <= tolerance / 8.0 + lost && beyond >= -lost, "beyond by {beyond} of {size}: {manifold:?}");
        }
        let separation = normal.dot(q - p);
        assert!((separation - f64::from(point.separation)).abs() <= lost, "{separation} {point:?}");
        assert!(point.separation <= margin);
        assert!(points[..i].iter().all(|other| other.feature != point.feature), "{manifold:?}");
    }
    points.len()
}

#[test]
fn manifolds_of_boxes_hold_in_f64() {
    let mut rng = Rng::with_seed(SEED ^ 23);
    let mut counts = [0; 5];
    for case in 0..CASES {
        let (a, b, margin) = pair(&mut rng);
        let (wide_a, wide_b) = (WideBox::new(&a), WideBox::new(&b));
        let (first, second) = (ContactShape::Box(&a), ContactShape::Box(&b));
        let centers = [a.center(), b.center()];
        let mut cache = ManifoldCache::default();
        let mut found = ContactManifold::default();
        let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            found.update(&first, &second, margin, &mut cache);
            counts[check(&wide_a, &wide_b, margin, &found, centers)] += 1;

            // Updated again it is the same, or known to be apart, in which case the last axis gives a better bound.
            let mut again = found.clone();
            again.update(&first, &second, margin, &mut cache);
            let size = wide_a.size() + wide_b.size() + wide_a.center.distance(wide_b.center);
            let is_near = |distance: f32| f64::from(distance) <= f64::from(margin) - size / 1024.0;
            let is_apart = !is_near(found.distance()) && again.distance() > margin;
            assert!(again == found || is_apart, "{again:?}");
            let truth = oracle::distance(&wide_a, &wide_b);
            assert!(!is_apart || f64::from(again.distance()) <= truth, "{again:?} {truth}");

            // In the opposite order it is the same, except if two axes tie.
            let swapped = manifold(&second, &first, margin);
            check(&wide_b, &wide_a, margin, &swapped, [centers[1], centers[0]]);
            let lost = ROUNDED * size;
            let [one, other] = [found.normal().as_dvec3(), -swapped.normal().as_dvec3()];
            let [along_one, along_other] = [along(&wide_a, &wide_b, one), along(&wide_a, &wide_b, other)];
            assert!(one.dot(other) > 0.99999 || (along_one - along_other).abs() <= 2.0 * lost, "{one} {other}");
            assert!(f64::from((found.distance() - swapped.distance()).abs()) <= lost);
        }));
        if failed.is_err() {
            panic!("case {case}: {a:?} {b:?} {margin} {found:?}");
        }
    }
    assert!(counts.iter().all(|&count| count > CASES / 200), "{counts:?}");
}

#[test]
fn an_axis_aligned_box_is_met_as_the_oriented_one() {
    let mut rng = Rng::with_seed(SEED ^ 24);
    let mut touching = 0;
    for case in 0..CASES / 3 {
        let (_, b, margin) = pair(&mut rng);
        let corner = b.center() + oracle::vector(&mut rng) * (1.5 * b.half_extents().max_element());
        let size = oracle::vector(&mut rng).abs() * (3.0 * b.half_extents().max_element());
        let aabb = Aabb::new(corner - size, corner + size).unwrap();
        let found = manifold(&ContactShape::Aabb(&aabb), &ContactShape::Box(&b), margin);
        let (min, max) = (aabb.min().as_dvec3(), aabb.max().as_dvec3());
        let half = 0.5 * (max - min);
        let edges = [DVec3::X * half.x, DVec3::Y * half.y, DVec3::Z * half.z];
        let wide = WideBox { center: 0.5 * (min + max), edges, axes: DVec3::AXES };
        let centers = [ContactShape::Aabb(&aabb).center(), b.center()];
        let failed = std::panic::catch_unwind(|| check(&wide, &WideBox::new(&b), margin, &found, centers));
        touching += failed.unwrap_or_else(|_| panic!("case {case}: {aabb:?} {b:?} {margin} {found:?}")).min(1);
    }
    assert!(touching > CASES / 10, "{touching}");
}

#[test]
fn any_cache_gives_a_bound_and_a_manifold() {
    let mut rng = Rng::with_seed(SEED ^ 25);
    let mut caches = vec![ManifoldCache::default()];
    for case in 0..CASES / 3 {
        let (a, b, margin) = pair(&mut rng);
        let (wide_a, wide_b) = (WideBox::new(&a), WideBox::new(&b));
        let (first, second) = (ContactShape::Box(&a), ContactShape::Box(&b));
        let mut cache = caches[rng.usize(0..caches.len())];
        let mut found = ContactManifold::default();
        found.update(&first, &second, margin, &mut cache);
        let plain = manifold(&first, &second, margin);
        let size = wide_a.size() + wide_b.size() + wide_a.center.distance(wide_b.center);
        let best = oracle::separation(&wide_a, &wide_b, 1e-6);
        let truth = if best > 0.0 { oracle::distance(&wide_a, &wide_b) } else { best };
        let normal = found.normal().as_dvec3();
        let bound = truth.max(along(&wide_a, &wide_b, normal));
        assert!(f64::from(found.distance()) <= bound, "case {case}: {a:?} {b:?} {found:?}, {bound}");
        // The cache never changes the distance of boxes that are near.
        let is_apart = plain.distance() > margin && found.distance() > margin;
        let change = f64::from((found.distance() - plain.distance()).abs());
        assert!(is_apart || change <= ROUNDED * size, "case {case}: {a:?} {b:?} {found:?} {plain:?}");
        if caches.len() < 64 && !caches.contains(&cache) {
            caches.push(cache);
        }
    }
    assert!(caches.len() > 12, "{}", caches.len());
}
