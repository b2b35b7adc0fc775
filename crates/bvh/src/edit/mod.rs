//! Editing a tree leaf by leaf. As in an R-tree, a full node is split and its new sibling inserted into the parent. The
//! bounds and masks of all ancestors stay exact unions, so that no query ever requires an update first.
//!
//! Source: Guttman, "R-Trees: A Dynamic Index Structure for Spatial Searching" (1984); splitting follows Beckmann et
//! al., "The R*-tree" (1990).

use crate::{Leaf, leaf::FIXED, node::NodeLane, simd_aabb::SimdAabb, tree::Bvh};
use cullide_narrowphase::Aabb;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

mod insert;
mod remove;
mod restructure;
mod split;

impl Bvh {
    /// Adds a box with a layer mask and returns its leaf.
    ///
    /// # Panics
    /// If there are 2^30 − 1 leaves already.
    ///
    /// ```
    /// # use cullide_bvh::{Bvh, narrowphase::{Aabb, glam::Vec3}};
    /// let mut tree = Bvh::new();
    /// let leaf = tree.insert(&Aabb::new(Vec3::ZERO, Vec3::ONE)?, 0b1);
    /// assert_eq!((tree.len(), tree.mask(leaf)), (1, Some(0b1)));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn insert(&mut self, aabb: &Aabb, mask: u32) -> Leaf {
        let leaf = self.free_leaves.pop().map_or_else(
            || {
                self.slots.push(NodeLane::NONE);
                Leaf::from_bits(Leaf::new(self.slots.len() as u32 - 1).bits() | self.tag)
            },
            Leaf::from_bits,
        );
        self.unlayered += usize::from(mask == 0);
        let near = self.insert_leaf(leaf, &SimdAabb::new(aabb), mask);
        self.restructure_around(near);
        leaf
    }

    /// Removes a leaf and returns its box; `None` if it does not exist.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, narrowphase::{Aabb, glam::Vec3}};
    /// let mut tree = Bvh::new();
    /// let leaf = tree.insert(&Aabb::new(Vec3::ZERO, Vec3::ONE)?, ALL);
    /// assert!(tree.remove(leaf).is_some() && tree.remove(leaf).is_none());
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn remove(&mut self, leaf: Leaf) -> Option<Aabb> {
        let (aabb, mask) = (self.aabb(leaf)?, self.mask(leaf)?);
        self.unlayered -= usize::from(mask == 0);
        let near = self.remove_leaf(leaf);
        self.restructure_around(near);
        self.free_leaves.push(leaf.bits());
        self.limit_height();
        Some(aabb)
    }

    /// Gives a leaf a new box; returns `false` if it does not exist. After a small move, the leaf stays in its node;
    /// after a large one, it is reinserted.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, narrowphase::{Aabb, glam::Vec3}};
    /// let mut tree = Bvh::new();
    /// let leaf = tree.insert(&Aabb::new(Vec3::ZERO, Vec3::ONE)?, ALL);
    /// assert!(tree.set(leaf, &Aabb::new(Vec3::X, Vec3::X)?));
    /// assert_eq!(tree.aabb(leaf).unwrap().min(), Vec3::X);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn set(&mut self, leaf: Leaf, aabb: &Aabb) -> bool {
        let is_there = self.slot(leaf).is_some();
        if is_there && self.move_leaf(leaf, &SimdAabb::new(aabb)) == LeafPlacement::OtherNode {
            self.restructure_around(self.slots[leaf.index()].node());
        }
        is_there
    }

    /// Gives a leaf a new layer mask; returns `false` if it does not exist.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, narrowphase::{Aabb, glam::Vec3}};
    /// let mut tree = Bvh::new();
    /// let leaf = tree.insert(&Aabb::new(Vec3::ZERO, Vec3::ONE)?, ALL);
    /// assert!(tree.set_mask(leaf, 0b10));
    /// assert_eq!(tree.mask(leaf), Some(0b10));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn set_mask(&mut self, leaf: Leaf, mask: u32) -> bool {
        let Some(slot) = self.slot(leaf) else { return false };
        let old = std::mem::replace(&mut self.masks[slot.node()][slot.lane()], mask);
        self.unlayered = self.unlayered + usize::from(mask == 0) - usize::from(old == 0);
        self.refit_ancestors(slot.node());
        true
    }

    /// Gives many leaves new boxes and keeps the structure of the tree, which is the cheapest update if most leaves
    /// move a little. Leaves that do not exist are skipped; returns the number of leaves that exist. If `moved` panics, the
    /// leaves before that have their new boxes.
    ///
    /// ```
    /// # use cullide_bvh::{Bvh, Leaf, narrowphase::{Aabb, glam::Vec3}};
    /// let mut tree = Bvh::build(&[Aabb::new(Vec3::ZERO, Vec3::ONE)?]);
    /// assert_eq!(tree.refit([(Leaf::new(0), Aabb::new(Vec3::X, Vec3::X)?)]), 1);
    /// assert_eq!(tree.bounds().unwrap().max(), Vec3::X);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn refit(&mut self, moved: impl IntoIterator<Item = (Leaf, Aabb)>) -> usize {
        let mut is_changed = vec![false; self.nodes.len()];
        let mut count = 0;
        let set = |(leaf, aabb): (Leaf, Aabb)| {
            if let Some(slot) = self.slot(leaf) {
                self.nodes[slot.node()].set_bounds(slot.lane(), aabb.min(), aabb.max());
                is_changed[slot.node()] = true;
                count += 1;
            }
        };
        let end = catch_unwind(AssertUnwindSafe(|| moved.into_iter().for_each(set)));
        // Children before parents: depth-first order, reversed.
        for node in self.depth_first().into_iter().rev() {
            let parent = self.parents[node as usize];
            if let (true, false, Some(union)) =
                (is_changed[node as usize], parent.is_none(), self.nodes[node as usize].union())
            {
                self.nodes[parent.node()].set_bounds(parent.lane(), union.min(), union.max());
                is_changed[parent.node()] = true;
            }
        }
        end.map_or_else(|panic| resume_unwind(panic), |()| count)
    }

    /// Adds a leaf whose index and tag are assigned by the caller, which must then do so for all leaves of this tree.
    pub(crate) fn insert_as(&mut self, leaf: Leaf, aabb: &SimdAabb, mask: u32) {
        if leaf.index() >= self.slots.len() {
            self.unassigned += leaf.index() + 1 - self.slots.len();
            self.slots.resize(leaf.index() + 1, NodeLane::NONE);
        }
        self.unassigned -= 1;
        self.tag = leaf.bits() & FIXED;
        self.unlayered += usize::from(mask == 0);
        let near = self.insert_leaf(leaf, aabb, mask);
        self.restructure_around(near);
    }

    /// Removes a leaf whose index was assigned by the caller.
    pub(crate) fn remove_as(&mut self, leaf: Leaf) {
        let Some(mask) = self.mask(leaf) else { return };
        self.unlayered -= usize::from(mask == 0);
        let near = self.remove_leaf(leaf);
        self.restructure_around(near);
        self.unassigned += 1;
        self.limit_height();
    }

    /// Gives a leaf a new box. If the box is within the bounds of the leaf's node, the leaf stays there; otherwise it
    /// is reinserted. Does not restructure.
    pub(crate) fn move_leaf(&mut self, leaf: Leaf, aabb: &SimdAabb) -> LeafPlacement {
        let (Some(slot), Some(mask)) = (self.slot(leaf), self.mask(leaf)) else { return LeafPlacement::SameNode };
        if slot.node() == 0 || self.stored_bounds(slot.node()).contains(aabb) {
            self.set_leaf_bounds(slot, aabb);
            self.refit_ancestors(slot.node());
            return LeafPlacement::SameNode;
        }
        self.remove_leaf(leaf);
        self.insert_leaf(leaf, aabb, mask);
        LeafPlacement::OtherNode
    }

    /// Writes the box of a leaf; the caller must then call [`Bvh::refit_ancestors`].
    pub(crate) fn set_leaf_bounds(&mut self, slot: NodeLane, aabb: &SimdAabb) {
        self.nodes[slot.node()].set_bounds(slot.lane(), aabb.min(), aabb.max());
    }

    /// Reserves room for `additional` more leaves. An insertion into a tree without room reallocates, with twice the
    /// capacity, and copies all nodes; this is rare, but takes a millisecond or two with 60,000 leaves.
    ///
    /// ```
    /// # use cullide_bvh::Bvh;
    /// let mut tree = Bvh::new();
    /// tree.reserve(100_000);
    /// assert!(tree.is_empty());
    /// ```
    pub fn reserve(&mut self, additional: usize) {
        let count = self.len() + additional;
        self.slots.reserve(count.saturating_sub(self.slots.len()));
        self.reserve_exact_nodes(most_nodes(count));
    }

    /// Reserves room for all nodes that the leaves may come to need, so that moving them never allocates.
    pub(crate) fn reserve_nodes(&mut self) {
        let most = most_nodes(self.slots.len());
        if self.nodes.capacity() < most {
            self.reserve_exact_nodes(most + most / 4);
        }
    }

    fn reserve_exact_nodes(&mut self, count: usize) {
        self.nodes.reserve_exact(count.saturating_sub(self.nodes.len()));
        self.masks.reserve_exact(count.saturating_sub(self.masks.len()));
        self.parents.reserve_exact(count.saturating_sub(self.parents.len()));
        self.free_nodes.reserve_exact(count.saturating_sub(self.free_nodes.len()));
    }
}

/// The maximum number of nodes that this many leaves may come to need: nodes hold ten children or more on average,
/// whatever edits they have been through.
fn most_nodes(leaves: usize) -> usize {
    leaves / 6 + 32
}

/// Where a leaf is after it was given a new box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeafPlacement {
    SameNode,
    OtherNode,
}

/// A child that moves to another node.
#[derive(Clone, Copy, Debug)]
struct Member {
    aabb: SimdAabb,
    child: u32,
    mask: u32,
}

impl Bvh {
    /// The child in an occupied lane.
    fn member(&self, index: usize, lane: usize) -> Member {
        let node = &self.nodes[index];
        Member { aabb: node.simd_aabb(lane), child: node.children[lane], mask: self.masks[index][lane] }
    }
}
