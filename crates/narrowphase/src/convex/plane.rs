//! A convex and a plane: the plane names the only direction that matters, so everything has a closed form.
//!
//! Source: Lengyel, "Mathematics for 3D Game Programming and Computer Graphics", §12.2.2, for any support function.

use super::{ConvexCore, ConvexHit, ConvexSweep};
use crate::{
    Error, Plane, Sides,
    arrays::Mapped,
    exact::{
        ROUNDING,
        predicate::{Exact, sign},
        unit, vector,
    },
    sweep::{round_toi, time_of_step},
};
use glam::{DVec3, Vec3};
use std::cmp::Ordering::Greater;

/// How far a convex reaches over a plane on one side of it, times the normal's length.
struct LowestPoint {
    height: f64,
    /// A bound on the rounding of the height.
    error: f64,
    /// The lowest point of the core.
    point: DVec3,
}

impl ConvexCore {
    /// Returns the signed distances from a plane of the lowest and the highest point, measured along its normal. Without
    /// a radius their signs are exact for the vertices.
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, Convex, Plane, glam::Vec3};
    /// let hero = Convex::from(Capsule::new(Vec3::Y, Vec3::Y * 2.0, 0.5)?).core();
    /// assert_eq!(hero.heights_over(&Plane::new(Vec3::Y, -1.0)?), [-0.5, 1.5]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn heights_over(&self, plane: &Plane) -> [f64; 2] {
        let length = plane.normal().as_dvec3().length();
        [1.0, -1.0].mapped(|side| side * self.lowest_over(plane, side).height / length + 0.0)
    }

    /// Returns the first touch of a plane by this convex, moving straight by `motion`, before `until` of the step, with
    /// the rules of [`BoxSweep::against_plane`](crate::BoxSweep::against_plane): a half-space ignores what is wholly
    /// behind it, a wall holds what it does not cut on its side. Without a radius the verdict is exact for the vertices
    /// and the whole step.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`] for the motion.
    ///
    /// ```
    /// use cullide_narrowphase::{Convex, ConvexSweep, Hull, Plane, Sides, glam::Vec3};
    /// let tent = Hull::new(&[Vec3::Y * 4.0, Vec3::Y * 9.0, Vec3::new(3.0, 6.0, 0.0), Vec3::new(0.0, 6.0, 3.0)])?;
    /// let (tent, floor) = (Convex::from(&tent).core(), Plane::new(Vec3::Y, 0.0)?);
    /// let ConvexSweep::Hit(hit) = tent.sweep_plane(Vec3::Y * -8.0, &floor, Sides::Front, 1.0)? else { panic!() };
    /// assert_eq!((hit.toi, hit.points[0].x), (0.5f32.next_down(), 0.0));
    /// assert_eq!(tent.sweep_plane(Vec3::Y * -4.0, &floor, Sides::Front, 1.0)?, ConvexSweep::Clear);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn sweep_plane(&self, motion: Vec3, plane: &Plane, sides: Sides, until: f32) -> Result<ConvexSweep, Error> {
        let motion = unit::coordinates(motion, "motion")?;
        let (lowest, side) = match [1.0, -1.0].mapped(|side| (self.lowest_over(plane, side), side)) {
            [front, _] if front.0.height >= 0.0 => front,
            [_, back] if back.0.height >= 0.0 && sides == Sides::Both => back,
            [_, back] if back.0.height >= 0.0 => return Ok(ConvexSweep::Clear),
            _ => return Ok(ConvexSweep::Overlap),
        };
        let normal = side * plane.normal().as_dvec3();
        // Products of two f32 are exact.
        let fall = normal * -motion.as_dvec3();
        if sign(&fall.to_array()) != Greater {
            return Ok(ConvexSweep::Clear);
        }
        let (speed, until) = (fall.element_sum(), time_of_step(until));
        let error = lowest.error + 4.0 * ROUNDING * fall.abs().element_sum();
        let room = lowest.height - until * speed;
        let passes = if room.abs() > error || until < 1.0 || self.radius > 0.0 || self.is_round() {
            room < 0.0
        } else {
            self.vertices().any(|vertex| exact_height(plane, side, vertex, motion) < 0.0)
        };
        if !passes {
            return Ok(ConvexSweep::Clear);
        }
        let time = (lowest.height - lowest.error).max(0.0) / speed * (1.0 - 8.0 * ROUNDING);
        let time = time.min(1f64.next_down());
        let normal = vector::normalized_or_zero(normal) + DVec3::ZERO;
        let point = lowest.point + motion.as_dvec3() * time - normal * self.radius;
        let gap = (2.0 * error / plane.normal().as_dvec3().length()).max(0.0);
        Ok(ConvexSweep::Hit(ConvexHit { toi: round_toi(time), time, gap, normal, points: [point; 2] }))
    }

    /// How far the lowest point is from a plane on a side of it, 1 for the front and -1 for the back.
    fn lowest_over(&self, plane: &Plane, side: f64) -> LowestPoint {
        let (normal, d) = (side * plane.normal().as_dvec3(), side * f64::from(plane.d()));
        let (point, _) = self.farthest(-normal);
        let (value, reach) = (normal.dot(point) + d, self.radius * normal.length());
        let error = 2.0 * self.error(normal) + 4.0 * ROUNDING * (d.abs() + reach);
        if self.radius > 0.0 || self.is_round() || value.abs() > error {
            return LowestPoint { height: value - reach, error, point };
        }
        let heights = self.vertices().map(|vertex| exact_height(plane, side, vertex, Vec3::ZERO));
        LowestPoint { height: heights.fold(f64::INFINITY, f64::min), error, point }
    }
}

/// The height of a moved point over a plane on a side of it, times the normal's length; its sign is exact.
#[cold]
fn exact_height(plane: &Plane, side: f64, point: DVec3, motion: Vec3) -> f64 {
    let term = |axis: usize| {
        let at = Exact::sum(&[point[axis], motion[axis].into()]);
        at.times(&Exact::sum(&[side * f64::from(plane.normal()[axis])]))
    };
    term(0).plus(&term(1)).plus(&term(2)).plus(&Exact::sum(&[side * f64::from(plane.d())])).value()
}
