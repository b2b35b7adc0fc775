//! Whether a body on its way enters one thing that is fixed, and which way it is pushed back from it.
//!
//! What slides over a tile is apart from the next one along the way, and then only across it: one direction along which
//! both ends of the way are apart from the thing shows that it is not entered in between, and where there is none, the
//! halves of the way may have one each.

use super::{
    BodyState,
    obstacle::{Fixed, Obstacle},
    pose::BodyShape,
};
use crate::shape::Convex;
use cullide_narrowphase::{Obb, Triangle, glam::{DVec3, Vec3}};

/// How often a way is halved.
const HALVINGS: u32 = 5;

const SPARE: f64 = 1.0 / 32.0;

/// A body on its way from where it is to where it would end.
#[derive(Clone, Copy)]
pub(super) struct Passage<'a> {
    state: &'a BodyState,
    end: &'a BodyShape,
    rotation: Vec3,
    swing: Swing,
    /// By more than a radian a body turns freely where there is room for it however it lies.
    pub(super) turns_far: bool,
    rounding: f64,
}

impl<'a> Passage<'a> {
    pub(super) fn new(state: &'a BodyState, end: &'a BodyShape, rotation: Vec3, rounding: f64) -> Self {
        let swing = Swing::new(state, rotation);
        let turns_far = swing.radius > 0.0 && rotation.length_squared() > 1.0;
        Self { state, end, rotation, swing, turns_far, rounding }
    }

    /// How far beyond `limit` the body gets along a unit normal, where it turns or ends.
    pub(super) fn beyond(&self, own: u32, normal: DVec3, limit: f64) -> f64 {
        let reach = self.end.reach(own, normal) + self.swing.bulge(normal);
        let most = || normal.dot(self.end.center().as_dvec3()) + f64::from(self.state.radius);
        (if self.turns_far { reach.min(most()) } else { reach }) + self.rounding - limit
    }

    /// The direction, from the body to the obstacle, along which it gets into that by least, and how far; `None` where
    /// it does not. `normals` are directions along which it is near other things.
    pub(super) fn excess(&self, obstacle: &Obstacle, normals: &[DVec3]) -> Option<(DVec3, f64)> {
        let Obstacle { own, shape, normal, limit, is_entered } = *obstacle;
        // On its way out it is only asked where it ends.
        let spared = if is_entered { self.swing.bulge(normal) + 2.0 * self.rounding } else { 0.0 };
        let mut best = (normal, self.beyond(own, normal, limit) - spared);
        if best.1 > 0.0
            && let Fixed::Part(_) = shape
        {
            let in_pieces = !is_entered && !self.turns_far;
            if in_pieces && self.is_free_between(&shape, own, [&self.state.shape, self.end], 1.0) {
                return None;
            }
            self.try_others(obstacle, normals, &mut best);
            if best.1 > 0.0 && in_pieces {
                self.try_pieces(&shape, own, &mut best);
            }
        }
        (best.1 > 0.0).then_some(best)
    }

    /// Other directions along which the body is apart from a thing before it moves: the normal of a contact that goes on
    /// need not be the one along which the two are farthest apart, and over a crest it is that of the tile before.
    fn try_others(&self, Obstacle { own, shape, .. }: &Obstacle, normals: &[DVec3], best: &mut (DVec3, f64)) {
        let (own, start) = (*own, &self.state.shape);
        let mut attempt = |normal: DVec3| {
            let limit = shape.nearest_along(normal);
            let beyond = self.beyond(own, normal, limit);
            if beyond < best.1 && limit >= start.reach(own, normal) {
                *best = (normal, beyond);
            }
            best.1 <= 0.0
        };
        shape.for_each_face(|normal| _ = attempt(normal));
        // Mostly it does not enter across a face, which is known for less.
        if normals.iter().any(|normal| attempt(*normal)) || shape.apart_along(start, own).is_some_and(&mut attempt) {
            return;
        }
        if let Some(part) = start.part(own) {
            Fixed::Part(part).for_each_face(|normal| _ = attempt(normal));
        }
    }

    /// Where no direction shows that the whole way is free: where it is in pieces, or the body enters at the end of one,
    /// and is pushed back from there.
    fn try_pieces(&self, shape: &Fixed, own: u32, best: &mut (DVec3, f64)) {
        let whole = [&self.state.shape, self.end];
        let at_end = self.entered_at(shape, own, self.end).map(|entered| (entered, 1.0));
        let entered = at_end.or_else(|| self.entered_between(shape, own, [0.0, 1.0], whole, HALVINGS));
        let Some(((normal, depth), share)) = entered else {
            best.1 = 0.0;
            return;
        };
        // Where it starts it stays, and on its way it moves with its end.
        let depth = depth / f64::from(share);
        let motion = (self.end.center() - self.state.shape.center()).as_dvec3();
        if depth < best.1 && motion.dot(normal) + self.swing.way(normal) > 0.0 {
            *best = (normal, depth);
        }
    }

    /// Across which direction, and how far, the body would be in a thing there.
    fn entered_at(&self, shape: &Fixed, own: u32, there: &BodyShape) -> Option<(DVec3, f64)> {
        let normal = shape.apart_along(there, own)?;
        let depth = there.reach(own, normal) + self.rounding - shape.nearest_along(normal);
        (depth > 0.0).then_some((normal, depth))
    }

