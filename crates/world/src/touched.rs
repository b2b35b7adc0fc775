//! What bodies touched in the last step and in the one before.

use crate::{ObjectKey, Target, World};
use cullide_narrowphase::{Contacts, glam::Vec3};

/// A body against what it touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The body.
    pub body: ObjectKey,
    /// What it touches.
    pub target: Target,
    /// Unit normal of the thing touched, against the body's motion.
    pub normal: Vec3,
    /// Where they touch, when the step last had them touch.
    pub contacts: Contacts,
}

/// The contacts of a step; each list is ordered by body, then by target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepEvents<'a> {
    /// Contacts with what the body did not touch in the step before.
    pub begun: &'a [Contact],
    /// Contacts with what it touched then, too.
    pub persisting: &'a [Contact],
    /// Contacts of the step before that are over.
    pub ended: &'a [Contact],
}

/// The contacts of the last step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touched {
    now: Vec<Contact>,
    /// The same, by group of bodies.
    pub(crate) groups: Vec<Vec<Contact>>,
    /// Those of the step before, and room for the next ones.
    before: Vec<Contact>,
    begun: Vec<Contact>,
    persisting: Vec<Contact>,
    ended: Vec<Contact>,
}

impl World {
    /// A contact of the last step.
    pub(crate) fn touched_before(&self, body: ObjectKey, target: Target) -> Option<&Contact> {
        let name = |contact: &Contact| (contact.body, contact.target);
        let at = self.touched.now.binary_search_by_key(&(body, target), name).ok()?;
        Some(&self.touched.now[at])
    }
}

impl Touched {
    /// The contacts become those of the step before, and those of the groups the new ones.
    pub(crate) fn turn(&mut self) {
        std::mem::swap(&mut self.now, &mut self.before);
        self.now.clear();
        self.groups.iter().for_each(|group| self.now.extend_from_slice(group));
    }

    /// What there is after a step of no time: all contacts persist.
    pub(crate) fn stay(&mut self) -> StepEvents<'_> {
        self.before.clone_from(&self.now);
        self.compare()
    }

    /// Tells the contacts from those of the step before; both are in order.
    pub(crate) fn compare(&mut self) -> StepEvents<'_> {
        let name = |contact: &Contact| (contact.body, contact.target);
        let Self { now, before, begun, persisting, ended, .. } = self;
        for list in [&mut *begun, &mut *persisting, &mut *ended] {
            list.clear();
        }
        let mut old = before.iter().peekable();
        for contact in now.iter() {
            ended.extend(std::iter::from_fn(|| old.next_if(|old| name(old) < name(contact))));
            let list =
                if old.next_if(|old| name(old) == name(contact)).is_some() { &mut *persisting } else { &mut *begun };
            list.push(*contact);
        }
        ended.extend(old);
        StepEvents { begun, persisting, ended }
    }
}
