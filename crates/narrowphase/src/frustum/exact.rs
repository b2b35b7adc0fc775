//! Whether a volume touches a frustum, beyond the six-plane answer.
//!
//! Two convex polyhedra are disjoint iff an axis separates them: a face normal of either, or the cross product of an
//! edge of each. For the box of a camera's view and an axis-aligned box these are 3 + 5 + 3 · 6 = 26 axes when its
//! edges have six directions. The planes are tested first, by exact signs; the rest matters only for a box that
//! straddles two or more of them, because a box that straddles one has a vertex in the frustum.
//!
//! The frustum's interval on an axis spans its corners, and is infinite where an infinite edge runs along the axis.
//! Intervals are widened by their rounding, so a volume that touches is never reported as separated; one that misses by
//! a few roundings may be reported as touching.
//!
//! Sources: Gottschalk, Lin, Manocha, "OBBTree" (1996), §5; Ericson, "Real-Time Collision Detection", §5.2.1;
//! Quilez, "Correct frustum culling" (2013), on the box axes.

use super::{
    Frustum,
    polytope::{Edge, Polytope, ROUNDING, reaches},
};
use crate::{Aabb, Capsule, Obb, Plane, Side, Sphere, arrays::Mapped, exact::lines::BoundedLine};
use glam::DVec3;

/// An axis, and where the frustum lies on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Separator {
    axis: DVec3,
    low: f64,
    high: f64,
}

impl Separator {
    /// The separator along a face normal of a box; `None` when the frustum covers the whole axis.
    pub(super) fn of_face(polytope: &Polytope, axis: DVec3) -> Option<Self> {
        Self::new(polytope, axis, |_| true)
    }

    /// The separator along the cross product of a box edge and the direction of a frustum edge; also `None` for
    /// parallel edges.
    pub(super) fn of_edges(polytope: &Polytope, edge: DVec3, direction: DVec3) -> Option<Self> {
        // A ray along the direction does not move on the axis, whatever rounding does to the product.
        Self::new(polytope, edge.cross(direction), |ray| !is_parallel(ray, direction))
    }

    fn new(polytope: &Polytope, axis: DVec3, counts: impl Fn(DVec3) -> bool) -> Option<Self> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (corner, error) in polytope.corners.iter().zip(&polytope.errors) {
            let (at, slack) = (axis.dot(*corner), axis.abs().dot(corner.abs() * ROUNDING + *error));
            (low, high) = (low.min(at - slack), high.max(at + slack));
        }
        for ray in polytope.rays().filter(|ray| counts(*ray)) {
            // A ray across the axis up to rounding may run either way, unless it is zero exactly.
            let along = axis.dot(ray);
            let noise = if along == 0.0 { 0.0 } else { ROUNDING * axis.abs().dot(ray.abs()) };
            if along + noise > 0.0 {
                high = f64::INFINITY;
            }
            if along - noise < 0.0 {
                low = f64::NEG_INFINITY;
            }
        }
        (axis != DVec3::ZERO && (low.is_finite() || high.is_finite())).then_some(Self { axis, low, high })
    }

    fn separates_aabb(&self, aabb: &Aabb) -> bool {
        let (min, max) = (aabb.min().as_dvec3(), aabb.max().as_dvec3());
        let is_positive = self.axis.cmpge(DVec3::ZERO);
        let low = self.axis.dot(DVec3::select(is_positive, min, max));
        let high = self.axis.dot(DVec3::select(is_positive, max, min));
        let slack = ROUNDING * self.axis.abs().dot(min.abs().max(max.abs()));
        self.high < low - slack || high + slack < self.low
    }

    fn separates_obb(&self, center: DVec3, edges: [DVec3; 3]) -> bool {
        let middle = self.axis.dot(center);
        let reach: f64 = edges.iter().map(|edge| self.axis.dot(*edge).abs()).sum();
        let size = edges.iter().fold(center.abs(), |sum, edge| sum + edge.abs());
        let slack = ROUNDING * self.axis.abs().dot(size);
        self.high < middle - reach - slack || middle + reach + slack < self.low
    }
}

