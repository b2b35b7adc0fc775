//! Rays, segments and points in the planes of triangles and patches whose corners are on no grid, compared with exact
//! arithmetic.

use crate::exact_rays::{Query, check_touch};
use cullide_narrowphase::{
    Cast, FirstCrossings, HitFeature, Patch, Ray, RayPacket, Sides, SlantedPacket, SlantedPath, Triangle,
    glam::{Vec2, Vec3},
};
use cullide_oracle::{self as oracle, Parameter};
use cullide_scenes::{
    Rng,
    aimed::{each_case, nudged},
};
use cullide_support::exact::*;

/// The points `base + u · across + v · up`, without rounding of the places that are queried.
struct Plane {
    base: Vec3,
    across: Vec3,
    up: Vec3,
    kind: Kind,
}

/// What the coordinates of places in a plane are made of.
#[derive(Clone, Copy)]
enum Kind {
    /// Multiples of this number, rounded.
    Multiples(f32),
    /// Random numbers up to this limit.
    Random(f32),
    /// Numbers of all sizes.
    Any,
    /// Integers.
    Integers,
}

impl Plane {
    /// Perpendicular to an axis; containing one axis, between the other two; or of any direction, with points on a
    /// lattice.
    fn random(rng: &mut Rng) -> Self {
        let axis = rng.usize(0..3);
        let [along, u, v] = [0, 1, 2].map(|i| Vec3::AXES[(axis + i) % 3]);
        let kind = match rng.u32(0..4) {
            0 => Kind::Multiples([0.1, 0.3, 9.5e-7, 1e5 / 3.0][rng.usize(0..4)]),
            1 => Kind::Random([1.0, 1e-30, 1e8][rng.usize(0..3)]),
            2 => Kind::Any,
            _ => Kind::Integers,
        };
        if let Kind::Integers = kind {
            let scale = [1.0, 1.0 / 1024.0, 32.0][rng.usize(0..3)];
            let mut vector = |most: i32| Vec3::from([(); 3].map(|()| rng.i32(-most..=most) as f32 * scale));
            return Self { base: vector(1 << 20), across: vector(1 << 12), up: vector(1 << 12), kind };
        }
        if rng.bool() {
            return Self { base: along * kind.number(rng), across: u, up: v, kind };
        }
        let slope = [1.0, -1.0, 0.5, 4.0][rng.usize(0..4)];
        Self { base: Vec3::ZERO, across: u + along * slope, up: v, kind }
    }

    fn at(&self, place: Vec2) -> [f32; 3] {
        (self.base + self.across * place.x + self.up * place.y).to_array()
    }
}

impl Kind {
    fn number(self, rng: &mut Rng) -> f32 {
        match self {
            Self::Multiples(step) => rng.i32(-6..=6) as f32 * step,
            Self::Random(most) => (2.0 * rng.f32() - 1.0) * most,
            Self::Any => (rng.f32() - 0.5) * 10f32.powi(rng.i32(-38..=8)),
            Self::Integers => rng.i32(-6..=6) as f32,
        }
    }

    fn place(self, rng: &mut Rng) -> Vec2 {
        Vec2::new(self.number(rng), self.number(rng))
    }

    /// A corner, a point on an edge or its line, a point in the triangle, or any point.
    fn place_about(self, rng: &mut Rng, corners: [Vec2; 3]) -> Vec2 {
        let [a, b] = [corners[rng.usize(0..3)], corners[rng.usize(0..3)]];
        let share = [0.0, 0.5, 0.25, rng.f32(), -1.0, 2.0][rng.usize(0..6)];
        let place = match rng.u32(0..4) {
            0 => a,
            1 => a + (b - a) * share,
            2 => (corners[0] + corners[1] + corners[2]) / 3.0,
            _ => self.place(rng),
        };
        // On a lattice, since other places would be rounded.
        if let Self::Integers = self { place.round() } else { place }
    }
}

