//! The contacts of a box and a convex solid that touch or are about to touch.

use super::manifold;
use crate::{
    Aabb, Brush, ContactManifold, Contacts, Convex, Cylinder, FeatureId, Obb, Patch, Triangle,
    exact::vector,
    minkowski::{Body, MinkowskiDifference, box_solid::BoxSolid},
};
use glam::{DVec3, Vec3};
use smallvec::SmallVec;

impl Aabb {
    /// Returns the contacts of `body` and this box where they face each other along `normal`, which points to the body.
    ///
    /// The points are the corners of the overlap of the two facing faces, seen along the normal, whose separation is at
    /// most `margin`; this includes all that penetrate. The nearest one is included however far away it is. More than
    /// four points are reduced to four that extend about as far, including the deepest.
    ///
    /// An edge or a face that touches is kept whole, whatever the margin; `previous`, the id from the previous step,
    /// keeps it from flickering, as in [`Plane::manifold`](crate::Plane::manifold). A normal without direction (zero or
    /// not finite) counts as upward, +Y; a negative or NaN margin counts as zero.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, FeatureId, Obb, glam::{Quat, Vec3}};
    /// let crate_ = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?;
    /// let body = Obb::new(Vec3::new(2.0, 3.5, 2.0), Quat::IDENTITY, Vec3::new(1.0, 0.5, 1.0))?;
    /// assert_eq!(crate_.contacts(&body, Vec3::Y, 0.0, FeatureId::NONE).points().len(), 4);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn contacts(&self, body: &Obb, normal: Vec3, margin: f32, previous: FeatureId) -> Contacts {
        contacts(&BoxSolid::from(self).difference(), body, normal, margin, previous)
    }
}

impl Obb {
    /// Returns the contacts of `body` and this box along `normal`, as [`Aabb::contacts`] does.
    ///
    /// ```
    /// # use cullide_narrowphase::{FeatureId, Obb, glam::{Quat, Vec3}};
    /// let [low, high] = [0.0, 6.0].map(|z| Obb::new(Vec3::Z * z, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0)).unwrap());
    /// assert_eq!(low.contacts(&high, Vec3::Z, 0.0, FeatureId::NONE).points().len(), 4);
    /// ```
    pub fn contacts(&self, body: &Obb, normal: Vec3, margin: f32, previous: FeatureId) -> Contacts {
        contacts(&BoxSolid::from(self).difference(), body, normal, margin, previous)
    }
}

impl Brush {
    /// Returns the contacts of `body` and this brush where they face each other along `normal`, which points to the
    /// body.
    ///
    /// The points are the corners of the overlap of the two facing faces, seen along the normal, whose separation is at
    /// most `margin`; this includes all that penetrate. The nearest one is included however far away it is. More than
    /// four points are reduced to four that extend about as far, including the deepest.
    ///
    /// An edge or a face that touches is kept whole, whatever the margin; `previous`, the id from the previous step,
    /// keeps it from flickering, as in [`Plane::manifold`](crate::Plane::manifold). A normal without direction (zero or
    /// not finite) counts as upward, +Y; a negative or NaN margin counts as zero.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Brush, FeatureId, Obb, glam::{Quat, Vec3}};
    /// let step = Brush::try_from(&Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?)?;
    /// // It leans over the edge of the step at x = 2 by less than the margin.
    /// let body = Obb::new(Vec3::new(2.0, 3.5, 2.0), Quat::from_rotation_z(1e-3), Vec3::new(1.0, 0.5, 1.0))?;
    /// let contacts = step.contacts(&body, Vec3::Y, 0.01, FeatureId::NONE);
    /// assert_eq!(contacts.points().len(), 4);
    /// assert!(contacts.points().iter().all(|point| point.x < 2.001));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn contacts(&self, body: &Obb, normal: Vec3, margin: f32, previous: FeatureId) -> Contacts {
        contacts(&self.difference(), body, normal, margin, previous)
    }
}

impl Patch {
    /// Returns the contacts of `body` and this patch along `normal`, as [`Brush::contacts`] does.
    ///
    /// ```
    /// # use cullide_narrowphase::{FeatureId, Obb, Patch, glam::{Quat, Vec3}};
    /// let patch = Patch::new(&[Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0])?;
    /// let above = Obb::new(Vec3::new(0.5, 0.5, 1.0), Quat::IDENTITY, Vec3::new(0.25, 0.25, 1.0))?;
    /// assert_eq!(patch.contacts(&above, Vec3::Z, 0.0, FeatureId::NONE).points().len(), 4);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn contacts(&self, body: &Obb, normal: Vec3, margin: f32, previous: FeatureId) -> Contacts {
        contacts(&self.polygon().difference(), body, normal, margin, previous)
    }
}

impl Triangle {
    /// Returns the contacts of `body` and this triangle along `normal`, as [`Brush::contacts`] does.
    ///
    /// ```
    /// # use cullide_narrowphase::{FeatureId, Obb, Triangle, glam::{Quat, Vec3}};
    /// let triangle = Triangle::new(Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0)?;
    /// let above = Obb::new(Vec3::new(0.5, 0.5, 1.0), Quat::IDENTITY, Vec3::new(0.25, 0.25, 1.0))?;
    /// assert_eq!(triangle.contacts(&above, Vec3::Z, 0.0, FeatureId::NONE).points().len(), 4);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn contacts(&self, body: &Obb, normal: Vec3, margin: f32, previous: FeatureId) -> Contacts {
        contacts(&self.wide().polygon().difference(), body, normal, margin, previous)
    }
}

impl Cylinder {
    /// Returns the contacts of `body` and this cylinder or cone along `normal`, which points to the body: the points that
    /// the two have in common along it and that are at most `margin` apart, or else the nearest one.
    ///
    /// ```
    /// # use cullide_narrowphase::{Cylinder, Obb, glam::{Quat, Vec3}};
    /// let drum = Cylinder::new(Vec3::ZERO, Vec3::Y * 2.0, 3.0)?;
    /// let body = Obb::new(Vec3::Y * 3.0, Quat::IDENTITY, Vec3::ONE)?;
    /// assert_eq!(drum.contacts(&body, Vec3::Y, 0.0).points().len(), 4);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn contacts(&self, body: &Obb, normal: Vec3, margin: f32) -> Contacts {
        let normal = vector::try_normalized(normal.as_dvec3()).unwrap_or(DVec3::Y);
        let mut manifold = ContactManifold::default();
        manifold.at_cylinder_along(self, body, normal, if margin > 0.0 { margin } else { 0.0 });
        let points = manifold.points().iter();
        let points: SmallVec<[(Vec3, f64); 4]> =
            points.map(|point| (self.center() + point.from_first, f64::from(point.separation))).collect();
        if !points.is_empty() {
            return Contacts::new(&points, FeatureId::NONE);
        }
        let found = Convex::from(*body).core().distance(&self.core());
        Contacts::new(&[(found.points[1].as_vec3(), found.separation)], FeatureId::NONE)
    }
}

/// Returns the contacts of the box and the solid along `normal` (upward if it has no direction), up to a margin.
pub(crate) fn contacts(
    difference: &MinkowskiDifference,
    obb: &Obb,
    normal: Vec3,
    margin: f32,
    previous: FeatureId,
) -> Contacts {
    let normal = vector::try_normalized(normal.as_dvec3()).unwrap_or(DVec3::Y);
    manifold::near(difference, &Body::new(obb), normal, f64::from(margin).max(0.0), previous)
}
