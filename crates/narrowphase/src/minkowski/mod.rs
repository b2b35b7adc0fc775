//! The Minkowski difference of a convex solid and a box: the region that the box's centre must not enter.
//!
//! The box at centre `c` touches the solid iff `c` lies in the difference of the solid and the box at the origin, a
//! convex polytope. Its facets come from those of the two: every face of the solid, every face of the box, and every
//! pair of a solid's edge and a box's edge whose normals cross on the Gauss sphere. This last test is cheap, because
//! the normals perpendicular to a box edge `h` form a whole great circle: an edge of the solid takes part iff it is on
//! the solid's silhouette seen along `h`, that is, iff `h` leaves one of its faces and enters the other.
//!
//! ```text
//!      n_a ·h > 0        each facet: normal · c − support − (|n·h₀| + |n·h₁| + |n·h₂|) > 0
//!        ╲   edge        means separated along it, and the largest of these, with unit normals,
//!         ●──────►  h    is the gap
//!        ╱
//!      n_b ·h < 0
//! ```
//!
//! Reading order: this file; [`box_solid`] and [`polyhedra`], what can be the solid; [`sat`], the axes of two boxes
//! that can decide.
//!
//! Sources: Gottschalk, Lin and Manocha, "OBBTree", 1996 (the separating axes); Gregorius, "The Separating Axis Test
//! between Convex Polyhedra", GDC 2013 (the Gauss map). Cost: one dot product per face, two per edge and box edge.

pub(crate) mod box_solid;
mod polyhedra;
pub(crate) mod sat;

use crate::{
    BrushEdge, BrushPlane, Obb,
    arrays::Mapped,
    exact::{
        ROUNDING,
        predicate::{Exact, exact_sum},
        unit,
    },
    shape::obb::slabs,
};
use glam::{DVec3, Vec3};
use sat::{Axes, WideBox};
use std::ops::ControlFlow::{self, Continue};

/// Below this sine between two faces, 2^-10, the direction of the edge between them is known better from its ends.
const MIN_SINE: f64 = 1.0 / 1024.0;

/// A box edge and a solid's edge with a sine below this, 2^-40, are parallel up to rounding: their facet is one of a
/// face.
const PARALLEL: f64 = f64::from_bits((1023 - 40) << 52);

/// A box that reaches across a patch by no more than this share of its size, 2^-20, may be indistinguishable from one
/// that lies in the patch's plane.
const FLAT: f64 = 1.0 / (1u64 << 20) as f64;

/// The Minkowski difference of a convex solid with any box, as the solid's part of its facets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MinkowskiDifference<'a> {
    /// Outward normals of any length, and how far the solid reaches along them.
    pub(crate) planes: &'a [BrushPlane],
    pub(crate) vertices: &'a [DVec3],
    /// Each edge runs counter-clockwise around its first face, seen from outside.
    pub(crate) edges: &'a [BrushEdge],
    pub(crate) bounds: [DVec3; 2],
    /// A bound on the error of a vertex.
    pub(crate) vertex_error: f64,
    /// A bound on the error of a plane with a unit normal, unless the plane is axial and the vertices are exact; zero
    /// if the planes are what is given.
    pub(crate) plane_error: f64,
    /// Whether it is a box of six axial planes.
    pub(crate) is_axial: bool,
    /// For a box, whose planes and edges are in order: those of axis `i` are planes `i` and `i + 3`, and edges `4 i` to
    /// `4 i + 3`.
    pub(crate) frame: Option<&'a WideBox>,
}

/// The box of the difference, in `f64`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DifferenceBox<'a> {
    pub(crate) obb: &'a Obb,
    pub(crate) edges: [DVec3; 3],
    /// Half extents, if its edges run along x, y and z.
    axial: Option<DVec3>,
}

/// What a facet of the difference comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FacetKind {
    /// A face of the solid or of the box.
    Face,
    /// An edge of each.
    Edges,
}

