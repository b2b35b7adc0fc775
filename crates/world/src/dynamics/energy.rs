//! Bodies that touch only fixed things gain no energy from them.
//!
//! A step treats curved surfaces as straight, and pushes bodies out of what they have entered. Both raise the bodies,
//! and one that runs to and fro in a hollow would get ever higher. Each body therefore has an account: the energy that
//! it loses is credited to it, up to the level of noise, and it pays for what it gains beyond that with its speed.

use super::{BodyState, pose::BodyShape};
use crate::DynamicsConfig;
use cullide_narrowphase::glam::Vec3;

/// A body that gains more than this share of its kinetic energy in a step was pushed, for example by ground that was
/// raised.
const PUSHED: f64 = 0.25;

impl BodyState {
    /// Its kinetic energy per unit of mass.
    pub(super) fn kinetic_energy(&self) -> f64 {
        let spin = self.body.angular_velocity;
        let about = |axis: Vec3, inverse: f32| match inverse {
            0.0 => 0.0,
            inverse => f64::from(axis.dot(spin)).powi(2) * f64::from(self.inverse_mass / inverse),
        };
        let turning: f64 = (0..3).map(|i| about(self.axes[i], self.inverse_inertia[i])).sum();
        0.5 * (self.body.velocity.as_dvec3().length_squared() + turning)
    }

    /// Whether nothing but gravity and fixed things moves it.
    pub(super) fn is_alone_with_fixed(&self) -> bool {
        let is_forced = self.force != Vec3::ZERO || self.torque != Vec3::ZERO;
        let (is_solved, fixed) = (self.is_dynamic() && !self.body.is_sensor, self.fixed_pairs as usize);
        is_solved && !is_forced && fixed > 0 && self.pairs.len() == fixed
    }

    /// Makes it pay for what it has gained, at the end of a step that began with the shape `start`, unless a belt
    /// drives it.
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
