//! Where a moving box stops.

use crate::{
    Filter, PlaneKey, Target, World, WorldPlane,
    planes::{NearPlane, Way},
    tuning,
};
use cullide_bvh::{Probe, Visit};
use cullide_narrowphase::{BoxSweep, Contacts, Gap, Obb, Overlap, Plane, Sides, Sweep, SweepHit, glam::Vec3};

/// How a sweep through the world ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweptBox {
    /// The centre of the box where it stops, or at the end of its motion: rounded so that the box penetrates nothing there.
    /// For a box that overlaps something at the start, its start.
    pub position: Vec3,
    /// What stops it.
    pub hit: Option<BodyHit>,
    /// What it overlaps at the start; the deepest of several. Then there is no hit.
    pub overlap: Option<BodyOverlap>,
}

/// The first touch of a moving box with something of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyHit {
    /// What it touches.
    pub target: Target,
    /// Time of impact in `[0, 1)` of the step, rounded toward zero.
    pub toi: f32,
    /// Unit normal of the thing hit, against the motion.
    pub normal: Vec3,
    /// Where they touch.
    pub contacts: Contacts,
}

/// Interiors that overlap before a box has moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyOverlap {
    /// What it overlaps.
    pub target: Target,
    /// How far to move along `normal` until they only touch.
    pub depth: f32,
    /// Unit direction of the shortest way out.
    pub normal: Vec3,
    /// The deepest points of the box.
    pub contacts: Contacts,
}

/// What a box meets first.
pub(crate) enum First {
    Nothing,
    Hit(Target, SweepHit),
    Overlap(Target, Overlap),
}

impl World {
    /// How far a box gets along its motion. It touches on the way, but moving away or along stops nothing; touching exactly at the
    /// end belongs to the next step. Of several things at the same time, the one with the smallest key is reported.
    ///
    /// ```
    /// # use cullide_world::{Filter, World, narrowphase::{BoxSweep, Obb, Plane}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?, 0b1);
    /// let body = Obb::new(Vec3::Y * 6.0, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// let swept = world.sweep_box(&BoxSweep::new(body, Vec3::Y * -8.0)?, &Filter::ALL);
    /// assert_eq!((swept.hit.unwrap().target, swept.hit.unwrap().toi), (floor.into(), 0.5));
    /// assert_eq!(swept.position, Vec3::Y * 2.0);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn sweep_box(&self, sweep: &BoxSweep, filter: &Filter) -> SweptBox {
        let mut body = *sweep.body();
        let (hit, overlap) = self.carry(sweep, filter, &mut body).parts();
        SweptBox { position: body.center(), hit, overlap }
    }

    /// Puts a body to where it gets on its sweep, unless it overlaps something at the start, and returns what stops it.
    pub(crate) fn carry(&self, sweep: &BoxSweep, filter: &Filter, body: &mut Obb) -> First {
        let end = || placed(sweep.body(), sweep.body().center() + sweep.motion());
        let Some(first) = self.first(sweep, filter) else {
            *body = end();
            return First::Nothing;
        };
        match &first {
            First::Nothing => *body = self.settle(sweep.body(), &end(), None, filter),
            First::Hit(target, hit) => {
                *body = self.settle(sweep.body(), &placed(sweep.body(), hit.position), Some(*target), filter);
            }
            First::Overlap(..) => {}
        }
        first
    }

    /// A centre near the box's own at which it overlaps nothing: pushed out of the deepest overlap, again and again. `None` when
    /// that leads nowhere, as between walls closer together than the box is wide.
    ///
    /// ```
    /// # use cullide_world::{Filter, World, narrowphase::{Obb, Plane}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// world.insert_plane(Plane::new(Vec3::Y, 0.0)?, 0b1);
    /// let body = Obb::new(Vec3::Y * 1.5, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// assert_eq!(world.depenetrate(&body, &Filter::ALL), Some(Vec3::Y * 2.0));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn depenetrate(&self, body: &Obb, filter: &Filter) -> Option<Vec3> {
        Some(self.push_out(body, None, filter, tuning::DEPENETRATE_ROUNDS)?.center())
    }

    /// What the box meets first. An overlap at the start comes before every hit, the deepest first. `None` when nothing is so near that
    /// rounding could matter.
    fn first(&self, sweep: &BoxSweep, filter: &Filter) -> Option<First> {
        let way = Way::new(sweep.body(), sweep.motion(), Vec3::ZERO, 0.0);
        let mut first = self.first_plane(&way, filter, |entry| sweep.against_plane(&entry.plane, entry.sides));
        for tree in self.trees(filter) {
            let mut met = first.unwrap_or(First::Nothing);
            let probe = Probe::swept(&sweep.body().aabb(), sweep.motion());
            tree.cast(&probe.within(met.limit()), filter.mask(), |leaf, _| {
                let (key, object) = self.behind(leaf);
                if filter.accepts(key, object) {
                    met.note(key.into(), object.shape.sweep(sweep));
                }
                Visit::Within(met.limit())
            });
            first = Some(met);
        }
        first
    }

    /// What of the planes the box meets first; `None` when it comes near none.
    pub(crate) fn first_plane(
        &self,
        way: &Way,
        filter: &Filter,
        sweep: impl Fn(&WorldPlane) -> Sweep,
    ) -> Option<First> {
        let near = self.planes.near(way, filter);
        let mut first = First::Nothing;
        for NearPlane { from, slot } in &near {
            // What is met later than the first touch is not it.
            if *from > first.limit() {
                break;
            }
            if let Some(entry) = self.planes.get(*slot) {
                first.note(PlaneKey::new(*slot, self.id).into(), sweep(entry));
            }
        }
        (!near.is_empty()).then_some(first)
    }

    /// Of what a box may penetrate, rounding considered, the deepest; but for what it is known to be `free_of`.
    pub(crate) fn deepest(&self, body: &Obb, free_of: Option<Target>, filter: &Filter) -> Option<Gap> {
        let mut deepest: Option<(Gap, Target)> = None;
        let mut offer = |gap: Option<Gap>, target: Target| {
            let Some(gap) = gap else { return };
            let is_deeper = |(old, key): (Gap, Target)| (gap.separation, target) < (old.separation, key);
            if deepest.is_none_or(is_deeper) {
                deepest = Some((gap, target));
            }
        };
        for NearPlane { slot, .. } in self.planes.near(&Way::new(body, Vec3::ZERO, Vec3::ZERO, 0.0), filter) {
            let key = PlaneKey::new(slot, self.id).into();
            let entry = self.planes.get(slot).filter(|_| free_of != Some(key));
            let entry = entry.filter(|entry| !is_surely_apart(&entry.plane, entry.sides, body));
            offer(entry.map(|entry| entry.plane.gap(body, entry.sides)).filter(|gap| !gap.is_apart()), key);
        }
        for tree in self.trees(filter) {
            tree.overlap_aabb(&body.aabb(), filter.mask(), |leaf| {
                let (key, object) = self.behind(leaf);
                if filter.accepts(key, object) {
                    offer(object.shape.penetration(body), key.into());
                }
                Visit::Continue
            });
        }
        deepest.map(|(gap, _)| gap)
    }

    /// The box next to `wanted` where it penetrates nothing. Rounding may have put it a step of `f32` into what it touches, but not
    /// into what it has `met`, if that is a plane; where pushing out does not help, as in a corner, it goes back toward its `start`,
    /// which is free.
    fn settle(&self, start: &Obb, wanted: &Obb, met: Option<Target>, filter: &Filter) -> Obb {
        if let Some(body) = self.push_out(wanted, met, filter, tuning::SETTLE_ROUNDS) {
            return body;
        }
        let back = |share: f32| placed(start, start.center().lerp(wanted.center(), 1.0 - share));
        let mut back = tuning::SETTLE_BACK.into_iter().map(back);
        back.find(|body| self.deepest(body, None, filter).is_none()).unwrap_or(*start)
    }

    /// The box moved to where it penetrates nothing, if so many rounds lead there. Where it is, it does not penetrate what it has
    /// `met`, if that is a plane.
    pub(crate) fn push_out(&self, body: &Obb, met: Option<Target>, filter: &Filter, rounds: usize) -> Option<Obb> {
        let mut free_of = met.filter(|target| matches!(target, Target::Plane(_)));
        let mut body = *body;
        for _ in 0..rounds {
            let Some(gap) = self.deepest(&body, free_of.take(), filter) else { return Some(body) };
            body = Obb::from_half_edges(gap.moved(body.center()), body.half_edges()).ok()?;
        }
        None
    }
}

