//! Whether a body enters something fixed on its way, and in which direction it is pushed back from it.
//!
//! At its end it must not be in anything. On its way it may for a moment be in something by a small share of its size,
//! as a corner that moves along an arc may be: nothing gets through by that. When a body slides over a tile, a single
//! direction shows that it never enters the next one, or several directions do, each for a part of the way, or the
//! halves of the way have directions of their own.

use super::{
    axes::{Edged, UnknownSpan, any_axis},
    obstacle::{Fixed, FixedObstacle},
};
use crate::{
    dynamics::{BodyState, body::pose::BodyShape},
    shape::Convex,
};
use cullide_narrowphase::{
    Mapped, Obb, Solid, Triangle,
    glam::{DVec3, Vec3},
};
use std::cell::OnceCell;

/// The limit on how often a way is halved.
const HALVINGS: u32 = 5;

/// How deep a body may be in something between the ends of a way, in radii of a ball within the body.
const SPARE: f64 = 1.0 / 32.0;

/// A body on its way from where it is to where it would end.
#[derive(Clone, Copy)]
pub(super) struct Passage<'a> {
    state: &'a BodyState,
    end: &'a BodyShape,
    rotation: Vec3,
    swing: Swing,
    /// Whether it turns by more than a radian: then it turns freely where there is room for it in any orientation.
    pub(super) turns_far: bool,
    rounding: f64,
}

impl<'a> Passage<'a> {
    pub(super) fn new(state: &'a BodyState, end: &'a BodyShape, rotation: Vec3, rounding: f64) -> Self {
        let swing = Swing::new(state, rotation);
        let turns_far = swing.radius > 0.0 && rotation.length_squared() > 1.0;
        Self { state, end, rotation, swing, turns_far, rounding }
    }

    /// How far beyond `limit` the body gets along a unit normal, while it turns or at its end.
    pub(super) fn beyond(&self, own: u32, normal: DVec3, limit: f64) -> f64 {
        let at_end = self.end.reach(own, normal);
        let reach = at_end + self.swing.excess(normal);
        // All the way round its axis.
        let most = || normal.dot(self.end.center().as_dvec3()) + self.swing.most(self.state, normal);
        (if self.turns_far { reach.min(at_end.max(most())) } else { reach }) + self.rounding - limit
    }

    /// The direction from the body to the obstacle along which it gets into that the least, and how far; `None` if it
    /// does not. `normals` are directions along which it is near other things.
    pub(super) fn excess(&self, obstacle: &FixedObstacle, normals: &[DVec3]) -> Option<(DVec3, f64)> {
        let FixedObstacle { own, shape, normal, limit, is_entered } = *obstacle;
        // On its way out, only its end is checked.
        let spared = if is_entered { self.swing.excess(normal) + 2.0 * self.rounding } else { 0.0 };
        let mut best = (normal, self.beyond(own, normal, limit) - spared);
        if best.1 > 0.0
            && let Fixed::Part(_) = shape
        {
            let goes_by = !is_entered && !self.turns_far;
            let ends = [&Place::new(&self.state.shape, 0.0), &Place::new(self.end, 1.0)];
            if goes_by && (self.is_beside(&shape, own) || self.is_free_between(&shape, own, ends)) {
                return None;
            }
            self.try_others(obstacle, ends[0], normals, &mut best);
            if best.1 > 0.0 && goes_by {
                self.try_pieces(&shape, own, ends, &mut best);
            }
        }
        (best.1 > 0.0).then_some(best)
    }

    /// Whether a face of a thing, or its bounding box, shows that the body goes by: at little cost, and of the many
    /// triangles around a fast body most are so.
    fn is_beside(&self, shape: &Fixed, own: u32) -> bool {
        // The part of a compound is made once, not for each direction.
        let (Some(start), Some(end)) = (self.state.shape.part(own), self.end.part(own)) else { return false };
        let shows = |normal: DVec3| {
            let limit = shape.nearest_along(normal);
            limit >= start.reach(normal) && end.reach(normal) + self.swing.excess(normal) + self.rounding <= limit
        };
        let mut is_shown = DVec3::AXES.iter().any(|axis| shows(*axis) || shows(-*axis));
        shape.for_each_face(&mut |normal| is_shown = is_shown || shows(normal));
        is_shown
    }