/// A start and a motion, sometimes zero, near the corners of a triangle in the same plane; one time in six the start is
/// moved out of the plane.
fn path_and_triangle(rng: &mut Rng) -> ([[f32; 3]; 2], [[f32; 3]; 3]) {
    let plane = Plane::random(rng);
    let corners = [(); 3].map(|()| plane.kind.place(rng));
    let [from, to] = [(); 2].map(|()| plane.kind.place_about(rng, corners));
    let way = match rng.u32(0..8) {
        0 | 1 => Vec2::ZERO,
        2 => corners[1] - corners[0],
        3 => corners[2] - to,
        _ => (to - from) * [1.0, 2.0, -1.0][rng.usize(0..3)],
    };
    let mut start = plane.at(from);
    if rng.u32(0..6) == 0 {
        let axis = rng.usize(0..3);
        start[axis] = nudged(rng, start[axis]);
    }
    let delta = plane.across * way.x + plane.up * way.y;
    ([start, delta.to_array()], corners.map(|corner| plane.at(corner)))
}

/// Counts of the kinds of answers.
#[derive(Debug, Default)]
struct Counts {
    along: usize,
    missed: usize,
    points: usize,
    points_missed: usize,
}

#[test]
fn a_triangle_is_met_in_its_plane_exactly_when_it_should_be() {
    let mut counts = Counts::default();
    each_case(CASES / 2, 0.7, path_and_triangle, |&(path, corners), wrong| {
        let [a, b, c] = corners.map(Vec3::from);
        let triangle = Triangle::new(a, b, c).ok()?;
        let end = |ray: &Ray| {
            let endless = oracle::Path::ray(ray.origin().to_array(), ray.direction().to_array(), f32::INFINITY);
            Some(oracle::path_polygon(&endless, &corners)?.enter.to_f64() as f32)
        };
        for query in Query::all(path, end)? {
            let exact = oracle::path_polygon(&query.path(), &corners);
            let touch = query.cast(&triangle);
            wrong.unless_equal("hit", touch.is_some(), exact.is_some());
            wrong.unless_equal("boolean", query.hits(&triangle), exact.is_some());
            let (path, start) = (query.cast_path()?, query.start());
            let crossing = triangle.crossing(&path);
            wrong.unless_equal("of corners", path.crossing_of_triangle([a, b, c], Sides::Both), crossing);
            let may_cross = SlantedPath::new(&path).is_none_or(|slanted| slanted.may_cross([&a, &b, &c]));
            wrong.unless(may_cross || exact.is_none(), || String::from("left out"));
            let feature = triangle.entry_feature(&path);
            wrong.unless_equal("feature", feature.is_some(), exact.is_some());
            if let Some(corner) = triangle.points().iter().position(|&corner| corner == start) {
                wrong.unless_equal("corner", feature, Some(HitFeature::Vertex(corner)));
            }
            if let Query::Ray(ray, max) = &query {
                let mut packet = RayPacket::default();
                packet.gather(&[*ray]);
                let mut first = FirstCrossings::default();
                packet.cross_triangles(&[0], &[[a, b, c]], &[1], Sides::Both, *max, &mut first);
                wrong.unless_equal("in a packet", first.get(0).map(|(_, crossing)| crossing), crossing);
                let mut met = [1];
                if let Some(slanted) = SlantedPacket::new(&packet) {
                    let limit = crossing.map_or(f32::INFINITY, |crossing| crossing.enter as f32);
                    slanted.may_cross(&[[a, b, c]], &[limit; RayPacket::MAX], &mut met);
                }
                wrong.unless(met == [1] || exact.is_none(), || String::from("left out of a packet"));
            }
            let is_point = query.delta() == Vec3::ZERO;
            counts.points_missed += usize::from(is_point && exact.is_none());
            counts.missed += usize::from(!is_point && exact.is_none());
            if let (Some(touch), Some(exact)) = (touch, exact) {
                let exit = exact.exit.as_ref().map_or(f64::INFINITY, Parameter::to_f64);
                let is_along = exact.enter.to_f64() < exit;
                counts.points += usize::from(is_point);
                counts.along += usize::from(!is_point && is_along);
                // Two products and a quotient; for a path across the plane, see `Triangle`.
                let share = if is_along || exact.inside { 8.0 * ROUNDING } else { 1e-8 };
                check_touch(&query, &touch, &exact, [touch.enter, touch.exit].map(|t| share * f64::from(t)), wrong);
                if is_along {
                    let front = path.crossing_of_triangle([a, b, c], Sides::Front);
                    wrong.unless_equal("of the front", front, None);
                }
            }
        }
        Some(())
    });
    println!("{counts:?}");
    let Counts { along, missed, points, points_missed } = counts;
    let are_all_met = along > 50_000 && missed > 50_000 && points > 2500 && points_missed > 2500;
    assert!(are_all_met, "{counts:?}");
}

