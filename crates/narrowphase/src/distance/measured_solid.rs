//! A convex solid that a capsule is held against many times.

use crate::{BrushPlane, minkowski::MinkowskiDifference};
use glam::DVec3;
use smallvec::SmallVec;

/// A solid, and what of it does not depend on where a capsule is.
#[derive(Debug)]
pub(crate) struct MeasuredSolid<'a> {
    pub(crate) difference: &'a MinkowskiDifference<'a>,
    /// Of the normals of its planes.
    lengths: SmallVec<[f64; 6]>,
    /// The largest coordinate of its bounds.
    pub(super) size: f64,
    /// Four corners of a polygon need not be flat: what they are is within this from the plane of three.
    pub(super) thickness: f64,
}

impl<'a> MeasuredSolid<'a> {
    pub(crate) fn new(difference: &'a MinkowskiDifference) -> Self {
        let [min, max] = difference.bounds;
        let lengths: SmallVec<[f64; 6]> = difference.planes.iter().map(|plane| plane.normal.length()).collect();
        let thickness = match difference.planes {
            [front, back] => (front.distance + back.distance).max(0.0) / lengths[0],
            _ => 0.0,
        };
        Self { difference, lengths, size: min.abs().max(max.abs()).max_element(), thickness }
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
        if let [front, _] = self.difference.planes {
            // A polygon's sides.
            return self.difference.edges.iter().all(|edge| {
                let [from, to] = edge.vertices.map(|i| self.difference.vertices[i]);
                let normal = (to - from).cross(front.normal);
                is_behind(&BrushPlane { normal, distance: normal.dot(from) }, normal.length())
            });
        }
        self.planes().enumerate().all(|(i, (plane, length))| i == face || is_behind(plane, length))
    }
}
