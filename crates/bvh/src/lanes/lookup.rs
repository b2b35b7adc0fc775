//! Sixteen numbers by their places among a few.

use super::{LANES, Simd, f32x16, has_masked_instructions, load};
use fearless_simd::{prelude::*, u8x64, u32x16};

/// Which of up to thirty-two numbers in memory [`lookup`] takes: in memory, and as the bytes of these.
pub(crate) struct Places<'a, S: Simd> {
    places: &'a [u8; LANES],
    bytes: u8x64<S>,
}

impl<'a, S: Simd> Places<'a, S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, places: &'a [u8; LANES]) -> Self {
        let mut bytes = [0; LANES];
        // A loop, which is vectorized.
        for (bytes, &place) in bytes.iter_mut().zip(places) {
            *bytes = u32::from(place) * 0x0404_0404 + 0x0302_0100;
        }
        Self { places, bytes: u32x16::simd_from(simd, bytes).bitcast() }
    }
}

/// Sixteen of the first sixteen numbers of a row, or of thirty-two if there `are_more`.
#[inline(always)]
pub(crate) fn lookup<S: Simd>(simd: S, row: &[f32; 2 * LANES], are_more: bool, places: &Places<S>) -> f32x16<S> {
    if has_masked_instructions(simd) {
        let first = f32x16::from_slice(simd, &row[..LANES]);
        if !are_more {
            return first.swizzle_dyn(places.bytes);
        }
        return first.concat_swizzle_dyn(f32x16::from_slice(simd, &row[LANES..]), places.bytes);
    }
    let mut numbers = [0.0; LANES];
    for (number, &place) in numbers.iter_mut().zip(places.places) {
        *number = row[usize::from(place) % (2 * LANES)];
    }
    load(simd, &numbers)
}
