//! A translating sphere against a plane.
//!
//! As for a box, with the radius as its reach: `s(t) = N·C(t) + D − r|N|` is affine in `t` and known from its ends. A
//! stored normal is of unit length only up to rounding; where that could change a sign, `N·C + D` is squared and
//! compared with `r²|N|²` exactly.
//!
//! Reading order: this file; [`conservative_advancement`], the time of impact along a straight line; [`against_box`],
//! [`aabb`], [`solid`] and [`sphere_sphere`], what the ball or the box meets.
//!
//! Source: Lengyel, "Mathematics for 3D Game Programming and Computer Graphics", §12.2.1 (the plane moved by the
//! radius, `t = −(L'·P₁)/(L'·V)`).

pub(crate) mod aabb;
pub(crate) mod against_box;
mod conservative_advancement;
pub(crate) mod solid;
pub(crate) mod sphere_sphere;

use super::{Overlap, Sweep, SweepHit, plane::exact::main_axis, round_toi};
use crate::{
    Contacts, Error, FeatureId, Plane, Sides, Sphere,
    exact::{
        predicate::{Exact, sign},
        unit, vector,
    },
};
use glam::{DVec3, Vec3};
use std::cmp::Ordering::{self, Equal, Greater, Less};

/// A sphere and the translation of its centre over one step.
///
/// ```
/// use cullide_narrowphase::{Plane, Sides, Sphere, SphereSweep, glam::Vec3};
/// let ball = Sphere::new(Vec3::Y * 6.0, 2.0)?;
/// let floor = Plane::new(Vec3::Y, 0.0)?;
/// let hit = SphereSweep::new(ball, Vec3::Y * -8.0)?.against_plane(&floor, Sides::Front).hit().unwrap();
/// assert_eq!((hit.toi, hit.position, hit.contacts.points()), (0.5, Vec3::Y * 2.0, &[Vec3::ZERO][..]));
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SphereSweep {
    pub(super) body: Sphere,
    pub(super) motion: Vec3,
}

