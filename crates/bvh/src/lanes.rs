//! Vectors of sixteen numbers, one per box. This file and its modules, [`eight`], [`fours`], [`mod@lookup`] and
//! [`masks`], are the only ones of this crate that name the SIMD library.
//!
//! No operation here fuses a multiplication and an addition, and the result of a minimum or maximum with a NaN is
//! fixed, so every instruction set gives the same bits.

pub(crate) mod eight;
pub(crate) mod fours;
pub(crate) mod lookup;
pub(crate) mod masks;

pub(crate) use cullide_narrowphase::simd::{Level, Simd, baseline, level, vectorized, vectorized_512};
pub(crate) use fearless_simd::f32x16;
use fearless_simd::{i32x16, mask32x16, prelude::*, u32x16};
use masks::bits;

/// The number of children of a node, and of lanes in a vector.
pub(crate) const LANES: usize = 16;

/// A mask with one bit set for every child.
pub(crate) const EVERY_LANE: u32 = (1 << LANES) - 1;

/// One number per child.
pub(crate) type Row = [f32; LANES];

/// A set of vector instructions, for tests that compare the answers of all sets.
#[cfg(any(test, feature = "testing"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// One number at a time; only with the feature `scalar`.
    Scalar,
    /// Four at a time.
    Sse2,
    /// Eight at a time.
    Avx2,
    /// Sixteen at a time.
    Avx512,
}

#[cfg(any(test, feature = "testing"))]
impl Instructions {
    /// All sets that can be requested, weakest first.
    pub const EVERY: [Self; 4] = [Self::Scalar, Self::Sse2, Self::Avx2, Self::Avx512];

    /// Returns `None` if this processor or this build does not have the set.
    pub(crate) fn level(self) -> Option<Level> {
        match self {
            #[cfg(feature = "scalar")]
            Self::Scalar => Some(Level::fallback()),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Sse2 => Level::new().as_sse2().map(Level::Sse2),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx2 => Level::new().as_avx2().map(Level::Avx2),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx512 => Level::new().as_avx512().map(Level::Avx512),
            #[cfg(not(all(feature = "scalar", any(target_arch = "x86", target_arch = "x86_64"))))]
            _ => None,
        }
    }
}

/// Loads a row of numbers into a vector.
#[inline(always)]
pub(crate) fn load<S: Simd>(simd: S, row: &Row) -> f32x16<S> {
    f32x16::simd_from(simd, *row)
}

