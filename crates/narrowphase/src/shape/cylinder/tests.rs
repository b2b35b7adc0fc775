use super::*;
use crate::{Segment, Side};
use cullide_scenes::{Rng, SEED};

/// Cylinders, cones and truncated cones, thick and thin, some along a coordinate axis, some far away.
pub(crate) fn any_cylinder(rng: &mut Rng) -> Cylinder {
    let number = |rng: &mut Rng| 2.0 * rng.f32() - 1.0;
    let far = if rng.usize(0..5) == 0 { 1000.0 } else { 3.0 };
    let center = Vec3::from([(); 3].map(|()| far * number(rng)));
    let half_axis = match rng.usize(0..4) {
        0 => Vec3::AXES[rng.usize(0..3)] * (0.01 + 2.0 * number(rng).abs()),
        _ => Vec3::from([(); 3].map(|()| 2.0 * number(rng))),
    };
    let radius = [1.0, 1.0, 1.0, 0.01, 5.0][rng.usize(0..5)] * (0.1 + rng.f32());
    let top = [radius, 0.0, 0.5 * radius, 2.0 * radius][rng.usize(0..4)];
    Cylinder::from_half_axis(center, half_axis, [radius, top]).unwrap()
}

/// How far a point is beyond the planes of the discs or farther from the axis than the radius: a convex function, and
/// negative inside.
fn outside(cylinder: &Cylinder, point: DVec3) -> f64 {
    let (center, half) = (cylinder.center().as_dvec3(), cylinder.half_axis().as_dvec3());
    let [a, b] = cylinder.radii().map(f64::from);
    let share = (point - center).dot(half) / half.dot(half);
    let radius = 0.5 * ((a + b) + (b - a) * share);
    let from_axis = (point - center - half * share).length();
    (from_axis - radius).max((share.abs() - 1.0) * half.length())
}

fn any_vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)))
}

#[test]
fn rays_enter_and_leave_where_the_solid_begins_and_ends() {
    let mut rng = Rng::with_seed(SEED ^ 501);
    let (mut hits, mut misses, mut starts_inside) = (0, 0, 0);
    for case in 0..20_000 {
        let cylinder = any_cylinder(&mut rng);
        let size = f64::from((cylinder.half_axis().length() + cylinder.radii()[0].max(cylinder.radii()[1])).max(0.1));
        let from = cylinder.center() + any_vector(&mut rng, [0.3, 0.8, 3.0][case % 3] * size as f32);
        let to = match case % 4 {
            // Along the axis, and across it, exactly.
            0 => from + cylinder.half_axis() * 3.0 * if rng.bool() { 1.0 } else { -1.0 },
            1 => from + cylinder.half_axis().cross(any_vector(&mut rng, 1.0)) * 4.0,
            _ => from + (cylinder.center() + any_vector(&mut rng, 0.5 * size as f32) - from) * 2.0,
        };
        let Ok(segment) = Segment::between(from, to) else { continue };
        let path = segment.path();
        let at = |t: f64| outside(&cylinder, path.origin() + path.delta() * t);
        // The least of a convex function, by sections.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..200 {
            let [one, other] = [low + (high - low) / 3.0, high - (high - low) / 3.0];
            if at(one) < at(other) { high = other } else { low = one }
        }
        let deepest = 0.5 * (low + high);
        let slack = 1e-10 * (size + path.origin().length());
        if at(deepest).abs() < slack.max(1e-6 * size) {
            continue;
        }
        let Some(found) = segment.cast(&cylinder) else {
            assert!(at(deepest) > 0.0, "case {case}: {cylinder:?} missed by {segment:?}");
            misses += 1;
            continue;
        };
        assert!(at(deepest) < 0.0, "case {case}: {cylinder:?} hit by {segment:?}");
        let root = |outer: f64| {
            let (mut out, mut inner) = (outer, deepest);
            for _ in 0..100 {
                let middle = 0.5 * (out + inner);
                if at(middle) > 0.0 { out = middle } else { inner = middle }
            }
            if at(outer) > 0.0 { inner } else { outer }
        };
        let step = 4.0 * f64::from(f32::EPSILON) * (1.0 + path.origin().length() / path.delta().length()) + slack;
        let (enter, exit) = (root(0.0), root(1.0));
        assert!((f64::from(found.fraction) - enter).abs() <= step, "case {case}: {found:?} {enter}");
        assert!((f64::from(found.exit) - exit).abs() <= step, "case {case}: {found:?} {exit}");
        if at(0.0).abs() > slack {
            assert_eq!(found.inside, at(0.0) < 0.0, "case {case}");
        }
        (hits, starts_inside) = (hits + 1, starts_inside + usize::from(found.inside));
        let normal = found.normal.as_dvec3();
        assert!((normal.length() - 1.0).abs() < 1e-6 && normal.dot(path.delta()) <= 1e-6 * path.delta().length());
        if !found.inside {
            // The plane there bounds the solid.
            let point = path.origin() + path.delta() * enter;
            let beyond = normal.dot(cylinder.core().support(normal) - point);
            assert!(
                beyond.abs() < 1e-5 * (size + path.origin().length()),
                "case {case}: {beyond} {cylinder:?} {found:?}"
            );
        }
    }
    assert!(hits > 5000 && misses > 3000 && starts_inside > 300, "{hits} {misses} {starts_inside}");
}

