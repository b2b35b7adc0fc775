//! How long a turning box and a vertex of a solid, which may turn as well, stay on either side of a plane that turns.
//!
//! Where a corner of the solid lies on a face of the box, the plane between them has to turn with the box; where edges cross, about the
//! solid's edge, so that it stays along both. With `Y` the way from the solid's pivot to the box's centre, `r` the way from there to the
//! vertex, `N` the plane's normal, `e` the half edges and `ω_b`, `ω_s` and `ω` the rates of box, solid and plane, all at `t`,
//!
//! ```text
//!   g = N·(Y − r) − Σ |e·N|,    N' = ω × N,    (e·N)' = ((ω_b − ω) × e)·N,    (r·N)' = ((ω_s − ω) × r)·N
//! ```
//!
//! No vertex's height is curved by more than `ω² |Y| + 2 ω |Y'| + |a| + |ω_b − ω| (ω_b + ω) R + |ω_s − ω| (ω_s + ω) |r|`, `R` being the
//! box's radius.

use super::{
    budget::Budget,
    plane::effective_skin,
    rotation::{Turn, cross},
    toi::{Limits, Sample, first_touch},
};
use crate::minkowski::{Facet, Hull, ROUNDING};
use glam::{DVec3, DVec4};
use smallvec::SmallVec;

/// Looks at one vertex: it is enough to get away from where the two touch.
const FEW_LOOKS: u32 = 12;

/// Each costs as much as so many at a plane that does not turn.
const LOOK_COST: u32 = 4;

/// A box and a solid that turn, seen so that the solid's pivot stays where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Apart {
    /// Of the box.
    pub(super) center: DVec3,
    pub(super) edges: [DVec3; 3],
    pub(super) motion: DVec3,
    pub(super) pull: DVec3,
    pub(super) turn: Turn,
    /// What the solid turns about, and how.
    pub(super) pivot: DVec3,
    pub(super) solid_turn: Turn,
    /// How far the solid reaches beyond its vertices: a ball is one vertex and a radius.
    pub(super) radius: f64,
}

/// A plane that turns from some time on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Divider {
    /// Unit, from the solid to the box, at the time.
    pub(super) normal: DVec3,
    pub(super) spin: DVec3,
}

impl Apart {
    /// Where the box's centre is at a time.
    pub(super) fn center_at(&self, time: f64) -> DVec3 {
        self.center + (self.motion + 0.5 * self.pull * time) * time
    }

    /// How long, from `time` on, the box and a solid with these vertices are certain to be apart along a facet that turns with the box, or
    /// about an edge of the solid; as [`first_touch`].
    pub(super) fn until_across(
        &self,
        hull: &Hull,
        facet: &Facet,
        skin: f32,
        time: f64,
        budget: &Budget,
    ) -> Option<f64> {
        let normal = facet.unit_normal();
        let height = |vertex: &DVec3| normal.dot(*vertex);
        let Some(top) = hull.vertices.iter().copied().max_by(|a, b| height(a).total_cmp(&height(b))) else {
            return Some(time);
        };
        let others = || hull.vertices.iter().copied().filter(|vertex| *vertex != top);
        let mut longest = Some(time);
        for spin in self.spins(normal, top, others(), time) {
            let divider = Divider { normal, spin };
            // The highest first: it is the likeliest to be in the way.
            let mut least = None;
            for vertex in std::iter::once(top).chain(others()) {
                if let Some(until) = self.until(&divider, self.arm(vertex, time), hull.slack, skin, time, budget) {
                    least = Some(least.map_or(until, |least: f64| least.min(until)));
                    if until <= time {
                        break;
                    }
                }
            }
            longest = longest.and_then(|longest: f64| least.map(|least| least.max(longest)));
        }
        longest
    }

    /// How a plane between the two may turn: with the box, and about the solid's edge as that of the box makes it.
    fn spins(&self, normal: DVec3, top: DVec3, others: impl Iterator<Item = DVec3>, time: f64) -> SmallVec<[DVec3; 4]> {
        let mut spins = SmallVec::from_slice(&[self.turn.rate()]);
        let next = others.max_by(|a, b| normal.dot(*a).total_cmp(&normal.dot(*b)));
        let Some(along) = next.and_then(|next| (next - top).try_normalize()) else { return spins };
        let solid_spin = self.solid_turn.rate();
        let relative = self.turn.rate() - solid_spin;
        for edge in self.turn.vectors(self.edges, time) {
            // N·e = 0 is kept where N' = λ (along × N) has (along × N)·e λ = −N·(ω × e).
            let (fall, lift) = (normal.dot(cross(relative, edge)), cross(along, normal).dot(edge));
            if normal.dot(edge).abs() < 1e-3 * edge.length() && lift.abs() > 1e-3 * edge.length() {
                spins.push(solid_spin - along * (fall / lift));
            }
        }
        spins
    }

