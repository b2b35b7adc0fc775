//! What users rely on: the edges of the contract, and random scenes checked against answers computed without the
//! library.
//!
//! `CULLIDE_CASES` multiplies the number of cases of each test; notes at the tests say which factor makes how many.

mod contract;
mod convex;
mod crowds;
mod frusta;
mod keys;
mod lifts;
mod pushed_out;
mod range;
mod side;
mod thin;
mod walks;

use cullide_scenes::Rng;
use cullide_world::glam::{Quat, Vec3};
use rayon::prelude::*;
use std::sync::Mutex;

/// The factor from the environment variable.
fn factor() -> usize {
    std::env::var("CULLIDE_CASES").ok().and_then(|factor| factor.parse().ok()).unwrap_or(1)
}

/// Counts of what happened, by kind.
type Counts<const N: usize> = [usize; N];

/// Runs `play` once for each of `scenes` times the factor seeds, on all threads, and adds up its counts.
fn for_each_seed<const N: usize>(scenes: usize, play: impl Fn(&mut Rng, u64) -> Counts<N> + Sync) -> Counts<N> {
    let seeds = (0..(scenes * factor()) as u64).into_par_iter();
    let counts = seeds.map(|seed| play(&mut Rng::with_seed(cullide_scenes::SEED ^ (seed << 16)), seed));
    counts.reduce(|| [0; N], |a, b| std::array::from_fn(|i| a[i] + b[i]))
}

/// What went wrong, with the seeds.
#[derive(Default)]
struct Wrong(Mutex<Vec<(u64, String)>>);

impl Wrong {
    fn push(&self, seed: u64, what: String) {
        self.0.lock().unwrap().push((seed, what));
    }

    /// Fails with the first three, if there are any.
    fn none(self) {
        let mut wrong = self.0.into_inner().unwrap();
        wrong.sort();
        let first: String = wrong.iter().take(3).map(|(seed, what)| format!("\nseed {seed}: {what}\n")).collect();
        assert!(wrong.is_empty(), "{} went wrong:{first}", wrong.len());
    }
}

/// Uniform in [low, high).
fn between(rng: &mut Rng, low: f32, high: f32) -> f32 {
    low + (high - low) * rng.f32()
}

/// A size between the two, with each order of magnitude equally likely.
fn sized(rng: &mut Rng, low: f32, high: f32) -> f32 {
    (low * (high / low).powf(rng.f32())).clamp(low, high)
}

/// Each coordinate uniform in [-1, 1).
fn vector(rng: &mut Rng) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| between(rng, -1.0, 1.0)))
}

/// A random direction, of unit length up to rounding.
fn direction(rng: &mut Rng) -> Vec3 {
    loop {
        let v = vector(rng);
        if (1e-2..1.0).contains(&v.length_squared()) {
            return v.normalize();
        }
    }
}

/// A random rotation.
fn rotation(rng: &mut Rng) -> Quat {
    Quat::from_axis_angle(direction(rng), between(rng, -3.1, 3.1))
}

/// A random rotation about the vertical.
fn yaw(rng: &mut Rng) -> Quat {
    Quat::from_rotation_y(between(rng, -3.1, 3.1))
}
