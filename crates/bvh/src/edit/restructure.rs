//! Restructuring: now and then, the levels around an edit are split again, which maintains the quality of an edited
//! tree.
//!
//! ```text
//!        top                 the children of all child nodes of `top`, and of the largest of these while they are few,
//!      / | \ \      ->       at most 256, are split where area times count is least until every part fits into a node;
//!     ooo oo oooo o          parts that fit into the spare lanes of `top` go there without a node of their own
//! ```
//! No child moves deeper than it was, so that the depth stays bounded. The work of one restructuring is bounded as
//! well, at some twenty microseconds. After a million random edits, averaged over eight runs, a tree of 4,000 uniform
//! boxes costs 1.14 times as much as a built one, a tree of a town 1.23 times, and of a town of 20,000 boxes 1.30
//! times, 1.32 at most; without restructuring, 1.5 to 1.8 times. Four times out of five, nothing better is found.
//!
//! Alternatives that did not help: rebuilding a thousand leaves every 1,500 edits, as [`Bvh::build`] does, fills the
//! upper nodes, which are then split again and again; the tree is no better after a while, and 33 levels deep.
//! Restructuring twice as often, finer bins, and measuring the cost of a split in nodes instead of members were no
//! better, either.
//!
//! Source: Karras and Aila, "Fast Parallel Construction of High-Quality Bounding Volume Hierarchies" (2013),
//! restructuring of treelets.

use super::Member;
use crate::{
    Leaf,
    lanes::{LANES, vectorized},
    node::{Child, LEAF, Node, NodeIndex, NodeLane},
    simd_aabb::SimdAabb,
    tree::Bvh,
};
use cullide_narrowphase::glam::Vec3;
use smallvec::SmallVec;

/// One in this many insertions and removals restructures the surroundings of the leaf, which takes some twenty
/// microseconds. With one in 24, the tree of a town of 20,000 boxes comes to cost up to 1.6 times as much as a built
/// one; with one in 12, nothing is better.
const EDITS: u32 = 16;

/// One restructuring in two to this power is a level higher, and so on.
const LEVEL_SHIFT: u32 = 2;

/// The number of lanes left free in the upper node: a full one would be split by the next child. With six, trees cost
/// as much and become up to three times as deep; with ten, nothing is better.
const SPARE: usize = 8;

/// Below the two levels, nodes are opened, the largest first, up to this many members, so that levels at the top with
/// too few children vanish. With 80, towns cost 5 % more. With 112, nodes at the top become so full that they are split
/// again and again: a tree of 4,000 uniform boxes is then up to 31 levels deep. With 96 it has 6 levels; a town of
/// 4,000 boxes reaches 28.
const TREELET: usize = 96;

/// The number of bins; splits lie between them.
const BINS: usize = 12;

/// A range of the members.
#[derive(Clone, Copy, Debug)]
struct MemberRange {
    start: usize,
    end: usize,
    bounds: SimdAabb,
    /// Whether each member gets a lane of its own in the upper node.
    is_open: bool,
}

impl MemberRange {
    #[inline(always)]
    fn new(members: &[Member], start: usize, end: usize) -> Self {
        let bounds = members[start..end].iter().fold(SimdAabb::EMPTY, |all, member| all.union(&member.aabb));
        Self { start, end, bounds, is_open: false }
    }

    fn count(&self) -> usize {
        self.end - self.start
    }

    /// The cost of its node.
    fn cost(&self) -> f64 {
        if self.is_open { 0.0 } else { self.bounds.half_area() }
    }
}

impl Bvh {
    /// To be called after an edit in a node; now and then improves the tree there.
    pub(super) fn restructure_around(&mut self, index: usize) {
        self.edits = self.edits.wrapping_add(1);
        if !self.edits.is_multiple_of(EDITS) {
            return;
        }
        self.restructure_above(index, self.edits / EDITS);
    }

    /// Improves the tree above a leaf, for the `count`-th time, which determines how far above.
    pub(crate) fn restructure_above_leaf(&mut self, leaf: Leaf, count: u32) {
        if let Some(slot) = self.slot(leaf) {
            self.restructure_above(slot.node(), count);
        }
    }

    fn restructure_above(&mut self, index: usize, count: u32) {
        if self.is_deep() {
            // Children that move up in a deep tree fill the upper nodes, which are then split again and again.
            return;
        }
        let up = 1 + count.trailing_zeros().min(31) / LEVEL_SHIFT;
        let top = (0..up).fold(index, |node, _| {
            let parent = self.parents[node];
            if parent.is_none() { node } else { parent.node() }
        });
        self.restructure(top);
    }

