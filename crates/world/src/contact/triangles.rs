//! Which triangles of a mesh or a terrain a body may touch, and which of their edges count.

use super::PartContact;
use crate::shape::{Convex, Shape};
use cullide_narrowphase::{Aabb, BoxReach, Listed, ManifoldPoint, Mapped, Solid, Triangle, glam::Vec3};
use smallvec::SmallVec;

/// Triangles with their numbers.
pub(super) type Triangles = SmallVec<[(u32, Triangle); 8]>;

/// The triangles of a surface that a body may touch within `reach`, in the order of their numbers; `None` for another
/// shape.
pub(super) fn triangles_near(body: &Convex, surface: &Shape, reach: &Aabb) -> Option<Triangles> {
    let mut near = SmallVec::<[(u32, [Vec3; 3]); 32]>::new();
    let sides = surface.corners_near(reach, &mut |number, corners| near.push((number, corners)))?;
    let mut found = Triangles::new();
    if near.is_empty() {
        return Some(found);
    }
    let (center, within) = (body.aabb().center(), BoxReach::new(&body.contact_shape(), reach));
    for some in near.chunks(32) {
        let mut corners = [[Vec3::ZERO; 3]; 32];
        corners.iter_mut().zip(some).for_each(|(corners, (_, given))| *corners = *given);
        let met = within.may_touch(&corners[..some.len()]);
        for (number, [a, b, c]) in (0..32).filter(|i| met >> i & 1 == 1).map(|i| some[i]) {
            if let Ok(triangle) = Triangle::new(a, b, c)
                && Convex::Triangle(triangle, sides).is_faced_by(center)
            {
                found.push((number, triangle));
            }
        }
    }
    Some(sorted(&found))
}

/// The triangles in the order of their numbers.
pub(super) fn sorted(triangles: &[(u32, Triangle)]) -> Triangles {
    let places = (0..).zip(triangles).map(|(place, (number, _))| u64::from(*number) << 32 | place);
    let mut places: SmallVec<[u64; 16]> = places.listed();
    places.sort_unstable();
    places.iter().map(|place| triangles[*place as u32 as usize]).listed()
}

/// What of a triangle a body touches.
pub(super) enum Touched {
    /// Its face, or edges that count: at least at one of the points, and then all of them hold the body.
    All,
    /// The face, though the normal leans from that of the face: no point is one where the body touches along the normal.
    Face,
    /// The points that are left; whether the triangle rises itself above a plane perpendicular to the normal through one
    /// of the others.
    Rest { rises_itself: bool },
}

/// Drops the points at which the body touches an edge or a corner of a triangle that has no normal of its own there,
/// because a neighbouring triangle rises above the plane perpendicular to the normal: on a flat or concave surface the
/// faces hold a body, and an edge would stop what slides over it. Inside of a triangle the face alone has a normal. The
/// normal of a face is taken as exactly that of the triangle, so that what leans a little is not pushed aside.
///
/// Source: Gregorius, "Robust Contact Creation for Physics Simulation", GDC 2015 (normals from the Voronoi regions of
/// features).
pub(super) fn drop_inner_edges(contact: &mut PartContact, is_round: bool, own: &Triangle, known: &Known) -> Touched {
    let out = -contact.manifold.normal().as_dvec3();
    let corners = own.points().mapped(|point| point.as_dvec3());
    let [a, b, c] = corners;
    let face = (b - a).cross(c - a);
    let is_exact = is_round && contact.manifold.distance() >= 0.0;
    let (alike, least_rise) = if is_exact { (FACE_OF_ROUND, RISE) } else { (FACE, RISE_OF_FLAT) };
    let Some(unit) = face.try_normalize() else { return Touched::All };
    let cosine = unit.dot(out);
    if cosine.abs() >= alike {
        if !is_round {
            contact.manifold.turn_to((unit * -cosine.signum()).as_vec3() + Vec3::ZERO);
        }
        return Touched::All;
    }
    // Heights of corners are exact up to the rounding of the normal, wherever they are.
    let height = |point: Vec3| (point.as_dvec3() - a).dot(out);
    let top = own.points().mapped(height).into_iter().fold(f64::NEG_INFINITY, f64::max);
    let (center, mut is_own) = (own.aabb().center(), false);
    let mut is_dropped = |point: &ManifoldPoint| {
        let at = center + point.from_second;
        let near = NEAR * at.abs().max_element().max(own.aabb().max().distance(own.aabb().min()));
        let is_within = |k: usize| {
            let (start, side) = (corners[k], corners[(k + 1) % 3] - corners[k]);
            unit.cross(side).dot(at.as_dvec3() - start) > f64::from(near) * side.length()
        };
        if !is_round && (0..3).all(is_within) {
            is_own = true;
            return true;
        }
        // A point that rounding has moved off the touched edge or corner counts as being as high as that.
        let is_on_top = top - height(at) <= near.into();
        let base = if is_on_top { top } else { height(at) + f64::from(near) };
        let rises = |corner: &Vec3| {
            let rise = height(*corner) - base;
            // Most do not rise, which needs no square root to decide.
            rise > 0.0 && {
                let way = corner.distance(at);
                rise > least_rise * f64::from(way) && (way > 0.125 * near || !is_on_top)
            }
        };
        let is_near = |aabb: &Aabb| aabb.closest_point(at).distance_squared(at) <= 16.0 * near * near;
        let is_at = |triangle: &Triangle| triangle.closest_point(at).distance(at) <= 2.0 * near;
        // The cheapest tests come first.
        let is_beside =
            |triangle: &Triangle| is_near(&triangle.aabb()) && triangle.points().iter().any(rises) && is_at(triangle);
        let is_dropped = known.any(at, near, is_beside) || known.any_beyond(at, near, is_beside);
        is_own |= is_dropped && own.points().iter().any(rises);
        is_dropped
    };
    if !is_round && cosine.abs() > FACING {
        let all_dropped = contact.manifold.points().iter().all(is_dropped);
        return if all_dropped { Touched::Face } else { Touched::All };
    }
    contact.manifold.retain(|point| !is_dropped(point));
    Touched::Rest { rises_itself: is_own }
}

