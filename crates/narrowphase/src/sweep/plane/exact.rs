//! A box against a plane where rounding could change a sign: the sums of [`projection`](super::projection) as lists of
//! exact products. Also the place next to a plane at which a box with its centre rounded to `f32` does not penetrate
//! it.
//!
//! The product of two `f32` is exact in `f64`, but a sum of such products is not. So the products are listed here
//! instead of added, and [`sign`] takes the sign of the list. A centre rounded to the nearest `f32` would penetrate
//! every other time, so the coordinate along which the normal is largest is rounded away from the plane.

use super::{Sides, projection::BoxPlaneF64};
use crate::{
    Obb, Plane,
    arrays::Mapped,
    exact::{
        predicate::{Exact, sign},
        unit,
    },
    sweep::F64_ONLY_BITS,
};
use glam::{DVec3, Vec3};
use std::cmp::Ordering::{Equal, Greater, Less};

/// A one-sided plane ignores what lies wholly behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ignored;

impl Plane {
    /// `normal · p + d` as four exact terms.
    pub(crate) fn distance_terms(&self, point: Vec3) -> [f64; 4] {
        let product = self.normal().as_dvec3() * point.as_dvec3();
        [product.x, product.y, product.z, f64::from(self.d())]
    }

    /// The signed distance of the box's extreme vertex along `direction · normal`, as 13 exact terms.
    pub(crate) fn extreme_terms(&self, obb: &Obb, direction: f64) -> [f64; 13] {
        extreme_terms(obb, obb.center(), (self.normal().as_dvec3(), self.d().into()), direction)
    }

    /// The side on which a box is held, 1 for the front and −1 for the back; `None` if the plane ignores the box. For a
    /// box whose centre lies on the plane, the sign of the sum of `approach` decides.
    pub(crate) fn start_side(&self, body: &Obb, sides: Sides, approach: &[f64]) -> Option<f64> {
        match sides {
            Sides::Front => (sign(&self.extreme_terms(body, 1.0)) != Less).then_some(1.0),
            Sides::Both => match sign(&self.distance_terms(body.center())) {
                Greater => Some(1.0),
                Less => Some(-1.0),
                // A centre on the plane is leaving it, whichever way it goes.
                Equal => Some(if sign(approach) == Less { -1.0 } else { 1.0 }),
            },
        }
    }

    /// The same, with the gap on that side, which has the right sign.
    #[cold]
    pub(crate) fn start_exactly(&self, body: &Obb, sides: Sides, approach: &[f64]) -> Option<(f64, f64)> {
        let side = self.start_side(body, sides, approach)?;
        Some((side, side * Exact::sum(&self.extreme_terms(body, -side)).value()))
    }
}

/// The signed distance of the extreme vertex along `direction · normal` of a box with its centre at `center`, as 13
/// exact terms, for a plane whose normal has `f32` coordinates.
fn extreme_terms(obb: &Obb, center: Vec3, (normal, d): (DVec3, f64), direction: f64) -> [f64; 13] {
    let mut terms = [0.0; 13];
    let product = normal * center.as_dvec3();
    terms[..4].copy_from_slice(&[product.x, product.y, product.z, d]);
    for (i, edge) in obb.wide_edges().into_iter().enumerate() {
        let parts = (normal * edge).to_array();
        // The side of the half edge decides which of its two ends lies farther along the direction.
        let toward = if sign(&parts) == Less { -direction } else { direction };
        terms[4 + 3 * i..7 + 3 * i].copy_from_slice(&parts.mapped(|x| toward * x));
    }
    terms
}

/// The gap of a box with its centre at `center` to a plane that faces it, in units of the normal's length.
pub(crate) fn gap_at(obb: &Obb, center: Vec3, facing: (DVec3, f64)) -> f64 {
    extreme_terms(obb, center, facing, -1.0).iter().sum()
}

/// The axis along which a vector is longest.
#[inline(always)]
pub(crate) fn main_axis(v: DVec3) -> usize {
    let size = v.abs();
    // Sums of comparisons: for a random normal a branch would be mispredicted every other time.
    let is_z = usize::from(size.z > size.x) & usize::from(size.z > size.y);
    2 * is_z + (1 - is_z) * usize::from(size.y > size.x)
}

