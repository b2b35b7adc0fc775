//! Which triangles rays and segments cross.
//!
//! ```text
//!   x' = x − sx · z,   y' = y − sy · z           corners from the start; the line is longest along the axis z
//!   u = a'x · b'y − a'y · b'x,   v = …,   w = …  a certain miss: one below −E, one above E
//!   z / dz                                       a certain miss: all below 0, or all beyond the limit
//! ```
//! Sixteen triangles at once, in `f32`. Let `r` be an upper bound on all `|x'|` and `|y'|`, and `m` on `r + |z|`. Then
//! `x'` and `y'` err by less than `2^-20 m`, and what is computed from them by less than `E = 2^-17 m r`.
//!
//! Source: Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection", JCGT 2.1 (2013), for the projection.

use super::{TriangleBvh, group::TriangleGroups};
use crate::{
    ALL, Leaf, Probe, Visit,
    lanes::{Simd, abs, at_most, each_lane, f32x16, load, max, min, splat, vectorized},
    query::{OneMotion, PacketLines, ProbeLine, RaySearch},
    traverse::{Visitor, searched_by_field, traverse},
};
use cullide_narrowphase::glam::Vec3;
use std::ops::ControlFlow;

/// All errors are less than this fraction of `m · r`.
const ERROR: f32 = 1.0 / (1u32 << 17) as f32;

/// An upper bound on the effect of underflow.
const TINY: f32 = 1.0e-40;

impl TriangleBvh {
    /// Calls `visit` with the number and the corners of each triangle that a ray or a segment may cross, roughly
    /// nearest first; [`Visit::Within`] and [`Visit::Stop`] cut the search short. A triangle that is crossed is never
    /// left out, and few others are shown. For a probe with a size, shows the triangles whose boxes it may meet.
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

/// Passes the triangles that a line may cross to a closure.
struct Crossings<'a, S: Simd> {
    simd: S,
    search: RaySearch<S, OneMotion<'a>>,
    probe: &'a Probe,
    groups: &'a TriangleGroups,
    visit: &'a mut dyn FnMut(u32, [Vec3; 3]) -> Visit,
}

impl<S: Simd> Visitor<S> for Crossings<'_, S> {
    searched_by_field!(S, groups);

    #[inline(always)]
    fn visit_leaf(&mut self, leaf: Leaf, _key: u32) -> ControlFlow<()> {
        let (simd, group) = (self.simd, leaf.index());
        let met = match &self.probe.line() {
            Some(line) => {
                let corners = self.groups.corners(simd, group, line.axes).columns;
                LineLanes::one(simd, line).may_cross(simd, corners, splat(simd, self.search.reach()))
            }
            None => self.search.test(simd, &self.groups.boxes(simd, group)).0,
        };
        for lane in each_lane(met & self.groups.lanes(group)) {
            let number = self.groups.numbers(group)[lane];
            self.search.heed((self.visit)(number, self.groups.corners_of(group, lane)))?;
        }
        ControlFlow::Continue(())
    }
}

/// Lines in registers: the same line in all lanes, or one line per lane.
pub(super) struct LineLanes<S: Simd> {
    origin: [f32x16<S>; 3],
    slant: [f32x16<S>; 2],
    inverse: f32x16<S>,
}

impl<S: Simd> LineLanes<S> {
    #[inline(always)]
    pub(super) fn one(simd: S, line: &ProbeLine) -> Self {
        let ([x, y, z], [u, v]) = (line.origin, line.slant);
        Self {
            origin: [splat(simd, x), splat(simd, y), splat(simd, z)],
            slant: [splat(simd, u), splat(simd, v)],
            inverse: splat(simd, line.inverse),
        }
    }

    #[inline(always)]
    pub(super) fn many(simd: S, lines: &PacketLines) -> Self {
        let ([x, y, z], [u, v]) = (lines.origin, &lines.slant);
        Self {
            origin: [load(simd, x), load(simd, y), load(simd, z)],
            slant: [load(simd, u), load(simd, v)],
            inverse: load(simd, lines.inverse),
        }
    }

    /// A corner relative to the start: its two offsets across the line, as seen along it, and its offset along.
    #[inline(always)]
    fn seen(&self, [x, y, z]: [f32x16<S>; 3]) -> (f32x16<S>, f32x16<S>, f32x16<S>) {
        let z = z - self.origin[2];
        let u = x - self.origin[0] - self.slant[0] * z;
        let v = y - self.origin[1] - self.slant[1] * z;
        (u, v, z)
    }

    /// A bit for each lane whose line may cross its triangle no later than `until`. The axes of corners must be in the
    /// order of the axes of the lines.
    #[inline(always)]
    pub(super) fn may_cross(&self, simd: S, [a, b, c]: [[f32x16<S>; 3]; 3], until: f32x16<S>) -> u32 {
        let ((au, av, az), (bu, bv, bz), (cu, cv, cz)) = (self.seen(a), self.seen(b), self.seen(c));
        let reach = max(max(max(abs(au), abs(av)), max(abs(bu), abs(bv))), max(abs(cu), abs(cv)));
        let size = max(max(abs(az), abs(bz)), abs(cz)) + reach;
        let (ab, bc, ca) = (au * bv - av * bu, bu * cv - bv * cu, cu * av - cv * au);
        let error = size * reach * splat(simd, ERROR) + splat(simd, TINY);
        let is_inside = at_most(splat(simd, 0.0) - error, min(min(ab, bc), ca)) | at_most(max(max(ab, bc), ca), error);
        let (at_a, at_b, at_c) = (az * self.inverse, bz * self.inverse, cz * self.inverse);
        // More than what underflow may lose.
        let until = until + splat(simd, f32::MIN_POSITIVE);
        let is_on_way =
            at_most(min(min(at_a, at_b), at_c), until) & at_most(splat(simd, 0.0), max(max(at_a, at_b), at_c));
        is_inside & is_on_way
    }
}
