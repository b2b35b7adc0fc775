//! A ray, a segment or a swept box, prepared for slab tests.

use crate::{
    lanes::{Simd, at_most, f32x16, max, min, splat},
    node::{Bounds, Face, Node, Rows},
};
use cullide_narrowphase::{
    Aabb, MAX_COORDINATE, Mapped, Ray, Segment,
    glam::{BVec3, Vec3, Vec4, Vec4Swizzles},
};

/// The slab test errs by at most seven roundings between the near and the far side, including that of the widened
/// reciprocal; widening the far side by eight compensates for them. (Two, as in Ize's "Robust BVH Ray Traversal", are
/// not enough if the distance is a product with a reciprocal.)
pub(crate) const PAD: f32 = 1.0 + 4.0 * f32::EPSILON;

/// What is cast through a tree: a ray up to a maximum distance, a segment, or a box that moves along a segment.
///
/// Distances and limits are in the unit of the probe: distances for a ray, fractions for a segment or a sweep.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    pub(super) faces: EntryFaces,
    pub(super) max: f32,
    pub(super) motion: ProbeMotion,
}

/// The motion by axis, in the order of the slab test. Stored four numbers at a time: a load of four numbers that were
/// stored one by one cannot be forwarded from the stores, and waits until they have retired.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProbeMotion {
    /// Where the leading and the trailing side of the moving volume start; equal for a ray.
    pub(super) leading: Vec4,
    trailing: Vec4,
    /// The reciprocal of the motion. Infinite along an axis without motion: then the faces of a box lie infinitely far
    /// ahead or behind, and a face that the volume just touches gives 0 · ∞ = NaN, which the slab test ignores.
    pub(super) inverse: Vec4,
    /// The same for far faces, widened by [`PAD`].
    inverse_far: Vec4,
}

/// The faces of boxes that are met first and last, by axis, in the order of the slab test.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryFaces {
    pub(super) near: [Face; 3],
    pub(super) far: [Face; 3],
}

impl Default for EntryFaces {
    fn default() -> Self {
        Self::along([0, 1, 2], 0)
    }
}

impl EntryFaces {
    /// With the axes in this order, indexed by the signs of a motion: one bit for each axis along which it is negative.
    const fn of_signs(axes: [usize; 3]) -> [Self; 8] {
        let mut faces = [Self::along(axes, 0); 8];
        let mut signs = 1;
        while signs < faces.len() {
            faces[signs] = Self::along(axes, signs);
            signs += 1;
        }
        faces
    }

    /// For motions that are not zero along any axis.
    #[inline(always)]
    pub(super) fn of_octant(signs: usize) -> Self {
        let all = const { Self::of_signs([0, 1, 2]) };
        all[signs % 8]
    }

    const fn along([a, b, c]: [usize; 3], signs: usize) -> Self {
        const SIDES: [[Face; 3]; 2] = [[Face::MinX, Face::MinY, Face::MinZ], [Face::MaxX, Face::MaxY, Face::MaxZ]];
        let (x, y, z) = (signs >> a & 1, signs >> b & 1, signs >> c & 1);
        Self { near: [SIDES[x][a], SIDES[y][b], SIDES[z][c]], far: [SIDES[1 - x][a], SIDES[1 - y][b], SIDES[1 - z][c]] }
    }

    /// A copy, read element by element: only then does the compiler see that each is a valid face, and omits bounds
    /// checks.
    #[inline(always)]
    pub(super) fn by_element(&self) -> Self {
        let ([a, b, c], [d, e, f]) = (&self.near, &self.far);
        Self { near: [*a, *b, *c], far: [*d, *e, *f] }
    }

    /// The near and the far sides of sixteen boxes.
    #[inline(always)]
    pub(super) fn rows<S: Simd>(&self, simd: S, boxes: &impl Rows) -> [[f32x16<S>; 3]; 2] {
        let ([a, b, c], [d, e, f]) = (self.near, self.far);
        let near = [boxes.row(simd, a), boxes.row(simd, b), boxes.row(simd, c)];
        [near, [boxes.row(simd, d), boxes.row(simd, e), boxes.row(simd, f)]]
    }

    /// The near and the far sides of one box, in every lane.
    #[inline(always)]
    pub(super) fn sides_of_one<S: Simd>(&self, simd: S, bounds: &Bounds) -> [[f32x16<S>; 3]; 2] {
        let ([a, b, c], [d, e, f]) = (self.near, self.far);
        let side = |face: Face| splat(simd, bounds[face as usize]);
        [[side(a), side(b), side(c)], [side(d), side(e), side(f)]]
    }
}

