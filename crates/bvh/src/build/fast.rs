//! The fast builder: leaves sorted along a Hilbert curve, packed sixteen at a time.

use crate::{Leaf, hilbert::HilbertOrder, pack::LeafLayers, simd_aabb::SimdAabb, threads, tree::Bvh};

impl Bvh {
    /// Replaces all nodes by packed ones over `leaves`, which must be all leaves. `boxes` are indexed by leaf.
    pub(super) fn assemble_fast(&mut self, leaves: &[u32], boxes: &[SimdAabb], mask: impl Fn(Leaf) -> u32 + Sync) {
        let around = leaves.iter().fold(SimdAabb::EMPTY, |around, &leaf| around.union(&boxes[leaf as usize]));
        let mut order = HilbertOrder::default();
        let order = order.along(self.level, (2.0 * around.min(), 2.0 * around.max()), leaves, boxes);
        let of = |leaf| mask(Leaf::from_bits(leaf));
        self.pack(order, boxes, Some(LeafLayers { of: &of, prefetch: &|_| {} }));
    }

    /// The boxes of all leaves by index; arbitrary where there is no leaf.
    pub(super) fn leaf_boxes(&self) -> Vec<SimdAabb> {
        threads::vec(self.slots.len(), |i| match self.slots[i] {
            slot if slot.is_none() => SimdAabb::ORIGIN,
            slot => self.nodes[slot.node()].simd_aabb(slot.lane()),
        })
    }
}
