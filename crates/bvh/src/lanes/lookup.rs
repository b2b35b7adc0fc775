//! Sixteen numbers by their places among a few.

use super::{LANES, Simd, f32x16, has_masked_instructions, load};
use fearless_simd::{prelude::*, u8x64, u32x8, u32x16};

/// The places of the corners of sixteen triangles: five bits a corner.
pub(crate) struct CornerPlaces<S: Simd>(u32x16<S>);

impl<S: Simd> CornerPlaces<S> {
    /// Of those of two triangles a word: the first eight in the lower halves, the others in the upper halves.
    #[inline(always)]
    pub(crate) fn new(simd: S, words: &[u32; LANES / 2]) -> Self {
        let words = u32x8::simd_from(simd, *words);
        Self(words.combine(words >> 16))
    }

    #[inline(always)]
    pub(crate) fn of_corner(&self, simd: S, corner: usize) -> Places<S> {
        let places = self.0 >> (5 * corner as u32) & u32x16::splat(simd, 31);
        let bytes = places * u32x16::splat(simd, 0x0404_0404) + u32x16::splat(simd, 0x0302_0100);
        Places { places: places.into(), bytes: bytes.bitcast() }
    }
}

/// Which of up to thirty-two numbers in memory [`lookup`] takes: their places, and the bytes of these.
pub(crate) struct Places<S: Simd> {
    places: [u32; LANES],
    bytes: u8x64<S>,
}

/// Sixteen of the first sixteen numbers of a row, by their bits, or of thirty-two if there `are_more`.
#[inline(always)]
pub(crate) fn lookup<S: Simd>(simd: S, row: &[u32; 2 * LANES], are_more: bool, places: &Places<S>) -> f32x16<S> {
    if has_masked_instructions(simd) {
        let first: f32x16<S> = u32x16::from_slice(simd, &row[..LANES]).bitcast();
        if !are_more {
            return first.swizzle_dyn(places.bytes);
        }
        let second: f32x16<S> = u32x16::from_slice(simd, &row[LANES..]).bitcast();
        return first.concat_swizzle_dyn(second, places.bytes);
    }
    let mut numbers = [0.0; LANES];
    for (number, &place) in numbers.iter_mut().zip(&places.places) {
        *number = f32::from_bits(row[place as usize % (2 * LANES)]);
    }
    load(simd, &numbers)
}