impl ProbeMotion {
    /// Where the leading and the trailing sides start, and the reciprocals.
    #[inline(always)]
    pub(super) fn numbers(&self) -> Numbers {
        [self.leading, self.trailing, self.inverse].mapped(|v| v.truncate().to_array())
    }

    #[inline(always)]
    pub(super) fn of_numbers([leading, trailing, inverse]: Numbers) -> Self {
        let wide = |v: [f32; 3]| Vec3::from(v).extend(0.0);
        let inverse = wide(inverse);
        Self { leading: wide(leading), trailing: wide(trailing), inverse, inverse_far: inverse * PAD }
    }
}

/// The maximum distance that a [`ProbeLine`] goes across per unit along.
pub(crate) const STEEPEST: f32 = 1.25;

/// A line, parametrised by the axis along which it is longest, or nearly so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProbeLine {
    /// The two axes across, then the axis along.
    pub(crate) axes: [usize; 3],
    /// Where it starts, by axis in this order.
    pub(crate) origin: [f32; 3],
    /// How far it goes across per unit along; off by up to three roundings.
    pub(crate) slant: [f32; 2],
    /// The time per unit along.
    pub(crate) inverse: f32,
}

/// A motion in three quarters of the memory.
pub(super) type Numbers = [[f32; 3]; 3];

/// The slab test of sixteen lanes.
pub(crate) trait SlabLanes<S: Simd> {
    /// Returns the boxes that are met within `reach`, a result of [`Probe::reach`], one bit each, and where each is
    /// entered: at 0 or later.
    fn test(&self, simd: S, sides: [[f32x16<S>; 3]; 2], reach: f32x16<S>) -> (u32, f32x16<S>);
}

/// One motion per lane; or a single motion, with every number broadcast to all lanes.
pub(crate) struct RayLanes<S: Simd> {
    leading: [f32x16<S>; 3],
    trailing: [f32x16<S>; 3],
    inverse: [f32x16<S>; 3],
    inverse_far: [f32x16<S>; 3],
}

impl<S: Simd> RayLanes<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, motion: &ProbeMotion) -> Self {
        let all = |v: &Vec4| [splat(simd, v.x), splat(simd, v.y), splat(simd, v.z)];
        Self::of_rows(simd, [all(&motion.leading), all(&motion.trailing), all(&motion.inverse)])
    }

    /// From one motion per lane, in the order of [`ProbeMotion::numbers`].
    #[inline(always)]
    pub(super) fn of_rows(simd: S, [leading, trailing, inverse]: [[f32x16<S>; 3]; 3]) -> Self {
        let ([x, y, z], pad) = (inverse, splat(simd, PAD));
        Self { leading, trailing, inverse, inverse_far: [x * pad, y * pad, z * pad] }
    }
}

impl<S: Simd> SlabLanes<S> for RayLanes<S> {
    #[inline(always)]
    fn test(&self, simd: S, [near, far]: [[f32x16<S>; 3]; 2], reach: f32x16<S>) -> (u32, f32x16<S>) {
        let first = |i: usize| (near[i] - self.leading[i]) * self.inverse[i];
        let last = |i: usize| (far[i] - self.trailing[i]) * self.inverse_far[i];
        // If the first operand is NaN, the result is the second; and the motion along the axis of the second slab is
        // never zero.
        let enter = max(max(first(0), first(1)), max(first(2), splat(simd, 0.0)));
        let exit = min(min(last(0), last(1)), min(last(2), reach));
        (at_most(enter, exit), enter)
    }
}

/// A single motion, whose numbers are broadcast where they are used. If they were held in registers, twelve vectors
/// would be spilled before the first node, as visiting a leaf preserves none: a fifth of the cost of a ray that misses
/// everything.
pub(crate) struct OneMotion<'a>(pub(super) &'a ProbeMotion);

impl<S: Simd> SlabLanes<S> for OneMotion<'_> {
    #[inline(always)]
    fn test(&self, simd: S, [near, far]: [[f32x16<S>; 3]; 2], reach: f32x16<S>) -> (u32, f32x16<S>) {
        // Otherwise the compiler broadcasts them before the loop.
        let motion = std::hint::black_box(self.0);
        let first = |i: usize| (near[i] - splat(simd, motion.leading[i])) * splat(simd, motion.inverse[i]);
        let last = |i: usize| (far[i] - splat(simd, motion.trailing[i])) * splat(simd, motion.inverse_far[i]);
        let enter = max(max(first(0), first(1)), max(first(2), splat(simd, 0.0)));
        let exit = min(min(last(0), last(1)), min(last(2), reach));
        (at_most(enter, exit), enter)
    }
}

