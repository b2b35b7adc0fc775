//! Rays, segments and swept boxes through the boxes of triangles.

use super::{TriangleBvh, group::Groups};
use crate::{
    ALL, Leaf, Probe, Visit,
    lanes::{LANES, Simd, compress_keyed, vectorized},
    query::RaySearch,
    traverse::{Visitor, searched_by_field, traverse},
};
use cullide_narrowphase::TriangleColumns;
use std::ops::ControlFlow;

impl TriangleBvh {
    /// Calls `visit` with the triangles whose boxes the probe may meet, by number, and with where it enters each box,
    /// those of a group at a time, roughly nearest first; [`Visit::Within`] and [`Visit::Stop`] cut the search short. All
    /// as in [`Bvh::cast`].
    ///
    /// [`Bvh::cast`]: crate::Bvh::cast
    ///
    /// ```
    /// # use cullide_bvh::{TriangleBvh, Probe, Visit, narrowphase::{Aabb, glam::Vec3}};
    /// let floor = [Vec3::ZERO, Vec3::X * 4.0, Vec3::new(4.0, 0.0, 4.0), Vec3::Z * 4.0];
    /// let tree = TriangleBvh::build(&floor, &[[0, 2, 1], [0, 3, 2]], &[0, 1]);
    /// let falling = Probe::swept(&Aabb::new(Vec3::Y, Vec3::splat(2.0))?, Vec3::NEG_Y * 4.0);
    /// let mut met = vec![];
    /// tree.cast(&falling, |numbers, triangles, entries| {
    ///     met.extend(numbers.iter().zip(entries).map(|(&number, &entry)| (number, entry)));
    ///     assert!(triangles.triangle(numbers.len() - 1).is_some());
    ///     Visit::Continue
    /// });
    /// assert_eq!(met, [(0, 0.25), (1, 0.25)]);
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn cast(&self, probe: &Probe, mut visit: impl FnMut(&[u32], &TriangleColumns, &[f32]) -> Visit) {
        self.cast_in(probe, &mut visit);
    }

    fn cast_in(&self, probe: &Probe, visit: &mut Show<'_>) {
        if probe.reaches_any() {
            vectorized!(self.tree.level, simd => {
                let visitor = &mut GroupsMet { simd, search: RaySearch::new(simd, probe), groups: &self.groups, visit };
                traverse(simd, &self.tree, ALL, visitor);
            });
        }
    }
}

/// What triangles are shown to.
type Show<'a> = dyn FnMut(&[u32], &TriangleColumns, &[f32]) -> Visit + 'a;

/// Shows the triangles whose boxes a probe meets to a closure.
struct GroupsMet<'a, 'b, S: Simd> {
    simd: S,
    search: RaySearch<S>,
    groups: &'a Groups,
    visit: &'a mut Show<'b>,
}

impl<S: Simd> Visitor<S> for GroupsMet<'_, '_, S> {
    searched_by_field!(S, groups);

    #[inline(always)]
    fn visit_leaf(&mut self, leaf: Leaf, _key: u32) -> ControlFlow<()> {
        let (simd, group) = (self.simd, leaf.index());
        let corners = self.groups.corners(simd, group, [0, 1, 2]);
        let (met, keys) = self.search.test(simd, &corners.boxes());
        let met = met & self.groups.lanes(group);
        if met == 0 {
            return ControlFlow::Continue(());
        }
        let (entries, numbers) = compress_keyed(simd, keys, self.groups.every_number(group), met);
        let count = met.count_ones() as usize % (LANES + 1);
        let entries = entries.map(f32::from_bits);
        self.search.heed((self.visit)(&numbers[..count], &corners.columns(simd, met), &entries[..count]))
    }
}
