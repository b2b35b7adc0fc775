//! Sixteen pairs of a translating box and a plane at once.
//!
//! First in `f32` with a bound on the error; then, if any of the sixteen certainly hits with a vertex, the times in
//! `f64`, as for a single pair. Pairs that this leaves undecided are swept one by one.
//!
//! Products are fused with sums where the processor can do that (3.2 -> 2.7 ns a pair in the cache), and still every
//! instruction set gives the same bits: what `f32` decides is certain however it was rounded, and `f64` holds the
//! product of two `f32` exactly, so that the sum is rounded once, fused or not.

use crate::{
    PlaneTouch, Sides,
    contact::contacts::FEATURE_ANGLE,
    simd::{DVec3x8, Vec3x16, Vectors},
    sweep::{
        F64_ONLY_BITS,
        plane::projection::{SUM_ERROR, UNDERFLOW},
    },
};
use fearless_simd::{Simd, f32x16, f64x8, mask32x16, prelude::*, u32x16, u64x8};

/// Pairs handled at once.
pub(super) const LANES: usize = 16;

/// The first `groups` groups of sixteen of three columns.
#[inline(always)]
pub(super) fn rows([x, y, z]: [&[f32]; 3], groups: usize) -> [&[[f32; LANES]]; 3] {
    [&x.as_chunks().0[..groups], &y.as_chunks().0[..groups], &z.as_chunks().0[..groups]]
}

/// A group of sixteen vectors.
#[inline(always)]
pub(super) fn load<S: Simd>(simd: S, [x, y, z]: [&[[f32; LANES]]; 3], group: usize) -> Vec3x16<S> {
    Vec3x16::load(simd, &[x[group], y[group], z[group]])
}

/// The last sixteen numbers of a column; for a column that has fewer, all of them, and the very last one as often as it
/// takes.
pub(super) fn last(column: &[f32]) -> [f32; LANES] {
    column.last_chunk().copied().unwrap_or_else(|| {
        let mut row = [column[column.len() - 1]; LANES];
        row[..column.len()].copy_from_slice(column);
        row
    })
}

/// Rows of sixteen numbers as columns.
pub(super) fn columns([x, y, z]: &[[f32; LANES]; 3]) -> [&[f32]; 3] {
    [x, y, z]
}

/// The same number in every lane.
#[inline(always)]
pub(super) fn splat<S: Simd>(simd: S, x: f32) -> f32x16<S> {
    f32x16::splat(simd, x)
}

/// The answers for sixteen pairs of normal, centre, three half edges and motion, with the planes' `d`; and a bit for
/// each lane for which no answer is given.
#[inline(always)]
pub(super) fn touches<S: Simd>(
    simd: S,
    [normal, center, a, b, c, motion]: [Vec3x16<S>; 6],
    d: f32x16<S>,
    sides: Sides,
) -> ([PlaneTouch; LANES], u32) {
    let along = [along(normal, a), along(normal, b), along(normal, c)];
    let reach = along[0].abs() + along[1].abs() + along[2].abs();
    let (height, change) = (self::along(normal, center) + d, self::along(normal, motion));
    // No edge reaches farther along the normal than the sum of its coordinates' sizes.
    let lengths = [a.abs_sum(), b.abs_sum(), c.abs_sum()];
    let sizes = size(motion, normal, size(center, normal, lengths[0] + lengths[1] + lengths[2] + d.abs()));
    let error = sizes.mul_add(SUM_ERROR, splat(simd, UNDERFLOW));

    // Seen from the side on which the box is held: in front, or, of a wall, where its centre is.
    let zero = splat(simd, 0.0);
    let (is_back, side) = match sides {
        Sides::Front => (mask32x16::splat(simd, false), splat(simd, 1.0)),
        Sides::Both => (height.simd_lt(zero), splat(simd, 1.0).copysign(height)),
    };
    let (height, change) = (height * side, change * side);
    let (gap, end) = (height - reach, height - reach + change);
    let ahead = gap.simd_gt(error);
    let (ignored, held) = match sides {
        Sides::Front => ((height + reach).simd_lt(-error), (height + reach).simd_gt(error)),
        Sides::Both => (mask32x16::splat(simd, false), height.simd_gt(error)),
    };
    let is_clear = (ahead & end.simd_gt(error)) | ignored;
    let overlaps = gap.simd_lt(-error) & held;
    let leans = leans(lengths[0], along[0]) & leans(lengths[1], along[1]) & leans(lengths[2], along[2]);
    let hits = ahead & end.simd_lt(-error) & leans;

    let kinds = overlaps.select(same(simd, PlaneTouch::OVERLAP), same(simd, 0));
    let (mut packed, mut tois) = (kinds, same(simd, 0));
    if hits.any_true() {
        // Which edges count positively in front; behind, it is the others.
        let mut vertex = same(simd, 1);
        for (i, along) in along.into_iter().enumerate() {
            vertex = (along.simd_lt(zero) ^ is_back).select(vertex << (1 << i), vertex);
        }
        packed = hits.select(vertex | PlaneTouch::HIT, kinds);
        tois = hits.select(times([normal, center, a, b, c, motion], d, side), tois);
    }
    // Already side by side, they are stored as they lie.
    let (low, high) = tois.interleave(packed);
    let (low, high): ([u32; LANES], [u32; LANES]) = (low.into(), high.into());
    let mut touches = [PlaneTouch::CLEAR; LANES];
    for (touch, words) in touches.iter_mut().zip(low.as_chunks().0.iter().chain(high.as_chunks().0)) {
        *touch = PlaneTouch { words: *words };
    }
    (touches, !(is_clear | overlaps | hits).to_bitmask() as u32 & EVERY_LANE)
}

