//! Two boxes that touch face to face: the incident face clipped by the sides of the reference face.
//!
//! Seen along the normal, the reference face is a rectangle around the origin and the incident face a parallelogram.
//! The piece they share is bounded by corners of the one, corners of the other, and places where their sides cross:
//!
//! ```text
//!      ┌───────────────┐
//!      │      1        │ reference      1  a corner of the incident face
//!      │    ╱   ╲      │                2  a side of each
//!      2──╱───────╲────2                3  would be a corner of the reference face inside of the other
//!       ╱           ╲
//! ```
//!
//! The sides of the incident face are the lanes. All of this happens in the frame of the reference box.
//!
//! The rectangle is enlarged slightly, so that for boxes stacked flush the points are corners of the incident face at
//! every step, and do not alternate with crossings of sides as rounding has it.
//!
//! Sources: Liang and Barsky, "A New Concept and Method for Line Clipping", 1984; Gregorius, "Robust Contact Creation
//! for Physics Simulations", GDC 2015.

use super::{
    ContactManifold, ManifoldPoint,
    box_edges::edge_number,
    box_frame::BoxFrame,
    cache::PointFeature,
    keep_four::{Candidate, Candidates, four_of},
};
use crate::arrays::Mapped;
use arrayvec::ArrayVec;
use glam::{Vec3, Vec4};

/// How much the rectangle is enlarged, as a share of the tolerance between axes: 2^-4, which is 2^-12 of the smaller
/// box.
pub(super) const FLUSH: f32 = 1.0 / 16.0;

/// Which of the two has the reference face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reference {
    First,
    Second,
}

/// Two boxes as seen from the one that has the reference face.
pub(super) struct FacingBoxes<'a> {
    pub(super) reference: &'a BoxFrame,
    pub(super) incident: &'a BoxFrame,
    /// From the centre of the reference box to that of the other.
    pub(super) way: Vec3,
    /// The dot products of each axis of the reference box with those of the other.
    pub(super) r: [[f32; 4]; 3],
    /// `way` along the axes of the reference box.
    pub(super) center: [f32; 4],
    /// The reference face: which axis, and 1 or −1 for which end of it.
    pub(super) axis: usize,
    pub(super) side: f32,
    pub(super) order: Reference,
}

/// Adds up to four points of the piece that the two faces share, if they are no farther apart than `margin`.
pub(super) fn push(manifold: &mut ContactManifold, faces: &FacingBoxes, rest: [Vec3; 2], margin: f32, tolerance: f32) {
    let FacingBoxes { reference, way, axis, side, order, .. } = *faces;
    let (mut points, mut room) = (Candidates::new(margin), ArrayVec::new());
    faces.add_shared(&mut points, FLUSH * tolerance);
    let normal = reference.axis(axis) * side;
    let (u, v) = (reference.axis((axis + 1) % 3), reference.axis((axis + 2) % 3));
    let middle = normal * reference.half[axis];
    for point in four_of(points.as_slice(), FLUSH * tolerance, &mut room) {
        let on_reference = middle + (u * point.u + v * point.v);
        let on_incident = (on_reference - way) + normal * point.separation;
        let (from_first, from_second) = match order {
            Reference::First => (on_reference, on_incident),
            Reference::Second => (on_incident, on_reference),
        };
        manifold.push(ManifoldPoint {
            from_first: from_first + rest[0],
            from_second: from_second + rest[1],
            separation: point.separation,
            feature: point.feature,
        });
    }
}