/// Whether all points lie in the plane of the first three.
fn are_flat(points: &[[f32; 3]]) -> bool {
    let way = |i: usize| oracle::Vector::new(points[i]).minus(&oracle::Vector::new(points[0]));
    let normal = way(1).cross(&way(2));
    (3..points.len()).all(|i| normal.dot(&way(i)).is_zero())
}

#[test]
fn a_patch_is_met_in_its_plane_exactly_when_it_should_be() {
    let (mut counts, mut quads) = (Counts::default(), 0);
    each_case(CASES / 4, 0.7, path_and_triangle, |&(path, [a, b, c]), wrong| {
        // Half of them with a fourth corner, which rounding may move out of the plane.
        let across = std::array::from_fn(|axis| b[axis] + (c[axis] - a[axis]));
        let corners = if a[0] < b[0] { vec![a, b, across, c] } else { vec![a, b, c] };
        let points: Vec<Vec3> = corners.iter().copied().map(Vec3::from).collect();
        let patch = Patch::new(&points).ok()?;
        let end = |ray: &Ray| {
            let endless = oracle::Path::ray(ray.origin().to_array(), ray.direction().to_array(), f32::INFINITY);
            Some(oracle::path_polygon(&endless, &corners)?.enter.to_f64() as f32)
        };
        for query in Query::all(path, end)? {
            if !are_flat(&[&corners[..], &[query.start().to_array()]].concat()) {
                continue;
            }
            let exact = oracle::path_polygon(&query.path(), &corners);
            let touch = query.cast(&patch);
            wrong.unless_equal("hit", touch.is_some(), exact.is_some());
            wrong.unless_equal("boolean", query.hits(&patch), exact.is_some());
            let feature = patch.entry_feature(&query.cast_path()?);
            wrong.unless_equal("feature", feature.is_some(), exact.is_some());
            if let Some(corner) = points.iter().position(|&corner| corner == query.start()) {
                wrong.unless_equal("corner", feature, Some(HitFeature::Vertex(corner)));
            }
            let is_point = query.delta() == Vec3::ZERO;
            counts.points_missed += usize::from(is_point && exact.is_none());
            counts.missed += usize::from(!is_point && exact.is_none());
            quads += usize::from(corners.len() == 4 && exact.is_some());
            if let (Some(touch), Some(exact)) = (touch, exact) {
                counts.points += usize::from(is_point);
                counts.along += usize::from(!is_point);
                let slack = [touch.enter, touch.exit].map(|t| 8.0 * ROUNDING * f64::from(t));
                check_touch(&query, &touch, &exact, slack, wrong);
            }
        }
        Some(())
    });
    println!("{counts:?}, {quads} of quadrilaterals");
    let Counts { along, missed, points, points_missed } = counts;
    let are_all_met = along > 50_000 && missed > 10_000 && points > 1000 && points_missed > 1000 && quads > 10_000;
    assert!(are_all_met, "{counts:?}, {quads}");
}
