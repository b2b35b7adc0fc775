//! Rays, segments and swept boxes through the tree.
//!
//! ```text
//!        near x   far x            inside = in all slabs at once
//!   o ----[=========]---->         enter  = max(near x, near y, near z, 0)
//!      near y  far y               exit   = min(far x, far y, far z, limit)
//!   o ---[=======]------->         met    iff enter <= exit
//! ```
//! Faces are picked by the sign of the direction, so every step is monotone: a child's box inside its parent's gives an
//! entry no earlier and an exit no later, bit for bit. Hence the tree meets exactly the leaves that a scan with the
//! same test would.
//!
//! Source: Kay and Kajiya, "Ray Tracing Complex Scenes" (1986), slabs; Williams et al., "An Efficient and Robust
//! Ray–Box Intersection Algorithm" (2005).

use super::{
    Probe,
    probe::{EntryFaces, RayLanes},
};
use crate::{
    Leaf,
    lanes::{Keys, Simd, at_most, distances, keys, splat, vectorized},
    node::{Node, NodeIndex},
    traverse::{Order, Visit, Visitor, traverse},
    tree::Bvh,
};
use std::ops::ControlFlow;

impl Bvh {
    /// Calls `visit` for every leaf with a layer in `mask` whose box the probe may meet, with where it enters (0 for a
    /// start inside; at most three roundings off), roughly nearest first; [`Visit::Within`] and [`Visit::Stop`] cut the
    /// search short.
    ///
    /// A box that is met is never left out, nor one that is met within the distance last answered with
    /// [`Visit::Within`]. A box missed by less than a few roundings may be shown, and so may anything farther than
    /// `f32::MAX` without a limit.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Probe, Visit, narrowphase::{Aabb, Ray, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::X, Vec3::ONE)?, Aabb::new(Vec3::X * 3.0, Vec3::splat(3.0))?]);
    /// let mut entries = vec![];
    /// tree.cast(&Probe::ray(&Ray::new(Vec3::ZERO, Vec3::X)?, 100.0), ALL, |leaf, entry| {
    ///     entries.push((leaf.index(), entry));
    ///     Visit::Continue
    /// });
    /// entries.sort_by(|a, b| a.1.total_cmp(&b.1));
    /// assert_eq!(entries, [(0, 1.0), (1, 3.0)]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn cast(&self, probe: &Probe, mask: u32, mut visit: impl FnMut(Leaf, f32) -> Visit) {
        self.cast_in(probe, mask, &mut visit);
    }

    fn cast_in(&self, probe: &Probe, mask: u32, visit: &mut dyn FnMut(Leaf, f32) -> Visit) {
        if probe.reaches_any() {
            vectorized!(self.level, simd => traverse(simd, self, mask, &mut RayVisitor::new(simd, probe, visit)));
        }
    }
}

/// Shows the leaves that a probe meets to a closure.
pub(crate) struct RayVisitor<'a, S: Simd> {
    faces: EntryFaces,
    lanes: RayLanes<S>,
    limit: f32,
    visit: &'a mut dyn FnMut(Leaf, f32) -> Visit,
}

impl<'a, S: Simd> RayVisitor<'a, S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, probe: &Probe, visit: &'a mut dyn FnMut(Leaf, f32) -> Visit) -> Self {
        let lanes = RayLanes::new(simd, &probe.motion);
        Self { faces: probe.faces.by_element(), lanes, limit: probe.max, visit }
    }
}

impl<S: Simd> Visitor<S> for RayVisitor<'_, S> {
    const ORDER: Order = Order::NearestFirst;

    #[inline(always)]
    fn test_children(&mut self, simd: S, _: NodeIndex, node: &Node, _key: u32) -> (u32, Keys<S>) {
        let reach = splat(simd, Probe::reach(self.limit));
        let (lanes, entries) = self.lanes.test(simd, self.faces.rows(simd, node), reach);
        (lanes, keys(entries))
    }

    #[inline(always)]
    fn visit_leaf(&mut self, leaf: Leaf, key: u32) -> ControlFlow<()> {
        match (self.visit)(leaf, f32::from_bits(key)) {
            Visit::Continue => ControlFlow::Continue(()),
            Visit::Within(limit) => {
                self.limit = self.limit.min(limit);
                ControlFlow::Continue(())
            }
            Visit::Stop => ControlFlow::Break(()),
        }
    }

    #[inline(always)]
    fn is_culled(&self, key: u32) -> bool {
        f32::from_bits(key) > Probe::reach(self.limit)
    }

    #[inline(always)]
    fn live_lanes(&self, simd: S, keys: Keys<S>) -> u32 {
        at_most(distances(keys), splat(simd, Probe::reach(self.limit)))
    }
}