#[test]
fn rays_that_graze_and_points_on_the_surface_count_as_touching() {
    let can = Cylinder::new(Vec3::ZERO, Vec3::Y * 2.0, 1.0).unwrap();
    let hits = |from: Vec3, way: Vec3| Segment::new(from, way).unwrap().hits(&can);
    assert!(hits(Vec3::new(1.0, 5.0, 0.0), Vec3::NEG_Y * 9.0) && hits(Vec3::new(-3.0, 2.0, 0.0), Vec3::X * 9.0));
    assert!(hits(Vec3::new(1.0, 1.0, -3.0), Vec3::Z * 9.0) && hits(Vec3::new(0.0, 0.0, 1.0), Vec3::ZERO));
    assert!(!hits(Vec3::new(1f32.next_up(), 5.0, 0.0), Vec3::NEG_Y * 9.0));
    assert!(!hits(Vec3::new(-3.0, 2f32.next_up(), 0.0), Vec3::X * 9.0));
    let tent = Cylinder::cone(Vec3::ZERO, Vec3::Y * 2.0, 1.0).unwrap();
    let down = Segment::new(Vec3::Y * 9.0, Vec3::NEG_Y * 10.0).unwrap().cast(&tent).unwrap();
    assert_eq!((down.fraction, down.normal), (0.7, Vec3::Y));
    let needle = Cylinder::new(Vec3::ZERO, Vec3::Y * 2.0, 0.0).unwrap();
    assert!(Segment::new(Vec3::new(-1.0, 1.0, 0.0), Vec3::X * 2.0).unwrap().hits(&needle));
    assert!(!needle.contains_point(Vec3::NAN));
}

#[test]
fn the_nearest_point_is_that_of_a_convex_solid() {
    let mut rng = Rng::with_seed(SEED ^ 502);
    let (mut inside, mut outside_of) = (0, 0);
    for case in 0..10_000 {
        let cylinder = any_cylinder(&mut rng);
        let core = cylinder.core();
        let size = cylinder.half_axis().length() + cylinder.radii()[0].max(cylinder.radii()[1]);
        let slack = 1e-12 * f64::from(size + cylinder.center().length());
        let point = cylinder.center() + any_vector(&mut rng, [0.1, 0.3, 2.0][case % 3] * size);
        let p = point.as_dvec3();
        let (distance, nearest) = cylinder.profile().nearest(p);
        if distance.abs() < 100.0 * slack {
            continue;
        }
        assert_eq!(distance < 0.0, outside(&cylinder, p) < 0.0, "case {case}: {cylinder:?} {point}");
        assert_eq!(distance < 0.0, cylinder.contains_point(point));
        assert!((distance.abs() - nearest.distance(p)).abs() <= slack, "case {case}: {distance} {nearest} {p}");
        if distance > 0.0 {
            outside_of += 1;
            // Nothing of the solid is beyond the plane across the way from the nearest point.
            let n = (p - nearest) / distance;
            assert!(n.dot(core.support(n) - nearest) <= 100.0 * slack, "case {case}: {cylinder:?} {point}");
            assert!(outside(&cylinder, nearest) <= slack);
            assert_eq!(cylinder.distance(point), distance as f32);
        } else {
            inside += 1;
            // A ball of that radius is inside, and touches.
            let n = (nearest - p) / -distance;
            assert!(
                (n.dot(core.support(n) - p) + distance).abs() <= 100.0 * slack,
                "case {case}: {cylinder:?} {point}"
            );
            for _ in 0..20 {
                let n = any_vector(&mut rng, 1.0).as_dvec3().normalize();
                assert!(n.dot(core.support(n) - p) >= -distance - 100.0 * slack);
            }
            assert_eq!(cylinder.closest_point(point), point);
        }
    }
    assert!(inside > 2000 && outside_of > 3000, "{inside} {outside_of}");
}

