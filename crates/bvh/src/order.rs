//! An order of places along a curve that fills space, so that what is close along it is close in space; and sorting by it.
//!
//! Hilbert's curve never jumps, as Morton's does: sixteen boxes in a row lie in a third of the volume.
//!
//! Source: Hamilton and Rau-Chaplin, "Compact Hilbert Indices", 2008; the spreading of bits after Karras, "Thinking Parallel, Part III".

use crate::lanes::{Level, Simd, load8, max8, min8, to_integers, vectorized};
use cullide_narrowphase::glam::Vec3;

/// Two bits an axis at a time: by state above those six bits, the next state above the six bits of the key.
const STEPS: [u16; STATES * 64] = {
    let mut steps = [0; STATES * 64];
    let mut i = 0;
    while i < 24 * 64 {
        // The upper bits of x, y and z, then the lower.
        let (middle, upper) = step(i / 64, i / 8 % 8);
        let (next, lower) = step(middle, i % 8);
        steps[i] = (next << 6 | upper << 3 | lower) as u16;
        i += 1;
    }
    steps
};

/// Where the curve enters a cube, one of eight corners, and along which of three axes it leaves: 24, and spare ones so that all five bits mean
/// something.
const STATES: usize = 32;

/// The state within one eighth of a cube, and which eighth along the curve that is.
const fn step(state: usize, eighth: usize) -> (usize, usize) {
    let (entry, axis) = (state / 3, state % 3);
    let turned = rotated(eighth ^ entry, 2 - axis);
    // The inverse of the Gray code.
    let along = turned ^ turned >> 1 ^ turned >> 2;
    let before = if along == 0 { 0 } else { (along - 1) & !1 };
    let entered = before ^ before >> 1;
    let odd = if along == 0 {
        0
    } else if along % 2 == 0 {
        along - 1
    } else {
        along
    };
    let direction = odd.trailing_ones() as usize % 3;
    ((entry ^ rotated(entered, axis + 1)) * 3 + (axis + direction + 1) % 3, along)
}

/// Three bits, turned to the left.
const fn rotated(bits: usize, by: usize) -> usize {
    let by = by % 3;
    (bits << by | bits >> (3 - by)) & 7
}

/// Numbers places within a box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Curve {
    low: Vec3,
    scale: Vec3,
    /// Bits of a place on each axis, an even number.
    bits: u32,
}

impl Curve {
    /// Over the box from `low` to `high`, fine enough to tell `count` places apart, mostly.
    pub(crate) fn new(low: Vec3, high: Vec3, count: usize) -> Self {
        // Up to eight cells a place: finer ones cost another pass of the sort.
        let bits = if count <= 1 << 15 {
            6
        } else if count <= 1 << 21 {
            8
        } else {
            10
        };
        let cells = (1 << bits) as f32 * (1.0 - 4.0 * f32::EPSILON);
        // An axis without extent, or too small for its reciprocal, tells nothing.
        let scale = (high - low).map(|x| if (cells / x).is_finite() { cells / x } else { 0.0 });
        Self { low, scale, bits }
    }

    /// Bits of a key.
    pub(crate) fn key_bits(&self) -> u32 {
        3 * self.bits
    }

    /// The number of the cell of a place.
    #[inline(always)]
    pub(crate) fn key<S: Simd>(&self, simd: S, place: Vec3) -> u32 {
        let cell = (place - self.low) * self.scale;
        let cell = load8(simd, &[cell.x, cell.y, cell.z, 0.0, 0.0, 0.0, 0.0, 0.0]);
        // What is no number becomes 0, as the second operand wins.
        let cell = max8(cell, load8(simd, &[0.0; 8]));
        let last = ((1 << self.bits) - 1) as f32;
        let [x, y, z, ..] = to_integers(min8(cell, load8(simd, &[last; 8]))).map(|x| x as u32);
        let cell = (spread(x) | spread(y) << 1 | spread(z) << 2) as usize;
        let (mut step, mut key, mut shift) = (0, 0, 3 * self.bits);
        while shift > 0 {
            shift -= 6;
            step = STEPS[(step & !63 | cell >> shift & 63) % STEPS.len()] as usize;
            key = key << 6 | step as u32 & 63;
        }
        key
    }
}

/// The lowest ten bits, each followed by two zeros.
#[inline(always)]
fn spread(x: u32) -> u32 {
    let x = (x | x << 16) & 0x0300_00FF;
    let x = (x | x << 8) & 0x0300_F00F;
    let x = (x | x << 4) & 0x030C_30C3;
    (x | x << 2) & 0x0924_9249
}

/// Bits of a digit at most: more places than that would not fit into the nearest cache.
const MOST_BITS: u32 = 11;

