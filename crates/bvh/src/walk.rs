//! The one loop that walks the tree. A query is a visitor: it says which lanes of a node it meets, with a key each, and what to
//! do with the leaves among them.

use crate::{
    Leaf,
    lanes::{LANES, Simd, each_lane, matching},
    leaf::ALL,
    node::{Child, Node, NodeIndex},
    tree::Bvh,
};
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// What a visitor of leaves wants next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Visit {
    /// Go on.
    Continue,
    /// Go on, but only as far as this distance (or fraction): what begins beyond it is no longer visited.
    Within(f32),
    /// Stop. The visitor is not called again.
    Stop,
}

/// A query.
pub(crate) trait Visitor<S: Simd> {
    /// Whether nodes are to be entered in order of their keys, smallest first.
    const ORDERED: bool;

    /// The lanes that the query meets, one bit each, and a key for every lane. `key` is the node's own key: 0 at the root.
    fn meet(&mut self, simd: S, node: &Node, key: u32) -> (u32, [u32; LANES]);

    /// What to do with a leaf that was met.
    fn visit(&mut self, leaf: Leaf, key: u32) -> ControlFlow<()>;

    /// Whether nothing below a node or leaf with this key matters any more.
    #[inline(always)]
    fn is_beyond(&self, _key: u32) -> bool {
        false
    }
}

/// Looks on while a tree is walked. `()` sees nothing and costs nothing.
pub(crate) trait Watch {
    /// A node's children are about to be tested.
    fn node(&mut self);
    /// A leaf is about to be shown.
    fn leaf(&mut self);
}

impl Watch for () {
    #[inline(always)]
    fn node(&mut self) {}
    #[inline(always)]
    fn leaf(&mut self) {}
}

/// Shows the visitor all nodes that it meets and the leaves with a layer in `mask`. A depth-first stack holds at most seven
/// siblings a level; it moves to the heap when the tree is deeper than any that a builder makes.
#[inline(always)]
pub(crate) fn walk<S: Simd, V: Visitor<S>>(simd: S, tree: &Bvh, mask: u32, visitor: &mut V, watch: &mut impl Watch) {
    let by_mask = mask != ALL || tree.layerless > 0;
    let mut stack: SmallVec<[(u32, NodeIndex); 96]> = SmallVec::new();
    stack.push((0, 0));
    while let Some((key, index)) = stack.pop() {
        if visitor.is_beyond(key) {
            continue;
        }
        watch.node();
        let node = &tree.nodes[index as usize];
        let (mut met, keys) = visitor.meet(simd, node, key);
        if by_mask {
            met &= matching(simd, &tree.masks[index as usize], mask);
        }
        let first = stack.len();
        for lane in each_lane(met) {
            match Child::of(node.children[lane]) {
                Child::Empty => {}
                Child::Node(child) => stack.push((keys[lane], child)),
                Child::Leaf(leaf) => {
                    if visitor.is_beyond(keys[lane]) {
                        continue;
                    }
                    watch.leaf();
                    if visitor.visit(Leaf::from_bits(leaf), keys[lane]).is_break() {
                        return;
                    }
                }
            }
        }
        if V::ORDERED {
            farthest_first(&mut stack[first..]);
        }
    }
}

/// Sorts at most eight entries so that the smallest key is popped first.
#[inline(always)]
fn farthest_first(entries: &mut [(u32, NodeIndex)]) {
    for end in 1..entries.len() {
        let mut i = end;
        while i > 0 && entries[i - 1].0 < entries[i].0 {
            entries.swap(i - 1, i);
            i -= 1;
        }
    }
}
