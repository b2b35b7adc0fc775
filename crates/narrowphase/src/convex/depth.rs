//! How deep two cores are in each other: the nearest point of their difference's surface, from inside.
//!
//! A polytope in the difference grows around the origin: its nearest face is moved out to the farthest point along its
//! normal until there is none beyond. The face's distance bounds the depth from below, the farthest point from above.
//!
//! Source: van den Bergen, "Collision Detection in Interactive 3D Environments" (2003), §4.3.8 (the expanding
//! polytope).

use super::{
    pair::{CorePair, SupportPoint},
    portal::least_axis,
    simplex::Simplex,
};
use crate::{
    arrays::Mapped,
    exact::{ROUNDING, vector},
    lists::Listed,
};
use arrayvec::ArrayVec;
use glam::DVec3;
use smallvec::SmallVec;

/// How many points are added; fourteen is usual for solids with corners.
const MAX_ROUNDS: usize = 400;

/// The same where a core is round: some twenty find the depth where there is one nearest point, and no number does where
/// there is a circle of them.
const MAX_ROUNDS_OF_ROUND: usize = 80;

/// By how much less than one the cosine between normals of faces in one plane may be.
const PARALLEL: f64 = 1.0 / (1u64 << 20) as f64;

/// Where the surface of the difference is nearest to the origin, which is inside or on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Depth {
    /// Within what the depth is certain to be.
    pub(super) bounds: [f64; 2],
    /// Unit direction in which the first core gets out.
    pub(super) normal: DVec3,
}

/// A face of the polytope.
#[derive(Clone, Copy)]
struct PolytopeFace {
    corners: [u16; 3],
    /// Outward, of any length.
    normal: DVec3,
    distance: f64,
}

impl PolytopeFace {
    fn new(points: &[SupportPoint], corners: [u16; 3]) -> Self {
        let [a, b, c] = corners.mapped(|i| points[usize::from(i)].w);
        let normal = (b - a).cross(c - a);
        let length = normal.length();
        // One without an area has no distance; it goes when what is around it does.
        Self { corners, normal, distance: if length > 0.0 { normal.dot(a) / length } else { f64::INFINITY } }
    }

    /// Whether it lies in the plane of the nearest face, up to rounding.
    fn lies_in(&self, nearest: &Self, slack: f64) -> bool {
        let parallel = (1.0 - PARALLEL) * self.normal.length() * nearest.normal.length();
        self.distance <= nearest.distance + slack && self.normal.dot(nearest.normal) >= parallel
    }
}

/// How deep two cores are in each other, from a simplex of their difference that holds the origin, up to rounding.
/// The simplex becomes that of the nearest point. Stops when the depth is certain to be more than `limit`.
pub(super) fn depth(pair: &CorePair, simplex: &mut Simplex, limit: f64) -> Depth {
    let tetrahedron = match tetrahedron(pair, simplex.points()) {
        Ok(tetrahedron) => tetrahedron,
        Err(normal) => return Depth { bounds: [0.0; 2], normal },
    };
    let mut points: SmallVec<[SupportPoint; 24]> = SmallVec::from_slice(&tetrahedron);
    let [a, b, c, d] = tetrahedron.mapped(|point| point.w);
    if vector::determinant(d - a, b - a, c - a) > 0.0 {
        points.swap(0, 1);
    }
    let mut faces: SmallVec<[PolytopeFace; 32]> = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]
        .iter()
        .map(|&corners| PolytopeFace::new(&points, corners))
        .listed();
    let mut best = Depth { bounds: [0.0, f64::INFINITY], normal: DVec3::Y };
    let (mut chosen, mut least) = (None, f64::NEG_INFINITY);
    let rounds = if pair.is_round { MAX_ROUNDS_OF_ROUND } else { MAX_ROUNDS };
    for round in 1..=rounds {
        let Some(nearest) = nearest(&faces, least) else { break };
        let face = faces[nearest];
        let length = face.normal.length();
        let w = pair.farthest(face.normal);
        let (far, slack) = (face.normal.dot(w.w) / length, pair.slack(face.normal) / length);
        let high = far + pair.error(face.normal) / length;
        if face.distance > 2.0 * slack {
            least = least.max(face.distance - 2.0 * slack);
        }
        // A corner of the polytope that is beyond one of its faces is so by rounding.
        let is_known = points.iter().any(|point| point.w == w.w);
        let is_near = far - face.distance <= 2.0 * slack;
        let is_done = is_near || face.distance > limit || is_known || round == rounds;
        if is_done || high < best.bounds[1] {
            chosen = Some((face, 2.0 * slack));
            best = Depth { bounds: [face.distance.max(0.0), high.max(0.0)], normal: face.normal / length };
        }
        if is_done {
            break;
        }
        grow(&mut faces, &mut points, w, nearest);
    }
    if let Some((face, slack)) = chosen {
        // Of the triangles in one plane, that which holds the nearest point.
        let nearest =
            |face: &PolytopeFace| Simplex::new(&face.corners.mapped(|i| points[usize::from(i)])).with_nearest();
        let beside = faces.iter().filter(|other| other.lies_in(&face, slack)).map(nearest);
        let nearer = |a: (f64, Simplex), b: (f64, Simplex)| if b.0 < a.0 { b } else { a };
        (_, *simplex) = beside.fold(nearest(&face), nearer);
    }
    best
}

