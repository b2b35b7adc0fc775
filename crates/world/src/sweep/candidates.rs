//! The planes and objects near a body's way, and which of them it hits first.

use crate::{
    BodyHit, BodyOverlap, Filter, ObjectKey, PlaneKey, Target, World, WorldPlane,
    scene::planes::{EmptySphere, MotionBounds, NearPlane, NearPlanes},
    shape::{
        Convex,
        way::{Filtered, Limit, StraightWay, UnvisitedParts},
    },
};
use cullide_bvh::{Leaf, Probe, Visit};
use cullide_narrowphase::{Aabb, BodyWay, Overlap, Sweep, SweepHit, Triangle, glam::Vec3};
use smallvec::SmallVec;
use std::{cell::OnceCell, ops::ControlFlow};

/// The greatest number of parts met by a sweep that are kept.
const PARTS: usize = 8;

/// What is near a body's way, and what it hits first.
#[derive(Default)]
pub(crate) struct SweepCandidates {
    pub(crate) first: FirstHit,
    /// The triangle that the first hit is on, if it is on one.
    pub(crate) triangle: Option<Triangle>,
    /// Whether the first hit is where a spent budget stopped the sweep, short of the contact.
    pub(crate) is_early: bool,
    /// A sphere around the body that no plane reaches, so that short sweeps need not test any.
    pub(crate) empty_sphere: EmptySphere,
    /// The planes that it may touch.
    pub(crate) planes: NearPlanes,
    /// The objects that it may touch.
    pub(crate) objects: ObjectCandidates,
    /// The parts of these that it may touch, if these are few.
    pub(crate) parts: SmallVec<[(Leaf, u32); PARTS]>,
    /// Whether it has met a composite shape: nothing else that it meets has surfaces.
    pub(crate) met_composite: bool,
    /// Its motion, straight on, if it touches no other parts within [`BodyWay::room`] of where that leads.
    pub(crate) motion: Option<Vec3>,
}

/// The test of a body against a part, and the body itself, if it does not turn.
pub(crate) type BodySweep<'a> = (&'a dyn Fn(Convex, Limit, Filtered) -> Sweep, &'a dyn Fn() -> Option<BodyWay>);

/// Objects that a body may touch.
pub(crate) type ObjectCandidates = SmallVec<[Leaf; 8]>;

/// What a body meets: a plane, or a part of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Obstacle {
    pub(crate) target: Target,
    pub(crate) part: u32,
}

impl Obstacle {
    pub(crate) fn of(key: ObjectKey, part: u32) -> Self {
        Self { target: key.into(), part }
    }
}

impl From<PlaneKey> for Obstacle {
    fn from(key: PlaneKey) -> Self {
        Self { target: key.into(), part: 0 }
    }
}

impl World {
    /// The part of an object that an obstacle is; `None` for a plane, and for a stale key.
    pub(crate) fn convex(&self, obstacle: Obstacle) -> Option<Convex<'_>> {
        let Target::Object(key) = obstacle.target else { return None };
        self.object(key)?.get().shape.part(obstacle.part)
    }

    /// The hit or the overlap of a sweep, as a caller receives it.
    pub(crate) fn told(&self, candidates: SweepCandidates) -> (Option<BodyHit>, Option<BodyOverlap>) {
        let surface = |Obstacle { target, part }| {
            if candidates.met_composite { self.surface(target, part).unwrap_or(0) } else { 0 }
        };
        match candidates.first {
            FirstHit::Nothing => (None, None),
            FirstHit::Hit(met, SweepHit { toi, normal, contacts, .. }) => {
                let Obstacle { target, part } = met;
                (Some(BodyHit { target, part, surface: surface(met), toi, normal, contacts }), None)
            }
            FirstHit::Overlap(met, Overlap { depth, normal, contacts }) => {
                let Obstacle { target, part } = met;
                (None, Some(BodyOverlap { target, part, surface: surface(met), depth, normal, contacts }))
            }
        }
    }
}

/// The earliest hit, or the deepest overlap at the start, which comes before every hit.
#[derive(Default)]
pub(crate) enum FirstHit {
    #[default]
    Nothing,
    Hit(Obstacle, SweepHit),
    Overlap(Obstacle, Overlap),
}

