//! The triangle.

use super::polygon::Polygon;
use crate::{
    Aabb, BrushEdge, BrushPlane, Error, Plane,
    arrays::Mapped,
    exact::{orientation::exact_normal, predicate::Exact, unit},
};
use glam::{DVec3, Vec3};
use std::cmp::Ordering::Equal;

/// Where the cross product of two edges is no larger than this share of the product of their lengths, 2^-24, it is
/// computed without rounding: otherwise it might point anywhere.
const SLIVER: f64 = 1.0 / (1u64 << 24) as f64;

/// A closed triangle without thickness: it contains its edges and corners. Its front is the side from which its corners
/// run counter-clockwise.
///
/// Any three points that are not exactly collinear form one, however small or thin.
///
/// ```
/// use cullide_narrowphase::{Ray, Triangle, glam::Vec3};
/// let triangle = Triangle::new(Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0)?;
/// let ray = Ray::new(Vec3::new(0.5, 0.5, 4.0), Vec3::NEG_Z)?;
/// assert_eq!(ray.cast(&triangle, f32::INFINITY).unwrap().distance, 4.0);
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "[Vec3; 3]", into = "[Vec3; 3]"))]
pub struct Triangle {
    points: [Vec3; 3],
}

impl Triangle {
    /// Creates the triangle with these corners, counter-clockwise when seen from its front.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`], [`Error::ZeroNormal`] when the points are exactly collinear.
    ///
    /// ```
    /// # use cullide_narrowphase::{Error, Triangle, glam::Vec3};
    /// let [a, b] = [Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0)];
    /// assert_eq!(Triangle::new(a, b, 3.0 * b), Err(Error::ZeroNormal { field: "points" }));
    /// assert!(Triangle::new(a, b, Vec3::new(3.0, 3f32.next_up(), 0.0)).is_ok());
    /// ```
    pub fn new(a: Vec3, b: Vec3, c: Vec3) -> Result<Self, Error> {
        let field = "points";
        let mut points = [a, b, c];
        for point in &mut points {
            *point = unit::coordinates(*point, field)? + Vec3::ZERO;
        }
        let triangle = Self { points };
        if triangle.has_area() { Ok(triangle) } else { Err(Error::ZeroNormal { field }) }
    }

    /// Returns the corners, counter-clockwise when seen from the front.
    pub fn points(&self) -> [Vec3; 3] {
        self.points
    }

    /// Returns the unit normal of the front, rounded to `f32`.
    ///
    /// ```
    /// # use cullide_narrowphase::{Triangle, glam::Vec3};
    /// assert_eq!(Triangle::new(Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0)?.normal(), Vec3::Z);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn normal(&self) -> Vec3 {
        unit::unit(self.wide_normal())
    }

    /// Returns the plane of the triangle, rounded to `f32`; `None` if it is out of range.
    pub fn plane(&self) -> Option<Plane> {
        Plane::from_point_normal(self.points[0], self.normal()).ok()
    }

    /// Returns the smallest box around the corners.
    pub fn aabb(&self) -> Aabb {
        let [a, b, c] = self.points;
        Aabb::of_corners(a.min(b).min(c), a.max(b).max(c))
    }

    /// The corners in `f64`.
    pub(crate) fn vertices(&self) -> [DVec3; 3] {
        self.points.mapped(|p| p.as_dvec3())
    }

    /// The normal of the front, whose length is twice the area.
    pub(crate) fn wide_normal(&self) -> DVec3 {
        wide_normal(self.vertices())
    }

    fn has_area(&self) -> bool {
        sure_normal(self.vertices()).is_some() || (0..3).any(|axis| self.exact_normal(axis).sign() != Equal)
    }

    /// A component of the normal, as a sum of products of two `f32` numbers each.
    pub(crate) fn exact_normal(&self, axis: usize) -> Exact {
        exact_normal(self.vertices(), axis)
    }

    /// The triangle as tests see it.
    pub(crate) fn wide(&self) -> WideTriangle {
        let (vertices, normal) = (self.vertices(), self.wide_normal());
        let through = |normal: DVec3, point: DVec3| BrushPlane { normal, distance: normal.dot(point) };
        let [a, b, c] = vertices;
        let plane = [through(normal, a), through(-normal, a)];
        let reach = |normal: DVec3| normal.dot(a).max(normal.dot(b)).max(normal.dot(c));
        let faces = [normal, -normal].mapped(|normal| BrushPlane { normal, distance: reach(normal) });
        WideTriangle { vertices, plane, faces, aabb: self.aabb() }
    }
}

/// The cross product of two edges of a triangle with these corners.
#[inline(always)]
pub(crate) fn wide_normal(vertices: [DVec3; 3]) -> DVec3 {
    sure_normal(vertices).unwrap_or_else(|| precise_normal(vertices))
}

/// The same; `None` for a sliver, which may have no area.
#[inline(always)]
pub(crate) fn sure_normal([a, b, c]: [DVec3; 3]) -> Option<DVec3> {
    let (ab, ac) = (b - a, c - a);
    let normal = ab.cross(ac);
    let is_sure = normal.length_squared() > SLIVER * SLIVER * ab.length_squared() * ac.length_squared();
    is_sure.then_some(normal)
}

/// The same, rounded once.
#[cold]
fn precise_normal(vertices: [DVec3; 3]) -> DVec3 {
    DVec3::from([0, 1, 2].mapped(|axis| exact_normal(vertices, axis).value()))
}

/// A triangle in `f64`, with the half-spaces of its plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WideTriangle {
    vertices: [DVec3; 3],
    plane: [BrushPlane; 2],
    faces: [BrushPlane; 2],
    aabb: Aabb,
}

const EDGES: [BrushEdge; 3] = [
    BrushEdge { vertices: [0, 1], faces: [0, 1] },
    BrushEdge { vertices: [1, 2], faces: [0, 1] },
    BrushEdge { vertices: [2, 0], faces: [0, 1] },
];

impl WideTriangle {
    pub(crate) fn polygon(&self) -> Polygon<'_> {
        let Self { vertices, plane, faces, aabb } = self;
        Polygon { vertices, plane, faces, edges: &EDGES, aabb: *aabb }
    }
}

impl TryFrom<[Vec3; 3]> for Triangle {
    type Error = Error;
    fn try_from([a, b, c]: [Vec3; 3]) -> Result<Self, Error> {
        Self::new(a, b, c)
    }
}

impl From<Triangle> for [Vec3; 3] {
    fn from(triangle: Triangle) -> Self {
        triangle.points
    }
}
