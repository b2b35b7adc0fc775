//! Threads that stay awake together for a while and share many short pieces of work.
//!
//! Handing work to rayon's pool wakes a thread, which may take as long as the work itself; a caller that divides its
//! work forty times in a millisecond gains nothing. A team wakes its helpers once:
//!
//! ```text
//!   caller   begin |------ phase ------|  alone  |-- phase --| end       takes pieces of each phase itself
//!   helper           |- joins, takes --|  spins  |- takes ---|           may come late, or never
//! ```
//! Why no thread waits forever: the caller waits only at the end of a phase, and only for helpers that have joined it,
//! which run nothing but pieces. It never waits for a helper to arrive or to leave. A helper ends with its team.
//! Neither calls rayon between begin and end: rayon might then run the helper of another team on this thread, one that
//! cannot end before this team does.
//!
//! This file, [`crate::stack`] and [`crate::prefetch`] contain the only unsafe code of the crate.

use std::{fmt, marker::PhantomData};

#[cfg(feature = "parallel")]
use {shared::TeamState, std::sync::Arc};

/// Helpers from rayon's pool, for a caller that needs them repeatedly, but not all the time.
///
/// ```
/// # use cullide_bvh::Helpers;
/// let mut squares = [3, 4, 5, 6, 7, 8, 9];
/// Helpers::default().with(4, |team| {
///     for _ in 0..2 {
///         team.each(squares.chunks_mut(2), |some| some.iter_mut().for_each(|x| *x *= *x));
///     }
/// });
/// assert_eq!(squares, [81, 256, 625, 1296, 2401, 4096, 6561]);
/// ```
#[derive(Default)]
pub struct Helpers {
    /// `None` until the first team of several threads.
    #[cfg(feature = "parallel")]
    shared: Option<Arc<TeamState>>,
}

/// The caller's thread together with its helpers, or the caller's thread alone.
pub struct Team<'a> {
    #[cfg(feature = "parallel")]
    shared: Option<&'a TeamState>,
    threads: usize,
    /// Makes it `!Sync` and `!Send`: a team belongs to one thread.
    _caller: PhantomData<std::cell::Cell<&'a ()>>,
}

impl Helpers {
    /// Calls `work` with a team of at most `threads` threads, and no more than the pool and the system have. The
    /// threads stay awake until `work` returns.
    ///
    /// The pool is the one that the calling thread belongs to, if any, or else the global one. Neither `work` nor any
    /// piece that it hands out may call rayon, which could then wait forever.
    pub fn with<R>(&mut self, threads: usize, work: impl FnOnce(&Team) -> R) -> R {
        #[cfg(feature = "parallel")]
        if threads > 1 {
            return self.with_some(threads.min(shared::processors()), work);
        }
        let _ = threads;
        work(&Team::alone())
    }

    /// The same, but allows more threads than the system has.
    #[cfg(feature = "parallel")]
    fn with_some<R>(&mut self, threads: usize, work: impl FnOnce(&Team) -> R) -> R {
        let threads = threads.min(rayon::current_num_threads()).min(shared::MOST);
        if threads < 2 {
            return work(&Team::alone());
        }
        let shared = self.shared.get_or_insert_default();
        let _end = TeamState::begin(shared, threads);
        work(&Team { shared: Some(shared), threads, _caller: PhantomData })
    }
}

/// A clone starts without helpers.
impl Clone for Helpers {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Helpers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Helpers").finish_non_exhaustive()
    }
}

impl Team<'_> {
    /// Returns a team of only the caller's thread.
    ///
    /// ```
    /// # use cullide_bvh::Team;
    /// assert_eq!(Team::alone().threads(), 1);
    /// ```
    pub fn alone() -> Self {
        Self {
            #[cfg(feature = "parallel")]
            shared: None,
            threads: 1,
            _caller: PhantomData,
        }
    }

    /// Returns the maximum number of threads, the caller's included.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Calls `work` with each of the pieces, on any thread of the team, and returns when all are done. In calls with
    /// equally many pieces, pieces at the same place mostly go to the same thread, which then has them in its cache.
    ///
    /// # Panics
    /// If `work` does.
    ///
    /// ```
    /// # use cullide_bvh::Team;
    /// let mut sums = [0; 2];
    /// Team::alone().each([[1, 2], [3, 4]].iter().zip(&mut sums), |(some, sum)| *sum = some.iter().sum());
    /// assert_eq!(sums, [3, 7]);
    /// ```
    pub fn each<T: Send>(&self, pieces: impl IntoIterator<Item = T>, work: impl Fn(T) + Sync) {
        #[cfg(feature = "parallel")]
        if let Some(shared) = self.shared {
            return shared.each(self.threads, pieces.into_iter(), work);
        }
        for piece in pieces {
            work(piece);
        }
    }
}

