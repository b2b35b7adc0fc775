//! An order of places along a curve that fills space, so that what is close along it is close in space.
//!
//! Hilbert's curve never jumps, as Morton's does: trees packed along it cost 1.15 times as much as built ones, not 1.9.
//!
//! Source: Hilbert, "Ueber die stetige Abbildung einer Linie auf ein Flaechenstueck", 1891; the bits after Skilling, "Programming the Hilbert
//! Curve", 2004, for many places at a time instead of one; the spreading of bits after Karras, "Thinking Parallel, Part III".

#[cfg(feature = "parallel")]
use crate::sort::merge;
use crate::{
    lanes::{LANES, Level, Simd, load, max, min, splat, to_integers16, vectorized},
    sort::sort,
};
use cullide_narrowphase::glam::Vec3;

/// Numbers places within a box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Curve {
    low: Vec3,
    scale: Vec3,
    /// Bits of a place on each axis.
    bits: u32,
}

impl Curve {
    /// Over the box from `low` to `high`.
    pub(crate) fn new(low: Vec3, high: Vec3, count: usize) -> Self {
        // Two cells a place at least: finer ones would make the sort slower and boxes hardly closer.
        let bits = ((count.max(1).ilog2() + 4) / 3).clamp(4, 10);
        let cells = (1 << bits) as f32 * (1.0 - 4.0 * f32::EPSILON);
        // An axis without extent, or too small for its reciprocal, tells nothing.
        let scale = (high - low).map(|x| if (cells / x).is_finite() { cells / x } else { 0.0 });
        Self { low, scale, bits }
    }

    /// Bits of a key.
    pub(crate) fn key_bits(&self) -> u32 {
        3 * self.bits
    }

    /// Makes `items` the numbers, each below the key of its place, and sorts them by key.
    ///
    /// Two threads take a half each, from its places to its order: waking a thread costs a tenth of a millisecond, so it should be for much.
    pub(crate) fn order(
        &self,
        level: Level,
        numbers: &[u32],
        items: &mut Vec<u64>,
        scratch: &mut Vec<u64>,
        place: impl Fn(u32) -> Vec3 + Copy + Sync,
    ) {
        items.resize(numbers.len(), 0);
        scratch.resize(numbers.len(), 0);
        let order = |numbers: &[u32], items: &mut [u64], scratch: &mut [u64]| {
            vectorized!(level, simd => {
                items.iter_mut().zip(numbers).for_each(|(item, &number)| *item = number.into());
                self.number(simd, items, place);
                sort(items, scratch, 32, 32 + self.key_bits(), |item| item);
            });
        };
        #[cfg(feature = "parallel")]
        if items.len() >= WORTH_A_THREAD && rayon::current_num_threads() > 1 {
            let half = items.len() / 2;
            let (numbers, more_numbers) = numbers.split_at(half);
            let (first, second) = items.split_at_mut(half);
            let (first_scratch, second_scratch) = scratch.split_at_mut(half);
            rayon::join(|| order(numbers, first, first_scratch), || order(more_numbers, second, second_scratch));
            merge(first, second, scratch, |item| item >> 32);
            std::mem::swap(items, scratch);
            return;
        }
        order(numbers, items, scratch);
    }

    /// Writes the key of the place of each item, which is a number, above that number.
    #[inline(always)]
    pub(crate) fn number<S: Simd>(&self, simd: S, items: &mut [u64], place: impl Fn(u32) -> Vec3) {
        for items in items.chunks_mut(WIDE) {
            let mut places = [[0.0; WIDE]; 3];
            for (lane, &item) in items.iter().enumerate() {
                let at = place(item as u32).to_array();
                for axis in 0..3 {
                    places[axis][lane] = at[axis];
                }
            }
            let keys = self.keys(simd, &places);
            for (item, key) in items.iter_mut().zip(keys) {
                *item = u64::from(key) << 32 | u64::from(*item as u32);
            }
        }
    }

    /// The number of the cell of each place.
    #[inline(always)]
    fn keys<S: Simd>(&self, simd: S, places: &[[f32; WIDE]; 3]) -> [u32; WIDE] {
        let last = ((1 << self.bits) - 1) as f32;
        let [mut x, mut y, mut z] = [
            cells(simd, &places[0], self.low.x, self.scale.x, last),
            cells(simd, &places[1], self.low.y, self.scale.y, last),
            cells(simd, &places[2], self.low.z, self.scale.z, last),
        ];
        // From the coarsest cells down, turn and mirror what lies within, as the curve does.
        for bit in (1..self.bits).rev() {
            let within = (1 << bit) - 1;
            for x in &mut x {
                *x ^= 0u32.wrapping_sub(*x >> bit & 1) & within;
            }
            for other in [&mut y, &mut z] {
                for i in 0..WIDE {
                    let set = (0u32.wrapping_sub(other[i] >> bit & 1)) & within;
                    let swapped = (x[i] ^ other[i]) & within & !set;
                    x[i] ^= set | swapped;
                    other[i] ^= swapped;
                }
            }
        }
        // Then the Gray code, and the bits of the three axes in turn.
        let mut keys = [0; WIDE];
        for i in 0..WIDE {
            let (a, b, c) = (x[i], y[i] ^ x[i], z[i] ^ y[i] ^ x[i]);
            // Whether the bits above are odd in number.
            let mut odd = c >> 1;
            odd ^= odd >> 1;
            odd ^= odd >> 2;
            odd ^= odd >> 4;
            odd ^= odd >> 8;
            keys[i] = spread(a ^ odd) << 2 | spread(b ^ odd) << 1 | spread(c ^ odd);
        }
        keys
    }
}

