//! Boxes, balls and capsules that move past a cylinder or a cone at rest, straight or, for boxes, turning.
//!
//! The straight ones are sweeps of [any two convexes](crate::convex); a turning box advances along the planes between
//! the two, each of which it certainly does not reach for a while.
//!
//! Source: Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems" (1996), §2.3.2 (conservative
//! advancement).

use super::{BudgetedSweep, Overlap, Sweep, SweepHit, TurningBoxSweep, rotating::budget::FACETS, round_toi};
use crate::{
    BoxSweep, Capsule, CapsuleSweep, Contacts, ConvexSweep, Cylinder, FeatureId, Gap, Obb, Sphere, SphereSweep,
    arrays::Mapped,
    convex::turn::crossing,
    distance::{
        cylinder::{Centered, CenteredBody, gap_beyond},
        gap::{Hold, placed},
        gap_from::size_of,
    },
    exact::unit,
};
use glam::{DVec3, Vec3};

/// How many planes are tried; a box that turns close beside a cylinder is stopped early after these.
const MAX_PLANES: usize = 256;

impl BoxSweep {
    /// Returns the first touch of a cylinder or cone at rest, with the rules of [`BoxSweep::against`] and one
    /// contact, on the cylinder; a touch later than `until` may be left out. It comes early by at most what
    /// [`Cylinder::core`] is off.
    pub(crate) fn against_cylinder(&self, cylinder: &Cylinder, until: f32) -> Sweep {
        let (body, center) = (CenteredBody::from(self.body()), self.body().center());
        against(cylinder, &body, (center, self.motion()), until, |center| placed(self.body(), center).is_some())
    }
}

impl SphereSweep {
    /// Returns the first touch of a cylinder or cone at rest: as [`BoxSweep::against`].
    pub(crate) fn against_cylinder(&self, cylinder: &Cylinder, until: f32) -> Sweep {
        let (ball, center) = (*self.body(), self.body().center());
        let fits = |center: Vec3| Sphere::new(center, ball.radius()).is_ok();
        against(cylinder, &CenteredBody::from(&ball), (center, self.motion()), until, fits)
    }
}

impl CapsuleSweep {
    /// Returns the first touch of a cylinder or cone at rest: as [`BoxSweep::against`].
    pub(crate) fn against_cylinder(&self, cylinder: &Cylinder, until: f32) -> Sweep {
        let (body, center) = (CenteredBody::from(self.body()), self.body().center());
        against(cylinder, &body, (center, self.motion()), until, |center| self.body().placed(center).is_some())
    }
}

/// The straight sweep of a body past a cylinder. `fits` tells which centres are in the range of coordinates.
fn against(
    cylinder: &Cylinder,
    body: &CenteredBody,
    (center, motion): (Vec3, Vec3),
    until: f32,
    fits: impl Fn(Vec3) -> bool,
) -> Sweep {
    let own = Centered::from(cylinder);
    match own.seen(body, center.as_dvec3()).sweep(motion, &own.core, until) {
        Ok(ConvexSweep::Overlap) => overlap(&own, body, center.as_dvec3()),
        Ok(ConvexSweep::Hit(hit)) => {
            let touching = center.as_dvec3() + motion.as_dvec3() * hit.time;
            let moved = if hit.time == 0.0 { center } else { touching.as_vec3() };
            let there = CylinderTouch { toi: hit.toi, at: touching, moved, normal: hit.normal };
            Sweep::Hit(there.beside(&own, body, size_of(center, motion), fits, center))
        }
        // The motion has passed the checks of the sweep.
        Ok(ConvexSweep::Clear) | Err(_) => Sweep::Clear,
    }
}

fn overlap(own: &Centered, body: &CenteredBody, center: DVec3) -> Sweep {
    let found = own.seen(body, center).distance(&own.core);
    let depth = -found.separation.min(0.0);
    let contacts = Contacts::new(&[((found.points[0] + own.origin).as_vec3(), -depth)], FeatureId::NONE);
    Sweep::Overlap(Overlap { depth: depth as f32, normal: unit::unit(found.normal), contacts })
}

/// A body that has come to a cylinder.
struct CylinderTouch {
    toi: f32,
    /// Its centre, unrounded and rounded.
    at: DVec3,
    moved: Vec3,
    normal: DVec3,
}

impl CylinderTouch {
    /// The hit of the body, moved by as little as it takes not to penetrate; back to `start` where nothing else fits.
    fn beside(
        &self,
        own: &Centered,
        body: &CenteredBody,
        size: f64,
        fits: impl Fn(Vec3) -> bool,
        start: Vec3,
    ) -> SweepHit {
        let hold = Hold::new(self.at, self.normal, body.reach(-self.normal), size);
        let gap_at = |center: Vec3| fits(center).then(|| own.gap(body, center.as_dvec3()));
        let position = hold.pushed_apart(self.moved, &gap_at).unwrap_or(start);
        let found = own.seen(body, position.as_dvec3()).distance(&own.core);
        let point = (found.points[1] + own.origin).as_vec3();
        let contacts = Contacts::new(&[(point, found.separation.max(0.0))], FeatureId::NONE);
        SweepHit { toi: self.toi, normal: unit::unit(self.normal), position, contacts }
    }
}

