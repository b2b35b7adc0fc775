//! How long a rotating box and a vertex of a solid, which may rotate as well, stay on opposite sides of a plane that
//! rotates.
//!
//! Where a corner of the solid lies on a face of the box, the plane between them has to rotate with the box; where
//! edges cross, it has to rotate about the solid's edge, so that it stays along both. With `Y` from the solid's pivot
//! to the box's centre, `r` from the pivot to the vertex, `N` the plane's normal, `e` the half edges and `ω_b`, `ω_s`
//! and `ω` the rates of box, solid and plane, all at `t`,
//!
//! ```text
//!   g = N·(Y − r) − Σ |e·N|,    N' = ω × N,    (e·N)' = ((ω_b − ω) × e)·N,    (r·N)' = ((ω_s − ω) × r)·N
//! ```
//!
//! No vertex's height is curved by more than
//! `ω² |Y| + 2 ω |Y'| + |a| + |ω_b − ω| (ω_b + ω) R + |ω_s − ω| (ω_s + ω) |r|`, `R` being the box's radius.

use super::{
    TurningBoxSweep,
    face_toi::effective_skin,
    rotation::{AngularMotion, cross},
    toi::{GapSample, StepBounds, ToiLimits, first_touch},
};
use crate::{
    Obb,
    arrays::Mapped,
    exact::ROUNDING,
    minkowski::{DifferenceBox, Facet, MinkowskiDifference, sat::Axes},
};
use arrayvec::ArrayVec;
use glam::DVec3;
use std::ops::ControlFlow::{Break, Continue};

/// Evaluations of the gap to one vertex: enough to get away from where the two touch.
const FEW_EVALUATIONS: u32 = 12;

/// Each costs as much as this many evaluations at a plane that does not rotate.
const EVALUATION_COST: u32 = 4;

/// A box and a solid that both move and rotate, in the frame in which the solid's pivot stays where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct RelativeMotion {
    /// The box.
    pub(super) center: DVec3,
    pub(super) edges: [DVec3; 3],
    pub(super) motion: DVec3,
    acceleration: DVec3,
    pub(super) angular: AngularMotion,
    /// The point that the solid rotates about, and how it rotates.
    pub(super) pivot: DVec3,
    pub(super) solid_angular: AngularMotion,
    /// How far the solid extends beyond its vertices: a ball is one vertex and a radius.
    pub(super) radius: f64,
}

/// A plane that rotates, starting at some time.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeparatingPlane {
    /// Unit normal, from the solid to the box, at that time.
    pub(super) normal: DVec3,
    /// Its rate of rotation, in radians over the step.
    pub(super) spin: DVec3,
}

impl RelativeMotion {
    /// The motion relative to a solid at rest.
    pub(super) fn to_fixed(sweep: &TurningBoxSweep) -> Self {
        Self {
            center: sweep.body().center().as_dvec3(),
            edges: sweep.body().wide_edges(),
            motion: sweep.motion().as_dvec3(),
            acceleration: sweep.acceleration().as_dvec3(),
            angular: sweep.angular_motion(),
            pivot: DVec3::ZERO,
            solid_angular: AngularMotion::new(DVec3::ZERO),
            radius: 0.0,
        }
    }

    /// The motion relative to another box, which rotates about its centre.
    pub(super) fn to_box(sweep: &TurningBoxSweep, other: &TurningBoxSweep) -> Self {
        let fixed = Self::to_fixed(sweep);
        Self {
            motion: fixed.motion - other.motion().as_dvec3(),
            acceleration: fixed.acceleration - other.acceleration().as_dvec3(),
            pivot: other.body().center().as_dvec3(),
            solid_angular: other.angular_motion(),
            ..fixed
        }
    }

    /// Where the box's centre is at a time.
    pub(super) fn center_at(&self, time: f64) -> DVec3 {
        self.center + (self.motion + 0.5 * self.acceleration * time) * time
    }

    /// Whether the bounding spheres of both are certain never to meet, judged along one coordinate axis.
    pub(super) fn is_far(&self, other: &Obb, skin: f32) -> bool {
        let radius = |edges: [DVec3; 3]| edges.iter().map(|edge| edge.length()).sum::<f64>();
        let reach = (radius(self.edges) + radius(other.wide_edges()) + f64::from(skin.max(0.0))) * (1.0 + 1e-9);
        let (way, half) = (self.center - self.pivot, 0.5 * self.acceleration);
        let (low, high) = (
            self.motion.min(DVec3::ZERO) + half.min(DVec3::ZERO),
            self.motion.max(DVec3::ZERO) + half.max(DVec3::ZERO),
        );
        let margin = reach + 1e-12 * (self.center.abs() + self.pivot.abs() + high - low).element_sum();
        (way + low).cmpgt(DVec3::splat(margin)).any() || (way + high).cmplt(DVec3::splat(-margin)).any()
    }

