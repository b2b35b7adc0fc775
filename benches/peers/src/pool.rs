//! Threads that stay each on a processor of its own.
//!
//! Systems differ in how fast they spread threads. A kernel that keeps what rarely runs together on one processor lets a build of five
//! milliseconds end before its second thread has begun: two threads then look like one. What is to be measured is the work divided.

use rayon::{ThreadPool, ThreadPoolBuilder};

/// A pool of so many threads, the `i`-th on the `i`-th processor that this process may use, where the system can say so.
pub fn pinned(threads: usize) -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(threads).start_handler(stay_on);
    pool.build().expect("the system starts threads")
}

/// Keeps the calling thread on a processor, if there are so many.
#[cfg(target_os = "linux")]
fn stay_on(index: usize) {
    let size = size_of::<libc::cpu_set_t>();
    // SAFETY: a set is plain bits, of which none are set.
    let mut may: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: both calls get a set of their own and its size; 0 is the calling thread.
    unsafe {
        if libc::sched_getaffinity(0, size, &mut may) != 0 {
            return;
        }
        let allowed = (0..libc::CPU_SETSIZE as usize).filter(|&processor| libc::CPU_ISSET(processor, &may));
        if let Some(processor) = allowed.into_iter().nth(index) {
            let mut one: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(processor, &mut one);
            // Refused, it runs where it ran.
            libc::sched_setaffinity(0, size, &one);
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn stay_on(_index: usize) {}
