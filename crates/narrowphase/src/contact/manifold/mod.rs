//! Which points of a box and a convex solid touch or are about to touch.
//!
//! Each of the two touches the plane between them with a vertex, an edge or a face: its points that are extreme along
//! the normal, up to the angle at which an edge counts as parallel. The contacts are what the two features share:
//!
//! ```text
//!  vertex and anything   the vertex
//!  edge and edge         where they cross, or the piece that they share
//!  edge and face         the edge, clipped by the sides of the face
//!  face and face         the box's face, clipped by the sides of the solid's; at most four points of it
//! ```
//!
//! Where the two penetrate, or where points within a margin count as well, the faces at these features are used,
//! however much they lean: the contacts are the corners of that part of the box's face above the solid's upper side
//! that are no farther than the margin above it.
//!
//! On a floor of tiles, the lowest feature of the box may be above the next tile. The contacts then come from the part
//! of that face of the box that lies above this tile.
//!
//! The axis of entry alone is not enough: where features are parallel, several axes tie and rounding picks one.
//!
//! Sources: Sutherland and Hodgman, "Reentrant Polygon Clipping", 1974; Gregorius, "Robust Contact Creation for Physics
//! Simulations", GDC 2015.

use super::{
    contacts::{FEATURE_ANGLE, LowestVertex},
    faces::{FLAT, Outline, Underside, Upside, across},
};
use crate::{
    Contacts, FeatureId,
    arrays::Mapped,
    exact::vector,
    lists::Listed,
    minkowski::{DifferenceBox, MinkowskiDifference},
};
use arrayvec::ArrayVec;
use glam::DVec3;
use smallvec::SmallVec;

/// Returns where a box centred at `center` touches the solid along the unit `normal`, which points to the box.
pub(crate) fn contacts(
    difference: &MinkowskiDifference,
    body: &DifferenceBox,
    center: DVec3,
    normal: DVec3,
) -> Contacts {
    BoxAboveSolid::new(difference, body, center, normal, FeatureId::NONE).touching()
}

/// Returns where a box and the solid face each other along the unit `normal`: all points that penetrate or are no more
/// than `margin` apart, and in any case the feature that touches first.
pub(crate) fn near(
    difference: &MinkowskiDifference,
    body: &DifferenceBox,
    normal: DVec3,
    margin: f64,
    previous: FeatureId,
) -> Contacts {
    let facing = BoxAboveSolid::new(difference, body, body.obb.center().as_dvec3(), normal, previous);
    let wider = margin - (facing.bottom - facing.top);
    if wider > 0.0 { facing.within(margin, wider) } else { facing.touching() }
}

/// A box above a solid, as seen along the normal between them.
struct BoxAboveSolid<'a> {
    difference: &'a MinkowskiDifference<'a>,
    edges: [DVec3; 3],
    center: DVec3,
    normal: DVec3,
    previous: FeatureId,
    lowest: LowestVertex,
    /// The points of the lowest feature.
    ours: Outline,
    /// How low the box reaches.
    bottom: f64,
    /// How high the solid reaches.
    top: f64,
}

impl<'a> BoxAboveSolid<'a> {
    fn new(
        difference: &'a MinkowskiDifference<'a>,
        body: &DifferenceBox,
        center: DVec3,
        normal: DVec3,
        previous: FeatureId,
    ) -> Self {
        let lowest = LowestVertex::new(body.edges, normal, body.edges.mapped(|edge| edge.dot(normal)), previous);
        let ours: Outline = lowest.points(center).listed();
        let height = |v: &DVec3| normal.dot(*v);
        let bottom = ours.iter().map(height).fold(f64::INFINITY, f64::min);
        let top = difference.vertices.iter().map(height).fold(f64::NEG_INFINITY, f64::max);
        Self { difference, edges: body.edges, center, normal, previous, lowest, ours, bottom, top }
    }

