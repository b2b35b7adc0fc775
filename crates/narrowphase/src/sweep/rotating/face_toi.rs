//! When the gap along a fixed normal closes, for a plane or for a facet of the Minkowski difference with a solid.
//!
//! With `a` the axis and `w` the angle over the step, a half edge along the normal is
//!
//! ```text
//!   h(t)·N = C + A cos wt + B sin wt,    C = (a·h)(a·N),   A = h·N − C,   B = (a × h)·N
//! ```
//!
//! so the gap and its rate cost one sine and one cosine, and no vertex's height is curved by more than `P w²`, `P`
//! being the longest of the sums `Σ ±(A, B)`. As long as the centre is higher than `Σ |C| + P`, nothing can touch,
//! which clears most boxes and starts the search late for the others.
//!
//! Source: Rodrigues' rotation formula; see [`super::toi`] for the search.

use super::{
    TurningBoxSweep,
    budget::Budget,
    rotation::{AngularMotion, cross, sin_cos},
    toi::{GapSample, MAX_EVALUATIONS, StepBounds, first_touch},
};
use crate::{
    arrays::Mapped,
    exact::ROUNDING,
    minkowski::{DifferenceBox, Facet, FacetKind, MinkowskiDifference},
    sweep::plane::projection::BoxPlaneF64,
};
use glam::{DVec3, swizzles::Vec3Swizzles};
use smallvec::SmallVec;
use std::ops::{ControlFlow::Continue, Range};

/// The gap of a rotating box along a fixed normal, as a function of time.
#[derive(Clone, Copy, Debug)]
pub(super) struct GapCurve {
    /// The height of the centre along the normal, and its first and second derivative.
    height: f64,
    speed: f64,
    acceleration: f64,
    /// The angle in quarter turns over the step.
    quarters: f64,
    /// The half edges along the normal: `C`, `A` and `B`; and `B` and `A` times the angle.
    still: DVec3,
    cosine: DVec3,
    sine: DVec3,
    rates: [DVec3; 2],
}

impl GapCurve {
    /// Over a plane, on one side of it.
    #[inline(always)]
    pub(super) fn over_plane(
        projection: &BoxPlaneF64,
        side: f64,
        angular: &AngularMotion,
        [speed, acceleration]: [f64; 2],
    ) -> Self {
        // With the rotation vector instead of the axis, so that nothing waits for a root and then for a quotient.
        let rotation = angular.rotation;
        let still = projection.edges_along(rotation) * (rotation.dot(projection.normal) * angular.inverse_square);
        let (cosine, rate) = (projection.along - still, projection.edges_along(cross(projection.normal, rotation)));
        Self {
            height: side * projection.height,
            speed: side * speed,
            acceleration: side * acceleration,
            quarters: angular.quarters,
            still,
            cosine,
            sine: rate * (angular.angle * angular.inverse_square),
            rates: [rate, cosine * angular.angle],
        }
    }

    /// Along a unit normal, above a level over which the centre is at `height`, with its first and second derivative.
    pub(super) fn over_level(
        edges: [DVec3; 3],
        normal: DVec3,
        height: f64,
        angular: &AngularMotion,
        [speed, acceleration]: [f64; 2],
    ) -> Self {
        let along = |v: DVec3| DVec3::new(edges[0].dot(v), edges[1].dot(v), edges[2].dot(v));
        let still = along(angular.axis) * angular.axis.dot(normal);
        let (cosine, sine) = (along(normal) - still, along(cross(normal, angular.axis)));
        let rates = [sine * angular.angle, cosine * angular.angle];
        Self { height, speed, acceleration, quarters: angular.quarters, still, cosine, sine, rates }
    }

    #[inline(always)]
    pub(super) fn at(&self, time: f64) -> GapSample {
        let (sin, cos) = sin_cos(self.quarters * time);
        GapSample {
            height: self.height + (self.speed + 0.5 * self.acceleration * time) * time,
            rise: self.speed + self.acceleration * time,
            reaches: self.still + self.cosine * cos + self.sine * sin,
            rates: self.rates[0] * cos - self.rates[1] * sin,
        }
    }

