//! A bounding plane of a brush.

use super::clip::SMALLEST_COMPONENT;
use crate::{
    Error,
    arrays::Mapped,
    exact::{
        predicate::{sign, two_product},
        unit,
    },
};
use glam::DVec3;
use std::cmp::Ordering;

/// A bounding plane of a [`Brush`](crate::Brush): the solid lies where `normal · p <= distance`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BrushPlane {
    /// Unit length, pointing out of the solid.
    pub normal: DVec3,
    /// How far the plane lies from the origin along its normal.
    pub distance: f64,
}

impl BrushPlane {
    /// Returns how far `point` lies outside the plane, rounded; negative inside.
    ///
    /// ```
    /// # use cullide_narrowphase::{BrushPlane, glam::DVec3};
    /// assert_eq!(BrushPlane { normal: DVec3::Y, distance: 2.0 }.signed_distance(DVec3::ONE), -1.0);
    /// ```
    pub fn signed_distance(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.distance
    }

    /// Checks and normalises a plane; a normal that already has unit length is kept bit for bit, so that a brush
    /// survives a round trip.
    pub(super) fn new(normal: DVec3, distance: f64) -> Result<Self, Error> {
        let length = unit::normal_length(normal, "normal")?;
        if !distance.is_finite() {
            return Err(Error::NonFinite { field: "distance" });
        }
        let is_unit = (normal.length_squared() - 1.0).abs() <= 4.0 * f64::EPSILON;
        let (normal, distance) = if is_unit { (normal, distance) } else { (normal / length, distance / length) };
        if distance.abs() > 2.0 * f64::from(unit::MAX_COORDINATE) {
            return Err(Error::OutOfRange { field: "distance" });
        }
        let tiny = normal.abs().cmplt(DVec3::splat(SMALLEST_COMPONENT));
        Ok(Self { normal: DVec3::select(tiny, DVec3::ZERO, normal), distance: distance + 0.0 })
    }

    /// The plane through three points, clockwise when seen from outside.
    pub(super) fn from_points(points: [DVec3; 3]) -> Result<Self, Error> {
        for point in points {
            if !point.is_finite() {
                return Err(Error::NonFinite { field: "triples" });
            }
            if point.abs().max_element() > f64::from(unit::MAX_COORDINATE) {
                return Err(Error::OutOfRange { field: "triples" });
            }
        }
        let [a, b, c] = points;
        // Scaled first, so that a normal neither overflows nor underflows.
        let size = (b - a).abs().max((c - a).abs()).max_element();
        let (ab, ac) = ((b - a) / size, (c - a) / size);
        let normal = ac.cross(ab);
        // Within the rounding of the cross product, the points are collinear.
        if size == 0.0 || normal.length() <= 4.0 * f64::EPSILON * ab.length() * ac.length() {
            return Err(Error::ZeroNormal { field: "triples" });
        }
        // A quotient keeps an axial normal exact; a product with the reciprocal would not.
        let normal = normal / normal.length();
        Self::new(normal, normal.dot(a))
    }

    /// The axis of an axial plane, and its coordinate there.
    pub(in crate::shape) fn axial(&self) -> Option<(usize, f64)> {
        // Compares all components: next to a component that rounds to one, the others need not be zero.
        let axis = (0..3).find(|&axis| self.normal.abs() == DVec3::AXES[axis])?;
        Some((axis, self.normal[axis] * self.distance + 0.0))
    }

    /// Whether `point` lies strictly outside, exactly.
    pub(crate) fn is_before(&self, point: DVec3) -> bool {
        let products = self.normal * point;
        let distance = self.signed_distance(point);
        let magnitude = products.abs().element_sum() + self.distance.abs();
        if distance.abs() > 4.0 * f64::EPSILON * magnitude {
            return distance > 0.0;
        }
        let [x, y, z] = [0, 1, 2].mapped(|axis| two_product(self.normal[axis], point[axis]));
        sign(&[x.0, y.0, z.0, -self.distance, x.1, y.1, z.1]) == Ordering::Greater
    }
}
