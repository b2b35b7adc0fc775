//! Rays and segments, and what they report when they hit.

use crate::{Cast, Crossing, Error, HitFeature, Path, Plane, exact::unit};
use glam::Vec3;

/// A half-line: an origin and a unit direction. Hits are reported by **distance**.
///
/// The direction is normalised in `f64` and rounded once; components below 2^-126 become zero, so that their
/// reciprocals are finite.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "RawRay", into = "RawRay"))]
pub struct Ray {
    origin: Vec3,
    direction: Vec3,
}

impl Ray {
    /// Creates the ray from `origin` along `direction`, which may have any length except zero.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`] for an origin beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE),
    /// [`Error::ZeroDirection`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Error, Ray, glam::Vec3};
    /// assert_eq!(Ray::new(Vec3::ZERO, Vec3::X * 5.0)?.direction(), Vec3::X);
    /// assert_eq!(Ray::new(Vec3::ZERO, Vec3::ZERO), Err(Error::ZeroDirection { field: "direction" }));
    /// # Ok::<(), Error>(())
    /// ```
    #[inline]
    pub fn new(origin: Vec3, direction: Vec3) -> Result<Self, Error> {
        unit::coordinates(origin, "origin")?;
        // A direction that already has unit length is kept bit for bit, so that a ray survives a round trip.
        let is_unit = (direction.as_dvec3().length_squared() - 1.0).abs() <= 2.0 * f64::from(f32::EPSILON);
        let direction = if is_unit { direction } else { normalised(direction)? };
        Ok(Self { origin: origin + Vec3::ZERO, direction: unit::flush_tiny(direction) })
    }

    /// Returns where the ray starts.
    pub fn origin(&self) -> Vec3 {
        self.origin
    }

    /// Returns the unit direction.
    pub fn direction(&self) -> Vec3 {
        self.direction
    }

    /// Returns the point at `distance`, rounded once.
    ///
    /// ```
    /// # use cullide_narrowphase::{Ray, glam::Vec3};
    /// assert_eq!(Ray::new(Vec3::ONE, Vec3::X)?.at(2.0), Vec3::new(3.0, 1.0, 1.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn at(&self, distance: f32) -> Vec3 {
        (self.origin.as_dvec3() + self.direction.as_dvec3() * f64::from(distance)).as_vec3()
    }

    /// Returns the first touch of `shape` within `max_distance` (inclusive; may be infinite), or `None`. A negative or
    /// NaN `max_distance` gives `None`.
    ///
    /// A plane is hit from either side; see [`Ray::cast_front`] for one side only.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Ray, glam::Vec3};
    /// let ray = Ray::new(Vec3::new(-4.0, 1.0, 1.0), Vec3::X)?;
    /// let hit = ray.cast(&Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?, 100.0).unwrap();
    /// assert_eq!((hit.distance, hit.exit, hit.normal), (4.0, 6.0, Vec3::NEG_X));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn cast(&self, shape: &impl Cast, max_distance: f32) -> Option<RayIntersection> {
        let path = self.path(max_distance)?;
        shape.crossing(&path).map(|crossing| path.ray_intersection(crossing))
    }

    /// Returns whether [`Ray::cast`] would report a hit, without finding where.
    ///
    /// ```
    /// # use cullide_narrowphase::{Ray, Sphere, glam::Vec3};
    /// assert!(!Ray::new(Vec3::ZERO, Vec3::X)?.hits(&Sphere::new(Vec3::Y * 3.0, 2.0)?, f32::INFINITY));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn hits(&self, shape: &impl Cast, max_distance: f32) -> bool {
        self.path(max_distance).is_some_and(|path| shape.is_crossed(&path))
    }

    /// Returns the face, edge or vertex of a shape that the ray touches first, decided by exact signs; `None` for a
    /// miss, a start in the interior, and a shape that has no features. It costs more than a cast.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, HitFeature, Ray, glam::Vec3};
    /// let wall = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?;
    /// let feature = |y: f32| Ray::new(Vec3::new(-4.0, y, 1.0), Vec3::X).unwrap().entry_feature(&wall, 100.0);
    /// assert_eq!(feature(1.0), Some(HitFeature::Face(1)));
    /// assert_eq!(feature(3.0), Some(HitFeature::Edge([0b010, 0b110])));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn entry_feature(&self, shape: &impl Cast, max_distance: f32) -> Option<HitFeature> {
        self.path(max_distance).and_then(|path| shape.entry_feature(&path))
    }

    /// Casts the ray like [`Ray::cast`], but only hits if it starts in front of the plane (or on it) and heads for its
    /// back: back faces and rays along the plane miss.
    ///
    /// ```
    /// # use cullide_narrowphase::{Plane, Ray, glam::Vec3};
    /// let floor = Plane::new(Vec3::Y, 0.0)?;
    /// assert!(Ray::new(Vec3::Y, Vec3::NEG_Y)?.cast_front(&floor, 1.0).is_some());
    /// assert!(Ray::new(Vec3::NEG_Y, Vec3::Y)?.cast_front(&floor, 1.0).is_none());
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn cast_front(&self, plane: &Plane, max_distance: f32) -> Option<RayIntersection> {
        let path = self.path(max_distance)?;
        plane.front_crossing(&path).map(|crossing| path.ray_intersection(crossing))
    }

    /// Returns the points of the ray up to `max_distance`; `None` when that is negative or NaN.
    #[inline]
    pub fn path(&self, max_distance: f32) -> Option<Path> {
        (max_distance >= 0.0).then(|| Path::new(self.origin, self.direction, max_distance))
    }
}

