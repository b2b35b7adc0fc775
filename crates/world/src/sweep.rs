//! Where a moving box stops.

use crate::{Filter, Target, World, tuning};
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
        let start = sweep.body().center();
        match self.first(sweep, filter) {
            First::Nothing => {
                let position = self.settle(sweep.body(), start + sweep.motion(), filter);
                SweptBox { position, hit: None, overlap: None }
            }
            First::Hit(target, SweepHit { toi, normal, position, contacts }) => {
                let position = self.settle(sweep.body(), position, filter);
                SweptBox { position, hit: Some(BodyHit { target, toi, normal, contacts }), overlap: None }
            }
            First::Overlap(target, Overlap { depth, normal, contacts }) => {
                let overlap = Some(BodyOverlap { target, depth, normal, contacts });
                SweptBox { position: start, hit: None, overlap }
            }
        }
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
        self.push_out(body, body.center(), filter, tuning::DEPENETRATE_ROUNDS)
    }

    /// What the box meets first. An overlap at the start comes before every hit, the deepest first.
    fn first(&self, sweep: &BoxSweep, filter: &Filter) -> First {
        let mut first = First::Nothing;
        for (key, entry) in self.planes().filter(|(_, entry)| filter.accepts_layers(entry.layers)) {
            first = first.or(key.into(), sweep.against_plane(&entry.plane, entry.sides));
        }
        for tree in self.trees(filter) {
            let probe = Probe::swept(&sweep.body().aabb(), sweep.motion());
            tree.cast(&probe.within(first.limit()), filter.mask(), |leaf, _| {
                let (key, object) = self.behind(leaf);
                if filter.accepts(key, object) {
                    let found = object.shape.sweep(sweep);
                    first = std::mem::replace(&mut first, First::Nothing).or(key.into(), found);
                }
                Visit::Within(first.limit())
            });
        }
        first
    }

    /// Of what the box at `center` may penetrate, rounding considered, the deepest.
    pub(crate) fn deepest(&self, body: &Obb, center: Vec3, filter: &Filter) -> Option<Gap> {
        let body =
            if center == body.center() { *body } else { Obb::from_half_edges(center, body.half_edges()).ok()? };
        let mut deepest: Option<(Gap, Target)> = None;
        let mut offer = |gap: Option<Gap>, target: Target| {
            let Some(gap) = gap else { return };
            let is_deeper = |(old, key): (Gap, Target)| (gap.separation, target) < (old.separation, key);
            if deepest.is_none_or(is_deeper) {
                deepest = Some((gap, target));
            }
        };
        for (key, entry) in self.planes().filter(|(_, entry)| filter.accepts_layers(entry.layers)) {
            if !is_surely_apart(&entry.plane, entry.sides, &body) {
                let gap = entry.plane.gap(&body, entry.sides);
                offer(Some(gap).filter(|gap| !gap.is_apart()), key.into());
            }
        }
        for tree in self.trees(filter) {
            tree.overlap_aabb(&body.aabb(), filter.mask(), |leaf| {
                let (key, object) = self.behind(leaf);
                if filter.accepts(key, object) {
                    offer(object.shape.penetration(&body), key.into());
                }
                Visit::Continue
            });
        }
        deepest.map(|(gap, _)| gap)
    }

    /// The centre next to `wanted` at which the box penetrates nothing. Rounding may have put it a step of `f32` into what it
    /// touches; where pushing out does not help, as in a corner, it goes back toward its start, which is free.
    fn settle(&self, body: &Obb, wanted: Vec3, filter: &Filter) -> Vec3 {
        if let Some(center) = self.push_out(body, wanted, filter, tuning::SETTLE_ROUNDS) {
            return center;
        }
        let start = body.center();
        let back = tuning::SETTLE_BACK.map(|share| start.lerp(wanted, 1.0 - share));
        back.into_iter().find(|&center| self.deepest(body, center, filter).is_none()).unwrap_or(start)
    }

    pub(crate) fn push_out(&self, body: &Obb, wanted: Vec3, filter: &Filter, rounds: usize) -> Option<Vec3> {
        let mut center = wanted;
        for _ in 0..rounds {
            let Some(gap) = self.deepest(body, center, filter) else { return Some(center) };
            center = gap.moved(center);
        }
        None
    }
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
    /// The earlier of this and what was `found`.
    pub(crate) fn or(self, target: Target, found: Sweep) -> Self {
        match (self, found) {
            (first, Sweep::Clear) => first,
            (Self::Overlap(old, o), Sweep::Overlap(new)) if (-o.depth, old) <= (-new.depth, target) => {
                Self::Overlap(old, o)
            }
            (_, Sweep::Overlap(new)) => Self::Overlap(target, new),
            (Self::Nothing, Sweep::Hit(new)) => Self::Hit(target, new),
            (Self::Hit(old, h), Sweep::Hit(new)) if (new.toi, target) < (h.toi, old) => Self::Hit(target, new),
            (first, Sweep::Hit(_)) => first,
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
