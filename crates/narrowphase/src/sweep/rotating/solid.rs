//! A rotating box against a convex solid.
//!
//! As long as the two are apart along one direction they do not touch, and along a fixed direction the box extends as
//! it does over a plane. So take the facet of the Minkowski difference that separates them most, find out how long it
//! does, and take the next facet at that time, until none separates them by more than the skin.
//!
//! Sources: Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996, §2.3; Catto, "Continuous
//! Collision", GDC 2013 (bilateral advancement). Both stop close to a touch; the bound on the curvature ensures that no
//! advance passes one.

use super::{
    TurningBoxSweep,
    budget::{Budget, FACETS},
    face_toi::{FacetGap, circumradius},
    separating_plane::{RelativeMotion, max_separation},
    toi::ToiLimits,
};
use crate::{
    arrays::Mapped,
    contact::manifold,
    distance::solid::penetration,
    exact::ROUNDING,
    minkowski::{DifferenceBox, Facet, FacetKind, MinkowskiDifference},
    sweep::{Sweep, SweepHit, round_toi, solid},
};
use glam::DVec3;

/// Nearly all sweeps need a handful. A box that spins beside a solid needs one for each angle at which the gap is a
/// quarter of the square of it, in units of the box's radius; with less than a thousandth left for three rotations it
/// is stopped early after this many.
pub(super) const MAX_FACETS: usize = 1024;

/// How often per sweep a box within the skin is tested for separation along planes that rotate, which cost the most.
pub(super) const MAX_SEPARATIONS: usize = 4;

impl TurningBoxSweep {
    /// Sweeps against a solid that the box does not touch before `free_until`.
    pub(super) fn against_difference(
        &self,
        difference: &MinkowskiDifference,
        free_until: f64,
        skin: f32,
        budget: &Budget,
    ) -> Sweep {
        if self.only_translates() {
            return self.sweep.against_difference(difference);
        }
        if self.stays_in_front(difference, skin) || self.stays_beside(difference) {
            return Sweep::Clear;
        }
        let angular = self.angular_motion();
        let (mut time, mut separations) = (free_until, 0);
        for _ in 0..MAX_FACETS {
            budget.take(FACETS / 8);
            // Mostly a face of the solid decides, and no other facet is needed.
            if let Some(face) = self.max_separation_face(difference, &angular, time) {
                let gap = FacetGap::new(self, difference, &angular, &face, skin);
                let Some(until) = gap.first_touch(time, budget) else { return Sweep::Clear };
                if self.lands_on_face(difference, &angular, &face, &gap, until) {
                    return self.hit_on_face(difference, face, until);
                }
                if until > time {
                    time = until;
                    continue;
                }
            } else if time == 0.0
                && let Some(start) = penetration(difference, self.body()).filter(|start| start.separation < 0.0)
            {
                return Sweep::Overlap(solid::overlap_of(self.body(), &start));
            }
            if budget.is_spent() {
                break;
            }
            budget.take(FACETS);
            // Along facets that stay as they are: the first of them, or else any.
            let open = self.open_facets(difference, &angular, time);
            let fixed =
                |facet: &Facet| FacetGap::new(self, difference, &angular, facet, skin).first_touch(time, budget);
            let (first, others) = open.split_at(open.len().min(1));
            let Some(mut next) = latest(first, time, fixed) else { return Sweep::Clear };
            if next <= time {
                let Some(later) = latest(others, next, fixed) else { return Sweep::Clear };
                next = later;
            }
            // If it comes closer along all of these: along planes that rotate.
            if next <= time && separations < MAX_SEPARATIONS {
                let motion = RelativeMotion::to_fixed(self);
                let across = |facet: &Facet| motion.apart_across(difference, facet, time, ToiLimits { skin, budget });
                let Some(later) = latest(&open, time, across) else { return Sweep::Clear };
                (next, separations) = (later, separations + 1);
            }
            if next <= time {
                break;
            }
            time = next;
        }
        self.hit_at(difference, time, self.center_at(round_toi(time).into()))
    }

