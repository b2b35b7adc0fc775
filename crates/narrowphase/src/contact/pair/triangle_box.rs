//! A rectangular box and a triangle, the shape that terrain is made of.
//!
//! In the frame of the box, with its centre as the origin and the corners of the triangle at `p`, the directions that
//! may separate are the triangle's normal, the axes `a`, and the cross products of an axis and a side `e`. Along a
//! cross product, the triangle extends from one to the other of two values,
//!
//! ```text
//!   (aᵢ × e) · p = (e × p)ᵢ        at an end of the side and at the corner across it
//! ```
//!
//! so that the lanes of one cross product are three directions.
//!
//! Source: Akenine-Möller, "Fast 3D Triangle-Box Overlap Testing", 2001.

use super::{
    ContactManifold, ManifoldCache, ManifoldPoint,
    box_box::{EDGE_BIAS, PARALLEL, ROUNDED, TOLERANCE, sum},
    box_edges::edge_number,
    box_frame::{BoxEdges, BoxFrame, yzx, zxy},
    cache::{Axis, PointFeature},
    keep_four::{Candidates, four_of},
    outline::{CornerSource, LaneOutline, shared},
    solids,
};
use crate::Triangle;
use arrayvec::ArrayVec;
use glam::{Vec3, Vec4};

/// The squared sine of the narrowest angle, 2^-10, at which the normal of a triangle is computed in `f32`.
const SLIVER: f32 = 1.0 / (1u32 << 20) as f32;

/// As for solids.
const FLUSH: f32 = solids::FLUSH as f32;

/// The separations of a box and a triangle along all directions, in the frame of the box.
struct Separations {
    corners: [Vec4; 3],
    sides: [Vec4; 3],
    /// The normal of the triangle, of unit length.
    normal: Vec4,
    /// How far the box is apart from the triangle behind it and in front of it.
    faces: [f32; 2],
    axes: Vec4,
    /// The separations across edges, less what rounding may add.
    edges: [Vec4; 3],
}

/// Makes `manifold` that of a box and a triangle; `None` if one of them is too awkward for `f32`. `corner` is the point
/// that the triangle's offsets are relative to.
pub(super) fn update(
    manifold: &mut ContactManifold,
    body: &BoxEdges,
    triangle: &Triangle,
    corner: Vec3,
    margin: f32,
    cache: &mut ManifoldCache,
) -> Option<()> {
    let from_center = |point: Vec3| {
        let way = point.as_dvec3() - body.center.as_dvec3();
        (way - body.rest.as_dvec3()).as_vec3()
    };
    // Written out, here and below, because calls of `map` would not be inlined.
    let [a, b, c] = triangle.points();
    let points = [from_center(a), from_center(b), from_center(c)];
    let size = body.size() + points.iter().fold(0.0, |most: f32, p| most.max(sum(p.abs().extend(0.0))));
    let lost = ROUNDED * size;
    if let Some((normal, distance)) = along_cached(body, &points, cache.axis())
        && distance - lost > margin
    {
        manifold.begin(normal, distance - lost);
        return Some(());
    }
    let frame = body.frame().filter(|frame| frame.half.truncate().min_element() > 0.0)?;
    let found = Separations::new(&frame, &points, lost)?;
    let extent = found.extent();
    let tolerance = TOLERANCE * frame.longest().min(extent);

    let (face, kept, most) = found.best_face(cache.axis(), tolerance);
    let (edges, across) = found.best_edges();
    let distance = (most - lost).max(across);
    let needed = 2.0 * tolerance + EDGE_BIAS * (-kept).max(0.0);
    let needed = if cache.axis() == edges { 0.5 * needed } else { needed };
    let decides = if across > kept + needed || across > margin { edges } else { face };
    cache.set(decides);
    manifold.begin(found.normal(&frame, decides), distance);
    if distance > margin {
        return Some(());
    }
    let offsets = [body.rest, from_center(corner)];
    if let Axis::Edges(..) = decides {
        found.push_edges(manifold, &frame, decides, offsets, margin);
        return Some(());
    }
    found.push_faces(manifold, &frame, face, offsets, (margin, FLUSH * tolerance));
    // Where an edge is better, the deepest point may lie beside the face.
    if across > kept && manifold.least() > across + tolerance {
        cache.set(edges);
        manifold.begin(found.normal(&frame, edges), distance);
        found.push_edges(manifold, &frame, edges, offsets, margin);
    }
    Some(())
}