/// A supporting half-space of the difference, whose normal points from the solid to the box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facet {
    /// Of any length.
    pub(crate) normal: DVec3,
    /// The most that `normal · p` can be for a point of the solid.
    support: f64,
    /// How far `support` may be too small.
    support_error: f64,
    pub(crate) kind: FacetKind,
}

/// A number and a bound on its error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundedValue {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

impl<'a> DifferenceBox<'a> {
    pub(crate) fn new(obb: &'a Obb) -> Self {
        Self::rotated(obb, obb.wide_edges())
    }

    /// The box with these half edges in place of its own.
    pub(crate) fn rotated(obb: &'a Obb, edges: [DVec3; 3]) -> Self {
        let half_extents = DVec3::new(edges[0].x, edges[1].y, edges[2].z);
        let is_axial = (0..3).all(|i| edges[i] == DVec3::AXES[i] * half_extents[i]);
        Self { obb, edges, axial: is_axial.then_some(half_extents.abs()) }
    }

    /// Whether its edges run along x, y and z.
    pub(crate) fn is_axial(&self) -> bool {
        self.axial.is_some()
    }

    /// Unit normals of the faces to which the half edges lead.
    fn face_normals(&self) -> [DVec3; 3] {
        if self.axial.is_some() { DVec3::AXES } else { slabs(self.edges).mapped(|(axis, _)| axis) }
    }

    /// The sum of the absolute values of all coordinates of its half edges.
    fn size(&self) -> f64 {
        self.edges.iter().map(|edge| edge.abs().element_sum()).sum()
    }

    /// How far the half edges reach along `normal`.
    fn reaches(&self, normal: DVec3) -> DVec3 {
        match self.axial {
            Some(half_extents) => normal.abs() * half_extents,
            None => DVec3::from_array(self.edges.mapped(|h| normal.dot(h).abs())),
        }
    }
}

