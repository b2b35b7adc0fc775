//! Where walkers want to go: a random heading for a while, then another one; and away from obstacles.

use std::f32::consts::{PI, TAU};
use std::ops::Range;

use crate::walk::STEPS_PER_SECOND;

/// The time in seconds until a walker takes another heading by itself.
const HEADING_SECONDS: Range<f32> = 0.5..2.0;
/// A walker that covers less than this fraction of the distance it wants is blocked; after this many blocked steps, it
/// turns.
const BLOCKED_SHARE: f32 = 0.2;
const BLOCKED_STEPS: u32 = 4;

/// A heading for a while, then another one.
#[derive(Clone, Debug)]
pub struct Steering {
    random: Random,
    /// Radians from x towards y.
    heading: f32,
    steps_left: u32,
    blocked_steps: u32,
}

impl Steering {
    /// Creates a steering. Equal seeds steer alike.
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let heading = random.between(0.0..TAU);
        Self { random, heading, steps_left: 0, blocked_steps: 0 }
    }

    /// Returns the heading of the next step.
    pub fn heading(&mut self) -> f32 {
        if self.steps_left == 0 {
            let heading = self.random.between(0.0..TAU);
            self.take(heading);
        }
        self.steps_left -= 1;
        self.heading
    }

    /// Turns away after a few blocked steps, by between a right angle and straight back, to either side.
    pub fn feel(&mut self, made: f32, wanted: f32) {
        self.blocked_steps = if made < BLOCKED_SHARE * wanted { self.blocked_steps + 1 } else { 0 };
        if self.blocked_steps >= BLOCKED_STEPS {
            let turn = self.random.between(0.5 * PI..1.5 * PI);
            self.take(self.heading + turn);
        }
    }

    fn take(&mut self, heading: f32) {
        self.heading = heading.rem_euclid(TAU);
        self.steps_left = (self.random.between(HEADING_SECONDS) * STEPS_PER_SECOND as f32) as u32;
        self.blocked_steps = 0;
    }
}

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014): the same numbers on
/// every machine, and neighbouring seeds far apart.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns a number in the range, excluding its end.
    pub fn between(&mut self, range: Range<f32>) -> f32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        let share = (bits >> 40) as f32 / (1_u64 << 24) as f32;
        range.start + (range.end - range.start) * share
    }
}
