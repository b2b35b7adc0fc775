//! Planes against the tree, hierarchically: if a node's box lies wholly in front of a plane, that plane is not tested
//! below the node.
//!
//! The key of a node is its plane mask, with one bit for each plane that is still undecided; at 0, the whole subtree is
//! inside.
//!
//! Source: Assarsson and Möller, "Optimized View Frustum Culling Algorithms" (1999), n- and p-vertex, masking.

use super::plane_slab::PlaneSlab;
use crate::{
    Leaf,
    lanes::{EVERY_LANE, Keys, LANES, Simd, each_bit, same_key, vectorized_512, with_bits},
    node::{Node, NodeIndex},
    traverse::{Order, VisitKeyed, Visitor, keyed_leaves_of, leaves_of, traverse},
    tree::Bvh,
};
use cullide_narrowphase::Plane;
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// The maximum number of planes in a query.
pub const MAX_CULL_PLANES: usize = 32;

impl Bvh {
    /// Calls `visit` for every leaf with a layer in `mask` whose box does not lie wholly behind one of `planes`, with a
    /// mask of the undecided planes: bit `i` is clear if the box lies wholly in front of plane `i`, so 0 means in front
    /// of all of them. The order is unspecified; [`ControlFlow::Break`] ends the query.
    ///
    /// A box that touches the space in front of all planes is never left out; a box within a few roundings of a plane
    /// (as in [`Bvh::classify`]), or outside but near an edge of the space, may be shown. Planes beyond the first
    /// [`MAX_CULL_PLANES`] are ignored.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, narrowphase::{Aabb, Plane, glam::Vec3}};
    /// # use std::ops::ControlFlow;
    /// let tree = Bvh::build(&[Aabb::new(Vec3::Y, Vec3::Y * 2.0)?, Aabb::new(-Vec3::Y, -Vec3::Y)?]);
    /// let mut seen = vec![];
    /// tree.cull(&[Plane::new(Vec3::Y, 0.0)?, Plane::new(Vec3::X, 0.0)?], ALL, |leaf, undecided| {
    ///     seen.push((leaf.index(), undecided));
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(seen, [(0, 0b10)]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn cull(&self, planes: &[Plane], mask: u32, mut visit: impl FnMut(Leaf, u32) -> ControlFlow<()>) {
        let all = plane_mask(planes.len());
        self.cull_in(planes, mask, &mut |leaves, decided| {
            leaves.iter().zip(decided).try_for_each(|(&leaf, &decided)| visit(leaf, all & !decided))
        });
    }

    /// Appends to `leaves` every leaf that [`Bvh::cull`] shows.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Leaf, narrowphase::{Aabb, Plane, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::Y, Vec3::Y * 2.0)?, Aabb::new(-Vec3::Y, -Vec3::Y)?]);
    /// let mut leaves = vec![];
    /// tree.cull_into(&[Plane::new(Vec3::Y, 0.0)?], ALL, &mut leaves);
    /// assert_eq!(leaves, [Leaf::new(0)]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn cull_into(&self, planes: &[Plane], mask: u32, leaves: &mut Vec<Leaf>) {
        self.cull_in(planes, mask, &mut |visible, _| {
            leaves.extend_from_slice(visible);
            ControlFlow::Continue(())
        });
    }

    /// Passes all leaves of a node with their keys to `visit` at once, so that a leaf does not cost a call through a
    /// pointer.
    fn cull_in(&self, planes: &[Plane], mask: u32, visit: &mut VisitKeyed) {
        let mut visitor = CullVisitor { planes: CullPlanes::new(planes), visit };
        vectorized_512!(self.level, simd => traverse(simd, self, mask, &mut visitor));
    }
}

/// The planes of a query, and the plane mask with all of them.
struct CullPlanes {
    slabs: SmallVec<[PlaneSlab; MAX_CULL_PLANES]>,
    all: u32,
}

impl CullPlanes {
    fn new(planes: &[Plane]) -> Self {
        let slabs: SmallVec<[PlaneSlab; MAX_CULL_PLANES]> =
            planes.iter().take(MAX_CULL_PLANES).map(PlaneSlab::plane).collect();
        Self { slabs, all: plane_mask(planes.len()) }
    }

    /// The key is the complement of the plane mask, so that the root's 0 means that no plane is decided.
    #[inline(always)]
    fn test<S: Simd>(&self, simd: S, node: &Node, decided: u32) -> (u32, Keys<S>) {
        let (mut met, mut keys) = (EVERY_LANE, same_key(simd, decided));
        for plane in each_bit(self.all & !decided) {
            let (front, back) = self.slabs[plane].sides(simd, node);
            met &= !back;
            keys = with_bits(simd, keys, front, 1 << plane);
        }
        (met, keys)
    }
}

/// The plane mask with `count` planes undecided.
fn plane_mask(count: usize) -> u32 {
    ((1u64 << count.min(MAX_CULL_PLANES)) - 1) as u32
}

struct CullVisitor<'a> {
    planes: CullPlanes,
    visit: &'a mut VisitKeyed<'a>,
}

impl<S: Simd> Visitor<S> for CullVisitor<'_> {
    const ORDER: Order = Order::Any;

    #[inline(always)]
    fn test_children(&mut self, simd: S, _: NodeIndex, node: &Node, decided: u32) -> (u32, Keys<S>) {
        self.planes.test(simd, node, decided)
    }

    #[inline(always)]
    fn is_inside(&self, decided: u32) -> bool {
        decided == self.planes.all
    }

    #[inline(always)]
    fn visit_leaf(&mut self, leaf: Leaf, decided: u32) -> ControlFlow<()> {
        (self.visit)(&[leaf], &[decided])
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
