//! The shapes an object can have. A shape is convex, or it consists of parts that are: what moves meets the parts.
//!
//! Reading order: this file, which shapes there are and what is asked of them; [`parts`], the same by their parts;
//! [`convex`], every exact test once, by shape; [`mesh`] and [`terrain`], many triangles, [`compound`], many shapes, and [`placement`], where they are;
//! [`mod@transform`], poses; [`scaled`], sizes; [`shared`], shapes as they are saved.

mod box_way;
pub(crate) mod compound;
mod convex;
pub(crate) mod mesh;
mod parts;
pub(crate) mod path_packet;
mod placement;
mod scaled;
#[cfg(feature = "serde")]
pub(crate) mod shared;
pub(crate) mod terrain;
mod transform;
pub(crate) mod way;

pub(crate) use convex::Convex;
pub(crate) use transform::{matrix, pose_of};

use compound::placed::PlacedCompound;
use cullide_bvh::{Probe, Visit};
use cullide_narrowphase::{
    Aabb, BodyWay, Brush, Capsule, Cast, Containment, Crossing, Frustum, HitFeature, Hull, Obb, Patch, Path, Plane,
    Side, Sides, Sphere, Triangle, glam::Vec3,
};
use mesh::placed::PlacedMesh;
use parts::Parts;
use terrain::placed::PlacedTerrain;
pub(crate) use transform::is_skewed;
use way::{Filtered, Rest, StraightWay};

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
    /// A surface of triangles, at a place.
    Mesh(Box<PlacedMesh>),
    /// All points within a radius of a segment.
    Capsule(Capsule),
    /// A surface given by heights over a grid, at a place.
    Terrain(Box<PlacedTerrain>),
    /// Many shapes as one, at a place.
    Compound(Box<PlacedCompound>),
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

/// As the convex solid that it is.
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
        // Not as a part, as which it would be copied first.
        match self {
            Self::Aabb(shape) => shape.crossing(path),
            Self::Obb(shape) => shape.crossing(path),
            Self::Sphere(shape) => shape.crossing(path),
            Self::Capsule(shape) => shape.crossing(path),
            Self::Brush(shape) => shape.crossing(path),
            Self::Patch(shape) => shape.crossing(path),
            Self::Triangle(shape) => shape.crossing(path),
            Self::Mesh(mesh) => mesh.at().crossing(path),
            Self::Terrain(terrain) => terrain.crossing(path),
            Self::Compound(compound) => compound.crossing(path),
        }
    }

    /// Of a composite shape that of the part which is crossed first; of several at once, of the smallest number.
    fn entry_feature(&self, path: &Path) -> Option<HitFeature> {
        let mut first: Option<(f64, u32)> = None;
        self.crossings(path, None, |part, crossing| {
            if first.is_none_or(|first| (crossing.enter, part) < first) {
                first = Some((crossing.enter, part));
            }
            first.map_or(Visit::Continue, |(enter, _)| Visit::Within((enter as f32).next_up()))
        });
        self.part(first?.1)?.entry_feature(path)
    }
}

impl Shape {
    /// Whether the shape has parts that are found by a search.
    #[inline]
    pub(crate) fn is_composite(&self) -> bool {
        matches!(self, Self::Mesh(_) | Self::Terrain(_) | Self::Compound(_))
    }

