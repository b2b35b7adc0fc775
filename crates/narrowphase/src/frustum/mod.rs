//! The frustum: a convex region bounded by at most six planes, such as what a camera sees.
//!
//! The stored `f32` planes define the frustum. Everything else (corners, edges, separating axes) is derived from them
//! in `f64` once, so a test can be checked against [`Frustum::planes`] in exact arithmetic.
//!
//! * `contains_point`, `containment_of`: the six-plane answer, from exact signs. A box that lies outside, near an edge of
//!   the frustum, may be called `Crossing`, but nothing that touches the frustum is called `Outside`.
//! * `intersects`, `visibility_of`: whether a volume really touches the frustum. See `exact.rs`.

mod build;
mod exact;
mod plane_intersection;
mod polytope;

pub use build::{Camera, ClipSpace};

use crate::{Aabb, Capsule, Convex, Error, Obb, Plane, Side, Sphere, arrays::Mapped, exact::unit};
use arrayvec::ArrayVec;
use exact::Separator;
use glam::{DVec3, Vec3};
use polytope::Polytope;

/// Where a closed volume lies relative to a [`Frustum`], which is closed too: touching its border from outside is
/// [`Containment::Crossing`], from inside [`Containment::Inside`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Containment {
    /// All of it is inside: no part lies behind any plane.
    Inside,
    /// On both sides of the border, or touching it from outside, or outside but not behind any single plane.
    Crossing,
    /// Strictly behind one plane.
    Outside,
}

impl Containment {
    /// Combines the volume's side of each plane with whether no part of it lies behind a plane that it straddles.
    fn from_planes(planes: &[Plane], side: impl Fn(&Plane) -> Side, holds: impl Fn(&Plane) -> bool) -> Self {
        let mut answer = Self::Inside;
        for plane in planes {
            match side(plane) {
                Side::Back => return Self::Outside,
                Side::Straddling if !holds(plane) => answer = Self::Crossing,
                Side::Straddling | Side::Front => {}
            }
        }
        answer
    }
}

/// The points in front of (or on) up to [`Frustum::MAX_PLANES`] planes, whose normals point inward.
///
/// It must have at least one corner, and may be open to infinity (a camera without a far plane is). It is meant to be
/// made once per view: construction allocates and costs some microseconds, tests do not allocate.
///
/// Sources: Gribb and Hartmann, "Fast Extraction of Viewing Frustum Planes from the World-View-Projection Matrix"
/// (2001); Assarsson and Möller, "Optimized View Frustum Culling Algorithms for Bounding Boxes" (2000).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Raw", into = "Raw"))]
pub struct Frustum {
    planes: ArrayVec<Plane, { Self::MAX_PLANES }>,
    polytope: Polytope,
    separators: Vec<Separator>,
}

impl Frustum {
    /// The maximum number of planes of a frustum.
    pub const MAX_PLANES: usize = 6;

