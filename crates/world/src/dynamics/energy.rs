//! What touches only fixed things gains no energy by it.
//!
//! A step takes what a surface bends for straight and pushes bodies out of what they have entered; both raise them, and
//! what runs to and fro in a hollow would get ever higher. So each body has an account: what it loses goes there, up to
//! what noise takes, and what it gains beyond that it pays with its speed.

use super::{BodyState, pose::BodyShape};
use crate::DynamicsConfig;
use cullide_narrowphase::glam::Vec3;

/// What gains more than this share of its kinetic energy in a step was pushed, as by ground that was raised.
const PUSHED: f64 = 0.25;

impl BodyState {
    /// Its kinetic energy, by its mass.
    pub(super) fn kinetic_energy(&self) -> f64 {
        let spin = self.body.angular_velocity;
        let about = |axis: Vec3, inverse: f32| match inverse {
            0.0 => 0.0,
            inverse => f64::from(axis.dot(spin)).powi(2) * f64::from(self.inverse_mass / inverse),
        };
        let turning: f64 = (0..3).map(|i| about(self.axes[i], self.inverse_inertia[i])).sum();
        0.5 * (self.body.velocity.as_dvec3().length_squared() + turning)
    }

    /// Whether nothing moves it but gravity and what is fixed.
    pub(super) fn is_alone_with_fixed(&self) -> bool {
        let is_forced = self.force != Vec3::ZERO || self.torque != Vec3::ZERO;
        let (is_solved, fixed) = (self.is_dynamic() && !self.body.is_sensor, self.fixed_pairs as usize);
        is_solved && !is_forced && fixed > 0 && self.pairs.len() == fixed
    }

    /// Pays, at the end of a step that began in a shape, for what it has gained, unless a belt drives it.
    pub(super) fn settle(&mut self, start: &BodyShape, config: &DynamicsConfig, is_driven: impl FnOnce(&Self) -> bool) {
        let gravity = (config.gravity * self.body.gravity_scale).as_dvec3();
        let (start, end) = (start.center().as_dvec3(), self.shape.center().as_dvec3());
        let now = self.kinetic_energy();
        let left = f64::from(self.credit) - (now - self.energy - gravity.dot(end - start));
        if left < 0.0 && -left < PUSHED * now && !is_driven(self) {
            let share = (1.0 + left / now).sqrt() as f32;
            self.body.velocity *= share;
            self.body.angular_velocity *= share;
        }
        let rounding = f64::from(f32::EPSILON) * end.abs().max_element();
        let most = gravity.length() * (f64::from(config.skin) + 4.0 * rounding);
        self.credit = left.max(0.0).min(most.max(0.0)) as f32;
    }
}