/// An `f32` centre next to `moved` at which a box that reaches `reach` toward the plane lies in front of
/// `normal · p + d = 0` by more than `error`, and its gap; `None` if that takes exact arithmetic.
///
/// The coordinate at which the gap would be zero is rounded along the normal, and the gap is what rounding adds. There
/// are no branches, because the direction of rounding is as good as random.
#[inline(always)]
pub(crate) fn depenetrate(moved: DVec3, (normal, d): (DVec3, f64), reach: f64, error: f64) -> Option<(Vec3, f64)> {
    let center = moved.as_vec3();
    let center_f64 = center.as_dvec3();
    let axis = main_axis(normal);
    let pick = |v: DVec3| [v.x, v.y, v.z][axis];
    let along = pick(normal);
    // The reciprocal is ready long before the gap is.
    let touching = pick(center_f64) - (normal.dot(center_f64) + d - reach) * (1.0 / along);
    // Cutting off the bits that only `f64` has rounds toward zero. If that is toward the plane, the most that these
    // bits can hold is added first.
    let bits = touching.to_bits();
    let is_away = !((bits ^ along.to_bits()).cast_signed() >> 63).cast_unsigned();
    let rounded = f64::from_bits(bits.wrapping_add(is_away & F64_ONLY_BITS) & !F64_ONLY_BITS);
    let gap = (rounded - touching) * along;
    // Masks instead of branches: the axis is as good as random too.
    let place = |i: usize, x: f32| {
        let here = u32::from(axis == i).wrapping_neg();
        f32::from_bits(x.to_bits() & !here | (rounded as f32).to_bits() & here)
    };
    let center = Vec3::new(place(0, center.x), place(1, center.y), place(2, center.z));
    // The coordinate errs as the gap does; and next to zero `f32` has fewer bits.
    (gap > 2.0 * error && rounded.abs() >= f64::from(f32::MIN_POSITIVE)).then_some((center, gap))
}

/// The same for the edges of `body`, decided exactly: `None` only at the end of the range of coordinates.
pub(crate) fn depenetrate_exactly(body: &Obb, moved: DVec3, facing: (DVec3, f64)) -> Option<Vec3> {
    let normal = facing.0;
    let axis = main_axis(normal);
    let mut center = moved.as_vec3();
    // One round is enough unless the gap itself is rounded.
    for _ in 0..4 {
        let gap = extreme_terms(body, center, facing, -1.0);
        if sign(&gap) != Less {
            return Some(center);
        }
        // The exact sum: the rounded one may be zero, and the next `f32` up from a coordinate near zero far too little.
        let lift = -Exact::sum(&gap).value() / normal[axis].abs();
        let raised = f64::from(center[axis]) + lift * normal[axis].signum();
        let rounded = if normal[axis] > 0.0 { unit::round_up(&[raised]) } else { unit::round_down([raised]) };
        let step = if normal[axis] > 0.0 { center[axis].next_up() } else { center[axis].next_down() };
        center[axis] = if normal[axis] > 0.0 { rounded.max(step) } else { rounded.min(step) };
    }
    None
}

/// The side on which a moving plane holds a moving box, and there the time of impact in `[0, 1)`, or as `Err` the depth
/// of an overlap at the start; `None` if the plane ignores the box or is not reached.
#[cold]
pub(super) fn first_touch(
    body: &Obb,
    projection: &BoxPlaneF64,
    plane: &Plane,
    [motion, plane_motion]: [DVec3; 2],
    sides: Sides,
) -> Option<(f64, Result<f64, f64>)> {
    let (toward, from) = (projection.normal * motion, projection.normal * plane_motion);
    let approach = [toward.x, toward.y, toward.z, -from.x, -from.y, -from.z];
    let side = plane.start_side(body, sides, &approach)?;

    // The gap at the start, its change over the step, and the gap at the end: signs of exact sums.
    let mut start = plane.extreme_terms(body, -side);
    start.iter_mut().for_each(|x| *x *= side);
    let change = approach.mapped(|x| side * x);
    let start_sign = sign(&start);
    if start_sign == Less {
        return Some((side, Err(-start.iter().sum::<f64>())));
    }
    let mut end = [0.0; 19];
    end[..13].copy_from_slice(&start);
    end[13..].copy_from_slice(&change);
    if sign(&change) != Less || sign(&end) != Less {
        return None;
    }

    let (gap, change) = (start.iter().sum::<f64>().max(0.0), change.iter().sum::<f64>());
    let toi = if start_sign == Equal { 0.0 } else { (gap / -change).clamp(0.0, 1.0 - f64::EPSILON / 2.0) };
    Some((side, Ok(if toi.is_nan() { 0.0 } else { toi })))
}
