//! Paths, given as start and delta, against one shape each.

use super::numbers::{Kind, narrowed, nudged, nudged3};
use crate::{Rng, direction};

type Path = [[f32; 3]; 2];

/// A path against an axis-aligned box; aimed ones at a corner, an edge or a face.
pub fn path_aabb(rng: &mut Rng) -> (Path, [[f32; 3]; 2]) {
    let kind = Kind::random(rng);
    let aabb = kind.aabb(rng);
    let start = kind.point(rng);
    let path = match kind.aims_at() {
        Some(_) => {
            let target = on_surface(rng, aabb);
            toward(rng, start, target)
        }
        None => anywhere(rng, kind, start, aabb),
    };
    (path, aabb)
}

/// A path against an oriented box; aimed ones at a corner, an edge or a face.
pub fn path_obb(rng: &mut Rng) -> (Path, [[f32; 3]; 4]) {
    let kind = Kind::random(rng);
    let obb = kind.obb(rng);
    let start = kind.point(rng);
    let path = match kind.aims_at() {
        Some(_) => {
            let target = narrowed(on_obb(rng, obb));
            toward(rng, start, target)
        }
        None => [start, motion(rng, kind, start, obb[0])],
    };
    (path, obb)
}

/// A path against a sphere; aimed ones along a tangent.
pub fn path_sphere(rng: &mut Rng) -> (Path, [f32; 4]) {
    let kind = Kind::random(rng);
    let sphere = kind.sphere(rng);
    let start = kind.point(rng);
    let center = [sphere[0], sphere[1], sphere[2]];
    let path = match kind.aims_at() {
        Some(_) => {
            // Through a point of the sphere at right angles to the way to the centre: a tangent from far away.
            let to_center: [f64; 3] = std::array::from_fn(|i| f64::from(center[i]) - f64::from(start[i]));
            let across = cross(to_center, direction(rng).map(f64::from));
            let length = across.iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
            let target = std::array::from_fn(|i| f64::from(center[i]) + across[i] / length * f64::from(sphere[3]));
            toward(rng, start, narrowed(target))
        }
        None => [start, motion(rng, kind, start, center)],
    };
    (path, sphere)
}

/// A path against a plane; aimed ones end, start or run on it.
pub fn path_plane(rng: &mut Rng) -> (Path, [f32; 4]) {
    let kind = Kind::random(rng);
    let [x, y, z] = kind.normal(rng);
    let (start, delta) = (kind.point(rng), kind.point(rng));
    if kind.aims_at().is_none() {
        return ([start, delta], [x, y, z, kind.number(rng)]);
    }
    let normal = [x, y, z].map(f64::from);
    let dot = |v: [f32; 3]| (0..3).map(|i| normal[i] * f64::from(v[i])).sum::<f64>();
    let square: f64 = normal.iter().map(|x| x * x).sum();
    let (end, along) = match rng.u32(0..3) {
        0 => (dot(start) + dot(delta), delta),
        1 => (dot(start), delta),
        // The part of the motion along the plane, started on the plane or near it.
        _ => {
            let rise = dot(delta) / square.max(f64::MIN_POSITIVE);
            (dot(start), narrowed(std::array::from_fn(|i| f64::from(delta[i]) - rise * normal[i])))
        }
    };
    let d = (-end).clamp(-1e9, 1e9) as f32;
    ([start, nudged3(rng, along)], [x, y, z, nudged(rng, d)])
}

/// From `start` to about the target, ending there, before it or beyond it, nudged.
pub(super) fn toward(rng: &mut Rng, start: [f32; 3], target: [f32; 3]) -> Path {
    let stretch = [1.0, 1.0, 2.0, 0.5, 3.7][rng.usize(0..5)];
    let delta = std::array::from_fn(|i| (target[i] - start[i]) * stretch);
    [nudged3(rng, start), nudged3(rng, delta)]
}

/// A motion that is sometimes along an axis, sometimes toward a place, sometimes anything.
fn motion(rng: &mut Rng, kind: Kind, start: [f32; 3], place: [f32; 3]) -> [f32; 3] {
    match rng.u32(0..4) {
        0 => {
            let axis = rng.usize(0..3);
            let zero = if rng.bool() { 0.0 } else { -0.0 };
            let along = kind.number(rng);
            std::array::from_fn(|i| if i == axis { along } else { zero })
        }
        1 => std::array::from_fn(|i| place[i] * 0.5 - start[i] * 0.5),
        _ => kind.point(rng),
    }
}

fn anywhere(rng: &mut Rng, kind: Kind, start: [f32; 3], aabb: [[f32; 3]; 2]) -> Path {
    // Starts in line with a face produce the ties of axis-parallel motions.
    let start = std::array::from_fn(|i| match rng.u32(0..4) {
        0 => aabb[rng.usize(0..2)][i],
        _ => start[i],
    });
    let place = on_surface(rng, aabb);
    [start, motion(rng, kind, start, place)]
}

/// A corner, or a point on an edge or a face.
pub(super) fn on_surface(rng: &mut Rng, [min, max]: [[f32; 3]; 2]) -> [f32; 3] {
    let bound = rng.usize(0..3);
    std::array::from_fn(|i| match rng.u32(0..3) {
        0 => min[i],
        1 => max[i],
        _ if i == bound => max[i],
        _ => (min[i] + rng.f32() * (max[i] - min[i])).clamp(min[i], max[i]),
    })
}

/// A corner of an oriented box, or a point on an edge or a face.
pub(super) fn on_obb(rng: &mut Rng, obb: [[f32; 3]; 4]) -> [f64; 3] {
    let bound = rng.usize(0..3);
    let factors: [f64; 3] = std::array::from_fn(|i| match rng.u32(0..3) {
        0 => -1.0,
        1 => 1.0,
        _ if i == bound => 1.0,
        _ => 2.0 * rng.f64() - 1.0,
    });
    std::array::from_fn(|j| {
        let edges: f64 = (0..3).map(|i| factors[i] * f64::from(obb[i + 1][j])).sum();
        f64::from(obb[0][j]) + edges
    })
}

pub(super) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - a[k] * b[j]
    })
}
