//! An order of places along a curve that fills space, so that what is close along it is close in space.
//!
//! Hilbert's curve never jumps, as Morton's does: trees packed along it cost 1.15 times as much as built ones, not 1.9.
//!
//! Source: Hilbert, "Ueber die stetige Abbildung einer Linie auf ein Flaechenstueck", 1891; the bits after Skilling, "Programming the Hilbert
//! Curve", 2004, for many places at a time instead of one; the spreading of bits after Karras, "Thinking Parallel, Part III".

#[cfg(feature = "parallel")]
use crate::radix_sort::merge;
use crate::{
    lanes::{LANES, Level, Simd, load, max, min, splat, truncate, vectorized},
    radix_sort::sort,
};
use cullide_narrowphase::glam::Vec3;

/// An item to sort: a number, below the key of its place.
trait Item: Copy + Ord + Send + Sync {
    const BITS: u32;
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
}

impl Item for u32 {
    const BITS: u32 = Self::BITS;

    #[inline(always)]
    fn of(bits: u64) -> Self {
        bits as Self
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        self.into()
    }
}

impl Item for u64 {
    const BITS: u32 = Self::BITS;

    #[inline(always)]
    fn of(bits: u64) -> Self {
        bits
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        self
    }
}

/// Numbers in the order of their places, and arrays for sorting them.
#[derive(Clone, Debug, Default)]
pub(crate) struct HilbertOrder {
    /// Items that take less room in the caches: frames of 64,000 fast boxes take 1 % less, and 4 where others use the caches as well.
    narrow: [Vec<u32>; 2],
    wide: [Vec<u64>; 2],
    /// Whether few places of the last time would share a cell twice as wide with a query_set.
    is_sparse: bool,
}

impl HilbertOrder {
    /// Those of `numbers`, all below `end`, in order along a curve through the box from `low` to `high`.
    pub(crate) fn along(
        &mut self,
        level: Level,
        (low, high): (Vec3, Vec3),
        (numbers, end): (&[u32], usize),
        place: impl Fn(u32) -> Vec3 + Copy + Sync,
    ) -> &[u32] {
        let bits = usize::BITS - end.leading_zeros();
        let fine = fine_bits(numbers.len());
        // Half as fine, where that makes items small enough and few crowds.
        let coarse = if self.is_sparse { fine - 1 } else { fine };
        let [fine, coarse] = [fine, coarse].map(|bits| Curve::new(low, high, bits));
        let Self { narrow, wide, is_sparse } = self;
        if bits + coarse.key_bits() <= u32::BITS {
            coarse.order(level, bits, numbers, narrow, place);
            *is_sparse = has_few_crowds(&narrow[0], bits + coarse.key_bits() - (fine.key_bits() - 3));
            refine(level, bits, &mut narrow[0], place);
            narrow[0].iter_mut().for_each(|item| *item &= (1 << bits) - 1);
        } else {
            fine.order(level, u32::BITS, numbers, wide, place);
            *is_sparse = has_few_crowds(&wide[0], u32::BITS + 3);
            refine(level, u32::BITS, &mut wide[0], place);
            narrow[0].clear();
            narrow[0].extend(wide[0].iter().map(|&item| item as u32));
        }
        &narrow[0]
    }
}

/// Bits on each axis, so that there are two cells a place at least: finer ones would make the sort slower and boxes hardly closer.
fn fine_bits(count: usize) -> u32 {
    ((count.max(1).ilog2() + 4) / 3).clamp(4, 10)
}

/// Whether few sorted items share what is above their lowest `shift` bits with a query_set.
fn has_few_crowds<T: Item>(items: &[T], shift: u32) -> bool {
    let pairs = items.iter().step_by(CROWD).zip(items.iter().skip(CROWD).step_by(CROWD));
    let crowds = pairs.filter(|(a, b)| a.bits() >> shift == b.bits() >> shift).count();
    crowds * CROWD * FEW < items.len()
}

/// Numbers places within a box.
#[derive(Clone, Copy, Debug)]
struct Curve {
    low: Vec3,
    scale: Vec3,
    /// Bits of a place on each axis.
    bits: u32,
}

