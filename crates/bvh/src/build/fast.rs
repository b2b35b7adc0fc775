//! The fast builder: leaves sorted along a Hilbert curve, packed sixteen at a time.

use crate::{Leaf, hilbert::HilbertOrder, simd_aabb::SimdAabb, threads, tree::Bvh};

impl Bvh {
    /// Replaces all nodes by packed ones over `leaves`, which must be all leaves. `boxes` are indexed by leaf.
    pub(super) fn assemble_fast(
        &mut self,
        leaves: impl IntoIterator<Item = u32>,
        boxes: &[SimdAabb],
        mask: impl Fn(Leaf) -> u32 + Sync,
    ) {
        let indices: Vec<u32> = leaves.into_iter().collect();
        let around = indices.iter().fold(SimdAabb::EMPTY, |around, &leaf| around.union(&boxes[leaf as usize]));
        let center = |leaf: u32| boxes[leaf as usize].doubled_center();
        let mut order = HilbertOrder::default();
        let order = order.along(self.level, (2.0 * around.min(), 2.0 * around.max()), &indices, center);
        let mask = |leaf| mask(Leaf::from_bits(leaf));
        self.pack(order, boxes, &mask, &|_| {});
    }

    /// The boxes of all leaves by index; arbitrary where there is no leaf.
    pub(super) fn leaf_boxes(&self) -> Vec<SimdAabb> {
        threads::vec(self.slots.len(), |i| match self.slots[i] {
            slot if slot.is_none() => SimdAabb::ORIGIN,
            slot => self.nodes[slot.node()].simd_aabb(slot.lane()),
        })
    }
}
