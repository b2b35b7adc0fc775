//! How far a body is from a solid, on the side from which its sweep came.
//!
//! The end of a sweep is rounded to `f32`. This may move a body smaller than the local steps of `f32` through a solid
//! as thin as they are; it is then behind the solid, and nothing penetrates. So the gap is taken along directions that
//! kept the two apart before rounding:
//!
//! ```text
//!   gap along N  =  N · center − reach of the body − reach of the solid       concave, as the pose changes in a straight line
//! ```
//!
//! If it is zero or more at both ends of the displacement that rounding causes, it is so between them.

use super::{measured_polygon::MeasuredPolygon, solid};
use crate::{
    Aabb, Brush, Gap, Obb, Patch, Sphere, SphereSweep, Triangle, TurningBoxSweep,
    exact::ROUNDING,
    minkowski::{DifferenceBox, FacetKind, MinkowskiDifference, box_solid::BoxSolid},
    shape::polygon::Polygon,
    sweep::{
        sphere::{
            aabb,
            against_box::{ball_gap, reach_of},
            solid::Ball,
            sphere_sphere,
        },
        time_of_step,
    },
};
use glam::{DVec3, Vec3};
use std::ops::ControlFlow::Continue;

impl Aabb {
    /// Returns the gap of `body` on the side of this box where `sweep` is at `time`; up to rounding, `body` is where
    /// the sweep is then. A body that has passed the box altogether is in it as deep as it went. If the sweep overlaps
    /// the box at that time, returns [`Solid::gap`].
    ///
    /// A time outside the step counts as its nearer end, NaN as the start.
    pub(crate) fn gap_from(&self, sweep: &TurningBoxSweep, time: f32, body: &Obb) -> Gap {
        of_box(&BoxSolid::from(self).difference(), sweep, time, body)
    }

    /// Returns the gap of a ball on the side where its sweep is at `time`: as [`Solid::gap_from`].
    pub(crate) fn gap_of_sphere_from(&self, sweep: &SphereSweep, time: f32, ball: &Sphere) -> Gap {
        of_ball(sweep, time, ball, |ball| aabb::gap(self, ball), || self.gap_of_sphere(ball))
    }
}

impl Obb {
    /// Returns the gap of `body` on the side where its sweep is at `time`: as [`Solid::gap_from`].
    pub(crate) fn gap_from(&self, sweep: &TurningBoxSweep, time: f32, body: &Obb) -> Gap {
        of_box(&BoxSolid::from(self).difference(), sweep, time, body)
    }

    /// Returns the gap of a ball on the side where its sweep is at `time`: as [`Solid::gap_from`].
    pub(crate) fn gap_of_sphere_from(&self, sweep: &SphereSweep, time: f32, ball: &Sphere) -> Gap {
        let radius = ball.radius();
        let gap = |ball: &Ball| ball_gap(self, ball.center - self.center().as_dvec3(), radius, DVec3::ZERO).reversed();
        of_ball(sweep, time, ball, gap, || self.gap_of_sphere(ball))
    }
}

impl Brush {
    /// Returns the gap of `body` on the side where its sweep is at `time`: as [`Solid::gap_from`].
    pub(crate) fn gap_from(&self, sweep: &TurningBoxSweep, time: f32, body: &Obb) -> Gap {
        of_box(&self.difference(), sweep, time, body)
    }

    /// Returns the gap of a ball on the side where its sweep is at `time`: as [`Solid::gap_from`].
    pub(crate) fn gap_of_sphere_from(&self, sweep: &SphereSweep, time: f32, ball: &Sphere) -> Gap {
        of_ball(sweep, time, ball, |ball| ball.gap_to_brush(self), || self.gap_of_sphere(ball))
    }
}

impl Patch {
    /// Returns the gap of `body` on the side where its sweep is at `time`: as [`Solid::gap_from`].
    pub(crate) fn gap_from(&self, sweep: &TurningBoxSweep, time: f32, body: &Obb) -> Gap {
        of_box(&self.polygon().difference(), sweep, time, body)
    }

    /// Returns the gap of a ball on the side where its sweep is at `time`: as [`Solid::gap_from`].
    pub(crate) fn gap_of_sphere_from(&self, sweep: &SphereSweep, time: f32, ball: &Sphere) -> Gap {
        of_ball_beside(&self.polygon(), sweep, time, ball, || self.gap_of_sphere(ball))
    }
}

impl Triangle {
    /// Returns the gap of `body` on the side where its sweep is at `time`: as [`Solid::gap_from`].
    pub(crate) fn gap_from(&self, sweep: &TurningBoxSweep, time: f32, body: &Obb) -> Gap {
        of_box(&self.wide().polygon().difference(), sweep, time, body)
    }

    /// Returns the gap of a ball on the side where its sweep is at `time`: as [`Solid::gap_from`].
    pub(crate) fn gap_of_sphere_from(&self, sweep: &SphereSweep, time: f32, ball: &Sphere) -> Gap {
        of_ball_beside(&self.wide().polygon(), sweep, time, ball, || self.gap_of_sphere(ball))
    }
}

impl Sphere {
    /// Returns the gap of `body` on the side where its sweep is at `time`: as [`Solid::gap_from`].
    pub(crate) fn gap_from(&self, sweep: &TurningBoxSweep, time: f32, body: &Obb) -> Gap {
        let center = self.center().as_dvec3();
        let size = size_of(sweep.body().center(), sweep.motion() + sweep.acceleration());
        let gap = |time: f64| {
            let way = sweep.center_at(time) - center;
            let gap = ball_gap(&sweep.pose(time as f32), -way, self.radius(), DVec3::ZERO);
            (gap, f64::from(self.radius()) + reach_of(body, gap.normal), center)
        };
        beyond(time, size, &gap, body.center()).unwrap_or_else(|| self.gap(body))
    }

