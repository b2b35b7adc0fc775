//! Timing that is robust on a busy machine: a run is cut into short laps, and for each lap the least time over all runs
//! counts. Interruptions rarely hit the same lap every time.

use std::time::{Duration, Instant};

/// The laps of one or more runs of the same questions.
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

    /// The total time of all laps.
    pub fn total(&self) -> Duration {
        total(&self.0)
    }

    /// Keeps the shorter of each two corresponding laps, up to the end of the shorter run.
    pub fn least(self, other: Self) -> Self {
        Self(self.0.into_iter().zip(other.0).map(|(a, b)| if a.time <= b.time { a } else { b }).collect())
    }

    /// Adds a run to the least of those before; `None` for a question that is not offered.
    pub fn keep_least(least: &mut Option<Self>, run: Option<Self>) {
        *least = match (least.take(), run) {
            (Some(a), Some(b)) => Some(a.least(b)),
            (a, b) => a.or(b),
        };
    }

    /// The number of laps.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Nanoseconds per answer.
    pub fn mean(&self) -> f64 {
        mean(&self.0)
    }

    /// The same for the first quarter of the laps, rounded up.
    pub fn first_quarter(&self) -> f64 {
        mean(&self.0[..self.0.len().div_ceil(4)])
    }

    /// The same for the last quarter of the laps, rounded up.
    pub fn last_quarter(&self) -> f64 {
        mean(&self.0[self.0.len() - self.0.len().div_ceil(4)..])
    }

    /// The median lap, in nanoseconds; 0 without laps.
    pub fn median(&self) -> f64 {
        let mut times: Vec<Duration> = self.0.iter().map(|lap| lap.time).collect();
        times.sort_unstable();
        times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1e9)
    }

    /// The longest lap, in nanoseconds; 0 without laps.
    pub fn worst(&self) -> f64 {
        self.0.iter().map(|lap| lap.time).max().map_or(0.0, |time| time.as_secs_f64() * 1e9)
    }
}

fn total(laps: &[Lap]) -> Duration {
    laps.iter().map(|lap| lap.time).sum()
}

fn mean(laps: &[Lap]) -> f64 {
    let answers: usize = laps.iter().map(|lap| lap.answers).sum();
    total(laps).as_secs_f64() * 1e9 / answers.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laps(times: &[u64]) -> Laps {
        Laps(times.iter().map(|&time| Lap { time: Duration::from_nanos(time), answers: 2 }).collect())
    }

    #[test]
    fn an_interruption_counts_only_if_it_hits_every_run() {
        let least = laps(&[30, 900, 50]).least(laps(&[700, 40])).least(laps(&[600, 40, 50]));
        assert_eq!((least.total(), least.mean()), (Duration::from_nanos(70), 17.5));
    }

    #[test]
    fn a_quarter_is_of_a_lap_at_least() {
        // Rounded to whole nanoseconds.
        let of = |times: &[u64]| [Laps::first_quarter, Laps::last_quarter].map(|of| of(&laps(times)).round());
        assert_eq!(of(&[20, 40, 60, 80, 100]), [15.0, 45.0]);
        assert_eq!((of(&[30]), of(&[])), ([15.0; 2], [0.0; 2]));
    }

    #[test]
    fn the_worst_and_the_median_are_laps() {
        assert_eq!((laps(&[30, 900, 50]).median(), laps(&[30, 900, 50]).worst()), (50.0, 900.0));
        assert_eq!((Laps::default().median(), Laps::default().worst()), (0.0, 0.0));
    }
}
