//! A leaf in the form that builders work on.

use crate::{lanes::eight::Row8, simd_aabb::SimdAabb};

/// A box `[−min, ·, max, ·]` and its leaf: the union of two boxes is a single maximum by lane. The two spare lanes hold
/// the leaf's index in the mantissas of numbers in `[1, 2)`, so that no arithmetic ever sees a denormal.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct BuildPrimitive(pub(super) Row8);

/// The number of bits in a mantissa.
const SHIFT: u32 = 23;
const MANTISSA: u32 = (1 << SHIFT) - 1;
const ONE: u32 = 1f32.to_bits();

impl BuildPrimitive {
    #[inline(always)]
    pub(super) fn new(aabb: &SimdAabb, leaf: u32) -> Self {
        let mut row = *aabb.row();
        (row[3], row[7]) = (f32::from_bits(ONE | leaf & MANTISSA), f32::from_bits(ONE | leaf >> SHIFT));
        Self(row)
    }

    pub(super) fn aabb(&self) -> SimdAabb {
        SimdAabb::of_row(self.0)
    }

    /// The leaf's index.
    #[inline(always)]
    pub(super) fn leaf(&self) -> u32 {
        self.0[3].to_bits() & MANTISSA | (self.0[7].to_bits() & MANTISSA) << SHIFT
    }
}