/// With more triangles than this, those at a point are looked up in the tree of their surface.
const MANY: usize = 48;

/// The known triangles of a surface.
pub(super) struct Known<'a> {
    /// The triangles, in the order of their numbers.
    pub(super) triangles: &'a [(u32, Triangle)],
    /// The box in which they were looked up.
    pub(super) within: &'a Aabb,
    pub(super) surface: &'a Shape,
}

impl Known<'_> {
    /// Whether any known triangle at a point satisfies the predicate.
    fn any(&self, at: Vec3, near: f32, is_like_that: impl Fn(&Triangle) -> bool) -> bool {
        let size = Vec3::splat(4.0 * near);
        let around = Aabb::new(at - size, at + size).ok().filter(|_| self.triangles.len() > MANY);
        let Some(around) = around else { return self.triangles.iter().any(|(_, triangle)| is_like_that(triangle)) };
        let mut is_any = false;
        let mut ask = |number: u32| {
            let known = self.triangles.binary_search_by_key(&number, |(number, _)| *number);
            is_any = is_any || known.is_ok_and(|i| is_like_that(&self.triangles[i].1));
        };
        if self.surface.corners_near(&around, &mut |number, _| ask(number)).is_none() {
            self.surface.parts_near(&around, &mut |number, _| ask(number));
        }
        is_any
    }

    /// Whether, at a point where not all triangles are known, any of the surface's triangles satisfies the predicate.
    fn any_beyond(&self, at: Vec3, near: f32, is_like_that: impl Fn(&Triangle) -> bool) -> bool {
        let size = Vec3::splat(2.0 * near);
        let Some(around) = Aabb::new(at - size, at + size).ok().filter(|around| !self.within.contains(around)) else {
            return false;
        };
        let mut is_any = false;
        let of_surface = self.surface.corners_near(&around, &mut |_, [a, b, c]| {
            is_any |= Triangle::new(a, b, c).is_ok_and(|triangle| is_like_that(&triangle));
        });
        if of_surface.is_none() {
            self.surface.parts_near(&around, &mut |_, part| {
                is_any |= matches!(part, Convex::Triangle(triangle, _) if is_like_that(&triangle));
            });
        }
        is_any
    }
}

/// A normal that leans from that of a face by less than the angle with this cosine counts as that of the face.
const FACE: f64 = 0.9999;

/// The same for balls and capsules, whose normals lean by any angle beside an edge: no more than rounding makes it lean. In
/// a surface, after an edit, [`FACE`] holds for them too: with fewer points they would be pushed out more slowly.
const FACE_OF_ROUND: f64 = 1.0 - 1e-6;

/// A body whose normal leans from that of a triangle by less than the angle with this cosine, a fifth of a radian, lies on
/// the triangle's face rather than beside an edge.
const FACING: f64 = 0.98;

/// A corner that rises above a plane by a smaller share of its distance counts as not rising.
const RISE: f64 = 1e-3;

/// The same for bodies with faces, of which one may touch an edge that is not quite parallel to it: by as much as
/// [`FACE`] lets normals lean.
const RISE_OF_FLAT: f64 = 1.0 / 64.0;

/// Triangles this close to a point, as a share of its coordinates or of the size of its triangle, are at it.
pub(super) const NEAR: f32 = 1.0 / (1u32 << 18) as f32;
