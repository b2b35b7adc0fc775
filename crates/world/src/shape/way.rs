//! The motion of a body, in the form that composite shapes take to find which of their parts it may touch.

use cullide_narrowphase::{Aabb, BodyWay, glam::Vec3};
pub(crate) use cullide_narrowphase::{Filtered, Limit};

/// A body that moves in a straight line.
#[derive(Clone, Copy)]
pub(crate) struct StraightWay<'a> {
    /// A box around the body at the start, however it turns.
    pub(crate) around: &'a Aabb,
    pub(crate) motion: Vec3,
    /// The body itself, as the triangle filter takes it; made on first use.
    pub(crate) body: &'a dyn Fn() -> &'a BodyWay,
}

/// What is known of the parts that were not visited along a motion.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum UnvisitedParts {
    /// The body touches none of them within [`BodyWay::room`] of where its motion leads it, up to the limit that the
    /// visitor returned.
    Apart,
    /// Only that the body touches none of them earlier than that limit.
    Unknown,
}
