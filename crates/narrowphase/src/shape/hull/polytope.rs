//! From the triangles of a hull to its faces, edges and vertices: triangles that lie exactly in one plane are one face,
//! and a point where fewer than three faces meet is not a vertex.
//!
//! Nothing here depends on how the triangles were found. Vertices are sorted by x, then y, then z, every face starts at
//! its first vertex, and faces and edges are in the order of their vertices; so equal sets of points give equal bits.

use super::{quickhull::HullFacet, simplex::is_before};
use crate::{
    BrushEdge, BrushPlane,
    arrays::Mapped,
    exact::{
        ROUNDING,
        orientation::{cross, exact_normal, orientation},
    },
    lists::{sorted, sorted_places},
    shape::brush::{Topology, build::BrushGeometry},
};
use glam::{DVec3, Vec3};
use std::cmp::Ordering;

/// A cross product errs by less than 3 roundings of the products that it is made of. When these exceed the result by
/// more than this factor, it is computed without rounding instead.
const ILL_DEFINED: f64 = 4.0;

/// A bound on the error of each component of a face's unit normal: 13 roundings of each component of the product where
/// its parts are four times as long, which are less than 23 together, and 4 for the length and the division.
const NORMAL_ERROR: f64 = 32.0 * ROUNDING;

/// A directed edge between two faces, as seen from the one to its left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct DirectedEdge {
    face: u32,
    from: u32,
    to: u32,
}

/// The faces that the triangles form, and a bound on how far any point of the solid may lie in front of one of their
/// planes.
pub(super) fn polytope(points: &[Vec3], facets: &[HullFacet]) -> (BrushGeometry, Topology, f64) {
    let sides = sides(facets, &faces(points, facets));
    let vertices = vertices(points, &sides);
    let mut index = vec![None; points.len()];
    for (i, &point) in vertices.iter().enumerate() {
        index[point as usize] = Some(i);
    }
    let loops = loops(&sides, &index);
    let vertices: Vec<DVec3> = vertices.iter().map(|&point| points[point as usize].as_dvec3() + DVec3::ZERO).collect();
    let plane = |face: &Vec<usize>| plane([face[0], face[1], face[2]].mapped(|i| vertices[i]));
    let planes: Vec<BrushPlane> = loops.iter().map(plane).collect();
    let ends = loops.iter().scan(0, |end, face| {
        *end += face.len();
        Some(*end)
    });
    let ends = ends.collect();
    let edges = edges(&loops);
    let first = [vertices[0]; 2];
    let bounds = vertices.iter().fold(first, |[min, max], &vertex| [min.min(vertex), max.max(vertex)]);
    let plane_error = if planes.iter().all(|plane| plane.axial().is_some()) { 0.0 } else { plane_error(bounds) };
    let solid = BrushGeometry { planes, vertices, bounds, vertex_error: 0.0 };
    (solid, Topology { edges, loops: loops.concat(), ends }, plane_error)
}

/// For each triangle, the number of its face.
fn faces(points: &[Vec3], facets: &[HullFacet]) -> Vec<u32> {
    let at = |corner: u32| points[corner as usize].as_dvec3();
    let mut faces: Vec<Option<u32>> = vec![None; facets.len()];
    let (mut count, mut reached) = (0, Vec::new());
    for start in 0..facets.len() {
        if faces[start].is_some() {
            continue;
        }
        faces[start] = Some(count);
        reached.push(start);
        while let Some(current) = reached.pop() {
            let HullFacet { corners, neighbours, .. } = facets[current];
            for neighbour in neighbours.mapped(|neighbour| neighbour as usize) {
                // Its corner across the edge.
                let is_across = |corner: &u32| !corners.contains(corner);
                let across = facets[neighbour].corners.into_iter().find(is_across);
                let is_flat = |across: u32| orientation(corners.mapped(at), at(across)) == Ordering::Equal;
                if faces[neighbour].is_none() && across.is_some_and(is_flat) {
                    faces[neighbour] = Some(count);
                    reached.push(neighbour);
                }
            }
        }
        count += 1;
    }
    faces.into_iter().flatten().collect()
}

