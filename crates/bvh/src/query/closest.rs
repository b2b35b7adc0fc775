//! The first leaf that a ray, a segment or a swept box meets.
//!
//! The leaves of a node are not visited one by one, as the number of hits is rarely predicted. The minimum of their
//! entries is a single reduction of a register; it stays in the register as the new limit of the search, and identifies
//! the lane.

use super::{
    Probe,
    probe::{EntryFaces, PAD, RayLanes, SlabLanes},
};
use crate::{
    Leaf,
    lanes::{
        Keys, LANES, Simd, at_most, distances, each_lane, f32x16, first_lane, keys, masked_min_key, min, not_equal,
        splat, vectorized_512,
    },
    node::{EMPTY, LEAF, Node, NodeIndex},
    traverse::{Order, Visitor, traverse},
    tree::Bvh,
};
use std::ops::ControlFlow;

impl Bvh {
    /// Returns the leaf whose box the probe meets first, and where; of several at the same distance, the one with the
    /// smallest number.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Leaf, Probe, narrowphase::{Aabb, Ray, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::X * 3.0, Vec3::splat(3.0))?, Aabb::new(Vec3::X, Vec3::ONE)?]);
    /// let probe = Probe::ray(&Ray::new(Vec3::ZERO, Vec3::X)?, 100.0);
    /// assert_eq!(tree.closest(&probe, ALL), Some((Leaf::new(1), 1.0)));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn closest(&self, probe: &Probe, mask: u32) -> Option<(Leaf, f32)> {
        if !probe.reaches_any() {
            return None;
        }
        let closest = vectorized_512!(self.level, simd => {
            let mut visitor = ClosestVisitor::new(simd, probe, Closest::NONE);
            traverse(simd, self, mask, &mut visitor);
            visitor.closest
        });
        closest.answer()
    }
}

/// The first leaf so far: the bits of its entry distance, above its number. Of equal distances, the smaller number
/// comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Closest(u64);

impl Closest {
    /// Sorts after all leaves, including those that are entered infinitely far away.
    pub(super) const NONE: Self = Self::new(f32::INFINITY.to_bits(), EMPTY);

    const fn new(key: u32, leaf: u32) -> Self {
        Self((key as u64) << 32 | leaf as u64)
    }

    /// Updates the first leaf with some lanes of a node, which may be empty. Returns the smallest distance among the
    /// lanes, broadcast to every lane; a NaN if all are empty.
    #[inline(always)]
    pub(super) fn add<S: Simd>(&mut self, simd: S, node: &Node, keys: Keys<S>, lanes: u32) -> f32x16<S> {
        let lanes = lanes & not_equal(simd, &node.children, EMPTY);
        let (least, ties) = masked_min_key(simd, keys, lanes);
        let mut child = node.children[ties.trailing_zeros() as usize % LANES];
        for lane in each_lane(ties & ties.wrapping_sub(1)) {
            child = child.min(node.children[lane]);
        }
        let entry = distances(least);
        *self = (*self).min(Self::new(first_lane(entry).to_bits(), child & !LEAF));
        entry
    }

    #[inline(always)]
    pub(super) fn entry(self) -> f32 {
        f32::from_bits((self.0 >> 32) as u32)
    }

    #[inline(always)]
    pub(super) fn answer(self) -> Option<(Leaf, f32)> {
        (self < Self::NONE).then(|| (Leaf::from_bits(self.0 as u32), self.entry()))
    }
}

/// Searches for the closest leaf, taking all leaves of a node at a time.
pub(super) struct ClosestVisitor<S: Simd> {
    faces: EntryFaces,
    lanes: RayLanes<S>,
    /// The distance up to which a box may still be entered, in every lane.
    reach: f32x16<S>,
    pub(super) closest: Closest,
}

impl<S: Simd> ClosestVisitor<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, probe: &Probe, closest: Closest) -> Self {
        let lanes = RayLanes::new(simd, &probe.motion);
        Self { faces: probe.faces.by_element(), lanes, reach: splat(simd, Probe::reach(probe.max)), closest }
    }
}

impl<S: Simd> Visitor<S> for ClosestVisitor<S> {
    const ORDER: Order = Order::NearestFirst;

    #[inline(always)]
    fn test_children(&mut self, simd: S, _: NodeIndex, node: &Node, _key: u32) -> (u32, Keys<S>) {
        let (lanes, entries) = self.lanes.test(simd, self.faces.rows(simd, node), self.reach);
        (lanes, keys(entries))
    }

    #[inline(always)]
    fn visit_leaf(&mut self, _: Leaf, _: u32) -> ControlFlow<()> {
        unreachable!("leaves are visited a node's at a time")
    }

    #[inline(always)]
    fn visit_leaves(&mut self, simd: S, _: NodeIndex, node: &Node, lanes: u32, keys: Keys<S>) -> ControlFlow<()> {
        let entry = self.closest.add(simd, node, keys, lanes);
        self.reach = min(entry * splat(simd, PAD), self.reach);
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn is_culled(&self, key: u32) -> bool {
        f32::from_bits(key) > first_lane(self.reach)
    }

    #[inline(always)]
    fn live_lanes(&self, _simd: S, keys: Keys<S>) -> u32 {
        at_most(distances(keys), self.reach)
    }
}
