//! Arithmetic that every answer rests on: exact signs, sums rounded in a known direction, vectors computed in one order
//! on every target.
//!
//! Reading order: [`predicate`] (the sign of an exact sum), [`integers`] (the same for numbers of like size),
//! [`orientation`] (a point and the plane of three others),
//! [`quadratic`] (the signs that decide when a moving ball touches), [`lines`] (the distance between two pieces of
//! lines), [`mod@unit`] (range checks and directed rounding), [`vector`] (normalisation and rotation, operation by
//! operation).

pub(crate) mod integers;
pub(crate) mod lines;
pub(crate) mod orientation;
pub(crate) mod predicate;
pub(crate) mod quadratic;
pub(crate) mod unit;
pub(crate) mod vector;

pub use unit::MAX_COORDINATE;

/// The rounding of one operation in `f64`, relative to its result: 2^-53.
pub(crate) const ROUNDING: f64 = 0.5 * f64::EPSILON;
