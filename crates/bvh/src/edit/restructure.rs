//! Keeping a tree good while it is edited: now and then the levels around an edit are divided anew.
//!
//! ```text
//!        top                     the children of all child nodes of `top`, and of the largest of those as long as they are few,
//!      / | \ \        ->         256 at most, are cut where area times count is least, until every part fits into a node;
//!     ooo oo oooo o              parts that fit into the spare lanes of `top` go there, without a node
//! ```
//! Nothing sinks deeper than it hung, so that the depth stays bounded; the work of one time is bounded as well, some twenty microseconds.
//! After a million random edits, a tree of 4,000 uniform boxes costs 1.14 times as much as a built one, of a town 1.23, of a town of
//! 20,000 1.30, on average of eight such storms, and 1.32 at most; without this, 1.5 to 1.8. Four times of five nothing better is
//! found. Tried: building a thousand leaves anew once in 1,500 edits, as [`Bvh::build`] does. That fills the upper nodes, which then are
//! divided again and again: no better after a while, and 33 levels deep. Nor did it help to tidy twice as often, to bin finer, or to cost
//! a cut in nodes instead of members.
//!
//! Source: Karras and Aila, "Fast Parallel Construction of High-Quality Bounding Volume Hierarchies", 2013, restructuring of treelets.

use crate::{
    Leaf,
    lanes::{LANES, vectorized},
    node::{Child, EMPTY, LEAF, Node, NodeIndex, Slot},
    simd_aabb::SimdAabb,
    tree::Bvh,
};
use cullide_narrowphase::glam::Vec3;
use smallvec::SmallVec;

/// One leaf in so many that are placed or removed has its surroundings tidied, which takes some twenty microseconds. With one in 24, a
/// town of 20,000 comes to cost up to 1.6 times as much as a built one; with one in 12 nothing is better.
const EDITS: u32 = 16;

/// One tidying in so many is a level higher, and so on.
const LEVEL_SHIFT: u32 = 2;

/// Lanes that are left free in the upper node: a full one would be divided by the next child. With six, trees cost as much and become up to
/// three times as deep; with ten, nothing is better.
const SPARE: usize = 8;

/// Below the two levels, nodes are opened, the largest first, up to so many members: levels at the top that hold too few children
/// vanish so. With 80, towns cost 5 % more. With 112, nodes at the top become so full that they are divided again and again: a tree of 4,000
/// uniform boxes then is up to 31 levels deep; with these it has 6, and a town of 4,000 comes to 28.
const TREELET: usize = 96;

/// Bins that cuts lie between.
const BINS: usize = 12;

/// What hangs below the nodes that are divided anew.
#[derive(Clone, Copy, Debug)]
struct Member {
    corners: SimdAabb,
    child: u32,
    mask: u32,
}

/// Some of the members, next to each other.
#[derive(Clone, Copy, Debug)]
struct Part {
    start: usize,
    end: usize,
    corners: SimdAabb,
    /// Whether each member gets a lane of its own.
    is_open: bool,
}

impl Part {
    #[inline(always)]
    fn new(members: &[Member], start: usize, end: usize) -> Self {
        let corners = members[start + 1..end].iter().fold(members[start].corners, |all, m| all.union(&m.corners));
        Self { start, end, corners, is_open: false }
    }

    fn count(&self) -> usize {
        self.end - self.start
    }

    /// What its node costs.
    fn cost(&self) -> f64 {
        if self.is_open { 0.0 } else { self.corners.half_area() }
    }
}

impl Bvh {
    /// After an edit in a node: now and then makes the tree better there.
    pub(super) fn tidy_around(&mut self, index: usize) {
        self.edits = self.edits.wrapping_add(1);
        if !self.edits.is_multiple_of(EDITS) {
            return;
        }
        self.tidy_above(index, self.edits / EDITS);
    }

    /// Makes the tree better above a leaf: for the `count`-th time, which decides how far above.
    pub(crate) fn tidy_above_leaf(&mut self, leaf: Leaf, count: u32) {
        if let Some(slot) = self.slot(leaf) {
            self.tidy_above(slot.node(), count);
        }
    }

    fn tidy_above(&mut self, index: usize, count: u32) {
        if self.is_deep() {
            // What moves up in a deep tree fills the upper nodes, which then are divided again and again.
            return;
        }
        let up = 1 + count.trailing_zeros().min(31) / LEVEL_SHIFT;
        let top = (0..up).fold(index, |node, _| {
            let parent = self.parents[node];
            if parent.is_none() { node } else { parent.node() }
        });
        self.tidy(top);
    }

