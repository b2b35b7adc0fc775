//! The contacts of a box and a convex solid that touch or are about to touch.

use super::manifold;
use crate::{
    Aabb, Brush, ContactManifold, Contacts, Convex, Cylinder, FeatureId, Obb, Patch, Triangle,
    exact::vector,
    minkowski::{DifferenceBox, MinkowskiDifference, box_solid::BoxSolid},
};
use arrayvec::ArrayVec;
use glam::{DVec3, Vec3};

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
    pub(crate) fn contacts(&self, body: &Obb, normal: Vec3, margin: f32, previous: FeatureId) -> Contacts {
        contacts(&BoxSolid::from(self).difference(), body, normal, margin, previous)
    }
}

impl Obb {
    /// Returns the contacts of `body` and this box along `normal`, as [`Solid::contacts`] does.
    pub(crate) fn contacts(&self, body: &Obb, normal: Vec3, margin: f32, previous: FeatureId) -> Contacts {
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
    pub(crate) fn contacts(&self, body: &Obb, normal: Vec3, margin: f32, previous: FeatureId) -> Contacts {
        contacts(&self.difference(), body, normal, margin, previous)
    }
}

impl Patch {
    /// Returns the contacts of `body` and this patch along `normal`, as [`Solid::contacts`] does.
    pub(crate) fn contacts(&self, body: &Obb, normal: Vec3, margin: f32, previous: FeatureId) -> Contacts {
        contacts(&self.polygon().difference(), body, normal, margin, previous)
    }
}

impl Triangle {
    /// Returns the contacts of `body` and this triangle along `normal`, as [`Solid::contacts`] does.
    pub(crate) fn contacts(&self, body: &Obb, normal: Vec3, margin: f32, previous: FeatureId) -> Contacts {
        contacts(&self.wide().polygon().difference(), body, normal, margin, previous)
    }
}

impl Cylinder {
    /// Returns the contacts of `body` and this cylinder or cone along `normal`, which points to the body: the points that
    /// the two have in common along it and that are at most `margin` apart, or else the nearest one.
    pub(crate) fn contacts(&self, body: &Obb, normal: Vec3, margin: f32) -> Contacts {
        let normal = vector::try_normalized(normal.as_dvec3()).unwrap_or(DVec3::Y);
        let mut manifold = ContactManifold::default();
        manifold.at_cylinder_along(self, body, normal, if margin > 0.0 { margin } else { 0.0 });
        let points = manifold.points().iter();
        let points: ArrayVec<(Vec3, f64), 4> =
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
    manifold::near(difference, &DifferenceBox::new(obb), normal, f64::from(margin).max(0.0), previous)
}
