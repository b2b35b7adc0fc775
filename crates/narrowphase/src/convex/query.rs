//! What two convexes answer.

use super::{
    ConvexCore,
    cast::cast,
    depth::depth,
    gjk::{first_simplex, nearest},
    overlap::relation,
    pair::CorePair,
    portal::{self, CoreTouch, End},
    turn::{TurningPath, turn},
};
use crate::{
    Error,
    arrays::Mapped,
    exact::{unit, vector},
    sweep::{
        rotating::{checked_rotation, rotation::AngularMotion},
        round_toi, time_of_step,
    },
};
use glam::{DVec3, Vec3};
use std::cmp::Ordering::{Greater, Less};

/// How the sweep of a convex ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConvexSweep {
    /// Nothing is touched before the end, or only while moving away from it or along it.
    Clear,
    /// The first touch.
    Hit(ConvexHit),
    /// The interiors already overlap at the start.
    Overlap,
}

/// The first touch of a moving convex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexHit {
    /// Time of impact in `[0, 1)` of the step, rounded toward zero.
    pub toi: f32,
    /// The same before rounding: until then the two are certainly apart.
    pub time: f64,
    /// How far apart the two are at `time`, at most: for shapes with corners mostly less than 2^-45 of the largest
    /// coordinate.
    pub gap: f64,
    /// Unit normal of what is hit, against the motion.
    pub normal: DVec3,
    /// Where they touch at `time`, on the moving one and on the other.
    pub points: [DVec3; 2],
}

/// How far apart two convexes are, or how deep in each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// The distance; negative if they overlap, and then how far to move until they only touch.
    pub separation: f64,
    /// The least and the most that the true separation may be.
    pub bounds: [f64; 2],
    /// Unit direction in which to move the first away from the other.
    pub normal: DVec3,
    /// The nearest points of the first and of the other; the deepest ones if they overlap.
    pub points: [DVec3; 2],
}

/// How a convex moves and turns over a step: at the time `t`, it has turned by `t` times a rotation vector about a
/// pivot, and moved by `t` times a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    pub(super) pivot: Vec3,
    pub(super) motion: Vec3,
    pub(super) rotation: Vec3,
}

impl Turn {
    /// Creates the turn about `pivot`, which moves by `motion`; the direction of `rotation` is the axis, its length the
    /// angle in radians.
    ///
    /// # Errors
    /// [`Error::NonFinite`], or [`Error::OutOfRange`], also for more than 2^16 radians.
    ///
    /// ```
    /// # use cullide_narrowphase::{Error, Turn, glam::Vec3};
    /// let error = Turn::new(Vec3::ZERO, Vec3::X, Vec3::Y * 1e6).unwrap_err();
    /// assert_eq!(error, Error::OutOfRange { field: "rotation" });
    /// ```
    pub fn new(pivot: Vec3, motion: Vec3, rotation: Vec3) -> Result<Self, Error> {
        let pivot = unit::coordinates(pivot, "pivot")?;
        Ok(Self { pivot, motion: unit::coordinates(motion, "motion")?, rotation: checked_rotation(rotation)? })
    }
}

impl ConvexCore {
    /// Returns the first touch of this convex, moving straight by `motion`, with another at rest, before `until` of the
    /// step. A time outside the step counts as its nearer end, NaN as the start.
    ///
    /// Without radii, the verdict is exact for the vertices, except where rounding of nearly equal facets leaves none
    /// of them certain; a touch exactly at `until` is none. With radii, a touch within rounding of the start, the end
    /// or a graze may be either.
    ///
    /// A polygon that lies in the other's plane brushes past it, or leaves it to either side.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`] for the motion.
    ///
    /// ```
    /// use cullide_narrowphase::{Convex, ConvexSweep, Hull, Triangle, glam::Vec3};
    /// let hull = Hull::new(&[Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0, Vec3::Z * 5.0])?;
    /// let floor = Triangle::new(Vec3::new(-9.0, -9.0, -4.0), Vec3::new(9.0, -9.0, -4.0), Vec3::new(0.0, 9.0, -4.0))?;
    /// let (hull, floor) = (Convex::from(&hull).core(), Convex::from(floor).core());
    /// let ConvexSweep::Hit(hit) = hull.sweep(Vec3::Z * -8.0, &floor, 1.0)? else { panic!() };
    /// assert!(hit.time <= 0.5 && hit.time > 0.5 - 1e-12 && hit.gap < 1e-12 && hit.normal == glam::DVec3::Z);
    /// assert_eq!(hull.sweep(Vec3::Z * -4.0, &floor, 1.0)?, ConvexSweep::Clear);
    /// # use cullide_narrowphase::glam;
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn sweep(&self, motion: Vec3, other: &Self, until: f32) -> Result<ConvexSweep, Error> {
        let motion = unit::coordinates(motion, "motion")?.as_dvec3();
        let until = time_of_step(until);
        if motion == DVec3::ZERO {
            return Ok(if relation(self, other) == Greater { ConvexSweep::Overlap } else { ConvexSweep::Clear });
        }
        let (pair, radius) = (CorePair::new(self, other), self.radius + other.radius);
        let end =
            if radius > 0.0 { cast(&pair, motion, radius, until, 0.0) } else { portal::sweep(&pair, motion, until) };
        if matches!(end, End::Overlap) && (radius > 0.0 || pair.is_round) && relation(self, other) != Greater {
            return Ok(self.leave(motion, other, until));
        }
        Ok(self.finish(end, motion, motion, other))
    }

