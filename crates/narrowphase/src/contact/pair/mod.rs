//! The contact manifold of two convex shapes, as a rigid-body solver asks for it every step.
//!
//! [`Contacts`](crate::Contacts) tell where a swept body stops, in `f64` and as exactly as the inputs allow. Here speed
//! counts, and that the same features give the same points from step to step. Offsets are relative to the shapes'
//! centres, so that positions far from the origin cost no accuracy. Lanes of `f32` do the arithmetic for a box against
//! a box or a triangle, `f64` the rest. Each bound states its rounding error, which is subtracted from
//! [`ContactManifold::distance`].
//!
//! Reading order: this file; [`contact_manifold`] and [`cache`], what is returned and what is remembered; [`box_frame`],
//! [`box_box`], [`box_faces`] and [`box_edges`], two boxes; [`keep_four`]; [`triangle_box`] and [`outline`], a box and a
//! triangle, and [`box_reach`], which triangles to ask for; [`ball`], a ball and a box; [`solid`],
//! [`clip`] and [`solids`], any two solids; [`rod`], capsules and balls; [`round`] and [`party`],
//! cylinders and cones; [`plane`].
//!
//! A new shape is a variant of [`ContactShape`]; the compiler then points to the matches to extend.
//!
//! Sources: Gottschalk, Lin and Manocha, "OBBTree", 1996 (the axes of two boxes); Gregorius, "Robust Contact Creation
//! for Physics Simulations", GDC 2015 (reference and incident faces).

mod ball;
mod box_box;
mod box_edges;
mod box_faces;
mod box_frame;
mod box_reach;
mod cache;
mod clip;
mod contact_manifold;
mod keep_four;
mod outline;
mod party;
mod plane;
mod rod;
mod round;
mod solid;
mod solids;
mod triangle_box;

use crate::{
    Aabb, Brush, Capsule, Cylinder, MAX_COORDINATE, Obb, Patch, Plane, Sides, Sphere, Triangle,
    minkowski::box_solid::BoxSolid,
};
use box_frame::BoxEdges;
pub use box_reach::BoxReach;
pub use cache::ManifoldCache;
pub use contact_manifold::{ContactManifold, ManifoldPoint, ShapeMotion};
use glam::{DVec3, Vec3};
use party::PairShape;
use rod::Rod;
use solid::PairSolid;

