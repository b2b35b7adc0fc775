//! Two boxes or balls that both move, without rotating.
//!
//! Seen from one of them, the other moves by the difference of the two motions, which `f64` holds up to one rounding.
//! Where they touch, the first is placed beside the second as that is stored there.

use super::{
    BoxSweep, Overlap, Sweep, SweepHit, round_toi,
    solid::{FirstContact, depenetrate_from, first_contact, overlap},
    sphere::against_box::{ball_gap, first_touch, reach_of},
    time_of_step,
};
use crate::{
    Contacts, FeatureId, Obb, Sphere, SphereSweep,
    contact::{contacts::lowest, manifold},
    distance::gap::{Hold, placed},
    exact::unit,
    minkowski::{DifferenceBox, box_solid::BoxSolid},
};
use glam::{DVec3, Vec3};

impl BoxSweep {
    /// Returns the box at a time of the step, rounded to `f32`; a time outside the step counts as its nearer end, NaN
    /// as the start.
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Obb, glam::{Quat, Vec3}};
    /// let body = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::ONE)?;
    /// assert_eq!(BoxSweep::new(body, Vec3::X * 8.0)?.pose(0.5).center(), Vec3::X * 4.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn pose(&self, time: f32) -> Obb {
        placed(self.body(), moved(self.body().center(), self.motion(), time)).unwrap_or(*self.body())
    }

    /// Returns the first touch of a box that moves as well: as [`BoxSweep::against`], for the difference of the two
    /// motions. At the time of impact the other box is at `other.pose(toi)`, and at the hit's position this box does
    /// not penetrate it there; the normal points to this box.
    ///
    /// An axis-aligned box takes part as `Obb::from(&aabb)`, which is exact if its centre and half extents are `f32`
    /// numbers.
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Obb, glam::{Quat, Vec3}};
    /// let at = |x: f32| Obb::new(Vec3::X * x, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0)).unwrap();
    /// let (left, right) = (BoxSweep::new(at(-5.0), Vec3::X * 6.0)?, BoxSweep::new(at(5.0), Vec3::X * -10.0)?);
    /// let hit = left.against_moving_box(&right).hit().unwrap();
    /// assert_eq!((hit.toi, hit.normal, hit.position), (0.5, Vec3::NEG_X, Vec3::X * -2.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_moving_box(&self, other: &Self) -> Sweep {
        let (solid, body) = (BoxSolid::from(other.body()), DifferenceBox::new(self.body()));
        match first_contact(&solid.difference(), &body, self.motion().as_dvec3() - other.motion().as_dvec3()) {
            FirstContact::Clear => Sweep::Clear,
            FirstContact::Inside(separation, facet) => Sweep::Overlap(overlap(self.body(), separation, &facet)),
            FirstContact::Enters(toi, facet) => {
                let toi = round_toi(toi);
                let there = BoxSolid::from(&other.pose(toi));
                let beside = there.difference().supporting(facet.normal);
                let center = self.pose(toi).center();
                // `None` only at the end of the range of coordinates.
                let position = depenetrate_from(&beside, &body, center).unwrap_or(center);
                let contacts = manifold::contacts(&there.difference(), &body, position.as_dvec3(), facet.unit_normal());
                Sweep::Hit(SweepHit { toi, normal: facet.rounded_normal(), position, contacts })
            }
        }
    }

    /// Returns the first touch of a ball that moves as well: as [`BoxSweep::against`] and
    /// [`BoxSweep::against_moving_box`].
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Obb, Sphere, SphereSweep, glam::{Quat, Vec3}};
    /// let body = Obb::new(Vec3::Y * 8.0, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// let ball = SphereSweep::new(Sphere::new(Vec3::ZERO, 2.0)?, Vec3::Y * 4.0)?;
    /// let hit = BoxSweep::new(body, Vec3::Y * -4.0)?.against_moving_sphere(&ball).hit().unwrap();
    /// assert!((hit.toi, hit.normal) == (0.5, Vec3::Y) && hit.position.y >= 6.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_moving_sphere(&self, other: &SphereSweep) -> Sweep {
        match first_touch(self, other) {
            Err(sweep) => sweep,
            Ok(touch) => {
                let toi = round_toi(touch.toi);
                let way =
                    way_between([self.body().center(), other.body().center()], [self.motion(), other.motion()], toi);
                Sweep::Hit(beside_ball(&self.pose(toi), &other.pose(toi), toi, way))
            }
        }
    }
}

/// Where a centre that starts at `center` is at a time of the step; a time outside the step counts as its nearer end,
/// NaN as the start.
fn moved(center: Vec3, motion: Vec3, time: f32) -> Vec3 {
    (center.as_dvec3() + motion.as_dvec3() * time_of_step(time)).as_vec3()
}

