//! What every convex solid answers about a box, a ball or a capsule near it.
//!
//! Each answer is computed in the file of its question: `distance` (gaps, closest points, ways out), `overlap`,
//! `contact`, `cast`.

use crate::{
    Aabb, Brush, Capsule, CapsuleSweep, Cast, Contacts, Convex, Cylinder, Exits, FeatureId, Gap, Obb, Patch, Plane,
    Side, Sphere, SphereSweep, Triangle, TurningBoxSweep,
};
use glam::{DVec3, Vec3};

/// A convex solid, and what it answers about others: about the path of a ray ([`Cast`]), about the ways out of it
/// ([`Exits`]), and about a box, a ball or a capsule near it.
///
/// Boxes, balls, capsules, cylinders, brushes, patches and triangles are such; patches and triangles are solids without
/// thickness. [`Convex::solid`] returns any of them as one. Of two convexes of any kind, [`ConvexCore`](crate::ConvexCore)
/// answers the same questions.
///
/// ```
/// # use cullide_narrowphase::{Aabb, Capsule, Obb, Plane, Side, Solid, Sphere, glam::{DVec3, Quat, Vec3}};
/// let step = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?;
/// let body = Obb::new(Vec3::new(2.5, 1.0, 1.0), Quat::IDENTITY, Vec3::ONE)?;
/// assert_eq!((step.gap(&body).separation, step.gap(&body).normal), (-0.5, DVec3::X));
/// assert_eq!(step.penetration(&body).unwrap().required_push(), 0.5);
/// let ball = Sphere::new(Vec3::new(1.0, 5.0, 1.0), 0.5)?;
/// assert!(step.gap_of_sphere(&ball).separation == 1.5 && !step.overlaps_sphere(&ball));
/// let pole = Capsule::new(Vec3::new(1.0, -1.0, 1.0), Vec3::Y * 9.0, 0.25)?;
/// assert!(step.overlaps_capsule(&pole) && step.penetration_of_capsule(&pole).is_some());
/// assert_eq!(step.closest_point(Vec3::splat(4.0)), Vec3::new(2.0, 3.0, 4.0));
/// assert_eq!(step.side_of(&Plane::new(Vec3::Y, -4.0)?), Side::Back);
/// assert_eq!(step.reach(DVec3::Y), 3.0);
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
pub trait Solid: Cast + Exits {
    /// Returns the smallest axis-aligned box with `f32` bounds around the solid; for a brush, up to the rounding of its
    /// vertices.
    fn aabb(&self) -> Aabb;

    /// Returns how far along a direction of unit length the solid's farthest point is.
    fn reach(&self, direction: DVec3) -> f64;

    /// Returns the side of a plane on which the solid lies; touching is [`Side::Straddling`].
    fn side_of(&self, plane: &Plane) -> Side;

    /// Returns the point of the solid nearest to `point`; `point` itself if it lies inside.
    fn closest_point(&self, point: Vec3) -> Vec3;

