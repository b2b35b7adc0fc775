//! What bodies may not enter: parts of what is fixed, and planes.

use super::pose::BodyShape;
use crate::{PlaneKey, World, shape::Convex};
use cullide_narrowphase::{ContactManifold, ContactShape, ManifoldCache, Obb, Plane, Sides, glam::DVec3};
use smallvec::SmallVec;

/// Something that a part of a body may not enter: a part of what is fixed, a plane.
pub(super) struct Obstacle<'a> {
    pub(super) own: u32,
    pub(super) shape: Fixed<'a>,
    /// From the body to it, unit.
    pub(super) normal: DVec3,
    /// The farthest that the body may reach along it.
    pub(super) limit: f64,
}

pub(super) type Obstacles<'a> = SmallVec<[Obstacle<'a>; 8]>;

/// What a body does not enter.
#[derive(Clone, Copy)]
pub(super) enum Fixed<'a> {
    Plane(&'a Plane, Sides),
    Part(Convex<'a>),
}

impl<'a> Fixed<'a> {
    pub(super) fn plane(world: &'a World, key: PlaneKey) -> Option<Self> {
        world.plane(key).map(|entry| Self::Plane(&entry.plane, entry.sides))
    }

    pub(super) fn contact_shape(&self) -> ContactShape<'_> {
        match self {
            Self::Plane(plane, sides) => ContactShape::Plane(plane, *sides),
            Self::Part(part) => part.contact_shape(),
        }
    }

    /// From a part of a body to it, the direction along which they are farthest apart, of a solid one along which they
    /// are apart if there is any; `None` for a plane, which has but one.
    pub(super) fn apart_along(&self, body: &BodyShape, own: u32) -> Option<DVec3> {
        let Self::Part(part) = self else { return None };
        let gap = match body.part(own)? {
            Convex::Obb(body) => part.gap(&body),
            Convex::Sphere(body) => part.gap_of_sphere(&body),
            Convex::Capsule(body) => part.gap_of_capsule(&body),
            Convex::Aabb(body) => part.gap(&Obb::from(&body)),
            body => {
                let (mut manifold, mut cache) = (ContactManifold::default(), ManifoldCache::default());
                manifold.update(&body.contact_shape(), &part.contact_shape(), 0.0, &mut cache);
                return Some(manifold.normal().as_dvec3());
            }
        };
        Some(-gap.normal)
    }

    /// Calls `visit` with the unit directions across its faces, both ways.
    pub(super) fn for_each_face(&self, mut visit: impl FnMut(DVec3)) {
        let mut both = |normal: DVec3| {
            if let Some(normal) = normal.try_normalize() {
                visit(normal);
                visit(-normal);
            }
        };
        match self {
            Self::Part(Convex::Triangle(triangle, _)) => {
                let [a, b, c] = triangle.points().map(|point| point.as_dvec3());
                both((b - a).cross(c - a));
            }
            Self::Part(Convex::Aabb(_)) => DVec3::AXES.into_iter().for_each(both),
            Self::Part(Convex::Obb(shape)) => {
                let [a, b, c] = shape.half_edges().map(|edge| edge.as_dvec3());
                [a.cross(b), b.cross(c), c.cross(a)].into_iter().for_each(both);
            }
            Self::Part(Convex::Brush(shape)) => shape.planes().iter().for_each(|plane| both(plane.normal)),
            Self::Part(_) | Self::Plane(..) => {}
        }
    }

    /// How far along a unit direction its nearest point is.
    pub(super) fn nearest_along(&self, normal: DVec3) -> f64 {
        match self {
            // Only its own normal, on either side, but for rounding to `f32`: so far as a body is near it, it counts as
            // level.
            Self::Plane(plane, _) => {
                let own = plane.normal().as_dvec3();
                own.dot(normal).signum() * f64::from(-plane.d()) / own.length()
            }
            Self::Part(part) => -part.reach(-normal),
        }
    }
}
