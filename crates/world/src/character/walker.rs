//! One walk of a character: the parts of [`Mover`]'s walk, each a query to the world.

use crate::{
    BlockedStep, BodyHit, Filter, Ground, Mover, Object, ObjectKey, SlideContact, SlideOptions, Target, Walk, World,
    character::{platform::Frame, surroundings::Surroundings},
    sweep::free_motion::{Incline, Manner},
    sweep::lost::Lost,
    sweep::origin::Origin,
    sweep::slide::{Slides, is_same_place, rounding_near},
    sweep::swept_shape::placed,
};
use cullide_narrowphase::{
    BoxSweep, Listed, Mapped, Obb, Segment, TurningBoxSweep,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;

/// A body that sinks by a smaller share of a fall counts as held.
const HELD: f32 = 1e-3;

/// A motion that ends within this share of its length of where it leads on the level has got there.
const MISSED: f32 = 1e-4;

/// How far behind an edge a round body looks for the floor that ends there, as a share of its own half width.
const EDGE: f64 = 1.0 / 64.0;

/// The shares of a motion with which a step is tried.
const WAYS: [f32; 4] = [1.0, 0.5, 0.25, 0.125];

/// The least gain for which it goes around what sticks out of a wall, as a share of the motion.
const LITTLE: f32 = 0.01;

/// How near a turning box comes to what it meets, as a share of its half length.
const TURNING_SKIN: f32 = 1.0 / 1024.0;

/// The limit on how often a turn gives way.
const TURNS: usize = 8;

/// One walk.
pub(crate) struct Walker<'a, B> {
    pub(crate) mover: &'a Mover,
    pub(crate) world: &'a World,
    pub(crate) filter: &'a Filter<'a>,
    pub(crate) surroundings: &'a dyn Surroundings,
    /// The body, at the place reached so far.
    pub(crate) body: B,
    /// What rounding has taken from the motions that led there.
    pub(crate) lost: Lost,
    /// A unit vector, or zero.
    pub(crate) up: Vec3,
    pub(crate) incline: Incline,
}

