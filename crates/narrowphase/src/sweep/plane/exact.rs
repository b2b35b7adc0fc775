//! The place next to a plane at which a box, its numbers rounded to `f32`, does not penetrate it.
//!
//! Rounding alone would penetrate every other time, so the coordinate along which the normal is largest gives way.

use crate::{
    Obb,
    exact::{
        predicate::{Exact, sign},
        unit,
    },
    sweep::ONLY_WIDE,
};
use glam::{DVec3, Vec3};
use std::cmp::Ordering::Less;

/// The axis along which a vector is longest.
#[inline(always)]
pub(crate) fn main_axis(v: DVec3) -> usize {
    let size = v.abs();
    // Sums of comparisons: of a random normal a branch would be guessed wrong every other time.
    let is_z = usize::from(size.z > size.x) & usize::from(size.z > size.y);
    2 * is_z + (1 - is_z) * usize::from(size.y > size.x)
}

/// An `f32` centre next to `moved` at which a box that reaches `reach` toward the plane lies in front of `normal · p + d = 0`, by
/// more than `error`, and its gap; `None` when that takes exact arithmetic.
///
/// The coordinate at which the gap would be zero is rounded along the normal, and what that adds is the gap. Without branches:
/// which way rounding goes is as good as random.
#[inline(always)]
pub(crate) fn push_out_fast(moved: DVec3, normal: DVec3, d: f64, reach: f64, error: f64) -> Option<(Vec3, f64)> {
    let center = moved.as_vec3();
    let wide = center.as_dvec3();
    let axis = main_axis(normal);
    let pick = |v: DVec3| [v.x, v.y, v.z][axis];
    let along = pick(normal);
    // One over it is known long before the gap is.
    let touching = pick(wide) - (normal.dot(wide) + d - reach) * (1.0 / along);
    // Along the normal, as the bits that only f64 has are left off: after as much as they can hold, where that is away from zero.
    let bits = touching.to_bits();
    let is_away = !((bits ^ along.to_bits()).cast_signed() >> 63).cast_unsigned();
    let rounded = f64::from_bits(bits.wrapping_add(is_away & ONLY_WIDE) & !ONLY_WIDE);
    let gap = (rounded - touching) * along;
    // By masks: as branches, which it is would be guessed.
    let place = |i: usize, x: f32| {
        let here = u32::from(axis == i).wrapping_neg();
        f32::from_bits(x.to_bits() & !here | (rounded as f32).to_bits() & here)
    };
    let center = Vec3::new(place(0, center.x), place(1, center.y), place(2, center.z));
    // The place of touching errs as the gap there does; and next to zero f32 has fewer bits.
    (gap > 2.0 * error && rounded.abs() >= f64::from(f32::MIN_POSITIVE)).then_some((center, gap))
}

/// The same for the edges of `body`, decided exactly: never `None` but at the end of the range of coordinates.
pub(crate) fn push_out(body: &Obb, moved: DVec3, normal: DVec3, d: f64) -> Option<Vec3> {
    let axis = main_axis(normal);
    let mut center = moved.as_vec3();
    // One round suffices but where the gap itself is rounded.
    for _ in 0..4 {
        let gap = gap_terms(body, center, normal, d);
        if sign(&gap) != Less {
            return Some(center);
        }
        // The exact sum: what f64 makes of it may be zero, and the next f32 up from a coordinate near zero far too little.
        let lift = -Exact::sum(&gap).value() / normal[axis].abs();
        let raised = f64::from(center[axis]) + lift * normal[axis].signum();
        let rounded = if normal[axis] > 0.0 { unit::round_up([raised]) } else { unit::round_down([raised]) };
        let step = if normal[axis] > 0.0 { center[axis].next_up() } else { center[axis].next_down() };
        center[axis] = if normal[axis] > 0.0 { rounded.max(step) } else { rounded.min(step) };
    }
    None
}

/// `normal · center + d − e` as exact terms, for a `normal` of `f32` numbers.
pub(crate) fn gap_terms(obb: &Obb, center: Vec3, normal: DVec3, d: f64) -> [f64; 13] {
    let mut terms = [0.0; 13];
    let product = normal * center.as_dvec3();
    terms[..4].copy_from_slice(&[product.x, product.y, product.z, d]);
    for (i, edge) in obb.wide_edges().into_iter().enumerate() {
        let product = normal * edge;
        let parts = [product.x, product.y, product.z];
        let away = if sign(&parts) == Less { 1.0 } else { -1.0 };
        terms[4 + 3 * i..7 + 3 * i].copy_from_slice(&parts.map(|x| away * x));
    }
    terms
}
