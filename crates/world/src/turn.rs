//! Where a box stops that turns while it moves.

use crate::{
    BodyHit, BodyOverlap, Filter, World, WorldPlane,
    planes::Way,
    sweep::{First, Met},
};
use cullide_bvh::{Probe, Visit};
use cullide_narrowphase::{
    Aabb, Obb, TurningSweep,
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
        let (mut body, mut met) = (*sweep.body(), Met::default());
        self.carry_turning(sweep, skin, filter, &mut body, &mut met);
        let (hit, overlap) = met.first.parts();
        TurnedBox { body, hit, overlap }
    }

    /// Puts a body to where it gets on its sweep, unless it overlaps something at the start, and tells what it has met.
    #[inline]
    pub(crate) fn carry_turning(
        &self,
        sweep: &TurningSweep,
        skin: f32,
        filter: &Filter,
        body: &mut Obb,
        met: &mut Met,
    ) {
        if sweep.rotation() == Vec3::ZERO && sweep.acceleration() == Vec3::ZERO {
            return self.carry(sweep.translating(), filter, body, met);
        }
        self.meet_turning(sweep, skin, filter, met);
        let time = match &met.first {
            First::Nothing => 1.0,
            First::Hit(_, hit) => hit.toi,
            First::Overlap(..) => return,
        };
        *body = if let First::Hit(_, hit) = &met.first { sweep.body_at(hit) } else { sweep.pose(1.0) };
        self.settle(body, met, sweep.body(), |share| sweep.pose(time * (1.0 - share)), filter);
    }

    /// What the box meets, as for one that does not turn.
    fn meet_turning(&self, sweep: &TurningSweep, skin: f32, filter: &Filter, met: &mut Met) {
        let way = Way::new(sweep.body(), sweep.motion(), sweep.acceleration(), skin);
        let against = |entry: &WorldPlane| sweep.against_plane(&entry.plane, entry.sides, skin);
        self.meet_planes(&way, filter, against, met);
        let mut trees = self.trees(filter).peekable();
        if trees.peek().is_none() {
            return;
        }
        let bounds = bounds(&way, sweep);
        let bends = sweep.acceleration() != Vec3::ZERO;
        let bent = bounds.filter(|_| bends).and_then(|bounds| path(&bounds, sweep));
        for tree in trees {
            let mut visit = |leaf| {
                met.is_alone = false;
                let (key, object) = self.behind(leaf);
                if filter.accepts(key, object) {
                    met.first.note(key.into(), object.shape.sweep_turning(sweep, skin));
                }
                met.first.limit()
            };
            match (bounds, bent) {
                // Nearest first, and no farther than the first touch.
                (Some(bounds), _) if !bends => {
                    tree.cast(&Probe::swept(&bounds, way.motion), filter.mask(), |leaf, _| Visit::Within(visit(leaf)));
                }
                (_, Some(bent)) => tree.overlap_aabb(&bent, filter.mask(), |leaf| {
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
    }
}

/// A box around the body however it turns, at the start; `None` out of range.
fn bounds(way: &Way, sweep: &TurningSweep) -> Option<Aabb> {
    let around: DVec3 = sweep.body().half_edges().iter().map(|edge| edge.as_dvec3().abs()).sum();
    // No corner is farther from the centre than the ball reaches, so none gets farther than that by turning.
    let reach = f64::from(way.reach);
    let arc = reach * sweep.rotation().as_dvec3().length() + f64::from(way.margin);
    let reach = (around + arc).min(DVec3::splat(reach));
    Aabb::from_center_half_extents(way.center, Vec3::from_array(reach.to_array().map(|x| (x as f32).next_up()))).ok()
}

/// A box around all of the way of one; `None` out of range.
fn path(bounds: &Aabb, sweep: &TurningSweep) -> Option<Aabb> {
    // On its way the centre is displaced by no more than the motion, with all of the acceleration or with none.
    bounds.swept(sweep.motion())?.swept(0.5 * sweep.acceleration())
}