impl fmt::Debug for Team<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Team").field("threads", &self.threads).finish()
    }
}

#[cfg(feature = "parallel")]
mod shared {
    use std::{
        any::Any,
        panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
        sync::{
            Arc, Mutex, MutexGuard, OnceLock, PoisonError,
            atomic::{AtomicUsize, Ordering},
        },
    };

    /// The function that each thread of a team calls with its rank.
    type Phase<'a> = &'a (dyn Fn(usize) + Sync);

    /// The fields of [`TeamState::word`], from the lowest bits up: the number of helpers in the phase; whether more may
    /// join; whether there is a team; and the number of the phase.
    const JOINED: usize = OPEN - 1;
    const OPEN: usize = 1 << 10;
    const BEGUN: usize = 1 << 11;
    const NUMBER: usize = 1 << 12;

    /// The maximum number of threads of a team.
    pub(super) const MOST: usize = JOINED;

    /// How often a thread looks again before it yields to others.
    const SPINS: u32 = 256;

    /// The state shared by the threads of a team.
    #[derive(Default)]
    pub(super) struct TeamState {
        word: AtomicUsize,
        /// The caller's rank.
        rank: AtomicUsize,
        /// Helpers that were requested from the pool and have not ended. One that arrives late may help the next team.
        asked: AtomicUsize,
        phase: Mutex<Option<Phase<'static>>>,
        /// The payload of a helper's panic.
        panic: Mutex<Option<Box<dyn Any + Send>>>,
    }

    /// Calls a function when dropped, even in a panic.
    struct OnDrop<F: Fn()>(F);

    impl<F: Fn()> Drop for OnDrop<F> {
        fn drop(&mut self) {
            (self.0)();
        }
    }

    impl TeamState {
        /// Requests helpers from the pool for a team of `threads` threads, which ends when the result is dropped.
        pub(super) fn begin(shared: &Arc<Self>, threads: usize) -> impl Drop + '_ {
            let own = rayon::current_thread_index().unwrap_or(0);
            shared.rank.store(own % threads, Ordering::Relaxed);
            shared.word.fetch_or(BEGUN, Ordering::Release);
            let asked = shared.asked.load(Ordering::Relaxed);
            shared.asked.fetch_add((threads - 1).saturating_sub(asked), Ordering::Relaxed);
            for number in asked + 1..threads {
                let shared = Arc::clone(shared);
                rayon::spawn(move || {
                    let _end = OnDrop(|| _ = shared.asked.fetch_sub(1, Ordering::Relaxed));
                    shared.help(threads, number);
                });
            }
            OnDrop(|| _ = shared.word.fetch_and(!BEGUN, Ordering::Relaxed))
        }

        /// Takes part in phases until the team ends.
        fn help(&self, threads: usize, number: usize) {
            let (mut last, mut spins) = (None, 0);
            loop {
                let word = self.word.load(Ordering::Relaxed);
                if word & BEGUN == 0 {
                    return;
                }
                if word & OPEN == 0 || last == Some(word / NUMBER) {
                    wait(&mut spins);
                } else if self.join(word) {
                    (last, spins) = (Some(word / NUMBER), 0);
                    let _leave = OnDrop(|| _ = self.word.fetch_sub(1, Ordering::Release));
                    let (caller, own) = (self.rank.load(Ordering::Relaxed), rayon::current_thread_index().unwrap_or(0));
                    // Derived from the thread's index, so that a thread has the same rank in every team, whoever calls.
                    let rank = if own % threads == caller { (caller + number) % threads } else { own % threads };
                    let phase = *lock(&self.phase);
                    // Whatever a panic leaves half done belongs to the caller, which panics as well.
                    let run = AssertUnwindSafe(|| phase.into_iter().for_each(|phase| phase(rank)));
                    if let Err(panic) = catch_unwind(run) {
                        lock(&self.panic).get_or_insert(panic);
                    }
                }
            }
        }

        /// Joins the phase if the state is still `word`; returns whether it did.
        fn join(&self, word: usize) -> bool {
            self.word.compare_exchange(word, word + 1, Ordering::Acquire, Ordering::Relaxed).is_ok()
        }

        /// Calls `phase` on this thread and on the helpers that arrive in time, each with its rank.
        fn run(&self, phase: Phase) {
            // If the caller panicked in an earlier phase, a helper's panic may still be stored.
            *lock(&self.panic) = None;
            // SAFETY: helpers call it only while they are counted in `word`, and they can join only while the phase is
            // open. Before this function returns or unwinds, it closes the phase and waits until no helper is counted.
            *lock(&self.phase) = Some(unsafe { std::mem::transmute::<Phase<'_>, Phase<'static>>(phase) });
            self.word.fetch_add(NUMBER | OPEN, Ordering::Release);
            let close = OnDrop(|| {
                self.word.fetch_and(!OPEN, Ordering::Relaxed);
                let mut spins = 0;
                while self.word.load(Ordering::Acquire) & JOINED != 0 {
                    wait(&mut spins);
                }
            });
            phase(self.rank.load(Ordering::Relaxed));
            drop(close);
            let panic = lock(&self.panic).take();
            if let Some(panic) = panic {
                resume_unwind(panic);
            }
        }

