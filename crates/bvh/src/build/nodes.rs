//! The wide nodes: which binary nodes have one over them, and the contents of its lanes.

use super::{binary::BinaryNode, primitive::BuildPrimitive};
use crate::{
    lanes::LANES,
    node::{LEAF, Node, NodeIndex, NodeLane},
    threads,
};
use std::sync::atomic::{AtomicU32, Ordering};

/// The nodes of a tree, depth first.
pub(super) struct Nodes {
    pub(super) nodes: Vec<Node>,
    pub(super) parents: Vec<NodeLane>,
    /// The number of levels.
    pub(super) height: u32,
}

/// Makes the nodes over all leaves, which are in the order of the binary tree. Writes the slot of each leaf.
pub(super) fn nodes(binary: &mut [BinaryNode], leaves: &[BuildPrimitive], slots: &mut Vec<NodeLane>) -> Nodes {
    let (wide, height) = number(binary);
    let binary = &*binary;
    // Every leaf is in exactly one node, so its slot is written once, whichever thread does it.
    let written: Vec<AtomicU32> = std::mem::take(slots).into_iter().map(|slot| slot.bits().into()).collect();
    let fill = |i: usize, node: &mut Node| {
        each_content(binary, wide[i].over as usize, |lane, at, content| {
            let at = &binary[at];
            if matches!(content, Content::Node) {
                return node.put_row(lane, at.node, at.bounds.min(), at.bounds.max());
            }
            let leaves = &leaves[at.start as usize..][..at.count as usize];
            for (lane, primitive) in (lane..).zip(leaves) {
                let (leaf, bounds) = (primitive.leaf(), primitive.aabb());
                node.put_row(lane, leaf | LEAF, bounds.min(), bounds.max());
                written[leaf as usize].store(NodeLane::new(i as NodeIndex, lane).bits(), Ordering::Relaxed);
            }
        });
    };
    let nodes = threads::filled(wide.len(), &Node::VACANT, fill);
    *slots = written.into_iter().map(|bits| NodeLane::from_bits(bits.into_inner())).collect();
    Nodes { nodes, parents: wide.iter().map(|wide| wide.parent).collect(), height }
}

/// A wide node: the binary node that it is over, and its slot in its parent.
struct WideNode {
    over: u32,
    parent: NodeLane,
}

/// The contents of the lanes that a binary node gets.
enum Content {
    /// Each of its leaves.
    Leaves,
    /// A wide node over it.
    Node,
    /// Its halves, the first in this many of the lanes.
    Halves(usize),
}

fn content(node: &BinaryNode, lanes: usize) -> Content {
    if node.second == 0 {
        return if node.count as usize <= lanes { Content::Leaves } else { Content::Node };
    }
    match node.lanes_for[lanes - 1] {
        0 => Content::Node,
        first => Content::Halves(first.into()),
    }
}

/// Calls `visit` with the contents of the lanes of the wide node over `top`, from the first lane on: a binary node
/// whose leaves take a lane each, or a binary node with a wide node in that lane.
#[inline(always)]
fn each_content(binary: &[BinaryNode], top: usize, mut visit: impl FnMut(usize, usize, Content)) {
    let mut lane = 0;
    let mut waiting = [(top, LANES); LANES];
    let mut count = 1;
    while count > 0 {
        count -= 1;
        let (at, lanes) = waiting[count];
        let node = &binary[at];
        match content(node, lanes) {
            Content::Halves(first) => {
                waiting[count] = (at + node.second as usize, lanes - first);
                waiting[count + 1] = (at + 1, first);
                count += 2;
            }
            content => {
                let taken = if matches!(content, Content::Leaves) { node.count as usize } else { 1 };
                visit(lane, at, content);
                lane += taken;
            }
        }
    }
}

/// Numbers the wide nodes, depth first; returns them and the number of levels.
fn number(binary: &mut [BinaryNode]) -> (Vec<WideNode>, u32) {
    let mut wide = Vec::with_capacity(binary.len() / 3 + 1);
    let mut height = 0;
    // Binary nodes with a wide node over them, and the slot and level of that node; the root always has one.
    let mut waiting = vec![(0, NodeLane::NONE, 1)];
    while let Some((at, parent, level)) = waiting.pop() {
        let node = wide.len() as NodeIndex;
        wide.push(WideNode { over: at as u32, parent });
        binary[at].node = node;
        height = height.max(level);
        let first = waiting.len();
        each_content(binary, at, |lane, at, content| {
            if matches!(content, Content::Node) {
                waiting.push((at, NodeLane::new(node, lane), level + 1));
            }
        });
        waiting[first..].reverse();
    }
    (wide, height)
}
