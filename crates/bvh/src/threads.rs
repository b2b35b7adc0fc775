//! Two things at the same time, or one after the other.

/// Does both, at the same time where they are worth waking a thread, which takes some forty microseconds.
#[cfg(feature = "parallel")]
pub(crate) fn at_once(are_worth_it: bool, a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    if are_worth_it && rayon::current_num_threads() > 1 {
        rayon::join(a, b);
    } else {
        a();
        b();
    }
}

#[cfg(not(feature = "parallel"))]
pub(crate) fn at_once(_are_worth_it: bool, a: impl FnOnce(), b: impl FnOnce()) {
    a();
    b();
}
