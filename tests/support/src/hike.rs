//! Walkers that wander about on a surface of triangles, and what must hold for each of their steps.

use crate::soup::{Body, Soup};
use cullide_narrowphase::{
    Aabb, BoxSweep, Capsule, CapsuleSweep, Error, Obb, Ray,
    glam::{Quat, Vec3},
};
use cullide_scenes::Rng;
use cullide_world::{Character, Filter, Mover, Object, Shape, Walk, World};
use std::f32::consts::TAU;

/// Seconds per step, and steps per second.
const DT: f32 = 1.0 / STEPS_PER_SECOND as f32;
const STEPS_PER_SECOND: u32 = 60;

/// In metres: half the width of a walker, its height, and how far above a floor it starts.
const HALF_WIDTH: f32 = 0.3;
const HEIGHT: f32 = 1.8;
const DROP: f32 = 0.05;

/// Speed in metres per second, and gravity in metres per second squared.
const SPEED: f32 = 3.0;
const GRAVITY: f32 = 9.81;

/// A walker this far below the scene, in metres, has walked off its edge, and starts again.
const LOST: f32 = 20.0;

/// A walker that makes less than this share of its intended way turns.
const BLOCKED: f32 = 0.2;

/// The most that a walker turns of its own accord, in radians per second.
const BEND: f32 = 0.5;

/// A walker is stuck if it gets no farther than this, in metres, in this many steps, though it is free to move in one
/// of these directions.
const STUCK: f32 = 0.05;
const STUCK_STEPS: u32 = 5 * STEPS_PER_SECOND;
const DIRECTIONS: u8 = 32;

/// More than rounding adds to the way of one step, or takes from a gap, in metres.
const ROUNDING: f64 = 1e-4;

/// A walker's body.
pub trait Build: Body + Copy + std::fmt::Debug {
    /// One that stands at `foot`.
    fn standing(foot: Vec3) -> Result<Self, Error>;

    /// Its centre.
    fn position(&self) -> Vec3;

    /// Walks one step.
    fn walk(world: &World, walker: &mut Character<Self>) -> Result<Walk, Error>;

    /// Whether it is free to move by `motion`.
    fn is_free(&self, world: &World, motion: Vec3) -> bool;
}

impl Build for Capsule {
    fn standing(foot: Vec3) -> Result<Self, Error> {
        Self::new(foot + Vec3::Y * HALF_WIDTH, foot + Vec3::Y * (HEIGHT - HALF_WIDTH), HALF_WIDTH)
    }

    fn position(&self) -> Vec3 {
        self.center()
    }

    fn walk(world: &World, walker: &mut Character<Self>) -> Result<Walk, Error> {
        Mover::default().walk(world, walker, DT, &Filter::ALL)
    }

    fn is_free(&self, world: &World, motion: Vec3) -> bool {
        CapsuleSweep::new(*self, motion).is_ok_and(|sweep| {
            let swept = world.sweep(&sweep, &Filter::ALL);
            swept.hit.is_none() && swept.overlap.is_none()
        })
    }
}

impl Build for Obb {
    fn standing(foot: Vec3) -> Result<Self, Error> {
        let half = Vec3::new(HALF_WIDTH, 0.5 * HEIGHT, HALF_WIDTH);
        Self::new(foot + Vec3::Y * half.y, Quat::IDENTITY, half)
    }

    fn position(&self) -> Vec3 {
        self.center()
    }

    fn walk(world: &World, walker: &mut Character<Self>) -> Result<Walk, Error> {
        Mover::default().walk(world, walker, DT, &Filter::ALL)
    }

    fn is_free(&self, world: &World, motion: Vec3) -> bool {
        BoxSweep::new(*self, motion).is_ok_and(|sweep| {
            let swept = world.sweep(&sweep, &Filter::ALL);
            swept.hit.is_none() && swept.overlap.is_none()
        })
    }
}

/// A scene to walk in: one fixed object, and its triangles.
#[derive(Debug)]
pub struct Ground {
    world: World,
    soup: Soup,
    bounds: Aabb,
}

/// What walkers did.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// How far they walked on the ground, in metres.
    pub metres: f64,
    /// Steps on a level floor, with everything around level too.
    pub level_steps: usize,
    /// How often a walker walked off the edge of the scene.
    pub lost: usize,
    /// The guarantees that were broken.
    pub broken: Vec<String>,
}

impl Ground {
    /// The scene of a shape that consists of these triangles.
    pub fn new(shape: impl Into<Shape>, triangles: impl IntoIterator<Item = [Vec3; 3]>) -> Self {
        let shape = shape.into();
        let (bounds, mut world) = (shape.aabb(), World::new());
        world.insert(Object::fixed(shape));
        Self { world, soup: Soup::new(triangles), bounds }
    }

    /// Places with room to stand, on the highest floors of a grid of `side` by `side` points.
    pub fn places<B: Build>(&self, side: u16) -> Vec<Vec3> {
        let share = |at: u16| (f32::from(at) + 0.5) / f32::from(side);
        let spots = (0..side * side).map(|i| Vec3::new(share(i % side), 1.0, share(i / side)));
        spots
            .filter_map(|spot| self.place_below::<B>(self.bounds.min() + self.bounds.size() * spot + Vec3::Y))
            .collect()
    }

    /// Where there is room to stand on the floor below a point.
    pub fn place_below<B: Build>(&self, point: Vec3) -> Option<Vec3> {
        let floor = self.world.cast_ray(&Ray::new(point, Vec3::NEG_Y).ok()?, f32::INFINITY, &Filter::ALL)?;
        let normal = floor.normal;
        // On a slope it touches off its middle: at a corner, if it has corners.
        let foot = floor.point + Vec3::Y * (HALF_WIDTH * (normal.x.abs() + normal.z.abs()) / normal.y + DROP);
        let is_floor = normal.y > 0.8 && !floor.inside;
        (is_floor && self.soup.depth(&B::standing(foot).ok()?) == 0.0).then_some(foot)
    }

