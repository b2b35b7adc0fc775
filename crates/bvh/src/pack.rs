//! Packing a tree from leaves in an order in which neighbors lie close together: sixteen at a time, level by level,
//! without a search for the best split. It costs a fifth of a build; see [`crate::hilbert`] for the order.
//!
//! ```text
//!   number     0 | 1 2 | 3 4 5 6 7 8 9 ...      root, its nodes, theirs, and last the nodes with leaves
//! ```
//! Within a level, nodes are numbered in the order of their leaves; the search for pairs relies on that.
//!
//! Source: Kamel and Faloutsos, "On Packing R-trees" (1993).

use crate::{
    ALL,
    lanes::{LANES, Level, Simd, load, max_lane, min_lane, vectorized},
    node::{LEAF, Node, NodeIndex, NodeLane},
    prefetch::prefetch_item,
    simd_aabb::SimdAabb,
    tree::Bvh,
};
use std::ops::Range;

/// The number of leaf nodes that a thread takes at a time: some ten microseconds of work. With longer pieces, threads
/// that are done would fall asleep.
#[cfg(feature = "parallel")]
const CHUNK: usize = 64;

/// The number of leaf nodes from which on a second thread pays off.
#[cfg(feature = "parallel")]
const FORKED: usize = 512;

/// The layers of leaves by number.
#[derive(Clone, Copy)]
pub(crate) struct LeafLayers<'a> {
    pub(crate) of: &'a (dyn Fn(u32) -> u32 + Sync),
    /// Prefetches what `of` reads.
    pub(crate) prefetch: &'a (dyn Fn(u32) + Sync),
}

impl Bvh {
    /// Replaces all nodes by a tree over the leaves in `order`, which must contain each leaf exactly once. `boxes` are
    /// indexed by leaf. Without `layers`, all leaves are in all layers. Allocates only when the tree grows.
    pub(crate) fn pack(&mut self, order: &[u32], boxes: &[SimdAabb], layers: Option<LeafLayers>) {
        // The first node of every level; while counting, the level with the leaves comes first.
        let mut starts: smallvec::SmallVec<[usize; 12]> = smallvec::SmallVec::new();
        let mut count = order.len().div_ceil(LANES).max(1);
        starts.push(count);
        while count > 1 {
            count = count.div_ceil(LANES);
            starts.push(count);
        }
        starts.reverse();
        let mut total = 0;
        for start in &mut starts {
            (total, *start) = (total + *start, total);
        }

        self.nodes.resize(total, Node::VACANT);
        self.masks.resize(total, [0; LANES]);
        self.parents.resize(total, NodeLane::NONE);
        self.free_nodes.clear();
        self.height = starts.len() as u32;

        let leaves = starts[starts.len() - 1];
        let level = self.level;
        let (above, nodes) = self.nodes.split_at_mut(leaves);
        let (masks_above, masks) = self.masks.split_at_mut(leaves);
        let first = starts[starts.len().saturating_sub(2)];
        let lowest = LowestLevels {
            level,
            first: leaves as NodeIndex,
            nodes,
            masks,
            above: above.get_mut(first..).unwrap_or_default(),
            masks_above: masks_above.get_mut(first..).unwrap_or_default(),
        };
        self.unlayered = lowest.fill_all(order, &mut self.slots, boxes, layers);

        // Level by level, upward; the lowest has been gathered already.
        let mut end = total;
        for depth in (1..starts.len()).rev() {
            let (first, start) = (starts[depth - 1], starts[depth]);
            if start < leaves {
                let (above, below) = self.nodes.split_at_mut(start);
                let (masks_above, masks_below) = self.masks.split_at_mut(start);
                vectorized!(level, simd => gather(
                    simd,
                    &mut above[first..],
                    &mut masks_above[first..],
                    &below[..end - start],
                    &masks_below[..end - start],
                    start as NodeIndex,
                ));
            }
            for (i, parent) in self.parents[start..end].iter_mut().enumerate() {
                *parent = NodeLane::new((first + i / LANES) as NodeIndex, i % LANES);
            }
            end = start;
        }
        self.parents[0] = NodeLane::NONE;
    }
}

