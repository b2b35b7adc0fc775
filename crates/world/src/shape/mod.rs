//! The shapes an object can have. A shape is convex, or it consists of convex parts; what moves meets the parts.
//!
//! Reading order: this file, the shapes and the queries on them; [`parts`], the same queries in terms of parts;
//! [`mod@distance`], of two shapes; [`placed`] and [`placement`], where shapes of many parts are placed; [`surface`], what
//! surfaces of triangles have in common; [`mesh`] and [`terrain`], such surfaces; [`compound`], many shapes;
//! [`mod@transform`], poses; [`scaled`], scaling; [`shared`], shapes as they are saved.

mod box_filter;
pub(crate) mod compound;
pub(crate) mod distance;
pub(crate) mod mesh;
mod parts;
pub(crate) mod path_packet;
pub(crate) mod placed;
mod placement;
mod scaled;
#[cfg(feature = "serde")]
pub(crate) mod shared;
mod surface;
pub(crate) mod terrain;
mod transform;
pub(crate) mod way;

pub(crate) use cullide_narrowphase::Convex;
pub(crate) use transform::{matrix, pose_of};

use compound::placed::PlacedCompound;
use cullide_bvh::{Probe, Visit};
use cullide_narrowphase::{
    Aabb, BodyWay, Brush, Capsule, Cast, Containment, Crossing, Cylinder, Frustum, HitFeature, Hull, Obb, Patch, Path,
    Plane, Side, Sides, Solid, Sphere, Triangle, glam::Vec3,
};
use mesh::placed::PlacedMesh;
use parts::Parts;
#[cfg(feature = "dynamics")]
use surface::Surface;
use terrain::placed::PlacedTerrain;
pub(crate) use transform::{is_skewed, oriented};
use way::{Filtered, StraightWay, UnvisitedParts};

/// An object's geometry.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Shape {
    /// An axis-aligned box.
    Aabb(Aabb),
    /// An oriented box.
    Obb(Obb),
    /// A sphere.
    Sphere(Sphere),
    /// A convex solid bounded by planes, or the hull of points.
    Brush(Box<Brush>),
    /// A convex polygon.
    Patch(Box<Patch>),
    /// A triangle.
    Triangle(Triangle),
    /// A placed surface of triangles.
    Mesh(Box<PlacedMesh>),
    /// All points within a radius of a segment.
    Capsule(Capsule),
    /// A placed surface given by heights over a grid.
    Terrain(Box<PlacedTerrain>),
    /// Many shapes as one, placed.
    Compound(Box<PlacedCompound>),
    /// A cylinder or a cone.
    Cylinder(Cylinder),
}

impl From<Cylinder> for Shape {
    fn from(shape: Cylinder) -> Self {
        Self::Cylinder(shape)
    }
}

impl From<Capsule> for Shape {
    fn from(shape: Capsule) -> Self {
        Self::Capsule(shape)
    }
}

impl From<Triangle> for Shape {
    fn from(shape: Triangle) -> Self {
        Self::Triangle(shape)
    }
}

impl From<Aabb> for Shape {
    fn from(shape: Aabb) -> Self {
        Self::Aabb(shape)
    }
}

impl From<Obb> for Shape {
    fn from(shape: Obb) -> Self {
        Self::Obb(shape)
    }
}

impl From<Sphere> for Shape {
    fn from(shape: Sphere) -> Self {
        Self::Sphere(shape)
    }
}

impl From<Brush> for Shape {
    fn from(shape: Brush) -> Self {
        Self::Brush(Box::new(shape))
    }
}

/// Converts the hull to a [`Brush`].
impl From<Hull> for Shape {
    fn from(shape: Hull) -> Self {
        Brush::from(shape).into()
    }
}

impl From<Patch> for Shape {
    fn from(shape: Patch) -> Self {
        Self::Patch(Box::new(shape))
    }
}

impl Cast for Shape {
    fn crossing(&self, path: &Path) -> Option<Crossing> {
        // Not by way of `Convex`, which would copy the shape first.
        match self {
            Self::Aabb(shape) => shape.crossing(path),
            Self::Obb(shape) => shape.crossing(path),
            Self::Sphere(shape) => shape.crossing(path),
            Self::Capsule(shape) => shape.crossing(path),
            Self::Cylinder(shape) => shape.crossing(path),
            Self::Brush(shape) => shape.crossing(path),
            Self::Patch(shape) => shape.crossing(path),
            Self::Triangle(shape) => shape.crossing(path),
            Self::Mesh(_) | Self::Terrain(_) | Self::Compound(_) => Some(self.parts().first_crossing(path)?.1),
        }
    }

