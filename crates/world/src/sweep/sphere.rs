//! Where a moving ball or capsule stops.

use crate::{
    Filter, SweptBody, World, WorldPlane,
    shape::Convex,
    shape::way::Limit,
    sweep::candidates::{BodySweep, SweepCandidates},
    sweep::swept_shape::Settles,
};
use cullide_narrowphase::{CapsuleSweep, SphereSweep, Sweep, glam::Vec3};

impl World {
    /// [`World::sweep`] of a ball.
    pub(crate) fn sweep_sphere(&self, sweep: &SphereSweep, filter: &Filter) -> SweptBody {
        let against_plane = |entry: &WorldPlane| sweep.against_plane(&entry.plane, entry.sides);
        let against = |part: Convex, limit: Limit, filtered| sweep.against_part(&part, limit.until(), filtered);
        self.sweep_round(sweep.body(), sweep.motion(), filter, &against_plane, (&against, &|| Some(sweep.into())))
    }

    /// [`World::sweep`] of a capsule.
    pub(crate) fn sweep_capsule(&self, sweep: &CapsuleSweep, filter: &Filter) -> SweptBody {
        let against_plane = |entry: &WorldPlane| sweep.against_plane(&entry.plane, entry.sides);
        let against = |part: Convex, limit: Limit, filtered| sweep.against_part(&part, limit.until(), filtered);
        self.sweep_round(sweep.body(), sweep.motion(), filter, &against_plane, (&against, &|| Some(sweep.into())))
    }

    /// The same for any round body.
    fn sweep_round<B: Settles>(
        &self,
        start: &B,
        motion: Vec3,
        filter: &Filter,
        against_plane: &dyn Fn(&WorldPlane) -> Sweep,
        against: BodySweep,
    ) -> SweptBody {
        let (way, mut candidates, mut body) = (start.way(motion), SweepCandidates::default(), *start);
        self.test_planes(&way, filter, against_plane, &mut candidates);
        self.test_objects(&way, [Vec3::ZERO; 2], start.extents(), filter, against, &mut candidates);
        self.settle_edge_normal(motion, filter, &mut candidates);
        self.stop(start, motion, filter, &mut body, &candidates);
        let (hit, overlap) = self.told(candidates);
        SweptBody { position: body.center(), hit, overlap }
    }
}
