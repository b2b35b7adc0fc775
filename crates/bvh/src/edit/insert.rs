//! Finding a place for a leaf, and keeping what lies above it exact.

use crate::{
    Leaf,
    lanes::{LANES, Simd, load, max, min, sign_mask, splat, vectorized},
    node::{Child, LEAF, Node, NodeIndex, Slot},
    pack::around,
    simd_aabb::SimdAabb,
    tree::Bvh,
};

impl Bvh {
    /// Hangs a leaf that hangs nowhere, and returns a node near by.
    pub(super) fn place(&mut self, leaf: Leaf, corners: &SimdAabb, mask: u32) -> usize {
        let stops = if self.is_deep() { Stops::AtTheBottom } else { Stops::AboveSmaller };
        let node = vectorized!(self.level, simd => choose(simd, &self.nodes, corners, stops));
        self.attach(node, leaf.bits() | LEAF, corners, mask);
        self.limit_height();
        node
    }

    /// Puts a child into a node, dividing it, and its ancestors, as far as they are full.
    fn attach(&mut self, mut index: usize, mut child: u32, corners: &SimdAabb, mut mask: u32) {
        let mut corners = *corners;
        while self.nodes[index].free_lane().is_none() {
            let sibling = self.divide(index, child, &corners, mask);
            let parent = self.parents[index];
            if parent.is_none() {
                self.grow_root(sibling);
                return;
            }
            self.refit_lane(parent, index);
            // The sibling now looks for a place beside the node.
            (index, child) = (parent.node(), sibling as u32);
            (corners, mask) = (self.around(sibling), self.node_mask(sibling));
        }
        if let Some(lane) = self.nodes[index].free_lane() {
            self.put(Slot::new(index as NodeIndex, lane), child, &corners, mask);
        }
        self.refresh(index);
    }

    /// Writes a child into a free lane and tells the child where it hangs.
    pub(super) fn put(&mut self, slot: Slot, child: u32, corners: &SimdAabb, mask: u32) {
        self.nodes[slot.node()].put_row(slot.lane(), child, corners.min(), corners.max());
        self.masks[slot.node()][slot.lane()] = mask;
        match Child::of(child) {
            Child::Leaf(leaf) => self.slots[Leaf::from_bits(leaf).index()] = slot,
            Child::Node(node) => self.parents[node as usize] = slot,
            Child::Empty => {}
        }
    }

    /// After the root was divided: moves its half into a new node and hangs both below the root.
    fn grow_root(&mut self, sibling: usize) {
        let old = self.allocate_node(Slot::NONE) as usize;
        self.move_children(0, old);
        for (lane, half) in [old, sibling].into_iter().enumerate() {
            self.put(Slot::new(0, lane), half as u32, &self.around(half), self.node_mask(half));
        }
        self.height += 1;
    }

    /// Moves all children of a node into a vacant one.
    pub(super) fn move_children(&mut self, from: usize, to: usize) {
        let node = std::mem::replace(&mut self.nodes[from], Node::VACANT);
        let masks = std::mem::take(&mut self.masks[from]);
        for lane in node.lanes() {
            self.put(Slot::new(to as NodeIndex, lane), node.children[lane], &node.simd_aabb(lane), masks[lane]);
        }
    }

    /// Makes the bounds and masks of all ancestors of a node exact again, as far up as they change.
    pub(crate) fn refresh(&mut self, mut index: usize) {
        while !self.parents[index].is_none() {
            let slot = self.parents[index];
            if !self.refit_lane(slot, index) {
                return;
            }
            index = slot.node();
        }
    }

    /// Writes the union of a node into the lane where it hangs; returns whether that changed anything.
    fn refit_lane(&mut self, slot: Slot, index: usize) -> bool {
        let bounds = vectorized!(self.level, simd => around(simd, &self.nodes[index]));
        let mask = self.node_mask(index);
        let (rows, masks) = (&mut self.nodes[slot.node()].bounds, &mut self.masks[slot.node()]);
        let mut changed = std::mem::replace(&mut masks[slot.lane()], mask) != mask;
        for (row, bound) in rows.iter_mut().zip(bounds) {
            changed |= std::mem::replace(&mut row[slot.lane()], bound) != bound;
        }
        changed
    }

    /// The union of a node that has children.
    pub(crate) fn around(&self, index: usize) -> SimdAabb {
        SimdAabb::of_bounds(vectorized!(self.level, simd => around(simd, &self.nodes[index])))
    }

    /// The same, from where the node hangs.
    #[inline(always)]
    pub(crate) fn stored_bounds(&self, index: usize) -> SimdAabb {
        match self.parents[index] {
            slot if slot.is_none() => self.around(index),
            slot => self.nodes[slot.node()].simd_aabb(slot.lane()),
        }
    }

    pub(crate) fn node_mask(&self, index: usize) -> u32 {
        self.masks[index].iter().fold(0, |all, mask| all | mask)
    }
}

/// Where the way of a leaf down the tree may end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stops {
    /// In a node above children that are all smaller than the leaf.
    AboveSmaller,
    /// Only in nodes without child nodes: then a level is added for many times as many leaves as for the one before, as in a B-tree.
    AtTheBottom,
}

/// The node that should take a box: down the child that grows least, until a node has no child nodes, or has room and the
/// box is larger than that child, which it would only blow up.
///
/// Stopping wherever a child would grow by more than the box covers fills the upper nodes with small leaves: 10,000 inserts
/// then make 18 levels instead of 6, at 2.6 times the cost.
#[inline(always)]
fn choose<S: Simd>(simd: S, nodes: &[Node], corners: &SimdAabb, stops: Stops) -> usize {
    let (low, high) = (corners.min(), corners.max());
    let [x, y, z] = (high - low).to_array();
    let own = x * y + y * z + z * x;
    let mut index = 0;
    loop {
        let node = &nodes[index];
        let mut candidates = !sign_mask(simd, &node.children) & crate::lanes::EVERY_LANE;
        if candidates == 0 {
            return index;
        }
        // Half areas, of all children alone and with the box. Too large or too small for f32 they tell nothing, and the first child is
        // as good as any.
        let sides = |low: [f32; 3], high: [f32; 3], grown: bool| {
            let side = |axis: usize| {
                let (a, b) = (load(simd, &node.bounds[2 * axis]), load(simd, &node.bounds[2 * axis + 1]));
                if grown { max(b, splat(simd, high[axis])) - min(a, splat(simd, low[axis])) } else { b - a }
            };
            let (x, y, z) = (side(0), side(1), side(2));
            x * y + y * z + z * x
        };
        let (low, high) = (low.to_array(), high.to_array());
        let old = sides(low, high, false);
        let growth: [f32; LANES] = (sides(low, high, true) - old).into();
        let old: [f32; LANES] = old.into();
        let mut best = candidates.trailing_zeros() as usize % LANES;
        candidates &= candidates - 1;
        for lane in crate::lanes::each_lane(candidates) {
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
