//! Casting rays, segments and swept boxes through the tree.
//!
//! ```text
//!        near x   far x            inside = in all slabs at once
//!   o ----[=========]---->         enter  = max(near x, near y, near z, 0)
//!      near y  far y               exit   = min(far x, far y, far z, limit)
//!   o ---[=======]------->         met    iff enter <= exit
//! ```
//! Faces are selected by the sign of the direction, so every step is monotone: a child's box, inside its parent's,
//! gives an entry no earlier and an exit no later, bit for bit. Hence the tree meets exactly the leaves that a scan
//! with the same test would meet.
//!
//! Source: Kay and Kajiya, "Ray Tracing Complex Scenes" (1986), slabs; Williams et al., "An Efficient and Robust
//! Ray–Box Intersection Algorithm" (2005).

use super::{
    Probe,
    probe::{EntryFaces, OneMotion, SlabLanes},
};
use crate::{
    Leaf,
    lanes::{Keys, Simd, at_most, distances, keys, splat, vectorized_512},
    node::{LEAF, Rows},
    traverse::{Visit, Visitor, searched_by_field, traverse},
    tree::Bvh,
};
use std::{marker::PhantomData, ops::ControlFlow};

impl Bvh {
    /// Calls `visit` for every leaf with a layer in `mask` whose box the probe may meet, with the distance at which it
    /// enters the box (0 for a start inside; off by at most three roundings), roughly nearest first. [`Visit::Within`]
    /// and [`Visit::Stop`] cut the search short.
    ///
    /// A box that is met is never left out; after [`Visit::Within`], this holds for boxes that are met within that
    /// distance. A box missed by less than a few roundings may be shown, and so may, without a limit, anything farther
    /// than `f32::MAX`.
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
        if !probe.reaches_any() {
            return;
        }
        match self.lane_of_lone_leaf() {
            Some(lane) => self.cast_at_one(lane, probe, mask, visit),
            None => {
                vectorized_512!(self.level, simd => traverse(simd, self, mask, &mut RayVisitor::new(simd, probe, visit)));
            }
        }
    }

    /// Casts at the only leaf of a tree. This takes half the time of testing sixteen lanes of which fifteen are empty,
    /// and a world may consist of a single mesh.
    fn cast_at_one(&self, lane: usize, probe: &Probe, mask: u32, visit: &mut dyn FnMut(Leaf, f32) -> Visit) {
        if self.masks[0][lane] & mask != 0
            && let Some(entry) = probe.entry(&self.nodes[0], lane)
        {
            visit(Leaf::from_bits(self.nodes[0].children[lane] & !LEAF), entry);
        }
    }
}

/// A probe on its way through a tree: the state of every visitor that follows one.
pub(crate) struct RaySearch<S: Simd, L> {
    faces: EntryFaces,
    lanes: L,
    limit: f32,
    simd: PhantomData<S>,
}

impl<'a, S: Simd> RaySearch<S, OneMotion<'a>> {
    #[inline(always)]
    pub(crate) fn new(_: S, probe: &'a Probe) -> Self {
        Self::with_lanes(probe.faces, OneMotion(&probe.motion), probe.max)
    }
}

impl<S: Simd, L: SlabLanes<S>> RaySearch<S, L> {
    #[inline(always)]
    pub(super) fn with_lanes(faces: EntryFaces, lanes: L, limit: f32) -> Self {
        Self { faces: faces.by_element(), lanes, limit, simd: PhantomData }
    }

    /// The boxes, of sixteen, that are met, one bit each, and where each is entered.
    #[inline(always)]
    pub(crate) fn test(&self, simd: S, boxes: &impl Rows) -> (u32, Keys<S>) {
        let reach = splat(simd, Probe::reach(self.limit));
        let (lanes, entries) = self.lanes.test(simd, self.faces.rows(simd, boxes), reach);
        (lanes, keys(entries))
    }

    /// The distance up to which boxes and corners still matter.
    #[inline(always)]
    pub(crate) fn reach(&self) -> f32 {
        Probe::reach(self.limit)
    }

    /// Limits the search to this distance.
    #[inline(always)]
    pub(crate) fn limit_to(&mut self, limit: f32) {
        self.limit = self.limit.min(limit);
    }

