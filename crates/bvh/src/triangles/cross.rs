//! Rays and segments through triangles.
//!
//! ```text
//!   x' = x − sx · z,   y' = y − sy · z           corners from the start, by the axis z along which the line is longest
//!   u = a'x · b'y − a'y · b'x,   v = …,   w = …  a sure miss: one below −E, one above E
//!   z / dz                                       a sure miss: all below 0, or all beyond the limit
//! ```
//! In `f32`, sixteen triangles at once. With `r` no less than all `x'` and `y'`, and `m` than `r` and the ways along
//! together, the former err by less than `2^-20 m`, and what is computed of them by less than `E = 2^-17 m r`.
//!
//! Source: Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection", JCGT 2.1 (2013), for the projection.

use super::{
    TriangleBvh,
    group::{Corners, Groups},
};
use crate::{
    ALL, Leaf, Probe, Visit,
    lanes::{Simd, abs, at_most, each_lane, f32x16, max, min, splat, vectorized},
    query::{Line, RaySearch},
    traverse::{Visitor, searched_by_field, traverse},
};
use cullide_narrowphase::glam::Vec3;
use std::ops::ControlFlow;

/// A share of `m · r` that nothing errs by.
const ERROR: f32 = 1.0 / (1u32 << 17) as f32;

/// More than what underflow does.
const TINY: f32 = 1.0e-40;

impl TriangleBvh {
    /// Calls `visit` with the number and the corners of each triangle that a ray or a segment may cross, roughly nearest
    /// first; [`Visit::Within`] and [`Visit::Stop`] cut the search short. A triangle that is crossed is never left out,
    /// and few others are shown. For a probe with a size, those whose boxes it may meet.
    ///
    /// ```
    /// # use cullide_bvh::{TriangleBvh, Probe, Visit, narrowphase::{Ray, glam::Vec3}};
    /// let floor = [Vec3::ZERO, Vec3::X * 4.0, Vec3::new(4.0, 0.0, 4.0), Vec3::Z * 4.0];
    /// let tree = TriangleBvh::build(&floor, &[[0, 2, 1], [0, 3, 2]], &[0, 1]);
    /// let mut met = vec![];
    /// tree.cross(&Probe::ray(&Ray::new(Vec3::new(1.0, 9.0, 3.0), Vec3::NEG_Y)?, 10.0), |number, corners| {
    ///     met.push((number, corners[1]));
    ///     Visit::Continue
    /// });
    /// assert_eq!(met, [(1, Vec3::Z * 4.0)]);
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn cross(&self, probe: &Probe, mut visit: impl FnMut(u32, [Vec3; 3]) -> Visit) {
        self.cross_in(probe, &mut visit);
    }

    fn cross_in(&self, probe: &Probe, visit: &mut dyn FnMut(u32, [Vec3; 3]) -> Visit) {
        if probe.reaches_any() {
            vectorized!(self.tree.level, simd => {
                let search = RaySearch::new(simd, probe);
                let visitor = &mut Crossings { simd, search, probe, groups: &self.groups, visit };
                traverse(simd, &self.tree, ALL, visitor);
            });
        }
    }
}

/// Shows the triangles that a line may cross to a closure.
struct Crossings<'a, S: Simd> {
    simd: S,
    search: RaySearch<S>,
    probe: &'a Probe,
    groups: &'a Groups,
    visit: &'a mut dyn FnMut(u32, [Vec3; 3]) -> Visit,
}

impl<S: Simd> Visitor<S> for Crossings<'_, S> {
    searched_by_field!(S);

    #[inline(always)]
    fn visit_leaf(&mut self, leaf: Leaf, _key: u32) -> ControlFlow<()> {
        let (simd, group) = (self.simd, leaf.index());
        let met = match &self.probe.line() {
            Some(line) => line.may_cross(simd, &self.groups.corners(simd, group, line.axes), self.search.reach()),
            None => self.search.test(simd, &self.groups.corners(simd, group, [0, 1, 2]).boxes()).0,
        };
        for lane in each_lane(met & self.groups.lanes(group)) {
            let number = self.groups.numbers(group)[lane];
            self.search.heed((self.visit)(number, self.groups.corners_of(group, lane)))?;
        }
        ControlFlow::Continue(())
    }
}

impl Line {
    /// Corners from the start: across, as seen along the line, and along.
    #[inline(always)]
    fn seen<S: Simd>(&self, simd: S, [x, y, z]: [f32x16<S>; 3]) -> (f32x16<S>, f32x16<S>, f32x16<S>) {
        let [from_x, from_y, from_z] = self.origin;
        let z = z - splat(simd, from_z);
        let u = x - splat(simd, from_x) - splat(simd, self.slant[0]) * z;
        let v = y - splat(simd, from_y) - splat(simd, self.slant[1]) * z;
        (u, v, z)
    }

    /// A bit for each triangle of a group, with the axes in the order of the line's, that it may cross by a time.
    #[inline(always)]
    pub(super) fn may_cross<S: Simd>(&self, simd: S, corners: &Corners<S>, until: f32) -> u32 {
        let [a, b, c] = corners.0;
        let ((au, av, az), (bu, bv, bz), (cu, cv, cz)) = (self.seen(simd, a), self.seen(simd, b), self.seen(simd, c));
        let reach = max(max(max(abs(au), abs(av)), max(abs(bu), abs(bv))), max(abs(cu), abs(cv)));
        let size = max(max(abs(az), abs(bz)), abs(cz)) + reach;
        let (ab, bc, ca) = (au * bv - av * bu, bu * cv - bv * cu, cu * av - cv * au);
        let error = size * reach * splat(simd, ERROR) + splat(simd, TINY);
        let is_inside = at_most(splat(simd, 0.0) - error, min(min(ab, bc), ca)) | at_most(max(max(ab, bc), ca), error);
        let inverse = splat(simd, self.inverse);
        let (at_a, at_b, at_c) = (az * inverse, bz * inverse, cz * inverse);
        // More than what is lost where numbers underflow.
        let until = splat(simd, until + f32::MIN_POSITIVE);
        let is_on_way =
            at_most(min(min(at_a, at_b), at_c), until) & at_most(splat(simd, 0.0), max(max(at_a, at_b), at_c));
        is_inside & is_on_way
    }
}