    /// Whether the bounds of all positions of the box are apart from those of the solid.
    fn stays_beside(&self, difference: &MinkowskiDifference) -> bool {
        let [center, motion, half] =
            [self.body().center(), self.motion(), 0.5 * self.acceleration].mapped(|v| v.as_dvec3());
        let radius: f64 = self.body().wide_edges().iter().map(|edge| edge.length()).sum();
        // By the end it has moved no farther, either way, than with the whole acceleration or without any.
        let (low, high) = (motion.min(motion + half).min(DVec3::ZERO), motion.max(motion + half).max(DVec3::ZERO));
        let rounding = 32.0 * ROUNDING * (center.abs() + motion.abs() + half.abs()).max_element();
        let margin = radius + rounding + difference.vertex_error;
        let [min, max] = difference.bounds;
        (center + low - margin).cmpgt(max).any() || (center + high + margin).cmplt(min).any()
    }

    /// Whether the box stays in front of a face of the solid by more than the skin, however it rotates.
    fn stays_in_front(&self, difference: &MinkowskiDifference, skin: f32) -> bool {
        let [center, motion, half] =
            [self.body().center(), self.motion(), 0.5 * self.acceleration].mapped(|v| v.as_dvec3());
        let edges = self.body().wide_edges();
        let radius = circumradius([0, 1, 2].mapped(|i| DVec3::new(edges[0][i], edges[1][i], edges[2][i])));
        // Rotation moves no vertex farther than along the arc.
        let arc = self.angular_motion().angle * radius;
        let sums = center.abs() + motion.abs() + half.abs();
        let skin = f64::from(skin).max(0.0);
        difference.planes.iter().any(|plane| {
            let (normal, length) = (plane.normal, plane.normal.length());
            let reach: f64 = edges.iter().map(|edge| normal.dot(*edge).abs()).sum();
            let reach = (reach + length * arc).min(length * radius);
            let nearest = normal.dot(center) + normal.dot(motion).min(0.0) + normal.dot(half).min(0.0) - plane.distance;
            let error = 32.0 * ROUNDING * (normal.abs().dot(sums) + plane.distance.abs() + reach);
            nearest - reach > error + length * (skin + difference.plane_error)
        })
    }

    /// The hit at `time`, where the centre is at `unrounded`.
    pub(super) fn hit_at(&self, difference: &MinkowskiDifference, time: f64, unrounded: DVec3) -> Sweep {
        let toi = round_toi(time);
        let there = if toi > 0.0 { self.pose(toi) } else { *self.body() };
        let body = DifferenceBox::new(&there);
        let center = there.center();
        let Some(facet) = max_separation(difference, &body, center.as_dvec3()) else { return Sweep::Clear };
        // A small box may have been rounded through a thin solid: it is held on the side on which it was before.
        let gap = facet.gap(&body, unrounded);
        let is_passed = gap.value < -gap.error;
        let facet = if is_passed { max_separation(difference, &body, unrounded).unwrap_or(facet) } else { facet };
        // The support that no vertex exceeds: that of an edge leaves out the rounding of its direction.
        let facet = if facet.kind == FacetKind::Edges { difference.supporting(facet.normal) } else { facet };
        hit(difference, &body, toi, &facet)
    }

    /// The same on a face that is known to have the largest separation.
    fn hit_on_face(&self, difference: &MinkowskiDifference, face: Facet, time: f64) -> Sweep {
        let toi = round_toi(time);
        let there = if toi > 0.0 { self.pose(toi) } else { *self.body() };
        hit(difference, &DifferenceBox::new(&there), toi, &face)
    }
}

/// The latest time, `time` or later, that `until` returns for one of these facets; `None`, meaning the rest of the
/// step, as soon as it returns `None` for one.
fn latest(facets: &[Facet], time: f64, until: impl Fn(&Facet) -> Option<f64>) -> Option<f64> {
    facets.iter().try_fold(time, |latest, facet| Some(until(facet)?.max(latest)))
}

/// The hit at `toi` of a box next to `facet`.
fn hit(difference: &MinkowskiDifference, body: &DifferenceBox, toi: f32, facet: &Facet) -> Sweep {
    let center = body.obb.center();
    // `None` only at the end of the range of coordinates.
    let position = solid::depenetrate_from(facet, body, center).unwrap_or(center);
    let contacts = manifold::contacts(difference, body, position.as_dvec3(), facet.unit_normal());
    Sweep::Hit(SweepHit { toi, normal: facet.rounded_normal(), position, contacts })
}
