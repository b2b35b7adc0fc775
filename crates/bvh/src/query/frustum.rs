//! Planes against the tree, hierarchically: a plane that a node's box lies in front of is not asked again below it.
//!
//! The key of a node is its plane mask, one bit for each plane still undecided; at 0 the whole subtree is inside.
//!
//! Source: 001, n- and p-vertex; Assarsson & Möller, "Optimized View Frustum Culling Algorithms", masking.

use crate::{
    Leaf,
    lanes::{EVERY_LANE, Keys, LANES, Simd, at_most, keys_of, load, splat, vectorized},
    node::Node,
    tree::Bvh,
    walk::{Visit, Visitor, Watch, walk},
};
use cullide_narrowphase::{Aabb, Plane};
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

    pub(crate) fn cull_watched(
        &self,
        planes: &[Plane],
        mask: u32,
        visit: impl FnMut(Leaf, u32) -> Visit,
        watch: &mut impl Watch,
    ) {
        let Some(bounds) = self.bounds() else { return };
        let slabs: SmallVec<[Slab; MAX_PLANES]> =
            planes.iter().take(MAX_PLANES).map(|plane| Slab::new(plane, &bounds)).collect();
        let all = ((1u64 << slabs.len()) - 1) as u32;
        let mut visitor = CullVisitor { slabs, all, visit };
        vectorized!(self.level, simd => walk(simd, self, mask, &mut visitor, watch));
    }
}

/// A plane made ready for boxes: on which axes its p-vertex takes the upper bound (its n-vertex the other one), and how far the computed distance of
/// any vertex within the tree's bounds may be off.
///
/// The error is one number for the whole query, so the comparisons stay monotone: what is decided for a box is decided alike for
/// every box inside it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slab {
    normal: [f32; 3],
    d: f32,
    error: f32,
    upper: [bool; 3],
}

impl Slab {
    pub(super) fn new(plane: &Plane, bounds: &Aabb) -> Self {
        let normal = plane.normal().to_array();
        // Four roundings of the sum of magnitudes; computed in f64, where nothing overflows, and rounded up.
        let reach = bounds.min().abs().max(bounds.max().abs()).as_dvec3();
        let magnitude = plane.normal().as_dvec3().abs().dot(reach) + f64::from(plane.d()).abs();
        let error = (magnitude * 4.0 * f64::from(f32::EPSILON)) as f32 + f32::MIN_POSITIVE;
        Self { normal, d: plane.d(), error, upper: normal.map(|x| x >= 0.0) }
    }

    /// One bit a child: whether its box surely lies strictly in front, and whether strictly behind. Both for an empty lane.
    #[inline(always)]
    pub(super) fn sides<S: Simd>(&self, simd: S, node: &Node) -> (u32, u32) {
        let distance = |sides: [bool; 3]| {
            let term = |axis: usize| {
                load(simd, &node.bounds[2 * axis + usize::from(sides[axis])]) * splat(simd, self.normal[axis])
            };
            term(0) + term(1) + term(2) + splat(simd, self.d)
        };
        let front = !at_most(distance(self.upper.map(|upper| !upper)), splat(simd, self.error)) & EVERY_LANE;
        let back = !at_most(splat(simd, -self.error), distance(self.upper)) & EVERY_LANE;
        (front, back)
    }
}

struct CullVisitor<F> {
    slabs: SmallVec<[Slab; MAX_PLANES]>,
    all: u32,
    visit: F,
}

impl<S: Simd, F: FnMut(Leaf, u32) -> Visit> Visitor<S> for CullVisitor<F> {
    const ORDERED: bool = false;

    /// The key is the complement of the plane mask, so that the root's 0 means that no plane is decided.
    #[inline(always)]
    fn meet(&mut self, simd: S, node: &Node, decided: u32) -> (u32, Keys<S>) {
        let (mut met, mut keys) = (EVERY_LANE, [decided; LANES]);
        for (i, slab) in self.slabs.iter().enumerate().filter(|(i, _)| decided >> i & 1 == 0) {
            let (front, back) = slab.sides(simd, node);
            met &= !back;
            for (lane, key) in keys.iter_mut().enumerate() {
                *key |= (front >> lane & 1) << i;
            }
        }
        (met, keys_of(simd, keys))
    }

    #[inline(always)]
    fn visit(&mut self, leaf: Leaf, decided: u32) -> ControlFlow<()> {
        if (self.visit)(leaf, self.all & !decided) == Visit::Stop {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
