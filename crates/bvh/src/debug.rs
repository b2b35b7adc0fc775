//! The boxes of a tree's nodes, for drawing.

use crate::{
    Bvh,
    node::{Child, NodeIndex},
};
use cullide_narrowphase::Aabb;

impl Bvh {
    /// Calls `visit` with the depth and the box of every node that is not empty, each before the nodes below it; the
    /// root comes first, at depth 0. The boxes of leaves are not included; see [`Bvh::leaves`] and [`Bvh::aabb`] for
    /// those.
    ///
    /// ```
    /// # use cullide_bvh::{Bvh, narrowphase::{Aabb, glam::Vec3}};
    /// let boxes: Vec<Aabb> = (0..40).map(|x| Aabb::new(Vec3::ZERO, Vec3::new(x as f32, 3.0, 5.0)).unwrap()).collect();
    /// let tree = Bvh::build(&boxes);
    /// let mut nodes = vec![];
    /// tree.for_each_node(|depth, aabb| nodes.push((depth, aabb)));
    /// assert_eq!(nodes[0], (0, tree.bounds().unwrap()));
    /// assert!(nodes.len() > 2 && nodes[1..].iter().all(|(depth, _)| *depth > 0));
    /// ```
    pub fn for_each_node(&self, mut visit: impl FnMut(usize, Aabb)) {
        let root = self.bounds().map(|bounds| (0, 0 as NodeIndex, bounds));
        let mut stack = Vec::from_iter(root);
        while let Some((depth, index, bounds)) = stack.pop() {
            visit(depth, bounds);
            let node = &self.nodes[index as usize];
            for lane in node.lanes() {
                if let (Child::Node(child), Some(bounds)) = (Child::of(node.children[lane]), node.aabb(lane)) {
                    stack.push((depth + 1, child, bounds));
                }
            }
        }
    }
}
