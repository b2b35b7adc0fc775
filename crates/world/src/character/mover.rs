//! A character's walk: along floors, up steps, down stairs, and no farther up than a slope allows.
//!
//! ```text
//!   carry:          what it stands on has moved -> as far as that moved the place where it stands
//!   recover:        out of what it penetrates
//!   on the ground:  slide along          -> if that loses way:  up by a step, along, down again; whichever gets farther
//!                   then down by a step  -> a floor there is the ground; else it begins to fall
//!   in the air:     slide                -> a floor right below is the ground
//! ```
//! It asks the world what any caller may ask, sweeps and slides, and stands only where their answers put it.
//!
//! Source: the walk of Quake's `SV_WalkMove` (id Software, 1996): up, forward, down.

use crate::{
    BodyHit, BodyOverlap, Character, Filter, Ground, Object, ObjectKey, SlideOptions, Walk, World,
    character::platform::Frame,
    sweep::free_motion::{Incline, Manner},
    sweep::resolve_rounding::placed,
    sweep::slide::{Slides, is_same_place},
};
use cullide_narrowphase::{
    BoxSweep, Capsule, CapsuleSweep, Error, Obb, RotatingSweep, Segment,
    glam::{DVec3, Vec3},
};

/// How a character walks. Lengths are in units of the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mover {
    /// Against gravity; need not be a unit vector. Without a length nothing is a floor.
    pub up: Vec3,
    /// The highest step that it climbs, and the deepest that it goes down without falling.
    pub step_height: f32,
    /// The steepest slope that carries, in radians from level, up to a right angle: what is steeper is a wall.
    pub max_slope: f32,
    /// In the air, a floor so far below carries.
    pub landing: f32,
}

impl Default for Mover {
    /// For metres with y up: steps of 0.35, slopes up to 45 degrees.
    fn default() -> Self {
        Self { up: Vec3::Y, step_height: 0.35, max_slope: std::f32::consts::FRAC_PI_4, landing: 0.02 }
    }
}