impl Frustum {
    /// Returns whether a box touches the frustum, tested on every separating axis.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Camera, Containment, Frustum, glam::Vec3};
    /// let frustum = Frustum::from_camera(&Camera { near: 1.0, far: 10.0, aspect: 1.0, ..Camera::default() })?;
    /// // Left of the far corners, and yet not behind any single plane.
    /// let beside = Aabb::new(Vec3::new(-20.0, -2.0, -40.0), Vec3::new(-6.0, 2.0, -2.0))?;
    /// assert_eq!(frustum.containment_of_aabb(&beside), Containment::Crossing);
    /// assert!(!frustum.intersects_aabb(&beside));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn intersects_aabb(&self, aabb: &Aabb) -> bool {
        self.straddled(|plane| plane.side_of_aabb(aabb)).is_some_and(|straddled| {
            straddled < 2 || !self.separators.iter().any(|separator| separator.separates_aabb(aabb))
        })
    }

    /// Returns whether an oriented box touches the frustum, tested on every separating axis.
    ///
    /// ```
    /// # use cullide_narrowphase::{Camera, Frustum, Obb, glam::{Quat, Vec3}};
    /// let frustum = Frustum::from_camera(&Camera::default())?;
    /// let ahead = Obb::new(Vec3::Z * -5.0, Quat::from_rotation_x(1.0), Vec3::new(1.0, 2.0, 30.0))?;
    /// assert!(frustum.intersects_obb(&ahead));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn intersects_obb(&self, obb: &Obb) -> bool {
        let Some(straddled) = self.straddled(|plane| plane.side_of_obb(obb)) else { return false };
        if straddled < 2 {
            return true;
        }
        let (center, edges) = (obb.center().as_dvec3(), obb.wide_edges());
        let (polytope, faces) = (&self.polytope, obb.slabs().mapped(|(axis, _)| axis));
        let is_separated = |separator: Option<Separator>| separator.is_some_and(|s| s.separates_obb(center, edges));
        let by_edges =
            |edge: &Edge| edges.iter().any(|own| is_separated(Separator::of_edges(polytope, *own, edge.direction)));
        !faces.into_iter().any(|axis| is_separated(Separator::of_face(polytope, axis)))
            && !polytope.edges.iter().any(by_edges)
    }

    /// Returns whether a sphere touches the frustum: whether the frustum's point nearest to the centre is within the
    /// radius.
    ///
    /// ```
    /// # use cullide_narrowphase::{Camera, Containment, Frustum, Sphere, glam::Vec3};
    /// let frustum = Frustum::from_camera(&Camera { near: 1.0, aspect: 1.0, ..Camera::default() })?;
    /// // Nearest to a corner of the near side, and not behind any single plane.
    /// let beside = Sphere::new(Vec3::new(1.2, 1.2, 0.0), 1.1)?;
    /// assert_eq!(frustum.containment_of_sphere(&beside), Containment::Crossing);
    /// assert!(!frustum.intersects_sphere(&beside));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn intersects_sphere(&self, sphere: &Sphere) -> bool {
        let Some(straddled) = self.straddled(|plane| plane.side_of_sphere(sphere)) else { return false };
        if straddled == 0 || self.contains_point(sphere.center()) {
            return true;
        }
        let center = sphere.center().as_dvec3();
        let radius = f64::from(sphere.radius());
        let slack = ROUNDING * (center.abs().element_sum() + radius);
        // The nearest point lies on a face whose plane has the centre behind it, at the foot of the perpendicular, or
        // on an edge.
        let feet = self.planes.iter().filter_map(|plane| self.foot_on_face(plane, center)).map(|foot| (foot, 0.0));
        let on_edges = self.polytope.edges.iter().map(|edge| (edge.nearest(center), 2.0 * edge.error));
        feet.chain(on_edges).any(|(point, error)| point.distance(center) <= radius + error + slack)
    }

    /// Returns whether a capsule touches the frustum: whether its axis does, or comes within the radius.
    ///
    /// ```
    /// # use cullide_narrowphase::{Camera, Capsule, Frustum, glam::Vec3};
    /// let frustum = Frustum::from_camera(&Camera { near: 1.0, aspect: 1.0, ..Camera::default() })?;
    /// // From beside a corner of the near side, out of reach, to the camera, one unit in front of that side.
    /// let corner = Vec3::new(1.2, 1.2, 0.0);
    /// assert!(!frustum.intersects_capsule(&Capsule::new(corner, corner, 1.1)?));
    /// assert!(frustum.intersects_capsule(&Capsule::new(corner, Vec3::ZERO, 1.1)?));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn intersects_capsule(&self, capsule: &Capsule) -> bool {
        let Some(straddled) = self.straddled(|plane| plane.side_of_capsule(capsule)) else { return false };
        if straddled == 0 || self.intersects_obb(&capsule.rod()) {
            return true;
        }
        let (axis, radius) = (capsule.axis(), f64::from(capsule.radius()));
        let size = capsule.center().abs() + capsule.half_axis().abs();
        let slack = ROUNDING * (size.as_dvec3().element_sum() + radius);
        // As for a sphere at either end; between the ends, what is nearest is an edge.
        let at_ends = [axis.base, axis.base + axis.direction].into_iter().any(|end| {
            let feet = self.planes.iter().filter_map(|plane| self.foot_on_face(plane, end));
            feet.into_iter().any(|foot| foot.distance(end) <= radius + slack)
        });
        at_ends
            || self.polytope.edges.iter().any(|edge| {
                let line = BoundedLine { base: edge.start, direction: edge.direction, max: edge.length };
                let nearest = axis.nearest_to(&line);
                nearest.distance <= radius + 2.0 * edge.error + nearest.error + slack
            })
    }

    /// How many planes a volume straddles, or `None` when it lies behind one.
    fn straddled(&self, side: impl Fn(&Plane) -> Side) -> Option<usize> {
        self.planes.iter().try_fold(0, |count, plane| match side(plane) {
            Side::Back => None,
            Side::Straddling => Some(count + 1),
            Side::Front => Some(count),
        })
    }

    /// The foot of the perpendicular from a point behind `plane`, if it lies on the frustum's face, up to rounding.
    fn foot_on_face(&self, plane: &Plane, point: DVec3) -> Option<DVec3> {
        let height = plane.distance(point);
        if height > 0.0 {
            return None;
        }
        let normal = plane.normal().as_dvec3();
        let foot = point - normal * (height / normal.length_squared());
        let error = ROUNDING * (point.abs().max_element() + f64::from(plane.d().abs()));
        self.planes.iter().all(|other| reaches(other, foot, error)).then_some(foot)
    }
}

/// Whether two unit directions differ by rounding only.
pub(super) fn is_parallel(a: DVec3, b: DVec3) -> bool {
    a.cross(b).abs().max_element() <= ROUNDING
}

impl Edge {
    fn nearest(&self, point: DVec3) -> DVec3 {
        self.start + self.direction * (point - self.start).dot(self.direction).clamp(0.0, self.length)
    }
}
