//! From planes to vertices, edges and faces: the exact corners of [`clip`], of which those that lie closer together
//! than rounding can resolve are merged.
//!
//! Where more than three planes were meant to meet, rounding leaves tiny edges and sliver faces. Edges shorter than
//! [`MERGE`] times the scale are contracted. A plane whose face vanishes is redundant and is dropped, provided that the
//! solid of the remaining planes stays behind it up to four times that tolerance. The scale is the largest coordinate or
//! distance, so that no unit of length is built in.

use super::{
    BrushEdge, BrushPlane, Topology,
    clip::{self, Corner, Cut},
};
use crate::{Error, arrays::Mapped, exact::vector, lists::sorted};
use glam::DVec3;

/// Vertices closer together than this times the scale are merged, and a solid thinner than that has no interior: 2^-32,
/// a 256th of the step of an `f32` at that scale, yet far above the rounding of a vertex. At a coordinate of 4096 it is
/// 10⁻⁶.
const MERGE: f64 = f64::from_bits((1023 - 32) << 52);

/// A corner farther away than this times the largest distance is where planes meet that are parallel up to rounding.
const FARTHEST: f64 = 1.0 / MERGE;

/// The geometry of a brush; `planes[i]` is the plane of face `i`.
#[derive(Debug)]
pub(in crate::shape) struct BrushGeometry {
    pub(in crate::shape) planes: Vec<BrushPlane>,
    pub(in crate::shape) vertices: Vec<DVec3>,
    /// Bounds that contain the exact solid.
    pub(in crate::shape) bounds: [DVec3; 2],
    /// How far a vertex may be off.
    pub(in crate::shape) vertex_error: f64,
}

/// The solid between `planes`, which have unit normals. Built again from its own planes, it is the same solid, bit for
/// bit. `field` names the planes in errors.
pub(super) fn lasting_solid(planes: Vec<BrushPlane>, field: &'static str) -> Result<(BrushGeometry, Topology), Error> {
    let mut count = planes.len();
    let mut built = solid(planes, field)?;
    // A dropped plane may have decided how close corners merged and, very rarely, even what closes.
    while built.0.planes.len() < count {
        count = built.0.planes.len();
        built = solid(built.0.planes, field)?;
    }
    Ok(built)
}

fn solid(planes: Vec<BrushPlane>, field: &'static str) -> Result<(BrushGeometry, Topology), Error> {
    if planes.len() < 4 {
        return Err(Error::TooFew { field });
    }
    let mut planes = without_duplicates(planes);
    let mut corners = corners(&planes, field)?;
    keep_used(&mut planes, &mut corners);
    loop {
        let tolerance = MERGE * scale(&planes, &corners);
        if is_flat(&planes, &corners, tolerance) {
            return Err(Error::Empty { field });
        }
        let turns = turns(&corners);
        let merged = merge(&corners, &turns, tolerance);
        let loops = loops(planes.len(), &turns, &merged);
        let slivers: Vec<usize> = (0..planes.len()).filter(|&i| is_sliver(&corners, &loops[i], tolerance)).collect();
        if slivers.is_empty() {
            return Ok(assemble(planes, &corners, &turns, &merged, &loops));
        }
        // All slivers at once, or else the first that can be spared.
        let fewer = without(&planes, &slivers, tolerance)
            .or_else(|| slivers.iter().find_map(|&sliver| without(&planes, &[sliver], tolerance)));
        let Some(fewer) = fewer else {
            // A sliver that holds the solid together stays as it is.
            let merged: Vec<usize> = (0..corners.len()).collect();
            let loops = self::loops(planes.len(), &turns, &merged);
            return Ok(assemble(planes, &corners, &turns, &merged, &loops));
        };
        (planes, corners) = fewer;
    }
}

fn largest_distance(planes: &[BrushPlane]) -> f64 {
    planes.iter().map(|plane| plane.distance.abs()).fold(0.0, f64::max)
}

fn scale(planes: &[BrushPlane], corners: &[Corner]) -> f64 {
    corners.iter().map(|corner| corner.point.abs().max_element()).fold(largest_distance(planes), f64::max)
}