impl<B: Slides> Walker<'_, B> {
    /// Moves along with the ground, and returns the ground with the velocity of that motion.
    pub(crate) fn carry(&mut self, ground: Option<Ground>, dt: f32) -> Option<Ground> {
        let mut ground = ground?;
        // What it stood on is gone, for example because another tile has replaced it: there may be ground again.
        let Some(now) = Frame::of(self.world, ground.target) else { return Some(ground) };
        let run = ground.surface_velocity(self.surroundings).as_dvec3() * f64::from(dt);
        let displacement = ground.frame.displacement(&now, self.foot()) + run;
        ground.frame = now;
        let velocity = (displacement / f64::from(dt)).as_vec3();
        if dt > 0.0 && velocity.is_finite() {
            ground.velocity = velocity;
        }
        if displacement != DVec3::ZERO {
            // What carries the body is not in its way, even if it has moved into it.
            let (target, filter) = (ground.target, self.filter);
            let is_other = |key: ObjectKey, object: &Object| target != key.into() && filter.accepts(key, object);
            let others = filter.clone().only(&is_other);
            let motion = displacement.as_vec3();
            // A slide would first leave what has moved into the body, by the shortest way, even if that led through a
            // wall.
            let is_held = self.surroundings.holds_in()
                && self.world.deepest(&self.body, Origin::Pushed(&self.body), &others).is_some();
            let others = if is_held { others.fixed_among() } else { others };
            if self.body.check_motion(motion).is_ok() {
                let options = SlideOptions::default();
                let slide = self.world.slide_on(&self.body, motion, &mut self.lost, Manner::Free, &others, &options);
                self.put(slide.position);
            }
        }
        Some(ground)
    }

    /// Moves along the ground, and returns what walls left of the motion.
    pub(crate) fn climb(&mut self, motion: Vec3, walk: &mut Walk) -> Vec3 {
        let (before, start) = (self.place(), self.body.center());
        // Progress in the direction of the motion: sliding sideways along a wall is no reason not to climb.
        let way = |end: Vec3| (end - start).dot(motion);
        let manner = Manner::Walking(self.incline);
        let left = self.slide(motion, manner, walk);
        let (reached, plain) = (self.place(), self.body.center());
        let missed = motion - (plain - start);
        let missed = missed - self.up * missed.dot(self.up);
        if left == motion && missed.length() <= MISSED * motion.length() + rounding_near(&self.body, plain) {
            return left;
        }
        let incline = self.incline;
        let is_wall = |normal: Vec3| !incline.carries(normal.as_dvec3());
        let gives_way = |target: Target| self.surroundings.gives_way(target, motion);
        if walk.contacts.iter().any(|contact| is_wall(contact.normal) && gives_way(contact.target)) {
            return left;
        }
        self.put_back(before);
        let is_step = walk.contacts.iter().any(|contact| is_wall(contact.normal));
        let raised = self.raised(motion, is_step).filter(|(left_above, _)| {
            let gains = [way(self.body.center()) - way(plain), left_above.dot(motion) - left.dot(motion)];
            gains[0] >= 0.0 && gains != [0.0; 2]
        });
        let Some((left_above, higher)) = raised else {
            let walls = walk.contacts.iter().map(|contact| contact.normal).filter(|normal| is_wall(*normal));
            let walls: SmallVec<[Vec3; 16]> = walls.listed();
            for wall in walls {
                self.put_back(before);
                let mut beside = Walk::default();
                let left_beside = self.beside(motion, wall, &mut beside);
                if way(self.body.center()) > way(plain) + LITTLE * motion.length_squared() {
                    walk.contacts = beside.contacts;
                    return left_beside;
                }
            }
            let wall = walk.contacts.iter().find(|contact| is_wall(contact.normal)).copied();
            walk.blocked = wall.map(|SlideContact { target, part, normal, .. }| {
                self.put_back(before);
                BlockedStep { target, part, normal, height: self.step_behind(motion) }
            });
            self.put_back(reached);
            return left;
        };
        // Up a slope it goes as fast as on the level; only a wall is a step.
        if is_step {
            walk.stepped = (self.body.center() - plain).dot(self.up).max(0.0);
            walk.contacts = higher.contacts;
        }
        left_above
    }

    /// Moves along the ground at the height of a step, and down again onto a floor; returns what walls there left of
    /// the motion, and what it met. `None` without such a floor.
    fn raised(&mut self, motion: Vec3, is_step: bool) -> Option<(Vec3, Walk)> {
        let (before, start) = (self.place(), self.body.center());
        let step_height = self.mover.step_height;
        // The side of a round body also reaches edges that are higher than its foot was raised.
        let highest = (is_step && self.body.is_round()).then(|| self.foothold() + step_height * (1.0 + HELD));
        // Such an edge may belong to the step after next: then it tries a shorter motion.
        for share in WAYS {
            self.put_back(before);
            self.drop(-step_height);
            let raised = (self.body.center() - start).dot(self.up);
            let mut higher = Walk::default();
            let left = self.slide(motion * share, Manner::Walking(self.incline), &mut higher);
            // Past a crest it goes on downward, but not past something that it has to climb.
            let lower = if is_step { self.mover.landing } else { step_height };
            if self.stand(raised + lower).is_none() {
                continue;
            }
            if highest.is_none_or(|highest| self.foothold() <= highest) {
                return Some((left / share, higher));
            }
        }
        None
    }

    /// How high above its foot the floor is on which it could stand where a motion leads, found from above; moves it.
    fn step_behind(&mut self, motion: Vec3) -> Option<f32> {
        let (start, foot) = (self.body.center(), self.foot().dot(self.up));
        self.drop(-2.0 * self.body.height(self.up));
        let raised = (self.body.center() - start).dot(self.up);
        let swept = self.body.swept(self.world, motion, self.filter).filter(|swept| swept.hit.is_none())?;
        self.put(swept.position);
        self.stand(raised)?;
        Some(self.foothold() - foot)
    }

    /// Moves along the ground a little away from a wall, and back to it, so that what sticks out of the wall by less
    /// than [`Mover::landing`] is not in the way, such as the next of a row of boxes.
    fn beside(&mut self, motion: Vec3, wall: Vec3, walk: &mut Walk) -> Vec3 {
        let across = wall - self.up * wall.dot(self.up);
        let away = across.normalize_or_zero() * self.mover.landing;
        self.shift(away);
        let left = self.slide(motion, Manner::Walking(self.incline), walk);
        self.shift(-away);
        left
    }

    /// Moves by `motion`, or as much of it as there is room for.
    fn shift(&mut self, motion: Vec3) {
        if let Some(swept) = self.body.swept(self.world, motion, self.filter) {
            self.put(swept.position);
        }
    }

    /// The height at which it touches what it stands on, or that of its foot in the air.
    fn foothold(&self) -> f32 {
        let below = self.body.swept(self.world, self.up * -self.mover.landing, self.filter).and_then(|swept| swept.hit);
        below.map_or(self.foot(), |hit| hit.contacts.points()[0]).dot(self.up)
    }

    /// Moves down onto a floor at most `depth` below; stays where it is if there is none.
    pub(crate) fn land(&mut self, depth: f32) -> Option<Ground> {
        let start = self.body.center();
        let hit = self.drop(depth).filter(|hit| self.incline.carries(hit.normal.as_dvec3()));
        let Some(hit) = hit else {
            self.put(start);
            return None;
        };
        let ground = self.ground(&hit);
        if self.slips_off(&hit) { None } else { Some(ground) }
    }

    /// Moves a box off a ledge of a wall that is narrower than [`Mover::landing`], if it would land on nothing else;
    /// returns whether it did.
    fn slips_off(&mut self, hit: &BodyHit) -> bool {
        let out = self.body.middle() - self.body.touching(self.world, hit);
        let out = (out - self.up * out.dot(self.up)).normalize_or_zero();
        if self.body.is_round() || out == Vec3::ZERO {
            return false;
        }
        let there = self.body.center();
        self.shift(out * self.mover.landing);
        let beside = self.body.center();
        let slips = self.drop(2.0 * self.mover.landing).is_none();
        self.put(if slips { beside } else { there });
        slips
    }

    /// Like [`Self::land`], but also onto the edge of a floor, which a round body may touch from the side.
    pub(crate) fn stand(&mut self, depth: f32) -> Option<Ground> {
        let start = self.body.center();
        let hit = self.drop(depth);
        let ground = hit.and_then(|hit| {
            let is_floor = self.incline.carries(hit.normal.as_dvec3());
            if is_floor { Some(self.ground(&hit)) } else { self.floor_behind_edge(&hit) }
        });
        if ground.is_none() {
            self.put(start);
        }
        ground
    }

    /// Returns the floor that ends at the edge touched by a round body: right behind the edge, as seen from the body.
    fn floor_behind_edge(&self, hit: &BodyHit) -> Option<Ground> {
        let rise = hit.normal.dot(self.up);
        let aside = (self.up * rise - hit.normal).as_dvec3();
        if !self.body.is_round() || rise <= 0.0 || aside == DVec3::ZERO {
            return None;
        }
        let reach = EDGE * f64::from(self.body.extents().min_element());
        // The steepest floor rises or falls by no more than this.
        let cosine = self.incline.steepest.max(EDGE);
        let height = reach * (1.0 + (1.0 - cosine * cosine).max(0.0).sqrt() / cosine);
        let edge = hit.contacts.points()[0].as_dvec3() + aside * (reach / aside.length());
        let above = (edge + self.incline.up * height).as_vec3();
        let segment = Segment::new(above, (self.incline.up * (-2.0 * height)).as_vec3()).ok()?;
        let floor = self.world.cast_segment(&segment, self.filter).filter(|floor| !floor.inside)?;
        let carries = self.incline.carries(floor.normal.as_dvec3());
        carries.then(|| self.ground_of((floor.target, floor.part), floor.normal))
    }

    /// What it stands on, given what it has touched below.
    fn ground(&self, hit: &BodyHit) -> Ground {
        self.ground_of((hit.target, hit.part), hit.normal)
    }

    fn ground_of(&self, floor: (Target, u32), normal: Vec3) -> Ground {
        Ground::of(self.world, self.surroundings, floor, normal, self.foot())
    }

    fn foot(&self) -> Vec3 {
        self.body.foot(self.up)
    }

    /// Returns the ground between surfaces that are each too steep to stand on, but together let the body sink no
    /// farther: that is as good as a floor.
    pub(crate) fn wedge(&mut self) -> Option<Ground> {
        let before = self.place();
        let below = self.drop(self.mover.landing).filter(|hit| hit.normal.dot(self.up) > 0.0);
        if let Some(hit) = below {
            let mut ground = self.ground(&hit);
            let mut walk = Walk::default();
            let fall = self.up * -self.mover.landing;
            let sinks = self.slide(fall, Manner::Falling(self.incline), &mut walk).dot(fall);
            if sinks <= HELD * fall.length_squared() {
                if let Some(contact) = walk.contacts.last() {
                    ground = self.ground_of((contact.target, contact.part), contact.normal);
                }
                return Some(ground);
            }
        }
        self.put_back(before);
        None
    }

    /// Sweeps straight down, or up for a negative depth, and returns what it hit.
    fn drop(&mut self, depth: f32) -> Option<BodyHit> {
        let swept = self.body.swept(self.world, self.up * -depth, self.filter)?;
        self.put(swept.position);
        swept.hit
    }

    /// Slides, and returns the motion to continue with.
    pub(crate) fn slide(&mut self, motion: Vec3, manner: Manner, walk: &mut Walk) -> Vec3 {
        let options = SlideOptions::default();
        let slide = self.world.slide_on(&self.body, motion, &mut self.lost, manner, self.filter, &options);
        self.put(slide.position);
        walk.contacts = slide.contacts;
        slide.motion
    }

    /// Where it is, and what rounding has taken from its motions so far.
    fn place(&self) -> (B, Lost) {
        (self.body, self.lost)
    }

    /// Puts it back to a place where it was before.
    fn put_back(&mut self, place: (B, Lost)) {
        (self.body, self.lost) = place;
    }

    /// Moves the body to `center`; it stays where it is if that is out of range.
    fn put(&mut self, center: Vec3) {
        self.body = placed(&self.body, center);
    }
}

