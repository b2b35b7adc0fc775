//! An order of places along a curve that fills space, so that what is close along it is close in space; and sorting by it.
//!
//! Hilbert's curve never jumps, as Morton's does: sixteen boxes in a row lie in a third of the volume.
//!
//! Source: Hamilton and Rau-Chaplin, "Compact Hilbert Indices", 2008.

use cullide_narrowphase::glam::Vec3;

/// Two bits an axis at a time: by state and those six bits, the next state above the six bits of the key.
const STEPS: [[u16; 64]; STATES] = {
    let mut steps = [[0; 64]; STATES];
    let mut state = 0;
    while state < STATES {
        let mut cell = 0;
        while cell < 64 {
            // The upper bits of x, y and z, then the lower.
            let (middle, upper) = step(state, cell >> 3);
            let (next, lower) = step(middle, cell & 7);
            steps[state][cell] = (next << 6 | upper << 3 | lower) as u16;
            cell += 1;
        }
        state += 1;
    }
    steps
};

/// Where the curve enters a cube, one of eight corners, and along which of three axes it leaves.
const STATES: usize = 24;

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
    pub(crate) fn key(&self, place: Vec3) -> u32 {
        let cell = (place - self.low) * self.scale;
        // Conversion saturates, and makes a NaN 0.
        let last = (1 << self.bits) - 1;
        let [x, y, z] = cell.to_array().map(|x| (x as i32).clamp(0, last) as usize);
        let (mut state, mut key, mut shift) = (0, 0, self.bits);
        while shift > 0 {
            shift -= 2;
            let bits = PAIRS[x >> shift & 3] | PAIRS[y >> shift & 3] << 1 | PAIRS[z >> shift & 3] << 2;
            let step = u32::from(STEPS[state % STATES][bits % 64]);
            key = key << 6 | step & 63;
            state = step as usize >> 6;
        }
        key
    }
}

/// Two bits, three places apart.
const PAIRS: [usize; 4] = [0b000_000, 0b000_001, 0b001_000, 0b001_001];

/// Sorts by the bits from `from` up to `to`, keeping the order of what is equal there; `scratch` is overwritten.
pub(crate) fn sort_by_bits(items: &mut Vec<u64>, scratch: &mut Vec<u64>, from: u32, to: u32) {
    scratch.resize(items.len(), 0);
    // As few passes as digits of twelve bits allow: more places than that would not fit into the nearest cache.
    let passes = (to - from).div_ceil(12);
    let digit = (to - from).div_ceil(passes);
    let mut counts = [[0u32; 1 << 12]; 6];
    let digit_of = |item: u64, pass: u32| (item >> (from + pass * digit)) as usize & ((1 << digit) - 1);
    for &item in items.iter() {
        for pass in 0..passes {
            counts[pass as usize][digit_of(item, pass)] += 1;
        }
    }
    for pass in 0..passes {
        let places = &mut counts[pass as usize];
        let mut sum = 0;
        for place in places.iter_mut().take(1 << digit) {
            (sum, *place) = (sum + *place, sum);
        }
        for &item in items.iter() {
            let place = &mut places[digit_of(item, pass)];
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
pub(crate) fn refine(items: &mut [u64], place: impl Fn(u32) -> Vec3 + Copy) {
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
        for item in crowd.iter_mut() {
            *item = u64::from(curve.key(place(*item as u32))) << 32 | u64::from(*item as u32);
        }
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

    #[test]
    fn the_curve_goes_from_cell_to_neighbouring_cell_through_all() {
        let curve = Curve::new(Vec3::ZERO, Vec3::splat(64.0), 1000);
        assert_eq!(curve.key_bits(), 18);
        let mut cells = vec![None; 1 << 18];
        for i in 0..1 << 18 {
            let cell = [i >> 12, i >> 6 & 63, i & 63];
            let key = curve.key(Vec3::from_array(cell.map(|x| x as f32 + 0.5)));
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
        assert_eq!(curve.key(Vec3::splat(2e30)), curve.key(Vec3::splat(63.5)));
        assert_eq!(curve.key(Vec3::splat(-2e30)), curve.key(Vec3::ZERO));
        let point = Curve::new(Vec3::ONE, Vec3::ONE, 1000);
        assert_eq!(point.key(Vec3::ONE), point.key(Vec3::ZERO));
    }

    #[test]
    fn sorting_by_bits_sorts_and_keeps_what_is_equal_in_order() {
        let mut items: Vec<u64> = (0..5000u64).map(|i| (i * 7919 % 1009) << 40 | i).collect();
        let mut expected = items.clone();
        expected.sort_unstable();
        sort_by_bits(&mut items, &mut vec![], 40, 60);
        assert_eq!(items, expected);
    }
}