    /// How long, from `time` on, the box is certain to be on one side of a plane through the vertex that is at `arm`
    /// from the pivot at the start; as [`first_touch`]. The vertex may err by `vertex_error`.
    pub(super) fn apart_until(
        &self,
        plane: &SeparatingPlane,
        arm: DVec3,
        vertex_error: f64,
        time: f64,
        search: ToiLimits,
    ) -> Option<f64> {
        let SeparatingPlane { normal, spin } = *plane;
        // For a solid that does not rotate, the vertex itself is a pivot.
        let is_still = self.solid_angular.angle == 0.0;
        let (pivot, arm) = if is_still { (self.pivot + arm, DVec3::ZERO) } else { (self.pivot, arm) };
        let (plane_angular, solid_spin) = (AngularMotion::new(spin), self.solid_angular.rate());
        let (relative, solid_relative) = (self.angular.rate() - spin, solid_spin - spin);
        let sample = |at: f64| {
            let normal = plane_angular.rotated_vector(normal, at - time);
            let edges = self.angular.rotated_vectors(self.edges, at);
            let arm = self.solid_angular.rotated_vector(arm, at);
            let (way, speed) = (self.center_at(at) - pivot, self.motion + self.acceleration * at);
            let along = |v: DVec3| DVec3::from_array(edges.mapped(|edge| edge.dot(v)));
            GapSample {
                height: normal.dot(way - arm) - self.radius,
                rise: cross(spin, normal).dot(way) + normal.dot(speed) - normal.dot(cross(solid_relative, arm)),
                reaches: along(normal),
                rates: along(cross(normal, relative)),
            }
        };
        let bounds = self.bounds(pivot, arm, [spin, relative, solid_relative], vertex_error, search.skin, time);
        first_touch(sample, &bounds, time..1.0, search.budget)
    }

    /// See the module head.
    fn bounds(
        &self,
        pivot: DVec3,
        arm: DVec3,
        spins: [DVec3; 3],
        vertex_error: f64,
        skin: f32,
        time: f64,
    ) -> StepBounds {
        let [spin, relative, solid_relative] = spins.mapped(DVec3::length);
        let (motion, acceleration) = (self.motion.length(), self.acceleration.length());
        let (radius, arm) = (self.edges.iter().map(|edge| edge.length()).sum::<f64>(), arm.length());
        let fastest = motion + acceleration;
        let way = (self.center_at(time) - pivot).length() + fastest * (1.0 - time);
        let (angle, solid_angle) = (self.angular.angle, self.solid_angular.angle);
        let bend = relative * (angle + spin) * radius + solid_relative * (solid_angle + spin) * arm;
        let curvature = (spin * (spin * way + 2.0 * fastest) + acceleration + bend) * (1.0 + 1e-9);
        let lengths = self.center.length() + 2.0 * pivot.length() + self.radius + fastest + 2.0 * (radius + arm);
        let error = 64.0 * ROUNDING * lengths * (2.0 + angle + solid_angle + spin) + vertex_error;
        let covered = fastest + spin * way + relative * radius + solid_relative * arm;
        StepBounds {
            curvature,
            upward: curvature,
            error,
            rate_error: error * (1.0 + angle + solid_angle + spin),
            skin: effective_skin(skin, covered, error),
            max_evaluations: FEW_EVALUATIONS,
            cost: EVALUATION_COST,
        }
    }

    /// The vector from the pivot to a vertex of the solid as it is at `time`, rotated back to the start.
    fn arm(&self, vertex: DVec3, time: f64) -> DVec3 {
        let back = AngularMotion::new(-self.solid_angular.rate());
        back.rotated_vector(vertex - self.pivot, time)
    }

    /// How long the two are certain to be apart along a facet that rotates with the solid, all of which stays behind
    /// the facet.
    fn apart_with_solid(
        &self,
        difference: &MinkowskiDifference,
        facet: &Facet,
        time: f64,
        search: ToiLimits,
    ) -> Option<f64> {
        let normal = facet.unit_normal();
        let top = difference.vertices.iter().copied().max_by(|a, b| normal.dot(*a).total_cmp(&normal.dot(*b)))?;
        let plane = SeparatingPlane { normal, spin: self.solid_angular.rate() };
        self.apart_until(&plane, self.arm(top, time), difference.vertex_error, time, search)
    }