impl TurningBoxSweep {
    /// How long, from a time on, all vertices are certainly behind the plane `n · x <= plane`.
    fn stays_behind(&self, body: &CenteredBody, at: DVec3, n: DVec3, plane: f64, time: f64) -> f64 {
        let [motion, acceleration, rotation] =
            [self.motion(), self.acceleration(), self.rotation()].mapped(|v| v.as_dvec3());
        let (along, spin) = (n.dot(motion + acceleration * time), n.cross(rotation));
        let bend = 0.5 * n.dot(acceleration).max(0.0);
        let square = 0.5 * rotation.length_squared() * (1.0 + 1e-12);
        let steps = body
            .offsets()
            .iter()
            .map(|arm| crossing(plane - n.dot(at + arm), along + arm.dot(spin), bend + square * arm.length()));
        steps.fold(f64::INFINITY, f64::min)
    }
}

impl BudgetedSweep<'_> {
    /// As [`TurningBoxSweep::against`].
    pub(crate) fn against_cylinder(&self, cylinder: &Cylinder, skin: f32) -> Sweep {
        let sweep = self.sweep();
        if (sweep.rotation(), sweep.acceleration()) == (Vec3::ZERO, Vec3::ZERO) {
            return sweep.translating().against_cylinder(cylinder, 1.0);
        }
        let own = Centered::from(cylinder);
        let size = size_of(sweep.body().center(), sweep.motion() + sweep.acceleration());
        let reach = own.core.support(DVec3::ONE).length() + sweep.body().half_extents().as_dvec3().length();
        let least = (reach + own.origin.distance(sweep.center_at(0.0))) * (1.0 / (1u64 << 24) as f64);
        let skin = f64::from(skin).max(4.0 * least);
        let mut time = 0.0;
        for _ in 0..MAX_PLANES {
            let (at, body) = (sweep.center_at(time), CenteredBody::of_edges(sweep.rotated_edges(time)));
            let found = own.gap(&body, at);
            if time == 0.0 && found.separation < 0.0 {
                return overlap(&own, &body, at);
            }
            if found.separation <= skin || self.budget().is_spent() {
                break;
            }
            self.budget().take(FACETS);
            // The plane across the normal that keeps half the skin away from the cylinder.
            let n = -found.normal;
            let plane = n.dot(own.core.support(-n)) - 0.5 * skin;
            let step = sweep.stays_behind(&body, at - own.origin, n, plane, time);
            if time + step >= 1.0 {
                return Sweep::Clear;
            }
            if step <= 1e-12 {
                break;
            }
            time += step;
        }
        let toi = round_toi(time);
        let pose = sweep.pose(toi);
        let (body, at) = (CenteredBody::from(&pose), sweep.center_at(toi.into()));
        let normal = own.gap(&CenteredBody::of_edges(sweep.rotated_edges(toi.into())), at).normal;
        let there = CylinderTouch { toi, at, moved: pose.center(), normal };
        Sweep::Hit(there.beside(&own, &body, size, |center| placed(&pose, center).is_some(), pose.center()))
    }
}

impl Cylinder {
    /// Returns the gap of `body` on the side where its sweep is at `time`: as [`Solid::gap_from`](crate::Solid::gap_from).
    pub(crate) fn gap_from(&self, sweep: &TurningBoxSweep, time: f32, body: &Obb) -> Gap {
        let size = size_of(sweep.body().center(), sweep.motion() + sweep.acceleration());
        let then = |time: f64| (CenteredBody::of_edges(sweep.rotated_edges(time)), sweep.center_at(time));
        let now = || Centered::from(self).gap(&body.into(), body.center().as_dvec3());
        gap_beyond(self, (time, size), then, body.center()).unwrap_or_else(now)
    }

    /// The same for a ball.
    pub(crate) fn gap_of_sphere_from(&self, sweep: &SphereSweep, time: f32, ball: &Sphere) -> Gap {
        let size = size_of(sweep.body().center(), sweep.motion());
        let then = |time: f64| (CenteredBody::from(ball), sweep.exactly_at(time));
        let now = || Centered::from(self).gap(&ball.into(), ball.center().as_dvec3());
        gap_beyond(self, (time, size), then, ball.center()).unwrap_or_else(now)
    }

    /// The same for a capsule.
    pub(crate) fn gap_of_capsule_from(&self, sweep: &CapsuleSweep, time: f32, capsule: &Capsule) -> Gap {
        let size = size_of(sweep.body().center(), sweep.motion());
        let then = |time: f64| (CenteredBody::from(capsule), sweep.exactly_at(time));
        let now = || Centered::from(self).gap(&capsule.into(), capsule.center().as_dvec3());
        gap_beyond(self, (time, size), then, capsule.center()).unwrap_or_else(now)
    }
}

#[cfg(test)]
mod tests;
