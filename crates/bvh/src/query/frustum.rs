//! Planes against the tree, hierarchically: a plane that a node's box lies in front of is not asked again below it.
//!
//! The key of a node is its plane mask, one bit for each plane still undecided; at 0 the whole subtree is inside.
//!
//! Source: 001, n- and p-vertex; Assarsson & Möller, "Optimized View Frustum Culling Algorithms", masking.

use super::slab::Slab;
use crate::{
    Leaf,
    lanes::{EVERY_LANE, Keys, Simd, each_bit, moved_up, other_than, same_key, vectorized, with_bits},
    node::{EMPTY, LEAF, Node},
    tree::Bvh,
    walk::{Visit, Visitor, Watch, walk},
};
use cullide_narrowphase::Plane;
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// The most planes that one query can mask.
pub const MAX_PLANES: usize = 32;

impl Bvh {
    /// Calls `visit` for every leaf with a layer in `mask` whose box does not lie wholly behind one of `planes`, with the plane
    /// mask of what is undecided: bit `i` is clear when the box lies wholly in front of plane `i`, so 0 means inside them all.
    /// In no fixed order.
    ///
    /// A box that touches the space in front of all planes is never left out; one within a few roundings of a plane (as in
    /// [`Bvh::classify`]), or outside near an edge of the space, may be shown. Of more than [`MAX_PLANES`] planes the rest is not looked at.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Visit, narrowphase::{Aabb, Plane, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::Y, Vec3::Y * 2.0)?, Aabb::new(-Vec3::Y, -Vec3::Y)?]);
    /// let mut seen = vec![];
    /// tree.cull(&[Plane::new(Vec3::Y, 0.0)?, Plane::new(Vec3::X, 0.0)?], ALL, |leaf, undecided| {
    ///     seen.push((leaf.index(), undecided));
    ///     Visit::Continue
    /// });
    /// assert_eq!(seen, [(0, 0b10)]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn cull(&self, planes: &[Plane], mask: u32, visit: impl FnMut(Leaf, u32) -> Visit) {
        self.cull_watched(planes, mask, visit, &mut ());
    }

    /// Appends every leaf that [`Bvh::cull`] shows to `leaves`. Where most of a tree is inside, this costs half of it.
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
        let mut visitor = Gather { planes: Planes::new(planes), leaves };
        vectorized!(self.level, simd => walk(simd, self, mask, &mut visitor, &mut ()));
    }

    pub(crate) fn cull_watched(
        &self,
        planes: &[Plane],
        mask: u32,
        visit: impl FnMut(Leaf, u32) -> Visit,
        watch: &mut impl Watch,
    ) {
        let mut visitor = CullVisitor { planes: Planes::new(planes), visit };
        vectorized!(self.level, simd => walk(simd, self, mask, &mut visitor, watch));
    }
}

/// The planes of a query, and a plane mask with all of them.
struct Planes {
    slabs: SmallVec<[Slab; MAX_PLANES]>,
    all: u32,
}

impl Planes {
    fn new(planes: &[Plane]) -> Self {
        let slabs: SmallVec<[Slab; MAX_PLANES]> = planes.iter().take(MAX_PLANES).map(Slab::plane).collect();
        let all = ((1u64 << slabs.len()) - 1) as u32;
        Self { slabs, all }
    }

    /// The key is the complement of the plane mask, so that the root's 0 means that no plane is decided.
    #[inline(always)]
    fn meet<S: Simd>(&self, simd: S, node: &Node, decided: u32) -> (u32, Keys<S>) {
        let (mut met, mut keys) = (EVERY_LANE, same_key(simd, decided));
        for plane in each_bit(self.all & !decided) {
            let (front, back) = self.slabs[plane].sides(simd, node);
            met &= !back;
            keys = with_bits(simd, keys, front, 1 << plane);
        }
        (met, keys)
    }
}

struct CullVisitor<F> {
    planes: Planes,
    visit: F,
}

impl<S: Simd, F: FnMut(Leaf, u32) -> Visit> Visitor<S> for CullVisitor<F> {
    const ORDERED: bool = false;

    #[inline(always)]
    fn meet(&mut self, simd: S, node: &Node, decided: u32) -> (u32, Keys<S>) {
        self.planes.meet(simd, node, decided)
    }

    #[inline(always)]
    fn is_settled(&self, decided: u32) -> bool {
        decided == self.planes.all
    }

    #[inline(always)]
    fn visit(&mut self, leaf: Leaf, decided: u32) -> ControlFlow<()> {
        if (self.visit)(leaf, self.planes.all & !decided) == Visit::Stop {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Gathers all that is seen, a node's leaves at a time.
struct Gather<'a> {
    planes: Planes,
    leaves: &'a mut Vec<Leaf>,
}

impl<S: Simd> Visitor<S> for Gather<'_> {
    const ORDERED: bool = false;

    #[inline(always)]
    fn meet(&mut self, simd: S, node: &Node, decided: u32) -> (u32, Keys<S>) {
        self.planes.meet(simd, node, decided)
    }

    #[inline(always)]
    fn is_settled(&self, decided: u32) -> bool {
        decided == self.planes.all
    }

    #[inline(always)]
    fn visit(&mut self, leaf: Leaf, _decided: u32) -> ControlFlow<()> {
        self.leaves.push(leaf);
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn show(&mut self, simd: S, node: &Node, lanes: u32, _: Keys<S>, _: &mut impl Watch) -> ControlFlow<()> {
        self.gather(simd, node, lanes);
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn show_all(&mut self, simd: S, node: &Node, lanes: u32, _: u32, _: &mut impl Watch) -> ControlFlow<()> {
        self.gather(simd, node, lanes);
        ControlFlow::Continue(())
    }
}

impl Gather<'_> {
    /// Appends the leaves of some lanes.
    #[inline(always)]
    fn gather<S: Simd>(&mut self, simd: S, node: &Node, lanes: u32) {
        let lanes = lanes & other_than(simd, &node.children, EMPTY);
        // All lanes are written, and those beyond the last leaf cut off again: neither a loop nor a branch.
        let end = self.leaves.len() + lanes.count_ones() as usize;
        let leaves = moved_up(simd, &node.children, lanes).map(|child| Leaf::from_bits(child & !LEAF));
        self.leaves.extend_from_slice(&leaves);
        self.leaves.truncate(end);
    }
}
