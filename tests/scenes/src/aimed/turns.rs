//! Moving boxes that rotate, above planes that may rotate too; aimed ones start touching, or graze on the way.

use super::Bits;
use crate::{Rng, direction, turned_box, within};

/// An oriented box with its motion, rotation vector and acceleration over a step, and a plane with its own translation,
/// rotation vector and pivot.
#[derive(Clone, Copy, Debug)]
pub struct Turning {
    /// The box.
    pub obb: [[f32; 3]; 4],
    /// Its motion.
    pub motion: [f32; 3],
    /// Its rotation vector.
    pub rotation: [f32; 3],
    /// Its acceleration.
    pub acceleration: [f32; 3],
    /// The plane.
    pub plane: [f32; 4],
    /// Translation, rotation vector and pivot of the plane.
    pub plane_motion: [[f32; 3]; 3],
}

/// Boxes of half extents 0 to 2 within ±10 that move up to 30 units and make up to three turns, many of them near the
/// plane; one in five is on a grid of small integers, one in twenty makes some hundred turns, and one in ten is scaled
/// by up to 2^±40.
pub fn turning(rng: &mut Rng) -> Turning {
    let is_grid = rng.u32(0..5) == 0;
    let point = |rng: &mut Rng, size: f32| {
        [(); 3].map(|()| if is_grid { rng.i32(-3..=3) as f32 } else { within(rng, -size, size) })
    };
    let center = point(rng, 10.0);
    let half = [(); 3].map(|()| match rng.u32(0..12) {
        0 => 0.0,
        _ if is_grid => rng.i32(1..=3) as f32,
        _ => within(rng, 0.1, 2.0),
    });
    let mut obb = turned_box(rng, center, half);
    if is_grid {
        obb = [center, [half[0], 0.0, 0.0], [0.0, half[1], 0.0], [0.0, 0.0, half[2]]];
    }
    let reach = [1.0, 10.0, 30.0][rng.usize(0..3)];
    let sometimes = |rng: &mut Rng, one_in: u32, v: [f32; 3]| if rng.u32(0..one_in) == 0 { v } else { [0.0; 3] };
    let motion = if rng.u32(0..8) == 0 { [0.0; 3] } else { point(rng, reach) };
    let turns = [0.0, 0.01, 0.5, 1.0, 3.0, 3.0, 3.0, if rng.u32(0..3) == 0 { 100.0 } else { 2.0 }][rng.usize(0..8)];
    let angle = turns * std::f32::consts::TAU * rng.f32();
    let axis =
        if is_grid { [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]][rng.usize(0..3)] } else { direction(rng) };
    let pull = point(rng, 20.0);
    let normal = match rng.u32(0..3) {
        // Face on, up to rounding.
        0 if half[0] > 0.0 => obb[1].map(|x| x / half[0]),
        _ if is_grid => [0.0, 1.0, 0.0],
        _ => direction(rng),
    };
    let dot = |a: [f32; 3], b: [f32; 3]| (0..3).map(|i| f64::from(a[i]) * f64::from(b[i])).sum::<f64>();
    let reaches: f64 = (1..4).map(|i| dot(obb[i], normal).abs()).sum();
    let lift = match rng.u32(0..4) {
        0 => 0.0,
        1 => rng.f64() * 1e-6,
        _ => 10.0 * rng.f64(),
    };
    let d = (reaches - dot(center, normal) + lift) as f32;
    let [x, y, z] = normal;
    let plane_angle = if rng.u32(0..4) == 0 { 0.0 } else { within(rng, 0.0, 7.0) };
    let plane_turn = direction(rng).map(|x| x * plane_angle);
    let (sway, pivot) = (point(rng, 5.0), point(rng, 5.0));
    let mut case = Turning {
        obb,
        motion,
        rotation: axis.map(|x| x * angle),
        acceleration: sometimes(rng, 4, pull),
        plane: [x, y, z, d],
        plane_motion: [sometimes(rng, 2, sway), plane_turn, pivot],
    };
    if rng.u32(0..10) == 0 {
        case.scale(2f32.powi(rng.i32(-60..=20)));
    }
    case
}

impl Turning {
    fn scale(&mut self, factor: f32) {
        let scale = |v: &mut [f32; 3]| *v = v.map(|x| x * factor);
        self.obb.iter_mut().for_each(scale);
        [&mut self.motion, &mut self.acceleration].into_iter().for_each(scale);
        let [sway, _, pivot] = &mut self.plane_motion;
        [sway, pivot].into_iter().for_each(scale);
        self.plane[3] *= factor;
    }
}

impl Bits for Turning {
    fn write_bits(&self, text: &mut String) {
        let [sway, turn, pivot] = self.plane_motion;
        let moves = [self.motion, self.rotation, self.acceleration, sway, turn, pivot];
        (self.obb, moves, self.plane).write_bits(text);
    }
}
