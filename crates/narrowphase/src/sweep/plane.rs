//! A translating box against a plane.
//!
//! The box reaches `e = |h₀·N| + |h₁·N| + |h₂·N|` from its centre toward the plane, so its gap is `s(t) = N·Q(t) + D − e`: affine
//! in `t`, hence known from its two ends. With `s₁ >= 0 > s₂` the impact is at `s₁ / (s₁ − s₂)`, which can neither divide by zero
//! nor leave `[0, 1)`.
//!
//! Source: 003, Lengyel §12.2.2, equations 12.13–12.15 (R, S, T there are whole edges). As printed, `t = −(L'·Q₁)/(L'·V)` with
//! `V = Q₂ − Q₁` is inconsistent with the test on `L'·Q₂`; here `V` is the motion itself, and the signs of both ends are exact.

use super::{BoxSweep, Overlap, Sweep, SweepHit, contacts, round_toi};
use crate::{
    Obb, Plane,
    predicate::{Exact, sign},
    unit,
};
use glam::{DVec3, Vec3};
use std::cmp::Ordering::{Equal, Greater, Less};

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
        self.against_moving_plane(plane, Vec3::ZERO, sides)
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
        let plane_motion = unit::coordinates(plane_motion, "plane_motion").unwrap_or(Vec3::ZERO);
        let normal = plane.normal().as_dvec3();
        let (toward, from) = (normal * self.motion.as_dvec3(), normal * plane_motion.as_dvec3());
        let approach = [toward.x, toward.y, toward.z, -from.x, -from.y, -from.z];
        let Some(side) = self.start_side(plane, sides, &approach) else { return Sweep::Clear };

        // The gap at the start, its change over the step, and the gap at the end: signs of exact sums.
        let start = plane.extreme_terms(&self.body, -side).map(|x| side * x);
        let change = approach.map(|x| side * x);
        let contacts = |center| contacts::lowest(&self.body, center, side * normal.normalize());
        if sign(&start) == Less {
            let depth = -start.iter().sum::<f64>() / normal.length();
            let contacts = contacts(self.body.center().as_dvec3());
            return Sweep::Overlap(Overlap {
                depth: depth.max(0.0) as f32,
                normal: plane.normal() * side as f32,
                contacts,
            });
        }
        let mut end = [0.0; 19];
        end[..13].copy_from_slice(&start);
        end[13..].copy_from_slice(&change);
        if sign(&change) != Less || sign(&end) != Less {
            return Sweep::Clear;
        }

        let (gap, change) = (start.iter().sum::<f64>().max(0.0), change.iter().sum::<f64>());
        let toi = if sign(&start) == Equal { 0.0 } else { (gap / -change).clamp(0.0, 1.0 - f64::EPSILON / 2.0) };
        let toi = if toi.is_nan() { 0.0 } else { toi };
        let moved = self.body.center().as_dvec3() + self.motion.as_dvec3() * toi;
        let d = f64::from(plane.d()) - toi * from.element_sum();
        let position = if toi == 0.0 { self.body.center() } else { self.push_out(moved, side * normal, side * d) };
        let contacts = contacts(position.as_dvec3());
        Sweep::Hit(SweepHit { toi: round_toi(toi), normal: plane.normal() * side as f32, position, contacts })
    }

    /// On which side the box is held: 1 for the front, −1 for the back, `None` for a box that the plane ignores.
    fn start_side(&self, plane: &Plane, sides: Sides, approach: &[f64; 6]) -> Option<f64> {
        match sides {
            Sides::Front => (sign(&plane.extreme_terms(&self.body, 1.0)) != Less).then_some(1.0),
            Sides::Both => match sign(&plane.distance_terms(self.body.center())) {
                Greater => Some(1.0),
                Less => Some(-1.0),
                // A centre on the plane is leaving it, whichever way it goes.
                Equal => Some(if sign(approach) == Less { -1.0 } else { 1.0 }),
            },
        }
    }

    /// The `f32` centre nearest to `moved` at which the box lies in front of `normal · p + d = 0`: rounding alone would penetrate
    /// every other time, so the coordinate along which the normal is largest gives way.
    fn push_out(&self, moved: DVec3, normal: DVec3, d: f64) -> Vec3 {
        let axis = main_axis(normal);
        let mut center = moved.as_vec3();
        // One round suffices but where the gap itself is rounded; at the end of the range the start is safe.
        for _ in 0..4 {
            let gap = gap_terms(&self.body, center, normal, d);
            if sign(&gap) != Less {
                return center;
            }
            // The exact sum: what f64 makes of it may be zero, and the next f32 up from a coordinate near zero far too little.
            let lift = -Exact::sum(&gap).value() / normal[axis].abs();
            let raised = f64::from(center[axis]) + lift * normal[axis].signum();
            let rounded = if normal[axis] > 0.0 { unit::round_up([raised]) } else { unit::round_down([raised]) };
            let step = if normal[axis] > 0.0 { center[axis].next_up() } else { center[axis].next_down() };
            center[axis] = if normal[axis] > 0.0 { rounded.max(step) } else { rounded.min(step) };
        }
        self.body.center()
    }
}