    /// Returns the distance from `point` to the solid; 0 inside.
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, Solid, Sphere, glam::Vec3};
    /// assert_eq!(Sphere::new(Vec3::X, 2.0)?.distance(Vec3::new(4.0, 4.0, 0.0)), 3.0);
    /// assert_eq!(Capsule::new(Vec3::ZERO, Vec3::X * 4.0, 2.0)?.distance(Vec3::new(7.0, 4.0, 0.0)), 3.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    fn distance(&self, point: Vec3) -> f32 {
        self.closest_point(point).as_dvec3().distance(point.as_dvec3()) as f32
    }

    /// Whether `point` lies in the solid or on its surface, exactly for the stored numbers; of a cylinder and a brush up
    /// to the rounding of its shape. `false` for a NaN or an infinity.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Solid, glam::Vec3};
    /// let aabb = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?;
    /// assert!(aabb.contains_point(Vec3::new(2.0, 1.0, 5.0)) && !aabb.contains_point(Vec3::X * -f32::MIN_POSITIVE));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    fn contains_point(&self, point: Vec3) -> bool {
        Aabb::new(point, point).is_ok_and(|at| self.overlaps_aabb(&at))
    }

    /// Whether the solid and a box share a point, touching included.
    fn overlaps_obb(&self, obb: &Obb) -> bool;

    /// Whether the solid and an axis-aligned box share a point, touching included.
    fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        // The box as an oriented one may be a step of `f32` larger.
        self.aabb().overlaps(aabb) && self.overlaps_obb(&Obb::from(aabb))
    }

    /// Whether the solid and a ball share a point, touching included.
    fn overlaps_sphere(&self, sphere: &Sphere) -> bool;

    /// Whether the solid and a capsule share a point, touching included.
    fn overlaps_capsule(&self, capsule: &Capsule) -> bool;

    /// Returns how far a box is from the solid, or how deep it is in it.
    fn gap(&self, body: &Obb) -> Gap;

    /// Returns how far a ball is from the solid, or how deep it is in it.
    fn gap_of_sphere(&self, ball: &Sphere) -> Gap;

    /// Returns how far a capsule is from the solid, or how deep it is in it.
    fn gap_of_capsule(&self, capsule: &Capsule) -> Gap;

    /// Returns the gap of a box, or `None` if the two are certainly apart ([`Gap::is_apart`]), which is much cheaper.
    fn penetration(&self, body: &Obb) -> Option<Gap> {
        Some(self.gap(body)).filter(|gap| !gap.is_apart())
    }

    /// Returns the gap of a ball, or `None` if the two are certainly apart.
    fn penetration_of_sphere(&self, ball: &Sphere) -> Option<Gap> {
        Some(self.gap_of_sphere(ball)).filter(|gap| !gap.is_apart())
    }

    /// Returns the gap of a capsule, or `None` if the two are certainly apart.
    fn penetration_of_capsule(&self, capsule: &Capsule) -> Option<Gap> {
        Some(self.gap_of_capsule(capsule)).filter(|gap| !gap.is_apart())
    }

    /// Returns the contacts of a box and the solid where they face each other along `normal`, which points to the box;
    /// `None` for a ball and a capsule, whose one contact is that of the gap.
    ///
    /// The points are the corners of the overlap of the two facing faces, seen along the normal, whose separation is at
    /// most `margin`; this includes all that penetrate. The nearest one is included however far away it is. More than
    /// four points are reduced to four that extend about as far, including the deepest.
    ///
    /// An edge or a face that touches is kept whole, whatever the margin; `previous`, the id from the previous step, keeps
    /// it from flickering, as in [`Plane::manifold`]. A normal without direction (zero or not finite) counts as upward,
    /// +Y; a negative or NaN margin counts as zero.
    fn contacts(&self, body: &Obb, normal: Vec3, margin: f32, previous: FeatureId) -> Option<Contacts> {
        let _ = (body, normal, margin, previous);
        None
    }

    /// Returns the gap of a box on the side of the solid where `sweep` is at `time`; up to rounding, `body` is where the
    /// sweep is then. A body that has passed the solid altogether is in it as deep as it went. If the sweep overlaps the
    /// solid at that time, returns [`Solid::gap`]. A time outside the step counts as its nearer end, NaN as the start.
    fn gap_from(&self, sweep: &TurningBoxSweep, time: f32, body: &Obb) -> Gap;

    /// Returns the gap of a ball on the side where its sweep is at `time`; as [`Solid::gap_from`].
    fn gap_of_sphere_from(&self, sweep: &SphereSweep, time: f32, ball: &Sphere) -> Gap;

    /// Returns the gap of a capsule on the side where its sweep is at `time`; as [`Solid::gap_from`].
    fn gap_of_capsule_from(&self, sweep: &CapsuleSweep, time: f32, capsule: &Capsule) -> Gap;
}

/// Methods of a solid that are functions of its type.
macro_rules! own {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {$(
        fn $name(&self, $($argument: $type),*) -> $result {
            Self::$name(self, $($argument),*)
        }
    )*};
}

/// What all of them but cylinders have.
macro_rules! common {
    () => {
        own! {
            closest_point(point: Vec3) -> Vec3;
            gap(body: &Obb) -> Gap;
            gap_of_sphere(ball: &Sphere) -> Gap;
            gap_of_capsule(capsule: &Capsule) -> Gap;
            gap_from(sweep: &TurningBoxSweep, time: f32, body: &Obb) -> Gap;
            gap_of_sphere_from(sweep: &SphereSweep, time: f32, ball: &Sphere) -> Gap;
            gap_of_capsule_from(sweep: &CapsuleSweep, time: f32, capsule: &Capsule) -> Gap;
        }
    };
}

/// What those with corners have.
macro_rules! polyhedral {
    () => {
        common!();
        own! {
            overlaps_obb(obb: &Obb) -> bool;
            overlaps_sphere(sphere: &Sphere) -> bool;
            overlaps_capsule(capsule: &Capsule) -> bool;
            penetration(body: &Obb) -> Option<Gap>;
        }

        fn contacts(&self, body: &Obb, normal: Vec3, margin: f32, previous: FeatureId) -> Option<Contacts> {
            Some(Self::contacts(self, body, normal, margin, previous))
        }
    };
}

impl Solid for Aabb {
    polyhedral!();
    own! {
        contains_point(point: Vec3) -> bool;
    }

    fn aabb(&self) -> Aabb {
        *self
    }

    fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        self.overlaps(aabb)
    }

    fn side_of(&self, plane: &Plane) -> Side {
        plane.side_of_aabb(self)
    }

    fn reach(&self, direction: DVec3) -> f64 {
        let is_up = direction.cmpgt(DVec3::ZERO);
        direction.dot(DVec3::select(is_up, self.max().as_dvec3(), self.min().as_dvec3()))
    }
}

impl Solid for Obb {
    common!();
    own! {
        distance(point: Vec3) -> f32;
        contains_point(point: Vec3) -> bool;
        aabb() -> Aabb;
        overlaps_aabb(aabb: &Aabb) -> bool;
        overlaps_sphere(sphere: &Sphere) -> bool;
        overlaps_capsule(capsule: &Capsule) -> bool;
        penetration(body: &Obb) -> Option<Gap>;
    }