/// One plane of every group of planes that are equal up to rounding.
fn without_duplicates(planes: Vec<BrushPlane>) -> Vec<BrushPlane> {
    let near = MERGE * largest_distance(&planes);
    let mut kept: Vec<BrushPlane> = Vec::with_capacity(planes.len());
    for plane in planes {
        let is_same = |other: &BrushPlane| {
            (other.normal - plane.normal).abs().max_element() <= MERGE
                && (other.distance - plane.distance).abs() <= near
        };
        match kept.iter_mut().find(|other| is_same(other)) {
            // The inner one bounds the solid.
            Some(other) if plane.distance < other.distance => *other = plane,
            Some(_) => {}
            None => kept.push(plane),
        }
    }
    kept
}

/// The exact corners, if they close a solid.
fn corners(planes: &[BrushPlane], field: &'static str) -> Result<Vec<Corner>, Error> {
    let scale = largest_distance(planes);
    if scale == 0.0 {
        // All planes through the origin: a cone, or a point.
        return Err(Error::Unbounded { field });
    }
    match clip::clip(planes, scale) {
        Cut::Empty => Err(Error::Empty { field }),
        Cut::Unbounded => Err(Error::Unbounded { field }),
        Cut::Corners(corners) => {
            let is_near = |corner: &Corner| corner.point.abs().max_element() <= FARTHEST * scale;
            if corners.iter().all(is_near) { Ok(corners) } else { Err(Error::Unbounded { field }) }
        }
    }
}

/// Drops the planes without a corner.
fn keep_used(planes: &mut Vec<BrushPlane>, corners: &mut [Corner]) {
    let mut index: Vec<Option<usize>> = vec![None; planes.len()];
    for i in corners.iter().flat_map(|corner| corner.planes) {
        index[i] = Some(0);
    }
    for (new, slot) in index.iter_mut().flatten().enumerate() {
        *slot = new;
    }
    for corner in corners.iter_mut() {
        corner.planes = corner.planes.mapped(|i| index[i].unwrap_or(0));
    }
    let mut used = index.iter().map(Option::is_some);
    planes.retain(|_| used.next() == Some(true));
}

/// Whether all corners lie on one of the planes, up to the tolerance.
fn is_flat(planes: &[BrushPlane], corners: &[Corner], tolerance: f64) -> bool {
    planes.iter().any(|plane| corners.iter().all(|corner| plane.signed_distance(corner.point) >= -tolerance))
}

/// At `corner`, the loop around `face` turns from the edge with face `previous` to the edge with face `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LoopTurn {
    face: usize,
    previous: usize,
    next: usize,
    corner: usize,
}

/// The turns at all corners, sorted by `(face, previous)`, which identifies a corner's place in a loop. Around the
/// first face of a right-handed triple `(a, b, c)`, counter-clockwise from outside, the loop arrives along `b` and
/// leaves along `c`.
fn turns(corners: &[Corner]) -> Vec<LoopTurn> {
    let mut turns: Vec<LoopTurn> = Vec::with_capacity(3 * corners.len());
    for (corner, &Corner { planes: [a, b, c], .. }) in corners.iter().enumerate() {
        for (face, previous, next) in [(a, b, c), (b, c, a), (c, a, b)] {
            turns.push(LoopTurn { face, previous, next, corner });
        }
    }
    sorted(&turns, Ord::cmp)
}

/// The next turn around the same face.
fn following(turns: &[LoopTurn], turn: LoopTurn) -> LoopTurn {
    let place = turns.partition_point(|other| (other.face, other.previous) < (turn.face, turn.next));
    turns[place.min(turns.len() - 1)]
}

/// For each corner, the first one of its group: the corners joined by edges no longer than `tolerance`.
fn merge(corners: &[Corner], turns: &[LoopTurn], tolerance: f64) -> Vec<usize> {
    let mut merged: Vec<usize> = (0..corners.len()).collect();
    for &turn in turns {
        let (from, to) = (turn.corner, following(turns, turn).corner);
        let (a, b) = (merged[from], merged[to]);
        if a != b && corners[from].point.distance(corners[to].point) <= tolerance {
            let (first, second) = (a.min(b), a.max(b));
            merged.iter_mut().filter(|group| **group == second).for_each(|group| *group = first);
        }
    }
    merged
}

