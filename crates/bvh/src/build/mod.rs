//! Building a tree from all its boxes, in two passes.
//!
//! ```text
//!   split     boxes -> a binary tree, cut where  area(left)·n(left) + area(right)·n(right)  is least
//!   collapse  the binary tree -> nodes of eight, opening first what saves the most area per lane
//! ```
//! Both are deterministic: the tree does not depend on the number of threads or the instruction set.

mod collapse;
mod item;
mod split;

use crate::{
    Leaf,
    lanes::{LANES, vectorized},
    leaf::ALL,
    node::{Node, NodeIndex, Slot},
    tree::Bvh,
};
use cullide_narrowphase::Aabb;
use item::Item;

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
        let items = boxes.iter().enumerate().map(|(i, aabb)| Item::new(aabb, Leaf::new(i as u32))).collect();
        let mut tree = Self::new();
        tree.slots = vec![Slot::NONE; boxes.len()];
        tree.assemble(items, |_| ALL);
        tree
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
        let mut masks = Vec::new();
        let items: Vec<Item> = boxes
            .into_iter()
            .enumerate()
            .map(|(i, (aabb, mask))| {
                masks.push(mask);
                Item::new(&aabb, Leaf::new(i as u32))
            })
            .collect();
        let mut tree = Self::new();
        tree.slots = vec![Slot::NONE; items.len()];
        tree.layerless = masks.iter().filter(|&&mask| mask == 0).count();
        tree.assemble(items, |leaf| masks[leaf.index()]);
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
        let items = self.leaves().filter_map(|leaf| Some(Item::new(&self.aabb(leaf)?, leaf))).collect();
        let masks: Vec<u32> = (0..self.slots.len()).map(|i| self.mask(Leaf::from_bits(i as u32)).unwrap_or(0)).collect();
        self.assemble(items, |leaf| masks[leaf.index()]);
    }

    /// Replaces all nodes by those of the best tree over `items`.
    fn assemble(&mut self, mut items: Vec<Item>, mask: impl Fn(Leaf) -> u32) {
        let cuts = vectorized!(self.level, simd => split::tree(simd, &mut items));
        self.nodes.clear();
        self.masks.clear();
        self.parents.clear();
        self.free_nodes.clear();
        let expected = items.len() / 4 + 1;
        self.nodes.reserve_exact(expected);
        self.masks.reserve_exact(expected);
        self.parents.reserve_exact(expected);
        self.add_node(Slot::NONE);
        self.height = 1;
        self.collapse(&items, &cuts, mask);
        self.nodes.shrink_to_fit();
        self.masks.shrink_to_fit();
        self.parents.shrink_to_fit();
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
