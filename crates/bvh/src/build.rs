//! Building a tree from all its boxes: top down, by the surface area heuristic over bins of centroids.
//!
//! ```text
//!   one range of boxes -> split where  area(left)·n(left) + area(right)·n(right)  is least
//!                      -> split the part of largest area again, until eight parts make one node
//! ```
//! Source: Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies"; the opening by area follows Wald, Benthin and
//! Boulos, "Getting Rid of Packets".

use crate::{
    Leaf,
    lanes::LANES,
    leaf::ALL,
    node::{LEAF, Node, NodeIndex, Slot},
    tree::Bvh,
};
use cullide_narrowphase::{Aabb, glam::Vec3};
use smallvec::SmallVec;
use std::ops::Range;

/// Candidate split positions an axis are one fewer.
const BINS: usize = 16;

impl Bvh {
    /// The tree over `boxes`, each in all layers; box `i` becomes leaf `i`.
    ///
    /// # Panics
    /// With 2^31 − 1 boxes or more.
    ///
    /// ```
    /// # use cullide_bvh::{Bvh, narrowphase::{Aabb, glam::Vec3}};
    /// let tree = Bvh::build(&vec![Aabb::new(Vec3::ZERO, Vec3::ONE)?; 1000]);
    /// assert_eq!(tree.len(), 1000);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn build(boxes: &[Aabb]) -> Self {
        Self::build_with_masks(boxes.iter().map(|aabb| (*aabb, ALL)))
    }

    /// The tree over boxes with a layer mask each; the `i`-th becomes leaf `i`.
    ///
    /// # Panics
    /// With 2^31 − 1 boxes or more.
    ///
    /// ```
    /// # use cullide_bvh::{Bvh, Leaf, narrowphase::{Aabb, glam::Vec3}};
    /// let tree = Bvh::build_with_masks([(Aabb::new(Vec3::ZERO, Vec3::ONE)?, 0b100)]);
    /// assert_eq!(tree.mask(Leaf::new(0)), Some(0b100));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn build_with_masks(boxes: impl IntoIterator<Item = (Aabb, u32)>) -> Self {
        let items: Vec<Item> = boxes
            .into_iter()
            .enumerate()
            .map(|(i, (aabb, mask))| Item { aabb, leaf: Leaf::new(i as u32).bits(), mask })
            .collect();
        let mut tree = Self::new();
        tree.slots = vec![Slot::NONE; items.len()];
        tree.layerless = items.iter().filter(|item| item.mask == 0).count();
        tree.assemble(items);
        tree
    }

    /// Builds the tree anew over its present leaves, which keep their numbers: after many edits, queries are as fast again as after
    /// [`Bvh::build`].
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, narrowphase::{Aabb, glam::Vec3}};
    /// let mut tree = Bvh::new();
    /// let leaf = tree.insert(&Aabb::new(Vec3::ZERO, Vec3::ONE)?, ALL);
    /// tree.rebuild();
    /// assert!(tree.aabb(leaf).is_some());
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn rebuild(&mut self) {
        let items = self.leaves().filter_map(|leaf| {
            let (aabb, mask) = (self.aabb(leaf)?, self.mask(leaf)?);
            Some(Item { aabb, leaf: leaf.bits(), mask })
        });
        let items = items.collect();
        self.assemble(items);
    }

    /// Replaces all nodes by those of the best tree over `items`.
    fn assemble(&mut self, mut items: Vec<Item>) {
        self.nodes.clear();
        self.masks.clear();
        self.parents.clear();
        self.free_nodes.clear();
        self.add_node(Slot::NONE);
        self.height = 1;
        // Past this many levels only halving is safe: it adds at most a third of log₂ n more.
        let fair_levels = items.len().max(1).ilog2() + 8;
        let mut tasks = vec![Task { node: 0, range: 0..items.len(), level: 1 }];
        while let Some(Task { node, range, level }) = tasks.pop() {
            self.height = self.height.max(level);
            let parts = parts(&mut items[range.clone()], level > fair_levels);
            for (lane, part) in parts.into_iter().enumerate() {
                let part = range.start + part.start..range.start + part.end;
                let slot = Slot::new(node, lane);
                let child = if let [item] = items[part.clone()] {
                    self.slots[item.leaf as usize] = slot;
                    item.leaf | LEAF
                } else {
                    let child = self.add_node(slot);
                    tasks.push(Task { node: child, range: part.clone(), level: level + 1 });
                    child
                };
                if let Some(aabb) = bounds(&items[part.clone()]) {
                    self.nodes[node as usize].put(lane, child, &aabb);
                }
                self.masks[node as usize][lane] = items[part].iter().fold(0, |mask, item| mask | item.mask);
            }
        }
    }

    /// A vacant node that hangs at `parent`.
    pub(crate) fn add_node(&mut self, parent: Slot) -> NodeIndex {
        if let Some(index) = self.free_nodes.pop() {
            self.nodes[index as usize] = Node::VACANT;
            self.masks[index as usize] = [0; LANES];
            self.parents[index as usize] = parent;
            return index;
        }
        self.nodes.push(Node::VACANT);
        self.masks.push([0; LANES]);
        self.parents.push(parent);
        (self.nodes.len() - 1) as NodeIndex
    }
}