    /// Divides the children of the child nodes of `top` anew, if that is better.
    fn tidy(&mut self, top: usize) {
        let node = self.nodes[top];
        let mut members: SmallVec<[Member; LANES * LANES]> = SmallVec::new();
        let mut nodes: SmallVec<[NodeIndex; LANES]> = SmallVec::new();
        let mut cost = 0.0;
        for lane in node.lanes() {
            match Child::of(node.children[lane]) {
                Child::Node(below) => {
                    nodes.push(below);
                    cost += node.simd_aabb(lane).half_area();
                    self.gather(below as usize, &mut members);
                }
                _ => members.push(self.member(top, lane)),
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
            // All fit into the upper node; then it has few leaves and is better left to grow.
            return;
        }
        let Some(parts) = vectorized!(self.level, _simd => divide(&mut members)) else { return };
        if parts.iter().map(Part::cost).sum::<f64>() >= cost {
            return;
        }
        for &index in nodes.iter().rev() {
            self.free(index);
        }
        self.nodes[top] = Node::VACANT;
        self.masks[top] = [0; LANES];
        let mut lane = 0;
        for part in &parts {
            if part.is_open {
                for member in &members[part.start..part.end] {
                    self.put(Slot::new(top as NodeIndex, lane), member.child, &member.corners, member.mask);
                    lane += 1;
                }
                continue;
            }
            let below = self.allocate_node(Slot::NONE);
            for (i, member) in members[part.start..part.end].iter().enumerate() {
                self.put(Slot::new(below, i), member.child, &member.corners, member.mask);
            }
            let mask = self.node_mask(below as usize);
            self.put(Slot::new(top as NodeIndex, lane), below, &part.corners, mask);
            lane += 1;
        }
    }

    fn gather(&self, index: usize, members: &mut SmallVec<[Member; LANES * LANES]>) {
        for lane in self.nodes[index].lanes() {
            members.push(self.member(index, lane));
        }
    }

    fn member(&self, index: usize, lane: usize) -> Member {
        let node = &self.nodes[index];
        Member { corners: node.simd_aabb(lane), child: node.children[lane], mask: self.masks[index][lane] }
    }

    /// Gives a node back that hangs nowhere any more.
    pub(super) fn free(&mut self, index: NodeIndex) {
        self.nodes[index as usize].children = [EMPTY; LANES];
        self.free_nodes.push(index);
    }
}

/// The member that is the largest of those that are nodes, and its area.
fn largest(members: &[Member]) -> Option<(usize, f64)> {
    let nodes = members.iter().enumerate().filter(|(_, member)| member.child & LEAF == 0);
    nodes.map(|(i, member)| (i, member.corners.half_area())).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Cuts the members into parts that a node each holds, few enough for the lanes of one node; `None` where the best cuts make too many.
#[inline(always)]
fn divide(members: &mut [Member]) -> Option<SmallVec<[Part; LANES]>> {
    let mut parts: SmallVec<[Part; LANES]> = SmallVec::new();
    parts.push(Part::new(members, 0, members.len()));
    let mut free = LANES - 1;
    let largest = |parts: &[Part], fits: &dyn Fn(&Part) -> Option<f64>| {
        let worths = parts.iter().enumerate().filter_map(|(i, part)| Some((i, fits(part)?)));
        worths.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i)
    };
    // First until every part fits.
    while let Some(i) = largest(&parts, &|part| (part.count() > LANES).then(|| part.corners.half_area())) {
        if free == 0 {
            return None;
        }
        let (start, end) = (parts[i].start, parts[i].end);
        let at = start + cut(&mut members[start..end]);
        parts[i] = Part::new(members, start, at);
        parts.push(Part::new(members, at, end));
        free -= 1;
    }
    // Then do without the nodes that save the most for a lane.
    loop {
        let worth = |part: &Part| {
            let takes = part.count() - 1;
            (!part.is_open && takes + SPARE <= free).then(|| part.corners.half_area() / takes.max(1) as f64)
        };
        let Some(i) = largest(&parts, &worth) else { return Some(parts) };
        parts[i].is_open = true;
        free -= parts[i].count() - 1;
    }
}

/// Reorders the members into two parts, neither empty, where area times count is least; returns the size of the first.
#[inline(always)]
fn cut(members: &mut [Member]) -> usize {
    let middles = members.iter().map(|m| m.corners.doubled_center());
    let (low, high) =
        middles.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), middle| (low.min(middle), high.max(middle)));
    let scale = (high - low).map(|x| {
        let scale = BINS as f32 * (1.0 - 4.0 * f32::EPSILON) / x;
        if scale.is_finite() { scale } else { 0.0 }
    });
    let bin = |member: &Member, axis: usize| {
        (((member.corners.doubled_center()[axis] - low[axis]) * scale[axis]) as usize).min(BINS - 1)
    };
    let mut best = (f64::INFINITY, 0, 0);
    for axis in (0..3).filter(|&axis| scale[axis] > 0.0) {
        let mut bins = [(SimdAabb::EMPTY, 0u32); BINS];
        for member in members.iter() {
            let (corners, count) = &mut bins[bin(member, axis)];
            *corners = corners.union(&member.corners);
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
    // What lies before the cut to the front.
    let mut at = 0;
    for i in 0..members.len() {
        if bin(&members[i], axis) < first {
            members.swap(at, i);
            at += 1;
        }
    }
    if at == 0 || at == members.len() { members.len() / 2 } else { at }
}