impl Probe {
    /// Creates a probe for a ray up to `max_distance`. With a negative or NaN maximum it meets nothing.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Probe, narrowphase::{Aabb, Ray, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::X * 4.0, Vec3::X * 6.0)?]);
    /// let ray = Ray::new(Vec3::ZERO, Vec3::X)?;
    /// assert!(tree.closest(&Probe::ray(&ray, 3.0), ALL).is_none());
    /// assert_eq!(tree.closest(&Probe::ray(&ray, 4.0), ALL).unwrap().1, 4.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[inline]
    pub fn ray(ray: &Ray, max_distance: f32) -> Self {
        Self::new(ray.origin(), ray.origin(), ray.direction(), max_distance)
    }

    /// Creates a probe for a segment; distances are fractions in `[0, 1]`.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Probe, narrowphase::{Aabb, Segment, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::X * 4.0, Vec3::X * 6.0)?]);
    /// let segment = Segment::new(Vec3::ZERO, Vec3::X * 8.0)?;
    /// assert_eq!(tree.closest(&Probe::segment(&segment), ALL).unwrap().1, 0.5);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[inline]
    pub fn segment(segment: &Segment) -> Self {
        Self::new(segment.start(), segment.start(), segment.delta(), 1.0)
    }

    /// Creates a probe for a box that moves by `delta`; it meets a leaf at the fraction at which the two boxes first
    /// touch.
    ///
    /// An axis along which `delta` exceeds [`MAX_COORDINATE`] is not tested, so that nothing is missed; a `delta` with
    /// a NaN or an infinity meets nothing.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Probe, narrowphase::{Aabb, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::X * 4.0, Vec3::X * 6.0)?]);
    /// let body = Aabb::new(Vec3::NEG_ONE, Vec3::ONE)?;
    /// assert_eq!(tree.closest(&Probe::swept(&body, Vec3::X * 6.0), ALL).unwrap().1, 0.5);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn swept(body: &Aabb, delta: Vec3) -> Self {
        // A component without a finite reciprocal counts as zero; instead, the box covers the motion along that axis
        // from the start.
        let tiny = delta.abs().cmplt(Vec3::splat(f32::MIN_POSITIVE));
        let covered = Vec3::select(tiny, delta, Vec3::ZERO);
        let (low, high) = (body.min() + covered.min(Vec3::ZERO), body.max() + covered.max(Vec3::ZERO));
        // The reciprocal of a component out of range is too coarse; the slab test ignores a NaN in its place.
        let huge = delta.abs().cmpgt(Vec3::splat(MAX_COORDINATE));
        let max = if delta.is_finite() { 1.0 } else { f32::NAN };
        let delta = Vec3::select(huge, Vec3::NAN, Vec3::select(tiny, Vec3::ZERO, delta));
        let forward = positive(delta);
        Self::new(Vec3::select(forward, high, low), Vec3::select(forward, low, high), delta, max)
    }

    /// Returns the same probe, which goes no farther than `limit`.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Probe, narrowphase::{Aabb, Ray, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::X * 4.0, Vec3::X * 6.0)?]);
    /// let probe = Probe::ray(&Ray::new(Vec3::ZERO, Vec3::X)?, 100.0);
    /// assert_eq!(tree.closest(&probe.within(3.0), ALL), None);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[must_use]
    pub fn within(&self, limit: f32) -> Self {
        Self { max: self.max.min(limit), ..*self }
    }

    #[inline(always)]
    fn new(leading: Vec3, trailing: Vec3, delta: Vec3, max: f32) -> Self {
        // The slab test requires motion along the middle axis.
        if moves(delta.y) {
            return Self::along::<0, 1, 2>(leading, trailing, delta, max);
        }
        Self::level(leading, trailing, delta, max)
    }

    /// A motion that is zero along y. Inlined: with a call, all motions would be stored to memory.
    #[inline(always)]
    fn level(leading: Vec3, trailing: Vec3, mut delta: Vec3, mut max: f32) -> Self {
        if delta == Vec3::ZERO {
            // Nothing moves: only what is touched at the start counts, so the direction chosen here does not matter.
            delta.z = f32::MIN_POSITIVE;
            max = if max > 0.0 { 0.0 } else { max };
        }
        if moves(delta.x) {
            Self::along::<1, 0, 2>(leading, trailing, delta, max)
        } else {
            Self::along::<0, 2, 1>(leading, trailing, delta, max)
        }
    }

    /// With these axes in order.
    #[inline(always)]
    fn along<const A: usize, const B: usize, const C: usize>(
        leading: Vec3,
        trailing: Vec3,
        delta: Vec3,
        max: f32,
    ) -> Self {
        let ordered = |v: Vec4| Vec4::new(v[A], v[B], v[C], v.w);
        // Four divisions at once are as fast as one.
        let inverse = ordered(Vec4::ONE / delta.extend(1.0));
        let motion = ProbeMotion {
            leading: ordered(leading.extend(0.0)),
            trailing: ordered(trailing.extend(0.0)),
            inverse,
            inverse_far: inverse * PAD,
        };
        // From a table: six bytes stored one by one would stall the load that reads them all, as above.
        let faces = const { EntryFaces::of_signs([A, B, C]) }[delta.cmplt(Vec3::ZERO).bitmask() as usize % 8];
        Self { faces, max, motion }
    }

    /// The line of a ray or a segment; `None` for a swept box, and for a motion too short to have a reciprocal.
    #[inline(always)]
    pub(crate) fn line(&self) -> Option<ProbeLine> {
        let ProbeMotion { leading, trailing, inverse, .. } = &self.motion;
        let size = inverse.abs();
        // The place of the longest component, without a branch: all three are equally likely.
        let along = usize::from(size.x > size.y.min(size.z)) * (1 + usize::from(size.z < size.y));
        let places = const { [[1, 2, 0], [2, 0, 1], [0, 1, 2]] }[along % 3];
        let [across, other, along] = places;
        let inverse = inverse.to_array();
        let is_line = leading == trailing && inverse[along].is_finite();
        is_line.then(|| ProbeLine {
            axes: places.mapped(|place| self.faces.near[place] as usize / 2),
            origin: places.mapped(|place| leading[place]),
            slant: [inverse[along] / inverse[across], inverse[along] / inverse[other]],
            inverse: inverse[along],
        })
    }

    /// Where its leading and its trailing side start, and the reciprocal of its motion, along x, y and z.
    #[inline(always)]
    pub(crate) fn by_axis(&self) -> [Vec3; 3] {
        let ProbeMotion { leading, trailing, inverse, .. } = self.motion;
        let all = [leading, trailing, inverse];
        // All orders that occur; each is its own inverse.
        match self.faces.near[1] {
            Face::MinY | Face::MaxY => all.mapped(|v| v.xyz()),
            Face::MinX | Face::MaxX => all.mapped(|v| v.yxz()),
            Face::MinZ | Face::MaxZ => all.mapped(|v| v.xzy()),
        }
    }

    /// The limit up to which the probe goes.
    #[inline(always)]
    pub(crate) fn max(&self) -> f32 {
        self.max
    }

    /// Whether the probe reaches anything at all.
    pub(crate) fn reaches_any(&self) -> bool {
        self.max >= 0.0
    }

    /// Where the box in a lane is entered, as in [`RayLanes::test`]; `None` if it is not met.
    #[inline(always)]
    pub(super) fn entry(&self, node: &Node, lane: usize) -> Option<f32> {
        let ProbeMotion { leading, trailing, inverse, inverse_far } = &self.motion;
        let first = |i: usize| (node.bound(self.faces.near[i], lane) - leading[i]) * inverse[i];
        let last = |i: usize| (node.bound(self.faces.far[i], lane) - trailing[i]) * inverse_far[i];
        let greater = |a: f32, b: f32| if a > b { a } else { b };
        let lesser = |a: f32, b: f32| if a < b { a } else { b };
        let enter = greater(greater(first(0), first(1)), greater(first(2), 0.0));
        let exit = lesser(lesser(last(0), last(1)), lesser(last(2), Self::reach(self.max)));
        // The same bits as a key: never −0.0.
        (enter <= exit).then_some(enter.abs())
    }

    /// The number of values of [`Probe::direction`].
    pub(super) const DIRECTIONS: usize = 24;

    /// The signs of the motion by axis and the order of the slabs, as a number: probes with the same value meet the
    /// same faces of boxes first.
    pub(super) fn direction(&self) -> usize {
        let [a, b, c] = self.faces.near;
        let sign = |face: Face| usize::from(face.is_upper()) << (face as usize / 2);
        sign(a) + sign(b) + sign(c) + 8 * (b as usize / 2)
    }

    /// The distance up to which the test has to accept entries so that nothing within `limit` is missed.
    pub(crate) fn reach(limit: f32) -> f32 {
        limit * PAD
    }
}

fn moves(x: f32) -> bool {
    x.abs() > 0.0
}

/// The axes along which the motion is not negative.
fn positive(delta: Vec3) -> BVec3 {
    delta.cmpge(Vec3::ZERO)
}
