//! Nodes over a range of items: cut until its lanes are full, then likewise below every lane.

use super::{
    cut::{Method, Part, cut, whole},
    item::{Bounds, Item},
};
use crate::{
    lanes::{LANES, Simd},
    node::{LEAF, Node},
};
use smallvec::SmallVec;

/// A range of fewer items is not worth handing to another thread.
#[cfg(feature = "parallel")]
const WORTH_A_THREAD: usize = 4096;

/// Leaves a node, on average, at least nearly always: with fewer the nodes are copied once more.
const COMMON_CHILDREN: usize = 10;

/// Consecutive nodes, parents before children, numbered from their own first.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    pub(super) nodes: Vec<Node>,
    /// The number of levels.
    pub(super) height: u32,
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
    let rules = Rules { fair_levels: items.len().max(1).ilog2() + 8, parallel_from: parallel_from(items.len()) };
    let room = items.len() / COMMON_CHILDREN + 1;
    let mut nodes = Nodes { nodes: Vec::with_capacity(room), height: 0 };
    let all = simd.vectorize(
        #[inline(always)]
        || whole(simd, items, 0),
    );
    fill(simd, items, all, 1, rules, &mut nodes);
    if nodes.nodes.capacity() > room {
        nodes.nodes.shrink_to_fit();
    }
    nodes
}

#[cfg(feature = "parallel")]
fn parallel_from(items: usize) -> usize {
    if rayon::current_num_threads() == 1 { usize::MAX } else { WORTH_A_THREAD.max(items / 8) }
}

#[cfg(not(feature = "parallel"))]
fn parallel_from(_items: usize) -> usize {
    usize::MAX
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
    let parts = simd.vectorize(
        #[inline(always)]
        || Parts::new(simd, items, part, method),
    );
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
    let subtrees = each_in_parallel(children, |(lane, items, part)| {
        let mut nodes = Nodes::default();
        let bounds = part.bounds;
        fill(simd, items, part, level + 1, rules, &mut nodes);
        (lane, bounds, nodes)
    });
    for (lane, bounds, subtree) in subtrees {
        let start = out.nodes.len() as u32;
        out.nodes[index].put_row(lane, start, bounds.min(), bounds.max());
        out.height = out.height.max(subtree.height);
        out.nodes.extend(subtree.nodes.iter().map(|node| node.renumbered(start)));
    }
}

#[cfg(feature = "parallel")]
fn each_in_parallel<T: Send, R: Send>(jobs: Vec<T>, run: impl Fn(T) -> R + Send + Sync) -> Vec<R> {
    use rayon::prelude::*;
    jobs.into_par_iter().with_max_len(1).map(run).collect()
}

#[cfg(not(feature = "parallel"))]
fn each_in_parallel<T, R>(jobs: Vec<T>, run: impl Fn(T) -> R) -> Vec<R> {
    jobs.into_iter().map(run).collect()
}

fn put_leaf(node: &mut Node, lane: usize, item: &Item) {
    let bounds = Bounds(item.0);
    node.put_row(lane, item.leaf().bits() | LEAF, bounds.min(), bounds.max());
}

/// What becomes of a part of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A lane with a node over the part.
    Node,
    /// A lane for each of its items.
    Singles,
}

/// The parts of one node.
struct Parts {
    parts: SmallVec<[Part; LANES]>,
    forms: [Form; LANES],
    /// The parts' numbers in the order of their items; the rest means nothing.
    order: [u8; LANES],
}

impl Parts {
    /// Cuts a part of more items than lanes until the lanes of a node are full. Opening a part that does not fit into one node takes
    /// one lane more and saves a visit to it; opening one that does, into its k items, takes k − 1. What saves the most area per
    /// lane comes first.
    #[inline(always)]
    fn new<S: Simd>(simd: S, items: &mut [Item], part: Part, method: Method) -> Self {
        let origin = part.items.start;
        let mut this = Self { parts: SmallVec::new(), forms: [Form::Node; LANES], order: [0; LANES] };
        // The area saved per lane by opening a part, and how many lanes that takes; both zero once it is opened.
        let mut worths = [0.0; LANES];
        let mut takes = [0; LANES];
        let mut free = LANES - 1;
        this.parts.push(part);
        (worths[0], takes[0]) = (1.0, 1);
        loop {
            let fits = |&i: &usize| takes[i] > 0 && takes[i] <= free;
            let open = (0..this.parts.len()).filter(fits).max_by(|&a, &b| f64::total_cmp(&worths[a], &worths[b]));
            let Some(open) = open else { return this };
            free -= takes[open];
            let part = &this.parts[open];
            if part.items.len() <= LANES {
                this.forms[open] = Form::Singles;
                takes[open] = 0;
                continue;
            }
            let range = part.items.start - origin..part.items.end - origin;
            let halves = cut(simd, &mut items[range], part, method);
            let second = this.parts.len();
            for (i, half) in [open, second].into_iter().zip(&halves) {
                let count = half.items.len();
                takes[i] = if count > LANES { 1 } else { count - 1 };
                this.forms[i] = if count == 1 { Form::Singles } else { Form::Node };
                worths[i] = half.bounds.half_area() / takes[i].max(1) as f64;
            }
            let [left, right] = halves;
            this.parts[open] = left;
            this.parts.push(right);
            // The second half comes right after the first.
            let at = this.order.iter().position(|&part| usize::from(part) == open).unwrap_or(0) + 1;
            this.order.copy_within(at..LANES - 1, at + 1);
            this.order[at] = second as u8;
        }
    }

    /// The parts in the order of the items.
    fn in_order(&self) -> impl Iterator<Item = (&Part, Form)> {
        let numbers = self.order[..self.parts.len()].iter().map(|&part| usize::from(part));
        numbers.map(|part| (&self.parts[part], self.forms[part]))
    }
}
