//! Boxes and balls that move both, without turning.
//!
//! Seen from one of them the other moves by the difference of both motions, which `f64` holds but for one rounding. Where they touch, the
//! first is put beside the second as that is stored there.

use super::{
    BoxSweep, Contacts, FeatureId, Gap, Overlap, SphereSweep, Sweep, SweepHit,
    box_hull::BoxHull,
    hull::{Body, ROUNDING},
    manifold, round_toi,
    solid::{Meeting, meeting, overlap, push_out_of},
    sphere::first_touch,
};
use crate::{Aabb, Obb, Sphere, unit};
use glam::{DVec3, Vec3};

impl BoxSweep {
    /// The box at a time of the step, rounded to `f32`; a time outside of it counts as its nearer end, NaN as the start.
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Obb, glam::{Quat, Vec3}};
    /// let body = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::ONE)?;
    /// assert_eq!(BoxSweep::new(body, Vec3::X * 8.0)?.pose(0.5).center(), Vec3::X * 4.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn pose(&self, time: f32) -> Obb {
        let time = if time > 0.0 { f64::from(time.min(1.0)) } else { 0.0 };
        let center = (self.body().center().as_dvec3() + self.motion().as_dvec3() * time).as_vec3();
        Obb::from_half_edges(center, self.body().half_edges()).unwrap_or(*self.body())
    }

    /// The first touch of a box that moves as well: as [`BoxSweep::against_obb`], by the difference of both motions. At the time of impact the
    /// other is at `other.pose(toi)`, and the hit's position does not penetrate it there; its normal points to this box.
    ///
    /// An axis-aligned box takes part as `Obb::from(&aabb)`.
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
        let (solid, body) = (BoxHull::from(other.body()), Body::new(self.body()));
        match meeting(&solid.hull(), &body, self.motion().as_dvec3() - other.motion().as_dvec3()) {
            Meeting::Clear => Sweep::Clear,
            Meeting::Inside(separation, facet) => Sweep::Overlap(overlap(self.body(), separation, &facet)),
            Meeting::Enters(toi, facet) => {
                let toi = round_toi(toi);
                let there = BoxHull::from(&other.pose(toi));
                let beside = there.hull().supporting(facet.normal);
                let center = self.pose(toi).center();
                // Only at the end of the range of coordinates is there no place.
                let position = push_out_of(&beside, &body, center).unwrap_or(center);
                let contacts = manifold::contacts(&there.hull(), &body, position.as_dvec3(), facet.unit_normal());
                Sweep::Hit(SweepHit { toi, normal: facet.rounded_normal(), position, contacts })
            }
        }
    }

    /// The first touch of a ball that moves as well: as [`BoxSweep::against_sphere`] and [`BoxSweep::against_moving_box`].
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
        match first_touch(self.body(), other.body(), self.motion().as_dvec3() - other.motion().as_dvec3()) {
            Err(sweep) => sweep,
            Ok(toi) => {
                let toi = round_toi(toi);
                let (ball, mut body) = (other.pose(toi), self.pose(toi));
                for round in 0..8 {
                    let gap = ball.gap(&body);
                    if gap.is_apart() {
                        break;
                    }
                    let center = pushed(body.center(), gap.normal, gap.separation, round);
                    let Ok(moved) = Obb::from_half_edges(center, body.half_edges()) else { break };
                    body = moved;
                }
                Sweep::Hit(beside_ball(&body, &ball, toi))
            }
        }
    }
}

/// A centre pushed out of an overlap, each round by twice as much: rounding may take away what it is pushed by.
fn pushed(center: Vec3, normal: DVec3, separation: f64, round: i32) -> Vec3 {
    Gap::new(separation * f64::from(1 << round), 0.0, normal).moved(center)
}

