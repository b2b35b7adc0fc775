//! Sine, cosine and the rotation of vectors: the same bits on every platform, which the standard library does not
//! promise.
//!
//! Angles are in quarter turns. Less the nearest integer, which is exact, they lie within an eighth of a turn, where
//! one polynomial each is exact to the last bits.
//!
//! Source: Sun's fdlibm, `k_sin.c` and `k_cos.c` (the coefficients, here times powers of π/2).

use glam::{DVec3, DVec4, Vec3};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// The largest angle in radians, 2^16, about ten thousand turns: up to it, the time of a step is exact to 2^-37 of a
/// turn.
pub(super) const MAX_ANGLE: f64 = 65536.0;

/// Adding and subtracting 1.5 · 2^52 rounds to an integer, whose lowest bits are then those of the sum.
const TO_INTEGER: f64 = 6_755_399_441_055_744.0;

/// Coefficients of x³, x⁵ and so on.
const SIN: [f64; 6] = scaled(
    [
        -1.666_666_666_666_663_2e-1,
        8.333_333_333_322_49e-3,
        -1.984_126_982_985_795e-4,
        2.755_731_370_707_006_8e-6,
        -2.505_076_025_340_686_3e-8,
        1.589_690_995_211_55e-10,
    ],
    FRAC_PI_2 * FRAC_PI_2 * FRAC_PI_2,
);

/// Coefficients of x², x⁴ and so on.
const COS: [f64; 7] = scaled(
    [
        -0.5,
        4.166_666_666_666_66e-2,
        -1.388_888_888_887_411e-3,
        2.480_158_728_947_673e-5,
        -2.755_731_435_139_066_3e-7,
        2.087_572_321_298_175e-9,
        -1.135_964_755_778_819_5e-11,
    ],
    FRAC_PI_2 * FRAC_PI_2,
);

/// Coefficients of a polynomial in quarter turns, from those in radians: the first is multiplied by `power`, a power of
/// π/2, and each further one by two more powers of π/2.
const fn scaled<const N: usize>(mut coefficients: [f64; N], mut power: f64) -> [f64; N] {
    let mut i = 0;
    while i < N {
        coefficients[i] *= power;
        power *= FRAC_PI_2 * FRAC_PI_2;
        i += 1;
    }
    coefficients
}

/// Sine and cosine of an angle in quarter turns, within [`MAX_ANGLE`], each off by less than 2^-51.
#[inline(always)]
pub(crate) fn sin_cos(quarters: f64) -> (f64, f64) {
    let shifted = quarters + TO_INTEGER;
    let x = quarters - (shifted - TO_INTEGER);
    let z = x * x;
    let zz = z * z;
    let [s1, s2, s3, s4, s5, s6] = SIN;
    let sin = x * FRAC_PI_2 + x * z * ((s1 + z * s2) + zz * ((s3 + z * s4) + zz * (s5 + z * s6)));
    let [c1, c2, c3, c4, c5, c6, c7] = COS;
    let cos = 1.0 + (z * c1 + zz * ((c2 + z * c3) + zz * ((c4 + z * c5) + zz * (c6 + z * c7))));
    // Swapped in odd quarters, and each negated in two of four; by bit operations, because the quarter is as good as
    // random.
    let (bits, sin, cos) = (shifted.to_bits(), sin.to_bits(), cos.to_bits());
    let swap = (sin ^ cos) & 0u64.wrapping_sub(bits & 1);
    let sign = |quarter: u64| (quarter & 2) << 62;
    (f64::from_bits((sin ^ swap) ^ sign(bits)), f64::from_bits((cos ^ swap) ^ sign(bits.wrapping_add(1))))
}

/// A rotation about an axis through the origin at a constant rate over a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AngularMotion {
    /// Unit vector, or zero for no rotation.
    pub(crate) axis: DVec3,
    /// Radians over the step, zero or more.
    pub(crate) angle: f64,
    /// The same in quarter turns.
    pub(crate) quarters: f64,
    /// The axis times the angle, and one over the square of the angle; zero for no rotation.
    pub(crate) rotation: DVec3,
    pub(crate) inverse_square: f64,
}

impl AngularMotion {
    /// Creates it from a rotation vector: the axis times the angle.
    #[inline]
    pub(crate) fn new(rotation: DVec3) -> Self {
        let square = rotation.length_squared();
        let angle = square.sqrt();
        let (inverse, inverse_square) = if square > 0.0 { (1.0 / angle, 1.0 / square) } else { (0.0, 0.0) };
        Self { axis: rotation * inverse, angle, quarters: angle * FRAC_2_PI, rotation, inverse_square }
    }

    /// Returns four vectors rotated until `time` in `[0, 1]`, given and returned by coordinate; at 0 they are
    /// unchanged.
    #[inline(always)]
    pub(crate) fn rotated(&self, vectors: [DVec4; 3], time: f64) -> [DVec4; 3] {
        rotated(&self.matrix(time), vectors)
    }

    /// The rotation vector.
    pub(crate) fn rate(&self) -> DVec3 {
        self.axis * self.angle
    }

