//! How far bodies get: displacements that enter nothing fixed and pass through nothing that moves.
//!
//! [`advance`] takes each body along the way that the solver has found, as far as it is free: past fixed things in
//! [`guard`], which asks [`beside`] for what is near, [`obstacle`] for what must not be entered, and [`passage`], by the
//! directions of [`axes`], whether it is; piece by piece in [`long_way`]. [`meeting`] and [`stops`] do so among bodies
//! that are fast. [`energy`] takes back what a body gains by it.

mod advance;
pub(super) mod axes;
mod beside;
mod energy;
mod guard;
mod long_way;
mod meeting;
mod obstacle;
pub(super) mod passage;
mod stops;

use guard::Way;
use meeting::Freedom;

/// How each body moves in a step, by number; kept to reuse its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Ways {
    pub(in crate::dynamics) found: Vec<Option<Way>>,
    freedoms: Vec<Freedom>,
}
