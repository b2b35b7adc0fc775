//! What two convex polygons of three or four corners share, seen along a normal: like [`box_faces`](super::box_faces),
//! but for any outlines. The sides of the incident one are the lanes.
//!
//! Source: Cyrus and Beck, "Generalized Two- and Three-Dimensional Clipping", 1978 (a segment enters and leaves the
//! half-planes of a convex polygon).

use super::keep_four::{Candidate, Candidates};
use crate::arrays::Mapped;
use glam::Vec4;

/// A polygon whose area across the normal is below this share, 2^-10, of the product of its sides is seen edge-on.
const STEEP: f32 = 1.0 / 1024.0;

/// A convex polygon of either winding: the coordinates of its corners across the normal, and how many of the four lanes
/// count.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneOutline {
    pub(super) u: Vec4,
    pub(super) v: Vec4,
    pub(super) corners: usize,
}

/// What a corner of the shared piece comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum CornerSource {
    Incident(usize),
    Reference(usize),
    /// A side of the reference outline and one of the incident one, each given by the corner at which it starts.
    Sides(usize, usize),
}

/// The sides of an outline, one per lane, as lines `a u + b v = c`; the outline is below each.
struct OutlineSides {
    a: Vec4,
    b: Vec4,
    c: Vec4,
}

impl LaneOutline {
    /// Twice the area; positive for an outline that runs counter-clockwise.
    fn area(&self) -> f32 {
        let (u, v) = (self.u, self.v);
        let fan = |i: usize, j: usize| (u[i] - u[0]) * (v[j] - v[0]) - (v[i] - v[0]) * (u[j] - u[0]);
        if self.corners == 4 { fan(1, 2) + fan(2, 3) } else { fan(1, 2) }
    }

    /// Each corner's successor.
    fn next(&self, at: Vec4) -> Vec4 {
        if self.corners == 4 { Vec4::new(at.y, at.z, at.w, at.x) } else { Vec4::new(at.y, at.z, at.x, at.w) }
    }

    /// The sides that start at the corners, with unit normals, of an outline whose area has this sign.
    fn sides(&self, sign: f32) -> OutlineSides {
        let (du, dv) = (self.next(self.u) - self.u, self.next(self.v) - self.v);
        let lengths = (du * du + dv * dv).sqrt();
        let is_long = lengths.cmpgt(Vec4::ZERO);
        let inverse = Vec4::splat(sign) / Vec4::select(is_long, lengths, Vec4::ONE);
        let inverse = Vec4::select(is_long, inverse, Vec4::ZERO);
        let (a, b) = (dv * inverse, -du * inverse);
        OutlineSides { a, b, c: a * self.u + b * self.v }
    }

    /// The bits of the corners that count.
    fn mask(&self) -> u32 {
        (1 << self.corners) - 1
    }
}

impl OutlineSides {
    /// How far points lie beyond side `i`.
    fn beyond(&self, i: usize, u: Vec4, v: Vec4) -> Vec4 {
        u * self.a[i] + v * self.b[i] - Vec4::splat(self.c[i])
    }
}

/// The corners of the piece that `incident` shares with `reference`, which is enlarged by `flush`. `apart` holds how
/// far the corners of `incident` are from the reference plane.
pub(super) fn shared(
    reference: &LaneOutline,
    incident: &LaneOutline,
    apart: Vec4,
    (margin, flush): (f32, f32),
    feature: impl Fn(CornerSource) -> u32,
) -> Candidates {
    let mut points = Candidates::new(margin);
    let (us, vs, ws) = (incident.u.to_array(), incident.v.to_array(), apart.to_array());
    let sign = if reference.area() < 0.0 { -1.0 } else { 1.0 };

    // For each incident side: between which shares of its length it is inside, and past which sides it enters and
    // leaves.
    let (mut enters, mut leaves) = (Vec4::NEG_INFINITY, Vec4::INFINITY);
    let (mut enters_past, mut leaves_past) = (Vec4::ZERO, Vec4::ZERO);
    let mut outside = 0;
    let sides = reference.sides(sign);
    for i in 0..reference.corners {
        let beyond = sides.beyond(i, incident.u, incident.v) - Vec4::splat(flush);
        let beyond_next = incident.next(beyond);
        let (is_out, is_next_out) = (beyond.cmpgt(Vec4::ZERO), beyond_next.cmpgt(Vec4::ZERO));
        outside |= is_out.bitmask();
        let share = beyond / (beyond - beyond_next);
        let enters_here = Vec4::select(is_out, Vec4::select(is_next_out, Vec4::INFINITY, share), Vec4::NEG_INFINITY);
        let leaves_here = Vec4::select(is_next_out, Vec4::select(is_out, Vec4::NEG_INFINITY, share), Vec4::INFINITY);
        let number = Vec4::splat(i as f32);
        enters_past = Vec4::select(enters_here.cmpgt(enters), number, enters_past);
        leaves_past = Vec4::select(leaves_here.cmplt(leaves), number, leaves_past);
        (enters, leaves) = (enters.max(enters_here), leaves.min(leaves_here));
    }
    for q in 0..incident.corners {
        let feature = feature(CornerSource::Incident(q));
        let is_inside = outside >> q & 1 == 0;
        points.push_if(is_inside, Candidate { u: us[q], v: vs[q], separation: ws[q], feature });
    }
    if outside & incident.mask() == 0 {
        return points;
    }

    let crossed = enters.cmplt(leaves).bitmask() & incident.mask();
    let ways = [incident.u, incident.v, apart].mapped(|at| (incident.next(at) - at).to_array());
    let ends = [(enters.to_array(), enters_past.to_array()), (leaves.to_array(), leaves_past.to_array())];
    for q in (0..incident.corners).filter(|q| crossed >> q & 1 == 1) {
        for (shares, past) in &ends {
            // Where nothing limits it, it starts or ends inside.
            let share = shares[q];
            if share.is_finite() {
                let feature = feature(CornerSource::Sides(past[q] as usize, q));
                let [u, v, separation] =
                    [us[q] + share * ways[0][q], vs[q] + share * ways[1][q], ws[q] + share * ways[2][q]];
                points.push(Candidate { u, v, separation, feature });
            }
        }
    }

    // Corners of the reference outline, projected onto the plane of the incident one.
    let area = incident.area();
    let first = [us[1] - us[0], vs[1] - vs[0], ws[1] - ws[0]];
    let last = incident.corners - 1;
    let second = [us[last] - us[0], vs[last] - vs[0], ws[last] - ws[0]];
    let turn = first[0] * second[1] - first[1] * second[0];
    let square = |way: [f32; 3]| way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
    if turn * turn <= STEEP * STEEP * square(first) * square(second) {
        return points;
    }
    let sign = if area < 0.0 { -1.0 } else { 1.0 };
    let mut inside = reference.mask();
    let sides = incident.sides(sign);
    for i in 0..incident.corners {
        let beyond = sides.beyond(i, reference.u, reference.v);
        inside &= beyond.cmplt(Vec4::splat(-flush)).bitmask();
    }
    if inside != 0 {
        let along_u = (first[2] * second[1] - first[1] * second[2]) / turn;
        let along_v = (first[0] * second[2] - first[2] * second[0]) / turn;
        for i in 0..reference.corners {
            let (u, v) = (reference.u[i], reference.v[i]);
            let separation = ws[0] + along_u * (u - us[0]) + along_v * (v - vs[0]);
            let feature = feature(CornerSource::Reference(i));
            points.push_if(inside >> i & 1 == 1, Candidate { u, v, separation, feature });
        }
    }
    points
}
