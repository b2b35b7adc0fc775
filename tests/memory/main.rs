//! What allocates, and how much. A test binary of its own: `allocation-counter` replaces the allocator.

mod broadphase_frames;
mod snapshot_bytes;
mod tree_queries;
mod worlds;
