//! An infinite plane, which is also the boundary of a half-space.

use crate::{
    Error,
    arrays::Mapped,
    exact::{unit, vector},
};
use glam::{DVec3, Vec3};

/// The plane `normal · p + d = 0` with a unit normal. Its **front**, where the signed distance is positive, is the
/// allowed side: above a floor, inside a frustum.
///
/// Normalisation happens in `f64` and is rounded once; a normal that is already of unit length to `f32` accuracy is
/// kept bit for bit.
///
/// Christopoulos, "Collision detection tutorial", writes the same plane as `n · X = −d`, see
/// [`Plane::from_normal_distance`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Raw", into = "Raw"))]
pub struct Plane {
    normal: Vec3,
    d: f32,
}

impl Plane {
    /// Creates the plane with coefficients `(normal, d)`, both divided by the length of `normal`.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::ZeroNormal`], or [`Error::OutOfRange`] for a normal longer than 2^60 or shorter
    /// than 2^-60 and for a plane beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE).
    ///
    /// ```
    /// # use cullide_narrowphase::{Plane, glam::Vec3};
    /// let plane = Plane::new(Vec3::new(0.0, 2.0, 0.0), -6.0)?;
    /// assert_eq!((plane.normal(), plane.d()), (Vec3::Y, -3.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn new(normal: Vec3, d: f32) -> Result<Self, Error> {
        let length = unit::normal_length(normal.as_dvec3(), "normal")?;
        if !d.is_finite() {
            return Err(Error::NonFinite { field: "d" });
        }
        // A stored unit normal is off by up to 2 u in length²: keep it, so that a plane survives a round trip.
        if (length * length - 1.0).abs() <= 2.0 * f64::from(f32::EPSILON) {
            return Ok(Self { normal: normal + Vec3::ZERO, d: unit::coordinate(d, "d")? + 0.0 });
        }
        let d = (f64::from(d) / length) as f32;
        let normal = (normal.as_dvec3() / length).as_vec3();
        Ok(Self {
            normal: normal + Vec3::ZERO,
            d: unit::coordinate(d, "d").map_err(|_| Error::OutOfRange { field: "d" })? + 0.0,
        })
    }

    /// Creates the plane through `point`, facing along `normal`.
    ///
    /// # Errors
    /// As [`Plane::new`], and [`Error::OutOfRange`] for a point beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE).
    ///
    /// ```
    /// # use cullide_narrowphase::{Plane, glam::Vec3};
    /// let shelf = Plane::from_point_normal(Vec3::new(7.0, 2.0, 1.0), Vec3::Y)?;
    /// assert_eq!(shelf.signed_distance(Vec3::new(0.0, 5.0, 0.0)), 3.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn from_point_normal(point: Vec3, normal: Vec3) -> Result<Self, Error> {
        let point = unit::coordinates(point, "point")?;
        Self::new(normal, 0.0)?.through(point)
    }

    /// Creates the plane through three points that run counter-clockwise when seen from the front.
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::OutOfRange`] for a bad point, [`Error::ZeroNormal`] when the points are
    /// collinear.
    ///
    /// ```
    /// # use cullide_narrowphase::{Plane, glam::Vec3};
    /// let plane = Plane::from_points(Vec3::X, Vec3::Y, Vec3::Z)?;
    /// assert!(plane.signed_distance(Vec3::ONE) > 0.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn from_points(a: Vec3, b: Vec3, c: Vec3) -> Result<Self, Error> {
        let a = unit::coordinates(a, "a")?;
        let (b, c) = (unit::coordinates(b, "b")?.as_dvec3(), unit::coordinates(c, "c")?.as_dvec3());
        let (ab, ac) = (b - a.as_dvec3(), c - a.as_dvec3());
        // Scaled first, so that points 1e-30 apart span a plane as well as points 1e9 apart.
        let normal = unit::unit(scaled(ab).cross(scaled(ac)));
        if normal == Vec3::ZERO {
            return Err(Error::ZeroNormal { field: "a, b, c" });
        }
        Self { normal, d: 0.0 }.through(a)
    }

    /// Creates the plane `normal · p = distance`, which lies at `distance` from the origin along `normal` (`d` has
    /// the opposite sign). Both are divided by the length of `normal`.
    ///
    /// # Errors
    /// As [`Plane::new`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Plane, glam::Vec3};
    /// assert_eq!(Plane::from_normal_distance(Vec3::Z, 4.0)?.d(), -4.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn from_normal_distance(normal: Vec3, distance: f32) -> Result<Self, Error> {
        Self::new(normal, -distance).map_err(|error| match error {
            Error::NonFinite { field: "d" } => Error::NonFinite { field: "distance" },
            Error::OutOfRange { field: "d" } => Error::OutOfRange { field: "distance" },
            other => other,
        })
    }

    /// Returns the unit normal, pointing to the front.
    pub fn normal(&self) -> Vec3 {
        self.normal
    }

    /// Returns the signed distance of the origin from the plane.
    pub fn d(&self) -> f32 {
        self.d
    }

    /// Returns `normal · point + d`, rounded once: positive in front.
    ///
    /// ```
    /// # use cullide_narrowphase::{Plane, glam::Vec3};
    /// assert_eq!(Plane::new(Vec3::Y, -1.0)?.signed_distance(Vec3::ZERO), -1.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn signed_distance(&self, point: Vec3) -> f32 {
        self.distance(point.as_dvec3()) as f32
    }

    /// Returns the point of the plane nearest to `point`.
    ///
    /// ```
    /// # use cullide_narrowphase::{Plane, glam::Vec3};
    /// assert_eq!(Plane::new(Vec3::Y, -1.0)?.closest_point(Vec3::new(2.0, 9.0, 3.0)), Vec3::new(2.0, 1.0, 3.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn closest_point(&self, point: Vec3) -> Vec3 {
        let (point, normal) = (point.as_dvec3(), self.normal.as_dvec3());
        (point - normal * (self.distance(point) / normal.length_squared())).as_vec3()
    }

    /// Returns the same plane seen from behind.
    ///
    /// ```
    /// # use cullide_narrowphase::{Plane, glam::Vec3};
    /// let floor = Plane::new(Vec3::Y, -1.0)?;
    /// assert_eq!(floor.flipped().signed_distance(Vec3::ZERO), 1.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[must_use]
    pub fn flipped(&self) -> Self {
        Self { normal: Vec3::ZERO - self.normal, d: 0.0 - self.d }
    }

    /// Returns the one point that three planes share, or `None` when two are parallel, all three are parallel to a common
    /// line, or the point is out of the range of coordinates. The determinant is compared with its own rounding error, so the result does not depend on the unit
    /// of length.
    ///
    /// ```
    /// # use cullide_narrowphase::{Plane, glam::Vec3};
    /// let [x, y, z] = [Plane::new(Vec3::X, -3.0)?, Plane::new(Vec3::Y, -2.0)?, Plane::new(Vec3::Z, -4.0)?];
    /// assert_eq!(Plane::corner(&x, &y, &z), Some(Vec3::new(3.0, 2.0, 4.0)));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn corner(a: &Self, b: &Self, c: &Self) -> Option<Vec3> {
        let corner = corner([a, b, c].mapped(|p| (p.normal.as_dvec3(), f64::from(p.d))))?.as_vec3();
        unit::coordinates(corner, "corner").ok()
    }

    /// `normal · point + d` in `f64`.
    pub(crate) fn distance(&self, point: DVec3) -> f64 {
        self.normal.as_dvec3().dot(point) + f64::from(self.d)
    }

    /// The plane with `f64` coefficients, normalised and rounded once. The errors name `field`.
    pub(crate) fn from_wide(normal: DVec3, d: f64, field: &'static str) -> Result<Self, Error> {
        let length = unit::normal_length(normal, field)?;
        let d = unit::coordinate((d / length) as f32, field).map_err(|_| Error::OutOfRange { field })?;
        Ok(Self { normal: (normal / length).as_vec3() + Vec3::ZERO, d: d + 0.0 })
    }

    /// The parallel plane through `point`.
    fn through(self, point: Vec3) -> Result<Self, Error> {
        let d = -self.normal.as_dvec3().dot(point.as_dvec3());
        Self::new(self.normal, d as f32).map_err(|_| Error::OutOfRange { field: "point" })
    }
}

