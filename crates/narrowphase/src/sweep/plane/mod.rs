//! A translating box against a plane.
//!
//! The box extends `e = |h₀·N| + |h₁·N| + |h₂·N|` from its centre toward the plane, so its gap is
//! `s(t) = N·Q(t) + D − e`: affine in `t`, hence known from its two ends. With `s₁ >= 0 > s₂` the impact is at
//! `s₁ / (s₁ − s₂)`, which can neither divide by zero nor leave `[0, 1)`.
//!
//! Each stage answers if every sign that matters is certain, given a bound on its rounding error, and otherwise hands
//! over to the next:
//!
//! ```text
//!   against_plane          in_lanes (f64, branchless) ──┐
//!   against_moving_plane ───────────────────────────────┴► staged:  f32 filter ─► f64 ─► exact
//! ```
//!
//! Reading order: this file; [`projection`], the sums in `f32` and `f64`; [`simd`], all of it in lanes; [`exact`], the
//! signs that rounding could change, and the position of a hit. Off this path: [`touch`] (the answer in eight bytes),
//! [`batch`] (sixteen pairs at once).
//!
//! Source: Lengyel, "Mathematics for 3D Game Programming and Computer Graphics", §12.2.2, equations 12.13–12.15 (R, S,
//! T there are whole edges). As printed, `t = −(L'·Q₁)/(L'·V)` with `V = Q₂ − Q₁` is inconsistent with the test on
//! `L'·Q₂`; here `V` is the motion itself, and the signs of both ends are exact.

mod batch;
pub(crate) mod exact;
pub(crate) mod projection;
mod simd;
mod touch;

pub use batch::{BoxColumns, PlaneColumns};
pub use touch::PlaneTouch;

use super::{BoxSweep, Overlap, Sweep, SweepHit, round_toi};
use crate::simd::{Level, Simd, level, vectorized};
use crate::{Contacts, FeatureId, Plane, exact::unit};
use exact::{Ignored, depenetrate, depenetrate_exactly, gap_at};
use glam::{DVec3, DVec4, Vec3};
use projection::{BoxPlaneF64, BoxPlaneFilter};
use simd::{BoxPlaneSimd, CLEAR, HIT};
use touch::truncated_bits;

/// Which sides of a plane a moving volume can hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Sides {
    /// The plane bounds a solid half-space behind it; a volume that is wholly behind the plane is ignored.
    #[default]
    Front,
    /// The plane is a thin wall; a volume is held on the side where its centre starts.
    Both,
}

