//! Overlaps of the tree with static volumes: boxes, spheres and oriented boxes.

use super::plane_slab::PlaneSlab;
use crate::{
    Leaf,
    lanes::{Keys, Simd, at_most, f32x16, max, same_key, sign_mask, splat, vectorized_512},
    node::{Bounds, Node, NodeIndex, Rows},
    traverse::{Order, Visitor, traverse},
    tree::Bvh,
};
use cullide_narrowphase::{
    Aabb, Mapped, Obb, Sphere,
    glam::{DVec3, Vec3},
};
use std::{cell::OnceCell, ops::ControlFlow};

impl Bvh {
    /// Calls `visit` for every leaf with a layer in `mask` whose box overlaps `aabb`, touching included. Exact: no
    /// other leaf is shown. The order is unspecified; [`ControlFlow::Break`] ends the query.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, narrowphase::{Aabb, glam::Vec3}};
    /// # use std::ops::ControlFlow;
    /// let tree = Bvh::build(&[Aabb::new(Vec3::ZERO, Vec3::ONE)?, Aabb::new(Vec3::splat(4.0), Vec3::splat(5.0))?]);
    /// let mut met = vec![];
    /// tree.overlap_aabb(&Aabb::new(Vec3::ONE, Vec3::splat(2.0))?, ALL, |leaf| {
    ///     met.push(leaf.index());
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(met, [0]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn overlap_aabb(&self, aabb: &Aabb, mask: u32, mut visit: impl FnMut(Leaf) -> ControlFlow<()>) {
        self.overlap_bounds(&aabb_bounds(aabb), mask, &mut visit);
    }

    /// Calls `visit` for every leaf with a layer in `mask` whose box may touch `sphere`, in an unspecified order. No
    /// leaf that touches it is left out; one that misses it by less than a few roundings may be shown. Squares of
    /// distances must be representable: boxes closer than 2^-63 count as touching, and a sphere larger than 2^63 as
    /// touching everything that is as far away.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, narrowphase::{Aabb, Sphere, glam::Vec3}};
    /// # use std::ops::ControlFlow;
    /// let tree = Bvh::build(&[Aabb::new(Vec3::ZERO, Vec3::ONE)?]);
    /// let mut met = 0;
    /// tree.overlap_sphere(&Sphere::new(Vec3::X * 3.0, 2.0)?, ALL, |_| { met += 1; ControlFlow::Continue(()) });
    /// assert_eq!(met, 1);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn overlap_sphere(&self, sphere: &Sphere, mask: u32, mut visit: impl FnMut(Leaf) -> ControlFlow<()>) {
        self.overlap_ball(sphere, mask, &mut visit);
    }

    /// Calls `visit` for every leaf with a layer in `mask` whose box may touch `obb`, in an unspecified order. Tests
    /// the coordinate axes and the three face axes of `obb`: no leaf that touches it is left out; one that misses it by
    /// a few roundings, or near an edge of `obb`, may be shown.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, narrowphase::{Aabb, Obb, glam::{Quat, Vec3}}};
    /// // Within the box around the rotate one, and yet in front of its face.
    /// let tree = Bvh::build(&[Aabb::new(Vec3::new(4.0, 4.0, 0.0), Vec3::new(5.0, 5.0, 1.0))?]);
    /// let rotate = Obb::new(Vec3::ZERO, Quat::from_rotation_z(0.75), Vec3::new(1.0, 7.0, 1.0))?;
    /// assert!(rotate.aabb().overlaps(&tree.bounds().unwrap()));
    /// tree.overlap_obb(&rotate, ALL, |_| unreachable!());
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    ///
    /// Source: Gottschalk, Lin, Manocha, "OBBTree" (1996), section 5, without the nine cross-product axes of two edges.
    pub fn overlap_obb(&self, obb: &Obb, mask: u32, mut visit: impl FnMut(Leaf) -> ControlFlow<()>) {
        self.overlap_oriented(obb, mask, &mut visit);
    }

    fn overlap_bounds(&self, bounds: &Bounds, mask: u32, visit: &mut dyn FnMut(Leaf) -> ControlFlow<()>) {
        let mut visitor = OverlapVisitor { volume: BoxVolume(*bounds), visit };
        vectorized_512!(self.level, simd => traverse(simd, self, mask, &mut visitor));
    }

    fn overlap_ball(&self, sphere: &Sphere, mask: u32, visit: &mut dyn FnMut(Leaf) -> ControlFlow<()>) {
        let mut visitor = OverlapVisitor { volume: BallVolume::new(sphere), visit };
        vectorized_512!(self.level, simd => traverse(simd, self, mask, &mut visitor));
    }

    fn overlap_oriented(&self, obb: &Obb, mask: u32, visit: &mut dyn FnMut(Leaf) -> ControlFlow<()>) {
        let mut visitor = OverlapVisitor { volume: OrientedVolume::new(obb), visit };
        vectorized_512!(self.level, simd => traverse(simd, self, mask, &mut visitor));
    }
}

/// A static volume.
pub(crate) trait StaticVolume {
    /// One bit per child: whether the volume touches its box.
    fn test<S: Simd>(&self, simd: S, node: &Node) -> u32;
}