/// The axis along which a vector is longest.
pub(crate) fn main_axis(v: DVec3) -> usize {
    let size = v.abs();
    (0..3).find(|&i| size[i] == size.max_element()).unwrap_or(0)
}

/// `normal · center + d − e` as exact terms, for a `normal` of `f32` numbers.
fn gap_terms(obb: &Obb, center: Vec3, normal: DVec3, d: f64) -> [f64; 13] {
    let mut terms = [0.0; 13];
    let product = normal * center.as_dvec3();
    terms[..4].copy_from_slice(&[product.x, product.y, product.z, d]);
    for (i, edge) in obb.wide_edges().into_iter().enumerate() {
        let product = normal * edge;
        let parts = [product.x, product.y, product.z];
        let away = if sign(&parts) == Less { 1.0 } else { -1.0 };
        terms[4 + 3 * i..7 + 3 * i].copy_from_slice(&parts.map(|x| away * x));
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::super::Feature;
    use super::*;
    use glam::Quat;

    fn body(center: Vec3) -> Obb {
        Obb::new(center, Quat::IDENTITY, Vec3::new(1.0, 1.5, 2.5)).unwrap()
    }

    fn floor() -> Plane {
        Plane::new(Vec3::Y, 0.0).unwrap()
    }

    fn sweep(center: Vec3, motion: Vec3, sides: Sides) -> Sweep {
        BoxSweep::new(body(center), motion).unwrap().against_plane(&floor(), sides)
    }

    #[test]
    fn touching_exactly_at_the_end_belongs_to_the_next_step() {
        assert_eq!(sweep(Vec3::Y * 3.5, Vec3::Y * -2.0, Sides::Front), Sweep::Clear);
        assert_eq!(sweep(Vec3::Y * 1.5, Vec3::Y * -2.0, Sides::Front).hit().unwrap().toi, 0.0);
    }

    #[test]
    fn a_box_cut_by_the_plane_overlaps_by_its_depth() {
        let overlap = sweep(Vec3::Y * 0.5, Vec3::X, Sides::Front).overlap().unwrap();
        assert_eq!((overlap.depth, overlap.normal, overlap.contacts.feature()), (1.0, Vec3::Y, Feature::Face));
    }

    #[test]
    fn behind_a_one_sided_plane_nothing_is_hit_and_a_two_sided_one_holds() {
        assert_eq!(sweep(Vec3::Y * -4.5, Vec3::Y * 9.0, Sides::Front), Sweep::Clear);
        let hit = sweep(Vec3::Y * -4.5, Vec3::Y * 9.0, Sides::Both).hit().unwrap();
        assert_eq!((hit.toi.to_bits(), hit.normal), ((1f32 / 3.0).to_bits() - 1, Vec3::NEG_Y));
        assert!(hit.position.y <= -1.5);
    }

    #[test]
    fn a_box_turned_onto_an_edge_touches_with_two_points() {
        let turned = Obb::new(Vec3::Y * 9.0, Quat::from_rotation_x(0.5), Vec3::new(1.0, 1.5, 2.5)).unwrap();
        let hit = BoxSweep::new(turned, Vec3::Y * -20.0).unwrap().against_plane(&floor(), Sides::Front).hit().unwrap();
        assert_eq!(hit.contacts.feature(), Feature::Edge);
        let [a, b] = hit.contacts.points() else { unreachable!() };
        assert_eq!((*a - *b).abs(), Vec3::X * 2.0);
    }

    #[test]
    fn a_flat_box_has_four_contacts_a_rod_two_and_a_point_one() {
        for (half_extents, count) in [(Vec3::new(2.0, 0.0, 3.0), 4), (Vec3::new(2.0, 0.0, 0.0), 2), (Vec3::ZERO, 1)] {
            let obb = Obb::new(Vec3::Y, Quat::IDENTITY, half_extents).unwrap();
            let hit = BoxSweep::new(obb, Vec3::Y * -2.0).unwrap().against_plane(&floor(), Sides::Front).hit().unwrap();
            assert_eq!((hit.toi, hit.contacts.points().len()), (0.5, count));
        }
    }
}
