//! Vectors of sixteen numbers as four rows of four.

use super::{Simd, f32x16};
use fearless_simd::prelude::*;

/// Shifts each row by one: drops its first number, and appends the first number of the same row of `b`.
#[inline(always)]
pub(crate) fn next_columns<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> f32x16<S> {
    a.slide_within_blocks::<1>(b)
}

/// Shifts the rows by one: drops the first row, and appends the first row of `b`.
#[inline(always)]
pub(crate) fn next_rows<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> f32x16<S> {
    a.slide::<4>(b)
}

/// One bit for each place in the first `columns` columns and the first `rows` rows.
#[inline(always)]
pub(crate) fn corner(columns: u32, rows: u32) -> u32 {
    const COLUMNS: [u32; 4] = [0x1111, 0x3333, 0x7777, 0xffff];
    COLUMNS[columns.clamp(1, 4) as usize - 1] & (0xffff >> (16 - 4 * rows.clamp(1, 4)))
}

/// Reverses the order of columns, of rows, or of both, in the bits of places.
#[inline(always)]
pub(crate) fn turned_round([columns, rows]: [bool; 2], places: u32) -> u32 {
    let swapped = |bits: u32, mask: u32, by: u32| (bits & mask) << by | bits >> by & mask;
    let places = if columns { swapped(swapped(places, 0x5555, 1), 0x3333, 2) } else { places };
    if rows { swapped(swapped(places, 0x0f0f, 4), 0x00ff, 8) } else { places }
}
