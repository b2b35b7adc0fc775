//! Bumpy ground, and crates that are dropped on it.

use crate::{Rng, within};

/// The triangles of a square of `side` by `side` samples, one unit apart and centred on the origin, with bumps of 0.1
/// times `scale` whose slopes reach 4 degrees at a scale of 1. Counter-clockwise seen from above.
pub fn bumpy(side: usize, scale: f64) -> Vec<[[f32; 3]; 3]> {
    let sample = |i: usize, j: usize| {
        let [x, z] = [i, j].map(|i| i as f64 - 0.5 * side as f64);
        let y = 0.06 * (0.43 * x).sin() * (0.37 * z).cos() + 0.04 * (0.71 * x + 0.59 * z).sin();
        [x, scale * y, z].map(|x| x as f32)
    };
    let squares = (1..side).flat_map(|i| (1..side).map(move |j| (i, j)));
    let triangles = squares.flat_map(|(i, j)| {
        let [a, b, c, d] = [(i - 1, j - 1), (i - 1, j), (i, j - 1), (i, j)].map(|(i, j)| sample(i, j));
        [[a, b, c], [c, b, d]]
    });
    triangles.collect()
}

/// A dropped crate: its centre and a unit quaternion.
#[derive(Clone, Copy, Debug)]
pub struct Crate {
    /// Where it starts.
    pub center: [f32; 3],
    /// Its rotation.
    pub rotation: [f32; 4],
}

/// The half extents of every crate.
pub const CRATE_HALF_EXTENTS: [f32; 3] = [0.4, 0.5, 0.6];

/// `n` crates in a square grid 8 units apart, centred on the origin, 4 to 6 units above it.
pub fn crates(n: usize, seed: u64) -> Vec<Crate> {
    let mut rng = Rng::with_seed(seed ^ 0xb0b);
    let across = (n as f64).sqrt().ceil() as usize;
    let next = |i: usize| {
        let [x, z] = [i % across, i / across].map(|i| 8.0 * (i as f32 - 0.5 * (across - 1) as f32));
        let center = [x, within(&mut rng, 4.0, 6.0), z];
        let [a, b, c] = crate::direction(&mut rng).map(f64::from);
        // About a random axis, by up to about half a radian.
        let (sine, cosine) = (0.25 * rng.f64()).sin_cos();
        Crate { center, rotation: [a * sine, b * sine, c * sine, cosine].map(|x| x as f32) }
    };
    (0..n).map(next).collect()
}
