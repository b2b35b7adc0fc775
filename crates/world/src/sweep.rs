//! Where a moving box stops.

use crate::{
    Filter, PlaneKey, Shape, Target, World, WorldPlane,
    met::{First, Met},
    planes::{NearPlane, NearPlanes, Way},
    tuning,
};
use cullide_bvh::Visit;
use cullide_narrowphase::{BoxSweep, Contacts, Gap, Obb, Sides, glam::Vec3};

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
        let (mut body, mut met) = (*sweep.body(), Met::default());
        self.carry(sweep, filter, &mut body, &mut met);
        let (hit, overlap) = met.first.parts();
        SweptBox { position: body.center(), hit, overlap }
    }

    /// Puts a body to where it gets on its sweep, unless it overlaps something at the start, and tells what it has met.
    pub(crate) fn carry(&self, sweep: &BoxSweep, filter: &Filter, body: &mut Obb, met: &mut Met) {
        self.meet(sweep, filter, met);
        let (start, center) = (sweep.body(), sweep.body().center());
        let wanted = match &met.first {
            First::Nothing => center + sweep.motion(),
            First::Hit(_, hit) => hit.position,
            First::Overlap(..) => return,
        };
        let back = |share: f32| placed(start, center.lerp(wanted, 1.0 - share));
        *body = placed(start, wanted);
        self.settle(body, met, start, back, filter);
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
        Some(self.push_out(body, body, filter, tuning::DEPENETRATE_ROUNDS)?.center())
    }

    /// What the box meets, nearest first. An overlap at the start comes before every hit, the deepest first.
    fn meet(&self, sweep: &BoxSweep, filter: &Filter, met: &mut Met) {
        let way = Way::new(sweep.body(), sweep.motion(), Vec3::ZERO, 0.0);
        self.meet_planes(&way, filter, |entry| sweep.against_plane(&entry.plane, entry.sides), met);
        let against = |shape: &Shape| shape.sweep(sweep);
        self.meet_objects(&way, [Vec3::ZERO; 2], sweep.body(), filter, against, met);
    }

    /// Of what a box that comes from its `start` may penetrate, rounding considered, the deepest. A small box may have been rounded or
    /// pushed through a plane altogether: it belongs where it started.
    fn deepest(&self, body: &Obb, start: &Obb, filter: &Filter) -> Option<Gap> {
        let mut deepest: Option<(Gap, Target)> = None;
        let mut offer = |gap: Option<Gap>, target: Target| {
            let Some(gap) = gap else { return };
            let is_deeper = |(old, key): (Gap, Target)| (gap.separation, target) < (old.separation, key);
            if deepest.is_none_or(is_deeper) {
                deepest = Some((gap, target));
            }
        };
        let mut near = NearPlanes::new();
        self.planes.near(&Way::new(body, start.center() - body.center(), Vec3::ZERO, 0.0), filter, &mut near);
        for NearPlane { slot, .. } in near {
            let entry = self.planes.get(slot).filter(|entry| !is_surely_apart(entry, body, start));
            let gap = entry.map(|entry| entry.plane.gap_since(start, body, entry.sides));
            offer(gap.filter(|gap| !gap.is_apart()), PlaneKey::new(slot, self.id).into());
        }
        for tree in self.trees(filter) {
            tree.overlap_aabb(&body.aabb(), filter.mask(), |leaf| {
                let (key, object) = self.behind(leaf);
                if filter.accepts(key, || object) {
                    offer(object.shape.penetration(body), key.into());
                }
                Visit::Continue
            });
        }
        deepest.map(|(gap, _)| gap)
    }

    /// Moves a box from where it gets to to the place next to it where it penetrates nothing. Rounding may have put it a step of `f32`
    /// into what it touches; where pushing out does not help, as in a corner, it goes `back` by a share of its way, or to its
    /// `start`, which is free.
    #[inline]
    pub(crate) fn settle(&self, body: &mut Obb, met: &Met, start: &Obb, back: impl Fn(f32) -> Obb, filter: &Filter) {
        if self.is_free_of_planes(body, met, start) && self.is_free_of_objects(body, met) {
            return;
        }
        let pushed = self.push_out(body, start, filter, tuning::SETTLE_ROUNDS);
        let free =
            || tuning::SETTLE_BACK.into_iter().map(back).find(|body| self.deepest(body, start, filter).is_none());
        *body = pushed.or_else(free).unwrap_or(*start);
    }

    /// Whether a box, where it ends or first touches something, certainly does not penetrate any of the planes near its way.
    #[inline]
    fn is_free_of_planes(&self, body: &Obb, met: &Met, start: &Obb) -> bool {
        let reached = met.planes.iter().take_while(|plane| plane.from <= met.first.limit());
        let mut others = reached.filter(|plane| !met.first.is_hit_on(PlaneKey::new(plane.slot, self.id).into()));
        others.all(|plane| self.planes.get(plane.slot).is_none_or(|entry| is_surely_apart(entry, body, start)))
    }

    /// Whether a box, where it ends or first touches something, certainly penetrates none of the objects near its way: it is near no others.
    #[inline]
    fn is_free_of_objects(&self, body: &Obb, met: &Met) -> bool {
        met.objects.iter().all(|&leaf| {
            let (key, object) = self.behind(leaf);
            met.first.is_hit_on(key.into())
                || !object.shape.aabb().overlaps(&body.aabb())
                || object.shape.penetration(body).is_none()
        })
    }

    /// The box, which comes from its `start`, moved to where it penetrates nothing, if so many rounds lead there.
    pub(crate) fn push_out(&self, body: &Obb, start: &Obb, filter: &Filter, rounds: usize) -> Option<Obb> {
        let mut body = *body;
        for _ in 0..rounds {
            let Some(gap) = self.deepest(&body, start, filter) else { return Some(body) };
            body = Obb::from_half_edges(gap.moved(body.center()), body.half_edges()).ok()?;
        }
        None
    }
}

/// The box at another place; where it is when that is out of range.
#[inline]
pub(crate) fn placed(body: &Obb, center: Vec3) -> Obb {
    Obb::from_half_edges(center, body.half_edges()).unwrap_or(*body)
}

/// Whether a box is apart from a plane, on the side where its `start` was, by more than all that `f64` may lose, some hundred times over.
#[inline]
fn is_surely_apart(entry: &WorldPlane, body: &Obb, start: &Obb) -> bool {
    let (normal, d) = (entry.plane.normal().as_dvec3(), f64::from(entry.plane.d()));
    let height = |center: Vec3| {
        let product = normal * center.as_dvec3();
        (product.element_sum() + d, product.abs().element_sum() + d.abs())
    };
    let [a, b, c] = body.half_edges();
    let along = |edge: Vec3| normal.dot(edge.as_dvec3()).abs();
    let reach = along(a) + along(b) + along(c);
    let (distance, size) = height(body.center());
    let side = if entry.sides == Sides::Both {
        let (distance, size) = height(start.center());
        if distance.abs() <= LOST * size {
            return false;
        }
        distance.signum()
    } else {
        1.0
    };
    side * distance - reach > LOST * (size + reach)
}

/// A hundred times what `f64` may lose of a sum of a few products, as a share of their magnitudes.
const LOST: f64 = 1e-12;
