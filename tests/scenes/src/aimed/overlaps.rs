//! Two boxes at rest; aimed ones touch.

use super::numbers::{Kind, narrowed, nudged, nudged3};
use super::paths::cross;
use super::planes::extent;
use crate::Rng;

/// Two axis-aligned boxes; aimed ones share a face, an edge or a corner.
pub fn aabb_aabb(rng: &mut Rng) -> ([[f32; 3]; 2], [[f32; 3]; 2]) {
    let kind = Kind::random(rng);
    let (a, mut b) = (kind.aabb(rng), kind.aabb(rng));
    if kind.aims_at().is_some() {
        for i in 0..3 {
            let size = b[1][i] - b[0][i];
            let touch = match rng.u32(0..3) {
                0 => nudged(rng, a[1][i]),
                1 => nudged(rng, a[0][i] - size),
                _ => b[0][i],
            };
            b[0][i] = touch;
            b[1][i] = (touch + size).max(touch);
        }
    }
    (a, b)
}

/// Two oriented boxes; aimed ones touch across one of the fifteen axes.
pub fn obb_obb(rng: &mut Rng) -> ([[f32; 3]; 4], [[f32; 3]; 4]) {
    let kind = Kind::random(rng);
    let (a, mut b) = (kind.obb(rng), kind.obb(rng));
    if kind.aims_at().is_some() {
        b[0] = beside(rng, a, b);
    }
    (a, b)
}

/// A centre for `b` that makes it touch `a` across a face normal of either or the cross product of two edges.
pub(super) fn beside(rng: &mut Rng, a: [[f32; 3]; 4], b: [[f32; 3]; 4]) -> [f32; 3] {
    let edges = |obb: [[f32; 3]; 4]| [1, 2, 3].map(|i| obb[i].map(f64::from));
    let (of_a, of_b) = (edges(a), edges(b));
    let (i, j) = (rng.usize(0..3), rng.usize(0..3));
    let axis = match rng.u32(0..3) {
        0 => cross(of_a[i], of_a[(i + 1) % 3]),
        1 => cross(of_b[i], of_b[(i + 1) % 3]),
        _ => cross(of_a[i], of_b[j]),
    };
    let square: f64 = axis.iter().map(|x| x * x).sum();
    if square < 1e-60 {
        return nudged3(rng, b[0]);
    }
    let ((start, ra), (_, rb)) = (extent(a, axis), extent(b, axis));
    // Slide along the touching faces a little, but stay opposite each other.
    let aside: [f64; 3] = std::array::from_fn(|k| f64::from(a[0][k]) + 0.3 * rng.f64() * (of_a[i][k] + of_b[j][k]));
    let at: f64 = (0..3).map(|k| axis[k] * aside[k]).sum();
    let lift = (start + ra + rb - at) / square;
    nudged3(rng, narrowed(std::array::from_fn(|k| aside[k] + lift * axis[k])))
}
