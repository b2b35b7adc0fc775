//! Removing a leaf, and keeping the depth bounded.

use crate::{
    Leaf,
    lanes::LANES,
    node::{Child, EMPTY, NodeIndex, NodeLane},
    tree::Bvh,
};
use smallvec::SmallVec;

/// A node with this many children or fewer is dissolved.
const FEW: usize = 3;

/// The number of levels reserved for those that inserts at the bottom may still add.
const DEEP: u32 = 10;

impl Bvh {
    /// Removes a leaf from its node. While a node has few children left, and its parent room for them, it is dissolved
    /// into the parent. Returns a node nearby.
    pub(super) fn remove_leaf(&mut self, leaf: Leaf) -> usize {
        let Some(slot) = self.slot(leaf) else { return 0 };
        self.slots[leaf.index()] = NodeLane::NONE;
        self.clear_lane(slot);
        let mut index = slot.node();
        while index != 0 {
            let parent = self.parents[index];
            let left: SmallVec<[usize; LANES]> = self.nodes[index].lanes().collect();
            let room = LANES - self.nodes[parent.node()].lanes().count();
            if left.len() > FEW || left.len() > room + 1 {
                break;
            }
            self.clear_lane(parent);
            for lane in left {
                let member = self.member(index, lane);
                if let Some(lane) = self.nodes[parent.node()].free_lane() {
                    self.set_child(NodeLane::new(parent.node() as NodeIndex, lane), &member);
                }
            }
            self.free_node(index as NodeIndex);
            index = parent.node();
        }
        self.refit_ancestors(index);
        self.shrink_root();
        index
    }

    /// Removes the levels at the top that consist of a single child node.
    fn shrink_root(&mut self) {
        let only_node = |tree: &Self| {
            let mut lanes = tree.nodes[0].lanes();
            let (lane, None) = (lanes.next()?, lanes.next()) else { return None };
            let Child::Node(node) = Child::of(tree.nodes[0].children[lane]) else { return None };
            Some((lane, node))
        };
        while let Some((lane, node)) = only_node(self) {
            self.clear_lane(NodeLane::new(0, lane));
            self.move_children(node as usize, 0);
            self.free_node(node);
            self.height -= 1;
        }
        let root = &self.nodes[0];
        if root.lanes().all(|lane| matches!(Child::of(root.children[lane]), Child::Leaf(_))) {
            self.height = 1;
        }
    }

    /// Whether the tree is close to its maximum number of levels: boxes around all others, inserted one by one, fill
    /// the root again and again. In such a tree, inserts end at the bottom, and nothing is restructured.
    pub(super) fn is_deep(&self) -> bool {
        self.height + DEEP > Self::most_levels(self.len() as u32)
    }

    /// Rebuilds the tree if it is deeper than allowed, as some hundred thousands of random edits may make it. Returns
    /// whether it did.
    pub(super) fn limit_height(&mut self) -> bool {
        let is_deep = self.height > Self::most_levels(self.len() as u32);
        if is_deep {
            self.rebuild();
        }
        is_deep
    }

    fn clear_lane(&mut self, slot: NodeLane) {
        self.nodes[slot.node()].clear(slot.lane());
        self.masks[slot.node()][slot.lane()] = 0;
    }

    /// Frees a node that is no longer a child.
    pub(super) fn free_node(&mut self, index: NodeIndex) {
        self.nodes[index as usize].children = [EMPTY; LANES];
        self.free_nodes.push(index);
    }
}
