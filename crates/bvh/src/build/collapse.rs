//! Collapsing a binary tree into wide nodes: what a binary node costs, given 1, 2, … 16 lanes of a wide one.
//!
//! ```text
//!   one lane             a wide node over it: its cost, and then what its halves cost in that one's sixteen lanes
//!   k lanes              the least of: one lane; the first half in i lanes and the second in k − i, for every i
//!   an unsplit one       nothing in as many lanes as it has leaves; in fewer, a wide node
//! ```
//! The cost of a wide node is the chance that a ray enters it, its area over that of the root, and a little for its
//! memory.
//!
//! Source: Ylitie, Karras and Laine, "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs", 2017,
//! section 3.1.

use crate::{
    lanes::{LANES, Row, Simd, load, masked, min, shift_in, with_low_bits},
    simd_aabb::SimdAabb,
};

/// What the memory of a node costs, in visits, times the number of boxes. Little, but then boxes without any area share
/// nodes too.
const MEMORY: f64 = 3.0;

/// What wide nodes cost.
#[derive(Clone, Copy)]
pub(super) struct CostModel {
    by_area: f64,
    at_least: f64,
}

impl CostModel {
    /// For a tree over `count` boxes within `bounds`.
    pub(super) fn new(bounds: &SimdAabb, count: usize) -> Self {
        let by_area = 1.0 / bounds.half_area();
        Self { by_area: if by_area.is_finite() { by_area } else { 0.0 }, at_least: MEMORY / count as f64 }
    }

    /// A node over `bounds`.
    pub(super) fn of(&self, bounds: &SimdAabb) -> f32 {
        (bounds.half_area() * self.by_area + self.at_least) as f32
    }
}

/// What a binary node costs in 1, 2, … lanes, never more in more.
pub(super) struct Costs(Row);

/// For each number of lanes less one how many of them the first half gets; 0 for one lane with a wide node over all.
/// With all lanes of a wide node the halves are always divided among them.
pub(super) type LanesFor = [u8; LANES];

impl Costs {
    /// One of so many leaves that is not split.
    #[inline(always)]
    pub(super) fn unsplit<S: Simd>(simd: S, count: usize, cost: f32) -> Self {
        let fewer = (1 << count.saturating_sub(1)) - 1;
        Self(masked(simd, load(simd, &[cost; LANES]), fewer, 0.0).into())
    }

    /// One with two halves.
    #[inline(always)]
    pub(super) fn split<S: Simd>(simd: S, cost: f32, first: &Self, second: &Self) -> (Self, LanesFor) {
        // The second's costs, so far up that the first's lanes are taken off.
        let mut rest = load(simd, &second.0);
        // The last bits of a cost give way to the first half's lanes, so that one minimum finds both.
        let mut least = load(simd, &[f32::INFINITY; LANES]);
        for lanes in 1..LANES {
            rest = shift_in(simd, f32::INFINITY, rest);
            least = min(with_low_bits(simd, rest + first.0[lanes - 1], lanes as u32), least);
        }
        let divided: Row = least.into();
        let one_lane = with_low_bits(simd, load(simd, &[cost + divided[LANES - 1]; LANES]), 0);
        let mut costs: Row = min(one_lane, least).into();
        costs[LANES - 1] = divided[LANES - 1];
        (Self(costs), std::array::from_fn(|k| costs[k].to_bits() as u8 % LANES as u8))
    }
}
