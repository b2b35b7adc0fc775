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
    Character, Filter, Walk, World,
    character::{
        surroundings::{Surroundings, Unknown},
        walker::Walker,
    },
    sweep::free_motion::{Incline, Manner},
    sweep::slide::Slides,
};
use cullide_narrowphase::{BoxSweep, Capsule, Error, glam::Vec3};

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
    /// In the air, a floor so far below carries; with zero none does, for sweeps stop a little before what they meet.
    pub landing: f32,
    /// The force with which it pushes all rigid bodies in its way together, in newtons for metres and kilograms. Used
    /// by `Dynamics::walk` alone.
    pub push_force: f32,
}

impl Default for Mover {
    /// For metres with y up: steps of 0.35, slopes up to 45 degrees, and a push that moves 50 kilograms against a
    /// friction of 0.6.
    fn default() -> Self {
        let max_slope = std::f32::consts::FRAC_PI_4;
        Self { up: Vec3::Y, step_height: 0.35, max_slope, landing: 0.02, push_force: 300.0 }
    }
}

impl Mover {
    /// The same mover in smaller units, so many of which make one of the present ones: 100 centimetres make a metre. Its
    /// force grows as the weight of bodies of one density does, by the fourth power; one of a mass of its own weighs
    /// `units` times as much.
    ///
    /// ```
    /// # use cullide_world::Mover;
    /// assert_eq!(Mover::default().in_units(100.0).step_height, 35.0);
    /// ```
    #[must_use]
    pub fn in_units(self, units: f32) -> Self {
        Self {
            up: self.up,
            step_height: self.step_height * units,
            max_slope: self.max_slope,
            landing: self.landing * units,
            push_force: self.push_force * (units * units) * (units * units),
        }
    }

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
        self.walk_any(world, &Unknown, character, dt, filter)
    }

    /// [`Mover::walk`] for a character that is a capsule, which does not turn. On the ground it also stands on the edge
    /// of a floor, however far its round end extends beyond it, and rounds it as it walks off. It climbs no edge that is
    /// higher than a step above where it touches the ground.
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
        self.walk_any(world, &Unknown, character, dt, filter)
    }

    /// The walk of any body.
    pub(crate) fn walk_any<B: Slides>(
        &self,
        world: &World,
        surroundings: &dyn Surroundings,
        character: &mut Character<B>,
        dt: f32,
        filter: &Filter,
    ) -> Result<Walk, Error> {
        let incline = self.check(dt)?;
        let motion = character.velocity * dt;
        character.body.check_motion(motion)?;
        let up = self.unit_up();
        let mut walker = Walker { mover: self, world, filter, surroundings, body: character.body, up, incline };

        let carried = walker.carry(character.ground, dt);
        let mut walk = Walk { overlap: walker.recover(dt), ..Walk::default() };
        if walk.overlap.is_some() {
            // Crushed, or buried: it stays where it is until there is a way out.
            character.body = walker.body;
            return Ok(walk);
        }
        let past = world.past_ignored(&walker.body, filter);
        let mut walker = Walker { filter: past.as_ref().unwrap_or(filter), ..walker };
        let velocity = character.velocity;
        let from = carried.map_or(Vec3::ZERO, |ground| ground.velocity);
        let (left, ground) = if carried.is_some() && !is_rising(velocity, up) {
            let across = motion - up * motion.dot(up);
            let left = walker.climb(across, &mut walk);
            let level = velocity - up * velocity.dot(up);
            (if left == across { level } else { left / dt }, walker.stand(self.step_height))
        } else {
            let start = walker.body.center();
            let left = walker.slide(motion, Manner::Falling(incline), &mut walk);
            let is_higher = motion.dot(up) > 0.0 && (walker.body.center() - start).dot(up) > 0.0;
            let ground = if is_higher { None } else { walker.land(self.landing) };
            (if left == motion { velocity } else { left / dt }, ground)
        };
        let mut ground = ground.or_else(|| if is_rising(left, up) { None } else { walker.wedge() });
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
        Ok(walk)
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
        let up = self.unit_up();
        BoxSweep::new(character.body, Vec3::ZERO)?.rotating(up * angle)?;
        let surroundings = &Unknown;
        let mut walker = Walker { mover: self, world, filter, surroundings, body: character.body, up, incline };
        if walker.recover(0.0).is_some() {
            return Ok(0.0);
        }
        let past = world.past_ignored(&walker.body, filter);
        let mut walker = Walker { filter: past.as_ref().unwrap_or(filter), ..walker };
        let turned = walker.turn(angle);
        character.body = walker.body;
        Ok(turned)
    }

    /// Up as a unit vector; zero where there is none.
    pub(crate) fn unit_up(&self) -> Vec3 {
        unit(self.up)
    }

    /// The direction of a vector across up, of length one; `None` for one that is too steep to push along.
    #[cfg(feature = "dynamics")]
    pub(crate) fn across(&self, vector: Vec3) -> Option<Vec3> {
        let up = self.unit_up();
        let across = vector - up * vector.dot(up);
        let length = across.length();
        (length > PUSHED * vector.length()).then(|| across / length)
    }

    /// What it can stand on, if all numbers make sense.
    fn check(&self, dt: f32) -> Result<Incline, Error> {
        if !self.up.is_finite() {
            return Err(Error::NonFinite { field: "up" });
        }
        let lengths = [("dt", dt), ("step_height", self.step_height), ("landing", self.landing)];
        for (field, number) in
            lengths.into_iter().chain([("max_slope", self.max_slope), ("push_force", self.push_force)])
        {
            if !number.is_finite() {
                return Err(Error::NonFinite { field });
            }
            if number < 0.0 {
                return Err(Error::Negative { field });
            }
        }
        if self.max_slope > std::f32::consts::FRAC_PI_2 {
            return Err(Error::OutOfRange { field: "max_slope" });
        }
        Ok(Incline { up: self.unit_up().as_dvec3(), steepest: cosine(self.max_slope.into()) - NORMAL_ERROR })
    }
}

/// A body is pushed where the share of its unit normal across up is greater: by sides within 60 degrees of upright.
#[cfg(feature = "dynamics")]
const PUSHED: f32 = 0.5;

/// A velocity that rises by a smaller share of itself leads across up, but for rounding.
const RISING: f32 = 1e-5;

fn is_rising(velocity: Vec3, up: Vec3) -> bool {
    velocity.dot(up) > RISING * velocity.length()
}

/// A normal of `f32` numbers may be off by so much.
const NORMAL_ERROR: f64 = 4.0 * f32::EPSILON as f64;

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