/// The hit of a box that touches a ball where it is.
pub(super) fn beside_ball(body: &Obb, ball: &Sphere, toi: f32) -> SweepHit {
    let gap = ball.gap(body);
    let contact = (ball.center().as_dvec3() + gap.normal * f64::from(ball.radius())).as_vec3();
    let id = super::contacts::lowest(body, body.center().as_dvec3(), gap.normal, 0.0).id();
    let contacts = Contacts::new(&[(contact, gap.separation.max(0.0))], id);
    SweepHit { toi, normal: unit::unit(gap.normal), position: body.center(), contacts }
}

impl SphereSweep {
    /// The ball at a time of the step, rounded to `f32`; a time outside of it counts as its nearer end, NaN as the start.
    ///
    /// ```
    /// # use cullide_narrowphase::{Sphere, SphereSweep, glam::Vec3};
    /// let ball = SphereSweep::new(Sphere::new(Vec3::ZERO, 2.0)?, Vec3::X * 8.0)?;
    /// assert_eq!(ball.pose(0.5), Sphere::new(Vec3::X * 4.0, 2.0)?);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn pose(&self, time: f32) -> Sphere {
        let time = if time > 0.0 { f64::from(time.min(1.0)) } else { 0.0 };
        let center = (self.body().center().as_dvec3() + self.motion().as_dvec3() * time).as_vec3();
        Sphere::new(center, self.body().radius()).unwrap_or(*self.body())
    }

    /// The first touch of a box at rest, decided in `f64`; the position is not to penetrate it, up to rounding.
    ///
    /// ```
    /// # use cullide_narrowphase::{Obb, Sphere, SphereSweep, glam::{Quat, Vec3}};
    /// let post = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// let hit = SphereSweep::new(Sphere::new(Vec3::Y * 8.0, 2.0)?, Vec3::Y * -8.0)?.against_obb(&post).hit().unwrap();
    /// assert!((hit.toi, hit.normal) == (0.5, Vec3::Y) && hit.position.y >= 4.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_obb(&self, obb: &Obb) -> Sweep {
        self.against(&BoxSweep { body: *obb, motion: Vec3::ZERO })
    }

    /// The first touch of an axis-aligned box at rest, as of `Obb::from(aabb)`.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Sphere, SphereSweep, glam::Vec3};
    /// let wall = Aabb::new(Vec3::new(4.0, -9.0, -9.0), Vec3::splat(9.0))?;
    /// let hit = SphereSweep::new(Sphere::new(Vec3::ZERO, 2.0)?, Vec3::X * 4.0)?.against_aabb(&wall).hit().unwrap();
    /// assert_eq!((hit.toi, hit.normal), (0.5, Vec3::NEG_X));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_aabb(&self, aabb: &Aabb) -> Sweep {
        self.against_obb(&Obb::from(aabb))
    }

    /// The first touch of a box that moves as well, which is at `other.pose(toi)` then; see [`BoxSweep::against_moving_sphere`].
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Obb, Sphere, SphereSweep, glam::{Quat, Vec3}};
    /// let lift = BoxSweep::new(Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?, Vec3::Y * 4.0)?;
    /// let ball = SphereSweep::new(Sphere::new(Vec3::Y * 8.0, 2.0)?, Vec3::Y * -4.0)?;
    /// assert_eq!(ball.against_moving_box(&lift).hit().unwrap().toi, 0.5);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_moving_box(&self, other: &BoxSweep) -> Sweep {
        self.against(other)
    }

    fn against(&self, other: &BoxSweep) -> Sweep {
        // The box against the ball, seen from the ball.
        match other.against_moving_sphere(self) {
            Sweep::Clear => Sweep::Clear,
            Sweep::Overlap(overlap) => Sweep::Overlap(Overlap { normal: -overlap.normal + Vec3::ZERO, ..overlap }),
            Sweep::Hit(hit) => {
                let (there, mut ball) = (other.pose(hit.toi), self.pose(hit.toi));
                for round in 0..8 {
                    let gap = ball.gap(&there);
                    if gap.is_apart() {
                        break;
                    }
                    let center = pushed(ball.center(), -gap.normal, gap.separation, round);
                    let Ok(moved) = Sphere::new(center, ball.radius()) else { break };
                    ball = moved;
                }
                let SweepHit { toi, normal, contacts, .. } = beside_ball(&there, &ball, hit.toi);
                Sweep::Hit(SweepHit { toi, normal: -normal + Vec3::ZERO, position: ball.center(), contacts })
            }
        }
    }

    /// The first touch of a ball at rest.
    ///
    /// ```
    /// # use cullide_narrowphase::{Sphere, SphereSweep, glam::Vec3};
    /// let ball = SphereSweep::new(Sphere::new(Vec3::X * -8.0, 1.0)?, Vec3::X * 10.0)?;
    /// let hit = ball.against_sphere(&Sphere::new(Vec3::ZERO, 2.0)?).hit().unwrap();
    /// assert!((hit.toi - 0.5).abs() < 1e-6 && hit.normal == Vec3::NEG_X);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_sphere(&self, sphere: &Sphere) -> Sweep {
        self.against_moving_sphere(&Self { body: *sphere, motion: Vec3::ZERO })
    }

    /// The first touch of a ball that moves as well, decided in `f64`. The other is at `other.pose(toi)` then, and the hit's position does not
    /// penetrate it there beyond rounding.
    ///
    /// ```
    /// # use cullide_narrowphase::{Sphere, SphereSweep, glam::Vec3};
    /// let [left, right] = [-1.0, 1.0].map(|x| SphereSweep::new(Sphere::new(Vec3::X * 4.0 * x, 1.0).unwrap(), Vec3::X * -6.0 * x).unwrap());
    /// assert!((left.against_moving_sphere(&right).hit().unwrap().toi - 0.5).abs() < 1e-6);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_moving_sphere(&self, other: &Self) -> Sweep {
        let (way, motion) = (
            self.body().center().as_dvec3() - other.body().center().as_dvec3(),
            self.motion().as_dvec3() - other.motion().as_dvec3(),
        );
        let radius = f64::from(self.body().radius()) + f64::from(other.body().radius());
        let (distance, approach) = (way.length(), -way.dot(motion));
        let error = 16.0
            * ROUNDING
            * (self.body().center().abs().max(other.body().center().abs()).as_dvec3().length() + radius);
        let contact = |away: DVec3, ball: &Sphere, gap: f64| {
            let at = (ball.center().as_dvec3() - away * f64::from(ball.radius())).as_vec3();
            Contacts::new(&[(at, gap)], FeatureId::NONE)
        };
        let unit_of = |way: DVec3| if way == DVec3::ZERO { DVec3::Y } else { way.normalize() };
        if distance < radius - error {
            let (away, depth) = (unit_of(way), radius - distance);
            let contacts = contact(away, self.body(), -depth);
            return Sweep::Overlap(Overlap { depth: depth as f32, normal: unit::unit(away), contacts });
        }
        // |way + motion t| = radius, by the root that loses no digits.
        let excess = (distance - radius).max(0.0) * (distance + radius);
        let square = motion.length_squared();
        let discriminant = approach * approach - square * excess;
        if approach <= 0.0 || discriminant <= 0.0 || excess >= approach + discriminant.sqrt() {
            return Sweep::Clear;
        }
        let toi = round_toi(excess / (approach + discriminant.sqrt()));
        let (there, mut center) = (other.pose(toi), self.pose(toi).center());
        let mut away = unit_of(center.as_dvec3() - there.center().as_dvec3());
        for round in 0..8 {
            let gap = center.as_dvec3().distance(there.center().as_dvec3()) - radius;
            if gap >= 0.0 {
                break;
            }
            center = pushed(center, away, gap, round);
            away = unit_of(center.as_dvec3() - there.center().as_dvec3());
        }
        let gap = center.as_dvec3().distance(there.center().as_dvec3()) - radius;
        let ball = Sphere::new(center, self.body().radius()).unwrap_or(*self.body());
        Sweep::Hit(SweepHit {
            toi,
            normal: unit::unit(away),
            position: center,
            contacts: contact(away, &ball, gap.max(0.0)),
        })
    }
}
