//! The loop that traverses a tree. A query is a [`Visitor`]: it determines which children of a node it meets, with a
//! key each, and what to do with the leaves among them.
//!
//! Two searches have loops of their own, as their stack entries are more than a node and a key: [`crate::stream`]
//! enters a node with a list of queries, and [`crate::pairs`] enters two nodes at a time.

use crate::{
    Leaf,
    lanes::{
        EVERY_LANE, Keys, LANES, Simd, compress, compress_keyed, each_lane, has_masked_instructions, intersecting,
        not_equal, sign_mask, smallest, store_keys,
    },
    node::{EMPTY, LEAF, Node, NodeIndex},
    stack::{Stack, StackMemory},
    tree::Bvh,
};
use std::ops::ControlFlow;

/// How a query goes on after its visitor has seen a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Visit {
    /// Continue.
    Continue,
    /// Continue, but only up to this distance (or fraction): whatever begins beyond it is no longer visited.
    Within(f32),
    /// Stop. The visitor is not called again.
    Stop,
}

impl From<ControlFlow<()>> for Visit {
    fn from(flow: ControlFlow<()>) -> Self {
        if flow.is_break() { Self::Stop } else { Self::Continue }
    }
}

/// Called with the leaves of a node and their keys.
pub(crate) type VisitKeyed<'a> = dyn FnMut(&[Leaf], &[u32]) -> ControlFlow<()> + 'a;

/// The order in which child nodes are entered.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Order {
    /// Any order; the query has no keys.
    Unkeyed,
    /// Any order, each node with its key.
    Any,
    /// Roughly the smallest key first. The leaves of a node are visited likewise, as visiting a leaf costs as much as
    /// entering several nodes, and may make others unnecessary.
    NearestFirst,
}

/// Items of an `impl Visitor<$S>` for a query that visits near nodes first: its field `search` tests and culls them.
/// With `groups`, the leaves stand for the groups in its field of that name.
macro_rules! searched_by_field {
    ($S:ident, groups) => {
        crate::traverse::searched_by_field!($S);
        crate::traverse::prefetches_groups!();
    };
    ($S:ident) => {
        const ORDER: crate::traverse::Order = crate::traverse::Order::NearestFirst;

        #[inline(always)]
        fn test_children(
            &mut self,
            simd: $S,
            _: crate::node::NodeIndex,
            node: &crate::node::Node,
            _key: u32,
        ) -> (u32, crate::lanes::Keys<$S>) {
            self.search.test(simd, node)
        }

        #[inline(always)]
        fn is_culled(&self, key: u32) -> bool {
            self.search.is_culled(key)
        }

        #[inline(always)]
        fn live_lanes(&self, simd: $S, keys: crate::lanes::Keys<$S>) -> u32 {
            self.search.live_lanes(simd, keys)
        }
    };
}
pub(crate) use searched_by_field;

/// Items of an `impl Visitor` whose leaves stand for the groups in its field `groups`.
macro_rules! prefetches_groups {
    () => {
        const PREFETCHES: bool = true;

        #[inline(always)]
        fn prefetch_leaf(&self, leaf: crate::Leaf) {
            self.groups.prefetch(leaf.index());
        }
    };
}
pub(crate) use prefetches_groups;

/// A query.
pub(crate) trait Visitor<S: Simd> {
    const ORDER: Order;

    /// Returns the lanes of a node that the query meets, one bit each, and a key for every lane. `key` is the node's
    /// own; the root's is 0.
    fn test_children(&mut self, simd: S, index: NodeIndex, node: &Node, key: u32) -> (u32, Keys<S>);

    /// Whether there is anything to prefetch: finding the next leaf takes time, too.
    const PREFETCHES: bool = false;

    /// Prefetches the memory of a leaf that is likely to be visited after the next one.
    #[inline(always)]
    fn prefetch_leaf(&self, _leaf: Leaf) {}

    /// Visits a leaf that is met.
    fn visit_leaf(&mut self, leaf: Leaf, key: u32) -> ControlFlow<()>;

