//! A judge of motions that have no exact answer: the motion is sampled.

use crate::turn::{V, dot, minus, plus, turned};

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

    /// The pose as seen from a shape that has another pose: for two moving shapes.
    pub fn seen_from(&self, other: &Self) -> Self {
        let axes = self.axes.map(|axis| other.turned_back(axis));
        Self { axes, translation: other.turned_back(minus(self.translation, other.translation)) }
    }

    pub(super) fn turned_back(&self, direction: V) -> V {
        self.axes.map(|axis| dot(axis, direction))
    }
}

/// The distance of `a`, placed by the pose, and `b`. If only their roundings overlap, it is negative: the depth. If the
/// cores overlap (what is without the rounding), the distance of the cores counts as 0.
///
/// Both bounds hold up to the rounding of `f64`, about 1e-15 of the largest coordinate. The upper one is within 1e-13 of
/// that of the true distance, with cylinders and cones within 1e-11. The lower one is less close for shapes that are
/// nearly in touch, as the direction from one to the other is uncertain.
pub fn distance_between(a: &ShapeSampler, pose: &Pose, b: &ShapeSampler) -> Bounds {
    bounds(a, pose, b, None)
}

/// A time in [0, 1) at which `a`, placed by `pose_at(time)`, and `b` are certainly at most `eps` apart: the latest that
/// a sweep may return which stops at a gap of `eps` or more. `None` if no sample shows one.
///
/// Of `steps` equally spaced times, it is the first at which the upper bound of the distance is at most `eps`, made
/// earlier by bisection between it and the sample before. So it never blames a right answer; but it may miss a contact
/// shorter than `1 / steps`, and find a later one or none. An `eps` of 1e-9 of the largest coordinate is well above what
/// the distance is uncertain by; for a sweep that stops only when shapes touch, those that pass each other nearer than
/// that have to be told apart. If one shape has a rounding, a negative `eps` down to that radius asks for a depth.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_poses_seen_from_each_other() {
        let (a, b) = (Pose::new([0.3, -0.4, 0.5], [1.0, 2.0, 3.0]), Pose::new([0.0, 2.0, 0.1], [-4.0, 0.5, 6.0]));
        let point = [0.7, -0.2, 5.0];
        let there = b.applied(a.seen_from(&b).applied(point));
        assert!((0..3).all(|i| (there[i] - a.applied(point)[i]).abs() < 1e-14));
        // A quarter turn about z.
        let quarter = Pose::new([0.0, 0.0, std::f64::consts::FRAC_PI_2], [0.0, 0.0, 1.0]);
        assert!(minus(quarter.applied([2.0, 3.0, 5.0]), [-3.0, 2.0, 6.0]).iter().all(|x| x.abs() < 1e-15));
    }
}
