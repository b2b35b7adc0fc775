//! A character's walk: along floors, up steps, down stairs, and up no slope steeper than allowed.
//!
//! ```text
//!   carry:          what it stands on has moved -> by as much as that moved the place where it stands
//!   recover:        out of what it penetrates
//!   on the ground:  slide along          -> if that falls short:  up a step, along, down again; whichever gets farther
//!                   then down by a step  -> a floor there is the ground; else it begins to fall
//!   in the air:     slide                -> a floor right below is the ground
//! ```
//! It uses only the sweeps and slides that any caller may use, and ends only at positions that these return.
//!
//! Source: the walk of Quake's `SV_WalkMove` (id Software, 1996): up, forward, down.

use crate::{
    Character, Filter, Walk, World, WorldTriangle,
    character::{
        LostAt,
        body::CharacterBody,
        surroundings::{Surroundings, Unknown},
        walker::Walker,
    },
    sweep::free_motion::{Incline, Manner},
    sweep::lost::Lost,
    sweep::slide::Slides,
};
use cullide_narrowphase::{BoxSweep, Error, Sides, glam::Vec3};

/// The settings of a character's walk. Lengths are in units of the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mover {
    /// The direction against gravity; it need not be a unit vector. If it is zero, nothing is a floor. Preset: y.
    pub up: Vec3,
    /// The highest step that it climbs, and the deepest that it descends without falling. Preset: 0.35.
    pub step_height: f32,
    /// The steepest slope that carries, in radians from level, up to a right angle: anything steeper is a wall. Wedged
    /// between walls that let it sink no farther, a character stands all the same, and [`Ground::normal`] is then that of
    /// one of them. Preset: π / 4.
    ///
    /// [`Ground::normal`]: crate::Ground::normal
    pub max_slope: f32,
    /// In the air, how far below a floor may be to carry; at zero none does, since sweeps stop a little before what
    /// they meet. Preset: 0.02.
    pub landing: f32,
    /// The total force with which it pushes the rigid bodies in its way, in newtons for metres and kilograms. Used only
    /// by `Dynamics::walk`. Preset: 300.
    pub push_force: f32,
}

impl Default for Mover {
    /// Settings for metres with y up: steps of 0.35, slopes up to 45 degrees, and a push that moves 50 kilograms
    /// against a friction of 0.6.
    fn default() -> Self {
        let max_slope = std::f32::consts::FRAC_PI_4;
        Self { up: Vec3::Y, step_height: 0.35, max_slope, landing: 0.02, push_force: 300.0 }
    }
}

impl Mover {
    /// The same mover in smaller units, `units` of which make one of the present ones: 100 centimetres make a metre.
    /// Its force grows by the fourth power of `units`, as does the weight of bodies of a given density; a body with a
    /// given mass weighs `units` times as much.
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

    /// Moves a character for `dt` seconds at its velocity, after moving it along with what it stands on if that has
    /// moved, and returns what happened.
    ///
    /// On the ground only the part of the velocity perpendicular to up counts, unless the velocity leads upward, as in
    /// a jump: then the character is in the air. In the air the caller adds gravity to the velocity. Afterwards the
    /// velocity is the one to continue with: walls have removed what led into them, walkable steps and slopes have
    /// removed nothing, and a floor has removed the fall. It is relative to the ground while there is one; a character
    /// that leaves a platform takes the platform's velocity along.
    ///
    /// A round body, such as a capsule, also stands on the edge of a floor, however far its round end extends beyond it,
    /// and rolls round the edge as it walks off. It climbs no edge that is more than a step higher than the point where it
    /// touches the ground. No body turns.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`] or [`Error::Negative`] for the velocity, the time or a number of the
    /// mover; then nothing has moved.
    ///
    /// ```
    /// # use cullide_world::{Character, Filter, Mover, Object, World, narrowphase::{Aabb, Obb, Plane}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
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
    pub fn walk<B: CharacterBody>(
        &self,
        world: &World,
        character: &mut Character<B>,
        dt: f32,
        filter: &Filter,
    ) -> Result<Walk, Error> {
        B::walk(self, world, &Unknown, character, dt, filter)
    }

    /// Moves a character with any kind of body.
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
        if !character.velocity.is_finite() {
            return Err(Error::NonFinite { field: "velocity" });
        }
        character.body.check_motion(motion).map_err(|_| Error::OutOfRange { field: "velocity" })?;
        let (body, up) = (character.body, self.unit_up());
        let lost = Lost::Known(character.lost.on_the_way_to(body.center()));
        let others = character.without_own(filter);
        let filter = others.as_ref().unwrap_or(filter);
        let mut walker = Walker { mover: self, world, filter, surroundings, body, lost, up, incline };

        let carried = walker.carry(character.ground, dt);
        let mut walk = Walk { overlap: walker.recover(dt), ..Walk::default() };
        if walk.overlap.is_some() {
            // Crushed or buried: it stays where it is until there is a way out.
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
        let mut lost = walker.lost.known();
        if ground.is_some() {
            lost -= incline.up * lost.dot(incline.up);
        }
        character.lost = LostAt::new(walker.body.center(), lost);
        (character.body, character.velocity, character.ground) = (walker.body, velocity, ground);
        Ok(walk)
    }

