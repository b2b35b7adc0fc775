//! Nodes over a range of items: one over all, then likewise below each of its lanes.

use super::{
    cut::{Method, Part, whole},
    item::{Bounds, Item},
    parts::{Form, Parts},
    threads,
};
use crate::{
    lanes::{LANES, Simd},
    node::{LEAF, Node},
};

/// A range of fewer items is not worth handing to another thread.
const WORTH_A_THREAD: usize = 4096;

/// Leaves a node, on average, at least nearly always: with fewer the nodes are copied once more.
const COMMON_CHILDREN: usize = 10;

/// Consecutive nodes, parents before children, numbered from their own first.
#[derive(Debug)]
pub(super) struct Nodes {
    pub(super) nodes: Vec<Node>,
    /// The number of levels.
    pub(super) height: u32,
}

impl Nodes {
    /// None yet, with room for as many as `items` items commonly need.
    fn over(items: usize) -> Self {
        Self { nodes: Vec::with_capacity(items / COMMON_CHILDREN + 1), height: 0 }
    }
}

/// What all ranges of one build share.
#[derive(Clone, Copy)]
struct Rules {
    /// Past so many levels parts are halved: that adds log₂ n levels at most.
    fair_levels: u32,
    /// Nodes over more items have their children built in parallel.
    parallel_from: usize,
}

/// The nodes over all `items`, which are reordered; without items a vacant one.
pub(super) fn build<S: Simd>(simd: S, items: &mut [Item]) -> Nodes {
    let parallel_from = if threads::count() == 1 { usize::MAX } else { WORTH_A_THREAD.max(items.len() / 8) };
    let rules = Rules { fair_levels: items.len().max(1).ilog2() + 8, parallel_from };
    let all = simd.vectorize(
        #[inline(always)]
        || whole(simd, items, 0),
    );
    let mut nodes = Nodes::over(items.len());
    let room = nodes.nodes.capacity();
    fill(simd, items, all, 1, rules, &mut nodes);
    if nodes.nodes.capacity() > room {
        nodes.nodes.shrink_to_fit();
    }
    nodes
}

/// Appends the node over a part and all nodes below it. `items` are those of the part alone.
///
/// It calls itself for children: as deep as `fair_levels` and log₂ n.
fn fill<S: Simd>(simd: S, items: &mut [Item], part: Part, level: u32, rules: Rules, out: &mut Nodes) {
    let index = out.nodes.len();
    out.nodes.push(Node::VACANT);
    out.height = out.height.max(level);
    if items.len() <= LANES {
        for (lane, item) in items.iter().enumerate() {
            put_leaf(&mut out.nodes[index], lane, item);
        }
        return;
    }
    let method = if level > rules.fair_levels { Method::Halve } else { Method::Best };
    let is_large = items.len() >= rules.parallel_from;
    let origin = part.items.start;
    let parts = Parts::new(simd, items, part, method);
    if is_large {
        fill_in_parallel(simd, items, parts, level, rules, out);
        return;
    }
    let mut lane = 0;
    for (part, form) in parts.in_order() {
        let items = &mut items[part.items.start - origin..part.items.end - origin];
        if form == Form::Singles {
            for item in items {
                put_leaf(&mut out.nodes[index], lane, item);
                lane += 1;
            }
        } else {
            let start = out.nodes.len() as u32;
            out.nodes[index].put_row(lane, start, part.bounds.min(), part.bounds.max());
            fill(simd, items, part.clone(), level + 1, rules, out);
            lane += 1;
        }
    }
}

/// What [`fill`] does after cutting, with the parts below the last node in parallel.
fn fill_in_parallel<S: Simd>(simd: S, mut items: &mut [Item], parts: Parts, level: u32, rules: Rules, out: &mut Nodes) {
    let index = out.nodes.len() - 1;
    let mut children = Vec::new();
    let mut lane = 0;
    for (part, form) in parts.in_order() {
        let (own_items, rest) = std::mem::take(&mut items).split_at_mut(part.items.len());
        items = rest;
        if form == Form::Singles {
            for item in own_items {
                put_leaf(&mut out.nodes[index], lane, item);
                lane += 1;
            }
        } else {
            children.push((lane, own_items, part.clone()));
            lane += 1;
        }
    }
    let subtrees = threads::each(children, |(lane, items, part)| {
        let mut nodes = Nodes::over(items.len());
        let bounds = part.bounds;
        fill(simd, items, part, level + 1, rules, &mut nodes);
        (lane, bounds, nodes)
    });
    // The nodes so far, then those of each subtree, numbered from where they come to lie.
    let mut starts = Vec::with_capacity(subtrees.len());
    let mut total = out.nodes.len();
    for (lane, bounds, subtree) in &subtrees {
        out.nodes[index].put_row(*lane, total as u32, bounds.min(), bounds.max());
        out.height = out.height.max(subtree.height);
        starts.push(total);
        total += subtree.nodes.len();
    }
    let before = std::mem::take(&mut out.nodes);
    out.nodes = threads::vec(total, |i| match starts.partition_point(|&start| start <= i) {
        0 => before[i],
        count => subtrees[count - 1].2.nodes[i - starts[count - 1]].renumbered(starts[count - 1] as u32),
    });
}

fn put_leaf(node: &mut Node, lane: usize, item: &Item) {
    let bounds = Bounds(item.0);
    node.put_row(lane, item.leaf().bits() | LEAF, bounds.min(), bounds.max());
}