impl Bvh {
    /// The sum of the half areas of a packed tree's leaf nodes.
    pub(crate) fn leaf_node_area(&self) -> f64 {
        let above = if self.height > 1 { &self.nodes[self.blocks()] } else { &[] };
        above.iter().flat_map(|node| node.lanes().map(|lane| node.simd_aabb(lane).half_area())).sum()
    }

    /// The blocks of a packed tree with more than one level: the nodes directly above the leaf nodes.
    pub(crate) fn blocks(&self) -> Range<usize> {
        let end = self.parents[self.nodes.len() - 1].node() + 1;
        self.parents[end].node()..end
    }
}

/// The two lowest levels: leaf nodes, and the nodes above them, if any.
struct LowestLevels<'a> {
    level: Level,
    /// The number of the first leaf node.
    first: NodeIndex,
    nodes: &'a mut [Node],
    masks: &'a mut [[u32; LANES]],
    above: &'a mut [Node],
    masks_above: &'a mut [[u32; LANES]],
}

impl LowestLevels<'_> {
    /// Fills both levels, writes the slots of leaves to `slots`, and returns how many leaves are in no layer.
    fn fill_all(self, order: &[u32], slots: &mut [NodeLane], boxes: &[SimdAabb], layers: Option<LeafLayers>) -> usize {
        #[cfg(feature = "parallel")]
        if self.nodes.len() >= FORKED && crate::threads::count() > 1 {
            let Self { level, first, nodes, masks, above, masks_above } = self;
            let below = nodes.chunks_mut(CHUNK).zip(masks.chunks_mut(CHUNK));
            let above = above.chunks_mut(CHUNK / LANES).zip(masks_above.chunks_mut(CHUNK / LANES));
            let chunks = below.zip(above).zip(order.chunks(CHUNK * LANES)).enumerate();
            let part = |(i, (((nodes, masks), (above, masks_above)), order))| {
                let first = first + (i * CHUNK) as NodeIndex;
                (Some(LowestLevels { level, first, nodes, masks, above, masks_above }), order, 0)
            };
            let mut parts: Vec<(Option<LowestLevels>, &[u32], usize)> = chunks.map(part).collect();
            let fill = |(part, order, unlayered): &mut (Option<LowestLevels>, &[u32], usize)| {
                *unlayered = part.take().map_or(0, |part| part.fill(order, None, boxes, layers));
            };
            // These writes are scattered over the array: one thread does them while others fill nodes.
            crate::threads::join(
                || write_slots(slots, first, order),
                || crate::threads::each(&mut parts, |_, part| fill(part)),
            );
            return parts.iter().map(|part| part.2).sum();
        }
        self.fill(order, Some(slots), boxes, layers)
    }

    fn fill(
        self,
        order: &[u32],
        mut slots: Option<&mut [NodeLane]>,
        boxes: &[SimdAabb],
        layers: Option<LeafLayers>,
    ) -> usize {
        let Self { level, first, nodes, masks, above, masks_above } = self;
        let mut unlayered = 0;
        // Each group of sixteen nodes is gathered while it is in the cache.
        let groups = nodes.chunks_mut(LANES).zip(masks.chunks_mut(LANES)).enumerate();
        vectorized!(level, simd => groups.for_each(|(i, (nodes, masks))| {
            let order = &order[i * LANES * LANES..];
            unlayered += fill(nodes, masks, order, boxes, layers);
            if let Some(slots) = &mut slots {
                // Here, so that the scattered writes overlap with waiting for reads.
                write_slots(slots, first + (i * LANES) as NodeIndex, &order[..order.len().min(LANES * LANES)]);
            }
            let above = above.get_mut(i..=i).unwrap_or_default();
            let masks_above = masks_above.get_mut(i..=i).unwrap_or_default();
            gather(simd, above, masks_above, nodes, masks, first + (i * LANES) as NodeIndex);
        }));
        unlayered
    }
}

