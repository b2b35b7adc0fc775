//! Boxes under the three motions of a benchmark of broad phases: at random, falling, and falling in turning directions.
//!
//! Source: Serpa and Rodrigues, "Broadmark: A Testing Framework for Broad-Phase Collision Detection Algorithms", 2020.

use crate::{Rng, within};

/// How the boxes move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// Straight on, while one box in a hundred gets a new velocity each frame.
    Brownian,
    /// Downward, ever faster.
    FreeFall,
    /// In a direction that goes round once in [`TURN`] seconds.
    RotatingGravity,
}

/// Seconds that a frame takes.
const STEP: f32 = 1.0 / 30.0;

/// Acceleration, in units a second squared.
const GRAVITY: f32 = 9.81;

/// Seconds in which gravity goes round once.
pub const TURN: f32 = 4.0;

/// Boxes of size 1 in a cube with ten times their volume, whose walls they bounce off.
#[derive(Clone, Debug)]
pub struct Broadmark {
    law: Law,
    side: f32,
    centers: Vec<[f32; 3]>,
    velocities: Vec<[f32; 3]>,
    frame: u32,
    rng: Rng,
}

impl Broadmark {
    /// `n` boxes in a ball in the middle of the cube, all about to move.
    pub fn new(n: usize, law: Law, seed: u64) -> Self {
        let side = (10.0 * n as f32).cbrt();
        let mut rng = Rng::with_seed(seed ^ 11);
        let centers = (0..n).map(|_| in_ball(&mut rng, 0.45 * side).map(|x| x + 0.5 * side)).collect();
        let velocities = (0..n).map(|_| in_ball(&mut rng, 0.75 * side)).collect();
        Self { law, side, centers, velocities, frame: 0, rng }
    }

    /// The boxes as they are now.
    pub fn boxes(&self) -> impl Iterator<Item = [[f32; 3]; 2]> + '_ {
        self.centers.iter().map(|center| [center.map(|x| x - 0.5), center.map(|x| x + 0.5)])
    }

    /// Moves on by one frame.
    pub fn advance(&mut self) {
        let count = self.centers.len();
        self.frame += 1;
        let angle = std::f32::consts::TAU * self.frame as f32 * STEP / TURN;
        let gravity = match self.law {
            Law::Brownian => [0.0; 3],
            Law::FreeFall => [0.0, -GRAVITY, 0.0],
            Law::RotatingGravity => [GRAVITY * angle.sin(), -GRAVITY * angle.cos(), 0.0],
        };
        if self.law == Law::Brownian {
            for _ in 0..count.div_ceil(100) {
                let i = self.rng.usize(0..count);
                self.velocities[i] = in_ball(&mut self.rng, 0.75 * self.side);
            }
        }
        for (center, velocity) in self.centers.iter_mut().zip(&mut self.velocities) {
            for axis in 0..3 {
                velocity[axis] += gravity[axis] * STEP;
                center[axis] += velocity[axis] * STEP;
                let goes_out = center[axis] < 0.5 && velocity[axis] < 0.0
                    || center[axis] > self.side - 0.5 && velocity[axis] > 0.0;
                if goes_out {
                    velocity[axis] = -velocity[axis];
                }
            }
        }
    }
}

/// Uniform in a ball around the origin.
fn in_ball(rng: &mut Rng, radius: f32) -> [f32; 3] {
    loop {
        let point = [(); 3].map(|()| within(rng, -1.0, 1.0));
        if point.iter().map(|x| x * x).sum::<f32>() <= 1.0 {
            return point.map(|x| x * radius);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_stay_about_their_cube_and_all_move() {
        for law in [Law::Brownian, Law::FreeFall, Law::RotatingGravity] {
            let mut scene = Broadmark::new(1000, law, 1);
            let before: Vec<_> = scene.boxes().collect();
            (0..200).for_each(|_| scene.advance());
            assert!(scene.boxes().zip(before).all(|(now, then)| now != then));
            let reach = scene.side * 1.2;
            assert!(scene.boxes().all(|[min, max]| (0..3).all(|i| min[i] > -reach && max[i] < 2.0 * reach)));
        }
    }
}
