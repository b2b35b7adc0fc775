//! On which side of a plane a point or a volume lies.
//!
//! One idea serves every volume: project it onto the normal, and compare the centre's signed distance with the
//! projected radius. For a box the two extremes are its p-vertex (farthest along the normal) and n-vertex.
//!
//! Sources: 程序员文章站, "判断平面和AABB包围体是否发生碰撞" (2022; its missing `else` for z is fixed here); Haines, "Real-Time Rendering",
//! §22.10.

use crate::{
    Aabb, Capsule, Obb, Plane, Solid, Sphere,
    exact::predicate::{Exact, sign},
    sweep::{
        plane::projection::BoxPlaneFilter,
        sphere::{order, order_beside},
    },
};
use glam::Vec3;
use std::cmp::Ordering;

/// Where something lies relative to a plane. Touching is [`Side::Straddling`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Side {
    /// Strictly where the signed distance is positive.
    Front,
    /// Touching the plane, or on both sides of it.
    Straddling,
    /// Strictly where the signed distance is negative.
    Back,
}

impl Side {
    /// From the signs of the lowest and the highest signed distance of a closed set.
    fn from_extremes(low: Ordering, high: impl FnOnce() -> Ordering) -> Self {
        if low == Ordering::Greater {
            Self::Front
        } else if high() == Ordering::Less {
            Self::Back
        } else {
            Self::Straddling
        }
    }
}

