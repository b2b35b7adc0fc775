//! The free rotation of a body: its angular momentum is constant, so its angular velocity is not.
//!
//! Source: Touma and Wisdom, "Lie–Poisson integrators for rigid body dynamics in the solar system", The Astronomical
//! Journal 107, 1994 (a symmetric top, and the rest about one axis); Hairer, Lubich, Wanner, "Geometric Numerical
//! Integration", VII.5.

use super::pose::rotation_vector;
use crate::dynamics::BodyState;
use cullide_narrowphase::Mapped;
use cullide_narrowphase::glam::{DQuat, DVec3, Quat, Vec3};

/// The approximate angle by which a body turns in one part of a step.
const ANGLE: f64 = 0.03;

/// The greatest number of parts into which a step is divided.
const PARTS: f64 = 64.0;

/// For a body whose moments are in a larger ratio, rounding of its axes changes much of its energy.
const SLENDER: f32 = 1e4;

/// The rotation in a step of a body on which no torque acts.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::dynamics) struct FreeSpin {
    /// The change of its angular velocity, per second.
    pub(in crate::dynamics) acceleration: Vec3,
    /// Its rotation, if its angular velocity changes.
    pub(in crate::dynamics) turn: Option<Quat>,
}

impl BodyState {
    /// Its rotation in a step without torques.
    ///
    /// The rotation is that of a top with two equal moments, in closed form, combined with a rotation about the axis of
    /// one of these two for the difference of its moment. Both preserve the angular momentum. Together they preserve
    /// the energy up to the square of their angles, the better the closer the two moments are, and do not drift.
    pub(in crate::dynamics) fn free_spin(&self, dt: f32) -> FreeSpin {
        let Some((axes, inertia)) = self.moments() else { return FreeSpin::default() };
        let spin = self.body.angular_velocity.as_dvec3();
        let angle = spin.length() * f64::from(dt);
        if angle == 0.0 || !angle.is_finite() {
            return FreeSpin::default();
        }
        // A body near something mostly turns as its contacts make it turn.
        let is_alone = self.pairs.is_empty();
        if !is_alone && angle <= ANGLE {
            let [x, y, z] = axes.mapped(|axis| axis.dot(spin));
            let [a, b, c] = inertia;
            let turning = [(b - c) / a * (y * z), (c - a) / b * (z * x), (a - b) / c * (x * y)];
            let acceleration = axes[0] * turning[0] + axes[1] * turning[1] + axes[2] * turning[2];
            return FreeSpin { acceleration: acceleration.as_vec3(), turn: None };
        }
        let most = if is_alone { ANGLE } else { 4.0 * ANGLE };
        let parts = (angle / most).ceil().min(PARTS);
        let part = f64::from(dt) / parts;
        let mut momentum = [0, 1, 2].mapped(|i| axes[i].dot(spin) * inertia[i]);
        let [i, j, k] = top_of(&inertia);
        let half = |inertia: f64| 0.5 * part / inertia;
        let (top, own, other) =
            (half(inertia[i]), half(inertia[k]) - half(inertia[i]), half(inertia[j]) - half(inertia[i]));
        let mut turn = DQuat::IDENTITY;
        for _ in 0..parts as usize {
            turn *= turn_about(j, 0.5 * other, &mut momentum);
            // About the momentum, which this does not change.
            let [x, y, z] = momentum.mapped(|momentum| momentum * top);
            turn *= DQuat::from_xyzw(x, y, z, 1.0);
            turn *= turn_about(k, own, &mut momentum);
            turn *= turn_about(j, 0.5 * other, &mut momentum);
            turn = turn.normalize();
        }
        let outside = |v: DVec3| axes[0] * v.x + axes[1] * v.y + axes[2] * v.z;
        let local = DVec3::new(momentum[0] / inertia[0], momentum[1] / inertia[1], momentum[2] / inertia[2]);
        let after = outside(turn * local);
        let vector = outside(turn.xyz());
        let turn = DQuat::from_xyzw(vector.x, vector.y, vector.z, turn.w).as_quat();
        // Contacts are solved, and their energy is computed, from its initial rotation; the rest follows from its
        // momentum.
        let acceleration = if is_alone { ((after - spin) / f64::from(dt)).as_vec3() } else { Vec3::ZERO };
        if turn.is_finite() && acceleration.is_finite() {
            FreeSpin { acceleration, turn: Some(turn) }
        } else {
            FreeSpin::default()
        }
    }

