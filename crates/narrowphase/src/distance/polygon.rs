//! Nearest points, sides and sphere overlaps of shapes made of convex polygons: brushes and patches.
//!
//! The nearest point of a solid lies on a face that the other point is in front of. On a face, it is the foot of the
//! perpendicular if that falls into the polygon, and otherwise lies on an edge.
//!
//! Source: Ericson, "Real-Time Collision Detection", §5.1.

use crate::{
    Aabb, Brush, Patch, Plane, Side, Sphere, Triangle,
    arrays::Mapped,
    exact::{
        lines::{ExactLine, cross, dot, minus},
        predicate::Exact,
    },
    shape::polygon::Polygon,
};
use glam::{DVec3, Vec3};
use std::cmp::Ordering;

impl Brush {
    /// Returns the point of the solid nearest to `point`, computed in `f64` and rounded once; inside, `point` itself.
    pub(crate) fn closest_point(&self, point: Vec3) -> Vec3 {
        self.closest(point.as_dvec3()).as_vec3()
    }

    /// Returns whether the solid and a sphere share a point, decided by the distance in `f64`: touching within rounding
    /// counts.
    pub(crate) fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        let (center, radius) = (sphere.center().as_dvec3(), f64::from(sphere.radius()));
        let beyond = self.closest(center).distance_squared(center) - radius * radius;
        let size = self.aabb().max().abs().max(self.aabb().min().abs()).as_dvec3() + center.abs();
        let slack = ROUNDED * size.length();
        self.aabb().overlaps_sphere(sphere) && beyond <= slack * (radius + slack)
    }

    /// Returns on which side of `plane` the solid lies, decided by its vertices in `f64`, and exactly for a hull;
    /// touching is [`Side::Straddling`].
    pub(crate) fn side_of(&self, plane: &Plane) -> Side {
        match self.points() {
            Some(points) => side_of(plane, points),
            None => side_of_wide(plane, self.vertices()),
        }
    }

    fn closest(&self, point: DVec3) -> DVec3 {
        within(&self.aabb(), self.nearest(point).map_or(point, |nearest| nearest.point))
    }

    /// The point of the surface nearest to a point outside; `None` for a point inside.
    pub(crate) fn nearest(&self, point: DVec3) -> Option<PolygonPoint> {
        let outside = self.faces().filter(|face| face.plane.signed_distance(point) > 0.0);
        let candidates = outside.map(|face| {
            let corners = face.vertices.iter().map(|&i| self.vertices()[i]);
            nearest_in_polygon(point, face.plane.normal, corners)
        });
        let distance = |a: &PolygonPoint| a.point.distance_squared(point);
        candidates.min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }
}

impl Patch {
    /// Returns the point of the polygon nearest to `point`, computed in `f64` and rounded once.
    pub(crate) fn closest_point(&self, point: Vec3) -> Vec3 {
        self.polygon().closest(point.as_dvec3()).as_vec3()
    }

    /// Returns whether the polygon and a sphere share a point, exactly: touching counts.
    pub(crate) fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        let corners = self.points();
        let mut fan =
            corners[1..].iter().zip(&corners[2..]).filter_map(|(b, c)| Triangle::new(corners[0], *b, *c).ok());
        self.aabb().overlaps_sphere(sphere) && fan.any(|triangle| triangle.overlaps_sphere(sphere))
    }

    /// Returns on which side of `plane` the polygon lies, decided exactly by its corners; touching is
    /// [`Side::Straddling`].
    pub(crate) fn side_of(&self, plane: &Plane) -> Side {
        side_of(plane, self.points().iter().copied())
    }
}

impl Triangle {
    /// Returns the point of the triangle nearest to `point`, computed in `f64` and rounded once.
    pub(crate) fn closest_point(&self, point: Vec3) -> Vec3 {
        self.closest(point.as_dvec3()).as_vec3()
    }

    /// Returns whether the triangle and a sphere share a point, exactly: touching counts.
    pub(crate) fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        if !self.aabb().overlaps_sphere(sphere) {
            return false;
        }
        let center = sphere.center().as_dvec3();
        let [a, b, c] = self.vertices().mapped(|corner| corner - center);
        let (u, v) = (b - a, c - a);
        let size = a.length_squared() + b.length_squared() + c.length_squared();
        // The foot of the perpendicular moves more the narrower the triangle is.
        let narrowness = u.length_squared() * v.length_squared() / self.wide_normal().length_squared();
        // Relative to the centre, where coordinates have all their digits.
        let nearest = nearest_in_triangle(DVec3::ZERO, self.wide_normal(), [a, b, c]).point;
        let radius = f64::from(sphere.radius());
        let (beyond, slack) = (nearest.length_squared() - radius * radius, ROUNDED * size);
        if beyond * beyond > slack * slack * narrowness {
            return beyond < 0.0;
        }
        self.reaches_exactly(sphere)
    }

    /// Whether a corner, an edge or the face is no farther from the centre of a sphere than its radius, exactly.
    #[cold]
    fn reaches_exactly(&self, sphere: &Sphere) -> bool {
        let exact = |v: DVec3| v.to_array().mapped(|x| Exact::sum(&[x]));
        let (corners, center) = (self.vertices().mapped(exact), exact(sphere.center().as_dvec3()));
        let radius = Exact::sum(&[sphere.radius().into()]);
        let edges = [0, 1, 2].mapped(|i| {
            let (base, direction) = (corners[i].clone(), minus(&corners[(i + 1) % 3], &corners[i]));
            ExactLine { base, direction, max: 1.0 }
        });
        if edges.iter().any(|edge| edge.reaches_point(&center, &radius)) {
            return true;
        }
        let normal = cross(&edges[0].direction, &edges[1].direction);
        let ways = edges.each_ref().mapped(|edge| minus(&center, &edge.base));
        let is_over = |i: usize| dot(&cross(&edges[i].direction, &ways[i]), &normal).sign() != Ordering::Less;
        let height = dot(&ways[0], &normal);
        let reached = radius.times(&radius).compact().times(&dot(&normal, &normal));
        (0..3).all(is_over) && height.times(&height).minus(&reached).sign() != Ordering::Greater
    }

    /// Returns on which side of `plane` the triangle lies, decided exactly by its corners; touching is
    /// [`Side::Straddling`].
    pub(crate) fn side_of(&self, plane: &Plane) -> Side {
        side_of(plane, self.points().into_iter())
    }

    fn closest(&self, point: DVec3) -> DVec3 {
        within(&self.aabb(), nearest_in_triangle(point, self.wide_normal(), self.vertices()).point)
    }
}

