//! Convex solids made of planes, vertices and edges, in `f64`: brushes, boxes and polygons alike.

use crate::{
    Aabb, Brush, BrushEdge, BrushPlane,
    arrays::Mapped,
    exact::ROUNDING,
    lists::Listed,
    minkowski::{MinkowskiDifference, box_solid::BoxSolid},
    shape::polygon::Polygon,
};
use glam::{DVec3, Vec3};
use smallvec::SmallVec;

/// Bound on what rounding to `f32` may add to a distance, as a share of it.
const ROUNDED: f64 = 1.0 / (1u64 << 23) as f64;

/// A convex solid, or a polygon as a solid with two faces.
pub(super) struct PairSolid<'a> {
    difference: MinkowskiDifference<'a>,
    corners: CornerList<'a>,
    /// What offsets are relative to.
    pub(super) center: DVec3,
    /// Half of the largest extent of its bounds.
    pub(super) reach: f64,
    /// Bound on the error of a separation from the rounding of the solid's data and of products with it.
    pub(super) error: f64,
}

/// Where the corners of faces are listed.
enum CornerList<'a> {
    Brush(&'a Brush),
    Box,
    Polygon,
}

/// A plane with a unit normal; the solid is behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FacePlane {
    pub(super) normal: DVec3,
    pub(super) distance: f64,
}

/// An edge, as the arc of normals along which a plane touches the solid at the edge: perpendicular to the edge, between
/// the normals of its faces. For an edge of a polygon it is a semicircle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    pub(super) from: DVec3,
    pub(super) to: DVec3,
    /// The middle of the arc, of any length.
    pub(super) middle: DVec3,
    pub(super) start: DVec3,
    pub(super) way: DVec3,
    pub(super) edge: usize,
}

/// The corners of an upper face of a box, by their ends along the two axes after the face's own.
const BOX_FACE: [[usize; 2]; 4] = [[0, 0], [1, 0], [1, 1], [0, 1]];

impl<'a> PairSolid<'a> {
    pub(super) fn of_brush(brush: &'a Brush, center: Vec3) -> Self {
        Self::new(brush.difference(), CornerList::Brush(brush), center, &brush.aabb())
    }

    pub(super) fn of_box(solid: &'a BoxSolid, center: Vec3, bounds: &Aabb) -> Self {
        Self::new(solid.difference(), CornerList::Box, center, bounds)
    }

    pub(super) fn of_polygon(polygon: &Polygon<'a>, center: Vec3) -> Self {
        Self::new(polygon.difference(), CornerList::Polygon, center, &polygon.aabb)
    }

    fn new(difference: MinkowskiDifference<'a>, corners: CornerList<'a>, center: Vec3, bounds: &Aabb) -> Self {
        let (min, max) = (bounds.min().as_dvec3(), bounds.max().as_dvec3());
        let size = min.abs().max(max.abs()).max_element();
        let error = 32.0 * ROUNDING * size + difference.vertex_error + difference.plane_error;
        Self { difference, corners, center: center.as_dvec3(), reach: 0.5 * (max - min).max_element(), error }
    }

    pub(super) fn vertices(&self) -> &'a [DVec3] {
        self.difference.vertices
    }

    pub(super) fn edges(&self) -> &'a [BrushEdge] {
        self.difference.edges
    }

    pub(super) fn face_count(&self) -> usize {
        self.difference.planes.len()
    }

    pub(super) fn face(&self, i: usize) -> FacePlane {
        let BrushPlane { normal, distance } = self.difference.planes[i];
        if !self.is_polygon() {
            return FacePlane { normal, distance };
        }
        let inverse = 1.0 / normal.length();
        FacePlane { normal: normal * inverse, distance: distance * inverse }
    }

    /// The numbers of a face's vertices, counter-clockwise when seen from outside.
    pub(super) fn corners(&self, face: usize) -> SmallVec<[usize; 16]> {
        match self.corners {
            CornerList::Brush(brush) => SmallVec::from_slice(brush.face_vertices(face)),
            CornerList::Polygon => {
                let count = self.vertices().len();
                (0..count).map(|i| if face == 0 { i } else { count - 1 - i }).listed()
            }
            CornerList::Box => {
                let (i, is_upper) = (face % 3, face < 3);
                let corner = |[j, k]: [usize; 2]| {
                    (j << ((i + 1) % 3)) | (k << ((i + 2) % 3)) | if is_upper { 1 << i } else { 0 }
                };
                let corners = BOX_FACE.into_iter().map(corner);
                if is_upper { corners.listed() } else { corners.rev().listed() }
            }
        }
    }

    /// Of the faces at the lowest vertex along `normal`, the one that opposes it most. A face elsewhere may oppose it
    /// more, but lie beside what the solid touches with.
    pub(super) fn opposing(&self, normal: DVec3) -> usize {
        let lowest = self.lowest_vertex(normal);
        let (mut best, mut least) = (0, f64::INFINITY);
        for face in self.edges().iter().filter(|edge| edge.vertices.contains(&lowest)).flat_map(|edge| edge.faces) {
            let along = normal.dot(self.face(face).normal);
            if along < least {
                (best, least) = (face, along);
            }
        }
        best
    }

    /// The least coordinate of a vertex along `normal`.
    pub(super) fn lowest(&self, normal: DVec3) -> f64 {
        normal.dot(self.vertices()[self.lowest_vertex(normal)])
    }

    /// The number of the vertex that is lowest along `normal`.
    pub(super) fn lowest_vertex(&self, normal: DVec3) -> usize {
        let mut lowest = (0, f64::INFINITY);
        for (number, vertex) in self.vertices().iter().enumerate() {
            let height = normal.dot(*vertex);
            if height < lowest.1 {
                lowest = (number, height);
            }
        }
        lowest.0
    }

    /// The ends of an edge.
    pub(super) fn ends(&self, edge: &BrushEdge) -> [DVec3; 2] {
        edge.vertices.mapped(|vertex| self.vertices()[vertex])
    }

    /// The arcs of all edges.
    pub(super) fn arcs(&self) -> impl Iterator<Item = Arc> {
        self.edges().iter().enumerate().map(|(number, edge)| self.arc(number, edge))
    }

    /// The arc of one of its edges.
    pub(super) fn arc(&self, number: usize, edge: &BrushEdge) -> Arc {
        let [start, end] = self.ends(edge);
        let [from, to] = edge.faces.mapped(|face| self.face(face).normal);
        let way = end - start;
        // An edge runs counter-clockwise around its first face.
        let middle = if self.is_polygon() { way.cross(from) } else { from + to };
        Arc { from, to, middle, start, way, edge: number }
    }

    /// Whether the solid is flat, with two faces that oppose each other.
    pub(super) fn is_polygon(&self) -> bool {
        matches!(self.corners, CornerList::Polygon)
    }
}

impl FacePlane {
    /// How far a point lies in front of the face.
    pub(super) fn before(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.distance
    }
}

impl Arc {
    /// Whether the circle of all directions perpendicular to `way` crosses the arc.
    pub(super) fn is_crossed(&self, way: DVec3) -> bool {
        way.dot(self.from) * way.dot(self.to) < 0.0
    }
}

/// Bound on what rounding may have added to a distance found between two solids.
pub(super) fn lost(distance: f64, errors: f64) -> f64 {
    ROUNDED * distance.abs() + errors
}
