//! The point of a shape nearest to another point, its distance, and the farthest vertex of an oriented box.
//!
//! Inside a volume the nearest point is the point itself, at distance 0. Results are computed in `f64` and rounded
//! once. For a plane see [`Plane::closest_point`](crate::Plane::closest_point) and
//! [`Plane::signed_distance`](crate::Plane::signed_distance).
//!
//! Source: Ericson, "Real-Time Collision Detection", §5.1.

use crate::{Aabb, Obb, Sphere, arrays::Mapped, exact::predicate::sign};
use glam::{DVec3, Vec3};
use std::cmp::Ordering;

impl Aabb {
    /// Returns the point of the box nearest to `point`, exactly.
    pub(crate) fn closest_point(&self, point: Vec3) -> Vec3 {
        point.clamp(self.min(), self.max())
    }
}

impl Obb {
    /// Returns the point of the box nearest to `point`; also right for skewed and flat boxes.
    pub(crate) fn closest_point(&self, point: Vec3) -> Vec3 {
        // Rounding may put it beside the bounds, where nothing of the box lies.
        let closest = self.center().as_dvec3() + self.offset_to_closest(point);
        closest.as_vec3().clamp(self.aabb().min(), self.aabb().max())
    }

    /// Returns the distance from `point` to the box; 0 inside.
    pub(crate) fn distance(&self, point: Vec3) -> f32 {
        self.wide_distance(point) as f32
    }

    /// Returns the vertex farthest along `direction`, rounded; at the positive end of any half edge perpendicular to
    /// `direction`.
    ///
    /// ```
    /// # use cullide_narrowphase::{Obb, glam::{Quat, Vec3}};
    /// let beam = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// assert_eq!(beam.support(Vec3::new(-1.0, 1.0, 0.0)), Vec3::new(-1.0, 2.0, 3.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn support(&self, direction: Vec3) -> Vec3 {
        let direction = direction.as_dvec3();
        let is_along = |edge: DVec3| sign(&(edge * direction).to_array()) != Ordering::Less;
        let edges = self.wide_edges();
        let index = (0..3).filter(|&i| is_along(edges[i])).fold(0, |index, i| index | 1 << i);
        self.corner(index).as_vec3()
    }

    /// The distance from `point` to the box; 0 inside.
    pub(crate) fn wide_distance(&self, point: Vec3) -> f64 {
        self.offset_to_closest(point).distance(point.as_dvec3() - self.center().as_dvec3())
    }

    /// The offset from the centre to the point nearest to `point`.
    fn offset_to_closest(&self, point: Vec3) -> DVec3 {
        let to = point.as_dvec3() - self.center().as_dvec3();
        if self.contains_point(point) { to } else { self.nearest_on_surface(to) }
    }

    /// The point of the surface nearest to `to`, both relative to the centre; for a point outside.
    pub(crate) fn nearest_on_surface(&self, to: DVec3) -> DVec3 {
        let edges = self.wide_edges();
        nearest_by_feature(&edges, to).unwrap_or_else(|| Self::nearest_by_faces(&edges, to))
    }

    /// The nearest of the candidates of all faces. On each face, spanned by two edges, the nearest point is the foot of
    /// the perpendicular if that falls on the face, and otherwise lies on one of the face's sides. Each candidate is
    /// clamped onto the box, so the nearest of them is right whatever rounding did to the others.
    #[cold]
    fn nearest_by_faces(edges: &[DVec3; 3], to: DVec3) -> DVec3 {
        let (mut nearest, mut least) = (DVec3::ZERO, f64::INFINITY);
        for i in 0..3 {
            let (a, b) = (edges[(i + 1) % 3], edges[(i + 2) % 3]);
            for middle in [edges[i], -edges[i]] {
                for candidate in on_face(to - middle, a, b) {
                    let distance = (middle + candidate).distance_squared(to);
                    if distance < least {
                        (nearest, least) = (middle + candidate, distance);
                    }
                }
            }
        }
        nearest
    }
}

impl Sphere {
    /// Returns the point of the sphere nearest to `point`.
    pub(crate) fn closest_point(&self, point: Vec3) -> Vec3 {
        let (center, radius) = (self.center().as_dvec3(), f64::from(self.radius()));
        let offset = point.as_dvec3() - center;
        let length = offset.length();
        let closest = if length <= radius { point } else { (center + offset * (radius / length)).as_vec3() };
        // As for an oriented box.
        closest.clamp(self.aabb().min(), self.aabb().max())
    }

