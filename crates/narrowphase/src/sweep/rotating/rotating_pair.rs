//! Two boxes that both turn and move, and a turning box against a ball that moves.
//!
//! Seen so that the centre of the second stays where it is, as for a solid at rest; the planes between the two may turn with either.
//!
//! Source: as for solids, see [`super::solid`].

use super::{
    RotatingSweep,
    budget::{Budget, FACETS},
    facets::{latest, widest},
    rotation::Turn,
    separating_plane::{Apart, Divider},
    solid::{MAX_DEPARTURES, MAX_FACETS},
};
use crate::{
    Obb, SphereSweep,
    minkowski::{Body, Facet, Hull, box_solid::BoxHull},
    sweep::{
        Sweep,
        moving_pair::beside_ball,
        round_toi,
        solid::{self, overlap_of},
    },
};
use glam::DVec3;

impl RotatingSweep {
    /// The first touch of a box that moves and turns as well, with a skin as in [`RotatingSweep::against_plane`]: nothing touches before
    /// `toi`, the gap there is at most the skin, and [`RotatingSweep::body_at`] does not penetrate `other.pose(toi)`, where the other is
    /// then. The normal points to this box.
    ///
    /// An axis-aligned box takes part as `Obb::from(&aabb)`, one at rest with a motion of zero.
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Obb, glam::{Quat, Vec3}};
    /// // Two blades that turn against each other, their axes 3 apart: they reach 2 from there.
    /// let blade = |x: f32| Obb::new(Vec3::X * x, Quat::IDENTITY, Vec3::new(0.1, 2.0, 0.1)).unwrap();
    /// let turning = |x: f32, turn: f32| BoxSweep::new(blade(x), Vec3::ZERO)?.rotating(Vec3::Z * turn);
    /// let hit = turning(0.0, -1.5)?.against_moving_box(&turning(3.0, 1.5)?, 1e-3).hit().unwrap();
    /// assert!(hit.toi > 0.3 && hit.toi < 0.6, "{hit:?}");
    /// // Side by side they pass.
    /// assert!(turning(0.0, 1.5)?.against_moving_box(&turning(4.1, 1.5)?, 1e-3).hit().is_none());
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_moving_box(&self, other: &Self, skin: f32) -> Sweep {
        self.against_turning(other, skin, &Budget::default())
    }

    /// The same within a budget.
    pub(super) fn against_turning(&self, other: &Self, skin: f32, budget: &Budget) -> Sweep {
        if self.only_translates() && other.only_translates() {
            return self.sweep.against_moving_box(&other.sweep);
        }
        let start = BoxHull::from(other.body());
        if let Some(gap) = solid::penetration(&start.hull(), self.body()).filter(|gap| gap.separation < 0.0) {
            return Sweep::Overlap(overlap_of(self.body(), &gap));
        }
        let apart = self.apart_from(other);
        if apart.is_far(other.body(), skin) {
            return Sweep::Clear;
        }
        let (mut time, mut departures) = (0.0, 0);
        for _ in 0..MAX_FACETS {
            let edges = apart.solid_turn.vectors(other.body().wide_edges(), time);
            let solid = BoxHull::around(apart.pivot, edges);
            let body = Body::turned(self.body(), apart.turn.vectors(apart.edges, time));
            budget.take(2 * FACETS);
            let Some(mut next) = apart.until_any(&solid.hull(), &body, skin, time, budget) else {
                return Sweep::Clear;
            };
            if next <= time && departures < MAX_DEPARTURES {
                let Some(later) = apart.departs(&solid.hull(), &body, skin, time, budget) else { return Sweep::Clear };
                (next, departures) = (later, departures + 1);
            }
            if next <= time {
                break;
            }
            time = next;
        }
        let there = other.pose(round_toi(time));
        // Seen from where the other is, unrounded.
        let way = apart.center_at(round_toi(time).into()) - apart.pivot;
        self.stop_at(&BoxHull::from(&there).hull(), time, there.center().as_dvec3() + way)
    }

    /// The first touch of a ball that moves as well: as [`RotatingSweep::against_moving_box`].
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
        self.against_flying(other, skin, &Budget::default())
    }

    /// The same within a budget.
    pub(super) fn against_flying(&self, other: &SphereSweep, skin: f32, budget: &Budget) -> Sweep {
        let ball = other.body();
        if self.only_translates() {
            return self.sweep.against_moving_sphere(other);
        }
        let start = ball.gap(self.body());
        if start.separation < 0.0 {
            return Sweep::Overlap(overlap_of(self.body(), &start));
        }
        let mut apart = self.apart(&self.turn());
        apart.motion -= other.motion().as_dvec3();
        (apart.pivot, apart.radius) = (ball.center().as_dvec3(), f64::from(ball.radius()));
        let mut time = 0.0;
        let mut normal = start.normal.normalize();
        for _ in 0..MAX_FACETS {
            // A plane that touches the ball, at rest or turning with the box.
            let mut longest = Some(time);
            for spin in [DVec3::ZERO, apart.turn.rate()] {
                let until = apart.until(&Divider { normal, spin }, DVec3::ZERO, 0.0, skin, time, budget);
                longest = longest.and_then(|longest: f64| until.map(|until| until.max(longest)));
            }
            let Some(next) = longest else { return Sweep::Clear };
            if next <= time {
                break;
            }
            budget.take(FACETS);
            time = next;
            // Any direction is certain; this one is about the best.
            normal = other.pose(time as f32).gap(&self.pose(time as f32)).normal.normalize();
        }
        let toi = round_toi(time);
        let way = apart.center_at(toi.into()) - apart.pivot;
        Sweep::Hit(beside_ball(&self.pose(toi), &other.pose(toi), toi, way))
    }

    /// The two, so that the other's centre stays.
    fn apart_from(&self, other: &Self) -> Apart {
        let mut apart = self.apart(&self.turn());
        apart.motion -= other.motion().as_dvec3();
        apart.pull -= other.acceleration.as_dvec3();
        apart.pivot = other.body().center().as_dvec3();
        apart.solid_turn = other.turn();
        apart
    }
}