/// The common point of three planes `(normal, d)`, by Cramer's rule; `None` when the determinant is rounding noise.
pub(crate) fn corner(planes: [(DVec3, f64); 3]) -> Option<DVec3> {
    let [(n0, d0), (n1, d1), (n2, d2)] = planes;
    let determinant = vector::determinant(n0, n1, n2);
    let noise = 16.0 * f64::EPSILON * n0.length() * n1.length() * n2.length();
    if determinant.abs() <= noise {
        return None;
    }
    Some(-(n1.cross(n2) * d0 + n2.cross(n0) * d1 + n0.cross(n1) * d2) / determinant)
}

/// `v` divided by its largest magnitude, or zero.
fn scaled(v: DVec3) -> DVec3 {
    let size = v.abs().max_element();
    if size > 0.0 { v / size } else { v }
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Raw {
    normal: Vec3,
    d: f32,
}

#[cfg(feature = "serde")]
impl TryFrom<Raw> for Plane {
    type Error = Error;
    fn try_from(raw: Raw) -> Result<Self, Error> {
        Self::new(raw.normal, raw.d)
    }
}

#[cfg(feature = "serde")]
impl From<Plane> for Raw {
    fn from(plane: Plane) -> Self {
        Self { normal: plane.normal, d: plane.d }
    }
}