const NUMBERS: [u32; LANES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Whether an operation with a selection after it is a single instruction, as are compressing lanes and looking numbers
/// up in a register.
#[inline(always)]
pub(crate) fn has_masked_instructions<S: Simd>(simd: S) -> bool {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return matches!(simd.level(), Level::Avx512(_));
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    {
        let _ = simd;
        false
    }
}

/// Gives each lane the number from `N` lanes further on, wrapping around.
#[inline(always)]
pub(crate) fn rotate<const N: usize, S: Simd>(a: f32x16<S>) -> f32x16<S> {
    a.slide::<N>(a)
}

/// [`rotate`] by one lane, for integers.
#[inline(always)]
pub(crate) fn rotate_indices<S: Simd>(simd: S, row: &[u32; LANES]) -> [u32; LANES] {
    let row = u32x16::simd_from(simd, *row);
    row.slide::<1>(row).into()
}

/// The same number in every lane.
#[inline(always)]
pub(crate) fn splat<S: Simd>(simd: S, x: f32) -> f32x16<S> {
    f32x16::splat(simd, x)
}

/// `if a > b { a } else { b }` by lane: `b`, which must not be NaN, wins over a NaN in `a`. Of two zeros, the result
/// may be either.
#[inline(always)]
pub(crate) fn max<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> f32x16<S> {
    // For a NaN, the plain instruction returns its second operand on x86; elsewhere it returns the NaN.
    if cfg!(any(target_arch = "x86", target_arch = "x86_64")) { a.max(b) } else { a.max_precise(b) }
}

/// `if a < b { a } else { b }` by lane, with NaN and zeros as in [`max`].
#[inline(always)]
pub(crate) fn min<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> f32x16<S> {
    if cfg!(any(target_arch = "x86", target_arch = "x86_64")) { a.min(b) } else { a.min_precise(b) }
}

/// One bit per lane: whether `a <= b`.
#[inline(always)]
pub(crate) fn at_most<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> u32 {
    bits(a.simd_le(b))
}

/// One bit per lane: whether the lane's integer shares a bit with `mask`.
#[inline(always)]
pub(crate) fn intersecting<S: Simd>(simd: S, row: &[u32; LANES], mask: u32) -> u32 {
    let zero = u32x16::splat(simd, 0);
    !bits((u32x16::simd_from(simd, *row) & mask).simd_eq(zero)) & EVERY_LANE
}

/// One key per child; nodes wait with theirs to be entered.
pub(crate) type Keys<S> = u32x16<S>;

/// The bits of the distances as sort keys: the bits of non-negative numbers sort like the numbers, and integers can
/// serve as keys, too. A −0.0 becomes 0.
#[inline(always)]
pub(crate) fn keys<S: Simd>(distances: f32x16<S>) -> Keys<S> {
    abs(distances).bitcast()
}

/// The same key in every lane.
#[inline(always)]
pub(crate) fn same_key<S: Simd>(simd: S, key: u32) -> Keys<S> {
    u32x16::splat(simd, key)
}

/// The keys, with `bits` set in those of `lanes`.
#[inline(always)]
pub(crate) fn with_bits<S: Simd>(simd: S, keys: Keys<S>, lanes: u32, bits: u32) -> Keys<S> {
    mask32x16::from_bitmask(simd, u64::from(lanes)).select(keys | bits, keys)
}

/// Loads keys from memory.
#[inline(always)]
pub(crate) fn load_keys<S: Simd>(simd: S, row: &[u32; LANES]) -> Keys<S> {
    u32x16::simd_from(simd, *row)
}

/// Stores keys to memory.
#[inline(always)]
pub(crate) fn store_keys<S: Simd>(keys: Keys<S>, row: &mut [u32; LANES]) {
    keys.store_array(row);
}

/// The distances that the keys stand for.
#[inline(always)]
pub(crate) fn distances<S: Simd>(keys: Keys<S>) -> f32x16<S> {
    keys.bitcast()
}

/// The smallest key among `lanes`, broadcast to every lane, and the lanes that have it; `u32::MAX` if `lanes` is empty.
#[inline(always)]
pub(crate) fn masked_min_key<S: Simd>(simd: S, keys: Keys<S>, lanes: u32) -> (Keys<S>, u32) {
    if has_masked_instructions(simd) {
        let among = mask32x16::from_bitmask(simd, u64::from(lanes));
        let keys = among.select(keys, u32x16::splat(simd, u32::MAX));
        // Without going through a scalar register.
        let least = keys.min(keys.slide::<8>(keys));
        let least = least.min(least.slide::<4>(least));
        let least = least.min(least.slide::<2>(least));
        let least = least.min(least.slide::<1>(least));
        return (least, bits(keys.simd_eq(least)) & lanes);
    }
    let mut stored = [0; LANES];
    store_keys(keys, &mut stored);
    let least = u32x16::splat(simd, each_lane(lanes).fold(u32::MAX, |least, lane| least.min(stored[lane])));
    (least, bits(keys.simd_eq(least)) & lanes)
}

/// The number in the first lane.
#[inline(always)]
pub(crate) fn first_lane<S: Simd>(a: f32x16<S>) -> f32 {
    a.as_slice()[0]
}

/// The lane of the smallest key among `lanes`, which must not be empty; the last four bits of the keys are ignored.
#[inline(always)]
pub(crate) fn smallest<S: Simd>(simd: S, keys: Keys<S>, lanes: u32) -> usize {
    // The last bits of a key are replaced by the number of its lane, so that one minimum finds both.
    let numbered = (keys & !15) | u32x16::simd_from(simd, NUMBERS);
    let among = mask32x16::from_bitmask(simd, u64::from(lanes));
    among.select(numbered, u32x16::splat(simd, u32::MAX)).reduce_min() as usize % LANES
}

/// The keys and children of `lanes`, moved to the front in their order.
#[inline(always)]
pub(crate) fn compress_keyed<S: Simd>(
    simd: S,
    keys: Keys<S>,
    children: &[u32; LANES],
    lanes: u32,
) -> ([u32; LANES], [u32; LANES]) {
    let among = mask32x16::from_bitmask(simd, u64::from(lanes));
    (keys.compress(among).into(), u32x16::simd_from(simd, *children).compress(among).into())
}

/// Gives each lane the number of the lane before it, and the first lane `first`.
#[inline(always)]
pub(crate) fn shift_in<S: Simd>(simd: S, first: f32, a: f32x16<S>) -> f32x16<S> {
    f32x16::splat(simd, first).slide::<15>(a)
}

/// The numbers of `row`, which must be positive, with a small integer in the last bits of each.
#[inline(always)]
pub(crate) fn with_low_bits<S: Simd>(simd: S, row: f32x16<S>, number: u32) -> f32x16<S> {
    let bits: u32x16<S> = row.bitcast();
    ((bits & !(LANES as u32 - 1)) | u32x16::splat(simd, number)).bitcast()
}

/// One bit per lane: whether the child differs from `one`.
#[inline(always)]
pub(crate) fn not_equal<S: Simd>(simd: S, children: &[u32; LANES], one: u32) -> u32 {
    !bits(u32x16::simd_from(simd, *children).simd_eq(u32x16::splat(simd, one))) & EVERY_LANE
}

/// The children of `lanes`, moved to the front in their order.
#[inline(always)]
pub(crate) fn compress<S: Simd>(simd: S, children: &[u32; LANES], lanes: u32) -> [u32; LANES] {
    u32x16::simd_from(simd, *children).compress(mask32x16::from_bitmask(simd, u64::from(lanes))).into()
}

/// The numbers of `lanes`, moved to the front in their order.
#[inline(always)]
pub(crate) fn compress_row<S: Simd>(simd: S, row: &Row, lanes: u32) -> Row {
    load(simd, row).compress(mask32x16::from_bitmask(simd, u64::from(lanes))).into()
}

/// The numbers of `lanes` of a vector, moved to the front in their order, as two halves.
#[inline(always)]
pub(crate) fn compress_lanes<S: Simd>(simd: S, row: f32x16<S>, lanes: u32) -> ([f32; 8], [f32; 8]) {
    let (low, high) = row.compress(mask32x16::from_bitmask(simd, u64::from(lanes))).split();
    (low.into(), high.into())
}

/// The absolute values.
#[inline(always)]
pub(crate) fn abs<S: Simd>(a: f32x16<S>) -> f32x16<S> {
    a.abs()
}

/// One bit per lane: whether the child's highest bit is set.
#[inline(always)]
pub(crate) fn sign_mask<S: Simd>(simd: S, children: &[u32; LANES]) -> u32 {
    let children: i32x16<S> = u32x16::simd_from(simd, *children).bitcast();
    bits(children.simd_lt(i32x16::splat(simd, 0)))
}

/// Iterates over the lanes of a mask, lowest first.
#[inline(always)]
pub(crate) fn each_lane(bits: u32) -> impl Iterator<Item = usize> {
    each_bit(bits).map(|lane| lane % LANES)
}

/// Iterates over the set bits, lowest first.
#[inline(always)]
pub(crate) fn each_bit(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (bits != 0).then(|| {
            let bit = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            bit
        })
    })
}

