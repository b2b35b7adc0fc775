//! The scenes of Broadmark, recreated from their parameters.
//!
//! ```text
//!   n cubes of size 1 in a cubic world of side ∛(10 n), which they fill to a tenth; a frame is 1/30 s
//!   start in a ball of radius 0.45 side, with velocities in a ball of radius 0.75 side/s
//!   Brownian           no weight; ⌈n/100⌉ cubes a frame, one after another, get a new velocity
//!   free fall          gravity of 0.0981 side/s², downward
//!   rotating gravity   four times that; its direction turns about an axis that turns about z, both once in 6.2 s
//! ```
//! Broadmark lets a physics engine keep the cubes apart. Here they pass through each other and leave the walls as fast
//! as they arrived: with Broadmark's bounciness of 0.25 they would end up in one layer, or one corner, with thousands
//! of overlaps.
//!
//! Source: Serpa and Rodrigues, "Broadmark: A Testing Framework for Broad-Phase Collision Detection Algorithms",
//! Computer Graphics Forum, 2019; the numbers that the paper leaves open are the defaults of its simulation generator.

use crate::{Bounds, Rng, town::around};
use std::f32::consts::TAU;

/// Seconds per frame.
const STEP: f32 = 1.0 / 30.0;

/// The ratio of the world's volume to that of the cubes.
const SPACE: f32 = 10.0;

/// Half the size of a cube.
const HALF: f32 = 0.5;

/// The radius of the ball of starting positions, in sides of the world.
const START: f32 = 0.45;

/// The radius of the ball of velocities, in sides of the world per second.
const SPEED: f32 = 0.75;

/// Gravity in free fall, in sides of the world per second squared.
const FALL: f32 = 0.0981;

/// How much stronger the rotating gravity is.
const TURNING: f32 = 4.0;

/// The period of the rotating gravity, in seconds.
const PERIOD: f32 = 6.2;

/// The number of frames for which a Brownian cube keeps a velocity.
const KEPT: usize = 100;

/// What moves the cubes.
#[derive(Clone, Debug)]
enum Force {
    /// New velocities for some cubes, starting with this one.
    Knocks { next: usize },
    /// The same acceleration for all, per second squared.
    Gravity([f32; 3]),
    /// Gravity, and the axis about which it rotates.
    Turning { gravity: [f32; 3], axis: [f32; 3] },
}

/// The kinds of scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Brownian,
    FreeFall,
    RotatingGravity,
}

/// The cubes of one scene and what moves them.
#[derive(Clone, Debug)]
pub(crate) struct World {
    side: f32,
    centers: Vec<[f32; 3]>,
    /// Per second.
    velocities: Vec<[f32; 3]>,
    force: Force,
    rng: Rng,
}

impl World {
    pub(crate) fn new(n: usize, kind: Kind, seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed ^ 6);
        let side = (SPACE * n as f32).cbrt();
        let force = match kind {
            Kind::Brownian => Force::Knocks { next: 0 },
            Kind::FreeFall => Force::Gravity([0.0, -FALL * side, 0.0]),
            Kind::RotatingGravity => {
                Force::Turning { gravity: [TURNING * FALL * side, 0.0, 0.0], axis: [0.0, 1.0, 0.0] }
            }
        };
        // With fewer than a hundred cubes, the ball sticks out of the world.
        let reach = reach(side);
        let centers = (0..n).map(|_| in_ball(&mut rng, START * side).map(|x| x.clamp(-reach, reach))).collect();
        let velocities = (0..n).map(|_| in_ball(&mut rng, SPEED * side)).collect();
        Self { side, centers, velocities, force, rng }
    }

    pub(crate) fn boxes(&self) -> impl Iterator<Item = Bounds> + '_ {
        self.centers.iter().map(|&center| around(center, [HALF; 3]))
    }

    /// Advances by one frame.
    pub(crate) fn advance(&mut self) {
        let gravity = self.push();
        let reach = reach(self.side);
        for (center, velocity) in self.centers.iter_mut().zip(&mut self.velocities) {
            for i in 0..3 {
                velocity[i] += gravity[i] * STEP;
                center[i] += velocity[i] * STEP;
                if center[i].abs() > reach {
                    // Mirrored at the wall: as far in front of it as it would have gone beyond.
                    center[i] = (center[i].signum() * 2.0 * reach - center[i]).clamp(-reach, reach);
                    velocity[i] = -velocity[i];
                }
            }
        }
    }

    /// Rotates gravity or gives the next cubes new velocities; returns the gravity of this frame.
    fn push(&mut self) -> [f32; 3] {
        match &mut self.force {
            Force::Gravity(gravity) => *gravity,
            Force::Turning { gravity, axis } => {
                *axis = turned(*axis, [0.0, 0.0, 1.0], TAU * STEP / PERIOD);
                *gravity = turned(*gravity, *axis, TAU * STEP / PERIOD);
                *gravity
            }
            Force::Knocks { next } => {
                let n = self.velocities.len();
                for _ in 0..n.div_ceil(KEPT) {
                    self.velocities[*next] = in_ball(&mut self.rng, SPEED * self.side);
                    *next = (*next + 1) % n;
                }
                [0.0; 3]
            }
        }
    }
}

