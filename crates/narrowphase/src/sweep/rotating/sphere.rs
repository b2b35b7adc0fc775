//! A rotating box against a sphere or a capsule.
//!
//! The plane that touches the sphere where the box is nearest separates the two for as long as the box stays over it,
//! which is made certain as for any plane. Then the next such plane is taken, until none separates them by more than
//! the skin.
//!
//! Sources: as for solids, see [`super::solid`].

use super::{
    TurningBoxSweep,
    budget::{Budget, FACETS},
    face_toi::GapCurve,
    separating_plane::{RelativeMotion, SeparatingPlane},
    toi::{ToiLimits, first_touch},
};
use crate::{
    Capsule, Sphere,
    arrays::Mapped,
    distance::rod::MovingCapsule,
    exact::ROUNDING,
    sweep::{Sweep, capsule::against_box::beside_capsule, moving_pair::beside_ball, round_toi},
};
use glam::DVec3;

/// A centre and a radius.
type CenterAndRadius = (DVec3, f64);

/// As for solids: a box that spins close above a sphere is stopped early after this many planes.
const MAX_ROUNDS: usize = 1024;

impl TurningBoxSweep {
    pub(super) fn against_ball(&self, sphere: &Sphere, skin: f32, budget: &Budget) -> Sweep {
        let start = sphere.gap(self.body());
        if self.only_translates() || start.separation < 0.0 {
            return self.sweep.against_sphere(sphere);
        }
        let ball = [(sphere.center().as_dvec3(), f64::from(sphere.radius()))];
        let normal_at = |time: f64| sphere.gap(&self.pose(time as f32)).normal;
        let Some(time) = self.reaches_balls(&ball, start.normal, normal_at, skin, budget) else { return Sweep::Clear };
        let toi = round_toi(time);
        let way = self.center_at(toi.into()) - sphere.center().as_dvec3();
        Sweep::Hit(beside_ball(&self.pose(toi), sphere, toi, way))
    }

    /// Sweeps against a capsule: a plane touches it if it touches one of the balls at its ends and has both behind it.
    pub(super) fn against_rod(&self, capsule: &Capsule, skin: f32, budget: &Budget) -> Sweep {
        let start = capsule.gap(self.body());
        if self.only_translates() || start.separation < 0.0 {
            return self.sweep.against_capsule(capsule);
        }
        let balls = MovingCapsule::from(capsule).ends().mapped(|end| (end, f64::from(capsule.radius())));
        let normal_at = |time: f64| capsule.gap(&self.pose(time as f32)).normal;
        let Some(time) = self.reaches_balls(&balls, start.normal, normal_at, skin, budget) else { return Sweep::Clear };
        let toi = round_toi(time);
        Sweep::Hit(beside_capsule(&self.pose(toi), capsule, toi, self.center_at(toi.into())))
    }

    /// When the box comes as near as the skin to the hull of some balls, given the normal between them at the start and
    /// at any time; `None` if it does not.
    fn reaches_balls(
        &self,
        balls: &[CenterAndRadius],
        mut normal: DVec3,
        normal_at: impl Fn(f64) -> DVec3,
        skin: f32,
        budget: &Budget,
    ) -> Option<f64> {
        let mut time = 0.0;
        // The hull is below a plane as long as all of them are.
        let first = |until: &dyn Fn(CenterAndRadius) -> Option<f64>| {
            balls.iter().filter_map(|ball| until(*ball)).reduce(f64::min)
        };
        for _ in 0..MAX_ROUNDS {
            let mut next = first(&|ball| self.over_until(ball, normal, skin, time, budget))?;
            if next <= time {
                // Where a face or an edge of the box is nearest, the plane has to rotate with the box.
                next = first(&|ball| self.with_box_until(ball, normal, skin, time, budget))?;
            }
            budget.take(FACETS);
            if next <= time {
                break;
            }
            time = next;
            // Any direction is safe; this one is close to the best.
            normal = normal_at(time);
        }
        Some(time)
    }

    /// How long, from `time` on, the box is certain to be over the plane that touches a ball at `normal`; `None` for the
    /// rest of the step.
    fn over_until(&self, ball: CenterAndRadius, normal: DVec3, skin: f32, time: f64, budget: &Budget) -> Option<f64> {
        let normal = normal.normalize();
        let (angular, edges) = (self.angular_motion(), self.body().wide_edges());
        let [center, motion, acceleration] =
            [self.body().center(), self.motion(), self.acceleration].mapped(|v| v.as_dvec3());
        let (middle, radius) = ball;
        let height = normal.dot(center - middle) - radius;
        let derivatives = [normal.dot(motion), normal.dot(acceleration)];
        let curve = GapCurve::over_level(edges, normal, height, &angular, derivatives);
        let size: f64 = edges.iter().map(|edge| edge.abs().element_sum()).sum();
        let sums = center.abs() + middle.abs() + motion.abs() + acceleration.abs();
        let error = 32.0 * ROUNDING * (sums.element_sum() + radius + 2.0 * size * (2.0 + angular.angle));
        let bounds = curve.bounds(curve.rotating_radius() + 16.0 * ROUNDING * size, &angular, error, skin);
        first_touch(|time| curve.at(time), &bounds, time..1.0, budget)
    }

    /// The same for a plane that rotates with the box.
    fn with_box_until(
        &self,
        ball: CenterAndRadius,
        normal: DVec3,
        skin: f32,
        time: f64,
        budget: &Budget,
    ) -> Option<f64> {
        let mut motion = RelativeMotion::to_fixed(self);
        (motion.pivot, motion.radius) = ball;
        let plane = SeparatingPlane { normal: normal.normalize(), spin: motion.angular.rate() };
        motion.apart_until(&plane, DVec3::ZERO, 0.0, time, ToiLimits { skin, budget })
    }
}
