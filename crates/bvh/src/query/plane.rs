//! One plane against the tree: on which side of it each leaf lies.

use super::plane_slab::PlaneSlab;
use crate::{
    Leaf,
    lanes::{EVERY_LANE, Keys, LANES, Simd, same_key, vectorized_512, with_bits},
    node::{Node, NodeIndex},
    traverse::{Order, VisitKeyed, Visitor, keyed_leaves_of, leaves_of, traverse},
    tree::Bvh,
};
use cullide_narrowphase::{Plane, Side};
use std::ops::ControlFlow;

impl Bvh {
    /// Calls `visit` for every leaf with a layer in `mask`, with the side of `plane` on which its box certainly lies,
    /// or [`Side::Straddling`] if the box touches the plane or comes within a few roundings of it, relative to the
    /// box's own coordinates. Whole subtrees are decided at once. The order is unspecified; [`ControlFlow::Break`] ends
    /// the query.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, narrowphase::{Aabb, Plane, Side, glam::Vec3}};
    /// # use std::ops::ControlFlow;
    /// let tree = Bvh::build(&[Aabb::new(Vec3::Y, Vec3::Y * 2.0)?, Aabb::new(Vec3::NEG_Y, Vec3::Y)?]);
    /// let mut sides = vec![];
    /// tree.classify(&Plane::new(Vec3::Y, 0.0)?, ALL, |leaf, side| {
    ///     sides.push((leaf.index(), side));
    ///     ControlFlow::Continue(())
    /// });
    /// sides.sort_by_key(|(leaf, _)| *leaf);
    /// assert_eq!(sides, [(0, Side::Front), (1, Side::Straddling)]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn classify(&self, plane: &Plane, mask: u32, mut visit: impl FnMut(Leaf, Side) -> ControlFlow<()>) {
        self.classify_in(plane, mask, &mut |leaves, keys| {
            leaves.iter().zip(keys).try_for_each(|(&leaf, &key)| visit(leaf, side(key)))
        });
    }

    /// Passes all leaves of a node with their keys to `visit` at once, so that a leaf does not cost a call through a
    /// pointer.
    fn classify_in(&self, plane: &Plane, mask: u32, visit: &mut VisitKeyed) {
        let mut visitor = SideVisitor { plane: PlaneSlab::plane(plane), visit };
        vectorized_512!(self.level, simd => traverse(simd, self, mask, &mut visitor));
    }
}

/// Keys: what is known about a whole subtree.
const UNDECIDED: u32 = 0;
const FRONT: u32 = 1;
const BACK: u32 = 2;

struct SideVisitor<'a> {
    plane: PlaneSlab,
    visit: &'a mut VisitKeyed<'a>,
}

impl<S: Simd> Visitor<S> for SideVisitor<'_> {
    const ORDER: Order = Order::Any;

    #[inline(always)]
    fn test_children(&mut self, simd: S, _: NodeIndex, node: &Node, key: u32) -> (u32, Keys<S>) {
        if key != UNDECIDED {
            return (EVERY_LANE, same_key(simd, key));
        }
        let (front, back) = self.plane.sides(simd, node);
        let keys = with_bits(simd, same_key(simd, UNDECIDED), front, FRONT);
        (EVERY_LANE, with_bits(simd, keys, back, BACK))
    }

    #[inline(always)]
    fn is_inside(&self, key: u32) -> bool {
        key != UNDECIDED
    }

    #[inline(always)]
    fn visit_leaf(&mut self, leaf: Leaf, key: u32) -> ControlFlow<()> {
        (self.visit)(&[leaf], &[key])
    }

    #[inline(always)]
    fn visit_leaves(&mut self, simd: S, _: NodeIndex, node: &Node, lanes: u32, keys: Keys<S>) -> ControlFlow<()> {
        let (leaves, keys, count) = keyed_leaves_of(simd, node, lanes, keys);
        (self.visit)(&leaves[..count], &keys[..count])
    }

    #[inline(always)]
    fn visit_inside(&mut self, simd: S, node: &Node, lanes: u32, key: u32) -> ControlFlow<()> {
        let (leaves, count) = leaves_of(simd, node, lanes);
        (self.visit)(&leaves[..count], &[key; LANES][..count])
    }
}

fn side(key: u32) -> Side {
    match key {
        FRONT => Side::Front,
        BACK => Side::Back,
        _ => Side::Straddling,
    }
}
