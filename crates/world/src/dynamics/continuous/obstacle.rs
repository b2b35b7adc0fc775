//! What bodies must not enter: parts of fixed objects, and planes.

use crate::{
    PlaneKey, World,
    dynamics::{BodyState, body::pose::BodyShape},
    shape::Convex,
};
use cullide_narrowphase::{
    ContactManifold, ContactShape, ManifoldCache, Mapped, Obb, Plane, Sides, Solid, Triangle,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;

/// Something that a part of a body must not enter: a part of a fixed object, or a plane.
#[derive(Clone, Copy)]
pub(super) struct FixedObstacle<'a> {
    pub(super) own: u32,
    pub(super) shape: Fixed<'a>,
    /// Unit vector from the body to it.
    pub(super) normal: DVec3,
    /// The farthest that the body may reach along it.
    pub(super) limit: f64,
    /// Whether the body is already in it.
    pub(super) is_entered: bool,
}

pub(super) type Obstacles<'a> = SmallVec<[FixedObstacle<'a>; 8]>;

/// A thing that bodies must not enter.
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

    /// Returns this as an obstacle for a part of a body that is near it along this direction.
    pub(super) fn before(self, state: &BodyState, own: u32, mut normal: DVec3) -> FixedObstacle<'a> {
        let reach_along = |normal: DVec3| state.shape.reach(own, normal);
        if self.nearest_along(normal) < reach_along(normal) {
            // The normal at which they touch need not be a direction along which they are apart.
            normal = self.apart_along(&state.shape, own).unwrap_or(normal);
        }
        let is_entered = self.nearest_along(normal) < reach_along(normal);
        if is_entered {
            // A body leaves a surface across it: to the side of one of its triangles is the next one.
            let own = state.shape.part(own);
            normal = own.and_then(|own| self.across(own.aabb().center())).unwrap_or(normal);
        }
        // What it has already entered, because of an edit, it may leave but not enter deeper.
        let limit = if is_entered { reach_along(normal) } else { self.nearest_along(normal) };
        FixedObstacle { own, shape: self, normal, limit, is_entered }
    }

    /// The direction from a part of a body to this, in which they are near each other.
    pub(super) fn toward(&self, body: &BodyShape, own: u32) -> Option<DVec3> {
        Some(self.near_along(&body.part(own)?, f32::MAX))
    }

    /// The normal of the contacts of a convex shape with this, up to `margin` apart; if they are farther apart, any
    /// direction along which they are.
    fn near_along(&self, own: &Convex, margin: f32) -> DVec3 {
        let (mut manifold, mut cache) = (ContactManifold::default(), ManifoldCache::default());
        manifold.update(&own.contact_shape(), &self.contact_shape(), margin, &mut cache);
        manifold.normal().as_dvec3()
    }

    /// The direction from a part of a body to this along which they are farthest apart; for a solid, one along which
    /// they are apart, if there is any. `None` for a plane, which has only one direction.
    pub(super) fn apart_along(&self, body: &BodyShape, own: u32) -> Option<DVec3> {
        let Self::Part(part) = self else { return None };
        let own_part = body.part(own)?;
        if let (Convex::Obb(own), Convex::Triangle(triangle, _)) = (own_part, part) {
            return apart_from_triangle(&own, triangle);
        }
        let gap = match own_part {
            Convex::Obb(own) => part.gap(&own),
            Convex::Sphere(own) => part.gap_of_sphere(&own),
            Convex::Capsule(own) => part.gap_of_capsule(&own),
            Convex::Aabb(own) => part.gap(&Obb::from(&own)),
            // Seen from the body.
            Convex::Cylinder(own) => return Some(own.gap_of(&part.core()).normal),
            _ => return Some(self.apart_from_brush(own_part)),
        };
        Some(-gap.normal)
    }

    /// The same for a body that is a brush: across a face of either, or across edges, which contacts avoid.
    fn apart_from_brush(&self, own: Convex) -> DVec3 {
        let (mut best, mut most) = (DVec3::Y, f64::NEG_INFINITY);
        let mut attempt = |normal: DVec3| {
            let separation = self.nearest_along(normal) - own.reach(normal);
            if separation > most {
                (best, most) = (normal, separation);
            }
        };
        attempt(self.near_along(&own, f32::MAX));
        attempt(self.near_along(&own, 0.0));
        self.for_each_face(&mut attempt);
        Fixed::Part(own).for_each_face(&mut attempt);
        best
    }

    /// The unit direction across a triangle, away from a point; `None` for a solid.
    pub(super) fn across(&self, from: Vec3) -> Option<DVec3> {
        let Self::Part(Convex::Triangle(triangle, _)) = self else { return None };
        let [a, b, c] = triangle.points().mapped(|point| point.as_dvec3());
        let normal = (b - a).cross(c - a).try_normalize()?;
        Some(if normal.dot(from.as_dvec3() - a) < 0.0 { normal } else { -normal })
    }

    /// Calls `visit` with the unit normals of its faces, both ways.
    pub(super) fn for_each_face(&self, visit: &mut dyn FnMut(DVec3)) {
        let mut both = |normal: DVec3| {
            if let Some(normal) = normal.try_normalize() {
                visit(normal);
                visit(-normal);
            }
        };
        match self {
            Self::Part(Convex::Triangle(triangle, _)) => {
                let [a, b, c] = triangle.points().mapped(|point| point.as_dvec3());
                both((b - a).cross(c - a));
            }
            Self::Part(Convex::Aabb(_)) => DVec3::AXES.iter().for_each(|axis| both(*axis)),
            Self::Part(Convex::Obb(shape)) => {
                let [a, b, c] = shape.half_edges().mapped(|edge| edge.as_dvec3());
                [(a, b), (b, c), (c, a)].iter().for_each(|(a, b)| both(a.cross(*b)));
            }
            Self::Part(Convex::Cylinder(shape)) => both(shape.half_axis().as_dvec3()),
            Self::Part(Convex::Brush(shape)) => shape.planes().iter().for_each(|plane| both(plane.normal)),
            Self::Part(_) | Self::Plane(..) => {}
        }
    }

    /// How far its nearest point is along a unit direction.
    pub(super) fn nearest_along(&self, normal: DVec3) -> f64 {
        match self {
            // Only its own normal, on either side, up to rounding to `f32`: within the reach of a body near it, the
            // plane counts as level.
            Self::Plane(plane, _) => {
                let own = plane.normal().as_dvec3();
                own.dot(normal).signum() * f64::from(-plane.d()) / own.length()
            }
            Self::Part(part) => -part.reach(-normal),
        }
    }
}