/// The unit vector along a direction, computed in `f64`.
fn normalised(direction: Vec3) -> Result<Vec3, Error> {
    if !direction.is_finite() {
        Err(Error::NonFinite { field: "direction" })
    } else if direction == Vec3::ZERO {
        Err(Error::ZeroDirection { field: "direction" })
    } else {
        let direction = direction.as_dvec3();
        Ok((direction / direction.length()).as_vec3())
    }
}

/// The points `start + fraction · delta` for fractions in `[0, 1]`. A zero `delta` is a point query.
///
/// The delta itself is stored, not a direction and a length, whose product would miss the end (the tutorial code of
/// `CPlane` multiplies them). Components of the delta below 2^-126 become zero.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "RawSegment", into = "RawSegment"))]
pub struct Segment {
    start: Vec3,
    delta: Vec3,
}

impl Segment {
    /// Creates the segment from `start` to `start + delta`.
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::OutOfRange`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Segment, glam::Vec3};
    /// assert_eq!(Segment::new(Vec3::ONE, Vec3::X)?.end(), Vec3::new(2.0, 1.0, 1.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[inline]
    pub fn new(start: Vec3, delta: Vec3) -> Result<Self, Error> {
        unit::coordinates(start, "start")?;
        unit::coordinates(delta, "delta")?;
        Ok(Self { start: start + Vec3::ZERO, delta: unit::flush_tiny(delta) })
    }

    /// Creates the segment from `start` to `end`; the stored delta is their difference, rounded once.
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::OutOfRange`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Segment, glam::Vec3};
    /// assert_eq!(Segment::between(Vec3::X, Vec3::Y)?.delta(), Vec3::new(-1.0, 1.0, 0.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn between(start: Vec3, end: Vec3) -> Result<Self, Error> {
        let end = unit::coordinates(end, "end")?;
        Self::new(start, end - unit::coordinates(start, "start")?)
    }

    /// Returns where the segment starts.
    pub fn start(&self) -> Vec3 {
        self.start
    }

    /// Returns the vector from the start to the end.
    pub fn delta(&self) -> Vec3 {
        self.delta
    }

    /// Returns where the segment ends, rounded once.
    pub fn end(&self) -> Vec3 {
        self.start + self.delta
    }

    /// Returns the point at `fraction`, rounded once.
    ///
    /// ```
    /// # use cullide_narrowphase::{Segment, glam::Vec3};
    /// assert_eq!(Segment::new(Vec3::ZERO, Vec3::X * 8.0)?.at(0.25), Vec3::X * 2.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn at(&self, fraction: f32) -> Vec3 {
        (self.start.as_dvec3() + self.delta.as_dvec3() * f64::from(fraction)).as_vec3()
    }

    /// Returns the first touch of `shape`, as a fraction of the segment, or `None`. A plane is hit from either side.
    ///
    /// ```
    /// # use cullide_narrowphase::{Plane, Segment, glam::Vec3};
    /// let hit = Segment::between(Vec3::Y * 3.0, Vec3::Y * -1.0)?.cast(&Plane::new(Vec3::Y, 0.0)?).unwrap();
    /// assert_eq!((hit.fraction, hit.normal), (0.75, Vec3::Y));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn cast(&self, shape: &impl Cast) -> Option<SegmentIntersection> {
        let path = self.path();
        shape.crossing(&path).map(|crossing| path.segment_intersection(crossing))
    }

    /// Returns whether [`Segment::cast`] would report a hit, without finding where.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Segment, glam::Vec3};
    /// let tile = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 0.0, 3.0))?;
    /// assert!(Segment::new(Vec3::ONE, Vec3::NEG_Y)?.hits(&tile));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn hits(&self, shape: &impl Cast) -> bool {
        shape.is_crossed(&self.path())
    }

    /// Returns the face, edge or vertex of a shape that the segment touches first; see [`Ray::entry_feature`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, HitFeature, Segment, glam::Vec3};
    /// let wall = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?;
    /// let through_a_corner = Segment::new(Vec3::splat(-7.0), Vec3::splat(21.0))?;
    /// assert_eq!(through_a_corner.entry_feature(&wall), Some(HitFeature::Vertex(0)));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn entry_feature(&self, shape: &impl Cast) -> Option<HitFeature> {
        shape.entry_feature(&self.path())
    }

    /// Casts the segment against one side of a plane only; see [`Ray::cast_front`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Plane, Segment, glam::Vec3};
    /// assert!(Segment::new(Vec3::NEG_Y, Vec3::Y * 2.0)?.cast_front(&Plane::new(Vec3::Y, 0.0)?).is_none());
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn cast_front(&self, plane: &Plane) -> Option<SegmentIntersection> {
        let path = self.path();
        plane.front_crossing(&path).map(|crossing| path.segment_intersection(crossing))
    }

    /// Returns the points of the segment.
    #[inline]
    pub fn path(&self) -> Path {
        Path::new(self.start, self.delta, 1.0)
    }
}