/// The edges between faces, sorted by the face to their left and then by where they start.
fn sides(facets: &[HullFacet], faces: &[u32]) -> Vec<DirectedEdge> {
    let mut sides = Vec::new();
    for (facet, &face) in facets.iter().zip(faces) {
        for (i, neighbour) in facet.neighbours.into_iter().enumerate() {
            if faces[neighbour as usize] != face {
                sides.push(DirectedEdge { face, from: facet.corners[i], to: facet.corners[(i + 1) % 3] });
            }
        }
    }
    sorted(&sides, Ord::cmp)
}

/// The points where three or more faces meet, sorted by x, then y, then z.
fn vertices(points: &[Vec3], sides: &[DirectedEdge]) -> Vec<u32> {
    let starts: Vec<u32> = sides.iter().map(|side| side.from).collect();
    let starts = sorted(&starts, Ord::cmp);
    let is_vertex = |starts: &&[u32]| starts.len() > 2;
    let vertices: Vec<u32> = starts.chunk_by(|a, b| a == b).filter(is_vertex).map(|starts| starts[0]).collect();
    let order = |&a: &u32, &b: &u32| {
        let [a, b] = [a, b].mapped(|i| points[i as usize]);
        if is_before(a, b) { Ordering::Less } else { Ordering::Greater }
    };
    sorted(&vertices, order)
}

/// The vertices around each face, counter-clockwise from its first. The faces are sorted by their first three vertices,
/// which no two of them share.
fn loops(sides: &[DirectedEdge], index: &[Option<usize>]) -> Vec<Vec<usize>> {
    let around = |sides: &[DirectedEdge]| {
        let mut vertices = Vec::new();
        let mut side = sides[0];
        for _ in 0..sides.len() {
            vertices.extend(index[side.from as usize]);
            let next = sides.partition_point(|other| other.from < side.to);
            side = sides[next.min(sides.len() - 1)];
        }
        let first = (0..vertices.len()).min_by_key(|&i| vertices[i]).unwrap_or(0);
        vertices.rotate_left(first);
        vertices
    };
    let mut loops: Vec<Vec<usize>> = sides.chunk_by(|a, b| a.face == b.face).map(around).collect();
    let places = sorted_places(loops.len(), &|a, b| loops[a].cmp(&loops[b]));
    places.into_iter().map(|place| std::mem::take(&mut loops[place])).collect()
}

/// The edges of the loops. The first face of an edge is the one around which it runs from its first vertex to its
/// second.
pub(in crate::shape) fn edges(loops: &[Vec<usize>]) -> Vec<BrushEdge> {
    let mut sides: Vec<([u32; 2], bool, u32)> = Vec::new();
    for (face, vertices) in loops.iter().enumerate() {
        for (i, &from) in vertices.iter().enumerate() {
            let to = vertices[(i + 1) % vertices.len()];
            sides.push(([from.min(to) as u32, from.max(to) as u32], from > to, face as u32));
        }
    }
    let sides = sorted(&sides, Ord::cmp);
    let edge = |pair: &[([u32; 2], bool, u32)]| BrushEdge {
        vertices: pair[0].0.mapped(|vertex| vertex as usize),
        faces: [pair[0].2 as usize, pair[1].2 as usize],
    };
    sides.chunks_exact(2).map(edge).collect()
}

/// The plane of a face, through three of its vertices, counter-clockwise when seen from outside.
fn plane(points: [DVec3; 3]) -> BrushPlane {
    let [a, b, c] = points;
    let (mut normal, size) = cross(b - a, c - a);
    if size.max_element() > ILL_DEFINED * normal.abs().max_element() {
        let [x, y, z] = [0, 1, 2].mapped(|axis| exact_normal(points, axis).value());
        normal = DVec3::new(x, y, z);
    }
    // A quotient keeps an axial normal exact.
    let normal = normal / normal.length() + DVec3::ZERO;
    BrushPlane { normal, distance: normal.dot(a) + 0.0 }
}

/// How far the solid may reach beyond a face's plane: the effect of the normal's error at the point farthest from the
/// face, and the rounding of the distance.
fn plane_error([min, max]: [DVec3; 2]) -> f64 {
    let reach = min.abs().max(max.abs()).element_sum();
    NORMAL_ERROR * (max - min).element_sum() + 4.0 * ROUNDING * reach
}
