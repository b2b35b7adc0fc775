//! The cylinder, which may taper to a cone.

use crate::{Aabb, Convex, ConvexCore, Error, MAX_COORDINATE, Moments, arrays::Mapped, exact::unit, exact::vector};
use glam::{DMat3, DVec3, Vec3};
use std::f64::consts::PI;

/// The solid around a segment between two discs across it: a cylinder, or with radii that differ a truncated cone, or
/// with one of zero a cone. Both radii may be zero; the segment has a length, as it tells how the discs lie.
///
/// It stores the middle of the segment and the vector from there to its second end, `center ± half_axis`, so that a
/// moving cylinder keeps its shape bit for bit, as a [`Capsule`](crate::Capsule) does. The bottom is at the first end,
/// the top at the second.
///
/// Rays, points and planes are answered in closed form in `f64`: the surface is where it should be to within 2^-40 of
/// the largest coordinate, and what touches within that may count as touching or not. Whatever concerns a second shape
/// is answered by [`Cylinder::core`] to within 2^-26 of the largest coordinate.
///
/// ```
/// use cullide_narrowphase::{Cylinder, Ray, Solid, glam::Vec3};
/// let can = Cylinder::new(Vec3::ZERO, Vec3::Y * 3.0, 1.0)?;
/// let hit = Ray::new(Vec3::new(9.0, 1.0, 0.0), Vec3::NEG_X)?.cast(&can, f32::INFINITY).unwrap();
/// assert_eq!((hit.distance, hit.normal), (8.0, Vec3::X));
/// // A cone with its tip up.
/// let tent = Cylinder::cone(Vec3::ZERO, Vec3::Y * 4.0, 2.0)?;
/// assert!(tent.contains_point(Vec3::new(1.0, 2.0, 0.0)) && !tent.contains_point(Vec3::new(1.0, 2.1, 0.0)));
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[doc(alias = "cone")]
#[doc(alias = "frustum")]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Raw", into = "Raw"))]
pub struct Cylinder {
    center: Vec3,
    half_axis: Vec3,
    radii: [f32; 2],
}

