//! Splitting a full node.
//!
//! This does not use the splitter of [`crate::build`]: both nodes need a minimum number of children here, which its
//! bins cannot guarantee, and for seventeen members sorting is as fast.
//!
//! Source: Beckmann et al., "The R*-tree" (1990), 4.2, with area times count instead of margins.

use super::Member;
use crate::{
    lanes::LANES,
    node::{Node, NodeIndex, NodeLane},
    tree::Bvh,
};

/// The minimum number of children of both halves of a split: fewer would let the tree grow deep, more would force
/// distant boxes together.
const MIN_CHILDREN: usize = 6;

/// The number of children of a full node, plus one.
const COUNT: usize = LANES + 1;

impl Bvh {
    /// Divides the children of a full node and one more between the node and a new sibling; returns the sibling, which
    /// has no parent yet.
    pub(super) fn split_node(&mut self, index: usize, new: &Member) -> usize {
        let mut members = [*new; COUNT];
        for (lane, member) in members[..LANES].iter_mut().enumerate() {
            *member = self.member(index, lane);
        }
        (self.nodes[index], self.masks[index]) = (Node::VACANT, [0; LANES]);
        let (order, at) = best_split(&members);
        let sibling = self.allocate_node(NodeLane::NONE) as usize;
        for (target, half) in [(index, &order[..at]), (sibling, &order[at..])] {
            for (lane, &place) in half.iter().enumerate() {
                self.set_child(NodeLane::new(target as NodeIndex, lane), &members[place]);
            }
        }
        sibling
    }
}

/// The order along one axis, and the place to split it, for which the area times count of the two parts is least.
fn best_split(members: &[Member; COUNT]) -> ([usize; COUNT], usize) {
    let mut best = (f64::INFINITY, std::array::from_fn(|place| place), COUNT / 2);
    for axis in 0..3 {
        let order = sorted(members, axis);
        let mut lower = [0.0; COUNT];
        let mut union = members[order[0]].aabb;
        for (i, &place) in order[..COUNT - MIN_CHILDREN].iter().enumerate() {
            union = union.union(&members[place].aabb);
            lower[i + 1] = union.half_area() * (i + 1) as f64;
        }
        let mut union = members[order[COUNT - 1]].aabb;
        for at in (MIN_CHILDREN..COUNT).rev() {
            union = union.union(&members[order[at]].aabb);
            let cost = lower[at] + union.half_area() * (COUNT - at) as f64;
            if at <= COUNT - MIN_CHILDREN && cost < best.0 {
                best = (cost, order, at);
            }
        }
    }
    (best.1, best.2)
}

/// The places of the members, sorted by center, then by child.
fn sorted(members: &[Member; COUNT], axis: usize) -> [usize; COUNT] {
    let mut keys: [(i64, usize); COUNT] = std::array::from_fn(|place| {
        let Member { aabb, child, .. } = &members[place];
        // In the order of `f32::total_cmp`.
        let bits = aabb.doubled_center()[axis].to_bits() as i32;
        let center = bits ^ (bits >> 31) & i32::MAX;
        (i64::from(center) << u32::BITS | i64::from(*child), place)
    });
    keys.sort_unstable();
    keys.map(|(_, place)| place)
}
