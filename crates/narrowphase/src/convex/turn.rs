//! A core that turns while it moves, against one that rests: conservative advancement along planes between them.
//!
//! A plane that separates the two stays between them until the first vertex could have crossed it. Along the plane's
//! normal `n` a vertex at the distance `ρ` from the axis goes by `s n · v` and bends by no more than `ω² ρ σ s² / 2` in
//! the time `s`, with `σ` the sine of the angle between `n` and the axis, so that each plane gives a certain step.
//!
//! Source: Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems" (1996), §2.3.2 (conservative
//! advancement).

use super::{
    ConvexCore,
    gjk::{first_simplex, nearest},
    pair::CorePair,
    portal::{CoreTouch, End},
};
use crate::{exact::ROUNDING, sweep::rotating::rotation::AngularMotion};
use glam::DVec3;

/// How many planes are tried, and how many steps along each.
const MAX_PLANES: usize = 200;
const MAX_STEPS: usize = 6;

/// A step below this share of all along the same plane calls for another plane.
pub(super) const WORTH_STEPPING: f64 = 0.25;

/// The path of a core over a step: at the time `t` it has turned by `t` times the rotation about its pivot, and moved
/// by `t` times the motion.
pub(super) struct TurningPath {
    pub(super) pivot: DVec3,
    pub(super) motion: DVec3,
    pub(super) angular: AngularMotion,
}

impl TurningPath {
    pub(super) fn placed(&self, core: &ConvexCore, time: f64) -> ConvexCore {
        let offset = self.pivot + self.motion * time;
        core.mapped(|point| offset + self.angular.rotated_vector(point - self.pivot, time))
    }

    /// How long, from a time on, all of the core as it then is certainly stays behind the plane `n · x <= plane`.
    pub(super) fn step(&self, core: &ConvexCore, placed: &ConvexCore, n: DVec3, plane: f64, time: f64) -> f64 {
        let center = self.pivot + self.motion * time;
        let (along, spin) = (n.dot(self.motion), n.cross(self.angular.rate()));
        // All points bend across the axis, towards it.
        let across = (n - self.angular.axis * n.dot(self.angular.axis)).length() + 8.0 * ROUNDING;
        let half_square = 0.5 * self.angular.angle * self.angular.angle * across.min(1.0) * (1.0 + 64.0 * ROUNDING);
        if core.is_round() {
            let reach = core.reach_from(self.pivot);
            let gap = plane - n.dot(placed.farthest(n).0) - placed.error(n);
            return crossing(gap, along + spin.length() * reach, half_square * reach);
        }
        let steps = core.vertices().zip(placed.vertices()).map(|(vertex, now)| {
            let arm = vertex - self.pivot;
            let from_axis = arm.cross(self.angular.axis).length();
            crossing(plane - n.dot(now), along + (now - center).dot(spin), half_square * from_axis)
        });
        steps.fold(f64::INFINITY, f64::min)
    }
}

/// The first time until `until` at which the two may be as near to each other as `near`; until then they are certainly
/// apart. `near` must be more than the rounding of placed vertices.
pub(super) fn turn(core: &ConvexCore, path: &TurningPath, other: &ConvexCore, until: f64, near: f64) -> End {
    let radius = core.radius + other.radius;
    let mut time = 0.0;
    let mut placed = path.placed(core, time);
    let mut known = None;
    let mut found = None;
    for _ in 0..MAX_PLANES {
        let pair = CorePair::new(&placed, other);
        let mut simplex = known.unwrap_or_else(|| first_simplex(&pair));
        let nearest = nearest(&pair, &mut simplex);
        let distance = nearest.v.length();
        let touch =
            CoreTouch { time, normal: -nearest.v, gap: (distance - radius).max(0.0), points: simplex.witnesses() };
        if time == 0.0 && (nearest.meets || distance < radius - near) {
            return End::Overlap;
        }
        if nearest.meets || distance - radius <= near {
            return End::Hit(touch);
        }
        found = Some(touch);
        let n = nearest.v / distance;
        let plane = n.dot(other.farthest(-n).0) - radius - 0.5 * near;
        let before = time;
        for _ in 0..MAX_STEPS {
            let step = path.step(core, &placed, n, plane, time);
            if step >= until - time {
                return End::Clear;
            }
            time += step;
            placed = path.placed(core, time);
            if step <= WORTH_STEPPING * (time - before) {
                break;
            }
        }
        if time == before {
            break;
        }
        known = CorePair::new(&placed, other).again(&simplex);
    }
    found.map_or(End::Clear, End::Hit)
}

/// The first `s` at which `gap - rate s - bend s²` is zero, without cancellation; 0 if the gap is negative.
pub(crate) fn crossing(gap: f64, rate: f64, bend: f64) -> f64 {
    if gap <= 0.0 {
        return 0.0;
    }
    let root = (rate * rate + 4.0 * bend * gap).sqrt();
    if rate > 0.0 {
        2.0 * gap / (rate + root)
    } else if bend > 0.0 {
        (root - rate) / (2.0 * bend)
    } else {
        f64::INFINITY
    }
}