impl FacingBoxes<'_> {
    /// Adds the corners of the piece that the two faces share.
    #[inline]
    fn add_shared(&self, points: &mut Candidates, flush: f32) {
        let Self { reference, incident, r, center, axis: w, side, .. } = *self;
        let (u, v) = ((w + 1) % 3, (w + 2) % 3);
        // The incident face is the one that opposes the normal most.
        let facing = r[w].mapped(f32::abs);
        let across = if facing[1] > facing[0] { 1 } else { 0 };
        let across = if facing[2] > facing[across] { 2 } else { across };
        let is_upper = side * r[w][across] < 0.0;
        let (j, k) = ((across + 1) % 3, (across + 2) % 3);
        let half = incident.half.to_array();
        let out = if is_upper { half[across] } else { -half[across] };

        // Its middle and half sides, seen along the normal: across, and above the reference face.
        let coordinates = |of: usize| (center[of] + r[of][across] * out, r[of][j] * half[j], r[of][k] * half[k]);
        let (middle_u, j_u, k_u) = coordinates(u);
        let (middle_v, j_v, k_v) = coordinates(v);
        let (middle_w, j_w, k_w) = coordinates(w);
        let (middle_w, j_w, k_w) = (side * middle_w - reference.half[w], side * j_w, side * k_w);

        let (of_j, of_k) = (Vec4::new(-1.0, 1.0, 1.0, -1.0), Vec4::new(-1.0, -1.0, 1.0, 1.0));
        let corners = |middle: f32, j: f32, k: f32| Vec4::splat(middle) + of_j * j + of_k * k;
        let (at_u, at_v) = (corners(middle_u, j_u, k_u), corners(middle_v, j_v, k_v));
        let at_w = corners(middle_w, j_w, k_w);
        let (half_u, half_v) = (reference.half[u], reference.half[v]);
        let (room_u, room_v) = (Vec4::splat(half_u + flush), Vec4::splat(half_v + flush));
        let is_inside = at_u.abs().cmple(room_u) & at_v.abs().cmple(room_v);
        // For a side of length zero one end is enough.
        let is_thin = [half[j] == 0.0, half[k] == 0.0];
        let counts = [true, !is_thin[0], !(is_thin[0] || is_thin[1]), !is_thin[1]];

        let base = if is_upper { 1 << across } else { 0 };
        let vertices = [base, base | 1 << j, base | 1 << j | 1 << k, base | 1 << k];
        let (us, vs, ws) = (at_u.to_array(), at_v.to_array(), at_w.to_array());
        let inside: [bool; 4] = bools(is_inside.bitmask());
        for q in 0..4 {
            let feature = self.incident_vertex(vertices[q]);
            points.push_if(inside[q] && counts[q], Candidate { u: us[q], v: vs[q], separation: ws[q], feature });
        }
        if is_inside.all() {
            return;
        }

        // For each side from one corner to the next: between which shares of it it is inside.
        let next = |at: Vec4| Vec4::new(at.y, at.z, at.w, at.x);
        let (way_u, way_v, way_w) = (next(at_u) - at_u, next(at_v) - at_v, next(at_w) - at_w);
        let (enters_u, leaves_u) = within(at_u, way_u, room_u);
        let (enters_v, leaves_v) = within(at_v, way_v, room_v);
        let (enters, leaves) = (enters_u.max(enters_v), leaves_u.min(leaves_v));
        let is_crossed = bools(enters.max(Vec4::ZERO).cmplt(leaves.min(Vec4::ONE)).bitmask());
        if is_crossed != [false; 4] {
            let sides = [(j, vertices[0]), (k, vertices[1]), (j, vertices[3]), (k, vertices[0])];
            let from_u = [bools(enters_u.cmpge(enters_v).bitmask()), bools(leaves_u.cmple(leaves_v).bitmask())];
            let shares = [enters.to_array(), leaves.to_array()];
            let ways = [way_u.to_array(), way_v.to_array(), way_w.to_array()];
            let upper = if side > 0.0 { 1 << w } else { 0 };
            for q in 0..4 {
                // If the other side has length zero, this one coincides with the side opposite to it.
                let is_twice = (q == 1 && is_thin[0]) || (q == 2 && is_thin[1]);
                if !is_crossed[q] || is_twice {
                    continue;
                }
                let [way_u, way_v, way_w] = ways.mapped(|way| way[q]);
                for (end, is_vertex) in [inside[q], inside[(q + 1) % 4]].into_iter().enumerate() {
                    if is_vertex {
                        continue;
                    }
                    let share = shares[end][q];
                    let is_at_u = from_u[end][q];
                    // It enters at the lower end of an axis along which it increases.
                    let is_up = (if is_at_u { way_u } else { way_v } > 0.0) == (end == 1);
                    let (along, at) = if is_at_u { (v, u) } else { (u, v) };
                    let vertex = upper | if is_up { 1 << at } else { 0 };
                    let feature = self.edges(edge_number(vertex, along), edge_number(sides[q].1, sides[q].0));
                    let (u, v) = (us[q] + share * way_u, vs[q] + share * way_v);
                    points.push(Candidate { u, v, separation: ws[q] + share * way_w, feature });
                }
            }
        }

        // The corners of the reference face, in shares of the half sides of the incident one.
        let area = j_u * k_v - j_v * k_u;
        let inverse = 1.0 / area;
        if inverse.is_finite() {
            let (to_u, to_v) = (of_j * half_u - middle_u, of_k * half_v - middle_v);
            let of_side_j = (to_u * k_v - to_v * k_u) * inverse;
            let of_side_k = (to_v * j_u - to_u * j_v) * inverse;
            let room = |half: f32| Vec4::splat((half - flush) / half);
            let is_inside = of_side_j.abs().cmplt(room(half[j])) & of_side_k.abs().cmplt(room(half[k]));
            if is_inside.any() {
                let above = Vec4::splat(middle_w) + of_side_j * j_w + of_side_k * k_w;
                let base = if side > 0.0 { 1 << w } else { 0 };
                let vertices = [base, base | 1 << u, base | 1 << u | 1 << v, base | 1 << v];
                let (signs_u, signs_v) = (of_j.to_array(), of_k.to_array());
                let (is_inside, above) = (bools(is_inside.bitmask()), above.to_array());
                for q in 0..4 {
                    let feature = self.reference_vertex(vertices[q]);
                    let (u, v) = (signs_u[q] * half_u, signs_v[q] * half_v);
                    points.push_if(is_inside[q], Candidate { u, v, separation: above[q], feature });
                }
            }
        }
    }

    fn incident_vertex(&self, vertex: u32) -> u32 {
        match self.order {
            Reference::First => PointFeature::VertexOfSecond(vertex).number(),
            Reference::Second => PointFeature::VertexOfFirst(vertex).number(),
        }
    }

    fn reference_vertex(&self, vertex: u32) -> u32 {
        match self.order {
            Reference::First => PointFeature::VertexOfFirst(vertex).number(),
            Reference::Second => PointFeature::VertexOfSecond(vertex).number(),
        }
    }

    fn edges(&self, of_reference: u32, of_incident: u32) -> u32 {
        match self.order {
            Reference::First => PointFeature::Edges(of_reference, of_incident).number(),
            Reference::Second => PointFeature::Edges(of_incident, of_reference).number(),
        }
    }
}

/// Returns between which shares of `way` lines from `start` are no farther than `room` from zero. The range contains
/// zero if the start is inside, and does not otherwise.
#[inline(always)]
fn within(start: Vec4, way: Vec4, room: Vec4) -> (Vec4, Vec4) {
    let (low, high) = ((-room - start) / way, (room - start) / way);
    let is_inside = start.abs().cmple(room);
    // A line that does not move is inside throughout, or nowhere.
    let still = (Vec4::NEG_INFINITY, Vec4::INFINITY);
    let still = (Vec4::select(is_inside, still.0, still.1), Vec4::select(is_inside, still.1, still.0));
    let is_still = way.cmpeq(Vec4::ZERO);
    (Vec4::select(is_still, still.0, low.min(high)), Vec4::select(is_still, still.1, low.max(high)))
}

/// The bits of a mask.
#[inline(always)]
fn bools(bits: u32) -> [bool; 4] {
    [0, 1, 2, 3].mapped(|i| bits >> i & 1 == 1)
}