/// How far a center may be from the middle of the world, per coordinate.
fn reach(side: f32) -> f32 {
    0.5 * side - HALF
}

fn in_ball(rng: &mut Rng, radius: f32) -> [f32; 3] {
    loop {
        let point = [(); 3].map(|()| 2.0 * rng.f32() - 1.0);
        if point.iter().map(|x| x * x).sum::<f32>() <= 1.0 {
            return point.map(|x| radius * x);
        }
    }
}

/// `v` rotated about a unit axis, by Rodrigues' formula; the length is preserved up to rounding.
fn turned(v: [f32; 3], axis: [f32; 3], angle: f32) -> [f32; 3] {
    let (sin, cos) = angle.sin_cos();
    let along: f32 = (0..3).map(|i| axis[i] * v[i]).sum();
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        v[i] * cos + (axis[j] * v[k] - axis[k] * v[j]) * sin + axis[i] * along * (1.0 - cos)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Kind; 3] = [Kind::Brownian, Kind::FreeFall, Kind::RotatingGravity];

    fn length(v: [f32; 3]) -> f32 {
        v.iter().map(|x| x * x).sum::<f32>().sqrt()
    }

    #[test]
    fn cubes_of_size_1_stay_in_a_world_ten_times_their_volume() {
        for kind in KINDS {
            let mut world = World::new(800, kind, 1);
            assert!((world.side - 20.0).abs() < 1e-4);
            for _ in 0..600 {
                world.advance();
                for [min, max] in world.boxes() {
                    assert!(
                        (0..3).all(|i| min[i] > -10.0001 && max[i] < 10.0001 && (max[i] - min[i] - 1.0).abs() < 1e-5)
                    );
                }
            }
        }
    }

    #[test]
    fn the_start_is_a_ball_and_so_are_the_velocities() {
        let world = World::new(800, Kind::Brownian, 1);
        let farthest = world.centers.iter().map(|&center| length(center)).fold(0.0, f32::max);
        let fastest = world.velocities.iter().map(|&velocity| length(velocity)).fold(0.0, f32::max);
        assert!((8.5..=9.0001).contains(&farthest) && (14.2..=15.0001).contains(&fastest));
    }

    #[test]
    fn a_frame_renews_the_velocities_of_one_hundredth_rounded_up() {
        let mut world = World::new(250, Kind::Brownian, 1);
        let speeds = |world: &World| world.velocities.iter().map(|v| v.map(f32::abs)).collect::<Vec<_>>();
        for frame in 0..5 {
            let before = speeds(&world);
            world.advance();
            let after = speeds(&world);
            let renewed: Vec<usize> = (0..250).filter(|&i| before[i] != after[i]).collect();
            assert_eq!(renewed, [3 * frame, 3 * frame + 1, 3 * frame + 2]);
        }
    }

    #[test]
    fn falling_changes_the_downward_velocity_alone() {
        let mut world = World::new(800, Kind::FreeFall, 1);
        let before = world.velocities.clone();
        world.advance();
        let changes = |axis: usize| {
            let change = |(a, b): (&[f32; 3], &[f32; 3])| (a[axis].abs() == b[axis].abs(), b[axis] - a[axis]);
            before.iter().zip(&world.velocities).map(change).collect::<Vec<_>>()
        };
        assert!([0, 2].iter().all(|&axis| changes(axis).iter().all(|change| change.0)));
        let fell = changes(1).iter().filter(|change| (change.1 + 0.0981 * 20.0 / 30.0).abs() < 1e-4).count();
        assert!(fell > 700, "all but those that met a wall");
    }

    #[test]
    fn gravity_turns_and_keeps_its_size() {
        let mut world = World::new(800, Kind::RotatingGravity, 1);
        let mut before = [4.0 * 0.0981 * 20.0, 0.0, 0.0];
        let mut downmost = f32::INFINITY;
        for _ in 0..600 {
            let after = world.push();
            assert!((length(after) - 7.848).abs() < 1e-3);
            let apart = length(std::array::from_fn(|i| after[i] - before[i]));
            assert!(apart > 0.0 && apart < 7.848 * TAU / 30.0 / 6.2 * 1.001);
            downmost = downmost.min(after[0]);
            before = after;
        }
        assert!(downmost < -0.5 * 7.848, "it comes to point the other way");
    }
}
