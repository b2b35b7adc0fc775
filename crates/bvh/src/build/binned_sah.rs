//! Cutting a range of items in two, where the surface area heuristic over bins of centroids on three axes is least.
//!
//! Source: Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", 2007.

use super::primitive::{Bounds, Item};
use crate::lanes::{
    Simd,
    eight::{
        at_most8, below8, bins, f32x8, first_lane8, join, load8, lows_and_scales, max8, max8_in, splat8, store,
        swap_halves,
    },
    f32x16, max, rotate, splat,
};

/// Candidate cuts an axis are one fewer. More than 16 find hardly better cuts; for few items fewer do.
const BINS: usize = 16;
const FEW_BINS: usize = 8;
const FEW_ITEMS: usize = 192;

/// Of more items, so many at equal steps stand for all: where to cut hardly depends on one in a thousand.
const MAX_SAMPLES: usize = 1024;
/// Of fewer than that, so many: rays enter as many nodes, and the build takes a tenth less. With 300, or with 512 of up to 4,096, they
/// enter 0.5 to 1 % more.
const FEWER_SAMPLES: usize = 512;

/// Of few items, an axis along which their centroids lie so many times as close together as along another is not tried.
const TOO_SHORT: f32 = 4.0;

/// The box of items, and that of their (doubled) centroids.
#[inline(always)]
pub(super) fn measure<'a, S: Simd>(simd: S, items: impl IntoIterator<Item = &'a Item>) -> (Bounds, Bounds) {
    let empty = load8(simd, &Bounds::EMPTY.0);
    let (mut bounds, mut middles) = (empty, empty);
    for item in items {
        let row = load8(simd, &item.0);
        bounds = max8(row, bounds);
        middles = max8(middle(simd, row), middles);
    }
    (Bounds(store(bounds)), Bounds(store(middles)))
}

/// Of `count`, one in so many is a sample that stands for all.
pub(super) fn step(count: usize) -> usize {
    count.div_ceil(if count < MAX_SAMPLES { FEWER_SAMPLES } else { MAX_SAMPLES }).max(1)
}

/// Those that stand for all.
#[inline(always)]
pub(super) fn samples<T>(all: &[T]) -> impl ExactSizeIterator<Item = &T> {
    all.iter().step_by(step(all.len()))
}

/// How to cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// Where it costs least.
    Best,
    /// In the middle of the order, so that the tree stays shallow.
    Halve,
}

/// Reorders items, two at least, whose centroids are within `middles`, into two parts, neither empty. Returns how many are in the first,
/// and the boxes of the centroids of both.
#[inline(always)]
pub(super) fn cut<S: Simd>(simd: S, items: &mut [Item], middles: &Bounds, method: Method) -> (usize, [Bounds; 2]) {
    let grid = Grid::new(simd, middles, if items.len() <= FEW_ITEMS { FEW_BINS } else { BINS });
    let place = if method == Method::Halve {
        None
    } else if items.len() > FEW_ITEMS {
        best_place::<S, BINS, 3>(simd, samples(items), &grid, [0, 1, 2])
    } else {
        match grid.short_axis() {
            None => best_place::<S, FEW_BINS, 3>(simd, items.iter(), &grid, [0, 1, 2]),
            Some(0) => best_place::<S, FEW_BINS, 2>(simd, items.iter(), &grid, [1, 2]),
            Some(1) => best_place::<S, FEW_BINS, 2>(simd, items.iter(), &grid, [0, 2]),
            Some(_) => best_place::<S, FEW_BINS, 2>(simd, items.iter(), &grid, [0, 1]),
        }
    };
    if let Some(place) = place {
        let (at, middles) = partition(simd, items, &place);
        if at > 0 && at < items.len() {
            return (at, middles);
        }
    }
    // All centroids coincide, or no fair cut was found for too long: any half is as good as another.
    let (left, right) = items.split_at(items.len() / 2);
    (left.len(), [measure(simd, left).1, measure(simd, right).1])
}

/// Where bins are: the `i`-th along an axis holds the centroids with `i ≤ (centroid − low) · scale < i + 1`.
pub(super) struct Grid {
    pub(super) low: [f32; 4],
    /// 0 along an axis on which all coincide, or which is too long for numbers.
    pub(super) scale: [f32; 4],
    /// The longest side of the box of the centroids.
    extent: f32,
}

impl Grid {
    #[inline(always)]
    pub(super) fn new<S: Simd>(simd: S, middles: &Bounds, bins: usize) -> Self {
        // A little less than the number of bins over the extent, so that the last centroid falls into the last bin.
        let (low, scale) = lows_and_scales(simd, &middles.0, bins as f32 * (1.0 - 4.0 * f32::EPSILON));
        Self { low, scale, extent: middles.extent().into_iter().fold(f32::MIN_POSITIVE, f32::max) }
    }

    /// An axis along which centroids lie close together, if there is one.
    #[inline(always)]
    fn short_axis(&self) -> Option<usize> {
        let [x, y, z, _] = self.scale.map(|scale| if scale == 0.0 { f32::INFINITY } else { scale });
        let bound = TOO_SHORT * x.min(y).min(z);
        [z > bound, y > bound, x > bound].into_iter().position(|is_short| is_short).map(|i| 2 - i)
    }
}

/// Where on which axis to cut: what lies left has `centroid − low < width`.
pub(super) struct Split {
    pub(super) axis: usize,
    pub(super) low: f32,
    pub(super) width: f32,
    pub(super) bin_width: f32,
}

