//! From the binary tree to nodes of eight.
//!
//! A node starts with the two sides of one cut. Opening a side that is cut takes one lane more and saves a visit to it; opening a whole
//! side of k items takes k − 1 lanes more and saves as much. What saves the most area per lane is opened first, until nothing
//! fits.
//!
//! Source: after Wald, Benthin and Boulos, "Getting Rid of Packets", 2008, which opens the largest side.

use super::{
    item::{Bounds, Item},
    split::Cuts,
};
use crate::{
    Leaf,
    lanes::LANES,
    node::{LEAF, NodeIndex, Slot},
    tree::Bvh,
};
use smallvec::SmallVec;
use std::ops::Range;

/// A side of a cut: a range of items, and where it is cut in turn (0 when it is whole).
#[derive(Clone, Debug)]
struct Side {
    items: Range<u32>,
    cut: u32,
    bounds: Bounds,
    area: f64,
}

impl Side {
    /// Lanes that opening it takes beyond its own.
    fn extra_lanes(&self) -> usize {
        if self.cut != 0 { 1 } else { self.items.len() - 1 }
    }
}

impl Bvh {
    /// Fills the vacant root with the tree of `items`, which are in the order of their cuts.
    pub(super) fn collapse(&mut self, items: &[Item], cuts: &Cuts, mask: impl Fn(Leaf) -> u32) {
        let whole = Side { items: 0..items.len() as u32, cut: cuts.root, bounds: Bounds::EMPTY, area: 0.0 };
        let mut tasks: Vec<(NodeIndex, Side, u32)> = vec![(0, whole, 1)];
        let mut order: Vec<NodeIndex> = Vec::new();
        while let Some((node, side, level)) = tasks.pop() {
            self.height = self.height.max(level);
            order.push(node);
            let first_task = tasks.len();
            for (lane, side) in sides(items, cuts, side).into_iter().enumerate() {
                let slot = Slot::new(node, lane);
                let child = if side.items.len() == 1 {
                    let leaf = items[side.items.start as usize].leaf();
                    self.slots[leaf.index()] = slot;
                    self.masks[node as usize][lane] = mask(leaf);
                    leaf.bits() | LEAF
                } else {
                    let child = self.add_node(slot);
                    tasks.push((child, side.clone(), level + 1));
                    child
                };
                self.nodes[node as usize].put_row(lane, child, side.bounds.min(), side.bounds.max());
            }
            tasks[first_task..].reverse();
        }
        for &node in order.iter().rev().filter(|&&node| node != 0) {
            let parent = self.parents[node as usize];
            self.masks[parent.node()][parent.lane()] = self.masks[node as usize].iter().fold(0, |all, mask| all | mask);
        }
    }
}

/// The lanes of the node for `side`, in the order of the items.
fn sides(items: &[Item], cuts: &Cuts, side: Side) -> SmallVec<[Side; LANES]> {
    let mut lanes: SmallVec<[Side; LANES]> = SmallVec::new();
    if side.cut == 0 {
        lanes.extend(singles(items, side.items));
        return lanes;
    }
    lanes.extend(halves(cuts, &side));
    loop {
        let free = LANES - lanes.len();
        let worth = |side: &Side| side.area / side.extra_lanes() as f64;
        let fits = |side: &Side| side.items.len() > 1 && side.extra_lanes() <= free;
        let open = (0..lanes.len())
            .filter(|&i| fits(&lanes[i]))
            .max_by(|&a, &b| worth(&lanes[a]).total_cmp(&worth(&lanes[b])));
        let Some(open) = open else { return lanes };
        let side = lanes.remove(open);
        if side.cut != 0 {
            lanes.insert_many(open, halves(cuts, &side));
        } else {
            lanes.insert_many(open, singles(items, side.items));
        }
    }
}

/// The two sides of the cut of `side`.
fn halves(cuts: &Cuts, side: &Side) -> [Side; 2] {
    let cut = &cuts.at[side.cut as usize];
    let ranges = [side.items.start..side.cut, side.cut..side.items.end];
    let mut halves = ranges.into_iter().zip(cut.bounds).zip(cut.next).map(|((items, bounds), cut)| {
        let area = bounds.half_area();
        Side { items, cut, bounds, area }
    });
    std::array::from_fn(|_| halves.next().expect("a cut has two sides"))
}

/// A side for each item.
fn singles(items: &[Item], range: Range<u32>) -> impl Iterator<Item = Side> {
    range.map(|i| Side { items: i..i + 1, cut: 0, bounds: items[i as usize].bounds(), area: 0.0 })
}
