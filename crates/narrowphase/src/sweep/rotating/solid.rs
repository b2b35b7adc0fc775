//! A turning box against a convex solid.
//!
//! As long as the two are apart along one direction they do not touch, and along a direction that stays the box's reach is what it is
//! over a plane. So: take the facet of the sum of both that separates them most, see how long it does, and take the next one there, until
//! none separates them by more than the skin.
//!
//! Sources: Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996, §2.3; Catto, "Continuous Collision", GDC 2013
//! (bilateral advancement). Both stop close to a touch; the bound on the curvature makes each advance a certain one.

use super::{
    RotatingSweep,
    budget::{Budget, FACETS},
    facets::widest,
    plane::circumradius,
    rotation::Turn,
    separating_plane::Apart,
};
use crate::{
    Aabb, Brush, Obb, Patch,
    contact::manifold,
    minkowski::{Body, Facet, Hull, Origin, ROUNDING},
    sweep::{Sweep, SweepHit, round_toi, solid},
};
use glam::DVec3;

/// A handful does for nearly all. Who spins beside a solid needs one for each angle at which the gap is a quarter of the square of it, in
/// units of the box's radius; with less than a thousandth left for three turns it is stopped early after so many.
pub(super) const MAX_FACETS: usize = 1024;

/// How often in a sweep a box that is within the skin may turn out to leave, by planes that turn: these cost the most.
pub(super) const MAX_DEPARTURES: usize = 4;

impl RotatingSweep {
    /// The first touch of `brush`: as [`BoxSweep::against_brush`](crate::BoxSweep::against_brush), for a box that turns, with a skin as
    /// in [`RotatingSweep::against_plane`]. Nothing touches before `toi`; the gap there, as [`Brush::gap`] tells it, is at most the skin,
    /// and [`RotatingSweep::body_at`] does not penetrate. Costs some 5 to 10 sweeps that do not turn.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, BoxSweep, Brush, Obb, glam::{Quat, Vec3}};
    /// let post = Brush::try_from(&Aabb::new(Vec3::new(1.5, 0.0, -1.0), Vec3::new(2.0, 3.0, 1.0))?)?;
    /// // A beam that swings a quarter turn: its end comes to the post from the side.
    /// let beam = Obb::new(Vec3::Y, Quat::IDENTITY, Vec3::new(0.125, 0.25, 2.0))?;
    /// let swing = BoxSweep::new(beam, Vec3::ZERO)?.rotating(Vec3::Y * std::f32::consts::FRAC_PI_2)?;
    /// let hit = swing.against_brush(&post, 1e-3).hit().unwrap();
    /// assert!(hit.toi > 0.3 && hit.toi < 0.6, "{hit:?}");
    /// assert!(post.gap(&swing.body_at(&hit)).is_apart());
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_brush(&self, brush: &Brush, skin: f32) -> Sweep {
        self.within(&Budget::default()).against_brush(brush, skin)
    }

