//! A WebAssembly module with the library's questions as plain functions over linear memory; `cullide.js` beside it is
//! the interface for JavaScript.
//!
//! ```text
//!   host:    p = input(bytes)          writes its arrays there, one behind the other, each at a multiple of 8 bytes
//!            n = world_cast_rays(...)  the call reads them, and keeps its answers until the next call
//!            answer_keys() and so on   where the answers lie, as columns: all distances, then all points, ...
//!   n < 0:   error() tells why; nothing has changed
//! ```
//! No function takes a pointer, and nothing is allocated for each ray. Worlds and shapes are known to the host by
//! number. [`script::run`] is for both: its outcome is the same in every browser as on this machine.

#[cfg(feature = "dynamics")]
mod bodies;
mod characters;
mod keys;
#[cfg(feature = "dynamics")]
mod level;
mod memory;
mod queries;
#[cfg(feature = "dynamics")]
pub mod script;
mod shapes;
#[cfg(feature = "snapshots")]
mod snapshots;
mod worlds;

/// The script's hash of the world, or of the answers.
#[cfg(feature = "dynamics")]
#[unsafe(no_mangle)]
extern "C" fn script_hash(of_answers: bool) -> u64 {
    script::run().map_or(0, |outcome| if of_answers { outcome.answers } else { outcome.world })
}
