//! Adopts edits of the world, and wakes resting bodies when something they may touch was edited.
//!
//! A body rests when a step would leave it as it is. An edit of something fixed is rare and wakes all bodies. An edit
//! of a moving object, such as a lift, happens in every frame and wakes only the bodies close to it, where it was and
//! where it is. What other steps move, such as rigid bodies, wakes all.

use super::{BoxStepper, body_state::BoxState};
use crate::{BoxStepConfig, Mobility, World};
use cullide_narrowphase::Aabb;
use std::{borrow::Cow, ops::ControlFlow};

/// What is known about the resting bodies.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Resting {
    /// An upper bound on their number.
    count: usize,
    /// Nothing farther from a body than this matters to its next step.
    reach: f32,
}

impl Resting {
    /// The state after a step with these settings.
    pub(super) fn of(bodies: &[BoxState], dt: f32, config: &BoxStepConfig) -> Self {
        let (mut count, mut scale) = (0, 0.0f32);
        for state in bodies.iter().filter(|state| state.rests) {
            count += 1;
            scale = scale.max(state.body.gravity_scale.abs());
        }
        // A body falls as far as gravity moves it in a step, and counts as touching what is within a few skins there.
        let reach = config.gravity.abs().element_sum() * scale * dt * dt + 4.0 * config.skin.max(0.0);
        Self { count, reach }
    }

    /// The box in which bodies have to wake if something was edited in this one.
    fn around(&self, place: &Aabb) -> Aabb {
        let farthest = place.min().abs().max(place.max().abs()).max_element();
        place.expanded(self.reach + ROUNDING * farthest)
    }
}

/// A share of the coordinates that bounds what rounding adds to a pose, to a gap or to their sum.
const ROUNDING: f32 = 16.0 * f32::EPSILON;

impl BoxStepper {
    /// Adopts what was edited in the world since the last step: forgets bodies whose objects are gone, and wakes those
    /// to which an edit may matter.
    pub(super) fn sync(&mut self, world: &World) {
        if std::mem::replace(&mut self.moves_known, world.edits.moves()) != world.edits.moves() {
            // Rigid bodies, or the boxes of another stepper, may have moved away from below a body.
            self.bodies.iter_mut().for_each(|state| state.rests = false);
            self.resting.count = 0;
        }
        let now = world.edits.serials();
        let known = self.edits_known.replace(now);
        if known == Some(now) && self.any_carriers.is_some() {
            return;
        }
        if self.any_carriers.is_none() || known.is_none_or(|known| known.members != now.members) {
            self.sync_members(world);
        }
        match known.filter(|known| known.fixed == now.fixed).and_then(|known| world.edits.since(known)) {
            Some(places) if self.resting.reach.is_finite() => places.for_each(|place| self.wake_near(world, place)),
            _ => self.forget(),
        }
    }

    /// Forgets bodies whose objects are gone, and finds out whether there are moving objects that are no bodies.
    fn sync_members(&mut self, world: &World) {
        let (mut moving, members) = (0, &mut self.members);
        members.clear();
        self.bodies.retain(|state| {
            let Some(mobility) = state.key.slot(world.id).and_then(|slot| world.objects.mobility(slot)) else {
                return false;
            };
            let place = state.key.place();
            members.resize(members.len().max(place / 64 + 1), 0);
            members[place / 64] |= 1 << (place % 64);
            moving += usize::from(mobility == Mobility::Moving);
            true
        });
        self.any_carriers = Some(world.proxies.broadphase.moving().len() > moving);
    }

    /// Discards what the last step left known.
    pub(super) fn forget(&mut self) {
        self.bodies.iter_mut().for_each(BoxState::forget);
        self.resting.count = 0;
    }

    /// Wakes the bodies to which an edit in a box matters.
    fn wake_near(&mut self, world: &World, place: &Aabb) {
        if self.resting.count == 0 {
            return;
        }
        let [_, moving] = world.proxies.trees();
        moving.overlap_aabb(&self.resting.around(place), u32::MAX, |leaf| {
            if let Ok(at) = self.find(world.key_of_leaf(leaf)) {
                self.bodies[at].rests = false;
            }
            ControlFlow::Continue(())
        });
    }

    /// The same, after a body in a box has become an object that the others meet.
    pub(super) fn wake_beside(&mut self, place: &Aabb) {
        let around = self.resting.around(place);
        for state in self.bodies.iter_mut().filter(|state| state.rests) {
            state.rests = self.resting.reach.is_finite() && !state.pose.aabb().overlaps(&around);
        }
    }

    /// Returns the bodies with all edits since the last step adopted, as the next step will adopt them.
    pub(super) fn synced(&self, world: &World) -> Cow<'_, Self> {
        let is_known = self.edits_known == Some(world.edits.serials()) && self.moves_known == world.edits.moves();
        if is_known || self.check_world(world).is_err() {
            return Cow::Borrowed(self);
        }
        let mut synced = self.clone();
        synced.sync(world);
        Cow::Owned(synced)
    }
}
