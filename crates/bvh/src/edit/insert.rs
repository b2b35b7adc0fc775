//! Inserting a leaf: choosing the node, and keeping the bounds of all ancestors exact.

use super::Member;
use crate::{
    Leaf,
    lanes::{EVERY_LANE, LANES, Simd, each_lane, f32x16, max, min, sign_mask, splat, vectorized},
    node::{Child, LEAF, Node, NodeIndex, NodeLane, load_rows},
    pack::union_bounds,
    simd_aabb::SimdAabb,
    tree::Bvh,
};

impl Bvh {
    /// Inserts a leaf that is in no node, and returns a node nearby.
    pub(super) fn insert_leaf(&mut self, leaf: Leaf, aabb: &SimdAabb, mask: u32) -> usize {
        let stops = if self.is_deep() { Stops::AtTheBottom } else { Stops::AboveSmaller };
        let node = vectorized!(self.level, simd => choose_subtree(simd, &self.nodes, aabb, stops));
        self.insert_child(node, Member { aabb: *aabb, child: leaf.bits() | LEAF, mask });
        // All nodes are others then.
        if self.limit_height() { 0 } else { node }
    }

    /// Inserts a child into a node; splits the node and its ancestors as long as they are full.
    fn insert_child(&mut self, mut index: usize, mut child: Member) {
        while self.nodes[index].free_lane().is_none() {
            let sibling = self.split_node(index, &child);
            let parent = self.parents[index];
            if parent.is_none() {
                self.grow_root(sibling);
                return;
            }
            self.refit_lane(parent, index);
            // The sibling is inserted into the parent next.
            (index, child) = (parent.node(), self.as_member(sibling));
        }
        if let Some(lane) = self.nodes[index].free_lane() {
            self.set_child(NodeLane::new(index as NodeIndex, lane), &child);
        }
        self.refit_ancestors(index);
    }

    /// A node in the form of a child.
    fn as_member(&self, index: usize) -> Member {
        Member { aabb: self.node_bounds(index), child: index as u32, mask: self.node_mask(index) }
    }

    /// Writes a child into a free lane, and the slot of the child.
    pub(super) fn set_child(&mut self, slot: NodeLane, member: &Member) {
        self.nodes[slot.node()].put_row(slot.lane(), member.child, member.aabb.min(), member.aabb.max());
        self.masks[slot.node()][slot.lane()] = member.mask;
        match Child::of(member.child) {
            Child::Leaf(leaf) => self.slots[Leaf::from_bits(leaf).index()] = slot,
            Child::Node(node) => self.parents[node as usize] = slot,
            Child::Empty => {}
        }
    }

    /// To be called after the root was split: moves its half into a new node, and makes both halves children of the
    /// root.
    fn grow_root(&mut self, sibling: usize) {
        let old = self.allocate_node(NodeLane::NONE) as usize;
        self.move_children(0, old);
        for (lane, half) in [old, sibling].into_iter().enumerate() {
            self.set_child(NodeLane::new(0, lane), &self.as_member(half));
        }
        self.height += 1;
    }

    /// Moves all children of a node into a vacant node.
    pub(super) fn move_children(&mut self, from: usize, to: usize) {
        for lane in 0..LANES {
            if Child::of(self.nodes[from].children[lane]) != Child::Empty {
                let member = self.member(from, lane);
                self.set_child(NodeLane::new(to as NodeIndex, lane), &member);
            }
        }
        (self.nodes[from], self.masks[from]) = (Node::VACANT, [0; LANES]);
    }

    /// Refits the bounds and masks of all ancestors of a node, stopping where nothing changes.
    pub(crate) fn refit_ancestors(&mut self, mut index: usize) {
        while !self.parents[index].is_none() {
            let slot = self.parents[index];
            if !self.refit_lane(slot, index) {
                return;
            }
            index = slot.node();
        }
    }

