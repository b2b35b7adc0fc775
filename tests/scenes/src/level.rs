//! Bodies in a level, thrown from where the entities of the level are.

use crate::{Rng, direction, turned_box, within};

/// A moving box. It starts where an entity of the level is; nothing guarantees that the place is free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thrown {
    /// Centre and half edges.
    pub obb: [[f32; 3]; 4],
    /// Units per second.
    pub velocity: [f32; 3],
    /// Radians per second, along the axis.
    pub spin: [f32; 3],
}

/// `count` boxes, thrown in random directions from `spots` in turn: 6 to 20 units along each edge, about as much as
/// they move in a step.
pub fn thrown(spots: &[[f32; 3]], count: usize, seed: u64) -> Vec<Thrown> {
    let mut rng = Rng::with_seed(seed);
    let mut scaled = |low: f32, high: f32| {
        let length = within(&mut rng, low, high);
        direction(&mut rng).map(|x| x * length)
    };
    let motions: Vec<_> = (0..count).map(|_| [scaled(60.0, 600.0), scaled(0.0, 6.0)]).collect();
    let body = |(i, [velocity, spin]): (usize, [[f32; 3]; 2])| {
        let half_extents = [(); 3].map(|()| within(&mut rng, 3.0, 10.0));
        Thrown { obb: turned_box(&mut rng, spots[i % spots.len()], half_extents), velocity, spin }
    };
    motions.into_iter().enumerate().map(body).collect()
}