    /// Tries other directions along which the body is apart from a thing before it moves: the normal of a persisting
    /// contact need not be the one along which the two are farthest apart, and past a crest it is that of the tile
    /// before.
    fn try_others(
        &self,
        FixedObstacle { own, shape, .. }: &FixedObstacle,
        start: &Place,
        normals: &[DVec3],
        best: &mut (DVec3, f64),
    ) {
        let own = *own;
        let mut attempt = |normal: DVec3| {
            let limit = shape.nearest_along(normal);
            let beyond = self.beyond(own, normal, limit);
            if beyond < best.1 && limit >= start.body.reach(own, normal) {
                *best = (normal, beyond);
            }
            best.1 <= 0.0
        };
        shape.for_each_face(&mut |normal| _ = attempt(normal));
        // Mostly a face shows that it does not enter, and faces cost less.
        if normals.iter().any(|normal| attempt(*normal)) || start.apart_along(shape, own).is_some_and(&mut attempt) {
            return;
        }
        if let Some(part) = start.body.part(own) {
            Fixed::Part(part).for_each_face(&mut |normal| _ = attempt(normal));
        }
    }

    /// If no directions show that the whole way is free, finds where the body enters the thing, to push it back from
    /// there.
    fn try_pieces(&self, shape: &Fixed, own: u32, whole: [&Place; 2], best: &mut (DVec3, f64)) {
        let at_end = self.entered_at(shape, own, whole[1]).map(|entered| (entered, 1.0));
        let entered = at_end.or_else(|| self.entered_between(shape, own, whole, HALVINGS));
        let Some(((normal, depth), share)) = entered else {
            best.1 = 0.0;
            return;
        };
        // The start stays where it is when the end is pushed back, and the way between moves in proportion.
        let depth = depth / f64::from(share);
        let motion = (self.end.center() - self.state.shape.center()).as_dvec3();
        if depth < best.1 && motion.dot(normal) + self.swing.way(normal) > 0.0 {
            *best = (normal, depth);
        }
    }

    /// How deep the body may be in a thing at a share of its way.
    fn spare(&self, at: f32) -> f64 {
        if at == 1.0 { -self.rounding } else { self.swing.spare }
    }

    /// The direction along which the body would be in a thing at a place of its way, and how much deeper than it may be
    /// there.
    fn entered_at(&self, shape: &Fixed, own: u32, there: &Place) -> Option<(DVec3, f64)> {
        let normal = there.apart_along(shape, own)?;
        let depth = there.body.reach(own, normal) - shape.nearest_along(normal) - self.spare(there.at);
        (depth > 0.0).then_some((normal, depth))
    }

    /// Along which direction, how far and at which share of the way the body enters a thing on a piece of its way, at
    /// whose ends it is free, while no direction shows it to be free in between.
    fn entered_between(
        &self,
        shape: &Fixed,
        own: u32,
        ends: [&Place; 2],
        halvings: u32,
    ) -> Option<((DVec3, f64), f32)> {
        let middle = 0.5 * (ends[0].at + ends[1].at);
        let motion = self.end.center() - self.state.shape.center();
        let there = self.state.shape.moved(motion * middle, self.rotation * middle);
        let Some(there) = there.filter(|_| halvings > 0).map(|there| there.resized(self.state.sizes)) else {
            // The two are too near to decide.
            let depths = ends.into_iter().filter_map(|there| {
                let normal = there.apart_along(shape, own)?;
                Some((normal, self.depth_between(shape, own, normal, ends)))
            });
            return depths.min_by(|one, other| one.1.total_cmp(&other.1)).map(|least| (least, ends[1].at));
        };
        let there = Place::new(&there, middle);
        if let Some(entered) = self.entered_at(shape, own, &there) {
            return Some((entered, middle));
        }
        let halves = [[ends[0], &there], [&there, ends[1]]];
        halves
            .into_iter()
            .filter(|ends| !self.is_free_between(shape, own, *ends))
            .find_map(|ends| self.entered_between(shape, own, ends, halvings - 1))
    }

    /// A bound on how much deeper than it may be between the ends the body gets into a thing along a unit normal, on a
    /// piece of its way.
    fn depth_between(&self, shape: &Fixed, own: u32, normal: DVec3, ends: [&Place; 2]) -> f64 {
        let [before, after] = ends.mapped(|there| there.body.reach(own, normal) - shape.nearest_along(normal));
        before.max(after + self.swing.bulge(normal, ends.mapped(|there| there.at))) - self.swing.spare
    }

    /// Whether directions show that the body enters a thing neither on a piece of its way nor at the end of that piece.
    fn is_free_between(&self, shape: &Fixed, own: u32, ends: [&Place; 2]) -> bool {
        if let (Fixed::Part(Convex::Triangle(triangle, _)), [BodyShape::Box(start), BodyShape::Box(end)]) =
            (shape, ends.mapped(|there| there.body))
        {
            return self.passes_triangle(triangle, ends.mapped(|there| there.at), [start, end]);
        }
        let mut normals = ends.into_iter().filter_map(|there| there.apart_along(shape, own));
        normals.any(|normal| self.depth_between(shape, own, normal, ends) <= 0.0)
            && self.entered_at(shape, own, ends[1]).is_none()
    }

