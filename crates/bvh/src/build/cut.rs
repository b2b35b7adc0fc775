//! Cutting a range of items in two, where the surface area heuristic over bins of centroids on three axes is least.
//!
//! Source: Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", 2007.

use super::item::{Bounds, Item};
use crate::lanes::{
    Simd, at_most8, below8, bins, f32x8, f32x16, first_lane8, join, load8, max, max8, max8_in, splat, splat8, store,
    swap_halves, turned,
};
use std::ops::Range;

/// Candidate cuts an axis are one fewer. More than 16 find hardly better cuts; for few items fewer do.
const BINS: usize = 16;
const FEW_BINS: usize = 8;
const FEW_ITEMS: usize = 192;

/// Of more items, so many at equal steps stand for all: where to cut hardly depends on one in a thousand.
const MAX_SAMPLES: usize = 1024;
/// Of fewer than that, so many: rays enter as many nodes, and the build takes a tenth less. With 300, or with 512 of up to 4,096, they
/// enter 0.5 to 1 % more.
const FEWER_SAMPLES: usize = 512;

/// A range of the items and what is known of it: its box, and the box of its (doubled) centroids.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) items: Range<usize>,
    pub(super) bounds: Bounds,
    pub(super) middles: Bounds,
}

/// All of `items`, which follow one another from the `first` on.
#[inline(always)]
pub(super) fn whole<S: Simd>(simd: S, items: &[Item], first: usize) -> Part {
    let empty = load8(simd, &Bounds::EMPTY.0);
    let (mut bounds, mut middles) = (empty, empty);
    for item in items {
        let row = load8(simd, &item.0);
        bounds = max8(row, bounds);
        middles = max8(middle(simd, row), middles);
    }
    Part { items: first..first + items.len(), bounds: Bounds(store(bounds)), middles: Bounds(store(middles)) }
}

/// How to cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// Where it costs least.
    Best,
    /// In the middle of the order, so that the tree stays shallow.
    Halve,
}

/// Reorders the items of a part, two at least, into two parts, neither empty.
#[inline(always)]
pub(super) fn cut<S: Simd>(simd: S, items: &mut [Item], part: &Part, method: Method) -> [Part; 2] {
    let (first, count) = (part.items.start, items.len());
    let place = if method == Method::Halve {
        None
    } else if count <= FEW_ITEMS {
        best_place::<S, FEW_BINS>(simd, items, &part.middles)
    } else {
        best_place::<S, BINS>(simd, items, &part.middles)
    };
    if let Some(place) = place {
        let (at, bounds, middles) = partition(simd, items, &place);
        if at > 0 && at < count {
            let ([left, right], [left_middles, right_middles]) = (bounds, middles);
            return [
                Part { items: first..first + at, bounds: left, middles: left_middles },
                Part { items: first + at..first + count, bounds: right, middles: right_middles },
            ];
        }
    }
    // All centroids coincide, or no fair cut was found for too long: any half is as good as another.
    let (left, right) = items.split_at(count / 2);
    [whole(simd, left, first), whole(simd, right, first + left.len())]
}

/// Where on which axis to cut: what lies left has `(middle − low) · scale < cut`.
struct Place {
    axis: usize,
    low: f32,
    scale: f32,
    cut: f32,
}

/// The best of the cuts between bins; `None` when all centroids coincide.
#[inline(always)]
fn best_place<S: Simd, const N: usize>(simd: S, items: &[Item], middles: &Bounds) -> Option<Place> {
    let extent = middles.extent();
    // A little less than the number of bins over the extent, so that the last centroid falls into the last bin.
    let scale = extent.map(|x| {
        let scale = N as f32 * (1.0 - 4.0 * f32::EPSILON) / x;
        if scale.is_finite() { scale } else { 0.0 }
    });
    if scale == [0.0; 3] {
        return None;
    }
    let ([x, y, z], low) = (scale, middles.min());
    let (low, scale) = ([low.x, low.y, low.z, 0.0], [x, y, z, 0.0]);
    let mut boxes = const { [[Bounds::EMPTY; N]; 3] };
    let mut counts = Counts::<N>::NONE;
    let step = items.len().div_ceil(if items.len() < MAX_SAMPLES { FEWER_SAMPLES } else { MAX_SAMPLES });
    for item in items.iter().step_by(step) {
        let row = load8(simd, &item.0);
        let bins = bins::<S, N>(simd, &item.0, &low, &scale);
        for axis in 0..3 {
            let slot = &mut boxes[axis][bins[axis]].0;
            *slot = store(max8(row, load8(simd, slot)));
            counts.add(axis, bins[axis]);
        }
    }

    // Lengths relative to the range's own size, plus a little, so that neither flat boxes nor points make every cut alike.
    let whole = extent.into_iter().fold(f32::MIN_POSITIVE, f32::max);
    let relative = (1.0 / whole).min(f32::MAX);
    let all = items.len().div_ceil(step) as f32;
    // The bits of costs order like the costs; the last ones give way to the cut's number, so that one minimum finds both.
    let mut best = f32::INFINITY.to_bits();
    for (axis, boxes) in boxes.iter().enumerate() {
        // From both ends inward, what lies left of a cut and what lies right of its mirror image.
        let (mut left, mut right) = ([0.0; N], [0.0; N]);
        let mut unions = join(simd, &Bounds::EMPTY.0, &Bounds::EMPTY.0);
        for bin in 1..N {
            unions = max(unions, join(simd, &boxes[bin - 1].0, &boxes[N - bin].0));
            [left[bin], right[N - bin]] = half_areas(simd, unions, relative);
        }
        let counts = counts.sums(axis);
        for bin in 1..N {
            // Of nothing, an infinite area makes NaN, which is above all costs.
            let cost = left[bin] * counts[bin - 1] + right[bin] * (all - counts[bin - 1]);
            best = best.min(cost.to_bits() & !(4 * N as u32 - 1) | (axis * N + bin) as u32);
        }
    }
    let (axis, bin) = ((best as usize / N) % 4, best as usize % N);
    (best < f32::INFINITY.to_bits()).then(|| Place { axis, low: low[axis], scale: scale[axis], cut: bin as f32 })
}

