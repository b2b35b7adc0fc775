//! Two balls that move.
//!
//! Seen from one of them, the other's centre moves along a straight line, `f + t D`, and they touch where
//! `|f + t D|² = r²`, `r` being the sum of both radii. Whether they overlap, approach each other, pass near enough and
//! reach each other in time are signs of polynomials, which exact arithmetic settles where rounding could change them:
//! balls that come from far away do not pass through each other.
//!
//! Source: Haines, Günther, Akenine-Möller, "Precision Improvements for Ray/Sphere Intersection", Ray Tracing Gems, ch.
//! 7.

use crate::{
    Contacts, FeatureId, Gap, Sphere, SphereSweep,
    arrays::Mapped,
    distance::gap::Hold,
    exact::{
        ROUNDING,
        predicate::Exact,
        quadratic::{Quadratic, signed},
        unit, vector,
    },
    sweep::{Overlap, Sweep, SweepHit, round_toi},
};
use glam::{DVec3, Vec3};
use std::cmp::Ordering::{Greater, Less};

impl SphereSweep {
    /// Returns the first touch of a ball at rest.
    pub(crate) fn against_sphere(&self, sphere: &Sphere) -> Sweep {
        self.against_moving_sphere(&Self { body: *sphere, motion: Vec3::ZERO })
    }

    /// Returns the first touch of a ball that moves as well. The verdict is exact for the stored numbers: a ball that
    /// only grazes is clear. The other ball is at `other.pose(toi)` then, and at the hit's position this ball does not
    /// penetrate it there.
    ///
    /// ```
    /// # use cullide_narrowphase::{Sphere, SphereSweep, glam::Vec3};
    /// let [left, right] = [-1.0, 1.0].map(|x| SphereSweep::new(Sphere::new(Vec3::X * 4.0 * x, 1.0).unwrap(), Vec3::X * -6.0 * x).unwrap());
    /// assert!((left.against_moving_sphere(&right).hit().unwrap().toi - 0.5).abs() < 1e-6);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_moving_sphere(&self, other: &Self) -> Sweep {
        let between = |mine: Vec3, theirs: Vec3| mine.as_dvec3() - theirs.as_dvec3();
        let way = between(self.body().center(), other.body().center());
        let motion = between(self.motion(), other.motion());
        let radius = f64::from(self.body().radius()) + f64::from(other.body().radius());
        let (distance, squares) = (way.length(), way.length_squared() + radius * radius);

        if signed(way.length_squared() - radius * radius, squares, || self.seen_from(other).value(0.0)) == Less {
            let (away, depth) = (unit_of(way), (radius - distance).max(0.0));
            let contacts = contact(away, self.body(), -depth);
            return Sweep::Overlap(Overlap { depth: depth as f32, normal: unit::unit(away), contacts });
        }
        let (heading, speed) = (way.dot(motion), motion.length());
        if signed(heading, distance * speed, || self.seen_from(other).heading(0.0)) != Less {
            return Sweep::Clear;
        }
        // What is left of the squared radius at the nearest approach: the discriminant without its cancellation.
        let nearest = way - motion * (heading / motion.length_squared());
        let left = radius * radius - nearest.length_squared();
        if signed(left, squares, || self.seen_from(other).discriminant()) != Greater
            || !self.reaches(other, way, motion, radius)
        {
            return Sweep::Clear;
        }

        // The root that loses no digits.
        let excess = (distance - radius).max(0.0) * (distance + radius);
        let toi = round_toi(excess / (-heading + speed * left.max(0.0).sqrt()));
        let (there, start) = (other.pose(toi), self.pose(toi).center());
        // At the start of the step they do not overlap. `None` only at the end of the range of coordinates.
        let beside = || {
            let way = way + motion * f64::from(toi);
            let touching = there.center().as_dvec3() + way;
            let hold = Hold::new(touching, unit_of(way), radius, distance);
            hold.pushed_apart(start, &|center| Some(gap(center, &there, radius))).unwrap_or(start)
        };
        let center = if toi == 0.0 { start } else { beside() };
        let gap = gap(center, &there, radius);
        let ball = Sphere::new(center, self.body().radius()).unwrap_or(*self.body());
        let contacts = contact(gap.normal, &ball, gap.separation);
        Sweep::Hit(SweepHit { toi, normal: unit::unit(gap.normal), position: center, contacts })
    }

    /// Whether balls that will touch do so before the end of the step: they then overlap at the end, or have passed the
    /// nearest approach.
    fn reaches(&self, other: &Self, way: DVec3, motion: DVec3, radius: f64) -> bool {
        let (end, size) = (way + motion, way.length() + motion.length());
        let outside = end.length_squared() - radius * radius;
        signed(end.dot(motion), size * motion.length(), || self.seen_from(other).heading(1.0)) != Less
            || signed(outside, size * size + radius * radius, || self.seen_from(other).value(1.0)) == Less
    }

    /// The relative motion in exact numbers.
    fn seen_from(&self, other: &Self) -> Quadratic {
        let between = |mine: Vec3, theirs: Vec3| {
            [0, 1, 2].mapped(|axis| Exact::sum(&[f64::from(mine[axis]), -f64::from(theirs[axis])]))
        };
        let radius = Exact::sum(&[self.body().radius().into(), other.body().radius().into()]);
        let (start, motion) = (between(self.body().center(), other.body().center()), self.motion());
        Quadratic::new(start, between(motion, other.motion()), &radius)
    }
}

/// The gap of a ball with its centre at `center` to another, for a sum of their radii.
pub(crate) fn gap(center: Vec3, other: &Sphere, radius: f64) -> Gap {
    gap_along(center.as_dvec3() - other.center().as_dvec3(), radius)
}

/// The same, given the vector to its centre from that of the other.
pub(crate) fn gap_along(way: DVec3, radius: f64) -> Gap {
    let distance = way.length();
    Gap::new(distance - radius, 8.0 * ROUNDING * (distance + radius), unit_of(way))
}

/// The direction of `way`; concentric balls are parted upward.
fn unit_of(way: DVec3) -> DVec3 {
    if way == DVec3::ZERO { DVec3::Y } else { vector::normalized(way) }
}

fn contact(away: DVec3, ball: &Sphere, separation: f64) -> Contacts {
    let at = (ball.center().as_dvec3() - away * f64::from(ball.radius())).as_vec3();
    Contacts::new(&[(at, separation)], FeatureId::NONE)
}
