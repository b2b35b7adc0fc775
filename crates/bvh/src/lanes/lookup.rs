//! Looking up sixteen numbers in a small table.

use super::{LANES, Row, Simd, f32x16, has_masked_instructions, load};
use cullide_narrowphase::Mapped;
use fearless_simd::{prelude::*, u8x64, u32x8, u32x16};

/// The table places of the corners of sixteen triangles: five bits per corner.
pub(crate) struct CornerPlaces<S: Simd>(u32x16<S>);

impl<S: Simd> CornerPlaces<S> {
    /// From words that hold the places of two triangles each: the first eight in the lower halves, the others in the
    /// upper halves.
    #[inline(always)]
    pub(crate) fn new(simd: S, words: &[u32; LANES / 2]) -> Self {
        let words = u32x8::simd_from(simd, *words);
        Self(words.combine(words >> 16))
    }

    #[inline(always)]
    pub(crate) fn of_corner(&self, simd: S, corner: usize) -> Places<S> {
        Places(self.0 >> (5 * corner as u32) & u32x16::splat(simd, 31))
    }
}

/// The table places, of up to thirty-two, that [`lookup`] reads.
pub(crate) struct Places<S: Simd>(u32x16<S>);

impl<S: Simd> Places<S> {
    /// The places of the bytes of the `f32` numbers.
    #[inline(always)]
    fn bytes(&self, simd: S) -> u8x64<S> {
        (self.0 * u32x16::splat(simd, 0x0404_0404) + u32x16::splat(simd, 0x0302_0100)).bitcast()
    }
}

/// Looks up sixteen points by their places in rows of coordinates, given as bits: among the first sixteen of a row, or
/// among all thirty-two if there `are_more`.
#[inline(always)]
pub(crate) fn lookup<S: Simd>(
    simd: S,
    rows: [&[u32; 2 * LANES]; 3],
    are_more: bool,
    places: &Places<S>,
) -> [f32x16<S>; 3] {
    if has_masked_instructions(simd) {
        let bytes = places.bytes(simd);
        return rows.mapped(
            #[inline(always)]
            |row| {
                let first: f32x16<S> = u32x16::from_slice(simd, &row[..LANES]).bitcast();
                if !are_more {
                    return first.swizzle_dyn(bytes);
                }
                let second: f32x16<S> = u32x16::from_slice(simd, &row[LANES..]).bitcast();
                first.concat_swizzle_dyn(second, bytes)
            },
        );
    }
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let super::Level::Avx2(token) = simd.level() {
        let (low, high) = places.0.split();
        return rows.mapped(
            #[inline(always)]
            |row| {
                let half = |places| avx2::lookup(token, simd, row, are_more, places);
                half(low).combine(half(high))
            },
        );
    }
    one_by_one(rows, places.0.into()).mapped(|row| load(simd, &row))
}

/// The same where no instruction looks numbers up. Not inlined: the callers have nine rows each.
#[inline(never)]
fn one_by_one(rows: [&[u32; 2 * LANES]; 3], places: [u32; LANES]) -> [Row; 3] {
    rows.mapped(|row| {
        let mut numbers = [0.0; LANES];
        for (number, place) in numbers.iter_mut().zip(places) {
            *number = f32::from_bits(row[place as usize % (2 * LANES)]);
        }
        numbers
    })
}

/// A single instruction looks up eight numbers among eight, by the lowest three bits of their places.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod avx2 {
    use super::LANES;
    use fearless_simd::{Avx2, Simd, f32x8, kernel, prelude::*, u32x8};
    #[cfg(target_arch = "x86")]
    use std::arch::x86::*;
    #[cfg(target_arch = "x86_64")]
    use std::arch::x86_64::*;

    /// Looks up eight numbers, as [`super::lookup`] does.
    #[inline(always)]
    pub(super) fn lookup<S: Simd>(
        token: Avx2,
        simd: S,
        row: &[u32; 2 * LANES],
        are_more: bool,
        places: u32x8<S>,
    ) -> f32x8<S> {
        let places = u32x8::simd_from(token, <[u32; 8]>::from(places)).into();
        let found = if are_more { among_32(token, row, places) } else { among_16(token, row, places) };
        f32x8::simd_from(simd, <[f32; 8]>::from(f32x8::simd_from(token, found)))
    }

    kernel!(
        /// Looks up eight numbers among the first sixteen of a row, by four bits of their places.
        #[inline(always)]
        fn among_16(token: Avx2, row: &[u32; 2 * LANES], places: __m256i) -> __m256 {
            let a = _mm256_castsi256_ps(u32x8::from_slice(token, &row[..8]).into());
            let b = _mm256_castsi256_ps(u32x8::from_slice(token, &row[8..16]).into());
            let is_upper = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(places));
            _mm256_blendv_ps(_mm256_permutevar8x32_ps(a, places), _mm256_permutevar8x32_ps(b, places), is_upper)
        }
    );

    kernel!(
        /// Looks up eight numbers among all thirty-two, by five bits.
        #[inline(always)]
        fn among_32(token: Avx2, row: &[u32; 2 * LANES], places: __m256i) -> __m256 {
            let c = _mm256_castsi256_ps(u32x8::from_slice(token, &row[16..24]).into());
            let d = _mm256_castsi256_ps(u32x8::from_slice(token, &row[24..]).into());
            let is_upper = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(places));
            let upper =
                _mm256_blendv_ps(_mm256_permutevar8x32_ps(c, places), _mm256_permutevar8x32_ps(d, places), is_upper);
            let is_beyond = _mm256_castsi256_ps(_mm256_slli_epi32::<27>(places));
            _mm256_blendv_ps(among_16(token, row, places), upper, is_beyond)
        }
    );
}
