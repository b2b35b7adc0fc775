//! Bodies that touch only fixed things gain no energy from them.
//!
//! A step treats curved surfaces as straight, and pushes bodies out of what they have entered. Both raise the bodies,
//! and one that runs to and fro in a hollow would get ever higher. Each body therefore has an account: the energy that
//! it loses is credited to it, up to the level of noise, and it pays for what it gains beyond that with its speed.

use crate::{
    DynamicsConfig,
    contact::cache::ContactCache,
    dynamics::{
        BodyState, NONE,
        pairs::{ActivePairs, roles::Approach},
    },
};
use cullide_narrowphase::glam::{DVec3, Vec3};

/// A body that gains more than this share of its kinetic energy in a step, if that is more than noise, pays only if it
/// was not in anything, from which it is pushed: for example ground that was raised.
const PUSHED: f64 = 0.25;

/// A step of a body, as its energy depends on it.
pub(super) struct Taken {
    /// The duration in seconds.
    pub(super) dt: f32,
    /// Where it was, and its velocity then.
    pub(super) start: DVec3,
    pub(super) velocity: Vec3,
    /// How much farther it got than contacts and its velocity took it.
    pub(super) aside: Vec3,
    /// The velocity of all that it may have touched, if nothing but that and gravity has moved it.
    pub(super) frame: Option<Vec3>,
}

impl BodyState {
    /// Its kinetic energy per unit of mass: that of its motion and that of its rotation.
    pub(in crate::dynamics) fn kinetic_energies(&self) -> [f64; 2] {
        let spin = self.body.angular_velocity;
        let about = |axis: Vec3, inverse: f32| match inverse {
            0.0 => 0.0,
            inverse => f64::from(axis.dot(spin)).powi(2) * f64::from(self.inverse_mass / inverse),
        };
        let turning: f64 = (0..3).map(|i| about(self.axes[i], self.inverse_inertia[i])).sum();
        [0.5 * self.body.velocity.as_dvec3().length_squared(), 0.5 * turning]
    }

    /// Makes it pay for what it has gained in a step, unless a belt drives it.
    pub(super) fn settle(
        &mut self,
        step: &Taken,
        config: &DynamicsConfig,
        [is_driven, is_pushed]: [&dyn Fn(&Self) -> bool; 2],
    ) {
        if step.frame.is_none() && step.aside == Vec3::ZERO {
            return;
        }
        let gravity = (config.gravity * self.body.gravity_scale).as_dvec3();
        let end = self.position();
        let frame = step.frame.unwrap_or(Vec3::ZERO);
        let [mut straight, turning] = self.kinetic_energies();
        let gained = match step.frame {
            Some(_) => {
                // Seen from what it touches.
                let seen = frame.as_dvec3();
                let moved = end - step.start - seen * f64::from(step.dt);
                let (after, before) = (self.body.velocity.as_dvec3(), step.velocity.as_dvec3());
                let changed = straight - self.energies[0] - seen.dot(after - before);
                straight = 0.5 * (after - seen).length_squared();
                [changed - gravity.dot(moved), turning - self.energies[1]]
            }
            None => [-gravity.dot(step.aside.as_dvec3()), 0.0],
        };
        let now = [straight, turning];
        let left = f64::from(self.credit) - (gained[0] + gained[1]);
        let rounding = f64::from(f32::EPSILON) * end.abs().max_element();
        let noise = (gravity.length() * (f64::from(config.skin) + 4.0 * rounding)).max(0.0);
        let is_less = -left < PUSHED * (now[0] + now[1]);
        if left < 0.0 && (is_less || -left > noise && !is_pushed(self)) && !is_driven(self) {
            // What has gained nothing pays nothing, as long as the other can: a ball that bounces keeps its spin.
            let all = gained[0].max(0.0) + gained[1].max(0.0);
            let turning = (-left * gained[1].max(0.0) / all).max(-left - now[0]).clamp(0.0, now[1]);
            let share = |paid: f64, of: f64| if of > 0.0 { (1.0 - paid / of).max(0.0).sqrt() as f32 } else { 1.0 };
            let (motion, rotation) = (share(-left - turning, now[0]), share(turning, now[1]));
            self.body.velocity = frame + (self.body.velocity - frame) * motion;
            self.body.angular_velocity *= rotation;
        }
        self.credit = left.max(0.0).min(noise) as f32;
    }
}

/// The velocity of all that a body may touch, if nothing but that and gravity moves it; `None` without such a thing.
pub(super) fn frame_of(state: &BodyState, contacts: &ContactCache, pairs: &ActivePairs) -> Option<Vec3> {
    if state.force != Vec3::ZERO || state.torque != Vec3::ZERO {
        return None;
    }
    let mut frame = None;
    for pair in state.pairs.iter().filter_map(|number| contacts.get(*number)) {
        let [one, other] = pairs.roles.of(pair.bodies);
        let (is_fixed, at) = (pair.bodies[1] == NONE, pair.bodies[1] as usize);
        let is_near = || pair.parts.iter().any(|part| !part.manifold.points().is_empty());
        if !is_fixed && (one.is_sensor() || other.is_sensor() || !is_near()) {
            continue;
        }
        let moves_evenly = |second: &Approach| second.swinging == 0.0 && !second.is_belt;
        let velocity = match pairs.approaches.get(at) {
            None => Vec3::ZERO,
            Some(second) if other.is_kinematic() && moves_evenly(second) => second.velocity,
            Some(_) => return None,
        };
        if frame.replace(velocity).is_some_and(|known| known != velocity) {
            return None;
        }
    }
    frame
}
