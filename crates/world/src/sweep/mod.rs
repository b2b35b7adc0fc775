//! Queries for a body that moves through the scene: where it stops, how it slides on, how it gets out of what it
//! overlaps.
//!
//! Reading order: [`sweeps`] (what callers ask), [`swept_shape`] (what a box, a ball or a capsule provides), [`translating`] and [`sphere`] (one of
//! them, moving straight), [`candidates`] (planes and objects near the way, and which of them is hit first),
//! [`rotating`] (a box that turns on its way), [`mod@shape`] and [`shape_turn`] (any convex shape), [`moving_shape`]
//! (one as a body) with [`shape_slide`] and [`shape_exits`], [`resolve_rounding`] (the rounded position penetrates nothing),
//! [`origin`] (what a body was behind when it set out). Slides go from sweep to sweep: [`slide`], [`rotating_slide`],
//! with [`free_motion`], the motion that the surfaces met so far leave, and [`lost`], what rounding takes from motions.
//! [`depenetrate`] searches for the shortest way out of overlaps, unless [`crowd`] finds too many things near.

pub(crate) mod candidates;
#[cfg(test)]
mod capsule_tests;
mod crowd;
pub(crate) mod depenetrate;
mod edge_normal;
pub(crate) mod free_motion;
pub(crate) mod lost;
pub(crate) mod moving_shape;
pub(crate) mod origin;
pub(crate) mod resolve_rounding;
pub(crate) mod rotating;
pub(crate) mod rotating_slide;
pub(crate) mod shape;
mod shape_exits;
mod shape_first;
mod shape_rest;
mod shape_slide;
pub(crate) mod shape_turn;
pub(crate) mod slide;
pub(crate) mod sphere;
pub(crate) mod sweeps;
pub(crate) mod swept_shape;
pub(crate) mod translating;
