//! A hiker: a capsule or a box, and where it wants to go.

use crate::{GOLDEN, HEIGHT, HIKERS, RADIUS};
use cullide_world::{
    Character, Filter, Mover, World,
    glam::{Quat, Vec3},
    narrowphase::{BoxSweep, Capsule, CapsuleSweep, Error, Obb},
};
use std::f32::consts::TAU;

/// The speed of a hiker in metres per second, and what gravity adds to a fall each second.
const SPEED: f32 = 3.0;
const GRAVITY: f32 = 9.81;
/// A hiker that covers less than this fraction of the distance that it wants turns by the golden angle, so that it
/// tries all directions.
const BLOCKED: f32 = 0.2;
const TURN: f32 = (1.0 - GOLDEN) * TAU;
/// The maximum rate at which a hiker turns by itself, in radians per second.
const BEND: f32 = 0.3;

/// The shape of hikers.
#[derive(Clone, Copy)]
pub enum Build {
    Capsule,
    Box,
}

/// A character of either build.
enum Walker {
    Capsule(Character<Capsule>),
    Box(Character<Obb>),
}

/// A hiker under way.
pub struct Hiker {
    build: Build,
    walker: Walker,
    start: Vec3,
    heading: f32,
    /// How fast it turns by itself, in radians per second.
    bend: f32,
    /// Where its feet were after each step, as one path for each time it began.
    pub ways: Vec<Vec<Vec3>>,
}

impl Build {
    /// How far its lowest point is above a slope with this normal, straight below its center, when it stands there.
    pub fn lift(self, normal: Vec3) -> f32 {
        match self {
            // Its round end touches the slope beside its lowest point.
            Self::Capsule => RADIUS / normal.y - RADIUS,
            Self::Box => RADIUS * (normal.x.abs() + normal.z.abs()) / normal.y,
        }
    }

    /// Whether there is room to stand.
    pub fn is_free(self, world: &World, foot: Vec3) -> Result<bool, Error> {
        let mut touched = Vec::new();
        match self {
            Self::Capsule => world.overlap(&capsule(foot)?, &Filter::ALL, &mut touched),
            Self::Box => world.overlap(&upright_box(foot)?, &Filter::ALL, &mut touched),
        }
        Ok(touched.is_empty())
    }

    /// Returns a walker that stands there.
    fn walker(self, foot: Vec3) -> Result<Walker, Error> {
        Ok(match self {
            Self::Capsule => Walker::Capsule(Character::new(capsule(foot)?)),
            Self::Box => Walker::Box(Character::new(upright_box(foot)?)),
        })
    }
}

fn capsule(foot: Vec3) -> Result<Capsule, Error> {
    Capsule::new(foot + Vec3::Y * RADIUS, foot + Vec3::Y * (HEIGHT - RADIUS), RADIUS)
}

fn upright_box(foot: Vec3) -> Result<Obb, Error> {
    let half = Vec3::new(RADIUS, 0.5 * HEIGHT, RADIUS);
    Obb::new(foot + Vec3::Y * half.y, Quat::IDENTITY, half)
}

impl Hiker {
    /// Creates a hiker that begins there, in a direction different from those of other numbers.
    pub fn new(build: Build, start: Vec3, number: usize) -> Result<Self, Error> {
        let walker = build.walker(start)?;
        let (heading, bend) = (TURN * number as f32, BEND * (2.0 * number as f32 / HIKERS as f32 - 1.0));
        Ok(Self { build, walker, start, heading, bend, ways: vec![Vec::new()] })
    }

    /// The center of its lower end.
    pub fn foot(&self) -> Vec3 {
        let center = match &self.walker {
            Walker::Capsule(character) => character.position(),
            Walker::Box(character) => character.position(),
        };
        center - Vec3::Y * (0.5 * HEIGHT)
    }

    /// Goes back to where it began, and walks in another direction from there.
    pub fn begin_again(&mut self) -> Result<(), Error> {
        self.walker = self.build.walker(self.start)?;
        self.heading += TURN;
        self.ways.push(Vec::new());
        Ok(())
    }

    /// Advances by a step of `dt` seconds.
    pub fn step(&mut self, world: &World, dt: f32) -> Result<(), Error> {
        let direction = Quat::from_rotation_y(self.heading) * Vec3::X;
        let before = self.foot();
        let (mover, fall) = (Mover::default(), Vec3::Y * (GRAVITY * dt));
        let wish = |on_ground: bool, velocity: Vec3| if on_ground { SPEED * direction } else { velocity - fall };
        let on_ground = match &mut self.walker {
            Walker::Capsule(character) => {
                let on_ground = character.is_on_ground();
                character.velocity = wish(on_ground, character.velocity);
                mover.walk(world, character, dt, &Filter::ALL)?;
                on_ground
            }
            Walker::Box(character) => {
                let on_ground = character.is_on_ground();
                character.velocity = wish(on_ground, character.velocity);
                mover.walk(world, character, dt, &Filter::ALL)?;
                on_ground
            }
        };
        let foot = self.foot();
        let made = (foot - before).dot(direction);
        self.heading += if on_ground && made < BLOCKED * SPEED * dt { TURN } else { self.bend * dt };
        if let Some(way) = self.ways.last_mut() {
            way.push(foot);
        }
        Ok(())
    }

    /// Returns whether it overlaps something.
    pub fn is_inside(&self, world: &World) -> Result<bool, Error> {
        let swept = match &self.walker {
            Walker::Capsule(character) => world.sweep(&CapsuleSweep::new(character.body, Vec3::ZERO)?, &Filter::ALL),
            Walker::Box(character) => world.sweep(&BoxSweep::new(character.body, Vec3::ZERO)?, &Filter::ALL),
        };
        Ok(swept.overlap.is_some())
    }
}