    /// Its angular velocity after a step in which it turned by `rotation`, to the axes `end_axes`. It preserves the angular
    /// momentum; but where contacts or fixed things made the body turn otherwise than by itself, it has no more energy
    /// than before.
    pub(in crate::dynamics) fn spin_after(&self, rotation: Vec3, end_axes: &[Vec3; 3], dt: f32) -> Vec3 {
        let spin = self.body.angular_velocity - self.free_spin.acceleration * dt;
        let Some((axes, inertia)) = self.moments() else { return spin };
        let end_axes = end_axes.mapped(|axis| axis.as_dvec3());
        let (mut momentum, mut after) = (DVec3::ZERO, DVec3::ZERO);
        for i in 0..3 {
            momentum += axes[i] * (inertia[i] * axes[i].dot(spin.as_dvec3()));
        }
        for i in 0..3 {
            after += end_axes[i] * (end_axes[i].dot(momentum) / inertia[i]);
        }
        let (before, now) = (momentum.dot(spin.as_dvec3()), momentum.dot(after));
        let is_slender = self.inverse_inertia.max_element() > SLENDER * self.inverse_inertia.min_element();
        let is_whole = |turn| self.rotation_of(turn, rotation_vector(turn), dt) == rotation;
        let is_free = self.free_spin.turn.is_some_and(is_whole) && !is_slender;
        // A free rotation keeps its energy, which parts of large angles keep only on average.
        if now > before || is_free && now > 0.0 {
            after *= (before / now).sqrt();
        }
        after.as_vec3()
    }

    /// Its axes, right-handed, and its moments of inertia about them; `None` if these are equal, so that its angular
    /// velocity is as constant as its momentum, or if it does not turn freely.
    fn moments(&self) -> Option<([DVec3; 3], [f64; 3])> {
        let inverse = self.inverse_inertia;
        let is_alike = inverse.x == inverse.y && inverse.y == inverse.z;
        if is_alike || inverse.min_element() <= 0.0 || self.body.locked_rotation.any() {
            return None;
        }
        let [x, y, _] = self.axes.mapped(|axis| axis.as_dvec3());
        Some(([x, y, x.cross(y)], inverse.to_array().mapped(|inverse| 1.0 / f64::from(inverse))))
    }
}

/// Turns a body about one of its axes, by a rate times its momentum about that axis. The momentum is fixed in the
/// world, so it turns back relative to the body. Returns the quaternion, of any length.
fn turn_about(i: usize, rate: f64, momentum: &mut [f64; 3]) -> DQuat {
    // The tangent of half the angle, up to its cube.
    let t = rate * momentum[i];
    let scale = 1.0 / (1.0 + t * t);
    let (cos, sin) = ((1.0 - t * t) * scale, 2.0 * t * scale);
    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
    (momentum[j], momentum[k]) = (cos * momentum[j] + sin * momentum[k], cos * momentum[k] - sin * momentum[j]);
    let mut axis = [0.0, 0.0, 0.0, 1.0];
    axis[i] = t;
    DQuat::from_array(axis)
}

/// The axes in an order in which the moments about the first two are closest.
fn top_of(inertia: &[f64; 3]) -> [usize; 3] {
    let unlike = |i: usize, j: usize| inertia[i].max(inertia[j]) / inertia[i].min(inertia[j]);
    let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1]];
    orders.into_iter().min_by(|a, b| unlike(a[0], a[1]).total_cmp(&unlike(b[0], b[1]))).unwrap_or(orders[0])
}
