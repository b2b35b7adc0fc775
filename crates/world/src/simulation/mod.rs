//! State that changes from frame to frame: bodies moved by steps, their contacts, and pairs of objects near each other.
//!
//! Reading order: [`body`] (a body, and the impulses of a contact), [`step`] (all bodies, on any number of threads),
//! [`body_step`] (one body, from contact to contact), [`surfaces`] (everything that it touches at once), [`body_state`]
//! and [`wake`] (when a body rests, and what wakes it), [`contacts`] (events of a step), [`pairs`] (events of the
//! broadphase).

pub(crate) mod body;
pub(crate) mod body_state;
pub(crate) mod body_step;
pub(crate) mod contacts;
pub(crate) mod pairs;
pub(crate) mod step;
pub(crate) mod surfaces;
pub(crate) mod wake;
