//! The binary tree of splits: all leaves, their two halves, the halves of these …

use super::{
    binned_sah::{Method, measure, samples, split},
    collapse::{CostModel, Costs, LanesFor},
    primitive::BuildPrimitive,
};
use crate::{
    lanes::{LANES, Simd},
    simd_aabb::SimdAabb,
    threads,
};
use std::ops::Range;

/// This many primitives or fewer are not split any further: they fit into a node. If parts were split down to eight,
/// rays would enter 2 % fewer nodes, and the build would take a third longer.
const UNSPLIT: usize = LANES;

/// A range of fewer primitives than this is not worth handing to another thread.
const WORTH_A_THREAD: usize = 4096;

/// A range of the leaves.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct BinaryNode {
    pub(super) bounds: SimdAabb,
    /// The range of its leaves.
    pub(super) start: u32,
    pub(super) count: u32,
    /// The offset of the second half from this node, in binary nodes; the first half directly follows this node. 0 if
    /// it is not split.
    pub(super) second: u32,
    /// The index of the wide node that contains it, once known.
    pub(super) node: u32,
    /// How it is divided, by number of lanes.
    pub(super) lanes_for: LanesFor,
}

impl BinaryNode {
    /// A node that is not split.
    #[inline(always)]
    fn new(leaves: Range<usize>, bounds: SimdAabb) -> Self {
        let (start, count) = (leaves.start as u32, leaves.len() as u32);
        Self { bounds, start, count, second: 0, node: 0, lanes_for: LanesFor::default() }
    }
}

/// One cache line.
const _: () = assert!(size_of::<BinaryNode>() == 64);

/// The parameters shared by all ranges of a build.
struct Rules {
    costs: CostModel,
    /// After this many splits on the way from the root, parts are halved, which adds at most log₂ n splits.
    fair_splits: u32,
    /// The halves of at least this many primitives are split in parallel.
    parallel_from: usize,
}

/// Splits and reorders all primitives, and computes the cost of every range. Each binary node comes before its first
/// half, which comes before the second.
pub(super) fn split_all<S: Simd>(simd: S, primitives: &mut [BuildPrimitive]) -> Vec<BinaryNode> {
    let count = primitives.len();
    // Samples suffice: costs need no exact area, and only the sampled primitives must lie within the bounds.
    let (bounds, centroids) = simd.vectorize(
        #[inline(always)]
        || measure(simd, samples(primitives)),
    );
    let rules = Rules {
        costs: CostModel::new(&bounds, count),
        fair_splits: count.max(1).ilog2() + 12,
        parallel_from: if threads::count() == 1 { usize::MAX } else { WORTH_A_THREAD.max(count / 8) },
    };
    let mut nodes = room_for(count);
    split_part(simd, PrimitiveRange { primitives, first: 0, centroids, splits: 0 }, &rules, &mut nodes);
    nodes
}

/// Allocates room for the binary nodes of `count` leaves, which nearly always suffices.
fn room_for(count: usize) -> Vec<BinaryNode> {
    Vec::with_capacity(count / 4 + 1)
}

/// A range of primitives to be split.
struct PrimitiveRange<'a> {
    primitives: &'a mut [BuildPrimitive],
    /// The number of leaves before these.
    first: usize,
    /// The bounds of their (doubled) centroids.
    centroids: SimdAabb,
    /// The number of splits that led to it.
    splits: u32,
}

/// Appends the binary node of a part and all nodes below it, and returns their costs and their box. Recurses into the
/// halves, to a depth of at most `fair_splits` plus log₂ n.
fn split_part<S: Simd>(simd: S, part: PrimitiveRange, rules: &Rules, nodes: &mut Vec<BinaryNode>) -> (Costs, SimdAabb) {
    simd.vectorize(
        #[inline(always)]
        || {
            let PrimitiveRange { primitives, first, centroids, splits } = part;
            let (at, count) = (nodes.len(), primitives.len());
            if count <= UNSPLIT {
                let (bounds, _) = measure(simd, primitives.iter());
                nodes.push(BinaryNode::new(first..first + count, bounds));
                return (Costs::unsplit(simd, count, rules.costs.of(&bounds)), bounds);
            }
            // Reserves its place before its halves; they are measured first.
            nodes.push(BinaryNode::new(first..first + count, SimdAabb::EMPTY));
            let method = if splits > rules.fair_splits { Method::Halve } else { Method::Best };
            let (middle, [left, right]) = split(simd, primitives, &centroids, method);
            let (primitives, others) = primitives.split_at_mut(middle);
            let left = PrimitiveRange { primitives, first, centroids: left, splits: splits + 1 };
            let right =
                PrimitiveRange { primitives: others, first: first + middle, centroids: right, splits: splits + 1 };
            let second;
            let ((left_costs, left), (right_costs, right)) = if count >= rules.parallel_from {
                let mut more = room_for(count / 2);
                let both = threads::join(
                    || split_part(simd, left, rules, nodes),
                    || split_part(simd, right, rules, &mut more),
                );
                second = nodes.len();
                nodes.extend_from_slice(&more);
                both
            } else {
                let left = split_part(simd, left, rules, nodes);
                second = nodes.len();
                (left, split_part(simd, right, rules, nodes))
            };
            let bounds = left.union(&right);
            let (costs, lanes_for) = Costs::split(simd, rules.costs.of(&bounds), &left_costs, &right_costs);
            let node = &mut nodes[at];
            (node.bounds, node.second, node.lanes_for) = (bounds, (second - at) as u32, lanes_for);
            (costs, bounds)
        },
    )
}