    /// The first touch of `patch`, from either side; as for a brush of no thickness.
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Obb, Patch, glam::{Quat, Vec3}};
    /// let patch = Patch::new(&[Vec3::new(1.0, 0.0, 0.0), Vec3::new(4.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 3.0)])?;
    /// let body = Obb::new(Vec3::new(2.0, 4.0, 1.0), Quat::IDENTITY, Vec3::new(1.0, 0.5, 0.25))?;
    /// let hit = BoxSweep::new(body, Vec3::Y * -4.0)?.rotating(Vec3::Z * 3.0)?.against_patch(&patch, 1e-3).hit().unwrap();
    /// assert!(hit.toi > 0.7 && hit.toi < 0.875);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_patch(&self, patch: &Patch, skin: f32) -> Sweep {
        self.within(&Budget::default()).against_patch(patch, skin)
    }

    /// The first touch of `aabb`, as for a brush of six planes.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, BoxSweep, Obb, glam::{Quat, Vec3}};
    /// let wall = Aabb::new(Vec3::new(2.0, -9.0, -9.0), Vec3::splat(9.0))?;
    /// let rod = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(0.0, 4.0, 0.0))?;
    /// let hit = BoxSweep::new(rod, Vec3::ZERO)?.rotating(Vec3::Z)?.against_aabb(&wall, 0.0).hit().unwrap();
    /// // Its end is at x = 4 sin t.
    /// assert!((hit.toi - 0.5f32.asin()).abs() < 1e-6 && hit.normal == Vec3::NEG_X);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_aabb(&self, aabb: &Aabb, skin: f32) -> Sweep {
        self.within(&Budget::default()).against_aabb(aabb, skin)
    }

    /// The first touch of a fixed oriented box.
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Obb, glam::{Quat, Vec3}};
    /// let post = Obb::new(Vec3::ZERO, Quat::from_rotation_z(0.7), Vec3::new(1.0, 2.0, 3.0))?;
    /// let body = Obb::new(Vec3::Z * 8.0, Quat::IDENTITY, Vec3::new(0.5, 0.25, 1.0))?;
    /// let hit = BoxSweep::new(body, Vec3::Z * -8.0)?.rotating(Vec3::Z * 9.0)?.against_obb(&post, 0.0).hit().unwrap();
    /// assert!((hit.toi - 0.5).abs() < 1e-6 && hit.normal == Vec3::Z);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_obb(&self, obb: &Obb, skin: f32) -> Sweep {
        self.within(&Budget::default()).against_obb(obb, skin)
    }

    pub(super) fn against_hull(&self, hull: &Hull, skin: f32, budget: &Budget) -> Sweep {
        if self.only_translates() {
            return self.sweep.against_hull(hull);
        }
        if self.stays_in_front(hull, skin) || self.stays_beside(hull) {
            return Sweep::Clear;
        }
        let turn = self.turn();
        let (mut time, mut departures) = (0.0, 0);
        for _ in 0..MAX_FACETS {
            budget.take(FACETS / 8);
            // Mostly a face of the solid tells, and no other facet need be known.
            if let Some(face) = self.widest_face(hull, &turn, time) {
                let along = self.along(hull, &turn, &face, skin);
                let Some(until) = along.first_touch(time, budget) else { return Sweep::Clear };
                if self.lands(hull, &turn, &face, &along, until) {
                    return self.stop_on(hull, face, until);
                }
                if until > time {
                    time = until;
                    continue;
                }
            } else if time == 0.0
                && let Some(start) = solid::penetration(hull, self.body()).filter(|start| start.separation < 0.0)
            {
                return Sweep::Overlap(solid::overlap_of(self.body(), &start));
            }
            if budget.is_spent() {
                break;
            }
            budget.take(FACETS);
            let open = self.open_facets(hull, &turn, time);
            let Some(mut next) = self.apart_until(hull, &turn, &open, skin, time, budget) else { return Sweep::Clear };
            if next <= time && departures < MAX_DEPARTURES {
                let Some(later) = self.departs_until(hull, &turn, &open, skin, time, budget) else {
                    return Sweep::Clear;
                };
                (next, departures) = (later, departures + 1);
            }
            if next <= time {
                break;
            }
            time = next;
        }
        self.stop_at(hull, time, self.center_at(round_toi(time).into()))
    }

    /// Whether the bounds of all places of the box are apart from those of the solid.
    fn stays_beside(&self, hull: &Hull) -> bool {
        let [center, motion, pull] =
            [self.body().center(), self.motion(), 0.5 * self.acceleration].map(|v| v.as_dvec3());
        let radius: f64 = self.body().wide_edges().iter().map(|edge| edge.length()).sum();
        // By the end it has moved by no more, either way, than with all of the pull or with none.
        let (low, high) = (motion.min(motion + pull).min(DVec3::ZERO), motion.max(motion + pull).max(DVec3::ZERO));
        let slack = radius + 32.0 * ROUNDING * (center.abs() + motion.abs() + pull.abs()).max_element() + hull.slack;
        let [min, max] = hull.bounds;
        (center + low - slack).cmpgt(max).any() || (center + high + slack).cmplt(min).any()
    }

    /// Whether the box stays in front of a face of the solid by more than the skin, wherever it turns.
    fn stays_in_front(&self, hull: &Hull, skin: f32) -> bool {
        let [center, motion, pull] =
            [self.body().center(), self.motion(), 0.5 * self.acceleration].map(|v| v.as_dvec3());
        let edges = self.body().wide_edges();
        let radius = circumradius([0, 1, 2].map(|i| DVec3::new(edges[0][i], edges[1][i], edges[2][i])));
        // No vertex moves farther by turning than along the arc.
        let arc = self.turn().angle * radius;
        let sums = center.abs() + motion.abs() + pull.abs();
        let skin = f64::from(skin).max(0.0);
        hull.planes.iter().any(|plane| {
            let (normal, length) = (plane.normal, plane.normal.length());
            let reach: f64 = edges.iter().map(|edge| normal.dot(*edge).abs()).sum();
            let reach = (reach + length * arc).min(length * radius);
            let nearest = normal.dot(center) + normal.dot(motion).min(0.0) + normal.dot(pull).min(0.0) - plane.distance;
            let error = 32.0 * ROUNDING * (normal.abs().dot(sums) + plane.distance.abs() + reach);
            nearest - reach > error + length * (skin + hull.plane_slack)
        })
    }

    /// The box and a solid at rest.
    pub(super) fn apart(&self, turn: &Turn) -> Apart {
        Apart {
            center: self.body().center().as_dvec3(),
            edges: self.body().wide_edges(),
            motion: self.motion().as_dvec3(),
            pull: self.acceleration.as_dvec3(),
            turn: *turn,
            pivot: DVec3::ZERO,
            solid_turn: Turn::new(DVec3::ZERO),
            radius: 0.0,
        }
    }

    /// The hit at `time`, where the centre is at `unrounded`.
    pub(super) fn stop_at(&self, hull: &Hull, time: f64, unrounded: DVec3) -> Sweep {
        let toi = round_toi(time);
        let there = if toi > 0.0 { self.pose(toi) } else { *self.body() };
        let body = Body::new(&there);
        let center = there.center();
        let Some(facet) = widest(hull, &body, center.as_dvec3()) else { return Sweep::Clear };
        // A small box may have been rounded through a thin solid: it is on the side where it was.
        let gap = facet.gap(&body, unrounded);
        let is_passed = gap.value < -gap.error;
        let facet = if is_passed { widest(hull, &body, unrounded).unwrap_or(facet) } else { facet };
        // What no vertex exceeds: an edge's own reach leaves out the rounding of its direction.
        let facet = if facet.origin == Origin::Edges { hull.supporting(facet.normal) } else { facet };
        hit(hull, &body, toi, &facet)
    }

    /// The same for a facet that is known to be the widest.
    fn stop_on(&self, hull: &Hull, facet: Facet, time: f64) -> Sweep {
        let toi = round_toi(time);
        let there = if toi > 0.0 { self.pose(toi) } else { *self.body() };
        hit(hull, &Body::new(&there), toi, &facet)
    }
}

/// The hit at `toi` of a box next to `facet`.
fn hit(hull: &Hull, body: &Body, toi: f32, facet: &Facet) -> Sweep {
    let center = body.obb.center();
    // Only at the end of the range of coordinates is there no place.
    let position = solid::push_out_of(facet, body, center).unwrap_or(center);
    let contacts = manifold::contacts(hull, body, position.as_dvec3(), facet.unit_normal());
    Sweep::Hit(SweepHit { toi, normal: facet.rounded_normal(), position, contacts })
}
