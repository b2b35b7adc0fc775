//! Bodies that touch only fixed things gain no energy from them.
//!
//! A step treats curved surfaces as straight, and pushes bodies out of what they have entered. Both raise the bodies,
//! and one that runs to and fro in a hollow would get ever higher. Each body therefore has an account: the energy that
//! it loses is credited to it, up to the level of noise, and it pays for what it gains beyond that with its speed.

use super::BodyState;
use crate::DynamicsConfig;
use cullide_narrowphase::glam::{DVec3, Vec3};

/// A body that gains more than this share of its kinetic energy in a step was pushed, for example by ground that was
/// raised.
const PUSHED: f64 = 0.25;

impl BodyState {
    /// Its kinetic energy per unit of mass: that of its motion and that of its rotation.
    pub(super) fn kinetic_energies(&self) -> [f64; 2] {
        let spin = self.body.angular_velocity;
        let about = |axis: Vec3, inverse: f32| match inverse {
            0.0 => 0.0,
            inverse => f64::from(axis.dot(spin)).powi(2) * f64::from(self.inverse_mass / inverse),
        };
        let turning: f64 = (0..3).map(|i| about(self.axes[i], self.inverse_inertia[i])).sum();
        [0.5 * self.body.velocity.as_dvec3().length_squared(), 0.5 * turning]
    }

    /// Whether nothing but gravity and fixed things moves it.
    pub(super) fn is_alone_with_fixed(&self) -> bool {
        let is_forced = self.force != Vec3::ZERO || self.torque != Vec3::ZERO;
        let (is_solved, fixed) = (self.is_dynamic() && !self.body.is_sensor, self.fixed_pairs as usize);
        is_solved && !is_forced && fixed > 0 && self.pairs.len() == fixed
    }

    /// Makes it pay for what it has gained, at the end of a step that began at the position `start`, unless a belt
    /// drives it.
    pub(super) fn settle(&mut self, start: DVec3, config: &DynamicsConfig, is_driven: impl FnOnce(&Self) -> bool) {
        let gravity = (config.gravity * self.body.gravity_scale).as_dvec3();
        let end = self.position();
        let now = self.kinetic_energies();
        let gained = [now[0] - self.energies[0] - gravity.dot(end - start), now[1] - self.energies[1]];
        let left = f64::from(self.credit) - (gained[0] + gained[1]);
        if left < 0.0 && -left < PUSHED * (now[0] + now[1]) && !is_driven(self) {
            // What has gained nothing pays nothing, as long as the other can: a ball that bounces keeps its spin.
            let all = gained[0].max(0.0) + gained[1].max(0.0);
            let turning = (-left * gained[1].max(0.0) / all).max(-left - now[0]).clamp(0.0, now[1]);
            let share = |paid: f64, of: f64| if of > 0.0 { (1.0 - paid / of).max(0.0).sqrt() as f32 } else { 1.0 };
            let (motion, rotation) = (share(-left - turning, now[0]), share(turning, now[1]));
            self.body.velocity *= motion;
            self.body.angular_velocity *= rotation;
        }
        let rounding = f64::from(f32::EPSILON) * end.abs().max_element();
        let most = gravity.length() * (f64::from(config.skin) + 4.0 * rounding);
        self.credit = left.max(0.0).min(most.max(0.0)) as f32;
    }
}
