//! Which triangles rays and segments cross.
//!
//! ```text
//!   x' = x − sx · z,   y' = y − sy · z           corners from the start; the line is longest along the axis z
//!   u = a'x · b'y − a'y · b'x,   v = …,   w = …  a certain miss: one below −E, one above E
//!   z / dz                                       a certain miss: all below 0, or all beyond the limit
//! ```
//! Eight triangles at once, in `f32`: their vertices are projected once, then each corner looks up its own.
//!
//! Let no two vertices of a group be farther apart than `e` along any axis. A line that crosses a triangle passes it
//! within `e` along each axis, and goes at most 1.25 across per unit along: so all `|x'|` and `|y'|` of its corners are
//! at most `r = 2.25 e`, all `|z|` at most `e` from that of the first corner, and no coordinate from the start exceeds
//! `m = |z| + e + r`. Then `x'` and `y'` err by less than `2^-20 m`, and what is computed from them by less than
//! `E = 2^-17 m r`. For other lines the bound need not hold: they are to be missed.
//!
//! Source: Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection", JCGT 2.1 (2013), for the projection.

use super::{
    Ahead, Along, TriangleBvh,
    group::{Groups, Vertices},
};
use crate::{
    ALL, Leaf, Probe, Visit,
    lanes::{
        Floats, Simd, abs, at_most, each_lane, f32x8, f32x16, load16, lookup::lookup, max, min, splat, splat_all,
        vectorized,
    },
    query::{Line, Lines, OneMotion, RaySearch},
    traverse::{Visitor, searched_by_field, traverse},
};
use cullide_narrowphase::glam::Vec3;
use std::ops::ControlFlow;

/// All errors for a triangle that is crossed are less than this fraction of `m · r`.
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
        if !probe.reaches_any() {
            return;
        }
        let Some(line) = probe.line() else { return self.cross_boxes(probe, visit) };
        vectorized!(self.tree.level, simd => {
            let search = RaySearch::new(simd, probe);
            let visitor = &mut Crossings { simd, search, line: &line, groups: &self.groups, visit };
            traverse(simd, &self.tree, ALL, visitor);
        });
    }

    /// The same using only the boxes of triangles.
    #[cold]
    fn cross_boxes(&self, probe: &Probe, visit: &mut dyn FnMut(u32, [Vec3; 3]) -> Visit) {
        let mut limit = f32::INFINITY;
        self.cast(probe, |along| {
            if let Along::Triangles(numbers, triangles) = along {
                for (i, &number) in numbers.iter().enumerate() {
                    match visit(number, triangles.corners(i)) {
                        Visit::Continue => {}
                        Visit::Within(within) => limit = limit.min(within),
                        Visit::Stop => return Ahead { limit: -1.0, put_off: f32::INFINITY },
                    }
                }
            }
            Ahead { limit, put_off: f32::INFINITY }
        });
    }
}

/// Passes the triangles that a line may cross to a closure.
struct Crossings<'a, S: Simd> {
    simd: S,
    search: RaySearch<S, OneMotion<'a>>,
    line: &'a Line,
    groups: &'a Groups,
    visit: &'a mut dyn FnMut(u32, [Vec3; 3]) -> Visit,
}

impl<S: Simd> Visitor<S> for Crossings<'_, S> {
    searched_by_field!(S, groups);

    #[inline(always)]
    fn visit_leaf(&mut self, leaf: Leaf, _key: u32) -> ControlFlow<()> {
        let group = self.groups.group(leaf.index());
        // Broadcast here, as in [`OneMotion`].
        let line = std::hint::black_box(self.line);
        let vertices = group.vertices(self.simd, line.axes);
        let met = LineLanes::one(self.simd, line).cross_group(self.simd, &vertices, self.search.reach());
        for lane in each_lane(met & group.lanes()) {
            self.search.heed((self.visit)(group.every_number()[lane], group.corners_of(lane)))?;
        }
        ControlFlow::Continue(())
    }
}

/// Lines in registers: the same line in all lanes, or one line per lane.
pub(super) struct LineLanes<V> {
    origin: [V; 3],
    slant: [V; 2],
    inverse: V,
}

