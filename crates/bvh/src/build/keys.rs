//! The first cuts, of so many boxes that moving them would take longest: the numbers of their leaves are moved instead, each beside the
//! cell of a grid over all centroids. Where to cut is found on samples, and rounded to cells.
//!
//! ```text
//!   key     z y x leaf      ten bits an axis, thirty-two the leaf
//! ```

use super::{
    binned_sah::{Grid, place_of, samples},
    primitive::Item,
};
use crate::{
    lanes::{Simd, eight::cells},
    threads::at_once,
};

/// Cells along each axis: 2 to this power.
pub(super) const BITS: u32 = 10;

/// So many keys are worth a thread that makes them.
const MADE: usize = 16384;

/// A leaf, and in which cell its centroid is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key(u64);

impl Key {
    /// For a leaf in whichever cell.
    pub(super) fn of(leaf: u32) -> Self {
        Self(leaf.into())
    }

    #[inline(always)]
    pub(super) fn leaf(self) -> u32 {
        self.0 as u32
    }

    #[inline(always)]
    fn cell(self, axis: usize) -> u64 {
        self.0 >> (32 + BITS * axis as u32) & ((1 << BITS) - 1)
    }
}

/// Makes keys of the leaves numbered `leaf(i)`, `i` from `first` on. What lies outside of the grid is in the cells at its faces.
pub(super) fn make<S: Simd>(
    simd: S,
    keys: &mut [Key],
    first: usize,
    grid: &Grid,
    leaf: &(impl Fn(usize) -> u32 + Sync),
    item: &(impl Fn(u32) -> Item + Sync),
) {
    if keys.len() >= MADE {
        let (keys, others) = keys.split_at_mut(keys.len() / 2);
        let middle = first + keys.len();
        at_once(true, || make(simd, keys, first, grid, leaf, item), || make(simd, others, middle, grid, leaf, item));
        return;
    }
    simd.vectorize(
        #[inline(always)]
        || {
            for (i, key) in (first..).zip(keys) {
                let leaf = leaf(i);
                let [x, y, z, _] = cells(simd, item(leaf).middle(), &grid.low, &grid.scale, 1 << BITS);
                *key = Key(u64::from(leaf) | u64::from(x | y << BITS | z << (2 * BITS)) << 32);
            }
        },
    );
}

/// Reorders keys into two parts, neither empty, and returns how many are in the first. `None` where cells are too large for it.
pub(super) fn cut<S: Simd>(
    simd: S,
    keys: &mut [Key],
    grid: &Grid,
    item: &impl Fn(u32) -> Item,
    scratch: &mut Vec<Item>,
) -> Option<usize> {
    scratch.clear();
    scratch.extend(samples(keys).map(|key| item(key.leaf())));
    let place = simd.vectorize(
        #[inline(always)]
        || place_of(simd, scratch),
    )?;
    let (axis, to_cells) = (place.axis, grid.scale[place.axis]);
    if place.bin_width * to_cells < 1.0 {
        return None;
    }
    let cut = ((place.low + place.width - grid.low[axis]) * to_cells).round() as u64;
    let mut left = 0;
    for i in 0..keys.len() {
        // As where items are cut: no branch to mispredict.
        let is_left = keys[i].cell(axis) < cut;
        keys.swap(i, left);
        left += usize::from(is_left);
    }
    (0 < left && left < keys.len()).then_some(left)
}
