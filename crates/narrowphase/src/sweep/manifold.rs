//! Which points of a box and a convex solid touch.
//!
//! Each of the two touches the plane between them with a vertex, an edge or a face: its points that lie extreme along the normal, up to
//! the angle at which an edge counts as parallel. What both features share are the contacts:
//!
//! ```text
//!  vertex and anything   the vertex
//!  edge and edge         where they cross, or the piece that they share
//!  edge and face         the edge, clipped by the sides of the face
//!  face and face         the box's face, clipped by the sides of the solid's; at most four points of it
//! ```
//!
//! On a floor of tiles what lies lowest may be above the next tile; then it is what of that face of the box lies above this one.
//!
//! The axis of entry alone would not do: where features are parallel several axes tie, and rounding picks one.
//!
//! Sources: Sutherland and Hodgman, "Reentrant Polygon Clipping", 1974; Gregorius, "Robust Contact Creation for Physics
//! Simulations", GDC 2015.

use super::{
    Contacts, FeatureId,
    contacts::{FEATURE_ANGLE, lowest, lowest_within},
    hull::{Body, Hull},
};
use crate::Obb;
use glam::DVec3;
use smallvec::SmallVec;

/// A point, a segment, or a convex polygon in cyclic order.
type Shape = SmallVec<[DVec3; 16]>;

/// Where a box centred at `center` touches the solid along the unit `normal`, which points to the box.
pub(super) fn contacts(hull: &Hull, body: &Body, center: DVec3, normal: DVec3) -> Contacts {
    shared(hull, (body.obb, center), lowest(body.obb, center, normal, 0.0), normal, 0.0)
}

/// Where a box and the solid are next to touch along the unit `normal`: the same, with all of either feature that is no more than `margin`
/// farther from the other.
pub(super) fn near(hull: &Hull, obb: &Obb, normal: DVec3, margin: f64, previous: FeatureId) -> Contacts {
    let center = obb.center().as_dvec3();
    shared(hull, (obb, center), lowest_within(obb, normal, margin, previous), normal, margin)
}

fn shared(hull: &Hull, (obb, center): (&Obb, DVec3), lowest: Contacts, normal: DVec3, margin: f64) -> Contacts {
    let height = |v: &DVec3| normal.dot(*v);
    let mut ours: Shape = lowest.points().iter().map(|p| p.as_dvec3()).collect();
    let mut bottom = ours.iter().map(height).fold(f64::INFINITY, f64::min);
    let top = hull.vertices.iter().map(height).fold(f64::NEG_INFINITY, f64::max);
    let feet: Shape = ours.iter().map(|p| *p - normal * (height(p) - top)).collect();
    // Not a face, which has nothing beyond it; and by more than what the points and the way down to their feet may be off.
    let rounded = feet.iter().fold(0.0, |most: f64, p| most.max(p.abs().max_element())) * f64::from(f32::EPSILON);
    let is_beside = ours.len() < 3 && hull.are_beside(&feet, 4.0 * ((bottom - top).abs() + hull.slack + rounded));
    let mut id = lowest.id();
    if is_beside {
        // What is lowest is beside the solid, above another one perhaps: the box touches with what of that face is here.
        (ours, id) = facing(obb, center, normal);
    } else if let [vertex] = lowest.points() {
        // Mostly: then all that matters of the solid is how high it reaches.
        return Contacts::new(&[(*vertex, (bottom - top).max(0.0))], id);
    }
    let theirs = highest(hull, normal, margin);
    let mut shared = match (ours.len(), theirs.len()) {
        (_, 1) => theirs,
        (2, 2) => shared_by_edges(ours, &theirs, normal),
        (_, 2) => clipped(theirs, &ours, normal),
        _ => clipped(ours, &theirs, normal),
    };
    if is_beside {
        bottom = shared.iter().map(height).fold(f64::INFINITY, f64::min);
        shared.retain(|p| height(p) - bottom <= margin.max(2.0 * hull.slack));
    }
    // A point of either is as far from the other as from the level at which that ends.
    let separation = |p: DVec3| (bottom - normal.dot(p)).max(normal.dot(p) - top);
    let points: SmallVec<[_; 4]> =
        spread(&shared, normal).into_iter().map(|p| (p.as_vec3(), separation(p).max(0.0))).collect();
    Contacts::new(&points, id)
}

/// The face of the box that looks against `normal` most.
fn facing(obb: &Obb, center: DVec3, normal: DVec3) -> (Shape, FeatureId) {
    let edges = obb.wide_edges();
    // Of a flat box, the face that it is.
    let lean = edges.map(|edge| if edge == DVec3::ZERO { 2.0 } else { edge.dot(normal).abs() / edge.length() });
    let up = (0..3).fold(0, |most, i| if lean[i] > lean[most] { i } else { most });
    let (a, b) = (edges[(up + 1) % 3], edges[(up + 2) % 3]);
    let end = -edges[up].dot(normal).signum();
    let middle = center + edges[up] * end;
    let ids = (0..8).filter(|vertex| (vertex >> up & 1 == 1) == (end > 0.0)).fold(0, |ids, vertex| ids | 1 << vertex);
    let points = [middle + a + b, middle + a - b, middle - a - b, middle - a + b];
    (SmallVec::from_slice(&points), FeatureId::new(ids))
}

