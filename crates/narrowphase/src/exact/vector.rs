//! Vector and rotation arithmetic, written out operation by operation.
//!
//! Results must have the same bits with every version of glam and on every target. Code that makes decisions uses only
//! these operations of glam: sums, differences, component-wise products, and `dot`, `cross` and `length` of vectors of
//! three, each of which can be computed in only one way (the golden values of the tests notice any other). Everything
//! whose order of operations glam may choose is written out here: glam 0.33 and 0.34, for one, expand the determinant
//! along different columns.

use crate::arrays::Mapped;
use glam::{DVec3, Quat};

/// The triple product `a · (b × c)`.
pub(crate) fn determinant(a: DVec3, b: DVec3, c: DVec3) -> f64 {
    a.dot(b.cross(c))
}

/// The unit vector along `v`, which is not zero.
#[inline(always)]
pub(crate) fn normalized(v: DVec3) -> DVec3 {
    v * (1.0 / v.length())
}

/// The unit vector along `v`; `None` for one too short, or too long, to have a direction.
#[inline(always)]
pub(crate) fn try_normalized(v: DVec3) -> Option<DVec3> {
    let inverse = 1.0 / v.length();
    (inverse.is_finite() && inverse > 0.0).then(|| v * inverse)
}

/// The same, but zero instead of `None`.
#[inline(always)]
pub(crate) fn normalized_or_zero(v: DVec3) -> DVec3 {
    try_normalized(v).unwrap_or(DVec3::ZERO)
}

/// A unit vector perpendicular to a unit vector.
///
/// Source: Duff and others, "Building an Orthonormal Basis, Revisited", 2017.
pub(crate) fn perpendicular(unit: DVec3) -> DVec3 {
    let sign = if unit.z.is_sign_negative() { -1.0 } else { 1.0 };
    let a = -1.0 / (sign + unit.z);
    DVec3::new(unit.x * unit.y * a, sign + unit.y * unit.y * a, -unit.y)
}

/// `v`, shortened to a length of `most` if it is longer.
pub(crate) fn no_longer_than(most: f64, v: DVec3) -> DVec3 {
    let square = v.length_squared();
    if square > most * most { most * (v / square.sqrt()) } else { v }
}

/// A rotation as a unit quaternion, in `f64`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rotation {
    axis: DVec3,
    w: f64,
}

impl Rotation {
    /// The rotation of a finite quaternion; `None` for one of length zero.
    pub(crate) fn new(rotation: Quat) -> Option<Self> {
        let [x, y, z, w] = [rotation.x, rotation.y, rotation.z, rotation.w].mapped(f64::from);
        let length = (x * x + y * y + z * z + w * w).sqrt();
        let inverse = 1.0 / length;
        (length > 0.0).then(|| Self { axis: DVec3::new(x * inverse, y * inverse, z * inverse), w: w * inverse })
    }

    pub(crate) fn turned(&self, v: DVec3) -> DVec3 {
        let Self { axis, w } = *self;
        v * (w * w - axis.dot(axis)) + axis * (v.dot(axis) * 2.0) + axis.cross(v) * (w * 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_scenes::{Rng, SEED};

    #[test]
    fn a_perpendicular_is_across_and_of_unit_length() {
        let mut rng = Rng::with_seed(SEED);
        let axes = DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]);
        let any = (0..1000).map(|_| normalized(DVec3::from([(); 3].map(|()| rng.f64() - 0.5))));
        for unit in axes.chain(any.collect::<Vec<_>>()) {
            let across = perpendicular(unit);
            assert!(across.dot(unit).abs() < 1e-15 && (across.length() - 1.0).abs() < 1e-15, "{unit} {across}");
        }
    }

    #[test]
    fn a_rotation_turns_as_its_quaternion() {
        // A third of a turn about the diagonal, from a quaternion that is not of unit length.
        let turn = Rotation::new(Quat::from_xyzw(3.0, 3.0, 3.0, 3.0)).unwrap();
        assert_eq!(DVec3::AXES.map(|axis| turn.turned(axis)), [DVec3::Y, DVec3::Z, DVec3::X]);
        assert!(Rotation::new(Quat::from_xyzw(0.0, -0.0, 0.0, 0.0)).is_none());
    }
}
