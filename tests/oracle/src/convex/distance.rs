//! The distance of two convex hulls: the least over all pairs of a vertex, an edge or a face of each.
//!
//! Nearest points lie in the relative interior of a feature each. Of an edge and a face, or of two faces, or of parallel
//! edges, there are nearest points at the border of one of them as well, so that four kinds of pairs remain.

use crate::vector::Vector;
use crate::{Exact, Ratio};

use super::Convex;
use super::features::Face;

/// The square of the distance, if the interiors do not overlap: then an edge may pierce a face, far from all else.
pub(super) fn of_features(a: &Convex, b: &Convex) -> Ratio {
    let mut squares = Vec::new();
    for (shape, other) in [(a, b), (b, a)] {
        for point in &shape.points {
            squares.extend(other.edges.iter().filter_map(|edge| point_edge(point, edge.map(|i| &other.points[i]))));
            squares.extend(other.faces.iter().filter_map(|face| point_face(point, other, face)));
        }
    }
    for p in &a.points {
        squares.extend(b.points.iter().map(|q| Ratio::from(p.minus(q).length_squared())));
    }
    for edge in a.edges.iter().map(|edge| edge.map(|i| &a.points[i])) {
        squares.extend(b.edges.iter().filter_map(|other| edge_edge(edge, other.map(|i| &b.points[i]))));
    }
    squares.into_iter().min().expect("a hull has points")
}

/// The square of the distance to the line of an edge, if the foot is on the edge.
fn point_edge(point: &Vector, [p, q]: [&Vector; 2]) -> Option<Ratio> {
    let (way, edge) = (point.minus(p), q.minus(p));
    let (along, square) = (way.dot(&edge), edge.length_squared());
    let within = !along.is_negative() && along <= square;
    within.then(|| Ratio::new(way.length_squared() * &square - &along * &along, square))
}

/// The square of the distance to the plane of a face, if the foot is in the face.
fn point_face(point: &Vector, shape: &Convex, Face { normal, border }: &Face) -> Option<Ratio> {
    // The normals of the border are at right angles to that of the face, so they do not tell the point from its foot.
    let beyond = |(from, outward): &(usize, Vector)| point.minus(&shape.points[*from]).dot(outward).is_positive();
    if border.iter().any(beyond) {
        return None;
    }
    let height = point.minus(&shape.points[border[0].0]).dot(normal);
    Some(Ratio::new(&height * &height, normal.length_squared()))
}

/// The square of the distance of the lines of two edges, if their nearest points are on the edges; `None` if they are
/// parallel.
fn edge_edge([p, p_end]: [&Vector; 2], [q, q_end]: [&Vector; 2]) -> Option<Ratio> {
    let (u, v, way) = (p_end.minus(p), q_end.minus(q), q.minus(p));
    let normal = u.cross(&v);
    let square = normal.length_squared();
    // p + s·u is nearest to q + t·v at s = (way × v)·normal / square and t = (way × u)·normal / square.
    let within = |share: Exact| !share.is_negative() && share <= square;
    if square.is_zero() || !within(way.cross(&v).dot(&normal)) || !within(way.cross(&u).dot(&normal)) {
        return None;
    }
    let height = way.dot(&normal);
    Some(Ratio::new(&height * &height, square))
}
