//! Looking up eight numbers in a vector of eight.

use super::{LANES, Simd, f32x8, load};
use fearless_simd::{prelude::*, u32x4, u32x8};

/// The places, among eight vertices, of the corners of eight triangles: [`BITS`] for each corner, corner by corner.
pub(crate) struct CornerPlaces<S: Simd>(u32x8<S>);

/// The number of bits of a place.
pub(crate) const BITS: u32 = LANES.ilog2();

impl<S: Simd> CornerPlaces<S> {
    /// From words that hold the places of two triangles each: the first four in the lower halves, the others in the
    /// upper halves.
    #[inline(always)]
    pub(crate) fn new(simd: S, words: &[u32; LANES / 2]) -> Self {
        let words = u32x4::simd_from(simd, *words);
        Self(words.combine(words >> 16))
    }

    #[inline(always)]
    pub(crate) fn of_corner(&self, corner: u32) -> Places<S> {
        Places(self.0 >> (BITS * corner))
    }
}

/// The places that [`lookup`] reads, in the lowest [`BITS`] bits of each number.
#[derive(Clone, Copy)]
pub(crate) struct Places<S: Simd>(u32x8<S>);

/// Looks up eight numbers in a vector.
#[inline(always)]
pub(crate) fn lookup<S: Simd>(simd: S, numbers: f32x8<S>, places: Places<S>) -> f32x8<S> {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let super::Level::Avx2(token) = simd.level() {
        let numbers = f32x8::simd_from(token, <[f32; LANES]>::from(numbers)).into();
        let places = u32x8::simd_from(token, <[u32; LANES]>::from(places.0)).into();
        return load(simd, &f32x8::simd_from(token, avx2::lookup(token, numbers, places)).into());
    }
    let (numbers, places): ([f32; LANES], [u32; LANES]) = (numbers.into(), places.0.into());
    let mut found = [0.0; LANES];
    for (found, place) in found.iter_mut().zip(places) {
        *found = numbers[place as usize % LANES];
    }
    load(simd, &found)
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod avx2 {
    use fearless_simd::kernel;
    #[cfg(target_arch = "x86")]
    use std::arch::x86::*;
    #[cfg(target_arch = "x86_64")]
    use std::arch::x86_64::*;

    kernel!(
        /// The instruction reads only the lowest three bits of each place.
        #[inline(always)]
        pub(super) fn lookup(token: Avx2, numbers: __m256, places: __m256i) -> __m256 {
            _mm256_permutevar8x32_ps(numbers, places)
        }
    );
}