/// An axis-aligned box.
pub(crate) struct BoxVolume(pub(crate) Bounds);

pub(crate) fn aabb_bounds(aabb: &Aabb) -> Bounds {
    let (min, max) = (aabb.min(), aabb.max());
    [min.x, max.x, min.y, max.y, min.z, max.z]
}

impl StaticVolume for BoxVolume {
    #[inline(always)]
    fn test<S: Simd>(&self, simd: S, node: &Node) -> u32 {
        node.overlapping(simd, &self.0)
    }
}

/// An oriented box. The slabs between opposite faces cost as much as some six nodes, so they are computed when the
/// first leaf comes up, which often never happens. Entering nodes in vain before that does no harm, as each leaf is
/// tested itself.
struct OrientedVolume<'a> {
    obb: &'a Obb,
    around: BoxVolume,
    slabs: OnceCell<[PlaneSlab; 3]>,
}

impl<'a> OrientedVolume<'a> {
    fn new(obb: &'a Obb) -> Self {
        Self { obb, around: BoxVolume(aabb_bounds(&obb.aabb())), slabs: OnceCell::new() }
    }
}

impl StaticVolume for OrientedVolume<'_> {
    #[inline(always)]
    fn test<S: Simd>(&self, simd: S, node: &Node) -> u32 {
        let mut met = self.around.test(simd, node);
        if met == 0 || (self.slabs.get().is_none() && met & sign_mask(simd, &node.children) == 0) {
            return met;
        }
        for slab in self.slabs.get_or_init(|| face_slabs(self.obb)) {
            let (front, back) = slab.sides(simd, node);
            met &= !front & !back;
        }
        met
    }
}

/// The slab between the planes of two opposite faces, for each pair of these.
fn face_slabs(obb: &Obb) -> [PlaneSlab; 3] {
    let (center, edges) = (obb.center().as_dvec3(), obb.half_edges().mapped(Vec3::as_dvec3));
    let size = edges.iter().fold(center.abs(), |sum, edge| sum + edge.abs());
    let slab = |i: usize| {
        // Any axis is valid. If a face has no area, the edge across it bounds the box as well.
        let across = edges[(i + 1) % 3].cross(edges[(i + 2) % 3]);
        let axis = if across == DVec3::ZERO { edges[i] } else { across };
        // Scaled so that its length is representable; it need not be 1. The zero axis of a point or a rod stays zero
        // and excludes nothing.
        let axis = axis * (1.0 / axis.abs().element_sum().max(f64::MIN_POSITIVE));
        let middle = axis.dot(center);
        // The error of a few sums of three products, with at most eight roundings each.
        let error = 32.0 * f64::EPSILON * axis.abs().dot(size);
        let reach = axis.dot(edges[0]).abs() + axis.dot(edges[1]).abs() + axis.dot(edges[2]).abs() + error;
        PlaneSlab::new(axis, middle - reach, middle + reach)
    };
    [slab(0), slab(1), slab(2)]
}

struct BallVolume {
    center: Vec3,
    /// An upper bound on the square of the radius.
    reach: f32,
}

impl BallVolume {
    fn new(sphere: &Sphere) -> Self {
        // Five roundings in the squared distance, one in the square of the radius, and what underflow may lose.
        let reach = sphere.radius() * sphere.radius() * (1.0 + 8.0 * f32::EPSILON) + f32::MIN_POSITIVE;
        Self { center: sphere.center(), reach }
    }
}

impl StaticVolume for BallVolume {
    #[inline(always)]
    fn test<S: Simd>(&self, simd: S, node: &Node) -> u32 {
        at_most(distance_squared(simd, node, self.center), splat(simd, self.reach))
    }
}

/// The squared distance of `point` from each of sixteen boxes; infinite for an empty lane of a node. Errs by at most
/// five roundings.
#[inline(always)]
pub(super) fn distance_squared<S: Simd>(simd: S, boxes: &impl Rows, point: Vec3) -> f32x16<S> {
    let (mut sum, rows) = (splat(simd, 0.0), boxes.rows(simd));
    // A loop, as a closure this large would not be inlined.
    for axis in 0..3 {
        let at = splat(simd, point[axis]);
        let (below, above) = (rows[2 * axis] - at, at - rows[2 * axis + 1]);
        let apart = max(max(below, above), splat(simd, 0.0));
        sum += apart * apart;
    }
    sum
}

/// Passes the leaves that a volume touches to a closure.
pub(crate) struct OverlapVisitor<'a, T> {
    pub(crate) volume: T,
    pub(crate) visit: &'a mut dyn FnMut(Leaf) -> ControlFlow<()>,
}

impl<S: Simd, T: StaticVolume> Visitor<S> for OverlapVisitor<'_, T> {
    const ORDER: Order = Order::Unkeyed;

    #[inline(always)]
    fn test_children(&mut self, simd: S, _: NodeIndex, node: &Node, _key: u32) -> (u32, Keys<S>) {
        (self.volume.test(simd, node), same_key(simd, 0))
    }

    #[inline(always)]
    fn visit_leaf(&mut self, leaf: Leaf, _key: u32) -> ControlFlow<()> {
        (self.visit)(leaf)
    }
}