    /// Returns the distance from `point` to the sphere; 0 inside.
    pub(crate) fn distance(&self, point: Vec3) -> f32 {
        let length = point.as_dvec3().distance(self.center().as_dvec3());
        (length - f64::from(self.radius())).max(0.0) as f32
    }
}

/// The nearest point, guessed to lie on the vertex, edge or face on which it would lie if the edges were at right
/// angles; `None` if it does not.
///
/// The guess is right if no edge at whose end the point lies leads back nearer, rounding considered. The point is then
/// off by no more than rounding, since the distance to the points of a convex body has one minimum.
///
/// Source: Boyd and Vandenberghe, "Convex Optimization", §5.5.3 (the conditions of Karush, Kuhn and Tucker).
fn nearest_by_feature(edges: &[DVec3; 3], to: DVec3) -> Option<DVec3> {
    let ends =
        edges.mapped(|edge| share(to, edge)).mapped(|along| if along.abs() < 1.0 { 0.0 } else { along.signum() });
    let middle = edges[0] * ends[0] + edges[1] * ends[1] + edges[2] * ends[2];
    let rest = to - middle;
    let free = |i: usize| ends[i] == 0.0;
    let within = |along: f64, edge: DVec3| (along.abs() <= 1.0).then_some(edge * along);
    let offset = match [free(0), free(1), free(2)] {
        [false, false, false] => DVec3::ZERO,
        [true, true, true] => return None,
        [true, false, false] => within(share(rest, edges[0]), edges[0])?,
        [false, true, false] => within(share(rest, edges[1]), edges[1])?,
        [false, false, true] => within(share(rest, edges[2]), edges[2])?,
        [x, y, _] => {
            let (a, b) = if !x {
                (edges[1], edges[2])
            } else if !y {
                (edges[2], edges[0])
            } else {
                (edges[0], edges[1])
            };
            // Nearly parallel edges share a length that rounding may assign to either.
            if (b - a * share(b, a)).length_squared() < SLANTED * b.length_squared() {
                return None;
            }
            let on_b = within(share_across(rest, b, a), b)?;
            on_b + within(share(rest - on_b, a), a)?
        }
    };
    let pull = rest - offset;
    // A few sums of magnitudes up to these.
    let sizes = edges.iter().fold(to.abs(), |sum, edge| sum + edge.abs());
    let stays = |i: usize| free(i) || ends[i] * edges[i].dot(pull) > 16.0 * f64::EPSILON * edges[i].abs().dot(sizes);
    (stays(0) && stays(1) && stays(2)).then_some(middle + offset)
}

/// The squared sine from which two edges of a face are well apart.
const SLANTED: f64 = 1e-6;

/// The points of a face that may be nearest to `to`, all relative to the middle of the face.
fn on_face(to: DVec3, a: DVec3, b: DVec3) -> [DVec3; 5] {
    let along_b = share_across(to, b, a).clamp(-1.0, 1.0);
    let foot = on_side(to, b * along_b, a);
    [foot, on_side(to, a, b), on_side(to, -a, b), on_side(to, b, a), on_side(to, -b, a)]
}

/// The coordinate of `v` along `b` when `v` is written in terms of `b` and `a`, from their parts across `a`. These are
/// taken twice; otherwise what rounding leaves of a long way along `a` may be more than `b` is across.
fn share_across(v: DVec3, b: DVec3, a: DVec3) -> f64 {
    let across = |v: DVec3| {
        let once = v - a * share(v, a);
        once - a * share(once, a)
    };
    share(across(v), across(b))
}

/// The point of `middle ± edge` nearest to `to`.
fn on_side(to: DVec3, middle: DVec3, edge: DVec3) -> DVec3 {
    middle + edge * share(to - middle, edge).clamp(-1.0, 1.0)
}

/// The coordinate of `v` along `edge`; 0 for an edge of length zero.
fn share(v: DVec3, edge: DVec3) -> f64 {
    let squared = edge.length_squared();
    if squared > 0.0 { v.dot(edge) / squared } else { 0.0 }
}
