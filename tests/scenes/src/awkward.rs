//! Populations of boxes that are hard for trees: ties, coincidence, nesting, and numbers of every size.

use crate::{Rng, aimed, town::around, within};

type Boxes = Vec<[[f32; 3]; 2]>;

/// Boxes with integer corners from −4 to 4, flat ones and points among them; they share most of their faces.
pub fn grid(n: usize, seed: u64) -> Boxes {
    let mut rng = Rng::with_seed(seed);
    let mut next = || {
        let (a, b) = ([(); 3].map(|()| rng.i32(-4..=4)), [(); 3].map(|()| rng.i32(-4..=4)));
        [0, 1].map(|end| std::array::from_fn(|i| if end == 0 { a[i].min(b[i]) } else { a[i].max(b[i]) } as f32))
    };
    (0..n).map(|_| next()).collect()
}

/// A floor of zero thickness at y = 0: unit tiles side by side, in the largest square that `n` allows.
pub fn tiles(n: usize) -> Boxes {
    let across = (n as f64).sqrt().ceil() as usize;
    let tile = |i: usize| {
        let (x, z) = ((i % across.max(1)) as f32, (i / across.max(1)) as f32);
        [[x, 0.0, z], [x + 1.0, 0.0, z + 1.0]]
    };
    (0..n).map(tile).collect()
}

/// Boxes nested like Russian dolls, the smallest first.
pub fn dolls(n: usize) -> Boxes {
    (1..=n).map(|i| around([2.0, 3.0, 5.0], [0.5, 0.75, 1.25].map(|half| half * i as f32))).collect()
}

/// The same 2 × 3 × 5 box, repeated.
pub fn identical(n: usize) -> Boxes {
    vec![[[-1.0, 1.0, 2.0], [1.0, 4.0, 7.0]]; n]
}

/// Sizes and places over fourteen orders of magnitude.
pub fn mixed(n: usize, seed: u64) -> Boxes {
    let mut rng = Rng::with_seed(seed);
    let mut next = || {
        let scale = 10f32.powi(rng.i32(-6..=8));
        let center = [(); 3].map(|()| within(&mut rng, -scale, scale));
        let half = [(); 3].map(|()| 10f32.powi(rng.i32(-6..=8)) * rng.f32());
        around(center, half)
    };
    (0..n).map(|_| next()).collect()
}

/// Boxes in a row along x, in order, each touching the next.
pub fn line(n: usize) -> Boxes {
    (0..n).map(|i| [[2.0 * i as f32, 0.0, 0.0], [2.0 * (i + 1) as f32, 3.0, 5.0]]).collect()
}

/// Corners of random bit patterns, at most 2^30 in magnitude; subnormals among them.
pub fn patterns(n: usize, seed: u64) -> Boxes {
    let mut rng = Rng::with_seed(seed);
    let mut next = || {
        let (a, b) = ([(); 3].map(|()| aimed::bits(&mut rng)), [(); 3].map(|()| aimed::bits(&mut rng)));
        let low = std::array::from_fn(|i| a[i].min(b[i]));
        [low, std::array::from_fn(|i| a[i].max(b[i]))]
    };
    (0..n).map(|_| next()).collect()
}

/// Boxes within a few 2^-130 of the origin: distances between them underflow.
pub fn tiny(n: usize, seed: u64) -> Boxes {
    let mut rng = Rng::with_seed(seed);
    let mut next = || {
        let mut corner = || [(); 3].map(|()| f32::from_bits(rng.u32(0..1 << 20)) * if rng.bool() { 1.0 } else { -1.0 });
        let (a, b) = (corner(), corner());
        let low = std::array::from_fn(|i| a[i].min(b[i]));
        [low, std::array::from_fn(|i| a[i].max(b[i]))]
    };
    (0..n).map(|_| next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_box_is_inverted_or_out_of_range() {
        let scenes =
            [grid(99, 1), tiles(99), dolls(99), identical(99), mixed(99, 1), line(99), patterns(99, 1), tiny(99, 1)];
        for [min, max] in scenes.into_iter().flat_map(|scene| {
            assert_eq!(scene.len(), 99);
            scene
        }) {
            assert!((0..3).all(|i| min[i] <= max[i] && min[i].abs().max(max[i].abs()) <= 2f32.powi(30)));
        }
    }

    #[test]
    fn each_doll_lies_within_the_next() {
        for pair in dolls(99).windows(2) {
            assert!((0..3).all(|i| pair[1][0][i] < pair[0][0][i] && pair[0][1][i] < pair[1][1][i]));
        }
    }
}