impl Apart {
    /// Whether the balls around both never come near each other along an axis of coordinates.
    fn is_far(&self, other: &Obb, skin: f32) -> bool {
        let radius = |edges: [DVec3; 3]| edges.iter().map(|edge| edge.length()).sum::<f64>();
        let reach = (radius(self.edges) + radius(other.wide_edges()) + f64::from(skin.max(0.0))) * (1.0 + 1e-9);
        let (way, pull) = (self.center - self.pivot, 0.5 * self.pull);
        let (low, high) = (
            self.motion.min(DVec3::ZERO) + pull.min(DVec3::ZERO),
            self.motion.max(DVec3::ZERO) + pull.max(DVec3::ZERO),
        );
        let slack = reach + 1e-12 * (self.center.abs() + self.pivot.abs() + high - low).element_sum();
        (way + low).cmpgt(DVec3::splat(slack)).any() || (way + high).cmplt(DVec3::splat(-slack)).any()
    }

    /// How long they are certain to be apart along a facet that turns with the solid: the widest, or any that they are apart along.
    fn until_any(&self, hull: &Hull, body: &Body, skin: f32, time: f64, budget: &Budget) -> Option<f64> {
        let center = self.center_at(time);
        let first = self.with_solid(hull, &widest(hull, body, center)?, skin, time, budget)?;
        if first > time {
            return Some(first);
        }
        latest(hull, body, center, first, |facet| self.with_solid(hull, facet, skin, time, budget))
    }

    /// The same along one facet: all of the solid stays behind it.
    fn with_solid(&self, hull: &Hull, facet: &Facet, skin: f32, time: f64, budget: &Budget) -> Option<f64> {
        let normal = facet.unit_normal();
        let top = hull.vertices.iter().copied().max_by(|a, b| normal.dot(*a).total_cmp(&normal.dot(*b)))?;
        let divider = Divider { normal, spin: self.solid_turn.rate() };
        self.until(&divider, self.arm(top, time), hull.slack, skin, time, budget)
    }

    /// The same along facets that turn otherwise, where all that turn with the solid come closer.
    fn departs(&self, hull: &Hull, body: &Body, skin: f32, time: f64, budget: &Budget) -> Option<f64> {
        latest(hull, body, self.center_at(time), time, |facet| self.until_across(hull, facet, skin, time, budget))
    }

    /// From the pivot to a vertex, as at the start.
    pub(super) fn arm(&self, vertex: DVec3, time: f64) -> DVec3 {
        let back = Turn::new(-self.solid_turn.rate());
        back.vector(vertex - self.pivot, time)
    }
}