    /// How long, from `time` on, the two are certain to be apart along a facet that rotates with the box, or about an
    /// edge of the solid; as [`first_touch`].
    pub(super) fn apart_across(
        &self,
        difference: &MinkowskiDifference,
        facet: &Facet,
        time: f64,
        search: ToiLimits,
    ) -> Option<f64> {
        let normal = facet.unit_normal();
        let height = |vertex: &DVec3| normal.dot(*vertex);
        let vertices = difference.vertices.iter().copied();
        let Some(top) = vertices.clone().max_by(|a, b| height(a).total_cmp(&height(b))) else {
            return Some(time);
        };
        let others = || vertices.clone().filter(|vertex| *vertex != top);
        let mut latest = Some(time);
        for spin in self.spins(normal, top, others(), time) {
            let plane = SeparatingPlane { normal, spin };
            // The highest first: it is the most likely to be in the way.
            let mut first = None;
            for vertex in std::iter::once(top).chain(others()) {
                let arm = self.arm(vertex, time);
                if let Some(until) = self.apart_until(&plane, arm, difference.vertex_error, time, search) {
                    first = Some(first.map_or(until, |first: f64| first.min(until)));
                    if until <= time {
                        break;
                    }
                }
            }
            latest = latest.and_then(|latest: f64| first.map(|first| first.max(latest)));
        }
        latest
    }

    /// The rates at which a plane between the two may rotate: that of the box, and, about the solid's edge, those that
    /// an edge of the box requires.
    fn spins(&self, normal: DVec3, top: DVec3, others: impl Iterator<Item = DVec3>, time: f64) -> ArrayVec<DVec3, 4> {
        let mut spins = ArrayVec::from_iter([self.angular.rate()]);
        let next = others.max_by(|a, b| normal.dot(*a).total_cmp(&normal.dot(*b)));
        let Some(along) = next.and_then(|next| (next - top).try_normalize()) else { return spins };
        let solid_spin = self.solid_angular.rate();
        let relative = self.angular.rate() - solid_spin;
        for edge in self.angular.rotated_vectors(self.edges, time) {
            // N·e = 0 is kept where N' = λ (along × N) has (along × N)·e λ = −N·(ω × e).
            let (fall, lift) = (normal.dot(cross(relative, edge)), cross(along, normal).dot(edge));
            if normal.dot(edge).abs() < 1e-3 * edge.length() && lift.abs() > 1e-3 * edge.length() {
                spins.push(solid_spin - along * (fall / lift));
            }
        }
        spins
    }

    /// How long the two are certain to be apart along facets that rotate with the solid: the one with the largest
    /// separation, or else any along which they are apart.
    pub(super) fn apart_along_facets(
        &self,
        difference: &MinkowskiDifference,
        body: &DifferenceBox,
        time: f64,
        search: ToiLimits,
    ) -> Option<f64> {
        let center = self.center_at(time);
        let best = max_separation(difference, body, center)?;
        let first = self.apart_with_solid(difference, &best, time, search)?;
        if first > time {
            return Some(first);
        }
        let until = |facet: &Facet| self.apart_with_solid(difference, facet, time, search);
        latest(difference, body, center, first, &until)
    }

    /// The same along facets that rotate otherwise, for two that come closer along all facets that rotate with the
    /// solid.
    pub(super) fn separates(
        &self,
        difference: &MinkowskiDifference,
        body: &DifferenceBox,
        time: f64,
        search: ToiLimits,
    ) -> Option<f64> {
        let until = |facet: &Facet| self.apart_across(difference, facet, time, search);
        latest(difference, body, self.center_at(time), time, &until)
    }
}

/// The facet along which a box with its centre at `center` is farthest from the solid, or least deep in it.
pub(super) fn max_separation(difference: &MinkowskiDifference, body: &DifferenceBox, center: DVec3) -> Option<Facet> {
    let mut best: Option<(f64, Facet)> = None;
    let _ = difference.facets_along(Axes::ALL, body, |facet| {
        let separation = facet.gap(body, center).value / facet.normal.length();
        if best.is_none_or(|(largest, _)| separation > largest) {
            best = Some((separation, facet));
        }
        Continue(())
    });
    best.map(|(_, facet)| facet)
}

/// The latest time, `time` or later, that `until` returns for a facet along which the two may be apart; `None`, meaning
/// the rest of the step, as soon as it returns `None` for one.
fn latest(
    difference: &MinkowskiDifference,
    body: &DifferenceBox,
    center: DVec3,
    time: f64,
    until: &dyn Fn(&Facet) -> Option<f64>,
) -> Option<f64> {
    let mut latest = time;
    let verdict = difference.facets(body, &mut |facet| {
        let gap = facet.gap(body, center);
        if gap.value < -gap.error {
            return Continue(());
        }
        match until(&facet) {
            Some(until) => latest = latest.max(until),
            None => return Break(()),
        }
        Continue(())
    });
    verdict.is_continue().then_some(latest)
}
