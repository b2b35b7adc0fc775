//! A character's walk: along floors, up steps, down stairs, and no farther up than a slope allows.
//!
//! ```text
//!   on the ground:  slide along          -> if that loses way:  up by a step, along, down again; whichever gets farther
//!                   then down by a step  -> a floor there is the ground; else it begins to fall
//!   in the air:     slide                -> a floor right below is the ground
//! ```
//! It asks the world what any caller may ask, sweeps and slides, and stands only where their answers put it.
//!
//! Source: the walk of Quake's `SV_WalkMove` (id Software, 1996): up, forward, down.

use crate::{Filter, SlideContact, SlideOptions, Target, World};
use cullide_narrowphase::{BoxSweep, Error, Obb, glam::Vec3};
use smallvec::SmallVec;

/// How a character walks. Lengths are in units of the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mover {
    /// Against gravity; need not be a unit vector. Without a length nothing is a floor.
    pub up: Vec3,
    /// The highest step that it climbs, and the deepest that it goes down without falling.
    pub step_height: f32,
    /// The least cosine between a floor's normal and up: what is steeper does not carry.
    pub steepest: f32,
    /// In the air, a floor so far below carries.
    pub landing: f32,
}

impl Default for Mover {
    /// For metres with y up: steps of 0.35, slopes up to 45 degrees.
    fn default() -> Self {
        Self { up: Vec3::Y, step_height: 0.35, steepest: std::f32::consts::FRAC_1_SQRT_2, landing: 0.02 }
    }
}

/// Whether a character stands or falls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Footing {
    /// On a floor.
    Ground,
    /// Jumping or falling.
    #[default]
    Air,
}

/// What a character stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// The floor.
    pub target: Target,
    /// Its unit normal.
    pub normal: Vec3,
}

/// Where a walk ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Walk {
    /// The centre of the box; it penetrates nothing there that it did not before.
    pub position: Vec3,
    /// What it stands on; `None` in the air. Hand [`Walk::footing`] to the next walk.
    pub ground: Option<Ground>,
    /// What it met while sliding, in order.
    pub contacts: SmallVec<[SlideContact; 4]>,
}

impl Walk {
    /// On the ground when there is one.
    pub fn footing(&self) -> Footing {
        if self.ground.is_some() { Footing::Ground } else { Footing::Air }
    }
}

impl Mover {
    /// Moves a character's box by `motion`. On the ground only what `motion` has across up counts, unless it leads upward, as a jump does:
    /// then it is in the air.
    ///
    /// The caller keeps the velocity, adds gravity to it in the air, and takes from it what the walk did not make of the motion.
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::OutOfRange`] for the motion.
    ///
    /// ```
    /// # use cullide_world::{Filter, Footing, Mover, Object, World, narrowphase::{Aabb, Obb, Plane}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// world.insert_plane(Plane::new(Vec3::Y, 0.0)?, 0b1);
    /// let step = world.insert(Object::fixed(Aabb::new(Vec3::new(2.0, 0.0, -5.0), Vec3::new(5.0, 0.3, 5.0))?));
    /// let body = Obb::new(Vec3::new(0.0, 0.9, 0.0), Quat::IDENTITY, Vec3::new(0.3, 0.9, 0.3))?;
    /// let walk = Mover::default().walk(&world, &body, Vec3::X * 3.0, Footing::Ground, &Filter::ALL)?;
    /// assert!(walk.position.distance(Vec3::new(3.0, 1.2, 0.0)) < 1e-4);
    /// assert_eq!(walk.ground.unwrap().target, step.into());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn walk(
        &self,
        world: &World,
        body: &Obb,
        motion: Vec3,
        footing: Footing,
        filter: &Filter,
    ) -> Result<Walk, Error> {
        BoxSweep::new(*body, motion)?;
        let up = self.up.as_dvec3().normalize_or_zero().as_vec3();
        let walker = Walker { mover: self, world, body, filter, up };
        Ok(match footing {
            Footing::Ground if motion.dot(up) <= 0.0 => {
                let (position, contacts) = walker.climb(motion - up * motion.dot(up));
                let (position, ground) = walker.land(position, self.step_height);
                Walk { position, ground, contacts }
            }
            _ => {
                let (position, contacts) = walker.slide(body.center(), motion);
                let is_rising = (position - body.center()).dot(up) > 0.0 && motion.dot(up) > 0.0;
                let (position, ground) = if is_rising { (position, None) } else { walker.land(position, self.landing) };
                Walk { position, ground, contacts }
            }
        })
    }
}

/// One walk.
struct Walker<'a> {
    mover: &'a Mover,
    world: &'a World,
    body: &'a Obb,
    filter: &'a Filter<'a>,
    up: Vec3,
}

impl Walker<'_> {
    /// Where a motion on the ground ends.
    fn climb(&self, motion: Vec3) -> (Vec3, SmallVec<[SlideContact; 4]>) {
        let start = self.body.center();
        // Way made along the wish: sliding sideways along a wall is no reason to rather not climb.
        let way = |end: Vec3| (end - start).dot(motion);
        let plain = self.slide(start, motion);
        if way(plain.0) >= 0.99 * motion.length_squared() {
            return plain;
        }
        let (raised, _) = self.drop(start, -self.mover.step_height);
        let ahead = self.slide(raised, motion);
        let (stepped, ground) = self.land(ahead.0, (raised - start).dot(self.up) + self.mover.landing);
        if ground.is_some() && way(stepped) > way(plain.0) { (stepped, ahead.1) } else { plain }
    }

    /// Down to a floor at most so far below; stays without one.
    fn land(&self, position: Vec3, depth: f32) -> (Vec3, Option<Ground>) {
        match self.drop(position, depth) {
            (below, Some(ground)) if ground.normal.dot(self.up) >= self.mover.steepest => (below, Some(ground)),
            _ => (position, None),
        }
    }

    /// Where a sweep straight down ends, or up for a negative depth, and on what.
    fn drop(&self, position: Vec3, depth: f32) -> (Vec3, Option<Ground>) {
        let Some(sweep) = self.sweep(position, self.up * -depth) else { return (position, None) };
        let swept = self.world.sweep_box(&sweep, self.filter);
        (swept.position, swept.hit.map(|hit| Ground { target: hit.target, normal: hit.normal }))
    }

    fn slide(&self, position: Vec3, motion: Vec3) -> (Vec3, SmallVec<[SlideContact; 4]>) {
        let Some(sweep) = self.sweep(position, motion) else { return (position, SmallVec::new()) };
        let slide = self.world.slide_box(&sweep, self.filter, &SlideOptions::default());
        (slide.position, slide.contacts)
    }

    /// `None` out of the range of coordinates.
    fn sweep(&self, position: Vec3, motion: Vec3) -> Option<BoxSweep> {
        BoxSweep::new(Obb::from_half_edges(position, self.body.half_edges()).ok()?, motion).ok()
    }
}
