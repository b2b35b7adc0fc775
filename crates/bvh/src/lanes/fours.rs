//! Sixteen numbers as four rows of four.

use super::{Simd, f32x16};
use fearless_simd::prelude::*;

/// Each row without its first number, and then the first of that row of `b`.
#[inline(always)]
pub(crate) fn next_columns<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> f32x16<S> {
    a.slide_within_blocks::<1>(b)
}

/// All rows but the first, and then the first of `b`.
#[inline(always)]
pub(crate) fn next_rows<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> f32x16<S> {
    a.slide::<4>(b)
}

/// A bit for each place in the first of the columns and the first of the rows.
#[inline(always)]
pub(crate) fn corner(columns: u32, rows: u32) -> u32 {
    const COLUMNS: [u32; 4] = [0x1111, 0x3333, 0x7777, 0xffff];
    COLUMNS[columns.clamp(1, 4) as usize - 1] & (0xffff >> (16 - 4 * rows.clamp(1, 4)))
}

/// The bits of places as they are when the order of columns, for `C`, and of rows, for `R`, is turned round.
#[inline(always)]
pub(crate) fn turned_round<const C: bool, const R: bool>(places: u32) -> u32 {
    let swapped = |bits: u32, mask: u32, by: u32| (bits & mask) << by | bits >> by & mask;
    let places = if C { swapped(swapped(places, 0x5555, 1), 0x3333, 2) } else { places };
    if R { swapped(swapped(places, 0x0f0f, 4), 0x00ff, 8) } else { places }
}
