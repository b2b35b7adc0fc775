//! Boxes, points and spheres at rest against the tree.

use super::slab::Slab;
use crate::{
    Leaf,
    lanes::{EVERY_LANE, Keys, Simd, at_most, load, marked, max, same_key, splat, vectorized},
    node::Node,
    tree::Bvh,
    walk::{Visit, Visitor, Watch, walk},
};
use cullide_narrowphase::{
    Aabb, Obb, Sphere,
    glam::{DVec3, Vec3},
};
use std::{cell::OnceCell, ops::ControlFlow};

impl Bvh {
    /// Calls `visit` for every leaf with a layer in `mask` whose box overlaps `aabb`, touching included, in no fixed order.
    /// Exact: no other leaf is shown.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Visit, narrowphase::{Aabb, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::ZERO, Vec3::ONE)?, Aabb::new(Vec3::splat(4.0), Vec3::splat(5.0))?]);
    /// let mut met = vec![];
    /// tree.overlap_aabb(&Aabb::new(Vec3::ONE, Vec3::splat(2.0))?, ALL, |leaf| {
    ///     met.push(leaf.index());
    ///     Visit::Continue
    /// });
    /// assert_eq!(met, [0]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn overlap_aabb(&self, aabb: &Aabb, mask: u32, visit: impl FnMut(Leaf) -> Visit) {
        self.touch(mask, BoxTouch::aabb(aabb), visit, &mut ());
    }

    /// Calls `visit` for every leaf with a layer in `mask` whose box contains `point`, on its surface included; as
    /// [`Bvh::overlap_aabb`]. A NaN lies in no box.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Visit, narrowphase::{Aabb, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::ZERO, Vec3::ONE)?]);
    /// tree.overlap_point(Vec3::splat(2.0), ALL, |_| unreachable!());
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn overlap_point(&self, point: Vec3, mask: u32, visit: impl FnMut(Leaf) -> Visit) {
        self.touch(mask, BoxTouch::point(point), visit, &mut ());
    }

    /// Calls `visit` for every leaf with a layer in `mask` whose box may touch `sphere`: none is left out, and one missed by less
    /// than a few roundings may be shown. Squares of distances have to fit: below 2^-63 all counts as touching, and a sphere larger
    /// than 2^63 as touching all that is as far. In no fixed order.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Visit, narrowphase::{Aabb, Sphere, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::ZERO, Vec3::ONE)?]);
    /// let mut met = 0;
    /// tree.overlap_sphere(&Sphere::new(Vec3::X * 3.0, 2.0)?, ALL, |_| { met += 1; Visit::Continue });
    /// assert_eq!(met, 1);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn overlap_sphere(&self, sphere: &Sphere, mask: u32, visit: impl FnMut(Leaf) -> Visit) {
        self.touch(mask, SphereTouch::new(sphere), visit, &mut ());
    }

    /// Calls `visit` for every leaf with a layer in `mask` whose box may touch `obb`, by the axes of space and the three face axes of
    /// `obb`: none is left out, and one missed by a few roundings, or near an edge of `obb`, may be shown. In no fixed order.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Visit, narrowphase::{Aabb, Obb, glam::{Quat, Vec3}}};
    /// // Within the box around the turned one, and yet in front of its face.
    /// let tree = Bvh::build(&[Aabb::new(Vec3::new(4.0, 4.0, 0.0), Vec3::new(5.0, 5.0, 1.0))?]);
    /// let turned = Obb::new(Vec3::ZERO, Quat::from_rotation_z(0.75), Vec3::new(1.0, 7.0, 1.0))?;
    /// assert!(turned.aabb().overlaps(&tree.bounds().unwrap()));
    /// tree.overlap_obb(&turned, ALL, |_| unreachable!());
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    ///
    /// Source: Gottschalk, Lin, Manocha, "OBBTree" (1996), section 5, without the nine axes across two edges.
    pub fn overlap_obb(&self, obb: &Obb, mask: u32, visit: impl FnMut(Leaf) -> Visit) {
        self.touch(mask, ObbTouch::new(obb), visit, &mut ());
    }

    pub(crate) fn touch(&self, mask: u32, touch: impl Touch, visit: impl FnMut(Leaf) -> Visit, watch: &mut impl Watch) {
        let mut visitor = TouchVisitor { touch, visit };
        vectorized!(self.level, simd => walk(simd, self, mask, &mut visitor, watch));
    }
}

/// A volume at rest.
pub(crate) trait Touch {
    /// One bit a child: whether the volume touches its box.
    fn meet<S: Simd>(&self, simd: S, node: &Node) -> u32;
}

pub(crate) struct BoxTouch {
    min: Vec3,
    max: Vec3,
}

impl BoxTouch {
    pub(crate) fn aabb(aabb: &Aabb) -> Self {
        Self { min: aabb.min(), max: aabb.max() }
    }

