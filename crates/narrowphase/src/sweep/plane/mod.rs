//! A translating box against a plane.
//!
//! The box reaches `e = |h₀·N| + |h₁·N| + |h₂·N|` from its centre toward the plane, so its gap is `s(t) = N·Q(t) + D − e`: affine
//! in `t`, hence known from its two ends. With `s₁ >= 0 > s₂` the impact is at `s₁ / (s₁ − s₂)`, which can neither divide by zero
//! nor leave `[0, 1)`.
//!
//! `f64` nearly always tells what both signs are, by a bound on its error: for a plane that stays, all at one look; for one that moves, `f32`
//! first, which mostly tells that they do not meet. What is left undecided is decided exactly.
//!
//! Source: 003, Lengyel §12.2.2, equations 12.13–12.15 (R, S, T there are whole edges). As printed, `t = −(L'·Q₁)/(L'·V)` with
//! `V = Q₂ − Q₁` is inconsistent with the test on `L'·Q₂`; here `V` is the motion itself, and the signs of both ends are exact.

mod batch;
pub(crate) mod box_plane_f64;
pub(crate) mod exact;
pub(crate) mod filter;
mod simd;
mod touch;
mod vectorized;

pub use batch::{BoxColumns, PlaneColumns};
pub use touch::PlaneTouch;

use super::{BoxSweep, Overlap, Sweep, SweepHit, round_toi};
use crate::{
    Contacts, FeatureId, Plane,
    exact::{predicate::sign, unit},
};
use box_plane_f64::{Ignored, Over};
use exact::{gap_terms, push_out, push_out_fast};
use filter::Sieve;
use glam::{DVec3, Vec3};
use simd::{CLEAR, Glance, HIT, cut};
use std::cmp::Ordering::{Equal, Less};
use vectorized::{Level, Simd, vectorized};

/// Which sides of a plane a moving volume can hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Sides {
    /// The plane bounds a solid half-space behind it; a volume that is wholly behind it is left alone.
    #[default]
    Front,
    /// The plane is a thin wall; a volume is held on the side where its centre starts.
    Both,
}

