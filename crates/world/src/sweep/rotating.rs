//! Sweeps of a box that turns while it moves.

use crate::{
    BodyHit, BodyOverlap, Filter, World, WorldPlane,
    scene::planes::{MotionBounds, NearPlane},
    shape::Convex,
    sweep::candidates::{FirstHit, Obstacle, SweepCandidates},
    sweep::swept_shape::SweepingShape,
    tuning,
};
use cullide_bvh::Leaf;
use cullide_narrowphase::{Aabb, Budget, Mapped, Obb, RotationCache, Sweep, TurningBoxSweep, glam::Vec3};
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// How a rotating sweep through the world ends.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SweptTurningBox {
    /// The box where it stops, or at the end of its motion: it penetrates nothing there except the half-spaces that it
    /// started wholly behind. If it overlaps something at the start, the box as it is there.
    pub body: Obb,
    /// What stops the box.
    pub hit: Option<BodyHit>,
    /// What the box overlaps at the start; the deepest of several. Then there is no hit.
    pub overlap: Option<BodyOverlap>,
}

impl World {
    /// [`World::sweep_turning`] of a box.
    pub(crate) fn sweep_turning_box(&self, sweep: &TurningBoxSweep, skin: f32, filter: &Filter) -> SweptTurningBox {
        self.sweep_turning_within(sweep, skin, filter, &Budget::default()).0
    }

    /// The same within a budget; also returns whether that was spent before the sweep was decided.
    pub(crate) fn sweep_turning_within(
        &self,
        sweep: &TurningBoxSweep,
        skin: f32,
        filter: &Filter,
        budget: &Budget,
    ) -> (SweptTurningBox, bool) {
        let (mut body, mut candidates) = (*sweep.body(), SweepCandidates::default());
        let limits = RotationLimits { skin, budget };
        self.sweep_rotating_to(sweep, limits, filter, &mut body, &mut candidates, &mut RotationCache::default());
        let (is_early, (hit, overlap)) = (candidates.is_early, self.told(candidates));
        (SweptTurningBox { body, hit, overlap }, is_early)
    }

    /// Moves a body to where its sweep stops, unless it overlaps something at the start; `candidates` receives what it
    /// hit.
    #[inline]
    pub(crate) fn sweep_rotating_to(
        &self,
        sweep: &TurningBoxSweep,
        limits: RotationLimits,
        filter: &Filter,
        body: &mut Obb,
        candidates: &mut SweepCandidates,
        turn: &mut RotationCache,
    ) {
        candidates.is_early = false;
        if sweep.rotation() == Vec3::ZERO && sweep.acceleration() == Vec3::ZERO {
            return self.sweep_to(sweep.translating(), filter, body, candidates);
        }
        self.test_rotating(sweep, limits, filter, candidates);
        let time = match &candidates.first {
            FirstHit::Nothing => 1.0,
            FirstHit::Hit(_, hit) => hit.toi,
            FirstHit::Overlap(..) => return,
        };
        *body = if let FirstHit::Hit(_, hit) = &candidates.first { sweep.body_at(hit) } else { sweep.end(turn) };
        let back = |share| sweep.pose(time * (1.0 - share));
        self.resolve_rounding(body, candidates, sweep.body(), (|| Some(*sweep), time), back, filter);
    }

    /// Tests everything near the way, as for a box that does not turn.
    fn test_rotating(
        &self,
        sweep: &TurningBoxSweep,
        limits: RotationLimits,
        filter: &Filter,
        candidates: &mut SweepCandidates,
    ) {
        let skin = limits.skin;
        let way = MotionBounds::new(sweep.body(), sweep.motion(), sweep.acceleration(), skin);
        if sweep.rotation().abs().element_sum() > tuning::FAST_ROTATION {
            return self.test_fast_rotation(sweep, &way, limits, filter, candidates);
        }
        let against = |entry: &WorldPlane| sweep.against_plane(&entry.plane, entry.sides, skin);
        self.test_planes(&way, filter, &against, candidates);
        let turn = [sweep.rotation(), sweep.acceleration()];
        let against = |part: Convex, _, _| sweep.within(&Budget::default()).against(part, skin);
        self.test_objects(&way, turn, sweep.body().extents(), filter, (&against, &|| None), candidates);
        self.settle_edge_normal(sweep.motion(), filter, candidates);
    }

