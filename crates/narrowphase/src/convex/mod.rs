//! Any two convexes: when a moving one first touches another, how far apart or how deep in each other they are, and
//! whether they overlap.
//!
//! All of it rests on one function of each shape, its farthest point along a direction ([`core`]), and on one fact:
//! along every direction the farthest points show how far apart the two certainly are, and before which time. So the
//! search for the best direction may be careless; the answer is not.
//!
//! Reading order: this file; [`core`], a shape as these queries take it; [`pair`], the difference of two; [`portal`],
//! the straight sweep without radii; [`simplex`] and [`gjk`], the distance; [`precise`], where rounded differences do not do; [`cast`], the straight sweep with radii;
//! [`depth`]; [`overlap`]; [`turn`] and [`turn_within`], the sweep of what turns.

mod cast;
mod core;
mod depth;
mod gjk;
mod overlap;
mod pair;
mod plane;
mod portal;
mod precise;
mod query;
mod simplex;
pub(crate) mod turn;
mod turn_within;

pub use self::core::ConvexCore;
pub use query::{ConvexHit, ConvexSweep, Distance, Turn};

use crate::{Aabb, Brush, Capsule, Cylinder, Hull, Obb, Patch, Sphere, Triangle};
use glam::DVec3;

/// Any convex shape. Small ones are held by value.
///
/// ```
/// use cullide_narrowphase::{Aabb, Capsule, Convex, ConvexSweep, glam::Vec3};
/// let post = Convex::from(Aabb::new(Vec3::new(4.0, 0.0, -1.0), Vec3::new(5.0, 9.0, 1.0))?).core();
/// let hero = Convex::from(Capsule::new(Vec3::Y, Vec3::Y * 2.0, 0.5)?).core();
/// let ConvexSweep::Hit(hit) = hero.sweep(Vec3::X * 7.0, &post, 1.0)? else { panic!() };
/// assert!((hit.time - 0.5).abs() < 1e-12 && hit.time <= 0.5 && hit.normal.x == -1.0);
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Convex<'a> {
    /// An aligned box.
    Aabb(Aabb),
    /// An oriented box.
    Obb(Obb),
    /// A ball.
    Sphere(Sphere),
    /// A capsule.
    Capsule(Capsule),
    /// A cylinder or a cone.
    Cylinder(Cylinder),
    /// A solid bounded by planes, or the hull of points.
    Brush(&'a Brush),
    /// A convex polygon.
    Patch(&'a Patch),
    /// A triangle, both sides of it.
    Triangle(Triangle),
}

impl Convex<'_> {
    /// Returns the shape as the queries of two convexes take it.
    ///
    /// The core is the hull of the shape's vertices, which are exact except for those of a brush that is given by
    /// planes or was moved: these are rounded to `f64`. The corners of an oriented box are rounded where its centre and
    /// half edges have more than 53 bits in all.
    ///
    /// ```
    /// # use cullide_narrowphase::{Convex, Sphere, glam::Vec3};
    /// assert_eq!(Convex::from(Sphere::new(Vec3::X, 2.0)?).core().radius(), 2.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn core(&self) -> ConvexCore {
        match self {
            Self::Aabb(shape) => {
                let [min, max] = [shape.min().as_dvec3(), shape.max().as_dvec3()];
                let corner =
                    |i: usize| DVec3::from([0, 1, 2].map(|axis| if i >> axis & 1 == 1 { max } else { min }[axis]));
                ConvexCore::of_points((0..8).map(corner), 0.0)
            }
            Self::Obb(shape) => ConvexCore::of_points((0..8).map(|i| shape.corner(i)), 0.0),
            Self::Sphere(shape) => ConvexCore::of_points([shape.center().as_dvec3()], shape.radius().into()),
            Self::Capsule(shape) => {
                let (center, half_axis) = (shape.center().as_dvec3(), shape.wide_axis());
                ConvexCore::of_points([center - half_axis, center + half_axis], shape.radius().into())
            }
            Self::Cylinder(shape) => {
                let [bottom, top] = shape.radii();
                ConvexCore::cone(shape.center(), shape.half_axis(), bottom, top)
                    .expect("a cylinder has passed the same checks")
            }
            Self::Brush(shape) => ConvexCore::of_points(shape.vertices().iter().copied(), 0.0),
            Self::Patch(shape) => ConvexCore::of_points(shape.points().iter().map(|point| point.as_dvec3()), 0.0),
            Self::Triangle(shape) => ConvexCore::of_points(shape.vertices(), 0.0),
        }
    }
}

impl From<Aabb> for Convex<'_> {
    fn from(shape: Aabb) -> Self {
        Self::Aabb(shape)
    }
}

impl From<Obb> for Convex<'_> {
    fn from(shape: Obb) -> Self {
        Self::Obb(shape)
    }
}

impl From<Sphere> for Convex<'_> {
    fn from(shape: Sphere) -> Self {
        Self::Sphere(shape)
    }
}

impl From<Capsule> for Convex<'_> {
    fn from(shape: Capsule) -> Self {
        Self::Capsule(shape)
    }
}

impl From<Cylinder> for Convex<'_> {
    fn from(shape: Cylinder) -> Self {
        Self::Cylinder(shape)
    }
}

impl<'a> From<&'a Brush> for Convex<'a> {
    fn from(shape: &'a Brush) -> Self {
        Self::Brush(shape)
    }
}

impl<'a> From<&'a Hull> for Convex<'a> {
    fn from(shape: &'a Hull) -> Self {
        Self::Brush(shape.solid())
    }
}

impl<'a> From<&'a Patch> for Convex<'a> {
    fn from(shape: &'a Patch) -> Self {
        Self::Patch(shape)
    }
}

impl From<Triangle> for Convex<'_> {
    fn from(shape: Triangle) -> Self {
        Self::Triangle(shape)
    }
}
