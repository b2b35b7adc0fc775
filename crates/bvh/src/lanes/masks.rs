//! Comparisons whose results select numbers, lane by lane.

use super::{Simd, f32x16};
use fearless_simd::{mask32x16, prelude::*};

/// Whether `a < b`, by lane; false for a NaN.
#[inline(always)]
pub(crate) fn is_less<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> mask32x16<S> {
    a.simd_lt(b)
}

/// Whether `a <= b`, by lane; false for a NaN.
#[inline(always)]
pub(crate) fn is_at_most<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> mask32x16<S> {
    a.simd_le(b)
}

/// `a` in the lanes of a mask, `b` in the others.
#[inline(always)]
pub(crate) fn select<S: Simd>(mask: mask32x16<S>, a: f32x16<S>, b: f32x16<S>) -> f32x16<S> {
    mask.select(a, b)
}

/// The mask as one bit per lane.
#[inline(always)]
pub(crate) fn bits<S: Simd>(mask: mask32x16<S>) -> u32 {
    mask.to_bitmask() as u32
}