#[test]
fn bounds_hold_all_and_little_more() {
    let mut rng = Rng::with_seed(SEED ^ 503);
    for case in 0..5000 {
        let cylinder = any_cylinder(&mut rng);
        let (aabb, core) = (cylinder.aabb(), cylinder.core());
        for (axis, n) in DVec3::AXES.into_iter().enumerate() {
            let [low, high] = [-n, n].map(|n| core.support(n)[axis]);
            let rounding = 1e-14 * (1.0 + low.abs().max(high.abs()));
            let [min, max] = [aabb.min()[axis], aabb.max()[axis]];
            assert!(f64::from(min) <= low + rounding && f64::from(max) >= high - rounding, "case {case}");
            assert!(f64::from(min.next_up().next_up()) >= low && f64::from(max.next_down().next_down()) <= high);
        }
    }
    let most = MAX_COORDINATE;
    let at_the_end = Cylinder::from_half_axis(Vec3::X * 0.5 * most, Vec3::X * 0.25 * most, [0.25 * most; 2]).unwrap();
    assert_eq!(at_the_end.aabb().max().x, 0.75 * most);
    let out = Cylinder::from_half_axis(Vec3::X * 0.5 * most, Vec3::X * 0.5 * most, [1.0; 2]);
    assert_eq!(out, Err(Error::OutOfRange { field: "radius" }));
    assert_eq!(Cylinder::new(Vec3::ZERO, Vec3::Y, -1.0), Err(Error::Negative { field: "radius" }));
    assert_eq!(Cylinder::new(Vec3::ZERO, Vec3::Y, f32::NAN), Err(Error::NonFinite { field: "radius" }));
    assert_eq!(Cylinder::cone(Vec3::ZERO, Vec3::INFINITY, 1.0), Err(Error::NonFinite { field: "b" }));
}

#[test]
fn it_weighs_what_the_cells_inside_do() {
    let mut rng = Rng::with_seed(SEED ^ 504);
    for case in 0..8 {
        let axis = any_vector(&mut rng, 1.0) + Vec3::Y;
        let radii = [0.8, [0.8, 0.0, 0.3, 1.5][case % 4]];
        let cylinder = Cylinder::from_half_axis(Vec3::new(3.0, -1.0, 2.0), axis, radii).unwrap();
        let (bounds, cells) = (cylinder.aabb(), 80);
        let (min, size) = (bounds.min().as_dvec3(), (bounds.max() - bounds.min()).as_dvec3());
        let cell = size / f64::from(cells);
        let mut inside = Vec::new();
        for i in 0..cells * cells * cells {
            let at = [i % cells, i / cells % cells, i / cells / cells].map(|k| f64::from(k) + 0.5);
            let point = min + cell * DVec3::from(at);
            if outside(&cylinder, point) <= 0.0 {
                inside.push(point);
            }
        }
        let weight = cell.x * cell.y * cell.z;
        let (found, volume) = (cylinder.moments(), weight * inside.len() as f64);
        let center = inside.iter().sum::<DVec3>() / inside.len() as f64;
        assert!((found.volume / volume - 1.0).abs() < 5e-3, "case {case}: {found:?} {volume}");
        assert!((found.center - center).length() < 5e-3, "case {case}: {found:?} {center}");
        let mut inertia = DMat3::ZERO;
        for point in &inside {
            let d = *point - center;
            let own = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
            inertia += (DMat3::from_diagonal(DVec3::splat(d.length_squared())) - own) * weight;
        }
        for axis in 0..3 {
            let off = (found.inertia.col(axis) - inertia.col(axis)).length();
            assert!(off < 1e-2 * inertia.col(axis).length(), "case {case}: {found:?} {inertia}");
        }
    }
}

#[test]
fn sides_of_planes_are_those_of_the_farthest_points() {
    let mut rng = Rng::with_seed(SEED ^ 505);
    let mut seen = [0; 3];
    for _ in 0..3000 {
        let cylinder = any_cylinder(&mut rng);
        let Ok(plane) = crate::Plane::new(any_vector(&mut rng, 1.0), 4.0 * rng.f32() - 2.0) else { continue };
        let n = plane.normal().as_dvec3();
        let heights = [-n, n].map(|toward| n.dot(cylinder.core().support(toward)) + f64::from(plane.d()));
        if heights.iter().any(|height| height.abs() < 1e-9) {
            continue;
        }
        let side = cylinder.side_of(&plane);
        let expected = match heights.map(|height| height > 0.0) {
            [true, _] => Side::Front,
            [_, false] => Side::Back,
            _ => Side::Straddling,
        };
        assert_eq!(side, expected);
        seen[side as usize] += 1;
    }
    assert!(seen.iter().all(|count| *count > 200), "{seen:?}");
}
