//! Queries within a scene's bounds: rays, overlaps, cameras and sweeps.

use crate::{Bounds, Rng, direction, turned_box, within};

/// A pinhole camera, x to the right and y up on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Its position.
    pub position: [f32; 3],
    /// The view direction; a unit vector.
    pub forward: [f32; 3],
    /// The top of the screen, orthogonal to `forward`; a unit vector.
    pub up: [f32; 3],
    /// The full vertical field of view, in radians.
    pub fov_y: f32,
    /// Width divided by height.
    pub aspect: f32,
    /// Distance to the near plane.
    pub near: f32,
    /// Distance to the far plane.
    pub far: f32,
}

impl Camera {
    /// The right of the screen; a unit vector.
    pub fn right(&self) -> [f32; 3] {
        cross(self.forward, self.up)
    }

    /// The six planes, facing inward, in the order left, right, bottom, top, near, far; of unit length up to rounding.
    pub fn planes(&self) -> [[f32; 4]; 6] {
        let wide = |v: [f32; 3]| v.map(f64::from);
        let (eye, forward, up, right) = (wide(self.position), wide(self.forward), wide(self.up), wide(self.right()));
        let half_height = (f64::from(self.fov_y) * 0.5).tan();
        let half_width = half_height * f64::from(self.aspect);
        // A side plane contains the eye and leans inward from the view axis.
        let side = |axis: [f64; 3], half: f64| {
            let length = (1.0 + half * half).sqrt();
            let normal: [f64; 3] = std::array::from_fn(|i| (axis[i] + half * forward[i]) / length);
            plane_through(normal, eye)
        };
        let across = |sign: f64, distance: f32| {
            let at = std::array::from_fn(|i| eye[i] + forward[i] * f64::from(distance));
            plane_through(forward.map(|x| sign * x), at)
        };
        [
            side(right, half_width),
            side(right.map(|x| -x), half_width),
            side(up, half_height),
            side(up.map(|x| -x), half_height),
            across(1.0, self.near),
            across(-1.0, self.far),
        ]
    }
}

fn plane_through(normal: [f64; 3], point: [f64; 3]) -> [f32; 4] {
    let d: f64 = (0..3).map(|i| -normal[i] * point[i]).sum();
    [normal[0] as f32, normal[1] as f32, normal[2] as f32, d as f32]
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - a[k] * b[j]
    })
}

fn center_of([min, max]: Bounds) -> [f32; 3] {
    std::array::from_fn(|i| 0.5 * min[i] + 0.5 * max[i])
}

fn point_in(rng: &mut Rng, [min, max]: Bounds) -> [f32; 3] {
    std::array::from_fn(|i| within(rng, min[i], max[i]))
}

/// The vertical field of view of the frusta and of the camera's picture.
const FOV_Y: f32 = 57.0 * std::f32::consts::PI / 180.0;

/// 320 × 180 primary rays as origin and unit direction, scanline by scanline from the top left, from the largest
/// corner of the bounds towards their centre; y is up.
pub fn camera_rays(bounds: Bounds) -> Vec<[[f32; 3]; 2]> {
    const WIDTH: usize = 320;
    const HEIGHT: usize = 180;
    let (eye, center) = (bounds[1], center_of(bounds));
    let forward = unit(std::array::from_fn(|i| center[i] - eye[i]));
    let right = unit(cross(forward, [0.0, 1.0, 0.0]));
    let up = cross(right, forward);
    let half_height = (FOV_Y * 0.5).tan();
    let half_width = half_height * WIDTH as f32 / HEIGHT as f32;
    let ray = |pixel: usize| {
        let x = half_width * (2.0 * ((pixel % WIDTH) as f32 + 0.5) / WIDTH as f32 - 1.0);
        let y = half_height * (1.0 - 2.0 * ((pixel / WIDTH) as f32 + 0.5) / HEIGHT as f32);
        [eye, unit(std::array::from_fn(|i| forward[i] + x * right[i] + y * up[i]))]
    };
    (0..WIDTH * HEIGHT).map(ray).collect()
}

fn unit(v: [f32; 3]) -> [f32; 3] {
    let length = v.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    v.map(|x| (f64::from(x) / length) as f32)
}

/// Segments between random points of the bounds.
pub fn long_segments(bounds: Bounds, count: usize, seed: u64) -> Vec<[[f32; 3]; 2]> {
    let mut rng = Rng::with_seed(seed ^ 1);
    let mut next = || {
        let (start, end) = (point_in(&mut rng, bounds), point_in(&mut rng, bounds));
        [start, std::array::from_fn(|i| end[i] - start[i])]
    };
    (0..count).map(|_| next()).collect()
}

/// Segments of up to ±6 units a coordinate from random points of the bounds.
pub fn short_segments(bounds: Bounds, count: usize, seed: u64) -> Vec<[[f32; 3]; 2]> {
    let mut rng = Rng::with_seed(seed ^ 2);
    let mut next = || [point_in(&mut rng, bounds), [(); 3].map(|()| within(&mut rng, -6.0, 6.0))];
    (0..count).map(|_| next()).collect()
}

