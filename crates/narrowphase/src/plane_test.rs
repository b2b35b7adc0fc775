//! One plane against a box in `f32` alone: the conservative test for tree nodes.
//!
//! With `P` the p-vertex and `N` the n-vertex of a box, the exact answer is Back iff `n · P + d < 0` and Front iff
//! `n · N + d > 0`. Rounding may only turn those into Straddling, and a child must never be decided less than its parent:
//!
//! *Monotone.* Growing a box never lowers a product `n_i P_i`; rounding, addition, `max` and scaling by a positive constant
//! keep the order. So a test that compares such a combination with a constant, or a rising sum with a falling one, says
//! Back for every box inside one of which it says Back, bit for bit. The same holds for Front, by symmetry.
//!
//! *Without bounds* ([`Plane::side_of_aabb_conservative`]): the positive terms of `n · P + d` are summed apart from the
//! negative ones. Each sum has one product and at most three additions, so four roundings of a relative `u = 2^-24`, and
//! `positive · (1 + 10 u) < negative` implies the exact inequality, since `(1 + 10 u)(1 − u)^5 ≥ (1 + u)^4`.
//!
//! *With bounds* ([`PlaneTest`]): for boxes inside known bounds, `fl(n · P)` errs by at most `γ₃ Σ |n_i| max |P_i|`, which is
//! moved into the constant it is compared with. That takes six multiplications and four additions.
//!
//! Products that underflow cost at most `2^-150` each; both forms add far more than that. Nothing overflows: coordinates
//! and `d` stay within `2^30`, and `|n|₁ ≤ √3`. No fused multiply-add may be used, for bits must not depend on the target.
//!
//! Source: Higham, "Accuracy and Stability of Numerical Algorithms", §3.1 (`γ`); Haines, "Real-Time Rendering", §22.10.

use crate::{Aabb, Plane, Side};
use glam::Vec3;

/// `1 + 10 u`: see the head of this file.
const PAD: f32 = 1.0 + 5.0 * f32::EPSILON;

/// More than all underflowing products together, and far below any distance that matters.
const UNDERFLOW: f32 = f32::MIN_POSITIVE;

/// `γ₃ = 3 u / (1 − 3 u)`, rounded up.
const PRODUCT_ERROR: f64 = 3.0001 * 0.5 * f32::EPSILON as f64;

impl Plane {
    /// The side of a box in `f32` arithmetic: never `Front` or `Back` where [`Plane::side_of_aabb`] says otherwise, but
    /// `Straddling` for some boxes within rounding of the plane. If the answer for a box is `Front` or `Back`, it is the same for
    /// every box inside it.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Plane, Side, glam::Vec3};
    /// let floor = Plane::new(Vec3::Y, -1.0)?;
    /// let above = Aabb::new(Vec3::splat(1.25), Vec3::new(2.0, 3.0, 5.0))?;
    /// assert_eq!(floor.side_of_aabb_conservative(&above), Side::Front);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn side_of_aabb_conservative(&self, aabb: &Aabb) -> Side {
        let (high, low) = (self.split_sum(aabb.support(self.normal())), self.split_sum(aabb.support(-self.normal())));
        if high.0 * PAD + UNDERFLOW < high.1 {
            Side::Back
        } else if low.1 * PAD + UNDERFLOW < low.0 {
            Side::Front
        } else {
            Side::Straddling
        }
    }

    /// The sums of the positive and of the negated negative terms of `normal · point + d`.
    fn split_sum(&self, point: Vec3) -> (f32, f32) {
        let terms = self.normal() * point;
        let (above, below) = (terms.max(Vec3::ZERO), (-terms).max(Vec3::ZERO));
        (above.x + above.y + above.z + self.d().max(0.0), below.x + below.y + below.z + (-self.d()).max(0.0))
    }
}

/// A plane prepared for many boxes inside the same bounds: what [`Plane::side_of_aabb_conservative`] answers, with fewer
/// operations, for SIMD code. The fields are the whole test:
///
/// `Back` iff `(n₀P₀ + n₁P₁) + n₂P₂ < back_below` for the p-vertex `P`, `Front` iff the same sum of the n-vertex is above
/// `front_above`; each multiplication and addition in `f32`, in this order.
///
/// ```
/// # use cullide_narrowphase::{Aabb, Plane, PlaneTest, Side, glam::Vec3};
/// let bounds = Aabb::new(Vec3::splat(-8.0), Vec3::splat(8.0))?;
/// let test = PlaneTest::new(&Plane::new(Vec3::Y, -1.0)?, &bounds);
/// assert_eq!(test.side_of_aabb(&Aabb::new(Vec3::splat(-1.0), Vec3::splat(0.5))?), Side::Back);
/// assert_eq!(test.side_of_aabb(&bounds), Side::Straddling);
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneTest {
    /// The plane's unit normal.
    pub normal: Vec3,
    /// `−d`, less the rounding of the sum.
    pub back_below: f32,
    /// `−d`, plus the rounding of the sum.
    pub front_above: f32,
}

