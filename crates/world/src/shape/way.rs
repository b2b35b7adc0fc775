//! The way of a body, as composite shapes are asked which of their parts it may touch.

use cullide_narrowphase::{Aabb, BodyWay, glam::Vec3};

/// A body that moves straight.
#[derive(Clone, Copy)]
pub(crate) struct StraightWay<'a> {
    /// A box around the body at the start, however it turns.
    pub(crate) around: &'a Aabb,
    pub(crate) motion: Vec3,
    /// The body itself, as a filter of triangles takes it; made when it is first asked for.
    pub(crate) body: &'a dyn Fn() -> &'a BodyWay,
}

/// Whether the lanes of a filter have told already that a body may touch a part.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Filtered {
    Yes,
    No,
}

/// What is known of the parts that are not visited along a way.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Rest {
    /// The body touches none of them within [`BodyWay::room`] of where it is led, up to where the visitor went on.
    Apart,
    /// That it touches none of them earlier than that.
    Unknown,
}
