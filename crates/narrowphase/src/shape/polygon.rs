//! A convex polygon as tests see it, whether its corners are those of a patch or of a triangle.

use crate::{Aabb, BrushEdge, BrushPlane};
use glam::DVec3;

/// A convex polygon, as a solid with two faces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Polygon<'a> {
    /// The corners, counter-clockwise when seen from the front.
    pub(crate) vertices: &'a [DVec3],
    /// The half-spaces on both sides of the plane. Their normals are products of differences of corners, not unit
    /// vectors, which keeps them exact for corners on a grid.
    pub(crate) plane: &'a [BrushPlane; 2],
    /// The half-spaces in front of and behind all corners.
    pub(crate) faces: &'a [BrushPlane; 2],
    /// The edges between the two faces.
    pub(crate) edges: &'a [BrushEdge],
    pub(crate) aabb: Aabb,
}