/// The vector from the centre of another body to that of a first, both of which move, at a time of the step.
fn way_between([center, other]: [Vec3; 2], [motion, of_other]: [Vec3; 2], toi: f32) -> DVec3 {
    (center.as_dvec3() - other.as_dvec3()) + (motion.as_dvec3() - of_other.as_dvec3()) * f64::from(toi)
}

/// The hit of a box that touches a ball. The box's centre, on the unrounded `way` from that of the ball, is moved by as
/// little as it takes not to penetrate.
pub(super) fn beside_ball(body: &Obb, ball: &Sphere, toi: f32, way: DVec3) -> SweepHit {
    let normal = ball_gap(body, -way, ball.radius(), DVec3::ZERO).normal;
    let reach = reach_of(body, normal) + f64::from(ball.radius());
    let hold = Hold::new(ball.center().as_dvec3() + way, normal, reach, way.abs().max_element());
    // `None` only at the end of the range of coordinates.
    let beside = hold.pushed_apart(body.center(), &|center| Some(ball.gap(&placed(body, center)?)));
    let body = beside.and_then(|center| placed(body, center)).unwrap_or(*body);
    let gap = ball.gap(&body);
    let contact = (ball.center().as_dvec3() + gap.normal * f64::from(ball.radius())).as_vec3();
    let id = lowest(&body, body.center().as_dvec3(), gap.normal, 0.0).id();
    let contacts = Contacts::new(&[(contact, gap.separation)], id);
    SweepHit { toi, normal: unit::unit(gap.normal), position: body.center(), contacts }
}

impl SphereSweep {
    /// Returns the ball at a time of the step, rounded to `f32`; a time outside the step counts as its nearer end, NaN
    /// as the start.
    ///
    /// ```
    /// # use cullide_narrowphase::{Sphere, SphereSweep, glam::Vec3};
    /// let ball = SphereSweep::new(Sphere::new(Vec3::ZERO, 2.0)?, Vec3::X * 8.0)?;
    /// assert_eq!(ball.pose(0.5), Sphere::new(Vec3::X * 4.0, 2.0)?);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn pose(&self, time: f32) -> Sphere {
        let center = moved(self.body().center(), self.motion(), time);
        Sphere::new(center, self.body().radius()).unwrap_or(*self.body())
    }

    /// Returns the first touch of a box at rest, decided in `f64`; at the hit's position the ball does not penetrate
    /// it.
    pub(crate) fn against_obb(&self, obb: &Obb) -> Sweep {
        self.against_moving(&BoxSweep::at_rest(obb))
    }

    /// Returns the first touch of a box that moves as well, which is at `other.pose(toi)` then; see
    /// [`BoxSweep::against_moving_sphere`].
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Obb, Sphere, SphereSweep, glam::{Quat, Vec3}};
    /// let lift = BoxSweep::new(Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?, Vec3::Y * 4.0)?;
    /// let ball = SphereSweep::new(Sphere::new(Vec3::Y * 8.0, 2.0)?, Vec3::Y * -4.0)?;
    /// assert_eq!(ball.against_moving_box(&lift).hit().unwrap().toi, 0.5);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_moving_box(&self, other: &BoxSweep) -> Sweep {
        self.against_moving(other)
    }

    fn against_moving(&self, other: &BoxSweep) -> Sweep {
        // The box against the ball, seen from the ball.
        match first_touch(other, self) {
            Err(Sweep::Overlap(Overlap { depth, normal, .. })) => {
                let deepest = self.body().center() + normal * self.body().radius();
                let contacts = Contacts::new(&[(deepest, -f64::from(depth))], FeatureId::NONE);
                Sweep::Overlap(Overlap { depth, normal: -normal + Vec3::ZERO, contacts })
            }
            Err(sweep) => sweep,
            Ok(touch) => {
                let toi = round_toi(touch.toi);
                let (there, ball) = (other.pose(toi), self.pose(toi));
                let at = |center: Vec3| Sphere::new(center, ball.radius()).ok();
                let way =
                    way_between([self.body().center(), other.body().center()], [self.motion(), other.motion()], toi);
                let (touching, radius) = (there.center().as_dvec3() + way, f64::from(ball.radius()));
                let hold = Hold::new(touching, -touch.normal, radius, way.abs().max_element());
                let beside = hold.pushed_apart(ball.center(), &|center| Some(at(center)?.gap(&there).reversed()));
                let position = beside.unwrap_or(ball.center());
                let back = there.center().as_dvec3() - position.as_dvec3();
                let SweepHit { normal, contacts, .. } = beside_ball(&there, &at(position).unwrap_or(ball), toi, back);
                Sweep::Hit(SweepHit { toi, normal: -normal + Vec3::ZERO, position, contacts })
            }
        }
    }
}