    /// Applies the answer to a visit.
    #[inline(always)]
    pub(crate) fn heed(&mut self, answer: Visit) -> ControlFlow<()> {
        match answer {
            Visit::Continue => ControlFlow::Continue(()),
            Visit::Within(limit) => {
                self.limit_to(limit);
                ControlFlow::Continue(())
            }
            Visit::Stop => ControlFlow::Break(()),
        }
    }

    #[inline(always)]
    pub(crate) fn is_culled(&self, key: u32) -> bool {
        f32::from_bits(key) > Probe::reach(self.limit)
    }

    #[inline(always)]
    pub(crate) fn live_lanes(&self, simd: S, keys: Keys<S>) -> u32 {
        at_most(distances(keys), splat(simd, Probe::reach(self.limit)))
    }
}

/// Passes the leaves that a probe meets to a closure.
pub(crate) struct RayVisitor<'a, S: Simd> {
    search: RaySearch<S, OneMotion<'a>>,
    visit: &'a mut dyn FnMut(Leaf, f32) -> Visit,
}

impl<'a, S: Simd> RayVisitor<'a, S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, probe: &'a Probe, visit: &'a mut dyn FnMut(Leaf, f32) -> Visit) -> Self {
        Self { search: RaySearch::new(simd, probe), visit }
    }
}

impl<S: Simd> Visitor<S> for RayVisitor<'_, S> {
    searched_by_field!(S);

    #[inline(always)]
    fn visit_leaf(&mut self, leaf: Leaf, key: u32) -> ControlFlow<()> {
        self.search.heed((self.visit)(leaf, f32::from_bits(key)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ALL;
    use cullide_narrowphase::{Aabb, Ray, glam::Vec3};

    #[test]
    fn one_leaf_alone_is_entered_where_it_is_among_others() {
        let far = Aabb::new(Vec3::splat(-900.0), Vec3::splat(-800.0)).unwrap();
        // Small integers, so that many rays run along faces and start on them.
        let point = |i: u32| Vec3::from([i % 4, i / 4 % 4, i / 16 % 4].map(|x| x as f32 - 1.0));
        let (mut met, mut missed) = (0, 0);
        for i in 0..64 * 64 {
            let (min, size) = (point(i), 1.0 + point(i / 64));
            let aabb = Aabb::new(min, min + size).unwrap();
            let (alone, two) = (Bvh::build(&[aabb]), Bvh::build(&[aabb, far]));
            for k in 0..32 {
                let Ok(ray) = Ray::new(point(i.wrapping_mul(k + 7)), point(k * 67 + i) * 0.7) else { continue };
                for limit in [0.0, 1.0, f32::INFINITY] {
                    let entry = |tree: &Bvh| {
                        let mut entry = None;
                        tree.cast(&Probe::ray(&ray, limit), ALL, |leaf, at| {
                            entry = if leaf.index() == 0 { Some(at.to_bits()) } else { entry };
                            Visit::Continue
                        });
                        entry
                    };
                    assert_eq!(entry(&alone), entry(&two), "{ray:?} {limit} {aabb:?}");
                    (met, missed) = if entry(&alone).is_some() { (met + 1, missed) } else { (met, missed + 1) };
                }
            }
        }
        assert!(met > 50_000 && missed > 50_000, "{met} {missed}");
        let mut tree = Bvh::build_with([(far, 0b10)], &crate::BuildOptions::default());
        let ray = Probe::ray(&Ray::new(Vec3::ZERO, Vec3::NEG_ONE).unwrap(), f32::INFINITY);
        let shown = |tree: &Bvh, mask| {
            let mut shown = 0;
            tree.cast(&ray, mask, |_, _| {
                shown += 1;
                Visit::Continue
            });
            shown
        };
        assert_eq!([shown(&tree, 0b10), shown(&tree, 0b01)], [1, 0]);
        // Removed leaves leave lanes free, and perhaps nodes above them.
        let others: Vec<_> =
            (0..300).map(|i| tree.insert(&Aabb::new(Vec3::X * i as f32, Vec3::ONE * 400.0).unwrap(), ALL)).collect();
        others.into_iter().for_each(|leaf| _ = tree.remove(leaf));
        assert_eq!([shown(&tree, 0b10), shown(&tree, 0b01)], [1, 0]);
    }
}
