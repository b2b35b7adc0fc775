//! What bodies are near, and where they touch it.
//!
//! [`near`] finds the pairs of a step and computes their contacts; [`roles`] is what passes over all pairs read of bodies,
//! [`crowd`] what many bodies in one place do; [`hits`] tells how hard two met.

mod crowd;
mod hits;
pub(super) mod near;
pub(super) mod roles;

use roles::{ActivePair, Approach, Roles};

/// The pairs that a step considers, and what passes over them read of bodies; kept to reuse its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct ActivePairs {
    /// In the order of their numbers.
    pub(super) active: Vec<ActivePair>,
    /// The same, as each thread found them.
    found: Vec<Vec<ActivePair>>,
    pub(super) roles: Roles,
    pub(super) approaches: Vec<Approach>,
}
