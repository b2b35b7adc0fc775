//! What a step tells.

use crate::{ObjectKey, Target};

/// The results of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct StepReport<'a> {
    /// Pairs that touch and did not before the step, a dynamic body first; [`Dynamics::contact`](crate::Dynamics::contact) tells how hard they
    /// met. Includes bodies that have hit something and are far away again by the end of the step.
    pub begun: &'a [(ObjectKey, Target)],
    /// Pairs that touched before the step and no longer do, each in the order in which it began. A pair whose first
    /// body is no longer dynamic ends, and begins the other way round.
    pub ended: &'a [(ObjectKey, Target)],
    /// Bodies that could not go where contacts pushed them, because something fixed is there, and those that a
    /// kinematic body has entered: they are squeezed.
    pub held: &'a [ObjectKey],
    /// Bodies whose [pose](crate::ObjectRef::transform) has changed: what a renderer has to move. That of a ball or a capsule also
    /// changes where only its rotation does.
    pub moved: &'a [ObjectKey],
    /// The number of dynamic bodies that are awake.
    pub awake: usize,
}

/// The lists that a report borrows.
#[derive(Clone, Debug, Default)]
pub(super) struct Report {
    pub(super) begun: Vec<(ObjectKey, Target)>,
    pub(super) ended: Vec<(ObjectKey, Target)>,
    pub(super) held: Vec<ObjectKey>,
    pub(super) moved: Vec<ObjectKey>,
    pub(super) awake: usize,
}

impl Report {
    pub(super) fn clear(&mut self) {
        self.begun.clear();
        self.ended.clear();
        self.held.clear();
        self.moved.clear();
    }

    pub(super) fn lend(&self) -> StepReport<'_> {
        let Self { begun, ended, held, moved, awake } = self;
        StepReport { begun, ended, held, moved, awake: *awake }
    }
}
