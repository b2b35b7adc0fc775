//! The splitter: divides a range of primitives in two where the surface area heuristic is least, which is area times
//! count, over bins of centroids on three axes.
//!
//! Source: Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies" (2007).

use super::primitive::BuildPrimitive;
use crate::{
    lanes::{
        Simd,
        eight::{
            at_most8, below8, bins, f32x8, first_lane8, join, load8, lows_and_scales, max8, max8_in, splat8, store,
            swap_halves,
        },
        f32x16, max, rotate, splat,
    },
    simd_aabb::SimdAabb,
};
use cullide_narrowphase::Mapped;

/// The number of bins per axis; there is one candidate split fewer. More than 16 find few better splits; for few
/// primitives, fewer suffice.
const BINS: usize = 16;
const FEW_BINS: usize = 8;
const FEW: usize = 192;

/// Of more primitives than this, at most this many are sampled at equal steps: one in a thousand has little influence
/// on where to split.
const MAX_SAMPLES: usize = 1024;
/// Of fewer than `MAX_SAMPLES`, at most this many are sampled: rays enter equally many nodes, and the build takes a
/// tenth less time. With 300, or with 512 out of up to 4,096, they enter 0.5 to 1 % more.
const FEWER_SAMPLES: usize = 512;

/// For few primitives, an axis is not tried if the extent of their centroids is this many times smaller along it than
/// along another axis.
const TOO_SHORT: f32 = 4.0;

/// The bounds of primitives, and the bounds of their (doubled) centroids.
#[inline(always)]
pub(super) fn measure<'a, S: Simd>(
    simd: S,
    primitives: impl IntoIterator<Item = &'a BuildPrimitive>,
) -> (SimdAabb, SimdAabb) {
    let empty = load8(simd, SimdAabb::EMPTY.row());
    let (mut bounds, mut centroids) = (empty, empty);
    for primitive in primitives {
        let row = load8(simd, &primitive.0);
        bounds = max8(row, bounds);
        centroids = max8(centroid(simd, row), centroids);
    }
    (SimdAabb::of_row(store(bounds)), SimdAabb::of_row(store(centroids)))
}

/// The samples that represent all primitives.
#[inline(always)]
pub(super) fn samples(all: &[BuildPrimitive]) -> impl ExactSizeIterator<Item = &BuildPrimitive> {
    let most = if all.len() < MAX_SAMPLES { FEWER_SAMPLES } else { MAX_SAMPLES };
    all.iter().step_by(all.len().div_ceil(most).max(1))
}

/// How to split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// Where it costs least.
    Best,
    /// In the middle of the current order, so that the tree stays shallow.
    Halve,
}

/// Reorders at least two primitives into two parts, neither of them empty. The centroids of the samples must be within
/// `centroids`. Returns the number of primitives in the first part, and the bounds of the centroids of both parts.
///
/// Not inlined, as there are two callers and a build with 16 bins is much code.
#[inline(never)]
pub(super) fn split<S: Simd>(
    simd: S,
    primitives: &mut [BuildPrimitive],
    centroids: &SimdAabb,
    method: Method,
) -> (usize, [SimdAabb; 2]) {
    simd.vectorize(
        #[inline(always)]
        || split_inline(simd, primitives, centroids, method),
    )
}

#[inline(always)]
fn split_inline<S: Simd>(
    simd: S,
    primitives: &mut [BuildPrimitive],
    centroids: &SimdAabb,
    method: Method,
) -> (usize, [SimdAabb; 2]) {
    let is_coarse = primitives.len() <= FEW;
    let grid = Grid::new(simd, centroids, if is_coarse { FEW_BINS } else { BINS });
    let best = if method == Method::Halve {
        None
    } else if !is_coarse {
        best_split::<S, BINS, 3>(simd, samples(primitives), &grid, [0, 1, 2])
    } else {
        match grid.short_axis() {
            None => best_split::<S, FEW_BINS, 3>(simd, primitives.iter(), &grid, [0, 1, 2]),
            Some(short) => {
                let axes = [[1, 2], [0, 2], [0, 1]][short];
                best_split::<S, FEW_BINS, 2>(simd, primitives.iter(), &grid, axes)
            }
        }
    };
    if let Some(best) = best {
        let (at, centroids) = partition(simd, primitives, &best);
        if at > 0 && at < primitives.len() {
            return (at, centroids);
        }
    }
    // All centroids coincide, or splits have been uneven for too long: any half is as good as another.
    let (left, right) = primitives.split_at(primitives.len() / 2);
    (left.len(), [measure(simd, left).1, measure(simd, right).1])
}

/// The placement of bins: the `i`-th along an axis holds the centroids with `i ≤ (centroid − low) · scale < i + 1`.
struct Grid {
    low: [f32; 4],
    /// 0 along an axis on which all centroids coincide, or whose extent overflows.
    scale: [f32; 4],
    /// The longest side of the bounds of the centroids.
    extent: f32,
}

impl Grid {
    #[inline(always)]
    fn new<S: Simd>(simd: S, centroids: &SimdAabb, bins: usize) -> Self {
        // Slightly less than the number of bins over the extent, so that the last centroid falls into the last bin.
        let (low, scale) = lows_and_scales(simd, centroids.row(), bins as f32 * (1.0 - 4.0 * f32::EPSILON));
        Self { low, scale, extent: centroids.size().max_element().max(f32::MIN_POSITIVE) }
    }

    /// An axis along which the centroids lie close together, if there is one.
    #[inline(always)]
    fn short_axis(&self) -> Option<usize> {
        let [x, y, z, _] = self.scale.mapped(|scale| if scale == 0.0 { f32::INFINITY } else { scale });
        let bound = TOO_SHORT * x.min(y).min(z);
        [z > bound, y > bound, x > bound].into_iter().position(|is_short| is_short).map(|i| 2 - i)
    }
}