/// Sorts by the bits from `from` up to `to`, keeping the order of what is equal there; `scratch` is overwritten.
pub(crate) fn sort_by_bits<T: Copy + Default>(
    level: Level,
    items: &mut Vec<T>,
    scratch: &mut Vec<T>,
    from: u32,
    to: u32,
    bits: impl Fn(T) -> u64,
) {
    scratch.resize(items.len(), T::default());
    vectorized!(level, _simd => sort(items, scratch, from, to, bits));
}

#[inline(always)]
fn sort<T: Copy>(items: &mut Vec<T>, scratch: &mut Vec<T>, from: u32, to: u32, bits: impl Fn(T) -> u64) {
    let passes = (to - from).div_ceil(MOST_BITS);
    let digit = (to - from).div_ceil(passes);
    for pass in 0..passes {
        let digit_of = |item: T| (bits(item) >> (from + pass * digit)) as usize & ((1 << digit) - 1);
        let mut places = [0u32; 1 << MOST_BITS];
        let places = &mut places[..1 << digit];
        for &item in items.iter() {
            places[digit_of(item)] += 1;
        }
        let mut sum = 0;
        for place in places.iter_mut() {
            (sum, *place) = (sum + *place, sum);
        }
        for &item in items.iter() {
            let place = &mut places[digit_of(item)];
            scratch[*place as usize] = item;
            *place += 1;
        }
        std::mem::swap(items, scratch);
    }
}

/// More items than this of one cell are ordered within it.
const CROWD: usize = 48;

/// After sorting by key, with the key above the number of the item: orders what shares a cell, as when one place lies far from all others.
/// Each round tells apart what is a thousand times closer; a cell whose items are all at one place stays as it is.
pub(crate) fn refine(level: Level, items: &mut [u64], place: impl Fn(u32) -> Vec3 + Copy) {
    let mut start = 0;
    while start < items.len() {
        let key = items[start] >> 32;
        // Most cells hold one item: a look at the last of a crowd skips the rest.
        if items.get(start + CROWD).is_none_or(|item| item >> 32 != key) {
            start += 1;
            continue;
        }
        let count = items[start..].iter().take_while(|&&item| item >> 32 == key).count();
        let crowd = &mut items[start..start + count];
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for &item in crowd.iter() {
            let at = place(item as u32);
            (low, high) = (low.min(at), high.max(at));
        }
        let curve = Curve::new(low, high, count);
        vectorized!(level, simd => for item in crowd.iter_mut() {
            *item = u64::from(curve.key(simd, place(*item as u32))) << 32 | u64::from(*item as u32);
        });
        if curve.scale == Vec3::ZERO {
            start += count;
            continue;
        }
        crowd.sort_unstable();
        // Round again from the same place, with the new keys; they differ, so that crowds shrink.
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(curve: &Curve, place: Vec3) -> u32 {
        vectorized!(Level::new(), simd => curve.key(simd, place))
    }

    #[test]
    fn the_curve_goes_from_cell_to_neighbouring_cell_through_all() {
        let curve = Curve::new(Vec3::ZERO, Vec3::splat(64.0), 1000);
        assert_eq!(curve.key_bits(), 18);
        let mut cells = vec![None; 1 << 18];
        for i in 0..1 << 18 {
            let cell = [i >> 12, i >> 6 & 63, i & 63];
            let key = key(&curve, Vec3::from_array(cell.map(|x| x as f32 + 0.5)));
            assert!(cells[key as usize].replace(cell).is_none());
        }
        for ends in cells.windows(2) {
            let (a, b) = (ends[0].unwrap(), ends[1].unwrap());
            assert_eq!((0..3).map(|axis| i32::abs(a[axis] - b[axis])).sum::<i32>(), 1);
        }
    }

    #[test]
    fn places_outside_count_as_the_nearest_cell_and_a_point_is_one_cell() {
        let curve = Curve::new(Vec3::ZERO, Vec3::splat(64.0), 1000);
        assert_eq!(key(&curve, Vec3::splat(2e30)), key(&curve, Vec3::splat(63.5)));
        assert_eq!(key(&curve, Vec3::splat(-2e30)), key(&curve, Vec3::ZERO));
        let point = Curve::new(Vec3::ONE, Vec3::ONE, 1000);
        assert_eq!(key(&point, Vec3::ONE), key(&point, Vec3::ZERO));
    }

    #[test]
    fn sorting_by_bits_sorts_and_keeps_what_is_equal_in_order() {
        let mut items: Vec<u64> = (0..5000u64).map(|i| (i * 7919 % 1009) << 40 | i).collect();
        let mut expected = items.clone();
        expected.sort_unstable();
        sort_by_bits(Level::new(), &mut items, &mut vec![], 40, 60, |item| item);
        assert_eq!(items, expected);
    }
}
