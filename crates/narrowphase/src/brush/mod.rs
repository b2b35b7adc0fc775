//! The convex solid bounded by planes.

mod build;
mod clip;
#[cfg(feature = "serde")]
mod raw;

use crate::{Aabb, Error, Obb, Plane, predicate::Exact, unit};
use build::Solid;
use glam::{DVec3, Vec3};
use std::cmp::Ordering;

/// A convex solid bounded by planes, as level editors make them: the points `p` with `normal · p <= distance` for all of its
/// planes, which are kept in `f64` (a distance in `f32` is off by 2·10⁻⁴ at a level's scale). It is closed, bounded and has
/// an interior.
///
/// Planes that contribute no face are dropped, so face `i` lies in plane `i`. Vertices that lie closer together than 2^-32 of
/// the brush's largest coordinate are one. A brush whose bounding planes are axial has exactly their coordinates.
///
/// Source: Quake's map format (QuakeEd, id Software 1996), whose brushes are such solids.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "raw::Raw", into = "raw::Raw"))]
pub struct Brush {
    planes: Vec<BrushPlane>,
    vertices: Vec<DVec3>,
    edges: Vec<BrushEdge>,
    loops: Vec<usize>,
    ends: Vec<usize>,
    bounds: [DVec3; 2],
    slack: f64,
    aabb: Aabb,
}

/// A bounding plane of a [`Brush`]: the solid lies where `normal · p <= distance`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BrushPlane {
    /// Unit length, pointing out of the solid.
    pub normal: DVec3,
    /// How far the plane lies from the origin along its normal.
    pub distance: f64,
}

/// An edge of a [`Brush`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrushEdge {
    /// Indices of its ends, in the order in which they come around the first face.
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
    /// The solid behind all `planes`: their normals point outward, their **front is outside**.
    ///
    /// # Errors
    /// [`Error::TooFew`] below four planes, [`Error::Empty`] when nothing with an interior lies behind all of them,
    /// [`Error::Unbounded`] when they do not close, [`Error::OutOfRange`] when a vertex lies beyond
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

    /// The solid of the points `p` with `normal · p <= distance` for all pairs, both of which are divided by the length of the
    /// normal.
    ///
    /// # Errors
    /// As [`Brush::from_planes`], and [`Error::NonFinite`], [`Error::ZeroNormal`] or [`Error::OutOfRange`] for a bad normal or
    /// distance.
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

    /// The solid behind planes given by three points each, **clockwise** when seen from outside, as in Quake's `.map` files.
    ///
    /// # Errors
    /// As [`Brush::from_planes`], [`Error::ZeroNormal`] for three points in a line, and [`Error::NonFinite`] or
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

    /// This brush moved by `delta`; its distances change by `normal · delta`, rounded.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`], and [`Error::Empty`] for a brush that is too thin for where it would go.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Brush, glam::Vec3};
    /// let brush = Brush::try_from(&Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?)?;
    /// assert_eq!(brush.translated(Vec3::X)?.aabb().max(), Vec3::new(3.0, 3.0, 5.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn translated(&self, delta: Vec3) -> Result<Self, Error> {
        let delta = unit::coordinates(delta, "delta")?.as_dvec3();
        let moved = |plane: &BrushPlane| BrushPlane::new(plane.normal, plane.distance + plane.normal.dot(delta));
        Self::build(self.planes.iter().map(moved).collect::<Result<_, _>>()?, "delta")
    }

    /// The bounding planes; plane `i` is that of face `i`.
    pub fn planes(&self) -> &[BrushPlane] {
        &self.planes
    }

    /// The vertices, rounded to `f64`; exact where three axial planes meet.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The edges.
    pub fn edges(&self) -> &[BrushEdge] {
        &self.edges
    }

    /// The faces, in the order of the planes.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Brush, glam::Vec3};
    /// let brush = Brush::try_from(&Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?)?;
    /// assert!(brush.faces().all(|face| face.vertices.len() == 4));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn faces(&self) -> impl ExactSizeIterator<Item = BrushFace<'_>> {
        (0..self.planes.len()).map(|i| {
            let start = if i == 0 { 0 } else { self.ends[i - 1] };
            BrushFace { plane: self.planes[i], vertices: &self.loops[start..self.ends[i]] }
        })
    }

    /// The smallest box of `f32` bounds around the solid's bounds in `f64`; it contains the exact solid.
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// Whether `point` lies in the solid or on its surface, exactly for the stored planes; a NaN does not.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Brush, glam::Vec3};
    /// let brush = Brush::try_from(&Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?)?;
    /// assert!(brush.contains_point(Vec3::new(2.0, 1.0, 1.0)));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn contains_point(&self, point: Vec3) -> bool {
        self.aabb.contains_point(point) && self.planes.iter().all(|plane| !plane.is_before(point.as_dvec3()))
    }

    fn build(planes: Vec<BrushPlane>, field: &'static str) -> Result<Self, Error> {
        let Solid { planes, vertices, edges, loops, ends, bounds, slack } = build::solid(planes, field)?;
        let [min, max] = bounds;
        let lower = Vec3::from_array(min.to_array().map(|x| unit::round_down([x])));
        let upper = Vec3::from_array(max.to_array().map(|x| unit::round_up([x])));
        let aabb = Aabb::new(lower, upper).map_err(|_| Error::OutOfRange { field })?;
        Ok(Self { planes, vertices, edges, loops, ends, bounds, slack, aabb })
    }
}