/// Where samples are cut best; `None` when all their centroids coincide.
#[inline(always)]
pub(super) fn place_of<S: Simd>(simd: S, samples: &[Item]) -> Option<Split> {
    let (_, middles) = measure(simd, samples);
    best_place::<S, BINS, 3>(simd, samples.iter(), &Grid::new(simd, &middles, BINS), [0, 1, 2])
}

/// The best of the cuts between bins on some axes; `None` when all centroids coincide.
#[inline(always)]
fn best_place<'a, S: Simd, const N: usize, const AXES: usize>(
    simd: S,
    samples: impl ExactSizeIterator<Item = &'a Item>,
    grid: &Grid,
    axes: [usize; AXES],
) -> Option<Split> {
    let mut boxes = const { [[Bounds::EMPTY; N]; AXES] };
    let mut counts = Counts::<N, AXES>::NONE;
    let all = samples.len() as f32;
    for item in samples {
        let row = load8(simd, &item.0);
        let bins = bins::<S, N>(simd, &item.0, &grid.low, &grid.scale);
        for (i, axis) in axes.into_iter().enumerate() {
            let slot = &mut boxes[i][bins[axis]].0;
            *slot = store(max8(row, load8(simd, slot)));
            counts.add(i, bins[axis]);
        }
    }

    // Lengths relative to the range's own size, plus a little, so that neither flat boxes nor points make every cut alike.
    let relative = (1.0 / grid.extent).min(f32::MAX);
    // The bits of costs order like the costs; the last ones give way to the cut's number, so that one minimum finds both.
    let mut best = f32::INFINITY.to_bits();
    for (i, boxes) in boxes.iter().enumerate() {
        // From both ends inward, what lies left of a cut and what lies right of its mirror image.
        let (mut left, mut right) = ([0.0; N], [0.0; N]);
        let mut unions = join(simd, &Bounds::EMPTY.0, &Bounds::EMPTY.0);
        for bin in 1..N {
            unions = max(unions, join(simd, &boxes[bin - 1].0, &boxes[N - bin].0));
            [left[bin], right[N - bin]] = half_areas(simd, unions, relative);
        }
        let counts = counts.sums(i);
        for bin in 1..N {
            // Of nothing, an infinite area makes NaN, which is above all costs.
            let cost = left[bin] * counts[bin - 1] + right[bin] * (all - counts[bin - 1]);
            best = best.min(cost.to_bits() & !(4 * N as u32 - 1) | (i * N + bin) as u32);
        }
    }
    let (axis, bin) = (axes[(best as usize / N) % 4 % AXES], best as usize % N);
    let (low, bin_width) = (grid.low[axis], 1.0 / grid.scale[axis]);
    (best < f32::INFINITY.to_bits()).then_some(Split { axis, low, width: bin as f32 * bin_width, bin_width })
}

/// How many items are in each bin, by axis.
struct Counts<const N: usize, const AXES: usize> {
    /// A byte a bin, for few bins: [`FEW_ITEMS`] fit.
    bytes: [u64; AXES],
    /// For more.
    words: [[u32; N]; AXES],
}

const _: () = assert!(FEW_BINS <= 8 && FEW_ITEMS < 256);

impl<const N: usize, const AXES: usize> Counts<N, AXES> {
    const NONE: Self = Self { bytes: [0; AXES], words: [[0; N]; AXES] };

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
    let lengths = (boxes + rotate::<4, S>(boxes)) * splat(simd, relative) + splat(simd, THICKNESS);
    let products = lengths * rotate::<1, S>(lengths);
    let sums = products + lengths * rotate::<2, S>(lengths) + rotate::<1, S>(products);
    [sums[0], sums[8]]
}

/// Added to every relative length.
const THICKNESS: f32 = 1.0 / 1024.0;

/// Moves what lies left of the cut to the front and measures the centroids of both parts.
///
/// A function of its own, as within [`cut`] the compiler keeps the unions in memory.
#[inline(never)]
fn partition<S: Simd>(simd: S, items: &mut [Item], place: &Split) -> (usize, [Bounds; 2]) {
    simd.vectorize(
        #[inline(always)]
        || partition_inline(simd, items, place),
    )
}

#[inline(always)]
fn partition_inline<S: Simd>(simd: S, items: &mut [Item], place: &Split) -> (usize, [Bounds; 2]) {
    let empty = load8(simd, &Bounds::EMPTY.0);
    let (mut left_middles, mut right_middles) = (empty, empty);
    let width = splat8(simd, place.width);
    let mut left = 0;
    for i in 0..items.len() {
        let row = load8(simd, &items[i].0);
        let doubled = items[i].0[4 + place.axis] - items[i].0[place.axis];
        let at = splat8(simd, doubled - place.low);
        let (is_left, is_right) = (below8(at, width), at_most8(width, at));
        // What is right changes places with the first of the right ones: no branch to mispredict.
        items[i] = items[left];
        items[left].0 = store(row);
        left += first_lane8(is_left);
        let middle = middle(simd, row);
        left_middles = max8_in(simd, [is_left, is_right], middle, left_middles);
        right_middles = max8_in(simd, [is_right, is_left], middle, right_middles);
    }
    (left, [left_middles, right_middles].map(|middles| Bounds(store(middles))))
}

/// `[−c, ·, c, ·]` for the doubled centroid `c = min + max` of `[−min, ·, max, ·]`: the difference with its halves swapped.
#[inline(always)]
fn middle<S: Simd>(_simd: S, row: f32x8<S>) -> f32x8<S> {
    row - swap_halves(row)
}