impl BoxSweep {
    /// The first touch of `plane`. The verdict is exact for the stored numbers.
    ///
    /// * [`Sweep::Hit`] when the box starts clear of the plane (or touches it), moves toward it and reaches it before the end.
    /// * [`Sweep::Overlap`] when the plane cuts the box at the start.
    /// * [`Sweep::Clear`] otherwise: also when the box moves away or along, and, with [`Sides::Front`], wholly behind the plane.
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
        self.against_plane_at(Level::new(), plane, sides)
    }

    /// The same with the instructions of `level`.
    #[inline(always)]
    pub(super) fn against_plane_at(&self, level: Level, plane: &Plane, sides: Sides) -> Sweep {
        // Compiled for each: what is known of the side is then left out (19.9 -> 18.9 ns).
        match sides {
            Sides::Front => {
                vectorized!(level, simd => self.look(simd, plane, Sides::Front), else self.look_closely(plane, sides))
            }
            Sides::Both => {
                vectorized!(level, simd => self.look(simd, plane, Sides::Both), else self.look_closely(plane, sides))
            }
        }
    }

    /// The answer at one look, where that tells it.
    #[inline(always)]
    fn look<S: Simd>(&self, simd: S, plane: &Plane, sides: Sides) -> Sweep {
        let glance = Glance::new(simd, self, plane, sides);
        // A wall holds a box on the side of its centre, which has to be known.
        let is_open = glance.is_open != 0 || sides == Sides::Both && glance.height.abs() <= glance.error;
        if is_open {
            return self.look_closely(plane, sides);
        }
        if glance.ahead == CLEAR {
            return Sweep::Clear;
        }
        let side = if glance.is_back { -1.0 } else { 1.0 };
        let over = Over::from_glance(&glance, plane);
        let (center, normal) = (self.body.center().as_dvec3(), plane.normal() * side as f32 + Vec3::ZERO);
        let is_vertex = glance.leans == 0b111;
        if glance.ahead == HIT {
            let toi = glance.toi();
            let moved = center + self.motion().as_dvec3() * toi;
            let d = side * f64::from(plane.d());
            let pushed = push_out_fast(moved, side * over.normal, d, over.reach, over.error);
            if let (true, Some((position, gap))) = (is_vertex, pushed) {
                let point = over.vertex(position.as_dvec3(), side);
                let contacts = Contacts::vertex(point, gap * over.unit(), glance.lowest_vertex());
                return Sweep::Hit(SweepHit { toi: f32::from_bits(cut(toi)), normal, position, contacts });
            }
            return self.land_by_more(plane, side, toi);
        }
        if is_vertex {
            let depth = glance.deep * over.unit();
            let contacts = Contacts::vertex(over.vertex(center, side), -depth, glance.lowest_vertex());
            return Sweep::Overlap(Overlap { depth: depth as f32, normal, contacts });
        }
        self.look_closely(plane, sides)
    }

    /// The answer where a sign is not certain, or more than a vertex overlaps.
    #[cold]
    pub(super) fn look_closely(&self, plane: &Plane, sides: Sides) -> Sweep {
        self.meet(plane, Vec3::ZERO, sides)
    }

    /// The hit at `toi` where an edge or a face touches, or the place takes exact arithmetic.
    #[cold]
    fn land_by_more(&self, plane: &Plane, side: f64, toi: f64) -> Sweep {
        let over = Over::new(&Sieve::new(self.body.rows(), plane), plane);
        self.land(&over, plane, DVec3::ZERO, side, toi)
    }

    /// The first touch of a plane that itself moves by `plane_motion` during the step: what counts is the relative motion along
    /// the normal. `position` and contacts are those at the time of impact.
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
            Ok(plane_motion) if plane_motion != Vec3::ZERO => self.meet(plane, plane_motion, sides),
            // Where rounding is close, the way through `f32` may end a step of `f32` farther.
            _ => self.against_plane(plane, sides),
        }
    }

    #[inline(always)]
    fn meet(&self, plane: &Plane, plane_motion: Vec3, sides: Sides) -> Sweep {
        let sieve = Sieve::new(self.body.rows(), plane);
        let toward = plane.normal() * (self.motion() - plane_motion);
        if sieve.is_clear(toward, sides) {
            return Sweep::Clear;
        }
        let over = Over::new(&sieve, plane);
        let (motion, plane_motion) = (self.motion().as_dvec3(), plane_motion.as_dvec3());
        let error = sieve.wide_error(toward);
        match over.start(sides) {
            Some(Ok((side, gap))) if gap > 0.0 => {
                let change = side * over.normal.dot(motion - plane_motion);
                if gap + change > error {
                    return Sweep::Clear;
                }
                if gap + change < -error {
                    let toi = (gap / -change).min(1.0 - f64::EPSILON / 2.0);
                    let (normal, d) = over.facing(plane, plane_motion, side, toi);
                    let moved = self.body.center().as_dvec3() + motion * toi;
                    // Where both move far, little of it may be left in the difference.
                    let error = error + over.error_of(plane_motion);
                    // Mostly a vertex touches, and all of it is inlined.
                    if let (Some(vertex), Some((position, gap))) =
                        (sieve.lowest_vertex(side), push_out_fast(moved, normal, d, over.reach, error))
                    {
                        let point = over.vertex(position.as_dvec3(), side);
                        let contacts = Contacts::vertex(point, gap * over.unit(), vertex);
                        let normal = plane.normal() * side as f32 + Vec3::ZERO;
                        return Sweep::Hit(SweepHit { toi: round_toi(toi), normal, position, contacts });
                    }
                    return self.land(&over, plane, plane_motion, side, toi);
                }
            }
            Some(Ok((side, gap))) => return over.overlap(&sieve, &self.body, plane.normal(), side, -gap),
            Some(Err(Ignored)) => return Sweep::Clear,
            None => {}
        }
        self.meet_exactly(&sieve, &over, plane, plane_motion, sides)
    }

    /// The hit at `toi`.
    fn land(&self, over: &Over, plane: &Plane, plane_motion: DVec3, side: f64, toi: f64) -> Sweep {
        let moved = self.body.center().as_dvec3() + self.motion().as_dvec3() * toi;
        let (normal, d) = over.facing(plane, plane_motion, side, toi);
        let error = over.error + over.error_of(self.motion().as_dvec3()) + over.error_of(plane_motion);
        let (position, gap) = match push_out_fast(moved, normal, d, over.reach, error) {
            Some(found) if toi > 0.0 => found,
            _ => self.rest(toi, moved, normal, d),
        };
        let contacts = over.contacts(side, FeatureId::NONE, position.as_dvec3(), gap, 0.0);
        Sweep::Hit(SweepHit {
            toi: round_toi(toi),
            normal: plane.normal() * side as f32 + Vec3::ZERO,
            position,
            contacts,
        })
    }

    /// Where the box stops, and its gap there, when that takes exact arithmetic.
    #[cold]
    fn rest(&self, toi: f64, moved: DVec3, normal: DVec3, d: f64) -> (Vec3, f64) {
        // At the end of the range of coordinates the start is safe.
        let safe = || push_out(&self.body, moved, normal, d).unwrap_or(self.body.center());
        let position = if toi == 0.0 { self.body.center() } else { safe() };
        (position, gap_terms(&self.body, position, normal, d).iter().sum())
    }

    /// The answer by exact signs alone.
    #[cold]
    fn meet_exactly(&self, sieve: &Sieve, over: &Over, plane: &Plane, plane_motion: DVec3, sides: Sides) -> Sweep {
        let (toward, from) = (over.normal * self.motion().as_dvec3(), over.normal * plane_motion);
        let approach = [toward.x, toward.y, toward.z, -from.x, -from.y, -from.z];
        let Some(side) = plane.start_side(&self.body, sides, &approach) else { return Sweep::Clear };

        // The gap at the start, its change over the step, and the gap at the end: signs of exact sums.
        let start = plane.extreme_terms(&self.body, -side).map(|x| side * x);
        let change = approach.map(|x| side * x);
        let start_sign = sign(&start);
        if start_sign == Less {
            return over.overlap(sieve, &self.body, plane.normal(), side, -start.iter().sum::<f64>());
        }
        let mut end = [0.0; 19];
        end[..13].copy_from_slice(&start);
        end[13..].copy_from_slice(&change);
        if sign(&change) != Less || sign(&end) != Less {
            return Sweep::Clear;
        }

        let (gap, change) = (start.iter().sum::<f64>().max(0.0), change.iter().sum::<f64>());
        let toi = if start_sign == Equal { 0.0 } else { (gap / -change).clamp(0.0, 1.0 - f64::EPSILON / 2.0) };
        let toi = if toi.is_nan() { 0.0 } else { toi };
        self.land(over, plane, plane_motion, side, toi)
    }
}

#[cfg(test)]
mod tests;