impl Mover {
    /// Moves a character for `dt` seconds at its velocity, first along with what it stands on if that has moved, and
    /// tells what happened.
    ///
    /// On the ground only what the velocity has across up counts, unless it leads upward, as a jump does: then it is in
    /// the air. The caller adds gravity to it in the air. Afterwards the velocity is the one to go on with: walls took
    /// what led into them, steps and slopes that it can walk took nothing, a floor took the fall. It is relative to the
    /// ground while there is one; whoever leaves a platform takes its velocity along.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`] or [`Error::Negative`] for the velocity, the time or a number of the
    /// mover; then nothing has moved.
    ///
    /// ```
    /// # use cullide_world::{Character, Filter, Mover, Object, World, narrowphase::{Aabb, Obb, Plane}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// world.insert_plane(Plane::new(Vec3::Y, 0.0)?, 0b1);
    /// let step = world.insert(Object::fixed(Aabb::new(Vec3::new(2.0, 0.0, -5.0), Vec3::new(5.0, 0.3, 5.0))?));
    ///
    /// let mut hero = Character::new(Obb::new(Vec3::new(0.0, 0.9, 0.0), Quat::IDENTITY, Vec3::new(0.3, 0.9, 0.3))?);
    /// let (mover, dt) = (Mover::default(), 1.0 / 60.0);
    /// for _ in 0..60 {
    ///     // Walk where the player wants on the ground, fall in the air.
    ///     hero.velocity = if hero.is_on_ground() { Vec3::X * 3.0 } else { hero.velocity - Vec3::Y * 9.81 * dt };
    ///     let walk = mover.walk(&world, &mut hero, dt, &Filter::ALL)?;
    ///     assert!(walk.overlap.is_none());
    /// }
    /// assert!(hero.position().x > 2.9 && (hero.position().y - 1.2).abs() < 1e-4);
    /// assert_eq!(hero.ground.unwrap().target, step.into());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn walk(&self, world: &World, character: &mut Character, dt: f32, filter: &Filter) -> Result<Walk, Error> {
        let incline = self.check(dt)?;
        BoxSweep::new(character.body, character.velocity * dt)?;
        Ok(self.walk_any(world, character, dt, filter, incline))
    }

    /// [`Mover::walk`] for a character that is a capsule, which does not turn. On the ground it also stands on the edge of
    /// a floor, however far its round end extends beyond it, and rounds it as it walks off.
    ///
    /// # Errors
    /// As [`Mover::walk`].
    ///
    /// ```
    /// # use cullide_world::{Character, Filter, Mover, World, narrowphase::{Capsule, Plane}, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert_plane(Plane::new(Vec3::Y, 0.0)?, 0b1);
    /// let mut hero = Character::new(Capsule::new(Vec3::Y * 0.3, Vec3::Y * 1.5, 0.3)?);
    /// for _ in 0..60 {
    ///     hero.velocity = Vec3::X * 3.0;
    ///     Mover::default().walk_capsule(&world, &mut hero, 1.0 / 60.0, &Filter::ALL)?;
    /// }
    /// assert!(hero.is_on_ground() && (hero.position() - Vec3::new(3.0, 0.9, 0.0)).length() < 1e-3);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn walk_capsule(
        &self,
        world: &World,
        character: &mut Character<Capsule>,
        dt: f32,
        filter: &Filter,
    ) -> Result<Walk, Error> {
        let incline = self.check(dt)?;
        CapsuleSweep::new(character.body, character.velocity * dt)?;
        Ok(self.walk_any(world, character, dt, filter, incline))
    }

    /// The walk of any body, whose motion is in range.
    fn walk_any<B: Slides>(
        &self,
        world: &World,
        character: &mut Character<B>,
        dt: f32,
        filter: &Filter,
        incline: Incline,
    ) -> Walk {
        let motion = character.velocity * dt;
        let up = unit(self.up);
        let mut walker = Walker { mover: self, world, filter, body: character.body, up, incline };

        let carried = walker.carry(character.ground, dt);
        let mut walk = Walk { overlap: walker.recover(), ..Walk::default() };
        if walk.overlap.is_some() {
            // Crushed, or buried: it stays where it is until there is a way out.
            character.body = walker.body;
            return walk;
        }
        let velocity = character.velocity;
        let from = carried.map_or(Vec3::ZERO, |ground| ground.velocity);
        let (left, ground) = if carried.is_some() && velocity.dot(up) <= 0.0 {
            let across = motion - up * motion.dot(up);
            let left = walker.climb(across, &mut walk);
            let level = velocity - up * velocity.dot(up);
            (if left == across { level } else { left / dt }, walker.stand(self.step_height))
        } else {
            let start = walker.body.center();
            let left = walker.slide(motion, Manner::Falling(incline), &mut walk);
            let is_rising = motion.dot(up) > 0.0 && (walker.body.center() - start).dot(up) > 0.0;
            let ground = if is_rising { None } else { walker.land(self.landing) };
            (if left == motion { velocity } else { left / dt }, ground)
        };
        let mut ground = ground.or_else(|| if left.dot(up) > 0.0 { None } else { walker.wedge() });
        if let (Some(now), Some(before)) = (&mut ground, carried)
            && now.target == before.target
        {
            now.velocity = before.velocity;
        }
        let mut velocity = left + from;
        if let Some(ground) = ground {
            velocity -= ground.velocity;
            velocity -= up * velocity.dot(up);
        }
        (character.body, character.velocity, character.ground) = (walker.body, velocity, ground);
        walk
    }

    /// Turns a character's box about up by an angle in radians, counter-clockwise as seen from above, and returns how
    /// far it turned: all of it unless there is no room.
    ///
    /// What is in its way pushes it aside, so a box that is longer than a corridor is wide turns with the corridor:
    /// call this in each frame before the walk, with the angle from the way that it faces to the way that it goes.
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::OutOfRange`] for the angle or a number of the mover; then nothing has turned.
    ///
    /// ```
    /// # use cullide_world::{Character, Filter, Mover, World, narrowphase::{Obb, Plane}, glam::{Quat, Vec3}};
    /// // A horse, twice as long as wide, along a wall that it nearly touches.
    /// let mut world = World::new();
    /// world.insert_plane(Plane::from_point_normal(Vec3::Z * -0.5, Vec3::Z)?, 0b1);
    /// let mut horse = Character::new(Obb::new(Vec3::Y, Quat::IDENTITY, Vec3::new(0.8, 1.0, 0.4))?);
    /// let turned = Mover::default().turn(&world, &mut horse, 0.5, &Filter::ALL)?;
    /// // Its corners would be in the wall: 0.8 sin 0.5 + 0.4 cos 0.5 = 0.73 from its centre.
    /// assert!(turned == 0.5 && (horse.position().z - 0.234).abs() < 0.01);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn turn(&self, world: &World, character: &mut Character, angle: f32, filter: &Filter) -> Result<f32, Error> {
        let incline = self.check(0.0)?;
        let up = unit(self.up);
        BoxSweep::new(character.body, Vec3::ZERO)?.rotating(up * angle)?;
        let mut walker = Walker { mover: self, world, filter, body: character.body, up, incline };
        if walker.recover().is_some() {
            return Ok(0.0);
        }
        let turned = walker.turn(angle);
        character.body = walker.body;
        Ok(turned)
    }

    /// What it can stand on, if all numbers make sense.
    fn check(&self, dt: f32) -> Result<Incline, Error> {
        let lengths = [("dt", dt), ("step_height", self.step_height), ("landing", self.landing)];
        for (field, length) in lengths.into_iter().chain([("max_slope", self.max_slope)]) {
            if !length.is_finite() {
                return Err(Error::NonFinite { field });
            }
            if length < 0.0 {
                return Err(Error::Negative { field });
            }
        }
        if self.max_slope > std::f32::consts::FRAC_PI_2 {
            return Err(Error::OutOfRange { field: "max_slope" });
        }
        Ok(Incline { up: unit(self.up).as_dvec3(), steepest: cosine(self.max_slope.into()) - NORMAL_ERROR })
    }
}

