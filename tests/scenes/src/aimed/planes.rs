//! Planes against volumes at rest; aimed planes touch the nearest or the farthest point, or pass through the centre.

use super::numbers::{Kind, nudged};
use crate::Rng;

/// A plane and an axis-aligned box.
pub fn plane_aabb(rng: &mut Rng) -> ([f32; 4], [[f32; 3]; 2]) {
    let kind = Kind::random(rng);
    let aabb = kind.aabb(rng);
    let plane = touching(rng, kind, |normal| {
        let (mut middle, mut radius) = (0.0, 0.0);
        for i in 0..3 {
            let [low, high] = [aabb[0][i], aabb[1][i]].map(f64::from);
            middle += normal[i] * (low + high) * 0.5;
            radius += normal[i].abs() * (high - low) * 0.5;
        }
        (middle, radius)
    });
    (plane, aabb)
}

/// A plane and an oriented box.
pub fn plane_obb(rng: &mut Rng) -> ([f32; 4], [[f32; 3]; 4]) {
    let kind = Kind::random(rng);
    let obb = kind.obb(rng);
    (touching(rng, kind, |normal| extent(obb, normal)), obb)
}

/// A plane and a sphere.
pub fn plane_sphere(rng: &mut Rng) -> ([f32; 4], [f32; 4]) {
    let kind = Kind::random(rng);
    let sphere = kind.sphere(rng);
    let plane = touching(rng, kind, |normal| {
        let length = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
        let middle = (0..3).map(|i| normal[i] * f64::from(sphere[i])).sum();
        (middle, length * f64::from(sphere[3]))
    });
    (plane, sphere)
}

/// A plane that touches a volume of the given middle and radius along its normal, if the kind is aimed.
fn touching(rng: &mut Rng, kind: Kind, extent: impl Fn([f64; 3]) -> (f64, f64)) -> [f32; 4] {
    let [x, y, z] = kind.normal(rng);
    let (middle, radius) = extent([x, y, z].map(f64::from));
    let exact_grid = kind == Kind::Grid && rng.bool();
    if kind.aims_at().is_none() && !exact_grid {
        return [x, y, z, kind.number(rng)];
    }
    let at = middle + [radius, -radius, 0.0][rng.usize(0..3)];
    let d = -at as f32;
    [x, y, z, if exact_grid { d } else { nudged(rng, d) }]
}

/// The height of an oriented box's centre along a normal, and its radius there.
pub(super) fn extent(obb: [[f32; 3]; 4], normal: [f64; 3]) -> (f64, f64) {
    let dot = |v: [f32; 3]| (0..3).map(|i| normal[i] * f64::from(v[i])).sum::<f64>();
    (dot(obb[0]), obb[1..].iter().map(|&edge| dot(edge).abs()).sum())
}