    /// Splits the children of the child nodes of `top` again, if the result is better.
    fn restructure(&mut self, top: usize) {
        let mut members: SmallVec<[Member; LANES * LANES]> = SmallVec::new();
        let mut nodes: SmallVec<[NodeIndex; LANES]> = SmallVec::new();
        let mut cost = 0.0;
        for lane in self.nodes[top].lanes() {
            let member = self.member(top, lane);
            match Child::of(member.child) {
                Child::Node(below) => {
                    nodes.push(below);
                    cost += member.aabb.half_area();
                    self.gather(below as usize, &mut members);
                }
                _ => members.push(member),
            }
        }
        while let Some((i, area)) = largest(&members) {
            let below = members[i].child;
            if members.len() + self.nodes[below as usize].lanes().count() > TREELET + 1 {
                break;
            }
            cost += area;
            nodes.push(below);
            members.swap_remove(i);
            self.gather(below as usize, &mut members);
        }
        if members.len() <= LANES {
            // All would fit into the upper node; then it has few leaves and had better be left to grow.
            return;
        }
        let Some(parts) = vectorized!(self.level, _simd => split_into_parts(&mut members)) else { return };
        if parts.iter().map(MemberRange::cost).sum::<f64>() >= cost {
            return;
        }
        for &index in nodes.iter().rev() {
            self.free_node(index);
        }
        self.nodes[top] = Node::VACANT;
        self.masks[top] = [0; LANES];
        let mut lane = 0;
        for part in &parts {
            let in_part = &members[part.start..part.end];
            if part.is_open {
                for member in in_part {
                    self.set_child(NodeLane::new(top as NodeIndex, lane), member);
                    lane += 1;
                }
                continue;
            }
            let below = self.allocate_node(NodeLane::NONE);
            for (i, member) in in_part.iter().enumerate() {
                self.set_child(NodeLane::new(below, i), member);
            }
            let member = Member { aabb: part.bounds, child: below, mask: self.node_mask(below as usize) };
            self.set_child(NodeLane::new(top as NodeIndex, lane), &member);
            lane += 1;
        }
    }

    fn gather(&self, index: usize, members: &mut SmallVec<[Member; LANES * LANES]>) {
        members.extend(self.nodes[index].lanes().map(|lane| self.member(index, lane)));
    }
}

/// The largest of the members that are nodes, and its area.
fn largest(members: &[Member]) -> Option<(usize, f64)> {
    let nodes = members.iter().enumerate().filter(|(_, member)| member.child & LEAF == 0);
    nodes.map(|(i, member)| (i, member.aabb.half_area())).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Splits the members into parts that fit into a node each, few enough for the lanes of one node; `None` if the best
/// splits make too many.
#[inline(always)]
fn split_into_parts(members: &mut [Member]) -> Option<SmallVec<[MemberRange; LANES]>> {
    let mut parts: SmallVec<[MemberRange; LANES]> = SmallVec::new();
    parts.push(MemberRange::new(members, 0, members.len()));
    let mut free = LANES - 1;
    let largest = |parts: &[MemberRange], worth: &dyn Fn(&MemberRange) -> Option<f64>| {
        let worths = parts.iter().enumerate().filter_map(|(i, part)| Some((i, worth(part)?)));
        worths.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i)
    };
    // First, splits until every part fits into a node.
    while let Some(i) = largest(&parts, &|part| (part.count() > LANES).then(|| part.bounds.half_area())) {
        if free == 0 {
            return None;
        }
        let MemberRange { start, end, .. } = parts[i];
        let at = start + split(&mut members[start..end]);
        parts[i] = MemberRange::new(members, start, at);
        parts.push(MemberRange::new(members, at, end));
        free -= 1;
    }
    // Then removes the nodes that save the most per lane.
    loop {
        let worth = |part: &MemberRange| {
            let takes = part.count() - 1;
            (!part.is_open && takes + SPARE <= free).then(|| part.bounds.half_area() / takes.max(1) as f64)
        };
        let Some(i) = largest(&parts, &worth) else { return Some(parts) };
        parts[i].is_open = true;
        free -= parts[i].count() - 1;
    }
}

/// Reorders the members into two parts, neither of them empty, with the least area times count; returns the size of the
/// first.
///
/// This does not use the splitter of [`crate::build`], which adds a constant to all lengths and rounds costs: with it,
/// 5,000 boxes with sides from 10⁻⁶ to 10⁸, inserted one by one, make a tree that costs 1.37 times as much.
#[inline(always)]
fn split(members: &mut [Member]) -> usize {
    let centers = members.iter().map(|member| member.aabb.doubled_center());
    let (low, high) =
        centers.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), center| (low.min(center), high.max(center)));
    let scale = (high - low).map(|x| {
        let scale = BINS as f32 * (1.0 - 4.0 * f32::EPSILON) / x;
        if scale.is_finite() { scale } else { 0.0 }
    });
    let bin = |member: &Member, axis: usize| {
        (((member.aabb.doubled_center()[axis] - low[axis]) * scale[axis]) as usize).min(BINS - 1)
    };
    let mut best = (f64::INFINITY, 0, 0);
    for axis in (0..3).filter(|&axis| scale[axis] > 0.0) {
        let mut bins = [(SimdAabb::EMPTY, 0u32); BINS];
        for member in members.iter() {
            let (aabb, count) = &mut bins[bin(member, axis)];
            *aabb = aabb.union(&member.aabb);
            *count += 1;
        }
        let mut costs = [f64::INFINITY; BINS];
        let add = |all: &mut (SimdAabb, u32), bin: &(SimdAabb, u32)| {
            *all = (all.0.union(&bin.0), all.1 + bin.1);
            if all.1 == 0 { f64::INFINITY } else { all.0.half_area() * f64::from(all.1) }
        };
        let mut all = (SimdAabb::EMPTY, 0);
        for i in 1..BINS {
            costs[i] = add(&mut all, &bins[i - 1]);
        }
        let mut all = (SimdAabb::EMPTY, 0);
        for i in (1..BINS).rev() {
            let cost = costs[i] + add(&mut all, &bins[i]);
            if cost < best.0 {
                best = (cost, axis, i);
            }
        }
    }
    let (cost, axis, first) = best;
    if cost == f64::INFINITY {
        return members.len() / 2;
    }
    // Moves the members before the split to the front.
    let mut at = 0;
    for i in 0..members.len() {
        if bin(&members[i], axis) < first {
            members.swap(at, i);
            at += 1;
        }
    }
    if at == 0 || at == members.len() { members.len() / 2 } else { at }
}
