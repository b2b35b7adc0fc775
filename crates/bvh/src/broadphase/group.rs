//! Which leaves are to be searched with, by node.

use crate::{Leaf, node::NodeIndex, tree::Bvh};

/// The lanes of some nodes of both trees.
#[derive(Clone, Debug, Default)]
pub(super) struct Active {
    pub(super) fixed: Lanes,
    pub(super) moving: Lanes,
    /// Whether all of the moving tree, which is packed and has blocks, is searched with instead.
    pub(super) all: bool,
}

/// The lanes of some nodes of a tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Lanes {
    /// By node, one bit a lane.
    lanes: Vec<u16>,
    /// The nodes with a bit.
    nodes: Vec<NodeIndex>,
}

impl Lanes {
    /// Nothing, of a tree.
    pub(super) fn clear(&mut self, tree: &Bvh) {
        for &node in &self.nodes {
            self.lanes[node as usize] = 0;
        }
        self.nodes.clear();
        self.lanes.resize(tree.nodes.len(), 0);
    }

    /// One leaf more.
    pub(super) fn add(&mut self, tree: &Bvh, leaf: Leaf) {
        if let Some(slot) = tree.slot(leaf) {
            let lanes = &mut self.lanes[slot.node()];
            if *lanes == 0 {
                self.nodes.push(slot.node() as NodeIndex);
            }
            *lanes |= 1 << slot.lane();
        }
    }

    /// The nodes with a bit.
    pub(super) fn nodes(&self) -> &[NodeIndex] {
        &self.nodes
    }

    #[inline(always)]
    pub(super) fn of(&self, node: NodeIndex) -> u32 {
        self.lanes[node as usize].into()
    }
}