    /// How far along a unit normal the body gets into a thing on a piece of its way that is this share of it.
    fn depth_between(&self, shape: &Fixed, own: u32, normal: DVec3, ends: [&BodyShape; 2], share: f64) -> f64 {
        let [before, after] = ends.map(|there| there.reach(own, normal) + self.rounding - shape.nearest_along(normal));
        before.max(after + self.swing.bulge(normal) * share * share)
    }

    /// Whether directions show that the body does not enter a thing on a piece of its way that is this share of it.
    fn is_free_between(&self, shape: &Fixed, own: u32, ends: [&BodyShape; 2], share: f64) -> bool {
        if let (Fixed::Part(Convex::Triangle(triangle, _)), [BodyShape::Box(start), BodyShape::Box(end)]) =
            (shape, ends)
        {
            return self.passes_triangle(triangle, [start, end], share);
        }
        let mut normals = ends.into_iter().filter_map(|there| shape.apart_along(there, own));
        normals.any(|normal| self.depth_between(shape, own, normal, ends, share) <= 0.0)
    }

    /// The same for a box and a triangle: each direction along which they are apart at an end of the piece shows for how
    /// much of it they are.
    fn passes_triangle(&self, triangle: &Triangle, ends: [&Obb; 2], share: f64) -> bool {
        let start = ends[0].center().as_dvec3();
        let way = ends[1].center().as_dvec3() - start;
        let edges = ends.map(|end| end.half_edges().map(|edge| edge.as_dvec3()));
        let corners = triangle.points().map(|corner| corner.as_dvec3() - start);
        let [p, q, r] = corners;
        let sides = [q - p, r - q, p - r];
        let (mut from, mut to) = (0.0, 1.0);
        // Not of unit length: all is as many times as long.
        let mut shows = |axis: DVec3| {
            let [a, b, c] = corners.map(|corner| axis.dot(corner));
            let (low, high) = (a.min(b).min(c), a.max(b).max(c));
            let [before, after] = edges.map(|edges| edges.iter().map(|edge| axis.dot(*edge).abs()).sum::<f64>());
            let rounding = self.rounding * axis.abs().element_sum();
            let (before, after) = (before + rounding, after + rounding + self.swing.bulge(axis) * share * share);
            let along = way.dot(axis);
            for [before, after] in [[before - low, along + after - low], [before + high, after + high - along]] {
                match (before <= 0.0, after <= 0.0) {
                    (true, true) => return true,
                    (true, false) => from = (before / (before - after)).max(from),
                    (false, true) => to = (before / (before - after)).min(to),
                    (false, false) => {}
                }
            }
            from >= to
        };
        shows(sides[0].cross(sides[1]))
            || edges.iter().any(|edges| {
                (0..3).any(|i| shows(edges[i].cross(edges[(i + 1) % 3])))
                    || edges.iter().any(|edge| sides.iter().any(|side| shows(edge.cross(*side))))
            })
    }

    /// Across which direction, how far and at which share of the way the body enters a thing on a piece of its way, at
    /// whose ends it is free.
    fn entered_between(
        &self,
        shape: &Fixed,
        own: u32,
        at: [f32; 2],
        ends: [&BodyShape; 2],
        halvings: u32,
    ) -> Option<((DVec3, f64), f32)> {
        let share = f64::from(at[1] - at[0]);
        if self.is_free_between(shape, own, ends, share) {
            return None;
        }
        let middle = 0.5 * (at[0] + at[1]);
        let motion = self.end.center() - self.state.shape.center();
        let there = self.state.shape.moved(motion * middle, self.rotation * middle);
        let Some(there) = there.filter(|_| halvings > 0).map(|there| there.resized(self.state.sizes)) else {
            // It is too near to tell.
            let depths = ends.into_iter().filter_map(|there| {
                let normal = shape.apart_along(there, own)?;
                Some((normal, self.depth_between(shape, own, normal, ends, share)))
            });
            return depths.min_by(|one, other| one.1.total_cmp(&other.1)).map(|least| (least, at[1]));
        };
        if let Some(entered) = self.entered_at(shape, own, &there) {
            return Some((entered, middle));
        }
        let first = self.entered_between(shape, own, [at[0], middle], [ends[0], &there], halvings - 1);
        first.or_else(|| self.entered_between(shape, own, [middle, at[1]], [&there, ends[1]], halvings - 1))
    }
}

/// How a turn moves the points of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swing {
    pub(super) rotation: DVec3,
    /// How far points are from the axis of the turn, at most; those of a ball, and those that a capsule has around its
    /// axis, do not count, as others take their places.
    pub(super) radius: f64,
    /// By how much its points may be deeper in something between the ends of a way than at both: it does not get through.
    spare: f64,
}

impl Swing {
    pub(super) fn new(state: &BodyState, rotation: Vec3) -> Self {
        let rotation = rotation.as_dvec3();
        let radius = match &state.shape {
            BodyShape::Sphere(_) => 0.0,
            BodyShape::Capsule(capsule) => {
                rotation.try_normalize().map_or(0.0, |axis| capsule.half_axis().as_dvec3().cross(axis).length())
            }
            _ => f64::from(state.radius),
        };
        Self { rotation, radius, spare: SPARE * f64::from(state.inner_radius) }
    }

    /// How far the body gets along a unit normal by turning, at most.
    pub(super) fn way(&self, normal: DVec3) -> f64 {
        self.rotation.cross(normal).length() * self.radius
    }

    /// How much farther along a unit normal than at both ends it gets in between, at most.
    pub(super) fn bulge(&self, normal: DVec3) -> f64 {
        (0.125 * self.rotation.length() * self.way(normal) - self.spare * normal.length()).max(0.0)
    }
}
