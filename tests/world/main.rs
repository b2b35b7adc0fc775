//! The scene: queries, sweeps, walks, steps, pairs and snapshots.

mod compound_scales;
mod compounds;
mod drawn;
mod dynamics;
mod dynamics_saved;
mod ghosts;
mod hulls;
mod interface;
mod meshes;
mod no_tunnelling;
mod pairs;
mod parts_seen;
mod queries;
mod recovery;
mod refits;
mod rest;
mod small;
mod snapshots;
mod steps;
mod surfaces;
mod sweeps;
mod terrain_edits;
mod terrains;
mod triangle_cases;
mod turns;
mod walks;
