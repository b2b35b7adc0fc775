//! Contacts of the last step, compared with those of the step before.

use crate::{ObjectKey, Target, sweep::candidates::Obstacle};
use cullide_narrowphase::{Contacts, glam::Vec3};

/// A body and something that it touches.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct BoxContact {
    /// The body.
    pub body: ObjectKey,
    /// What it touches.
    pub target: Target,
    /// The part of a composite shape: the triangle of a mesh or a terrain, the child of a compound or its triangle (see
    /// [`Compound::child_of`](crate::Compound::child_of)); 0 for other shapes.
    pub part: u32,
    /// Unit normal of the thing touched, against the body's motion.
    pub normal: Vec3,
    /// Where they touch, as of the last time that they touched in the step.
    pub contacts: Contacts,
}

impl BoxContact {
    pub(crate) fn obstacle(&self) -> Obstacle {
        Obstacle { target: self.target, part: self.part }
    }
}

/// The contacts of a step; each list is ordered by body, then by target.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BoxStepEvents<'a> {
    /// Contacts with what the body did not touch in the step before.
    pub begun: &'a [BoxContact],
    /// Contacts with what it touched in the step before as well.
    pub persisting: &'a [BoxContact],
    /// Contacts of the step before that are over.
    pub ended: &'a [BoxContact],
    /// The bodies whose [pose](crate::ObjectRef::transform) has changed, ordered by key: what a renderer has to move.
    pub moved: &'a [ObjectKey],
}

/// The contacts of the last step.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactHistory {
    now: Vec<BoxContact>,
    /// The same, by group of bodies.
    pub(crate) groups: Vec<Vec<BoxContact>>,
    /// The contacts of the step before, and room for those of the next.
    before: Vec<BoxContact>,
    begun: Vec<BoxContact>,
    persisting: Vec<BoxContact>,
    ended: Vec<BoxContact>,
    pub(crate) moved: Vec<ObjectKey>,
}

impl ContactHistory {
    /// The history after a step with these contacts, which are in order.
    #[cfg(feature = "serde")]
    pub(crate) fn of(contacts: &[BoxContact]) -> Self {
        Self { now: contacts.to_vec(), ..Self::default() }
    }

    /// The contacts of the last step, in order.
    pub(crate) fn now(&self) -> &[BoxContact] {
        &self.now
    }

    /// The contacts of the last step, starting with those of a body.
    pub(crate) fn since(&self, body: ObjectKey) -> &[BoxContact] {
        &self.now[self.now.partition_point(|contact| contact.body < body)..]
    }

    /// Makes the current contacts those of the step before, and those of the groups the current ones.
    pub(crate) fn turn(&mut self) {
        std::mem::swap(&mut self.now, &mut self.before);
        self.now.clear();
        self.groups.iter().for_each(|group| self.now.extend_from_slice(group));
    }

    /// The events of a step of zero duration: all contacts persist.
    pub(crate) fn stay(&mut self) -> BoxStepEvents<'_> {
        self.before.clone_from(&self.now);
        self.moved.clear();
        self.compare();
        self.events()
    }

    /// Compares the contacts with those of the step before; both lists are in order.
    pub(crate) fn compare(&mut self) {
        let name = |contact: &BoxContact| (contact.body, contact.obstacle());
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
    }

    pub(crate) fn events(&self) -> BoxStepEvents<'_> {
        let Self { begun, persisting, ended, moved, .. } = self;
        BoxStepEvents { begun, persisting, ended, moved }
    }
}

/// Splits the contacts of a body off the front of a list ordered by body, dropping all before them.
pub(crate) fn take_those_of<'a>(body: ObjectKey, list: &mut &'a [BoxContact]) -> &'a [BoxContact] {
    let before = list.iter().take_while(|contact| contact.body < body).count();
    let count = list[before..].iter().take_while(|contact| contact.body == body).count();
    let (own, rest) = list[before..].split_at(count);
    *list = rest;
    own
}
