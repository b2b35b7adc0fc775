//! Any convex shape, and what is asked of it by its kind.

use crate::{
    Aabb, Brush, Capsule, CapsuleSweep, Cast, ContactManifold, ContactShape, Contacts, Containment, ConvexCore,
    Crossing, Cylinder, Exits, FeatureId, Frustum, Gap, HitFeature, Hull, ManifoldCache, Obb, Patch, Path, Plane, Side,
    Sides, Solid, Sphere, SphereSweep, Triangle, TurningBoxSweep, arrays::Mapped,
};
use glam::{DVec3, Vec3};
use smallvec::SmallVec;

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
    /// A triangle, and the sides from which it is met by what moves; both sides for every other question.
    Triangle(Triangle, Sides),
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
                    |i: usize| DVec3::from([0, 1, 2].mapped(|axis| if i >> axis & 1 == 1 { max } else { min }[axis]));
                ConvexCore::of_points([0, 1, 2, 3, 4, 5, 6, 7].mapped(corner), 0.0)
            }
            Self::Obb(shape) => ConvexCore::of_points([0, 1, 2, 3, 4, 5, 6, 7].mapped(|i| shape.corner(i)), 0.0),
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
            Self::Triangle(shape, _) => ConvexCore::of_points(shape.vertices(), 0.0),
        }
    }

    /// Returns the shape as a solid that answers about boxes, balls and capsules near it.
    ///
    /// ```
    /// # use cullide_narrowphase::{Convex, Solid, Sphere, glam::Vec3};
    /// let ball = Convex::from(Sphere::new(Vec3::X, 2.0)?);
    /// assert_eq!(ball.solid().closest_point(Vec3::X * 9.0), Vec3::X * 3.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn solid(&self) -> &dyn Solid {
        match self {
            Self::Aabb(shape) => shape,
            Self::Obb(shape) => shape,
            Self::Sphere(shape) => shape,
            Self::Capsule(shape) => shape,
            Self::Cylinder(shape) => shape,
            Self::Brush(shape) => *shape,
            Self::Patch(shape) => *shape,
            Self::Triangle(shape, _) => shape,
        }
    }

    /// Whether a body with its centre at `center` may meet the shape: not if it is behind a one-sided triangle.
    #[doc(hidden)]
    pub fn is_faced_by(&self, center: Vec3) -> bool {
        match self {
            Self::Triangle(shape, Sides::Front) => {
                let [a, b, c] = shape.points().mapped(|point| point.as_dvec3());
                (b - a).cross(c - a).dot(center.as_dvec3() - a) >= 0.0
            }
            _ => true,
        }
    }

    /// Whether it has a curved side: whether it is a ball, a capsule or a cylinder.
    #[doc(hidden)]
    pub fn is_round(&self) -> bool {
        matches!(self, Self::Sphere(_) | Self::Capsule(_) | Self::Cylinder(_))
    }

    /// The shape's place by the frustum's planes, and by its box where they cannot tell.
    pub(crate) fn containment(&self, frustum: &Frustum) -> Containment {
        match self {
            Self::Aabb(shape) => frustum.containment_of_aabb(shape),
            Self::Obb(shape) => frustum.containment_of_obb(shape),
            Self::Sphere(shape) => frustum.containment_of_sphere(shape),
            Self::Capsule(shape) => frustum.containment_of_capsule(shape),
            Self::Cylinder(_) | Self::Brush(_) | Self::Patch(_) | Self::Triangle(..) => {
                let mut answer = Containment::Inside;
                for plane in frustum.planes() {
                    match self.side_of(plane) {
                        Side::Back => return Containment::Outside,
                        Side::Straddling if !self.is_held_by(plane) => answer = Containment::Crossing,
                        _ => {}
                    }
                }
                let is_outside = || frustum.containment_of_aabb(&self.aabb()) == Containment::Outside;
                if answer == Containment::Crossing && is_outside() { Containment::Outside } else { answer }
            }
        }
    }

    /// Whether a box, a ball or a capsule touches the frustum; `true` for other shapes.
    pub(crate) fn reaches_into(&self, frustum: &Frustum) -> bool {
        match self {
            Self::Aabb(shape) => frustum.intersects_aabb(shape),
            Self::Obb(shape) => frustum.intersects_obb(shape),
            Self::Sphere(shape) => frustum.intersects_sphere(shape),
            Self::Capsule(shape) => frustum.intersects_capsule(shape),
            Self::Cylinder(_) | Self::Brush(_) | Self::Patch(_) | Self::Triangle(..) => true,
        }
    }

    /// Whether no point lies behind a plane.
    fn is_held_by(&self, plane: &Plane) -> bool {
        let is_held = |point: Vec3| plane.side_of_point(point) != Side::Back;
        let is_wide_held = |point: &DVec3| plane.normal().as_dvec3().dot(*point) + f64::from(plane.d()) >= 0.0;
        match self {
            Self::Brush(shape) => match shape.points() {
                Some(mut points) => points.all(is_held),
                None => shape.vertices().iter().all(is_wide_held),
            },
            Self::Patch(shape) => shape.points().iter().copied().all(is_held),
            Self::Triangle(shape, _) => shape.points().into_iter().all(is_held),
            Self::Cylinder(shape) => shape.core().heights_over(plane)[0] >= 0.0,
            _ => false,
        }
    }

    /// The shape in the form that manifolds take.
    #[doc(hidden)]
    pub fn contact_shape(&self) -> ContactShape<'_> {
        match self {
            Self::Aabb(shape) => ContactShape::Aabb(shape),
            Self::Obb(shape) => ContactShape::Box(shape),
            Self::Sphere(shape) => ContactShape::Sphere(shape),
            Self::Capsule(shape) => ContactShape::Capsule(shape),
            Self::Cylinder(shape) => ContactShape::Cylinder(shape),
            Self::Brush(shape) => ContactShape::Brush(shape),
            Self::Patch(shape) => ContactShape::Patch(shape),
            Self::Triangle(shape, _) => ContactShape::Triangle(shape),
        }
    }

    /// Whether the shape and another one share a point: up to rounding for two brushes, patches or triangles, and
    /// otherwise as the functions for boxes, balls and capsules decide.
    pub fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (shape, Self::Aabb(aabb)) | (Self::Aabb(aabb), shape) => shape.solid().overlaps_aabb(aabb),
            (shape, Self::Obb(obb)) | (Self::Obb(obb), shape) => shape.solid().overlaps_obb(obb),
            (shape, Self::Sphere(sphere)) | (Self::Sphere(sphere), shape) => shape.solid().overlaps_sphere(sphere),
            (shape, Self::Capsule(capsule)) | (Self::Capsule(capsule), shape) => {
                shape.solid().overlaps_capsule(capsule)
            }
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

    /// The corners of a flat shape, in order.
    fn outline(&self) -> Option<SmallVec<[Vec3; 4]>> {
        match self {
            Self::Triangle(shape, _) => Some(SmallVec::from_slice(&shape.points())),
            Self::Patch(shape) => Some(SmallVec::from_slice(shape.points())),
            _ => None,
        }
    }
}

