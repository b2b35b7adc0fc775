//! A body between steps, and when it rests.
//!
//! The result of a step for a body depends on its pose and motion, on what it touched in the step before, on what is
//! fixed and on the step's settings. When a step has left all of that as it was, the next one would do the same. It
//! need not be computed: the body rests, with exactly the same outcome, until any of it changes. There is no threshold
//! and no delay before it falls asleep.

use crate::{
    BoxBody, ObjectKey, Shape,
    scene::planes::EmptySphere,
    shape::{is_skewed, oriented},
    tuning,
};
use cullide_narrowphase::{Obb, RotationCache, glam::Vec3};

/// Edges farther from right angles than this were given that way: steps straighten those that turning has skewed
/// earlier.
const SKEWED: f64 = 4.0 * tuning::SLANT;

/// A body between steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxState {
    pub(crate) key: ObjectKey,
    pub(crate) body: BoxBody,
    /// Zero for a skewed box, which steps do not straighten.
    pub(crate) half_extents: Vec3,
    /// Where the last step left it: a shape that differs from this was set since, perhaps with another size.
    pub(crate) pose: Obb,
    /// Whether the last step moved it: not if it is now fixed, no longer a box, or rests.
    pub(crate) is_moved: bool,
    /// Whether the last step left it as it was: still, at the same place and with the same contacts.
    pub(crate) rests: bool,
    /// A region without planes.
    pub(crate) empty_sphere: EmptySphere,
    /// The rotation of a whole step; while a body spins evenly, it is that of every step.
    pub(crate) turn: RotationCache,
}

impl BoxState {
    pub(crate) fn new(key: ObjectKey, body: BoxBody, pose: Obb) -> Self {
        Self {
            key,
            body,
            half_extents: if is_skewed(&pose, SKEWED) { Vec3::ZERO } else { pose.half_extents() },
            pose,
            is_moved: false,
            rests: false,
            empty_sphere: EmptySphere::default(),
            turn: RotationCache::default(),
        }
    }

    /// Adopts the shape of its object if that was set since the last step; returns `false` if it is no longer a box.
    pub(crate) fn adopt_shape(&mut self, shape: &Shape) -> bool {
        let Some(pose) = oriented(shape) else { return false };
        if pose != self.pose {
            *self = Self::new(self.key, self.body, pose);
        }
        true
    }

    /// Adopts the velocity of its object if that was set since the last step.
    pub(crate) fn adopt_velocity(&mut self, velocity: Vec3) {
        if velocity != self.body.velocity {
            (self.body.velocity, self.rests) = (velocity, false);
        }
    }

    /// Discards that it rests and where no plane is, because what is fixed, or how it is met, has changed since the
    /// last step.
    pub(crate) fn forget(&mut self) {
        (self.rests, self.empty_sphere) = (false, EmptySphere::default());
    }

    /// Whether it neither moves nor turns.
    pub(crate) fn is_still(&self) -> bool {
        self.body.velocity == Vec3::ZERO && self.body.angular_velocity == Vec3::ZERO
    }
}
