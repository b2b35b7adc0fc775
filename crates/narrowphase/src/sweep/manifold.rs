//! Which points of a box and a convex solid touch.
//!
//! The facet by which the box entered tells which features met: a face of the solid meets the lowest vertices of the box, a face of
//! the box the highest of the solid, and two edges meet in a point. Points of a face are clipped by the sides of the face that they
//! lie on, so that contacts belong to both.
//!
//! Sources: Sutherland and Hodgman, "Reentrant Polygon Clipping", 1974; Ericson, "Real-Time Collision Detection", §5.1.9 (edges).

use super::{
    Contacts,
    contacts::{FEATURE_ANGLE, lowest},
    hull::{Body, Hull, Origin},
};
use glam::DVec3;
use smallvec::SmallVec;

/// A polygon in space; of two points a segment.
type Polygon = SmallVec<[DVec3; 16]>;

/// Where a box centred at `center` touches the solid along the unit `normal`, which points to the box.
pub(super) fn contacts(hull: &Hull, body: &Body, center: DVec3, normal: DVec3, origin: Origin) -> Contacts {
    let mut points: Polygon = match origin {
        Origin::Face(_) => lowest(body.obb, center, normal).points().iter().map(|p| p.as_dvec3()).collect(),
        Origin::BoxFace(_) => highest(hull, normal),
        Origin::Edges(edge, k) => SmallVec::from_slice(&[meeting(hull, body, center, normal, edge, k)]),
    };
    if points.len() > 1 {
        match origin {
            Origin::Face(face) => clip_by_face(&mut points, hull, face),
            Origin::BoxFace(k) => clip_by_box(&mut points, body, center, k),
            Origin::Edges(..) => {}
        }
    }
    let points: SmallVec<[_; 4]> = spread(&points, normal).iter().map(|p| p.as_vec3()).collect();
    Contacts::new(&points)
}

/// The vertices of the solid that lie highest along `normal`, in cyclic order when they are more than two.
fn highest(hull: &Hull, normal: DVec3) -> Polygon {
    let top = hull.vertices.iter().map(|v| normal.dot(*v)).fold(f64::NEG_INFINITY, f64::max);
    let first = hull.vertices.iter().copied().find(|v| normal.dot(*v) >= top).unwrap_or(DVec3::ZERO);
    // As high as the top but for the angle at which an edge still counts as parallel.
    let is_high = |v: &DVec3| top - normal.dot(*v) <= FEATURE_ANGLE * v.distance(first) + hull.slack;
    let high: Polygon = hull.vertices.iter().copied().filter(is_high).collect();
    spread(&high, normal)
}

/// At most four of the points, spread as far as they are, in cyclic order about `normal`.
fn spread(points: &[DVec3], normal: DVec3) -> Polygon {
    if points.len() <= 2 {
        return SmallVec::from_slice(points);
    }
    let (x, y) = normal.any_orthonormal_pair();
    // Slanted against both, so that the corners of a rectangle do not tie.
    let directions = [x + 0.3 * y, y - 0.3 * x, -x - 0.3 * y, 0.3 * x - y];
    let mut kept = Polygon::new();
    for direction in directions {
        let farthest =
            points.iter().copied().fold(points[0], |a, b| if direction.dot(b) > direction.dot(a) { b } else { a });
        if !kept.contains(&farthest) {
            kept.push(farthest);
        }
    }
    kept
}

/// Clips by the planes that stand on the edges of a face.
fn clip_by_face(points: &mut Polygon, hull: &Hull, face: usize) {
    let normal = hull.planes[face].normal;
    for edge in hull.edges {
        let Some(place) = edge.faces.iter().position(|&f| f == face) else { continue };
        let [from, to] = edge.vertices.map(|v| hull.vertices[v]);
        let along = if place == 0 { to - from } else { from - to };
        clip(points, along.cross(normal), from);
    }
}

/// Clips by the four faces of the box around face `k`.
fn clip_by_box(points: &mut Polygon, body: &Body, center: DVec3, k: usize) {
    for (i, (axis, reach)) in body.obb.slabs().into_iter().enumerate() {
        if i != k {
            clip(points, axis, center + axis * reach);
            clip(points, -axis, center - axis * reach);
        }
    }
}

/// Keeps what lies behind the plane through `origin`; all of it when nothing would be left, which only rounding can cause.
fn clip(points: &mut Polygon, normal: DVec3, origin: DVec3) {
    let height = |p: DVec3| normal.dot(p - origin);
    let mut kept = Polygon::new();
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
        // From inside to outside whichever way the edge runs, so that a segment's two passes agree.
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
    }
}

/// The point of a solid's edge nearest to the box's lowest edge of direction `k`.
fn meeting(hull: &Hull, body: &Body, center: DVec3, normal: DVec3, edge: usize, k: usize) -> DVec3 {
    let along = body.edges[k];
    let middle = (0..3).filter(|&i| i != k).fold(center, |point, i| {
        let h = body.edges[i];
        if h.dot(normal) > 0.0 { point - h } else { point + h }
    });
    let [from, to] = hull.edges[edge].vertices.map(|v| hull.vertices[v]);
    // Within the plane of the normal and the box's edge, the solid's edge is met where it crosses that plane.
    let side = along.cross(normal);
    let (start, end) = (side.dot(from - middle), side.dot(to - middle));
    let fraction = (start / (start - end)).clamp(0.0, 1.0);
    if fraction.is_nan() { from } else { from.lerp(to, fraction) }
}