    /// Returns the gap of a ball on the side where its sweep is at `time`: as [`Solid::gap_from`].
    pub(crate) fn gap_of_sphere_from(&self, sweep: &SphereSweep, time: f32, ball: &Sphere) -> Gap {
        let radius = f64::from(self.radius()) + f64::from(ball.radius());
        let center = self.center().as_dvec3();
        let gap = |time: f64| (sphere_sphere::gap_along(sweep.exactly_at(time) - center, radius), radius, center);
        let size = size_of(sweep.body().center(), sweep.motion());
        beyond(time, size, &gap, ball.center()).unwrap_or_else(|| self.gap_of_sphere(ball))
    }
}

/// The largest gap along the facets that keep the sweep apart from the solid at that time.
fn of_box(difference: &MinkowskiDifference, sweep: &TurningBoxSweep, time: f32, body: &Obb) -> Gap {
    let time = time_of_step(time);
    let (at, then) = (sweep.center_at(time), DifferenceBox::rotated(sweep.body(), sweep.rotated_edges(time)));
    let (start, now) = (DifferenceBox::new(sweep.body()), DifferenceBox::new(body));
    let sizes = (sweep.body().center().abs() + sweep.motion().abs() + sweep.acceleration().abs()).as_dvec3();
    // Along facets that certainly do, and along facets where the two touch.
    let (mut held, mut doubtful): (Option<Gap>, Option<Gap>) = (None, None);
    let _ = difference.facets(&then, &mut |facet| {
        let facet = if facet.kind == FacetKind::Edges { difference.supporting(facet.normal) } else { facet };
        let before = facet.gap(&then, at);
        let error = before.error + 8.0 * ROUNDING * facet.normal.abs().dot(sizes);
        if before.value < -error {
            return Continue(());
        }
        // Only if both are thin may they touch on either side. Touching then does not tell the side, so it is the one
        // that they came from.
        let is_thin = difference.is_thin_across(&then, &facet, before.value);
        let is_held = before.value > error || !is_thin || {
            let first = facet.gap(&start, sweep.body().center().as_dvec3());
            first.value > first.error
        };
        let (gap, length) = (facet.gap(&now, body.center().as_dvec3()), facet.normal.length());
        let least = if is_thin { f64::MIN_POSITIVE } else { 0.0 };
        let found = Gap::new(gap.value / length, (gap.error / length).max(least), facet.normal / length);
        let best = if is_held { &mut held } else { &mut doubtful };
        *best = Some(best.map_or(found, |best| best.or(found)));
        Continue(())
    });
    held.or(doubtful).unwrap_or_else(|| solid::gap(difference, body))
}

/// The same for a ball, along the normal of the plane that touches the solid where it is nearest to the sweep at that
/// time.
fn of_ball(
    sweep: &SphereSweep,
    time: f32,
    ball: &Sphere,
    gap: impl Fn(&Ball) -> Gap,
    now: impl FnOnce() -> Gap,
) -> Gap {
    let radius = f64::from(ball.radius());
    let then = |time: f64| {
        let at = sweep.exactly_at(time);
        let gap = gap(&Ball::new(at, radius));
        // The nearest point of the solid, along the normal.
        (gap, radius, at - gap.normal * (gap.separation + radius))
    };
    let size = size_of(sweep.body().center(), sweep.motion());
    beyond(time, size, &then, ball.center()).unwrap_or_else(now)
}

/// The same beside a polygon.
fn of_ball_beside(polygon: &Polygon, sweep: &SphereSweep, time: f32, ball: &Sphere, now: impl FnOnce() -> Gap) -> Gap {
    let start = Ball::from(sweep.body());
    let measured = MeasuredPolygon::new(polygon);
    let gap = |at: &Ball| at.gap_to_polygon(&measured, start.side_of(polygon, at.center - start.center));
    of_ball(sweep, time, ball, gap, now)
}

/// Fractions of the time at which the side is determined for a sweep that has come to the surface: before, it had not
/// passed the surface.
const BEFORE: [f64; 4] = [1.0, 1.0 - 1.0 / 1024.0, 0.5, 0.0];

/// The gap of a body along the normal that its sweep had at a time, if the body's centre has passed the solid's origin;
/// `None` if it has not, or if the sweep was in the solid. `then` returns, for a time of the sweep, the gap, how far
/// both together extend from the origin, and the origin. No coordinate of the sweep is larger than `size`.
pub(super) fn beyond(time: f32, size: f64, then: &dyn Fn(f64) -> (Gap, f64, DVec3), center: Vec3) -> Option<Gap> {
    let time = time_of_step(time);
    let error = |reach: f64, origin: DVec3| 128.0 * ROUNDING * (size + origin.abs().max_element() + reach);
    let mut sides = BEFORE.into_iter().map(|share| then(share * time));
    let is_known = |(gap, reach, origin): &(Gap, f64, DVec3)| gap.separation + reach > error(*reach, *origin);
    let (gap, reach, origin) = sides.find(is_known)?;
    if gap.separation < 0.0 {
        return None;
    }
    let (lead, error) = (gap.normal.dot(center.as_dvec3() - origin), error(reach, origin));
    (lead <= error).then(|| Gap::new(lead - reach - 2.0 * error, error, gap.normal))
}

/// At least as large as any coordinate of a sweep.
pub(crate) fn size_of(center: Vec3, motion: Vec3) -> f64 {
    f64::from(center.abs().max_element()) + f64::from(motion.abs().max_element())
}
