//! A turning box against a plane.
//!
//! With `a` the axis and `w` the angle over the step, a half edge's reach along the normal is
//!
//! ```text
//!   h(t)·N = C + A cos wt + B sin wt,    C = (a·h)(a·N),   A = h·N − C,   B = (a × h)·N
//! ```
//!
//! so the gap and its rate cost one sine and cosine, and no vertex's height is curved by more than `P w²`, `P` being the longest of the sums
//! `Σ ±(A, B)`. As long as the centre is higher than `Σ |C| + P` nothing can touch, which clears most boxes and starts the others late.
//!
//! Source: Rodrigues' rotation formula; 003, Lengyel §12.2.2, for what reaches; see [`super::advance`] for the search.

use super::{
    RotatingSweep,
    budget::Budget,
    rotation::{Turn, cross, sin_cos},
    toi::{Limits, MAX_LOOKS, Sample, first_touch},
};
use crate::{
    Contacts, FeatureId, Plane, Sides,
    minkowski::ROUNDING,
    sweep::{
        Sweep, SweepHit,
        plane::{
            exact::{Ignored, depenetrate, depenetrate_exactly, gap_at},
            projection::{BoxPlaneF64, BoxPlaneFilter},
        },
        round_toi,
    },
};
use glam::{DVec3, Vec3, swizzles::Vec3Swizzles};
use std::ops::Range;

/// The gap of a turning box over a plane at rest, as a function of time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// Of the centre over the plane, and its first and second derivative.
    height: f64,
    speed: f64,
    acceleration: f64,
    quarters: f64,
    /// What of each edge's reach stays, and what turns; and the same times the angle.
    still: DVec3,
    cosine: DVec3,
    sine: DVec3,
    rates: [DVec3; 2],
}

impl Reach {
    #[inline(always)]
    fn new(projection: &BoxPlaneF64, side: f64, turn: &Turn, speed: f64, acceleration: f64) -> Self {
        // By the rotation vector, so that nothing waits for a root and then for a quotient.
        let rotation = turn.rotation;
        let still = projection.edges_along(rotation) * (rotation.dot(projection.normal) * turn.inverse_square);
        let (cosine, rate) = (projection.along - still, projection.edges_along(cross(projection.normal, rotation)));
        Self {
            height: side * projection.height,
            speed: side * speed,
            acceleration: side * acceleration,
            quarters: turn.quarters,
            still,
            cosine,
            sine: rate * (turn.angle * turn.inverse_square),
            rates: [rate, cosine * turn.angle],
        }
    }

    /// The same of half edges, above a level along a unit normal that the centre is at `height` over, with its first and second
    /// derivative.
    pub(super) fn over(
        edges: [DVec3; 3],
        normal: DVec3,
        height: f64,
        turn: &Turn,
        [speed, acceleration]: [f64; 2],
    ) -> Self {
        let along = |v: DVec3| DVec3::new(edges[0].dot(v), edges[1].dot(v), edges[2].dot(v));
        let still = along(turn.axis) * turn.axis.dot(normal);
        let (cosine, sine) = (along(normal) - still, along(cross(normal, turn.axis)));
        let rates = [sine * turn.angle, cosine * turn.angle];
        Self { height, speed, acceleration, quarters: turn.quarters, still, cosine, sine, rates }
    }

    #[inline(always)]
    pub(super) fn at(&self, time: f64) -> Sample {
        let (sin, cos) = sin_cos(self.quarters * time);
        Sample {
            height: self.height + (self.speed + 0.5 * self.acceleration * time) * time,
            rise: self.speed + self.acceleration * time,
            reaches: self.still + self.cosine * cos + self.sine * sin,
            rates: self.rates[0] * cos - self.rates[1] * sin,
        }
    }

    /// The radius of the circle around all that turns.
    #[inline(always)]
    pub(super) fn turning_radius(&self) -> f64 {
        circumradius([self.cosine, self.sine])
    }

    /// When of the step the centre may be as low as `highest`; `None` when it never is.
    #[inline(always)]
    pub(super) fn window(&self, highest: f64) -> Option<Range<f64>> {
        let clearance = self.height - highest;
        // At any time of the step it has changed by no less than that times this.
        let least = self.speed + (0.5 * self.acceleration).min(0.0);
        if clearance > 0.0 {
            (clearance + least <= 0.0).then(|| clearance / -least..1.0)
        } else {
            Some(0.0..if least > -clearance { -clearance / least } else { 1.0 })
        }
    }

