//! A landscape: noise at several scales, each half as wide and about half as high as the one before.

use crate::{Rng, Surface, within};

/// The width of the largest features, in samples.
const WIDEST: usize = 128;

/// The height of a feature relative to its width.
const STEEPNESS: f32 = 0.3;

/// `side` by `side` heights of a landscape, row after row of equal z; slopes reach about 45 degrees if samples are one
/// unit apart.
///
/// Each scale is a lattice of random heights with smooth steps between them: Perlin, "An Image Synthesizer", 1985,
/// section "Noise", with values in place of gradients.
pub fn fractal(side: usize, seed: u64) -> Vec<f32> {
    let mut rng = Rng::with_seed(seed ^ 0xf2ac);
    let mut heights = vec![0.0; side * side];
    let mut width = WIDEST;
    while width >= 2 {
        let across = side.div_ceil(width) + 1;
        let height = STEEPNESS * width as f32;
        let lattice: Vec<f32> = (0..across * across).map(|_| within(&mut rng, -height, height)).collect();
        let share = |i: usize| {
            let x = (i % width) as f32 / width as f32;
            x * x * (3.0 - 2.0 * x)
        };
        for (i, sample) in heights.iter_mut().enumerate() {
            let (row, column) = (i / side, i % side);
            let at = row / width * across + column / width;
            let mix = |a: f32, b: f32, share: f32| a + (b - a) * share;
            let along = |at: usize| mix(lattice[at], lattice[at + 1], share(column));
            *sample += mix(along(at), along(at + across), share(row));
        }
        width /= 2;
    }
    heights
}

/// The surface over a square of `side` by `side` heights, one unit apart and centred on the origin: two triangles per
/// cell, split along the diagonal from its corner of larger z to that of larger x, facing up.
pub fn grid(heights: &[f32], side: usize) -> Surface {
    let middle = 0.5 * (side as f32 - 1.0);
    let place = |(i, &y): (usize, &f32)| [(i % side) as f32 - middle, y, (i / side) as f32 - middle];
    let corner = |row: usize, column: usize| (row * side + column) as u32;
    let cells = (1..side).flat_map(|row| (1..side).map(move |column| (row, column)));
    let halves = |(row, column): (usize, usize)| {
        let [a, b] = [corner(row - 1, column - 1), corner(row - 1, column)];
        let [c, d] = [corner(row, column - 1), corner(row, column)];
        [[a, c, b], [c, d, b]]
    };
    Surface { vertices: heights.iter().enumerate().map(place).collect(), triangles: cells.flat_map(halves).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_landscape_is_rough_but_steps_are_small() {
        let (side, heights) = (300, fractal(300, 1));
        let [low, high] = [f32::min, f32::max].map(|pick| heights.iter().copied().reduce(pick).expect("a sample"));
        assert!(high - low > 30.0, "{low} {high}");
        let steps = heights.windows(2).enumerate().filter(|(i, _)| (i + 1) % side != 0);
        let (count, sum) = steps.fold((0, 0.0), |(count, sum), (_, pair)| (count + 1, sum + (pair[1] - pair[0]).abs()));
        assert!((0.2..1.0).contains(&(sum / count as f32)), "{}", sum / count as f32);
        assert_ne!(heights, fractal(300, 2));
    }

    #[test]
    fn a_grid_has_two_triangles_a_cell_that_face_up() {
        let surface = grid(&fractal(9, 1), 9);
        assert_eq!((surface.vertices.len(), surface.triangles.len()), (81, 128));
        assert_eq!((surface.vertices[0][0], surface.vertices[80][2]), (-4.0, 4.0));
        let area = |[a, b, c]: [[f32; 3]; 3]| (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]);
        assert!(surface.corners().all(|corners| area(corners) == 1.0));
    }
}