/// The index of the face nearest to the origin; `None` if none has an area. Around the origin no face of the polytope comes
/// nearer as that grows: one nearer than `least` is a fold between points in one plane, as those of a rim are.
fn nearest(faces: &[PolytopeFace], least: f64) -> Option<usize> {
    let (mut nearest, mut distance) = (None, f64::INFINITY);
    for (i, face) in faces.iter().enumerate() {
        if face.distance < distance && face.distance >= least {
            (nearest, distance) = (Some(i), face.distance);
        }
    }
    nearest
}

/// Replaces the faces that see a point, and the face beyond which it was found, by those from their rim to the point.
fn grow(
    faces: &mut SmallVec<[PolytopeFace; 32]>,
    points: &mut SmallVec<[SupportPoint; 24]>,
    w: SupportPoint,
    beyond: usize,
) {
    let new = points.len() as u16;
    let mut rim: SmallVec<[[u16; 2]; 16]> = SmallVec::new();
    let mut i = 0;
    let beyond = faces[beyond].corners;
    while i < faces.len() {
        let PolytopeFace { corners, normal, .. } = faces[i];
        if corners != beyond && normal.dot(w.w - points[usize::from(corners[0])].w) <= 0.0 {
            i += 1;
            continue;
        }
        let [a, b, c] = corners;
        for edge in [[a, b], [b, c], [c, a]] {
            match rim.iter().position(|other| *other == [edge[1], edge[0]]) {
                Some(other) => drop(rim.swap_remove(other)),
                None => rim.push(edge),
            }
        }
        faces.swap_remove(i);
    }
    points.push(w);
    faces.extend(rim.iter().map(|&[a, b]| PolytopeFace::new(points, [a, b, new])));
}

/// A tetrahedron of the difference that has the points given, or three of four that are flat, as corners; if the
/// difference is flat, the unit direction across it instead.
fn tetrahedron(pair: &CorePair, given: &[SupportPoint]) -> Result<[SupportPoint; 4], DVec3> {
    let thin = 64.0 * ROUNDING * pair.reach.length();
    let center = pair.center().w;
    // Toward the side on which the second core's middle is not.
    let across = |n: DVec3| vector::try_normalized(if n.dot(center) > 0.0 { -n } else { n }).unwrap_or(DVec3::Y);
    let both = |n: DVec3| [pair.farthest(n), pair.farthest(-n)];
    let mut points: ArrayVec<SupportPoint, 3> = given.iter().take(3).copied().collect();
    let a = points[0].w;
    if points.len() == 1 {
        let found = DVec3::AXES.into_iter().flat_map(both).find(|point| (point.w - a).length() > thin);
        points.push(found.ok_or_else(|| across(if center == DVec3::ZERO { DVec3::Y } else { center }))?);
    }
    let edge = points[1].w - a;
    if points.len() == 2 {
        let sides = [least_axis(edge), edge.cross(least_axis(edge))].mapped(|axis| edge.cross(axis));
        let found =
            sides.into_iter().flat_map(both).find(|point| (point.w - a).cross(edge).length() > thin * edge.length());
        points.push(found.ok_or_else(|| {
            let toward = edge.cross(center).cross(edge);
            across(if toward.length() > thin * edge.length_squared() { toward } else { sides[0] })
        })?);
    }
    let normal = edge.cross(points[2].w - a);
    let fourth = given.get(3).copied().into_iter().chain(both(normal));
    let found = { fourth }.find(|point| normal.dot(point.w - a).abs() > thin * normal.length());
    Ok([points[0], points[1], points[2], found.ok_or_else(|| across(normal))?])
}