    /// Creates the convex region in front of all `planes`.
    ///
    /// # Errors
    /// [`Error::TooMany`] for more than [`Frustum::MAX_PLANES`], [`Error::Unbounded`] when the planes have no corner (a
    /// slab, a wedge), [`Error::Empty`] when what lies in front of all of them has no interior.
    ///
    /// ```
    /// # use cullide_narrowphase::{Error, Frustum, Plane, glam::Vec3};
    /// let octant = [Plane::new(Vec3::X, 0.0)?, Plane::new(Vec3::Y, 0.0)?, Plane::new(Vec3::Z, 0.0)?];
    /// assert_eq!(Frustum::from_planes(&octant)?.corners(), [Vec3::ZERO.as_dvec3()]);
    /// assert_eq!(Frustum::from_planes(&octant[..2]), Err(Error::Unbounded { field: "planes" }));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_planes(planes: &[Plane]) -> Result<Self, Error> {
        Self::bounded_by(planes, "planes")
    }

    /// Same as [`Frustum::from_planes`], with errors that name the `field` that the planes come from.
    fn bounded_by(planes: &[Plane], field: &'static str) -> Result<Self, Error> {
        if planes.len() > Self::MAX_PLANES {
            return Err(Error::TooMany { field });
        }
        let polytope = Polytope::new(planes, field)?;
        let separators = polytope.separators();
        Ok(Self { planes: planes.iter().copied().collect(), polytope, separators })
    }

    /// Returns the planes, facing inward. Those of a camera or a matrix are in the order left, right, bottom, top,
    /// near, far, in the clip space's sense of these words; planes at infinity are left out.
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// Returns the corners, each once, in `f64`. When all eight exist: bit 0 of the index is set on the right, bit 1 at
    /// the top, bit 2 on the far side. An unbounded frustum has only those at its near end.
    pub fn corners(&self) -> &[DVec3] {
        &self.polytope.corners
    }

    /// Returns whether the frustum is closed on all sides.
    ///
    /// ```
    /// # use cullide_narrowphase::{Camera, Frustum};
    /// assert!(Frustum::from_camera(&Camera::default())?.is_bounded());
    /// assert!(!Frustum::from_camera(&Camera { far: f32::INFINITY, ..Camera::default() })?.is_bounded());
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn is_bounded(&self) -> bool {
        self.polytope.rays().next().is_none()
    }

    /// Returns a box around the frustum, rounded outward, or `None` when the frustum is unbounded or leaves the range
    /// of coordinates.
    ///
    /// ```
    /// # use cullide_narrowphase::{Camera, Frustum};
    /// let bounds = Frustum::from_camera(&Camera { near: 1.0, far: 50.0, ..Camera::default() })?.aabb().unwrap();
    /// assert!((bounds.min().z + 50.0).abs() < 1e-4 && (bounds.max().z + 1.0).abs() < 1e-4);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn aabb(&self) -> Option<Aabb> {
        if !self.is_bounded() {
            return None;
        }
        let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for (corner, &error) in self.corners().iter().zip(&self.polytope.errors) {
            min = min.min(Vec3::from_array(corner.to_array().mapped(|x| unit::round_down([x, -error]))));
            max = max.max(Vec3::from_array(corner.to_array().mapped(|x| unit::round_up(&[x, error]))));
        }
        Aabb::new(min, max).ok()
    }

    /// Returns whether `point` lies in the frustum or on its border, exactly; `false` for a NaN or an infinity.
    ///
    /// ```
    /// # use cullide_narrowphase::{Camera, Frustum, glam::Vec3};
    /// let frustum = Frustum::from_camera(&Camera { near: 1.0, ..Camera::default() })?;
    /// assert!(frustum.contains_point(Vec3::NEG_Z) && !frustum.contains_point(Vec3::ZERO));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn contains_point(&self, point: Vec3) -> bool {
        point.is_finite() && self.planes.iter().all(|plane| plane.side_of_point(point) != Side::Back)
    }

    /// Returns where a shape lies by the six planes, from exact signs. What lies outside, near an edge of the frustum, may
    /// be called [`Containment::Crossing`]; what touches the frustum is never called [`Containment::Outside`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Camera, Containment, Frustum, Sphere, glam::Vec3};
    /// let frustum = Frustum::from_camera(&Camera::default())?;
    /// let behind = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?;
    /// assert_eq!(frustum.containment_of(behind), Containment::Outside);
    /// assert_eq!(frustum.containment_of(Sphere::new(Vec3::Z * -50.0, 2.0)?), Containment::Inside);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn containment_of<'a>(&self, shape: impl Into<Convex<'a>>) -> Containment {
        shape.into().containment(self)
    }

    /// Returns where a shape lies: [`Frustum::containment_of`], but [`Containment::Outside`] for boxes, balls and capsules
    /// that touch the frustum nowhere although they are not behind any single plane. Others may still be called crossing.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Camera, Containment, Frustum, glam::Vec3};
    /// let frustum = Frustum::from_camera(&Camera { near: 1.0, far: 10.0, aspect: 1.0, ..Camera::default() })?;
    /// // Left of the far corners, and yet not behind any single plane.
    /// let beside = Aabb::new(Vec3::new(-20.0, -2.0, -40.0), Vec3::new(-6.0, 2.0, -2.0))?;
    /// assert_eq!(frustum.containment_of(beside), Containment::Crossing);
    /// assert_eq!(frustum.visibility_of(beside), Containment::Outside);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn visibility_of<'a>(&self, shape: impl Into<Convex<'a>>) -> Containment {
        let shape = shape.into();
        match shape.containment(self) {
            Containment::Crossing if !shape.reaches_into(self) => Containment::Outside,
            containment => containment,
        }
    }

    /// Returns whether a shape touches the frustum: whether its [`Frustum::visibility_of`] is not
    /// [`Containment::Outside`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Camera, Frustum, Obb, glam::{Quat, Vec3}};
    /// let frustum = Frustum::from_camera(&Camera::default())?;
    /// let ahead = Obb::new(Vec3::Z * -5.0, Quat::from_rotation_x(1.0), Vec3::new(1.0, 2.0, 30.0))?;
    /// assert!(frustum.intersects(ahead));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn intersects<'a>(&self, shape: impl Into<Convex<'a>>) -> bool {
        match shape.into() {
            shape @ (Convex::Cylinder(_) | Convex::Brush(_) | Convex::Patch(_) | Convex::Triangle(..)) => {
                shape.containment(self) != Containment::Outside
            }
            // Their own test looks at the planes as well.
            shape => shape.reaches_into(self),
        }
    }

    /// Returns the six-plane answer for a box, from exact signs.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Camera, Containment, Frustum, glam::Vec3};
    /// let frustum = Frustum::from_camera(&Camera::default())?;
    /// let behind = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?;
    /// assert_eq!(frustum.containment_of_aabb(&behind), Containment::Outside);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn containment_of_aabb(&self, aabb: &Aabb) -> Containment {
        Containment::from_planes(&self.planes, |plane| plane.side_of_aabb(aabb), |plane| plane.holds_aabb(aabb))
    }

    /// Returns the six-plane answer for an oriented box, from exact signs.
    ///
    /// ```
    /// # use cullide_narrowphase::{Camera, Containment, Frustum, Obb, glam::{Quat, Vec3}};
    /// let frustum = Frustum::from_camera(&Camera::default())?;
    /// let ahead = Obb::new(Vec3::Z * -50.0, Quat::from_rotation_x(1.0), Vec3::new(1.0, 2.0, 3.0))?;
    /// assert_eq!(frustum.containment_of_obb(&ahead), Containment::Inside);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn containment_of_obb(&self, obb: &Obb) -> Containment {
        Containment::from_planes(&self.planes, |plane| plane.side_of_obb(obb), |plane| plane.holds_obb(obb))
    }

    /// Returns the six-plane answer for a sphere, from exact signs.
    ///
    /// ```
    /// # use cullide_narrowphase::{Camera, Containment, Frustum, Sphere, glam::Vec3};
    /// let frustum = Frustum::from_camera(&Camera::default())?;
    /// assert_eq!(frustum.containment_of_sphere(&Sphere::new(Vec3::ZERO, 2.0)?), Containment::Crossing);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn containment_of_sphere(&self, sphere: &Sphere) -> Containment {
        Containment::from_planes(&self.planes, |plane| plane.side_of_sphere(sphere), |plane| plane.holds_sphere(sphere))
    }

    /// Returns the six-plane answer for a capsule, from exact signs.
    ///
    /// ```
    /// # use cullide_narrowphase::{Camera, Capsule, Containment, Frustum, glam::Vec3};
    /// let frustum = Frustum::from_camera(&Camera::default())?;
    /// let ahead = Capsule::new(Vec3::Z * -50.0, Vec3::Z * -60.0, 2.0)?;
    /// assert_eq!(frustum.containment_of_capsule(&ahead), Containment::Inside);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn containment_of_capsule(&self, capsule: &Capsule) -> Containment {
        let holds = |plane: &Plane| plane.holds_capsule(capsule);
        Containment::from_planes(&self.planes, |plane| plane.side_of_capsule(capsule), holds)
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Raw {
    planes: Vec<Plane>,
}

#[cfg(feature = "serde")]
impl TryFrom<Raw> for Frustum {
    type Error = Error;
    fn try_from(raw: Raw) -> Result<Self, Error> {
        Self::from_planes(&raw.planes)
    }
}

#[cfg(feature = "serde")]
impl From<Frustum> for Raw {
    fn from(frustum: Frustum) -> Self {
        Self { planes: frustum.planes.to_vec() }
    }
}
