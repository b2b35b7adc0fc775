//! Path against plane, from both sides or from the front only.
//!
//! With `s0` the signed distance of the start and `s1` that of the end, the path meets the plane iff the two do not lie
//! on the same side; then `t = s0 / (s0 − s1)`, which cannot leave the path.
//!
//! Source: Christopoulos, "Collision detection tutorial" (two-sided), which divides by `n · D` and compares with an
//! epsilon; the signs below are exact instead.

use super::{Cast, Crossing, HitFeature, Path};
use crate::{
    Plane,
    arrays::Mapped,
    exact::predicate::{Exact, sign},
};
use std::cmp::Ordering::{self, Equal, Greater, Less};

impl Cast for Plane {
    fn crossing(&self, path: &Path) -> Option<Crossing> {
        match (start_side(self, path), end_side(self, path)) {
            (Equal, Equal) => Some(path.starting_inside(path.max)),
            (Equal, _) => Some(path.starting_inside(0.0)),
            (Greater, Less | Equal) => Some(meeting(self, path, 1.0)),
            (Less, Greater | Equal) => Some(meeting(self, path, -1.0)),
            (Greater, Greater) | (Less, Less) => None,
        }
    }

    fn entry_feature(&self, path: &Path) -> Option<HitFeature> {
        self.is_crossed(path).then_some(HitFeature::Face(0))
    }
}

impl Plane {
    /// Returns the crossing of a path that starts in front (or on the plane) and heads strictly for the back; see
    /// [`Ray::cast_front`](crate::Ray::cast_front). A path of length zero on the plane has no heading, and misses.
    ///
    /// ```
    /// # use cullide_narrowphase::{Plane, Segment, glam::Vec3};
    /// let path = Segment::new(Vec3::Y, Vec3::Y * -4.0)?.path();
    /// assert_eq!(Plane::new(Vec3::Y, 0.0)?.front_crossing(&path).unwrap().enter, 0.25);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn front_crossing(&self, path: &Path) -> Option<Crossing> {
        match (start_side(self, path), end_side(self, path)) {
            (Equal, Less) => Some(path.starting_inside(0.0)),
            (Greater, Less | Equal) => Some(meeting(self, path, 1.0)),
            _ => None,
        }
    }
}

/// The sign of `n · O + d`.
fn start_side(plane: &Plane, path: &Path) -> Ordering {
    sign(&plane.distance_terms(path.origin.as_vec3()))
}

/// The sign of `n · (O + max D) + d`; for an endless path, the sign it tends to.
fn end_side(plane: &Plane, path: &Path) -> Ordering {
    let approach = plane.normal().as_dvec3() * path.delta;
    let approach = [approach.x, approach.y, approach.z];
    if path.max.is_infinite() {
        return match sign(&approach) {
            Equal => start_side(plane, path),
            heading => heading,
        };
    }
    let start = plane.distance_terms(path.origin.as_vec3());
    let [a, b, c, d] = start;
    if path.max == 1.0 {
        return sign(&[a, b, c, d, approach[0], approach[1], approach[2]]);
    }
    // The three products with `max` have 72 bits: a filter first, then the exact polynomial.
    let change = approach.mapped(|x| x * path.max);
    let sum = a + b + c + d + change[0] + change[1] + change[2];
    let magnitude: f64 = start.iter().chain(&change).map(|x| x.abs()).sum();
    if sum.abs() > 16.0 * f64::EPSILON * magnitude {
        return if sum > 0.0 { Greater } else { Less };
    }
    Exact::sum(&approach).times(&Exact::sum(&[path.max])).plus(&Exact::sum(&start)).sign()
}

/// The crossing at the one point where the path meets the plane, coming from the `side` of its normal.
fn meeting(plane: &Plane, path: &Path, side: f64) -> Crossing {
    let normal = plane.normal().as_dvec3();
    let t = (plane.distance(path.origin) / -normal.dot(path.delta)).clamp(0.0, path.max);
    // The quotient is rounding noise only when both parts are; the signs have proved that the path meets the plane.
    let t = if t.is_nan() { 0.0 } else { t + 0.0 };
    Crossing { enter: t, exit: t, normal: side * normal, inside: false }
}
