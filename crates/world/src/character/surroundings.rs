//! What a walk asks about things that the world alone does not know.

use crate::{ObjectKey, Target};
use cullide_narrowphase::glam::Vec3;

/// What is known of the things that a character stands on and runs into.
pub(crate) trait Surroundings {
    /// How fast an object moves at a point, as it turns; `None` where only its own velocity is known.
    fn velocity_at(&self, key: ObjectKey, point: Vec3) -> Option<Vec3>;

    /// The same of an object that nothing stops; `None` of others.
    fn driven_at(&self, key: ObjectKey, point: Vec3) -> Option<Vec3>;

    /// How fast a surface of a thing runs, as that of a conveyor belt.
    fn surface_velocity(&self, target: Target, surface: u16) -> Vec3;

    /// Whether a character that is pushed out of an overlap has to stay on its side of planes and fixed objects.
    fn holds_in(&self) -> bool;

    /// Whether a thing gives way when it is walked against in a direction, and so is not climbed.
    fn gives_way(&self, target: Target, direction: Vec3) -> bool;
}

/// Nothing but the world is known. Overlaps are left for the nearest free place, wherever that is.
pub(crate) struct Unknown;

impl Surroundings for Unknown {
    fn velocity_at(&self, _: ObjectKey, _: Vec3) -> Option<Vec3> {
        None
    }

    fn driven_at(&self, _: ObjectKey, _: Vec3) -> Option<Vec3> {
        None
    }

    fn surface_velocity(&self, _: Target, _: u16) -> Vec3 {
        Vec3::ZERO
    }

    fn holds_in(&self) -> bool {
        false
    }

    fn gives_way(&self, _: Target, _: Vec3) -> bool {
        false
    }
}
