//! Dividing a full node.
//!
//! Source: Beckmann et al., "The R*-tree", 1990, 4.2, with area times count instead of margins.

use crate::{
    lanes::LANES,
    node::{Node, NodeIndex, Slot},
    simd_aabb::SimdAabb,
    tree::Bvh,
};

/// A divided node keeps at least this many children: fewer would let the tree grow deep, more would force long boxes together.
const LEAST_CHILDREN: usize = 6;

/// Children of a full node, and one more.
const COUNT: usize = LANES + 1;

/// A child of a node that is being divided.
#[derive(Clone, Copy, Debug)]
struct Member {
    corners: SimdAabb,
    child: u32,
    mask: u32,
}

impl Bvh {
    /// Divides the children of a full node and one more between the node and a new sibling, which is returned and hangs nowhere yet.
    pub(super) fn divide(&mut self, index: usize, child: u32, corners: &SimdAabb, mask: u32) -> usize {
        let node = std::mem::replace(&mut self.nodes[index], Node::VACANT);
        let masks = std::mem::take(&mut self.masks[index]);
        let mut members = [Member { corners: *corners, child, mask }; COUNT];
        for (lane, member) in members[..LANES].iter_mut().enumerate() {
            *member = Member { corners: node.simd_aabb(lane), child: node.children[lane], mask: masks[lane] };
        }
        let (order, cut) = best_cut(&members);
        let sibling = self.allocate_node(Slot::NONE) as usize;
        for (target, half) in [(index, &order[..cut]), (sibling, &order[cut..])] {
            for (lane, &place) in half.iter().enumerate() {
                let Member { corners, child, mask } = &members[place];
                self.put(Slot::new(target as NodeIndex, lane), *child, corners, *mask);
            }
        }
        sibling
    }
}

/// The order, along one axis, and the place to cut it, that give the two parts the least area times count.
fn best_cut(members: &[Member; COUNT]) -> ([usize; COUNT], usize) {
    let mut best = (f64::INFINITY, std::array::from_fn(|place| place), COUNT / 2);
    for axis in 0..3 {
        let order = sorted(members, axis);
        let mut lower = [0.0; COUNT];
        let mut union = members[order[0]].corners;
        for (i, &place) in order[..COUNT - LEAST_CHILDREN].iter().enumerate() {
            union = union.union(&members[place].corners);
            lower[i + 1] = union.half_area() * (i + 1) as f64;
        }
        let mut union = members[order[COUNT - 1]].corners;
        for cut in (LEAST_CHILDREN..COUNT).rev() {
            union = union.union(&members[order[cut]].corners);
            let cost = lower[cut] + union.half_area() * (COUNT - cut) as f64;
            if cut <= COUNT - LEAST_CHILDREN && cost < best.0 {
                best = (cost, order, cut);
            }
        }
    }
    (best.1, best.2)
}

/// The places of the members by middle, then by child.
fn sorted(members: &[Member; COUNT], axis: usize) -> [usize; COUNT] {
    let mut keys: [(i64, usize); COUNT] = std::array::from_fn(|place| {
        let Member { corners, child, .. } = &members[place];
        // As `f32::total_cmp` orders them.
        let bits = corners.doubled_center()[axis].to_bits() as i32;
        let middle = bits ^ (bits >> 31) & i32::MAX;
        (i64::from(middle) << u32::BITS | i64::from(*child), place)
    });
    keys.sort_unstable();
    keys.map(|(_, place)| place)
}
