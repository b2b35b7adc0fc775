//! A rigid body: what it is, and what can be done to it between steps.
//!
//! [`description`] is what a caller gives, [`body_ref`] what he gets back, to look at or to change; [`forces`] moves
//! bodies from outside, [`kinematic`] by an animation; [`materials`] holds friction and restitution. [`state`] is a body
//! between steps: its pose in [`pose`], that of one with many faces or parts in [`rigid`], that of one without a mass in
//! [`composite`], single parts of it farther on their way in [`moved_part`]. [`mass`] and [`moments`] are its mass
//! properties, [`spin`] is its free rotation.

pub(crate) mod description;
pub(crate) mod mass;

pub(super) mod body_ref;
pub(super) mod composite;
mod forces;
mod kinematic;
pub(super) mod materials;
mod moments;
pub(super) mod moved_part;
pub(super) mod pose;
mod rigid;
pub(super) mod spin;
pub(super) mod state;
