//! Vectors of four edges, in lanes.

use fearless_simd::{f64x4, prelude::*};
use glam::DVec3;

/// How many edges are side by side.
pub(super) const LANES: usize = 4;

/// Vectors by coordinate, in memory; [`DVectors4`] are the same in registers.
pub(super) type Column = [[f64; LANES]; 3];
pub(super) type DVectors4<S> = [f64x4<S>; 3];

#[inline(always)]
pub(super) fn splat<S: Simd>(simd: S, v: DVec3) -> DVectors4<S> {
    [f64x4::splat(simd, v.x), f64x4::splat(simd, v.y), f64x4::splat(simd, v.z)]
}

#[inline(always)]
pub(super) fn load<S: Simd>(simd: S, [x, y, z]: &Column) -> DVectors4<S> {
    [f64x4::simd_from(simd, *x), f64x4::simd_from(simd, *y), f64x4::simd_from(simd, *z)]
}

#[inline(always)]
pub(super) fn minus<S: Simd>(a: DVectors4<S>, b: DVectors4<S>) -> DVectors4<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(super) fn dot<S: Simd>(a: DVectors4<S>, b: DVectors4<S>) -> f64x4<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(super) fn cross<S: Simd>(a: DVectors4<S>, b: DVectors4<S>) -> DVectors4<S> {
    [a[1] * b[2] - b[1] * a[2], a[2] * b[0] - b[2] * a[0], a[0] * b[1] - b[0] * a[1]]
}
