//! The pose of an object: read off its shape, or kept since it was given.

#[cfg(feature = "dynamics")]
use crate::scene::world::Posed;
use crate::{
    Shape,
    scene::world::Entry,
    shape::{matrix, pose_of},
};
#[cfg(feature = "dynamics")]
use cullide_narrowphase::Error;
use cullide_narrowphase::glam::{DMat3, DVec3, Quat, Vec3};

impl Entry {
    /// Returns its shape about its own origin, where it is.
    #[cfg(feature = "dynamics")]
    pub(super) fn posed(&self) -> Result<Posed, Error> {
        let (rotation, translation) = self.pose();
        Ok(Posed { model: self.model()?, rotation, translation })
    }

    /// Returns the pose of the object.
    pub(super) fn pose(&self) -> (Quat, Vec3) {
        let own = self.object.shape.own_pose();
        match (&self.object.shape, &self.model) {
            (Shape::Sphere(_) | Shape::Capsule(_) | Shape::Cylinder(_), Some(posed)) => (posed.rotation, own.1),
            (Shape::Aabb(_) | Shape::Obb(_), _) | (_, None) => own,
            (shape, Some(posed)) => {
                let pose = (posed.rotation, posed.translation);
                match (&posed.model, shape) {
                    (Shape::Brush(given), Shape::Brush(shape)) => match (given.moved_from(), shape.moved_from()) {
                        (Some(_), Some(_)) => own,
                        // It was put there as a brush of its own, and moved on.
                        (None, Some((_, turn, shift))) => moved_on(pose, &turn, shift),
                        _ => pose,
                    },
                    (Shape::Obb(_), Shape::Brush(shape)) => {
                        shape.moved_from().map_or(pose, |(_, turn, shift)| moved_on(pose, &turn, shift))
                    }
                    (given, Shape::Compound(shape)) if !given.is_composite() => {
                        let (turn, shift) = shape.map();
                        moved_on(pose, turn, shift)
                    }
                    (given, shape) => given.pose_to(shape, pose).unwrap_or(pose),
                }
            }
        }
    }

    /// Whether the object has a pose already, in which it would have this shape. A quaternion and its negative are the
    /// same rotation.
    pub(super) fn has_pose(&self, pose: (Quat, Vec3), shape: &Shape) -> bool {
        let center = match self.object.shape {
            Shape::Aabb(own) => own.center(),
            Shape::Obb(own) => own.center(),
            Shape::Sphere(own) => own.center(),
            Shape::Capsule(own) => own.center(),
            Shape::Cylinder(own) => own.center(),
            _ => pose.1,
        };
        // Most of what moves is elsewhere, and how it is turned takes longer to tell.
        if center != pose.1 {
            return false;
        }
        let (rotation, translation) = self.pose();
        let is_read = translation == pose.1 && (rotation == pose.0 || rotation == -pose.0);
        // The pose with which a box was made is not read off its edges to the last bit.
        let is_made = || match (&self.model, &self.object.shape, shape) {
            (None, Shape::Obb(own), Shape::Obb(other)) => {
                let mut edges = own.half_edges().into_iter().zip(other.half_edges());
                edges.all(|(own, other)| (own - other).length() <= ROUNDED * own.length())
            }
            _ => false,
        };
        is_read || is_made()
    }
}

/// How much of its length an edge of a box changes when it is rounded twice.
const ROUNDED: f32 = 2.0 * f32::EPSILON;

/// Returns a pose, rotated and translated further.
fn moved_on((rotation, translation): (Quat, Vec3), turn: &DMat3, shift: DVec3) -> (Quat, Vec3) {
    let first = matrix(rotation).unwrap_or(DMat3::IDENTITY);
    pose_of(&(*turn * first), *turn * translation.as_dvec3() + shift)
}
