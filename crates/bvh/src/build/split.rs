//! The binary tree: each range of items is cut in two where the surface area heuristic, over bins of centroids on three axes, is
//! least. Ranges that fit into one node are left whole.
//!
//! Source: Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", 2007.

use super::item::{Bounds, Item};
use crate::lanes::{LANES, Simd, f32x8, load, max, store, swap_halves, to_integers};

/// Candidate cuts an axis are one fewer. More than 16 find hardly better cuts; for few items fewer do.
const BINS: usize = 16;
const FEW_BINS: usize = 8;
const FEW_ITEMS: usize = 48;

/// A cut of the tree: the two ranges that meet at it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub(super) bounds: [Bounds; 2],
    /// Where each of them is cut in turn, 0 when it is whole.
    pub(super) next: [u32; 2],
}

/// All cuts, each at its position: a range that is cut at item `i` has its cut at index `i`.
#[derive(Debug)]
pub(super) struct Cuts {
    pub(super) at: Vec<Cut>,
    /// Where the whole range is cut, 0 when it is whole.
    pub(super) root: u32,
}

/// Orders `items` for the tree and returns its cuts.
#[inline(always)]
pub(super) fn tree<S: Simd>(simd: S, items: &mut [Item]) -> Cuts {
    let vacant = Cut { bounds: [Bounds::EMPTY; 2], next: [0; 2] };
    let mut at = vec![vacant; items.len()];
    let mut scratch = vec![Item([0.0; LANES]); items.len()];
    // Past this many cuts in a row only halving is safe: it adds log₂ n more.
    let fair = 2 * items.len().max(1).ilog2() + 8;
    let middles = middles_of(simd, items);
    let root = range(simd, Span { items, scratch: &mut scratch, cuts: &mut at, first: 0 }, middles, fair);
    Cuts { at, root }
}

/// A range of the items with its part of the arrays.
struct Span<'a> {
    items: &'a mut [Item],
    scratch: &'a mut [Item],
    cuts: &'a mut [Cut],
    first: u32,
}

/// Cuts a range and what comes of it; returns where, or 0 when it is whole. Recursion goes as deep as `fair`, and log₂ n deeper.
fn range<S: Simd>(simd: S, span: Span, middles: Bounds, fair: u32) -> u32 {
    let Span { items, scratch, cuts, first } = span;
    if items.len() <= LANES {
        return 0;
    }
    let part = simd.vectorize(
        #[inline(always)]
        || cut(simd, items, scratch, &middles, fair == 0),
    );
    let (left, right) = items.split_at_mut(part.at);
    let (left_scratch, right_scratch) = scratch.split_at_mut(part.at);
    let (left_cuts, right_cuts) = cuts.split_at_mut(part.at);
    let at = first + part.at as u32;
    let fair = fair.saturating_sub(1);
    let left = Span { items: left, scratch: left_scratch, cuts: left_cuts, first };
    let right = Span { items: right, scratch: right_scratch, cuts: &mut *right_cuts, first: at };
    let next = join(
        left.items.len().min(right.items.len()),
        || range(simd, left, part.middles[0], fair),
        || range(simd, right, part.middles[1], fair),
    );
    // The right part's first position is never a cut of its own: it holds the one between the parts.
    right_cuts[0] = Cut { bounds: part.bounds, next };
    at
}

/// Fewer items are not worth handing to another thread.
#[cfg(feature = "parallel")]
const WORTH_A_THREAD: usize = 2048;

/// Runs both, at once when each has enough `items`.
fn join(items: usize, a: impl FnOnce() -> u32 + Send, b: impl FnOnce() -> u32 + Send) -> [u32; 2] {
    #[cfg(feature = "parallel")]
    if items >= WORTH_A_THREAD {
        let (a, b) = rayon::join(a, b);
        return [a, b];
    }
    let _ = items;
    [a(), b()]
}

/// Two parts of a range, and what is known of each: its box, and the box of its (doubled) centroids.
struct Part {
    at: usize,
    bounds: [Bounds; 2],
    middles: [Bounds; 2],
}

