//! Dividing work among threads, or not: the results are the same.

/// Calls `work` for each item; side by side with the feature `parallel`, no fewer than `least` a thread.
pub(crate) fn each_mut<T: Send>(items: &mut [T], least: usize, work: impl Fn(&mut T) + Sync) {
    // A pool of one thread would only be waited for.
    #[cfg(feature = "parallel")]
    if items.len() > least && rayon::current_num_threads() > 1 {
        use rayon::prelude::*;
        return items.par_iter_mut().with_min_len(least).for_each(&work);
    }
    let _ = least;
    items.iter_mut().for_each(work);
}

/// Calls `work`, during which up to so many more threads stay awake for what it divides: where it does so often, waking
/// them each time takes longer than what they do.
pub(crate) fn awake<R: Send>(helpers: usize, work: impl FnOnce() -> R + Send) -> R {
    #[cfg(feature = "parallel")]
    if helpers > 0 && rayon::current_num_threads() > 1 {
        use std::sync::atomic::{AtomicBool, Ordering};
        struct Done<'a>(&'a AtomicBool);
        impl Drop for Done<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let is_done = AtomicBool::new(false);
        let help = || {
            while !is_done.load(Ordering::Relaxed) {
                if rayon::yield_now() != Some(rayon::Yield::Executed) {
                    std::thread::yield_now();
                }
            }
        };
        // On a thread of the pool: nothing else needs to be handed over to it.
        return rayon::scope(|scope| {
            // Dropped when `work` panics, too: the scope waits for the helpers.
            let _done = Done(&is_done);
            for _ in 0..helpers.min(rayon::current_num_threads() - 1) {
                scope.spawn(|_| help());
            }
            work()
        });
    }
    let _ = helpers;
    work()
}
