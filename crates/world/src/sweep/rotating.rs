//! Where a box stops that turns while it moves.

use crate::{
    BodyHit, BodyOverlap, Filter, Shape, Target, World, WorldPlane,
    scene::planes::{NearPlane, Way},
    sweep::candidates::{First, Met, Objects},
    sweep::settle::Settles,
    tuning,
};
use cullide_bvh::{Leaf, Visit};
use cullide_narrowphase::{Aabb, Budget, Obb, Sweep, TurningSweep, WholeTurn, glam::Vec3};

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
    /// What would take more than the looks of a [`Budget`] ends early, where it touches nothing: its hit is then farther off than the skin.
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
        self.sweep_turning_within(sweep, skin, filter, &Budget::default()).0
    }

    /// The same, by looks of a budget; and whether they did not suffice for all of it.
    pub(crate) fn sweep_turning_within(
        &self,
        sweep: &TurningSweep,
        skin: f32,
        filter: &Filter,
        budget: &Budget,
    ) -> (TurnedBox, bool) {
        let (mut body, mut met) = (*sweep.body(), Met::default());
        let whirl = Whirl { skin, budget };
        self.carry_turning(sweep, whirl, filter, &mut body, &mut met, &mut WholeTurn::default());
        let (is_early, (hit, overlap)) = (met.is_early, met.first.parts());
        (TurnedBox { body, hit, overlap }, is_early)
    }

    /// Puts a body to where it gets on its sweep, unless it overlaps something at the start, and tells what it has met.
    #[inline]
    pub(crate) fn carry_turning(
        &self,
        sweep: &TurningSweep,
        whirl: Whirl,
        filter: &Filter,
        body: &mut Obb,
        met: &mut Met,
        turn: &mut WholeTurn,
    ) {
        met.is_early = false;
        if sweep.rotation() == Vec3::ZERO && sweep.acceleration() == Vec3::ZERO {
            return self.carry(sweep.translating(), filter, body, met);
        }
        self.meet_turning(sweep, whirl, filter, met);
        let time = match &met.first {
            First::Nothing => 1.0,
            First::Hit(_, hit) => hit.toi,
            First::Overlap(..) => return,
        };
        *body = if let First::Hit(_, hit) = &met.first { sweep.body_at(hit) } else { sweep.end(turn) };
        let back = |share| sweep.pose(time * (1.0 - share));
        self.settle(body, met, sweep.body(), (|| Some(*sweep), time), back, filter);
    }

    /// What the box meets, as for one that does not turn.
    fn meet_turning(&self, sweep: &TurningSweep, whirl: Whirl, filter: &Filter, met: &mut Met) {
        let skin = whirl.skin;
        let way = Way::new(sweep.body(), sweep.motion(), sweep.acceleration(), skin);
        if sweep.rotation().abs().element_sum() > tuning::WHIRL {
            return self.meet_whirling(sweep, &way, whirl, filter, met);
        }
        let against = |entry: &WorldPlane| sweep.against_plane(&entry.plane, entry.sides, skin);
        self.meet_planes(&way, filter, against, met);
        let turn = [sweep.rotation(), sweep.acceleration()];
        let against = |shape: &Shape| shape.sweep_turning(&sweep.within(&Budget::default()), skin);
        self.meet_objects(&way, turn, sweep.body().extents(), filter, against, met);
    }

    /// The same for a box that turns so far that it may take many looks. Each of the things near its way gets the same share of those that
    /// are left, so that the order in which a tree has them does not matter.
    #[inline(never)]
    fn meet_whirling(&self, sweep: &TurningSweep, way: &Way, whirl: Whirl, filter: &Filter, met: &mut Met) {
        let Whirl { skin, budget } = whirl;
        self.find_planes(way, filter, met);
        met.objects = self.objects_around(sweep, way, filter);
        let count = (met.planes.len() + met.objects.len()).max(1) as u32;
        let share = (budget.left() / count).max(tuning::LEAST_LOOKS);
        for NearPlane { from, slot } in &met.planes {
            if *from > met.first.limit() {
                break;
            }
            let Some(entry) = self.planes.get(*slot) else { continue };
            let own = Budget::new(share);
            let found = sweep.within(&own).against_plane(&entry.plane, entry.sides, skin);
            whirl.note(self.plane_key(*slot).into(), found, share, &own, &mut met.first, &mut met.is_early);
        }
        for leaf in &met.objects {
            let (key, object) = self.behind(*leaf);
            let own = Budget::new(share);
            let found = object.shape.sweep_turning(&sweep.within(&own), skin);
            whirl.note(key.into(), found, share, &own, &mut met.first, &mut met.is_early);
        }
        met.is_early &= matches!(met.first, First::Hit(..));
    }

    /// The objects near the way of a box, however it turns.
    #[inline]
    fn objects_around(&self, sweep: &TurningSweep, way: &Way, filter: &Filter) -> Objects {
        let mut near = Objects::new();
        let mut trees = self.trees(filter).peekable();
        if trees.peek().is_none() {
            return near;
        }
        let around = Aabb::new(way.center - way.reach, way.center + way.reach).ok();
        let path = around.and_then(|around| around.swept(way.motion)?.swept(0.5 * sweep.acceleration()));
        let mut offer = |leaf: Leaf| {
            let (key, object) = self.behind(leaf);
            // By the object's own box: that of the leaf may be larger.
            let is_near = path.is_none_or(|path| path.overlaps(&object.shape.aabb()));
            if is_near && filter.accepts_layers(object.layers) && filter.accepts(key, || object) {
                near.push(leaf);
            }
        };
        for tree in trees {
            match &path {
                Some(path) => tree.overlap_aabb(path, filter.mask(), |leaf| {
                    offer(leaf);
                    Visit::Continue
                }),
                None => tree.leaves().for_each(&mut offer),
            }
        }
        near
    }
}

/// How closely a turning box is swept, and by how many looks at most.
#[derive(Clone, Copy)]
pub(crate) struct Whirl<'a> {
    pub(crate) skin: f32,
    pub(crate) budget: &'a Budget,
}

impl Whirl<'_> {
    /// Takes note of what was found with a share of the budget, and of the looks that it took.
    #[inline(always)]
    fn note(&self, target: Target, found: Sweep, share: u32, own: &Budget, first: &mut First, is_early: &mut bool) {
        self.budget.take(share - own.left() + tuning::THING_LOOKS);
        if found == Sweep::Clear {
            return;
        }
        first.note(target, found);
        if first.is_hit_on(target) {
            *is_early = own.is_spent();
        }
    }
}