    pub(crate) fn point(point: Vec3) -> Self {
        Self { min: point, max: point }
    }
}

impl Touch for BoxTouch {
    #[inline(always)]
    fn meet<S: Simd>(&self, simd: S, node: &Node) -> u32 {
        (0..3).fold(EVERY_LANE, |met, axis| {
            let (min, max) = (load(simd, &node.bounds[2 * axis]), load(simd, &node.bounds[2 * axis + 1]));
            met & at_most(min, splat(simd, self.max[axis])) & at_most(splat(simd, self.min[axis]), max)
        })
    }
}

/// The face axes are made ready when the first leaf comes up, which is often never: they cost as much as some six nodes. Nodes met
/// in vain before are no harm, as each leaf is tested itself.
pub(crate) struct ObbTouch<'a> {
    obb: &'a Obb,
    around: BoxTouch,
    faces: OnceCell<[Slab; 3]>,
}

impl<'a> ObbTouch<'a> {
    pub(crate) fn new(obb: &'a Obb) -> Self {
        Self { obb, around: BoxTouch::aabb(&obb.aabb()), faces: OnceCell::new() }
    }
}

impl Touch for ObbTouch<'_> {
    #[inline(always)]
    fn meet<S: Simd>(&self, simd: S, node: &Node) -> u32 {
        let mut met = self.around.meet(simd, node);
        if met == 0 || (self.faces.get().is_none() && met & marked(simd, &node.children) == 0) {
            return met;
        }
        for slab in self.faces.get_or_init(|| faces(self.obb)) {
            let (front, back) = slab.sides(simd, node);
            met &= !front & !back;
        }
        met
    }
}

/// What lies between the planes of two opposite faces, for each pair.
fn faces(obb: &Obb) -> [Slab; 3] {
    let (center, edges) = (obb.center().as_dvec3(), obb.half_edges().map(Vec3::as_dvec3));
    let size = edges.iter().fold(center.abs(), |sum, edge| sum + edge.abs());
    let slab = |i: usize| {
        // Any axis will do. Where a face has no area, the edge across it bounds the box as well.
        let across = edges[(i + 1) % 3].cross(edges[(i + 2) % 3]);
        let axis = if across == DVec3::ZERO { edges[i] } else { across };
        // Of a length that fits, which need not be 1; the zero axis of a point or a rod stays and tells nothing.
        let axis = axis * (1.0 / axis.abs().element_sum().max(f64::MIN_POSITIVE));
        let middle = axis.dot(center);
        // Of a few sums of three products: at most eight roundings each.
        let error = 32.0 * f64::EPSILON * axis.abs().dot(size);
        let reach = axis.dot(edges[0]).abs() + axis.dot(edges[1]).abs() + axis.dot(edges[2]).abs() + error;
        Slab::new(axis, middle - reach, middle + reach)
    };
    [slab(0), slab(1), slab(2)]
}

pub(crate) struct SphereTouch {
    center: Vec3,
    reach: f32,
}

impl SphereTouch {
    pub(crate) fn new(sphere: &Sphere) -> Self {
        // Five roundings in the distance², one in the square of the radius, and what underflow may lose.
        let reach = sphere.radius() * sphere.radius() * (1.0 + 8.0 * f32::EPSILON) + f32::MIN_POSITIVE;
        Self { center: sphere.center(), reach }
    }
}

impl Touch for SphereTouch {
    #[inline(always)]
    fn meet<S: Simd>(&self, simd: S, node: &Node) -> u32 {
        at_most(distance_squared(simd, node, self.center), splat(simd, self.reach))
    }
}

/// The squared distance of `point` from each child's box; infinite for an empty lane. Errs by at most five roundings.
#[inline(always)]
pub(super) fn distance_squared<S: Simd>(simd: S, node: &Node, point: Vec3) -> crate::lanes::f32x16<S> {
    let apart = |axis: usize| {
        let at = splat(simd, point[axis]);
        let (below, above) = (load(simd, &node.bounds[2 * axis]) - at, at - load(simd, &node.bounds[2 * axis + 1]));
        let apart = max(max(below, above), splat(simd, 0.0));
        apart * apart
    };
    apart(0) + apart(1) + apart(2)
}

pub(super) struct TouchVisitor<T, F> {
    pub(super) touch: T,
    pub(super) visit: F,
}

impl<S: Simd, T: Touch, F: FnMut(Leaf) -> Visit> Visitor<S> for TouchVisitor<T, F> {
    const ORDERED: bool = false;

    #[inline(always)]
    fn meet(&mut self, simd: S, node: &Node, _key: u32) -> (u32, Keys<S>) {
        (self.touch.meet(simd, node), same_key(simd, 0))
    }

    #[inline(always)]
    fn visit(&mut self, leaf: Leaf, _key: u32) -> ControlFlow<()> {
        if (self.visit)(leaf) == Visit::Stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
