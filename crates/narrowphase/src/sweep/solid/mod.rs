//! A translating box against a convex solid: the path of its centre against the facets of their Minkowski difference.
//!
//! Reading order: [`shapes`], the public sweep against each solid; this file.
//!
//! For a facet with gap `g` at the start and departure `v` over the step: if `g >= 0` and `v >= 0`, the two never meet;
//! otherwise the centre is behind the facet from `g / −v` on, or until `−g / v`. It enters the difference at the latest
//! of the former times, unless the earliest of the latter comes first. A gap within its own rounding error counts as
//! touching. If the difference is thinner than the rounding of its distance, both times are the same and count.
//!
//! Sources: Cyrus and Beck 1978 for the clipping; Ericson, "Real-Time Collision Detection", §5.5.8 (moving separating
//! axes); Lengyel, "Mathematics for 3D Game Programming and Computer Graphics", §12.2, for the half-open step.

mod shapes;

pub(crate) use shapes::stays_beside;

use super::{BoxSweep, Overlap, Sweep, SweepHit, plane::exact::main_axis, round_toi};
use crate::{
    Gap, Obb,
    contact::{contacts, manifold},
    exact::{ROUNDING, unit},
    minkowski::{
        BoundedValue, DifferenceBox, Facet, FacetKind, MinkowskiDifference,
        sat::{self, Axes, WideBox},
    },
};
use glam::{DVec3, Vec3};
use std::ops::ControlFlow::{Break, Continue};

/// How the path of a box meets a Minkowski difference.
pub(super) enum FirstContact {
    /// Never, or only while moving away or along; or too late.
    Clear,
    /// When, and through which facet.
    Enters(f64, Facet),
    /// Inside from the start, by the separation of the shallowest facet.
    Inside(f64, Facet),
}

impl BoxSweep {
    pub(super) fn against_difference(&self, difference: &MinkowskiDifference) -> Sweep {
        self.against_difference_until(difference, 1.0)
    }

    /// The same, but a touch later than `until` may be left out.
    fn against_difference_until(&self, difference: &MinkowskiDifference, until: f64) -> Sweep {
        let body = DifferenceBox::new(self.body());
        // Bodies thinner than rounding may be met when the step is over.
        let until = if until < 1.0 { until } else { f64::INFINITY };
        match first_contact_until(difference, &body, self.motion().as_dvec3(), until) {
            FirstContact::Clear => Sweep::Clear,
            FirstContact::Enters(toi, facet) => Sweep::Hit(self.hit(difference, &body, toi, facet)),
            FirstContact::Inside(separation, facet) => Sweep::Overlap(overlap(self.body(), separation, &facet)),
        }
    }

    fn hit(&self, difference: &MinkowskiDifference, body: &DifferenceBox, toi: f64, facet: Facet) -> SweepHit {
        // The support that no vertex exceeds: an edge's own leaves out the rounding of its direction.
        let facet = if facet.kind == FacetKind::Edges { difference.supporting(facet.normal) } else { facet };
        let moved = self.body().center().as_dvec3() + self.motion().as_dvec3() * toi;
        // At the end of the range of coordinates the start is safe.
        let position = depenetrate_from(&facet, body, moved.as_vec3()).unwrap_or(self.body().center());
        let contacts = manifold::contacts(difference, body, position.as_dvec3(), facet.unit_normal());
        SweepHit { toi: round_toi(toi), normal: facet.rounded_normal(), position, contacts }
    }
}

/// How a box meets a solid relative to which it moves by `motion`.
#[inline]
pub(super) fn first_contact(difference: &MinkowskiDifference, body: &DifferenceBox, motion: DVec3) -> FirstContact {
    first_contact_until(difference, body, motion, f64::INFINITY)
}

