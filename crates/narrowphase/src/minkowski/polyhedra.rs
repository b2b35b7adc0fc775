//! Brushes and polygons as the solid of a Minkowski difference.

use super::MinkowskiDifference;
use crate::{Brush, shape::polygon::Polygon};

impl Brush {
    /// The brush as the solid of a difference.
    pub(crate) fn difference(&self) -> MinkowskiDifference<'_> {
        MinkowskiDifference {
            planes: self.planes(),
            vertices: self.vertices(),
            edges: self.edges(),
            bounds: self.bounds(),
            vertex_error: self.vertex_error(),
            plane_error: self.plane_error(),
            is_axial: self.is_axial(),
            frame: None,
        }
    }
}

impl<'a> Polygon<'a> {
    /// The polygon as the solid of a difference, with two faces.
    pub(crate) fn difference(&self) -> MinkowskiDifference<'a> {
        MinkowskiDifference {
            planes: self.faces,
            vertices: self.vertices,
            edges: self.edges,
            bounds: [self.aabb.min().as_dvec3(), self.aabb.max().as_dvec3()],
            vertex_error: 0.0,
            plane_error: 0.0,
            is_axial: false,
            frame: None,
        }
    }
}