    /// The sweep from where the two touch up to rounding, and may be in each other by as much: without a motion they are
    /// not, and what is free at rest must be free to move away.
    fn leave(&self, motion: DVec3, other: &Self, until: f64) -> ConvexSweep {
        let Distance { separation, normal, points, .. } = self.distance(other);
        if until <= 0.0 || normal.dot(motion) >= 0.0 {
            return ConvexSweep::Clear;
        }
        ConvexSweep::Hit(ConvexHit { toi: 0.0, time: 0.0, gap: separation.max(0.0), normal, points })
    }

    /// Returns the first time of the step before `until` at which this convex, which moves and turns, may be as near to
    /// another at rest as `near`, in units of length: until then they are certainly apart. A start as near as that is a
    /// hit at 0. `near` counts as at least 2^-40 of the largest coordinate, which covers the rounding of what is turned.
    ///
    /// ```
    /// use cullide_narrowphase::{Aabb, Convex, ConvexSweep, Obb, Turn, glam::{Quat, Vec3}};
    /// // A bar that makes half a turn above the floor: clear of it at both ends of the step.
    /// let bar = Convex::from(Obb::new(Vec3::Y * 0.5, Quat::IDENTITY, Vec3::new(1.0, 0.1, 0.2))?).core();
    /// let floor = Convex::from(Aabb::new(Vec3::new(-9.0, -1.0, -9.0), Vec3::new(9.0, 0.0, 9.0))?).core();
    /// let turn = Turn::new(Vec3::Y * 0.5, Vec3::ZERO, Vec3::Z * std::f32::consts::PI)?;
    /// let ConvexSweep::Hit(hit) = bar.turn(&turn, &floor, 1.0, 1e-6) else { panic!() };
    /// assert!((hit.time - 0.134).abs() < 1e-3 && hit.gap <= 1e-6);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn turn(&self, path: &Turn, other: &Self, until: f32, near: f64) -> ConvexSweep {
        let [pivot, motion, rotation] = [path.pivot, path.motion, path.rotation].mapped(|v| v.as_dvec3());
        let reach = self.reach + other.reach + 2.0 * pivot.abs() + motion.abs();
        let least = reach.element_sum() * (1.0 / (1u64 << 40) as f64);
        let near = if near > least { near } else { least };
        let angular = AngularMotion::new(rotation);
        let end = turn(self, &TurningPath { pivot, motion, angular }, other, time_of_step(until), near);
        // The points of what has turned are where they are.
        self.finish(end, DVec3::ZERO, motion, other)
    }

    /// Returns how far apart this convex and another are, or how deep in each other, with the nearest points.
    ///
    /// Where the cores overlap, the depth is the least over all directions. Identical, concentric and flat shapes have
    /// a normal too: of the equally good ones, some fixed one.
    ///
    /// ```
    /// use cullide_narrowphase::{Aabb, Convex, Sphere, glam::{DVec3, Vec3}};
    /// let step = Convex::from(Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?).core();
    /// let ball = Convex::from(Sphere::new(Vec3::new(5.0, 1.0, 1.0), 1.0)?).core();
    /// let found = ball.distance(&step);
    /// assert_eq!((found.separation, found.normal), (2.0, DVec3::X));
    /// assert_eq!(found.points, [DVec3::new(4.0, 1.0, 1.0), DVec3::new(2.0, 1.0, 1.0)]);
    /// assert_eq!(ball.translated(Vec3::X * -3.5)?.distance(&step).separation, -1.5);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn distance(&self, other: &Self) -> Distance {
        self.distance_or_depth(other, f64::INFINITY)
    }

    /// Returns how deep this convex and another are in each other, as [`ConvexCore::distance`] does, and `None` if they
    /// are apart. It stops as soon as the depth is certain to be more than `limit`: the first of the bounds is then
    /// that of a direction that may not be the best.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Convex, glam::Vec3};
    /// let a = Convex::from(Aabb::new(Vec3::ZERO, Vec3::splat(4.0))?).core();
    /// let b = a.translated(Vec3::X * 3.0)?;
    /// assert_eq!(a.depth(&b, f64::INFINITY).unwrap().separation, -1.0);
    /// assert!(a.depth(&a.translated(Vec3::X * 5.0)?, 1.0).is_none());
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn depth(&self, other: &Self, limit: f64) -> Option<Distance> {
        let found = self.distance_or_depth(other, limit);
        (found.separation <= 0.0).then_some(found)
    }

    /// Returns whether this convex and another share a point; touching counts.
    ///
    /// Exact for the vertices. With radii it is exact for the nearest features, up to rounding of which are the
    /// nearest; a cylinder or cone may be off by 2^-28 of the largest coordinate.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Convex, glam::Vec3};
    /// let a = Convex::from(Aabb::new(Vec3::ZERO, Vec3::ONE)?).core();
    /// assert!(a.overlaps(&a.translated(Vec3::ONE)?));
    /// assert!(!a.overlaps(&a.translated(Vec3::new(1.0, 1.0, 1f32.next_up()))?));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn overlaps(&self, other: &Self) -> bool {
        relation(self, other) != Less
    }

    /// Returns whether interiors have a point in common; touching does not count. Otherwise as
    /// [`ConvexCore::overlaps`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Convex, glam::Vec3};
    /// let a = Convex::from(Aabb::new(Vec3::ZERO, Vec3::ONE)?).core();
    /// assert!(a.penetrates(&a) && !a.penetrates(&a.translated(Vec3::X)?));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn penetrates(&self, other: &Self) -> bool {
        relation(self, other) == Greater
    }

    fn distance_or_depth(&self, other: &Self, limit: f64) -> Distance {
        let (pair, radius) = (CorePair::new(self, other), self.radius + other.radius);
        let mut simplex = first_simplex(&pair);
        let found = nearest(&pair, &mut simplex);
        let (separation, [low, high], normal) = if found.meets {
            let found = depth(&pair, &mut simplex, limit - radius);
            let [low, high] = found.bounds;
            (-low, [-high, -low], found.normal)
        } else {
            let distance = found.v.length();
            (distance, [found.low.min(distance), distance], found.v * (-1.0 / distance))
        };
        let bounds = [low - radius, high - radius];
        let points = self.surface_points(simplex.witnesses(), normal, other);
        Distance { separation: separation - radius, bounds, normal: normal + DVec3::ZERO, points }
    }

    /// The points of both surfaces, from those of the cores that are nearest or deepest.
    fn surface_points(&self, [a, b]: [DVec3; 2], normal: DVec3, other: &Self) -> [DVec3; 2] {
        [a - normal * self.radius, b + normal * other.radius]
    }

    /// The result of a sweep whose points have still to move by `offset` in its time.
    fn finish(&self, end: End, offset: DVec3, motion: DVec3, other: &Self) -> ConvexSweep {
        match end {
            End::Clear => ConvexSweep::Clear,
            End::Overlap => ConvexSweep::Overlap,
            End::Hit(CoreTouch { time, normal, gap, points }) => {
                let normal =
                    vector::try_normalized(normal).unwrap_or(vector::normalized_or_zero(-motion)) + DVec3::ZERO;
                let [a, b] = self.surface_points(points, normal, other);
                let points = [a + offset * time, b];
                ConvexSweep::Hit(ConvexHit { toi: round_toi(time), time, gap: gap.max(0.0), normal, points })
            }
        }
    }
}
