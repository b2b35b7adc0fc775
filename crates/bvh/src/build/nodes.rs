//! The nodes over the pieces: which pieces have one, and what is in its lanes.

use super::{
    binary::BinaryNode,
    keys::Key,
    primitive::{Bounds, Item},
};
use crate::{
    lanes::LANES,
    node::{LEAF, Node, NodeIndex, Slot},
    threads,
};
use std::sync::atomic::{AtomicU32, Ordering};

/// The nodes of a tree, depth first.
pub(super) struct Nodes {
    pub(super) nodes: Vec<Node>,
    pub(super) parents: Vec<Slot>,
    /// The number of levels.
    pub(super) height: u32,
}

/// The nodes over all pieces. Writes where each leaf hangs.
pub(super) fn nodes(
    pieces: &mut [BinaryNode],
    leaves: &[Key],
    item: &(impl Fn(u32) -> Item + Sync),
    slots: &mut Vec<Slot>,
) -> Nodes {
    let (tops, height) = number(pieces);
    let pieces = &*pieces;
    // Every leaf is in one node: whichever thread writes its slot, it is written once.
    let hung: Vec<AtomicU32> = std::mem::take(slots).into_iter().map(|slot| slot.bits().into()).collect();
    let fill = |i: usize, node: &mut Node| {
        each_content(pieces, tops[i].piece as usize, |lane, piece, content| {
            let piece = &pieces[piece];
            if matches!(content, Content::Node) {
                return node.put_row(lane, piece.node, piece.bounds.min(), piece.bounds.max());
            }
            let leaves = &leaves[piece.start as usize..][..piece.count as usize];
            for (lane, key) in (lane..).zip(leaves) {
                let (leaf, bounds) = (key.leaf(), Bounds(item(key.leaf()).0));
                node.put_row(lane, leaf | LEAF, bounds.min(), bounds.max());
                hung[leaf as usize].store(Slot::new(i as NodeIndex, lane).bits(), Ordering::Relaxed);
            }
        });
    };
    let nodes = threads::filled(tops.len(), &Node::VACANT, fill);
    *slots = hung.into_iter().map(|bits| Slot::from_bits(bits.into_inner())).collect();
    Nodes { nodes, parents: tops.iter().map(|top| top.parent).collect(), height }
}

/// A piece that has a node, and where that hangs.
struct WideNode {
    piece: u32,
    parent: Slot,
}

/// What is in the lanes that a piece gets.
enum Content {
    /// Each of its leaves.
    Leaves,
    /// A node over it.
    Node,
    /// Its halves, the first in so many of the lanes.
    Halves(usize),
}

fn content(piece: &BinaryNode, lanes: usize) -> Content {
    if piece.second == 0 {
        return if piece.count as usize <= lanes { Content::Leaves } else { Content::Node };
    }
    match piece.lanes_for[lanes - 1] {
        0 => Content::Node,
        first => Content::Halves(first.into()),
    }
}

/// Shows what is in the lanes of the node over a piece, from the first lane on: a piece of which all leaves are there, each in a lane,
/// or one that has a node in that lane.
#[inline(always)]
fn each_content(pieces: &[BinaryNode], top: usize, mut show: impl FnMut(usize, usize, Content)) {
    let mut lane = 0;
    let mut waiting = [(top, LANES); LANES];
    let mut count = 1;
    while count > 0 {
        count -= 1;
        let (at, lanes) = waiting[count];
        let piece = &pieces[at];
        match content(piece, lanes) {
            Content::Halves(first) => {
                waiting[count] = (at + piece.second as usize, lanes - first);
                waiting[count + 1] = (at + 1, first);
                count += 2;
            }
            content => {
                let taken = if matches!(content, Content::Leaves) { piece.count as usize } else { 1 };
                show(lane, at, content);
                lane += taken;
            }
        }
    }
}

/// Numbers the nodes, depth first, and returns which pieces they are over and how many levels they have.
fn number(pieces: &mut [BinaryNode]) -> (Vec<WideNode>, u32) {
    let mut tops = Vec::with_capacity(pieces.len() / 3 + 1);
    let mut height = 0;
    // A piece with a node, where that hangs and on which level; the root is a node in any case.
    let mut waiting = vec![(0, Slot::NONE, 1)];
    while let Some((at, parent, level)) = waiting.pop() {
        let node = tops.len() as NodeIndex;
        tops.push(WideNode { piece: at as u32, parent });
        pieces[at].node = node;
        height = height.max(level);
        let first = waiting.len();
        each_content(pieces, at, |lane, piece, content| {
            if matches!(content, Content::Node) {
                waiting.push((piece, Slot::new(node, lane), level + 1));
            }
        });
        waiting[first..].reverse();
    }
    (tops, height)
}