/// Methods of a solid that the shape itself answers.
macro_rules! of_its_kind {
    ($($name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {$(
        fn $name(&self, $($argument: $type),*) $(-> $result)? {
            self.solid().$name($($argument),*)
        }
    )*};
}

impl Cast for Convex<'_> {
    of_its_kind! {
        crossing(path: &Path) -> Option<Crossing>;
        is_crossed(path: &Path) -> bool;
        entry_feature(path: &Path) -> Option<HitFeature>;
    }
}

impl Exits for Convex<'_> {
    of_its_kind! {
        exits(body: &Obb, visit: &mut dyn FnMut(Gap));
        exits_of_sphere(ball: &Sphere, visit: &mut dyn FnMut(Gap));
        exits_of_capsule(capsule: &Capsule, visit: &mut dyn FnMut(Gap));
    }
}

impl Solid for Convex<'_> {
    of_its_kind! {
        aabb() -> Aabb;
        reach(direction: DVec3) -> f64;
        side_of(plane: &Plane) -> Side;
        closest_point(point: Vec3) -> Vec3;
        distance(point: Vec3) -> f32;
        contains_point(point: Vec3) -> bool;
        overlaps_obb(obb: &Obb) -> bool;
        overlaps_aabb(aabb: &Aabb) -> bool;
        overlaps_sphere(sphere: &Sphere) -> bool;
        overlaps_capsule(capsule: &Capsule) -> bool;
        gap(body: &Obb) -> Gap;
        gap_of_sphere(ball: &Sphere) -> Gap;
        gap_of_capsule(capsule: &Capsule) -> Gap;
        penetration(body: &Obb) -> Option<Gap>;
        penetration_of_sphere(ball: &Sphere) -> Option<Gap>;
        penetration_of_capsule(capsule: &Capsule) -> Option<Gap>;
        contacts(body: &Obb, normal: Vec3, margin: f32, previous: FeatureId) -> Option<Contacts>;
        gap_from(sweep: &TurningBoxSweep, time: f32, body: &Obb) -> Gap;
        gap_of_sphere_from(sweep: &SphereSweep, time: f32, ball: &Sphere) -> Gap;
        gap_of_capsule_from(sweep: &CapsuleSweep, time: f32, capsule: &Capsule) -> Gap;
    }
}

/// Those that are held by value, from a value and from a reference.
macro_rules! by_value {
    ($($shape:ident => $held:expr;)*) => {$(
        impl From<$shape> for Convex<'_> {
            fn from(shape: $shape) -> Self {
                $held(shape)
            }
        }

        impl From<&$shape> for Convex<'_> {
            fn from(shape: &$shape) -> Self {
                $held(*shape)
            }
        }
    )*};
}

by_value! {
    Aabb => Self::Aabb;
    Obb => Self::Obb;
    Sphere => Self::Sphere;
    Capsule => Self::Capsule;
    Cylinder => Self::Cylinder;
    Triangle => |shape| Self::Triangle(shape, Sides::Both);
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