/// The region that a body covers on its way.
enum Route {
    /// A box swept along a segment.
    Straight(Aabb, Vec3),
    /// A box around the whole motion, of a body that accelerates.
    Bent(Aabb),
    /// Beyond the range of coordinates: covers all leaves.
    Unbounded,
}

impl World {
    /// Collects the planes near the way, nearest first, and discards the hit and the objects of the previous sweep.
    #[inline(always)]
    pub(crate) fn find_planes(&self, way: &MotionBounds, filter: &Filter, candidates: &mut SweepCandidates) {
        candidates.first = FirstHit::Nothing;
        candidates.triangle = None;
        candidates.objects.clear();
        candidates.parts.clear();
        candidates.met_composite = false;
        candidates.motion = None;
        if way.stays_in(&candidates.empty_sphere) {
            candidates.planes.clear();
        } else {
            candidates.empty_sphere = self.planes.near(way, filter, &mut candidates.planes);
        }
    }

    /// Tests the planes near the way, in the order in which the body's bounding sphere reaches them.
    pub(crate) fn test_planes(
        &self,
        way: &MotionBounds,
        filter: &Filter,
        sweep: &dyn Fn(&WorldPlane) -> Sweep,
        candidates: &mut SweepCandidates,
    ) {
        self.find_planes(way, filter, candidates);
        for NearPlane { from, slot } in &candidates.planes {
            // What is met later than the first touch so far cannot be the first.
            if *from > candidates.first.limit() {
                break;
            }
            if let Some(entry) = self.planes.get(*slot) {
                candidates.first.note(PlaneKey::new(*slot, self.id).into(), sweep(entry));
            }
        }
    }

    /// Tests the objects against a body of these `extents`, which turns by `rotation`, after the planes. An overlap at
    /// the start comes before every hit, the deepest first. `sweep` may omit touches beyond the limit that it is
    /// given.
    pub(crate) fn test_objects(
        &self,
        way: &MotionBounds,
        [rotation, acceleration]: [Vec3; 2],
        extents: Vec3,
        filter: &Filter,
        (sweep, body): BodySweep,
        candidates: &mut SweepCandidates,
    ) {
        let mut trees = self.trees(filter).peekable();
        if trees.peek().is_none() {
            return;
        }
        let route = Route::new(way, extents, rotation, acceleration);
        candidates.motion = (rotation == Vec3::ZERO && acceleration == Vec3::ZERO).then_some(way.motion);
        let known = OnceCell::new();
        for tree in trees {
            let limit = candidates.first.limit();
            let first = &mut candidates.first;
            let mut visit = |leaf| {
                let (key, object) = self.keyed_object(leaf);
                if filter.accepts(key, object) {
                    candidates.objects.push(leaf);
                    candidates.met_composite |= object.shape.is_composite();
                    let until = first.until();
                    let mut meet = |part: u32, convex: Convex, filtered: Filtered| {
                        keep(&mut candidates.parts, &mut candidates.motion, (leaf, part));
                        let obstacle = Obstacle::of(key, part);
                        first.note(obstacle, sweep(convex, first.limit_of(obstacle), filtered));
                        if first.is_hit_on(obstacle) {
                            let met = if let Convex::Triangle(triangle, _) = convex { Some(triangle) } else { None };
                            candidates.triangle = met;
                        }
                        first.until()
                    };
                    match &route {
                        Route::Straight(around, motion) => {
                            let make = || body().unwrap_or_else(|| BodyWay::around(around, *motion));
                            let body = || known.get_or_init(make);
                            let way = StraightWay { around, motion: *motion, body: &body };
                            if object.shape.parts_along(&way, until, &mut meet) == UnvisitedParts::Unknown {
                                candidates.motion = None;
                            }
                        }
                        Route::Bent(path) => {
                            object.shape.parts_near(path, &mut |part, convex| _ = meet(part, convex, Filtered::No))
                        }
                        Route::Unbounded => {
                            let all = object.shape.aabb();
                            object.shape.parts_near(&all, &mut |part, convex| _ = meet(part, convex, Filtered::No));
                        }
                    }
                }
                first.limit()
            };
            match &route {
                // Nearest first, and no farther than the first touch.
                Route::Straight(around, motion) => {
                    let probe = Probe::swept(around, *motion).within(limit);
                    tree.cast(&probe, filter.mask(), |leaf, _| Visit::Within(visit(leaf)));
                }
                Route::Bent(path) => tree.overlap_aabb(path, filter.mask(), |leaf| {
                    visit(leaf);
                    ControlFlow::Continue(())
                }),
                Route::Unbounded => tree
                    .leaves()
                    .filter(|&leaf| tree.mask(leaf).is_some_and(|mask| filter.accepts_layers(mask)))
                    .for_each(|leaf| {
                        visit(leaf);
                    }),
            }
        }
    }
}

