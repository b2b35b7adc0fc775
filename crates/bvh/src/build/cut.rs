//! Cutting a range of items in two, where the surface area heuristic over bins of centroids on three axes is least.
//!
//! Source: Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", 2007.

use super::item::{Bounds, Item};
use crate::lanes::{Simd, f32x8, f32x16, join, load8, max, max8, splat, store, swap_halves, to_integers, turned};
use std::ops::Range;

/// Candidate cuts an axis are one fewer. More than 16 find hardly better cuts; for few items fewer do.
const BINS: usize = 16;
const FEW_BINS: usize = 8;
const FEW_ITEMS: usize = 192;

/// Of more items, so many at equal steps stand for all: where to cut hardly depends on one in a thousand.
const MAX_SAMPLES: usize = 1024;

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
    let low = middles.min();
    // A little less than the number of bins over the extent, so that the last centroid falls into the last bin.
    let scale = extent.map(|x| {
        let scale = N as f32 * (1.0 - 4.0 * f32::EPSILON) / x;
        if scale.is_finite() { scale } else { 0.0 }
    });
    if scale == [0.0; 3] {
        return None;
    }
    let mut boxes = [[Bounds::EMPTY; N]; 3];
    let mut counts = [[0u32; N]; 3];
    let low_row = load8(simd, &[0.0, 0.0, 0.0, 0.0, low.x, low.y, low.z, 0.0]);
    let scale_row = load8(simd, &[0.0, 0.0, 0.0, 0.0, scale[0], scale[1], scale[2], 0.0]);
    for item in items.iter().step_by(items.len().div_ceil(MAX_SAMPLES)) {
        let row = load8(simd, &item.0);
        let bins = to_integers((middle(simd, row) - low_row) * scale_row);
        for axis in 0..3 {
            let bin = bins[4 + axis] as usize % N;
            let slot = &mut boxes[axis][bin].0;
            *slot = store(max8(row, load8(simd, slot)));
            counts[axis][bin] += 1;
        }
    }

    // Lengths relative to the range's own size, plus a little, so that neither flat boxes nor points make every cut alike.
    let whole = extent.into_iter().fold(f32::MIN_POSITIVE, f32::max);
    let relative = (1.0 / whole).min(f32::MAX);
    // From both ends inward, what lies left of a cut and what lies right of its mirror image. Nothing costs NaN.
    let (mut left_costs, mut right_costs) = ([[f32::INFINITY; N]; 3], [[f32::INFINITY; N]; 3]);
    for axis in 0..3 {
        let mut unions = join(simd, &Bounds::EMPTY.0, &Bounds::EMPTY.0);
        let (mut left, mut right) = (0, 0);
        for bin in 1..N {
            unions = max(unions, join(simd, &boxes[axis][bin - 1].0, &boxes[axis][N - bin].0));
            left += counts[axis][bin - 1];
            right += counts[axis][N - bin];
            let areas = half_areas(simd, unions, relative);
            left_costs[axis][bin] = areas[0] * left as f32;
            right_costs[axis][N - bin] = areas[1] * right as f32;
        }
    }

    // The bits of costs order like the costs; the last ones give way to the cut's number, so that one minimum finds both.
    let mut best = f32::INFINITY.to_bits();
    for axis in 0..3 {
        for bin in 1..N {
            let total = (left_costs[axis][bin] + right_costs[axis][bin]).to_bits();
            best = best.min(total & !(4 * N as u32 - 1) | (axis * N + bin) as u32);
        }
    }
    let (axis, bin) = ((best as usize / N) % 4, best as usize % N);
    (best < f32::INFINITY.to_bits()).then(|| Place { axis, low: low[axis], scale: scale[axis], cut: bin as f32 })
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
    // What is added to a box before the union on one side: nothing, or what makes it vanish.
    const TAKEN: [Bounds; 2] = [Bounds([0.0; 8]), Bounds::EMPTY];
    let empty = load8(simd, &Bounds::EMPTY.0);
    let (mut left_bounds, mut right_bounds, mut left_middles, mut right_middles) = (empty, empty, empty, empty);
    let mut left = 0;
    for i in 0..items.len() {
        let row = load8(simd, &items[i].0);
        let doubled = items[i].0[4 + place.axis] - items[i].0[place.axis];
        let is_right = usize::from((doubled - place.low) * place.scale >= place.cut);
        // What is right changes places with the first of the right ones: no branch to mispredict.
        items[i] = items[left];
        items[left].0 = store(row);
        left += 1 - is_right;
        let (if_left, if_right) = (load8(simd, &TAKEN[is_right].0), load8(simd, &TAKEN[1 - is_right].0));
        let middle = middle(simd, row);
        left_bounds = max8(row + if_left, left_bounds);
        right_bounds = max8(row + if_right, right_bounds);
        left_middles = max8(middle + if_left, left_middles);
        right_middles = max8(middle + if_right, right_middles);
    }
    let of = |rows| Bounds(store(rows));
    (left, [of(left_bounds), of(right_bounds)], [of(left_middles), of(right_middles)])
}

/// `[−c, ·, c, ·]` for the doubled centroid `c = min + max` of `[−min, ·, max, ·]`: the difference with its halves swapped.
#[inline(always)]
fn middle<S: Simd>(_simd: S, row: f32x8<S>) -> f32x8<S> {
    row - swap_halves(row)
}
