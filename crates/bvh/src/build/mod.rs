//! Building a tree from all its boxes, top down.
//!
//! ```text
//!   range of boxes -> split in two where area(left)·n(left) + area(right)·n(right) is least, and so on: a binary tree
//!                  -> from its leaves upward, what each binary node costs in 1, 2, … 16 lanes of a wide node
//!                  -> from its root downward, the wide nodes with the least cost
//! ```
//! The tree depends neither on the number of threads nor on the instruction set.
//!
//! Source: Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies" (2007); Ylitie, Karras and Laine,
//! "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs" (2017), section 3.1.

mod binary;
mod binned_sah;
mod collapse;
mod fast;
mod nodes;
mod options;
mod primitive;

use crate::{
    Leaf,
    lanes::{LANES, Level, vectorized},
    leaf::ALL,
    node::{Child, EMPTY, Node, NodeIndex, NodeLane},
    simd_aabb::SimdAabb,
    threads,
    tree::Bvh,
};
use cullide_narrowphase::Aabb;
use nodes::Nodes;
use primitive::BuildPrimitive;

pub use options::{BuildOptions, Quality};

impl Bvh {
    /// Builds the tree over `boxes`, each in all layers; box `i` becomes leaf `i`. With the feature `parallel`, it is
    /// built on all threads.
    ///
    /// # Panics
    /// If there are 2^30 − 1 boxes or more.
    ///
    /// ```
    /// # use cullide_bvh::{Bvh, narrowphase::{Aabb, glam::Vec3}};
    /// let tree = Bvh::build(&vec![Aabb::new(Vec3::ZERO, Vec3::ONE)?; 1000]);
    /// assert_eq!(tree.len(), 1000);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn build(boxes: &[Aabb]) -> Self {
        let mut tree = Self::new();
        tree.slots = vec![NodeLane::NONE; boxes.len()];
        tree.assemble_best(primitives_of(boxes), None::<fn(Leaf) -> u32>);
        tree
    }

    /// Builds the tree over boxes with a layer mask each; the `i`-th box becomes leaf `i`.
    ///
    /// # Panics
    /// If there are 2^30 − 1 boxes or more.
    ///
    /// ```
    /// # use cullide_bvh::{BuildOptions, Bvh, Leaf, Quality, narrowphase::{Aabb, glam::Vec3}};
    /// let options = BuildOptions { quality: Quality::Fast };
    /// let tree = Bvh::build_with([(Aabb::new(Vec3::ZERO, Vec3::ONE)?, 0b100)], &options);
    /// assert_eq!(tree.mask(Leaf::new(0)), Some(0b100));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn build_with(boxes: impl IntoIterator<Item = (Aabb, u32)>, options: &BuildOptions) -> Self {
        let (boxes, masks): (Vec<Aabb>, Vec<u32>) = boxes.into_iter().unzip();
        let mut tree = Self::new();
        tree.slots = vec![NodeLane::NONE; boxes.len()];
        tree.unlayered = masks.iter().filter(|&&mask| mask == 0).count();
        let mask = |leaf: Leaf| masks[leaf.index()];
        match options.quality {
            Quality::Best => tree.assemble_best(primitives_of(&boxes), Some(mask)),
            Quality::Fast => {
                let boxes = threads::vec(boxes.len(), |i| SimdAabb::new(&boxes[i]));
                tree.assemble_fast(&Vec::from_iter(0..boxes.len() as u32), &boxes, mask);
            }
        }
        tree
    }

    /// Rebuilds the tree over its current leaves, which keep their numbers. After many edits, this makes queries as
    /// fast again as after [`Bvh::build`].
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
        self.rebuild_with(&BuildOptions::default());
    }

    /// Rebuilds the tree as [`Bvh::rebuild`] does, with options.
    ///
    /// ```
    /// # use cullide_bvh::{BuildOptions, Bvh, Leaf, Quality, narrowphase::{Aabb, glam::Vec3}};
    /// let boxes = [1.0, 5.0, 3.0].map(|x| Aabb::new(Vec3::ZERO, Vec3::splat(x)).unwrap());
    /// let mut tree = Bvh::build(&boxes);
    /// tree.rebuild_with(&BuildOptions { quality: Quality::Fast });
    /// assert_eq!(tree.aabb(Leaf::new(1)), Some(boxes[1]));
    /// ```
    pub fn rebuild_with(&mut self, options: &BuildOptions) {
        let masks: Vec<u32> =
            (0..self.slots.len()).map(|i| self.mask(Leaf::from_bits(i as u32)).unwrap_or(0)).collect();
        let mask = |leaf: Leaf| masks[leaf.index()];
        let (leaves, boxes): (Vec<u32>, _) =
            (self.leaves().map(|leaf| leaf.index() as u32).collect(), self.leaf_boxes());
        match options.quality {
            Quality::Best => {
                let primitive = |i: usize| BuildPrimitive::new(&boxes[leaves[i] as usize], leaves[i]);
                self.assemble_best(threads::vec(leaves.len(), primitive), Some(mask));
            }
            Quality::Fast => self.assemble_fast(&leaves, &boxes, mask),
        }
        self.tag_leaves();
    }

    /// Builds the best tree over leaves whose numbers, all below `count`, and tag are assigned by the caller.
    pub(crate) fn build_as(
        level: Level,
        leaves: Vec<(Leaf, SimdAabb)>,
        (count, tag): (usize, u32),
        mask: impl Fn(Leaf) -> u32 + Sync,
    ) -> Self {
        let mut tree = Self { tag, level, ..Self::new() };
        tree.slots = vec![NodeLane::NONE; count];
        tree.unassigned = count - leaves.len();
        tree.unlayered = leaves.iter().filter(|(leaf, _)| mask(*leaf) == 0).count();
        let primitives = leaves.iter().map(|(leaf, aabb)| BuildPrimitive::new(aabb, leaf.index() as u32)).collect();
        tree.assemble_best(primitives, Some(mask));
        tree.tag_leaves();
        tree
    }

    /// Adds the tag to all leaves, as builders write only their indices.
    fn tag_leaves(&mut self) {
        if self.tag != 0 {
            let leaves = self.nodes.iter_mut().flat_map(|node| &mut node.children);
            leaves.filter(|child| matches!(Child::of(**child), Child::Leaf(_))).for_each(|child| *child |= self.tag);
        }
    }

    /// Replaces all nodes by those of the best tree over some leaves. Without a `mask`, all leaves are in all layers.
    fn assemble_best(&mut self, mut primitives: Vec<BuildPrimitive>, mask: Option<impl Fn(Leaf) -> u32 + Sync>) {
        let mut binary = vectorized!(self.level, simd => binary::split_all(simd, &mut primitives));
        let Nodes { nodes, parents, height } = nodes::nodes(&mut binary, &primitives, &mut self.slots);
        self.masks = masks(&nodes, mask.as_ref());
        (self.nodes, self.parents, self.height) = (nodes, parents, height);
        self.free_nodes.clear();
    }

    /// Allocates a vacant node with the slot `parent`.
    pub(crate) fn allocate_node(&mut self, parent: NodeLane) -> NodeIndex {
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

/// The primitives of boxes, the `i`-th of which belongs to leaf `i`.
fn primitives_of(boxes: &[Aabb]) -> Vec<BuildPrimitive> {
    threads::vec(boxes.len(), |i| BuildPrimitive::new(&SimdAabb::new(&boxes[i]), i as u32))
}

/// The masks of all lanes.
fn masks(nodes: &[Node], mask: Option<&impl Fn(Leaf) -> u32>) -> Vec<[u32; LANES]> {
    let Some(mask) = mask else {
        let of = |child| if child == EMPTY { 0 } else { ALL };
        return threads::vec(nodes.len(), |i| nodes[i].children.map(of));
    };
    let mut masks = vec![[0; LANES]; nodes.len()];
    // Parents come before their children: going backward, the masks below a node are known when it is reached.
    for (index, node) in nodes.iter().enumerate().rev() {
        for (lane, &child) in node.children.iter().enumerate() {
            masks[index][lane] = match Child::of(child) {
                // A new node is filled from its first lane on.
                Child::Empty => break,
                Child::Leaf(leaf) => mask(Leaf::from_bits(leaf)),
                Child::Node(below) => masks[below as usize].iter().fold(0, |all, mask| all | mask),
            };
        }
    }
    masks
}
