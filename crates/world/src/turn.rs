//! Where a box stops that turns while it moves.

use crate::{
    BodyHit, BodyOverlap, Filter, World,
    sweep::{First, SweptBox},
    tuning,
};
use cullide_bvh::{Probe, Visit};
use cullide_narrowphase::{
    Aabb, Obb, Overlap, Plane, Sides, SweepHit, TurningSweep,
    glam::{DVec3, Vec3},
};

/// How a turning sweep through the world ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurnedBox {
    /// The box where it stops, or at the end of its motion: it penetrates nothing there. For one that overlaps something at the start,
    /// as it is there.
    pub body: Obb,
    /// What stops it.
    pub hit: Option<BodyHit>,
    /// What it overlaps at the start; the deepest of several. Then there is no hit.
    pub overlap: Option<BodyOverlap>,
}

impl World {
    /// How far a box gets along its motion while it turns: as [`World::sweep_box`], for any angle, several turns included. It is certain
    /// that nothing is touched before the time of impact.
    ///
    /// `skin` is a length: what comes that near while it closes counts as touched; see [`TurningSweep::against_plane`]. A thousandth of
    /// the box's size does for games.
    ///
    /// ```
    /// # use cullide_world::{Filter, World, narrowphase::{BoxSweep, Obb, Plane}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?, 0b1);
    /// // Half a turn above the floor: clear of it at both ends, and deep in it between.
    /// let bar = Obb::new(Vec3::Y * 0.5, Quat::IDENTITY, Vec3::new(1.0, 0.1, 0.2))?;
    /// let spin = BoxSweep::new(bar, Vec3::ZERO)?.turning(Vec3::Z * std::f32::consts::PI)?;
    /// let stopped = world.sweep_turning_box(&spin, 1e-3, &Filter::ALL);
    /// let hit = stopped.hit.unwrap();
    /// assert!(hit.target == floor.into() && (hit.toi - 0.134).abs() < 1e-3);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn sweep_turning_box(&self, sweep: &TurningSweep, skin: f32, filter: &Filter) -> TurnedBox {
        if sweep.rotation() == Vec3::ZERO && sweep.acceleration() == Vec3::ZERO {
            let SweptBox { position, hit, overlap } = self.sweep_box(sweep.translating(), filter);
            return TurnedBox { body: placed(sweep.body(), position), hit, overlap };
        }
        let Some(first) = self.first_turning(sweep, skin, filter) else {
            return TurnedBox { body: sweep.pose(1.0), hit: None, overlap: None };
        };
        match first {
            First::Nothing => {
                TurnedBox { body: self.settle_turned(sweep, sweep.pose(1.0), 1.0, filter), hit: None, overlap: None }
            }
            First::Hit(target, hit) => {
                let body = self.settle_turned(sweep, sweep.body_at(&hit), hit.toi, filter);
                let SweepHit { toi, normal, contacts, .. } = hit;
                TurnedBox { body, hit: Some(BodyHit { target, toi, normal, contacts }), overlap: None }
            }
            First::Overlap(target, Overlap { depth, normal, contacts }) => {
                let overlap = Some(BodyOverlap { target, depth, normal, contacts });
                TurnedBox { body: *sweep.body(), hit: None, overlap }
            }
        }
    }

    /// What the box meets first, as for one that does not turn; `None` when nothing comes near it.
    fn first_turning(&self, sweep: &TurningSweep, skin: f32, filter: &Filter) -> Option<First> {
        let mut first = First::Nothing;
        let mut is_alone = true;
        let way = Way::new(sweep, skin);
        for (key, entry) in self.planes().filter(|(_, entry)| filter.accepts_layers(entry.layers)) {
            if !way.is_far_from(&entry.plane, entry.sides) {
                is_alone = false;
                first = first.or(key.into(), sweep.against_plane(&entry.plane, entry.sides, skin));
            }
        }
        let bends = sweep.acceleration() != Vec3::ZERO;
        for tree in self.trees(filter).filter(|tree| !tree.is_empty()) {
            let mut visit = |leaf| {
                is_alone = false;
                let (key, object) = self.behind(leaf);
                if filter.accepts(key, object) {
                    let found = object.shape.sweep_turning(sweep, skin);
                    first = std::mem::replace(&mut first, First::Nothing).or(key.into(), found);
                }
                first.limit()
            };
            let bounds = way.bounds(sweep);
            match (bounds, bounds.filter(|_| bends).and_then(|bounds| path(&bounds, sweep))) {
                // Nearest first, and no farther than the first touch.
                (Some(bounds), _) if !bends => {
                    tree.cast(&Probe::swept(&bounds, sweep.motion()), filter.mask(), |leaf, _| {
                        Visit::Within(visit(leaf))
                    });
                }
                (_, Some(path)) => tree.overlap_aabb(&path, filter.mask(), |leaf| {
                    visit(leaf);
                    Visit::Continue
                }),
                // Out of range: whatever is there.
                _ => tree
                    .leaves()
                    .filter(|&leaf| tree.mask(leaf).is_some_and(|mask| filter.accepts_layers(mask)))
                    .for_each(|leaf| {
                        visit(leaf);
                    }),
            }
        }
        (!is_alone).then_some(first)
    }

    /// The box of a sweep where it penetrates nothing, next to `wanted`, which it reaches at `time`.
    fn settle_turned(&self, sweep: &TurningSweep, wanted: Obb, time: f32, filter: &Filter) -> Obb {
        if let Some(center) = self.push_out(&wanted, wanted.center(), filter, tuning::SETTLE_ROUNDS) {
            return placed(&wanted, center);
        }
        let back = tuning::SETTLE_BACK.map(|share| sweep.pose(time * (1.0 - share)));
        let is_free = |body: &Obb| self.deepest(body, body.center(), filter).is_none();
        back.into_iter().find(is_free).unwrap_or(*sweep.body())
    }
}