impl Plane {
    /// Returns the side of a point, exact for the stored numbers; [`Side::Straddling`] when it lies on the plane.
    ///
    /// ```
    /// # use cullide_narrowphase::{Plane, Side, glam::Vec3};
    /// let floor = Plane::from_point_normal(Vec3::ZERO, Vec3::Y)?;
    /// assert_eq!(floor.side_of_point(Vec3::new(3.0, 0.0, 5.0)), Side::Straddling);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn side_of_point(&self, point: Vec3) -> Side {
        match sign(&self.distance_terms(point)) {
            Ordering::Greater => Side::Front,
            Ordering::Equal => Side::Straddling,
            Ordering::Less => Side::Back,
        }
    }

    /// Returns the side of a solid, exact for the stored numbers of boxes, balls and capsules; as [`Solid::side_of`], from
    /// the plane's point of view.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Plane, Side, Sphere, glam::Vec3};
    /// let floor = Plane::from_point_normal(Vec3::ZERO, Vec3::Y)?;
    /// let crate_ = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?;
    /// assert_eq!(floor.side_of(&crate_), Side::Straddling);
    /// assert_eq!(floor.side_of(&Sphere::new(Vec3::Y * -3.0, 2.0)?), Side::Back);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn side_of(&self, solid: &impl Solid) -> Side {
        solid.side_of(self)
    }

    /// Returns the side of a box, exact for the stored numbers: the n-vertex decides `Front`, the p-vertex `Back`.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Plane, Side, glam::Vec3};
    /// let floor = Plane::from_point_normal(Vec3::ZERO, Vec3::Y)?;
    /// let crate_ = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?;
    /// assert_eq!(floor.side_of_aabb(&crate_), Side::Straddling);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn side_of_aabb(&self, aabb: &Aabb) -> Side {
        let low = sign(&self.distance_terms(aabb.support(-self.normal())));
        Side::from_extremes(low, || sign(&self.distance_terms(aabb.support(self.normal()))))
    }

    /// Returns the side of an oriented box, exact for its stored centre and half edges.
    ///
    /// ```
    /// # use cullide_narrowphase::{Obb, Plane, Side, glam::{Quat, Vec3}};
    /// let floor = Plane::from_point_normal(Vec3::ZERO, Vec3::Y)?;
    /// let beam = Obb::new(Vec3::Y * 2.5, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// assert_eq!(floor.side_of_obb(&beam), Side::Front);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn side_of_obb(&self, obb: &Obb) -> Side {
        BoxPlaneFilter::new(obb.rows(), self).side().unwrap_or_else(|| self.side_of_obb_exactly(obb))
    }

    #[cold]
    fn side_of_obb_exactly(&self, obb: &Obb) -> Side {
        let low = sign(&self.extreme_terms(obb, -1.0));
        Side::from_extremes(low, || sign(&self.extreme_terms(obb, 1.0)))
    }

    /// Returns the side of a sphere by true distance, exact for the stored numbers: `s²` is compared with `r² |n|²`, so
    /// that the last bits by which a stored normal misses unit length do not matter.
    ///
    /// ```
    /// # use cullide_narrowphase::{Plane, Side, Sphere, glam::Vec3};
    /// let floor = Plane::from_point_normal(Vec3::ZERO, Vec3::Y)?;
    /// assert_eq!(floor.side_of_sphere(&Sphere::new(Vec3::Y * -3.0, 2.0)?), Side::Back);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn side_of_sphere(&self, sphere: &Sphere) -> Side {
        match self.compare_with_radius(sphere) {
            Ordering::Greater => self.side_of_point(sphere.center()),
            Ordering::Equal | Ordering::Less => Side::Straddling,
        }
    }

    /// Returns the side of a capsule by true distance, exact for the stored numbers as for a sphere.
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, Plane, Side, glam::Vec3};
    /// let floor = Plane::from_point_normal(Vec3::ZERO, Vec3::Y)?;
    /// let above = |y: f32| Capsule::from_half_axis(Vec3::Y * y, Vec3::X, 2.0).unwrap();
    /// assert_eq!(floor.side_of_capsule(&above(2.0)), Side::Straddling);
    /// assert_eq!(floor.side_of_capsule(&above(2f32.next_up())), Side::Front);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn side_of_capsule(&self, capsule: &Capsule) -> Side {
        let (radius, falling) = (capsule.radius(), self.falling_axis(capsule));
        let reach = f64::from(radius) * self.normal().as_dvec3().length();
        let order = |side: f64| order_beside(reach, radius, self, &self.end_at(capsule.center(), side, falling));
        if order(1.0) == Ordering::Greater {
            Side::Front
        } else if order(-1.0) == Ordering::Greater {
            Side::Back
        } else {
            Side::Straddling
        }
    }

    /// Whether no part of a capsule lies behind the plane.
    pub(crate) fn holds_capsule(&self, capsule: &Capsule) -> bool {
        order(capsule.radius(), self, &self.nearest_end(capsule, 1.0)) != Ordering::Less
    }

    /// Whether no part of a box lies behind the plane; touching from the front is allowed.
    pub(crate) fn holds_aabb(&self, aabb: &Aabb) -> bool {
        sign(&self.distance_terms(aabb.support(-self.normal()))) != Ordering::Less
    }

    /// Whether no part of an oriented box lies behind the plane.
    pub(crate) fn holds_obb(&self, obb: &Obb) -> bool {
        match BoxPlaneFilter::new(obb.rows(), self).side() {
            Some(side) => side == Side::Front,
            None => sign(&self.extreme_terms(obb, -1.0)) != Ordering::Less,
        }
    }

    /// Whether no part of a sphere lies behind the plane.
    pub(crate) fn holds_sphere(&self, sphere: &Sphere) -> bool {
        self.compare_with_radius(sphere) != Ordering::Less && self.side_of_point(sphere.center()) != Side::Back
    }

    /// Compares the true distance of a sphere's centre with its radius.
    fn compare_with_radius(&self, sphere: &Sphere) -> Ordering {
        let terms = self.distance_terms(sphere.center());
        let (normal, radius) = (self.normal().as_dvec3(), f64::from(sphere.radius()));
        // Filter: the distance errs by less than 4 roundings of its terms, the radius by less than 4 of its own.
        let (distance, reach) = (terms.iter().sum::<f64>(), radius * normal.length());
        let error = 8.0 * f64::EPSILON * (terms.iter().map(|x| x.abs()).sum::<f64>() + reach);
        let clear = distance.abs() - reach;
        if clear.abs() > error {
            return if clear > 0.0 { Ordering::Greater } else { Ordering::Less };
        }
        let distance = Exact::sum(&terms);
        let length_squared = Exact::sum(&[normal.x * normal.x, normal.y * normal.y, normal.z * normal.z]);
        let reach_squared = length_squared.times(&Exact::sum(&[radius * radius]));
        distance.times(&distance).minus(&reach_squared).sign()
    }
}
