//! The convex hull of points.
//!
//! Reading order: this file; [`simplex`], where to start; [`quickhull`], the triangles; [`polytope`], the faces.

mod polytope;
mod quickhull;
mod simplex;

pub(super) use polytope::edges;

use crate::{
    Aabb, Brush, BrushEdge, BrushFace, Error,
    exact::unit,
    shape::brush::{Topology, build::BrushGeometry},
};
use glam::Vec3;

/// The maximum number of points, 2^30: all points and triangles can then be numbered in 32 bits.
const MAX_POINTS: usize = 1 << 30;

/// The convex hull of points: the smallest convex solid that contains them all. It is closed and has an interior.
///
/// Its vertices are a subset of the given `f32` points, and all else follows from them: every decision about what is a
/// face, an edge or a vertex is exact. It answers queries as a [`Brush`] ([`Hull::solid`]), whose planes are rounded to
/// `f64`; [`Brush::planes`] says what stays exact, and how far the rest may be off.
///
/// Vertices are sorted by x, then y, then z, so points in another order give the same hull, bit for bit.
///
/// ```
/// use cullide_narrowphase::{Hull, Ray, glam::Vec3};
/// let tetrahedron = [Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0, Vec3::Z * 5.0];
/// let hull = Hull::new(&[&tetrahedron[..], &[Vec3::splat(0.5), Vec3::X]].concat())?;
/// assert_eq!((hull.vertices().len(), hull.faces().len(), hull.dropped()), (4, 4, 2));
/// let ray = Ray::new(Vec3::new(-4.0, 0.5, 0.5), Vec3::X)?;
/// assert_eq!(ray.cast(hull.solid(), f32::INFINITY).unwrap().distance, 4.0);
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Vec<Vec3>", into = "Vec<Vec3>"))]
pub struct Hull {
    solid: Brush,
    dropped: usize,
}

impl Hull {
    /// Creates the hull of `points`, in any order and with repetitions. Faces that
    /// lie exactly in one plane are one face; points inside the hull, a face or an edge are dropped.
    ///
    /// The time grows as `n log n`: a million points in a ball take about half a second.
    ///
    /// # Errors
    /// [`Error::TooFew`] below four points, [`Error::TooMany`] beyond 2^30, [`Error::NonFinite`],
    /// [`Error::OutOfRange`]; where they span no solid, decided exactly, [`Error::Coincident`], [`Error::Collinear`] or
    /// [`Error::Coplanar`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Error, Hull, glam::Vec3};
    /// let square = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0)];
    /// assert_eq!(Hull::new(&square), Err(Error::Coplanar { field: "points" }));
    /// let apex = Vec3::new(0.5, 0.5, 1e-30);
    /// assert_eq!(Hull::new(&[&square[..], &[apex]].concat())?.faces().len(), 5);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(points: &[Vec3]) -> Result<Self, Error> {
        let solid = Brush::of_points(points, "points")?;
        let dropped = points.len() - solid.vertices().len();
        Ok(Self { solid, dropped })
    }

    /// Returns the vertices, a subset of the given points, sorted by x, then y, then z.
    ///
    /// ```
    /// # use cullide_narrowphase::{Hull, glam::Vec3};
    /// let hull = Hull::new(&[Vec3::X, Vec3::Y, Vec3::ZERO, Vec3::splat(0.1), Vec3::Z])?;
    /// assert!(hull.vertices().eq([Vec3::ZERO, Vec3::Z, Vec3::Y, Vec3::X]));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn vertices(&self) -> impl ExactSizeIterator<Item = Vec3> {
        self.solid.vertices().iter().map(|vertex| vertex.as_vec3())
    }

    /// Returns the edges, in the order of their vertices.
    pub fn edges(&self) -> &[BrushEdge] {
        self.solid.edges()
    }

    /// Returns the faces, in the order of their vertices: convex polygons, counter-clockwise when seen from outside.
    pub fn faces(&self) -> impl ExactSizeIterator<Item = BrushFace<'_>> {
        self.solid.faces()
    }

    /// Returns how many of the given points are not vertices, counting every repetition; 0 for a hull that was loaded.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// Returns the smallest box around the hull, exactly.
    pub fn aabb(&self) -> Aabb {
        self.solid.aabb()
    }

    /// Returns the volume, in `f64`.
    ///
    /// ```
    /// # use cullide_narrowphase::{Hull, glam::Vec3};
    /// let hull = Hull::new(&[Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0, Vec3::Z * 5.0])?;
    /// assert_eq!(hull.volume(), 5.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn volume(&self) -> f64 {
        let vertices = self.solid.vertices();
        // Tetrahedra from one vertex to triangles of all faces; those of its own faces are flat.
        let apex = vertices[0];
        let pyramid = |face: BrushFace| -> f64 {
            let at = |i: usize| vertices[face.vertices[i]] - apex;
            (2..face.vertices.len()).map(|i| at(0).dot(at(i - 1).cross(at(i)))).sum()
        };
        self.solid.faces().map(pyramid).sum::<f64>() / 6.0
    }

    /// Returns the hull as a convex solid that answers every query.
    pub fn solid(&self) -> &Brush {
        &self.solid
    }
}

/// Compares the solids, not how many points were dropped.
impl PartialEq for Hull {
    fn eq(&self, other: &Self) -> bool {
        self.solid == other.solid
    }
}

impl From<Hull> for Brush {
    fn from(hull: Hull) -> Self {
        hull.solid
    }
}

impl From<Hull> for Vec<Vec3> {
    fn from(hull: Hull) -> Self {
        hull.vertices().collect()
    }
}

impl TryFrom<Vec<Vec3>> for Hull {
    type Error = Error;
    fn try_from(points: Vec<Vec3>) -> Result<Self, Error> {
        Self::new(&points)
    }
}

/// The polytope around the points, and a bound on the error of its planes.
pub(in crate::shape) fn solid(points: &[Vec3], field: &'static str) -> Result<(BrushGeometry, Topology, f64), Error> {
    points.iter().try_for_each(|&point| unit::coordinates(point, field).map(|_| ()))?;
    if points.len() < 4 {
        return Err(Error::TooFew { field });
    }
    if points.len() > MAX_POINTS {
        return Err(Error::TooMany { field });
    }
    let simplex = simplex::simplex(points, field)?;
    let facets = quickhull::quickhull(points, simplex);
    Ok(polytope::polytope(points, &facets))
}

#[cfg(test)]
mod tests;