impl Cylinder {
    /// Creates the cylinder around the segment from `a` to `b`. The centre and the half axis are rounded to `f32` once
    /// each.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`], [`Error::Negative`] for the radius, [`Error::ZeroDirection`] if the
    /// points are the same.
    ///
    /// ```
    /// # use cullide_narrowphase::{Cylinder, Error, glam::Vec3};
    /// let can = Cylinder::new(Vec3::Y, Vec3::Y * 3.0, 0.5)?;
    /// assert_eq!((can.center(), can.half_axis(), can.radii()), (Vec3::Y * 2.0, Vec3::Y, [0.5; 2]));
    /// assert_eq!(Cylinder::new(Vec3::X, Vec3::X, 0.5), Err(Error::ZeroDirection { field: "half_axis" }));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(a: Vec3, b: Vec3, radius: f32) -> Result<Self, Error> {
        Self::tapered(a, b, [radius; 2])
    }

    /// Creates the cone on a disc around `base`, with its tip at `tip`.
    ///
    /// # Errors
    /// As [`Cylinder::new`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Cylinder, glam::Vec3};
    /// assert_eq!(Cylinder::cone(Vec3::ZERO, Vec3::Y * 4.0, 2.0)?.radii(), [2.0, 0.0]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn cone(base: Vec3, tip: Vec3, radius: f32) -> Result<Self, Error> {
        Self::tapered(base, tip, [radius, 0.0])
    }

    /// Creates the truncated cone between a disc around `a` and one around `b`, with these radii.
    ///
    /// # Errors
    /// As [`Cylinder::new`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Cylinder, Solid, glam::Vec3};
    /// let bucket = Cylinder::tapered(Vec3::ZERO, Vec3::Y * 2.0, [1.0, 2.0])?;
    /// assert!(bucket.contains_point(Vec3::new(1.5, 1.0, 0.0)) && !bucket.contains_point(Vec3::new(1.6, 1.0, 0.0)));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn tapered(a: Vec3, b: Vec3, radii: [f32; 2]) -> Result<Self, Error> {
        let [a, b] = [unit::coordinates(a, "a")?.as_dvec3(), unit::coordinates(b, "b")?.as_dvec3()];
        Self::from_half_axis((0.5 * (a + b)).as_vec3(), (0.5 * (b - a)).as_vec3(), radii)
    }

    /// Creates the cylinder or truncated cone around the segment `center ± half_axis`, with the radii of its bottom and
    /// its top.
    ///
    /// # Errors
    /// As [`Cylinder::new`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Cylinder, glam::Vec3};
    /// let can = Cylinder::from_half_axis(Vec3::Y * 2.0, Vec3::Y, [0.5; 2])?;
    /// assert_eq!(can, Cylinder::new(Vec3::Y, Vec3::Y * 3.0, 0.5)?);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn from_half_axis(center: Vec3, half_axis: Vec3, radii: [f32; 2]) -> Result<Self, Error> {
        let center = unit::coordinates(center, "center")? + Vec3::ZERO;
        let half_axis = unit::coordinates(half_axis, "half_axis")? + Vec3::ZERO;
        let radii = [unit::length(radii[0], "radius")?, unit::length(radii[1], "radius")?];
        if half_axis == Vec3::ZERO {
            return Err(Error::ZeroDirection { field: "half_axis" });
        }
        let reach = center.as_dvec3().abs() + half_axis.as_dvec3().abs() + f64::from(radii[0].max(radii[1]));
        if reach.max_element() > MAX_COORDINATE.into() {
            return Err(Error::OutOfRange { field: "radius" });
        }
        Ok(Self { center, half_axis, radii })
    }

    /// Returns the middle of the segment; of a cone, this is not its centre of mass.
    pub fn center(&self) -> Vec3 {
        self.center
    }

    /// Returns the vector from the middle of the segment to the middle of the top.
    pub fn half_axis(&self) -> Vec3 {
        self.half_axis
    }

    /// Returns the radii of the bottom and of the top.
    pub fn radii(&self) -> [f32; 2] {
        self.radii
    }

    /// Returns the middle of the bottom and that of the top, rounded.
    ///
    /// ```
    /// # use cullide_narrowphase::{Cylinder, glam::Vec3};
    /// assert_eq!(Cylinder::new(Vec3::Y, Vec3::X * 3.0, 1.0)?.ends(), [Vec3::Y, Vec3::X * 3.0]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn ends(&self) -> [Vec3; 2] {
        [self.center - self.half_axis + Vec3::ZERO, self.center + self.half_axis + Vec3::ZERO]
    }

    /// Returns a box of `f32` bounds around it: the smallest if its axis is along a coordinate axis, otherwise at most
    /// two steps of `f32` larger.
    ///
    /// ```
    /// # use cullide_narrowphase::{Cylinder, glam::Vec3};
    /// let aabb = Cylinder::cone(Vec3::ZERO, Vec3::X * 3.0, 1.0)?.aabb();
    /// assert_eq!((aabb.min(), aabb.max()), (Vec3::new(0.0, -1.0, -1.0), Vec3::new(3.0, 1.0, 1.0)));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn aabb(&self) -> Aabb {
        let profile = self.profile();
        // How far a disc of radius 1 reaches along each coordinate axis.
        let [x, y, z] = profile.axis.to_array();
        let disc =
            DVec3::new(DVec3::new(y, z, 0.0).length(), DVec3::new(x, z, 0.0).length(), DVec3::new(x, y, 0.0).length());
        let is_along = profile.axis.abs().max_element() == 1.0;
        let size = profile.center.abs() + profile.half_axis().abs() + profile.radii[0].max(profile.radii[1]);
        let margin = if is_along { DVec3::ZERO } else { size * (1.0 / (1u64 << 48) as f64) };
        let ends = [(-1.0, profile.radii[0]), (1.0, profile.radii[1])];
        let upper = |sign: f64, i: usize| {
            let along = |&(end, radius): &(f64, f64)| end * sign * profile.half_axis()[i] + radius * disc[i];
            let reach = ends.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
            unit::round_up(&[sign * profile.center[i], reach, margin[i]])
        };
        let (min, max) = ([0, 1, 2].mapped(|i| -upper(-1.0, i)), [0, 1, 2].mapped(|i| upper(1.0, i)));
        let limit = Vec3::splat(MAX_COORDINATE);
        let [min, max] = [Vec3::from(min).max(-limit), Vec3::from(max).min(limit)];
        Aabb::new(min, max).expect("the constructor has checked the bounds")
    }

    /// Returns it as the queries of two convexes take it: sweeps, distances, depths and overlaps.
    ///
    /// ```
    /// # use cullide_narrowphase::{Cylinder, glam::Vec3};
    /// let [low, high] = [0.0, 5.0].map(|y| Cylinder::new(Vec3::Y * y, Vec3::Y * (y + 2.0), 1.0).unwrap().core());
    /// assert!((high.distance(&low).separation - 3.0).abs() < 1e-6);
    /// ```
    pub fn core(&self) -> ConvexCore {
        Convex::from(*self).core()
    }

    /// Returns its volume, centre of mass and inertia at density 1, in closed form. For a segment, with radii of zero,
    /// volume and inertia are zero.
    ///
    /// ```
    /// # use cullide_narrowphase::{Cylinder, glam::{DVec3, Vec3}};
    /// let cone = Cylinder::cone(Vec3::ZERO, Vec3::Y * 4.0, 2.0)?.moments();
    /// assert!((cone.volume - 16.0 * std::f64::consts::PI / 3.0).abs() < 1e-12 && cone.center == DVec3::Y);
    /// // About its axis: 3/10 m r².
    /// assert!((cone.inertia.y_axis.y - 0.3 * cone.volume * 4.0).abs() < 1e-12);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn moments(&self) -> Moments {
        let Profile { center, axis, half, radii: [a, b] } = self.profile();
        let (mean, rise) = (0.5 * (a + b), 0.5 * (b - a));
        let (square, tilt) = (mean * mean, rise * rise);
        let volume = 2.0 * PI * half * (square + tilt / 3.0);
        let offset = self.offset_of_mass();
        let about = PI * half * (a * a * (a * a + a * b) + b * b * (b * b + a * b) + a * a * b * b) / 5.0;
        let along = 2.0 * PI * half * half * half * (square / 3.0 + tilt / 5.0) - volume * offset * offset;
        let across = 0.5 * about + along;
        let along_axis = DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
        let inertia = DMat3::from_diagonal(DVec3::splat(across)) + along_axis * (about - across);
        Moments { volume, center: center + axis * offset, inertia }
    }

    /// Returns how far along a direction its farthest point is, times the length of the direction.
    ///
    /// ```
    /// # use cullide_narrowphase::{Cylinder, glam::{DVec3, Vec3}};
    /// let can = Cylinder::new(Vec3::ZERO, Vec3::Y * 3.0, 1.0)?;
    /// assert_eq!([DVec3::Y, DVec3::X * 2.0, DVec3::NEG_Y].map(|n| can.reach(n)), [3.0, 2.0, 0.0]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn reach(&self, direction: DVec3) -> f64 {
        let profile = self.profile();
        let (along, across) = profile.split(direction);
        let (along, across) = (along * profile.half, across.length());
        let [a, b] = profile.radii;
        direction.dot(profile.center) + (across * a - along).max(across * b + along) + 0.0
    }

    /// Returns the radius of the largest ball inside.
    ///
    /// ```
    /// # use cullide_narrowphase::{Cylinder, glam::Vec3};
    /// assert_eq!(Cylinder::new(Vec3::ZERO, Vec3::Y * 3.0, 1.0)?.inner_radius(), 1.0);
    /// assert_eq!(Cylinder::new(Vec3::ZERO, Vec3::Y * 3.0, 9.0)?.inner_radius(), 1.5);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn inner_radius(&self) -> f64 {
        let profile = self.profile();
        // The distance of a point of the axis from the side, where it is at the middle and per unit of height.
        let slope = profile.slope().abs();
        let lean = 1.0 / (1.0 + slope * slope).sqrt();
        let middle = 0.5 * (profile.radii[0] + profile.radii[1]) * lean;
        // Toward the larger disc, to where that is as near as the side.
        let height = ((profile.half - middle) / (1.0 + slope * lean)).max(0.0);
        if slope == 0.0 { middle.min(profile.half) } else { profile.half - height }
    }

    /// Returns the radius with which it rolls on something that touches it along a unit `normal`; 0 where it touches with
    /// a disc. For a cone it is that in the middle of its side.
    ///
    /// ```
    /// # use cullide_narrowphase::{Cylinder, glam::{DVec3, Vec3}};
    /// let can = Cylinder::new(Vec3::ZERO, Vec3::Y * 3.0, 1.0)?;
    /// assert_eq!([DVec3::X, DVec3::Y].map(|normal| can.rolling_radius(normal)), [1.0, 0.0]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn rolling_radius(&self, normal: DVec3) -> f64 {
        let profile = self.profile();
        let (along, across) = profile.split(normal);
        let (slope, across) = (profile.slope(), across.length());
        let lean = (1.0 + slope * slope).sqrt();
        // Whether the line along the side faces the normal more than the discs do, on either side of the body.
        let is_on_side = along.abs() * lean <= across + along.abs() * slope.abs();
        if is_on_side { 0.5 * (profile.radii[0] + profile.radii[1]) * lean } else { 0.0 }
    }

    /// Returns the distance from a point to the point of the cylinder that is farthest from it.
    ///
    /// ```
    /// # use cullide_narrowphase::{Cylinder, glam::{DVec3, Vec3}};
    /// assert_eq!(Cylinder::new(Vec3::ZERO, Vec3::Y * 3.0, 1.0)?.farthest_from(DVec3::new(3.0, 0.0, 0.0)), 5.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn farthest_from(&self, point: DVec3) -> f64 {
        let profile = self.profile();
        let (height, across) = profile.split(point - profile.center);
        let of = |end: f64, radius: f64| DVec3::new(height - end, across.length() + radius, 0.0).length();
        of(-profile.half, profile.radii[0]).max(of(profile.half, profile.radii[1]))
    }

    /// How far its centre of mass is from the middle of the segment, toward the top.
    pub(crate) fn offset_of_mass(&self) -> f64 {
        let Profile { half, radii: [a, b], .. } = self.profile();
        let (mean, rise) = (0.5 * (a + b), 0.5 * (b - a));
        if rise == 0.0 { 0.0 } else { 2.0 * half * mean * rise / (3.0 * mean * mean + rise * rise) }
    }

    /// The same in `f64`, as seen from its axis.
    pub(crate) fn profile(&self) -> Profile {
        let half_axis = self.half_axis.as_dvec3();
        let half = half_axis.length();
        let radii = self.radii.mapped(f64::from);
        // Divided, so that an axis along a coordinate axis is exactly that.
        Profile { center: self.center.as_dvec3(), axis: half_axis / half, half, radii }
    }
}