impl MinkowskiDifference<'_> {
    /// Calls `visit` for every facet of the difference with `body`, the solid's faces first, until it breaks.
    pub(crate) fn facets(
        &self,
        body: &DifferenceBox,
        visit: &mut dyn FnMut(Facet) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.facets_along(Axes::ALL, body, visit)
    }

    /// Does the same along some axes only.
    #[inline]
    pub(crate) fn facets_along(
        &self,
        axes: Axes,
        body: &DifferenceBox,
        mut visit: impl FnMut(Facet) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for (i, facet) in self.faces().enumerate() {
            if axes.has_own_face(i) {
                visit(facet)?;
            }
        }
        if self.is_axial && body.axial.is_some() {
            return Continue(());
        }
        // A patch and a box that is flat along it, a rod or a point, form a difference without thickness, which the
        // patch's sides bound as well.
        if let [front, _] = self.planes
            && body.reaches(front.normal).element_sum() <= FLAT * body.size()
        {
            for edge in self.edges {
                visit(self.supporting(self.direction(edge).cross(self.planes[edge.faces[0]].normal)))?;
            }
        }
        for (i, axis) in body.face_normals().into_iter().enumerate() {
            if axes.has_face_of_body(i) {
                visit(self.supporting(-axis))?;
                visit(self.supporting(axis))?;
            }
        }
        let [x, y, z] = body.edges;
        // In which direction the half edges lead through a face.
        let leads = |face: usize| {
            let normal = self.planes[face].normal;
            [normal.dot(x), normal.dot(y), normal.dot(z)]
        };
        for (e, edge) in self.edges.iter().enumerate() {
            let matters = axes.has_edges(e);
            if matters == [false; 3] {
                continue;
            }
            let (a, b) = (leads(edge.faces[0]), leads(edge.faces[1]));
            let is_crossed = [0, 1, 2].mapped(|i| matters[i] && a[i] * b[i] < 0.0);
            if is_crossed == [false; 3] {
                continue;
            }
            let direction = self.direction(edge);
            for i in 0..3 {
                if is_crossed[i]
                    && let Some(facet) = self.edge_facet(edge, direction, body.edges[i] * a[i].signum())
                {
                    visit(facet)?;
                }
            }
        }
        Continue(())
    }

    /// The facets of the solid's own faces.
    pub(crate) fn faces(&self) -> impl Iterator<Item = Facet> {
        let (plane_error, has_exact_vertices) = (self.plane_error, self.vertex_error == 0.0);
        let facet = move |&BrushPlane { normal, distance }: &BrushPlane| {
            // An axial plane through an exact vertex is exact.
            let is_exact = plane_error == 0.0 || has_exact_vertices && DVec3::AXES.contains(&normal.abs());
            let support_error = if is_exact { 0.0 } else { plane_error };
            Facet { normal, support: distance, support_error, kind: FacetKind::Face }
        };
        self.planes.iter().map(facet)
    }

    /// Whether the foot of `point` on a face's plane lies on the face, up to rounding.
    pub(crate) fn is_below(&self, point: DVec3, face: &Facet) -> bool {
        let square = face.normal.length_squared();
        let foot = point - face.normal * ((face.normal.dot(point) - face.support) / square);
        let off = if self.is_given_by_vertices() { self.plane_error } else { 0.0 };
        let is_behind = |normal: DVec3, distance: f64| {
            let along = normal * foot;
            along.element_sum() - distance <= 16.0 * ROUNDING * (along.abs().element_sum() + distance.abs()) + off
        };
        if let [front, _] = self.planes {
            // A patch's sides.
            return self.edges.iter().all(|edge| {
                let side = self.direction(edge).cross(front.normal);
                is_behind(side, side.dot(self.vertices[edge.vertices[0]]))
            });
        }
        self.planes.iter().all(|plane| is_behind(plane.normal, plane.distance))
    }

    /// Whether all of the points lie outside the same side of the solid, by more than `margin`.
    pub(crate) fn are_beside(&self, points: &[DVec3], margin: f64) -> bool {
        let are_beyond = |normal: DVec3, distance: f64| {
            let far = distance + margin * normal.length();
            points.iter().all(|point| normal.dot(*point) > far)
        };
        if let [front, _] = self.planes {
            // A patch's sides.
            return self.edges.iter().any(|edge| {
                let side = self.direction(edge).cross(front.normal);
                are_beyond(side, side.dot(self.vertices[edge.vertices[0]]))
            });
        }
        self.planes.iter().any(|plane| are_beyond(plane.normal, plane.distance))
    }

    /// Whether the difference is thinner across `facet` than the rounding of a `distance` along it, as it is for two
    /// tiles that face each other.
    pub(crate) fn is_thin_across(&self, body: &DifferenceBox, facet: &Facet, distance: f64) -> bool {
        let (back, reach) = (self.supporting(-facet.normal), body.reaches(facet.normal).element_sum());
        let size = facet.support.abs() + back.support.abs() + 2.0 * reach + distance.abs();
        facet.support + back.support + 2.0 * reach <= 8.0 * ROUNDING * size + facet.support_error + back.support_error
    }

    /// The half-space that touches the solid along `normal`.
    pub(crate) fn supporting(&self, normal: DVec3) -> Facet {
        if let Some(axis) = (0..3).find(|&axis| normal.abs() == DVec3::AXES[axis]) {
            let [min, max] = self.bounds;
            let support = if normal[axis] > 0.0 { max[axis] } else { -min[axis] };
            return Facet {
                normal: DVec3::AXES[axis] * normal[axis],
                support,
                support_error: 0.0,
                kind: FacetKind::Face,
            };
        }
        let support = self.vertices.iter().map(|v| normal.dot(*v)).fold(f64::NEG_INFINITY, f64::max);
        Facet { normal, support, support_error: self.vertex_error * normal.length(), kind: FacetKind::Face }
    }

    /// The facet of `edge`, which runs `along`, and a box edge `h`, directed so that it leaves the edge's first face;
    /// `None` if they are parallel.
    #[inline(always)]
    fn edge_facet(&self, edge: &BrushEdge, along: DVec3, h: DVec3) -> Option<Facet> {
        let normal = along.cross(h);
        let size = normal.length();
        if size <= PARALLEL * along.length() * h.length() {
            return None;
        }
        let support = match self.planes {
            // A patch with more corners than define a plane: if it is a sliver, its normal is mostly their rounding,
            // and so is the side of an edge on which the rest of it lies.
            [_, _] if self.vertices.len() > 3 => {
                self.vertices.iter().map(|v| normal.dot(*v)).fold(f64::NEG_INFINITY, f64::max)
            }
            _ => normal.dot(self.vertices[edge.vertices[0]]).max(normal.dot(self.vertices[edge.vertices[1]])),
        };
        Some(Facet { normal, support, support_error: self.vertex_error * size, kind: FacetKind::Edges })
    }

    /// Whether it is a hull, whose vertices are known better than its planes.
    fn is_given_by_vertices(&self) -> bool {
        self.plane_error > self.vertex_error
    }

    /// The direction of an edge, of any length.
    fn direction(&self, edge: &BrushEdge) -> DVec3 {
        if !self.is_given_by_vertices() {
            let [a, b] = edge.faces.mapped(|face| self.planes[face].normal);
            let cross = a.cross(b);
            if cross.length_squared() > MIN_SINE * MIN_SINE * a.length_squared() * b.length_squared() {
                return cross;
            }
        }
        self.vertices[edge.vertices[1]] - self.vertices[edge.vertices[0]]
    }
}