    /// Visits the leaf lanes of a node that are met. Some may be empty.
    #[inline(always)]
    fn visit_leaves(&mut self, simd: S, _index: NodeIndex, node: &Node, lanes: u32, keys: Keys<S>) -> ControlFlow<()> {
        let KeyRow(keys) = &KeyRow::new(keys);
        let sorts = Self::ORDER == Order::NearestFirst;
        // A search without a limit meets empty lanes as well.
        let mut rest = lanes & not_equal(simd, &node.children, EMPTY);
        while rest != 0 {
            let lane = first_lane(rest, keys, sorts);
            rest &= !(1 << lane);
            if self.is_culled(keys[lane]) {
                if sorts {
                    // The others have larger keys.
                    break;
                }
                continue;
            }
            if Self::PREFETCHES && rest != 0 {
                self.prefetch_leaf(leaf_in(node, first_lane(rest, keys, sorts)));
            }
            self.visit_lane(node, lane, leaf_in(node, lane), keys[lane])?;
        }
        ControlFlow::Continue(())
    }

    /// Visits one of these lanes, which has a leaf.
    #[inline(always)]
    fn visit_lane(&mut self, _: &Node, _lane: usize, leaf: Leaf, key: u32) -> ControlFlow<()> {
        self.visit_leaf(leaf, key)
    }

    /// Visits the leaf lanes of a node below which everything is met, with the node's key. Some may be empty.
    #[inline(always)]
    fn visit_inside(&mut self, simd: S, node: &Node, lanes: u32, key: u32) -> ControlFlow<()> {
        let (leaves, count) = leaves_of(simd, node, lanes);
        for &leaf in &leaves[..count] {
            self.visit_leaf(leaf, key)?;
        }
        ControlFlow::Continue(())
    }

    /// Whether everything below a node with this key is met, with the same key.
    #[inline(always)]
    fn is_inside(&self, _key: u32) -> bool {
        false
    }

    /// Whether a node or leaf with this key has become irrelevant since it was tested.
    #[inline(always)]
    fn is_culled(&self, _key: u32) -> bool {
        false
    }

    /// The same for a node popped off the stack; a query may also keep such a node for later.
    #[inline(always)]
    fn is_passed_over(&mut self, key: u32, _index: NodeIndex) -> bool {
        self.is_culled(key)
    }

    /// The lanes whose keys are not culled, one bit each.
    #[inline(always)]
    fn live_lanes(&self, _simd: S, _keys: Keys<S>) -> u32 {
        EVERY_LANE
    }
}

/// The lane with the smallest key if `sorts`, else the first lane.
#[inline(always)]
fn first_lane(lanes: u32, keys: &[u32; LANES], sorts: bool) -> usize {
    let first = lanes.trailing_zeros() as usize % LANES;
    if sorts { each_lane(lanes).min_by_key(|&lane| keys[lane]).unwrap_or(first) } else { first }
}

#[inline(always)]
fn leaf_in(node: &Node, lane: usize) -> Leaf {
    Leaf::from_bits(node.children[lane] & !LEAF)
}

/// The leaves in `lanes` of a node, moved to the front, and how many there are. Lanes may be empty.
#[inline(always)]
pub(crate) fn leaves_of<S: Simd>(simd: S, node: &Node, lanes: u32) -> ([Leaf; LANES], usize) {
    let lanes = lanes & not_equal(simd, &node.children, EMPTY);
    let leaves = compress(simd, &node.children, lanes).map(|child| Leaf::from_bits(child & !LEAF));
    (leaves, lanes.count_ones() as usize % (LANES + 1))
}

/// The same, with their keys.
#[inline(always)]
pub(crate) fn keyed_leaves_of<S: Simd>(
    simd: S,
    node: &Node,
    lanes: u32,
    keys: Keys<S>,
) -> ([Leaf; LANES], [u32; LANES], usize) {
    let lanes = lanes & not_equal(simd, &node.children, EMPTY);
    let (keys, children) = compress_keyed(simd, keys, &node.children, lanes);
    (children.map(|child| Leaf::from_bits(child & !LEAF)), keys, lanes.count_ones() as usize % (LANES + 1))
}

/// Calls the visitor for all nodes that it meets and for their leaves with a layer in `mask`.
#[inline(always)]
pub(crate) fn traverse<S: Simd, V: Visitor<S>>(simd: S, tree: &Bvh, mask: u32, visitor: &mut V) {
    traverse_from(simd, tree, tree.layer_filter(mask), 0, visitor);
}