/// A leaf to be placed.
#[derive(Clone, Copy)]
struct Item {
    aabb: Aabb,
    leaf: u32,
    mask: u32,
}

impl Item {
    /// Twice the centroid.
    fn middle(&self) -> Vec3 {
        self.aabb.min() + self.aabb.max()
    }
}

/// A node to be filled with a range of the items.
struct Task {
    node: NodeIndex,
    range: Range<usize>,
    level: u32,
}

/// Divides `items` into at most eight parts for the lanes of one node, reordering them.
fn parts(items: &mut [Item], halve: bool) -> SmallVec<[Range<usize>; LANES]> {
    if items.len() <= LANES {
        return (0..items.len()).map(|i| i..i + 1).collect();
    }
    let mut parts: SmallVec<[Range<usize>; LANES]> = SmallVec::new();
    parts.push(0..items.len());
    while parts.len() < LANES {
        let Some(largest) = to_open(items, &parts) else { break };
        let part = parts[largest].clone();
        let middle = part.start + split(&mut items[part.clone()], halve);
        parts[largest] = part.start..middle;
        parts.push(middle..part.end);
    }
    parts
}

/// The part of largest area among those that do not fit into one node; among the others when there are none.
fn to_open(items: &[Item], parts: &[Range<usize>]) -> Option<usize> {
    let area = |i: usize| bounds(&items[parts[i].clone()]).map_or(0.0, |aabb| aabb.surface_area());
    let largest = |least: usize| {
        (0..parts.len()).filter(|&i| parts[i].len() > least).max_by(|&a, &b| area(a).total_cmp(&area(b)))
    };
    largest(LANES).or_else(|| largest(1))
}

fn bounds(items: &[Item]) -> Option<Aabb> {
    items.iter().map(|item| item.aabb).reduce(|a, b| a.union(&b))
}

/// Reorders `items` (two or more) and returns where to cut them in two, neither part empty.
fn split(items: &mut [Item], halve: bool) -> usize {
    let half = items.len() / 2;
    if halve {
        return half;
    }
    let Some((axis, plane)) = best_plane(items) else { return half };
    let cut = partition(items, |item| item.middle()[axis] < plane);
    if cut == 0 || cut == items.len() { half } else { cut }
}

/// Moves the items for which `left` holds to the front, and returns how many there are.
fn partition(items: &mut [Item], left: impl Fn(&Item) -> bool) -> usize {
    let mut count = 0;
    for i in 0..items.len() {
        if left(&items[i]) {
            items.swap(i, count);
            count += 1;
        }
    }
    count
}

/// The axis and the (doubled) centroid at which to cut; `None` when all centroids coincide.
fn best_plane(items: &[Item]) -> Option<(usize, f32)> {
    let middles = items.iter().map(Item::middle);
    let low = middles.clone().reduce(Vec3::min)?;
    let extent = middles.reduce(Vec3::max)? - low;
    let mut best: Option<(f64, usize, f32)> = None;
    for axis in (0..3).filter(|&axis| extent[axis] > 0.0 && extent[axis].is_finite()) {
        let scale = BINS as f32 / extent[axis];
        // A centroid belongs to the last bin border at or below it, computed the same way as the cut.
        let border = |bin: usize| low[axis] + extent[axis] * (bin as f32 / BINS as f32);
        let mut bins = [(None::<Aabb>, 0usize); BINS];
        for item in items {
            let guess = ((item.middle()[axis] - low[axis]) * scale) as usize;
            let mut bin = guess.min(BINS - 1);
            while bin > 0 && item.middle()[axis] < border(bin) {
                bin -= 1;
            }
            while bin + 1 < BINS && item.middle()[axis] >= border(bin + 1) {
                bin += 1;
            }
            let (aabb, count) = &mut bins[bin];
            *aabb = Some(aabb.map_or(item.aabb, |a| a.union(&item.aabb)));
            *count += 1;
        }
        let costs = |bins: &mut dyn Iterator<Item = &(Option<Aabb>, usize)>| -> SmallVec<[(f64, usize); BINS]> {
            let mut union: Option<Aabb> = None;
            let mut total = 0;
            bins.map(|(aabb, count)| {
                union = match (union, aabb) {
                    (Some(a), Some(b)) => Some(a.union(b)),
                    (a, b) => a.or(*b),
                };
                total += count;
                (union.map_or(0.0, |aabb| aabb.surface_area() * total as f64), total)
            })
            .collect()
        };
        let left = costs(&mut bins.iter());
        let right = costs(&mut bins.iter().rev());
        for cut in 1..BINS {
            let ((left, n_left), (right, n_right)) = (left[cut - 1], right[BINS - 1 - cut]);
            if n_left > 0 && n_right > 0 && best.is_none_or(|(cost, ..)| left + right < cost) {
                best = Some((left + right, axis, border(cut)));
            }
        }
    }
    best.map(|(_, axis, plane)| (axis, plane))
}