/// The outermost of the vertices of the solid that lie highest along `normal`, up to a margin, counter-clockwise about it.
fn highest(hull: &Hull, normal: DVec3, margin: f64) -> Shape {
    let height = |v: &DVec3| normal.dot(*v);
    let first =
        hull.vertices.iter().copied().fold(hull.vertices[0], |a, b| if height(&b) > height(&a) { b } else { a });
    let is_high =
        |v: &DVec3| normal.dot(first - *v) <= margin.max(FEATURE_ANGLE * v.distance(first)) + 2.0 * hull.slack;
    let mut high = Shape::new();
    for vertex in hull.vertices.iter().filter(|v| is_high(v)) {
        // A flat box has each of its vertices twice, a rod four times.
        if !high.contains(vertex) {
            high.push(*vertex);
        }
    }
    if high.len() > 2 {
        let middle = high.iter().sum::<DVec3>() / high.len() as f64;
        let (x, y) = normal.any_orthonormal_pair();
        high.sort_unstable_by(|a, b| {
            let turn = |v: &DVec3| turn(x.dot(v - middle), y.dot(v - middle));
            turn(a).total_cmp(&turn(b))
        });
        // The upper and the lower end of a thin solid may both be among them, the smaller one within the other.
        let is_inner = |high: &Shape, i: usize| {
            let (a, b, c) = (high[(i + high.len() - 1) % high.len()], high[i], high[(i + 1) % high.len()]);
            let (before, after) = (b - a, c - b);
            normal.dot(before.cross(after)) < -FLAT * before.length() * after.length()
        };
        while let Some(inner) = (0..high.len()).find(|&i| is_inner(&high, i)) {
            high.remove(inner);
        }
    }
    high
}

/// A corner with a smaller sine, 2^-30, is on a side but for rounding.
const FLAT: f64 = 1.0 / (1u64 << 30) as f64;

/// Grows with the angle of `(x, y)`, from 0 to 4.
fn turn(x: f64, y: f64) -> f64 {
    let along = x / (x.abs() + y.abs());
    if y >= 0.0 { 1.0 - along } else { 3.0 + along }
}

/// The piece or the point that two segments share when seen along `normal`.
fn shared_by_edges(ours: Shape, theirs: &Shape, normal: DVec3) -> Shape {
    let (along, other) = (ours[1] - ours[0], theirs[1] - theirs[0]);
    let side = along.cross(normal);
    let turn = side.dot(other);
    if turn.abs() > FEATURE_ANGLE * along.length() * other.length() {
        let fraction = (side.dot(ours[0] - theirs[0]) / turn).clamp(0.0, 1.0);
        return SmallVec::from_slice(&[theirs[0].lerp(theirs[1], fraction)]);
    }
    let mut shared = ours;
    clip(&mut shared, -other, theirs[0]);
    clip(&mut shared, other, theirs[1]);
    shared
}

/// `points` clipped by the planes that stand on the sides of `polygon`.
fn clipped(mut points: Shape, polygon: &Shape, normal: DVec3) -> Shape {
    let middle = polygon.iter().sum::<DVec3>() / polygon.len() as f64;
    for i in 0..polygon.len() {
        let (from, to) = (polygon[i], polygon[(i + 1) % polygon.len()]);
        let side = (to - from).cross(normal);
        // A box's face may run round either way.
        clip(&mut points, if side.dot(middle - from) > 0.0 { -side } else { side }, from);
    }
    points
}

/// Keeps what lies behind the plane through `origin`; what is nearest to it when nothing would be left, which only rounding can cause.
fn clip(points: &mut Shape, normal: DVec3, origin: DVec3) {
    let height = |p: DVec3| normal.dot(p - origin);
    let mut kept = Shape::new();
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
        // From inside to outside whichever way the side runs, so that the two passes over a segment agree.
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

/// At most four of the points, spread as far as they are, in cyclic order about `normal`.
fn spread(points: &[DVec3], normal: DVec3) -> Shape {
    if points.len() <= 4 {
        return SmallVec::from_slice(points);
    }
    let (x, y) = normal.any_orthonormal_pair();
    // Slanted against both, so that the corners of a rectangle do not tie.
    let directions = [x + 0.3 * y, y - 0.3 * x, -x - 0.3 * y, 0.3 * x - y];
    let mut kept = Shape::new();
    for direction in directions {
        let farthest =
            points.iter().copied().fold(points[0], |a, b| if direction.dot(b) > direction.dot(a) { b } else { a });
        if !kept.contains(&farthest) {
            kept.push(farthest);
        }
    }
    kept
}
