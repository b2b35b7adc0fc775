//! The scene: its objects and planes, their keys and layers, and the edits to them.
//!
//! Reading order: [`object`] (an object and its layers), [`object_ref`] (one of a world's), [`key`] (slot, version and tag of a world), [`world`] (what
//! owns which state), [`edit`], [`edit_enabled`], [`edit_model`], [`edit_planes`] and [`edit_terrain`] (inserts, removals
//! and changes of one), [`motion`] (velocities, changes of many), [`pose`], [`edit_log`] (what edits tell bodies),
//! [`pairs`] (events of the broadphase), [`filter`] (which objects a query considers).
//! Below them, [`objects`] keeps the objects by key and by proxy, on top of a generational map, [`slot_map`];
//! [`proxies`] describes them to the broadphase; [`planes`] holds infinite planes in columns; [`hash`] hashes a whole
//! world.

mod edit;
mod edit_enabled;
pub(crate) mod edit_log;
mod edit_model;
pub(crate) mod edit_planes;
mod edit_terrain;
pub(crate) mod filter;
pub(crate) mod hash;
pub(crate) mod key;
pub(crate) mod motion;
pub(crate) mod object;
pub(crate) mod object_ref;
pub(crate) mod objects;
pub(crate) mod pairs;
pub(crate) mod planes;
mod pose;
pub(crate) mod proxies;
pub(crate) mod slot_map;
pub(crate) mod world;
