//! How long a turning box and a solid are apart along facets of their sum, one by one.

use super::{
    RotatingSweep,
    budget::Budget,
    plane::Reach,
    rotation::Turn,
    toi::{Limits, first_touch},
};
use crate::minkowski::{Body, Facet, Hull, Origin, ROUNDING};
use glam::DVec3;
use smallvec::SmallVec;
use std::ops::ControlFlow::Continue;

/// The gap along a facet over a step.
pub(super) struct Along {
    curve: Reach,
    limits: Limits,
}

impl Along {
    /// As [`first_touch`], from `time` on.
    pub(super) fn first_touch(&self, time: f64, budget: &Budget) -> Option<f64> {
        first_touch(|time| self.curve.at(time), &self.limits, time..1.0, budget)
    }
}

impl RotatingSweep {
    /// The face of the solid that separates the two most at a time, if any does beyond doubt.
    pub(super) fn widest_face(&self, hull: &Hull, turn: &Turn, time: f64) -> Option<Facet> {
        let edges = if time > 0.0 { self.wide_edges_at(turn, time) } else { self.body().wide_edges() };
        let (body, center) = (Body::turned(self.body(), edges), self.center_at(time));
        let separation = |facet: Facet| {
            let gap = facet.gap(&body, center);
            (gap.value > gap.error).then(|| (gap.value / facet.normal.length(), facet))
        };
        let widest = hull.faces().filter_map(separation).max_by(|a, b| a.0.total_cmp(&b.0));
        widest.map(|(_, facet)| facet)
    }

    /// The gap along one facet.
    pub(super) fn along(&self, hull: &Hull, turn: &Turn, facet: &Facet, skin: f32) -> Along {
        let facet = if facet.origin == Origin::Edges { hull.supporting(facet.normal) } else { *facet };
        let length = facet.normal.length();
        let normal = facet.normal / length;
        let (reach, reach_error) = facet.reach_of_solid();
        let edges = self.body().wide_edges();
        let center = self.body().center().as_dvec3();
        let height = normal.dot(center) - reach / length;
        let (motion, pull) = (self.motion().as_dvec3(), self.acceleration.as_dvec3());
        let curve = Reach::over(edges, normal, height, turn, [normal.dot(motion), normal.dot(pull)]);
        let size: f64 = edges.iter().map(|edge| edge.abs().element_sum()).sum();
        let sums = center.abs() + motion.abs() + pull.abs();
        let lengths = sums.element_sum() + (reach / length).abs() + 2.0 * size * (2.0 + turn.angle);
        let error = 32.0 * ROUNDING * lengths + reach_error / length;
        let radius = curve.turning_radius() + 16.0 * ROUNDING * size;
        let limits = curve.limits(radius, turn, error, skin);
        Along { curve, limits }
    }

    /// Whether a vertex that touches and comes closer along a face of the solid does so above the face itself: then that is where the two
    /// touch, whatever other facets there are.
    pub(super) fn lands(&self, hull: &Hull, turn: &Turn, face: &Facet, along: &Along, time: f64) -> bool {
        let (at, limits) = (along.curve.at(time), &along.limits);
        // Of the vertices, those that `first_touch` looks at.
        let highest = 0.5 * (limits.skin + at.gap());
        let vertices = (0..8).map(|vertex| [0, 1, 2].map(|i| if vertex >> i & 1 == 1 { 1.0 } else { -1.0 }));
        let sum = |signs: [f64; 3], v: DVec3| signs[0] * v.x + signs[1] * v.y + signs[2] * v.z;
        let touches = |signs: &[f64; 3]| {
            let (height, rate) = (at.height + sum(*signs, at.reaches), at.rise + sum(*signs, at.rates));
            height <= highest && rate < -limits.rate_error
        };
        let mut touching = vertices.filter(touches).peekable();
        if touching.peek().is_none() {
            return false;
        }
        let ([a, b, c], center) = (self.wide_edges_at(turn, time), self.center_at(time));
        touching.any(|[x, y, z]| {
            let vertex = center + a * x + b * y + c * z;
            hull.is_below(vertex, face)
        })
    }

    /// The facets along which the two are not certain to overlap at a time, that which separates them most first.
    pub(super) fn open_facets(&self, hull: &Hull, turn: &Turn, time: f64) -> SmallVec<[Facet; 32]> {
        let (body, center) = (Body::turned(self.body(), self.wide_edges_at(turn, time)), self.center_at(time));
        let (mut open, mut widest) = (SmallVec::<[Facet; 32]>::new(), f64::NEG_INFINITY);
        let _ = hull.facets(&body, |facet| {
            let gap = facet.gap(&body, center);
            if gap.value >= -gap.error {
                let separation = gap.value / facet.normal.length();
                open.push(facet);
                if separation > widest {
                    widest = separation;
                    let last = open.len() - 1;
                    open.swap(0, last);
                }
            }
            Continue(())
        });
        open
    }

    /// How long, from `time` on, the solid and the box are certain to be apart along one of these facets; `None` for the rest of the step. No
    /// later than `time` when along all of them they are within the skin and closing.
    pub(super) fn apart_until(
        &self,
        hull: &Hull,
        turn: &Turn,
        open: &[Facet],
        skin: f32,
        time: f64,
        budget: &Budget,
    ) -> Option<f64> {
        let mut longest = time;
        for (i, facet) in open.iter().enumerate() {
            longest = self.along(hull, turn, facet, skin).first_touch(time, budget)?.max(longest);
            // When the widest closes, another may stay open, as along a wall.
            if i == 0 && longest > time {
                break;
            }
        }
        Some(longest)
    }

    /// The same along facets that turn, where all that stay as they are now come closer.
    pub(super) fn departs_until(
        &self,
        hull: &Hull,
        turn: &Turn,
        open: &[Facet],
        skin: f32,
        time: f64,
        budget: &Budget,
    ) -> Option<f64> {
        let apart = self.apart(turn);
        let mut longest = time;
        for facet in open {
            longest = apart.until_across(hull, facet, skin, time, budget)?.max(longest);
        }
        Some(longest)
    }

    /// The half edges in `f64` as they are at a time.
    pub(super) fn wide_edges_at(&self, turn: &Turn, time: f64) -> [DVec3; 3] {
        let [x, y, z] = self.turned_rows(turn, time);
        [DVec3::new(x.x, y.x, z.x), DVec3::new(x.y, y.y, z.y), DVec3::new(x.z, y.z, z.z)]
    }
}