/// Where a [`Ray`] touches a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayIntersection {
    /// Distance from the origin to the first touch, rounded to nearest; 0 for a start inside. A ray that is to reach the
    /// touch again takes the next larger number (`f32::next_up`) as its maximum distance.
    pub distance: f32,
    /// Distance to the last touch, at most the maximum distance.
    pub exit: f32,
    /// The point of the first touch, computed in `f64` and rounded once; the origin for a start inside.
    pub point: Vec3,
    /// Unit normal of the surface, against the ray; the negated direction for a start inside.
    pub normal: Vec3,
    /// Whether the origin lies in the shape (or on its surface).
    pub inside: bool,
}

/// Where a [`Segment`] touches a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentIntersection {
    /// Fraction of the segment at the first touch, in `[0, 1]`; 0 for a start inside.
    pub fraction: f32,
    /// Fraction at the last touch, in `[0, 1]`.
    pub exit: f32,
    /// The point of the first touch, computed in `f64` and rounded once; the start itself for a start inside.
    pub point: Vec3,
    /// Unit normal of the surface, against the segment; its negated direction for a start inside, and zero for a
    /// segment of zero length.
    pub normal: Vec3,
    /// Whether the start lies in the shape (or on its surface).
    pub inside: bool,
}

impl Path {
    /// Returns what a ray along this path reports for a crossing.
    ///
    /// ```
    /// # use cullide_narrowphase::{Cast, Ray, Sphere, glam::Vec3};
    /// let (ray, ball) = (Ray::new(Vec3::ZERO, Vec3::X)?, Sphere::new(Vec3::X * 9.0, 2.0)?);
    /// let path = ray.path(100.0).unwrap();
    /// assert_eq!(ball.crossing(&path).map(|crossing| path.ray_intersection(crossing)), ray.cast(&ball, 100.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn ray_intersection(&self, crossing: Crossing) -> RayIntersection {
        let Crossing { enter, exit, normal, inside } = crossing;
        let point = self.at(enter);
        RayIntersection {
            distance: enter as f32 + 0.0,
            exit: exit as f32 + 0.0,
            point,
            normal: unit::unit(normal),
            inside,
        }
    }

    /// Returns what a segment along this path reports for a crossing.
    ///
    /// ```
    /// # use cullide_narrowphase::{Cast, Segment, Sphere, glam::Vec3};
    /// let (segment, ball) = (Segment::new(Vec3::ZERO, Vec3::X * 14.0)?, Sphere::new(Vec3::X * 9.0, 2.0)?);
    /// let hit = ball.crossing(&segment.path()).map(|crossing| segment.path().segment_intersection(crossing));
    /// assert_eq!((hit, hit.unwrap().point), (segment.cast(&ball), Vec3::X * 7.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn segment_intersection(&self, crossing: Crossing) -> SegmentIntersection {
        let Crossing { enter, exit, normal, inside } = crossing;
        let point = self.at(enter);
        SegmentIntersection {
            fraction: enter as f32 + 0.0,
            exit: exit as f32 + 0.0,
            point,
            normal: unit::unit(normal),
            inside,
        }
    }
}

#[cfg(feature = "serde")]
mod raw {
    use super::{Error, Ray, Segment, Vec3};

    #[derive(serde::Serialize, serde::Deserialize)]
    pub(super) struct RawRay {
        origin: Vec3,
        direction: Vec3,
    }

    impl TryFrom<RawRay> for Ray {
        type Error = Error;
        fn try_from(raw: RawRay) -> Result<Self, Error> {
            Self::new(raw.origin, raw.direction)
        }
    }

    impl From<Ray> for RawRay {
        fn from(ray: Ray) -> Self {
            Self { origin: ray.origin, direction: ray.direction }
        }
    }

    #[derive(serde::Serialize, serde::Deserialize)]
    pub(super) struct RawSegment {
        start: Vec3,
        delta: Vec3,
    }

    impl TryFrom<RawSegment> for Segment {
        type Error = Error;
        fn try_from(raw: RawSegment) -> Result<Self, Error> {
            Self::new(raw.start, raw.delta)
        }
    }

    impl From<Segment> for RawSegment {
        fn from(segment: Segment) -> Self {
            Self { start: segment.start, delta: segment.delta }
        }
    }
}
#[cfg(feature = "serde")]
use raw::{RawRay, RawSegment};
