//! A sweep against any convex shape: by its kind, continued in the file of that kind.

use super::{BudgetedSweep, Sweep};
use crate::{BoxSweep, Budget, CapsuleSweep, Convex, SphereSweep, TurningBoxSweep};
use glam::Vec3;

/// Whether [`BodyWay::touches`](crate::BodyWay::touches) has already reported that a body may touch a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filtered {
    /// It has.
    Yes,
    /// It was not asked.
    No,
}

/// How late a part of something may be touched, as a fraction of the motion: what is touched later may be left out.
/// Overlaps are reported whatever the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// What is touched certainly later than this may be left out.
    Until(f32),
    /// What is not touched before this yields to something touched at this time. On flat ground a box comes down on many
    /// triangles at the same time, and where it touches each need not be computed.
    Before(f32),
}

impl Limit {
    /// Returns the same for a test that is given only a last time.
    pub fn until(self) -> f32 {
        match self {
            Self::Until(time) => time,
            // Times of impact are rounded toward zero.
            Self::Before(time) => time.next_up(),
        }
    }
}

impl BoxSweep {
    /// Returns the first touch of a convex shape at rest.
    ///
    /// * [`Sweep::Hit`] if the interiors do not overlap at the start and would before the end. For shapes with corners,
    ///   entry is decided on every separating axis: faces of both, and pairs of edges.
    /// * [`Sweep::Overlap`] if the interiors overlap at the start, with the shortest way out.
    /// * [`Sweep::Clear`] otherwise: also if the box only brushes past an edge, slides along a face or moves away from
    ///   it.
    ///
    /// Decided in `f64`; a start within rounding of touching counts as touching. `position` is exact: the `f32` box there
    /// does not penetrate. For two boxes whose edges run along x, y and z this is the slab test, and whether it overlaps,
    /// approaches and arrives is exact along each axis. A patch and a triangle are met from either side, as solids of zero
    /// thickness; a triangle with [`Sides::Front`](crate::Sides::Front) only by a box whose centre is in front of it. A
    /// cylinder is touched early by at most what [`Cylinder::core`](crate::Cylinder::core) is off.
    ///
    /// Source: exact planes and edges as in Ericson, "Real-Time Collision Detection", §5.5.8.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, BoxSweep, Brush, Capsule, Obb, Patch, glam::{Quat, Vec3}};
    /// let body = Obb::new(Vec3::new(-5.0, 1.0, 1.0), Quat::IDENTITY, Vec3::splat(1.0))?;
    /// let sweep = BoxSweep::new(body, Vec3::X * 8.0)?;
    /// let step = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?;
    /// let hit = sweep.against(&Brush::try_from(&step)?).hit().unwrap();
    /// assert_eq!((hit.toi, hit.normal, hit.position.x), (0.5, Vec3::NEG_X, -1.0));
    /// assert_eq!(sweep.against(step).hit().unwrap().toi, 0.5);
    /// let pane = Patch::new(&[Vec3::ZERO, Vec3::Y * 3.0, Vec3::Z * 3.0])?;
    /// assert_eq!(sweep.against(&pane).hit().unwrap().normal, Vec3::NEG_X);
    /// let log = Capsule::new(Vec3::Z * -9.0, Vec3::Z * 9.0, 2.0)?;
    /// assert_eq!(sweep.against(log).hit().unwrap().toi, 0.25f32.next_down());
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against<'a>(&self, shape: impl Into<Convex<'a>>) -> Sweep {
        self.against_part(&shape.into(), Limit::Until(1.0), Filtered::No)
    }

    /// Returns the first touch of one of many shapes.
    #[doc(hidden)]
    pub fn against_part(&self, part: &Convex, limit: Limit, filtered: Filtered) -> Sweep {
        if_faced(part, self.body().center(), || match part {
            Convex::Aabb(shape) => self.against_aabb(shape),
            Convex::Obb(shape) => self.against_obb(shape),
            Convex::Sphere(shape) => self.against_sphere(shape),
            Convex::Capsule(shape) => self.against_capsule(shape),
            Convex::Cylinder(shape) => self.against_cylinder(shape, limit.until()),
            Convex::Brush(shape) => self.against_brush(shape),
            Convex::Patch(shape) => self.against_patch(shape),
            Convex::Triangle(shape, _) => match (filtered, limit) {
                (Filtered::No, _) => self.against_triangle_until(shape, limit.until()),
                (Filtered::Yes, Limit::Until(time)) => self.against_near_triangle_until(shape, time),
                (Filtered::Yes, Limit::Before(time)) => self.against_near_triangle_before(shape, time),
            },
        })
    }
}

