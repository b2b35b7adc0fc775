//! Where three planes meet, and on which side of the other planes, by exact signs.
//!
//! Rounded numbers cannot decide this. A camera's upper, lower and near planes would be parallel to one line; once
//! rounded to `f32`, they meet some 10⁸ times as far away as they are from each other, and in one camera of a million
//! 10¹⁶ times, so that the error of an `f64` is as large as the distance. Such a point is as real as any other, and
//! lies far behind the left or the right plane.

use super::polytope::ROUNDING;
use crate::{Plane, arrays::Mapped, exact::predicate::Exact};
use arrayvec::ArrayVec;
use glam::DVec3;
use std::cmp::Ordering;

/// A determinant more than this many times its rounding gives a point to a thousandth, and with that nearly always its
/// sides. For a smaller one, the point is computed exactly. This affects the time taken, not the answers.
const CLEAR: f64 = 1024.0;

/// For a point or a direction, its relation to each plane: in front (or leading there), on it (or along it), behind.
pub(super) type PlaneSigns = ArrayVec<Ordering, { super::Frustum::MAX_PLANES }>;

/// The common point of three planes.
#[derive(Clone, Debug)]
pub(super) struct PlaneIntersection {
    pub(super) planes: [usize; 3],
    pub(super) point: DVec3,
    /// How much a coordinate of the point may be off.
    pub(super) error: f64,
    pub(super) sides: PlaneSigns,
}

impl PlaneIntersection {
    /// Returns `None` when the planes have no common point, or have a common line.
    pub(super) fn new(all: &[Plane], planes: [usize; 3]) -> Option<Self> {
        let three = planes.mapped(|i| &all[i]);
        let (point, error) = cramer(three).or_else(|| exact_point(three))?;
        let side = |i| if planes.contains(&i) { Ordering::Equal } else { side(&all[i], point, error, three) };
        Some(Self { planes, point, error, sides: (0..all.len()).map(side).collect() })
    }

    /// Whether the point lies behind no plane.
    pub(super) fn is_corner(&self) -> bool {
        self.sides.iter().all(|side| side.is_ge())
    }
}

/// The common point by Cramer's rule, with a bound on its error; `None` when the determinant is not [`CLEAR`].
///
/// A cross product of `f32` normals is exact up to one rounding per component, so only the two sums of products err.
/// Their quotient `p` is off by: `|p − exact| ≤ (error of the sum + |exact| · error of the determinant) /
/// |determinant|`. Writing `|p|` for `|exact|` subtracts the latter error from the denominator.
fn cramer(three: [&Plane; 3]) -> Option<(DVec3, f64)> {
    let [(n0, d0), (n1, d1), (n2, d2)] = three.mapped(|plane| (plane.normal().as_dvec3(), f64::from(plane.d())));
    let (c0, c1, c2) = (n1.cross(n2), n2.cross(n0), n0.cross(n1));
    let (determinant, magnitude) = (n0.dot(c0), n0.abs().dot(c0.abs()));
    let noise = ROUNDING * magnitude;
    if determinant.abs() <= CLEAR * noise {
        return None;
    }
    let point = -(c0 * d0 + c1 * d1 + c2 * d2) / determinant;
    let sum = (c0 * d0).abs() + (c1 * d1).abs() + (c2 * d2).abs() + point.abs() * magnitude;
    Some((point, ROUNDING * sum.max_element() / (determinant.abs() - noise)))
}

/// The common point, rounded once or twice per coordinate.
fn exact_point(three: [&Plane; 3]) -> Option<(DVec3, f64)> {
    if spin(three).is_eq() {
        return None;
    }
    let [x, y, z, w] = homogeneous(three);
    let point = DVec3::new(x.value(), y.value(), z.value()) / w.value();
    Some((point, ROUNDING * point.abs().max_element()))
}

/// The side of `plane` on which the common point of `three` lies.
fn side(plane: &Plane, point: DVec3, error: f64, three: [&Plane; 3]) -> Ordering {
    let distance = plane.distance(point);
    let magnitude = plane.normal().as_dvec3().abs().dot(point.abs()) + f64::from(plane.d().abs());
    // The coordinates of a unit normal add up to less than 2.
    if distance.abs() > 2.0 * error + ROUNDING * magnitude {
        return distance.total_cmp(&0.0);
    }
    let coefficients = plane.normal().as_dvec3().extend(plane.d().into()).to_array();
    let point = homogeneous(three);
    let products = coefficients.iter().zip(&point).map(|(c, x)| Exact::sum(&[*c]).times(x));
    let height = products.fold(Exact::default(), |sum, product| sum.plus(&product)).sign();
    if point[3].sign().is_lt() { height.reverse() } else { height }
}

/// Where `line`, the cross product of the first two planes' normals, leads with respect to the third plane.
pub(super) fn slope(line: DVec3, three: [&Plane; 3]) -> Ordering {
    let normal = three[2].normal().as_dvec3();
    let determinant = normal.dot(line);
    if determinant.abs() > ROUNDING * normal.abs().dot(line.abs()) {
        return determinant.total_cmp(&0.0);
    }
    spin(three)
}

/// The sign of the normals' determinant.
fn spin(three: [&Plane; 3]) -> Ordering {
    let [a, b, c] = three.mapped(|plane| plane.normal().as_dvec3());
    // The usual case is a near and a far plane. A cross product in f64 is zero only for parallel ones.
    if [(a, b), (b, c), (c, a)].iter().any(|(a, b)| a.cross(*b) == DVec3::ZERO) {
        return Ordering::Equal;
    }
    exact_determinant([a, b, c]).sign()
}

/// The common point times the determinant, and the determinant: Cramer's rule by columns.
fn homogeneous(three: [&Plane; 3]) -> [Exact; 4] {
    let [x, y, z] = [0, 1, 2].mapped(|axis| DVec3::from_array(three.mapped(|plane| plane.normal()[axis].into())));
    let d = -DVec3::from_array(three.mapped(|plane| plane.d().into()));
    [[d, y, z], [x, d, z], [x, y, d], [x, y, z]].mapped(|columns| exact_determinant(columns).compact())
}

/// The determinant of vectors whose coordinates are `f32` values, so that a product of two is exact.
fn exact_determinant([a, b, c]: [DVec3; 3]) -> Exact {
    let product = |i: usize| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        Exact::sum(&[a[i]]).times(&Exact::sum(&[b[j] * c[k], -b[k] * c[j]]))
    };
    product(0).plus(&product(1)).plus(&product(2))
}
