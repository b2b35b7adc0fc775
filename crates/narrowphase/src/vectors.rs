//! Eight vectors at once, one per lane, stored by coordinate.

use crate::simd::Simd;
use fearless_simd::{f32x8, prelude::*};
use glam::Vec3;

/// One vector per lane.
pub(crate) type Vectors<S> = [f32x8<S>; 3];

/// Eight points, relative to `origin`.
#[inline(always)]
pub(crate) fn from<S: Simd>(simd: S, [x, y, z]: &[[f32; 8]; 3], origin: Vec3) -> Vectors<S> {
    let [a, b, c] = splat(simd, origin);
    [f32x8::simd_from(simd, *x) - a, f32x8::simd_from(simd, *y) - b, f32x8::simd_from(simd, *z) - c]
}

/// The same vector in all lanes.
#[inline(always)]
pub(crate) fn splat<S: Simd>(simd: S, v: Vec3) -> Vectors<S> {
    [f32x8::splat(simd, v.x), f32x8::splat(simd, v.y), f32x8::splat(simd, v.z)]
}

/// The sum of the absolute values of the coordinates, by lane.
#[inline(always)]
pub(crate) fn sum<S: Simd>([x, y, z]: Vectors<S>) -> f32x8<S> {
    x.abs() + y.abs() + z.abs()
}

#[inline(always)]
pub(crate) fn minus<S: Simd>(a: Vectors<S>, b: Vectors<S>) -> Vectors<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn dot<S: Simd>(a: Vectors<S>, b: Vectors<S>) -> f32x8<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn cross<S: Simd>(a: Vectors<S>, b: Vectors<S>) -> Vectors<S> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
