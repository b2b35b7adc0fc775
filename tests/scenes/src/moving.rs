//! Boxes that move frame by frame.

use crate::{
    Bounds, Rng, bounds_of,
    broadmark::{Kind, World},
    direction, uniform,
};

/// Which boxes move, and how far per frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// All boxes of `uniform`, by 0.02.
    Slow,
    /// All boxes of `uniform`, by 0.5.
    Fast,
    /// One box of `uniform` in fifty, by 0.1.
    Few,
    /// One box of `uniform` in a thousand, by 0.1.
    Rare,
    /// Broadmark's: all boxes, a hundredth of which change direction each frame.
    Brownian,
    /// Broadmark's: all boxes, under gravity.
    FreeFall,
    /// Broadmark's: all boxes, under a gravity that rotates.
    RotatingGravity,
}

impl Motion {
    /// All motions.
    pub const ALL: [Self; 7] =
        [Self::Slow, Self::Fast, Self::Few, Self::Rare, Self::Brownian, Self::FreeFall, Self::RotatingGravity];

    /// Its name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slow => "slow",
            Self::Fast => "fast",
            Self::Few => "few",
            Self::Rare => "rare",
            Self::Brownian => "brownian",
            Self::FreeFall => "free-fall",
            Self::RotatingGravity => "rotating-gravity",
        }
    }

    /// The motion with that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|motion| motion.name() == name)
    }
}

/// Boxes in motion.
#[derive(Clone, Debug)]
pub struct Moving {
    boxes: Vec<Bounds>,
    moved: Vec<usize>,
    drive: Drive,
}

/// What moves them.
#[derive(Clone, Debug)]
enum Drive {
    /// How far each moving box goes per frame, back and forth within the bounds of the first frame.
    Drift {
        deltas: Vec<[f32; 3]>,
        bounds: Bounds,
    },
    Broadmark(World),
}

impl Moving {
    /// `n` boxes about to move.
    pub fn new(n: usize, motion: Motion, seed: u64) -> Self {
        match motion {
            Motion::Slow => Self::drifting(n, 1, 0.02, seed),
            Motion::Fast => Self::drifting(n, 1, 0.5, seed),
            Motion::Few => Self::drifting(n, 50, 0.1, seed),
            Motion::Rare => Self::drifting(n, 1000, 0.1, seed),
            Motion::Brownian => Self::broadmark(World::new(n, Kind::Brownian, seed)),
            Motion::FreeFall => Self::broadmark(World::new(n, Kind::FreeFall, seed)),
            Motion::RotatingGravity => Self::broadmark(World::new(n, Kind::RotatingGravity, seed)),
        }
    }

    /// `uniform(n)`, of which every `stride`-th box moves in a random direction and bounces off the bounds.
    fn drifting(n: usize, stride: usize, distance: f32, seed: u64) -> Self {
        let boxes = uniform(n, seed);
        let moved: Vec<usize> = (0..n).step_by(stride).collect();
        let mut rng = Rng::with_seed(seed ^ 5);
        let deltas = moved.iter().map(|_| direction(&mut rng).map(|x| x * distance)).collect();
        let bounds = if n == 0 { [[0.0; 3]; 2] } else { bounds_of(&boxes) };
        Self { boxes, moved, drive: Drive::Drift { deltas, bounds } }
    }

    fn broadmark(world: World) -> Self {
        let boxes: Vec<Bounds> = world.boxes().collect();
        Self { moved: (0..boxes.len()).collect(), boxes, drive: Drive::Broadmark(world) }
    }

    /// The boxes as they are now.
    pub fn boxes(&self) -> &[Bounds] {
        &self.boxes
    }

    /// The indices of the boxes that every frame moves.
    pub fn moved(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.moved.iter().copied()
    }

    /// Advances by one frame.
    pub fn advance(&mut self) {
        match &mut self.drive {
            Drive::Drift { deltas, bounds } => {
                for (&index, delta) in self.moved.iter().zip(deltas) {
                    drift(&mut self.boxes[index], delta, bounds);
                }
            }
            Drive::Broadmark(world) => {
                world.advance();
                self.boxes.clear();
                self.boxes.extend(world.boxes());
            }
        }
    }
}

/// Moves a box, reversing it where it would leave the bounds.
fn drift([min, max]: &mut Bounds, delta: &mut [f32; 3], bounds: &Bounds) {
    for i in 0..3 {
        let leaves_low = min[i] + delta[i] < bounds[0][i] && delta[i] < 0.0;
        let leaves_high = max[i] + delta[i] > bounds[1][i] && delta[i] > 0.0;
        if leaves_low || leaves_high {
            delta[i] = -delta[i];
        }
        min[i] += delta[i];
        max[i] += delta[i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which boxes a frame changes.
    fn changed(scene: &mut Moving) -> Vec<usize> {
        let before = scene.boxes().to_vec();
        scene.advance();
        (0..before.len()).filter(|&i| scene.boxes()[i] != before[i]).collect()
    }

    #[test]
    fn few_means_one_in_fifty_and_the_rest_stay() {
        for (motion, count) in [(Motion::Few, 40), (Motion::Rare, 2), (Motion::Slow, 2000), (Motion::Brownian, 2000)] {
            let mut scene = Moving::new(2000, motion, 1);
            let changed = changed(&mut scene);
            assert_eq!(changed, scene.moved().collect::<Vec<_>>());
            assert_eq!(changed.len(), count);
        }
    }

    #[test]
    fn nobody_leaves_the_bounds_for_long() {
        for motion in Motion::ALL {
            let mut scene = Moving::new(300, motion, 1);
            // Broadmark's boxes start in the middle of a world of side ∛3000.
            let [min, max] = match scene.drive {
                Drive::Drift { bounds, .. } => bounds,
                Drive::Broadmark(_) => [[-7.3; 3], [7.3; 3]],
            };
            for _ in 0..400 {
                scene.advance();
            }
            let [low, high] = bounds_of(scene.boxes());
            assert!((0..3).all(|i| low[i] > min[i] - 0.6 && high[i] < max[i] + 0.6), "{motion:?}");
        }
    }

    #[test]
    fn the_seed_decides_everything() {
        for motion in Motion::ALL {
            let after = |seed: u64| {
                let mut scene = Moving::new(300, motion, seed);
                (0..50).for_each(|_| scene.advance());
                scene.boxes().to_vec()
            };
            assert_eq!(after(1), after(1), "{motion:?}");
            assert_ne!(after(1), after(2), "{motion:?}");
        }
    }

    #[test]
    fn every_motion_is_found_by_its_name() {
        assert!(Motion::ALL.iter().all(|&motion| Motion::named(motion.name()) == Some(motion)));
        assert_eq!(Motion::named("still"), None);
    }
}