/// A normal of `f32` numbers may be off by so much.
const NORMAL_ERROR: f64 = 4.0 * f32::EPSILON as f64;

/// What sinks by a smaller share of a fall is held.
const HELD: f32 = 1e-3;

/// So far behind an edge, as a share of its own half width, a round body looks for the floor that ends there.
const EDGE: f64 = 1.0 / 64.0;

/// How near a turning box comes to what it meets, as a share of its half length.
const TURNING_SKIN: f32 = 1.0 / 1024.0;

/// How often a turn may give way.
const TURNS: usize = 8;

/// The turn of a box by an angle times an axis; `None` out of range.
fn turning(body: &Obb, rotation: Vec3) -> Option<RotatingSweep> {
    BoxSweep::new(*body, Vec3::ZERO).ok()?.rotating(rotation).ok()
}

/// The cosine of an angle from zero to a right one: the same bits on every platform, which the standard library does
/// not promise.
fn cosine(angle: f64) -> f64 {
    // Taylor's series, of which the twelfth term is below 1e-18.
    (1..=12).rev().fold(1.0, |sum, i| 1.0 - sum * angle * angle / f64::from((2 * i - 1) * (2 * i)))
}

/// A direction of length one, or none.
fn unit(direction: Vec3) -> Vec3 {
    let direction = direction.as_dvec3();
    let length = direction.length();
    if length > 0.0 && length.is_finite() { (direction / length).as_vec3() } else { Vec3::ZERO }
}

/// One walk.
struct Walker<'a, B> {
    mover: &'a Mover,
    world: &'a World,
    filter: &'a Filter<'a>,
    /// Where it got so far.
    body: B,
    up: Vec3,
    incline: Incline,
}