    /// Returns what the touching features share, or would share if they came together along the normal.
    fn touching(mut self) -> Contacts {
        let normal = self.normal;
        let feet: Outline = self.ours.iter().map(|p| *p - normal * (normal.dot(*p) - self.top)).listed();
        // A face is never beside, as it has nothing beyond it. The slack covers the error of the points and of the way
        // down to their feet.
        let rounded = feet.iter().fold(0.0, |most: f64, p| most.max(p.abs().max_element())) * f64::from(f32::EPSILON);
        let slack = 4.0 * ((self.bottom - self.top).abs() + self.difference.vertex_error + rounded);
        let is_beside = self.ours.len() < 3 && self.difference.are_beside(&feet, slack);
        let mut id = self.lowest.id();
        if is_beside {
            // The lowest feature is beside the solid, perhaps above another one: the box touches with the part of that
            // face that is above this solid.
            let face = self.underside();
            self.ours = face.outline();
            id = face.id();
        } else if let [vertex] = self.ours[..] {
            // The common case: all that matters of the solid is how high it reaches.
            return Contacts::new(&[(vertex.as_vec3(), (self.bottom - self.top).max(0.0))], id);
        }
        let theirs = Upside::highest(self.difference, normal, self.top);
        let (mut shared, are_ours) = shared(self.ours.clone(), &theirs.outline, normal);
        if is_beside {
            let height = |p: &DVec3| normal.dot(*p);
            let bottom = shared.iter().map(height).fold(f64::INFINITY, f64::min);
            shared.retain(|p| height(p) - bottom <= 2.0 * self.difference.vertex_error);
        }
        let ours = (!are_ours).then(|| self.underside());
        let apart = |p: DVec3| ours.as_ref().map_or_else(|| -theirs.above(p), |ours| ours.above(p));
        // Any penetration here is rounding.
        let mut points: PointSeparations = shared.into_iter().map(|p| (p, apart(p).max(0.0))).listed();
        keep_four(&mut points, normal);
        contacts_of(&points, id)
    }

    /// Returns all corners of what the facing faces share that are no more than `margin` apart. The box's lower side
    /// and the solid's upper side may lean by up to `wider`, by which the box is closer than the margin.
    fn within(self, margin: f64, wider: f64) -> Contacts {
        let normal = self.normal;
        let (ours, theirs) = (self.underside(), Upside::within(self.difference, normal, self.top, wider));
        let (shared, are_ours) = shared(ours.outline(), &theirs.outline, normal);
        let apart = |p: DVec3| if are_ours { -theirs.above(p) } else { ours.above(p) };
        let mut points: PointSeparations = shared.into_iter().map(|p| (p, apart(p))).listed();
        let nearest = points.iter().copied().reduce(|a, b| if b.1 < a.1 { b } else { a });
        let (deepest, least) = nearest.unwrap_or((self.center, 0.0));
        // Projected onto the box's face.
        let lifted = |p: DVec3| p + normal * ours.above(p);
        let is_level = |p: DVec3, separation: f64| {
            let is_held = ours.between(lifted(p), lifted(deepest)).all(|axis| self.previous.spans(axis));
            let angle = if is_held { 2.0 * FEATURE_ANGLE } else { FEATURE_ANGLE };
            separation - least <= angle * p.distance(deepest)
        };
        points.retain(|(p, separation)| *separation <= margin || is_level(*p, *separation));
        keep_four(&mut points, normal);
        let id = ours.spanned(points.iter().map(|(p, _)| lifted(*p)));
        contacts_of(&points, id)
    }

    /// The face of the box at its lowest feature.
    fn underside(&self) -> Underside {
        Underside::new(self.center, self.edges, self.lowest.varied(), self.normal)
    }
}

/// Points with their separations, in cyclic order.
type PointSeparations = SmallVec<[(DVec3, f64); 16]>;

fn contacts_of(points: &[(DVec3, f64)], id: FeatureId) -> Contacts {
    // Without negative zeros.
    let rounded: ArrayVec<_, 4> =
        points.iter().take(4).map(|(p, separation)| (p.as_vec3(), *separation + 0.0)).collect();
    Contacts::new(&rounded, id)
}

/// Returns what two outlines share when seen along `normal`, and whether the points lie on `ours`.
pub(crate) fn shared(ours: Outline, theirs: &Outline, normal: DVec3) -> (Outline, bool) {
    match (ours.len(), theirs.len()) {
        (1, _) => (ours, true),
        (_, 1) => (theirs.clone(), false),
        (2, 2) => shared_by_edges(ours, theirs, normal),
        (_, 2) => (clipped(theirs.clone(), &ours, normal), false),
        _ => (clipped(ours, theirs, normal), true),
    }
}

/// Returns what two segments share when seen along `normal`: a piece of ours, or a point of theirs.
fn shared_by_edges(ours: Outline, theirs: &Outline, normal: DVec3) -> (Outline, bool) {
    let (along, other) = (ours[1] - ours[0], theirs[1] - theirs[0]);
    let side = along.cross(normal);
    let turn = side.dot(other);
    if turn.abs() > FEATURE_ANGLE * along.length() * other.length() {
        let fraction = (side.dot(ours[0] - theirs[0]) / turn).clamp(0.0, 1.0);
        return (SmallVec::from_slice(&[theirs[0].lerp(theirs[1], fraction)]), false);
    }
    let mut shared = ours;
    clip(&mut shared, -other, theirs[0]);
    clip(&mut shared, other, theirs[1]);
    (shared, true)
}

