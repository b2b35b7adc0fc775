//! The convex polygon.

use super::polygon::Polygon;
use crate::{
    Aabb, BrushEdge, BrushPlane, Error, Plane,
    arrays::Mapped,
    exact::{
        orientation::{HEIGHT_ERROR, cross, exact_normal, orientation},
        unit,
    },
};
use glam::{DVec3, Vec3};
use std::cmp::Ordering::{Equal, Greater, Less};

/// How far a corner may lie off the plane or beyond an edge, relative to the largest coordinate: 2^-21, as much as
/// rounding three corners to `f32` can do to a fourth. A bent or dented polygon is rejected rather than flattened.
const FLATNESS: f64 = 4.0 * f32::EPSILON as f64;

/// A closed convex polygon: a surface without thickness, hit from both sides. Its front is the side from which its
/// corners run counter-clockwise.
///
/// Points on it, and paths in its plane, are decided exactly where its corners are exactly flat and convex.
///
/// Source: Sutherland, Sproull and Schumacker, "A Characterization of Ten Hidden-Surface Algorithms", 1974 (Newell's
/// normal, the sum of the cross products around the polygon).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Raw", into = "Raw"))]
pub struct Patch {
    points: Vec<Vec3>,
    plane: Plane,
    aabb: Aabb,
    /// Half-spaces whose intersection is the polygon: its plane from both sides, and one across each edge. Their
    /// normals are products of differences of corners, not unit vectors, which keeps them exact for corners on a grid.
    half_planes: [BrushPlane; 2],
    sides: Vec<BrushPlane>,
    /// The same corners, as a solid with two faces, one in front of and one behind all corners; these coincide when the
    /// corners are exactly flat.
    vertices: Vec<DVec3>,
    faces: [BrushPlane; 2],
    edges: Vec<BrushEdge>,
    /// Three corners that are not collinear, if all corners are exactly flat and convex.
    base: Option<[DVec3; 3]>,
}

impl Patch {
    /// Creates the polygon with corners `points`, in order: counter-clockwise when seen from its front. Corners may be
    /// collinear with their neighbours.
    ///
    /// # Errors
    /// [`Error::TooFew`] below three points, [`Error::NonFinite`], [`Error::OutOfRange`], [`Error::ZeroNormal`] when
    /// all points are collinear (or the areas of a polygon that crosses itself cancel), [`Error::NotConvex`] when they
    /// are not flat, not convex or not in order (up to the rounding of `f32` coordinates), or repeat.
    ///
    /// ```
    /// # use cullide_narrowphase::{Error, Patch, glam::Vec3};
    /// let [a, b, c, d] = [Vec3::ZERO, Vec3::X * 2.0, Vec3::new(2.0, 3.0, 0.0), Vec3::Y * 3.0];
    /// assert_eq!(Patch::new(&[a, b, c, d])?.plane().normal(), Vec3::Z);
    /// assert_eq!(Patch::new(&[a, b, 0.25 * c, d]), Err(Error::NotConvex { field: "points" }));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(points: &[Vec3]) -> Result<Self, Error> {
        let field = "points";
        if points.len() < 3 {
            return Err(Error::TooFew { field });
        }
        let points: Vec<Vec3> =
            points.iter().map(|&p| Ok(unit::coordinates(p, field)? + Vec3::ZERO)).collect::<Result<_, Error>>()?;
        let aabb = Aabb::from_points(points.iter().copied())?;
        let wide: Vec<DVec3> = points.iter().map(|p| p.as_dvec3()).collect();
        let tolerance = FLATNESS * wide.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        let extent = wide.iter().map(|p| p.distance(wide[0])).fold(0.0, f64::max);

        let normal: DVec3 = wide.windows(2).map(|pair| (pair[0] - wide[0]).cross(pair[1] - wide[0])).sum();
        if normal.length() <= tolerance * extent {
            return Err(Error::ZeroNormal { field });
        }
        let through = |normal: DVec3, point: DVec3| BrushPlane { normal, distance: normal.dot(point) };
        let is_behind = |plane: BrushPlane, tolerance: f64| {
            wide.iter().all(|p| plane.signed_distance(*p) <= tolerance * plane.normal.length())
        };
        let half_planes = [through(normal, wide[0]), through(-normal, wide[0])];
        let mut sides = Vec::with_capacity(wide.len());
        let is_flat = half_planes.iter().all(|&face| is_behind(face, tolerance));

        // The rounding of its ends turns a short edge by more.
        let is_convex = (0..wide.len()).all(|i| {
            let (from, to) = (wide[i], wide[(i + 1) % wide.len()]);
            let side = through((to - from).cross(normal), from);
            sides.push(side);
            from != to && is_behind(side, tolerance * (1.0 + extent / from.distance(to)))
        });
        if !is_flat || !is_convex {
            return Err(Error::NotConvex { field });
        }
        let plane = Plane::from_point_normal(points[0], unit::unit(normal)).map_err(|_| Error::OutOfRange { field })?;
        let reach = |normal: DVec3| wide.iter().map(|p| normal.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
        let faces = [normal, -normal].mapped(|normal| BrushPlane { normal, distance: reach(normal) });
        let edge = |i: usize| BrushEdge { vertices: [i, (i + 1) % points.len()], faces: [0, 1] };
        let edges = (0..points.len()).map(edge).collect();
        let base = exact_base(&wide, normal);
        Ok(Self { points, plane, aabb, half_planes, sides, vertices: wide, faces, edges, base })
    }

    /// Returns the corners, counter-clockwise when seen from the front.
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Returns the plane of the polygon, rounded to `f32`.
    pub fn plane(&self) -> Plane {
        self.plane
    }