/// Keeps a part that a sweep has met; if there are too many, forgets how the body moves.
#[inline]
fn keep(parts: &mut SmallVec<[(Leaf, u32); PARTS]>, motion: &mut Option<Vec3>, part: (Leaf, u32)) {
    if parts.len() == PARTS {
        *motion = None;
    } else if motion.is_some() {
        parts.push(part);
    }
}

impl Route {
    /// Covers the body whichever way it turns, including what rounding its pose adds.
    #[inline]
    fn new(way: &MotionBounds, extents: Vec3, rotation: Vec3, acceleration: Vec3) -> Self {
        // No corner is farther from the centre than the bounding ball reaches, so turning takes none farther than that;
        // a little is added for the rounding of these sums.
        let turned = extents + Vec3::splat(way.reach * rotation.length());
        let reach = (1.000_01 * turned + Vec3::splat(way.margin)).min(Vec3::splat(way.reach));
        let Ok(around) = Aabb::new(way.center - reach, way.center + reach) else { return Self::Unbounded };
        if acceleration == Vec3::ZERO {
            return Self::Straight(around, way.motion);
        }
        // On its way the centre is displaced by no more than the motion, with all of the acceleration or with none.
        let path = around.swept(way.motion).and_then(|path| path.swept(0.5 * acceleration));
        path.map_or(Self::Unbounded, Self::Bent)
    }
}

impl FirstHit {
    /// Merges the result of one test: keeps the earlier hit, or the deeper overlap; if equal, the one with the smaller
    /// key.
    pub(crate) fn note(&mut self, target: Obstacle, found: Sweep) {
        match (&*self, found) {
            (_, Sweep::Clear) | (Self::Overlap(..), Sweep::Hit(_)) => {}
            (Self::Overlap(old, o), Sweep::Overlap(new)) if (-o.depth, *old) <= (-new.depth, target) => {}
            (Self::Hit(old, h), Sweep::Hit(new)) if (new.toi, target) >= (h.toi, *old) => {}
            (_, Sweep::Overlap(new)) => *self = Self::Overlap(target, new),
            (_, Sweep::Hit(new)) => *self = Self::Hit(target, new),
        }
    }

    /// Whether this is a hit on `target`, which the body then only touches where it stops.
    #[inline]
    pub(crate) fn is_hit_on(&self, target: Obstacle) -> bool {
        matches!(self, Self::Hit(hit, _) if *hit == target)
    }

    /// The fraction of the motion after which the body stops; `None` if it overlaps something.
    pub(crate) fn time(&self) -> Option<f32> {
        match self {
            Self::Nothing => Some(1.0),
            Self::Hit(_, hit) => Some(hit.toi),
            Self::Overlap(..) => None,
        }
    }

    /// How late something may be hit to come first: if equal to a hit so far, only with a smaller key.
    fn limit_of(&self, target: Obstacle) -> Limit {
        match self {
            Self::Hit(first, hit) if *first < target => Limit::Before(hit.toi),
            _ => Limit::Until(self.limit()),
        }
    }

    /// Like [`Self::limit`], but for an overlap its negated depth: anything less deep need not be known.
    pub(crate) fn until(&self) -> f32 {
        if let Self::Overlap(_, overlap) = self { -overlap.depth } else { self.limit() }
    }

    /// The fraction of the motion beyond which nothing can be hit earlier.
    pub(crate) fn limit(&self) -> f32 {
        match self {
            Self::Nothing => 1.0,
            // Times of impact are rounded toward zero: search one step of `f32` farther, so that no touch at the same
            // time is left out.
            Self::Hit(_, hit) => hit.toi.next_up(),
            Self::Overlap(..) => 0.0,
        }
    }
}
