//! A core that turns while it moves, against a convex or a plane that it may rest on: what is within a skin counts as
//! touched only while it closes.
//!
//! As in [`turn`](super::turn), but where the two are already within the skin, and no point of the first comes nearer,
//! the plane between them is the surface itself, for as long as it certainly is not crossed.

use super::{
    ConvexCore, ConvexHit, ConvexSweep, Turn,
    overlap::relation,
    turn::{TurningPath, WORTH_STEPPING},
};
use crate::{
    Plane, Sides,
    arrays::Mapped,
    exact::ROUNDING,
    sweep::{rotating::rotation::AngularMotion, round_toi, time_of_step},
};
use glam::{DVec3, Quat};
use std::cmp::Ordering::Greater;

/// How many planes are tried, and how many steps along each.
const MAX_PLANES: usize = 400;
const MAX_STEPS: usize = 6;

/// What a rate may lose by rounding, as a share of the speeds that it is made of.
const RATE_ERROR: f64 = 64.0 * ROUNDING;

/// A plane between a core and what rests.
struct Between {
    /// Unit normal, towards what rests.
    n: DVec3,
    /// All of what rests lies at `n · x >= limit`, less the radii.
    limit: f64,
    /// The nearest points of the surfaces.
    points: [DVec3; 2],
}

impl Turn {
    /// Returns the rotation at a time of the step, rounded.
    ///
    /// ```
    /// # use cullide_narrowphase::{Turn, glam::{Quat, Vec3}};
    /// let turn = Turn::new(Vec3::ZERO, Vec3::X, Vec3::Y * std::f32::consts::PI)?;
    /// assert!(turn.rotation_at(0.5).angle_between(Quat::from_rotation_y(std::f32::consts::FRAC_PI_2)) < 1e-3);
    /// assert_eq!(turn.rotation_at(0.0), Quat::IDENTITY);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn rotation_at(&self, time: f64) -> Quat {
        let (axis, sin, cos) = AngularMotion::new(self.rotation.as_dvec3()).half_turned(time);
        let [x, y, z] = (axis * sin).as_vec3().to_array();
        Quat::from_xyzw(x, y, z, cos as f32)
    }

    /// Returns where the pivot is at a time of the step.
    ///
    /// ```
    /// # use cullide_narrowphase::{Turn, glam::{DVec3, Vec3}};
    /// assert_eq!(Turn::new(Vec3::Y, Vec3::X, Vec3::Z)?.pivot_at(0.5), DVec3::new(0.5, 1.0, 0.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn pivot_at(&self, time: f64) -> DVec3 {
        self.pivot.as_dvec3() + self.motion.as_dvec3() * time
    }

    fn path(&self) -> TurningPath {
        let [pivot, motion, rotation] = [self.pivot, self.motion, self.rotation].mapped(|v| v.as_dvec3());
        TurningPath { pivot, motion, angular: AngularMotion::new(rotation) }
    }
}

