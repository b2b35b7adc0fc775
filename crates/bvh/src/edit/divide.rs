//! Dividing a full node.
//!
//! Source: Beckmann et al., "The R*-tree", 1990, 4.2, with area times count instead of margins.

use crate::{
    corners::Corners,
    lanes::LANES,
    node::{Node, NodeIndex, Slot},
    tree::Bvh,
};
use smallvec::SmallVec;

/// A divided node keeps at least this many children: fewer would let the tree grow deep, more would force long boxes together.
const LEAST_CHILDREN: usize = 6;

/// A child of a node that is being divided.
#[derive(Clone, Copy, Debug)]
struct Member {
    corners: Corners,
    child: u32,
    mask: u32,
}

impl Bvh {
    /// Divides the children of a full node and one more between the node and a new sibling, which is returned and hangs nowhere yet.
    pub(super) fn divide(&mut self, index: usize, child: u32, corners: &Corners, mask: u32) -> usize {
        let node = self.nodes[index];
        let mut members: SmallVec<[Member; LANES + 1]> = node
            .lanes()
            .map(|lane| Member {
                corners: node.corners(lane),
                child: node.children[lane],
                mask: self.masks[index][lane],
            })
            .collect();
        members.push(Member { corners: *corners, child, mask });
        let cut = best_cut(&mut members);
        let sibling = self.add_node(Slot::NONE) as usize;
        self.nodes[index] = Node::VACANT;
        self.masks[index] = [0; LANES];
        for (target, half) in [(index, &members[..cut]), (sibling, &members[cut..])] {
            for (lane, member) in half.iter().enumerate() {
                self.put(Slot::new(target as NodeIndex, lane), member.child, &member.corners, member.mask);
            }
        }
        sibling
    }
}

/// Sorts the members along the axis, and returns the cut, that give the two parts the least area times count.
fn best_cut(members: &mut [Member]) -> usize {
    let count = members.len();
    let mut best = (f64::INFINITY, 0, count / 2);
    for axis in 0..3 {
        sort(members, axis);
        let mut lower = [0.0; LANES + 1];
        let mut union = members[0].corners;
        for (i, member) in members[..count - LEAST_CHILDREN].iter().enumerate() {
            union = union.union(&member.corners);
            lower[i + 1] = union.half_area() * (i + 1) as f64;
        }
        let mut union = members[count - 1].corners;
        for cut in (LEAST_CHILDREN..count).rev() {
            union = union.union(&members[cut].corners);
            let cost = lower[cut] + union.half_area() * (count - cut) as f64;
            if cut <= count - LEAST_CHILDREN && cost < best.0 {
                best = (cost, axis, cut);
            }
        }
    }
    if best.1 != 2 {
        sort(members, best.1);
    }
    best.2
}

/// By middle, then by child.
fn sort(members: &mut [Member], axis: usize) {
    members.sort_unstable_by(|a, b| {
        let middle = |member: &Member| member.corners.doubled_middle()[axis];
        middle(a).total_cmp(&middle(b)).then(a.child.cmp(&b.child))
    });
}
