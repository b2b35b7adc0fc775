//! Taking a leaf out of the tree.

use crate::{
    Leaf,
    lanes::LANES,
    node::{Child, NodeIndex, Slot},
    tree::Bvh,
};
use smallvec::SmallVec;

/// A node with so many children or fewer is done without.
const FEW: usize = 3;

/// So many levels are left for what inserts at the bottom may still add.
const DEEP: u32 = 10;

impl Bvh {
    /// Takes a leaf out of its node, and the node out of its parent when few children are left, for which there is room. Returns a node
    /// near by.
    pub(super) fn detach(&mut self, leaf: Leaf) -> usize {
        let Some(slot) = self.slot(leaf) else { return 0 };
        self.slots[leaf.index()] = Slot::NONE;
        self.empty(slot);
        let mut index = slot.node();
        while index != 0 {
            let parent = self.parents[index];
            let left: SmallVec<[usize; LANES]> = self.nodes[index].lanes().collect();
            let room = LANES - self.nodes[parent.node()].lanes().count();
            if left.len() > FEW || left.len() > room + 1 {
                break;
            }
            self.empty(parent);
            for lane in left {
                let (child, mask) = (self.nodes[index].children[lane], self.masks[index][lane]);
                let corners = self.nodes[index].simd_aabb(lane);
                if let Some(lane) = self.nodes[parent.node()].free_lane() {
                    self.put(Slot::new(parent.node() as NodeIndex, lane), child, &corners, mask);
                }
            }
            self.free(index as NodeIndex);
            index = parent.node();
        }
        self.refresh(index);
        self.shrink_root();
        index
    }

    /// Takes away the levels at the top that hold a single node.
    fn shrink_root(&mut self) {
        let only_node = |tree: &Self| {
            let mut lanes = tree.nodes[0].lanes();
            let (lane, None) = (lanes.next()?, lanes.next()) else { return None };
            let Child::Node(node) = Child::of(tree.nodes[0].children[lane]) else { return None };
            Some((lane, node))
        };
        while let Some((lane, node)) = only_node(self) {
            self.empty(Slot::new(0, lane));
            self.move_children(node as usize, 0);
            self.free(node);
            self.height -= 1;
        }
        let root = &self.nodes[0];
        if root.lanes().all(|lane| matches!(Child::of(root.children[lane]), Child::Leaf(_))) {
            self.height = 1;
        }
    }

    /// Whether the tree has nearly as many levels as it may have: boxes around all others, inserted one by one, fill the root again and
    /// again. Inserts then end at the bottom, and nothing is tidied.
    pub(super) fn is_deep(&self) -> bool {
        self.height + DEEP > Self::most_levels(self.len() as u32)
    }

    /// Builds the tree again when it is deeper than any sequence of edits is known to make it.
    pub(super) fn limit_height(&mut self) {
        if self.height > Self::most_levels(self.len() as u32) {
            self.rebuild();
        }
    }

    fn empty(&mut self, slot: Slot) {
        self.nodes[slot.node()].clear(slot.lane());
        self.masks[slot.node()][slot.lane()] = 0;
    }
}