        pub(super) fn each<T: Send>(&self, threads: usize, pieces: impl Iterator<Item = T>, work: impl Fn(T) + Sync) {
            let mut slots = Vec::with_capacity(pieces.size_hint().0);
            for piece in pieces {
                slots.push(Mutex::new(Some(piece)));
            }
            self.each_place(threads, slots.len(), &|place| {
                // If it is locked, another thread has taken it.
                if let Ok(mut slot) = slots[place].try_lock()
                    && let Some(piece) = slot.take()
                {
                    work(piece);
                }
            });
        }

        /// Calls `take` with each of `count` places on every thread that takes part.
        fn each_place(&self, threads: usize, count: usize, take: Phase) {
            let take_part = |rank: usize| places(rank, threads, count).for_each(take);
            match count {
                0 | 1 => take_part(0),
                _ => self.run(&take_part),
            }
        }
    }

    /// The order in which a thread looks for pieces: those of its own share first. Neighbours go in opposite
    /// directions, so that two of them meet in the middle.
    fn places(rank: usize, threads: usize, count: usize) -> impl Iterator<Item = usize> {
        let (first, step) = match rank % 2 {
            0 => (rank * count / threads, 1),
            _ => ((rank + 1) * count / threads + count - 1, count - 1),
        };
        (0..count).map(move |i| (first + i * step) % count)
    }

    /// How many threads the system runs at a time. Cached, as the query is slow.
    pub(super) fn processors() -> usize {
        static PROCESSORS: OnceLock<usize> = OnceLock::new();
        *PROCESSORS.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// Waits for a moment.
    fn wait(spins: &mut u32) {
        if *spins < SPINS {
            *spins += 1;
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }

    /// Locks a mutex; poisoning is ignored, as nothing panics while one of these is locked.
    fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(all(test, feature = "parallel"))]
mod tests {
    use super::*;
    use rayon::prelude::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn pool(threads: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
    }

    /// Runs phases of many lengths, in which each piece must come up exactly once.
    fn count_pieces(helpers: &mut Helpers, threads: usize, phases: usize) {
        helpers.with_some(threads, |team| {
            for length in 0..phases {
                let mut counts = vec![0; length % 41];
                team.each(counts.iter_mut().enumerate(), |(i, count)| *count += i + 1);
                assert!(counts.into_iter().eq(1..=length % 41), "{length} pieces");
            }
        });
    }

    #[test]
    fn each_piece_is_taken_once_in_teams_of_any_size() {
        for threads in [1, 2, 3, 8] {
            let mut helpers = Helpers::default();
            pool(threads).install(|| (0..50).for_each(|_| count_pieces(&mut helpers, threads, 100)));
        }
        // The caller is not one of the pool's threads.
        let mut helpers = Helpers::default();
        (0..50).for_each(|_| count_pieces(&mut helpers, 4, 100));
    }

    #[test]
    fn teams_side_by_side_in_one_pool_all_end() {
        for threads in [1, 2, 3, 8] {
            let mut teams: Vec<Helpers> = (0..7).map(|_| Helpers::default()).collect();
            pool(threads).install(|| {
                for _ in 0..200 {
                    // Between the teams, they wait for each other in rayon.
                    teams.par_iter_mut().for_each(|helpers| count_pieces(helpers, threads, 10));
                }
            });
        }
    }

    #[test]
    fn a_panic_in_any_piece_reaches_the_caller_and_the_next_team_works() {
        for threads in [1, 2, 8] {
            pool(threads).install(|| {
                let mut helpers = Helpers::default();
                for bad in 0..100 {
                    let run = || helpers.with_some(threads, |team| team.each(0..100, |i| assert!(i != bad, "{i}")));
                    let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
                    assert_eq!(panic.downcast_ref::<String>(), Some(&bad.to_string()));
                    count_pieces(&mut helpers, threads, 10);
                }
                // The caller's own panic.
                let run = || helpers.with_some(threads, |_| panic!());
                assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
                count_pieces(&mut helpers, threads, 10);
            });
        }
    }

    #[test]
    fn helpers_that_never_come_are_not_waited_for() {
        // The pool's only other thread sleeps until the team is done.
        let (is_over, over) = std::sync::mpsc::channel();
        pool(2).scope(|scope| {
            scope.spawn(move |_| over.recv().unwrap());
            count_pieces(&mut Helpers::default(), 2, 100);
            is_over.send(()).unwrap();
        });
    }
}