impl ConvexCore {
    /// Returns this convex as it is at a time of a turn; the vertices are rounded to `f64`.
    ///
    /// ```
    /// # use cullide_narrowphase::{Convex, Sphere, Turn, glam::Vec3};
    /// let ball = Convex::from(Sphere::new(Vec3::X, 1.0)?).core();
    /// let quarter = Turn::new(Vec3::ZERO, Vec3::Z, Vec3::Y * std::f32::consts::FRAC_PI_2)?;
    /// assert!(ball.turned(&quarter, 1.0).distance(&ball.translated(Vec3::NEG_X * 2.0)?).separation < 0.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn turned(&self, path: &Turn, time: f64) -> Self {
        path.path().placed(self, time)
    }

    /// Returns the first touch of another convex at rest as [`ConvexCore::turn`] does, for one that may begin on it:
    /// an overlap of the interiors at the start is exact, and what is as near as `skin`, in units of length, counts as
    /// touched only while it closes. So a box that lies on a floor may turn about the vertical, and leave the floor.
    ///
    /// It is certain that nothing is touched before the time; where the two slide along each other for long, the search
    /// may end early.
    ///
    /// ```
    /// use cullide_narrowphase::{Aabb, Convex, ConvexSweep, Turn, glam::Vec3};
    /// let lies = Convex::from(Aabb::new(Vec3::new(-1.0, 0.0, -2.0), Vec3::new(1.0, 1.0, 2.0))?).core();
    /// let floor = Convex::from(Aabb::new(Vec3::new(-9.0, -1.0, -9.0), Vec3::new(9.0, 0.0, 9.0))?).core();
    /// let about = |axis: Vec3| Turn::new(Vec3::ZERO, Vec3::ZERO, axis).unwrap();
    /// assert_eq!(lies.turn_within(&about(Vec3::Y * 3.0), &floor, 1.0, 1e-3), ConvexSweep::Clear);
    /// let ConvexSweep::Hit(hit) = lies.turn_within(&about(Vec3::Z), &floor, 1.0, 1e-3) else { panic!() };
    /// assert_eq!(hit.time, 0.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn turn_within(&self, path: &Turn, other: &Self, until: f32, skin: f64) -> ConvexSweep {
        if relation(self, other) == Greater {
            return ConvexSweep::Overlap;
        }
        let between = |placed: &Self| {
            let found = placed.distance(other);
            let n = -found.normal;
            let limit = n.dot(other.farthest(-n).0) - self.radius - other.radius;
            Between { n, limit, points: found.points }
        };
        self.first_touch(path, between, other.reach, until, skin)
    }

    /// Returns the first touch of a plane by this convex, which moves and turns: as [`ConvexCore::turn_within`], with
    /// the rules of [`ConvexCore::sweep_plane`].
    ///
    /// ```
    /// use cullide_narrowphase::{Convex, ConvexSweep, Hull, Plane, Sides, Turn, glam::Vec3};
    /// let top = Hull::new(&[Vec3::ZERO, Vec3::new(1.0, 2.0, 0.0), Vec3::new(-1.0, 2.0, 0.0), Vec3::new(0.0, 2.0, 1.0)])?;
    /// let (top, floor) = (Convex::from(&top).core(), Plane::new(Vec3::Y, 0.0)?);
    /// // It spins on its point, and falls over sideways.
    /// let about = |axis: Vec3| Turn::new(Vec3::ZERO, Vec3::ZERO, axis).unwrap();
    /// assert_eq!(top.turn_plane(&about(Vec3::Y * 9.0), &floor, Sides::Front, 1.0, 1e-3), ConvexSweep::Clear);
    /// let ConvexSweep::Hit(hit) = top.turn_plane(&about(Vec3::Z * 2.0), &floor, Sides::Front, 1.0, 1e-3) else { panic!() };
    /// assert!((2.0 * hit.time - 1.107).abs() < 1e-2);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn turn_plane(&self, path: &Turn, plane: &Plane, sides: Sides, until: f32, skin: f64) -> ConvexSweep {
        let [low, high] = self.heights_over(plane);
        let side = match sides {
            _ if low >= 0.0 => 1.0,
            Sides::Both if high <= 0.0 => -1.0,
            Sides::Front if high <= 0.0 => return ConvexSweep::Clear,
            _ => return ConvexSweep::Overlap,
        };
        let normal = side * plane.normal().as_dvec3();
        let (length, d) = (normal.length(), side * f64::from(plane.d()));
        let (n, limit) = (-normal / length, d / length - self.radius);
        let between = |placed: &Self| {
            let point = placed.farthest(n).0;
            let depth = limit - n.dot(point);
            Between { n, limit, points: [point + n * self.radius, point + n * (self.radius + depth)] }
        };
        let reach = self.reach.max(DVec3::splat(d.abs() / length));
        self.first_touch(path, between, reach, until, skin)
    }

    /// The first time at which the core is within the skin of what rests, and closing; none of it touches that before.
    fn first_touch(
        &self,
        turn: &Turn,
        between: impl Fn(&Self) -> Between,
        reach: DVec3,
        until: f32,
        skin: f64,
    ) -> ConvexSweep {
        let (path, until) = (turn.path(), time_of_step(until));
        let size = (self.reach + reach + 2.0 * path.pivot.abs() + path.motion.abs()).element_sum() + self.radius;
        // What placing a vertex loses by rounding; a gap below that is none.
        let least = size * (1.0 / (1u64 << 40) as f64);
        let skin = if skin > 4.0 * least { skin } else { 4.0 * least };
        let (mut time, mut found) = (0.0, None);
        for _ in 0..MAX_PLANES {
            let mut placed = path.placed(self, time);
            let Between { n, limit, points } = between(&placed);
            let gap = limit - n.dot(placed.farthest(n).0);
            let hit = ConvexHit { toi: round_toi(time), time, gap: gap.max(0.0), normal: -n + DVec3::ZERO, points };
            let is_near = gap <= skin;
            // Where rounding leaves no plane between them, nothing is certain.
            if gap < -least || is_near && path.closes(self, &placed, n, 0.5 * (skin - gap).min(skin), time) {
                return ConvexSweep::Hit(hit);
            }
            found = Some(hit);
            // A body that rests on something, or leaves it, may be nearer than rounding tells.
            let room = if is_near { 0.5 * gap.max(2.0 * least) } else { gap - 0.5 * skin };
            let (plane, before) = (limit - gap + room, time);
            for _ in 0..MAX_STEPS {
                let step = path.step(self, &placed, n, plane, time);
                if step >= until - time {
                    return ConvexSweep::Clear;
                }
                time += step;
                placed = path.placed(self, time);
                if step <= WORTH_STEPPING * (time - before) {
                    break;
                }
            }
            if time == before {
                break;
            }
        }
        found.map_or(ConvexSweep::Clear, ConvexSweep::Hit)
    }
}

impl TurningPath {
    /// Whether any point within a band of the one that is farthest along `n` moves that way.
    fn closes(&self, core: &ConvexCore, placed: &ConvexCore, n: DVec3, band: f64, time: f64) -> bool {
        let (center, spin) = (self.pivot + self.motion * time, n.cross(self.angular.rate()));
        let farthest = placed.farthest(n).0;
        let rate = |point: DVec3| n.dot(self.motion) + (point - center).dot(spin);
        let speed = self.motion.length() + self.angular.angle * (core.reach + self.pivot.abs()).element_sum();
        let error = RATE_ERROR * speed;
        if core.is_round() {
            return rate(farthest) > error;
        }
        let along = n.dot(farthest) - band.max(0.0);
        placed.vertices().any(|vertex| n.dot(vertex) >= along && rate(vertex) > error)
    }
}
