//! The one loop that walks the tree. A query is a visitor: it says which lanes of a node it meets, with a key each, and what to
//! do with the leaves among them.

use crate::{
    Leaf,
    lanes::{
        EVERY_LANE, Keys, LANES, Simd, compressed, each_lane, has_masked_instructions, marked, matching, moved_up,
        other_than, smallest, store_keys,
    },
    leaf::ALL,
    node::{EMPTY, LEAF, Node, NodeIndex},
    stack::{Places, Stack},
    tree::Bvh,
};
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
    /// Whether nodes are to be entered nearest first: smallest key first, roughly.
    const ORDERED: bool;

    /// Whether the leaves of a node are to be shown smallest key first: worth it where a look at one costs as much as some nodes, and spares
    /// others.
    const SORTED: bool = false;

    /// The lanes that the query meets, one bit each, and a key for every lane. `key` is the node's own key: 0 at the root.
    fn meet(&mut self, simd: S, node: &Node, key: u32) -> (u32, Keys<S>);

    /// What to do with a leaf that was met.
    fn visit(&mut self, leaf: Leaf, key: u32) -> ControlFlow<()>;

    /// What to do with the leaves of a node that were met. Some of the lanes may be empty.
    #[inline(always)]
    fn show(&mut self, _simd: S, node: &Node, lanes: u32, keys: Keys<S>, watch: &mut impl Watch) -> ControlFlow<()> {
        let Stored(keys) = &Stored::new(keys);
        let mut rest = lanes;
        while rest != 0 {
            let first = rest.trailing_zeros() as usize % LANES;
            let lane =
                if Self::SORTED { each_lane(rest).min_by_key(|&lane| keys[lane]).unwrap_or(first) } else { first };
            rest &= !(1 << lane);
            let child = node.children[lane];
            if child == EMPTY || self.is_beyond(keys[lane]) {
                // The others have larger keys.
                if Self::SORTED && child != EMPTY {
                    break;
                }
                continue;
            }
            watch.leaf();
            self.visit(Leaf::from_bits(child & !LEAF), keys[lane])?;
        }
        ControlFlow::Continue(())
    }

    /// What to do with the leaves of a node below which everything is met, with the same key. Some of the lanes may be empty.
    #[inline(always)]
    fn show_all(&mut self, simd: S, node: &Node, lanes: u32, key: u32, watch: &mut impl Watch) -> ControlFlow<()> {
        // Moved together first: a tenth faster than lane by lane when there are ten.
        let lanes = lanes & other_than(simd, &node.children, EMPTY);
        let leaves = moved_up(simd, &node.children, lanes);
        for leaf in &leaves[..lanes.count_ones() as usize % (LANES + 1)] {
            watch.leaf();
            self.visit(Leaf::from_bits(leaf & !LEAF), key)?;
        }
        ControlFlow::Continue(())
    }

    /// Whether everything below a node with this key is met, with the same key.
    #[inline(always)]
    fn is_settled(&self, _key: u32) -> bool {
        false
    }

    /// Whether nothing below a node or leaf with this key matters any more.
    #[inline(always)]
    fn is_beyond(&self, _key: u32) -> bool {
        false
    }

    /// One bit a lane: whether what has this key still matters.
    #[inline(always)]
    fn matters(&self, _simd: S, _keys: Keys<S>) -> u32 {
        EVERY_LANE
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

/// Shows the visitor all nodes that it meets and the leaves with a layer in `mask`.
#[inline(always)]
pub(crate) fn walk<S: Simd, V: Visitor<S>>(simd: S, tree: &Bvh, mask: u32, visitor: &mut V, watch: &mut impl Watch) {
    walk_from(simd, tree, mask, 0, visitor, watch);
}

/// The same below one node.
#[inline(always)]
pub(crate) fn walk_from<S: Simd, V: Visitor<S>>(
    simd: S,
    tree: &Bvh,
    mask: u32,
    start: NodeIndex,
    visitor: &mut V,
    watch: &mut impl Watch,
) {
    let by_mask = mask != ALL || tree.layerless > 0;
    let mut places = Places::new();
    let mut stack = Stack::new(&mut places);
    let (mut key, mut index) = (0, start);
    loop {
        watch.node();
        let node = &tree.nodes[index as usize];
        if !by_mask && visitor.is_settled(key) {
            // Nothing to test: one cache line of the node tells what is there.
            let leaves = marked(simd, &node.children);
            let nodes = !leaves & EVERY_LANE;
            if nodes != 0 {
                stack.push([key; LANES], moved_up(simd, &node.children, nodes), nodes.count_ones() as usize);
            }
            if visitor.show_all(simd, node, leaves, key, watch).is_break() {
                return;
            }
            let Some(next) = stack.pop() else { return };
            (key, index) = next;
            continue;
        }
        let (mut met, keys) = visitor.meet(simd, node, key);
        if by_mask {
            met &= matching(simd, &tree.masks[index as usize], mask);
        }

        let leaves = marked(simd, &node.children);
        let mut nodes = met & !leaves;

        // Leaves first: they may bring the end nearer.
        if met & leaves != 0 {
            if visitor.show(simd, node, met & leaves, keys, watch).is_break() {
                return;
            }
            nodes &= visitor.matters(simd, keys);
        }

        // Then the nearest child node, while the others wait.
        if nodes != 0 {
            (key, index) = if V::ORDERED {
                nearest(simd, node, keys, nodes, &mut stack)
            } else {
                any(simd, node, keys, nodes, &mut stack)
            };
            continue;
        }
        loop {
            let Some(next) = stack.pop() else { return };
            (key, index) = next;
            if !visitor.is_beyond(key) {
                break;
            }
            // How many more are is hardly ever foreseen: they go at once where one instruction moves the others together.
            if has_masked_instructions(simd) {
                stack.keep(simd, |keys| visitor.matters(simd, keys));
            }
        }
    }
}

/// Keys in memory, in one cache line rather than across two.
#[repr(align(64))]
struct Stored([u32; LANES]);

impl Stored {
    #[inline(always)]
    fn new<S: Simd>(keys: Keys<S>) -> Self {
        let mut stored = Self([0; LANES]);
        store_keys(keys, &mut stored.0);
        stored
    }
}

/// The first of the child nodes; the others are pushed.
#[inline(always)]
fn any<S: Simd>(simd: S, node: &Node, keys: Keys<S>, nodes: u32, stack: &mut Stack) -> (u32, NodeIndex) {
    let rest = nodes & (nodes - 1);
    if rest != 0 {
        let (keys, children) = compressed(simd, keys, &node.children, rest);
        stack.push(keys, children, rest.count_ones() as usize);
    }
    let lane = nodes.trailing_zeros() as usize % LANES;
    (Stored::new(keys).0[lane], node.children[lane])
}

/// The child node with the smallest key; the others are pushed, that with the second smallest last. With the nearest
/// alone in front, long rays through 100,000 boxes of a town enter 14 % more nodes and take 15 % longer.
#[inline(always)]
fn nearest<S: Simd>(simd: S, node: &Node, keys: Keys<S>, nodes: u32, stack: &mut Stack) -> (u32, NodeIndex) {
    let first = nodes.trailing_zeros() as usize % LANES;
    let rest = nodes & (nodes - 1);
    if rest == 0 {
        return (0, node.children[first]);
    }
    let Stored(stored) = &Stored::new(keys);
    if rest & (rest - 1) == 0 {
        let other = rest.trailing_zeros() as usize % LANES;
        let (near, far) = if stored[other] < stored[first] { (other, first) } else { (first, other) };
        stack.push_one(stored[far], node.children[far]);
        return (0, node.children[near]);
    }
    let near = smallest(simd, keys, nodes);
    let rest = nodes & !(1 << near);
    let second = smallest(simd, keys, rest);
    let rest = rest & !(1 << second);
    let (waiting_keys, waiting) = compressed(simd, keys, &node.children, rest);
    stack.push(waiting_keys, waiting, rest.count_ones() as usize);
    stack.push_one(stored[second], node.children[second]);
    (0, node.children[near])
}