macro_rules! round {
    ($sweep:ty, $(#[$documentation:meta])*) => {
        impl $sweep {
            $(#[$documentation])*
            pub fn against<'a>(&self, shape: impl Into<Convex<'a>>) -> Sweep {
                self.against_part(&shape.into(), 1.0, Filtered::No)
            }

            /// Returns the first touch of one of many shapes; a touch later than `until` may be left out.
            #[doc(hidden)]
            pub fn against_part(&self, part: &Convex, until: f32, filtered: Filtered) -> Sweep {
                if_faced(part, self.body().center(), || match part {
                    Convex::Aabb(shape) => self.against_aabb(shape),
                    Convex::Obb(shape) => self.against_obb(shape),
                    Convex::Sphere(shape) => self.against_sphere(shape),
                    Convex::Capsule(shape) => self.against_capsule(shape),
                    Convex::Cylinder(shape) => self.against_cylinder(shape, until),
                    Convex::Brush(shape) => self.against_brush(shape),
                    Convex::Patch(shape) => self.against_patch(shape),
                    Convex::Triangle(shape, _) if filtered == Filtered::Yes => {
                        self.against_near_triangle_until(shape, until)
                    }
                    Convex::Triangle(shape, _) => self.against_triangle_until(shape, until),
                })
            }
        }
    };
}

round! {
    SphereSweep,
    /// Returns the first touch of a convex shape at rest, with the rules of [`BoxSweep::against`] and one contact, on the
    /// shape. Decided in `f64`; at the hit's position the ball does not penetrate it.
    ///
    /// A ball whose centre is nearer to a patch or a triangle than its radius overlaps it. A point, of radius zero, that is
    /// on one counts as leaving it, whichever way it goes.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Brush, Capsule, Sphere, SphereSweep, Triangle, glam::Vec3};
    /// let step = Brush::try_from(&Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?)?;
    /// let sweep = SphereSweep::new(Sphere::new(Vec3::new(-5.0, 1.0, 1.0), 1.0)?, Vec3::X * 8.0)?;
    /// let hit = sweep.against(&step).hit().unwrap();
    /// assert_eq!((hit.toi, hit.normal, hit.contacts.points()), (0.5, Vec3::NEG_X, &[Vec3::new(0.0, 1.0, 1.0)][..]));
    /// assert!(hit.position.x <= -1.0);
    /// let pane = Triangle::new(Vec3::ZERO, Vec3::Y * 3.0, Vec3::Z * 3.0)?;
    /// assert_eq!(sweep.against(pane).hit().unwrap().normal, Vec3::NEG_X);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
}

round! {
    CapsuleSweep,
    /// Returns the first touch of a convex shape at rest, with the rules of [`BoxSweep::against`]. Decided in `f64`; at
    /// the hit's position the capsule does not penetrate it. The time is certain not to be late, and so may be a step of
    /// `f32` early. There is one contact, on the shape, or two if the capsule lies along a face or an edge.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Brush, Capsule, CapsuleSweep, glam::Vec3};
    /// let step = Brush::try_from(&Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?)?;
    /// let hero = Capsule::new(Vec3::new(-5.0, 2.0, 1.0), Vec3::new(-5.0, 4.0, 1.0), 1.0)?;
    /// let hit = CapsuleSweep::new(hero, Vec3::X * 8.0)?.against(&step).hit().unwrap();
    /// assert_eq!((hit.toi, hit.normal), (0.5f32.next_down(), Vec3::NEG_X));
    /// // The part of it beside the face.
    /// assert_eq!(hit.contacts.points(), &[Vec3::new(0.0, 2.0, 1.0), Vec3::new(0.0, 3.0, 1.0)]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
}

impl TurningBoxSweep {
    /// Returns the first touch of a convex shape at rest: as [`BoxSweep::against`], for a box that rotates, with a skin as
    /// in [`TurningBoxSweep::against_plane`]. Nothing touches before `toi`; the gap there, as given by
    /// [`Solid::gap`](crate::Solid::gap), is at most the skin, and [`TurningBoxSweep::body_at`] does not penetrate. It costs
    /// as much as about 5 to 10 sweeps that do not rotate.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, BoxSweep, Brush, Obb, Solid, Sphere, glam::{Quat, Vec3}};
    /// let post = Brush::try_from(&Aabb::new(Vec3::new(1.5, 0.0, -1.0), Vec3::new(2.0, 3.0, 1.0))?)?;
    /// // A beam that swings a quarter turn: its end comes to the post from the side.
    /// let beam = Obb::new(Vec3::Y, Quat::IDENTITY, Vec3::new(0.125, 0.25, 2.0))?;
    /// let swing = BoxSweep::new(beam, Vec3::ZERO)?.rotating(Vec3::Y * std::f32::consts::FRAC_PI_2)?;
    /// let hit = swing.against(&post, 1e-3).hit().unwrap();
    /// assert!(hit.toi > 0.3 && hit.toi < 0.6, "{hit:?}");
    /// assert!(post.gap(&swing.body_at(&hit)).is_apart());
    /// // A rod that rotates about its middle, with its ends at distance 4 from there; the ball reaches down to y = 2.
    /// let rod = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(4.0, 0.0, 0.0))?;
    /// let spin = BoxSweep::new(rod, Vec3::ZERO)?.rotating(Vec3::Z * 2.0)?;
    /// let hit = spin.against(Sphere::new(Vec3::Y * 3.0, 1.0)?, 1e-4).hit().unwrap();
    /// // The rod touches when its line does: 3 cos(2 t) = 1.
    /// assert!((hit.toi - (1.0f32 / 3.0).acos() / 2.0).abs() < 1e-4, "{hit:?}");
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against<'a>(&self, shape: impl Into<Convex<'a>>, skin: f32) -> Sweep {
        self.within(&Budget::default()).against(shape, skin)
    }
}

impl BudgetedSweep<'_> {
    /// As [`TurningBoxSweep::against`].
    pub fn against<'a>(&self, shape: impl Into<Convex<'a>>, skin: f32) -> Sweep {
        let shape = shape.into();
        if_faced(&shape, self.sweep().body().center(), || match &shape {
            Convex::Aabb(shape) => self.against_aabb(shape, skin),
            Convex::Obb(shape) => self.against_obb(shape, skin),
            Convex::Sphere(shape) => self.against_sphere(shape, skin),
            Convex::Capsule(shape) => self.against_capsule(shape, skin),
            Convex::Cylinder(shape) => self.against_cylinder(shape, skin),
            Convex::Brush(shape) => self.against_brush(shape, skin),
            Convex::Patch(shape) => self.against_patch(shape, skin),
            Convex::Triangle(shape, _) => self.against_triangle(shape, skin),
        })
    }
}

/// Returns the result of a sweep that starts with the body's centre at `center`, or [`Sweep::Clear`] if it comes from
/// behind a one-sided triangle.
fn if_faced(part: &Convex, center: Vec3, sweep: impl FnOnce() -> Sweep) -> Sweep {
    if part.is_faced_by(center) { sweep() } else { Sweep::Clear }
}
