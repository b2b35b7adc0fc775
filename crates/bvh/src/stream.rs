//! Stream traversal: many queries traverse a tree together, and each node is loaded once for all that reach it.
//!
//! ```text
//!   node, list of queries ->  lanes met by each query, one word a query
//!                         ->  for each child node, farthest first: the list of queries that met it, compressed
//!                         ->  then the nearest child with its list, and each other with what is left of its own ...
//! ```
//! A single query waits for every node, and its next node is rarely predicted. Here the test of the next query does not
//! depend on that of this one, and only leaves cause branches.
//!
//! Source: Tsakok, "Faster Incoherent Rays: Multi-BVH Ray Stream Tracing" (2009); Barringer and Akenine-Möller,
//! "Dynamic Ray Stream Traversal" (2014).

use crate::{
    lanes::{EVERY_LANE, LANES, Simd, compress, each_lane, intersecting, sign_mask},
    node::{Node, NodeIndex},
    prefetch::prefetch_all,
    tree::Bvh,
};

/// Fewer queries than this traverse a subtree individually.
const ALONE: usize = 4;

/// In trees of at least this many nodes (900 KB), children are prefetched while the queries are distributed among them.
const MIN_PREFETCHED: usize = 2048;

/// A set of queries, referred to by index.
pub(crate) trait StreamQuery<S: Simd> {
    /// The location of a child.
    type Location;

    /// Shows each leaf among the `allowed` lanes of a node to those of the `queries` that meet it, and writes to `met`,
    /// for each query in turn, which of the other allowed lanes it meets.
    fn enter(&mut self, simd: S, node: &Node, leaves: u32, allowed: u32, queries: &[u32], met: &mut [u32]);

    /// Traverses the subtree below a node with a single query.
    fn traverse_alone(&mut self, simd: S, tree: &Bvh, filter: Option<u32>, start: NodeIndex, query: u32);

    fn place(&self, node: &Node, lane: usize) -> Self::Location;

    /// The approximate distance of a lane of a node from where the queries start.
    fn distance(&self, node: &Node, lane: usize) -> f32;

    /// Moves the queries that may still meet something at `place` to the front, in their order, and returns how many
    /// there are.
    fn keep(&self, place: &Self::Location, queries: &mut [u32]) -> usize;
}

/// A node and the queries that are to enter it, as a range of the lists.
struct Task<P> {
    node: NodeIndex,
    start: usize,
    end: usize,
    /// Set if the queries enter another node first, and may find something there that makes this one unnecessary: of
    /// 50,000 long rays, more than a third do.
    place: Option<P>,
}

/// Traverses the tree with the queries of a stream that are in `lists`, and shows each the leaves that it meets and
/// that have a layer in `mask`.
#[inline(always)]
pub(crate) fn traverse_stream<S: Simd, C: StreamQuery<S>>(
    simd: S,
    tree: &Bvh,
    mask: u32,
    stream: &mut C,
    // Lists of queries, one after the other; the lists of waiting tasks come before that of the current task.
    mut lists: Vec<u32>,
) {
    let filter = tree.layer_filter(mask);
    let is_large = tree.nodes.len() >= MIN_PREFETCHED;
    let mut tasks = vec![Task { node: 0, start: 0, end: lists.len(), place: None }];
    // The lanes that each query of the current list met, padded to whole rows.
    let mut met = vec![0; lists.len().next_multiple_of(LANES)];
    let mut order = [(0.0, 0); LANES];
    while let Some(Task { node: index, start, mut end, place }) = tasks.pop() {
        if let Some(place) = place {
            end = start + stream.keep(&place, &mut lists[start..end]);
            if start == end {
                continue;
            }
        }
        if end - start < ALONE {
            for &query in &lists[start..end] {
                stream.traverse_alone(simd, tree, filter, index, query);
            }
            continue;
        }
        let node = &tree.nodes[index as usize];
        let leaves = sign_mask(simd, &node.children);
        let allowed = filter.map_or(EVERY_LANE, |mask| intersecting(simd, &tree.masks[index as usize], mask));
        let count = end - start;
        stream.enter(simd, node, leaves, allowed, &lists[start..end], &mut met[..count]);
        let rows = count.next_multiple_of(LANES);
        met[count..rows].fill(0);

        // Adds a list for each child node, the nearest last, so that it becomes the next task.
        let mut top = end;
        let union = met[..count].iter().fold(0, |all, met| all | met);
        let count = far_to_near(node, union, stream, &mut order);
        if is_large {
            for &(_, lane) in &order[..count] {
                prefetch_all(&tree.nodes[node.children[lane] as usize]);
            }
        }
        for (i, &(_, lane)) in order[..count].iter().enumerate() {
            let begin = top;
            if lists.len() < top + rows + LANES {
                lists.resize(top + rows + LANES, 0);
            }
            for i in (0..rows).step_by(LANES) {
                let takers = intersecting(simd, row(&met, i), 1 << lane);
                let queries = compress(simd, row(&lists, start + i), takers);
                lists[top..top + LANES].copy_from_slice(&queries);
                top += takers.count_ones() as usize;
            }
            let is_next = i + 1 == count;
            let place = (!is_next).then(|| stream.place(node, lane));
            tasks.push(Task { node: node.children[lane], start: begin, end: top, place });
        }
    }
}

#[inline(always)]
fn row(words: &[u32], start: usize) -> &[u32; LANES] {
    words[start..].first_chunk().expect("lists are written in whole rows")
}

/// Sorts the `lanes` of a node into `order`, the farthest first, and returns how many there are.
#[inline(always)]
fn far_to_near<S: Simd>(
    node: &Node,
    lanes: u32,
    stream: &impl StreamQuery<S>,
    order: &mut [(f32, usize); LANES],
) -> usize {
    let mut count = 0;
    for lane in each_lane(lanes) {
        let distance = stream.distance(node, lane);
        let mut at = count;
        while at > 0 && order[at - 1].0 < distance {
            order[at] = order[at - 1];
            at -= 1;
        }
        order[at] = (distance, lane);
        count += 1;
    }
    count
}
