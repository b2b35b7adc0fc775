//! The tree itself: its arrays and accessors.

use crate::{
    ALL, Leaf,
    lanes::{LANES, Level, level},
    node::{Child, EMPTY, LEAF, Node, NodeLane},
};
use cullide_narrowphase::Aabb;
use smallvec::SmallVec;

/// A tree over boxes, each with a layer mask.
///
/// [`Bvh::build`] makes the best tree for boxes that are all known in advance; [`Bvh::insert`], [`Bvh::set`] and
/// [`Bvh::remove`] edit it and keep it valid. A query's answer never depends on how the tree was made.
#[derive(Clone)]
pub struct Bvh {
    /// Node 0 is the root; a tree without leaves has one vacant node.
    pub(crate) nodes: Vec<Node>,
    /// The OR of the masks below each lane. Stored apart from the nodes, as most queries ask for all layers and never
    /// read it.
    pub(crate) masks: Vec<[u32; LANES]>,
    /// The slot of each node in its parent. Stored apart from the nodes, as queries never read it.
    pub(crate) parents: Vec<NodeLane>,
    /// The slot of each leaf in its node, by index.
    pub(crate) slots: Vec<NodeLane>,
    /// Nodes and leaves to be reused, last freed first.
    pub(crate) free_nodes: Vec<u32>,
    pub(crate) free_leaves: Vec<u32>,
    /// The number of leaf indices that are not in use, and that the tree does not give out either: the owner assigns
    /// indices itself.
    pub(crate) unassigned: usize,
    /// The number of leaves in no layer. While it is 0, a query for all layers need not read masks.
    pub(crate) unlayered: usize,
    /// An upper bound on the number of levels.
    pub(crate) height: u32,
    /// What the bits of leaves contain besides their indices: [`FIXED`](crate::leaf::FIXED) or 0.
    pub(crate) tag: u32,
    /// The number of leaves inserted and removed so far, which determines when to restructure.
    pub(crate) edits: u32,
    pub(crate) level: Level,
}

impl std::fmt::Debug for Bvh {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bvh").field("leaves", &self.len()).field("height", &self.height).finish_non_exhaustive()
    }
}

impl Default for Bvh {
    fn default() -> Self {
        Self::new()
    }
}

impl Bvh {
    /// Creates a tree without leaves.
    ///
    /// ```
    /// # use cullide_bvh::Bvh;
    /// assert!(Bvh::new().is_empty());
    /// ```
    pub fn new() -> Self {
        Self {
            nodes: vec![Node::VACANT],
            masks: vec![[0; LANES]],
            parents: vec![NodeLane::NONE],
            slots: Vec::new(),
            free_nodes: Vec::new(),
            free_leaves: Vec::new(),
            unassigned: 0,
            unlayered: 0,
            height: 1,
            tag: 0,
            edits: 0,
            level: level(),
        }
    }

    /// Returns the same tree, queried with these instructions instead of the best; `None` if the processor or the build
    /// lacks them.
    #[cfg(feature = "testing")]
    pub fn with_instructions(self, instructions: crate::Instructions) -> Option<Self> {
        Some(Self { level: instructions.level()?, ..self })
    }

