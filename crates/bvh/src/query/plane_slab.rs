//! The space between two parallel planes against the boxes of a node; a plane is a slab of zero thickness.
//!
//! Source: Assarsson and Möller, "Optimized View Frustum Culling Algorithms" (1999), n- and p-vertex; the rounding
//! error after Higham, "Accuracy and Stability of Numerical Algorithms", 3.1.

use crate::{
    lanes::{EVERY_LANE, Simd, at_most, load, max, min, splat},
    node::Node,
};
use cullide_narrowphase::{Mapped, Plane, glam::DVec3};

/// A product in the test and its two sums err by less than five times half of `f32::EPSILON`; the rest covers the
/// rounding of the stored components.
const MARGIN: f64 = 4.0 * f32::EPSILON as f64;

/// The largest `f32` that is not above `x`.
#[inline(always)]
fn rounded_down(x: f64) -> f32 {
    let rounded = x as f32;
    // The bits of a positive number are larger than those of the number below it, the bits of a negative number
    // smaller. Without a branch, as the direction of rounding is random.
    let is_above = i32::from(f64::from(rounded) > x);
    f32::from_bits((rounded.to_bits() as i32 + if rounded > 0.0 { -is_above } else { is_above }) as u32)
}

/// The points with `low <= normal · p <= high`.
///
/// Each product of a component and a bound is computed twice, with the component made slightly smaller and slightly
/// larger: the lesser product is certainly too small, the greater certainly too large, by a fraction of that box's own
/// coordinates. Both are monotone in the bound, as rounded products and sums are, so a decision for a box holds for
/// every box inside it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaneSlab {
    /// The normal's components, rounded toward zero and away from it.
    inner: [f32; 3],
    outer: [f32; 3],
    /// Whether the p-vertex, the corner farthest along the normal, has the upper bound of an axis.
    upper: [bool; 3],
    low: f32,
    high: f32,
}

impl PlaneSlab {
    pub(super) fn plane(plane: &Plane) -> Self {
        let at = -f64::from(plane.d());
        Self::new(plane.normal().as_dvec3(), at, at)
    }

    pub(super) fn new(normal: DVec3, low: f64, high: f64) -> Self {
        let normal = normal.to_array();
        // A zero stays zero: nothing is rounded on its axis.
        let inner = |x: f64| rounded_down(x.abs() * (1.0 - MARGIN));
        let outer = |x: f64| -rounded_down(-x.abs() * (1.0 + MARGIN));
        // Products lose far less than the smallest normal number to underflow.
        let lost = f64::from(f32::MIN_POSITIVE);
        Self {
            inner: normal.mapped(|x| inner(x).copysign(x as f32)),
            outer: normal.mapped(|x| outer(x).copysign(x as f32)),
            upper: normal.mapped(|x| x >= 0.0),
            low: rounded_down(low - lost),
            high: -rounded_down(-high - lost),
        }
    }

    /// One bit per child: whether its box certainly lies strictly in front of the slab, and whether strictly behind it.
    /// Both are set for an empty lane.
    #[inline(always)]
    pub(super) fn sides<S: Simd>(&self, simd: S, node: &Node) -> (u32, u32) {
        let (mut least, mut greatest) = (splat(simd, 0.0), splat(simd, 0.0));
        // A loop, as closures this large would not be inlined.
        for axis in 0..3 {
            let (inner, outer) = (splat(simd, self.inner[axis]), splat(simd, self.outer[axis]));
            let upper = usize::from(self.upper[axis]);
            let near = load(simd, &node.bounds[2 * axis + (1 - upper)]);
            let far = load(simd, &node.bounds[2 * axis + upper]);
            least += min(near * inner, near * outer);
            greatest += max(far * inner, far * outer);
        }
        let front = !at_most(least, splat(simd, self.high)) & EVERY_LANE;
        let back = !at_most(splat(simd, self.low), greatest) & EVERY_LANE;
        (front, back)
    }
}