/// The same, but a touch later than `until` may be left out.
#[inline]
fn first_contact_until(
    difference: &MinkowskiDifference,
    body: &DifferenceBox,
    motion: DVec3,
    until: f64,
) -> FirstContact {
    let center = body.obb.center().as_dvec3();
    let (mut enter, mut exit) = (0.0, 1.0);
    let (mut entry, mut leaving): (Option<Facet>, Option<(Facet, BoundedValue)>) = (None, None);
    let mut shallowest: Option<(f64, Facet)> = None;
    // If the box meets a facet no earlier than it leaves another, it never enters; but bodies thinner than rounding are
    // left as they are met.
    let excludes = |enter: f64, exit: f64, leaving: &Option<(Facet, BoundedValue)>| {
        enter >= exit
            && !leaving.as_ref().is_some_and(|(facet, time)| {
                enter - exit <= time.error && difference.is_thin_across(body, facet, time.value)
            })
    };
    let axes = match difference.frame {
        Some(frame) if !(difference.is_axial && body.is_axial()) => {
            let body = WideBox { center, edges: body.edges };
            let Some(axes) = sat::candidate_axes(frame, &body, motion) else { return FirstContact::Clear };
            axes
        }
        _ => Axes::ALL,
    };
    // Inlined at each kind of facet: for a call, the facet and all that is known so far would be stored.
    let verdict = difference.facets_along(
        axes,
        body,
        #[inline(always)]
        |facet| {
            let (gap, departure) = (facet.gap(body, center), facet.departure(motion));
            if gap.value >= -gap.error {
                let time = gap.value.max(0.0) / -departure.value;
                if departure.value >= -departure.error || time > until || excludes(time, exit, &leaving) {
                    return Break(());
                }
                if entry.is_none() || time > enter {
                    (enter, entry) = (time, Some(facet));
                }
            } else {
                if departure.value > departure.error {
                    let time = -gap.value / departure.value;
                    if time < exit {
                        let error = gap.error / departure.value + 16.0 * ROUNDING * time;
                        (exit, leaving) = (time, Some((facet, BoundedValue { value: gap.value, error })));
                    }
                    if excludes(enter, exit, &leaving) {
                        return Break(());
                    }
                }
                if entry.is_none() {
                    let separation = gap.value / facet.normal.length();
                    if shallowest.is_none_or(|(best, _)| separation > best) {
                        shallowest = Some((separation, facet));
                    }
                }
            }
            Continue(())
        },
    );
    match (verdict, entry, shallowest) {
        (Continue(()), Some(facet), _) => FirstContact::Enters(enter, facet),
        (Continue(()), None, Some((separation, facet))) => FirstContact::Inside(separation, facet),
        _ => FirstContact::Clear,
    }
}

/// The `f32` centre nearest to `center` at which the box certainly lies outside `facet`. Rounding to the nearest would
/// penetrate every other time, so the coordinate along which the normal is largest gives way. `None` only at the end of
/// the range of `f32`.
pub(super) fn depenetrate_from(facet: &Facet, body: &DifferenceBox, mut center: Vec3) -> Option<Vec3> {
    let axis = main_axis(facet.normal);
    let along = facet.normal[axis];
    for _ in 0..4 {
        let gap = facet.gap(body, center.as_dvec3());
        if gap.value >= gap.error {
            return Some(center + Vec3::ZERO);
        }
        let raised = f64::from(center[axis]) + (2.0 * gap.error - gap.value) / along;
        let rounded = raised as f32;
        center[axis] = if along > 0.0 {
            let up = if f64::from(rounded) < raised { rounded.next_up() } else { rounded };
            up.max(center[axis].next_up())
        } else {
            let down = if f64::from(rounded) > raised { rounded.next_down() } else { rounded };
            down.min(center[axis].next_down())
        };
    }
    None
}

/// The overlap of a box that is in a solid, given its negative gap.
pub(super) fn overlap_of(obb: &Obb, gap: &Gap) -> Overlap {
    let contacts = contacts::lowest(obb, obb.center().as_dvec3(), gap.normal, -gap.separation);
    Overlap { depth: -gap.separation as f32, normal: unit::unit(gap.normal) + Vec3::ZERO, contacts }
}

pub(super) fn overlap(obb: &Obb, separation: f64, facet: &Facet) -> Overlap {
    let contacts = contacts::lowest(obb, obb.center().as_dvec3(), facet.unit_normal(), -separation);
    Overlap { depth: -separation as f32, normal: facet.rounded_normal(), contacts }
}

#[cfg(test)]
mod tests;
