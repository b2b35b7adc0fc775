//! The contact manifold of a box that touches a plane or is about to touch it.

use crate::{
    Contacts, FeatureId, Obb, Plane, Sides,
    sweep::plane::projection::{BoxPlaneF64, BoxPlaneFilter},
};
use glam::Vec3;

/// Where a box touches a plane or nearly touches it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Manifold {
    /// Unit normal of the plane, pointing to the side where the box is.
    pub normal: Vec3,
    /// Vertices of one face of the box, with their separations.
    pub contacts: Contacts,
}

impl Plane {
    /// Returns the contacts of `body` with the plane if it cuts the plane or is at most `margin` away from it. The
    /// points are all vertices of the box's face toward the plane that are no farther away than `margin`: penetrating,
    /// or to be kept apart before they touch (speculative contacts). Returns `None` otherwise, for a box that is wholly
    /// behind a one-sided plane, and for a `margin` that is NaN.
    ///
    /// The lowest edge or face is kept whole, whatever the margin. An edge counts as parallel to the plane up to 10^-4
    /// radians, or up to twice that if both its ends are in `previous`, the id from the previous step, so that a
    /// feature does not flicker. Pass [`FeatureId::NONE`] for a box that was not near in the previous step.
    ///
    /// ```
    /// # use cullide_narrowphase::{Feature, FeatureId, Obb, Plane, Sides, glam::{Quat, Vec3}};
    /// let floor = Plane::new(Vec3::Y, 0.0)?;
    /// let body = |lean: f32| Obb::new(Vec3::Y * 2.25, Quat::from_rotation_z(lean), Vec3::new(1.0, 2.0, 3.0)).unwrap();
    /// let above = floor.manifold(&body(0.0), Sides::Front, 0.5, FeatureId::NONE).unwrap();
    /// assert_eq!((above.contacts.feature(), above.contacts.separations()), (Feature::Face, &[0.25; 4][..]));
    /// // A box that leans keeps the corners that are near, however much it leans.
    /// let leaning = floor.manifold(&body(0.1), Sides::Front, 0.5, FeatureId::NONE).unwrap();
    /// assert_eq!((leaning.contacts.feature(), leaning.contacts.points().len()), (Feature::Face, 4));
    /// let leaning = floor.manifold(&body(0.1), Sides::Front, 0.25, FeatureId::NONE).unwrap();
    /// assert_eq!(leaning.contacts.feature(), Feature::Edge);
    /// assert_eq!(floor.manifold(&body(0.0), Sides::Front, 0.125, FeatureId::NONE), None);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    ///
    /// Source: Catto, "Understanding Constraints", GDC 2014 (speculative contacts).
    pub fn manifold(&self, body: &Obb, sides: Sides, margin: f32, previous: FeatureId) -> Option<Manifold> {
        let projection = BoxPlaneF64::new(&BoxPlaneFilter::new(body.rows(), self), self);
        let (side, gap) = match projection.start(sides) {
            Some(start) => start.ok()?,
            None => self.start_exactly(body, sides, &[])?,
        };
        let margin = f64::from(margin);
        (gap * projection.unit() <= margin).then(|| Manifold {
            normal: self.normal() * side as f32,
            contacts: projection.contacts_within(side, previous, body.center().as_dvec3(), gap, margin),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Feature;
    use glam::Quat;

    fn near(body: &Obb, sides: Sides, margin: f32) -> Option<Manifold> {
        Plane::new(Vec3::Y, -1.0).unwrap().manifold(body, sides, margin, FeatureId::NONE)
    }

    #[test]
    fn touching_counts_at_a_margin_of_zero_and_an_ulp_above_does_not() {
        let at = |y: f32| Obb::new(Vec3::Y * y, Quat::IDENTITY, Vec3::new(1.0, 1.5, 2.5)).unwrap();
        assert_eq!(near(&at(2.5), Sides::Front, 0.0).unwrap().contacts.separations(), [0.0; 4]);
        assert_eq!(near(&at(2.5f32.next_up()), Sides::Front, 0.0), None);
        assert!(near(&at(2.5), Sides::Front, f32::NAN).is_none());
    }

    #[test]
    fn a_two_sided_plane_holds_a_box_where_its_centre_is() {
        let body = Obb::new(Vec3::Y * -0.75, Quat::IDENTITY, Vec3::new(1.0, 1.5, 2.5)).unwrap();
        assert!(near(&body, Sides::Front, 9.0).is_none());
        let below = near(&body, Sides::Both, 0.25).unwrap();
        assert_eq!((below.normal, below.contacts.separations()), (Vec3::NEG_Y, &[0.25; 4][..]));
        assert!(below.contacts.points().iter().all(|point| point.y == 0.75));
    }

    #[test]
    fn separations_tell_the_ends_of_a_leaning_edge_apart() {
        let lean = 0.5e-4f32;
        let body = Obb::new(Vec3::Y * 2.5, Quat::from_rotation_z(lean), Vec3::new(2.0, 1.5, 2.5)).unwrap();
        let contacts = near(&body, Sides::Front, 1.0).unwrap().contacts;
        assert_eq!(contacts.feature(), Feature::Face);
        for (point, separation) in contacts.points().iter().zip(contacts.separations()) {
            assert!((f64::from(*separation) - f64::from(point.x) * f64::from(lean)).abs() < 1e-7, "{contacts:?}");
        }
        assert!(contacts.separations().iter().any(|separation| *separation < 0.0));
    }

    #[test]
    fn the_points_are_the_vertices_of_the_id_in_its_order() {
        for (turn, count) in
            [(Quat::IDENTITY, 4), (Quat::from_rotation_x(0.6), 2), (Quat::from_xyzw(0.3, 0.5, 0.1, 0.7), 3)]
        {
            let body = Obb::new(Vec3::Y, turn, Vec3::new(1.0, 1.5, 2.5)).unwrap();
            let contacts = near(&body, Sides::Front, 0.0).unwrap().contacts;
            // All vertices of the downward face that are below the plane.
            let corners = contacts.id().vertices().map(|vertex| body.corners()[vertex]).collect::<Vec<_>>();
            assert_eq!((contacts.points(), corners.len()), (&corners[..], count));
        }
    }
}
