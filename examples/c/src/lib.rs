//! Cullide for C: the functions that `include/cullide.h` declares.
//!
//! Every function that can fail returns a [`CullideStatus`] and lets no panic out. Handles, single results and settings
//! come as references that may be missing, which are null pointers in C; lists as a pointer and a count, which
//! `memory` turns into slices. What the caller has to see to is written at the top of the header.
#![allow(clippy::missing_safety_doc, reason = "the header says for all functions together what holds for pointers")]

mod abi;
mod body;
mod character;
mod contact;
mod cull;
mod edit;
mod key;
mod memory;
mod nearest;
mod overlap;
mod pairs;
mod plane;
mod ray;
mod shape;
mod snapshot;
mod status;
mod sweep;
mod terrain;
mod trigger;
mod values;
mod world;

pub use abi::*;
pub use body::*;
pub use character::*;
pub use contact::*;
pub use cull::*;
pub use edit::*;
pub use key::*;
pub use nearest::*;
pub use overlap::*;
pub use pairs::*;
pub use plane::*;
pub use ray::*;
pub use shape::*;
pub use snapshot::*;
pub use status::*;
pub use sweep::*;
pub use terrain::*;
pub use trigger::*;
pub use values::*;
pub use world::*;