    /// Writes the bounds and the mask of a node into its lane in its parent; returns whether that changed anything.
    fn refit_lane(&mut self, slot: NodeLane, index: usize) -> bool {
        let bounds = vectorized!(self.level, simd => union_bounds(simd, &self.nodes[index]));
        let mask = self.node_mask(index);
        let (rows, masks) = (&mut self.nodes[slot.node()].bounds, &mut self.masks[slot.node()]);
        let mut changed = std::mem::replace(&mut masks[slot.lane()], mask) != mask;
        for (row, bound) in rows.iter_mut().zip(bounds) {
            changed |= std::mem::replace(&mut row[slot.lane()], bound) != bound;
        }
        changed
    }

    /// The union of the children of a node, which must have some.
    pub(crate) fn node_bounds(&self, index: usize) -> SimdAabb {
        SimdAabb::of_bounds(vectorized!(self.level, simd => union_bounds(simd, &self.nodes[index])))
    }

    /// The same, read from the parent.
    #[inline(always)]
    pub(crate) fn stored_bounds(&self, index: usize) -> SimdAabb {
        match self.parents[index] {
            slot if slot.is_none() => self.node_bounds(index),
            slot => self.nodes[slot.node()].simd_aabb(slot.lane()),
        }
    }

    /// The layers of all leaves below a node.
    pub(super) fn node_mask(&self, index: usize) -> u32 {
        self.masks[index].iter().fold(0, |all, mask| all | mask)
    }
}

/// Where the descent of a new leaf may end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stops {
    /// Also in a node whose best child is smaller than the leaf.
    AboveSmaller,
    /// Only in nodes without child nodes: then each further level takes many times as many leaves as the one before, as
    /// in a B-tree.
    AtTheBottom,
}

/// Half the areas of boxes with these sides.
#[inline(always)]
fn half_area<S: Simd>(x: f32x16<S>, y: f32x16<S>, z: f32x16<S>) -> f32x16<S> {
    x * y + y * z + z * x
}

/// Returns the node that should take a box. Descends into the child that grows least, until a node has no child nodes,
/// or has room and the box is larger than that child and would only enlarge it.
///
/// Stopping wherever a child would grow by more than the area of the box fills the upper nodes with small leaves:
/// 10,000 inserts then make 18 levels instead of 6, at 2.6 times the cost.
#[inline(always)]
fn choose_subtree<S: Simd>(simd: S, nodes: &[Node], aabb: &SimdAabb, stops: Stops) -> usize {
    let (low, high) = (aabb.min(), aabb.max());
    let [x, y, z] = (high - low).to_array();
    let own = x * y + y * z + z * x;
    let mut index = 0;
    loop {
        let node = &nodes[index];
        let mut candidates = !sign_mask(simd, &node.children) & EVERY_LANE;
        if candidates == 0 {
            return index;
        }
        // The half areas of all children, alone and with the box. If they overflow or underflow `f32`, they carry no
        // information, and the first child is as good as any.
        let [a, b, c, d, e, f] = load_rows(simd, &node.bounds, 0);
        let old = half_area(b - a, d - c, f - e);
        let (a, c, e) = (min(a, splat(simd, low.x)), min(c, splat(simd, low.y)), min(e, splat(simd, low.z)));
        let (b, d, f) = (max(b, splat(simd, high.x)), max(d, splat(simd, high.y)), max(f, splat(simd, high.z)));
        let growth: [f32; LANES] = (half_area(b - a, d - c, f - e) - old).into();
        let old: [f32; LANES] = old.into();
        let mut best = candidates.trailing_zeros() as usize % LANES;
        candidates &= candidates - 1;
        for lane in each_lane(candidates) {
            if (growth[lane], old[lane]) < (growth[best], old[best]) {
                best = lane;
            }
        }
        if stops == Stops::AboveSmaller && own > old[best] && node.free_lane().is_some() {
            return index;
        }
        index = node.children[best] as usize;
    }
}
