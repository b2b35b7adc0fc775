//! The faces and edges of a convex hull, by trying every triple of its points.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::vector::Vector;

use super::Coordinate;

/// The convex hull of points, with its faces and edges.
#[derive(Clone, Debug)]
pub struct Convex {
    pub(super) points: Vec<Vector>,
    pub(super) faces: Vec<Face>,
    /// The ends of each edge.
    pub(super) edges: Vec<[usize; 2]>,
}

/// A face of a solid, or a whole polygon.
#[derive(Clone, Debug)]
pub(super) struct Face {
    /// To either side, of no particular length.
    pub(super) normal: Vector,
    /// For each edge of the face one of its points, and the normal of the edge in the plane of the face, outward.
    pub(super) border: Vec<(usize, Vector)>,
}

impl Convex {
    /// The hull of the points.
    ///
    /// # Panics
    /// If there are none, or a coordinate is not finite.
    pub fn new<T: Coordinate>(points: &[[T; 3]]) -> Self {
        Self::of(points.iter().map(|&point| super::vector(point)).collect())
    }

    pub(super) fn of(all: Vec<Vector>) -> Self {
        assert!(!all.is_empty(), "a hull needs a point");
        let mut points: Vec<Vector> = Vec::new();
        for point in all {
            if !points.contains(&point) {
                points.push(point);
            }
        }
        let planes = supporting_planes(&points);
        let mut edges = BTreeSet::new();
        let face = |(normal, on): (Vector, Vec<usize>)| {
            let mut border = Vec::new();
            for [i, j] in pairs(&on) {
                let outward = normal.cross(&points[j].minus(&points[i]));
                let Some(side) = common_side(&points, &on, i, &outward) else { continue };
                let on_line = on.iter().filter(|k| points[**k].minus(&points[i]).dot(&outward).is_zero());
                if ends_of_all(&points, on_line, [i, j]) {
                    edges.insert([i, j]);
                    border.push((i, if side.is_gt() { outward.times(&crate::Exact::from(-1)) } else { outward }));
                }
            }
            Face { normal, border }
        };
        let faces: Vec<Face> = planes.into_iter().map(face).collect();
        let every: Vec<usize> = (0..points.len()).collect();
        if faces.is_empty() {
            edges.extend(pairs(&every).filter(|&ends| ends_of_all(&points, every.iter(), ends)));
        }
        Self { points, faces, edges: edges.into_iter().collect() }
    }

    /// The number of faces: 1 for a polygon, 0 for a segment or a point.
    pub fn face_count(&self) -> usize {
        self.faces.len()
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    pub(super) fn edge_directions(&self) -> impl Iterator<Item = Vector> {
        self.edges.iter().map(|&[i, j]| self.points[j].minus(&self.points[i]))
    }
}

/// The planes through at least three points that do not lie on a line, and with no points on one of their sides: as
/// normals, with the indices of the points on them.
fn supporting_planes(points: &[Vector]) -> Vec<(Vector, Vec<usize>)> {
    let mut planes: Vec<(Vector, Vec<usize>)> = Vec::new();
    let every: Vec<usize> = (0..points.len()).collect();
    for [i, j] in pairs(&every) {
        for k in j + 1..points.len() {
            if planes.iter().any(|(_, on)| [i, j, k].iter().all(|index| on.contains(index))) {
                continue;
            }
            let normal = points[j].minus(&points[i]).cross(&points[k].minus(&points[i]));
            if !normal.is_zero() && common_side(points, &every, i, &normal).is_some() {
                let through = |index: &usize| points[*index].minus(&points[i]).dot(&normal).is_zero();
                let on = every.iter().copied().filter(through).collect();
                planes.push((normal, on));
            }
        }
    }
    planes
}

/// The side of the plane through `points[from]` on which the chosen points are, `Equal` if they are all on it; `None` if
/// there are some on both.
fn common_side(points: &[Vector], chosen: &[usize], from: usize, normal: &Vector) -> Option<Ordering> {
    let level = points[from].dot(normal);
    let mut common = Ordering::Equal;
    for &index in chosen {
        let side = points[index].dot(normal).cmp(&level);
        if side.is_ne() && common == side.reverse() {
            return None;
        }
        common = common.then(side);
    }
    Some(common)
}

/// Whether the points, all on one line, lie between two of them.
fn ends_of_all<'a>(points: &[Vector], mut on_line: impl Iterator<Item = &'a usize>, [i, j]: [usize; 2]) -> bool {
    on_line.all(|&k| !points[k].minus(&points[i]).dot(&points[k].minus(&points[j])).is_positive())
}

fn pairs(indices: &[usize]) -> impl Iterator<Item = [usize; 2]> {
    indices.iter().enumerate().flat_map(|(n, &i)| indices[n + 1..].iter().map(move |&j| [i, j]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(points: &[[i64; 3]]) -> [usize; 3] {
        let convex = Convex::new(points);
        [convex.faces.len(), convex.edges.len(), convex.faces.iter().map(|face| face.border.len()).sum()]
    }

    #[test]
    fn faces_and_edges_of_solids_with_points_inside_and_on_faces_and_edges() {
        let cube: Vec<[i64; 3]> = (0..8).map(|i| [2 * (i & 1), 2 * (i >> 1 & 1), 2 * (i >> 2)]).collect();
        assert_eq!(counts(&cube), [6, 12, 24]);
        let more = [&cube[..], &[[1, 1, 1], [1, 1, 0], [1, 0, 0], [2, 2, 2], [0, 1, 2]]].concat();
        assert_eq!(counts(&more), [6, 12, 24]);
        assert_eq!(counts(&[[0, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 5]]), [4, 6, 12]);
        // An octahedron: every square through its middle has points on both sides.
        assert_eq!(counts(&[[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]), [8, 12, 24]);
    }

    #[test]
    fn flat_hulls() {
        assert_eq!(counts(&[[0, 0, 1], [2, 0, 1], [0, 3, 1], [2, 3, 1], [1, 1, 1], [1, 0, 1]]), [1, 4, 4]);
        assert_eq!(counts(&[[1, 2, 3], [2, 4, 6], [4, 8, 12], [3, 6, 9], [1, 2, 3]]), [0, 1, 0]);
        assert_eq!(counts(&[[1, 2, 3], [1, 2, 3]]), [0, 0, 0]);
    }
}
