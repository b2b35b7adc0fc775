//! Editing a tree leaf by leaf: as in an R-tree, a full node is divided and its new sibling goes up; bounds and masks of all
//! ancestors stay exact unions, so that no query ever needs an update first.
//!
//! Source: Guttman, "R-Trees: A Dynamic Index Structure for Spatial Searching"; dividing follows Beckmann et al., "The R*-tree".

use crate::{Leaf, leaf::FIXED, node::Slot, simd_aabb::SimdAabb, tree::Bvh};
use cullide_narrowphase::Aabb;

mod insert;
mod remove;
mod restructure;
mod split;

impl Bvh {
    /// Adds a box with a layer mask and returns its number.
    ///
    /// # Panics
    /// With 2^30 − 1 leaves already.
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
                self.slots.push(Slot::NONE);
                Leaf::from_bits(Leaf::new(self.slots.len() as u32 - 1).bits() | self.mark)
            },
            Leaf::from_bits,
        );
        self.unlayered += usize::from(mask == 0);
        let near = self.place(leaf, &SimdAabb::new(aabb), mask);
        self.tidy_around(near);
        leaf
    }

    /// Removes a leaf and returns its box; `None` when it is not there.
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
        let near = self.detach(leaf);
        self.tidy_around(near);
        self.free_leaves.push(leaf.bits());
        self.limit_height();
        Some(aabb)
    }

    /// Gives a leaf a new box; `false` when it is not there. A small move stays in its node, a large one is placed anew.
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
        if is_there && !self.move_leaf(leaf, aabb) {
            self.tidy_around(self.slots[leaf.index()].node());
        }
        is_there
    }

    /// Gives a leaf a new layer mask; `false` when it is not there.
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
        self.refresh(slot.node());
        true
    }

    /// Gives many leaves new boxes and keeps the shape of the tree: the cheapest update when most leaves move a little. Leaves
    /// that are not there are passed over; returns how many were there.
    ///
    /// ```
    /// # use cullide_bvh::{Bvh, Leaf, narrowphase::{Aabb, glam::Vec3}};
    /// let mut tree = Bvh::build(&[Aabb::new(Vec3::ZERO, Vec3::ONE)?]);
    /// assert_eq!(tree.refit([(Leaf::new(0), Aabb::new(Vec3::X, Vec3::X)?)]), 1);
    /// assert_eq!(tree.bounds().unwrap().max(), Vec3::X);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn refit(&mut self, moved: impl IntoIterator<Item = (Leaf, Aabb)>) -> usize {
        let mut stale = vec![false; self.nodes.len()];
        let mut count = 0;
        for (leaf, aabb) in moved {
            if let Some(slot) = self.slot(leaf) {
                self.nodes[slot.node()].set_bounds(slot.lane(), &aabb);
                stale[slot.node()] = true;
                count += 1;
            }
        }
        // Children before parents: the depth-first order, backward.
        for node in self.depth_first().into_iter().rev() {
            let parent = self.parents[node as usize];
            if let (true, false, Some(union)) =
                (stale[node as usize], parent.is_none(), self.nodes[node as usize].union())
            {
                self.nodes[parent.node()].set_bounds(parent.lane(), &union);
                stale[parent.node()] = true;
            }
        }
        count
    }

    /// Adds a leaf under a number of the caller's, who then numbers all leaves of this tree.
    pub(crate) fn insert_as(&mut self, leaf: Leaf, aabb: &Aabb, mask: u32) {
        if leaf.index() >= self.slots.len() {
            self.vacant += leaf.index() + 1 - self.slots.len();
            self.slots.resize(leaf.index() + 1, Slot::NONE);
        }
        self.vacant -= 1;
        self.mark = leaf.bits() & FIXED;
        self.unlayered += usize::from(mask == 0);
        let near = self.place(leaf, &SimdAabb::new(aabb), mask);
        self.tidy_around(near);
    }

    /// Makes room for all nodes that the leaves may come to need, so that moving them never allocates.
    pub(crate) fn reserve_nodes(&mut self) {
        // Nodes hold ten children or more on average, whatever edits they went through.
        let most = self.slots.len() / 6 + 32;
        if self.nodes.capacity() < most {
            let more = most + most / 4 - self.nodes.len();
            self.nodes.reserve_exact(more);
            self.masks.reserve_exact(more);
            self.parents.reserve_exact(more);
            self.free_nodes.reserve_exact(most + most / 4 - self.free_nodes.len());
        }
    }

    /// Removes a leaf whose number the caller gave out.
    pub(crate) fn remove_as(&mut self, leaf: Leaf) {
        let Some(mask) = self.mask(leaf) else { return };
        self.unlayered -= usize::from(mask == 0);
        let near = self.detach(leaf);
        self.tidy_around(near);
        self.vacant += 1;
        self.limit_height();
    }

    /// Gives a leaf that is there a new box, without tidying; returns whether it stayed in its node.
    pub(crate) fn move_leaf(&mut self, leaf: Leaf, aabb: &Aabb) -> bool {
        let (Some(slot), Some(mask)) = (self.slot(leaf), self.mask(leaf)) else { return true };
        let corners = SimdAabb::new(aabb);
        let stays = slot.node() == 0 || self.stored_bounds(slot.node()).contains(&corners);
        if stays {
            self.nodes[slot.node()].set_bounds(slot.lane(), aabb);
            self.refresh(slot.node());
        } else {
            self.detach(leaf);
            self.place(leaf, &corners, mask);
        }
        stays
    }
}