    /// Lets `count` walkers wander from these places for `seconds` seconds.
    pub fn hike<B: Build>(&self, places: &[Vec3], count: usize, seconds: u32, seed: u64) -> Log {
        let mut log = Log::default();
        for number in 0..count {
            let mut hiker = Hiker::<B>::new(self, places, seed + number as u64);
            for step in 0..seconds * STEPS_PER_SECOND {
                let before = hiker.walker;
                if let Err(what) = hiker.step(&mut log) {
                    let place = format!("walker {number}, step {step}, {before:?}");
                    log.broken.push(format!("{what}: {place}"));
                    break;
                }
            }
        }
        log
    }
}

/// One walker and its state.
struct Hiker<'a, B> {
    ground: &'a Ground,
    rng: Rng,
    walker: Character<B>,
    start: Vec3,
    heading: f32,
    /// Where it was when it last made progress, and the number of steps since.
    anchor: Vec3,
    idle: u32,
}

impl<'a, B: Build> Hiker<'a, B> {
    fn new(ground: &'a Ground, places: &[Vec3], seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let start = places[rng.usize(0..places.len())];
        let heading = TAU * rng.f32();
        let walker = Character::new(B::standing(start).expect("a place in the scene"));
        Self { ground, rng, walker, start, heading, anchor: start, idle: 0 }
    }

    /// Makes one step; the error names the guarantee that it broke.
    fn step(&mut self, log: &mut Log) -> Result<(), String> {
        let direction = Quat::from_rotation_y(self.heading) * Vec3::X;
        if self.walker.is_on_ground() {
            self.walker.velocity = SPEED * direction;
        } else {
            // A small push, or a walker on a slope too steep to stand on could never leave it.
            self.walker.velocity += (SPEED * direction - Vec3::Y * GRAVITY) * DT;
        }
        let before = self.walker;
        let walk = B::walk(&self.ground.world, &mut self.walker).map_err(|error| error.to_string())?;
        let way = self.walker.body.position() - before.body.position();
        if let Some(overlap) = walk.overlap {
            return Err(format!("it overlaps {overlap:?}"));
        }
        let depth = self.ground.soup.depth(&self.walker.body);
        if depth > ROUNDING {
            return Err(format!("it is {depth} deep in a triangle"));
        }
        self.check_way(&before, way)?;
        if before.is_on_ground() && self.walker.is_on_ground() {
            log.metres += f64::from(way.length());
            if self.is_level(&before.body) {
                log.level_steps += 1;
                if f64::from(way.y.abs()) > 0.1 * ROUNDING {
                    return Err(format!("its height changes by {} on a level floor", way.y));
                }
            }
        }
        let made = way.dot(direction);
        self.heading += if made < BLOCKED * SPEED * DT && before.is_on_ground() {
            TAU * (0.25 + 0.5 * self.rng.f32())
        } else {
            BEND * DT * (2.0 * self.rng.f32() - 1.0)
        };
        if self.walker.body.position().y < self.ground.bounds.min().y - LOST {
            self.walker = Character::new(B::standing(self.start).map_err(|error| error.to_string())?);
            log.lost += 1;
        }
        self.check_progress()
    }

    /// Checks that it went no farther than its velocity, the step height and the landing allow, and that it got no
    /// faster.
    fn check_way(&self, before: &Character<B>, way: Vec3) -> Result<(), String> {
        let (wish, mover) = (before.velocity * DT, Mover::default());
        let slack = ROUNDING as f32;
        let reach = if before.is_on_ground() { mover.step_height } else { mover.landing };
        // On the last bit down to a floor it may slide along a surface that is too steep.
        let is_near = way.with_y(0.0).length() <= wish.length() + mover.landing + slack
            && way.y.abs() <= wish.length() + reach + slack;
        if !is_near {
            return Err(format!("it moves by {way} but wants to move by {wish}"));
        }
        let speeds = [before, &self.walker].map(|walker| walker.velocity.length());
        if speeds[1] > speeds[0] + slack { Err(format!("it gets faster: {speeds:?}")) } else { Ok(()) }
    }

    /// Whether everything around its feet, before and after a step, is one level floor, part of which is straight below
    /// it.
    fn is_level(&self, before: &B) -> bool {
        let mover = Mover::default();
        let around = before.around().union(&self.walker.body.around());
        let reach = mover.step_height + HALF_WIDTH;
        let low = around.min() - Vec3::Y * reach;
        let high = around.max().with_y(around.min().y + reach);
        let is_on = |body: &B| self.ground.soup.is_over(body.position(), [low, high]);
        let mut heights = self.ground.soup.near([low, high]).flatten().map(|corner| corner.y);
        let is_level = heights.next().is_some_and(|first| heights.all(|height| height == first));
        is_level && is_on(before) && is_on(&self.walker.body)
    }

    /// Checks that it makes progress if it can.
    fn check_progress(&mut self) -> Result<(), String> {
        self.idle += 1;
        let position = self.walker.body.position();
        if position.distance(self.anchor) > STUCK {
            (self.anchor, self.idle) = (position, 0);
        } else if self.idle >= STUCK_STEPS {
            self.idle = 0;
            let is_free = |i: u8| {
                let direction = Quat::from_rotation_y(TAU * f32::from(i) / f32::from(DIRECTIONS)) * Vec3::X;
                self.walker.body.is_free(&self.ground.world, direction * (2.0 * STUCK))
            };
            if (0..DIRECTIONS).any(is_free) {
                return Err("it is stuck".to_owned());
            }
        }
        Ok(())
    }
}