    fn overlaps_obb(&self, obb: &Obb) -> bool {
        self.overlaps(obb)
    }

    fn contacts(&self, body: &Obb, normal: Vec3, margin: f32, previous: FeatureId) -> Option<Contacts> {
        Some(Self::contacts(self, body, normal, margin, previous))
    }

    fn side_of(&self, plane: &Plane) -> Side {
        plane.side_of_obb(self)
    }

    fn reach(&self, direction: DVec3) -> f64 {
        let edges = self.half_edges();
        along(direction, self.center()) + edges.iter().map(|edge| along(direction, *edge).abs()).sum::<f64>()
    }
}

impl Solid for Sphere {
    common!();
    own! {
        distance(point: Vec3) -> f32;
        contains_point(point: Vec3) -> bool;
        aabb() -> Aabb;
        overlaps_obb(obb: &Obb) -> bool;
        overlaps_aabb(aabb: &Aabb) -> bool;
        overlaps_capsule(capsule: &Capsule) -> bool;
    }

    fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        self.overlaps(sphere)
    }

    fn side_of(&self, plane: &Plane) -> Side {
        plane.side_of_sphere(self)
    }

    fn reach(&self, direction: DVec3) -> f64 {
        along(direction, self.center()) + f64::from(self.radius())
    }
}

impl Solid for Capsule {
    common!();
    own! {
        distance(point: Vec3) -> f32;
        contains_point(point: Vec3) -> bool;
        aabb() -> Aabb;
        overlaps_obb(obb: &Obb) -> bool;
        overlaps_aabb(aabb: &Aabb) -> bool;
        overlaps_sphere(sphere: &Sphere) -> bool;
    }

    fn overlaps_capsule(&self, capsule: &Capsule) -> bool {
        self.overlaps(capsule)
    }

    fn side_of(&self, plane: &Plane) -> Side {
        plane.side_of_capsule(self)
    }

    fn reach(&self, direction: DVec3) -> f64 {
        along(direction, self.center()) + along(direction, self.half_axis()).abs() + f64::from(self.radius())
    }
}

impl Solid for Cylinder {
    own! {
        aabb() -> Aabb;
        reach(direction: DVec3) -> f64;
        side_of(plane: &Plane) -> Side;
        distance(point: Vec3) -> f32;
        contains_point(point: Vec3) -> bool;
        closest_point(point: Vec3) -> Vec3;
        gap_of_sphere(ball: &Sphere) -> Gap;
        gap_from(sweep: &TurningBoxSweep, time: f32, body: &Obb) -> Gap;
        gap_of_sphere_from(sweep: &SphereSweep, time: f32, ball: &Sphere) -> Gap;
        gap_of_capsule_from(sweep: &CapsuleSweep, time: f32, capsule: &Capsule) -> Gap;
    }

    fn gap(&self, body: &Obb) -> Gap {
        self.gap_of(&Convex::from(*body).core())
    }

    fn gap_of_capsule(&self, capsule: &Capsule) -> Gap {
        self.gap_of(&Convex::from(*capsule).core())
    }

    fn overlaps_obb(&self, obb: &Obb) -> bool {
        self.core().overlaps(&Convex::from(*obb).core())
    }

    fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        Self::aabb(self).overlaps(aabb) && self.core().overlaps(&Convex::from(*aabb).core())
    }

    fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        self.core().overlaps(&Convex::from(*sphere).core())
    }

    fn overlaps_capsule(&self, capsule: &Capsule) -> bool {
        self.core().overlaps(&Convex::from(*capsule).core())
    }

    fn contacts(&self, body: &Obb, normal: Vec3, margin: f32, _: FeatureId) -> Option<Contacts> {
        Some(Self::contacts(self, body, normal, margin))
    }
}

impl Solid for Brush {
    polyhedral!();
    own! {
        contains_point(point: Vec3) -> bool;
        aabb() -> Aabb;
        side_of(plane: &Plane) -> Side;
    }

    fn reach(&self, direction: DVec3) -> f64 {
        self.vertices().iter().map(|vertex| direction.dot(*vertex)).fold(f64::NEG_INFINITY, f64::max)
    }
}

impl Solid for Patch {
    polyhedral!();
    own! {
        aabb() -> Aabb;
        side_of(plane: &Plane) -> Side;
    }

    fn reach(&self, direction: DVec3) -> f64 {
        farthest(direction, self.points())
    }
}

impl Solid for Triangle {
    polyhedral!();
    own! {
        aabb() -> Aabb;
        side_of(plane: &Plane) -> Side;
        penetration_of_sphere(ball: &Sphere) -> Option<Gap>;
        penetration_of_capsule(capsule: &Capsule) -> Option<Gap>;
    }

    fn reach(&self, direction: DVec3) -> f64 {
        farthest(direction, &self.points())
    }
}

fn along(direction: DVec3, point: Vec3) -> f64 {
    direction.dot(point.as_dvec3())
}

fn farthest(direction: DVec3, points: &[Vec3]) -> f64 {
    points.iter().map(|point| along(direction, *point)).fold(f64::NEG_INFINITY, f64::max)
}