    /// Returns the axis, and sine and cosine of half the angle until `time`.
    pub(crate) fn half_turned(&self, time: f64) -> (DVec3, f64, f64) {
        let (sin, cos) = sin_cos(0.5 * self.quarters * time);
        (self.axis, sin, cos)
    }

    /// Returns a vector rotated until `time`, which may be negative.
    pub(crate) fn rotated_vector(&self, v: DVec3, time: f64) -> DVec3 {
        self.rotated_vectors([v, DVec3::ZERO, DVec3::ZERO], time)[0]
    }

    /// The same for three vectors.
    pub(crate) fn rotated_vectors(&self, [a, b, c]: [DVec3; 3], time: f64) -> [DVec3; 3] {
        if self.angle == 0.0 {
            return [a, b, c];
        }
        let row = |i: usize| DVec4::new(a[i], b[i], c[i], 0.0);
        let [x, y, z] = self.rotated([row(0), row(1), row(2)], time);
        [DVec3::new(x.x, y.x, z.x), DVec3::new(x.y, y.y, z.y), DVec3::new(x.z, y.z, z.z)]
    }

    /// The rows of the rotation matrix at `time` (Rodrigues).
    #[inline(always)]
    fn matrix(&self, time: f64) -> [DVec3; 3] {
        let (sin, cos) = sin_cos(self.quarters * time);
        let (a, s, k) = (self.axis, self.axis * sin, self.axis * (1.0 - cos));
        let (xy, xz, yz) = (k.x * a.y, k.x * a.z, k.y * a.z);
        [
            DVec3::new(k.x * a.x + cos, xy - s.z, xz + s.y),
            DVec3::new(xy + s.z, k.y * a.y + cos, yz - s.x),
            DVec3::new(xz - s.y, yz + s.x, k.z * a.z + cos),
        ]
    }
}

/// Four vectors by coordinate, times a matrix.
#[inline(always)]
fn rotated(matrix: &[DVec3; 3], [x, y, z]: [DVec4; 3]) -> [DVec4; 3] {
    let row = |m: &DVec3| x * m.x + y * m.y + z * m.z;
    [row(&matrix[0]), row(&matrix[1]), row(&matrix[2])]
}

/// The rotation matrix of a whole step, kept for [`TurningBoxSweep::end`](crate::TurningBoxSweep::end): for a body that
/// rotates at a constant rate, sine and cosine are then computed only once.
///
/// Any cache serves any body: it is recomputed whenever the rotation differs from the cached one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RotationCache {
    rotation: Vec3,
    matrix: [DVec3; 3],
}

impl Default for RotationCache {
    /// No rotation: the identity matrix.
    fn default() -> Self {
        Self { rotation: Vec3::ZERO, matrix: [DVec3::X, DVec3::Y, DVec3::Z] }
    }
}

impl RotationCache {
    /// Four vectors by coordinate, rotated by a rotation vector.
    #[inline(always)]
    pub(super) fn rotated(&mut self, rotation: Vec3, vectors: [DVec4; 3]) -> [DVec4; 3] {
        if self.rotation != rotation {
            *self = Self { rotation, matrix: AngularMotion::new(rotation.as_dvec3()).matrix(1.0) };
        }
        rotated(&self.matrix, vectors)
    }
}

/// Written out, because a target with fused multiply-add must not change its bits.
#[inline]
pub(super) fn cross(a: DVec3, b: DVec3) -> DVec3 {
    DVec3::new(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sine_and_cosine_are_within_their_bound() {
        let bound = 2f64.powi(-51);
        for i in 0..200_000 {
            let angle = f64::from(i) * 0.327_681_1 * if i % 2 == 0 { 1.0 } else { 1e-4 };
            let (sin, cos) = sin_cos(angle);
            // For the nearest angle in radians, which has its own rounding error.
            let (bound, angle) = (bound + 2.0 * angle * f64::EPSILON, angle * FRAC_PI_2);
            assert!((sin - angle.sin()).abs() < bound && (cos - angle.cos()).abs() < bound, "{angle}: {sin} {cos}");
        }
        assert_eq!(sin_cos(0.0), (0.0, 1.0));
        assert_eq!([1.0, 2.0, 3.0, 40_001.0].map(sin_cos), [(1.0, 0.0), (0.0, -1.0), (-1.0, 0.0), (1.0, 0.0)]);
    }

    #[test]
    fn a_quarter_turn_about_z_leads_from_x_to_y() {
        let motion = AngularMotion::new(DVec3::Z * std::f64::consts::PI);
        let vectors = [DVec4::new(2.0, 0.1, 1.0, 0.0), DVec4::new(3.0, 0.2, 0.0, 0.0), DVec4::new(5.0, 0.3, 0.0, 1.0)];
        let [x, y, z] = motion.rotated(vectors, 0.5);
        assert!((DVec3::new(x.x, y.x, z.x) - DVec3::new(-3.0, 2.0, 5.0)).length() < 1e-15, "{x} {y} {z}");
        assert_eq!(motion.rotated(vectors, 0.0), vectors);
    }
}
