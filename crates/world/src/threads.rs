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