impl BoxSweep {
    /// Returns the first touch of `plane`. The verdict is exact for the stored numbers.
    ///
    /// * [`Sweep::Hit`] if the box starts clear of the plane (or touches it), moves toward it and reaches it before the
    ///   end.
    /// * [`Sweep::Overlap`] if the plane cuts the box at the start.
    /// * [`Sweep::Clear`] otherwise: also if the box moves away or along, and, with [`Sides::Front`], if it is wholly
    ///   behind the plane.
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Obb, Plane, Sides, Sweep, glam::{Quat, Vec3}};
    /// let floor = Plane::new(Vec3::Y, 0.0)?;
    /// let resting = Obb::new(Vec3::Y * 2.0, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// assert_eq!(BoxSweep::new(resting, Vec3::X)?.against_plane(&floor, Sides::Front), Sweep::Clear);
    /// assert_eq!(BoxSweep::new(resting, Vec3::NEG_Y)?.against_plane(&floor, Sides::Front).hit().unwrap().toi, 0.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_plane(&self, plane: &Plane, sides: Sides) -> Sweep {
        self.against_plane_at(level(), plane, sides)
    }

    /// The same with the instructions of `level`.
    #[inline(always)]
    fn against_plane_at(&self, level: Level, plane: &Plane, sides: Sides) -> Sweep {
        // Compiled once per side: constants then replace what depends on it (19.9 -> 18.9 ns).
        match sides {
            Sides::Front => {
                vectorized!(level, simd => self.in_lanes(simd, plane, Sides::Front), else self.undecided(plane, sides))
            }
            Sides::Both => {
                vectorized!(level, simd => self.in_lanes(simd, plane, Sides::Both), else self.undecided(plane, sides))
            }
        }
    }

    /// The answer computed in lanes, if all signs are certain.
    #[inline(always)]
    fn in_lanes<S: Simd>(&self, simd: S, plane: &Plane, sides: Sides) -> Sweep {
        let lanes = BoxPlaneSimd::new(simd, self, plane, sides);
        // A two-sided plane holds a box on the side of its centre, so that side has to be certain.
        let is_side_uncertain = sides == Sides::Both && lanes.height.abs() <= lanes.error;
        if lanes.uncertain != 0 || is_side_uncertain {
            return self.undecided(plane, sides);
        }
        if lanes.ends == CLEAR {
            return Sweep::Clear;
        }
        let side = if lanes.is_back { -1.0 } else { 1.0 };
        let projection = BoxPlaneF64::from_lanes(&lanes, plane);
        let (center, normal) = (self.body.center().as_dvec3(), plane.normal() * side as f32 + Vec3::ZERO);
        let is_vertex = lanes.leaning == 0b111;
        if lanes.ends == HIT {
            let toi = lanes.toi();
            let moved = center + self.motion().as_dvec3() * toi;
            let facing = (side * projection.normal, side * f64::from(plane.d()));
            let rest = depenetrate(moved, facing, projection.reach, projection.error);
            if let (true, Some((position, gap))) = (is_vertex, rest) {
                let point = projection.vertex(position.as_dvec3(), side);
                let contacts = Contacts::vertex(point, gap * projection.unit(), lanes.lowest_vertex());
                return Sweep::Hit(SweepHit { toi: f32::from_bits(truncated_bits(toi)), normal, position, contacts });
            }
            return self.hit_by_feature(plane, side, toi);
        }
        if is_vertex {
            let depth = lanes.depth * projection.unit();
            let contacts = Contacts::vertex(projection.vertex(center, side), -depth, lanes.lowest_vertex());
            return Sweep::Overlap(Overlap { depth: depth as f32, normal, contacts });
        }
        self.undecided(plane, sides)
    }

    /// The answer if a sign is not certain in lanes, or if an edge or a face overlaps.
    #[cold]
    fn undecided(&self, plane: &Plane, sides: Sides) -> Sweep {
        self.staged(plane, Vec3::ZERO, sides)
    }

    /// The hit at `toi` if an edge or a face touches, or if the position takes exact arithmetic.
    #[cold]
    fn hit_by_feature(&self, plane: &Plane, side: f64, toi: f64) -> Sweep {
        let projection = BoxPlaneF64::new(&BoxPlaneFilter::new(self.body.rows(), plane), plane);
        self.hit_at(&projection, plane, DVec3::ZERO, side, toi)
    }

    /// Returns the first touch of a plane that itself moves by `plane_motion` during the step; only the relative motion
    /// along the normal counts. `position` and contacts are those at the time of impact.
    ///
    /// A `plane_motion` that is not finite or beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE) counts as zero.
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Obb, Plane, Sides, glam::{Quat, Vec3}};
    /// let lift = Plane::new(Vec3::Y, 0.0)?;
    /// let resting = BoxSweep::new(Obb::new(Vec3::Y * 3.0, Quat::IDENTITY, Vec3::ONE)?, Vec3::ZERO)?;
    /// let hit = resting.against_moving_plane(&lift, Vec3::Y * 4.0, Sides::Front).hit().unwrap();
    /// assert_eq!((hit.toi, hit.position), (0.5, Vec3::Y * 3.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_moving_plane(&self, plane: &Plane, plane_motion: Vec3, sides: Sides) -> Sweep {
        match unit::coordinates(plane_motion, "plane_motion") {
            Ok(plane_motion) if plane_motion != Vec3::ZERO => self.staged(plane, plane_motion, sides),
            // Not in stages: where rounding is close, these may give a position that is a step of `f32` farther.
            _ => self.against_plane(plane, sides),
        }
    }

    /// The answer in stages: `f32` filter, `f64`, exact.
    #[inline(always)]
    fn staged(&self, plane: &Plane, plane_motion: Vec3, sides: Sides) -> Sweep {
        let filter = BoxPlaneFilter::new(self.body.rows(), plane);
        let toward = plane.normal() * (self.motion() - plane_motion);
        if filter.is_clear(toward, sides) {
            return Sweep::Clear;
        }
        let projection = BoxPlaneF64::new(&filter, plane);
        let (motion, plane_motion) = (self.motion().as_dvec3(), plane_motion.as_dvec3());
        let error = filter.f64_error(toward);
        match projection.start(sides) {
            Some(Ok((side, gap))) if gap > 0.0 => {
                let change = side * projection.normal.dot(motion - plane_motion);
                if gap + change > error {
                    return Sweep::Clear;
                }
                if gap + change < -error {
                    let toi = (gap / -change).min(1.0 - f64::EPSILON / 2.0);
                    let facing = projection.facing(plane, plane_motion, side, toi);
                    let moved = self.body.center().as_dvec3() + motion * toi;
                    // Where both move far, little of that may be left in the difference.
                    let error = error + projection.error_of(plane_motion);
                    // Mostly a vertex touches, and that case is inlined.
                    if let (Some(vertex), Some((position, gap))) =
                        (filter.lowest_vertex(side), depenetrate(moved, facing, projection.reach, error))
                    {
                        let point = projection.vertex(position.as_dvec3(), side);
                        let contacts = Contacts::vertex(point, gap * projection.unit(), vertex);
                        let normal = plane.normal() * side as f32 + Vec3::ZERO;
                        return Sweep::Hit(SweepHit { toi: round_toi(toi), normal, position, contacts });
                    }
                    return self.hit_at(&projection, plane, plane_motion, side, toi);
                }
            }
            Some(Ok((side, gap))) => return projection.overlap(&filter, &self.body, plane.normal(), side, -gap),
            Some(Err(Ignored)) => return Sweep::Clear,
            None => {}
        }
        match exact::first_touch(&self.body, &projection, plane, [motion, plane_motion], sides) {
            None => Sweep::Clear,
            Some((side, Ok(toi))) => self.hit_at(&projection, plane, plane_motion, side, toi),
            Some((side, Err(depth))) => projection.overlap(&filter, &self.body, plane.normal(), side, depth),
        }
    }

    /// The hit at `toi`.
    fn hit_at(&self, projection: &BoxPlaneF64, plane: &Plane, plane_motion: DVec3, side: f64, toi: f64) -> Sweep {
        let moved = self.body.center().as_dvec3() + self.motion().as_dvec3() * toi;
        let facing = projection.facing(plane, plane_motion, side, toi);
        let error =
            projection.error + projection.error_of(self.motion().as_dvec3()) + projection.error_of(plane_motion);
        let (position, gap) = match depenetrate(moved, facing, projection.reach, error) {
            Some(found) if toi > 0.0 => found,
            _ => self.resting_position(toi, moved, facing),
        };
        let contacts = projection.contacts(side, FeatureId::NONE, position.as_dvec3(), gap, 0.0);
        Sweep::Hit(SweepHit {
            toi: round_toi(toi),
            normal: plane.normal() * side as f32 + Vec3::ZERO,
            position,
            contacts,
        })
    }

    /// Where the box stops, and its gap there, if that takes exact arithmetic.
    #[cold]
    fn resting_position(&self, toi: f64, moved: DVec3, facing: (DVec3, f64)) -> (Vec3, f64) {
        let start = self.body.center();
        // At the end of the range of coordinates the start is safe.
        let beside = || depenetrate_exactly(&self.body, moved, facing).unwrap_or(start);
        let position = if toi == 0.0 { start } else { beside() };
        (position, gap_at(&self.body, position, facing))
    }
}

impl BoxPlaneF64 {
    /// The same numbers, taken from lanes.
    #[inline(always)]
    fn from_lanes<S: Simd>(lanes: &BoxPlaneSimd<S>, plane: &Plane) -> Self {
        let row = |lanes| DVec4::from_array(lanes);
        let [x, y, z] = lanes.rows;
        Self {
            normal: plane.normal().as_dvec3(),
            rows: [row(x.into()), row(y.into()), row(z.into())],
            along: row(lanes.along.into()).truncate(),
            reach: lanes.reach,
            height: lanes.height,
            error: lanes.error,
        }
    }
}

#[cfg(test)]
mod tests;
