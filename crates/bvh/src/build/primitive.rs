//! A leaf to be placed, in the form that builders work on.

use crate::{
    lanes::{
        Simd,
        eight::{Row8, load8, max8, store},
    },
    simd_aabb::SimdAabb,
};
use cullide_narrowphase::glam::Vec3;

/// A box as eight numbers, `[−min, ·, max, ·]`: the union of two is one maximum by lane. The two spare lanes hold the leaf's number,
/// as the mantissas of numbers in `[1, 2)`, so that no arithmetic ever meets a denormal.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Item(pub(super) Row8);

/// Bits of a mantissa.
const SHIFT: u32 = 23;
const ONE: u32 = 1f32.to_bits();

impl Item {
    #[inline(always)]
    pub(super) fn new(min: Vec3, max: Vec3, leaf: u32) -> Self {
        let (low, high) =
            (f32::from_bits(ONE | leaf & (ONE - 1) & ((1 << SHIFT) - 1)), f32::from_bits(ONE | leaf >> SHIFT));
        Self([-min.x, -min.y, -min.z, low, max.x, max.y, max.z, high])
    }

    pub(super) fn of(corners: &SimdAabb, leaf: u32) -> Self {
        Self::new(corners.min(), corners.max(), leaf)
    }

    /// The doubled centroid, and any number.
    #[inline(always)]
    pub(super) fn middle(&self) -> [f32; 4] {
        let n = &self.0;
        [n[4] - n[0], n[5] - n[1], n[6] - n[2], 0.0]
    }

    /// The leaf's number.
    #[inline(always)]
    pub(super) fn leaf(&self) -> u32 {
        let mantissa = (1 << SHIFT) - 1;
        self.0[3].to_bits() & mantissa | (self.0[7].to_bits() & mantissa) << SHIFT
    }
}

/// A union of items, in the same form; the spare lanes mean nothing.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Bounds(pub(super) Row8);

impl Bounds {
    /// The union of nothing.
    pub(super) const EMPTY: Self = Self([f32::NEG_INFINITY; 8]);

    #[inline(always)]
    pub(super) fn union<S: Simd>(&self, simd: S, other: &Self) -> Self {
        Self(store(max8(load8(simd, &self.0), load8(simd, &other.0))))
    }

    pub(super) fn min(&self) -> Vec3 {
        // Zero minus zero is +0.0, which −0.0 negated is not everywhere.
        Vec3::new(0.0 - self.0[0], 0.0 - self.0[1], 0.0 - self.0[2])
    }

    pub(super) fn max(&self) -> Vec3 {
        Vec3::new(self.0[4], self.0[5], self.0[6])
    }

    /// `max − min` by axis, rounded.
    pub(super) fn extent(&self) -> [f32; 3] {
        [self.0[4] + self.0[0], self.0[5] + self.0[1], self.0[6] + self.0[2]]
    }

    /// Half the surface, in `f64` so that it cannot overflow.
    pub(super) fn half_area(&self) -> f64 {
        let [x, y, z] = self.extent().map(f64::from);
        x * y + y * z + z * x
    }
}
