//! A convex solid that is tested against a capsule many times.

use super::edge_rows::EdgeRow;
use crate::{BrushPlane, minkowski::MinkowskiDifference};
use glam::DVec3;
use smallvec::SmallVec;
use std::cell::OnceCell;

/// A solid, with all data that does not depend on where the capsule is.
#[derive(Debug)]
pub(crate) struct MeasuredSolid<'a> {
    pub(crate) difference: &'a MinkowskiDifference<'a>,
    /// The lengths of the normals of its planes.
    lengths: SmallVec<[f64; 6]>,
    /// The largest coordinate of its bounds.
    pub(super) size: f64,
    /// Four corners of a polygon need not lie in one plane: they are within this of the plane of three.
    pub(super) thickness: f64,
    /// Its edges, and for a polygon the planes that stand on them; computed when they are first asked for.
    rows: OnceCell<SmallVec<[EdgeRow; 3]>>,
    sides: OnceCell<SmallVec<[(BrushPlane, f64); 3]>>,
}

impl<'a> MeasuredSolid<'a> {
    pub(crate) fn new(difference: &'a MinkowskiDifference) -> Self {
        let [min, max] = difference.bounds;
        let lengths: SmallVec<[f64; 6]> = difference.planes.iter().map(|plane| plane.normal.length()).collect();
        let thickness = match difference.planes {
            [front, back] => (front.distance + back.distance).max(0.0) / lengths[0],
            _ => 0.0,
        };
        let size = min.abs().max(max.abs()).max_element();
        Self { difference, lengths, size, thickness, rows: OnceCell::new(), sides: OnceCell::new() }
    }

    /// Its edges, several at a time.
    #[inline]
    pub(super) fn edge_rows(&self) -> &[EdgeRow] {
        self.rows.get_or_init(|| EdgeRow::all(self.difference).collect())
    }

    /// The planes that stand on the edges of a polygon, and the lengths of their normals.
    fn sides(&self) -> &[(BrushPlane, f64)] {
        self.sides.get_or_init(|| {
            let edges = self.difference.edges.iter().map(|edge| edge.vertices.map(|i| self.difference.vertices[i]));
            let front = self.difference.planes[0].normal;
            let sides = edges.map(|[from, to]| {
                let normal = (to - from).cross(front);
                (BrushPlane { normal, distance: normal.dot(from) }, normal.length())
            });
            sides.collect()
        })
    }

    /// The length of the normal of a plane.
    pub(super) fn length(&self, plane: usize) -> f64 {
        self.lengths[plane]
    }

    /// Its planes and the lengths of their normals.
    pub(super) fn planes(&self) -> impl Iterator<Item = (&BrushPlane, f64)> {
        self.difference.planes.iter().zip(self.lengths.iter().copied())
    }

    /// Whether a point of a face's plane lies on the face, up to an error.
    pub(super) fn is_on_face(&self, face: usize, point: DVec3, error: f64) -> bool {
        let is_behind = |plane: &BrushPlane, length: f64| plane.signed_distance(point) <= error * length;
        if let [_, _] = self.difference.planes {
            return self.sides().iter().all(|(side, length)| is_behind(side, *length));
        }
        self.planes().enumerate().all(|(i, (plane, length))| i == face || is_behind(plane, length))
    }
}