impl Walker<'_, Obb> {
    /// Turns, giving way to what it meets, and returns how far it turned.
    pub(crate) fn turn(&mut self, angle: f32) -> f32 {
        let (mut left, size) =
            (1.0, self.body.half_edges().mapped(|edge| edge.length()).into_iter().fold(0.0, f32::max));
        let skin = size * TURNING_SKIN;
        for _ in 0..TURNS {
            let Some(sweep) = turning(&self.body, self.up * (angle * left)) else { break };
            let swept = self.world.sweep_turning_box(&sweep, skin, self.filter);
            if swept.overlap.is_some() {
                break;
            }
            self.body = swept.body;
            let Some(hit) = swept.hit else { return angle };
            left *= 1.0 - hit.toi;
            // Its depth at the end of the turn in what it met is how far it has to give way.
            let Some(end) = turning(&self.body, self.up * (angle * left)) else { break };
            let Some(gap) = self.world.gap_to(&end.pose(1.0), hit.obstacle()) else { break };
            let away = gap.normal - self.incline.up * gap.normal.dot(self.incline.up);
            let way = (away * (gap.required_push() + 2.0 * f64::from(skin))).as_vec3();
            let before = self.body.center();
            self.slide(way, Manner::Walking(self.incline), &mut Walk::default());
            if hit.toi == 0.0 && is_same_place(before, self.body.center(), Vec3::ZERO) {
                break;
            }
        }
        angle * (1.0 - left)
    }
}

/// The rotation of a box by an angle times an axis; `None` if out of range.
fn turning(body: &Obb, rotation: Vec3) -> Option<TurningBoxSweep> {
    BoxSweep::new(*body, Vec3::ZERO).ok()?.rotating(rotation).ok()
}
