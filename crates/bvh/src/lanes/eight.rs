//! Vectors of eight numbers, the two corners of a box, `[−min, ·, max, ·]`; and of four, its center and what is
//! computed from it.

use super::has_masked_instructions;
use cullide_narrowphase::Mapped;
pub(crate) use fearless_simd::f32x8;
use fearless_simd::{Simd, f32x4, f32x16, i32x4, mask32x8, prelude::*, u32x4, u32x8};

/// Eight numbers: the two corners of a box.
pub(crate) type Row8 = [f32; 8];

/// Loads eight numbers into a vector.
#[inline(always)]
pub(crate) fn load8<S: Simd>(simd: S, row: &Row8) -> f32x8<S> {
    f32x8::simd_from(simd, *row)
}

/// Like [`super::max`], with eight lanes.
#[inline(always)]
pub(crate) fn max8<S: Simd>(a: f32x8<S>, b: f32x8<S>) -> f32x8<S> {
    if cfg!(any(target_arch = "x86", target_arch = "x86_64")) { a.max(b) } else { a.max_precise(b) }
}

/// Like [`super::min`], with eight lanes.
#[inline(always)]
pub(crate) fn min8<S: Simd>(a: f32x8<S>, b: f32x8<S>) -> f32x8<S> {
    if cfg!(any(target_arch = "x86", target_arch = "x86_64")) { a.min(b) } else { a.min_precise(b) }
}

/// The largest absolute value of eight numbers.
#[inline(always)]
pub(crate) fn longest8<S: Simd>(a: f32x8<S>) -> f32 {
    a.abs().reduce_max()
}

/// The same number in eight lanes.
#[inline(always)]
pub(crate) fn splat8<S: Simd>(simd: S, x: f32) -> f32x8<S> {
    f32x8::splat(simd, x)
}

/// `a < b` by lane.
#[inline(always)]
pub(crate) fn below8<S: Simd>(a: f32x8<S>, b: f32x8<S>) -> mask32x8<S> {
    a.simd_lt(b)
}

/// `a <= b` by lane.
#[inline(always)]
pub(crate) fn at_most8<S: Simd>(a: f32x8<S>, b: f32x8<S>) -> mask32x8<S> {
    a.simd_le(b)
}

/// Whether all lanes are set.
#[inline(always)]
pub(crate) fn all8<S: Simd>(mask: mask32x8<S>) -> bool {
    mask.all_true()
}

/// 1 if the first lane is set, otherwise 0.
#[inline(always)]
pub(crate) fn first_lane8<S: Simd>(mask: mask32x8<S>) -> usize {
    mask.to_bitmask() as usize & 1
}

/// [`max8`] in `lanes`, `b` in `others`, which must be the complement of `lanes`.
#[inline(always)]
pub(crate) fn max8_in<S: Simd>(simd: S, [lanes, others]: [mask32x8<S>; 2], a: f32x8<S>, b: f32x8<S>) -> f32x8<S> {
    if has_masked_instructions(simd) {
        return lanes.select(max8(a, b), b);
    }
    // With all bits set, a lane is a NaN, for which [`max8`] returns `b`; a set lane of a mask has all bits set.
    let bits: u32x8<S> = a.bitcast();
    max8(others.select(u32x8::splat(simd, u32::MAX), bits).bitcast(), b)
}

/// Stores a vector as a row.
#[inline(always)]
pub(crate) fn store<S: Simd>(register: f32x8<S>) -> Row8 {
    register.into()
}

/// Concatenates two rows of eight.
#[inline(always)]
pub(crate) fn join<S: Simd>(simd: S, a: &Row8, b: &Row8) -> f32x16<S> {
    load8(simd, a).combine(load8(simd, b))
}

/// The upper four lanes, then the lower four.
#[inline(always)]
pub(crate) fn swap_halves<S: Simd>(a: f32x8<S>) -> f32x8<S> {
    a.slide::<4>(a)
}

/// For each axis of a box `[−min, ·, max, ·]`: `min`, and `parts / (max − min)`, or 0 if that is not finite.
#[inline(always)]
pub(crate) fn lows_and_scales<S: Simd>(simd: S, row: &Row8, parts: f32) -> ([f32; 4], [f32; 4]) {
    let (negated, upper) = row.split_at(4);
    let negated = f32x4::from_slice(simd, negated);
    let zero = f32x4::splat(simd, 0.0);
    let scale = f32x4::splat(simd, parts) / (f32x4::from_slice(simd, upper) + negated);
    let scale = scale.abs().simd_lt(f32x4::splat(simd, f32::INFINITY)).select(scale, zero);
    // `0.0 - x` is +0.0 for either zero; a negation would not always be.
    ((zero - negated).into(), scale.into())
}

/// For each axis of a box `[−min, ·, max, ·]`: the doubled centroid minus `low`, times `scale`, truncated, modulo `N`,
/// which must be a power of two.
#[inline(always)]
pub(crate) fn bins<S: Simd, const N: usize>(simd: S, row: &Row8, low: &[f32; 4], scale: &[f32; 4]) -> [usize; 4] {
    let (negated, upper) = row.split_at(4);
    let doubled = f32x4::from_slice(simd, upper) - f32x4::from_slice(simd, negated);
    let at = (doubled - f32x4::simd_from(simd, *low)) * f32x4::simd_from(simd, *scale);
    let whole: u32x4<S> = i32x4::truncate_from(at).bitcast();
    let bins: [u32; 4] = (whole & (N as u32 - 1)).into();
    bins.mapped(|bin| bin as usize % N)
}
