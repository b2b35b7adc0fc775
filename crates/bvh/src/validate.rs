//! Checks and measurements of a whole tree, for tests and tuning.

use crate::{
    Leaf,
    lanes::LANES,
    leaf::FIXED,
    node::{Child, NodeIndex, NodeLane},
    tree::Bvh,
};

impl Bvh {
    /// Checks everything that queries rely on: bounds and masks are exact unions, every leaf is where its slot says,
    /// every node is reached once, and the depth is bounded.
    ///
    /// # Errors
    /// A sentence that names the first violation. A tree made by this crate has none.
    ///
    /// ```
    /// # use cullide_bvh::Bvh;
    /// assert_eq!(Bvh::new().validate(), Ok(()));
    /// ```
    pub fn validate(&self) -> Result<(), String> {
        let (mut leaves, mut unlayered) = (0, 0);
        let mut reached = vec![false; self.nodes.len()];
        let mut stack = vec![(0 as NodeIndex, NodeLane::NONE, 1)];
        while let Some((index, parent, level)) = stack.pop() {
            let node = &self.nodes[index as usize];
            if std::mem::replace(&mut reached[index as usize], true) {
                return Err(format!("node {index} is reached twice"));
            }
            if self.parents[index as usize] != parent {
                return Err(format!("node {index} is not where its slot says"));
            }
            if level > self.height || level > Self::most_levels(self.len() as u32) {
                return Err(format!("node {index} is {level} levels deep"));
            }
            for lane in 0..LANES {
                let slot = NodeLane::new(index, lane);
                match Child::of(node.children[lane]) {
                    Child::Empty if self.masks[index as usize][lane] != 0 => {
                        return Err(format!("empty lane {lane} of node {index} has a mask"));
                    }
                    Child::Empty => {}
                    Child::Leaf(leaf) => {
                        leaves += 1;
                        unlayered += usize::from(self.masks[index as usize][lane] == 0);
                        let leaf = Leaf::from_bits(leaf);
                        if self.slots.get(leaf.index()) != Some(&slot) || leaf.bits() & FIXED != self.tag {
                            return Err(format!("leaf {} is not where its slot says", leaf.index()));
                        }
                    }
                    Child::Node(child) => {
                        let below = self.masks[child as usize].iter().fold(0, |all, mask| all | mask);
                        if node.aabb(lane).is_none() || node.aabb(lane) != self.nodes[child as usize].union() {
                            return Err(format!("lane {lane} of node {index} is not the union of node {child}"));
                        }
                        if self.masks[index as usize][lane] != below {
                            return Err(format!("lane {lane} of node {index} does not have the masks of node {child}"));
                        }
                        stack.push((child, slot, level + 1));
                    }
                }
            }
        }
        let in_use = reached.iter().filter(|&&r| r).count();
        if in_use + self.free_nodes.len() != self.nodes.len() {
            return Err(format!("{} nodes are lost", self.nodes.len() - in_use - self.free_nodes.len()));
        }
        if leaves != self.len() {
            return Err(format!("{leaves} leaves are reached of {}", self.len()));
        }
        if unlayered != self.unlayered {
            return Err(format!("{unlayered} leaves are in no layer, not {}", self.unlayered));
        }
        Ok(())
    }

    /// Returns the expected number of nodes that a long random ray enters, by the surface area heuristic: the sum of
    /// all nodes' areas relative to the root's. Smaller is better; compare only trees over the same boxes.
    ///
    /// ```
    /// # use cullide_bvh::{Bvh, narrowphase::{Aabb, glam::Vec3}};
    /// assert_eq!(Bvh::build(&[Aabb::new(Vec3::ZERO, Vec3::ONE)?]).sah_cost(), 1.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn sah_cost(&self) -> f64 {
        let area = |index: NodeIndex| self.nodes[index as usize].union().map_or(0.0, |aabb| aabb.surface_area());
        let root = area(0);
        if root == 0.0 {
            return 1.0;
        }
        self.depth_first().into_iter().map(area).sum::<f64>() / root
    }

    /// Returns the size of the tree's arrays in bytes, spare capacity included.
    ///
    /// ```
    /// # use cullide_bvh::Bvh;
    /// assert!(Bvh::new().memory() > 0);
    /// ```
    pub fn memory(&self) -> usize {
        fn bytes<T>(array: &Vec<T>) -> usize {
            array.capacity() * size_of::<T>()
        }
        bytes(&self.nodes)
            + bytes(&self.masks)
            + bytes(&self.parents)
            + bytes(&self.slots)
            + bytes(&self.free_nodes)
            + bytes(&self.free_leaves)
    }

    /// All nodes in use, parents before children.
    pub(crate) fn depth_first(&self) -> Vec<NodeIndex> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut stack = vec![0];
        while let Some(index) = stack.pop() {
            order.push(index);
            for lane in self.nodes[index as usize].lanes() {
                if let Child::Node(child) = Child::of(self.nodes[index as usize].children[lane]) {
                    stack.push(child);
                }
            }
        }
        order
    }
}
