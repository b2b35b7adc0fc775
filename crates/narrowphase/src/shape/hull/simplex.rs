//! Four points that do not lie in a plane, to start a hull with: far apart, so that few points stay outside.
//!
//! Distances, areas and volumes guide the choice; whether there are such points is decided exactly.

use crate::{
    Error,
    exact::orientation::{HEIGHT_ERROR, cross, exact_normal, orientation},
};
use glam::{DVec3, Vec3};
use std::cmp::Ordering;

/// The indices of four points that span a solid: seen from outside, the first three run counter-clockwise.
pub(super) fn simplex(points: &[Vec3], field: &'static str) -> Result<[u32; 4], Error> {
    let at = |i: u32| points[i as usize].as_dvec3();
    let all = 0..points.len() as u32;
    let a = all.clone().reduce(|a, b| if is_before(points[b as usize], points[a as usize]) { b } else { a });
    let a = a.ok_or(Error::TooFew { field })?;
    // Each is the point with the largest measure, unless that is nothing but rounding.
    let b = farthest(all.clone(), |i| (at(i) - at(a)).length_squared());
    let b = span(b, all.clone(), |i| at(i) != at(a)).ok_or(Error::Coincident { field })?;
    let c = farthest(all.clone(), |i| (at(b) - at(a)).cross(at(i) - at(a)).length_squared());
    let c = span(c, all.clone(), |i| !are_collinear([at(a), at(b), at(i)])).ok_or(Error::Collinear { field })?;
    let (normal, _) = cross(at(b) - at(a), at(c) - at(a));
    let d = farthest(all.clone(), |i| normal.dot(at(i) - at(a)).abs());
    let side = |i: u32| orientation([at(a), at(b), at(c)], at(i));
    let d = span(d, all, |i| side(i) != Ordering::Equal).ok_or(Error::Coplanar { field })?;
    Ok(if side(d) == Ordering::Less { [a, b, c, d] } else { [a, c, b, d] })
}

/// The order of points by x, then y, then z.
pub(super) fn is_before(a: Vec3, b: Vec3) -> bool {
    (a.x, a.y, a.z) < (b.x, b.y, b.z)
}

/// The first point with the largest measure.
fn farthest(all: impl Iterator<Item = u32>, measure: impl Fn(u32) -> f64) -> u32 {
    let larger = |best: (u32, f64), i: u32| {
        let size = measure(i);
        if size > best.1 { (i, size) } else { best }
    };
    all.fold((0, f64::NEG_INFINITY), larger).0
}

/// `likely` if `does` holds for it, or else the first point for which it holds.
fn span(likely: u32, mut all: impl Iterator<Item = u32>, does: impl Fn(u32) -> bool) -> Option<u32> {
    if does(likely) { Some(likely) } else { all.find(|&i| does(i)) }
}

/// Whether three points are exactly collinear.
fn are_collinear(points: [DVec3; 3]) -> bool {
    let [a, b, c] = points;
    let (normal, size) = cross(b - a, c - a);
    let is_certain = (0..3).any(|axis| normal[axis].abs() > HEIGHT_ERROR * size[axis]);
    !is_certain && (0..3).all(|axis| exact_normal(points, axis).sign() == Ordering::Equal)
}
