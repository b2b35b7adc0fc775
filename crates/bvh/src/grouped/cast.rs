//! Rays, segments and swept boxes through groups of boxes.

use super::{GroupedBvh, group::Group};
use crate::{
    ALL, Leaf, Probe, Visit,
    lanes::{LANES, Simd, compress_keyed, vectorized},
    query::RaySearch,
    traverse::{Visitor, searched_by_field, traverse},
};
use std::ops::ControlFlow;

impl GroupedBvh {
    /// Calls `visit` with the numbers of the boxes that the probe may meet, and with where it enters each, those of a
    /// group at a time, roughly nearest first; [`Visit::Within`] and [`Visit::Stop`] cut the search short. All as in
    /// [`Bvh::cast`], but that a box may be entered earlier than it is.
    ///
    /// A box that is met is never left out. One that is missed by less than two parts in 255 of the size of its group,
    /// or met as little beyond the limit, may be shown.
    ///
    /// [`Bvh::cast`]: crate::Bvh::cast
    ///
    /// ```
    /// # use cullide_bvh::{GroupedBvh, Probe, Visit, narrowphase::{Aabb, Ray, glam::Vec3}};
    /// let boxes = [1.0, 3.0, 5.0].map(|x| Aabb::new(Vec3::X * x, Vec3::X * x + Vec3::ONE).unwrap());
    /// let tree = GroupedBvh::build(&boxes, |i| i as u32);
    /// let mut met = vec![];
    /// tree.cast(&Probe::ray(&Ray::new(Vec3::ZERO, Vec3::X)?, 4.5), |numbers, _| {
    ///     met.extend_from_slice(numbers);
    ///     Visit::Continue
    /// });
    /// assert_eq!(met, [0, 1]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn cast(&self, probe: &Probe, mut visit: impl FnMut(&[u32], &[f32]) -> Visit) {
        self.cast_in(probe, &mut visit);
    }

    fn cast_in(&self, probe: &Probe, visit: &mut dyn FnMut(&[u32], &[f32]) -> Visit) {
        if probe.reaches_any() {
            vectorized!(self.tree.level, simd => {
                let visitor = &mut GroupRays { simd, search: RaySearch::new(simd, probe), groups: &self.groups, visit };
                traverse(simd, &self.tree, ALL, visitor);
            });
        }
    }
}

/// Shows the boxes that a probe meets to a closure.
struct GroupRays<'a, S: Simd> {
    simd: S,
    search: RaySearch<S>,
    groups: &'a [Group],
    visit: &'a mut dyn FnMut(&[u32], &[f32]) -> Visit,
}

impl<S: Simd> Visitor<S> for GroupRays<'_, S> {
    searched_by_field!(S);

    #[inline(always)]
    fn visit_leaf(&mut self, leaf: Leaf, _key: u32) -> ControlFlow<()> {
        let group = &self.groups[leaf.index()];
        let (met, keys) = self.search.test(self.simd, group);
        let met = met & group.lanes();
        if met == 0 {
            return ControlFlow::Continue(());
        }
        let (entries, numbers) = compress_keyed(self.simd, keys, group.every_number(), met);
        let count = met.count_ones() as usize % (LANES + 1);
        self.search.heed((self.visit)(&numbers[..count], &entries.map(f32::from_bits)[..count]))
    }
}
