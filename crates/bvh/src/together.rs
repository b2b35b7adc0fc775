//! Many queries through the tree together: each node is loaded once for all queries that reach it.
//!
//! ```text
//!   node, list of queries ->  lanes met by each query, one word a query
//!                         ->  for each child node, farthest first: the list of queries that met it, moved together
//!                         ->  then the nearest child with its list, and each other with what is left of its own ...
//! ```
//! A query alone waits for every node, and where it goes next is hardly ever foreseen; here the next query's test does not depend
//! on this one's, and nothing branches on what is met but leaves.
//!
//! Source: Tsakok, "Faster Incoherent Rays: Multi-BVH Ray Stream Tracing" (2009); Barringer and Akenine-Möller, "Dynamic Ray Stream
//! Traversal" (2014).

use crate::{
    ahead::fetch_all,
    lanes::{EVERY_LANE, LANES, Simd, each_lane, marked, matching, moved_up},
    leaf::ALL,
    node::{Node, NodeIndex},
    tree::Bvh,
};

/// Fewer queries than this go on below a node one by one.
const ALONE: usize = 4;

/// With so many nodes or more, 900 KB, children are brought near while the queries are divided among them.
const WORTH_FETCHING: usize = 2048;

/// Queries, known by numbers.
pub(crate) trait Crowd<S: Simd> {
    /// Where a child lies.
    type Place;

    /// Shows the leaves among the `allowed` lanes of a node to those of the `queries` that meet them, and writes for each in turn
    /// which of the other allowed lanes it meets.
    fn enter(&mut self, simd: S, node: &Node, leaves: u32, allowed: u32, queries: &[u32], met: &mut [u32]);

    /// Sends one query on alone below a node.
    fn send(&mut self, simd: S, tree: &Bvh, mask: u32, start: NodeIndex, query: u32);

    fn place(&self, node: &Node, lane: usize) -> Self::Place;

    /// How far a lane of a node lies from where the queries come from, roughly.
    fn distance(&self, node: &Node, lane: usize) -> f32;

    /// Moves those of the queries together that may still meet something at a place, in their order, and returns how many they are.
    fn keep(&self, place: &Self::Place, queries: &mut [u32]) -> usize;
}

/// A node and the queries that are to enter it, a range of the lists.
struct Task<P> {
    node: NodeIndex,
    start: usize,
    end: usize,
    /// For queries that go elsewhere before, and may find there what makes this needless: among 50,000 long rays more than a third do.
    place: Option<P>,
}

/// Shows the queries of a crowd that are in `lists` the leaves that they meet with a layer in `mask`.
#[inline(always)]
pub(crate) fn walk_together<S: Simd, C: Crowd<S>>(
    simd: S,
    tree: &Bvh,
    mask: u32,
    crowd: &mut C,
    // Lists of queries, one after the other; those of waiting tasks come before that of the task at hand.
    mut lists: Vec<u32>,
) {
    let by_mask = mask != ALL || tree.layerless > 0;
    let is_large = tree.nodes.len() >= WORTH_FETCHING;
    let mut tasks = vec![Task { node: 0, start: 0, end: lists.len(), place: None }];
    // What each query of the list at hand met, a whole number of rows.
    let mut met = vec![0; lists.len().next_multiple_of(LANES)];
    let mut order = [(0.0, 0); LANES];
    while let Some(Task { node: index, start, mut end, place }) = tasks.pop() {
        if let Some(place) = place {
            end = start + crowd.keep(&place, &mut lists[start..end]);
            if start == end {
                continue;
            }
        }
        if end - start < ALONE {
            for &query in &lists[start..end] {
                crowd.send(simd, tree, mask, index, query);
            }
            continue;
        }
        let node = &tree.nodes[index as usize];
        let leaves = marked(simd, &node.children);
        let allowed = if by_mask { matching(simd, &tree.masks[index as usize], mask) } else { EVERY_LANE };
        let count = end - start;
        crowd.enter(simd, node, leaves, allowed, &lists[start..end], &mut met[..count]);
        let rows = count.next_multiple_of(LANES);
        met[count..rows].fill(0);

        // A list for each child node, the nearest last, so that it is the next task.
        let mut top = end;
        let union = met[..count].iter().fold(0, |all, met| all | met);
        let count = far_to_near(node, union, crowd, &mut order);
        if is_large {
            for &(_, lane) in &order[..count] {
                fetch_all(&tree.nodes[node.children[lane] as usize]);
            }
        }
        for (i, &(_, lane)) in order[..count].iter().enumerate() {
            let begin = top;
            if lists.len() < top + rows + LANES {
                lists.resize(top + rows + LANES, 0);
            }
            for i in (0..rows).step_by(LANES) {
                let takers = matching(simd, row(&met, i), 1 << lane);
                let queries = moved_up(simd, row(&lists, start + i), takers);
                lists[top..top + LANES].copy_from_slice(&queries);
                top += takers.count_ones() as usize;
            }
            let is_next = i + 1 == count;
            let place = (!is_next).then(|| crowd.place(node, lane));
            tasks.push(Task { node: node.children[lane], start: begin, end: top, place });
        }
    }
}

#[inline(always)]
fn row(words: &[u32], start: usize) -> &[u32; LANES] {
    words[start..].first_chunk().expect("lists are written in whole rows")
}

/// Sorts some lanes of a node, the farthest first, and returns how many there are.
#[inline(always)]
fn far_to_near<S: Simd>(node: &Node, lanes: u32, crowd: &impl Crowd<S>, order: &mut [(f32, usize); LANES]) -> usize {
    let mut count = 0;
    for lane in each_lane(lanes) {
        let distance = crowd.distance(node, lane);
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
