//! What allocates, and how much. This is a test binary of its own because `allocation-counter` replaces the allocator.

mod broadphase_frames;
mod snapshot_bytes;
mod tree_queries;
mod worlds;