/// The ball around a body however it is turned, on its way.
struct Way {
    center: DVec3,
    motion: DVec3,
    pull: DVec3,
    /// Its radius, with the skin and all that is lost where a pose is rounded to `f32`.
    reach: f64,
    /// How far the corners move by turning at most, with the same.
    arc: f64,
}

impl Way {
    fn new(sweep: &TurningSweep, skin: f32) -> Self {
        let center = sweep.body().center().as_dvec3();
        let (motion, pull) = (sweep.motion().as_dvec3(), sweep.acceleration().as_dvec3() * 0.5);
        let [a, b, c] = sweep.body().half_edges().map(|edge| edge.as_dvec3());
        // The squared distance of the farthest corner, or more where the edges are not at right angles.
        let squares = a.length_squared() + b.length_squared() + c.length_squared();
        let radius = (squares + 2.0 * (a.dot(b).abs() + a.dot(c).abs() + b.dot(c).abs())).sqrt();
        let lost = f64::from(f32::EPSILON) * ((center.abs() + motion.abs() + pull.abs()).element_sum() + radius);
        let more = f64::from(skin.max(0.0)) + lost;
        let arc = radius * sweep.rotation().as_dvec3().length() + more;
        Self { center, motion, pull, reach: radius + more, arc }
    }

    /// Whether the ball stays apart from a plane.
    fn is_far_from(&self, plane: &Plane, sides: Sides) -> bool {
        let normal = plane.normal().as_dvec3();
        let start = normal.dot(self.center) + f64::from(plane.d());
        let (motion, pull) = (normal.dot(self.motion), normal.dot(self.pull));
        // By the end it has come nearer by no more than the motion, with all of the pull or with none.
        let nearer = |sign: f64| sign * start + (sign * motion).min(0.0) + (sign * pull).min(0.0);
        let gap = if sides == Sides::Both { nearer(1.0).max(nearer(-1.0)) } else { nearer(1.0) };
        // What `f64` loses here is far less than what `reach` has for `f32`, but for the plane's own distance.
        gap > self.reach + f64::from(plane.d()).abs() * f64::EPSILON * 16.0
    }

    /// A box around the body however it turns, at the start; `None` out of range.
    fn bounds(&self, sweep: &TurningSweep) -> Option<Aabb> {
        let around: DVec3 = sweep.body().half_edges().iter().map(|edge| edge.as_dvec3().abs()).sum();
        let reach = (around + self.arc).min(DVec3::splat(self.reach));
        let reach = Vec3::from_array(reach.to_array().map(|x| (x as f32).next_up()));
        Aabb::from_center_half_extents(sweep.body().center(), reach).ok()
    }
}

/// A box around all of the way of one; `None` out of range.
fn path(bounds: &Aabb, sweep: &TurningSweep) -> Option<Aabb> {
    // On its way the centre is displaced by no more than the motion, with all of the acceleration or with none.
    bounds.swept(sweep.motion())?.swept(sweep.acceleration() * 0.5)
}

/// The box at another place; where it is when that is out of range.
fn placed(body: &Obb, center: Vec3) -> Obb {
    Obb::from_half_edges(center, body.half_edges()).unwrap_or(*body)
}