/// Boxes of half size 2 at random places of the bounds.
pub fn overlap_boxes(bounds: Bounds, count: usize, seed: u64) -> Vec<[[f32; 3]; 2]> {
    let mut rng = Rng::with_seed(seed ^ 3);
    (0..count).map(|_| crate::town::around(point_in(&mut rng, bounds), [2.0; 3])).collect()
}

/// Sixteen cameras at the centre of the bounds, level, at steps of 22.5°; the vertical field of view is 57°, the aspect
/// ratio 16:9, and the far plane at 0.35 of the largest extent.
pub fn cull_cameras(bounds: Bounds) -> [Camera; 16] {
    let extent = (0..3).map(|i| bounds[1][i] - bounds[0][i]).fold(0.0, f32::max);
    std::array::from_fn(|i| {
        let angle = i as f64 * std::f64::consts::TAU / 16.0;
        Camera {
            position: center_of(bounds),
            forward: [angle.sin() as f32, 0.0, -angle.cos() as f32],
            up: [0.0, 1.0, 0.0],
            fov_y: FOV_Y,
            aspect: 16.0 / 9.0,
            near: 0.1,
            far: 0.35 * extent,
        }
    })
}

/// An oriented box moving against a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxSweep {
    /// Center and three half edges at the start.
    pub obb: [[f32; 3]; 4],
    /// The motion over the step.
    pub delta: [f32; 3],
    /// Unit normal (up to rounding) and `d`.
    pub plane: [f32; 4],
}

/// Oriented boxes of half extents 0.1 to 2 within ±10, moving 1 to 30 units, each toward the front of its own random
/// plane 0 to 20 units behind the origin; three in ten hit it, and one in thirteen overlaps it from the start.
pub fn plane_sweeps(count: usize, seed: u64) -> Vec<BoxSweep> {
    let mut rng = Rng::with_seed(seed ^ 4);
    let mut next = || {
        let center = [(); 3].map(|()| within(&mut rng, -10.0, 10.0));
        let half = [(); 3].map(|()| within(&mut rng, 0.1, 2.0));
        let obb = turned_box(&mut rng, center, half);
        let normal = direction(&mut rng);
        let way = direction(&mut rng);
        let away = (0..3).map(|i| way[i] * normal[i]).sum::<f32>() > 0.0;
        let distance = within(&mut rng, 1.0, 30.0);
        let [x, y, z] = normal;
        BoxSweep {
            obb,
            delta: way.map(|x| if away { -distance * x } else { distance * x }),
            plane: [x, y, z, within(&mut rng, 0.0, 20.0)],
        }
    };
    (0..count).map(|_| next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = [[-2.0, -3.0, -5.0], [2.0, 3.0, 5.0]];

    fn height(plane: [f32; 4], point: [f32; 3]) -> f32 {
        (0..3).map(|i| plane[i] * point[i]).sum::<f32>() + plane[3]
    }

    #[test]
    fn camera_rays_look_from_the_corner_at_the_centre() {
        let rays = camera_rays(BOUNDS);
        assert_eq!(rays.len(), 320 * 180);
        assert!(rays.iter().all(|ray| ray[0] == BOUNDS[1]));
        let middle = rays[90 * 320 + 160][1];
        let toward = unit([-2.0, -3.0, -5.0]);
        assert!((0..3).map(|i| middle[i] * toward[i]).sum::<f32>() > 0.9999);
        assert!(rays[0][1][1] > rays[179 * 320][1][1], "the first line is the top one");
    }

    #[test]
    fn a_camera_sees_what_is_before_it_between_near_and_far() {
        for camera in cull_cameras(BOUNDS) {
            let at = |distance: f32| std::array::from_fn(|i| camera.position[i] + distance * camera.forward[i]);
            assert!(camera.planes().iter().all(|&plane| height(plane, at(0.5 * camera.far)) > 0.0));
            assert!(camera.planes().iter().any(|&plane| height(plane, at(-1.0)) < 0.0));
            assert!(height(camera.planes()[5], at(1.01 * camera.far)) < 0.0);
        }
    }

    #[test]
    fn segments_start_inside_and_stay_within_their_reach() {
        for [start, delta] in long_segments(BOUNDS, 500, 1) {
            assert!(
                (0..3).all(|i| start[i].abs() <= BOUNDS[1][i] && (start[i] + delta[i]).abs() <= 1.001 * BOUNDS[1][i])
            );
        }
        assert!(short_segments(BOUNDS, 500, 1).iter().flat_map(|s| s[1]).all(|x| x.abs() <= 6.0));
        assert!(overlap_boxes(BOUNDS, 500, 1).iter().all(|[min, max]| max[1] - min[1] > 3.999));
    }

    #[test]
    fn sweep_planes_lie_behind_the_origin() {
        assert!(plane_sweeps(500, 1).iter().all(|sweep| (0.0..20.0).contains(&sweep.plane[3])));
    }
}
