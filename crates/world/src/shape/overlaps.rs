//! Whether a convex shape and another one share a point.

use super::Convex;
use cullide_narrowphase::{
    Aabb, Capsule, ContactManifold, ManifoldCache, Obb, Sphere,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;

impl Convex<'_> {
    /// Whether the shape and another one share a point: up to rounding for two brushes, patches or triangles, and
    /// otherwise as the functions for boxes, balls and capsules decide.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (shape, Self::Aabb(aabb)) | (Self::Aabb(aabb), shape) => shape.overlaps_aabb(aabb),
            (shape, Self::Obb(obb)) | (Self::Obb(obb), shape) => shape.overlaps_obb(obb),
            (shape, Self::Sphere(sphere)) | (Self::Sphere(sphere), shape) => shape.overlaps_sphere(sphere),
            (shape, Self::Capsule(capsule)) | (Self::Capsule(capsule), shape) => shape.overlaps_capsule(capsule),
            _ if !self.aabb().overlaps(&other.aabb()) => false,
            (Self::Cylinder(_), _) | (_, Self::Cylinder(_)) => self.core().overlaps(&other.core()),
            _ => {
                // Two that lie in one plane may be apart only along directions in it, which manifolds do not look at.
                if let (Some(own), Some(others)) = (self.outline(), other.outline())
                    && (is_beside(&own, &others) || is_beside(&others, &own))
                {
                    return false;
                }
                let mut manifold = ContactManifold::default();
                manifold.update(&self.contact_shape(), &other.contact_shape(), 0.0, &mut ManifoldCache::default());
                manifold.distance() <= 0.0
            }
        }
    }

    /// Whether the shape and an oriented box share a point.
    pub(crate) fn overlaps_obb(&self, obb: &Obb) -> bool {
        match self {
            Self::Aabb(shape) => shape.overlaps_obb(obb),
            Self::Obb(shape) => shape.overlaps(obb),
            Self::Sphere(shape) => shape.overlaps_obb(obb),
            Self::Capsule(shape) => shape.overlaps_obb(obb),
            Self::Cylinder(shape) => shape.core().overlaps(&Self::Obb(*obb).core()),
            Self::Brush(shape) => shape.overlaps_obb(obb),
            Self::Patch(shape) => shape.overlaps_obb(obb),
            Self::Triangle(shape, _) => shape.overlaps_obb(obb),
        }
    }

    /// Whether the shape and an axis-aligned box share a point.
    pub(crate) fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        match self {
            Self::Aabb(shape) => shape.overlaps(aabb),
            Self::Obb(shape) => shape.overlaps_aabb(aabb),
            Self::Sphere(shape) => shape.overlaps_aabb(aabb),
            Self::Capsule(shape) => shape.overlaps_aabb(aabb),
            // The box as an oriented one may be a step of `f32` larger.
            _ if !self.aabb().overlaps(aabb) => false,
            Self::Cylinder(shape) => shape.core().overlaps(&Self::Aabb(*aabb).core()),
            Self::Brush(shape) => shape.overlaps_obb(&Obb::from(aabb)),
            Self::Patch(shape) => shape.overlaps_obb(&Obb::from(aabb)),
            Self::Triangle(shape, _) => shape.overlaps_obb(&Obb::from(aabb)),
        }
    }

    /// Whether the shape and a sphere share a point.
    pub(crate) fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        match self {
            Self::Aabb(shape) => shape.overlaps_sphere(sphere),
            Self::Obb(shape) => shape.overlaps_sphere(sphere),
            Self::Sphere(shape) => shape.overlaps(sphere),
            Self::Capsule(shape) => shape.overlaps_sphere(sphere),
            Self::Cylinder(shape) => shape.core().overlaps(&Self::Sphere(*sphere).core()),
            Self::Brush(shape) => shape.overlaps_sphere(sphere),
            Self::Patch(shape) => shape.overlaps_sphere(sphere),
            Self::Triangle(shape, _) => shape.overlaps_sphere(sphere),
        }
    }

    /// Whether the shape and a capsule share a point.
    pub(crate) fn overlaps_capsule(&self, capsule: &Capsule) -> bool {
        match self {
            Self::Aabb(shape) => shape.overlaps_capsule(capsule),
            Self::Obb(shape) => shape.overlaps_capsule(capsule),
            Self::Sphere(shape) => shape.overlaps_capsule(capsule),
            Self::Capsule(shape) => shape.overlaps(capsule),
            Self::Cylinder(shape) => shape.core().overlaps(&Convex::Capsule(*capsule).core()),
            Self::Brush(shape) => shape.overlaps_capsule(capsule),
            Self::Patch(shape) => shape.overlaps_capsule(capsule),
            Self::Triangle(shape, _) => shape.overlaps_capsule(capsule),
        }
    }

    /// The corners of a flat shape, in order.
    fn outline(&self) -> Option<SmallVec<[Vec3; 4]>> {
        match self {
            Self::Triangle(shape, _) => Some(SmallVec::from_slice(&shape.points())),
            Self::Patch(shape) => Some(SmallVec::from_slice(shape.points())),
            _ => None,
        }
    }
}

/// An upper bound on the rounding of a point's distance from an edge, relative to its distance from an end of the edge.
const BESIDE: f64 = 1.0 / (1u64 << 40) as f64;

/// Whether an outline lies beyond an edge of another one, along the plane of that one; touching up to rounding is not.
fn is_beside(other: &[Vec3], outline: &[Vec3]) -> bool {
    let corner = |i: usize| outline[i % outline.len()].as_dvec3();
    let first = corner(0);
    let normal: DVec3 = (1..outline.len()).map(|i| (corner(i) - first).cross(corner(i + 1) - first)).sum();
    (0..outline.len()).any(|i| {
        let out = (corner(i + 1) - corner(i)).cross(normal);
        other.iter().all(|point| {
            let way = point.as_dvec3() - corner(i);
            way.dot(out) > BESIDE * way.length() * out.length()
        })
    })
}