/// The same below one node; without a `filter`, leaves in any layer or none are visited.
#[inline(always)]
pub(crate) fn traverse_from<S: Simd, V: Visitor<S>>(
    simd: S,
    tree: &Bvh,
    filter: Option<u32>,
    start: NodeIndex,
    visitor: &mut V,
) {
    let mut places = StackMemory::new();
    let mut stack = Stack::new(&mut places);
    let (mut key, mut index) = (0, start);
    loop {
        let node = &tree.nodes[index as usize];
        if filter.is_none() && visitor.is_inside(key) {
            // Nothing to test: a single cache line of the node holds all its children.
            let leaves = sign_mask(simd, &node.children);
            let nodes = !leaves & EVERY_LANE;
            if nodes != 0 {
                stack.push([key; LANES], compress(simd, &node.children, nodes), nodes.count_ones() as usize);
            }
            if visitor.visit_inside(simd, node, leaves, key).is_break() {
                return;
            }
            let Some(next) = stack.pop() else { return };
            (key, index) = next;
            continue;
        }
        let (mut met, keys) = visitor.test_children(simd, index, node, key);
        if let Some(mask) = filter {
            met &= intersecting(simd, &tree.masks[index as usize], mask);
        }

        let leaves = sign_mask(simd, &node.children);
        let mut nodes = met & !leaves;

        // Leaves first: they may shorten the search.
        if met & leaves != 0 {
            if visitor.visit_leaves(simd, index, node, met & leaves, keys).is_break() {
                return;
            }
            nodes &= visitor.live_lanes(simd, keys);
        }

        // Then enters one child node, while the others wait on the stack.
        if nodes != 0 {
            (key, index) = match V::ORDER {
                Order::Unkeyed => unkeyed(simd, node, nodes, &mut stack),
                Order::Any => any(simd, node, keys, nodes, &mut stack),
                Order::NearestFirst => nearest(simd, node, keys, nodes, &mut stack),
            };
            continue;
        }
        loop {
            let Some(next) = stack.pop() else { return };
            (key, index) = next;
            if !visitor.is_passed_over(key, index) {
                break;
            }
            // How many more are culled is rarely predicted, so all are culled at once if one instruction can compress
            // the rest.
            if has_masked_instructions(simd) {
                stack.keep(simd, |keys| visitor.live_lanes(simd, keys));
            }
        }
    }
}

/// Keys in memory, aligned so that they do not straddle two cache lines.
#[repr(align(64))]
struct KeyRow([u32; LANES]);

impl KeyRow {
    #[inline(always)]
    fn new<S: Simd>(keys: Keys<S>) -> Self {
        let mut row = Self([0; LANES]);
        store_keys(keys, &mut row.0);
        row
    }
}

/// Returns the first of the child nodes and pushes the others, without keys.
#[inline(always)]
fn unkeyed<S: Simd>(simd: S, node: &Node, nodes: u32, stack: &mut Stack) -> (u32, NodeIndex) {
    let rest = nodes & (nodes - 1);
    if rest != 0 {
        stack.push([0; LANES], compress(simd, &node.children, rest), rest.count_ones() as usize);
    }
    (0, node.children[nodes.trailing_zeros() as usize % LANES])
}

/// Returns the first of the child nodes and pushes the others.
#[inline(always)]
fn any<S: Simd>(simd: S, node: &Node, keys: Keys<S>, nodes: u32, stack: &mut Stack) -> (u32, NodeIndex) {
    let rest = nodes & (nodes - 1);
    if rest != 0 {
        let (keys, children) = compress_keyed(simd, keys, &node.children, rest);
        stack.push(keys, children, rest.count_ones() as usize);
    }
    let lane = nodes.trailing_zeros() as usize % LANES;
    (KeyRow::new(keys).0[lane], node.children[lane])
}

/// Returns the child node with the smallest key and pushes the others, the one with the second smallest key last. If
/// only the nearest were singled out, long rays through 100,000 boxes of a town would enter 14 % more nodes and take 15
/// % longer.
#[inline(always)]
fn nearest<S: Simd>(simd: S, node: &Node, keys: Keys<S>, nodes: u32, stack: &mut Stack) -> (u32, NodeIndex) {
    let first = nodes.trailing_zeros() as usize % LANES;
    let rest = nodes & (nodes - 1);
    if rest == 0 {
        return (0, node.children[first]);
    }
    let KeyRow(stored) = &KeyRow::new(keys);
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
    let (waiting_keys, waiting) = compress_keyed(simd, keys, &node.children, rest);
    stack.push(waiting_keys, waiting, rest.count_ones() as usize);
    stack.push_one(stored[second], node.children[second]);
    (0, node.children[near])
}