/// The box at another place; where it is when that is out of range.
#[inline]
fn placed(body: &Obb, center: Vec3) -> Obb {
    Obb::from_half_edges(center, body.half_edges()).unwrap_or(*body)
}

/// Whether a box is apart from a plane by more than all that `f64` may lose, some hundred times over.
fn is_surely_apart(plane: &Plane, sides: Sides, body: &Obb) -> bool {
    let (normal, center) = (plane.normal().as_dvec3(), body.center().as_dvec3());
    let reach: f64 = body.half_edges().iter().map(|edge| normal.dot(edge.as_dvec3()).abs()).sum();
    let (product, d) = (normal * center, f64::from(plane.d()));
    let distance = product.element_sum() + d;
    let distance = if sides == Sides::Both { distance.abs() } else { distance };
    distance - reach > 1e-12 * (product.abs().element_sum() + d.abs() + reach)
}

impl First {
    /// Takes note of what was `found`: the earlier of both stays.
    pub(crate) fn note(&mut self, target: Target, found: Sweep) {
        match (&*self, found) {
            (_, Sweep::Clear) | (Self::Overlap(..), Sweep::Hit(_)) => {}
            (Self::Overlap(old, o), Sweep::Overlap(new)) if (-o.depth, *old) <= (-new.depth, target) => {}
            (Self::Hit(old, h), Sweep::Hit(new)) if (new.toi, target) >= (h.toi, *old) => {}
            (_, Sweep::Overlap(new)) => *self = Self::Overlap(target, new),
            (_, Sweep::Hit(new)) => *self = Self::Hit(target, new),
        }
    }

    /// As the hit or the overlap that a caller is told.
    pub(crate) fn parts(self) -> (Option<BodyHit>, Option<BodyOverlap>) {
        match self {
            Self::Nothing => (None, None),
            Self::Hit(target, SweepHit { toi, normal, contacts, .. }) => {
                (Some(BodyHit { target, toi, normal, contacts }), None)
            }
            Self::Overlap(target, Overlap { depth, normal, contacts }) => {
                (None, Some(BodyOverlap { target, depth, normal, contacts }))
            }
        }
    }

    /// How far along the motion it is still worth looking.
    pub(crate) fn limit(&self) -> f32 {
        match self {
            Self::Nothing => 1.0,
            // Times of impact are rounded toward zero: look one step further, so that none at the same time is left out.
            Self::Hit(_, hit) => hit.toi.next_up(),
            Self::Overlap(..) => 0.0,
        }
    }
}
