//! Wakes sleeping bodies when something they may touch changes.
//!
//! A body rests when a step would leave it as it is. An edit of something fixed is rare and wakes all bodies. An edit
//! of a moving object that is not a body, such as a lift, happens in every frame and wakes only the bodies close to it,
//! where it was and where it is.
//!
//! Rigid bodies sleep until they are woken, and either kind of edit wakes only those near it, be it a crater in a
//! terrain or a part of a level that is loaded: the places of edits are kept in a list, which their next step goes
//! through. Edits of planes wake all.

use crate::{
    Mobility, Shape, StepConfig, World,
    scene::slot_map::Slot,
    simulation::body_state::{BodyState, oriented},
};
use cullide_narrowphase::Aabb;
use smallvec::SmallVec;
use std::{collections::VecDeque, ops::ControlFlow};

/// What is known about the resting bodies.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Resting {
    /// An upper bound on their number.
    count: usize,
    /// Nothing farther from a body than this matters to its next step.
    reach: f32,
}

impl Resting {
    /// The state after a step with these settings.
    pub(crate) fn of(bodies: &[BodyState], dt: f32, config: &StepConfig) -> Self {
        let (mut count, mut scale) = (0, 0.0f32);
        for state in bodies.iter().filter(|state| state.rests) {
            count += 1;
            scale = scale.max(state.body.gravity_scale.abs());
        }
        // A body falls as far as gravity moves it in a step, and counts as touching what is within a few skins there.
        let reach = config.gravity.abs().element_sum() * scale * dt * dt + 4.0 * config.skin.max(0.0);
        Self { count, reach }
    }
}

/// Where objects were edited since the last steps of rigid bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edits {
    /// The number of edits, and the number of those to fixed things.
    serials: [u64; 2],
    /// The places of the last edits; empty before there are rigid bodies.
    places: VecDeque<Aabb>,
    is_watched: bool,
}

/// The limit on edits between two steps whose places are kept; more wake all bodies.
const MOST: usize = 1 << 14;

impl Edits {
    fn add(&mut self, place: &Aabb, is_fixed: bool) {
        self.count(is_fixed);
        if self.is_watched {
            if self.places.len() == MOST {
                self.places.pop_front();
            }
            self.places.push_back(*place);
        }
    }

    fn add_everywhere(&mut self) {
        self.count(true);
        self.places.clear();
    }

    fn count(&mut self, is_fixed: bool) {
        let [all, fixed] = &mut self.serials;
        (*all, *fixed) = (all.wrapping_add(1), fixed.wrapping_add(is_fixed.into()));
    }

    /// The number of edits, and the number of those to fixed things.
    #[cfg(feature = "dynamics")]
    pub(crate) fn serials(&self) -> [u64; 2] {
        self.serials
    }

    /// Keeps the places of edits from now on.
    #[cfg(feature = "dynamics")]
    pub(crate) fn watch(&mut self) {
        self.is_watched = true;
    }

    /// The places of the edits after the first `serial` ones; `None` if one of them is not known, or is everywhere.
    #[cfg(feature = "dynamics")]
    pub(crate) fn since(&self, serial: u64) -> Option<impl Iterator<Item = &Aabb>> {
        let count = usize::try_from(self.serials[0].wrapping_sub(serial)).ok()?;
        Some(self.places.iter().skip(self.places.len().checked_sub(count)?))
    }
}

impl World {
    /// Wakes all bodies: the next step finds its settings changed, and computes each body.
    pub(crate) fn wake_all(&mut self) {
        self.settings = None;
        self.edits.add_everywhere();
    }

    /// Wakes all bodies, and those rigid bodies that are near an object after a change in whether or how others meet
    /// it; a no-op for a stale slot.
    pub(crate) fn wake_around(&mut self, slot: Slot) {
        if let Some(entry) = self.objects.get(slot) {
            self.settings = None;
            self.edits.add(&entry.object.shape.aabb(), true);
        }
    }

    /// Wakes the bodies to which an object matters where it is now: it appears, disappears, or becomes a body itself. A
    /// no-op for a stale slot.
    pub(crate) fn wake_near_object(&mut self, slot: Slot) {
        if let Some(entry) = self.objects.get(slot) {
            let aabb = entry.object.shape.aabb();
            self.wake_near(slot, &aabb);
        }
    }

    /// Like [`Self::wake_near_object`], for an object that had the shape `before` until it moved or changed. An aligned
    /// box and the oriented one that a step makes of it are the same.
    pub(crate) fn wake_near_moved(&mut self, slot: Slot, before: &Shape) {
        let [was, is] = [before, &self.objects[slot].object.shape].map(oriented);
        if was.is_none() || was != is {
            self.wake_near_object(slot);
            self.wake_near(slot, &before.aabb());
        }
    }

    /// Wakes the bodies to which an object in a box matters; a no-op if the object moves and is itself a body.
    pub(crate) fn wake_near(&mut self, slot: Slot, aabb: &Aabb) {
        let is_fixed = self.objects[slot].object.mobility == Mobility::Fixed;
        if !is_fixed && !self.objects[slot].is_carrier() {
            return;
        }
        self.edits.add(aabb, is_fixed);
        if is_fixed || !self.resting.reach.is_finite() {
            self.settings = None;
        }
        if self.settings.is_none() || self.resting.count == 0 {
            // All of them are awake.
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

/// A share of the coordinates that bounds what rounding adds to a pose, to a gap or to their sum.
const ROUNDING: f32 = 16.0 * f32::EPSILON;