impl Polygon<'_> {
    fn closest(&self, point: DVec3) -> DVec3 {
        within(&self.aabb, self.nearest(point).point)
    }

    /// The point of the polygon nearest to `point`.
    pub(crate) fn nearest(&self, point: DVec3) -> PolygonPoint {
        match *self.vertices {
            [a, b, c] => nearest_in_triangle(point, self.plane[0].normal, [a, b, c]),
            _ => nearest_in_polygon(point, self.plane[0].normal, self.vertices.iter().copied()),
        }
    }
}

/// Clamps a computed point to the bounds of its shape, so that rounding never puts it where a tree of bounds would not
/// visit it.
fn within(bounds: &Aabb, point: DVec3) -> DVec3 {
    point.clamp(bounds.min().as_dvec3(), bounds.max().as_dvec3())
}

/// The point of a polygon nearest to another point.
pub(crate) struct PolygonPoint {
    pub(crate) point: DVec3,
    /// The polygon's normal as given, if the point is the foot of the perpendicular; `None` on an edge.
    pub(crate) normal: Option<DVec3>,
}

/// The point of a triangle nearest to `point`: as [`nearest_in_polygon`], without a loop.
#[inline]
fn nearest_in_triangle(point: DVec3, normal: DVec3, [a, b, c]: [DVec3; 3]) -> PolygonPoint {
    let is_over = |a: DVec3, b: DVec3| (b - a).cross(point - a).dot(normal) >= 0.0;
    if is_over(a, b) && is_over(b, c) && is_over(c, a) {
        let foot = point - normal * ((point - a).dot(normal) / normal.length_squared());
        return PolygonPoint { point: foot, normal: Some(normal) };
    }
    let on_edge = |a: DVec3, b: DVec3| {
        let along = b - a;
        let t = (point - a).dot(along) / along.length_squared();
        a + along * t.clamp(0.0, 1.0)
    };
    let nearer = |p: DVec3, q: DVec3| if q.distance_squared(point) < p.distance_squared(point) { q } else { p };
    PolygonPoint { point: nearer(nearer(on_edge(a, b), on_edge(b, c)), on_edge(c, a)), normal: None }
}

/// The point of a polygon nearest to `point`; its corners run counter-clockwise about `normal`.
fn nearest_in_polygon(point: DVec3, normal: DVec3, corners: impl Iterator<Item = DVec3> + Clone) -> PolygonPoint {
    let mut edges = corners.clone().zip(corners.clone().cycle().skip(1));
    let is_over = edges.clone().all(|(a, b)| (b - a).cross(point - a).dot(normal) >= 0.0);
    if let (true, Some((corner, _))) = (is_over, edges.next()) {
        let foot = point - normal * ((point - corner).dot(normal) / normal.length_squared());
        return PolygonPoint { point: foot, normal: Some(normal) };
    }
    let on_edges = corners.clone().zip(corners.cycle().skip(1)).map(|(a, b)| {
        let along = b - a;
        let t = (point - a).dot(along) / along.length_squared();
        a + along * t.clamp(0.0, 1.0)
    });
    let nearest = on_edges.min_by(|a, b| a.distance_squared(point).total_cmp(&b.distance_squared(point)));
    PolygonPoint { point: nearest.unwrap_or(point), normal: None }
}

/// A hundred roundings of `f64`.
const ROUNDED: f64 = 64.0 * f64::EPSILON;

/// The side on which all points lie, exactly.
fn side_of(plane: &Plane, points: impl Iterator<Item = Vec3>) -> Side {
    let mut sides = points.map(|point| plane.side_of_point(point));
    let first = sides.next().unwrap_or(Side::Straddling);
    if sides.all(|side| side == first) { first } else { Side::Straddling }
}

/// The same for computed points.
fn side_of_wide(plane: &Plane, points: &[DVec3]) -> Side {
    let (low, high) = points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &point| {
        let distance = plane.distance(point);
        (low.min(distance), high.max(distance))
    });
    if low > 0.0 {
        Side::Front
    } else if high < 0.0 {
        Side::Back
    } else {
        Side::Straddling
    }
}
