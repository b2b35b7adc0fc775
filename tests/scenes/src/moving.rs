//! Boxes that move and bounce off the bounds of their scene.

use crate::{Bounds, Rng, bounds_of, direction, uniform};

/// Who moves how far in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// All boxes, by 0.02.
    Slow,
    /// All boxes, by 0.5.
    Fast,
    /// One box in fifty, by 0.1.
    Few,
}

/// `uniform(n)` in motion.
#[derive(Clone, Debug)]
pub struct Moving {
    boxes: Vec<[[f32; 3]; 2]>,
    /// Which boxes move, and by what next frame.
    movers: Vec<(usize, [f32; 3])>,
    bounds: Bounds,
}

impl Moving {
    /// `n` boxes about to move in random directions.
    pub fn new(n: usize, motion: Motion, seed: u64) -> Self {
        let boxes = uniform(n, seed);
        let (stride, distance) = match motion {
            Motion::Slow => (1, 0.02),
            Motion::Fast => (1, 0.5),
            Motion::Few => (50, 0.1),
        };
        let mut rng = Rng::with_seed(seed ^ 5);
        let mut mover = |index| (index, direction(&mut rng).map(|x| x * distance));
        Self {
            movers: (0..n).step_by(stride).map(&mut mover).collect(),
            bounds: if n == 0 { [[0.0; 3]; 2] } else { bounds_of(&boxes) },
            boxes,
        }
    }

    /// The boxes as they are now.
    pub fn boxes(&self) -> &[[[f32; 3]; 2]] {
        &self.boxes
    }

    /// The indices of the boxes that every frame moves.
    pub fn moved(&self) -> impl Iterator<Item = usize> + '_ {
        self.movers.iter().map(|mover| mover.0)
    }

    /// Moves on by one frame.
    pub fn advance(&mut self) {
        for (index, delta) in &mut self.movers {
            let [min, max] = &mut self.boxes[*index];
            for i in 0..3 {
                let leaves_low = min[i] + delta[i] < self.bounds[0][i] && delta[i] < 0.0;
                let leaves_high = max[i] + delta[i] > self.bounds[1][i] && delta[i] > 0.0;
                if leaves_low || leaves_high {
                    delta[i] = -delta[i];
                }
                min[i] += delta[i];
                max[i] += delta[i];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_means_one_in_fifty_and_the_rest_stay() {
        let mut scene = Moving::new(500, Motion::Few, 1);
        let before = scene.boxes().to_vec();
        scene.advance();
        let changed: Vec<_> = (0..500).filter(|&i| scene.boxes()[i] != before[i]).collect();
        assert_eq!(changed, scene.moved().collect::<Vec<_>>());
        assert_eq!(changed.len(), 10);
    }

    #[test]
    fn nobody_leaves_the_bounds_for_long() {
        let mut scene = Moving::new(300, Motion::Fast, 1);
        let [min, max] = scene.bounds;
        for _ in 0..400 {
            scene.advance();
        }
        let [low, high] = bounds_of(scene.boxes());
        assert!((0..3).all(|i| low[i] > min[i] - 0.6 && high[i] < max[i] + 0.6));
    }
}