/// The direction that decided last time, pointing away from the box, and the separation of the two along it.
fn along_cached(body: &BoxEdges, points: &[Vec3; 3], axis: Axis) -> Option<(Vec3, f32)> {
    let side = |k: usize| points[(k + 1) % 3] - points[k];
    let direction = match axis {
        Axis::FaceOfFirst(i) if i < 3 => body.edge(i.into()),
        Axis::FaceOfSecond(_) => side(0).cross(side(1)),
        Axis::Edges(i, k) if i < 3 && k < 3 => body.edge(i.into()).cross(side(k.into())),
        _ => return None,
    };
    let [a, b, c] = [direction.dot(points[0]), direction.dot(points[1]), direction.dot(points[2])];
    let (low, high) = (a.min(b).min(c), a.max(b).max(c));
    let direction = if low + high < 0.0 { -direction } else { direction };
    let length = direction.length();
    let inverse = 1.0 / length;
    let separation = (low.max(-high) - sum(body.along(direction).abs())) * inverse;
    (length > f32::MIN_POSITIVE && inverse.is_finite()).then(|| (direction * inverse, separation))
}

impl Separations {
    fn new(frame: &BoxFrame, points: &[Vec3; 3], lost: f32) -> Option<Self> {
        let [p, q, r] = [frame.along(points[0]), frame.along(points[1]), frame.along(points[2])];
        let corners = [p, q, r];
        let sides = [q - p, r - q, p - r];
        let half = frame.half;

        let normal = cross(sides[0], sides[1]);
        let square = sum(normal * normal);
        let squares = [sum(sides[0] * sides[0]), sum(sides[1] * sides[1]), sum(sides[2] * sides[2])];
        let is_plain = square > SLIVER * squares[0] * squares[1] && square > f32::MIN_POSITIVE;
        if !is_plain || !square.is_finite() {
            return None;
        }
        let normal = normal * (1.0 / square.sqrt());
        let heights = [sum(p * normal), sum(q * normal), sum(r * normal)];
        let (low, high) = (heights[0].min(heights[1]).min(heights[2]), heights[0].max(heights[1]).max(heights[2]));
        let reach = sum(normal.abs() * half);
        let faces = [low - reach, -high - reach];

        let (low, high) = (p.min(q).min(r), p.max(q).max(r));
        let axes = low.max(-high) - half;

        let mut edges = [Vec4::NEG_INFINITY; 3];
        for (k, edges) in edges.iter_mut().enumerate() {
            let side = sides[k];
            let (near, far) = (cross(side, corners[k]), cross(side, corners[(k + 2) % 3]));
            let abs = side.abs();
            let reach = yzx(half) * zxy(abs) + zxy(half) * yzx(abs);
            let (one, other) = (yzx(side), zxy(side));
            let square = one * one + other * other;
            let lost = Vec4::splat(2.0 * lost * squares[k].sqrt());
            let separation = (near.min(far).max(-near.max(far)) - reach - lost) / square.sqrt();
            let is_across = square.cmpgt(Vec4::splat(PARALLEL * PARALLEL * squares[k]));
            *edges = Vec4::select(is_across, separation, Vec4::NEG_INFINITY);
        }
        Some(Self { corners, sides, normal, faces, axes, edges })
    }

    /// Half the largest extent of the triangle.
    fn extent(&self) -> f32 {
        let [p, q, r] = self.corners;
        let extent = p.max(q).max(r) - p.min(q).min(r);
        0.5 * extent.x.max(extent.y).max(extent.z)
    }

    /// Returns the face along which the two are farthest apart (the last one while it is worse by no more than the
    /// tolerance), the separation along it, and the largest separation along any face. The faces of the triangle are
    /// its back, seen from the box, and its front.
    fn best_face(&self, last: Axis, tolerance: f32) -> (Axis, f32, f32) {
        let [back, front] = self.faces;
        let all = [
            (Axis::FaceOfSecond(0), back),
            (Axis::FaceOfSecond(1), front),
            (Axis::FaceOfFirst(0), self.axes.x),
            (Axis::FaceOfFirst(1), self.axes.y),
            (Axis::FaceOfFirst(2), self.axes.z),
        ];
        let (mut best, mut score, mut most) = (all[0], f32::NEG_INFINITY, f32::NEG_INFINITY);
        for (axis, separation) in all {
            let scored = if axis == last { separation + tolerance } else { separation };
            if scored > score {
                (best, score) = ((axis, separation), scored);
            }
            most = most.max(separation);
        }
        (best.0, best.1, most)
    }