    /// `P`: no vertex's height rotates with a larger amplitude.
    #[inline(always)]
    pub(super) fn rotating_radius(&self) -> f64 {
        circumradius([self.cosine, self.sine])
    }

    /// `Σ |C|`: the part of all vertices' heights that does not change with the rotation.
    #[inline(always)]
    pub(super) fn still_reach(&self) -> f64 {
        self.still.abs().element_sum()
    }

    /// The part of the step in which the centre may be as low as `highest`; `None` if it never is.
    #[inline(always)]
    pub(super) fn window(&self, highest: f64) -> Option<Range<f64>> {
        let clearance = self.height - highest;
        // At any time of the step it has changed by no less than this times that time.
        let least = self.speed + (0.5 * self.acceleration).min(0.0);
        if clearance > 0.0 {
            (clearance + least <= 0.0).then(|| clearance / -least..1.0)
        } else {
            Some(0.0..if least > -clearance { -clearance / least } else { 1.0 })
        }
    }

    /// Bounds for the whole step, given a radius no less than [`GapCurve::rotating_radius`].
    #[inline(always)]
    pub(super) fn bounds(&self, radius: f64, angular: &AngularMotion, error: f64, skin: f32) -> StepBounds {
        let covered = self.speed.abs() + self.acceleration.abs() + radius * angular.angle;
        let bend = radius * angular.angle * angular.angle * (1.0 + 1e-9);
        StepBounds {
            curvature: (bend - self.acceleration).max(0.0),
            upward: (bend + self.acceleration).max(0.0),
            error,
            rate_error: error * (1.0 + angular.angle),
            skin: effective_skin(skin, covered, error),
            max_evaluations: MAX_EVALUATIONS,
            cost: 1,
        }
    }
}

/// The gap that counts as touching: the skin less what rounding the time to `f32` adds, but no less than `f64`
/// resolves.
#[inline(always)]
pub(super) fn effective_skin(skin: f32, covered: f64, error: f64) -> f64 {
    let rounding = 0.5 * f64::from(f32::EPSILON) * covered;
    let least = 8.0 * error;
    let skin = f64::from(skin) - rounding;
    if skin > least { skin } else { least }
}

/// The length of the longest `±a ±b ±c` of three vectors, given by coordinate. Its square is
/// `|a|² + |b|² + |c|² + 2 (± a·b ± a·c ± b·c)`, where an even number of the three signs is negative.
#[inline(always)]
pub(super) fn circumradius<const N: usize>(rows: [DVec3; N]) -> f64 {
    let (mut squares, mut products) = (DVec3::ZERO, DVec3::ZERO);
    for row in rows {
        squares += row * row;
        products += row * row.yzx();
    }
    let sizes = products.abs();
    // If not all three can count positively, the least counts negatively.
    let is_odd = (products.x < 0.0) ^ (products.y < 0.0) ^ (products.z < 0.0);
    let lost = if is_odd { sizes.min_element() } else { 0.0 };
    (squares.element_sum() + 2.0 * sizes.element_sum() - 4.0 * lost).sqrt()
}

/// The gap along a facet over a step, and its bounds.
pub(super) struct FacetGap {
    curve: GapCurve,
    bounds: StepBounds,
}

impl FacetGap {
    /// Along a facet of the Minkowski difference of a solid and the box of a sweep.
    pub(super) fn new(
        sweep: &TurningBoxSweep,
        difference: &MinkowskiDifference,
        angular: &AngularMotion,
        facet: &Facet,
        skin: f32,
    ) -> Self {
        let facet = if facet.kind == FacetKind::Edges { difference.supporting(facet.normal) } else { *facet };
        let length = facet.normal.length();
        let normal = facet.normal / length;
        let (support, support_error) = facet.support_of_solid();
        let edges = sweep.body().wide_edges();
        let center = sweep.body().center().as_dvec3();
        let height = normal.dot(center) - support / length;
        let (motion, acceleration) = (sweep.motion().as_dvec3(), sweep.acceleration().as_dvec3());
        let derivatives = [normal.dot(motion), normal.dot(acceleration)];
        let curve = GapCurve::over_level(edges, normal, height, angular, derivatives);
        let size: f64 = edges.iter().map(|edge| edge.abs().element_sum()).sum();
        let sums = center.abs() + motion.abs() + acceleration.abs();
        let lengths = sums.element_sum() + (support / length).abs() + 2.0 * size * (2.0 + angular.angle);
        let error = 32.0 * ROUNDING * lengths + support_error / length;
        let radius = curve.rotating_radius() + 16.0 * ROUNDING * size;
        let bounds = curve.bounds(radius, angular, error, skin);
        Self { curve, bounds }
    }

