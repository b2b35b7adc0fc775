//! A translating sphere against an axis-aligned box, by the box's own bounds: the box's centre need not be an `f32`
//! number.
//!
//! The signed distance of a point from a box is convex, both outside (from the nearest point) and inside (minus the
//! distance to the nearest face), so along a straight line it is a convex function of time: see
//! [`conservative_advancement`](super::conservative_advancement).

use super::solid::Ball;
use crate::{Aabb, Gap, Sphere, SphereSweep, exact::ROUNDING, sweep::Sweep};
use glam::DVec3;

impl SphereSweep {
    /// Returns the first touch of an axis-aligned box at rest, with the rules of [`SphereSweep::against`];
    /// decided in `f64` for the box's own bounds. A point, of radius zero, that is on a flat box counts as leaving it,
    /// whichever way it goes.
    pub(crate) fn against_aabb(&self, aabb: &Aabb) -> Sweep {
        let bounds = SidedBounds::new(aabb, self.body(), self.motion().as_dvec3());
        self.against_solid(aabb, |ball| bounds.gap(ball), 1.0)
    }
}

impl Aabb {
    /// Returns how far `ball` is from this box, or how deep in it; the normal is the direction in which to move `ball`.
    pub(crate) fn gap_of_sphere(&self, ball: &Sphere) -> Gap {
        SidedBounds::new(self, ball, DVec3::ZERO).gap(&Ball::from(ball))
    }
}

/// The gap of a ball to a box; the ball is held on the side of the box's middle where it is.
pub(crate) fn gap(aabb: &Aabb, ball: &Ball) -> Gap {
    SidedBounds::around(aabb, ball.center, DVec3::ZERO).gap(ball)
}

/// The bounds of a box, and the side of its middle on which a ball is held along each axis: 1 above, −1 below.
struct SidedBounds {
    min: DVec3,
    max: DVec3,
    side: DVec3,
}

impl SidedBounds {
    /// For a ball that starts here; see [`sides`].
    fn new(aabb: &Aabb, ball: &Sphere, leaving: DVec3) -> Self {
        Self::around(aabb, ball.center().as_dvec3(), leaving)
    }

    fn around(aabb: &Aabb, center: DVec3, leaving: DVec3) -> Self {
        let (min, max) = (aabb.min().as_dvec3(), aabb.max().as_dvec3());
        Self { min, max, side: sides(aabb, center, leaving) }
    }

    fn gap(&self, ball: &Ball) -> Gap {
        let (above, below) = (ball.center - self.max, self.min - ball.center);
        let offset = above.max(DVec3::ZERO) - below.max(DVec3::ZERO);
        let distance = offset.length();
        let error = 16.0 * ROUNDING * (ball.size + distance);
        if distance > error {
            return Gap::new(distance - ball.radius, error, offset / distance);
        }
        // The centre lies in the box, up to rounding: out through the nearest face. If the box is no thicker than
        // rounding, that is the face on the side where the ball is held.
        let face = |axis: usize| {
            let is_thin = self.max[axis] - self.min[axis] <= error;
            let is_upper = if is_thin { self.side[axis] > 0.0 } else { above[axis] > below[axis] };
            let (separation, sign) = if is_upper { (above[axis], 1.0) } else { (below[axis], -1.0) };
            (separation, DVec3::AXES[axis] * sign)
        };
        let (separation, normal) = [1, 2].into_iter().map(face).fold(face(0), |a, b| if b.0 > a.0 { b } else { a });
        Gap::new(separation - ball.radius, error, normal)
    }
}

/// On which side of a box's middle a body is held along each axis, 1 above and −1 below: where its centre is, or, if
/// that is the middle, where it is `leaving` to.
pub(crate) fn sides(aabb: &Aabb, center: DVec3, leaving: DVec3) -> DVec3 {
    let offset = 2.0 * center - (aabb.min().as_dvec3() + aabb.max().as_dvec3());
    let side = |axis: usize| {
        let along = if offset[axis] == 0.0 { leaving[axis] } else { offset[axis] };
        if along < 0.0 { -1.0 } else { 1.0 }
    };
    DVec3::new(side(0), side(1), side(2))
}
