//! All pairs of leaves whose boxes overlap.
//!
//! The tree is walked against itself: a task is a node with itself, or two different nodes whose boxes overlap. Each pair of leaves
//! hangs below exactly one pair of lanes at which their paths part, so it is found once.

use crate::{
    Leaf,
    lanes::{EVERY_LANE, LANES, Simd, at_most, each_lane, load, other_than, splat, vectorized},
    node::{Child, EMPTY, Node, NodeIndex},
    tree::Bvh,
    walk::Visit,
};
use smallvec::SmallVec;

impl Bvh {
    /// Calls `visit` once for every two leaves whose boxes overlap, touching included, the smaller number first; pairs in no fixed
    /// order. [`Visit::Stop`] ends the search.
    ///
    /// ```
    /// # use cullide_bvh::{Bvh, Visit, narrowphase::{Aabb, glam::Vec3}};
    /// let boxes = [(0.0, 1.0), (1.0, 2.0), (3.0, 4.0)].map(|(a, b)| Aabb::new(Vec3::X * a, Vec3::X * b).unwrap());
    /// let mut pairs = vec![];
    /// Bvh::build(&boxes).for_each_pair(|a, b| {
    ///     pairs.push((a.index(), b.index()));
    ///     Visit::Continue
    /// });
    /// assert_eq!(pairs, [(0, 1)]);
    /// ```
    pub fn for_each_pair(&self, mut visit: impl FnMut(Leaf, Leaf) -> Visit) {
        vectorized!(self.level, simd => pairs(simd, self, &mut visit));
    }
}

#[inline(always)]
fn pairs<S: Simd>(simd: S, tree: &Bvh, visit: &mut impl FnMut(Leaf, Leaf) -> Visit) {
    let mut tasks: SmallVec<[(NodeIndex, NodeIndex); 1024]> = SmallVec::new();
    tasks.push((0, 0));
    while let Some((a, b)) = tasks.pop() {
        let (node, other) = (&tree.nodes[a as usize], &tree.nodes[b as usize]);
        // Of two nodes that lie side by side, most lanes of one do not reach the other.
        let lanes = if a == b {
            other_than(simd, &node.children, EMPTY)
        } else {
            let slot = tree.parents[b as usize];
            overlapping(simd, &tree.nodes[slot.node()], slot.lane(), node)
        };
        for lane in each_lane(lanes) {
            let mut met = overlapping(simd, node, lane, other);
            if a == b {
                // Each two lanes of one node once; a lane with itself only to go below it.
                met &= EVERY_LANE << lane;
            }
            let first = Child::of(node.children[lane]);
            for other_lane in each_lane(met) {
                match (first, Child::of(other.children[other_lane])) {
                    (Child::Node(x), Child::Node(y)) => tasks.push((x, y)),
                    (Child::Leaf(x), Child::Leaf(y)) if x == y => {}
                    (Child::Leaf(x), Child::Leaf(y)) => {
                        if visit(Leaf::from_bits(x.min(y)), Leaf::from_bits(x.max(y))) == Visit::Stop {
                            return;
                        }
                    }
                    (Child::Leaf(leaf), Child::Node(below)) | (Child::Node(below), Child::Leaf(leaf)) => {
                        if descend(simd, tree, below, leaf, visit) == Visit::Stop {
                            return;
                        }
                    }
                    (Child::Empty, _) | (_, Child::Empty) => {}
                }
            }
        }
    }
}

/// The lanes of `other` that overlap a lane of `node`.
#[inline(always)]
fn overlapping<S: Simd>(simd: S, node: &Node, lane: usize, other: &Node) -> u32 {
    (0..3).fold(EVERY_LANE, |met, axis| {
        let (min, max) = (load(simd, &other.bounds[2 * axis]), load(simd, &other.bounds[2 * axis + 1]));
        let (low, high) = (node.bounds[2 * axis][lane % LANES], node.bounds[2 * axis + 1][lane % LANES]);
        met & at_most(min, splat(simd, high)) & at_most(splat(simd, low), max)
    })
}

/// The pairs of a leaf with the leaves below a node.
#[inline(always)]
fn descend<S: Simd>(
    simd: S,
    tree: &Bvh,
    below: NodeIndex,
    leaf: u32,
    visit: &mut impl FnMut(Leaf, Leaf) -> Visit,
) -> Visit {
    let slot = tree.slots[Leaf::from_bits(leaf).index()];
    let home = &tree.nodes[slot.node()];
    let mut stack: SmallVec<[NodeIndex; 256]> = SmallVec::new();
    stack.push(below);
    while let Some(index) = stack.pop() {
        let node = &tree.nodes[index as usize];
        for lane in each_lane(overlapping(simd, home, slot.lane(), node)) {
            match Child::of(node.children[lane]) {
                Child::Empty => {}
                Child::Node(child) => stack.push(child),
                Child::Leaf(other) => {
                    if visit(Leaf::from_bits(leaf.min(other)), Leaf::from_bits(leaf.max(other))) == Visit::Stop {
                        return Visit::Stop;
                    }
                }
            }
        }
    }
    Visit::Continue
}
