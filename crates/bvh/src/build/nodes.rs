//! The nodes over the pieces: which pieces have one, and what is in its lanes.

use super::{
    item::{Bounds, Item},
    pieces::Piece,
};
use crate::{
    lanes::LANES,
    node::{LEAF, Node},
    threads,
};

/// The nodes of a tree, parents before children, and the number of levels.
pub(super) fn nodes(pieces: &mut [Piece], items: &[Item]) -> (Vec<Node>, u32) {
    let (tops, height) = number(pieces);
    let pieces = &*pieces;
    (threads::filled(tops.len(), &Node::VACANT, |i, node| fill(node, pieces, tops[i] as usize, items)), height)
}

/// What is in the lanes that a piece gets.
enum Content {
    /// Each of its items.
    Items,
    /// A node over it.
    Node,
    /// Its halves, the first in so many of the lanes.
    Halves(usize),
}

fn content(piece: &Piece, lanes: usize) -> Content {
    if piece.second == 0 {
        return if piece.count as usize <= lanes { Content::Items } else { Content::Node };
    }
    match piece.lanes_for[lanes - 1] {
        0 => Content::Node,
        first => Content::Halves(first.into()),
    }
}

/// Numbers the nodes, depth first, and returns which pieces they are over and how many levels they have.
fn number(pieces: &mut [Piece]) -> (Vec<u32>, u32) {
    let mut tops = Vec::with_capacity(pieces.len() / 3 + 1);
    let mut height = 0;
    // A piece, the lanes that it gets, and the level of the node with those; the root is a node in any case.
    let mut waiting = vec![(0, LANES, 1)];
    tops.push(0);
    while let Some((at, lanes, level)) = waiting.pop() {
        height = height.max(level);
        let piece = &mut pieces[at];
        match content(piece, lanes) {
            Content::Items => {}
            Content::Node => {
                piece.node = tops.len() as u32;
                tops.push(at as u32);
                waiting.push((at, LANES, level + 1));
            }
            Content::Halves(first) => {
                waiting.push((at + piece.second as usize, lanes - first, level));
                waiting.push((at + 1, first, level));
            }
        }
    }
    (tops, height)
}

/// Fills the node over a piece.
fn fill(node: &mut Node, pieces: &[Piece], top: usize, items: &[Item]) {
    let mut lane = 0;
    let mut waiting = [(top, LANES); LANES];
    let mut count = 1;
    while count > 0 {
        count -= 1;
        let (at, lanes) = waiting[count];
        let piece = &pieces[at];
        match content(piece, lanes) {
            Content::Items => {
                for item in &items[piece.start as usize..][..piece.count as usize] {
                    let bounds = Bounds(item.0);
                    node.put_row(lane, item.leaf().bits() | LEAF, bounds.min(), bounds.max());
                    lane += 1;
                }
            }
            Content::Node => {
                node.put_row(lane, piece.node, piece.bounds.min(), piece.bounds.max());
                lane += 1;
            }
            Content::Halves(first) => {
                waiting[count] = (at + piece.second as usize, lanes - first);
                waiting[count + 1] = (at + 1, first);
                count += 2;
            }
        }
    }
}
