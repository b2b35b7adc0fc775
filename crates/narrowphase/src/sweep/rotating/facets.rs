//! What is asked of all facets of the sum of a solid and a turned box.

use crate::minkowski::{Body, Facet, Hull};
use glam::DVec3;
use std::ops::ControlFlow::{Break, Continue};

/// The facet along which a box with its centre at `center` is farthest from the solid, or least deep in it.
pub(super) fn widest(hull: &Hull, body: &Body, center: DVec3) -> Option<Facet> {
    let mut widest: Option<(f64, Facet)> = None;
    let _ = hull.facets(body, |facet| {
        let separation = facet.gap(body, center).value / facet.normal.length();
        if widest.is_none_or(|(best, _)| separation > best) {
            widest = Some((separation, facet));
        }
        Continue(())
    });
    widest.map(|(_, facet)| facet)
}

/// The latest time, `time` or later, that `until` gives for any of the facets along which the two may be apart; `None` when it does for one,
/// which is as good as for ever.
pub(super) fn latest(
    hull: &Hull,
    body: &Body,
    center: DVec3,
    time: f64,
    until: impl Fn(&Facet) -> Option<f64>,
) -> Option<f64> {
    let mut latest = time;
    let verdict = hull.facets(body, |facet| {
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
