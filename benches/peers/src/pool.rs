//! Threads that are each pinned to their own processor.
//!
//! Systems differ in how fast they spread threads. If a kernel keeps rarely running threads on one processor, a build
//! of five milliseconds can end before its second thread has started: two threads then look like one. What should be
//! measured is the divided work.
//! measured is the work divided.

use rayon::{ThreadPool, ThreadPoolBuilder};

/// A pool of `threads` threads, the `i`-th pinned to the `i`-th processor available to this process, if the system
/// supports it.
pub fn pinned(threads: usize) -> ThreadPool {
    let processors = core_affinity::get_core_ids().unwrap_or_default();
    let stay_on = move |thread: usize| {
        if let Some(processor) = processors.get(thread) {
            // If pinning is refused, the thread runs where it is.
            core_affinity::set_for_current(*processor);
        }
    };
    let pool = ThreadPoolBuilder::new().num_threads(threads).start_handler(stay_on);
    pool.build().expect("the system starts threads")
}
