//! The convex solid bounded by planes.

pub(super) mod build;
mod clip;
mod flat;
mod moved;
mod plane;
#[cfg(feature = "serde")]
mod raw;

use super::hull;
use crate::{
    Aabb, Error, Obb, Plane,
    arrays::Mapped,
    exact::{ROUNDING, orientation::orientation, unit},
};
use build::BrushGeometry;
use moved::BrushOrigin;
pub use plane::BrushPlane;

use glam::{DMat3, DVec3, Vec3};
use std::{cmp::Ordering, sync::Arc};

/// A convex solid bounded by planes, as level editors make them: the points `p` with `normal · p <= distance` for all
/// of its planes, which are kept in `f64` (a distance in `f32` is off by 2·10⁻⁴ at a level's scale). It is closed,
/// bounded and has an interior.
///
/// Planes that contribute no face are dropped, so face `i` lies in plane `i`. Vertices that lie closer together than
/// 2^-32 of the brush's largest coordinate are merged into one. A brush bounded by axial planes has exactly their
/// coordinates.
///
/// Source: Quake's map format (QuakeEd, id Software 1996), whose brushes are such solids.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "raw::Raw", into = "raw::Raw"))]
pub struct Brush {
    planes: Vec<BrushPlane>,
    vertices: Vec<DVec3>,
    topology: Arc<Topology>,
    bounds: [DVec3; 2],
    vertex_error: f64,
    plane_error: f64,
    is_axial: bool,
    aabb: Aabb,
    given: Given,
}

/// Which vertices form which edges and faces: the same wherever a brush is moved.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Topology {
    pub(super) edges: Vec<BrushEdge>,
    /// The vertices of all faces, one face after another.
    pub(super) loops: Vec<usize>,
    /// Where each face's loop ends.
    pub(super) ends: Vec<usize>,
}

impl Topology {
    /// The vertices of a face.
    fn face(&self, face: usize) -> &[usize] {
        let start = if face == 0 { 0 } else { self.ends[face - 1] };
        &self.loops[start..self.ends[face]]
    }
}

/// What a brush was made from; the rest is computed.
#[derive(Clone, Debug, PartialEq)]
enum Given {
    Planes,
    /// The vertices, which are `f32` numbers.
    Points,
    /// Another brush, and how that was moved.
    Moved(BrushOrigin),
}

/// An edge of a [`Brush`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrushEdge {
    /// Indices of its ends, in their order around the first face.
    pub vertices: [usize; 2],
    /// Indices of the two faces that meet in it.
    pub faces: [usize; 2],
}

/// A face of a [`Brush`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BrushFace<'a> {
    /// The plane that it lies in.
    pub plane: BrushPlane,
    /// Indices of its vertices, counter-clockwise when seen from outside.
    pub vertices: &'a [usize],
}