/// Reorders `items` into two parts, neither empty.
#[inline(always)]
fn cut<S: Simd>(simd: S, items: &mut [Item], scratch: &mut [Item], middles: &Bounds, halve: bool) -> Part {
    let place = if halve {
        None
    } else if items.len() <= FEW_ITEMS {
        best_place::<S, FEW_BINS>(simd, items, middles)
    } else {
        best_place::<S, BINS>(simd, items, middles)
    };
    if let Some(place) = place {
        let part = partition(simd, items, scratch, &place);
        if part.at > 0 && part.at < items.len() {
            return part;
        }
    }
    // All centroids coincide, or no fair cut was found for too long: any half is as good as another.
    let at = items.len() / 2;
    let (left, right) = items.split_at(at);
    let bounds = [left, right].map(|half| half.iter().fold(Bounds::EMPTY, |all, item| all.union(&item.bounds())));
    Part { at, bounds, middles: [left, right].map(|half| middles_of(simd, half)) }
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
    let low_row = load(simd, &[0.0, 0.0, 0.0, 0.0, low.x, low.y, low.z, 0.0]);
    let scale_row = load(simd, &[0.0, 0.0, 0.0, 0.0, scale[0], scale[1], scale[2], 0.0]);
    for item in items {
        let row = load(simd, &item.0);
        let bins = to_integers((middle(simd, row) - low_row) * scale_row);
        for axis in 0..3 {
            let bin = bins[4 + axis] as usize % N;
            let slot = &mut boxes[axis][bin].0;
            *slot = store(max(row, load(simd, slot)));
            counts[axis][bin] += 1;
        }
    }

    // Lengths relative to the range's own size, plus a little, so that neither flat boxes nor points make every cut alike.
    let whole = extent.into_iter().fold(f32::MIN_POSITIVE, f32::max);
    let relative = (1.0 / whole).min(f32::MAX);
    let cost = |bounds: &Bounds, count: u32| {
        let [x, y, z] = bounds.extent().map(|x| x * relative + THICKNESS);
        (x * y + y * z + z * x) * blocks(count)
    };
    let mut best: Option<(f32, usize, usize)> = None;
    for axis in (0..3).filter(|&axis| scale[axis] > 0.0) {
        let mut right_costs = [0.0; N];
        let (mut union, mut count) = (load(simd, &Bounds::EMPTY.0), 0);
        for bin in (1..N).rev() {
            union = max(union, load(simd, &boxes[axis][bin].0));
            count += counts[axis][bin];
            right_costs[bin] = if count == 0 { f32::INFINITY } else { cost(&Bounds(store(union)), count) };
        }
        let (mut union, mut count) = (load(simd, &Bounds::EMPTY.0), 0);
        for bin in 1..N {
            union = max(union, load(simd, &boxes[axis][bin - 1].0));
            count += counts[axis][bin - 1];
            if count > 0 {
                let total = cost(&Bounds(store(union)), count) + right_costs[bin];
                if best.is_none_or(|(least, ..)| total < least) {
                    best = Some((total, axis, bin));
                }
            }
        }
    }
    let (_, axis, bin) = best?;
    Some(Place { axis, low: low[axis], scale: scale[axis], cut: bin as f32 })
}

/// Added to every relative length.
const THICKNESS: f32 = 1.0 / 1024.0;

/// Items as the cost counts them.
#[inline(always)]
fn blocks(count: u32) -> f32 {
    count as f32
}

/// Moves what lies left of the cut to the front, in order, and measures both parts.
#[inline(always)]
fn partition<S: Simd>(simd: S, items: &mut [Item], scratch: &mut [Item], place: &Place) -> Part {
    let mut bounds = [Bounds::EMPTY; 2];
    let mut middles = [Bounds::EMPTY; 2];
    let (mut left, mut right) = (0, 0);
    for i in 0..items.len() {
        let item = items[i];
        let doubled = item.0[4 + place.axis] - item.0[place.axis];
        let is_right = usize::from((doubled - place.low) * place.scale >= place.cut);
        // Written to both, kept in one: no branch to mispredict.
        items[left] = item;
        scratch[right] = item;
        left += 1 - is_right;
        right += is_right;
        let row = load(simd, &item.0);
        bounds[is_right].0 = store(max(row, load(simd, &bounds[is_right].0)));
        middles[is_right].0 = store(max(middle(simd, row), load(simd, &middles[is_right].0)));
    }
    items[left..].copy_from_slice(&scratch[..right]);
    Part { at: left, bounds, middles }
}

/// The box of the doubled centroids of `items`, in the items' own form.
#[inline(always)]
fn middles_of<S: Simd>(simd: S, items: &[Item]) -> Bounds {
    let start = load(simd, &Bounds::EMPTY.0);
    Bounds(store(items.iter().fold(start, |all, item| max(middle(simd, load(simd, &item.0)), all))))
}

/// `[−c, ·, c, ·]` for the doubled centroid `c = min + max` of `[−min, ·, max, ·]`: the difference with its halves swapped.
#[inline(always)]
fn middle<S: Simd>(_simd: S, row: f32x8<S>) -> f32x8<S> {
    row - swap_halves(row)
}