    /// The pair of edges along which the two are farthest apart, and how far.
    fn best_edges(&self) -> (Axis, f32) {
        let (mut best, mut most) = (Axis::None, f32::NEG_INFINITY);
        for (k, edges) in self.edges.iter().enumerate() {
            for i in 0..3 {
                if edges[i] > most {
                    (best, most) = (Axis::Edges(i as u16, k as u16), edges[i]);
                }
            }
        }
        (best, most)
    }

    /// The unit direction of an axis from the box to the triangle, in the box's frame.
    fn direction(&self, axis: Axis) -> Vec4 {
        let [p, q, r] = self.corners;
        match axis {
            Axis::FaceOfFirst(i) => {
                let i = usize::from(i);
                let (low, high) = (p[i].min(q[i]).min(r[i]), p[i].max(q[i]).max(r[i]));
                let unit = Vec4::AXES[i];
                if low + high < 0.0 { -unit } else { unit }
            }
            Axis::FaceOfSecond(0) | Axis::None => self.normal,
            Axis::FaceOfSecond(_) => -self.normal,
            Axis::Edges(i, k) => {
                let (i, k) = (usize::from(i), usize::from(k));
                let across = cross(Vec4::AXES[i], self.sides[k]);
                let across = across * (1.0 / sum(across * across).sqrt());
                let (near, far) = (sum(across * self.corners[k]), sum(across * self.corners[(k + 2) % 3]));
                if near + far < 0.0 { -across } else { across }
            }
        }
    }

    /// The same in world space.
    fn normal(&self, frame: &BoxFrame, axis: Axis) -> Vec3 {
        match axis {
            // Exactly an axis of the box.
            Axis::FaceOfFirst(i) => {
                let i = usize::from(i);
                frame.axis(i) * self.direction(axis)[i]
            }
            _ => {
                let normal = frame.place(self.direction(axis).truncate());
                normal * (1.0 / normal.length())
            }
        }
    }

    /// Adds the point at which an edge of the box and a side of the triangle are nearest.
    fn push_edges(
        &self,
        manifold: &mut ContactManifold,
        frame: &BoxFrame,
        axis: Axis,
        [rest, origin]: [Vec3; 2],
        margin: f32,
    ) {
        let Axis::Edges(i, k) = axis else { return };
        let (i, k) = (usize::from(i), usize::from(k));
        let normal = self.direction(axis).truncate();
        let half = frame.half.truncate();
        // The middle of the box's edge, and where its line is nearest to that of the side.
        let (mut middle, mut vertex) = (Vec3::ZERO, 0);
        for j in [(i + 1) % 3, (i + 2) % 3] {
            middle[j] = if normal[j] < 0.0 { -half[j] } else { half[j] };
            vertex |= if normal[j] < 0.0 { 0 } else { 1 << j };
        }
        let (start, side) = (self.corners[k].truncate(), self.sides[k].truncate());
        let between = start - middle;
        let (square, along) = (side.dot(side), side[i]);
        // The edge has unit length along an axis.
        let share = (between[i] * along - between.dot(side)) / (square - along * along);
        let share = if share > 0.0 { share.min(1.0) } else { 0.0 };
        let on_triangle = start + side * share;
        let mut on_box = middle;
        on_box[i] = on_triangle[i].max(-half[i]).min(half[i]);
        let separation = normal.dot(on_triangle - on_box);
        if separation <= margin {
            manifold.push(ManifoldPoint {
                from_first: frame.place(on_box) + rest,
                from_second: frame.place(on_triangle) - origin,
                separation,
                feature: PointFeature::Edges(edge_number(vertex, i), k as u32).number(),
            });
        }
    }

