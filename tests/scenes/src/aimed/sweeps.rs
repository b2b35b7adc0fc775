//! Moving boxes; aimed ones touch at the start or the end of their motion, or graze on the way.

use super::numbers::{Kind, narrowed, nudged, nudged3};
use super::overlaps::beside;
use super::paths::{on_surface, toward};
use super::planes::extent;
use crate::Rng;

/// An oriented box, its motion and a plane.
pub fn sweep_obb_plane(rng: &mut Rng) -> ([[f32; 3]; 4], [f32; 3], [f32; 4]) {
    let kind = Kind::random(rng);
    let (obb, delta, normal) = (kind.obb(rng), kind.point(rng), kind.normal(rng));
    let [x, y, z] = normal;
    let exact_grid = kind == Kind::Grid && rng.bool();
    if kind.aims_at().is_none() && !exact_grid {
        return (obb, delta, [x, y, z, kind.number(rng)]);
    }
    let normal = normal.map(f64::from);
    let (middle, radius) = extent(obb, normal);
    let rise: f64 = (0..3).map(|i| normal[i] * f64::from(delta[i])).sum();
    let (motion, lift) = match rng.u32(0..4) {
        0 => (delta, 0.0),
        1 | 2 => (delta, rise),
        _ => {
            let square: f64 = normal.iter().map(|x| x * x).sum();
            let up = rise / square.max(f64::MIN_POSITIVE);
            (narrowed(std::array::from_fn(|i| f64::from(delta[i]) - up * normal[i])), 0.0)
        }
    };
    let side = if rng.u32(0..3) == 0 { -1.0 } else { 1.0 };
    let d = (side * radius - middle - lift) as f32;
    if exact_grid {
        return (obb, delta, [x, y, z, d]);
    }
    (obb, nudged3(rng, motion), [x, y, z, nudged(rng, d)])
}

/// An axis-aligned box, its motion and another box at rest.
pub fn sweep_aabb_aabb(rng: &mut Rng) -> ([[f32; 3]; 2], [f32; 3], [[f32; 3]; 2]) {
    let kind = Kind::random(rng);
    let (moving, still) = (kind.aabb(rng), kind.aabb(rng));
    let sum = [std::array::from_fn(|i| still[0][i] - (moving[1][i] - moving[0][i])), still[1]];
    if kind.aims_at().is_some() {
        // The lower corner is a point moving towards the sum of both boxes.
        let target = on_surface(rng, sum);
        let [_, delta] = toward(rng, moving[0], target);
        return (moving, delta, still);
    }
    let delta = match rng.u32(0..3) {
        0 => {
            let axis = rng.usize(0..3);
            let along = kind.number(rng);
            std::array::from_fn(|i| if i == axis { along } else { 0.0 })
        }
        _ => kind.point(rng),
    };
    (moving, delta, still)
}

/// An oriented box, its motion and another box at rest.
pub fn sweep_obb_obb(rng: &mut Rng) -> ([[f32; 3]; 4], [f32; 3], [[f32; 3]; 4]) {
    let kind = Kind::random(rng);
    let (mut moving, still) = (kind.obb(rng), kind.obb(rng));
    if kind.aims_at().is_none() {
        let delta = kind.point(rng);
        return (moving, delta, still);
    }
    let touching = beside(rng, still, moving);
    if rng.u32(0..3) == 0 {
        moving[0] = touching;
        return (moving, kind.point(rng), still);
    }
    let [start, delta] = toward(rng, moving[0], touching);
    moving[0] = start;
    (moving, delta, still)
}
