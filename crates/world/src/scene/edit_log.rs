//! Where objects were edited, for what moves beside the world: bodies that rest until something near them changes.
//!
//! A step of [`BoxStepper`](crate::BoxStepper) or of [`Dynamics`](crate::Dynamics) compares the number of edits with
//! that of its last one, and goes through the places of those in between. Steps are no edits, but are counted. An edit
//! of a plane is everywhere.

use crate::{Mobility, ObjectKey, Shape, World, scene::slot_map::Slot, shape::oriented};
use cullide_narrowphase::{Aabb, Mapped};
use std::collections::VecDeque;

/// The edits of a world, by number and place.
#[derive(Clone, Debug, Default)]
pub(crate) struct EditLog {
    serials: EditSerials,
    /// How many steps have moved something.
    moves: u64,
    /// The places of the last edits; empty before there are bodies.
    places: VecDeque<Aabb>,
    is_watched: bool,
}

/// How many edits there have been.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EditSerials {
    pub(crate) all: u64,
    /// Those to fixed things, and to whether or how others meet something.
    pub(crate) fixed: u64,
    /// Those by which objects came, went, or became fixed or moving.
    pub(crate) members: u64,
}

/// The limit on edits between two steps whose places are kept; more wake all bodies.
const MOST: usize = 1 << 14;

impl EditLog {
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
        let EditSerials { all, fixed, .. } = &mut self.serials;
        (*all, *fixed) = (all.wrapping_add(1), fixed.wrapping_add(is_fixed.into()));
    }

    pub(crate) fn serials(&self) -> EditSerials {
        self.serials
    }

    /// Counts an object that comes, goes, or becomes fixed or moving.
    pub(crate) fn count_member(&mut self) {
        self.serials.members = self.serials.members.wrapping_add(1);
    }

    /// The number of steps that have moved something.
    pub(crate) fn moves(&self) -> u64 {
        self.moves
    }

    /// Counts a step that has moved objects.
    pub(crate) fn count_moves(&mut self, moved: &[ObjectKey]) {
        self.moves = self.moves.wrapping_add((!moved.is_empty()).into());
    }

    /// Keeps the places of edits from now on.
    pub(crate) fn watch(&mut self) {
        self.is_watched = true;
    }

    /// The places of the edits after those known; `None` if one of them is not known, or is everywhere.
    pub(crate) fn since(&self, known: EditSerials) -> Option<impl Iterator<Item = &Aabb>> {
        let count = usize::try_from(self.serials.all.wrapping_sub(known.all)).ok()?;
        Some(self.places.iter().skip(self.places.len().checked_sub(count)?))
    }
}

impl World {
    /// Logs an edit that may matter to every body.
    pub(crate) fn log_everywhere(&mut self) {
        self.edits.add_everywhere();
    }

    /// Logs a change in whether or how others meet an object; a no-op for a stale slot.
    pub(crate) fn log_meeting(&mut self, slot: Slot) {
        if let Some(entry) = self.objects.get(slot) {
            self.edits.add(&entry.object.shape.aabb(), true);
        }
    }

    /// Logs that an object comes or goes.
    pub(crate) fn log_member(&mut self, slot: Slot) {
        self.edits.count_member();
        self.log_object(slot);
    }

    /// Logs that an object appears, disappears or becomes a body where it is now; a no-op for a stale slot.
    pub(crate) fn log_object(&mut self, slot: Slot) {
        if let Some(entry) = self.objects.get(slot) {
            let aabb = entry.object.shape.aabb();
            self.log_place(slot, &aabb);
        }
    }

    /// Logs that an object had the shape `before` until it moved or changed. An aligned box and the oriented one that a
    /// step makes of it are the same.
    pub(crate) fn log_moved(&mut self, slot: Slot, before: &Shape) {
        let [was, is] = [before, &self.objects[slot].object.shape].mapped(oriented);
        if was.is_none() || was != is {
            self.log_object(slot);
            self.log_place(slot, &before.aabb());
        }
    }

    /// Logs an edit of an object in a box.
    pub(crate) fn log_place(&mut self, slot: Slot, aabb: &Aabb) {
        let is_fixed = self.objects[slot].object.mobility == Mobility::Fixed;
        self.edits.add(aabb, is_fixed);
    }
}