    /// What holds for the whole step, by a radius no less than that.
    #[inline(always)]
    pub(super) fn limits(&self, radius: f64, turn: &Turn, error: f64, skin: f32) -> Limits {
        let covered = self.speed.abs() + self.acceleration.abs() + radius * turn.angle;
        let bend = radius * turn.angle * turn.angle * (1.0 + 1e-9);
        Limits {
            curvature: (bend - self.acceleration).max(0.0),
            upward: (bend + self.acceleration).max(0.0),
            error,
            rate_error: error * (1.0 + turn.angle),
            skin: effective_skin(skin, covered, error),
            looks: MAX_LOOKS,
            cost: 1,
        }
    }
}

impl RotatingSweep {
    /// The first touch of `plane`: as [`BoxSweep::against_plane`](crate::BoxSweep::against_plane), for a box that turns.
    ///
    /// `skin` is a length: a gap of no more counts as touching while it closes, because beyond what a body is kept apart by anyway there is
    /// nothing to gain from looking closer. Zero, or what is no number, asks for all that `f64` tells. It is certain that
    ///
    /// * nothing touches before `toi`, and the gap at `toi` is at most `skin`, or what the body covers in 2^-23 of the step where that is
    ///   more;
    /// * whatever penetrates during the step by more than `f64` loses, some 2^-45 of the lengths involved, is hit. A box that comes within the
    ///   skin without touching may be hit;
    /// * an overlap at the start is exact; a box that touches and leaves, or lies still, is not hit for it;
    /// * a box that neither turns nor accelerates is answered as by the exact sweep;
    /// * [`RotatingSweep::body_at`] does not penetrate.
    ///
    /// A box that turns hundreds of times while a corner of it may be close to the plane may be stopped early, never late: see
    /// [`Budget`](crate::Budget).
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Feature, Obb, Plane, Sides, glam::{Quat, Vec3}};
    /// let body = Obb::new(Vec3::Y * 8.0, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// let sweep = BoxSweep::new(body, Vec3::Y * -8.0)?.rotating(Vec3::X * 6.0)?;
    /// let hit = sweep.against_plane(&Plane::new(Vec3::Y, 0.0)?, Sides::Front, 1e-3).hit().unwrap();
    /// assert!(hit.toi < 0.75 && hit.contacts.feature() == Feature::Edge);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_plane(&self, plane: &Plane, sides: Sides, skin: f32) -> Sweep {
        self.against_sliding_plane(plane, Vec3::ZERO, sides, skin, &Budget::default())
    }

    /// The same for a plane that translates.
    #[inline(always)]
    pub(super) fn against_sliding_plane(
        &self,
        plane: &Plane,
        plane_motion: Vec3,
        sides: Sides,
        skin: f32,
        budget: &Budget,
    ) -> Sweep {
        if self.only_translates() {
            return self.sweep.against_moving_plane(plane, plane_motion, sides);
        }
        let body = self.body();
        let filter = BoxPlaneFilter::new(body.rows(), plane);
        let normal = plane.normal();
        let toward = normal * (self.motion() - plane_motion);
        let pulled = normal * (0.5 * self.acceleration);
        if filter.is_clear_rotating(toward, pulled, sides) {
            return Sweep::Clear;
        }
        let projection = BoxPlaneF64::new(&filter, plane);
        let (side, gap) = match projection.start(sides) {
            Some(Ok(start)) => start,
            Some(Err(Ignored)) => return Sweep::Clear,
            None => {
                let terms = |v: Vec3, scale: f64| (plane.normal().as_dvec3() * v.as_dvec3() * scale).to_array();
                let approach = [terms(self.motion(), 1.0), terms(plane_motion, -1.0), terms(self.acceleration, 0.5)];
                match plane.start_exactly(body, sides, approach.as_flattened()) {
                    Some(start) => start,
                    None => return Sweep::Clear,
                }
            }
        };
        if gap < 0.0 {
            return projection.overlap(&filter, body, normal, side, -gap);
        }
        let wide = projection.normal;
        let speed = wide.dot(self.motion().as_dvec3() - plane_motion.as_dvec3());
        let acceleration = wide.dot(self.acceleration.as_dvec3());
        let turn = self.turn();
        let curve = Reach::new(&projection, side, &turn, speed, acceleration);

        // Nothing touches before the centre is as low as any vertex can reach.
        let (size, sums) = projection.sizes(plane);
        let radius = curve.turning_radius() + 16.0 * ROUNDING * size;
        let highest = curve.still.abs().element_sum() + radius;
        let motions = self.motion().abs() + plane_motion.abs() + self.acceleration.abs();
        let sums = sums + motions.as_dvec3().element_sum();
        let error = 32.0 * ROUNDING * (sums + 2.0 * size * (2.0 + turn.angle));
        let Some(window) = curve.window(highest + error) else { return Sweep::Clear };

        let limits = curve.limits(radius, &turn, error, skin);
        match first_touch(|time| curve.at(time), &limits, window, budget) {
            Some(toi) => self.stop(plane, plane_motion, &turn, side, toi),
            None => Sweep::Clear,
        }
    }

    /// The hit of a plane that does not turn.
    #[inline(always)]
    fn stop(&self, plane: &Plane, plane_motion: Vec3, turn: &Turn, side: f64, toi: f64) -> Sweep {
        let normal = plane.normal() * side as f32;
        let toi = round_toi(toi);
        let time = f64::from(toi);
        let moved = self.center_at(time);
        let ([x, y, z], center) = (self.rows_at(turn, time), moved.as_vec3());
        let filter = BoxPlaneFilter::new([x.with_w(center.x), y.with_w(center.y), z.with_w(center.z)], plane);
        let projection = BoxPlaneF64::new(&filter, plane);
        let facing = projection.facing(plane, plane_motion.as_dvec3(), side, time);
        let error = 32.0 * ROUNDING * (projection.sizes(plane).1 + plane_motion.as_dvec3().length());
        let (position, gap) = match depenetrate(moved, facing, projection.reach, error) {
            Some(found) if toi > 0.0 => found,
            _ => self.resting_position(time, facing),
        };
        // Returned apart, as an overlap is.
        if let Some(vertex) = filter.lowest_vertex(side) {
            let point = projection.vertex(position.as_dvec3(), side);
            let contacts = Contacts::vertex(point, (gap * projection.unit()).max(0.0), vertex);
            return Sweep::Hit(SweepHit { toi, normal, position, contacts });
        }
        let contacts = projection.contacts(side, FeatureId::NONE, position.as_dvec3(), gap, 0.0);
        Sweep::Hit(SweepHit { toi, normal, position, contacts })
    }

    /// Where the box stops, and its gap there, when that takes exact arithmetic.
    #[cold]
    fn resting_position(&self, time: f64, facing: (DVec3, f64)) -> (Vec3, f64) {
        let body = self.placed(self.body().center(), self.edges_at(time));
        let pushed =
            || depenetrate_exactly(&body, self.center_at(time), facing).unwrap_or(self.center_at(time).as_vec3());
        let position = if time == 0.0 { self.body().center() } else { pushed() };
        (position, gap_at(&body, position, facing))
    }
}

