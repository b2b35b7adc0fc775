//! Two populations of boxes: one uniform, one a flat town.

use crate::{Rng, within};

/// The common bounds of a scene: min, max.
pub type Bounds = [[f32; 3]; 2];

/// `n` boxes with centres uniform in a cube of side `3·∛n` centred on the origin and half extents uniform in [0.2, 1].
pub fn uniform(n: usize, seed: u64) -> Vec<[[f32; 3]; 2]> {
    let mut rng = Rng::with_seed(seed);
    let reach = 1.5 * (n as f32).cbrt();
    let mut next = || {
        let center = [(); 3].map(|()| within(&mut rng, -reach, reach));
        let half = [(); 3].map(|()| within(&mut rng, 0.2, 1.0));
        around(center, half)
    };
    (0..n).map(|_| next()).collect()
}

/// A flat town of 40-unit blocks in a square, with y up and the ground at 0, cut off at exactly `n` boxes. A block is
/// one ground slab, nine buildings on a 3 × 3 grid and fifty pieces of clutter standing on the ground.
pub fn city(n: usize, seed: u64) -> Vec<[[f32; 3]; 2]> {
    const SIDE: f32 = 40.0;
    const BOXES: usize = 60;
    let mut rng = Rng::with_seed(seed);
    let across = (n.div_ceil(BOXES) as f64).sqrt().ceil() as usize;
    let mut boxes = Vec::with_capacity(n.next_multiple_of(BOXES));
    for block in 0..n.div_ceil(BOXES) {
        let [x, z] = [block % across, block / across].map(|i| (i as f32 + 0.5) * SIDE);
        boxes.push(around([x, -0.5, z], [20.0, 0.5, 20.0]));
        for place in 0..9 {
            let height = 3.0 + 40.0 * rng.f32().powi(4);
            let half = [within(&mut rng, 2.5, 4.5), height, within(&mut rng, 2.5, 4.5)];
            let [dx, dz] = [place % 3, place / 3].map(|i| (i as f32 - 1.0) * SIDE / 3.0);
            boxes.push(around([x + dx, height, z + dz], half));
        }
        for _ in 0..50 {
            let half = 0.1 + 1.5 * rng.f32().powi(3);
            let [dx, dz] = [(); 2].map(|()| within(&mut rng, -0.5 * SIDE, 0.5 * SIDE));
            boxes.push(around([x + dx, half, z + dz], [half; 3]));
        }
    }
    boxes.truncate(n);
    boxes
}

/// The smallest box around all boxes.
///
/// # Panics
/// If there are no boxes.
pub fn bounds_of(boxes: &[[[f32; 3]; 2]]) -> Bounds {
    let join = |a: Bounds, b: &Bounds| {
        let low = std::array::from_fn(|i| a[0][i].min(b[0][i]));
        [low, std::array::from_fn(|i| a[1][i].max(b[1][i]))]
    };
    let (first, rest) = boxes.split_first().expect("a scene has boxes");
    rest.iter().fold(*first, join)
}

pub(crate) fn around(center: [f32; 3], half: [f32; 3]) -> [[f32; 3]; 2] {
    let low = std::array::from_fn(|i| center[i] - half[i]);
    [low, std::array::from_fn(|i| center[i] + half[i])]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_depends_on_its_arguments_alone() {
        assert_eq!(uniform(100, 7), uniform(100, 7));
        assert_ne!(uniform(100, 7), uniform(100, 8));
        assert_eq!(city(1000, 7), city(1000, 7));
    }

    #[test]
    fn a_scene_has_exactly_the_boxes_asked_for() {
        for n in [0, 1, 59, 60, 61, 1000] {
            assert_eq!(uniform(n, 1).len(), n);
            assert_eq!(city(n, 1).len(), n);
        }
    }

    #[test]
    fn boxes_are_upright_and_of_the_promised_size() {
        for [min, max] in uniform(1000, 3) {
            assert!((0..3).all(|i| (0.39..2.01).contains(&(max[i] - min[i]))));
        }
        let [min, max] = bounds_of(&city(6000, 3));
        assert_eq!(min[1], -1.0);
        assert!((400.0..402.0).contains(&max[0]) && (400.0..402.0).contains(&max[2]));
        assert!(max[1] > 40.0 && max[1] <= 86.0);
    }

    #[test]
    fn all_clutter_stands_on_the_ground() {
        assert!(city(600, 3).iter().all(|[min, _]| min[1] == -1.0 || min[1] == 0.0));
    }
}