/// A convex shape to compute a manifold for.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum ContactShape<'a> {
    /// An oriented box.
    Box(&'a Obb),
    /// An axis-aligned box.
    Aabb(&'a Aabb),
    /// A ball.
    Sphere(&'a Sphere),
    /// A capsule.
    Capsule(&'a Capsule),
    /// A cylinder or a cone.
    Cylinder(&'a Cylinder),
    /// A convex solid: a brush, or a hull as [`Hull::solid`](crate::Hull::solid) gives it.
    Brush(&'a Brush),
    /// A convex polygon, solid from both sides.
    Patch(&'a Patch),
    /// A triangle, solid from both sides.
    Triangle(&'a Triangle),
    /// With [`Sides::Front`], the half-space behind the plane, all of it solid. With [`Sides::Both`], a thin wall,
    /// which keeps a shape on the side where the shape's centre is.
    Plane(&'a Plane, Sides),
}

impl ContactShape<'_> {
    /// Returns the point that offsets are relative to: the centre of a box, a ball, a capsule or a cylinder, the centre of the
    /// bounds of a brush, a patch or a triangle, and the origin for a plane.
    ///
    /// ```
    /// # use cullide_narrowphase::{ContactShape, Sphere, glam::Vec3};
    /// let ball = Sphere::new(Vec3::X, 2.0)?;
    /// assert_eq!(ContactShape::Sphere(&ball).center(), Vec3::X);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn center(&self) -> Vec3 {
        match self {
            Self::Box(obb) => obb.center(),
            Self::Aabb(aabb) => aabb.center(),
            Self::Sphere(ball) => ball.center(),
            Self::Capsule(capsule) => capsule.center(),
            Self::Cylinder(cylinder) => cylinder.center(),
            Self::Brush(brush) => brush.aabb().center(),
            Self::Patch(patch) => patch.aabb().center(),
            Self::Triangle(triangle) => triangle.aabb().center(),
            Self::Plane(..) => Vec3::ZERO,
        }
    }

    /// Returns the shape as a capsule, if it is round.
    fn rod(&self) -> Option<Rod> {
        match self {
            Self::Sphere(ball) => Some(Rod::from(*ball)),
            Self::Capsule(capsule) => Some(Rod::from(*capsule)),
            _ => None,
        }
    }

    fn is_solid(&self) -> bool {
        !matches!(self, Self::Sphere(_) | Self::Capsule(_) | Self::Cylinder(_) | Self::Plane(..))
    }

    /// Calls `ask` with the shape as a solid, if it is one.
    fn solid(&self, ask: &mut dyn FnMut(&PairSolid)) {
        let center = self.center();
        match self {
            Self::Box(obb) => ask(&PairSolid::of_box(&BoxSolid::from(*obb), center, &obb.aabb())),
            Self::Aabb(aabb) => ask(&PairSolid::of_box(&BoxSolid::from(*aabb), center, aabb)),
            Self::Brush(brush) => ask(&PairSolid::of_brush(brush, center)),
            Self::Patch(patch) => ask(&PairSolid::of_polygon(&patch.polygon(), center)),
            Self::Triangle(triangle) => ask(&PairSolid::of_polygon(&triangle.wide().polygon(), center)),
            Self::Sphere(_) | Self::Capsule(_) | Self::Cylinder(_) | Self::Plane(..) => {}
        }
    }
}

impl ContactManifold {
    /// Makes this the manifold of two shapes, with all points that are no more than `margin` apart; a margin that is
    /// not positive counts as zero.
    ///
    /// `cache` belongs to the pair, in this order. It holds the axis that decided last time, which is tried first, and
    /// kept while it is worse than the best by no more than a 256th of the size of the smaller shape. A new cache is
    /// valid for any pair; so is one from other shapes.
    ///
    /// Two solids touch along the normal of the face along which they penetrate least. If the depth across an edge of
    /// each is less by more than twice that tolerance plus 15 % of the depth, they touch across these edges instead,
    /// with one point. A cylinder or a cone touches with the line along its side, or with points of the rim of a disc. Two
    /// planes have no manifold.
    ///
    /// ```
    /// # use cullide_narrowphase::{ContactManifold, ContactShape, ManifoldCache, Obb, glam::{Quat, Vec3}};
    /// let floor = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(9.0, 1.0, 9.0))?;
    /// // A crate that leans a little keeps all its corners.
    /// let body = Obb::new(Vec3::Y * 1.5, Quat::from_rotation_z(0.01), Vec3::splat(0.5))?;
    /// let (mut manifold, mut cache) = (ContactManifold::default(), ManifoldCache::default());
    /// manifold.update(&ContactShape::Box(&floor), &ContactShape::Box(&body), 0.02, &mut cache);
    /// assert_eq!((manifold.normal(), manifold.points().len()), (Vec3::Y, 4));
    /// let deepest = manifold.points().iter().map(|point| point.separation).fold(f32::INFINITY, f32::min);
    /// assert!((deepest + 0.005).abs() < 1e-4);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn update(&mut self, first: &ContactShape, second: &ContactShape, margin: f32, cache: &mut ManifoldCache) {
        use ContactShape as S;
        let margin = if margin > 0.0 { margin.min(MAX_COORDINATE) } else { 0.0 };
        if let (Some(a), Some(b)) = (BoxEdges::of(first), BoxEdges::of(second))
            && box_box::update(self, &a, &b, margin, cache).is_some()
        {
            return;
        }
        match (first, second) {
            (S::Plane(..), S::Plane(..)) => self.clear(),
            (S::Plane(plane, sides), other) => self.at_plane(plane, *sides, other, margin),
            (other, S::Plane(plane, sides)) => {
                self.at_plane(plane, *sides, other, margin);
                self.reverse();
            }
            (S::Cylinder(_), _) | (_, S::Cylinder(_)) => self.at_cylinder(first, second, margin),
            _ => match (first.rod(), second.rod()) {
                (Some(a), Some(b)) => rod::against_rod(self, &a, &b, margin),
                (None, Some(rod)) => self.at_solid(first, second, &rod, margin, cache),
                (Some(rod), None) => {
                    self.at_solid(second, first, &rod, margin, cache);
                    self.reverse();
                }
                (None, None) if self.at_triangle(first, second, margin, cache).is_some() => {}
                (None, None) if self.at_triangle(second, first, margin, cache).is_some() => self.reverse(),
                (None, None) => {
                    debug_assert!(first.is_solid() && second.is_solid(), "neither is round or a plane");
                    first.solid(&mut |a| second.solid(&mut |b| solids::update(self, a, b, margin, cache)));
                }
            },
        }
    }

    /// Makes this the manifold of a shape and a triangle along the triangle's normal, on the side where the shape's
    /// centre is, with all points that are no more than `margin` apart. This is the way out of a surface; a way along
    /// the surface leads under the next triangle. For a plane the manifold is empty.
    ///
    /// ```
    /// # use cullide_narrowphase::{ContactManifold, ContactShape, ManifoldCache, Obb, Triangle, glam::{Quat, Vec3}};
    /// // A crate 0.3 deep in a floor; this triangle of the floor reaches 0.1 under it.
    /// let body = Obb::new(Vec3::new(0.0, 0.2, 0.0), Quat::IDENTITY, Vec3::splat(0.5))?;
    /// let triangle = Triangle::new(Vec3::new(0.4, 0.0, 0.0), Vec3::new(0.9, 0.0, 0.4), Vec3::new(0.9, 0.0, -0.4))?;
    /// let mut manifold = ContactManifold::default();
    /// manifold.update(&ContactShape::Box(&body), &ContactShape::Triangle(&triangle), 0.0, &mut ManifoldCache::default());
    /// assert_eq!(manifold.normal(), Vec3::X);
    /// manifold.update_across(&ContactShape::Box(&body), &triangle, 0.0);
    /// assert_eq!(manifold.normal(), -Vec3::Y);
    /// assert!(manifold.points().iter().all(|point| (point.separation + 0.3).abs() < 1e-6));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn update_across(&mut self, first: &ContactShape, triangle: &Triangle, margin: f32) {
        let margin = if margin > 0.0 { margin.min(MAX_COORDINATE) } else { 0.0 };
        self.clear();
        ContactShape::Triangle(triangle).solid(&mut |polygon| {
            let front = polygon.face(0);
            let number = if front.normal.dot(first.center().as_dvec3()) < front.distance { 1 } else { 0 };
            if let ContactShape::Cylinder(cylinder) = first {
                round::update_at_face(self, &cylinder.profile(), (polygon, number), margin);
            } else if let Some(rod) = first.rod() {
                rod::update_at_face(self, (polygon, number), &rod, margin);
                self.reverse();
            } else {
                first.solid(&mut |first| solids::update_at_face(self, first, (polygon, number), margin));
            }
        });
    }

    /// Makes this the manifold of a shape and a triangle across an edge of each, with the point where these are nearest,
    /// if it is no more than `margin` apart. [`Self::update`] prefers faces, whose normal may be far off where an edge
    /// barely touches. The manifold is empty if no edges cross, and for a plane, a ball, a capsule or a cylinder.
    ///
    /// ```
    /// # use cullide_narrowphase::{ContactManifold, ContactShape, Obb, Triangle, glam::{Quat, Vec3}};
    /// // A crate with an edge along x on a ridge along z.
    /// let turn = Quat::from_rotation_x(std::f32::consts::FRAC_PI_4);
    /// let body = Obb::new(Vec3::Y * 2.0_f32.sqrt(), turn, Vec3::ONE)?;
    /// let roof = Triangle::new(Vec3::NEG_Z, Vec3::Z, Vec3::new(3.0, -3.0, 0.0))?;
    /// let mut manifold = ContactManifold::default();
    /// manifold.update_at_edges(&ContactShape::Box(&body), &roof, 0.1);
    /// assert!(manifold.normal().distance(-Vec3::Y) < 1e-6 && manifold.points().len() == 1);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn update_at_edges(&mut self, first: &ContactShape, triangle: &Triangle, margin: f32) {
        let margin = if margin > 0.0 { margin.min(MAX_COORDINATE) } else { 0.0 };
        self.clear();
        ContactShape::Triangle(triangle).solid(&mut |polygon| {
            first.solid(&mut |first| solids::update_at_edges(self, first, polygon, margin));
        });
    }

    /// Makes this the manifold of a box and a triangle, if the shapes are these and neither is awkward.
    fn at_triangle(
        &mut self,
        body: &ContactShape,
        triangle: &ContactShape,
        margin: f32,
        cache: &mut ManifoldCache,
    ) -> Option<()> {
        let center = triangle.center();
        let ContactShape::Triangle(triangle) = triangle else { return None };
        triangle_box::update(self, &BoxEdges::of(body)?, triangle, center, margin, cache)
    }

    /// Makes this the manifold of a plane and a shape that is not a plane.
    fn at_plane(&mut self, plane: &Plane, sides: Sides, shape: &ContactShape, margin: f32) {
        if let ContactShape::Cylinder(cylinder) = shape {
            plane::against_cylinder(self, plane, sides, &cylinder.profile(), margin);
        } else if let Some(body) = BoxEdges::of(shape) {
            plane::against_box(self, plane, sides, &body, margin);
        } else if let Some(rod) = shape.rod() {
            plane::against_rod(self, plane, sides, &rod, margin);
        } else {
            debug_assert!(shape.is_solid(), "it is no plane");
            shape.solid(&mut |solid| plane::against_solid(self, plane, sides, solid, margin));
        }
    }

    /// Makes this the manifold of a cylinder and a box along a unit normal, up to a margin.
    pub(crate) fn at_cylinder_along(&mut self, cylinder: &Cylinder, body: &Obb, normal: DVec3, margin: f32) {
        self.clear();
        let first = PairShape::Cylinder(cylinder.profile());
        ContactShape::Box(body).solid(&mut |solid| {
            round::update_along(self, [&first, &PairShape::Solid(solid)], normal, margin);
        });
    }

    /// Makes this the manifold of two shapes, of which one is a cylinder or both are, and none is a plane.
    fn at_cylinder(&mut self, first: &ContactShape, second: &ContactShape, margin: f32) {
        let party = |shape: &ContactShape| match shape {
            ContactShape::Cylinder(cylinder) => Some(PairShape::Cylinder(cylinder.profile())),
            _ => shape.rod().map(PairShape::Rod),
        };
        match (party(first), party(second)) {
            (Some(one), Some(other)) => round::update(self, &one, &other, margin),
            (Some(one), None) => second.solid(&mut |solid| round::update(self, &one, &PairShape::Solid(solid), margin)),
            (None, Some(other)) => {
                first.solid(&mut |solid| round::update(self, &PairShape::Solid(solid), &other, margin));
            }
            (None, None) => debug_assert!(false, "one is a cylinder"),
        }
    }

    /// Makes this the manifold of a solid and a round shape.
    fn at_solid(
        &mut self,
        solid: &ContactShape,
        round: &ContactShape,
        rod: &Rod,
        margin: f32,
        cache: &mut ManifoldCache,
    ) {
        if let (Some(body), ContactShape::Sphere(ball)) = (BoxEdges::of(solid), round)
            && ball::against_box(self, &body, ball, margin).is_some()
        {
            return;
        }
        debug_assert!(solid.is_solid(), "it is no plane, and not round");
        solid.solid(&mut |solid| rod::against_solid(self, solid, rod, margin, cache));
    }
}