/// The groups of corners around each face, counter-clockwise from outside.
fn loops(faces: usize, turns: &[LoopTurn], merged: &[usize]) -> Vec<Vec<usize>> {
    let mut loops = vec![Vec::new(); faces];
    let mut start = 0;
    for face in loops.iter_mut() {
        let count = turns[start..].partition_point(|turn| turn.face == turns[start].face);
        let mut turn = turns[start];
        for _ in 0..count {
            if face.last() != Some(&merged[turn.corner]) {
                face.push(merged[turn.corner]);
            }
            turn = following(turns, turn);
        }
        if face.len() > 1 && face.first() == face.last() {
            face.pop();
        }
        start += count;
    }
    loops
}

/// Whether a face has no area: all of its vertices lie on one line, up to the tolerance.
fn is_sliver(corners: &[Corner], face: &[usize], tolerance: f64) -> bool {
    let point = |group: &usize| corners[*group].point;
    let first = point(&face[0]);
    let farthest = face
        .iter()
        .map(|group| point(group) - first)
        .fold(DVec3::ZERO, |a, b| if b.length_squared() > a.length_squared() { b } else { a });
    let along = vector::normalized_or_zero(farthest);
    face.iter().all(|group| (point(group) - first).cross(along).length() <= tolerance)
}

/// The planes without `slivers`, and their corners; `None` when these would not stay behind the slivers.
fn without(planes: &[BrushPlane], slivers: &[usize], tolerance: f64) -> Option<(Vec<BrushPlane>, Vec<Corner>)> {
    let mut kept: Vec<BrushPlane> = (0..planes.len()).filter(|i| !slivers.contains(i)).map(|i| planes[i]).collect();
    let mut corners = corners(&kept, "planes").ok()?;
    let is_behind =
        |&i: &usize| corners.iter().all(|corner| planes[i].signed_distance(corner.point) <= 4.0 * tolerance);
    if !slivers.iter().all(is_behind) {
        return None;
    }
    keep_used(&mut kept, &mut corners);
    Some((kept, corners))
}

fn assemble(
    planes: Vec<BrushPlane>,
    corners: &[Corner],
    turns: &[LoopTurn],
    merged: &[usize],
    loops: &[Vec<usize>],
) -> (BrushGeometry, Topology) {
    // Each group becomes one vertex, at its best-defined corner, and exactly on every axial plane of the group.
    let mut vertices = Vec::new();
    let mut vertex_of = vec![0; corners.len()];
    let mut vertex_error = 0.0f64;
    for group in (0..corners.len()).filter(|&i| merged[i] == i) {
        let members = || (0..corners.len()).filter(|&i| merged[i] == group).map(|i| &corners[i]);
        let best = members().fold(&corners[group], |a, b| if b.determinant > a.determinant { b } else { a });
        let mut point = best.point;
        for (axis, coordinate) in members().flat_map(|m| m.planes).filter_map(|i| planes[i].axial()) {
            point[axis] = coordinate;
        }
        vertex_error = members().map(|m| m.error + m.point.distance(point)).fold(vertex_error, f64::max);
        vertex_of[group] = vertices.len();
        vertices.push(point);
    }
    let bounds = bounds(&planes, corners);
    let vertex = |corner: usize| vertex_of[merged[corner]];
    let edges = turns
        .iter()
        .filter(|turn| turn.face < turn.next)
        .map(|&turn| BrushEdge {
            vertices: [vertex(turn.corner), vertex(following(turns, turn).corner)],
            faces: [turn.face, turn.next],
        })
        .filter(|edge| edge.vertices[0] != edge.vertices[1])
        .collect();
    let ends = loops
        .iter()
        .scan(0, |end, face| {
            *end += face.len();
            Some(*end)
        })
        .collect();
    let loops = loops.iter().flatten().map(|&group| vertex_of[group]).collect();
    (BrushGeometry { planes, vertices, bounds, vertex_error }, Topology { edges, loops, ends })
}

/// Exact where an axial plane bounds the solid, and widened by the corners' errors elsewhere.
fn bounds(planes: &[BrushPlane], corners: &[Corner]) -> [DVec3; 2] {
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for corner in corners {
        min = min.min(corner.point - corner.error);
        max = max.max(corner.point + corner.error);
    }
    for plane in planes {
        if let Some((axis, coordinate)) = plane.axial() {
            let bound = if plane.normal[axis] > 0.0 { &mut max } else { &mut min };
            bound[axis] = coordinate;
        }
    }
    [min, max]
}
