//! Taking a leaf out of the tree.

use crate::{
    Leaf,
    node::{Child, Slot},
    tree::Bvh,
};
use smallvec::SmallVec;

impl Bvh {
    /// Takes a leaf out of its node, and the node out of its parent when nothing or one child is left.
    pub(super) fn detach(&mut self, leaf: Leaf) {
        let Some(slot) = self.slot(leaf) else { return };
        self.slots[leaf.index()] = Slot::NONE;
        self.empty(slot);
        let mut index = slot.node();
        while index != 0 {
            let parent = self.parents[index];
            let mut left = self.nodes[index].lanes().take(2).collect::<SmallVec<[usize; 2]>>().into_iter();
            match (left.next(), left.next()) {
                (None, _) => self.empty(parent),
                (Some(lane), None) => {
                    let (child, mask) = (self.nodes[index].children[lane], self.masks[index][lane]);
                    let corners = self.nodes[index].corners(lane);
                    self.put(parent, child, &corners, mask);
                }
                _ => break,
            }
            self.free(index as u32);
            index = parent.node();
        }
        self.refresh(index);
        self.shrink_root();
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
            self.relocate(node as usize, 0);
            self.free(node);
            self.height -= 1;
        }
        let root = &self.nodes[0];
        if root.lanes().all(|lane| matches!(Child::of(root.children[lane]), Child::Leaf(_))) {
            self.height = 1;
        }
    }

    /// Starts over when the tree is deeper than any fair sequence of edits makes it.
    pub(super) fn limit_height(&mut self) {
        if self.height > 2 * self.len().max(1).ilog2() + 16 {
            self.rebuild();
        }
    }

    fn empty(&mut self, slot: Slot) {
        self.nodes[slot.node()].clear(slot.lane());
        self.masks[slot.node()][slot.lane()] = 0;
    }
}
