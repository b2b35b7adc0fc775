//! Boxes as solids to sweep against.

use super::{MinkowskiDifference, sat::WideBox};
use crate::{Aabb, BrushEdge, BrushPlane, Obb, arrays::Mapped, exact::ROUNDING, shape::obb::slabs};
use glam::DVec3;

/// The six faces, eight vertices and twelve edges of a box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxSolid {
    planes: [BrushPlane; 6],
    vertices: [DVec3; 8],
    bounds: [DVec3; 2],
    vertex_error: f64,
    is_axial: bool,
    frame: WideBox,
}

/// Faces 0 to 2 are the upper ones, 3 to 5 the lower ones; bit `i` of a vertex is set if it lies on the upper face `i`.
pub(crate) const BOX_EDGES: [BrushEdge; 12] = box_edges();

const fn box_edges() -> [BrushEdge; 12] {
    let mut edges = [BrushEdge { vertices: [0, 0], faces: [0, 0] }; 12];
    let mut i = 0;
    while i < 12 {
        // Along `axis`, between a face of the next axis and one of the axis after that: x = y × z for two upper faces.
        let (axis, place) = (i / 4, i % 4);
        let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
        let (b_up, c_up) = (place & 1, place >> 1);
        let low = b_up << b | c_up << c;
        let high = low | 1 << axis;
        let is_forward = b_up == c_up;
        edges[i] = BrushEdge {
            vertices: if is_forward { [low, high] } else { [high, low] },
            faces: [b + 3 * (1 - b_up), c + 3 * (1 - c_up)],
        };
        i += 1;
    }
    edges
}

impl From<&Aabb> for BoxSolid {
    fn from(aabb: &Aabb) -> Self {
        Self::axial([aabb.min().as_dvec3(), aabb.max().as_dvec3()])
    }
}

impl From<&Obb> for BoxSolid {
    fn from(obb: &Obb) -> Self {
        Self::around(obb.center().as_dvec3(), obb.wide_edges())
    }
}

impl BoxSolid {
    /// The box around a centre with half edges.
    pub(crate) fn around(center: DVec3, edges: [DVec3; 3]) -> Self {
        let (mut edges, mut axes) = independent(edges);
        if let Some(bounds) = exact_bounds(center, edges) {
            return Self::axial(bounds);
        }
        // The upper face lies where the half edge leads, and the axes are right-handed.
        for (axis, edge) in axes.iter_mut().zip(edges) {
            axis.0 *= if axis.0.dot(edge) < 0.0 { -1.0 } else { 1.0 };
        }
        if axes[0].0.dot(axes[1].0.cross(axes[2].0)) < 0.0 {
            (axes[0].0, edges[0]) = (-axes[0].0, -edges[0]);
        }
        let planes = [0, 1, 2, 3, 4, 5].mapped(|i| {
            let (axis, reach) = axes[i % 3];
            let normal = if i < 3 { axis } else { -axis };
            BrushPlane { normal, distance: normal.dot(center) + reach }
        });
        let signed = |index: usize, i: usize| if index >> i & 1 == 1 { edges[i] } else { -edges[i] };
        let vertices: [DVec3; 8] =
            [0, 1, 2, 3, 4, 5, 6, 7].mapped(|index| center + signed(index, 0) + signed(index, 1) + signed(index, 2));
        let size = vertices.iter().map(|v| v.abs().max_element()).fold(center.abs().max_element(), f64::max);
        let vertex_error = 8.0 * ROUNDING * size;
        let min = vertices.iter().fold(DVec3::INFINITY, |a, b| a.min(*b)) - vertex_error;
        let max = vertices.iter().fold(DVec3::NEG_INFINITY, |a, b| a.max(*b)) + vertex_error;
        Self { planes, vertices, bounds: [min, max], vertex_error, is_axial: false, frame: WideBox { center, edges } }
    }
}

/// The half edges and the slabs of a box, with the edges independent except for those of length zero: parallel edges
/// are merged, and three edges in one plane are replaced by those of the rectangle around them.
fn independent(mut edges: [DVec3; 3]) -> ([DVec3; 3], [(DVec3, f64); 3]) {
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        if edges[i].cross(edges[j]) == DVec3::ZERO && edges[i] != DVec3::ZERO {
            let along = if edges[i].dot(edges[j]) < 0.0 { -edges[j] } else { edges[j] };
            (edges[i], edges[j]) = (edges[i] + along, DVec3::ZERO);
        }
    }
    let slabs = slabs(edges);
    let [a, b, c] = edges;
    let normal = b.cross(c);
    let is_flat = a.dot(normal).abs() <= 16.0 * ROUNDING * a.abs().dot(normal.abs());
    if is_flat && !edges.contains(&DVec3::ZERO) {
        edges = slabs.mapped(|(axis, reach)| axis * reach);
    }
    (edges, slabs)
}

/// The bounds of a box whose edges run along x, y and z, if they are exact in `f64`.
fn exact_bounds(center: DVec3, edges: [DVec3; 3]) -> Option<[DVec3; 2]> {
    if (0..3).any(|i| edges[i] != DVec3::AXES[i] * edges[i][i]) {
        return None;
    }
    let half = DVec3::new(edges[0].x, edges[1].y, edges[2].z).abs();
    let (min, max) = (center - half, center + half);
    // A sum is exact iff subtracting either part leaves the other.
    let is_exact = max - half == center && max - center == half && min + half == center && center - min == half;
    is_exact.then_some([min, max])
}

impl BoxSolid {
    pub(crate) fn difference(&self) -> MinkowskiDifference<'_> {
        MinkowskiDifference {
            planes: &self.planes,
            vertices: &self.vertices,
            edges: &BOX_EDGES,
            bounds: self.bounds,
            vertex_error: self.vertex_error,
            // An axial box is exact: its error is zero.
            plane_error: self.vertex_error,
            is_axial: self.is_axial,
            frame: Some(&self.frame),
        }
    }

    fn axial(bounds @ [min, max]: [DVec3; 2]) -> Self {
        let planes = [0, 1, 2, 3, 4, 5].mapped(|i| {
            let axis = DVec3::AXES[i % 3];
            if i < 3 {
                BrushPlane { normal: axis, distance: max[i] }
            } else {
                BrushPlane { normal: -axis, distance: -min[i - 3] }
            }
        });
        let coordinate = |index: usize, axis: usize| if index >> axis & 1 == 1 { max[axis] } else { min[axis] };
        let vertices =
            [0, 1, 2, 3, 4, 5, 6, 7].mapped(|i| DVec3::new(coordinate(i, 0), coordinate(i, 1), coordinate(i, 2)));
        let half = 0.5 * (max - min);
        let edges = [DVec3::X * half.x, DVec3::Y * half.y, DVec3::Z * half.z];
        Self {
            planes,
            vertices,
            bounds,
            vertex_error: 0.0,
            is_axial: true,
            frame: WideBox { center: 0.5 * (min + max), edges },
        }
    }
}
