//! Wakes sleeping bodies when something they may touch changes.
//!
//! A body rests when a step would leave it as it is. An edit of something fixed is rare and wakes all bodies; an edit
//! of a moving object that is no body, such as a lift, happens in every frame and wakes the bodies close to it, where
//! it was and where it is.

use crate::{Mobility, StepConfig, World, scene::slot_map::Slot, simulation::body_state::BodyState};
use cullide_narrowphase::Aabb;
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// What is known of the bodies that rest.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Resting {
    /// No fewer than there are.
    count: usize,
    /// Nothing that is farther from a body than this matters to its next step.
    reach: f32,
}

impl Resting {
    /// After a step with these settings.
    pub(crate) fn of(bodies: &[BodyState], dt: f32, config: &StepConfig) -> Self {
        let (mut count, mut scale) = (0, 0.0f32);
        for state in bodies.iter().filter(|state| state.rests) {
            count += 1;
            scale = scale.max(state.body.gravity_scale.abs());
        }
        // It falls as far as gravity gets it in a step, and counts as touching what is within a few skins there.
        let reach = config.gravity.abs().element_sum() * scale * dt * dt + 4.0 * config.skin.max(0.0);
        Self { count, reach }
    }
}

impl World {
    /// Wakes all bodies: the next step finds its settings changed, and computes each.
    pub(crate) fn wake_all(&mut self) {
        self.settings = None;
        self.fixed_serial = self.fixed_serial.wrapping_add(1);
    }

    /// Wakes the bodies that an object matters to where it is now: it comes, goes, or becomes a body itself. Nothing
    /// for a stale slot.
    pub(crate) fn wake_near_object(&mut self, slot: Slot) {
        let Some(entry) = self.objects.get(slot) else { return };
        if entry.object.mobility == Mobility::Fixed {
            self.wake_all();
        } else if entry.is_carrier() && self.resting.count > 0 {
            let aabb = entry.object.shape.aabb();
            self.wake_near(&aabb);
        }
    }

    /// The same of an object that was in a box before it moved or changed.
    pub(crate) fn wake_near_moved(&mut self, slot: Slot, before: &Aabb) {
        self.wake_near_object(slot);
        if self.resting.count > 0 && self.objects[slot].is_carrier() {
            self.wake_near(before);
        }
    }

    /// Wakes the bodies that may touch something in a box.
    fn wake_near(&mut self, aabb: &Aabb) {
        if self.settings.is_none() {
            // All of them are awake.
            return;
        }
        if !self.resting.reach.is_finite() {
            self.wake_all();
            return;
        }
        let farthest = aabb.min().abs().max(aabb.max().abs()).max_element();
        let around = aabb.expanded(self.resting.reach + ROUNDING * farthest);
        let mut woken = SmallVec::<[Slot; 8]>::new();
        let [_, moving] = self.proxies.trees();
        moving.overlap_aabb(&around, u32::MAX, |leaf| {
            let (slot, entry) = self.objects.entry_of(leaf.into());
            if entry.is_body {
                woken.push(slot);
            }
            ControlFlow::Continue(())
        });
        for slot in woken {
            if let Ok(at) = self.bodies.binary_search_by_key(&slot, |state| state.slot) {
                self.bodies[at].rests = false;
            }
        }
    }
}

/// A share of coordinates no less than what rounding adds to a pose, to a gap or to a sum of them.
const ROUNDING: f32 = 16.0 * f32::EPSILON;
