//! What a walk needs to know about things beyond what the world knows.

use crate::{ObjectKey, Target};
use cullide_narrowphase::glam::Vec3;

/// What is known about the things that a character stands on and runs into.
pub trait Surroundings {
    /// The velocity of an object at a point, rotation included; `None` if only its own velocity is known.
    fn velocity_at(&self, key: ObjectKey, point: Vec3) -> Option<Vec3>;

    /// The same for an object that nothing stops; `None` for others.
    fn driven_at(&self, key: ObjectKey, point: Vec3) -> Option<Vec3>;

    /// The velocity at which a surface of a thing runs, such as that of a conveyor belt.
    fn surface_velocity(&self, target: Target, surface: u16) -> Vec3;

    /// Whether a character that is pushed out of an overlap has to stay on its side of planes and fixed objects.
    fn holds_in(&self) -> bool;

    /// Whether a thing gives way when a character walks against it in a direction, and so is not climbed.
    fn gives_way(&self, target: Target, direction: Vec3) -> bool;
}

/// Nothing but the world is known. Overlaps are resolved towards the nearest free place, wherever that is.
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