impl PlaneTest {
    /// The test of `plane` for boxes that lie in `bounds`; for other boxes its answers mean nothing.
    pub fn new(plane: &Plane, bounds: &Aabb) -> Self {
        let reach = bounds.min().abs().max(bounds.max().abs()).as_dvec3();
        // The f64 sums below err by 2^-50 of the margin, which the rounding up of γ₃ covers.
        let margin = PRODUCT_ERROR * plane.normal().as_dvec3().abs().dot(reach) + f64::from(UNDERFLOW);
        let d = f64::from(plane.d());
        let back_below = ((-d - margin) as f32).next_down();
        Self { normal: plane.normal(), back_below, front_above: ((margin - d) as f32).next_up() }
    }

    /// The side of a box that lies in the bounds: never `Front` or `Back` where [`Plane::side_of_aabb`] says otherwise, and the
    /// same for every box inside one that is `Front` or `Back`.
    pub fn side_of_aabb(&self, aabb: &Aabb) -> Side {
        if self.along(aabb.support(self.normal)) < self.back_below {
            Side::Back
        } else if self.along(aabb.support(-self.normal)) > self.front_above {
            Side::Front
        } else {
            Side::Straddling
        }
    }

    fn along(&self, point: Vec3) -> f32 {
        (self.normal.x * point.x + self.normal.y * point.y) + self.normal.z * point.z
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream of bits with a fixed seed (xorshift64*, Vigna).
    fn stream(mut state: u64) -> impl FnMut() -> f32 {
        move || {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 40) as f32 / (1u32 << 23) as f32 - 1.0
        }
    }

    /// Both forms for one plane and box.
    fn answers(plane: &Plane, aabb: &Aabb, bounds: &Aabb) -> [Side; 2] {
        [plane.side_of_aabb_conservative(aabb), PlaneTest::new(plane, bounds).side_of_aabb(aabb)]
    }

    #[test]
    fn it_may_over_report_straddling_but_never_a_side_and_a_child_is_decided_with_its_parent() {
        let mut next = stream(7);
        let mut vector = |scale: f32| Vec3::new(next(), next(), next()) * scale;
        let mut undecided = [0; 2];
        for round in 0..200_000 {
            let scale = [1.0, 1e3, 1e-3, 5e8, 1e-37][round % 5];
            let (center, half) = (vector(scale), vector(scale * 0.1).abs());
            let parent = Aabb::new(center - half, center + half).unwrap();
            let bounds = parent.union(&Aabb::new(-vector(scale).abs(), vector(scale).abs()).unwrap());
            // A plane through a corner of the box, up to rounding: the hardest place to be right.
            let Ok(plane) = Plane::from_point_normal(parent.support(vector(1.0)), vector(1.0)) else { continue };
            let (min, max) = (parent.min(), parent.max());
            let inner = (min + vector(1.0).abs() * 1e-6 * half).clamp(min, max);
            let child = Aabb::new(inner.min(max), max).unwrap();
            for (form, side) in answers(&plane, &parent, &bounds).into_iter().enumerate() {
                if side == Side::Straddling {
                    undecided[form] += usize::from(plane.side_of_aabb(&parent) != side);
                    continue;
                }
                assert_eq!(side, plane.side_of_aabb(&parent), "{plane:?} {parent:?}");
                assert_eq!(side, answers(&plane, &child, &bounds)[form], "{plane:?} {parent:?} {child:?}");
            }
        }
        // The margin is what it costs: it shows that the aim was good.
        assert!(undecided.iter().all(|&n| n > 1000), "{undecided:?}");
    }

    #[test]
    fn the_largest_coordinates_do_not_overflow() {
        let limit = Vec3::splat(crate::MAX_COORDINATE);
        let all = Aabb::new(-limit, limit).unwrap();
        let plane = Plane::new(Vec3::ONE, crate::MAX_COORDINATE).unwrap();
        assert_eq!(answers(&plane, &all, &all), [Side::Straddling; 2]);
        let corner = Aabb::new(limit, limit).unwrap();
        assert_eq!(answers(&plane, &corner, &all), [Side::Front; 2]);
        assert_eq!(answers(&plane.flipped(), &corner, &all), [Side::Back; 2]);
    }
}