    /// Returns the smallest box around the corners.
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// The half-spaces whose intersection is the polygon: two for its plane, then one across each edge.
    pub(crate) fn bounds(&self) -> impl Iterator<Item = &BrushPlane> {
        self.half_planes.iter().chain(&self.sides)
    }

    /// Three corners that are not collinear, if all corners are exactly flat and convex; `None` otherwise.
    pub(crate) fn base(&self) -> Option<[DVec3; 3]> {
        self.base
    }

    /// The patch as tests see it.
    pub(crate) fn polygon(&self) -> Polygon<'_> {
        let Self { vertices, half_planes, faces, edges, aabb, .. } = self;
        Polygon { vertices, plane: half_planes, faces, edges, aabb: *aabb }
    }
}

/// The first corner, and the two consecutive ones that form the largest triangle with it, if all corners of the
/// polygon, which is convex up to rounding, lie exactly in the plane of that triangle and none is dented.
fn exact_base(corners: &[DVec3], normal: DVec3) -> Option<[DVec3; 3]> {
    let triangles = corners.windows(2).map(|pair| [corners[0], pair[0], pair[1]]);
    let area = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a).length_squared();
    let base = triangles.reduce(|a, b| if area(b) > area(a) { b } else { a })?;
    let axis = normal.abs().max_position();
    let turned = if normal[axis] < 0.0 { Greater } else { Less };
    let is_dented = |i: usize| {
        let at = |i: usize| corners[i % corners.len()];
        let corner = [at(i), at(i + 1), at(i + 2)];
        let (product, permanent) = cross(corner[1] - corner[0], corner[2] - corner[0]);
        let is_sure = product[axis].abs() > HEIGHT_ERROR * permanent[axis];
        let sign = if is_sure { product[axis].total_cmp(&0.0) } else { exact_normal(corner, axis).sign() };
        sign == turned
    };
    let is_base = |corner: &DVec3| base.contains(corner);
    let is_flat = corners.iter().all(|corner| is_base(corner) || orientation(base, *corner) == Equal);
    (is_flat && !(0..corners.len()).any(is_dented)).then_some(base)
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Raw {
    points: Vec<Vec3>,
}

#[cfg(feature = "serde")]
impl TryFrom<Raw> for Patch {
    type Error = Error;
    fn try_from(raw: Raw) -> Result<Self, Error> {
        Self::new(&raw.points)
    }
}

#[cfg(feature = "serde")]
impl From<Patch> for Raw {
    fn from(patch: Patch) -> Self {
        Self { points: patch.points }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELD: &str = "points";

    fn points(xy: &[(f32, f32)]) -> Vec<Vec3> {
        xy.iter().map(|&(x, y)| Vec3::new(x, y, 5.0)).collect()
    }

    #[test]
    fn what_is_not_a_convex_polygon_is_refused() {
        let build = |xy: &[(f32, f32)]| Patch::new(&points(xy)).unwrap_err();
        assert_eq!(build(&[(0.0, 0.0), (2.0, 0.0)]), Error::TooFew { field: FIELD });
        assert_eq!(build(&[(0.0, 0.0), (2.0, 0.0), (7.0, 0.0)]), Error::ZeroNormal { field: FIELD });
        assert_eq!(build(&[(0.0, 0.0), (2.0, 0.0), (f32::NAN, 3.0)]), Error::NonFinite { field: FIELD });
        assert_eq!(build(&[(0.0, 0.0), (2.0, 0.0), (1e38, 3.0)]), Error::OutOfRange { field: FIELD });
        let dented = [(0.0, 0.0), (4.0, 0.0), (1.0, 1.0), (0.0, 4.0)];
        assert_eq!(build(&dented), Error::NotConvex { field: FIELD });
        let repeated = [(0.0, 0.0), (2.0, 0.0), (2.0, 3.0), (0.0, 0.0)];
        assert_eq!(build(&repeated), Error::NotConvex { field: FIELD });
        // A pentagram turns left everywhere, but twice around.
        let star: Vec<_> = (0..5)
            .map(|i| {
                let (sin, cos) = (i as f32 * 0.8 * std::f32::consts::PI).sin_cos();
                (cos, sin)
            })
            .collect();
        assert_eq!(build(&star), Error::NotConvex { field: FIELD });
        let bent = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.01), Vec3::Y];
        assert_eq!(Patch::new(&bent), Err(Error::NotConvex { field: FIELD }));
    }

    #[test]
    fn corners_in_a_line_are_legal() {
        let patch = Patch::new(&points(&[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (2.0, 3.0), (0.0, 3.0)])).unwrap();
        assert_eq!((patch.points().len(), patch.plane().normal(), patch.plane().d()), (5, Vec3::Z, -5.0));
        assert_eq!(patch.aabb().max(), Vec3::new(2.0, 3.0, 5.0));
    }

    #[test]
    fn a_turned_polygon_rounded_far_from_the_origin_is_flat_enough() {
        let turn = glam::Quat::from_euler(glam::EulerRot::XYZ, 0.4, 1.1, -0.7);
        for center in [Vec3::ZERO, Vec3::new(4000.0, -900.0, 120.0), Vec3::splat(1e6)] {
            for sides in [3, 5, 12] {
                let corner = |i: usize| {
                    let (sin, cos) = (i as f32 * std::f32::consts::TAU / sides as f32).sin_cos();
                    center + turn * Vec3::new(20.0 * cos, 30.0 * sin, 0.0)
                };
                let patch = Patch::new(&(0..sides).map(corner).collect::<Vec<_>>()).unwrap();
                assert!(patch.plane().normal().dot(turn * Vec3::Z) > 0.99);
            }
        }
    }
}