    /// Turns a character's box about up by an angle in radians, counter-clockwise as seen from above, and returns how
    /// far it turned: the whole angle unless there is no room.
    ///
    /// What is in its way pushes it aside, so a box that is longer than a corridor is wide turns with the corridor:
    /// call this in each frame before the walk, with the angle from the direction that it faces to the direction of its
    /// motion.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::Negative`] or [`Error::OutOfRange`] for the angle or a number of the mover; then
    /// nothing has turned.
    ///
    /// ```
    /// # use cullide_world::{Character, Filter, Mover, World, narrowphase::{Obb, Plane}, glam::{Quat, Vec3}};
    /// // A horse, twice as long as wide, along a wall that it nearly touches.
    /// let mut world = World::new();
    /// world.insert_plane(Plane::from_point_normal(Vec3::Z * -0.5, Vec3::Z)?);
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
        let (surroundings, body, lost) = (&Unknown, character.body, Lost::Ignored);
        let others = character.without_own(filter);
        let filter = others.as_ref().unwrap_or(filter);
        let mut walker = Walker { mover: self, world, filter, surroundings, body, lost, up, incline };
        if walker.recover(0.0).is_some() {
            return Ok(0.0);
        }
        let past = world.past_ignored(&walker.body, filter);
        let mut walker = Walker { filter: past.as_ref().unwrap_or(filter), ..walker };
        let turned = walker.turn(angle);
        character.body = walker.body;
        Ok(turned)
    }

    /// Whether a triangle is a floor: no steeper than [`Mover::max_slope`], and facing up with a side from which it is
    /// met. Nothing is one for a mover with invalid numbers.
    ///
    /// ```
    /// # use cullide_world::{Filter, Mover, Object, World, narrowphase::{Aabb, Hull}, glam::Vec3};
    /// let mut world = World::new();
    /// // A wedge that rises by 1 over 2, which is at 26.6 degrees.
    /// let side = [Vec3::ZERO, Vec3::X * 2.0, Vec3::new(2.0, 1.0, 0.0)];
    /// let wedge = Hull::new(&[side, side.map(|corner| corner + Vec3::Z)].concat())?;
    /// world.insert(Object::fixed(wedge));
    /// let everything = Aabb::from_center_half_extents(Vec3::ZERO, Vec3::splat(9.0))?;
    /// let floors = |degrees: f32| {
    ///     let (mover, mut count) = (Mover { max_slope: degrees.to_radians(), ..Mover::default() }, 0);
    ///     world.triangles_in(&everything, &Filter::ALL, |triangle| count += usize::from(mover.stands_on(triangle)));
    ///     count
    /// };
    /// assert_eq!([20.0, 30.0].map(floors), [0, 2]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn stands_on(&self, triangle: &WorldTriangle) -> bool {
        let Ok(incline) = self.check(0.0) else { return false };
        let normal = triangle.triangle.normal().as_dvec3();
        incline.carries(normal) || triangle.sides == Sides::Both && incline.carries(-normal)
    }

    /// Up as a unit vector; zero if it has no direction.
    pub(crate) fn unit_up(&self) -> Vec3 {
        unit(self.up)
    }

    /// The unit direction of a vector's part perpendicular to up; `None` if the vector is too steep to push along.
    #[cfg(feature = "dynamics")]
    pub(crate) fn across(&self, vector: Vec3) -> Option<Vec3> {
        let up = self.unit_up();
        let across = vector - up * vector.dot(up);
        let length = across.length();
        (length > PUSHED * vector.length()).then(|| across / length)
    }

    /// Returns what it can stand on, if all numbers are valid.
    fn check(&self, dt: f32) -> Result<Incline, Error> {
        if !self.up.is_finite() {
            return Err(Error::NonFinite { field: "up" });
        }
        for (field, number) in [
            ("dt", dt),
            ("step_height", self.step_height),
            ("landing", self.landing),
            ("max_slope", self.max_slope),
            ("push_force", self.push_force),
        ] {
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

/// A body is pushed if the part of its unit normal perpendicular to up is longer: by sides within 60 degrees of
/// upright.
#[cfg(feature = "dynamics")]
const PUSHED: f32 = 0.5;

/// A velocity with a smaller share along up counts as perpendicular to up.
const RISING: f32 = 1e-5;

fn is_rising(velocity: Vec3, up: Vec3) -> bool {
    velocity.dot(up) > RISING * velocity.length()
}

/// The error bound of a normal of `f32` numbers.
const NORMAL_ERROR: f64 = 4.0 * f32::EPSILON as f64;

/// The cosine of an angle between zero and a right angle: the same bits on every platform, which the standard library
/// does not guarantee.
fn cosine(angle: f64) -> f64 {
    // Taylor's series, of which the twelfth term is below 1e-18.
    (1..=12).rev().fold(1.0, |sum, i| 1.0 - sum * angle * angle / f64::from((2 * i - 1) * (2 * i)))
}

/// A direction as a unit vector, or zero if it has none.
fn unit(direction: Vec3) -> Vec3 {
    let direction = direction.as_dvec3();
    let length = direction.length();
    if length > 0.0 && length.is_finite() { (direction / length).as_vec3() } else { Vec3::ZERO }
}
