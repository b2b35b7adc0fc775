//! What is true, by exact tests, and what is nearly true, within the rounding that a query documents.

use super::question::Question;
use cullide_bvh::narrowphase::{Aabb, Plane, Side, Sphere, glam::Vec3};
use cullide_oracle as oracle;

/// The roundings allowed. Queries document only a few, so an answer that is off by more than this is wrong.
pub const ROUNDINGS: f64 = 20.0;

/// One rounding of `f32`.
const U: f64 = f32::EPSILON as f64 / 2.0;

/// Below this, a path's parameter may count as 0.
const TINY: f64 = f32::MIN_POSITIVE as f64 * 256.0;

/// Whether the moving volume meets the box, exactly.
pub fn meets(question: &Question, aabb: &Aabb) -> bool {
    match question {
        Question::Ray(ray, max) => ray.hits(aabb, *max),
        Question::Segment(segment) => segment.hits(aabb),
        // One rounding of `f32` is far more than those of `f64`.
        Question::Swept(..) if !nearly_meets(question, aabb, 1.0).1 => false,
        Question::Swept(body, delta) => {
            // A point against the box grown by the body; the subtractions have the exact sign, and are accurate to
            // 2^-53.
            let (low, high) = grown(body, aabb);
            let path = oracle::Path::segment([0.0; 3], delta.as_dvec3().to_array());
            oracle::path_aabb(&path, [low, high]).is_some()
        }
    }
}

/// Where the moving volume enters the box, in `f64`, and whether it would meet the box if far sides were farther by
/// `roundings` roundings.
pub fn nearly_meets(question: &Question, aabb: &Aabb, roundings: f64) -> (f64, bool) {
    let (body, delta, max) = question.motion();
    let (low, high) = grown(&body, aabb);
    let (mut enter, mut exit) = (0.0f64, f64::from(max));
    for i in 0..3 {
        let delta = f64::from(delta[i]);
        if delta.abs() < f64::from(f32::MIN_POSITIVE) {
            // A motion that counts as none is taken to cover its whole way at all times.
            if low[i] > delta.max(0.0) || high[i] < delta.min(0.0) {
                return (f64::INFINITY, false);
            }
        } else {
            let (near, far) = if delta > 0.0 { (low[i], high[i]) } else { (high[i], low[i]) };
            enter = enter.max(near / delta);
            exit = exit.min(far / delta);
        }
    }
    let beyond_range = enter > f64::from(f32::MAX) && max == f32::INFINITY;
    (enter, beyond_range || (exit >= -TINY && enter <= exit.abs() * (1.0 + roundings * U) + TINY))
}

/// Whether `entry` can be a lower bound, off by at most three roundings, of where the path enters.
pub fn is_entry(entry: f32, enter: f64) -> bool {
    let entry = f64::from(entry);
    (entry - enter).abs() <= enter * 4.0 * U + TINY
        || (entry > f64::from(f32::MAX) && enter > f64::from(f32::MAX) * 0.9)
}

/// Whether a sphere and a box touch, exactly.
fn sphere_touches(sphere: &Sphere, aabb: &Aabb) -> bool {
    let (square, reach) = (distance_squared(aabb, sphere.center()), f64::from(sphere.radius()).powi(2));
    if (square - reach).abs() > 1e-12 * reach {
        return square < reach;
    }
    let center = sphere.center();
    oracle::aabb_sphere(raw(aabb), [center.x, center.y, center.z, sphere.radius()])
}

/// The squared distance, accurate to 2^-50.
pub fn distance_squared(aabb: &Aabb, point: Vec3) -> f64 {
    let (low, high) = grown(&Aabb::new(point, point).expect("a place in range"), aabb);
    (0..3).map(|i| low[i].max(-high[i]).max(0.0).powi(2)).sum()
}

/// The least and the greatest signed distance of the box's points from the plane, in `f64`.
pub fn extremes(plane: &Plane, aabb: &Aabb) -> (f64, f64) {
    let normal = plane.normal();
    let distance = |vertex: Vec3| normal.as_dvec3().dot(vertex.as_dvec3()) + f64::from(plane.d());
    (distance(aabb.support(-normal)), distance(aabb.support(normal)))
}

/// A box in the form that the oracle takes.
pub fn raw(aabb: &Aabb) -> [[f32; 3]; 2] {
    [aabb.min().to_array(), aabb.max().to_array()]
}

fn grown(body: &Aabb, aabb: &Aabb) -> ([f64; 3], [f64; 3]) {
    let low = aabb.min().as_dvec3() - body.max().as_dvec3();
    (low.to_array(), (aabb.max().as_dvec3() - body.min().as_dvec3()).to_array())
}

/// Squares overflow at distances beyond 2^63 and underflow below 2^-63; a box that is shown there is accepted.
pub fn check_sphere(sphere: &Sphere, aabb: &Aabb, shown: bool, name: &str) {
    let (square, reach) = (distance_squared(aabb, sphere.center()), f64::from(sphere.radius()).powi(2));
    if shown {
        let overflow = square > 126f64.exp2();
        let near = square <= reach * (1.0 + 2.0 * ROUNDINGS * f64::from(f32::EPSILON)) + (-124f64).exp2();
        assert!(near || overflow, "far from it: {name} {sphere:?} {aabb:?}");
    } else {
        assert!(!sphere_touches(sphere, aabb), "missed: {name} {sphere:?} {aabb:?}");
    }
}

/// A decided side must be the exact one; an undecided box must touch the plane within rounding of its distances.
pub fn check_side(plane: &Plane, aabb: &Aabb, side: Side, name: &str) {
    if side == Side::Straddling {
        assert!(nearly_touches(plane, aabb), "{name} {plane:?} {aabb:?} is far from the plane");
    } else {
        assert_eq!(plane.side_of_aabb(aabb), side, "{name} {plane:?} {aabb:?}");
    }
}

fn nearly_touches(plane: &Plane, aabb: &Aabb) -> bool {
    let reach = aabb.min().abs().max(aabb.max().abs()).as_dvec3();
    let magnitude = plane.normal().as_dvec3().abs().dot(reach) + f64::from(plane.d()).abs();
    let slack = magnitude * ROUNDINGS * f64::from(f32::EPSILON) + (-120f64).exp2();
    let (low, high) = extremes(plane, aabb);
    low <= slack && high >= -slack
}
