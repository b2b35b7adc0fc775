//! Rays, segments and swept boxes through the tree.
//!
//! ```text
//!        near x   far x            inside = in all slabs at once
//!   o ----[=========]---->         enter  = max(near x, near y, near z, 0)
//!      near y  far y               exit   = min(far x, far y, far z, limit)
//!   o ---[=======]------->         met    iff enter <= exit
//! ```
//! Sides are picked by the sign of the direction, so every step is monotone: a child's box inside its parent's gives an entry no
//! earlier and an exit no later, bit for bit. Hence the tree meets exactly the leaves that a scan with the same test would.
//!
//! Source: 004, "ray and AABB"; Williams et al., "An Efficient and Robust Ray–Box Intersection Algorithm".

use super::{
    Probe,
    probe::{Sides, Splat},
};
use crate::{
    Best, Leaf,
    lanes::{Keys, Simd, at_most, distances, f32x16, keys, splat, vectorized},
    node::Node,
    tree::Bvh,
    walk::{Visit, Visitor, Watch, walk},
};
use std::{cmp::Ordering, ops::ControlFlow};

impl Bvh {
    /// Calls `visit` for every leaf with a layer in `mask` whose box the probe may meet, with where it enters (0 for a start
    /// inside; at most three roundings off), roughly nearest first; [`Visit::Within`] and [`Visit::Stop`] cut the search short.
    ///
    /// A box that is met is never left out, nor one that is met within the distance last answered with [`Visit::Within`]. A box
    /// missed by less than a few roundings may be shown, and so may anything farther than `f32::MAX` without a limit.
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
    pub fn cast(&self, probe: &Probe, mask: u32, visit: impl FnMut(Leaf, f32) -> Visit) {
        self.cast_watched(probe, mask, visit, &mut ());
    }

    pub(crate) fn cast_watched(
        &self,
        probe: &Probe,
        mask: u32,
        visit: impl FnMut(Leaf, f32) -> Visit,
        watch: &mut impl Watch,
    ) {
        if probe.max >= 0.0 {
            vectorized!(self.level, simd => walk(simd, self, mask, &mut RayVisitor::<_, _, true>::new(simd, probe, visit), watch));
        }
    }

    /// The same for visitors that are done sooner than leaves are sorted.
    fn cast_unsorted(&self, probe: &Probe, mask: u32, visit: impl FnMut(Leaf, f32) -> Visit) {
        if probe.max >= 0.0 {
            vectorized!(self.level, simd => walk(simd, self, mask, &mut RayVisitor::<_, _, false>::new(simd, probe, visit), &mut ()));
        }
    }

    /// Appends the first `count` leaves that the probe meets to `hits`, each with where it enters, ordered by that and then by leaf.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Leaf, Probe, narrowphase::{Aabb, Ray, glam::Vec3}};
    /// let boxes = [5.0, 1.0, 3.0].map(|x| Aabb::new(Vec3::X * x, Vec3::X * (x + 1.0)).unwrap());
    /// let probe = Probe::ray(&Ray::new(Vec3::ZERO, Vec3::X)?, 100.0);
    /// let mut hits = vec![];
    /// Bvh::build(&boxes).hits(&probe, ALL, 2, &mut hits);
    /// assert_eq!(hits, [(Leaf::new(1), 1.0), (Leaf::new(2), 3.0)]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn hits(&self, probe: &Probe, mask: u32, count: usize, hits: &mut Vec<(Leaf, f32)>) {
        if count == 0 {
            return;
        }
        let order =
            |a: &(Leaf, f32), b: &(Leaf, f32)| a.1.partial_cmp(&b.1).unwrap_or(Ordering::Equal).then(a.0.cmp(&b.0));
        let mut best = Best::new(hits, count, order);
        self.cast_unsorted(probe, mask, |leaf, entry| {
            best.offer((leaf, entry));
            best.greatest().map_or(Visit::Continue, |last| Visit::Within(last.1))
        });
        best.finish();
    }

    /// Whether the probe meets any leaf's box.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Probe, narrowphase::{Ray, glam::Vec3}};
    /// assert!(!Bvh::new().any(&Probe::ray(&Ray::new(Vec3::ZERO, Vec3::X)?, 100.0), ALL));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn any(&self, probe: &Probe, mask: u32) -> bool {
        let mut found = false;
        self.cast_unsorted(probe, mask, |_, _| {
            found = true;
            Visit::Stop
        });
        found
    }
}

/// `SORTED` as in [`Visitor`].
struct RayVisitor<S: Simd, F, const SORTED: bool> {
    path: Path<S>,
    limit: f32,
    visit: F,
}

impl<S: Simd, F, const SORTED: bool> RayVisitor<S, F, SORTED> {
    #[inline(always)]
    fn new(simd: S, probe: &Probe, visit: F) -> Self {
        Self { path: Path::new(simd, probe), limit: probe.max, visit }
    }
}

impl<S: Simd, F: FnMut(Leaf, f32) -> Visit, const SORTED: bool> Visitor<S> for RayVisitor<S, F, SORTED> {
    const ORDERED: bool = true;
    const SORTED: bool = SORTED;

    #[inline(always)]
    fn meet(&mut self, simd: S, node: &Node, _key: u32) -> (u32, Keys<S>) {
        self.path.meet(simd, node, splat(simd, Probe::reach(self.limit)))
    }

    #[inline(always)]
    fn visit(&mut self, leaf: Leaf, key: u32) -> ControlFlow<()> {
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
    fn is_beyond(&self, key: u32) -> bool {
        f32::from_bits(key) > Probe::reach(self.limit)
    }

    #[inline(always)]
    fn matters(&self, simd: S, keys: Keys<S>) -> u32 {
        at_most(distances(keys), splat(simd, Probe::reach(self.limit)))
    }
}

/// A probe in registers.
pub(super) struct Path<S: Simd> {
    slabs: Splat<S>,
    sides: Sides,
}

impl<S: Simd> Path<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, probe: &Probe) -> Self {
        Self { slabs: probe.slabs.splat(simd), sides: probe.sides.apart() }
    }

    #[inline(always)]
    pub(super) fn meet(&self, simd: S, node: &Node, reach: f32x16<S>) -> (u32, Keys<S>) {
        let (lanes, entries) = self.slabs.meet(simd, self.sides.rows(simd, node), reach);
        (lanes, keys(entries))
    }
}