/// The gap that counts as touching: less than what is asked for by what rounding the time to `f32` adds, and no less than what
/// `f64` tells.
#[inline(always)]
pub(super) fn effective_skin(skin: f32, covered: f64, error: f64) -> f64 {
    let rounding = 0.5 * f64::from(f32::EPSILON) * covered;
    let least = 8.0 * error;
    let skin = f64::from(skin) - rounding;
    if skin > least { skin } else { least }
}

/// The length of the longest `±a ±b ±c`, of three vectors by coordinate: squared, `|a|² + |b|² + |c|² + 2 (± a·b ± a·c ± b·c)`, where of the
/// three signs an even number is negative.
#[inline(always)]
pub(super) fn circumradius<const N: usize>(rows: [DVec3; N]) -> f64 {
    let (mut squares, mut products) = (DVec3::ZERO, DVec3::ZERO);
    for row in rows {
        squares += row * row;
        products += row * row.yzx();
    }
    let sizes = products.abs();
    // Where all three cannot count positively, the least counts negatively.
    let is_odd = (products.x < 0.0) ^ (products.y < 0.0) ^ (products.z < 0.0);
    let lost = if is_odd { sizes.min_element() } else { 0.0 };
    (squares.element_sum() + 2.0 * sizes.element_sum() - 4.0 * lost).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_scenes::{Rng, SEED};

    #[test]
    fn the_circumradius_is_the_length_of_the_longest_sum() {
        let mut rng = Rng::with_seed(SEED ^ 32);
        for case in 0..10_000 {
            let mut vector = || DVec3::from([(); 3].map(|()| 2.0 * rng.f64() - 1.0));
            let [a, b, c] = [vector(), vector(), if case % 2 == 0 { vector() } else { DVec3::ZERO }];
            let sums = [a + b + c, a + b - c, a - b + c, -a + b + c];
            let longest = sums.map(DVec3::length).into_iter().fold(0.0, f64::max);
            let radius = circumradius([0, 1, 2].map(|i| DVec3::new(a[i], b[i], c[i])));
            assert!((radius - longest).abs() < 1e-14, "case {case}: {radius} {longest}");
        }
    }
}