/// How many items are in each bin, by axis.
struct Counts<const N: usize> {
    /// A byte a bin, for few bins: [`FEW_ITEMS`] fit.
    bytes: [u64; 3],
    /// For more.
    words: [[u32; N]; 3],
}

const _: () = assert!(FEW_BINS <= 8 && FEW_ITEMS < 256);

impl<const N: usize> Counts<N> {
    const NONE: Self = Self { bytes: [0; 3], words: [[0; N]; 3] };

    #[inline(always)]
    fn add(&mut self, axis: usize, bin: usize) {
        if N <= FEW_BINS { self.bytes[axis] += 1 << (8 * bin) } else { self.words[axis][bin] += 1 }
    }

    /// How many are in each bin and those before it.
    #[inline(always)]
    fn sums(&self, axis: usize) -> [f32; N] {
        if N <= FEW_BINS {
            // Multiplied so, each byte adds up with those below it.
            let sums = self.bytes[axis].wrapping_mul(u64::from_le_bytes([1; 8])).to_le_bytes();
            return std::array::from_fn(|bin| sums[bin].into());
        }
        let mut sum = 0;
        self.words[axis].map(|count| {
            sum += count;
            sum as f32
        })
    }
}

/// Half the surfaces of two boxes in the form of [`Bounds`], of lengths times `relative`.
#[inline(always)]
fn half_areas<S: Simd>(simd: S, boxes: f32x16<S>, relative: f32) -> [f32; 2] {
    // In the first three lanes of each: x, y, z; then xy + xz, yz, ·; then the sum.
    let lengths = (boxes + turned::<4, S>(boxes)) * splat(simd, relative) + splat(simd, THICKNESS);
    let products = lengths * turned::<1, S>(lengths);
    let sums = products + lengths * turned::<2, S>(lengths) + turned::<1, S>(products);
    [sums[0], sums[8]]
}

/// Added to every relative length.
const THICKNESS: f32 = 1.0 / 1024.0;

/// Moves what lies left of the cut to the front and measures both parts.
///
/// A function of its own, as within [`cut`] the compiler keeps the unions in memory.
#[inline(never)]
fn partition<S: Simd>(simd: S, items: &mut [Item], place: &Place) -> (usize, [Bounds; 2], [Bounds; 2]) {
    simd.vectorize(
        #[inline(always)]
        || partition_inline(simd, items, place),
    )
}

#[inline(always)]
fn partition_inline<S: Simd>(simd: S, items: &mut [Item], place: &Place) -> (usize, [Bounds; 2], [Bounds; 2]) {
    let empty = load8(simd, &Bounds::EMPTY.0);
    let (mut left_bounds, mut right_bounds, mut left_middles, mut right_middles) = (empty, empty, empty, empty);
    let (low, scale, cut) = (splat8(simd, place.low), splat8(simd, place.scale), splat8(simd, place.cut));
    let mut left = 0;
    for i in 0..items.len() {
        let row = load8(simd, &items[i].0);
        let doubled = splat8(simd, items[i].0[4 + place.axis]) - splat8(simd, items[i].0[place.axis]);
        let at = (doubled - low) * scale;
        let (is_left, is_right) = (below8(at, cut), at_most8(cut, at));
        let (if_left, if_right) = ([is_left, is_right], [is_right, is_left]);
        // What is right changes places with the first of the right ones: no branch to mispredict.
        items[i] = items[left];
        items[left].0 = store(row);
        left += first_lane8(is_left);
        let middle = middle(simd, row);
        left_bounds = max8_in(simd, if_left, row, left_bounds);
        left_middles = max8_in(simd, if_left, middle, left_middles);
        right_bounds = max8_in(simd, if_right, row, right_bounds);
        right_middles = max8_in(simd, if_right, middle, right_middles);
    }
    let of = |rows| Bounds(store(rows));
    (left, [of(left_bounds), of(right_bounds)], [of(left_middles), of(right_middles)])
}

/// `[−c, ·, c, ·]` for the doubled centroid `c = min + max` of `[−min, ·, max, ·]`: the difference with its halves swapped.
#[inline(always)]
fn middle<S: Simd>(_simd: S, row: f32x8<S>) -> f32x8<S> {
    row - swap_halves(row)
}
