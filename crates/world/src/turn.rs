//! Where a box stops that turns while it moves.

use crate::{
    BodyHit, BodyOverlap, Filter, Shape, World, WorldPlane,
    met::{First, Met},
    planes::Way,
    settle::Settles,
};
use cullide_narrowphase::{Obb, TurningSweep, WholeTurn, glam::Vec3};

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
        self.carry_turning(sweep, skin, filter, &mut body, &mut met, &mut WholeTurn::default());
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
        turn: &mut WholeTurn,
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
        *body = if let First::Hit(_, hit) = &met.first { sweep.body_at(hit) } else { sweep.end(turn) };
        self.settle(body, met, sweep.body(), |share| sweep.pose(time * (1.0 - share)), filter);
    }

    /// What the box meets, as for one that does not turn.
    fn meet_turning(&self, sweep: &TurningSweep, skin: f32, filter: &Filter, met: &mut Met) {
        let way = Way::new(sweep.body(), sweep.motion(), sweep.acceleration(), skin);
        let against = |entry: &WorldPlane| sweep.against_plane(&entry.plane, entry.sides, skin);
        self.meet_planes(&way, filter, against, met);
        let (turn, against) =
            ([sweep.rotation(), sweep.acceleration()], |shape: &Shape| shape.sweep_turning(sweep, skin));
        self.meet_objects(&way, turn, sweep.body().extents(), filter, against, met);
    }
}