impl SphereSweep {
    /// The sweep of `body` by `motion`.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`] when the motion leaves the range of coordinates.
    ///
    /// ```
    /// # use cullide_narrowphase::{Error, Sphere, SphereSweep, glam::Vec3};
    /// let ball = Sphere::new(Vec3::ZERO, 1.0)?;
    /// assert_eq!(SphereSweep::new(ball, Vec3::NAN), Err(Error::NonFinite { field: "motion" }));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(body: Sphere, motion: Vec3) -> Result<Self, Error> {
        let motion = unit::coordinates(motion, "motion")? + Vec3::ZERO;
        Sphere::new(body.center() + motion, body.radius()).map_err(|_| Error::OutOfRange { field: "motion" })?;
        Ok(Self { body, motion })
    }

    /// The sphere at the start.
    pub fn body(&self) -> &Sphere {
        &self.body
    }

    /// The translation over the step.
    pub fn motion(&self) -> Vec3 {
        self.motion
    }

    /// The first touch of `plane`, with the rules of [`BoxSweep::against_plane`](crate::BoxSweep::against_plane) and
    /// one contact. The verdict is exact for the stored numbers.
    ///
    /// ```
    /// # use cullide_narrowphase::{Plane, Sides, Sphere, SphereSweep, Sweep, glam::Vec3};
    /// let floor = Plane::new(Vec3::Y, 0.0)?;
    /// let resting = Sphere::new(Vec3::Y * 2.0, 2.0)?;
    /// assert_eq!(SphereSweep::new(resting, Vec3::X)?.against_plane(&floor, Sides::Front), Sweep::Clear);
    /// assert_eq!(SphereSweep::new(resting, Vec3::NEG_Y)?.against_plane(&floor, Sides::Front).hit().unwrap().toi, 0.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_plane(&self, plane: &Plane, sides: Sides) -> Sweep {
        let normal = plane.normal().as_dvec3();
        let reach = f64::from(self.body.radius()) * normal.length();
        let toward = (normal * self.motion.as_dvec3()).to_array();
        let distance = plane.distance_terms(self.body.center());
        let side = match (sides, sign(&distance)) {
            (Sides::Front, _) if order(self.body.radius(), plane, &distance.map(|x| -x)) == Greater => {
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
        let (start, change) = (distance.map(|x| side * x), toward.map(|x| side * x));
        let start_order = order(self.body.radius(), plane, &start);
        let gap = start.iter().sum::<f64>() - reach;
        let contact = |center: Vec3, separation: f64| {
            let down = vector::normalized(normal) * (side * f64::from(self.body.radius()));
            Contacts::new(&[((center.as_dvec3() - down).as_vec3(), separation)], FeatureId::NONE)
        };
        let facing = plane.normal() * side as f32 + Vec3::ZERO;
        if start_order == Less {
            let depth = (-gap / normal.length()).max(0.0);
            let contacts = contact(self.body.center(), -depth);
            return Sweep::Overlap(Overlap { depth: depth as f32, normal: facing, contacts });
        }
        let [a, b, c, d] = start;
        let end = [a, b, c, d, change[0], change[1], change[2]];
        if sign(&change) != Less || order(self.body.radius(), plane, &end) != Less {
            return Sweep::Clear;
        }

        let toi = if start_order == Equal { 0.0 } else { gap.max(0.0) / -change.iter().sum::<f64>() };
        let toi = if toi.is_nan() { 0.0 } else { toi.min(1.0 - f64::EPSILON / 2.0) };
        let moved = self.body.center().as_dvec3() + self.motion.as_dvec3() * toi;
        let position = if toi == 0.0 { self.body.center() } else { self.push_out(moved, plane, side) };
        let gap = (side * plane.distance(position.as_dvec3()) - reach) / normal.length();
        Sweep::Hit(SweepHit {
            toi: round_toi(toi),
            normal: facing,
            position,
            contacts: contact(position, gap.max(0.0)),
        })
    }

    /// The `f32` centre nearest to `moved` at which the sphere lies on the `side` of the plane; as for a box.
    fn push_out(&self, moved: DVec3, plane: &Plane, side: f64) -> Vec3 {
        let normal = side * plane.normal().as_dvec3();
        let axis = main_axis(normal);
        let mut center = moved.as_vec3();
        for _ in 0..4 {
            let distance = plane.distance_terms(center).map(|x| side * x);
            if order(self.body.radius(), plane, &distance) != Less {
                return center + Vec3::ZERO;
            }
            let gap = distance.iter().sum::<f64>() - f64::from(self.body.radius()) * normal.length();
            let raised = f64::from(center[axis]) + (-gap).max(0.0) / normal[axis];
            center[axis] = if normal[axis] > 0.0 {
                unit::round_up([raised]).max(center[axis].next_up())
            } else {
                unit::round_down([raised]).min(center[axis].next_down())
            };
        }
        self.body.center()
    }
}

/// Compares the exact sum of `distance` with the `radius` times the length of the plane's normal.
pub(crate) fn order(radius: f32, plane: &Plane, distance: &[f64]) -> Ordering {
    let (normal, radius) = (plane.normal().as_dvec3(), f64::from(radius));
    let reach = radius * normal.length();
    let (sum, magnitude) = distance.iter().fold((0.0, reach), |(sum, size), x| (sum + x, size + x.abs()));
    if (sum - reach).abs() > 8.0 * f64::EPSILON * magnitude {
        return if sum > reach { Greater } else { Less };
    }
    // Squares compare as the numbers do only when both are positive.
    match sign(distance) {
        Greater => {
            let squared = normal.to_array().map(|x| x * x);
            let reach_squared = Exact::sum(&squared).times(&Exact::sum(&[radius * radius]));
            let distance = Exact::sum(distance);
            distance.times(&distance).minus(&reach_squared).sign()
        }
        Equal if radius == 0.0 => Equal,
        _ => Less,
    }
}

#[cfg(test)]
mod tests;