impl Curve {
    /// Over the box from `low` to `high`, with so many bits of a place on each axis.
    fn new(low: Vec3, high: Vec3, bits: u32) -> Self {
        let cells = (1 << bits) as f32 * (1.0 - 4.0 * f32::EPSILON);
        // An axis without extent, or too small for its reciprocal, tells nothing.
        let scale = (high - low).map(|x| if (cells / x).is_finite() { cells / x } else { 0.0 });
        Self { low, scale, bits }
    }

    /// Bits of a key.
    fn key_bits(&self) -> u32 {
        3 * self.bits
    }

    /// Makes `items` the numbers, each below the key of its place, and sorts them by key; those of one key as they were.
    ///
    /// Two threads take a half each, from its places to its order: waking a thread costs a tenth of a millisecond, so it should be for much.
    fn order<T: Item>(
        &self,
        level: Level,
        shift: u32,
        numbers: &[u32],
        lists: &mut [Vec<T>; 2],
        place: impl Fn(u32) -> Vec3 + Copy + Sync,
    ) {
        let [items, scratch] = lists;
        items.resize(numbers.len(), T::of(0));
        scratch.resize(numbers.len(), T::of(0));
        let order = |numbers: &[u32], items: &mut [T], scratch: &mut [T]| {
            vectorized!(level, simd => {
                items.iter_mut().zip(numbers).for_each(|(item, &number)| *item = T::of(number.into()));
                self.number(simd, shift, items, place);
                sort(items, scratch, shift, shift + self.key_bits(), T::bits);
            });
        };
        #[cfg(feature = "parallel")]
        if items.len() >= WORTH_A_THREAD && rayon::current_num_threads() > 1 {
            let half = items.len() / 2;
            let (numbers, more_numbers) = numbers.split_at(half);
            let (first, second) = items.split_at_mut(half);
            let (first_scratch, second_scratch) = scratch.split_at_mut(half);
            rayon::join(|| order(numbers, first, first_scratch), || order(more_numbers, second, second_scratch));
            merge(first, second, scratch, |item| item.bits() >> shift);
            std::mem::swap(items, scratch);
            return;
        }
        order(numbers, items, scratch);
    }