    /// Adds up to four points of the faces with which the two meet.
    fn push_faces(
        &self,
        manifold: &mut ContactManifold,
        frame: &BoxFrame,
        face: Axis,
        [rest, origin]: [Vec3; 2],
        (margin, flush): (f32, f32),
    ) {
        let normal = self.direction(face).truncate();
        let half = frame.half.truncate();
        if let Axis::FaceOfFirst(w) = face {
            let w = usize::from(w);
            let (u, v) = ((w + 1) % 3, (w + 2) % 3);
            let at = |i: usize| Vec4::new(self.corners[0][i], self.corners[1][i], self.corners[2][i], 0.0);
            let incident = LaneOutline { u: at(u), v: at(v), corners: 3 };
            let apart = at(w) * normal[w] - Vec4::splat(half[w]);
            let base = if normal[w] < 0.0 { 0 } else { 1 << w };
            let rectangle = Rectangle { u, v, base };
            let reference = rectangle.outline(half);
            let feature = |source: CornerSource| match source {
                CornerSource::Incident(k) => PointFeature::VertexOfSecond(k as u32).number(),
                CornerSource::Reference(q) => PointFeature::VertexOfFirst(rectangle.vertex(q)).number(),
                CornerSource::Sides(q, k) => PointFeature::Edges(rectangle.side(q), k as u32).number(),
            };
            let points = shared(&reference, &incident, apart, (margin, flush), feature);
            let place = |u_at: f32, v_at: f32, w_at: f32| {
                let mut place = Vec3::ZERO;
                (place[u], place[v], place[w]) = (u_at, v_at, w_at * normal[w]);
                frame.place(place)
            };
            push(manifold, &points, flush, |u, v, apart| {
                [place(u, v, half[w]) + rest, place(u, v, half[w] + apart) - origin]
            });
            return;
        }
        // The face of the box that faces the triangle, seen in the triangle's plane.
        let facing = normal.abs();
        let w = if facing.y > facing.x { 1 } else { 0 };
        let w = if facing.z > facing[w] { 2 } else { w };
        let (u, v) = ((w + 1) % 3, (w + 2) % 3);
        let base = if normal[w] < 0.0 { 0 } else { 1 << w };
        let rectangle = Rectangle { u, v, base };
        let start = self.corners[0].truncate();
        let side = self.sides[0].truncate();
        let across = side * (1.0 / side.length());
        let up = normal.cross(across);
        let LaneOutline { u: at_u, v: at_v, .. } = rectangle.outline(half);
        let at_w = if normal[w] < 0.0 { -half[w] } else { half[w] };
        let along = |direction: Vec3| {
            at_u * direction[u] + at_v * direction[v] + Vec4::splat(at_w * direction[w] - direction.dot(start))
        };
        let incident = LaneOutline { u: along(across), v: along(up), corners: 4 };
        let corner = |direction: Vec3| {
            let at = |k: usize| direction.dot(self.corners[k].truncate() - start);
            Vec4::new(at(0), at(1), at(2), 0.0)
        };
        let reference = LaneOutline { u: corner(across), v: corner(up), corners: 3 };
        let feature = |source: CornerSource| match source {
            CornerSource::Incident(q) => PointFeature::VertexOfFirst(rectangle.vertex(q)).number(),
            CornerSource::Reference(k) => PointFeature::VertexOfSecond(k as u32).number(),
            CornerSource::Sides(k, q) => PointFeature::Edges(rectangle.side(q), k as u32).number(),
        };
        let points = shared(&reference, &incident, -along(normal), (margin, flush), feature);
        push(manifold, &points, flush, |u, v, apart| {
            let on_triangle = start + across * u + up * v;
            [frame.place(on_triangle - normal * apart) + rest, frame.place(on_triangle) - origin]
        });
    }
}

/// A face of the box perpendicular to the axis after `v`; `base` is the vertex at its lower end.
#[derive(Clone, Copy)]
struct Rectangle {
    u: usize,
    v: usize,
    base: u32,
}

impl Rectangle {
    /// Its corners, counter-clockwise.
    fn outline(&self, half: Vec3) -> LaneOutline {
        let (u, v) = (half[self.u], half[self.v]);
        LaneOutline { u: Vec4::new(-u, u, u, -u), v: Vec4::new(-v, -v, v, v), corners: 4 }
    }

    /// The number of corner `q` of the outline.
    fn vertex(&self, q: usize) -> u32 {
        let (u, v) = (1 << self.u, 1 << self.v);
        self.base | [0, u, u | v, v][q & 3]
    }

    /// The number of the edge from there to the next corner.
    fn side(&self, q: usize) -> u32 {
        let (u, v) = (1 << self.u, 1 << self.v);
        let (lower_end, axis) = [(0, self.u), (u, self.v), (v, self.u), (0, self.v)][q & 3];
        edge_number(self.base | lower_end, axis)
    }
}

/// Adds at most four of the points, placed by their coordinates across the normal and their separations.
fn push(manifold: &mut ContactManifold, points: &Candidates, level: f32, places: impl Fn(f32, f32, f32) -> [Vec3; 2]) {
    let mut room = ArrayVec::new();
    for point in four_of(points.as_slice(), level, &mut room) {
        let [from_first, from_second] = places(point.u, point.v, point.separation);
        manifold.push(ManifoldPoint { from_first, from_second, separation: point.separation, feature: point.feature });
    }
}

/// The cross product of the first three lanes.
#[inline(always)]
fn cross(a: Vec4, b: Vec4) -> Vec4 {
    yzx(a) * zxy(b) - zxy(a) * yzx(b)
}