impl Brush {
    /// Creates the solid behind all `planes`. Their normals point outward: their **front is outside**.
    ///
    /// # Errors
    /// [`Error::TooFew`] below four planes, [`Error::Empty`] when nothing with an interior lies behind all of them,
    /// [`Error::Unbounded`] when they do not close the solid, [`Error::OutOfRange`] when a vertex lies beyond
    /// [`MAX_COORDINATE`](crate::MAX_COORDINATE).
    ///
    /// ```
    /// # use cullide_narrowphase::{Brush, Plane, glam::Vec3};
    /// let slope = Plane::from_point_normal(Vec3::X, Vec3::new(3.0, 5.0, 2.0))?;
    /// let sides = [Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z].map(|n| Plane::new(n, 0.0).unwrap());
    /// let wedge = Brush::from_planes(&[slope, sides[0], sides[1], sides[2]])?;
    /// assert_eq!((wedge.vertices().len(), wedge.edges().len()), (4, 6));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn from_planes(planes: &[Plane]) -> Result<Self, Error> {
        let wide = |plane: &Plane| BrushPlane::new(plane.normal().as_dvec3(), -f64::from(plane.d()));
        Self::build(planes.iter().map(wide).collect::<Result<_, _>>()?, "planes")
    }

    /// Creates the solid of the points `p` with `normal · p <= distance` for all pairs. Both numbers of a pair are
    /// divided by the length of its normal.
    ///
    /// # Errors
    /// As [`Brush::from_planes`], and [`Error::NonFinite`], [`Error::ZeroNormal`] or [`Error::OutOfRange`] for a bad
    /// normal or distance.
    ///
    /// ```
    /// # use cullide_narrowphase::{Brush, glam::{DVec3, Vec3}};
    /// let sizes = [(DVec3::X, 2.0), (DVec3::Y, 3.0), (DVec3::Z, 5.0)];
    /// let planes: Vec<_> = sizes.iter().flat_map(|&(n, size)| [(n, size), (-n, 0.0)]).collect();
    /// assert_eq!(Brush::from_half_spaces(&planes)?.aabb().max(), Vec3::new(2.0, 3.0, 5.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn from_half_spaces(half_spaces: &[(DVec3, f64)]) -> Result<Self, Error> {
        let planes = half_spaces.iter().map(|&(normal, distance)| BrushPlane::new(normal, distance));
        Self::build(planes.collect::<Result<_, _>>()?, "half_spaces")
    }

    /// Creates the solid behind planes given by three points each, **clockwise** when seen from outside, as in Quake's
    /// `.map` files.
    ///
    /// # Errors
    /// As [`Brush::from_planes`], [`Error::ZeroNormal`] for three collinear points, and [`Error::NonFinite`] or
    /// [`Error::OutOfRange`] for a bad point.
    ///
    /// ```
    /// # use cullide_narrowphase::{Brush, glam::DVec3};
    /// let [o, x, y, z] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let corner = Brush::from_point_triples(&[[o, x, y], [o, y, z], [o, z, x], [x, z, y]])?;
    /// assert_eq!(corner.faces().count(), 4);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn from_point_triples(triples: &[[DVec3; 3]]) -> Result<Self, Error> {
        let planes = triples.iter().map(|&points| BrushPlane::from_points(points));
        Self::build(planes.collect::<Result<_, _>>()?, "triples")
    }

    /// Returns this brush moved by `delta`. Its distances change by `normal · delta`, rounded; the points of a hull are
    /// moved, each rounded to `f32`; a brush that was [moved](Brush::moved) is moved further.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`], and, for a brush that is too thin at its destination,
    /// [`Error::Empty`] or the errors of [`Hull::new`](crate::Hull::new) for points that span no solid.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Brush, glam::Vec3};
    /// let brush = Brush::try_from(&Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?)?;
    /// assert_eq!(brush.translated(Vec3::X)?.aabb().max(), Vec3::new(3.0, 3.0, 5.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn translated(&self, delta: Vec3) -> Result<Self, Error> {
        let delta = unit::coordinates(delta, "delta")?;
        if self.moved_from().is_some() {
            return self.moved(&DMat3::IDENTITY, delta.as_dvec3());
        }
        if let Some(points) = self.points() {
            return Self::of_points(&points.map(|point| point + delta).collect::<Vec<_>>(), "delta");
        }
        let delta = delta.as_dvec3();
        let moved = |plane: &BrushPlane| BrushPlane::new(plane.normal, plane.distance + plane.normal.dot(delta));
        Self::build(self.planes.iter().map(moved).collect::<Result<_, _>>()?, "delta")
    }

    /// Returns the bounding planes; plane `i` is that of face `i`.
    ///
    /// The planes define the brush, except for one made from a [`Hull`](crate::Hull). There they are rounded, and no
    /// point of the hull lies farther in front of one of them than 32 roundings (of 2^-53) of the sum of its extents
    /// plus 4 roundings of the sum of its largest coordinates. Distances, and what they decide, may be off by that much
    /// along a face's normal; axial planes are exact. For a hull, [`Solid::contains_point`](crate::Solid::contains_point), [`Solid::side_of`](crate::Solid::side_of), and
    /// whether a path meets it or starts in it, are exact for its vertices.
    pub fn planes(&self) -> &[BrushPlane] {
        &self.planes
    }

    /// Returns the vertices, rounded to `f64`; exact where three axial planes meet.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Returns the points whose hull it is, which are its vertices; `None` for a brush given by planes, and for one
    /// that was [moved](Brush::moved).
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Brush, Hull, Obb, glam::Vec3};
    /// let box_ = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?;
    /// let hull = Brush::from(Hull::new(&Obb::from(&box_).corners())?);
    /// assert_eq!(hull.points().map(|points| points.len()), Some(8));
    /// assert!(Brush::try_from(&box_)?.points().is_none());
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn points(&self) -> Option<impl ExactSizeIterator<Item = Vec3> + '_> {
        let rounded = || self.vertices.iter().map(|vertex| vertex.as_vec3());
        matches!(self.given, Given::Points).then(rounded)
    }

    /// Returns the edges.
    pub fn edges(&self) -> &[BrushEdge] {
        &self.topology.edges
    }

    /// Returns the faces, in the order of the planes.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Brush, glam::Vec3};
    /// let brush = Brush::try_from(&Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?)?;
    /// assert!(brush.faces().all(|face| face.vertices.len() == 4));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn faces(&self) -> impl ExactSizeIterator<Item = BrushFace<'_>> {
        (0..self.planes.len()).map(|i| BrushFace { plane: self.planes[i], vertices: self.face_vertices(i) })
    }

    /// Returns the smallest box of `f32` bounds around the solid's bounds in `f64`; it contains the exact solid.
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// Returns whether `point` lies in the solid or on its surface, exactly for the stored planes, or for the vertices
    /// of a hull; `false` for a NaN.
    pub(crate) fn contains_point(&self, point: Vec3) -> bool {
        self.aabb.contains_point(point) && !(0..self.planes.len()).any(|face| self.is_before(face, point.as_dvec3()))
    }

    /// Whether a point with `f32` coordinates lies strictly outside a face, exactly.
    pub(crate) fn is_before(&self, face: usize, point: DVec3) -> bool {
        let plane = &self.planes[face];
        if self.plane_error == 0.0 {
            return plane.is_before(point);
        }
        let points = self.face_points(face);
        let offset = point - points[0];
        let height = plane.normal.dot(offset);
        // The normal of a hull's face is off by at most 32 roundings, and 4 more are lost here.
        if height.abs() > 40.0 * ROUNDING * offset.abs().element_sum() {
            return height > 0.0;
        }
        orientation(points, point) == Ordering::Greater
    }

    /// Three vertices of a face, counter-clockwise; those of a hull span its plane exactly.
    pub(crate) fn face_points(&self, face: usize) -> [DVec3; 3] {
        let vertices = self.face_vertices(face);
        [vertices[0], vertices[1], vertices[2]].mapped(|i| self.vertices[i])
    }

    /// Indices of the vertices of a face, counter-clockwise when seen from outside.
    pub(crate) fn face_vertices(&self, face: usize) -> &[usize] {
        self.topology.face(face)
    }

    /// The solid's bounds, exact where axial planes give them and widened by their error elsewhere.
    pub(crate) fn bounds(&self) -> [DVec3; 2] {
        self.bounds
    }

    /// How far a vertex may be off.
    pub(crate) fn vertex_error(&self) -> f64 {
        self.vertex_error
    }

    /// How far the solid may reach in front of a plane.
    pub(crate) fn plane_error(&self) -> f64 {
        self.plane_error
    }

    /// Whether all planes are axial, so that the brush is a box.
    pub(crate) fn is_axial(&self) -> bool {
        self.is_axial
    }

    /// Creates the hull of points.
    pub(super) fn of_points(points: &[Vec3], field: &'static str) -> Result<Self, Error> {
        let (solid, topology, plane_error) = hull::solid(points, field)?;
        Self::of(solid, topology.into(), plane_error, Given::Points, field)
    }

    fn build(planes: Vec<BrushPlane>, field: &'static str) -> Result<Self, Error> {
        let (solid, topology) = build::lasting_solid(planes, field)?;
        Self::of(solid, topology.into(), 0.0, Given::Planes, field)
    }

    fn of(
        solid: BrushGeometry,
        topology: Arc<Topology>,
        plane_error: f64,
        given: Given,
        field: &'static str,
    ) -> Result<Self, Error> {
        let BrushGeometry { planes, vertices, bounds, vertex_error } = solid;
        let [min, max] = bounds;
        let lower = Vec3::from_array(min.to_array().mapped(|x| unit::round_down([x])));
        let upper = Vec3::from_array(max.to_array().mapped(|x| unit::round_up(&[x])));
        let aabb = Aabb::new(lower, upper).map_err(|_| Error::OutOfRange { field })?;
        let is_axial = planes.iter().all(|plane| plane.axial().is_some());
        Ok(Self { planes, vertices, topology, bounds, vertex_error, plane_error, is_axial, aabb, given })
    }
}