/// A bit for every lane.
const EVERY_LANE: u32 = (1 << LANES) - 1;

/// The same integer in every lane.
#[inline(always)]
fn same<S: Simd>(simd: S, x: u32) -> u32x16<S> {
    u32x16::splat(simd, x)
}

/// The lanes in which a half edge certainly leans against the plane: as in the `f32` filter, but with a length that is
/// slightly too long.
#[inline(always)]
fn leans<S: Simd>(length: f32x16<S>, along: f32x16<S>) -> mask32x16<S> {
    const SINE: f32 = (FEATURE_ANGLE * 1.01) as f32;
    along.abs().simd_gt(length.mul_add(SINE, splat(length.simd, UNDERFLOW)))
}

/// The sum of the sizes of all products, plus `more`.
#[inline(always)]
fn size<S: Simd>(v: Vec3x16<S>, normal: Vec3x16<S>, more: f32x16<S>) -> f32x16<S> {
    let more = v.x.abs().mul_add(normal.x.abs(), more);
    v.z.abs().mul_add(normal.z.abs(), v.y.abs().mul_add(normal.y.abs(), more))
}

/// Dot products of vectors with a normal, in `f32` or `f64`: the sum of
/// [`projection`](crate::sweep::plane::projection), here fused.
#[inline(always)]
fn along<S: Simd, F: SimdFloat<S>>(normal: Vectors<F>, v: Vectors<F>) -> F {
    v.z.mul_add(normal.z, v.y.mul_add(normal.y, v.x * normal.x))
}

/// The bits of the times of impact, rounded toward zero; meaningless for lanes that are not hit.
#[inline(always)]
fn times<S: Simd>([normal, center, a, b, c, motion]: [Vec3x16<S>; 6], d: f32x16<S>, side: f32x16<S>) -> u32x16<S> {
    let (normal, d, side) = (halves(normal), d.widen(), side.widen());
    let (center, a, b, c, motion) = (halves(center), halves(a), halves(b), halves(c), halves(motion));
    let low = time(normal[0], [center[0], a[0], b[0], c[0], motion[0]], d.0, side.0);
    let high = time(normal[1], [center[1], a[1], b[1], c[1], motion[1]], d.1, side.1);
    // Between 2^-21 and 1, because gaps exceed their errors: without the bits that only `f64` has, they are exact in
    // `f32`.
    let cut = |time: f64x8<S>| (time.bitcast::<u64x8<S>>() & !F64_ONLY_BITS).bitcast::<f64x8<S>>();
    cut(low).narrow(cut(high)).bitcast()
}

#[inline(always)]
fn halves<S: Simd>(v: Vec3x16<S>) -> [DVec3x8<S>; 2] {
    let (x, y, z) = (v.x.widen(), v.y.widen(), v.z.widen());
    [DVec3x8 { x: x.0, y: y.0, z: z.0 }, DVec3x8 { x: x.1, y: y.1, z: z.1 }]
}

/// The times of eight lanes in `f64`.
#[inline(always)]
fn time<S: Simd>(
    normal: DVec3x8<S>,
    [center, a, b, c, motion]: [DVec3x8<S>; 5],
    d: f64x8<S>,
    side: f64x8<S>,
) -> f64x8<S> {
    let reach = along(normal, a).abs() + along(normal, b).abs() + along(normal, c).abs();
    let gap = side * (along(normal, center) + d) - reach;
    gap / -(side * along(normal, motion))
}