/// The smallest number of a vector without NaN.
#[inline(always)]
pub(crate) fn min_lane<S: Simd>(a: f32x16<S>) -> f32 {
    a.reduce_min()
}

/// The largest number of a vector without NaN.
#[inline(always)]
pub(crate) fn max_lane<S: Simd>(a: f32x16<S>) -> f32 {
    a.reduce_max()
}

/// One bit per lane: whether the child's number is below `bound`, which it never is for leaves and empty lanes.
#[inline(always)]
pub(crate) fn below<S: Simd>(simd: S, children: &[u32; LANES], bound: u32) -> u32 {
    bits(u32x16::simd_from(simd, *children).simd_lt(u32x16::splat(simd, bound)))
}

/// The numbers of `row` where `lanes` has a bit, `other` elsewhere.
#[inline(always)]
pub(crate) fn masked<S: Simd>(simd: S, row: f32x16<S>, lanes: u32, other: f32) -> f32x16<S> {
    mask32x16::from_bitmask(simd, u64::from(lanes)).select(row, f32x16::splat(simd, other))
}

/// The sum of a vector, in an unspecified order.
#[inline(always)]
pub(crate) fn sum<S: Simd>(a: f32x16<S>) -> f32 {
    a.reduce_sum()
}

/// Sixteen consecutive numbers, starting with `first`.
#[inline(always)]
pub(crate) fn iota<S: Simd>(simd: S, first: u32) -> [u32; LANES] {
    (u32x16::simd_from(simd, NUMBERS) + first).into()
}

/// Truncates each number to an integer. The numbers must not be negative; beyond the range of `i32` the result is
/// unspecified.
#[inline(always)]
pub(crate) fn truncate<S: Simd>(a: f32x16<S>) -> [u32; LANES] {
    i32x16::truncate_from(a).bitcast::<u32x16<S>>().into()
}