impl<B: Slides> Walker<'_, B> {
    /// Goes along with the ground, and returns it with the velocity that this was.
    fn carry(&mut self, ground: Option<Ground>, dt: f32) -> Option<Ground> {
        let mut ground = ground?;
        let now = Frame::of(self.world, ground.target)?;
        let foot = self.body.center() - self.up * self.body.height(self.up);
        let displacement = ground.frame.displacement(&now, foot);
        ground.frame = now;
        if dt > 0.0 {
            ground.velocity = (displacement / f64::from(dt)).as_vec3();
        }
        if displacement != DVec3::ZERO {
            // What carries is not in the way, though it has moved into the body.
            let (target, filter) = (ground.target, self.filter);
            let is_other = |key: ObjectKey, object: &Object| target != key.into() && filter.accepts(key, || object);
            let others = Filter::layers(filter.mask()).only(&is_other);
            let motion = displacement.as_vec3();
            if self.body.can_move(motion) {
                let options = SlideOptions::default();
                self.put(self.world.slide(&self.body, motion, Manner::Free, &others, &options).position);
            }
        }
        Some(ground)
    }

    /// Out of what it penetrates; what it penetrates still when there is no way.
    fn recover(&mut self) -> Option<BodyOverlap> {
        match self.world.recovered(&self.body, self.filter) {
            Some(free) => self.body = free,
            None => return self.body.swept(self.world, Vec3::ZERO, self.filter)?.overlap,
        }
        None
    }

    /// Moves along the ground, and returns what walls left of the motion.
    fn climb(&mut self, motion: Vec3, walk: &mut Walk) -> Vec3 {
        let start = self.body.center();
        // Way made along the wish: sliding sideways along a wall is no reason to rather not climb.
        let way = |end: Vec3| (end - start).dot(motion);
        let manner = Manner::Walking(self.incline);
        let left = self.slide(motion, manner, walk);
        let plain = self.body.center();
        if left == motion && way(plain) >= 0.99 * motion.length_squared() {
            return left;
        }
        self.put(start);
        self.drop(-self.mover.step_height);
        let raised = (self.body.center() - start).dot(self.up);
        let mut higher = Walk::default();
        let left_above = self.slide(motion, manner, &mut higher);
        let ground = self.stand(raised + self.mover.landing);
        let gains = [way(self.body.center()) - way(plain), left_above.dot(motion) - left.dot(motion)];
        if ground.is_none() || gains[0] < 0.0 || gains == [0.0; 2] {
            self.put(plain);
            return left;
        }
        // Up a slope it goes as fast as on the level; only a wall is a step.
        if walk.contacts.iter().any(|contact| !self.incline.carries(contact.normal.as_dvec3())) {
            walk.stepped = (self.body.center() - plain).dot(self.up).max(0.0);
            walk.contacts = higher.contacts;
        }
        left_above
    }

    /// Down to a floor at most so far below; stays without one.
    fn land(&mut self, depth: f32) -> Option<Ground> {
        let start = self.body.center();
        let ground = self.drop(depth).map(|hit| self.ground(&hit));
        let ground = ground.filter(|ground| self.incline.carries(ground.normal.as_dvec3()));
        if ground.is_none() {
            self.put(start);
        }
        ground
    }

    /// The same, and onto the edge of a floor, which something round may touch from the side.
    fn stand(&mut self, depth: f32) -> Option<Ground> {
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

    /// The floor that ends at the edge that a round body touches: right behind the edge, as seen from the body.
    fn floor_behind_edge(&self, hit: &BodyHit) -> Option<Ground> {
        let rise = hit.normal.dot(self.up);
        let aside = (self.up * rise - hit.normal).as_dvec3();
        if !self.body.is_round() || rise <= 0.0 || aside == DVec3::ZERO {
            return None;
        }
        let reach = EDGE * f64::from(self.body.extents().min_element());
        // The steepest floor rises and falls by no more.
        let cosine = self.incline.steepest.max(EDGE);
        let height = reach * (1.0 + (1.0 - cosine * cosine).max(0.0).sqrt() / cosine);
        let edge = hit.contacts.points()[0].as_dvec3() + aside * (reach / aside.length());
        let above = (edge + self.incline.up * height).as_vec3();
        let segment = Segment::new(above, (self.incline.up * (-2.0 * height)).as_vec3()).ok()?;
        let floor = self.world.cast_segment(&segment, self.filter).filter(|floor| !floor.inside)?;
        let carries = self.incline.carries(floor.normal.as_dvec3());
        carries.then(|| Ground::of(self.world, floor.target, floor.normal))
    }

    /// What it would stand on where it has touched something below.
    fn ground(&self, hit: &BodyHit) -> Ground {
        Ground::of(self.world, hit.target, hit.normal)
    }

    /// Between surfaces that are too steep each but let it sink no farther together: that is as good as a floor.
    fn wedge(&mut self) -> Option<Ground> {
        let start = self.body.center();
        let below = self.drop(self.mover.landing).filter(|hit| hit.normal.dot(self.up) > 0.0);
        if let Some(hit) = below {
            let mut ground = self.ground(&hit);
            let mut walk = Walk::default();
            let fall = self.up * -self.mover.landing;
            let sinks = self.slide(fall, Manner::Falling(self.incline), &mut walk).dot(fall);
            if sinks <= HELD * fall.length_squared() {
                if let Some(contact) = walk.contacts.last() {
                    ground = Ground::of(self.world, contact.target, contact.normal);
                }
                return Some(ground);
            }
        }
        self.put(start);
        None
    }

    /// Sweeps straight down, or up for a negative depth, and tells onto what.
    fn drop(&mut self, depth: f32) -> Option<BodyHit> {
        let swept = self.body.swept(self.world, self.up * -depth, self.filter)?;
        self.put(swept.position);
        swept.hit
    }

    /// Slides, and returns the motion to go on with.
    fn slide(&mut self, motion: Vec3, manner: Manner, walk: &mut Walk) -> Vec3 {
        let slide = self.world.slide(&self.body, motion, manner, self.filter, &SlideOptions::default());
        self.put(slide.position);
        walk.contacts = slide.contacts;
        slide.motion
    }

    /// Puts it there; where it is when that is out of range.
    fn put(&mut self, center: Vec3) {
        self.body = placed(&self.body, center);
    }
}