    /// As [`first_touch`], from `time` on.
    pub(super) fn first_touch(&self, time: f64, budget: &Budget) -> Option<f64> {
        first_touch(|time| self.curve.at(time), &self.bounds, time..1.0, budget)
    }

    /// The vertices, as signs of the half edges, that touch at a time and come closer.
    fn closing_vertices(&self, time: f64) -> impl Iterator<Item = [f64; 3]> {
        let (at, rate_error) = (self.curve.at(time), self.bounds.rate_error);
        // The vertices that `first_touch` considers.
        let highest = 0.5 * (self.bounds.skin + at.gap());
        let sum = |signs: [f64; 3], v: DVec3| signs[0] * v.x + signs[1] * v.y + signs[2] * v.z;
        (0..8).map(|vertex| [0, 1, 2].mapped(|i| if vertex >> i & 1 == 1 { 1.0 } else { -1.0 })).filter(move |signs| {
            let (height, rate) = (at.height + sum(*signs, at.reaches), at.rise + sum(*signs, at.rates));
            height <= highest && rate < -rate_error
        })
    }
}

impl TurningBoxSweep {
    /// The face of the solid that separates the two most at a time, if one certainly does.
    pub(super) fn max_separation_face(
        &self,
        difference: &MinkowskiDifference,
        angular: &AngularMotion,
        time: f64,
    ) -> Option<Facet> {
        let edges = if time > 0.0 { self.edges_f64_at(angular, time) } else { self.body().wide_edges() };
        let (body, center) = (DifferenceBox::rotated(self.body(), edges), self.center_at(time));
        let separation = |facet: Facet| {
            let gap = facet.gap(&body, center);
            (gap.value > gap.error).then(|| (gap.value / facet.normal.length(), facet))
        };
        let best = difference.faces().filter_map(separation).max_by(|a, b| a.0.total_cmp(&b.0));
        best.map(|(_, facet)| facet)
    }

    /// Whether a vertex that touches and comes closer along a face of the solid does so above the face itself: then
    /// that is where the two touch, whatever other facets there are.
    pub(super) fn lands_on_face(
        &self,
        difference: &MinkowskiDifference,
        angular: &AngularMotion,
        face: &Facet,
        gap: &FacetGap,
        time: f64,
    ) -> bool {
        let mut touching = gap.closing_vertices(time).peekable();
        if touching.peek().is_none() {
            return false;
        }
        let ([a, b, c], center) = (self.edges_f64_at(angular, time), self.center_at(time));
        touching.any(|[x, y, z]| {
            let vertex = center + a * x + b * y + c * z;
            difference.is_below(vertex, face)
        })
    }

    /// The facets along which the two do not certainly overlap at a time, the one with the largest separation first.
    pub(super) fn open_facets(
        &self,
        difference: &MinkowskiDifference,
        angular: &AngularMotion,
        time: f64,
    ) -> SmallVec<[Facet; 32]> {
        let body = DifferenceBox::rotated(self.body(), self.edges_f64_at(angular, time));
        let center = self.center_at(time);
        let (mut open, mut largest) = (SmallVec::<[Facet; 32]>::new(), f64::NEG_INFINITY);
        let _ = difference.facets(&body, &mut |facet| {
            let gap = facet.gap(&body, center);
            if gap.value >= -gap.error {
                let separation = gap.value / facet.normal.length();
                open.push(facet);
                if separation > largest {
                    largest = separation;
                    let last = open.len() - 1;
                    open.swap(0, last);
                }
            }
            Continue(())
        });
        open
    }
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