/// Places at a time: each step along the curve waits for the one before, so that with sixteen it takes twice as long.
const WIDE: usize = 4 * LANES;

/// The cell of each place along one axis, the `last` one at most.
#[inline(always)]
fn cells<S: Simd>(simd: S, places: &[f32; WIDE], low: f32, scale: f32, last: f32) -> [u32; WIDE] {
    let mut cells = [0; WIDE];
    let (rows, _) = places.as_chunks::<LANES>();
    for (cells, row) in cells.chunks_mut(LANES).zip(rows) {
        let cell = (load(simd, row) - splat(simd, low)) * splat(simd, scale);
        // What is no number becomes 0, as the second operand wins.
        cells.copy_from_slice(&to_integers16(min(max(cell, splat(simd, 0.0)), splat(simd, last))));
    }
    cells
}

/// The lowest ten bits, each followed by two zeros.
#[inline(always)]
fn spread(x: u32) -> u32 {
    let x = (x | x << 16) & 0x0300_00FF;
    let x = (x | x << 8) & 0x0300_F00F;
    let x = (x | x << 4) & 0x030C_30C3;
    (x | x << 2) & 0x0924_9249
}

/// Fewer items are ordered on one thread.
#[cfg(feature = "parallel")]
const WORTH_A_THREAD: usize = 16384;

/// More items than this of one cell are ordered within it.
const CROWD: usize = 48;
const STRIDE: usize = CROWD / 2;

/// After sorting by key, with the key above the number of the item: orders what shares a cell, as when one place lies far from all others.
/// Each round tells apart what is a thousand times closer; a cell whose items are all at one place stays as it is.
pub(crate) fn refine(level: Level, items: &mut [u64], place: impl Fn(u32) -> Vec3 + Copy) {
    let (mut done, mut start) = (0, 0);
    while start < items.len() {
        // Most cells hold a few items, so most looks skip many: in a crowd, one of them meets the same key again so much further on.
        let key = items[start] >> 32;
        if items.get(start + STRIDE).is_none_or(|item| item >> 32 != key) {
            start += STRIDE;
            continue;
        }
        start -= items[done..start].iter().rev().take_while(|&&item| item >> 32 == key).count();
        done = start;
        let count = items[start..].iter().take_while(|&&item| item >> 32 == key).count();
        if count <= CROWD {
            start += count;
            continue;
        }
        let crowd = &mut items[start..start + count];
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for &item in crowd.iter() {
            let at = place(item as u32);
            (low, high) = (low.min(at), high.max(at));
        }
        let curve = Curve::new(low, high, count);
        vectorized!(level, simd => curve.number(simd, crowd, place));
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
        let mut item = [0];
        vectorized!(Level::new(), simd => curve.number(simd, &mut item, |_| place));
        (item[0] >> 32) as u32
    }

    #[test]
    fn the_curve_goes_from_cell_to_neighbouring_cell_through_all() {
        let curve = Curve::new(Vec3::ZERO, Vec3::splat(64.0), 1 << 16);
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
        let curve = Curve::new(Vec3::ZERO, Vec3::splat(64.0), 1 << 16);
        assert_eq!(key(&curve, Vec3::splat(2e30)), key(&curve, Vec3::splat(63.5)));
        assert_eq!(key(&curve, Vec3::splat(-2e30)), key(&curve, Vec3::ZERO));
        let point = Curve::new(Vec3::ONE, Vec3::ONE, 1000);
        assert_eq!(key(&point, Vec3::ONE), key(&point, Vec3::ZERO));
    }

    #[test]
    fn a_crowd_far_from_one_place_is_ordered_within() {
        // All but one share a cell, and most of these one of the next curve.
        let place = |i: u32| if i == 0 { Vec3::splat(1e30) } else { Vec3::X * ((i * 263 % 499) as f32).powi(9) };
        let numbers: Vec<u32> = (0..499).collect();
        let mut items = vec![];
        let curve = Curve::new(Vec3::ZERO, Vec3::splat(1e30), numbers.len());
        curve.order(Level::new(), &numbers, &mut items, &mut vec![], place);
        refine(Level::new(), &mut items, place);
        let order: Vec<u32> = items.iter().map(|&item| item as u32).collect();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, numbers);
        let size = |i: u32| place(i).x.max(1.0).ln();
        let jumps = order.windows(2).filter(|two| (size(two[0]) - size(two[1])).abs() > 5.0).count();
        assert!(jumps <= CROWD, "{jumps} jumps");
    }
}