impl Walker<'_, Obb> {
    /// Turns, aside from what is in the way, and returns how far.
    fn turn(&mut self, angle: f32) -> f32 {
        let (mut left, size) = (1.0, self.body.half_edges().map(|edge| edge.length()).into_iter().fold(0.0, f32::max));
        let skin = size * TURNING_SKIN;
        for _ in 0..TURNS {
            let Some(sweep) = turning(&self.body, self.up * (angle * left)) else { break };
            let swept = self.world.sweep_rotating_box(&sweep, skin, self.filter);
            if swept.overlap.is_some() {
                break;
            }
            self.body = swept.body;
            let Some(hit) = swept.hit else { return angle };
            left *= 1.0 - hit.toi;
            // Where it would be at the end it is as deep in what it met as it has to give way.
            let Some(end) = turning(&self.body, self.up * (angle * left)) else { break };
            let Some(gap) = self.world.gap_to(&end.pose(1.0), hit.obstacle()) else { break };
            let away = gap.normal - self.incline.up * gap.normal.dot(self.incline.up);
            let way = (away * (gap.required_push() + 2.0 * f64::from(skin))).as_vec3();
            let before = self.body.center();
            self.slide(way, Manner::Walking(self.incline), &mut Walk::default());
            if hit.toi == 0.0 && is_same_place(before, self.body.center()) {
                break;
            }
        }
        angle * (1.0 - left)
    }
}