    /// The same, piece by piece of the way, for a box that turns so far that a test may take many evaluations. Each
    /// candidate in a piece gets the same share of the budget, so that the result does not depend on the order in which
    /// a tree reports them.
    #[inline(never)]
    fn test_fast_rotation(
        &self,
        sweep: &TurningBoxSweep,
        way: &MotionBounds,
        limits: RotationLimits,
        filter: &Filter,
        candidates: &mut SweepCandidates,
    ) {
        let RotationLimits { skin, budget } = limits;
        self.find_planes(way, filter, candidates);
        let pieces = pieces_of(way);
        let (mut parts, mut known) = (SmallVec::<[Obstacle; 16]>::new(), Vec::new());
        for piece in 0..pieces {
            let times = [piece, piece + 1].mapped(|i| i as f32 / pieces as f32);
            // What is first near in this piece is touched no earlier than in this piece.
            if candidates.first.limit() <= times[0] && piece > 0 {
                break;
            }
            parts.clear();
            let path = path_of(sweep, way, times);
            self.find_parts(path, filter, candidates, &mut parts);
            let planes = if piece == 0 { &candidates.planes[..] } else { &[] };
            if pieces > 1 {
                parts.retain(|part| known.binary_search(part).is_err());
                known.extend_from_slice(&parts);
                known.sort_unstable();
            }
            let count = (planes.len() + parts.len()).max(1) as u32;
            let share = (budget.left() / count).max(tuning::LEAST_LOOKS);
            let (first, is_early) = (&mut candidates.first, &mut candidates.is_early);
            for NearPlane { from, slot } in planes {
                if *from > first.limit() {
                    break;
                }
                let Some(entry) = self.planes.get(*slot) else { continue };
                let own = Budget::new(share);
                let found = sweep.within(&own).against_plane(&entry.plane, entry.sides, skin);
                limits.note(self.plane_key(*slot).into(), found, share, &own, first, is_early);
            }
            for &obstacle in &parts {
                let Some(part) = self.convex(obstacle) else { continue };
                let own = Budget::new(share);
                let found = sweep.within(&own).free_until(times[0]).against(part, skin);
                limits.note(obstacle, found, share, &own, first, is_early);
            }
            // Without a path it was everything.
            if path.is_none() {
                break;
            }
        }
        candidates.objects.sort_unstable();
        candidates.objects.dedup();
        candidates.is_early &= matches!(candidates.first, FirstHit::Hit(..));
    }

    /// Adds the objects in a box, and their parts there; everything if there is no box.
    #[inline]
    fn find_parts(
        &self,
        path: Option<Aabb>,
        filter: &Filter,
        candidates: &mut SweepCandidates,
        parts: &mut SmallVec<[Obstacle; 16]>,
    ) {
        let SweepCandidates { objects, met_composite, .. } = candidates;
        let mut offer = |leaf: Leaf| {
            let (key, object) = self.keyed_object(leaf);
            let bounds = object.shape.aabb();
            // By the object's own box: that of the leaf may be larger.
            let is_near = path.is_none_or(|path| path.overlaps(&bounds));
            if is_near && filter.accepts_layers(object.layers) && filter.accepts(key, object) {
                objects.push(leaf);
                *met_composite |= object.shape.is_composite();
                object.shape.parts_near(&path.unwrap_or(bounds), &mut |part, _| parts.push(Obstacle::of(key, part)));
            }
        };
        for tree in self.trees(filter) {
            match &path {
                Some(path) => tree.overlap_aabb(path, filter.mask(), |leaf| {
                    offer(leaf);
                    ControlFlow::Continue(())
                }),
                None => tree.leaves().for_each(&mut offer),
            }
        }
    }
}

/// The number of pieces into which a long way is divided, each a few times as long as the box.
fn pieces_of(way: &MotionBounds) -> u32 {
    let lengths = way.motion.length() / way.reach;
    if lengths > PIECE { (lengths / PIECE).min(MOST_PIECES) as u32 + 1 } else { 1 }
}

/// How far a box gets in a piece of its way, in multiples of its reach.
const PIECE: f32 = 2.0;

/// There are no more pieces than this and one.
const MOST_PIECES: f32 = 255.0;

/// A box around everything that the box may touch on its way between two times, whichever way it turns; `None` beyond
/// the range of coordinates.
fn path_of(sweep: &TurningBoxSweep, way: &MotionBounds, [from, to]: [f32; 2]) -> Option<Aabb> {
    let reach = Vec3::splat(way.reach);
    if (from, to) == (0.0, 1.0) {
        let around = Aabb::new(way.center - reach, way.center + reach).ok()?;
        return around.swept(way.motion)?.swept(0.5 * sweep.acceleration());
    }
    let half = 0.5 * sweep.acceleration();
    let [start, end] = [from, to].mapped(|time| way.center + (way.motion + half * time) * time);
    // Between the two, it is displaced by a quarter of that at most.
    let reach = 1.000_1 * (reach + half.abs() * (to - from).powi(2));
    Aabb::new(start.min(end) - reach, start.max(end) + reach).ok()
}

/// The skin of a rotating sweep, and the budget that its tests share.
#[derive(Clone, Copy)]
pub(crate) struct RotationLimits<'a> {
    pub(crate) skin: f32,
    pub(crate) budget: &'a Budget,
}

impl RotationLimits<'_> {
    /// Merges the result of a test that was given a `share` of the budget, and charges what it used.
    #[inline(always)]
    fn note(
        &self,
        target: Obstacle,
        found: Sweep,
        share: u32,
        own: &Budget,
        first: &mut FirstHit,
        is_early: &mut bool,
    ) {
        self.budget.take(share - own.left() + tuning::THING_LOOKS);
        if matches!(found, Sweep::Clear) {
            return;
        }
        first.note(target, found);
        if first.is_hit_on(target) {
            *is_early = own.is_spent();
        }
    }
}
