//! A translating capsule against a plane.
//!
//! As for a box: the end `E` of the axis that is nearest to the plane decides. With the radius as its reach,
//! `s(t) = N·E(t) + D − r|N|` is affine in `t` and known from its two ends. A stored normal has unit length only up to
//! rounding; where that could change a sign, `N·E + D` is squared and compared with `r²|N|²` exactly.
//!
//! Source: Lengyel, "Mathematics for 3D Game Programming and Computer Graphics", §12.2.1 (the plane moved by the
//! radius, `t = −(L'·P₁)/(L'·V)`).

use super::CapsuleSweep;
use crate::{
    Contacts, FeatureId, Plane, Sides,
    arrays::Mapped,
    contact::contacts::FEATURE_ANGLE,
    exact::{predicate::sign, unit, vector},
    sweep::{Overlap, Sweep, SweepHit, plane::exact::main_axis, round_toi, sphere::order_beside},
};
use glam::{DVec3, Vec3};
use std::cmp::Ordering::{Equal, Greater, Less};

impl CapsuleSweep {
    /// Returns the first touch of `plane`, with the rules of
    /// [`BoxSweep::against_plane`](crate::BoxSweep::against_plane): one contact, or two for a capsule that lies on the
    /// plane. The verdict is exact for the stored numbers.
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, CapsuleSweep, Plane, Sides, glam::Vec3};
    /// let log = Capsule::new(Vec3::new(-1.0, 4.0, 0.0), Vec3::new(1.0, 4.0, 0.0), 2.0)?;
    /// let floor = Plane::new(Vec3::Y, 0.0)?;
    /// let hit = CapsuleSweep::new(log, Vec3::Y * -4.0)?.against_plane(&floor, Sides::Front).hit().unwrap();
    /// assert_eq!((hit.toi, hit.contacts.points()), (0.5, &[Vec3::NEG_X, Vec3::X][..]));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_plane(&self, plane: &Plane, sides: Sides) -> Sweep {
        let (normal, radius) = (plane.normal().as_dvec3(), self.body.radius());
        let length = normal.length();
        let reach = f64::from(radius) * length;
        let falling = plane.falling_axis(&self.body);
        let order = |distance: &[f64]| order_beside(reach, radius, plane, distance);
        let end_at = |side: f64| plane.end_at(self.body.center(), side, falling);
        let toward = (normal * self.motion.as_dvec3()).to_array();
        let side = match (sides, sign(&plane.distance_terms(self.body.center()))) {
            (Sides::Front, _) if order(&end_at(-1.0)) == Greater => {
                return Sweep::Clear;
            }
            (Sides::Front, _) | (Sides::Both, Greater) => 1.0,
            (Sides::Both, Less) => -1.0,
            // A centre on the plane is leaving it, whichever way it goes.
            (Sides::Both, Equal) => {
                if sign(&toward) == Less {
                    -1.0
                } else {
                    1.0
                }
            }
        };

        // The gap at the start, its change over the step, and the gap at the end: signs of exact sums.
        let (start, change) = (end_at(side), toward.mapped(|x| side * x));
        let start_order = order(&start);
        let gap = start.iter().sum::<f64>() - reach;
        let facing = plane.normal() * side as f32 + Vec3::ZERO;
        if start_order == Less {
            let depth = (-gap / length).max(0.0);
            let contacts = self.contacts(self.body.center(), plane, side, f64::NEG_INFINITY);
            return Sweep::Overlap(Overlap { depth: depth as f32, normal: facing, contacts });
        }
        let [a, b, c, d, x, y, z] = start;
        let end = [a, b, c, d, x, y, z, change[0], change[1], change[2]];
        if sign(&change) != Less || order(&end) != Less {
            return Sweep::Clear;
        }

        let toi = if start_order == Equal { 0.0 } else { gap.max(0.0) / -change.iter().sum::<f64>() };
        let toi = if toi.is_nan() { 0.0 } else { toi.min(1.0 - f64::EPSILON / 2.0) };
        let moved = self.body.center().as_dvec3() + self.motion.as_dvec3() * toi;
        let position = if toi == 0.0 { self.body.center() } else { self.push_out(moved, plane, side, falling, reach) };
        let contacts = self.contacts(position, plane, side, 0.0);
        Sweep::Hit(SweepHit { toi: round_toi(toi), normal: facing, position, contacts })
    }

    /// Where the capsule touches the plane with its centre at `center`: below the nearest end, or below both ends if
    /// the axis lies along the plane. No separation is below `least`.
    fn contacts(&self, center: Vec3, plane: &Plane, side: f64, least: f64) -> Contacts {
        let (normal, radius) = (plane.normal().as_dvec3(), f64::from(self.body.radius()));
        let (length, half) = (normal.length(), self.body.wide_axis());
        let down = vector::normalized(normal) * (side * radius);
        let contact = |end: DVec3| {
            let end = center.as_dvec3() + end;
            let separation = (side * plane.distance(end) - radius * length) / length;
            ((end - down).as_vec3(), separation.max(least))
        };
        let along = side * normal.dot(half);
        if half != DVec3::ZERO && along.abs() <= FEATURE_ANGLE * length * half.length() {
            return Contacts::new(&[contact(-half), contact(half)], FeatureId::NONE);
        }
        let down = if along > 0.0 { -1.0 } else { 1.0 };
        Contacts::new(&[contact(half * down)], FeatureId::NONE)
    }

    /// The `f32` centre nearest to `moved` at which the capsule lies on the `side` of the plane; as for a box.
    fn push_out(&self, moved: DVec3, plane: &Plane, side: f64, falling: [f64; 3], reach: f64) -> Vec3 {
        let (normal, radius) = (side * plane.normal().as_dvec3(), self.body.radius());
        let axis = main_axis(normal);
        let mut center = moved.as_vec3();
        for _ in 0..4 {
            let Some(there) = self.body.placed(center) else { break };
            let distance = plane.end_at(there.center(), side, falling);
            if order_beside(reach, radius, plane, &distance) != Less {
                return center + Vec3::ZERO;
            }
            let gap = distance.iter().sum::<f64>() - reach;
            let raised = f64::from(center[axis]) + (-gap).max(0.0) / normal[axis];
            center[axis] = if normal[axis] > 0.0 {
                unit::round_up(&[raised]).max(center[axis].next_up())
            } else {
                unit::round_down([raised]).min(center[axis].next_down())
            };
        }
        self.body.center()
    }
}