/// The unit direction from a box to a triangle along which they are farthest apart or penetrate least; `None` if they
/// have no direction.
///
/// Source: Akenine-Möller, "Fast 3D Triangle-Box Overlap Testing", 2001.
fn apart_from_triangle(body: &Obb, triangle: &Triangle) -> Option<DVec3> {
    let edges = body.half_edges().mapped(|edge| edge.as_dvec3());
    let center = body.center().as_dvec3();
    let corners = triangle.points().mapped(|corner| corner.as_dvec3() - center);
    let [p, q, r] = corners;
    let sides = [q - p, r - q, p - r];
    let (mut best, mut most) = (None, f64::NEG_INFINITY);
    let mut attempt = |direction: DVec3| {
        let [a, b, c] = corners.mapped(|corner| direction.dot(corner));
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let reach: f64 = edges.iter().map(|edge| direction.dot(*edge).abs()).sum();
        let length = direction.length();
        let separation = (low.max(-high) - reach) / length;
        // Not for a direction of length zero.
        if separation > most && length > 0.0 {
            let unit = direction / length;
            (best, most) = (Some(if low + high < 0.0 { -unit } else { unit }), separation);
        }
    };
    attempt(sides[0].cross(sides[1]));
    for i in 0..3 {
        attempt(edges[i].cross(edges[(i + 1) % 3]));
        for side in sides {
            attempt(edges[i].cross(side));
        }
    }
    best
}
