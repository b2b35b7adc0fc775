//! A ray, a segment or a swept box, made ready for slab tests.

use cullide_narrowphase::{
    Aabb, MAX_COORDINATE, Ray, Segment,
    glam::{BVec3, Vec3},
};

/// The slab test errs by at most six roundings between the near and the far side; widening the far side by eight makes up for
/// them and for the rounding of the widened reciprocal. (Two, as in Ize's "Robust BVH Ray Traversal", are not enough when the
/// distance is a product with a reciprocal.)
const PAD: f32 = 1.0 + 4.0 * f32::EPSILON;

/// What a ray query asks with: a ray up to a maximum distance, a segment, or a box that moves along a segment.
///
/// Distances and limits are in the unit of the question: distance for a ray, fraction for a segment or a sweep.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// Where the leading and the trailing side of the moving volume start, by axis; equal for a ray.
    pub(crate) leading: Vec3,
    pub(crate) trailing: Vec3,
    pub(crate) inverse: Vec3,
    /// The reciprocal for far sides, widened.
    pub(crate) inverse_far: Vec3,
    /// Node rows of the sides met first and last.
    pub(crate) near: [usize; 3],
    pub(crate) far: [usize; 3],
    pub(crate) max: f32,
}

impl Probe {
    /// A ray up to `max_distance`. A negative or NaN maximum reaches nothing.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Probe, narrowphase::{Aabb, Ray, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::X * 4.0, Vec3::X * 6.0)?]);
    /// let ray = Ray::new(Vec3::ZERO, Vec3::X)?;
    /// assert!(tree.closest(&Probe::ray(&ray, 3.0), ALL).is_none());
    /// assert_eq!(tree.closest(&Probe::ray(&ray, 4.0), ALL).unwrap().1, 4.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn ray(ray: &Ray, max_distance: f32) -> Self {
        Self::new(ray.origin(), ray.origin(), ray.direction(), max_distance)
    }

    /// A segment; its distances are fractions in `[0, 1]`.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Probe, narrowphase::{Aabb, Segment, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::X * 4.0, Vec3::X * 6.0)?]);
    /// let segment = Segment::new(Vec3::ZERO, Vec3::X * 8.0)?;
    /// assert_eq!(tree.closest(&Probe::segment(&segment), ALL).unwrap().1, 0.5);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn segment(segment: &Segment) -> Self {
        Self::new(segment.start(), segment.start(), segment.delta(), 1.0)
    }

    /// A box that moves by `delta`: meets a leaf at the fraction at which the two boxes first touch.
    ///
    /// An axis along which `delta` exceeds [`MAX_COORDINATE`] is not tested, so that nothing is missed; a `delta` with a NaN or an
    /// infinity meets nothing.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Probe, narrowphase::{Aabb, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::X * 4.0, Vec3::X * 6.0)?]);
    /// let body = Aabb::new(Vec3::NEG_ONE, Vec3::ONE)?;
    /// assert_eq!(tree.closest(&Probe::swept(&body, Vec3::X * 6.0), ALL).unwrap().1, 0.5);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn swept(body: &Aabb, delta: Vec3) -> Self {
        // A component without a finite reciprocal counts as none; instead the box covers all of that way from the start.
        let tiny = delta.abs().cmplt(Vec3::splat(f32::MIN_POSITIVE));
        let covered = Vec3::select(tiny, delta, Vec3::ZERO);
        let (low, high) = (body.min() + covered.min(Vec3::ZERO), body.max() + covered.max(Vec3::ZERO));
        // The reciprocal of a component out of range is too coarse. A NaN instead is passed over by the slab test.
        let huge = delta.abs().cmpgt(Vec3::splat(MAX_COORDINATE));
        let max = if delta.is_finite() { 1.0 } else { f32::NAN };
        let delta = Vec3::select(huge, Vec3::NAN, Vec3::select(tiny, Vec3::ZERO, delta));
        let forward = positive(delta);
        Self::new(Vec3::select(forward, high, low), Vec3::select(forward, low, high), delta, max)
    }

    /// The same question up to `limit` at most.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Probe, narrowphase::{Aabb, Ray, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::X * 4.0, Vec3::X * 6.0)?]);
    /// let probe = Probe::ray(&Ray::new(Vec3::ZERO, Vec3::X)?, 100.0);
    /// assert!(!tree.any(&probe.within(3.0), ALL));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[must_use]
    pub fn within(&self, limit: f32) -> Self {
        Self { max: self.max.min(limit), ..*self }
    }

    fn new(leading: Vec3, trailing: Vec3, delta: Vec3, max: f32) -> Self {
        let forward = positive(delta);
        // The reciprocal of an axis without motion is infinite: its sides lie infinitely far before or behind, and a side that
        // the volume just touches gives 0 · ∞ = NaN, which the slab test passes over.
        let inverse = delta.recip();
        let inverse_far = inverse * PAD;
        let row = |axis: usize, upper: bool| if upper { axis + 3 } else { axis };
        Self {
            leading,
            trailing,
            inverse,
            inverse_far,
            near: std::array::from_fn(|axis| row(axis, !forward.test(axis))),
            far: std::array::from_fn(|axis| row(axis, forward.test(axis))),
            max,
        }
    }

    /// The farthest distance that the test may still have to meet for `limit` to be reached.
    pub(crate) fn reach(limit: f32) -> f32 {
        limit * PAD
    }
}

/// The axes along which the motion is not negative.
fn positive(delta: Vec3) -> BVec3 {
    delta.cmpge(Vec3::ZERO)
}