    /// Writes the key of the place of each item, whose lowest `shift` bits are a number, above that number.
    #[inline(always)]
    fn number<S: Simd, T: Item>(&self, simd: S, shift: u32, items: &mut [T], place: impl Fn(u32) -> Vec3) {
        let number = |item: T| item.bits() & ((1 << shift) - 1);
        for items in items.chunks_mut(WIDE) {
            let mut places = [[0.0; WIDE]; 3];
            for (lane, &item) in items.iter().enumerate() {
                let at = place(number(item) as u32).to_array();
                for axis in 0..3 {
                    places[axis][lane] = at[axis];
                }
            }
            let keys = self.keys(simd, &places);
            for (item, key) in items.iter_mut().zip(keys) {
                *item = T::of(u64::from(key) << shift | number(*item));
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
        cells.copy_from_slice(&truncate(min(max(cell, splat(simd, 0.0)), splat(simd, last))));
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

/// With one in so many items in a query_set, to order these takes longer than small items spare.
const FEW: usize = 16;

/// After sorting by key, with the key above the number of the item, which has `shift` bits: orders what shares a cell, as when one place lies
/// far from all others. Each round tells apart what is sixteen times closer at least; a cell whose items are all at one place stays as it is.
fn refine<T: Item>(level: Level, shift: u32, items: &mut [T], place: impl Fn(u32) -> Vec3 + Copy) {
    let key_of = |item: T| item.bits() >> shift;
    let number = |item: T| (item.bits() & ((1 << shift) - 1)) as u32;
    let (mut done, mut start) = (0, 0);
    while start < items.len() {
        // Most cells hold a few items, so most looks skip many: in a query_set, one of them meets the same key again so much further on.
        let key = key_of(items[start]);
        if items.get(start + STRIDE).is_none_or(|&item| key_of(item) != key) {
            start += STRIDE;
            continue;
        }
        start -= items[done..start].iter().rev().take_while(|&&item| key_of(item) == key).count();
        done = start;
        let count = items[start..].iter().take_while(|&&item| key_of(item) == key).count();
        if count <= CROWD {
            start += count;
            continue;
        }
        let query_set = &mut items[start..start + count];
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for &item in query_set.iter() {
            let at = place(number(item));
            (low, high) = (low.min(at), high.max(at));
        }
        let curve = Curve::new(low, high, fine_bits(count).min((T::BITS - shift) / 3));
        vectorized!(level, simd => curve.number(simd, shift, query_set, place));
        if curve.scale == Vec3::ZERO {
            start += count;
            continue;
        }
        query_set.sort_unstable();
        // Round again from the same place, with the new keys; they differ, so that crowds shrink.
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(curve: &Curve, place: Vec3) -> u32 {
        let mut item = [0u64];
        vectorized!(Level::new(), simd => curve.number(simd, 32, &mut item, |_| place));
        (item[0] >> 32) as u32
    }

    #[test]
    fn the_curve_goes_from_cell_to_neighbouring_cell_through_all() {
        let curve = Curve::new(Vec3::ZERO, Vec3::splat(64.0), 6);
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
        let curve = Curve::new(Vec3::ZERO, Vec3::splat(64.0), 6);
        assert_eq!(key(&curve, Vec3::splat(2e30)), key(&curve, Vec3::splat(63.5)));
        assert_eq!(key(&curve, Vec3::splat(-2e30)), key(&curve, Vec3::ZERO));
        let point = Curve::new(Vec3::ONE, Vec3::ONE, 4);
        assert_eq!(key(&point, Vec3::ONE), key(&point, Vec3::ZERO));
    }

    #[test]
    fn items_of_either_size_come_in_one_order() {
        let places: Vec<Vec3> = (0..5000u32)
            .map(|i| Vec3::from_array([7919, 104_729, 611_953].map(|prime| (i * prime % 10_007) as f32)))
            .collect();
        let numbers: Vec<u32> = (0..5000).filter(|i| i % 7 != 3).collect();
        let (low, high) = (Vec3::ZERO, Vec3::splat(10_007.0));
        let sorted = |bits: u32| {
            let mut sorted = numbers.clone();
            sorted.sort_by_key(|&i| key(&Curve::new(low, high, bits), places[i as usize]));
            sorted
        };
        let fine = fine_bits(numbers.len());
        // The second time no crowds are known of: coarser cells will do, where these make items small enough.
        for (end, second) in [(5000, fine - 1), (1 << 30, fine)] {
            let mut order = HilbertOrder::default();
            for bits in [fine, second] {
                let order = order.along(Level::new(), (low, high), (&numbers, end), |i| places[i as usize]);
                assert_eq!(order, sorted(bits), "numbers below {end}, {bits} bits");
            }
        }
    }

    #[test]
    fn crowds_stay_in_fine_cells() {
        // Clusters as wide as a fine cell, so that each fills a coarse one.
        let place = |i: u32| Vec3::splat((i % 40 * 16 + i / 40 % 8) as f32);
        let numbers: Vec<u32> = (0..4000).collect();
        let mut order = HilbertOrder::default();
        let mut along =
            || order.along(Level::new(), (Vec3::ZERO, Vec3::splat(640.0)), (&numbers, 4000), place).to_vec();
        assert_eq!(along(), along());
        assert!(!order.is_sparse);
    }

    #[test]
    fn a_crowd_far_from_one_place_is_ordered_within() {
        // All but one share a cell, and most of these one of the next curve.
        let place = |i: u32| if i == 0 { Vec3::splat(1e30) } else { Vec3::X * ((i * 263 % 499) as f32).powi(9) };
        let numbers: Vec<u32> = (0..499).collect();
        for end in [499, 1 << 30] {
            let mut order = HilbertOrder::default();
            let order = order.along(Level::new(), (Vec3::ZERO, Vec3::splat(1e30)), (&numbers, end), place);
            let mut sorted = order.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, numbers);
            let size = |i: u32| place(i).x.max(1.0).ln();
            let jumps = order.windows(2).filter(|two| (size(two[0]) - size(two[1])).abs() > 5.0).count();
            assert!(jumps <= CROWD, "{jumps} jumps");
        }
    }
}
