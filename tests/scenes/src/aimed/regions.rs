//! Frusta, given as six inward planes, against volumes; aimed volumes touch a plane, an edge or a corner of the region.

use super::numbers::{Kind, LIMIT, narrowed, nudged, nudged3};
use crate::{Camera, Rng, orientation, turned_box, within};

type Planes = [[f32; 4]; 6];

/// A frustum and a point.
pub fn frustum_point(rng: &mut Rng) -> (Planes, [f32; 3]) {
    let (planes, target, _) = region(rng);
    (planes, nudged3(rng, target))
}

/// A frustum and an axis-aligned box, which often has a corner at the region's border.
pub fn frustum_aabb(rng: &mut Rng) -> (Planes, [[f32; 3]; 2]) {
    let (planes, target, scale) = region(rng);
    let target = nudged3(rng, target);
    let size = sizes(rng, scale);
    let aabb = std::array::from_fn(|side| {
        std::array::from_fn(|i| {
            let reach = if side == 0 { -size[i].0 } else { size[i].1 };
            (target[i] + reach).clamp(-LIMIT, LIMIT)
        })
    });
    (planes, aabb)
}

/// A frustum and an oriented box, which often has a corner, an edge or a face at the region's border.
pub fn frustum_obb(rng: &mut Rng) -> (Planes, [[f32; 3]; 4]) {
    let (planes, target, scale) = region(rng);
    let half = sizes(rng, scale).map(|(low, high)| low.max(high));
    let mut obb = turned_box(rng, [0.0; 3], half);
    let corner = super::paths::on_obb(rng, obb);
    let center = std::array::from_fn(|i| f64::from(target[i]) - corner[i]);
    obb[0] = nudged3(rng, narrowed(center));
    (planes, obb)
}

/// A frustum and a sphere, which often touches a plane from one side.
pub fn frustum_sphere(rng: &mut Rng) -> (Planes, [f32; 4]) {
    let (planes, target, scale) = region(rng);
    let radius = sizes(rng, scale)[0].1;
    let [a, b, c, _] = planes[rng.usize(0..6)].map(f64::from);
    let side = if rng.bool() { 1.0 } else { -1.0 };
    let lift = side * f64::from(radius);
    let center = [(a, target[0]), (b, target[1]), (c, target[2])].map(|(n, at)| f64::from(at) + lift * n);
    let [x, y, z] = nudged3(rng, narrowed(center));
    (planes, [x, y, z, nudged(rng, radius).max(0.0)])
}

/// How far a box reaches to either side of the target, along each axis: mostly to one side only.
fn sizes(rng: &mut Rng, scale: f32) -> [(f32, f32); 3] {
    let scale = scale * [0.01, 0.3, 1.0, 4.0][rng.usize(0..4)];
    [(); 3].map(|()| {
        let size = if rng.u32(0..12) == 0 { 0.0 } else { within(rng, 0.0, scale) };
        match rng.u32(0..3) {
            0 => (size, 0.0),
            1 => (0.0, size),
            _ => (size, size),
        }
    })
}

/// Planes, a point at or near the region's border, and the scale of things there.
fn region(rng: &mut Rng) -> (Planes, [f32; 3], f32) {
    match rng.u32(0..10) {
        0..2 => grid(rng),
        2 => {
            // Six arbitrary half-spaces, whose region may be open, empty or bounded.
            let kind = Kind::random(rng);
            let planes = [(); 6].map(|()| {
                let [x, y, z] = kind.normal(rng);
                [x, y, z, kind.number(rng)]
            });
            let target = kind.point(rng);
            let scale = target.iter().fold(1.0, |a: f32, x| a.max(x.abs())).min(1e8);
            (planes, target, scale)
        }
        _ => camera(rng),
    }
}

fn grid(rng: &mut Rng) -> (Planes, [f32; 3], f32) {
    let [low, high] = [-1, 1].map(|sign| [(); 3].map(|()| (sign * rng.i32(0..4)) as f32));
    let planes = std::array::from_fn(|i| {
        let (axis, sign) = (i / 2, if i % 2 == 0 { 1.0 } else { -1.0 });
        let mut plane = [0.0; 4];
        plane[axis] = sign;
        plane[3] = if i % 2 == 0 { -low[axis] } else { high[axis] };
        plane
    });
    (planes, [(); 3].map(|()| rng.i32(-4..=4) as f32), 4.0)
}

fn camera(rng: &mut Rng) -> (Planes, [f32; 3], f32) {
    let scale = [0.1, 10.0, 10.0, 1e3, 1e5][rng.usize(0..5)];
    let [forward, up, _] = orientation(rng).map(|axis| axis.map(|x| x as f32));
    let camera = Camera {
        position: [(); 3].map(|()| within(rng, -scale, scale)),
        forward,
        up,
        fov_y: within(rng, 0.3, 2.2),
        aspect: within(rng, 0.5, 2.5),
        near: scale * within(rng, 0.001, 0.2),
        far: scale * within(rng, 0.5, 5.0),
    };
    // A point of the region's box of coordinates, with some coordinates at an end: on a plane, an edge or a corner.
    let end = |rng: &mut Rng| match rng.u32(0..3) {
        0 => -1.0,
        1 => 1.0,
        _ => 2.4 * rng.f64() - 1.2,
    };
    let (x, y, z) = (end(rng), end(rng), 0.5 + 0.5 * end(rng));
    let depth = f64::from(camera.near) + z * f64::from(camera.far - camera.near);
    let half_height = depth * f64::from(camera.fov_y * 0.5).tan();
    let half_width = half_height * f64::from(camera.aspect);
    let target = std::array::from_fn(|i| {
        let sideways = x * half_width * f64::from(camera.right()[i]) + y * half_height * f64::from(camera.up[i]);
        f64::from(camera.position[i]) + depth * f64::from(camera.forward[i]) + sideways
    });
    (camera.planes(), narrowed(target), scale)
}