    /// Returns the number of leaves.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free_leaves.len() - self.unassigned
    }

    /// Returns whether the tree has no leaves.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the only leaf of a tree if it is a child of the root, as it is unless other leaves were removed;
    /// otherwise `None`.
    ///
    /// ```
    /// # use cullide_bvh::{Bvh, narrowphase::{Aabb, glam::Vec3}};
    /// let aabb = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
    /// assert_eq!(Bvh::build(&[aabb]).lone_leaf().map(|leaf| leaf.index()), Some(0));
    /// assert_eq!(Bvh::build(&[aabb, aabb]).lone_leaf(), None);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn lone_leaf(&self) -> Option<Leaf> {
        self.lane_of_lone_leaf().map(|lane| Leaf::from_bits(self.nodes[0].children[lane] & !LEAF))
    }

    /// The same, as a lane of the root.
    pub(crate) fn lane_of_lone_leaf(&self) -> Option<usize> {
        let is_leaf = |&child: &u32| child != EMPTY && child & LEAF != 0;
        if self.len() == 1 { self.nodes[0].children.iter().position(is_leaf) } else { None }
    }

    /// Returns the smallest box around all leaves; `None` if the tree is empty.
    ///
    /// ```
    /// # use cullide_bvh::{Bvh, narrowphase::{Aabb, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::ZERO, Vec3::X)?, Aabb::new(Vec3::Y, Vec3::Z + Vec3::Y)?]);
    /// assert_eq!(tree.bounds(), Some(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn bounds(&self) -> Option<Aabb> {
        self.nodes[0].union()
    }

    /// Returns the box of a leaf; `None` for a leaf that was removed.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, narrowphase::{Aabb, glam::Vec3}};
    /// let mut tree = Bvh::new();
    /// let leaf = tree.insert(&Aabb::new(Vec3::ZERO, Vec3::X)?, ALL);
    /// assert_eq!(tree.aabb(leaf).unwrap().max(), Vec3::X);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn aabb(&self, leaf: Leaf) -> Option<Aabb> {
        let slot = self.slot(leaf)?;
        self.nodes[slot.node()].aabb(slot.lane())
    }

    /// Returns the layer mask of a leaf; `None` for a leaf that was removed.
    pub fn mask(&self, leaf: Leaf) -> Option<u32> {
        let slot = self.slot(leaf)?;
        Some(self.masks[slot.node()][slot.lane()])
    }

    /// Returns the leaves in ascending order of their numbers.
    ///
    /// ```
    /// # use cullide_bvh::{Bvh, Leaf, narrowphase::{Aabb, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::ZERO, Vec3::X)?]);
    /// assert_eq!(tree.leaves().collect::<Vec<_>>(), [Leaf::new(0)]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn leaves(&self) -> impl Iterator<Item = Leaf> + '_ {
        let numbers = (0..self.slots.len() as u32).filter(|&i| !self.slots[i as usize].is_none());
        numbers.map(|number| Leaf::from_bits(number | self.tag))
    }

    /// Calls `visit` with the leaves of each node that has any, depth first: groups of at most sixteen leaves that lie
    /// close together. A tree over such groups instead of single boxes takes a tenth of the memory.
    ///
    /// ```
    /// # use cullide_bvh::{Bvh, narrowphase::{Aabb, glam::Vec3}};
    /// let boxes = [0.0, 1.0, 9.0].map(|x| Aabb::new(Vec3::X * x, Vec3::ONE + Vec3::X * x).unwrap());
    /// let mut groups = vec![];
    /// Bvh::build(&boxes).for_each_leaf_group(|leaves| groups.push(leaves.len()));
    /// assert_eq!(groups, [3]);
    /// ```
    pub fn for_each_leaf_group(&self, mut visit: impl FnMut(&[Leaf])) {
        for node in self.depth_first() {
            let children = self.nodes[node as usize].children.iter();
            let leaves: SmallVec<[Leaf; LANES]> = children
                .filter_map(|&child| match Child::of(child) {
                    Child::Leaf(bits) => Some(Leaf::from_bits(bits)),
                    _ => None,
                })
                .collect();
            if !leaves.is_empty() {
                visit(&leaves);
            }
        }
    }

    /// Returns the number of node levels from the root to the deepest leaf, or slightly more after leaves were removed;
    /// at most 2·log₂ n + 16.
    pub fn depth(&self) -> usize {
        self.height as usize
    }

    /// The maximum number of levels of a tree with this many leaves.
    pub(crate) const fn most_levels(leaves: u32) -> u32 {
        2 * if leaves > 1 { leaves.ilog2() } else { 0 } + 16
    }

    /// The mask to test children against in a query for the leaves with a layer in `mask`; `None` if all leaves have
    /// one.
    pub(crate) fn layer_filter(&self, mask: u32) -> Option<u32> {
        (mask != ALL || self.unlayered > 0).then_some(mask)
    }

    pub(crate) fn slot(&self, leaf: Leaf) -> Option<NodeLane> {
        self.slots.get(leaf.index()).copied().filter(|slot| !slot.is_none())
    }
}
