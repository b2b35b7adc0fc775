//! Path against oriented box: the path in the box's own coordinates, where the box is `[−1, 1]³`, against slabs.
//!
//! The half edges may be skewed (a parallelepiped), so coordinates come from the reciprocal basis rather than from a
//! transpose: with `n_i = h_j × h_k` and `V = h_0 · n_0`, a point's i-th coordinate is `n_i · (p − c) / V`, and multiplying by
//! `|V|` instead of dividing keeps flat boxes exact.
//!
//! Source: 004, "ray and OBB" (its epsilon, its end tests at `t0` and `t1` and its full/half size confusion put right).

use super::{Cast, Crossing, Path};
use crate::Obb;

impl Cast for Obb {
    fn crossing(&self, path: &Path) -> Option<Crossing> {
        let slabs = self.slabs();
        let from_center = path.origin - self.center().as_dvec3();
        let (mut enter, mut exit) = (f64::NEG_INFINITY, path.max);
        let mut normal = -path.delta;
        for (axis, reach) in slabs {
            let (position, approach) = (axis.dot(from_center), axis.dot(path.delta));
            if approach == 0.0 {
                if position.abs() > reach {
                    return None;
                }
                continue;
            }
            let toward = approach.signum();
            let near = (-toward * reach - position) / approach;
            let far = (toward * reach - position) / approach;
            if near > enter {
                (enter, normal) = (near, -toward * axis);
            }
            exit = exit.min(far);
        }
        if exit < 0.0 || enter > exit {
            return None;
        }
        if enter <= 0.0 {
            return Some(path.starting_inside(exit));
        }
        Some(Crossing { enter, exit, normal, inside: false })
    }
}
