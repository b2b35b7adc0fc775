//! Where a moving box stops.

use crate::{
    Filter, Target, World,
    shape::Convex,
    sweep::candidates::{FirstHit, Obstacle, SweepCandidates},
    sweep::swept_shape::{Settles, SweepingShape, placed},
};
use cullide_narrowphase::{BoxSweep, Contacts, Obb, glam::Vec3};

/// How the sweep of a box, a ball or a capsule through the world ends.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SweptBody {
    /// The centre of the body where it stops, or at the end of its motion: rounded so that the body penetrates nothing
    /// there except the half-spaces that it started wholly behind. For a body that overlaps something at the start, its
    /// centre there; likewise, whatever it hits, for a body of only a few steps of `f32` that finds no free place on its
    /// way.
    pub position: Vec3,
    /// What stops the body.
    pub hit: Option<BodyHit>,
    /// What the body overlaps at the start; the deepest of several. Then there is no hit.
    pub overlap: Option<BodyOverlap>,
}

/// The first touch of a moving body, a box, a ball or a capsule, with something in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyHit {
    /// What the body touches.
    pub target: Target,
    /// The part of a composite shape: the triangle of a mesh or a terrain, the child of a compound or its triangle (see
    /// [`Compound::child_of`](crate::Compound::child_of)); 0 for other shapes.
    pub part: u32,
    /// The caller's number for that part, such as its material; 0 if there is none.
    pub surface: u16,
    /// Time of impact in `[0, 1)` of the step, rounded toward zero.
    pub toi: f32,
    /// Unit normal of the thing hit, against the motion.
    pub normal: Vec3,
    /// Where they touch, and whether by a vertex, an edge or a face: [`Contacts::feature`].
    pub contacts: Contacts,
}

impl BodyHit {
    pub(crate) fn obstacle(&self) -> Obstacle {
        Obstacle { target: self.target, part: self.part }
    }
}

/// Interiors that overlap before a body has moved.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyOverlap {
    /// What the body overlaps.
    pub target: Target,
    /// The part of a composite shape: the triangle of a mesh or a terrain, the child of a compound or its triangle (see
    /// [`Compound::child_of`](crate::Compound::child_of)); 0 for other shapes.
    pub part: u32,
    /// The caller's number for that part, such as its material; 0 if there is none.
    pub surface: u16,
    /// How far to move along `normal` until they only touch.
    pub depth: f32,
    /// Unit direction of the shortest way out.
    pub normal: Vec3,
    /// The deepest points of the body.
    pub contacts: Contacts,
}

impl World {
    /// [`World::sweep`] of a box.
    pub(crate) fn sweep_box(&self, sweep: &BoxSweep, filter: &Filter) -> SweptBody {
        let (mut body, mut candidates) = (*sweep.body(), SweepCandidates::default());
        self.sweep_to(sweep, filter, &mut body, &mut candidates);
        let (hit, overlap) = self.told(candidates);
        SweptBody { position: body.center(), hit, overlap }
    }

    /// Moves a body to where it gets on its sweep, unless it overlaps something at the start, and records what it has
    /// met.
    pub(crate) fn sweep_to(&self, sweep: &BoxSweep, filter: &Filter, body: &mut Obb, candidates: &mut SweepCandidates) {
        self.meet(sweep, filter, candidates);
        self.stop(sweep.body(), sweep.motion(), filter, body, candidates);
    }

    /// Moves a body from its `start` to where it gets, given the `candidates` that it has met on its way, unless it
    /// overlaps something at the start.
    #[inline]
    pub(crate) fn stop<B: Settles>(
        &self,
        start: &B,
        motion: Vec3,
        filter: &Filter,
        body: &mut B,
        candidates: &SweepCandidates,
    ) {
        let center = start.center();
        let (wanted, time) = match &candidates.first {
            FirstHit::Nothing => (center + motion, 1.0),
            FirstHit::Hit(_, hit) => (hit.position, hit.toi),
            FirstHit::Overlap(..) => return,
        };
        let back = |share: f32| placed(start, center.lerp(wanted, 1.0 - share));
        *body = placed(start, wanted);
        self.resolve_rounding(body, candidates, start, (|| start.sweep(motion), time), back, filter);
    }

    /// Finds what the box meets, nearest first. An overlap at the start comes before every hit, the deepest first.
    fn meet(&self, sweep: &BoxSweep, filter: &Filter, candidates: &mut SweepCandidates) {
        let way = sweep.body().way(sweep.motion());
        self.test_planes(&way, filter, &|entry| sweep.against_plane(&entry.plane, entry.sides), candidates);
        let (extents, against) =
            (sweep.body().extents(), |part: Convex, limit, filtered| sweep.against_part(&part, limit, filtered));
        self.test_objects(&way, [Vec3::ZERO; 2], extents, filter, (&against, &|| Some(sweep.into())), candidates);
        self.settle_edge_normal(sweep.motion(), filter, candidates);
    }
}
