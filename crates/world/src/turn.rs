//! Where a box stops that turns while it moves.

use crate::{BodyHit, BodyOverlap, Filter, Target, World, WorldPlane, planes::Way, sweep::First, tuning};
use cullide_bvh::{Probe, Visit};
use cullide_narrowphase::{Aabb, Obb, TurningSweep, glam::Vec3};

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
        let mut body = *sweep.body();
        let (hit, overlap) = self.carry_turning(sweep, skin, filter, &mut body).parts();
        TurnedBox { body, hit, overlap }
    }

    /// Puts a body to where it gets on its sweep, unless it overlaps something at the start, and returns what stops it.
    #[inline]
    pub(crate) fn carry_turning(&self, sweep: &TurningSweep, skin: f32, filter: &Filter, body: &mut Obb) -> First {
        if sweep.rotation() == Vec3::ZERO && sweep.acceleration() == Vec3::ZERO {
            return self.carry(sweep.translating(), filter, body);
        }
        let Some(first) = self.first_turning(sweep, skin, filter) else {
            *body = sweep.pose(1.0);
            return First::Nothing;
        };
        match &first {
            First::Nothing => *body = self.settle_turned(sweep, &sweep.pose(1.0), 1.0, None, filter),
            First::Hit(target, hit) => {
                *body = self.settle_turned(sweep, &sweep.body_at(hit), hit.toi, Some(*target), filter);
            }
            First::Overlap(..) => {}
        }
        first
    }

    /// What the box meets first, as for one that does not turn; `None` when nothing comes near it.
    fn first_turning(&self, sweep: &TurningSweep, skin: f32, filter: &Filter) -> Option<First> {
        let way = Way::new(sweep.body(), sweep.motion(), sweep.acceleration(), skin);
        let against = |entry: &WorldPlane| sweep.against_plane(&entry.plane, entry.sides, skin);
        let mut first = self.first_plane(&way, filter, against);
        for tree in self.trees(filter) {
            let mut is_alone = first.is_none();
            let mut met = first.unwrap_or(First::Nothing);
            let mut visit = |leaf| {
                is_alone = false;
                let (key, object) = self.behind(leaf);
                if filter.accepts(key, object) {
                    met.note(key.into(), object.shape.sweep_turning(sweep, skin));
                }
                met.limit()
            };
            let ball = Aabb::from_center_half_extents(way.center, Vec3::splat(way.reach)).ok();
            let bends = way.pull != Vec3::ZERO;
            match (ball, ball.filter(|_| bends).and_then(|ball| path(&ball, &way))) {
                // Nearest first, and no farther than the first touch.
                (Some(ball), _) if !bends => {
                    tree.cast(&Probe::swept(&ball, way.motion), filter.mask(), |leaf, _| Visit::Within(visit(leaf)));
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
            first = (!is_alone).then_some(met);
        }
        first
    }

    /// The box of a sweep where it penetrates nothing, next to `wanted`, which it reaches at `time` and where it does not penetrate what
    /// it has `met`, if that is a plane.
    fn settle_turned(&self, sweep: &TurningSweep, wanted: &Obb, time: f32, met: Option<Target>, filter: &Filter) -> Obb {
        if let Some(body) = self.push_out(wanted, met, filter, tuning::SETTLE_ROUNDS) {
            return body;
        }
        let back = tuning::SETTLE_BACK.map(|share| sweep.pose(time * (1.0 - share)));
        let is_free = |body: &Obb| self.deepest(body, None, filter).is_none();
        back.into_iter().find(is_free).unwrap_or(*sweep.body())
    }
}

/// A box around all of the way of a ball; `None` out of range.
fn path(ball: &Aabb, way: &Way) -> Option<Aabb> {
    // On its way the centre is displaced by no more than the motion, with all of the acceleration or with none.
    ball.swept(way.motion)?.swept(way.pull)
}