/// The axis and position of a split: primitives on the left have `centroid − low < width`.
struct Split {
    axis: usize,
    low: f32,
    width: f32,
}

/// The best of the splits between bins on some axes; `None` if all centroids coincide.
#[inline(always)]
fn best_split<'a, S: Simd, const N: usize, const AXES: usize>(
    simd: S,
    samples: impl ExactSizeIterator<Item = &'a BuildPrimitive>,
    grid: &Grid,
    axes: [usize; AXES],
) -> Option<Split> {
    let mut boxes = const { [[*SimdAabb::EMPTY.row(); N]; AXES] };
    let mut counts = Counts::<N, AXES>::NONE;
    let all = samples.len() as f32;
    for primitive in samples {
        let row = load8(simd, &primitive.0);
        let bins = bins::<S, N>(simd, &primitive.0, &grid.low, &grid.scale);
        for (i, axis) in axes.into_iter().enumerate() {
            let slot = &mut boxes[i][bins[axis]];
            *slot = store(max8(row, load8(simd, slot)));
            counts.add(i, bins[axis]);
        }
    }

    // Lengths are relative to the size of the range, plus a small constant, so that splits of flat boxes or points do
    // not all cost the same.
    let relative = (1.0 / grid.extent).min(f32::MAX);
    // The bits of costs sort like the costs; the last bits are replaced by the number of the split, so that one minimum
    // finds both.
    let mut best = f32::INFINITY.to_bits();
    for (i, boxes) in boxes.iter().enumerate() {
        // From both ends inward: what lies left of a split, and right of its mirror image.
        let (mut left, mut right) = ([0.0; N], [0.0; N]);
        let mut unions = join(simd, SimdAabb::EMPTY.row(), SimdAabb::EMPTY.row());
        for bin in 1..N {
            unions = max(unions, join(simd, &boxes[bin - 1], &boxes[N - bin]));
            [left[bin], right[N - bin]] = half_areas(simd, unions, relative);
        }
        let counts = counts.sums(i);
        for bin in 1..N {
            // For an empty side, an infinite area gives NaN, whose bits are above those of all costs.
            let cost = left[bin] * counts[bin - 1] + right[bin] * (all - counts[bin - 1]);
            best = best.min(cost.to_bits() & !(4 * N as u32 - 1) | (i * N + bin) as u32);
        }
    }
    let (axis, bin) = (axes[(best as usize / N) % 4 % AXES], best as usize % N);
    let width = bin as f32 * (1.0 / grid.scale[axis]);
    (best < f32::INFINITY.to_bits()).then_some(Split { axis, low: grid.low[axis], width })
}

/// The number of primitives in each bin, by axis.
struct Counts<const N: usize, const AXES: usize> {
    /// A byte per bin, for few bins: a count of [`FEW`] fits.
    bytes: [u64; AXES],
    /// For more bins.
    words: [[u32; N]; AXES],
}

const _: () = assert!(FEW_BINS <= 8 && FEW < 256);

impl<const N: usize, const AXES: usize> Counts<N, AXES> {
    const NONE: Self = Self { bytes: [0; AXES], words: [[0; N]; AXES] };

    #[inline(always)]
    fn add(&mut self, axis: usize, bin: usize) {
        if N <= FEW_BINS { self.bytes[axis] += 1 << (8 * bin) } else { self.words[axis][bin] += 1 }
    }

    /// The number of primitives in each bin and all bins before it.
    #[inline(always)]
    fn sums(&self, axis: usize) -> [f32; N] {
        if N <= FEW_BINS {
            // This multiplication adds to each byte all bytes below it.
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

/// Half the surface areas of two boxes in the form of [`SimdAabb`], with lengths scaled by `relative`.
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

/// Moves the primitives left of the split to the front, and measures the centroids of both parts.
///
/// A separate function: within [`split`], the compiler would keep the unions in memory.
#[inline(never)]
fn partition<S: Simd>(simd: S, primitives: &mut [BuildPrimitive], place: &Split) -> (usize, [SimdAabb; 2]) {
    simd.vectorize(
        #[inline(always)]
        || partition_inline(simd, primitives, place),
    )
}

#[inline(always)]
fn partition_inline<S: Simd>(simd: S, primitives: &mut [BuildPrimitive], place: &Split) -> (usize, [SimdAabb; 2]) {
    let empty = load8(simd, SimdAabb::EMPTY.row());
    let (mut left_centroids, mut right_centroids) = (empty, empty);
    let width = splat8(simd, place.width);
    let mut left = 0;
    for i in 0..primitives.len() {
        let row = load8(simd, &primitives[i].0);
        let doubled = primitives[i].0[4 + place.axis] - primitives[i].0[place.axis];
        let at = splat8(simd, doubled - place.low);
        let (is_left, is_right) = (below8(at, width), at_most8(width, at));
        // A primitive on the right is swapped with the first one on the right: no branch to mispredict.
        primitives[i] = primitives[left];
        primitives[left].0 = store(row);
        left += first_lane8(is_left);
        let centroid = centroid(simd, row);
        left_centroids = max8_in(simd, [is_left, is_right], centroid, left_centroids);
        right_centroids = max8_in(simd, [is_right, is_left], centroid, right_centroids);
    }
    (left, [left_centroids, right_centroids].mapped(|centroids| SimdAabb::of_row(store(centroids))))
}

/// `[−c, ·, c, ·]` for the doubled centroid `c = min + max` of `[−min, ·, max, ·]`: the difference with its halves
/// swapped.
#[inline(always)]
fn centroid<S: Simd>(_simd: S, row: f32x8<S>) -> f32x8<S> {
    row - swap_halves(row)
}