impl Facet {
    /// How far the solid reaches along the normal, and by how much more it may.
    pub(crate) fn support_of_solid(&self) -> (f64, f64) {
        (self.support, self.support_error)
    }

    /// The normal scaled to length one.
    pub(crate) fn unit_normal(&self) -> DVec3 {
        self.normal / self.normal.length()
    }

    /// The same rounded to `f32`, without negative zeros.
    pub(crate) fn rounded_normal(&self) -> Vec3 {
        unit::unit(self.normal) + Vec3::ZERO
    }

    /// How far `center` lies outside the facet, times the normal's length. For an axial normal the sign is exact and
    /// the error is zero.
    #[inline]
    pub(crate) fn gap(&self, body: &DifferenceBox, center: DVec3) -> BoundedValue {
        let (at, reaches) = (self.normal * center, body.reaches(self.normal));
        let value = at.element_sum() - self.support - reaches.element_sum();
        let magnitude = at.abs().element_sum() + self.support.abs() + reaches.element_sum();
        let error = 8.0 * ROUNDING * magnitude + self.support_error;
        if !self.is_axial() {
            return BoundedValue { value, error };
        }
        if value.abs() > error {
            return BoundedValue { value, error: 0.0 };
        }
        // Where the terms cancel, the sum is computed exactly: a tiny gap at a tiny speed is still a long time.
        let terms = [at.x, at.y, at.z, -self.support, -reaches.x, -reaches.y, -reaches.z];
        let value = exact_sum(terms).unwrap_or_else(|| Exact::sum(&terms).value());
        BoundedValue { value, error: 0.0 }
    }

    /// How fast `motion` leads away from the facet, times the normal's length.
    #[inline]
    pub(crate) fn departure(&self, motion: DVec3) -> BoundedValue {
        let along = self.normal * motion;
        BoundedValue { value: along.element_sum(), error: 4.0 * ROUNDING * along.abs().element_sum() }
    }

    fn is_axial(&self) -> bool {
        let size = self.normal.abs();
        // A component that is small beside one leaves a sum of one, but is not zero.
        let is_one = size.element_sum() == 1.0 && size.max_element() == 1.0 && self.support_error == 0.0;
        is_one && DVec3::AXES.contains(&size)
    }
}