/// Builds a brush from the six sides of a box. Fails with [`Error::Empty`] for a flat one.
impl TryFrom<&Aabb> for Brush {
    type Error = Error;
    fn try_from(aabb: &Aabb) -> Result<Self, Error> {
        let (min, max) = (aabb.min().as_dvec3(), aabb.max().as_dvec3());
        let side = |i: usize| {
            let axis = i / 2;
            let sign = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
            let distance = if i.is_multiple_of(2) { max[axis] } else { -min[axis] };
            BrushPlane::new(sign * DVec3::AXES[axis], distance)
        };
        Self::build((0..6).map(side).collect::<Result<_, _>>()?, "aabb")
    }
}

/// Builds a brush from the six sides of an oriented box. Fails with [`Error::Empty`] for a flat one.
impl TryFrom<&Obb> for Brush {
    type Error = Error;
    fn try_from(obb: &Obb) -> Result<Self, Error> {
        let center = obb.center().as_dvec3();
        let sides = obb.slabs().into_iter().flat_map(|(axis, reach)| {
            [axis, -axis].mapped(|normal| BrushPlane::new(normal, normal.dot(center) + reach))
        });
        Self::build(sides.collect::<Result<_, _>>()?, "obb")
    }
}

#[cfg(test)]
mod tests;
