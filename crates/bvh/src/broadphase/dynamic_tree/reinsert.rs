//! Reinserting leaves whose fat boxes are newer, one by one, and restructuring the tree where leaves escaped their
//! nodes.

use super::DynamicTree;
use crate::{
    Leaf,
    broadphase::{
        body::{Mobility, Proxy},
        proxies::Proxies,
    },
    edit::LeafPlacement,
    lanes::{LANES, each_lane},
    node::{Child, LEAF, NodeLane},
    prefetch::{prefetch_all, prefetch_item},
};

/// After this many leaves moved to another node, the surroundings of one are restructured.
const ESCAPES: u32 = 64;

/// In a tree with fewer leaves, restructuring would take most of a frame.
const MIN_RESTRUCTURED: usize = 2048;

/// The number of reinsertions between two steps of prefetching.
const REINSERTED_AHEAD: usize = 4;

/// How far a leaf may leave the bounds of its node without moving to another node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ReinsertPolicy {
    /// Not at all.
    Strict,
    /// As long as it still overlaps them: all leaves will soon be packed again.
    Drift,
    /// The same; its neighbors are not renewed, as they live as long as the cycle, and looking at each would wait for
    /// memory.
    InCycle,
}

impl DynamicTree {
    /// Writes all newer fat boxes to the tree.
    pub(super) fn reinsert_all(&mut self, proxies: &mut Proxies, policy: ReinsertPolicy) {
        let newer = std::mem::take(&mut self.newer);
        for (at, &i) in newer.iter().enumerate() {
            self.prefetch(proxies, &newer[at..], policy);
            self.reinsert_with_neighbors(proxies, i as usize, policy);
        }
        self.newer = newer;
        self.restructure();
    }

    /// Writes the newer fat box of a body to the tree, together with those of its neighbors in the node, and renews the
    /// neighbors that will soon need it.
    fn reinsert_with_neighbors(&mut self, proxies: &mut Proxies, i: usize, policy: ReinsertPolicy) {
        let Some(slot) = self.bvh.slot(Leaf::from_bits(i as u32)) else { return };
        if !self.is_newer[i] {
            // Already done together with a neighbor.
            return;
        }
        let node = slot.node();
        let bounds = self.bvh.stored_bounds(node);
        let children = self.bvh.nodes[node].children;
        let mut escaping = 0;
        for (lane, &child) in children.iter().enumerate() {
            let Child::Leaf(other) = Child::of(child) else { continue };
            let i = other as usize;
            if !self.is_newer[i] {
                if policy == ReinsertPolicy::InCycle || !self.motion[i].is_old(self.frame) {
                    continue;
                }
                self.update_fat_aabb(proxies, i, node as u32);
            }
            self.is_newer[i] = false;
            proxies.mark_dirty(Proxy::of(Mobility::Moving, other));
            let fat = &self.fat_aabbs[i];
            let stays = match policy {
                ReinsertPolicy::Strict => bounds.contains(fat),
                ReinsertPolicy::Drift | ReinsertPolicy::InCycle => bounds.overlaps(fat),
            };
            if stays || node == 0 {
                self.bvh.set_leaf_bounds(NodeLane::new(node as u32, lane), fat);
            } else {
                escaping |= 1 << lane;
            }
        }
        self.bvh.refit_ancestors(node);
        if policy != ReinsertPolicy::Strict {
            self.growth += self.bvh.stored_bounds(node).half_area() - bounds.half_area();
        }
        for lane in each_lane(escaping) {
            let leaf = Leaf::from_bits(children[lane] & !LEAF);
            if self.bvh.move_leaf(leaf, &self.fat_aabbs[leaf.index()]) == LeafPlacement::OtherNode {
                self.is_packed = false;
                self.escaped.push(leaf);
            }
        }
    }

    /// Prefetches what upcoming reinsertions read, one step after the other: where a leaf is; its node and the one
    /// above; and the data of the bodies in the node.
    fn prefetch(&self, proxies: &Proxies, upcoming: &[u32], policy: ReinsertPolicy) {
        let ahead = |steps: usize| upcoming.get(steps * REINSERTED_AHEAD).copied();
        if let Some(i) = ahead(3) {
            prefetch_item(&self.bvh.slots, i);
            prefetch_item(&self.is_newer, i);
        }
        if let Some(i) = ahead(2)
            && let Some(slot) = self.bvh.slot(Leaf::from_bits(i))
        {
            prefetch_all(&self.bvh.nodes[slot.node()]);
            prefetch_item(&self.bvh.masks, slot.node() as u32);
            prefetch_item(&self.fat_aabbs, i);
            let parent = self.bvh.parents[slot.node()];
            if !parent.is_none() {
                prefetch_all(&self.bvh.nodes[parent.node()]);
            }
        }
        if policy != ReinsertPolicy::InCycle
            && let Some(i) = ahead(1)
            && self.is_newer[i as usize]
            && let Some(slot) = self.bvh.slot(Leaf::from_bits(i))
        {
            for child in self.bvh.nodes[slot.node()].children {
                if let Child::Leaf(other) = Child::of(child) {
                    prefetch_item(&self.motion, other);
                    prefetch_item(proxies.moving_aabbs(), other);
                    prefetch_item(&self.fat_aabbs, other);
                }
            }
        }
    }

    /// Improves the tree where a leaf escaped its node. Done once after many such leaves, so that no frame spends much
    /// time on it.
    fn restructure(&mut self) {
        self.escapes = self.escapes.saturating_add(self.escaped.len() as u32);
        if let Some(&leaf) = self.escaped.last()
            && self.escapes >= ESCAPES
            && self.bvh.len() >= MIN_RESTRUCTURED
        {
            self.escapes = 0;
            // The maximum number of leaves that this reinserts.
            self.upkeep += LANES * LANES;
            self.restructured = self.restructured.wrapping_add(1);
            self.bvh.restructure_above_leaf(leaf, self.restructured);
            self.is_packed = false;
        }
        self.escaped.clear();
    }
}