/// A cylinder as seen from its axis: by heights over the middle, and distances from the axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Profile {
    pub(crate) center: DVec3,
    /// Unit vector from the bottom to the top.
    pub(crate) axis: DVec3,
    pub(crate) half: f64,
    pub(crate) radii: [f64; 2],
}

impl Profile {
    pub(crate) fn half_axis(&self) -> DVec3 {
        self.axis * self.half
    }

    /// How much the radius grows per unit of height.
    pub(crate) fn slope(&self) -> f64 {
        (self.radii[1] - self.radii[0]) / (2.0 * self.half)
    }

    /// The radius at a height.
    pub(crate) fn radius_at(&self, height: f64) -> f64 {
        if self.radii[0] == self.radii[1] {
            return self.radii[0];
        }
        // From the nearer end, so that it is exact there.
        let end = if height < 0.0 { 0 } else { 1 };
        let way = if end == 0 { height + self.half } else { height - self.half };
        self.radii[end] + self.slope() * way
    }

    /// The height of a vector, and the rest of it, across the axis: exactly zero for one along the axis.
    pub(crate) fn split(&self, v: DVec3) -> (f64, DVec3) {
        (v.dot(self.axis), self.axis.cross(v).cross(self.axis))
    }

    /// The signed distance of a point from the surface, negative inside, and the nearest point of the surface.
    ///
    /// In the half plane from the axis through the point, the surface is three segments: bottom, side and top.
    pub(crate) fn nearest(&self, point: DVec3) -> (f64, DVec3) {
        let (height, across) = self.split(point - self.center);
        let radius = across.length();
        let ([a, b], half) = (self.radii, self.half);
        let outline = [[-half, 0.0], [-half, a], [half, b], [half, 0.0]];
        let mut best = (f64::INFINITY, [0.0; 2]);
        for ends in outline.windows(2) {
            let [p, q] = [ends[0], ends[1]];
            let way = [q[0] - p[0], q[1] - p[1]];
            let square = way[0] * way[0] + way[1] * way[1];
            let along = (height - p[0]) * way[0] + (radius - p[1]) * way[1];
            let share = if square > 0.0 { (along / square).clamp(0.0, 1.0) } else { 0.0 };
            let at = if share < 1.0 { [p[0] + way[0] * share, p[1] + way[1] * share] } else { q };
            let distance = DVec3::new(height - at[0], radius - at[1], 0.0).length();
            if distance < best.0 {
                best = (distance, at);
            }
        }
        let (distance, [at, out]) = best;
        let sideways = vector::try_normalized(across).unwrap_or_else(|| vector::perpendicular(self.axis));
        let nearest = self.center + self.axis * at + sideways * out;
        (if self.contains(height, radius) { -distance } else { distance }, nearest)
    }

    /// Whether a point at this height and this far from the axis is inside or on the surface.
    pub(crate) fn contains(&self, height: f64, radius: f64) -> bool {
        height.abs() <= self.half && radius <= self.radius_at(height)
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Raw {
    center: Vec3,
    half_axis: Vec3,
    radii: [f32; 2],
}

#[cfg(feature = "serde")]
impl TryFrom<Raw> for Cylinder {
    type Error = Error;
    fn try_from(raw: Raw) -> Result<Self, Error> {
        Self::from_half_axis(raw.center, raw.half_axis, raw.radii)
    }
}

#[cfg(feature = "serde")]
impl From<Cylinder> for Raw {
    fn from(cylinder: Cylinder) -> Self {
        Self { center: cylinder.center, half_axis: cylinder.half_axis, radii: cylinder.radii }
    }
}

#[cfg(test)]
pub(crate) mod tests;
