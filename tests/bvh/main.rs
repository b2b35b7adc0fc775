//! Trees of boxes and the broadphase: answers are those of brute force, bit for bit, after any edits.

mod broadphase_edits;
mod broadphase_frames;
mod broadphase_levels;
mod broadphase_saved;
mod broadphase_threads;
mod broadphase_upkeep;
mod tree_batches;
mod tree_edits;
mod tree_equals_brute_force;
mod tree_failures_of_peers;
mod tree_large;
mod tree_levels;
mod tree_quality;
mod tree_regressions;
mod tree_storms;
mod tree_threads;
mod tree_work;
