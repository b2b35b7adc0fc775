//! Two boxes that both move and rotate, and a rotating box against a ball that moves.
//!
//! Seen in the frame in which the centre of the second stays where it is, this is as for a solid at rest, but the
//! planes between the two may rotate with either.
//!
//! Sources: as for solids at rest, see [`super::solid`].

use super::{
    TurningBoxSweep,
    budget::{Budget, FACETS},
    separating_plane::{RelativeMotion, SeparatingPlane},
    solid::{MAX_FACETS, MAX_SEPARATIONS},
    toi::ToiLimits,
};
use crate::{
    SphereSweep,
    distance::solid::penetration,
    minkowski::{DifferenceBox, box_solid::BoxSolid},
    sweep::{Sweep, moving_pair::beside_ball, round_toi, solid::overlap_of},
};
use glam::DVec3;

impl TurningBoxSweep {
    /// Returns the first touch of a box that moves and rotates as well, with a skin as in
    /// [`TurningBoxSweep::against_plane`]: nothing touches before `toi`, the gap there is at most the skin, and
    /// [`TurningBoxSweep::body_at`] does not penetrate `other.pose(toi)`, where the other box is then. The normal points
    /// to this box.
    ///
    /// An axis-aligned box takes part as `Obb::from(&aabb)`, a box at rest with a motion of zero.
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Obb, glam::{Quat, Vec3}};
    /// // Two blades that turn against each other, with their axes 3 apart; each reaches 2 from its axis.
    /// let blade = |x: f32| Obb::new(Vec3::X * x, Quat::IDENTITY, Vec3::new(0.1, 2.0, 0.1)).unwrap();
    /// let turning = |x: f32, turn: f32| BoxSweep::new(blade(x), Vec3::ZERO)?.rotating(Vec3::Z * turn);
    /// let hit = turning(0.0, -1.5)?.against_moving_box(&turning(3.0, 1.5)?, 1e-3).hit().unwrap();
    /// assert!(hit.toi > 0.3 && hit.toi < 0.6, "{hit:?}");
    /// // Side by side they pass.
    /// assert!(turning(0.0, 1.5)?.against_moving_box(&turning(4.1, 1.5)?, 1e-3).hit().is_none());
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_moving_box(&self, other: &Self, skin: f32) -> Sweep {
        self.against_rotating(other, skin, &Budget::default())
    }

    /// The same within a budget.
    pub(super) fn against_rotating(&self, other: &Self, skin: f32, budget: &Budget) -> Sweep {
        if self.only_translates() && other.only_translates() {
            return self.sweep.against_moving_box(&other.sweep);
        }
        let start = BoxSolid::from(other.body());
        if let Some(gap) = penetration(&start.difference(), self.body()).filter(|gap| gap.separation < 0.0) {
            return Sweep::Overlap(overlap_of(self.body(), &gap));
        }
        let motion = RelativeMotion::to_box(self, other);
        if motion.is_far(other.body(), skin) {
            return Sweep::Clear;
        }
        let search = ToiLimits { skin, budget };
        let (mut time, mut separations) = (0.0, 0);
        for _ in 0..MAX_FACETS {
            let edges = motion.solid_angular.rotated_vectors(other.body().wide_edges(), time);
            let solid = BoxSolid::around(motion.pivot, edges);
            let body = DifferenceBox::rotated(self.body(), motion.angular.rotated_vectors(motion.edges, time));
            budget.take(2 * FACETS);
            let Some(mut next) = motion.apart_along_facets(&solid.difference(), &body, time, search) else {
                return Sweep::Clear;
            };
            if next <= time && separations < MAX_SEPARATIONS {
                let Some(later) = motion.separates(&solid.difference(), &body, time, search) else {
                    return Sweep::Clear;
                };
                (next, separations) = (later, separations + 1);
            }
            if next <= time {
                break;
            }
            time = next;
        }
        let there = other.pose(round_toi(time));
        // Seen from where the other is, unrounded.
        let way = motion.center_at(round_toi(time).into()) - motion.pivot;
        self.hit_at(&BoxSolid::from(&there).difference(), time, there.center().as_dvec3() + way)
    }

    /// Returns the first touch of a ball that moves as well: as [`TurningBoxSweep::against_moving_box`].
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Obb, Sphere, SphereSweep, glam::{Quat, Vec3}};
    /// let bat = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(4.0, 0.25, 0.25))?;
    /// let swing = BoxSweep::new(bat, Vec3::ZERO)?.rotating(Vec3::Z)?;
    /// let ball = SphereSweep::new(Sphere::new(Vec3::new(3.0, 4.0, 0.0), 0.5)?, Vec3::Y * -3.0)?;
    /// let hit = swing.against_moving_sphere(&ball, 1e-3).hit().unwrap();
    /// assert!(hit.toi > 0.3 && hit.toi < 0.7 && hit.normal.y < 0.0, "{hit:?}");
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_moving_sphere(&self, other: &SphereSweep, skin: f32) -> Sweep {
        self.against_moving_ball(other, skin, &Budget::default())
    }

    /// The same within a budget.
    pub(super) fn against_moving_ball(&self, other: &SphereSweep, skin: f32, budget: &Budget) -> Sweep {
        let ball = other.body();
        if self.only_translates() {
            return self.sweep.against_moving_sphere(other);
        }
        let start = ball.gap(self.body());
        if start.separation < 0.0 {
            return Sweep::Overlap(overlap_of(self.body(), &start));
        }
        let mut motion = RelativeMotion::to_fixed(self);
        motion.motion -= other.motion().as_dvec3();
        (motion.pivot, motion.radius) = (ball.center().as_dvec3(), f64::from(ball.radius()));
        let search = ToiLimits { skin, budget };
        let mut time = 0.0;
        let mut normal = start.normal.normalize();
        for _ in 0..MAX_FACETS {
            // A plane that touches the ball, either at rest or rotating with the box.
            let mut latest = Some(time);
            for spin in [DVec3::ZERO, motion.angular.rate()] {
                let until = motion.apart_until(&SeparatingPlane { normal, spin }, DVec3::ZERO, 0.0, time, search);
                latest = latest.and_then(|latest: f64| until.map(|until| until.max(latest)));
            }
            let Some(next) = latest else { return Sweep::Clear };
            if next <= time {
                break;
            }
            budget.take(FACETS);
            time = next;
            // Any direction is safe; this one is close to the best.
            normal = other.pose(time as f32).gap(&self.pose(time as f32)).normal.normalize();
        }
        let toi = round_toi(time);
        let way = motion.center_at(toi.into()) - motion.pivot;
        Sweep::Hit(beside_ball(&self.pose(toi), &other.pose(toi), toi, way))
    }
}
