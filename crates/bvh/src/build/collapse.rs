//! Collapsing a binary tree into wide nodes: what a binary node costs, given 1, 2, … 16 lanes of a wide node.
//!
//! ```text
//!   one lane             a wide node over it: its cost, plus what the halves cost in the sixteen lanes of that node
//!   k lanes              the least of: one lane; the first half in i lanes and the second in k − i, for every i
//!   an unsplit node      nothing in at least as many lanes as it has leaves; in fewer, a wide node
//! ```
//! The cost of a wide node is the probability that a ray enters it, which is its area over that of the root, plus a
//! small amount for its memory.
//!
//! Source: Ylitie, Karras and Laine, "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs", 2017,
//! section 3.1.

use crate::{
    lanes::{LANES, Row, Simd, load, masked, min, shift_in, with_low_bits},
    simd_aabb::SimdAabb,
};

/// The cost of a node's memory, in visits, times the number of boxes. It is small, but makes boxes without any area
/// share nodes, too.
const MEMORY: f64 = 3.0;

/// The cost of wide nodes.
#[derive(Clone, Copy)]
pub(super) struct CostModel {
    by_area: f64,
    at_least: f64,
}

impl CostModel {
    /// The model for a tree over `count` boxes within `bounds`.
    pub(super) fn new(bounds: &SimdAabb, count: usize) -> Self {
        let by_area = 1.0 / bounds.half_area();
        Self { by_area: if by_area.is_finite() { by_area } else { 0.0 }, at_least: MEMORY / count as f64 }
    }

    /// The cost of a node over `bounds`.
    pub(super) fn of(&self, bounds: &SimdAabb) -> f32 {
        (bounds.half_area() * self.by_area + self.at_least) as f32
    }
}

/// What a binary node costs in 1, 2, … lanes; more lanes never cost more.
pub(super) struct Costs(Row);

/// At index `k − 1`, how many of `k` lanes the first half gets; 0 stands for a single lane with a wide node over all
/// leaves. All lanes of a wide node are always divided between the halves.
pub(super) type LanesFor = [u8; LANES];

impl Costs {
    /// The costs of a node with `count` leaves that is not split.
    #[inline(always)]
    pub(super) fn unsplit<S: Simd>(simd: S, count: usize, cost: f32) -> Self {
        let fewer = (1 << count.saturating_sub(1)) - 1;
        Self(masked(simd, load(simd, &[cost; LANES]), fewer, 0.0).into())
    }

    /// The costs of a node with two halves.
    #[inline(always)]
    pub(super) fn split<S: Simd>(simd: S, cost: f32, first: &Self, second: &Self) -> (Self, LanesFor) {
        // The costs of the second half, shifted by the lanes that the first half gets.
        let mut rest = load(simd, &second.0);
        // The last bits of a cost are replaced by the number of the first half's lanes, so that one minimum finds both.
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