/// Writes the slots of consecutive leaves, which fill `node` and the nodes after it.
#[inline(always)]
fn write_slots(slots: &mut [NodeLane], node: NodeIndex, leaves: &[u32]) {
    for (bits, &leaf) in (NodeLane::new(node, 0).bits()..).zip(leaves) {
        slots[leaf as usize] = NodeLane::from_bits(bits);
    }
}

/// Fills each node with the next sixteen leaves; returns how many leaves are in no layer.
#[inline(always)]
fn fill(
    nodes: &mut [Node],
    masks: &mut [[u32; LANES]],
    order: &[u32],
    boxes: &[SimdAabb],
    layers: Option<LeafLayers>,
) -> usize {
    let corners = |leaf: u32| &boxes[leaf as usize];
    let mut unlayered = 0;
    if order.is_empty() {
        nodes.fill(Node::VACANT);
        masks.fill([0; LANES]);
    }
    for (i, ((node, masks), own)) in nodes.iter_mut().zip(masks).zip(order.chunks(LANES)).enumerate() {
        if own.len() < LANES {
            (*node, *masks) = (Node::VACANT, [0; LANES]);
        }
        // The leaves of the node after the next.
        for &leaf in order.iter().skip((i + 2) * LANES).take(LANES) {
            prefetch_item(boxes, leaf);
            if let Some(layers) = layers {
                (layers.prefetch)(leaf);
            }
        }
        let (fours, rest) = own.as_chunks::<4>();
        for (i, &[a, b, c, d]) in fours.iter().enumerate() {
            // Listed one by one, as `map` is not inlined.
            node.put_rows(4 * i, [corners(a), corners(b), corners(c), corners(d)]);
        }
        for (lane, &leaf) in (4 * fours.len()..).zip(rest) {
            let corners = corners(leaf);
            node.put_row(lane, leaf | LEAF, corners.min(), corners.max());
        }
        for ((child, mask), &leaf) in node.children.iter_mut().zip(masks).zip(own) {
            *child = leaf | LEAF;
            *mask = layers.map_or(ALL, |layers| (layers.of)(leaf));
            unlayered += usize::from(*mask == 0);
        }
    }
    unlayered
}

/// Makes consecutive nodes, the first of them numbered `first`, the children of the nodes of the level above.
#[inline(always)]
fn gather<S: Simd>(
    simd: S,
    above: &mut [Node],
    masks_above: &mut [[u32; LANES]],
    below: &[Node],
    masks_below: &[[u32; LANES]],
    first: NodeIndex,
) {
    let groups = below.chunks(LANES).zip(masks_below.chunks(LANES));
    for (i, ((node, masks), (children, child_masks))) in above.iter_mut().zip(masks_above).zip(groups).enumerate() {
        if children.len() < LANES {
            (*node, *masks) = (Node::VACANT, [0; LANES]);
        }
        for (lane, (child, child_masks)) in children.iter().zip(child_masks).enumerate() {
            let bounds = union_bounds(simd, child);
            for (row, bound) in node.bounds.iter_mut().zip(bounds) {
                row[lane] = bound;
            }
            node.children[lane] = first + (i * LANES + lane) as u32;
            masks[lane] = child_masks.iter().fold(0, |all, mask| all | mask);
        }
    }
}

/// The bounds of the union of a node's children, in the order of its rows; inverted infinities without children.
#[inline(always)]
pub(crate) fn union_bounds<S: Simd>(simd: S, node: &Node) -> [f32; 6] {
    let low = |axis: usize| min_lane(load(simd, &node.bounds[2 * axis]));
    let high = |axis: usize| max_lane(load(simd, &node.bounds[2 * axis + 1]));
    [low(0), high(0), low(1), high(1), low(2), high(2)]
}