    /// The shape as its one part; `None` for a composite one.
    #[cfg(feature = "dynamics")]
    #[inline]
    pub(crate) fn convex(&self) -> Option<Convex<'_>> {
        match self.parts() {
            Parts::One(convex) => Some(convex),
            _ => None,
        }
    }

    /// A convex shape that is no larger than a few numbers, by value.
    fn small(&self) -> Option<Convex<'static>> {
        Some(match self {
            Self::Aabb(shape) => Convex::Aabb(*shape),
            Self::Obb(shape) => Convex::Obb(*shape),
            Self::Sphere(shape) => Convex::Sphere(*shape),
            Self::Triangle(shape) => Convex::Triangle(*shape, Sides::Both),
            Self::Capsule(shape) => Convex::Capsule(*shape),
            Self::Brush(_) | Self::Patch(_) | Self::Mesh(_) | Self::Terrain(_) | Self::Compound(_) => return None,
        })
    }

    /// The part of that number: for a convex shape 0, for a mesh or a terrain a triangle, for a compound a child or a
    /// triangle of one.
    pub(crate) fn part(&self, number: u32) -> Option<Convex<'_>> {
        self.parts().part(number)
    }

    /// The caller's number for a part, its material perhaps; 0 for shapes that have none.
    #[inline]
    pub(crate) fn surface(&self, part: u32) -> u16 {
        if self.is_composite() { self.parts().surface(part) } else { 0 }
    }

    /// Calls `visit` with the parts whose boxes touch `bounds`; with a shape of one part, wherever it is.
    #[inline]
    pub(crate) fn parts_near(&self, bounds: &Aabb, visit: impl FnMut(u32, Convex)) {
        self.parts().near(bounds, visit);
    }

    /// Calls `visit` with the corners of the triangles whose boxes touch `bounds`, in no particular order; `None` for what
    /// is no surface of triangles, else the sides from which it is met.
    #[cfg(feature = "dynamics")]
    pub(crate) fn corners_near(&self, bounds: &Aabb, mut visit: impl FnMut(u32, [Vec3; 3])) -> Option<Sides> {
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
                terrain.candidates_near(bounds, visit_near);
                Some(terrain.terrain().sides())
            }
            _ => None,
        }
    }

    /// Calls `visit` with the parts that a body may touch on its way, which returns the fraction of it up to which to
    /// go on, or how deep the body is in something at the start, with its sign turned, and then is called with those in
    /// which it may be as deep.
    #[inline]
    pub(crate) fn parts_along(
        &self,
        way: &StraightWay,
        limit: f32,
        visit: impl FnMut(u32, Convex, Filtered) -> f32,
    ) -> Rest {
        self.parts().along(way, limit, visit)
    }

    /// Calls `visit` with the parts that the path crosses, which returns how far to go on. `probe` is the path as trees
    /// are asked, if that is known.
    #[inline]
    pub(crate) fn crossings(&self, path: &Path, probe: Option<&Probe>, visit: impl FnMut(u32, Crossing) -> Visit) {
        self.parts().crossings(path, probe, visit);
    }

    /// Whether the path crosses any part.
    #[inline]
    pub(crate) fn is_crossed(&self, path: &Path, probe: &Probe) -> bool {
        self.parts().is_crossed(path, Some(probe))
    }

    /// The smallest axis-aligned box of `f32` bounds around the shape (for a brush, up to a rounding of its vertices); of a
    /// mesh or a compound that is turned or scaled a larger one, see [`PlacedMesh::aabb`] and [`PlacedCompound::aabb`].
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
            Self::Terrain(shape) => shape.aabb(),
            Self::Compound(shape) => shape.aabb(),
        }
    }

    /// On which side of `plane` the shape lies; touching is [`Side::Straddling`].
    pub(crate) fn side_of(&self, plane: &Plane) -> Side {
        self.parts().side_of(plane)
    }

    /// How the shape lies to the frustum: exactly for boxes and spheres; another one that lies outside may be crossing.
    pub(crate) fn visibility(&self, frustum: &Frustum) -> Containment {
        self.parts().visibility(frustum)
    }

    /// Calls `visit` with the parts that may touch the frustum, in groups, and how each group lies to it.
    pub(crate) fn cull(&self, frustum: &Frustum, visit: &mut dyn FnMut(&[u32], Containment)) {
        self.parts().cull(frustum, visit);
    }

    /// Whether the shape and an oriented box share a point, given the bounds of that.
    pub(crate) fn overlaps_obb(&self, obb: &Obb, bounds: &Aabb) -> bool {
        self.parts().any_near(bounds, &|| obb.into(), &|part| part.overlaps_obb(obb))
    }

    /// Whether the shape and an axis-aligned box share a point.
    pub(crate) fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        self.parts().any_near(aabb, &|| BodyWay::around(aabb, Vec3::ZERO), &|part| part.overlaps_aabb(aabb))
    }

    /// Whether the shape and a sphere share a point.
    pub(crate) fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        self.parts().overlaps_sphere(sphere)
    }

    /// Whether the shape and a capsule share a point, given the bounds of that.
    pub(crate) fn overlaps_capsule(&self, capsule: &Capsule, bounds: &Aabb) -> bool {
        self.parts().any_near(bounds, &|| capsule.into(), &|part| part.overlaps_capsule(capsule))
    }

    /// The part nearest to `point` within a distance, of equals the one of the smallest number, and its point nearest
    /// to it: the point itself inside. A shape of one part is nearest however far it is.
    pub(crate) fn closest_point(&self, point: Vec3, max_distance: f32) -> Option<(u32, Vec3)> {
        // As in `crossing`.
        let nearest = match self {
            Self::Aabb(shape) => shape.closest_point(point),
            Self::Obb(shape) => shape.closest_point(point),
            Self::Sphere(shape) => shape.closest_point(point),
            Self::Capsule(shape) => shape.closest_point(point),
            Self::Brush(shape) => shape.closest_point(point),
            Self::Patch(shape) => shape.closest_point(point),
            Self::Triangle(shape) => shape.closest_point(point),
            Self::Mesh(mesh) => return mesh.at().closest_point(point, max_distance),
            Self::Terrain(terrain) => return terrain.closest_point(point, max_distance),
            Self::Compound(compound) => return compound.closest_point(point, max_distance),
        };
        Some((0, nearest))
    }
}