    /// For a composite shape, returns the feature of the part that is crossed first; of several crossed at once, that
    /// of the part with the smallest number.
    fn entry_feature(&self, path: &Path) -> Option<HitFeature> {
        self.part(self.parts().first_crossing(path)?.0)?.entry_feature(path)
    }
}

impl Shape {
    /// Whether the shape has parts that are found by a search.
    #[inline]
    pub(crate) fn is_composite(&self) -> bool {
        matches!(self, Self::Mesh(_) | Self::Terrain(_) | Self::Compound(_))
    }

    /// Returns the shape as its only part; `None` for a composite shape.
    #[cfg(feature = "dynamics")]
    #[inline]
    pub(crate) fn convex(&self) -> Option<Convex<'_>> {
        match self.parts() {
            Parts::One(convex) => Some(convex),
            _ => None,
        }
    }

    /// Returns a convex shape of only a few numbers, by value; `None` for any other.
    fn small(&self) -> Option<Convex<'static>> {
        Some(match self {
            Self::Aabb(shape) => Convex::Aabb(*shape),
            Self::Obb(shape) => Convex::Obb(*shape),
            Self::Sphere(shape) => Convex::Sphere(*shape),
            Self::Triangle(shape) => Convex::Triangle(*shape, Sides::Both),
            Self::Capsule(shape) => Convex::Capsule(*shape),
            Self::Cylinder(shape) => Convex::Cylinder(*shape),
            Self::Brush(_) | Self::Patch(_) | Self::Mesh(_) | Self::Terrain(_) | Self::Compound(_) => return None,
        })
    }

    /// Returns the part with this number: 0 for a convex shape, a triangle of a mesh or a terrain, a child of a
    /// compound or a triangle of one.
    pub(crate) fn part(&self, number: u32) -> Option<Convex<'_>> {
        self.parts().part(number)
    }

    /// Calls `visit` with all parts of a convex shape or of a compound of such; returns false if there is a surface of
    /// triangles among them.
    pub(crate) fn all_convex(&self, visit: &mut dyn FnMut(u32, Convex)) -> bool {
        self.parts().all_convex(visit)
    }

    /// Returns the caller's number for a part, such as its material; 0 for shapes that have none.
    #[inline]
    pub(crate) fn surface(&self, part: u32) -> u16 {
        if self.is_composite() { self.parts().surface(part) } else { 0 }
    }

    /// Calls `visit` with the parts whose boxes touch `bounds`; with a convex shape, wherever it is.
    pub(crate) fn parts_near(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32, Convex)) {
        self.parts().near(bounds, visit);
    }

    /// Takes the number of parts whose boxes touch `bounds` off `left`; breaks where there are more.
    pub(crate) fn count_near(&self, bounds: &Aabb, left: &mut usize) -> std::ops::ControlFlow<()> {
        self.parts().count_near(bounds, left)
    }

    /// Whether `touches` holds for any part near `bounds`. `body` returns the tested volume as the triangle filter takes
    /// it.
    pub(crate) fn any_part_near(
        &self,
        bounds: &Aabb,
        body: &dyn Fn() -> BodyWay,
        touches: &dyn Fn(Convex) -> bool,
    ) -> bool {
        self.parts().any_near(bounds, body, touches)
    }

    /// Calls `visit` with the corners of the triangles whose boxes touch `bounds`, in no particular order. Returns the
    /// sides from which the triangles are met; `None` if the shape is neither a mesh nor a terrain.
    #[cfg(feature = "dynamics")]
    pub(crate) fn corners_near(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32, [Vec3; 3])) -> Option<Sides> {
        let visit_near = |number: u32, corners: [Vec3; 3]| {
            let [a, b, c] = corners;
            let (min, max) = (a.min(b).min(c), a.max(b).max(c));
            if (min.cmple(bounds.max()) & max.cmpge(bounds.min())).all() {
                visit(number, corners);
            }
            std::ops::ControlFlow::Continue(())
        };
        match self {
            Self::Mesh(mesh) => {
                mesh.at().candidates_near(bounds, visit_near);
                Some(mesh.mesh().sides())
            }
            Self::Terrain(terrain) => {
                terrain.at().candidates_near(bounds, visit_near);
                Some(terrain.terrain().sides())
            }
            _ => None,
        }
    }

    /// Calls `visit` with the parts that a moving body may touch. `visit` returns the fraction of the motion up to
    /// which to continue, or, negated, how deep the body is in something at the start; it is then called only with the
    /// parts in which the body may be as deep.
    pub(crate) fn parts_along(
        &self,
        way: &StraightWay,
        limit: f32,
        visit: &mut dyn FnMut(u32, Convex, Filtered) -> f32,
    ) -> UnvisitedParts {
        self.parts().along(way, limit, visit)
    }

    /// Calls `visit` with the parts that the path crosses; `visit` returns how far to continue. `probe` is the path as
    /// trees take it, if known.
    #[inline]
    pub(crate) fn crossings(&self, path: &Path, probe: Option<&Probe>, visit: &mut dyn FnMut(u32, Crossing) -> Visit) {
        self.parts().crossings(path, probe, visit);
    }

    /// Whether the path crosses any part.
    #[inline]
    pub(crate) fn is_crossed(&self, path: &Path, probe: &Probe) -> bool {
        self.parts().is_crossed(path, Some(probe))
    }

    /// Returns the smallest axis-aligned box with `f32` bounds around the shape (for a brush, up to the rounding of its
    /// vertices). For a mesh, a terrain or a compound that is turned, it is the box around the turned box of the whole,
    /// which may be √3 times as long as the smallest: see [`PlacedMesh::aabb`], [`PlacedTerrain::aabb`] and
    /// [`PlacedCompound::aabb`].
    ///
    /// ```
    /// # use cullide_world::{Shape, narrowphase::Sphere, glam::Vec3};
    /// assert_eq!(Shape::from(Sphere::new(Vec3::ZERO, 2.0)?).aabb().max(), Vec3::splat(2.0));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn aabb(&self) -> Aabb {
        match self {
            Self::Aabb(shape) => *shape,
            Self::Obb(shape) => shape.aabb(),
            Self::Sphere(shape) => shape.aabb(),
            Self::Brush(shape) => shape.aabb(),
            Self::Patch(shape) => shape.aabb(),
            Self::Triangle(shape) => shape.aabb(),
            Self::Mesh(shape) => shape.aabb(),
            Self::Capsule(shape) => shape.aabb(),
            Self::Cylinder(shape) => shape.aabb(),
            Self::Terrain(shape) => shape.aabb(),
            Self::Compound(shape) => shape.aabb(),
        }
    }

    /// Returns the side of `plane` on which the shape lies; touching is [`Side::Straddling`].
    pub(crate) fn side_of(&self, plane: &Plane) -> Side {
        self.parts().side_of(plane)
    }

    /// Classifies the shape against the frustum: exactly for boxes, spheres and capsules. Any other shape that lies
    /// outside may be reported as crossing.
    pub(crate) fn visibility(&self, frustum: &Frustum) -> Containment {
        self.parts().visibility(frustum)
    }

    /// Calls `visit` with the parts that may touch the frustum, in groups, each with its containment.
    pub(crate) fn cull(&self, frustum: &Frustum, visit: &mut dyn FnMut(&[u32], Containment)) {
        self.parts().cull(frustum, visit);
    }

    /// Whether the shape and a sphere share a point.
    pub(crate) fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        self.parts().overlaps_sphere(sphere)
    }

    /// Whether any part shares a point with any part of another shape.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let own = self.aabb();
        other.any_part_near(&own, &|| BodyWay::around(&own, Vec3::ZERO), &|part| self.overlaps_part(&part))
    }

    /// Whether any part shares a point with a part of another shape.
    pub(crate) fn overlaps_part(&self, part: &Convex) -> bool {
        let bounds = part.aabb();
        self.any_part_near(&bounds, &|| BodyWay::around(&bounds, Vec3::ZERO), &|own| own.overlaps(part))
    }

    /// Returns the part nearest to `point` within `max_distance`, and the point on it nearest to `point` (`point`
    /// itself if it lies inside). Of parts equally near, it is the one with the smallest number. A convex shape is
    /// returned however far away it is.
    pub(crate) fn closest_point(&self, point: Vec3, max_distance: f32) -> Option<(u32, Vec3)> {
        // As in `crossing`.
        let nearest = match self {
            Self::Aabb(shape) => shape.closest_point(point),
            Self::Obb(shape) => shape.closest_point(point),
            Self::Sphere(shape) => shape.closest_point(point),
            Self::Capsule(shape) => shape.closest_point(point),
            Self::Cylinder(shape) => shape.closest_point(point),
            Self::Brush(shape) => shape.closest_point(point),
            Self::Patch(shape) => shape.closest_point(point),
            Self::Triangle(shape) => shape.closest_point(point),
            Self::Mesh(mesh) => return mesh.at().closest_point(point, max_distance),
            Self::Terrain(terrain) => return terrain.at().closest_point(point, max_distance),
            Self::Compound(compound) => return compound.closest_point(point, max_distance),
        };
        Some((0, nearest))
    }
}