/// Clips `points` by the planes that stand on the sides of `polygon`.
fn clipped(mut points: Outline, polygon: &Outline, normal: DVec3) -> Outline {
    let middle = polygon.iter().sum::<DVec3>() / polygon.len() as f64;
    for i in 0..polygon.len() {
        let (from, to) = (polygon[i], polygon[(i + 1) % polygon.len()]);
        let side = (to - from).cross(normal);
        // A box's face may run in either direction.
        clip(&mut points, if side.dot(middle - from) > 0.0 { -side } else { side }, from);
    }
    points
}

/// Keeps what lies behind the plane through `origin`; if nothing would be left, which only rounding can cause, what is
/// nearest to the plane.
fn clip(points: &mut Outline, normal: DVec3, origin: DVec3) {
    let height = |p: DVec3| normal.dot(p - origin);
    let mut kept = Outline::new();
    let mut push = |p: DVec3| {
        if kept.last() != Some(&p) {
            kept.push(p);
        }
    };
    for i in 0..points.len() {
        let (a, b) = (points[i], points[(i + 1) % points.len()]);
        let (ha, hb) = (height(a), height(b));
        if ha <= 0.0 {
            push(a);
        }
        // Interpolated from inside to outside, whichever way the side runs, so that the two passes over a segment
        // agree.
        if ha < 0.0 && hb > 0.0 {
            push(a + (b - a) * (ha / (ha - hb)));
        } else if hb < 0.0 && ha > 0.0 {
            push(b + (a - b) * (hb / (hb - ha)));
        }
    }
    if kept.len() > 1 && kept.first() == kept.last() {
        kept.pop();
    }
    if !kept.is_empty() {
        *points = kept;
        return;
    }
    let heights = || points.iter().map(|p| height(*p));
    let (least, most) = (heights().fold(f64::INFINITY, f64::min), heights().fold(f64::NEG_INFINITY, f64::max));
    points.retain(|p| height(*p) <= least + FLAT * (most - least));
}

/// Keeps at most four of the points, in cyclic order: the deepest, the one farthest from it, the one farthest from the
/// line between the two, and the one that adds most to their triangle. Together they extend about as far as all of
/// them.
fn keep_four(points: &mut PointSeparations, normal: DVec3) {
    if points.len() <= 4 {
        return;
    }
    let flat: SmallVec<[DVec3; 16]> = points.iter().map(|(p, _)| across(*p, normal)).listed();
    let turn = |a: DVec3, b: DVec3| normal.dot(a.cross(b));
    let best = |value: &dyn Fn(DVec3, f64) -> f64| {
        let values = flat.iter().zip(points.iter()).map(|(at, point)| value(*at, point.1));
        values.enumerate().reduce(|a, b| if b.1 > a.1 { b } else { a }).map_or(0, |(i, _)| i)
    };
    let least = points.iter().map(|point| point.1).fold(f64::INFINITY, f64::min);
    let level = FEATURE_ANGLE * flat.iter().map(|at| at.distance(flat[0])).fold(0.0, f64::max);
    // On a level face, the farthest in a direction that no rectangle has: rounding would decide which one is deepest.
    let sidewise = vector::perpendicular(normal);
    let slanted = sidewise.cross(normal) + 0.3 * sidewise;
    let deepest = best(&|at, separation| if separation - least <= level { slanted.dot(at) } else { f64::NEG_INFINITY });
    let farthest = best(&|at, _| at.distance_squared(flat[deepest]));
    let [a, b] = [flat[deepest], flat[farthest]];
    let widest = best(&|at, _| turn(b - a, at - a).abs());
    let c = flat[widest];
    let side = turn(b - a, c - a).signum();
    let outside = |at: DVec3, (from, to): (DVec3, DVec3)| -side * turn(to - from, at - from);
    let most = best(&|at, _| [(a, b), (b, c), (c, a)].mapped(|edge| outside(at, edge)).into_iter().fold(0.0, f64::max));
    let mut number = 0..;
    points.retain(|_| number.next().is_some_and(|i| [deepest, farthest, widest, most].contains(&i)));
}

#[cfg(test)]
mod tests;