    /// The same for a box and a triangle: each direction along which they are apart at an end of the piece shows for
    /// how much of the piece they are.
    fn passes_triangle(&self, triangle: &Triangle, at: [f32; 2], ends: [&Obb; 2]) -> bool {
        let origin = ends[0].center().as_dvec3();
        let (own, other) = (Edged::of_box(ends, origin), Edged::of_triangle(triangle, origin));
        let (mut unknown, mut is_free_at_end) = (UnknownSpan::ALL, false);
        any_axis(&own, &other, 2, |normal, depths| {
            let (bulge, spare) = (self.swing.bulge(normal, at), self.swing.spare);
            for [before, after] in depths {
                is_free_at_end |= after <= self.spare(at[1]);
                unknown.shrink([before - spare, after + bulge - spare]);
            }
            unknown.is_empty() && is_free_at_end
        })
    }
}

/// A place of a body on its way past a thing.
struct Place<'a> {
    body: &'a BodyShape,
    /// The share of its way.
    at: f32,
    /// The direction along which the two are farthest apart there, computed when it is first asked for.
    normal: OnceCell<Option<DVec3>>,
}

impl<'a> Place<'a> {
    fn new(body: &'a BodyShape, at: f32) -> Self {
        Self { body, at, normal: OnceCell::new() }
    }

    fn apart_along(&self, shape: &Fixed, own: u32) -> Option<DVec3> {
        *self.normal.get_or_init(|| shape.apart_along(self.body, own))
    }
}

/// How a rotation moves the points of a body.
#[derive(Clone, Copy, Debug)]
pub(in crate::dynamics) struct Swing {
    pub(in crate::dynamics) rotation: DVec3,
    /// A bound on the distance of points from the axis of rotation; the points of a ball, and those of a capsule around
    /// its own axis, do not count, as others take their places.
    pub(in crate::dynamics) radius: f64,
    /// How deep the body may be in something between the ends of a way: too little to get through anything.
    spare: f64,
}

impl Swing {
    pub(in crate::dynamics) fn new(state: &BodyState, rotation: Vec3) -> Self {
        let rotation = rotation.as_dvec3();
        let radius = match &state.shape {
            BodyShape::Sphere(_) => 0.0,
            BodyShape::Capsule(capsule) => {
                rotation.try_normalize().map_or(0.0, |axis| capsule.half_axis().as_dvec3().cross(axis).length())
            }
            BodyShape::Box(_) | BodyShape::Rigid(_) if rotation.length_squared() > 1.0 => {
                let (u, v) = rotation.normalize_or(DVec3::Y).any_orthonormal_pair();
                let most = |along: DVec3| reach_of(state, along).max(reach_of(state, -along));
                (most(u).powi(2) + most(v).powi(2)).sqrt().min(f64::from(state.radius))
            }
            _ => f64::from(state.radius),
        };
        Self { rotation, radius, spare: SPARE * f64::from(state.inner_radius) }
    }

    /// A bound on how far from its centre the body gets along a unit normal while it turns all the way round.
    fn most(&self, state: &BodyState, normal: DVec3) -> f64 {
        let axis = self.rotation.normalize_or_zero();
        let along = axis.dot(normal);
        let most = along.abs() * reach_of(state, axis * along.signum()) + axis.cross(normal).length() * self.radius;
        most.min(f64::from(state.radius))
    }

    /// A bound on how far the body gets along a unit normal by rotation.
    pub(in crate::dynamics) fn way(&self, normal: DVec3) -> f64 {
        self.rotation.cross(normal).length() * self.radius
    }

    /// A bound on how much farther it gets along a unit normal within a piece of its way than at both ends of the
    /// piece.
    pub(in crate::dynamics) fn bulge(&self, normal: DVec3, at: [f32; 2]) -> f64 {
        let share = f64::from(at[1] - at[0]);
        0.125 * share * share * self.rotation.length() * self.way(normal)
    }

    /// Whether that is allowed on the whole way along any normal.
    pub(super) fn is_small(&self) -> bool {
        0.125 * self.rotation.length_squared() * self.radius <= self.spare
    }

    /// By how much the bulge of the whole way exceeds what is allowed.
    pub(super) fn excess(&self, normal: DVec3) -> f64 {
        (self.bulge(normal, [0.0, 1.0]) - self.spare).max(0.0)
    }
}

/// How far from its centre a body reaches along a unit direction.
fn reach_of(state: &BodyState, along: DVec3) -> f64 {
    let reach = (0..state.shape.part_count()).map(|part| state.shape.reach(part, along));
    reach.fold(f64::NEG_INFINITY, f64::max) - along.dot(state.shape.center().as_dvec3())
}
