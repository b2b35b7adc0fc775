//! A body that moves straight past a convex solid, given the gap between the two wherever the body is.
//!
//! The gap is a convex function of where the body is, so along a straight line it is a convex function of time: see
//! [`conservative_advancement`](super::sphere::conservative_advancement). Where they touch, the body is placed beside
//! the solid as `f32` stores it.

use super::sphere::conservative_advancement::{first_touch, time_before};
use crate::{
    Aabb, ConvexCore, ConvexHit, Gap,
    arrays::Mapped,
    distance::gap::pushed_apart,
    exact::{ROUNDING, predicate::Exact},
};
use glam::{DVec3, Vec3};
use std::cell::Cell;

/// The path of a body's centre.
pub(super) struct StraightPath {
    center: Vec3,
    motion: Vec3,
    /// How far the body reaches from its centre.
    reach: f64,
    /// The time after which touches may be left out.
    until: f64,
}

/// How a body meets a solid on its path.
pub(super) enum PathOutcome {
    /// Never, or only while moving away or along; or too late.
    Clear,
    /// Inside from the start.
    Inside(Gap),
    Touches {
        toi: f64,
        /// The normal that led to the touch.
        normal: DVec3,
        /// The rounded centre, at which nothing penetrates.
        position: Vec3,
        /// The gap there.
        gap: Gap,
    },
}

impl StraightPath {
    /// Creates the path of a body that reaches so far from its centre; touches after `until` may be left out.
    pub(super) fn new(center: Vec3, motion: Vec3, reach: f64, until: f64) -> Self {
        Self { center, motion, reach, until }
    }

    /// How the body meets a solid within `bounds`. `gap` gives its gap at a place plus a displacement, `is_in_range`
    /// tells which places are in range.
    #[inline(always)]
    pub(super) fn meets(
        &self,
        bounds: &Aabb,
        gap: impl Fn(DVec3, DVec3) -> Gap,
        is_in_range: impl Fn(Vec3) -> bool,
    ) -> PathOutcome {
        let start = self.center.as_dvec3();
        let start_gap = gap(start, DVec3::ZERO);
        if start_gap.separation < 0.0 {
            return PathOutcome::Inside(start_gap);
        }
        let motion = self.motion.as_dvec3();
        let from = self.time_before(bounds);
        let near = if from == 0.0 { start } else { exactly_at(self.center, self.motion, from) };
        let gap_after = |after: f64| gap(near, motion * after);
        let first = if from == 0.0 { start_gap } else { gap_after(0.0) };
        let Some(touch) = first_touch(from, first, motion, gap_after, self.until) else {
            return PathOutcome::Clear;
        };

        let (toi, way) = (from + touch.after, motion * touch.after);
        let touching = near + way;
        let last = Cell::new(None);
        let gap_at = |center: Vec3| {
            last.set(is_in_range(center).then(|| (center, gap(center.as_dvec3(), DVec3::ZERO))));
            last.get().map(|(_, gap)| gap)
        };
        // A body smaller than the steps of `f32` may be rounded right through a thin solid. It stays on the side that
        // it came from: in front of where it touches, by what the gap there lacks in certainty.
        let lacking = touch.gap.required_push();
        let beside = |center: Vec3| {
            let lead = touch.normal.dot(center.as_dvec3() - touching) - lacking;
            if lead < 0.0 { Some(Gap::new(lead, 0.0, touch.normal)) } else { gap_at(center) }
        };
        let moved = if toi == 0.0 { self.center } else { touching.as_vec3() };
        // At the end of the range of coordinates the start is safe.
        let position = pushed_apart(moved, &beside).unwrap_or(self.center);
        let known = last.get().filter(|(center, _)| *center == position).map(|(_, gap)| gap);
        let gap = known.or_else(|| gap_at(position)).unwrap_or(touch.gap);
        PathOutcome::Touches { toi, normal: touch.normal, position, gap }
    }

    /// A time before any touch of a solid within `bounds`; see [`time_before`].
    fn time_before(&self, bounds: &Aabb) -> f64 {
        let [min, max] = [bounds.min(), bounds.max()].mapped(|corner| corner.as_dvec3());
        let way = self.center.as_dvec3() - 0.5 * (min + max);
        time_before(way, self.motion.as_dvec3(), self.reach + 0.5 * (max - min).length())
    }
}

/// Where a moving centre is at a time of the step, rounded once.
pub(super) fn exactly_at(center: Vec3, motion: Vec3, time: f64) -> DVec3 {
    let time = Exact::sum(&[time]);
    let moved = |axis: usize| Exact::sum(&[motion[axis].into()]).times(&time);
    let at = |axis: usize| Exact::sum(&[center[axis].into()]).plus(&moved(axis)).value();
    DVec3::new(at(0), at(1), at(2))
}

/// The rounded place at which a body that hits a solid certainly does not penetrate it, and how far apart the two are
/// there along the normal. `body` is where it starts, around `center`; the corners of the solid may be off by `error`.
pub(super) fn rest(
    body: &ConvexCore,
    solid: &ConvexCore,
    error: f64,
    center: Vec3,
    motion: Vec3,
    hit: &ConvexHit,
    is_in_range: impl Fn(Vec3) -> bool,
) -> (Vec3, f64) {
    let (normal, start) = (hit.normal, center.as_dvec3());
    // Along the normal the two are apart: this holds the body on its side even if it is smaller than the steps of `f32`.
    let apart = normal.dot(body.farthest(-normal).0 - solid.farthest(normal).0) - (body.radius() + solid.radius());
    let size = (body.reach + solid.reach + motion.abs().as_dvec3()).element_sum() + body.radius() + solid.radius();
    let gap =
        |center: Vec3| Gap::new(apart + normal.dot(center.as_dvec3() - start), error + 16.0 * ROUNDING * size, normal);
    let touching = if hit.time == 0.0 { center } else { (start + motion.as_dvec3() * hit.time).as_vec3() };
    // At the end of the range of coordinates the start is safe.
    let position = pushed_apart(touching, &|center| is_in_range(center).then(|| gap(center))).unwrap_or(center);
    (position, gap(position).separation.max(0.0))
}