impl<V> LineLanes<V> {
    #[inline(always)]
    pub(super) fn one<S: Simd>(simd: S, line: &Line) -> Self
    where
        V: Floats<S>,
    {
        let ([x, y, z], [u, v]) = (line.origin, line.slant);
        Self {
            origin: [splat_all(simd, x), splat_all(simd, y), splat_all(simd, z)],
            slant: [splat_all(simd, u), splat_all(simd, v)],
            inverse: splat_all(simd, line.inverse),
        }
    }

    /// A point relative to the start: its two offsets across the line, as seen along it, and its offset along.
    #[inline(always)]
    fn seen<S: Simd>(&self, [x, y, z]: [V; 3]) -> [V; 3]
    where
        V: Floats<S>,
    {
        let z = z - self.origin[2];
        let u = x - self.origin[0] - self.slant[0] * z;
        let v = y - self.origin[1] - self.slant[1] * z;
        [u, v, z]
    }

    /// A bit for each lane whose line may cross its triangle, with corners as [`LineLanes::seen`] and an extent of at
    /// most `extent`, no later than `until`.
    #[inline(always)]
    fn may_cross<S: Simd>(&self, simd: S, [a, b, c]: [[V; 3]; 3], extent: f32, until: V) -> u32
    where
        V: Floats<S>,
    {
        let ([au, av, az], [bu, bv, bz], [cu, cv, cz]) = (a, b, c);
        let (ab, bc, ca) = (au * bv - av * bu, bu * cv - bv * cu, cu * av - cv * au);
        let reach = 2.25 * extent;
        let error = (abs(az) + splat_all::<S, V>(simd, reach + extent)) * splat_all::<S, V>(simd, reach * ERROR)
            + splat_all::<S, V>(simd, TINY);
        let is_inside = at_most(-error, min(min(ab, bc), ca)) | at_most(max(max(ab, bc), ca), error);
        let (at_a, at_b, at_c) = (az * self.inverse, bz * self.inverse, cz * self.inverse);
        // More than what underflow may lose.
        let until = until + splat_all::<S, V>(simd, f32::MIN_POSITIVE);
        let is_on_way =
            at_most(min(min(at_a, at_b), at_c), until) & at_most(splat_all(simd, 0.0), max(max(at_a, at_b), at_c));
        is_inside & is_on_way
    }
}

impl<S: Simd> LineLanes<f32x8<S>> {
    /// A bit for each triangle of a group that the line may cross no later than `until`. The axes of the vertices must
    /// be in the order of the axes of the line.
    #[inline(always)]
    pub(super) fn cross_group(&self, simd: S, group: &Vertices<S>, until: f32) -> u32 {
        let [u, v, z] = self.seen(group.points);
        let (a, b, c) = (group.places.of_corner(0), group.places.of_corner(1), group.places.of_corner(2));
        let corners = [
            [lookup(simd, u, a), lookup(simd, v, a), lookup(simd, z, a)],
            [lookup(simd, u, b), lookup(simd, v, b), lookup(simd, z, b)],
            [lookup(simd, u, c), lookup(simd, v, c), lookup(simd, z, c)],
        ];
        self.may_cross(simd, corners, group.extent, splat(simd, until))
    }
}

impl<S: Simd> LineLanes<f32x16<S>> {
    #[inline(always)]
    pub(super) fn many(simd: S, lines: &Lines) -> Self {
        let ([x, y, z], [u, v]) = (lines.origin, &lines.slant);
        Self {
            origin: [load16(simd, x), load16(simd, y), load16(simd, z)],
            slant: [load16(simd, u), load16(simd, v)],
            inverse: load16(simd, lines.inverse),
        }
    }

    /// A bit for each line that may cross a triangle of a group with this extent, as [`LineLanes::cross_group`].
    #[inline(always)]
    pub(super) fn cross_one(&self, simd: S, [a, b, c]: [[f32x16<S>; 3]; 3], extent: f32, until: f32x16<S>) -> u32 {
        self.may_cross(simd, [self.seen(a), self.seen(b), self.seen(c)], extent, until)
    }
}