impl BrushPlane {
    /// How far `point` lies outside of the plane, rounded; negative inside.
    ///
    /// ```
    /// # use cullide_narrowphase::{BrushPlane, glam::DVec3};
    /// assert_eq!(BrushPlane { normal: DVec3::Y, distance: 2.0 }.signed_distance(DVec3::ONE), -1.0);
    /// ```
    pub fn signed_distance(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.distance
    }

    /// Checked and normalised; a normal that is of unit length already is kept bit for bit, so that a brush survives a round
    /// trip.
    fn new(normal: DVec3, distance: f64) -> Result<Self, Error> {
        let length = unit::normal_length(normal, "normal")?;
        if !distance.is_finite() {
            return Err(Error::NonFinite { field: "distance" });
        }
        let is_unit = (normal.length_squared() - 1.0).abs() <= 4.0 * f64::EPSILON;
        let (normal, distance) = if is_unit { (normal, distance) } else { (normal / length, distance / length) };
        if distance.abs() > 2.0 * f64::from(unit::MAX_COORDINATE) {
            return Err(Error::OutOfRange { field: "distance" });
        }
        let tiny = normal.abs().cmplt(DVec3::splat(clip::SMALLEST_COMPONENT));
        Ok(Self { normal: DVec3::select(tiny, DVec3::ZERO, normal), distance: distance + 0.0 })
    }

    /// Through three points, clockwise when seen from outside.
    fn from_points(points: [DVec3; 3]) -> Result<Self, Error> {
        for point in points {
            if !point.is_finite() {
                return Err(Error::NonFinite { field: "triples" });
            }
            if point.abs().max_element() > f64::from(unit::MAX_COORDINATE) {
                return Err(Error::OutOfRange { field: "triples" });
            }
        }
        let [a, b, c] = points;
        // Scaled first, so that a normal neither overflows nor underflows.
        let size = (b - a).abs().max((c - a).abs()).max_element();
        let (ab, ac) = ((b - a) / size, (c - a) / size);
        let normal = ac.cross(ab);
        // Within the rounding of the cross product, the points lie in a line.
        if size == 0.0 || normal.length() <= 4.0 * f64::EPSILON * ab.length() * ac.length() {
            return Err(Error::ZeroNormal { field: "triples" });
        }
        let normal = normal.normalize();
        Self::new(normal, normal.dot(a))
    }

    /// The axis and the sign of an axial normal.
    fn axis(&self) -> Option<(usize, f64)> {
        (0..3).find(|&axis| self.normal[axis].abs() == 1.0).map(|axis| (axis, self.normal[axis]))
    }

    /// The axis of an axial plane, and its coordinate there.
    fn axial(&self) -> Option<(usize, f64)> {
        self.axis().map(|(axis, sign)| (axis, sign * self.distance + 0.0))
    }

    /// Whether `point` lies strictly outside, exactly.
    pub(crate) fn is_before(&self, point: DVec3) -> bool {
        let products = self.normal * point;
        let distance = self.signed_distance(point);
        let magnitude = products.abs().element_sum() + self.distance.abs();
        if distance.abs() > 4.0 * f64::EPSILON * magnitude {
            return distance > 0.0;
        }
        let product = |axis: usize| Exact::sum(&[self.normal[axis]]).times(&Exact::sum(&[point[axis]]));
        let sum = product(0).plus(&product(1)).plus(&product(2)).minus(&Exact::sum(&[self.distance]));
        sum.sign() == Ordering::Greater
    }
}

/// The six sides of a box. Fails with [`Error::Empty`] for a flat one.
impl TryFrom<&Aabb> for Brush {
    type Error = Error;
    fn try_from(aabb: &Aabb) -> Result<Self, Error> {
        let (min, max) = (aabb.min().as_dvec3(), aabb.max().as_dvec3());
        let side = |i: usize| {
            let axis = i / 2;
            let sign = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
            let distance = if i.is_multiple_of(2) { max[axis] } else { -min[axis] };
            BrushPlane { normal: sign * DVec3::AXES[axis], distance }
        };
        Self::build((0..6).map(side).collect(), "aabb")
    }
}

/// The six sides of an oriented box. Fails with [`Error::Empty`] for a flat one.
impl TryFrom<&Obb> for Brush {
    type Error = Error;
    fn try_from(obb: &Obb) -> Result<Self, Error> {
        let center = obb.center().as_dvec3();
        let sides = obb
            .slabs()
            .into_iter()
            .flat_map(|(axis, reach)| [axis, -axis].map(|normal| BrushPlane::new(normal, normal.dot(center) + reach)));
        Self::build(sides.collect::<Result<_, _>>()?, "obb")
    }
}

#[cfg(test)]
mod tests;
