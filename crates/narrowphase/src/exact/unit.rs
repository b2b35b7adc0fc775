//! Range checks and rounding shared by the constructors.

use super::{
    predicate::{Exact, Sum, exact_sum, sign},
    vector,
};
use crate::{Error, lists::Listed};
use glam::{DVec3, Vec3};
use std::cmp::Ordering;

/// The largest coordinate a shape may have: 2^30, about a thousand million units. It also limits the distance of a
/// plane from the origin, radii, half edges, and the components of a motion. Constructors reject what lies beyond with
/// [`Error::OutOfRange`].
///
/// Decisions are made in `f64`, in which sums of such numbers are off by less than 2^-20, a millionth of a unit. Within
/// this range, shapes of that size and larger stop, pass and overlap one another correctly, even a body a thousandth of
/// a unit in size at a wall a thousand million units long. Smaller shapes are legal; next to much larger ones they stop
/// within a few millionths of a unit. `f32` itself resolves positions to 2^-24 of a coordinate, which is 64 units at
/// the end of the range.
pub const MAX_COORDINATE: f32 = (1u32 << 30) as f32;

/// A normal given by a user must have a length in `[1 / MAX_NORMAL_LENGTH, MAX_NORMAL_LENGTH]`; a length outside of
/// that is surely a mistake.
const MAX_NORMAL_LENGTH: f64 = (1u64 << 60) as f64;

/// Below this a direction component is flushed to zero, so that its reciprocal stays finite in `f32`.
const MIN_COMPONENT: f32 = f32::MIN_POSITIVE;

/// A sum of a few doubles that is above this share of its terms, 2^-20, errs by less than 2^-30 of itself.
const CANCELLED: f64 = 1.0 / (1u64 << 20) as f64;

/// Returns `v` when all of it is finite and within [`MAX_COORDINATE`].
#[inline]
pub(crate) fn coordinates(v: Vec3, field: &'static str) -> Result<Vec3, Error> {
    // A NaN compares as false.
    if v.abs().cmple(Vec3::splat(MAX_COORDINATE)).all() {
        Ok(v)
    } else if v.is_finite() {
        Err(Error::OutOfRange { field })
    } else {
        Err(Error::NonFinite { field })
    }
}

/// Returns `x` when it is finite and within [`MAX_COORDINATE`].
pub(crate) fn coordinate(x: f32, field: &'static str) -> Result<f32, Error> {
    coordinates(Vec3::splat(x), field).map(|v| v.x)
}

/// Returns `x` when it is a finite length of zero or more.
pub(crate) fn length(x: f32, field: &'static str) -> Result<f32, Error> {
    let x = coordinate(x, field)?;
    if x < 0.0 { Err(Error::Negative { field }) } else { Ok(x + 0.0) }
}

/// Returns the length of a user's normal, in `f64`, when it can be normalised.
pub(crate) fn normal_length(normal: DVec3, field: &'static str) -> Result<f64, Error> {
    if !normal.is_finite() {
        return Err(Error::NonFinite { field });
    }
    let length = normal.length();
    if length == 0.0 {
        Err(Error::ZeroNormal { field })
    } else if !(1.0 / MAX_NORMAL_LENGTH..=MAX_NORMAL_LENGTH).contains(&length) {
        Err(Error::OutOfRange { field })
    } else {
        Ok(length)
    }
}

/// Replaces components too small to have a finite reciprocal, and −0.0, by 0.0.
#[inline]
pub(crate) fn flush_tiny(v: Vec3) -> Vec3 {
    Vec3::select(v.abs().cmplt(Vec3::splat(MIN_COMPONENT)), Vec3::ZERO, v)
}

/// The unit vector along `v`, rounded once to `f32`, without negative zeros; zero for a zero `v`.
pub(crate) fn unit(v: DVec3) -> Vec3 {
    vector::normalized_or_zero(v).as_vec3() + Vec3::ZERO
}

/// The largest `f32` that is not above the exact sum of `terms`.
pub(crate) fn round_down<const N: usize>(mut terms: [f64; N]) -> f32 {
    for x in &mut terms {
        *x = -*x;
    }
    -round_up(&terms)
}

/// The smallest `f32` that is not below the exact `start + sum of reaches`.
pub(crate) fn round_up_from(start: f32, reaches: &[f64]) -> f32 {
    // Nothing to add is the common case of a point or a flat box, and exact.
    if reaches.iter().all(|&x| x == 0.0) {
        return start;
    }
    let mut terms: Sum = Sum::from_slice(reaches);
    terms.insert(0, start.into());
    round_up(&terms)
}

/// The smallest `f32` that is not below the exact sum of `terms`.
pub(crate) fn round_up(terms: &[f64]) -> f32 {
    // Sums of f32 mostly fit an f64, and are then known without exact arithmetic.
    if let Some(sum) = exact_sum(terms.iter().copied()) {
        let rounded = sum as f32;
        return if f64::from(rounded) < sum { rounded.next_up() } else { rounded };
    }
    let sum: f64 = terms.iter().sum();
    let magnitude: f64 = terms.iter().map(|x| x.abs()).sum();
    // Where the terms cancel, the rounded sum may be many steps of f32 off.
    let sum = if sum.abs() > CANCELLED * magnitude { sum } else { Exact::sum(terms).value() };
    let mut guess = (sum as f32).next_down();
    // The sum errs by far less than a step of f32, so this takes one or two steps.
    loop {
        let rest: Sum = terms.iter().copied().chain([-f64::from(guess)]).listed();
        if guess == f32::INFINITY || sign(&rest) != Ordering::Greater {
            return guess;
        }
        guess = guess.next_up();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_brackets_the_value() {
        let x = 0.1f64;
        assert!(f64::from(round_down([x])) <= x && x <= f64::from(round_up(&[x])));
        assert_eq!(round_down([x]).next_up(), round_up(&[x]));
        assert_eq!((round_down([2.5]), round_up(&[2.5])), (2.5, 2.5));
        assert_eq!(round_up(&[1.0, 1e-30]), 1f32.next_up());
        assert_eq!(round_down([1.0, 1e-30]), 1.0);
        // The sum of the first two does not fit in `f64`, the sum of all three does.
        assert_eq!((round_down([1.0, 1e-30, -1e-30]), round_up(&[1.0, 1e-30, -1e-30])), (1.0, 1.0));
        assert_eq!(round_down([1e300]), f32::MAX);
    }

    #[test]
    fn the_limit_is_two_to_the_30() {
        assert_eq!(f64::from(MAX_COORDINATE), 30f64.exp2());
    }
}
