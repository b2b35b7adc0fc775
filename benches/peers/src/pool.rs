//! Threads that stay each on a processor of its own.
//!
//! Systems differ in how fast they spread threads. A kernel that keeps what rarely runs together on one processor lets
//! a build of five milliseconds end before its second thread has begun: two threads then look like one. What is to be
//! measured is the work divided.

use rayon::{ThreadPool, ThreadPoolBuilder};

/// A pool of so many threads, the `i`-th on the `i`-th processor that this process may use, where the system can say
/// so.
pub fn pinned(threads: usize) -> ThreadPool {
    let processors = core_affinity::get_core_ids().unwrap_or_default();
    let stay_on = move |thread: usize| {
        if let Some(processor) = processors.get(thread) {
            // Refused, it runs where it ran.
            core_affinity::set_for_current(*processor);
        }
    };
    let pool = ThreadPoolBuilder::new().num_threads(threads).start_handler(stay_on);
    pool.build().expect("the system starts threads")
}
