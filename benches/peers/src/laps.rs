//! Times that survive a machine with other work: a run is cut into short laps, and the least time of each lap over all runs
//! counts. What interrupts a run rarely hits the same lap every time.

use std::time::{Duration, Instant};

/// The laps of one or more runs over the same questions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Laps(Vec<Lap>);

#[derive(Clone, Copy, Debug, PartialEq)]
struct Lap {
    time: Duration,
    answers: usize,
}

impl Laps {
    /// Times one more lap.
    pub fn lap<T>(&mut self, answers: usize, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.0.push(Lap { time: start.elapsed(), answers });
        result
    }

    /// All laps together.
    pub fn total(&self) -> Duration {
        self.0.iter().map(|lap| lap.time).sum()
    }

    /// Keeps the shorter of each two laps, as far as both runs went.
    pub fn least(self, other: Self) -> Self {
        Self(self.0.into_iter().zip(other.0).map(|(a, b)| if a.time <= b.time { a } else { b }).collect())
    }

    /// Nanoseconds for one answer.
    pub fn mean(&self) -> f64 {
        let answers: usize = self.0.iter().map(|lap| lap.answers).sum();
        self.total().as_secs_f64() * 1e9 / answers.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interruption_counts_only_if_it_hits_every_run() {
        let laps = |times: &[u64]| {
            Laps(times.iter().map(|&time| Lap { time: Duration::from_nanos(time), answers: 2 }).collect())
        };
        let least = laps(&[30, 900, 50]).least(laps(&[700, 40])).least(laps(&[600, 40, 50]));
        assert_eq!((least.total(), least.mean()), (Duration::from_nanos(70), 17.5));
    }
}
