//! A judge of motions that have no exact answer: the motion is sampled.

use crate::turn::{V, dot, plus, turned};

use super::sampler::bounds;
use super::{Bounds, ShapeSampler};

/// A rotation about the origin followed by a translation.
#[derive(Clone, Copy, Debug)]
pub struct Pose {
    /// Where the unit vectors go.
    axes: [V; 3],
    translation: V,
}

impl Pose {
    /// A rotation vector (its length is the angle, in radians) and a translation.
    pub fn new(rotation: V, translation: V) -> Self {
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|axis| turned(axis, rotation, 1.0));
        Self { axes, translation }
    }

    /// Where everything stays.
    pub fn still() -> Self {
        Self::new([0.0; 3], [0.0; 3])
    }

    /// Where a point of the shape is.
    pub fn applied(&self, point: V) -> V {
        let turned = [0, 1, 2].map(|i| (0..3).map(|k| self.axes[k][i] * point[k]).sum());
        plus(turned, self.translation)
    }

    pub(super) fn turned_back(&self, direction: V) -> V {
        self.axes.map(|axis| dot(axis, direction))
    }
}

/// The distance of `a`, placed by the pose, and `b`; negative if they overlap only by their roundings, which is then
/// the depth.
///
/// Both bounds hold up to the rounding of `f64`, about 1e-15 of the largest coordinate. For hulls of points, they are
/// within 1e-13 of that of each other, with cylinders and cones within 1e-9. If the cores (what is without the rounding)
/// overlap, the distance of the cores counts as 0.
pub fn distance_between(a: &ShapeSampler, pose: &Pose, b: &ShapeSampler) -> Bounds {
    bounds(a, pose, b, None)
}

/// A time in [0, 1) at which `a`, placed by `pose_at(time)`, and `b` are certainly at most `eps` apart: the latest time
/// that an honest sweep may return which stops at a gap of `eps` or more. `None` if no sample shows such a time.
///
/// It is the first of `steps` equally spaced times at which the upper bound of the distance is at most `eps`, then moved
/// towards the sample before it by bisection. So it is never too early to be true, up to the rounding of `f64`: a judge
/// that accuses nobody wrongly. It may miss a contact that is shorter than `1 / steps`, and one that bisection takes for
/// the only one. An `eps` of 1e-9 of the largest coordinate is well above what the distance is uncertain by; shapes that
/// pass each other at less than that are counted as touching. If both have a rounding, a negative `eps` asks for a depth.
pub fn first_touch_by_sampling(
    a: &ShapeSampler,
    b: &ShapeSampler,
    pose_at: impl Fn(f64) -> Pose,
    steps: usize,
    eps: f64,
) -> Option<f64> {
    let touches = |time: f64| bounds(a, &pose_at(time), b, Some(eps)).upper <= eps;
    let sample = |step: usize| step as f64 / steps as f64;
    let first = (0..steps).find(|step| touches(sample(*step)))?;
    if first == 0 {
        return Some(0.0);
    }
    let (mut apart, mut touching) = (sample(first - 1), sample(first));
    for _ in 0..50 {
        let middle = 0.5 * (apart + touching);
        if touches(middle) {
            touching = middle;
        } else {
            apart = middle;
        }
    }
    Some(touching)
}