    /// How long, from `time` on, the box is certain to be on one side of a plane through the vertex at `arm` from the pivot at the start; as
    /// [`first_touch`]. The vertex may be off by `slack`.
    pub(super) fn until(
        &self,
        divider: &Divider,
        arm: DVec3,
        slack: f64,
        skin: f32,
        time: f64,
        budget: &Budget,
    ) -> Option<f64> {
        let Divider { normal, spin } = *divider;
        // Of a solid that does not turn, the vertex itself is a pivot.
        let is_still = self.solid_turn.angle == 0.0;
        let (pivot, arm) = if is_still { (self.pivot + arm, DVec3::ZERO) } else { (self.pivot, arm) };
        let (plane_turn, solid_spin) = (Turn::new(spin), self.solid_turn.rate());
        let (relative, solid_relative) = (self.turn.rate() - spin, solid_spin - spin);
        let sample = |at: f64| {
            let normal = plane_turn.vector(normal, at - time);
            let edges = self.turn.vectors(self.edges, at);
            let arm = self.solid_turn.vector(arm, at);
            let (way, speed) = (self.center_at(at) - pivot, self.motion + self.pull * at);
            let along = |v: DVec3| DVec3::from_array(edges.map(|edge| edge.dot(v)));
            Sample {
                height: normal.dot(way - arm) - self.radius,
                rise: cross(spin, normal).dot(way) + normal.dot(speed) - normal.dot(cross(solid_relative, arm)),
                reaches: along(normal),
                rates: along(cross(normal, relative)),
            }
        };
        let limits = self.limits(pivot, arm, [spin, relative, solid_relative], slack, skin, time);
        first_touch(sample, &limits, time..1.0, budget)
    }

    fn limits(
        &self,
        pivot: DVec3,
        arm: DVec3,
        [spin, relative, solid_relative]: [DVec3; 3],
        slack: f64,
        skin: f32,
        time: f64,
    ) -> Limits {
        let [spin, relative, solid_relative] = [spin, relative, solid_relative].map(DVec3::length);
        let (motion, pull) = (self.motion.length(), self.pull.length());
        let (radius, arm) = (self.edges.iter().map(|edge| edge.length()).sum::<f64>(), arm.length());
        let fastest = motion + pull;
        let way = (self.center_at(time) - pivot).length() + fastest * (1.0 - time);
        let (turn, solid_turn) = (self.turn.angle, self.solid_turn.angle);
        let bend = relative * (turn + spin) * radius + solid_relative * (solid_turn + spin) * arm;
        let curvature = (spin * (spin * way + 2.0 * fastest) + pull + bend) * (1.0 + 1e-9);
        let lengths = self.center.length() + 2.0 * pivot.length() + self.radius + fastest + 2.0 * (radius + arm);
        let error = 64.0 * ROUNDING * lengths * (2.0 + turn + solid_turn + spin) + slack;
        let covered = fastest + spin * way + relative * radius + solid_relative * arm;
        Limits {
            curvature,
            upward: curvature,
            error,
            rate_error: error * (1.0 + turn + solid_turn + spin),
            skin: effective_skin(skin, covered, error),
            looks: FEW_LOOKS,
            cost: LOOK_COST,
        }
    }
}

impl Turn {
    /// The rotation vector.
    pub(super) fn rate(&self) -> DVec3 {
        self.axis * self.angle
    }

    /// What becomes of a vector by `time`, which may be negative.
    pub(super) fn vector(&self, v: DVec3, time: f64) -> DVec3 {
        self.vectors([v, DVec3::ZERO, DVec3::ZERO], time)[0]
    }

    /// The same of three.
    pub(super) fn vectors(&self, [a, b, c]: [DVec3; 3], time: f64) -> [DVec3; 3] {
        if self.angle == 0.0 {
            return [a, b, c];
        }
        let row = |i: usize| DVec4::new(a[i], b[i], c[i], 0.0);
        let [x, y, z] = self.turned([row(0), row(1), row(2)], time);
        [DVec3::new(x.x, y.x, z.x), DVec3::new(x.y, y.y, z.y), DVec3::new(x.z, y.z, z.z)]
    }
}
