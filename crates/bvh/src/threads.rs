//! Dividing work among threads, or not, with the same results in the same order. No thread here busy-waits.

#[cfg(feature = "parallel")]
pub(crate) use on_many::*;
#[cfg(not(feature = "parallel"))]
pub(crate) use on_one::*;

#[cfg(feature = "parallel")]
mod on_many {
    use std::mem::MaybeUninit;

    /// How many elements of a [`vec`] a task makes.
    const PART: usize = 1024;

    /// The number of threads.
    pub(crate) fn count() -> usize {
        rayon::current_num_threads()
    }

    /// Runs both, perhaps at the same time, and returns both results.
    pub(crate) fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
        let (mut a, mut b) = (Some(a), Some(b));
        let (mut first, mut second) = (None, None);
        join_any(&mut || first = a.take().map(|a| a()), &mut || second = b.take().map(|b| b()));
        (first.expect("it ran"), second.expect("it ran"))
    }

    /// The only call of rayon's: behind references, its code is compiled once and not for each pair of closures, which
    /// would be a sixth of this crate.
    fn join_any(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        if count() == 1 {
            a();
            b();
        } else {
            rayon::join(a, b);
        }
    }

    /// Calls `work` with the index and the item for each of a few items, perhaps at the same time.
    pub(crate) fn each<T: Send>(few: &mut [T], work: impl Fn(usize, &mut T) + Send + Sync) {
        each_from(0, few, &work);
    }

    fn each_from<T: Send>(first: usize, few: &mut [T], work: &(impl Fn(usize, &mut T) + Sync)) {
        match few {
            [] => {}
            [one] => work(first, one),
            _ => {
                let (low, high) = few.split_at_mut(few.len() / 2);
                let middle = first + low.len();
                join(|| each_from(first, low, work), || each_from(middle, high, work));
            }
        }
    }

    /// Collects `make(i)` for every `i` below `count`.
    pub(crate) fn vec<T: Send>(count: usize, make: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
        if self::count() == 1 || count < 2 * PART {
            return (0..count).map(make).collect();
        }
        let mut all = Vec::with_capacity(count);
        let mut parts: Vec<&mut [MaybeUninit<T>]> = all.spare_capacity_mut()[..count].chunks_mut(PART).collect();
        each(&mut parts, |part, places| {
            for (i, place) in places.iter_mut().enumerate() {
                place.write(make(PART * part + i));
            }
        });
        // SAFETY: the capacity is at least `count`, and each of the first `count` places was written: `each` calls for
        // every part, and a panic in one of the calls is one of `each`.
        unsafe { all.set_len(count) };
        all
    }

    /// Collects `count` copies of `blank`, each edited by `fill`, which is given its index.
    pub(crate) fn filled<T: Send + Sync + Copy>(
        count: usize,
        blank: &T,
        fill: impl Fn(usize, &mut T) + Send + Sync,
    ) -> Vec<T> {
        if self::count() == 1 {
            return super::filled_in_place(count, blank, fill);
        }
        vec(count, |i| {
            let mut one = *blank;
            fill(i, &mut one);
            one
        })
    }
}

#[cfg(not(feature = "parallel"))]
mod on_one {
    pub(crate) fn count() -> usize {
        1
    }

    pub(crate) fn join<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
        (a(), b())
    }

    pub(crate) fn each<T>(few: &mut [T], work: impl Fn(usize, &mut T)) {
        few.iter_mut().enumerate().for_each(|(i, one)| work(i, one));
    }

    pub(crate) fn vec<T>(count: usize, make: impl Fn(usize) -> T) -> Vec<T> {
        (0..count).map(make).collect()
    }

    pub(crate) use super::filled_in_place as filled;
}

/// Runs both, at the same time if `are_worth_it`: waking a thread takes some forty microseconds.
pub(crate) fn at_once<A: Send, B: Send>(
    are_worth_it: bool,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    if are_worth_it { join(a, b) } else { (a(), b()) }
}

/// The same on one thread, without moving large items.
pub(crate) fn filled_in_place<T: Copy>(count: usize, blank: &T, fill: impl Fn(usize, &mut T)) -> Vec<T> {
    let mut all = Vec::with_capacity(count);
    for i in 0..count {
        all.push(*blank);
        fill(i, &mut all[i]);
    }
    all
}
